"""Warnings that name the line of the user, not one of ours or of scikit-learn's."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from importlib.util import find_spec

# What stands between a user's call and a warning: our files, decorators, and the meta-estimators.
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _folder(package: str) -> str:
    spec = find_spec(package)
    return os.path.dirname(spec.origin) + os.sep if spec and spec.origin else _OURS


def warn_caller(text: str, category: type[Warning]) -> None:
    """Warn at the first line outside linscope, scikit-learn and what they call each other by."""
    inside = _OURS, _folder("sklearn"), _folder("joblib"), contextlib.__file__
    frame, level = sys._getframe(1), 2
    while frame.f_code.co_filename.startswith(inside) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
