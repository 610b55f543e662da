"""From a fitted model with a closed form to its derivation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from linscope.data.datasets import Dataset
from linscope.discriminants.estimators.fisher import FisherDiscriminant
from linscope.discriminants.estimators.least_squares_classifier import LeastSquaresClassifier
from linscope.discriminants.trace.fisher import FisherWork, fisher
from linscope.discriminants.trace.indicators import IndicatorWork, indicators
from linscope.least_squares.estimators.family import LeastSquaresFamily
from linscope.least_squares.estimators.linear_regression import LinearRegression
from linscope.least_squares.trace.line import one_feature
from linscope.least_squares.trace.moments import from_moments
from linscope.least_squares.trace.plane import several_features
from linscope.least_squares.trace.regression import RegressionWork

from .derivation import Derivation
from .derivation_parts import Part, SampleTable
from .derivation_quantities import Quantities

MOST_NAMES = 10


class Kind(NamedTuple):
    """Estimators of one kind: what works out the numbers, writes them down, and draws them."""

    kind: type
    work: Callable[[Any, Any, Any, Any, bool], Any]
    write: Callable[[Any, SampleTable, Quantities], list[Part]]
    figure: Callable[[Any], str]


def regression(work: RegressionWork, table: SampleTable, q: Quantities) -> list[Part]:
    """A line or a plane."""
    return (one_feature if work.width == 1 else several_features)(work, table, q)


def _regression_figure(model: Any) -> str:
    return "line_fit" if model.n_features_in_ == 1 else "residuals"


# A new closed form is one line here.
KINDS = (
    Kind(LeastSquaresFamily, RegressionWork, regression, _regression_figure),
    Kind(FisherDiscriminant, FisherWork, fisher, lambda model: "projection"),
    Kind(LeastSquaresClassifier, IndicatorWork, indicators, lambda model: "boundary"),
)


def has_closed_form(estimator: Any) -> bool:
    """Whether ``derive`` knows how the answer of this estimator comes about."""
    known = isinstance(estimator, tuple(kind.kind for kind in KINDS))
    return known and getattr(estimator, "solver", "exact") == "exact"


def derive(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    criterion: bool = False,
    exact: bool = False,
    sample_names: Sequence[str] | None = None,
    features: Sequence[str] = (),
    title: str | None = None,
) -> Derivation:
    """The derivation of a fitted model; see ``linscope.trace``."""
    if criterion:
        raise ValueError(
            "criterion=True is for rules that take steps; a derivation shows its criterion anyway"
        )
    kind = next(kind for kind in KINDS if isinstance(model, kind.kind))
    features = [str(name) for name in getattr(model, "feature_names_in_", features)]
    work = kind.work(model, X, y, sample_weight, exact)
    steps = Quantities(exact)
    table = SampleTable(
        work.samples.n, work.columns, lambda: work.sums, work.rows, exact, sample_names
    )
    system = work.elimination
    return Derivation(
        model,
        steps,
        kind.write(work, table, steps),
        table,
        system if system is not None and system.size > 1 else None,
        exact=exact,
        title=title,
        notes=_meaning(features, work.target),
        draw=partial(_draw, kind.figure(model), model, X, y),
    )


def _draw(name: str, model: Any, X: Any, y: Any, ax: Any) -> Any:
    from linscope import plot

    return getattr(plot, name)(model, X, y, ax=ax)


def derive_from_moments(estimator: Any, dataset: Dataset, *, exact: bool = False) -> Derivation:
    """The derivation for a data set of which only moments are known."""
    if type(estimator) is not LinearRegression or not estimator.fit_intercept:
        raise ValueError(
            f"{dataset.name!r} has moments only, and they give a LinearRegression with intercept: "
            "choose a data set with samples for anything else"
        )
    steps = Quantities(exact)
    parts = from_moments(dataset.moments, steps)
    model = LinearRegression.from_moments(**dataset.moments, feature_names=dataset.feature_names)
    options: dict[str, Any] = {"exact": exact, "title": dataset.name}
    notes = _meaning(dataset.feature_names, "y")
    return Derivation(model, steps, parts, None, None, notes=notes, **options)


def _meaning(features: Sequence[str], target: str) -> list[str]:
    """What x and y stand for, where their names say more than the letters."""
    letters = ["x"] if len(features) == 1 else [f"x{j + 1}" for j in range(len(features))]
    pairs = [("y", target), *zip(letters, features, strict=True)]
    said = [f"{letter} = {name}" for letter, name in pairs if letter != name]
    more = ["…"] if len(said) > MOST_NAMES else []
    return [", ".join([*said[:MOST_NAMES], *more])] if said else []
