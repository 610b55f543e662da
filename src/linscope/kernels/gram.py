"""The Gram matrix K[i, j] = K(x_i, z_j), a tile at a time, on threads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from linscope.data import to_matrix
from linscope.rows.blocks import borders, take_rows
from linscope.rows.finite import check_finite
from linscope.rows.threads import Workers

from .functions import Kernel, quick_rbf, squared_norms
from .parameters import resolve_gamma, resolve_kernel
from .rounding import gaussian_rounding
from .tiles import dense_values

# Rows and columns of a tile: 1 MB in float32, 2 MB in float64.
TILE = 512
# Rounding of kernel values from ‖x‖² − 2x·z + ‖z‖² beyond which differences are summed instead.
CANCELS = 1e-12
OVERFLOW = (
    "the kernel overflows for these values: scale the features "
    "(sklearn.preprocessing.StandardScaler)"
)


def gram(
    X: Any,
    Z: Any = None,
    *,
    kernel: Any = "rbf",
    gamma: Any = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    sigma: float | None = None,
    n_threads: int | None = None,
    memory_limit: float | None = None,
) -> np.ndarray:
    """Similarities of all pairs of rows of X and Z.

    Parameters
    ----------
    X : table, n × d
    Z : table, m × d, optional
        Without it Z = X, and the result is symmetric to the last bit.
    kernel : "linear", "poly", "rbf", "sigmoid", "precomputed" or a callable (X, Z) → n × m matrix
    gamma : "scale", "auto" or float
        The names are worked out from Z, or from X when Z is not given.
    degree, coef0, sigma : parameters of the formulas; sigma takes the place of gamma
    n_threads : int, optional
        The result does not depend on it.
    memory_limit : float, optional
        Bytes that the result may take.

    Returns
    -------
    ndarray of shape (n, m), worked out in float64; float32 when both tables are

    Examples
    --------
    >>> gram([[0.0, 0.0], [0.0, 1.0]], kernel="poly", gamma=1, degree=2, coef0=1)
    array([[1., 1.],
           [1., 4.]])
    >>> gram([[0.0], [1.0]], sigma=1.0).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """
    left, right = _two_tables(X, Z)
    if isinstance(kernel, str) and kernel == "precomputed":
        return _precomputed(left, right)
    dtype = np.result_type(left.dtype, right.dtype)
    _check_memory(left.shape[0], right.shape[0], dtype, memory_limit)
    if callable(kernel):
        return _call(kernel, left, right, dtype)
    if sigma is not None or isinstance(gamma, str):
        gamma = resolve_gamma(gamma, right, sigma=sigma)
    function = resolve_kernel(kernel, gamma=gamma, degree=degree, coef0=coef0)
    _check_range(left, right, dtype)
    if kernel == "rbf":
        left, right, function = _near_the_origin(left, right, function)
    with np.errstate(over="ignore", invalid="ignore"):
        K = _fill(function, left, right, dtype, Workers(n_threads))
    if left is right and kernel == "rbf":
        np.fill_diagonal(K, 1.0)
    return K


def _two_tables(X: Any, Z: Any) -> tuple[Any, Any]:
    left, names = to_matrix(X)
    check_finite(left, names)
    if Z is None or Z is X:
        return left, left
    right, names = to_matrix(Z, name="Z")
    check_finite(right, names, name="Z")
    if left.shape[1] != right.shape[1]:
        raise ValueError(f"X has {left.shape[1]} features, but Z has {right.shape[1]}")
    return left, right


def _precomputed(left: Any, right: Any) -> np.ndarray:
    if left is not right:
        raise ValueError("kernel='precomputed' takes the matrix as X, and no Z")
    if left.shape[0] != left.shape[1]:
        raise ValueError(
            "a precomputed kernel must be square, one row and one column per sample; "
            f"got {left.shape[0]} × {left.shape[1]}"
        )
    return left.toarray() if sp.issparse(left) else left


def _check_memory(n: int, m: int, dtype: np.dtype, memory_limit: float | None) -> None:
    need = n * m * dtype.itemsize
    if memory_limit is not None and need > memory_limit:
        raise ValueError(
            f"the Gram matrix of {n} × {m} samples needs {need} bytes ({need / 1e9:.3g} GB), more "
            f"than memory_limit = {memory_limit:g}: raise the limit, take fewer samples or float32"
        )


def _call(kernel: Kernel, left: Any, right: Any, dtype: np.dtype) -> np.ndarray:
    K = dense_values(kernel(left, right))
    expected = (left.shape[0], right.shape[0])
    if K.shape != expected or K.dtype.kind not in "biuf":
        raise ValueError(
            f"the kernel function must return a matrix of {expected[0]} × {expected[1]} numbers, "
            f"got shape {K.shape} of {K.dtype}"
        )
    K = np.ascontiguousarray(K, dtype=dtype)
    check_finite(K, name="the kernel matrix")
    return K


def _near_the_origin(left: Any, right: Any, safe: Kernel) -> tuple[Any, Any, Kernel]:
    """Both tables less the same vector, if ‖x‖² − 2x·z + ‖z‖² then keeps enough digits."""
    moved, others = left, right
    if not sp.issparse(left) and not sp.issparse(right):
        center = right.mean(axis=0, dtype=np.float64)
        others = right - center
        moved = others if left is right else left - center
    gamma = safe.keywords["gamma"]  # type: ignore[attr-defined]
    with np.errstate(all="ignore"):
        size = squared_norms(moved).max(initial=0.0) + squared_norms(others).max(initial=0.0)
    if gaussian_rounding(0.5 * gamma * float(size), left.shape[1]).error <= CANCELS:
        return moved, others, partial(quick_rbf, gamma=gamma)
    return left, right, safe


def _check_range(left: Any, right: Any, dtype: np.dtype) -> None:
    """Refuse values whose products may overflow: a sum of ±inf may pass for an answer later."""
    if _largest(left) * _largest(right) * left.shape[1] * 4 > float(np.finfo(dtype).max):
        raise ValueError(OVERFLOW)


def _largest(matrix: Any) -> float:
    values = matrix.data if sp.issparse(matrix) else matrix
    return max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))


def _fill(function: Kernel, left: Any, right: Any, dtype: np.dtype, workers: Workers) -> np.ndarray:
    out = np.empty((left.shape[0], right.shape[0]), dtype=dtype)
    fill = partial(_fill_row_of_tiles, out, function, left, right)
    for finite in workers.map(fill, borders(left.shape[0], TILE)):
        if not finite:
            raise ValueError(OVERFLOW)
    return out


def _fill_row_of_tiles(
    out: np.ndarray, function: Kernel, left: Any, right: Any, rows: tuple[int, int]
) -> bool:
    """Rows of the matrix, and when it is symmetric the mirrored columns; False on overflow."""
    symmetric = left is right
    X, (top, bottom) = _double(take_rows(left, *rows)), rows
    finite = True
    for start, stop in _columns(right.shape[0], top if symmetric else 0):
        tile = function(X, _double(take_rows(right, start, stop))).astype(out.dtype, copy=False)
        if symmetric and start == top:
            lower = np.tril_indices(len(tile), -1)
            tile[lower] = tile.T[lower]
        out[top:bottom, start:stop] = tile
        if symmetric and start != top:
            out[start:stop, top:bottom] = tile.T
        finite = finite and bool(np.isfinite(tile.sum()) or np.isfinite(tile).all())
    return finite


def _double(X: Any) -> Any:
    return X.astype(np.float64, copy=False)


def _columns(m: int, first: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + TILE, m)) for start in range(first, m, TILE))
