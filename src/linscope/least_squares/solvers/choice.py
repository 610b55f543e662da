"""Which least-squares solver suits a table, and weights of samples that are far from 1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linscope.engines import Engine, check_rows
from linscope.fitting.driver import run
from linscope.results import Result, Status
from linscope.rows.blocks import Block

from ..verify.facts import TOLERANCE, TOLERANCE_32, Facts, within
from .exact import BEYOND, LeastSquares
from .lsmr import IterativeLeastSquares
from .moments import lighter, weight_exponent
from .whole_numbers import affordable, rounded, whole_fit
from .wide import WideLeastSquares


def solve_exactly(engine: Engine, *, alpha: float, most_rounds: int, **options: Any) -> Result:
    """The solver that suits the table; weights far from 1 are divided by a power of two, 2^e.

    Then alpha is too. Σ c r² and α are 2^e times, the inverse 2^−e times what was found.
    """
    with np.errstate(all="ignore"):  # what leaves the range of floats is told by bounds and errors
        return _rescaled(engine, alpha=alpha, most_rounds=most_rounds, **options)


def _rescaled(engine: Engine, *, alpha: float, most_rounds: int, **options: Any) -> Result:
    e = weight_exponent(engine)
    if e == 0:
        return _solved(engine, most_rounds, alpha=alpha, **options)
    pull = scaled_alpha(alpha, e)
    if engine.fold(_changed, e) or np.ldexp(pull, e) != alpha:
        return _in_whole_numbers(engine, alpha=alpha, **options)
    result = _solved(engine.derive(lighter, e), most_rounds, e, alpha=pull, **options)
    details = dict(result.details)
    with np.errstate(over="ignore"):
        for name in ("rss", "tss"):
            details[name] = np.ldexp(details[name], e)
        if details["inverse_root"] is not None:
            details["inverse_root"] = np.ldexp(details["inverse_root"], -(e // 2))
    if details["path"] != "whole numbers":
        details["assess"] = Rescaled(details["assess"], e)
    # In the units of the weights the moments would lose digits.
    if details.get("moments") is not None:
        details["means"] = details["moments"].means
    details["moments"] = None
    return replace(result, details=details)


@dataclass
class Rescaled:
    """Facts in the units of weights that were divided by 2^e, e even."""

    assess: Any
    e: int

    def __call__(self, W: np.ndarray) -> Facts:
        found = self.assess(W)
        with np.errstate(over="ignore"):
            names = ("rss", "primal", "gap", "tss", "dual", "rounding", "size")
            parts = {name: np.ldexp(getattr(found, name), self.e) for name in names}
            for name in ("gap", "rounding"):
                parts[name] = np.nextafter(parts[name], np.inf)
            parts["dual"] = np.nextafter(parts["dual"], -np.inf)
            return found._replace(lengths=np.ldexp(found.lengths, self.e // 2), **parts)


def _in_whole_numbers(engine: Engine, *, fit_intercept: bool, alpha: float, names=None) -> Result:
    """Weights of so many sizes that floats cannot hold their sums."""
    check_rows(engine, names)
    whole = whole_fit(engine, fit_intercept=fit_intercept, alpha=alpha)
    if whole is None:
        raise ValueError(
            "the values of X, y or sample_weight span too many powers of ten: leave out rows of "
            "tiny weight, or divide large columns by a power of 2"
        )
    W = rounded(whole)
    if not np.isfinite(W).all():
        raise ValueError(BEYOND)
    details = {
        "assess": whole,
        "path": "whole numbers",
        "condition": whole.condition,
        "unique": whole.unique,
        "rank": whole.rank,
        "dependent": whole.dependences(),
        "nearly": {},
        "rss": whole.least_squares,
        "tss": whole(W).tss,
        "inverse_root": None,
    }
    return Result(W, Status.SOLVED, 1, 1, None, details)


def scaled_alpha(alpha: float, e: int) -> float:
    """Divided by 2^e."""
    with np.errstate(over="ignore", under="ignore"):
        alpha = float(np.ldexp(alpha, -e))
    if not np.isfinite(alpha):
        raise ValueError("alpha is too large for such small sample_weight: multiply the weights")
    return alpha


def _changed(block: Block, e: int) -> int:
    """Weights that lose digits when they are divided by 2^e."""
    return int((np.ldexp(np.ldexp(block.weight, -e), e) != block.weight).sum())


def too_large(n: int, d: int, is_sparse: bool) -> bool:
    """Would the smaller Gram matrix be unreasonable? Sparse tables give up earlier."""
    return min(n, d) > (4_000 if is_sparse else 12_000)


def _solved(engine: Engine, most_rounds: int, e: int = 0, **options: Any) -> Result:
    n, d = engine.n_rows, engine.n_features
    if too_large(n, d, engine.is_sparse):
        rows = engine.all_rows("least squares with so many rows and columns")
        solver = IterativeLeastSquares(rows.X, rows.y, rows.weight, **options)
        return run(solver, most_rounds)
    if n <= d:
        rows = engine.all_rows("least squares with no more rows than columns")
        result = run(WideLeastSquares(rows.X, rows.y, rows.weight, **options), most_rounds)
        # Rows that depend on each other are for whole numbers, and weights that lose too much when
        # they become float32.
        held = result.weights.astype(engine.dtype).astype(np.float64)
        tolerance = TOLERANCE_32 if engine.dtype == np.float32 else TOLERANCE
        done = within(result.details["assess"](held), held, tolerance)
        if done or not affordable(engine):
            return result
    return run(LeastSquares(engine, **options, exponent=e), most_rounds)
