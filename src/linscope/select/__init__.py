"""Choosing a model: paths over parameters with cross-validation, work shared between folds."""

from .path import path
from .result import RegularizationPath

__all__ = ["RegularizationPath", "path"]
