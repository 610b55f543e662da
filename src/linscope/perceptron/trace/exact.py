"""The perceptron rule in rational arithmetic: the textbook's loop, without rounding.

    w ← w + η_k Σ_{i ∈ M} c_i y_i x_i        M the mistakes of the batch, η_k = η_0 or η_0 / k

Sample i is a mistake when y_i w·x_i < b, or = b and the tie rule says so. The single-sample rule
has batches of one sample, the batch rule one batch of all. In the feature space of a kernel the
same loop moves the coefficients: w·x_i = Σ_j α_j K(x_j, x_i), and a mistake adds η_k c_i y_i to
α_i.

A float is read as its shortest decimal, so 0.1 is 1/10. Nothing here is shared with the compiled
rule but the order of the visits.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from linscope.losses.perceptron import TIES, is_mistake
from linscope.results import VisitOrder
from linscope.tracing.fractions import (
    LONGEST_RUN,
    KeptRun,
    add,
    column,
    dot,
    exact_weights,
    fractions,
    rational,
)
from linscope.tracing.replay import Window

from .replay import GramReplay, PerceptronReplay


class Rates(NamedTuple):
    """The settings of a rule as fractions."""

    eta0: Fraction
    inverse: bool
    margin: Fraction
    tie: str

    def eta(self, k: int) -> Fraction:
        return self.eta0 / k if self.inverse else self.eta0

    def mistake(self, y: int, normalized: Fraction) -> bool:
        at_tie = TIES[self.tie][0 if y > 0 else 1]
        return is_mistake(normalized, self.margin, at_tie)


class Run(NamedTuple):
    """The weights at first and after each update, the batches that caused them, their mistakes."""

    history: list[list[Fraction]]
    updates: list[int]
    mistakes: list[int]
    n_batches: int


def textbook(
    inputs: list[list[Fraction]],
    moves: list[list[Fraction]],
    y: list[int],
    c: list[Fraction],
    w: list[Fraction],
    rates: Rates,
    *,
    order: VisitOrder,
    batch_size: int,
    stop_streak: bool,
    max_iter: int,
) -> Run:
    """Run the rule. Sample i has the score w·inputs[i]; its correction adds a multiple of moves[i].

    Both are the augmented sample, or for kernels row i of the Gram matrix and the unit vector.

    >>> half = Fraction(1, 2)
    >>> x = [[Fraction(1), half], [Fraction(1), -half]]
    >>> rates = Rates(Fraction(1), False, Fraction(0), "update")
    >>> run = textbook(x, x, [1, -1], [1, 1], [0, 0], rates, order=VisitOrder(2), batch_size=1,
    ...                stop_streak=True, max_iter=10)
    >>> run.n_batches, [str(v) for v in run.history[-1]]
    (4, ['0', '1'])
    """
    n = len(y)
    run = Run([w], [], [], 0)
    streak = k = step = 0
    for epoch in range(max_iter):
        shuffled = order.epoch(epoch)
        visits = list(range(n)) if shuffled is None else shuffled.tolist()
        streak = streak if shuffled is None else 0
        before_pass = k
        for begin in range(0, n, batch_size):
            batch = visits[begin : begin + batch_size]
            wrong = [i for i in batch if rates.mistake(y[i], y[i] * dot(w, inputs[i]))]
            if wrong:
                k += 1
                for i in wrong:
                    w = add(w, rates.eta(k) * c[i] * y[i], moves[i])
                run.history.append(w)
                run.updates.append(step)
                run.mistakes.append(len(wrong))
                streak = 0
            else:
                streak += len(batch)
            step += 1
            _check_length(step * batch_size * len(w))
            if stop_streak and streak >= n:
                return run._replace(n_batches=step)
        if k == before_pass:
            break
    return run._replace(n_batches=step)


def _check_length(products: int) -> None:
    if products > LONGEST_RUN:
        raise ValueError(
            "this run is too long for exact arithmetic: lower max_iter or take fewer samples, or "
            "trace without exact=True"
        )


def exact_replays(
    model, replays: list[PerceptronReplay], y, sample_weight
) -> list[PerceptronReplay]:
    """The same problems, run again in fractions."""
    kernel = getattr(model, "_kernel_name", "linear")
    scaled = kernel == "poly" and model.gamma == "scale" and model.sigma is None
    if kernel not in ("linear", "poly") or scaled:
        raise ValueError(
            "exact=True needs rational kernel values: kernel='linear', or kernel='poly' with gamma "
            f"given as a number or 'auto', but the kernel is {kernel!r}"
            + (" with gamma='scale'" if scaled else "")
        )
    weights = exact_weights(model, y, sample_weight)
    out: list[PerceptronReplay] = []
    for number, replay in enumerate(replays):
        c = [Fraction(1)] * len(replay.solver.samples.y)
        if weights is not None:
            c = [weights[i] for i in replay.row_numbers]
        if isinstance(replay, GramReplay):
            out.append(ExactGramReplay(model, replay, c, number))
        else:
            out.append(ExactReplay(model, replay, c, number))
    return out


class _Exact(KeptRun, PerceptronReplay):
    """An exact run of the same problem."""

    def __init__(self, model, replay: PerceptronReplay, c: list[Fraction], number: int):
        vars(self).update(vars(replay))  # the same problem
        solver, log = replay.solver, replay.log
        self.y, self.scale = column(int(sign) for sign in solver.samples.y), 1.0
        self._c, self._first = column(c), log.initial
        rates = Rates(rational(model.eta0), solver.rule.inverse, rational(model.margin), model.tie)
        self._rows = fractions(replay.inputs(np.arange(len(c))))
        self.margin, self.zero = rates.margin, Fraction(0)
        inputs, moves, start = self._problem(model, number)
        _check_length(log.n_batches * log.batch_size * len(start))
        run = textbook(
            inputs,
            moves,
            self.y.tolist(),
            c,
            start,
            rates,
            order=log.order,
            batch_size=log.batch_size,
            stop_streak=solver.rule.stop_streak,
            max_iter=model.max_iter,
        )
        self._inputs, self._mistakes = inputs, np.array(run.mistakes, np.int64)
        self._history, self.width = column(run.history), len(start)
        updates = np.array(run.updates, np.int64)
        self.log = replace(log, initial=self._history[0], updates=updates, n_batches=run.n_batches)
        self.update_steps, self.n_steps = updates, run.n_batches

    def _problem(self, model, number: int):
        raise NotImplementedError

    @property
    def c(self) -> Any:
        return self._c

    def batch_mistakes(self, window: Window) -> np.ndarray:
        counts = np.zeros(len(window.steps), np.int64)
        counts[window.updated] = self._mistakes[(window.first + window.versions)[window.updated]]
        return counts

    def dots(self, samples: np.ndarray, versions: np.ndarray, states: Any) -> np.ndarray:
        pairs = zip(samples, versions, strict=True)
        return column(dot(states[v], self._inputs[i]) for i, v in pairs)


class ExactReplay(_Exact):
    """An exact run on the samples themselves."""

    def _problem(self, model, number: int):
        # Inside, the bias is always there; without intercept its input is 0.
        rows = self._rows.tolist()
        rows = rows if self.intercept else [[Fraction(0), *row] for row in rows]
        return rows, rows, self._start(model, number)

    def _start(self, model, number: int) -> list[Fraction]:
        if isinstance(model.init, str):
            return [rational(v) for v in self._first]
        given = np.asarray(model.init, dtype=object)
        first = given if given.ndim == 1 else given[number % len(given)]
        return [*([] if self.intercept else [Fraction(0)]), *map(rational, first)]


class ExactGramReplay(_Exact, GramReplay):
    """An exact run on the coefficients of a linear or polynomial kernel."""

    def _problem(self, model, number: int):
        rows = self._rows[:, int(self.augmented) :].tolist()
        n = len(rows)
        _check_length(n * n * len(rows[0]))
        kernel = _kernel(model, len(rows[0]))
        bias = 1 if self.intercept else 0
        gram = [[kernel(dot(x, z)) + bias for z in rows] for x in rows]
        units = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
        return gram, units, [Fraction(0)] * n

    def alphas(self, states) -> Any:
        return states

    def weights(self, states) -> Any:
        return states @ self._rows if self.linear else states[:, :0]


def _kernel(model, d: int):
    """x·z itself, or (γ x·z + coef0)^degree."""
    if model.kernel == "linear":
        return lambda product: product
    gamma = Fraction(1, d) if model.gamma == "auto" else None
    if model.sigma is not None:
        gamma = 1 / (2 * rational(model.sigma) ** 2)
    gamma = rational(model.gamma) if gamma is None else gamma
    coef0, degree = rational(model.coef0), int(model.degree)
    return lambda product: (gamma * product + coef0) ** degree
