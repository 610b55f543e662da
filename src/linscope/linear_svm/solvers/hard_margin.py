"""The hard margin: no slack at all, C = ∞.

    min ½‖w‖²  subject to  y_i (w·x_i + b) ≥ 1      (or ½‖[b, w]‖²: the shortest augmented vector)

With p − q = v the difference of the nearest points of the two hulls, Σ β_i x_i and Σ β_j x_j,

    w = 2 v/‖v‖²,     α_i = 2 β_i/‖v‖²,     b such that both classes are as near.

With a penalised bias v is the point of conv{y_i [1, x_i]} nearest to the origin, without a bias
that of conv{y_i x_i}; then [b, w] = v/‖v‖², α_i = β_i/‖v‖². The weights are scaled so that the
smallest margin is 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from linscope.results import Result, Status
from linscope.rows.threads import one_blas_thread
from linscope.separation.min_norm_point import min_norm_point

# A shorter v, relative to the longest row, is the rounding of 0: the hulls meet.
MEET = 1e-12
# More columns than rows are turned away, up to so many rows and numbers.
MOST_TURNED, MOST_NUMBERS = 3000, 50_000_000
# A relative gap of the two bounds on ‖v‖ that counts as solved.
SOLVED = 1e-9


class Inseparable(ValueError):
    """In floats no hyperplane has every sample strictly on its own side."""


def hard_margin(
    X: Any, y: np.ndarray, *, penalize_intercept: bool = False, fit_intercept: bool = True
) -> Result:
    """Weights (bias first) of the largest margin; ``details`` has α and the gap.

    Parameters
    ----------
    X : array or CSR matrix (n, d)
    y : labels −1.0 and +1.0, both present
    penalize_intercept : whether ½b² counts
    fit_intercept : whether there is a bias b

    Examples
    --------
    >>> found = hard_margin(np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0]))
    >>> found.weights.round(12), found.details["alpha"].round(12)
    (array([-2.,  1.]), array([0. , 0.5, 0.5]))
    """
    y = np.asarray(y, dtype=np.float64)
    with one_blas_thread():
        return _widest(X, y, fit_intercept, fit_intercept and penalize_intercept)


def _widest(X: Any, y: np.ndarray, fit_intercept: bool, augmented: bool) -> Result:
    free = fit_intercept and not augmented
    n, d = X.shape
    turn = None
    if n < d and n <= MOST_TURNED and n * d <= MOST_NUMBERS:
        # Lengths and angles are all that counts: n coordinates will do.
        turn, R = np.linalg.qr((X.toarray() if sparse.issparse(X) else X).T.astype(np.float64))
        X = np.ascontiguousarray(R.T)
    S = _Signed(X, y, augmented)
    point = min_norm_point(S, (y > 0).astype(np.intp) if free else None)
    v, size = point.weights, float(point.weights @ point.weights)
    if not np.sqrt(size) > MEET * S.longest:
        raise Inseparable("no hyperplane separates the classes: C=inf has no solution")
    W = v if S.augmented else np.r_[0.0, v]
    margins = S.dot(v)
    if free:
        W[0] = -0.5 * (margins[y > 0].min() - margins[y < 0].min())
        margins = margins + y * W[0]
    smallest = float(margins.min())
    if not smallest > 0.0:
        raise Inseparable("the classes touch, or nearly so: C=inf has no solution")
    factor = (2.0 if free else 1.0) / size
    alpha = np.zeros(len(y))
    alpha[point.support] = factor * point.coefficients
    W = W / smallest
    if turn is not None:
        W = np.r_[W[0], turn @ W[1:]]
    primal = 0.5 * float(np.sum((W[1:] if free else W) ** 2))
    dual = float(alpha.sum()) - 0.5 * factor * factor * size
    details = {"alpha": alpha, "primal": primal, "gap": max(primal - dual, 0.0)}
    status = Status.SOLVED if point.gap <= SOLVED else Status.STALLED
    return Result(W, status, point.n_iter, point.n_updates, None, details)


class _Signed:
    """Rows y_i x_i or y_i [1, x_i], made only where they are needed."""

    def __init__(self, X: Any, y: np.ndarray, augmented: bool):
        self.X, self.y, self.augmented = X, y, augmented
        squares = X.multiply(X) if sparse.issparse(X) else np.square(X, dtype=np.float64)
        self.longest = float(np.sqrt(np.asarray(squares.sum(axis=1)).max() + augmented))

    def __len__(self) -> int:
        return len(self.y)

    def take(self, rows: np.ndarray) -> np.ndarray:
        part = self.X[rows]
        part = part.toarray() if sparse.issparse(part) else np.asarray(part, dtype=np.float64)
        if self.augmented:
            part = np.column_stack([np.ones(len(part)), part])
        return part * self.y[rows, None]

    def dot(self, v: np.ndarray) -> np.ndarray:
        scores = self.X @ v[1:] + v[0] if self.augmented else self.X @ v
        return self.y * scores
