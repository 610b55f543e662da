"""The voted perceptron: a committee of all weight vectors, weighted by how long each survived.

    s(x) = Σ_k c_k sign(w_k·x)          c_k visits survived by w_k

A vector counts from the visit that made it, and on for every visit where y = ŷ. (The lecture notes'
listing prints y ≠ ŷ there, a slip: it would count the mistakes as survival.)

The committee is kept as what made it: the initial vector, the rows that caused updates, and for
each update its row and signed step. Because w_k = w_{k-1} + s_k x_{i_k}, the scores of all vectors
at a point x are running sums of s_k (x_{i_k}·x). So one matrix product with the distinct update
rows and one pass over the updates give all votes: O(m·d + K) per point for K vectors from m rows,
instead of O(K·d). A vector whose score is within rounding of 0 may vote either way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from linscope._compiling import kernel
from linscope.results import UpdateLog
from linscope.rows.threads import Workers
from linscope.verify.answers import digest

from .rule import PerceptronRule, update_steps

# Products of support rows and points held at once by each thread: 32 MB.
PRODUCTS = 1 << 22
# Sums of many steps, in another order, differ by less.
ROUNDING = 1e-6


@dataclass(frozen=True)
class Committee:
    """Weight vectors of a voted perceptron.

    support : the distinct rows that caused updates (dense or CSR, or row numbers of a Gram matrix)
    samples, steps : for each update its row in ``support`` and its signed step
    survival : visits survived by the initial vector and by the vector after each update
    initial : the first vector, bias first (None: zero)
    """

    support: Any
    samples: np.ndarray
    steps: np.ndarray
    survival: np.ndarray
    initial: np.ndarray | None

    def __len__(self) -> int:
        return len(self.survival)

    def digest(self) -> str:
        """A hash of all that decides the votes."""
        return digest(self.support, self.samples, self.steps, self.survival, self.initial)

    def ends_at(self, w: np.ndarray, bias: float) -> bool:
        """Whether the initial vector and all steps make w, up to rounding; ``bias`` is 1 or 0."""
        assert self.initial is not None
        sums = np.bincount(self.samples, self.steps, self.support.shape[0])
        sizes = np.bincount(self.samples, np.abs(self.steps), self.support.shape[0])
        with np.errstate(over="ignore", invalid="ignore"):
            own = np.r_[bias * sums.sum(), np.asarray(sums @ self.support).ravel()]
            reach = np.r_[bias * sizes.sum(), np.asarray(sizes @ abs(self.support)).ravel()]
            allowed = ROUNDING * (np.abs(self.initial) + reach)
            return not bool((np.abs(self.initial + own - w) > allowed).any())

    def _check(self) -> None:
        """Compiled loops look at no borders: a damaged committee must not lead beyond them."""
        count, n = len(self.samples), self.support.shape[0]
        inside = not count or (self.samples.min() >= 0 and self.samples.max() < n)
        if not inside or (len(self.steps), len(self.survival)) != (count, count + 1):
            raise ValueError(
                "the committee is damaged: its updates name rows that it does not have"
            )

    def votes(self, points, similarity: Callable, initial: Callable, at_zero: float) -> np.ndarray:
        """s(x) / Σ c_k for each row x of ``points``.

        ``similarity(support, points)`` gives their products, one row per support row; ``initial``
        the scores of the first vector; ``at_zero`` is sign(0), +1 or -1. Points are taken a few at
        a time, on threads, so that the products with a large committee take little memory.
        """
        self._check()

        def count(begin: int) -> np.ndarray:
            part = points[begin : begin + chunk]
            total = np.zeros(part.shape[0])
            count_votes(
                np.ascontiguousarray(similarity(self.support, part), dtype=np.float64),
                self.samples,
                self.steps,
                self.survival,
                np.array(initial(part), dtype=np.float64),
                float(at_zero),
                total,
            )
            return total

        chunk = max(8, PRODUCTS // max(self.support.shape[0], 1))
        totals = list(Workers().map(count, range(0, points.shape[0], chunk)))
        return np.concatenate(totals) / max(self.survival.sum(), 1)


def update_rows(solver: PerceptronRule, log: UpdateLog):
    """The distinct rows that caused updates; for each update its place among them and its step."""
    samples, steps = update_steps(log, solver.rule, solver.samples.y, solver.samples.weight)
    used = np.zeros(len(solver.samples.y), bool)
    used[samples] = True
    places = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return np.flatnonzero(used), places[samples], steps


@kernel
def count_votes(similarity, samples, steps, survival, scores, at_zero, total):
    """Run through the updates, keeping the score of the current vector at every point."""
    for j in range(scores.shape[0]):
        sign = 1.0 if scores[j] > 0 else (-1.0 if scores[j] < 0 else at_zero)
        total[j] += survival[0] * sign
    for k in range(samples.shape[0]):
        step, row, votes = steps[k], samples[k], np.float64(survival[k + 1])
        for j in range(scores.shape[0]):
            score = scores[j] + step * similarity[row, j]
            scores[j] = score
            total[j] += votes * (1.0 if score > 0 else (-1.0 if score < 0 else at_zero))


def join(first: Committee, second: Committee, stack) -> Committee:
    """The committee of two runs, the second of which went on where the first ended.

    The vector in force at the border is the last of the first and the initial one of the second.
    """
    border = first.survival[-1] + second.survival[0]
    return Committee(
        support=stack([first.support, second.support]),
        samples=np.concatenate([first.samples, second.samples + first.support.shape[0]]),
        steps=np.concatenate([first.steps, second.steps]),
        survival=np.concatenate([first.survival[:-1], [border], second.survival[1:]]),
        initial=first.initial,
    )


def votes_of(committee: Committee, X, bias: float, at_zero: float) -> np.ndarray:
    assert committee.initial is not None
    # Powers of 2 that bring points (p) and weights (q) near 1; they change no sign.
    p = _near_one(X, bias)
    q = _near_one(committee.support, max(bias, float(np.abs(committee.initial).max())))
    w = committee.initial * q
    support = committee.support.astype(np.float64) * q

    def products(_, points):
        plain = support @ (points if p == 1 else points * p).T
        return (plain.toarray() if sparse.issparse(plain) else plain) + bias * p * (bias * q)

    return committee.votes(X, products, lambda x: (x * p) @ w[1:] + bias * p * w[0], at_zero)


def _near_one(X, least: float) -> float:
    """1, or where products of values like those of X would leave the range, about 1/max |X|."""
    largest = max(float(abs(X).max()) if X.shape[0] else 0.0, least)
    return 1.0 if 1e-70 < largest < 1e70 else 2.0 ** min(-int(np.frexp(largest)[1]), 1000)
