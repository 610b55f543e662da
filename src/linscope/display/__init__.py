"""Figures: a Display holds computed arrays, and drawing is separate."""

from .base import Display
from .boundary import BoundaryDisplay
from .boundary_path import BoundaryPathDisplay
from .convergence import ConvergenceDisplay
from .criterion import CriterionDisplay
from .descent import DescentDisplay
from .lms_fit import LmsFitDisplay
from .lms_paths import LmsPathsDisplay
from .loss_surface import LossSurfaceDisplay
from .margin import MarginDisplay
from .orders import OrdersDisplay
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
    "LmsFitDisplay",
    "LmsPathsDisplay",
    "LossSurfaceDisplay",
    "MarginDisplay",
    "OrdersDisplay",
    "SolutionsDisplay",
    "StepSizeDisplay",
    "WeightSpaceDisplay",
]
