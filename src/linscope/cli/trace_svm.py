"""``linscope trace svm``: the pairs of sequential minimal optimisation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter, validators
from rich.console import Console

from .errors import BadInput
from .figures import named
from .options import AT_LEAST_ZERO, POSITIVE
from .presenting import header, notes_of, present, verdict
from .screen import facts, hints, paragraph, print_table
from .source import Source
from .steps import SCREEN_ROWS, ShowOptions, document, run_traced
from .trace_regression import MODEL, words_for


@Parameter(name="*", group=MODEL)
@dataclass(frozen=True, kw_only=True)
class SvmOptions:
    """What is fitted, and how closely."""

    c: Annotated[
        float | None,
        Parameter(
            name=("--C", "--c"),
            help="Price of slack, 1 by default; inf is the hard margin.",
            validator=validators.Number(gt=0),
        ),
    ] = None
    tol: Annotated[
        float | None,
        Parameter(help="Gap m − M at which the run ends, 0.001 by default.", validator=POSITIVE),
    ] = None
    max_iter: Annotated[
        int | None, Parameter(help="Most pairs.", validator=validators.Number(gte=1))
    ] = None
    multi_class: Annotated[
        Literal["ovo", "ovr"] | None,
        Parameter(help="More than 2 classes: each pair, or one against the rest."),
    ] = None

    def given(self) -> dict[str, Any]:
        """Estimator parameters that were given on the command line."""
        values: dict[str, Any] = {"C": self.c, "tol": self.tol, "max_iter": self.max_iter}
        values |= {"multi_class": self.multi_class}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class SvmShow(ShowOptions):
    """What is shown, in the words of a support vector machine."""

    exact: Annotated[bool, Parameter(parse=False)] = False
    criterion: Annotated[
        bool, Parameter(help="Add P, the primal value.", negative=(), show_default=False)
    ] = False
    updates: Annotated[str | None, Parameter(help="Only these steps, such as 1:20.")] = None
    rows: Annotated[
        int | None,
        Parameter(
            help=f"At most so many rows a problem, 0 for all; {SCREEN_ROWS} on the screen.",
            validator=AT_LEAST_ZERO,
        ),
    ] = None
    plot: Annotated[
        Path | None,
        Parameter(help="Draw the margin, or the curves f = −1, 0, +1, to a PNG, SVG or PDF."),
    ] = None


def show_svm(source: Source, given: dict[str, Any], what: SvmShow) -> int:
    """Fit, and show what was asked for."""
    from linscope.kernel_svm.estimators.svc import SVC

    if what.plot is not None and source.X.shape[1] > 2:
        raise BadInput(f"--plot needs 1 or 2 features, {source.name} has {source.X.shape[1]}")
    trace = run_traced(SVC(**given), source, what, criterion=what.updates is not None)
    wanted, made = what.update_range(), trace.n_updates
    if wanted is not None and wanted[0] > made:
        raise BadInput(f"--updates {what.updates}: the run ended after {made:,} steps")
    return present(
        what,
        lambda out: _report(out, trace, source, given, what),
        lambda: document(trace, what),
        lambda: _figure(trace.estimator, source),
    )


def _figure(model: Any, source: Source) -> Any:
    from linscope import plot

    X, y = named(source.X, source.features), source.labels()
    draw = plot.margin if len(model.classes_) == 2 else plot.boundary
    return draw(model, X, y)


def _report(out: Console, trace: Any, source: Source, given: dict[str, Any], what: SvmShow) -> bool:
    limits = {"max_rows": what.table_rows(), "updates": what.update_range()}
    options = {"width": out.width, **limits}
    several = len(trace.problems) > 1
    tables = [(name, trace.ledger(problem=name, **options)) for name in trace.problems]
    settings, ending = notes_of(trace.ledger(**options))
    chosen = [("your options", words_for(given))]
    header(out, "Support vector machine", source, settings, chosen)
    if several:
        out.print()
    for name, table in tables:
        table.title = table.caption = None
        if several:
            paragraph(out, name, style="bold", indent=1)
        print_table(out, table)
    model = trace.estimator
    facts(out, [("steps", ending), *_findings(model)], indent=0)
    holds = verdict(out, model.certificate_.verify(source.X, source.labels()))
    if len(model.classes_) == 2 and model.kernel != "linear":
        again = f"linscope trace svm {source.words} --kernel linear"
        hints(out, [(again, "the same with a straight boundary")])
    return holds


def _findings(model: Any) -> list[tuple[str, str]]:
    """Support vectors and margin of two classes; of more, how many vectors there are."""
    from linscope.reports.cells import number

    count = f"{len(model.support_)} of {model.alphas_.shape[1]} samples"
    if len(model.classes_) > 2:
        return [("support vectors", count)]
    slack = model.slack_[0]
    return [
        ("support vectors", count),
        ("margin", f"2/‖w‖ = {number(model.margin_)}, Σξ = {number(slack.sum())}"),
    ]
