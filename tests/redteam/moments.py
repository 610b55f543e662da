"""Naive Bayes and Fisher's discriminant, against class means and scatters in rationals.

naive Bayes  μ_kj, σ²_kj of each class, or σ²_j of all classes about their means; σ² = 0 → V/(n + 1)
Fisher       J(w) = (w·m_2 − w·m_1)² / wᵀ S_W w, largest at S_W⁻¹ (m_2 − m_1); scores of the
             classes Σ⁻¹ (m_k − m̄), Σ = S_W / W; no maximum where means differ and S_W vanishes
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, fmpq

from linscope.results import Status

from . import tables
from .exact import ZERO, dot, gram, number, q, rank, rationals, solve, table
from .judging import NOTHING, foreign_status, not_numbers, same_floats
from .problem import Problem

# The largest accuracy that says anything, and the smallest normal float.
WORST, NORMAL = 0.01, 2.0**-1022


def make(name: str, rng: np.random.Generator, level: str) -> Problem:
    classes = int(rng.choice([2, 2, 2, 3, 4, 30], p=[0.3, 0.2, 0.2, 0.15, 0.1, 0.05]))
    n, d = tables.shape(rng, rows=14, columns=4)
    n = max(n, classes + 2)
    X, kind = tables.table(rng, n, d, level)
    params: dict[str, Any] = {}
    if name == "GaussianNaiveBayes":
        params["shared_variance"] = bool(rng.random() < 0.3)
    y = tables.labels(rng, X, classes)
    params |= tables.class_weight(rng, y)
    weight = tables.weights(rng, n, level)
    return Problem(name, params, tables.form(rng, X), y, weight, level, kind)


class Moments:
    """Exact class totals, means and scatters of the rows with weight."""

    def __init__(self, problem: Problem):
        self.problem = problem
        c = problem.c
        self.labels = list(np.unique(problem.y))
        X = table(problem.dense)
        self.rows = [
            [X[i] for i in np.flatnonzero((problem.y == v) & (c > 0))] for v in self.labels
        ]
        self.c = [rationals(c[(problem.y == v) & (c > 0)]) for v in self.labels]
        self.totals = [sum(c, ZERO) for c in self.c]
        self.means = [self._mean(rows, c) for rows, c in zip(self.rows, self.c, strict=True)]
        self.d = problem.dense.shape[1]

    def _mean(self, rows, c) -> list[fmpq] | None:
        if not rows:
            return None
        total = sum(c, ZERO)
        return [dot(list(column), c) / total for column in zip(*rows, strict=True)]

    @property
    def seen(self) -> list[int]:
        return [k for k, rows in enumerate(self.rows) if rows]

    def centred(self, k: int) -> list[list[fmpq]]:
        return [[v - m for v, m in zip(row, self.means[k], strict=True)] for row in self.rows[k]]

    @cached_property
    def scatter(self) -> list[list[fmpq]]:
        """S_W."""
        rows = [row for k in self.seen for row in self.centred(k)]
        return gram(rows, [c for k in self.seen for c in self.c[k]])

    def sum_of_squares(self, k: int, j: int) -> fmpq:
        return sum((c * row[j] * row[j] for row, c in zip(self.centred(k), self.c[k], strict=True)),
                   ZERO)  # fmt: skip

    def total_variance(self, j: int) -> fmpq:
        c = [v for k in self.seen for v in self.c[k]]
        x = [row[j] for k in self.seen for row in self.rows[k]]
        total = sum(c, ZERO)
        mean = dot(x, c) / total
        return sum((w * (v - mean) * (v - mean) for v, w in zip(x, c, strict=True)), ZERO) / total

    def compare_shares(self, claim: Any) -> Iterator[str]:
        total = sum(self.totals, ZERO)
        for k in self.seen:
            if not np.isnan(claim.totals[k]) and not _near(claim.totals[k], self.totals[k], 1e-9):
                yield f"class {k} has weight {number(self.totals[k])!r}"
            share = self.totals[k] / total
            if not np.isnan(claim.priors[k]) and not _near(claim.priors[k], share, 1e-9):
                yield f"class {k} has prior {number(share)!r}"

    def compare_means(self, claim: Any) -> Iterator[str]:
        means = np.asarray(claim.means)
        if means.shape != (len(self.labels), self.d):
            yield f"means of shape {means.shape}"
            return
        for k in self.seen:
            for j in range(self.d):
                room = max(abs(row[j]) for row in self.rows[k]) * q(4e-16)
                if not np.isnan(means[k, j]) and not _near(
                    means[k, j], self.means[k][j], 0.0, room
                ):
                    yield f"mean {k}, {j} is {number(self.means[k][j])!r}, not {means[k, j]!r}"
                    return


def _near(claimed: Any, true: fmpq, relative: float, room: fmpq = ZERO) -> bool:
    return bool(np.isfinite(claimed)) and abs(q(claimed) - true) <= abs(true) * q(
        relative
    ) + room + q(NOTHING)


class NaiveBayesJudge:
    """|θ − m| ≤ a σ + 2⁻⁵² |m| and |v − σ²| ≤ a σ² with a the accuracy that is claimed."""

    def __init__(self, problem: Problem):
        self.problem, self.moments = problem, Moments(problem)

    def held(self, model: Any, claim: Any) -> Iterator[str]:
        if claim.shared != self.problem.params["shared_variance"]:
            yield "the claim is about another problem"
        yield from same_floats("means", claim.means, model.theta_)
        yield from same_floats("variances", claim.variances, model.var_)
        yield from same_floats("priors", claim.priors, model.class_prior_)

    def refute(self, claim: Any) -> Iterator[str]:
        m = self.moments
        yield from not_numbers(claim)
        yield from foreign_status(claim, (Status.SOLVED,))
        yield from m.compare_shares(claim)
        means, variances = np.asarray(claim.means), np.asarray(claim.variances)
        if not means.shape == variances.shape == (len(m.labels), m.d):
            yield f"means of shape {means.shape}, variances of shape {variances.shape}"
            return
        finite = all(
            np.isfinite(v).all() for v in (means[m.seen], variances[m.seen], claim.accuracy)
        )
        if not finite or claim.accuracy < 0:
            yield "means, variances or accuracy are not finite"
            return
        if claim.ok and claim.accuracy > WORST:
            yield f"ok with an accuracy of {claim.accuracy}"
        zero = set()
        for j in range(m.d):
            for k, (expected, own) in zip(m.seen, self._variances(j, claim.shared), strict=True):
                zero |= set() if own else {j}
                reason = self._compare(claim, k, j, expected)
                if reason:
                    yield reason
                    return
        if set(claim.replaced) != zero:
            yield f"columns {sorted(zero)} have a variance of 0, not {sorted(claim.replaced)}"

    def _compare(self, claim: Any, k: int, j: int, expected: fmpq) -> str:
        m, a = self.moments, q(claim.accuracy)
        off = abs(q(claim.means[k, j]) - m.means[k][j]) - abs(m.means[k][j]) * q(2.0**-52)
        if off > q(NOTHING) and off * off > a * a * m.sum_of_squares(k, j) / m.totals[k]:
            return f"mean {k}, {j} is {number(m.means[k][j])!r}, not {float(claim.means[k, j])!r}"
        if abs(q(claim.variances[k, j]) - expected) > a * expected:
            return (
                f"variance {k}, {j} is {number(expected)!r}, not {float(claim.variances[k, j])!r}"
            )
        return ""

    def _variances(self, j: int, shared: bool) -> list[tuple[fmpq, bool]]:
        """The variance of each class, and whether it is that of the samples."""
        m = self.moments
        total = sum(m.totals, ZERO)
        whole = m.total_variance(j)
        pooled = sum((m.sum_of_squares(k, j) for k in m.seen), ZERO) / total
        made = []
        for k in m.seen:
            count = total if shared else m.totals[k]
            variance = pooled if shared else m.sum_of_squares(k, j) / m.totals[k]
            if variance < q(NORMAL):
                made.append((whole / (count + 1) if whole else q(1.0), False))
            else:
                made.append((variance, True))
        return made


class FisherJudge:
    def __init__(self, problem: Problem):
        self.problem, self.moments = problem, Moments(problem)
        self.unsure = False

    def held(self, model: Any, claim: Any) -> Iterator[str]:
        yield from same_floats("weights", claim.weights[:, 1:], model.coef_)
        yield from same_floats("intercepts", claim.weights[:, 0], np.ravel(model.intercept_))

    def refute(self, claim: Any) -> Iterator[str]:
        m = self.moments
        yield from not_numbers(claim)
        yield from foreign_status(claim, (Status.SOLVED, Status.RANK_DEFICIENT, Status.UNBOUNDED))
        yield from m.compare_shares(claim)
        yield from m.compare_means(claim)
        if claim.weights.shape[1] != m.d + 1 or not np.isfinite(claim.weights[:, 1:]).all():
            yield "weights of another shape, or not finite"
            return
        r = rank(m.scatter)
        # Nearly dependent columns are left out, and the status says so.
        if claim.rank > r or (claim.rank < r and claim.status is not Status.NEARLY_DEPENDENT):
            yield f"rank {claim.rank}, but it is {r}"
        yield from self._status(claim, r)
        if len(m.seen) < 2 or not np.isfinite(claim.accuracy) or claim.accuracy < 0:
            return
        if r == m.d:
            yield from self._scores(claim)
        if len(m.labels) == 2 == len(m.seen):
            yield from self._criterion(claim, r)

    def _status(self, claim: Any, r: int) -> Iterator[str]:
        m = self.moments
        base = m.means[m.seen[0]]
        apart = [[a - b for a, b in zip(m.means[k], base, strict=True)] for k in m.seen[1:]]
        unbounded = rank([*m.scatter, *apart]) > r
        true = Status.UNBOUNDED if unbounded else (
            Status.SOLVED if r == m.d else Status.RANK_DEFICIENT)  # fmt: skip
        provable = (Status.SOLVED, Status.RANK_DEFICIENT, Status.UNBOUNDED)
        if claim.status in provable and claim.status is not true:
            yield f"{claim.status.name}, but it is {true.name}"

    def _scores(self, claim: Any) -> Iterator[str]:
        """(w − ŵ)ᵀ Σ (w − ŵ) ≤ accuracy² ŵᵀ Σ ŵ, the largest over the classes."""
        m = self.moments
        total = sum(m.totals, ZERO)
        centre = [sum((m.totals[k] * m.means[k][j] for k in m.seen), ZERO) / total
                  for j in range(m.d)]  # fmt: skip
        right = [[m.means[k][j] - centre[j] for k in m.seen] for j in range(m.d)]
        found = solve(m.scatter, right)
        exact = [[total * found[j][i] for j in range(m.d)] for i in range(len(m.seen))]
        held = [rationals(w[1:]) for w in claim.weights]
        if len(m.labels) == 2:
            exact = [[b - a for a, b in zip(*exact, strict=True)]]
        else:
            held = [held[k] for k in m.seen]
        size = max(self._energy(w) for w in exact)
        off = max(self._energy([a - b for a, b in zip(w, e, strict=True)])
                  for w, e in zip(held, exact, strict=True))  # fmt: skip
        if off > q(claim.accuracy) ** 2 * size:
            share = (arb(off) / arb(size)).sqrt() if size else arb(off)
            yield f"scores accurate to {claim.accuracy!r}, but they are {number(share)!r} off"

    def _energy(self, w: list[fmpq]) -> fmpq:
        S = self.moments.scatter
        return dot(w, [dot(row, w) for row in S])

    def _criterion(self, claim: Any, r: int) -> Iterator[str]:
        m = self.moments
        w = rationals(claim.weights[0, 1:])
        along = dot(w, m.means[1]) - dot(w, m.means[0])
        within = self._energy(w)
        if within == 0 or not np.isfinite(claim.criterion):
            if np.isnan(claim.criterion):
                return
            if within > 0 and along != 0:
                yield f"J is {number(along * along / within)!r}, not {claim.criterion!r}"
            return
        J = along * along / within
        room = q(min(1.0, 10 * claim.accuracy + 1e-9)) * J
        if abs(q(claim.criterion) - J) > room:
            yield f"J is {number(J)!r}, not {claim.criterion!r}"
        if r == m.d and claim.status is Status.SOLVED:
            apart = [b - a for a, b in zip(m.means[0], m.means[1], strict=True)]
            best = dot(apart, [row[0] for row in solve(m.scatter, [[v] for v in apart])])
            if best - J > room:
                yield f"J is {number(J)!r}, but {number(best)!r} is possible"
