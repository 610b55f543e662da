"""Least squares on class labels: W = (XᵀX + αI)⁻¹ XᵀT with 1-of-K targets T.

T has a single 1 in each row, so its products are class sums, and T itself is never made:

    TᵀT = diag(W_k)      Tᵀ1 = W_k      (x − m)ᵀ T = W_k (m_k − m)

and (x − m)ᵀ(x − m) is the scatter within the classes plus that of the class means. Two classes
have one target, −1 and +1, the difference of the two columns. Only when the columns are so close
to dependent that sums in floats lose digits, the exact solver is given the targets.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.double_double import UNIT, Pair
from ..results import Result
from .class_moments import ClassMoments
from .class_sums import STEP_ROWS
from .driver import run
from .iterative_least_squares import too_large
from .least_squares import CHEAP_PRODUCTS, MOST_EXACT_COLUMNS, LeastSquares, solver_for
from .moments import Frame, Moments

MOST_ROUNDS = 20


def targets(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """T (n, K), or −1 and +1 (n, 1) for two classes.

    >>> targets(np.array([0, 2]), 3).tolist(), targets(np.array([0, 1]), 2).tolist()
    ([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [[-1.0], [1.0]])
    """
    if n_classes == 2:
        return 2.0 * codes[:, None] - 1.0
    out = np.zeros((len(codes), n_classes))
    out[np.arange(len(codes)), codes] = 1.0
    return out


def regression_moments(classes: ClassMoments) -> Moments:
    """The moments of the regression of the targets on the features, from class moments."""
    d, weight = len(classes.exponent), classes.weight
    apart, centre = classes.centred_means(classes.shares)
    base = classes.origin[int(np.argmax(classes.shares))]
    # The centre is rounded; what is left over must not be lost.
    left = (classes.shares @ ((classes.origin - base) + classes.offset)) - (centre - base)
    apart = apart + np.ldexp(left, -classes.exponent)
    coding = targets(np.arange(len(weight)), len(weight))
    t = coding.shape[1]
    gram = np.zeros((1 + d + t, 1 + d + t))
    x, u = slice(1, 1 + d), slice(1 + d, None)
    gram[0, 0], gram[0, x], gram[0, u] = weight.sum(), weight @ apart, weight @ coding
    gram[x, x] = classes.pooled_scatter() + (apart.T * weight) @ apart
    gram[x, u] = (apart.T * weight) @ coding
    gram[u, u] = (coding.T * weight) @ coding
    size = np.sqrt(np.maximum(np.diag(gram)[x], 0.0) / gram[0, 0])
    inside = -np.frexp(np.where(size > 0, size, 1.0))[1]
    full = np.r_[0, inside, np.zeros(t, np.int64)]
    gram = np.ldexp(gram, full[:, None] + full)
    frame = Frame(np.r_[centre, np.zeros(t)], np.r_[inside - classes.exponent, full[1 + d :]], d)
    rounding = UNIT * (8.0 + 2.0 * STEP_ROWS**0.5 + 2.0 * (classes.rows / STEP_ROWS) ** 0.5)
    return Moments(frame, Pair.of(gram), classes.rows, rounding)


def solve_from_moments(
    classes: ClassMoments, *, fit_intercept: bool, alpha: float, whatever: bool = False
) -> Result | None:
    """W from class moments; None if they cannot vouch for its digits, unless ``whatever``."""
    solver = LeastSquares(None, None, fit_intercept=fit_intercept, alpha=alpha)
    moments = regression_moments(classes)
    if not fit_intercept:
        moments = moments.in_frame(moments.frame.unshifted())
    state = solver.if_good_enough(moments)
    if state is None and whatever:
        solver.moments = moments
        return run(solver, 1)
    return None if state is None else solver.result(state)


def solve_from_rows(
    X: Any,
    codes: np.ndarray,
    weight: np.ndarray,
    n_classes: int,
    *,
    fit_intercept: bool,
    alpha: float,
    names: list[str],
) -> Result:
    """W by the exact solver for regression."""
    Y = targets(codes, n_classes)
    solver = solver_for(X, Y, weight, fit_intercept=fit_intercept, alpha=alpha, names=names)
    return run(solver, MOST_ROUNDS)


def worth_moments(X: Any) -> bool:
    """Whether class moments are the quicker way: many rows."""
    n, d = X.shape
    return n > d and n * (1 + d) ** 2 > CHEAP_PRODUCTS


def too_wide(X: Any) -> bool:
    """Whether a scatter matrix of all columns is to be avoided."""
    n, d = X.shape
    return too_large(X) or (n <= d and d > MOST_EXACT_COLUMNS)
