"""Which estimators can be traced, and how their replays are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..estimators.least_squares_family import LeastSquaresFamily
from ..estimators.perceptron_family import PerceptronFamily
from .exact import exact_replays
from .exact_gradient import exact_gradient_replays
from .gradient_replay import gradient_replays
from .perceptron_replay import perceptron_replays
from .replay import Replay


class Family(NamedTuple):
    """Estimators of one kind.

    replays : of a fitted model, X, y and sample_weight. exact : of the model, its replays, y and
    sample_weight, the same in fractions. check : raises if this estimator has no steps.
    """

    kind: type
    replays: Callable[[Any, Any, Any, Any], Sequence[Replay]]
    exact: Callable[[Any, Any, Any, Any], Sequence[Replay]]
    check: Callable[[Any], None]


def family_of(estimator: Any) -> Family:
    """The family of an estimator; TypeError or ValueError if it has no steps to show."""
    for family in FAMILIES:
        if isinstance(estimator, family.kind):
            family.check(estimator)
            return family
    raise TypeError(
        "trace shows the steps of linscope's Perceptron, KernelPerceptron, LinearRegression and "
        f"Ridge, not of {type(estimator).__module__}.{type(estimator).__qualname__}"
    )


def _any(estimator: Any) -> None:
    """Perceptrons always have steps."""


def _descends(estimator: Any) -> None:
    if estimator.solver == "exact":
        raise ValueError(
            "solver='exact' solves at once and has no steps to trace: choose solver='batch', "
            "'mini-batch' or 'stochastic'"
        )


# A new kind of estimator is one line here.
FAMILIES = (
    Family(PerceptronFamily, perceptron_replays, exact_replays, _any),
    Family(LeastSquaresFamily, gradient_replays, exact_gradient_replays, _descends),
)
