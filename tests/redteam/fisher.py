"""Fisher's discriminant against class means and scatters in rationals.

J(w) = (w·m_2 − w·m_1)² / wᵀ S_W w, largest at S_W⁻¹ (m_2 − m_1); scores of the classes
Σ⁻¹ δ_k, δ_k = m_k − m̄, Σ = S_W / W; no maximum where means differ and S_W vanishes. There the part
of δ_k that no Σx reaches is left out, orthogonally in units of the spreads D² = diag Σ: with the
null vectors N of Σ it is D²N (NᵀD²N)⁻¹ Nᵀδ_k
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, fmpq

from linscope.results import Status

from .exact import ZERO, dot, number, pivots, q, rank, rationals, solve
from .judging import foreign_status, not_numbers, same_floats
from .moments import Moments
from .problem import Problem


class Judge:
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
        r = rank(m.covariance)
        # Nearly dependent columns are left out, and the status says so.
        if claim.rank > r or (claim.rank < r and claim.status is not Status.NEARLY_DEPENDENT):
            yield f"rank {claim.rank}, but it is {r}"
        yield from self._status(claim, r)
        if len(m.seen) < 2 or not np.isfinite(claim.accuracy) or claim.accuracy < 0:
            return
        if np.isfinite(claim.accuracy):
            yield from self._scores(claim)
        if len(m.labels) == 2 == len(m.seen):
            yield from self._criterion(claim, r)

    def _status(self, claim: Any, r: int) -> Iterator[str]:
        m = self.moments
        base = m.means[m.seen[0]]
        apart = [[a - b for a, b in zip(m.means[k], base, strict=True)] for k in m.seen[1:]]
        unbounded = rank([*m.covariance, *apart]) > r
        true = Status.UNBOUNDED if unbounded else (
            Status.SOLVED if r == m.d else Status.RANK_DEFICIENT)  # fmt: skip
        provable = (Status.SOLVED, Status.RANK_DEFICIENT, Status.UNBOUNDED)
        if claim.status in provable and claim.status is not true:
            yield f"{claim.status.name}, but it is {true.name}"

    def _scores(self, claim: Any) -> Iterator[str]:
        """(w − ŵ)ᵀ Σ (w − ŵ) ≤ accuracy² ŵᵀ Σ ŵ, the largest over the classes."""
        m = self.moments
        centre = [sum((m.shares[k] * m.means[k][j] for k in m.seen), ZERO) for j in range(m.d)]
        right = [[m.means[k][j] - centre[j] for j in range(m.d)] for k in m.seen]
        exact = [self._reached(delta) for delta in right]
        if self.problem.params.get("mean_difference"):
            if len(m.labels) > 2:
                return  # principal axes of the means are not rational
            exact = self._along_means(right)
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

    def _along_means(self, right: list[list[fmpq]]) -> list[list[fmpq]]:
        """x_k = a (a·δ_k) / aᵀΣa for a = m_2 − m_1."""
        a = [v - u for u, v in zip(*right, strict=True)]
        spread = self._energy(a)
        return [[v * dot(a, d) / spread if spread else ZERO for v in a] for d in right]

    @cached_property
    def _null(self) -> tuple[list[int], list[list[fmpq]]]:
        """Independent columns, and the null vectors of those that vary."""
        S = self.moments.covariance
        varies = [j for j in range(self.moments.d) if S[j][j] != 0]
        kept, null = pivots([[S[i][j] for j in varies] for i in varies])
        places = [dict(zip(varies, v, strict=True)) for v in null]
        null = [[place.get(j, ZERO) for j in range(self.moments.d)] for place in places]
        return [varies[j] for j in kept], null

    def _reached(self, delta: list[fmpq]) -> list[fmpq]:
        """Some x with Σx = the part of δ that can be reached."""
        S, (kept, null) = self.moments.covariance, self._null
        if null:
            D = [S[j][j] for j in range(len(S))]
            held = [[v * w for v, w in zip(n, D, strict=True)] for n in null]
            shares = solve([[dot(n, h) for h in held] for n in null],
                           [[dot(n, delta)] for n in null])  # fmt: skip
            for h, (share,) in zip(held, shares, strict=True):
                delta = [v - share * w for v, w in zip(delta, h, strict=True)]
        x = [ZERO] * len(delta)
        if kept:
            found = solve([[S[i][j] for j in kept] for i in kept], [[delta[j]] for j in kept])
            for j, (v,) in zip(kept, found, strict=True):
                x[j] = v
        return x

    def _energy(self, w: list[fmpq], S: list[list[fmpq]] | None = None) -> fmpq:
        S = self.moments.covariance if S is None else S
        return dot(w, [dot(row, w) for row in S])

    def _criterion(self, claim: Any, r: int) -> Iterator[str]:
        m = self.moments
        w = rationals(claim.weights[0, 1:])
        along = dot(w, m.means[1]) - dot(w, m.means[0])
        within = self._energy(w, m.scatter)
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
        options = ("mean_difference", "priors", "shrinkage")
        plain = not any(self.problem.params.get(name) for name in options)
        if plain and r == m.d and claim.status is Status.SOLVED:
            apart = [b - a for a, b in zip(m.means[0], m.means[1], strict=True)]
            best = dot(apart, [row[0] for row in solve(m.scatter, [[v] for v in apart])])
            if best - J > room:
                yield f"J is {number(J)!r}, but {number(best)!r} is possible"
