"""The floats that a linear support vector machine hands out: the best near the solution.

Rounding w and b moves every margin by about E = u max(|b| + Σ_j |w_j x_ij|). Where the objective
is far smaller than C·E, as with columns of 10⁸, or where no slack is allowed at all, margins of
1 − 10⁻¹⁶ spoil it, though weights longer by a few times E give margins of at least 1 and cost next
to nothing. So some lengths are tried, each with its best bias and that one's neighbours among the
floats; the objective is summed with all that rounding loses.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linscope.arithmetic.enclosures import scores
from linscope.rows.blocks import Block, Largest, Least

from ..verify.bounds import Problem, largest_deficit, objective
from .hinge_bias import bias_of_slopes

# How much longer, in units of E; so many objectives of so many numbers are worth their time.
LONGER = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
MOST, NUMBERS = 60, 4_000_000
# Larger slack of rows that should have none is not rounding.
ROUNDING = 1e-3


def best_floats(
    problem: Problem, W: np.ndarray, alpha: np.ndarray, dtype: np.dtype, enough: float
) -> np.ndarray:
    """Weights (bias first, float64) that ``dtype`` holds, with the least objective of those tried.

    Longer weights are tried only until the objective is at most ``enough``.

    Parameters
    ----------
    problem : the given table
    W, alpha : weights and dual coefficients near the solution
    dtype : float64 or float32
    """
    best, least, reached = None, np.inf, 0.0
    left = int(np.clip(NUMBERS / max(problem.engine.n_rows * len(W), 1), 4, MOST))
    for length, V in _candidates(problem, W, alpha, dtype):
        if least <= enough and length > reached:
            break
        value = float(objective(problem, V, precise=True).high)
        if best is None or value < least:
            best, least, reached = V, value, length
        left -= 1
        if not left or (problem.hard and value < np.inf):
            break
    return W if best is None else best


def _candidates(problem: Problem, W, alpha, dtype) -> Iterator[tuple[float, np.ndarray]]:
    first = _held(W, dtype)
    yield 0.0, first
    lack = largest_deficit(problem, alpha)
    if not lack < ROUNDING:
        lack = 0.0
    reach = float(problem.engine.fold(_reach, np.abs(W[1:])).value)
    E = 0.5 * np.finfo(dtype).eps * (reach + abs(float(W[0])))
    longer = LONGER if lack > 0.0 or problem.hard else (0.0,)
    for k in longer:
        V = _held(W * (1.0 + lack / (1.0 - lack) + k * E), dtype)
        if not np.isfinite(V).all():
            return
        if not problem.intercept:
            yield k, V
            continue
        for bias in _biases(problem, V):
            near = dtype.type(bias)
            for end in (near, dtype.type(-np.inf), dtype.type(np.inf)):
                yield k, np.r_[float(np.nextafter(near, end)), V[1:]]


def _reach(block: Block, w: np.ndarray) -> Largest:
    """The largest Σ_j |x_j| w_j of a row."""
    return Largest((abs(block.X) @ w).max(initial=0.0))


def _slopes(block: Block, w: np.ndarray) -> np.ndarray:
    """w·x of each row."""
    return scores(block.X, np.r_[0.0, w], precise=True).mid[:, 0]


def _ends(block: Block, w: np.ndarray) -> tuple[Largest, Least]:
    """Where a bias begins that gives all positive rows a margin of 1, and ends for the others."""
    s, y = _slopes(block, w), block.y
    low, high = 1.0 - s[y > 0], -1.0 - s[y < 0]
    return Largest(low.max(initial=-np.inf)), Least(high.min(initial=np.inf))


def _held(W: np.ndarray, dtype: np.dtype) -> np.ndarray:
    with np.errstate(over="ignore", under="ignore"):
        return W.astype(dtype).astype(np.float64)


def _biases(problem: Problem, V: np.ndarray) -> list[float]:
    """The bias of the weights, and the best one for their scores."""
    if problem.penalised or problem.squared:
        return [float(V[0])]
    if not problem.hard:
        best = bias_of_slopes(problem.engine, _slopes, V[1:])
        return [float(V[0])] if best is None else [best, float(V[0])]
    low, high = problem.engine.fold(_ends, V[1:])
    middle = 0.5 * float(low.value) + 0.5 * float(high.value)
    return [middle if np.isfinite(middle) else float(V[0])]
