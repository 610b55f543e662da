"""From a table to a margin objective in coordinates that suit float64, and back.

Columns far from 1 are scaled by powers of two, which their penalties ρ_j take up; with a free bias
dense columns are also moved to about mean 0. The problem stays the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.rows.column_scaling import LogisticFrame, logistic_frame

from .objective import NOTHING, MarginObjective


def margin_problem(
    X: Any,
    y: np.ndarray,
    C: float,
    *,
    squared: bool,
    c: np.ndarray | None = None,
    penalize_intercept: bool = False,
    fit_intercept: bool = True,
) -> tuple[MarginObjective, LogisticFrame]:
    """The objective, and the frame whose ``original`` gives weights of the given columns.

    Parameters
    ----------
    X : C-contiguous array or CSR matrix (n, d)
    y : labels −1.0 and +1.0
    C : strength of the loss, finite
    squared : the squared hinge, or the hinge
    c : weights of the samples, at least 0, optional
    penalize_intercept : whether ½b² counts
    fit_intercept : whether there is a bias b
    """
    if not 0.0 < C < np.inf:
        raise ValueError(f"C must be positive and finite here, got {C!r}: see hard_margin for inf")
    frame = logistic_frame(X, fit_intercept=fit_intercept and not penalize_intercept)
    penalised = fit_intercept and penalize_intercept
    rho = np.r_[float(penalised), np.broadcast_to(frame.pull(1.0), X.shape[1])]
    weight = NOTHING if c is None else np.ascontiguousarray(c, dtype=np.float64)
    return MarginObjective(frame.X, y, C, squared, weight, rho, fit_intercept), frame
