"""``separability``: the verdict by an exact linear program, the margins by the interior point."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from . import tables
from .exact import dot, number, precision, q, separation, table
from .machine import Machine, closeness
from .problem import Problem

KINDS = {0: "no", 1: "quasi", 2: "strict"}


def make(name: str, rng: np.random.Generator, level: str) -> Problem:
    n, d = tables.shape(rng, rows=12, columns=4)
    X, kind = tables.table(rng, n, d, level)
    return Problem(name, {}, tables.form(rng, X), tables.labels(rng, X), None, level, kind)


class Judge:
    def __init__(self, problem: Problem):
        self.problem = problem
        known = np.unique(problem.y)
        self.y = [1 if v == known[1] else -1 for v in problem.y]
        X = table(problem.dense)
        self.rows = [[q(1.0), *x] for x in X]
        signed = [[y * v for v in row] for row, y in zip(self.rows, self.y, strict=True)]
        self.kind = KINDS[separation(signed)]
        self.unsure = False
        self._best: dict = {}

    def held(self, verdict: Any, claim: Any) -> Iterator[str]:
        return iter(())

    def refute(self, verdict: Any) -> Iterator[str]:
        if verdict.kind != self.kind:
            yield f"separable: {verdict.kind}, but it is: {self.kind}"
        if verdict.kind == "no":
            return
        w = [fmpq(v.numerator, v.denominator) for v in verdict.exact_weights]
        scores = [y * dot(row, w) for row, y in zip(self.rows, self.y, strict=True)]
        if min(scores) < 0 or (verdict.kind == "strict" and min(scores) <= 0):
            yield "the weights do not separate"
        w = [q(v) for v in verdict.weights.tolist()]
        floats = [y * dot(row, w) for row, y in zip(self.rows, self.y, strict=True)]
        alike = [(f > 0) - (f < 0) for f in floats] == [(s > 0) - (s < 0) for s in scores]
        if verdict.weights_separate != alike:
            yield f"weights_separate is {verdict.weights_separate}, the signs say {alike}"
        if verdict.kind == "strict" and self.kind == "strict":
            yield from self._margins(verdict)
            yield from self._floats("geometric", verdict.geometric)
            yield from self._floats("augmented", verdict.augmented)

    def _floats(self, what: str, margin: Any) -> Iterator[str]:
        """The margin that the weights reach as floats."""
        w = [q(v) for v in margin.weights.tolist()]
        least = min(y * dot(row, w) for row, y in zip(self.rows, self.y, strict=True))
        norm2 = dot(w, w) - (w[0] * w[0] if what == "geometric" else 0)
        true = least * least / norm2 if least > 0 else q(0.0)
        if not np.isfinite(margin.reached):
            yield f"the float weights reach the {what} margin {margin.reached}"
            return
        claimed = q(float(margin.reached))
        if claimed * claimed > true or claimed * claimed < true * (1 - q(1e-12)):
            yield f"the float weights reach the {what} margin squared {true}, not {margin.reached}"

    def _margins(self, verdict: Any) -> Iterator[str]:
        for what, bias, claimed in (("geometric", "free", verdict.geometric.margin),
                                    ("augmented", "penalised", verdict.gamma)):  # fmt: skip
            if bias not in self._best:
                self._best[bias] = self._least(bias)
            best, sure = self._best[bias]
            if best is None or not sure:
                self.unsure = True
                continue
            margin = 1 / (2 * best).sqrt()
            if not np.isfinite(claimed) or abs(arb(claimed) - margin) > margin * arb(1e-6):
                yield f"the {what} margin is {number(margin)!r}, not {claimed!r}"
            if what == "augmented":
                radius2 = arb(max(dot(row, row) for row in self.rows))
                # The least bound that is possible: the margin is known to that closeness.
                bound = radius2 / (margin * margin) * (1 - closeness())
                claimed = verdict.bound
                if np.isfinite(float(claimed) if isinstance(claimed, float) else 1.0):
                    exact = arb(claimed)
                    if exact < bound * (1 - arb(2) ** -60):
                        yield f"R²/γ² is {number(bound)!r}, more than {claimed!r}"

    def _least(self, bias: str) -> tuple[arb | None, bool]:
        """½‖w‖² of the maximum margin, with more digits if these are too few."""
        for bits in (ctx.prec, 3 * ctx.prec):
            with precision(bits):
                K = [[arb(dot(a[1:], b[1:])) for b in self.rows] for a in self.rows]
                best, sure = Machine(K, self.y, None, False, bias).best()
            if sure:
                break
        return best, sure

    def forgeries(self, verdict: Any) -> Iterator[tuple[str, Any]]:
        if verdict.kind != "no":
            turned = tuple(-v for v in verdict.exact_weights)
            yield "weights negated", replace(verdict, exact_weights=turned)
        if verdict.kind == "strict":
            for factor in (0.0, 0.5, 2.0, np.nan, np.inf):
                yield f"gamma × {factor}", replace(verdict, gamma=factor * verdict.gamma)
                wide = replace(verdict.geometric, margin=factor * verdict.geometric.margin)
                yield f"margin × {factor}", replace(verdict, geometric=wide)
                reached = replace(verdict.geometric, reached=factor * verdict.geometric.reached)
                yield f"reached × {factor}", replace(verdict, geometric=reached)
            yield "bound 1", replace(verdict, bound=0.5)
