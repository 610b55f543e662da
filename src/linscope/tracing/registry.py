"""Which estimators can be traced, and how their replays are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from linscope.kernel_svm.estimators.svc import SVC
from linscope.kernel_svm.trace.replay import check_smo, smo_replays
from linscope.least_squares.estimators.family import LeastSquaresFamily
from linscope.least_squares.trace.exact_gradient import exact_gradient_replays
from linscope.linear_svm.estimators.linear_svc import LinearSVC
from linscope.linear_svm.trace.replay import check_coordinate, coordinate_replays
from linscope.logistic.estimators.logistic_regression import LogisticRegression
from linscope.logistic.trace.replay import check_logistic, logistic_replays
from linscope.perceptron.estimators.family import PerceptronFamily
from linscope.perceptron.trace.exact import exact_replays
from linscope.perceptron.trace.replay import perceptron_replays

from .gradient_replay import gradient_replays
from .replay import Replay


class Family(NamedTuple):
    """Estimators of one kind.

    replays : of a fitted model, X, y and sample_weight. exact : of the model, its replays, y and
    sample_weight, the same in fractions; None if there is no such thing. check : of the estimator
    before the fit, and whether fractions are asked for; raises what cannot be shown.
    """

    kind: type
    replays: Callable[[Any, Any, Any, Any], Sequence[Replay]]
    exact: Callable[[Any, Any, Any, Any], Sequence[Replay]] | None
    check: Callable[[Any, bool], None] = lambda estimator, exact: None


def family_of(estimator: Any) -> Family:
    """The family of an estimator; TypeError if it has no steps to show."""
    for family in FAMILIES:
        if isinstance(estimator, family.kind):
            return family
    if isinstance(estimator, type):
        raise TypeError(f"trace needs an estimator, not its class: {estimator.__name__}()")
    raise TypeError(
        "trace shows the steps or the derivation of linscope's Perceptron, KernelPerceptron, "
        "FisherDiscriminant, LeastSquaresClassifier, LogisticRegression, LinearSVC, SVC, "
        "LinearRegression and Ridge, not of "
        f"{type(estimator).__module__}.{type(estimator).__qualname__}"
    )


# A new kind of estimator is one line here.
FAMILIES = (
    Family(PerceptronFamily, perceptron_replays, exact_replays),
    Family(LeastSquaresFamily, gradient_replays, exact_gradient_replays),
    Family(LogisticRegression, logistic_replays, None, check_logistic),
    Family(LinearSVC, coordinate_replays, None, check_coordinate),
    Family(SVC, smo_replays, None, check_smo),
)
