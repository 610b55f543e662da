"""Choosing a model: paths over parameters with cross-validation, work shared between folds."""

from .grid_result import GridPath
from .path import path
from .result import RegularizationPath

__all__ = ["GridPath", "RegularizationPath", "path"]
