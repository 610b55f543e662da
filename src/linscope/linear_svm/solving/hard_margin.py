"""The hard margin of a linear support vector machine: in floats, or by proof."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linscope.engines import choose
from linscope.fitting.column_scaling import framed
from linscope.fitting.training import Problem
from linscope.results import Result, Status
from linscope.separation.question import binary_verdict
from linscope.separation.verdicts import Separable

from ..solvers.hard_margin import Inseparable, hard_margin
from .finish import Finish, Held

# Numbers in a table up to which an error comes with the proof that there is no solution.
LARGEST_PROOF = 200_000
# And up to which a hard margin that floats missed is worked out exactly.
SMALL_PROOF = 5_000


class Rows(NamedTuple):
    """The samples of one problem, their signs and their weights, which may be empty."""

    X: Any
    y: np.ndarray
    c: np.ndarray


def hard_margin_result(model: Any, rows: Rows, problem: Problem) -> tuple[Result, str]:
    """C = ∞: the largest margin, or an error with the proof that there is none."""
    free = model.fit_intercept and not model.penalize_intercept
    frame = framed(choose(rows.X, rows.y), fit_intercept=True, common=True) if free else None
    X = rows.X if frame is None else frame.engine.all_rows("the hard margin, C=inf").X
    try:
        result = hard_margin(
            X,
            rows.y,
            penalize_intercept=model.penalize_intercept,
            fit_intercept=model.fit_intercept,
        )
    except Inseparable as error:
        return _by_proof(model, rows, problem, str(error)), "largest margin, by exact arithmetic"
    W = result.weights
    if frame is not None:
        # w = 2^k v and w = Σ α y x with x = 2^−k z: the coefficients take 4^k.
        W = frame.original(W[None, :])[0]
        if frame.exponent.any():
            result.details["alpha"] = np.ldexp(result.details["alpha"], 2 * frame.exponent[0])
    answer = Result(W, result.status, result.n_iter, result.n_updates, None, result.details)
    return answer, "nearest points of the hulls (C = ∞)"


def proven(model: Any, rows: Rows, problem: Problem, last: Finish, held: Held) -> Held:
    """The hard margin by exact arithmetic, where floats have not found it and it costs little."""
    if not model.fit_intercept or rows.X.shape[0] * rows.X.shape[1] > SMALL_PROOF:
        return held
    try:
        exact = _by_proof(model, rows, problem, "")
        return held.with_better(last.best(exact.weights, exact.details["alpha"]))
    except ValueError:
        if held.found.value < np.inf:
            return held
        raise


def _by_proof(model: Any, rows: Rows, problem: Problem, error: str) -> Result:
    if not model.fit_intercept:
        raise ValueError(
            f"C=inf: {problem.name} is not separable by a hyperplane through the origin: use a "
            "finite C, or fit_intercept=True"
        )
    if rows.X.shape[0] * rows.X.shape[1] > LARGEST_PROOF:
        raise ValueError(
            f"C=inf allows no slack, but {problem.name} is not separable, or only by less than "
            f"rounding ({error}): use a finite C; linscope.separability(X, y) has the proof"
        )
    verdict = binary_verdict(rows.X, rows.y, (problem.negative, problem.positive))
    if not isinstance(verdict, Separable):
        raise ValueError(
            f"C=inf allows no slack, but {problem.name} is not separable: use a finite C.\n"
            f"{verdict}"
        )
    best = verdict.augmented if model.penalize_intercept else verdict.geometric
    alpha, margin = np.zeros(len(rows.y)), np.float64(best.margin)
    with np.errstate(all="ignore"):  # beyond the range of floats the weights say so
        W, factor = best.weights, 0.5 / margin / margin
        if model.penalize_intercept:
            W, factor = best.weights / margin, 2.0 * factor
    alpha[best.support] = factor * best.coefficients
    return Result(W, Status.SOLVED, 1, 0, None, {"alpha": alpha})
