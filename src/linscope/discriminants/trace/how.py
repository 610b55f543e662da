"""How the closed forms of classifiers are traced."""

from __future__ import annotations

from typing import Any

from linscope.display.boundary import BoundaryDisplay
from linscope.tracing.registry import ClosedForm

from ..figures.discriminants import best_projection
from .fisher import FisherWork, fisher
from .indicators import IndicatorWork, indicators


def draw_projection(model: Any, X: Any, y: Any, ax: Any) -> Any:
    """The samples along the best direction, or in the plane of the two best."""
    return best_projection(model, X, y).plot(ax)


def draw_boundary(model: Any, X: Any, y: Any, ax: Any) -> Any:
    """The regions of the classes."""
    return BoundaryDisplay.from_estimator(model, X, y).plot(ax)


FISHER = ClosedForm(FisherWork, fisher, draw_projection)
INDICATORS = ClosedForm(IndicatorWork, indicators, draw_boundary)
