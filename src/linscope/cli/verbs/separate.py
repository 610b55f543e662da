"""``linscope separate``: is there a separating hyperplane, and what proves it?"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table

from ..errors import CHECK_FAILED, EXIT_CODES, FINE, BadInput, input_errors
from ..figures import check_figure_path, named, write_figure
from ..formula import bound_text, hyperplane
from ..json_document import data_of, print_json
from ..options import SHOW, Json, Quiet
from ..screen import (
    Pairs,
    console,
    facts,
    header,
    hints,
    lead,
    paragraph,
    print_table,
    progress_bars,
)
from ..screen import verdict as checked
from ..tables.options import AskedOfTable, DataFile, TableName
from ..tables.source import Source, load_source

USAGE = """\
Usage: linscope separate TABLE [OPTIONS]

Examples:

  linscope separate or
  linscope separate xor --plot xor.png
  linscope separate iris
  linscope separate my.csv --target grade --drop name
  linscope separate my.csv --target grade --json"""

app = App(name="separate", usage=USAGE, help_epilogue=EXIT_CODES, help_format="plaintext")
SHOWN = 8
MARGINS = ("geometric", "augmented")  # what JSON says of them: weights, margin, support, gamma
PASSES = 1000  # the limit of a traced perceptron, unless --max-iter is given


@app.default
def separate(
    table: TableName = None,
    /,
    *,
    file: DataFile = None,
    asked: AskedOfTable | None = None,
    plot: Annotated[
        Path | None,
        Parameter(group=SHOW, help="Draw classes and margin (2 features) to a PNG, SVG or PDF."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Say whether a hyperplane separates the classes, and prove it.

    Every verdict is checked again from the data alone in exact arithmetic (`verified: …`). Any
    verdict is an answer, so the exit code is 0; it is 1 if that check fails.
    """
    check_figure_path(plot)
    source = load_source(table, file, asked)
    if plot is not None:
        source.check_drawable()
    from linscope.separation.class_table import ClassTable
    from linscope.separation.question import separability

    labels = source.labels()
    with progress_bars(quiet), input_errors():
        verdict = separability(source.X, labels)
    if plot is not None and isinstance(verdict, ClassTable):
        raise BadInput(f"--plot needs 2 classes, {source.name} has {len(verdict.classes)}")
    check = verdict.verify(source.X, labels)
    if json:
        found = _found(verdict, source)
        claim = {"verified": check.ok, "check": check.reason}
        print_json({"data": data_of(source), **found, **claim})
    else:
        _show(source, verdict, check, quiet=quiet)
    if plot is not None:
        from linscope.plot import margin

        figure = margin(verdict, named(source.X, source.features), source.y)
        write_figure(figure, plot, quiet=quiet)
    return FINE if check else CHECK_FAILED


def _show(source: Source, verdict: Any, check: Any, *, quiet: bool) -> None:
    out = console()
    header(out, f"Separability of {source.name}:", source)
    if hasattr(verdict, "pairwise"):
        _class_table(out, verdict)
    else:
        _two_classes(out, source, verdict)
    checked(out, check)
    if not quiet:
        hints(out, _next(source, verdict))


def _found(verdict: Any, source: Source | None = None) -> dict[str, Any]:
    """The verdict and its proof, field by field."""
    if hasattr(verdict, "pairwise"):
        pairs = verdict.pairwise.items()
        return {
            "separable": verdict.separable,
            "classes": verdict.classes,
            "one_vs_rest": {a: _found(one) for a, one in verdict.one_vs_rest.items()},
            "pairwise": [
                {**_found(one), "classes": key, "rows": verdict.rows[key]} for key, one in pairs
            ],
        }
    name = str if source is None else source.class_name
    found = {"separable": verdict.separable, "verdict": verdict.kind}
    found["classes"] = [name(label) for label in verdict.classes]
    proof = [field.name for field in fields(verdict) if field.name not in ("classes", *MARGINS)]
    if verdict.kind != "no":
        proof = ["weights", *proof]
    if verdict.kind == "strict":
        proof = ["margin", "support", "weights_margin", "weights_separate", *proof]
    return found | {each: getattr(verdict, each) for each in proof}


def _two_classes(out: Console, source: Source, verdict: Any) -> None:
    plane = {1: "point", 2: "line", 3: "plane"}.get(source.X.shape[1], "hyperplane")
    negative, positive = map(source.class_phrase, verdict.classes)
    claim, why, found = {
        "strict": (
            "Linearly separable.",
            f"A {plane} has all of {positive} strictly on one side and all of {negative} on the "
            "other.",
            _widest_margin,
        ),
        "quasi": (
            "Separable only with samples on the boundary.",
            f"A {plane} has no sample of {negative} and {positive} on the wrong side, but none "
            "has all strictly on their own side.",
            _boundary,
        ),
        "no": (
            "Not linearly separable.",
            f"The convex hulls of {negative} and {positive} meet, so every {plane} has samples "
            "on the wrong side.",
            _meeting,
        ),
    }[verdict.kind]
    lead(out, claim, why, f"bold {STYLES[verdict.kind]}")
    facts(out, found(source, verdict))


