"""Directions along which the means lie apart, whatever the spread: two classes have w ∝ m_2 − m_1.

With A the principal axes of the class means (in the units of the data) the scores are those of
Σ within the plane of these axes, w_k = A (AᵀΣA)⁺ Aᵀ δ_k, and the directions are the axes, scaled to
variance 1 within classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.verify.claims import require

# Variances along axes of the means, relative to the largest, that count as rounding.
NOTHING = 1e-12
# Directions are worked out in floats.
SAME = 1e-8


def check_mean_difference(claim: Any, known: Any) -> None:
    model, priors = known.model, known.priors
    require(model is not None, "the scatter within classes is not known")
    delta = model.along(np.eye(known.rows.n_features))
    axes, values = mean_axes(delta, priors)
    _check_axes(claim, axes, values, _seen(model.form(axes)))
    if len(priors) < 2:
        return
    V = np.asarray(claim.scalings, dtype=np.float64)
    unit = np.abs(np.diag(model.form(V)) - 1.0).max(initial=0.0)
    eps = float(np.finfo(np.asarray(claim.scalings).dtype).eps)
    grown = 4 * eps * np.abs(V * model.spread[:, None]).sum(axis=0).max(initial=0.0)
    require(unit <= 4 * claim.accuracy + SAME + grown, "the variance within classes is not 1")
    coef, _ = plane_scores(model, delta, axes)
    _check_scores(claim, known, coef, doubt_of_plane(model, V, values))


def plane_scores(model: Any, delta: np.ndarray, axes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores (K, d) within the plane of the axes, and the axes scaled to variance 1."""
    M = model.form(axes)
    spread, seen = np.sqrt(np.maximum(np.diag(M), 0.0)), _seen(M)
    A = axes[:, seen] / spread[seen]
    variance, turn = np.linalg.eigh(M[np.ix_(seen, seen)] / np.outer(spread[seen], spread[seen]))
    keep = variance > NOTHING
    root = A @ (turn[:, keep] / np.sqrt(variance[keep]))
    return (delta @ root) @ root.T, A


def _seen(M: np.ndarray) -> np.ndarray:
    """Along which axes the classes vary, AᵀΣA being M."""
    return np.diag(M) > NOTHING * np.diag(M).max(initial=0.0)


def doubt_of_plane(model: Any, scaled: np.ndarray, values: np.ndarray) -> float:
    """By how much rounding may change scores in the plane of the axes, relatively.

    ``scaled`` are the axes with variance 1 within classes: if they are long in units of the
    spreads, variances along them come from what is left of larger ones.
    """
    long = float(((scaled * model.spread[:, None]) ** 2).sum())
    flat = float(values[0] / values[-1]) if len(values) else 1.0
    return 1e-11 + 256 * len(scaled) * 2.0**-53 * max(long, 1.0) * flat


def distance(model: Any, held: np.ndarray, coef: np.ndarray) -> float:
    """The largest ‖w − coef‖_Σ, relative to the longest."""
    apart = np.diag(model.form((held.astype(np.float64) - coef).T))
    size = float(np.diag(model.form(coef.T)).max(initial=0.0))
    far = float(np.maximum(apart, 0.0).max(initial=0.0))
    return float(np.sqrt(far / size)) if size > 0 else (0.0 if far == 0 else np.inf)


def _check_scores(claim: Any, known: Any, coef: np.ndarray, doubt: float) -> None:
    model, priors, two = known.model, known.priors, len(claim.labels) == 2
    lengths = np.diag(model.form(coef.T))
    bias = np.log(priors) - 0.5 * lengths
    if two:
        coef, bias = coef[1:] - coef[:1], bias[1:] - bias[:1]
    weights = np.asarray(known.weights)
    slopes = weights[:, 1:].astype(np.float64)
    unit = float(np.finfo(weights.dtype).eps)
    far = distance(model, slopes, coef) + doubt * bool(coef.any())
    require(far <= claim.accuracy, f"the scores may be off by {far:.2g}")
    for row, slope, value in zip(weights, slopes, bias, strict=True):
        height, off = model.centre(slope)
        room = claim.accuracy * (1.0 + np.sqrt(lengths.max())) ** 2 + off
        room += 2 * unit * abs(value - height)
        require(abs(float(row[0]) - (value - height)) <= room, "an intercept is another")


def mean_axes(delta: np.ndarray, priors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal axes of the class means, and the variance along each."""
    unit = int(np.frexp(np.abs(delta).max(initial=0.0))[1])
    means = np.sqrt(priors)[:, None] * np.ldexp(delta, -unit)
    _, values, axes = np.linalg.svd(means, full_matrices=False)
    m = min(len(priors) - 1, int((values**2 > NOTHING * values.max(initial=0.0) ** 2).sum()))
    return axes[:m].T, values[:m] ** 2


def _check_axes(claim: Any, axes: np.ndarray, values: np.ndarray, seen: np.ndarray) -> None:
    """Each direction is a principal axis of the class means along which the classes vary."""
    claimed = np.asarray(claim.scalings, dtype=np.float64)
    numbers = np.flatnonzero(seen)
    require(claimed.shape[1] <= len(numbers), "there are more directions than needed")
    claimed = claimed / np.abs(claimed).max(axis=0)
    room = SAME + 8 * float(np.finfo(np.asarray(claim.scalings).dtype).eps)
    for i, j in enumerate(numbers[: claimed.shape[1]]):
        near = axes[:, np.abs(values - values[j]) <= 1e-6 * values[0]]
        fitted = near @ np.linalg.lstsq(near, claimed[:, i], rcond=None)[0]
        far = np.abs(fitted - claimed[:, i]).max()
        require(far <= room, "a direction is not that of the means")
