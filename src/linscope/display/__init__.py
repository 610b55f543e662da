"""Figures: a Display holds computed arrays, and drawing is separate."""

from .base import Display
from .boundary import BoundaryDisplay
from .boundary_path import BoundaryPathDisplay
from .convergence import ConvergenceDisplay
from .criterion import CriterionDisplay
from .descent import DescentDisplay
from .line_fit import LineFitDisplay
from .lms_curve import LmsCurveDisplay
from .lms_fit import LmsFitDisplay
from .lms_paths import LmsPathsDisplay
from .loss_surface import LossSurfaceDisplay
from .margin import MarginDisplay
from .orders import OrdersDisplay
from .overfitting import OverfittingDisplay
from .residuals import ResidualsDisplay
from .solutions import SolutionsDisplay
from .step_size import StepSizeDisplay
from .weight_space import WeightSpaceDisplay

__all__ = [
    "BoundaryDisplay",
    "BoundaryPathDisplay",
    "ConvergenceDisplay",
    "CriterionDisplay",
    "DescentDisplay",
    "Display",
    "LineFitDisplay",
    "LmsCurveDisplay",
    "LmsFitDisplay",
    "LmsPathsDisplay",
    "LossSurfaceDisplay",
    "MarginDisplay",
    "OrdersDisplay",
    "OverfittingDisplay",
    "ResidualsDisplay",
    "SolutionsDisplay",
    "StepSizeDisplay",
    "WeightSpaceDisplay",
]
