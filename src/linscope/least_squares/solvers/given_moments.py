"""Moments that somebody else has computed: means, variances and covariances."""

from __future__ import annotations

import numpy as np

from linscope.arithmetic.double_double import UNIT, Pair
from linscope.rows.pilot import Frame

from .moments import Moments

# Printed covariances are rounded; so far below 0 an eigenvalue of the correlations may be.
LEAST_EIGENVALUE = 1e-2


def given_moments(mean_x, mean_y, var_x, cov_xy, var_y=None, n: int | None = None) -> Moments:
    """G about the means: S_xx = m·var_x, S_xy = m·cov_xy, S_yy = m·var_y, m = n − 1 (or 1).

    Without var_y the variance of y is taken to be what the line explains.
    """
    mean_x, mean_y = _vector(mean_x, "mean_x"), _vector(mean_y, "mean_y")
    d, t = len(mean_x), len(mean_y)
    var_x = _matrix(var_x, "var_x", d, d)
    cov_xy = _matrix(cov_xy, "cov_xy", d, t)
    if not np.allclose(var_x, var_x.T, rtol=1e-12, atol=0):
        raise ValueError("var_x must be symmetric")
    if (np.diag(var_x) < 0).any():
        raise ValueError("var_x has a negative variance on its diagonal")
    _check_possible(var_x, cov_xy)
    if n is not None and (n != int(n) or n < 2):
        raise ValueError(f"n must be a whole number of at least 2, got {n!r}")
    explained = np.diag(cov_xy.T @ np.linalg.lstsq(var_x, cov_xy, rcond=None)[0])
    if var_y is None:
        own = explained
    else:
        given = np.asarray(var_y, dtype=np.float64)
        own = np.diag(given) if given.ndim == 2 else given.ravel()
        if len(own) != t or not np.isfinite(own).all() or (own < 0).any():
            raise ValueError(f"var_y must be {t} variances that are not negative, got {var_y!r}")
        if (explained > own * (1 + 1e-9)).any():
            raise ValueError(
                "these moments are impossible: cov_xy explains more than the variance var_y of y "
                "(r² > 1)"
            )
    scale = 1.0 if n is None else float(n - 1)
    gram = np.zeros((1 + d + t, 1 + d + t))
    gram[0, 0] = 1.0 if n is None else float(n)
    gram[1 : 1 + d, 1 : 1 + d] = scale * var_x
    gram[1 : 1 + d, 1 + d :] = scale * cov_xy
    gram[1 + d :, 1 + d :][np.diag_indices(t)] = scale * own
    size = np.r_[np.diag(var_x), own]
    exponent = -(np.frexp(np.where(size > 0, size, 1.0))[1] // 2)
    full = np.r_[0, exponent]
    gram = np.ldexp(gram, full[:, None] + full[None, :])
    frame = Frame(np.r_[mean_x, mean_y], exponent, d)
    return Moments(frame, Pair.of(gram), 0 if n is None else int(n), 4 * UNIT)


def _check_possible(var_x: np.ndarray, cov_xy: np.ndarray) -> None:
    """No combination of features has a negative variance, and a constant covaries with nothing."""
    spread = np.sqrt(np.diag(var_x))
    fixed = spread == 0
    if var_x[fixed].any() or cov_xy[fixed].any():
        raise ValueError("these moments are impossible: a feature of variance 0 has a covariance")
    unit = np.where(fixed, 1.0, spread)
    if np.linalg.eigvalsh(var_x / unit / unit[:, None])[0] < -LEAST_EIGENVALUE:
        raise ValueError(
            "these moments are impossible: var_x is not positive semidefinite, so a combination of "
            "features would have a negative variance"
        )


def _vector(values, name: str) -> np.ndarray:
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim > 1 or not np.isfinite(vector).all():
        raise ValueError(f"{name} must be a finite number or a vector of them, got {values!r}")
    return np.atleast_1d(vector)


def _matrix(values, name: str, rows: int, columns: int) -> np.ndarray:
    matrix = np.asarray(values, dtype=np.float64)
    shape = {0: (1, 1), 1: (rows, 1)}.get(matrix.ndim, matrix.shape)
    if matrix.ndim == 1 and columns > 1 and rows == 1:
        shape = (1, columns)
    if shape != (rows, columns) or matrix.size != rows * columns:
        hint = ": give the whole covariance matrix" if name == "var_x" and rows > 1 else ""
        raise ValueError(f"{name} must have shape {rows} × {columns}, got {matrix.shape}{hint}")
    if not np.isfinite(matrix).all():
        raise ValueError(f"{name} must be finite")
    return matrix.reshape(rows, columns)
