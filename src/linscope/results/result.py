"""What every solver returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .status import Status


@dataclass(frozen=True)
class Result:
    """Weights (bias first when there is one), how the run ended, counts and, if asked for, the log.

    ``details`` holds what only one family of models has: the averaged or pocket weights, the
    dual coefficients of a kernel rule.
    """

    weights: np.ndarray
    status: Status
    n_iter: int
    n_updates: int
    log: Any = None
    details: dict[str, Any] = field(default_factory=dict)
