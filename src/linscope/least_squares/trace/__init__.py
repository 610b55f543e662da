"""How least squares is traced: a closed form, or the steps of gradient descent."""

from __future__ import annotations

from typing import Any

from linscope.tracing.derivation import ClosedForm
from linscope.tracing.derivation_parts import Part, SampleTable
from linscope.tracing.derivation_quantities import Quantities
from linscope.tracing.replay import StepRule

from ..figures.line_fit import line_fit
from ..figures.residuals import residuals
from .exact_gradient import exact_gradient_replays
from .line import one_feature
from .moments import from_moments
from .plane import several_features
from .regression import RegressionWork
from .replay import gradient_replays


def regression(work: RegressionWork, table: SampleTable, q: Quantities) -> list[Part]:
    """A line or a plane."""
    return (one_feature if work.width == 1 else several_features)(work, table, q)


def draw(model: Any, X: Any, y: Any, ax: Any) -> Any:
    """The line, or for several features the residuals."""
    return (line_fit if model.n_features_in_ == 1 else residuals)(model, X, y, ax=ax)


CLOSED_FORM = ClosedForm(RegressionWork, regression, draw, from_moments)
STEPS = StepRule(gradient_replays, exact_gradient_replays)
