"""Gradient descent for least squares in rational arithmetic: the notes' loop, without rounding.

    w ← w + η_k ( Σ_{i ∈ B} c_i (y_i − w·x_i) x_i  −  α |B|/n [0, w_1 … w_d] )

It stops, as the fit does, after a pass that ends with η_k‖∇J‖ ≤ tol, compared as squares, or when J
has grown a millionfold. A float is read as its shortest decimal, so 0.1 is 1/10. Nothing here is
shared with the compiled rule but the order of the visits.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from linscope.fitting.descent import GROWTH
from linscope.results import VisitOrder
from linscope.tracing.fractions import (
    LONGEST_RUN,
    KeptRun,
    add,
    column,
    dot,
    fractions,
    rational,
)
from linscope.tracing.replay import Window

from .replay import LineReplay

# Every update makes the fractions longer.
LONGEST_NUMBER = 100_000  # bits


class LeastSquares(NamedTuple):
    """Samples, targets, weights and penalty as fractions."""

    rows: list[list[Fraction]]
    y: list[Fraction]
    c: list[Fraction]
    alpha: Fraction

    def descent(self, w: list[Fraction], batch: list[int]) -> list[Fraction]:
        """−∇J of a batch: Σ c (y − w·x) x − α |B|/n [0, w_1 … w_d]."""
        share = self.alpha * len(batch) / len(self.y)
        total = [Fraction(0), *(-share * value for value in w[1:])]
        for i in batch:
            total = add(total, self.c[i] * (self.y[i] - dot(w, self.rows[i])), self.rows[i])
        return total

    def criterion(self, w: list[Fraction]) -> Fraction:
        """J = ½ Σ c (w·x − y)² + ½ α Σ_{j≥1} w_j²."""
        parts = zip(self.rows, self.y, self.c, strict=True)
        spread = sum((c * (dot(w, x) - y) ** 2 for x, y, c in parts), Fraction(0))
        return (spread + self.alpha * sum((v * v for v in w[1:]), Fraction(0))) / 2


def textbook(
    problem: LeastSquares,
    w: list[Fraction],
    *,
    eta0: Fraction,
    inverse: bool,
    tol: Fraction,
    order: VisitOrder,
    batch_size: int,
    max_iter: int,
) -> list[list[Fraction]]:
    """The weights at first and after each update.

    >>> one, two = Fraction(1), Fraction(2)
    >>> points = LeastSquares([[one, one], [one, two]], [one, Fraction(3)], [one, one], Fraction(0))
    >>> half = Fraction(1, 2)
    >>> path = textbook(points, [Fraction(0)] * 2, eta0=half / 5, inverse=False, tol=Fraction(0),
    ...                 order=VisitOrder(2), batch_size=2, max_iter=2)
    >>> [[str(v) for v in w] for w in path]
    [['0', '0'], ['2/5', '7/10'], ['51/100', '93/100']]
    """
    n = len(problem.y)
    path, k = [w], 0
    first = problem.criterion(w)
    everything = list(range(n))
    for epoch in range(max_iter):
        slope = problem.descent(w, everything)
        eta = eta0 / (k + 1) if inverse else eta0
        if eta * eta * dot(slope, slope) <= tol * tol:
            break
        if not inverse and problem.criterion(w) > GROWTH * first:
            break
        shuffled = order.epoch(epoch)
        visits = everything if shuffled is None else shuffled.tolist()
        for begin in range(0, n, batch_size):
            k += 1
            step = problem.descent(w, visits[begin : begin + batch_size])
            w = add(w, eta0 / k if inverse else eta0, step)
            path.append(w)
            _check_length(w, k * batch_size * len(w))
    return path


def _check_length(w: list[Fraction], products: int) -> None:
    longest = max(value.denominator.bit_length() for value in w)
    if products > LONGEST_RUN or longest > LONGEST_NUMBER:
        raise ValueError(
            "this run is too long for exact arithmetic, whose fractions grow with every update: "
            "lower max_iter or take fewer samples, or trace without exact=True"
        )


class ExactGradientReplay(KeptRun, LineReplay):
    """An exact run: it is kept, not worked out again."""

    def __init__(self, model, replay: LineReplay, weight: list[Fraction]):
        vars(self).update(vars(replay))  # the same problem
        self._rows = fractions(replay.inputs(np.arange(len(replay.y))))
        rows = self._rows.tolist()
        # Inside, the bias is always there; without intercept its input is 0.
        inputs = rows if self.intercept else [[Fraction(0), *row] for row in rows]
        alpha = rational(getattr(model, "alpha", 0))
        self.y = fractions(replay.y)
        self._problem = LeastSquares(inputs, self.y.tolist(), weight, alpha)
        self._eta0, self._inverse = rational(model.eta0), model.schedule == "inverse"
        path = textbook(
            self._problem,
            [Fraction(0)] * self.width,
            eta0=self._eta0,
            inverse=self._inverse,
            tol=rational(model.tol),
            order=replay.log.order,
            batch_size=replay.log.batch_size,
            max_iter=model.max_iter,
        )
        self._history = column(path)
        self.log = replace(replay.log, n_updates=len(path) - 1)
        self.n_steps, self.update_steps = len(path) - 1, range(len(path) - 1)

    def weights(self, states) -> Any:
        return states if self.intercept else states[:, 1:]

    def rates(self, window: Window) -> np.ndarray:
        k = window.steps.tolist()
        return column(self._eta0 / (t + 1) if self._inverse else self._eta0 for t in k)

    def predictions(self, window: Window) -> np.ndarray:
        visits = zip(self.samples(window.steps), window.states[:-1], strict=True)
        return column(dot(w, self._problem.rows[i]) for i, w in visits)

    def slopes(self, window: Window) -> np.ndarray:
        """Norms have roots, so these are floats."""
        steps = np.diff(window.states, axis=0) / self.rates(window)[:, None]
        return np.array([sqrt(dot(list(step), list(step))) for step in steps])

    def criterion(self, states) -> np.ndarray:
        return column(self._problem.criterion(list(w)) for w in states)

    def error_of(self, sample: int, state) -> Any:
        return self.y[sample] - dot(list(state), self._problem.rows[sample])


def exact_gradient_replays(model, replays, y, sample_weight) -> list[ExactGradientReplay]:
    """The same targets, run again in fractions."""
    if isinstance(model.eta0, str):
        raise ValueError(
            "exact=True needs a rational learning rate: give eta0 as a number, 'auto' depends on "
            "rounded numbers"
        )
    out = []
    for replay in replays:
        given = replay.solver.rows.weight
        weight = [rational(v) for v in given] if len(given) else [Fraction(1)] * len(replay.y)
        out.append(ExactGradientReplay(model, replay, weight))
    return out
