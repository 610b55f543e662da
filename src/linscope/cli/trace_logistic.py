"""``linscope trace logistic``: the steps of gradient ascent on the likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from cyclopts import Parameter, validators
from rich.console import Console

from .errors import BadInput
from .formula import hyperplane, score
from .presenting import header, notes_of, present, verdict
from .screen import facts, hints, print_table
from .source import Source
from .steps import document, run_traced
from .trace_regression import MODEL, RegressionShow, words_for

MOST_EQUATIONS = 6


@Parameter(name="*", group=MODEL)
@dataclass(frozen=True, kw_only=True)
class LogisticOptions:
    """What is fitted, and how."""

    solver: Annotated[
        Literal["batch", "stochastic", "mini-batch"],
        Parameter(help="Steps by all, one or some samples."),
    ] = "batch"
    c: Annotated[
        float | None,
        Parameter(
            name=("--C", "--c"),
            help="Weight of the loss against the penalty, 1 by default; inf is no penalty.",
            validator=validators.Number(gt=0),
        ),
    ] = None
    multi_class: Annotated[
        Literal["softmax", "ovr", "ovo"] | None,
        Parameter(help="More than 2 classes: all at once, one against the rest, or each pair."),
    ] = None
    no_intercept: Annotated[
        bool, Parameter(help="Do not augment the samples with 1.", negative=(), show_default=False)
    ] = False

    def given(self) -> dict[str, Any]:
        """Estimator parameters that were given on the command line."""
        values: dict[str, Any] = {"solver": self.solver}
        values |= {} if self.c is None else {"C": self.c}
        values |= {} if self.multi_class is None else {"multi_class": self.multi_class}
        return values | ({"fit_intercept": False} if self.no_intercept else {})


def show_logistic(source: Source, given: dict[str, Any], what: RegressionShow) -> int:
    """Fit, and show what was asked for."""
    from linscope.logistic.estimators.logistic_regression import LogisticRegression

    trace = run_traced(
        LogisticRegression(**given), source, what, criterion=what.updates is not None
    )
    wanted = what.update_range()
    made = max(result.n_updates for result in trace.estimator.results_)
    if wanted is not None and wanted[0] > made:
        raise BadInput(
            f"--updates {what.updates}: the run ended after {made:,} updates; choose from 1:{made}"
        )
    return present(
        what,
        lambda out: _report(out, trace, source, given, what),
        lambda: document(trace, what),
        lambda: trace.plot(updates=wanted),
    )


def _report(
    out: Console, trace: Any, source: Source, given: dict[str, Any], what: RegressionShow
) -> bool:
    table = trace.ledger(width=out.width, max_rows=what.table_rows(), updates=what.update_range())
    settings, ending = notes_of(table)
    options = [("your options", words_for(given))]
    header(out, "Logistic regression", source, settings, options)
    print_table(out, table)
    holds = _ending(out, trace, source, ending)
    again = f"linscope trace perceptron {source.words}"
    hints(out, [(again, "the same update with a step in place of σ")])
    return holds


def _rule(weights: list[Any], source: Source, model: Any, name: Any) -> str:
    """What ``predict`` does with these weights."""
    if len(model.classes_) == 2:
        positive = source.class_name(model.classes_[1].item())
        return f"{hyperplane(weights, source.features, '>')} ⇒ {positive}"
    text, parts = score(weights, source.features), model.certificate_.parts
    positive, negative = parts[name].side if name in parts else (name, None)
    if negative is not None:
        return f"σ({text}) for {positive}, the rest of 1 for {negative}; the largest sum"
    return f"{text} is the largest of {len(model.classes_)} ⇒ {positive}"


def _ending(out: Console, trace: Any, source: Source, steps: str) -> bool:
    """The equations and the certificate; does it hold?"""
    model, certificate = trace.estimator, trace.estimator.certificate_
    found = model.equation()
    names = list(found) if isinstance(found, dict) else [""]
    pairs = []
    for name, bias, slopes in zip(names, model.intercept_, model.coef_, strict=True):
        text = _rule([bias, *slopes], source, model, name)
        pairs.append((f"equation {name}".rstrip(), text))
    if len(pairs) > MOST_EQUATIONS:
        pairs = [*pairs[:MOST_EQUATIONS], ("", f"… {len(pairs)} equations in all")]
    pairs += [("steps", steps), ("certificate", certificate.text)]
    if certificate.separation:
        pairs.append(("separation", certificate.separation))
    facts(out, pairs, indent=0)
    return verdict(out, certificate.verify(source.X, source.labels()))