def _widest_margin(source: Source, verdict: Any) -> Pairs:
    from linscope.separation.verdicts import in_floats

    rows = verdict.support.tolist()
    shown = [f"{_sample(source, i)}, {_row_class(source, i)}" for i in rows[:SHOWN]]
    if len(rows) > SHOWN:
        shown.append(f"… {len(rows)} in all")
    return [
        ("widest margin", hyperplane(verdict.weights, source.features, "=")),
        ("distance", f"{verdict.margin:.6g} to the nearest samples, the support vectors:"),
        *(("", text) for text in shown),
        *([("in float64", in_floats(verdict))] if verdict.geometric.coarse else []),
        ("perceptron", f"at most {bound_text(verdict.bound)} updates from zeros, in any order:"),
        ("", f"R²/γ² with R = {verdict.radius:.6g}, γ = {verdict.gamma:.6g}"),
    ]


def _boundary(source: Source, verdict: Any) -> Pairs:
    rows = verdict.boundary.tolist()
    more = f" … {len(rows)} in all" if len(rows) > SHOWN else ""
    return [
        ("boundary", hyperplane(verdict.weights, source.features, "=")),
        *([] if verdict.weights_separate else [("in float64", "too coarse for this boundary")]),
        ("on it", "; ".join(_sample(source, i) for i in rows[:SHOWN]) + more),
        *_meeting(source, verdict),
    ]


def _meeting(source: Source, verdict: Any) -> Pairs:
    """The common point, and the samples of each class that average to it."""
    from linscope.separation.verdicts import short

    pairs = [("common point", _point(verdict.point))]
    for label, part in zip(verdict.classes, (verdict.negative, verdict.positive), strict=True):
        terms = [f"{short(w)} of {_sample(source, i)}" for i, w in list(part.items())[:SHOWN]]
        more = f" + … {len(part)} samples" if len(part) > SHOWN else ""
        pairs.append((source.class_phrase(label), " + ".join(terms) + more))
    return pairs


def _sample(source: Source, row: int) -> str:
    """A sample by name or row number, with its features where they are few."""
    name, X = source.sample_name(row), source.X
    if X.shape[1] > 4:
        return name
    values = X[[row]].toarray()[0] if hasattr(X, "toarray") else X[row]
    return f"{name} {_point(values.tolist())}"


def _point(values: Any) -> str:
    from linscope.separation.verdicts import short

    values = list(values)
    return f"({', '.join(short(v) for v in values[:6])}{', …' if len(values) > 6 else ''})"


def _row_class(source: Source, row: int) -> str:
    return source.class_phrase(source.y[row].item())


WORDS = {"strict": "yes", "quasi": "on the boundary only", "no": "no"}
STYLES = {"strict": "green", "quasi": "yellow", "no": "red"}


def _class_table(out: Console, verdict: Any) -> None:
    paragraph(out, verdict.summary())
    table = Table("class", "against", "separable?", "margin", "updates at most")
    for a, one in verdict.one_vs_rest.items():
        _verdict_row(table, str(a), "the rest", one)
    table.add_section()
    for (a, b), one in verdict.pairwise.items():
        _verdict_row(table, str(a), str(b), one)
    print_table(out, table)


def _verdict_row(table: Table, name: str, against: str, verdict: Any) -> None:
    strict = verdict.kind == "strict"
    margin = f"{verdict.margin:.4g}" if strict else "–"
    bound = bound_text(verdict.bound) if strict else "–"
    table.add_row(name, against, WORDS[verdict.kind], margin, bound, style=STYLES[verdict.kind])


def _next(source: Source, verdict: Any) -> Pairs:
    trace = f"linscope trace perceptron {source.words}"
    if verdict:
        return [(trace, _prospect(verdict))]
    if source.name == "xor":
        kernel = "linscope trace kernel-perceptron xor --kernel poly --degree 2 --coef0 1"
        return [(kernel, "in the feature space of a polynomial kernel the same rule succeeds")]
    pocket = f"{trace} --output pocket"
    return [(pocket, "the rule never converges here; the pocket keeps its best weights")]


def _prospect(verdict: Any) -> str:
    """Every pass before the last has an update, so a bound below the limit of passes decides."""
    each = getattr(verdict, "one_vs_rest", {"": verdict})
    if max(one.bound for one in each.values()) < PASSES:
        return "watch the perceptron find a separating vector, visit by visit"
    return f"the perceptron's way there, which may be longer than {PASSES:,} passes (--max-iter)"
