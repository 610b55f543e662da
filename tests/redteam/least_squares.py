"""Least squares: LinearRegression, Ridge, LeastSquaresClassifier, against exact rationals.

    P(w, b) = ½ Σ_targets [ Σ_i c_i (y_i − w·x_i − b)² + α‖w‖² ]

The minimum is that of the normal equations of the centred table, solved in rationals. Where columns
depend on each other, w = Bᵀu with B a basis of the rows' span is the solution of least norm.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from linscope.results import Status

from . import tables
from .exact import ZERO, dot, gram, number, q, rank, rationals, solve, table
from .judging import NOTHING, compare_values, foreign_status, not_numbers, same_floats
from .nearby import moved, too_far
from .problem import Problem

ALLOWED = (Status.SOLVED, Status.RANK_DEFICIENT, Status.CONVERGED)


def make(name: str, rng: np.random.Generator, level: str) -> Problem:
    n, d = tables.shape(rng, rows=40 if rng.random() < 0.05 else 14, columns=6)
    if name != "LeastSquaresClassifier" and rng.random() < 0.1:
        d, n = int(rng.integers(6, 16)), int(rng.integers(4, 12))
    X, kind = tables.table(rng, n, d, level)
    n = len(X)
    params: dict[str, Any] = {"fit_intercept": bool(rng.random() < 0.8)}
    if name == "Ridge":
        params["alpha"] = tables.power(rng, level)
    if name == "LeastSquaresClassifier":
        y = tables.labels(rng, X, int(rng.choice([2, 2, 3, 4, 30], p=[0.3, 0.2, 0.3, 0.18, 0.02])))
        params["alpha"] = 0.0 if rng.random() < 0.7 else tables.power(rng, level)
        params |= tables.class_weight(rng, y)
    else:
        y = tables.targets(rng, X, level)
        if rng.random() < 0.1:
            y = np.column_stack([y, tables.targets(rng, X, level)])
        if rng.random() < 0.08:
            params |= {"solver": str(rng.choice(["batch", "stochastic"])), "max_iter": 50}
    return Problem(name, params, tables.form(rng, X), y, tables.weights(rng, n, level), level, kind)


class Judge:
    def __init__(self, problem: Problem):
        self.problem = problem
        kept = problem.c > 0
        self.X, self.c = table(problem.dense[kept]), rationals(problem.c[kept])
        self.Y = [rationals(column) for column in self._targets()[kept].T]
        self.intercept = problem.params["fit_intercept"]
        self.alpha = q(problem.params.get("alpha", 0.0))
        self._others: dict = {}

    def _targets(self) -> np.ndarray:
        y = self.problem.y
        if self.problem.estimator != "LeastSquaresClassifier":
            return np.asarray(y, np.float64).reshape(len(y), -1)
        known = np.unique(y)
        if len(known) == 2:
            return np.where(y == known[1], 1.0, -1.0)[:, None]
        return (y[:, None] == known).astype(float)

    def centred(self, columns: list[list[fmpq]]) -> tuple[list[list[fmpq]], list[fmpq]]:
        if not self.intercept:
            return columns, [ZERO] * len(columns)
        total = sum(self.c, ZERO)
        means = [dot(column, self.c) / total for column in columns]
        return [[v - m for v in col] for col, m in zip(columns, means, strict=True)], means

    @cached_property
    def solution(self) -> tuple[list[list[fmpq]], int]:
        """(bias first) for each target, and the rank of the centred columns."""
        columns = [list(column) for column in zip(*self.X, strict=True)]
        inner, means = self.centred(columns)
        outer, levels = self.centred(self.Y)
        d, rows = len(columns), [list(row) for row in zip(*inner, strict=True)]
        M = gram(rows, self.c)
        for j in range(d):
            M[j][j] = M[j][j] + self.alpha
        known = rank(rows)
        right = [[dot([a * c for a, c in zip(col, self.c, strict=True)], t) for t in outer]
                 for col in inner]  # fmt: skip
        slopes = self._least_norm(M, right, rows)
        weights = []
        for t, level in enumerate(levels):
            w = [slopes[j][t] for j in range(d)]
            weights.append([level - dot(means, w) if d else level, *w])
        return weights, known

    def _least_norm(self, M, right, rows) -> list[list[fmpq]]:
        if rank(M) == len(M):
            return solve(M, right)
        reduced, r = fmpq_mat(rows).rref()
        if r == 0:
            return [[ZERO] * len(right[0]) for _ in M]
        B = fmpq_mat(reduced.tolist()[:r])
        inner = (B * fmpq_mat(M) * B.transpose()).tolist()
        u = solve(inner, (B * fmpq_mat(right)).tolist())
        return (B.transpose() * fmpq_mat(u)).tolist()

    def rss(self, weights: list[list[fmpq]]) -> list[fmpq]:
        found = []
        for w, t in zip(weights, self.Y, strict=True):
            off = [y - w[0] - dot(x, w[1:]) for x, y in zip(self.X, t, strict=True)]
            found.append(sum((c * r * r for c, r in zip(self.c, off, strict=True)), ZERO))
        return found

    def objective(self, weights: list[list[fmpq]]) -> fmpq:
        penalty = sum((v * v for w in weights for v in w[1:]), ZERO) * self.alpha
        return (sum(self.rss(weights), ZERO) + penalty) / 2

    def held(self, model: Any, claim: Any) -> Iterator[str]:
        d = self.problem.dense.shape[1]
        yield from self._other_problem(getattr(claim, "regression", claim))
        coef = np.reshape(model.coef_, (-1, d))
        bias = np.broadcast_to(np.ravel(model.intercept_), (len(coef),))
        yield from same_floats("weights", claim.weights[:, 1:], coef)
        known = np.isfinite(bias)  # a class without weight is never predicted: −∞
        yield from same_floats("intercepts", claim.weights[known, 0], bias[known])

    def refute(self, claim: Any) -> Iterator[str]:
        inner = getattr(claim, "regression", claim)
        yield from not_numbers(claim)
        yield from not_numbers(inner)
        if inner is not claim and inner.status is not claim.status:
            yield "the status of the classifier is not that of its regression"
        if not np.isfinite(inner.weights).all():
            yield "the weights are not finite"
            return
        if inner.weights.shape != (len(self.Y), len(self.X[0]) + 1):
            yield f"weights of shape {inner.weights.shape}"
            return
        yield from foreign_status(claim, ALLOWED)
        if not 0.0 <= inner.alpha < np.inf:
            yield f"alpha {inner.alpha}"
            return
        if [*self._other_problem(inner)]:
            yield from self._judge_of(inner).refute(claim)
            return
        if inner.relations:
            kept = self.problem.dense[self.problem.c > 0]
            wrong = [*too_far(kept, inner)]
            yield from wrong
            if wrong:
                return
            if inner.ulps:
                near = copy(self)
                near.X = moved(kept, inner)
                near.__dict__.pop("solution", None)
                yield from near._refute_about(claim, inner)
                return
        yield from self._refute_about(claim, inner)

    def _refute_about(self, claim: Any, inner: Any) -> Iterator[str]:
        """What the table refutes."""
        if not self.intercept and inner.weights[:, 0].any():
            yield "a model without intercept has a bias"
        held = [rationals(w) for w in inner.weights]
        best, known = self.solution
        here, least = self.objective(held), self.objective(best)
        zero = self.objective([[ZERO] * len(w) for w in best])
        yield from compare_values(inner, here, least, zero)
        yield from self._rank(inner, known)
        yield from self._errors(inner, held, best)
        yield from self._squares(inner, held)
        if inner.ok and inner.error is None and inner.gap is None:
            moved = (here - least) / (zero + here) if zero + here else ZERO
            if moved > q(1e-6) and here > q(NOTHING):
                yield f"ok, but the sum of squares is {number(moved):.2g} of its size too large"

    def _other_problem(self, claim: Any) -> Iterator[str]:
        if claim.fit_intercept != self.intercept or q(claim.alpha) != self.alpha:
            yield "the claim is about another problem"

    def _judge_of(self, claim: Any) -> Judge:
        """A claim about another problem is judged by that."""
        key = claim.fit_intercept, claim.alpha
        if key not in self._others:
            params = {**self.problem.params, "fit_intercept": key[0], "alpha": key[1]}
            self._others[key] = Judge(replace(self.problem, params=params))
        return self._others[key]

    def _rank(self, claim: Any, known: int) -> Iterator[str]:
        d = len(self.X[0])
        # With a ridge the columns are taken together with √α I, which are independent.
        full = d if self.alpha > 0 else known
        nearly = claim.status is Status.NEARLY_DEPENDENT and (claim.rank or 0) <= full
        if claim.rank is not None and claim.rank not in (full, known) and not nearly:
            yield f"rank {claim.rank}, but it is {full}"
        if claim.status is Status.RANK_DEFICIENT and full == d:
            yield "RANK_DEFICIENT, but the columns are independent"
        if claim.status is Status.SOLVED and full < d:
            yield f"SOLVED, but the rank is {full} of {d}"
        if claim.status is Status.SOLVED and claim.digits is not None and not claim.digits > 0:
            yield "SOLVED without a digit"

    def _errors(self, claim: Any, held, best) -> Iterator[str]:
        if claim.error is None or np.isnan(claim.error).any():
            return
        for w, exact, errors in zip(held, best, claim.error, strict=True):
            for j, (a, b, e) in enumerate(zip(w, exact, errors, strict=True)):
                if np.isfinite(e) and abs(a - b) > q(e) + q(NOTHING):
                    yield f"weight {j} is off by {number(abs(a - b))!r}, more than {float(e)!r}"
                    return

    def _squares(self, claim: Any, held) -> Iterator[str]:
        if claim.rss is None or np.isnan(claim.rss).any():
            return
        for k, true in enumerate(self.rss(held)):
            size = sum((c * v * v for c, v in zip(self.c, self.Y[k], strict=True)), ZERO)
            claimed = float(claim.rss[k])
            if not np.isfinite(claimed):
                yield f"rss {claimed}"
                continue
            room = true * q(1e-6) + size * q(1e-12) + q(NOTHING)
            if claim.gap is not None and np.isfinite(claim.gap):
                room = room + 2 * abs(q(claim.gap))
            if abs(q(claimed) - true) > room:
                yield f"rss {claimed!r}, but it is {number(true)!r}"
