"""How far rounding may have moved the scores of a discriminant."""

from __future__ import annotations

import numpy as np

from .moments import UNIT, ClassMoments
from .whitening import Whitening, spreads


def errors_of_scores(moments, priors, covariance, white: Whitening, apart):
    """‖w − w*‖_Σ and ‖w*‖_Σ of each class, and last of the difference of the first and last.

    Third, how far variances along directions of variance 1 may be off.

    In units of the spreads Σ is C, known up to r in each entry, and δ up to ε:

        ‖w − w*‖_C ≤ (‖δ − C w‖ + d r ‖w‖ + ‖ε‖) / √λ_min(C)
    """
    spread = spreads(covariance)
    used = spread > 0
    C = covariance[np.ix_(used, used)] / np.outer(spread[used], spread[used])
    with np.errstate(over="ignore", invalid="ignore"):  # no bound then
        delta = np.where(priors[:, None] > 0, apart[:, used] / spread[used], 0.0)
    T = white.root[used] * spread[used, None]
    x = (delta @ T) @ T.T
    delta, x = np.vstack([delta, delta[-1] - delta[0]]), np.vstack([x, x[-1] - x[0]])
    size = np.sqrt(np.maximum(((x @ C) * x).sum(axis=1), 0.0))
    p = int(used.sum())
    lost = p * (moments.rounding + (p + 16) * UNIT)
    if not white.least > 4 * lost:
        return np.full(len(x), np.inf), size, np.inf
    seen = priors > 0
    bare = np.sqrt(moments.variances()[used]) / spread[used]  # without the ridge
    drift = 2 * moments.drift * np.linalg.norm(bare) / np.sqrt(priors[seen].min())
    epsilon = 2 * drift + 8 * UNIT * np.linalg.norm(delta, axis=1)
    rho = np.linalg.norm(delta - x @ C, axis=1)
    left = rho + lost * np.linalg.norm(x, axis=1) + epsilon
    error = 1.1 * left / np.sqrt(white.least - lost) + 8 * UNIT * np.abs(x).sum(axis=1)
    # what the error of the mean changes in the bias
    error += 4 * moments.drift * (np.abs(x) @ bare) / np.sqrt(priors[seen].min())
    return error, size, 2 * lost / (white.least - lost)


def error_of_means(moments: ClassMoments, covariance, root, flatness: float) -> float:
    """By how much rounding may change scores in the plane of the means, relatively."""
    spread = spreads(covariance)
    d, measured = len(spread), root * spread[:, None]  # columns of length 1 in the norm of Σ
    grown = float((measured**2).sum())
    lost = moments.rounding + moments.drift + 64 * UNIT
    return 3e-11 + 32 * d * lost * max(grown, 1.0) * flatness
