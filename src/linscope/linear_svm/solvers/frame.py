"""From a table to a margin objective in coordinates that suit float64, and back.

Columns far from 1 are scaled by powers of two, which their penalties ρ_j take up; with a free bias
dense columns are also moved to about mean 0. The problem stays the same.
"""

from __future__ import annotations

import numpy as np

from linscope.engines import Engine
from linscope.fitting.column_scaling import ColumnFrame, framed

from .objective import MarginObjective


def margin_problem(
    engine: Engine,
    C: float,
    *,
    squared: bool,
    penalize_intercept: bool = False,
    fit_intercept: bool = True,
) -> tuple[MarginObjective, ColumnFrame]:
    """The objective, and the frame whose ``original`` gives weights of the given columns.

    Parameters
    ----------
    engine : the rows, with labels −1.0 and +1.0 and the weights of the samples
    C : strength of the loss, finite
    squared : the squared hinge, or the hinge
    penalize_intercept : whether ½b² counts
    fit_intercept : whether there is a bias b
    """
    if not 0.0 < C < np.inf:
        raise ValueError(f"C must be positive and finite here, got {C!r}: see hard_margin for inf")
    frame = framed(engine, fit_intercept=fit_intercept and not penalize_intercept)
    penalised = fit_intercept and penalize_intercept
    rho = np.r_[float(penalised), np.broadcast_to(frame.pull(1.0), engine.n_features)]
    return MarginObjective(frame.engine, C, squared, rho, fit_intercept), frame
