"""Figures: a Display holds computed arrays, and drawing is separate."""

from .base import Display
from .boundary import BoundaryDisplay
from .boundary_path import BoundaryPathDisplay
from .calibration import CalibrationDisplay
from .confusion import ConfusionDisplay
from .convergence import ConvergenceDisplay
from .criterion import CriterionDisplay
from .descent import DescentDisplay
from .discriminants import DiscriminantsDisplay
from .dual_ascent import DualAscentDisplay
from .line_fit import LineFitDisplay
from .lms_curve import LmsCurveDisplay
from .lms_fit import LmsFitDisplay
from .lms_paths import LmsPathsDisplay
from .loss_surface import LossSurfaceDisplay
from .margin import MarginDisplay
from .orders import OrdersDisplay
from .ordinal_codes import OrdinalCodesDisplay
from .outliers import OutliersDisplay
from .overfitting import OverfittingDisplay
from .projection import ProjectionDisplay
from .residuals import ResidualsDisplay
from .roc import RocDisplay
from .solutions import SolutionsDisplay
from .step_size import StepSizeDisplay
from .svm_margin import SvmMarginDisplay
from .weight_space import WeightSpaceDisplay

__all__ = [
    "BoundaryDisplay",
    "BoundaryPathDisplay",
    "CalibrationDisplay",
    "ConfusionDisplay",
    "ConvergenceDisplay",
    "CriterionDisplay",
    "DescentDisplay",
    "DiscriminantsDisplay",
    "Display",
    "DualAscentDisplay",
    "LineFitDisplay",
    "LmsCurveDisplay",
    "LmsFitDisplay",
    "LmsPathsDisplay",
    "LossSurfaceDisplay",
    "MarginDisplay",
    "OrdersDisplay",
    "OrdinalCodesDisplay",
    "OutliersDisplay",
    "OverfittingDisplay",
    "ProjectionDisplay",
    "ResidualsDisplay",
    "RocDisplay",
    "SolutionsDisplay",
    "StepSizeDisplay",
    "SvmMarginDisplay",
    "WeightSpaceDisplay",
]
