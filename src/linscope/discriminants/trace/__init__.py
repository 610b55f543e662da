"""How the closed forms of classifiers are traced."""

from __future__ import annotations

from typing import Any

from linscope.display.boundary import boundary
from linscope.tracing.derivation import ClosedForm

from ..figures.discriminants import projection
from .fisher import FisherWork, fisher
from .indicators import IndicatorWork, indicators
from .naive_bayes import NaiveBayesWork
from .posterior import posterior


def draw_projection(model: Any, X: Any, y: Any, ax: Any) -> Any:
    """The samples along the best direction, or in the plane of the two best."""
    return projection(model, X, y, ax=ax)


def draw_boundary(model: Any, X: Any, y: Any, ax: Any) -> Any:
    """The regions of the classes."""
    return boundary(model, X, y, ax=ax)


FISHER = ClosedForm(FisherWork, fisher, draw_projection)
NAIVE_BAYES = ClosedForm(NaiveBayesWork, posterior, draw_boundary)
INDICATORS = ClosedForm(IndicatorWork, indicators, draw_boundary)
