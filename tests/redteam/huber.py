"""HuberRegressor, against the objective in rationals.

    P(w, b, σ) = Σ_i c_i (σ + σ H(r_i/σ)) + α‖w‖²,   f(r, 0) = 2ε|r|

The reference goes down from the claim and from weights 0: exact weights for a given σ and given
outliers, then the best σ for these weights. Whatever it reaches is not below the minimum.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import arb, fmpq

from linscope.results import Status

from . import tables
from .exact import ZERO, dot, gram, number, q, rank, rationals, solve, table
from .judging import compare_values, foreign_status, not_numbers, same_floats
from .problem import Problem

ROUNDS = 12


def make(name: str, rng: np.random.Generator, level: str) -> Problem:
    n, d = tables.shape(rng, rows=40 if rng.random() < 0.1 else 14, columns=5)
    X, kind = tables.table(rng, n, d, level)
    n = len(X)
    y = tables.targets(rng, X, level)
    if rng.random() < 0.5:
        y = y + np.where(rng.random(n) < 0.2, 30.0 * np.abs(y).max() * rng.normal(size=n), 0.0)
    params = {
        "fit_intercept": bool(rng.random() < 0.8),
        "epsilon": float(rng.choice([1.35, 1.35, 1.01, 1.1, 3.0])),
        "alpha": 0.0 if rng.random() < 0.6 else tables.power(rng, level),
    }
    return Problem(name, params, tables.form(rng, X), y, tables.weights(rng, n, level), level, kind)


class Judge:
    def __init__(self, problem: Problem):
        self.problem = problem
        kept = problem.c > 0
        self.kept = kept
        self.X, self.c = table(problem.dense[kept]), rationals(problem.c[kept])
        self.y = rationals(problem.y[kept])

    def held(self, model: Any, claim: Any) -> Iterator[str]:
        params = self.problem.params
        given = params["fit_intercept"], params["epsilon"], params["alpha"]
        if (claim.fit_intercept, claim.epsilon, claim.alpha) != given:
            yield "the claim is about another problem"
        yield from same_floats("weights", claim.weights[1:], model.coef_)
        yield from same_floats("intercepts", claim.weights[:1], model.intercept_)
        yield from same_floats("scales", claim.scale, model.scale_)
        yield from same_floats("outliers", claim.outliers, model.outliers_)

    def refute(self, claim: Any) -> Iterator[str]:
        yield from not_numbers(claim)
        numbers = [claim.scale, claim.epsilon, claim.alpha, *np.ravel(claim.weights)]
        if not np.isfinite(numbers).all() or claim.weights.shape != (len(self.X[0]) + 1,):
            yield "the claim has numbers that are none"
            return
        if not (claim.scale >= 0 and claim.epsilon > 1 and claim.alpha >= 0):
            yield "the claim is about no such problem"
            return
        yield from foreign_status(claim, (Status.CONVERGED,))
        if not claim.fit_intercept and claim.weights[0]:
            yield "a model without intercept has a bias"
        self.epsilon, self.alpha, self.bias = q(claim.epsilon), q(claim.alpha), claim.fit_intercept
        w, sigma = rationals(claim.weights), q(claim.scale)
        here = self.objective(w, sigma)
        zero = self.objective([ZERO] * len(w), ZERO)
        best = min(here, self.descended(w, sigma), self.descended([ZERO] * len(w), None))
        yield from compare_values(claim, here, best, zero)
        yield from self._outliers(claim, w, sigma)

    def residuals(self, w: list[fmpq]) -> list[fmpq]:
        return [y - w[0] - dot(x, w[1:]) for x, y in zip(self.X, self.y, strict=True)]

    def objective(self, w: list[fmpq], sigma: fmpq) -> fmpq:
        total, e = self.alpha * sum((v * v for v in w[1:]), ZERO), self.epsilon
        for r, c in zip(self.residuals(w), self.c, strict=True):
            inside = sigma > 0 and abs(r) <= e * sigma
            total = total + c * (
                sigma + (r * r / sigma if inside else 2 * e * abs(r) - e * e * sigma)
            )
        return total

    def descended(self, w: list[fmpq], sigma: fmpq | None) -> fmpq:
        """An objective that some weights and scale reach."""
        sigma = self._scale(w, max(map(abs, self.residuals(w)))) if sigma is None else sigma
        best = self.objective(w, sigma)
        for _ in range(ROUNDS):
            for move in (self._weights, self._scale_of):
                other = move(w, sigma)
                value = None if other is None else self.objective(*other)
                if value is not None and value < best:
                    (w, sigma), best = other, value
        return best

    def _scale_of(self, w, sigma):
        return w, self._scale(w, sigma)

    def _scale(self, w: list[fmpq], sigma: fmpq) -> fmpq:
        """σ² = Σ_I c r² / (Σ c − ε² Σ_O c), once."""
        r, e = self.residuals(w), self.epsilon
        pairs = list(zip(r, self.c, strict=True))
        near = sum((c * v * v for v, c in pairs if abs(v) <= e * sigma), ZERO)
        room = sum(self.c, ZERO) - e * e * sum((c for v, c in pairs if abs(v) > e * sigma), ZERO)
        return rounded(arb(near / room).sqrt()) if room > 0 else 2 * sigma

    def _weights(self, w: list[fmpq], sigma: fmpq):
        """The best weights for this σ and these outliers; None if they are not determined."""
        e = self.epsilon
        rows = [[q(1.0), *x] if self.bias else list(x) for x in self.X]
        r = self.residuals(w)
        near = [c if abs(v) <= e * sigma else ZERO for v, c in zip(r, self.c, strict=True)]
        M = gram(rows, near)
        for j in range(int(self.bias), len(M)):
            M[j][j] = M[j][j] + sigma * self.alpha
        if rank(M) < len(M):
            return None
        right = []
        for j in range(len(M)):
            pull = sum((c * y * z[j] for c, y, z in zip(near, self.y, rows, strict=True)), ZERO)
            for v, c, z in zip(r, self.c, rows, strict=True):
                if abs(v) > e * sigma:
                    pull = pull + (1 if v > 0 else -1) * e * sigma * c * z[j]
            right.append([pull])
        found = [rounded(arb(v[0])) for v in solve(M, right)]
        return (found if self.bias else [ZERO, *found]), sigma

    def _outliers(self, claim: Any, w: list[fmpq], sigma: fmpq) -> Iterator[str]:
        for i, (r, x, y) in enumerate(zip(self.residuals(w), self.X, self.y, strict=True)):
            terms = abs(y) + abs(w[0]) + dot(list(map(abs, x)), list(map(abs, w[1:])))
            doubt = q(2e-6 if claim.single else 1e-14) * terms + q(1e-9) * self.epsilon * sigma
            over = abs(r) - self.epsilon * sigma
            if abs(over) > doubt and (over > 0) != bool(claim.outliers[self.kept][i]):
                yield f"sample {i}: residual {number(r)!r}, outlier {claim.outliers[self.kept][i]}"
                return


def rounded(value: arb) -> fmpq:
    """A rational near a ball, with as many bits as balls have."""
    mantissa, exponent = value.mid().man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)
