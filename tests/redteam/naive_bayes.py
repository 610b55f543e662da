"""Naive Bayes against class means and variances in rationals; σ² = 0 becomes V/(n + 1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import fmpq

from linscope.results import Status

from .exact import ZERO, number, q
from .judging import NOTHING, foreign_status, not_numbers, same_floats
from .moments import Moments
from .problem import Problem

# The largest accuracy that says anything, and the smallest normal float.
WORST, NORMAL = 0.01, 2.0**-1022


class Judge:
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
                floor = whole / (count + 1)  # 1 where no float holds it
                made.append((floor if floor >= q(NORMAL) else q(1.0), False))
            else:
                made.append((variance, True))
        return made
