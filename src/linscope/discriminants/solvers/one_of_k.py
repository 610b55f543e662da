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

from linscope.arithmetic.double_double import UNIT, Pair
from linscope.engines import Engine, check_rows
from linscope.fitting.driver import run
from linscope.least_squares.solvers.choice import solve_exactly, too_large
from linscope.least_squares.solvers.exact import CHEAP_PRODUCTS, LeastSquares
from linscope.least_squares.solvers.moments import Moments, exact_moments
from linscope.results import Result
from linscope.rows.blocks import Block
from linscope.rows.pilot import Frame

from .moments import ClassMoments

MOST_ROUNDS = 20
# Moments that are less exact than this were taken in floats.
FLOATS = 1e-20


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
    rounding = 2.0 * UNIT * (16.0 + classes.additions)  # one for each
    return Moments(frame, Pair.of(gram), classes.rows, rounding)


def solve_quickly(classes: ClassMoments, *, fit_intercept: bool, alpha: float) -> Result | None:
    """W from class moments; None if they cannot vouch for its digits."""
    return _if_good_enough(regression_moments(classes), fit_intercept, alpha)


def _if_good_enough(moments: Moments, fit_intercept: bool, alpha: float) -> Result | None:
    solver = LeastSquares(None, fit_intercept=fit_intercept, alpha=alpha)
    if not fit_intercept:
        moments = moments.in_frame(moments.frame.unshifted())
    state = solver.if_good_enough(moments)
    return None if state is None else solver.result(state)


def solve_from_moments(moments: Moments, *, fit_intercept: bool, alpha: float) -> Result:
    """W from the moments of rows that came in parts."""
    if moments.rounding > FLOATS:
        found = _if_good_enough(moments, fit_intercept, alpha)
        if found is not None:
            return found
    solver = LeastSquares(None, fit_intercept=fit_intercept, alpha=alpha, moments=moments)
    return run(solver, 1)


def chunk_moments(engine: Engine, n_classes: int, names: Any = None) -> Moments:
    """Moments of some rows in double-double, exact enough to be merged with many others."""
    moments = exact_moments(engine.derive(_with_targets, n_classes))
    if not moments.gram.finite():
        check_rows(engine, names)
        raise ValueError("values of X are too large: divide the columns by a power of 2")
    return moments


def solve_from_rows(engine: Engine, n_classes: int, **options: Any) -> Result:
    """W by the exact solver for regression."""
    rows = engine.derive(_with_targets, n_classes)
    return solve_exactly(rows, most_rounds=MOST_ROUNDS, **options)


def _with_targets(block: Block, n_classes: int) -> tuple[Any, np.ndarray, np.ndarray]:
    return block.X, targets(block.y, n_classes), block.weight


def worth_moments(engine: Engine) -> bool:
    """Whether class moments are the quicker way: many rows, and not very many columns."""
    n, d = engine.n_rows, engine.n_features
    return n > d and n * (1 + d) ** 2 > CHEAP_PRODUCTS and not too_large(n, d, engine.is_sparse)
