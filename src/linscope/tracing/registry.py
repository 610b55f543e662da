"""How an estimator is traced: by its steps, or by the derivation of its closed form.

The estimators of each family say which, and lead to the ``trace`` folder of their family
(``_traced_by``), so that nothing here knows the models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .derivation_parts import Part, SampleTable
from .derivation_quantities import Quantities
from .replay import Replay


class Steps(NamedTuple):
    """A rule that takes steps.

    replays : of a fitted model, X, y and sample_weight. exact : of the model, its replays, y and
    sample_weight, the same in fractions; None if there is no such thing. check : of the estimator
    before the fit, and whether fractions are asked for; raises what cannot be shown.
    """

    replays: Callable[[Any, Any, Any, Any], Sequence[Replay]]
    exact: Callable[[Any, Any, Any, Any], Sequence[Replay]] | None = None
    check: Callable[[Any, bool], None] = lambda estimator, exact: None


class ClosedForm(NamedTuple):
    """An answer that takes no steps.

    work : of a fitted model, X, y, sample_weight and whether in fractions: works out the numbers.
    write : writes them down. draw : of the model, X, y and axes. moments : writes down what follows
    from moments alone, where that is known.
    """

    work: Callable[[Any, Any, Any, Any, bool], Any]
    write: Callable[[Any, SampleTable, Quantities], list[Part]]
    draw: Callable[[Any, Any, Any, Any], Any]
    moments: Callable[[Mapping[str, float], Quantities], list[Part]] | None = None


def tracer_of(estimator: Any) -> Steps | ClosedForm:
    """TypeError if the estimator has nothing to show."""
    if isinstance(estimator, type):
        raise TypeError(f"trace needs an estimator, not its class: {estimator.__name__}()")
    if hasattr(estimator, "_traced_by"):
        return estimator._traced_by()
    raise TypeError(
        "trace shows the steps or the derivation of linscope's Perceptron, KernelPerceptron, "
        "FisherDiscriminant, LeastSquaresClassifier, LogisticRegression, LinearSVC, SVC, "
        "LinearRegression and Ridge, not of "
        f"{type(estimator).__module__}.{type(estimator).__qualname__}"
    )
