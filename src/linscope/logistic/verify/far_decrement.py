"""The bounds of ``decrement`` for rows that are elsewhere: the same sums, block by block.

Three passes: the objective and its gradient; the Hessian in columns about their means; the longest
row in its units. Sums over blocks have smaller errors than one sum over all rows, whose bound is
used.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linscope.arithmetic.enclosures import UNIT, Ball, gamma, products
from linscope.rows.blocks import Block, Largest

from .decrement import (
    MOST_WEIGHTS,
    decrement,
    information,
    least_eigenvalue,
    newton_bound,
)
from .values import VAGUE, Place, Problem, evaluate, residuals


class Found(NamedTuple):
    """The loss at W, how far it is above its minimum at most, and the gradient's largest entry."""

    loss: Ball
    gap: float
    slope: Ball


class Form(NamedTuple):
    """What one block needs to know: weights, number of classes, whether there is a bias.

    The weights may be wrong by ``off``.
    """

    W: np.ndarray
    n_classes: int
    intercept: bool
    off: np.ndarray | None = None


def far_decrement(engine: Any, form: Form) -> Found:
    """Of an engine whose targets are class numbers; ∞ where nothing can be proven."""
    with np.errstate(all="ignore"):
        loss, doubt, slope, totals, share, sums, sizes = engine.fold(_values, form)
        first = int(not form.intercept)
        largest = np.abs(slope.mid[:, first:])
        size = Ball(float(largest.max()), float(slope.rad[:, first:].max()))
        nothing = Found(loss, np.inf, size)
        known = doubt.value < VAGUE and np.isfinite(loss.rad) and (totals > 0).all()
        if not known or (form.n_classes - 1) * (engine.n_features + 1) > MOST_WEIGHTS:
            return nothing
        mean = sums / share if form.intercept else np.zeros(engine.n_features)
        mean = np.where(np.isfinite(mean), mean, 0.0)
        exponent = np.frexp(sizes.value + np.abs(mean))[1]
        parts = engine.fold(_curvature, form, mean, exponent)
        try:
            gap = _bound(engine, form, mean, exponent, float(doubt.value), parts)
        except np.linalg.LinAlgError:
            return nothing
    return Found(loss, gap, size)


def _problem(block: Block, form: Form) -> tuple[Problem, Place]:
    c = block.weight if block.weighted else np.ones(block.X.shape[0])
    rows = block.X, np.asarray(block.y), form.n_classes, c
    problem = Problem(*rows, l2=0.0, intercept=form.intercept)
    return problem, evaluate(problem, form.W, form.off)


def _values(block: Block, form: Form) -> tuple:
    """Loss, doubt, Σ c (p − e) [1, x], class totals, and what tells means and sizes of columns."""
    with np.errstate(all="ignore"):
        problem, place = _problem(block, form)
        R = residuals(problem, place.p)
        rest = place.doubt[:, None] * (place.p * (1.0 - place.p + UNIT))[:, problem.shown]
        slope = products(block.X, Ball.safe(R.mid, R.rad + 2 * rest * problem.c[:, None]))
        share = problem.c * (place.p * (1.0 - place.p)).sum(axis=1)
        sizes = np.abs(block.X).max(axis=0, initial=0.0).astype(np.float64)
        doubt = Largest(float(place.doubt.max(initial=0.0)))
        return (place.loss, doubt, slope, problem.class_totals, float(share.sum()),
                share @ block.X, Largest(sizes))  # fmt: skip


def _columns(X: np.ndarray, form: Form, mean: np.ndarray, exponent: np.ndarray) -> Ball:
    """[1, (x − m)·2^−e] with the rounding of the difference."""
    Z = np.ldexp(np.asarray(X, dtype=np.float64) - mean, -exponent)
    A = Ball(Z, np.where(mean != 0, 2 * UNIT, 0.0) * np.abs(Z))
    if not form.intercept:
        return A
    ones = np.ones((len(Z), 1))
    return Ball(np.hstack([ones, A.mid]), np.hstack([0.0 * ones, A.rad]))


def _curvature(block: Block, form: Form, mean: np.ndarray, exponent: np.ndarray) -> tuple:
    """Σ c (p − e) a as a ball, how wrong it is beyond rounding, H, and Σ D rad²."""
    with np.errstate(all="ignore"):
        problem, place = _problem(block, form)
        A = _columns(block.X, form, mean, exponent)
        R = residuals(problem, place.p)
        rest = 2.002 * place.doubt[:, None] * place.p * (1.0 - place.p + UNIT)
        rest = (rest * problem.c[:, None])[:, problem.shown] + R.rad
        g = products(A.mid, Ball(R.mid, 0.0 * R.mid))
        wrong = 1.001 * ((np.abs(A.mid) + A.rad).T @ rest + A.rad.T @ np.abs(R.mid)).T
        P = place.p[:, 1:]
        D = problem.c[:, None] * P * (1.0 - P + UNIT)
        return g, wrong, information(problem, place.p, A.mid), D.T @ (A.rad * A.rad)


def _longest(block: Block, form: Form, mean: Any, exponent: Any, units: np.ndarray) -> Largest:
    """The largest ‖Sa‖² over rows and pairs of classes."""
    A = _columns(block.X, form, mean, exponent)
    size = np.abs(A.mid) + A.rad
    squares = np.sort((size * size) @ (units * units).T, axis=1)[:, -2:].sum(axis=1)
    return Largest(float(squares.max(initial=0.0)))


def _bound(engine: Any, form: Form, mean: Any, exponent: Any, doubt: float, parts: tuple) -> float:
    """As ``decrement._bound`` puts the parts together."""
    g, wrong, H, off = parts
    others = slice(0, 1) if form.n_classes == 2 else slice(1, None)
    slope, wrong = g.mid[others, 1:], (g.rad[:, 1:] + wrong * (1 + 1e-9))[others]
    unit = 1.0 / np.sqrt(np.diag(H))
    if not (np.isfinite(unit).all() and np.isfinite(H).all()):
        return np.inf
    B, N, units = H * unit[:, None] * unit, len(H), unit.reshape(slope.shape)
    share = gamma(engine.n_rows + 3 * form.n_classes + 24) + 4 * doubt
    share += 2.2 * 1.01 * float((np.sqrt(off) * units).max())
    low = least_eigenvalue(B, share * N)
    if not low > 0:
        return np.inf
    size = decrement(B, unit * slope.ravel(), unit * wrong.ravel(), low, share * N)
    longest = engine.fold(_longest, form, mean, exponent, units).value
    return newton_bound(size, float(np.sqrt(longest / low)) * (1 + 1e-9))
