"""Perceptrons: mistakes, ties, margin and radius of the held weights, in rationals or in balls.

With a kernel, w = Σ α_i φ(x_i) and a bias is one more feature, K + 1. A score there is a ball; a
sample whose score is within the rounding of float64 kernel values of 0 may count either way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import arb, arb_mat

from linscope.results import Status

from . import tables
from .exact import dot, number, q, rationals, table
from .judging import foreign_status, not_numbers, same_floats
from .machine import kernel_value
from .problem import Problem

TIES = {"update": (True, True), "positive": (False, True), "negative": (True, False)}
ALLOWED = (Status.SEPARATED, Status.SEPARATED_BY_TIE, Status.CONVERGED)
SAME, UNIT = 1e-6, 2.0**-52


def make(name: str, rng: np.random.Generator, level: str) -> Problem:
    classes = int(rng.choice([2, 3, 5, 30], p=[0.6, 0.25, 0.13, 0.02]))
    n, d = tables.shape(rng, rows=12, columns=4)
    n = max(n, classes)
    X, kind = tables.table(rng, n, d, level)
    y = tables.labels(rng, X, classes)
    params: dict[str, Any] = {
        "max_iter": int(rng.choice([3, 30, 200])),
        "rule": str(rng.choice(["single", "single", "batch", "mini-batch"])),
        "output": str(rng.choice(["last", "last", "averaged", "pocket", "voted"])),
        "tie": str(rng.choice(["update", "update", "positive", "negative"])),
        "fit_intercept": bool(rng.random() < 0.85),
        "multi_class": str(rng.choice(["ovr", "ovo"])),
    }
    if rng.random() < 0.2:
        params["eta0"] = tables.power(rng, "ordinary")
    params |= tables.class_weight(rng, y)
    weight = tables.weights(rng, n, level)
    if weight is not None and len(np.unique(y[weight > 0])) < len(np.unique(y)):
        weight = None
    if name == "KernelPerceptron":
        params["kernel"] = str(rng.choice(["rbf", "rbf", "linear", "poly", "sigmoid"]))
        if rng.random() < 0.4:
            params["gamma"] = tables.power(rng, level)
    return Problem(name, params, tables.form(rng, X), y, weight, level, kind)


class Judge:
    def __init__(self, problem: Problem):
        self.problem = problem
        self.X, self.counted = problem.dense, problem.c > 0
        self.rows = table(self.X) if problem.estimator == "Perceptron" else None
        self.unsure = False
        self._products: dict = {}

    def held(self, model: Any, claim: Any) -> Iterator[str]:
        parts = dict(claim.parts) or {"": claim}
        wanted = self.problem.params["fit_intercept"], self.problem.params["tie"]
        if any((part.intercept, part.tie) != wanted for part in parts.values()):
            yield "the claim is about another problem"
        if self.problem.params["output"] == "voted":
            return
        if self.problem.estimator == "Perceptron":
            W = np.vstack([part.weights for part in parts.values()])
            yield from same_floats("weights", W[:, 1:], model.coef_)
            yield from same_floats("intercepts", W[:, 0], np.ravel(model.intercept_))
        elif not claim.parts:
            held = np.zeros(len(self.counted))
            held[model.support_] = np.ravel(model.dual_coef_)
            yield from same_floats("dual coefficients", claim.alpha, held[self.counted])
            yield from same_floats("bias", np.array([claim.bias]), np.ravel(model.intercept_))
        if not claim.parts and claim.status in (Status.SEPARATED, Status.SEPARATED_BY_TIE):
            wrong = model.predict(self.problem.X)[self.counted] != self.problem.y[self.counted]
            if wrong.any():
                yield f"{claim.status.name}, but predict gets {int(wrong.sum())} samples wrong"

    def refute(self, claim: Any) -> Iterator[str]:
        yield from not_numbers(claim)
        if claim.parts:
            yield from foreign_status(claim, (*ALLOWED, Status.SEVERAL))
            if claim.ok and not all(part.ok for part in claim.parts.values()):
                yield "ok, but a part is not"
        for name, part in (dict(claim.parts) or {"": claim}).items():
            for reason in self._refute_one(part):
                yield f"{name}: {reason}" if name else reason

    def _refute_one(self, claim: Any) -> Iterator[str]:
        yield from not_numbers(claim)
        yield from foreign_status(claim, ALLOWED)
        y = self.problem.y
        positive = (y == claim.positive) & self.counted
        below = np.isin(y, claim.others or (claim.negative,)) & self.counted
        own = np.flatnonzero(positive | below)
        signs = np.where(positive[own], 1, -1)
        if self.problem.estimator == "Perceptron" and not claim.intercept and claim.weights[0]:
            yield "a model without intercept has a bias"
        if self.problem.estimator == "Perceptron":
            found = self._scores(claim, own)
        else:
            found = self._kernel_scores(claim, own)
        if isinstance(found, str):
            yield found
            return
        scores, doubt, length2, radius2 = found
        yield from self._compare(claim, signs, scores, doubt)
        yield from self._sizes(claim, signs, scores, length2, radius2, max(doubt, default=0))

    def _scores(self, claim: Any, own: np.ndarray):
        w = claim.weights
        if w.shape != (self.X.shape[1] + 1,) or not np.isfinite(w).all():
            return f"weights of shape {w.shape}, or not finite"
        exact = rationals(w)
        one = [q(1.0 if claim.intercept else 0.0)]
        rows = [one + self.rows[i] for i in own]
        scores = [exact[0] + dot(self.rows[i], exact[1:]) for i in own]
        return scores, [0] * len(own), dot(exact, exact), max((dot(r, r) for r in rows), default=0)

    def _kernel_scores(self, claim: Any, own: np.ndarray):
        alpha = np.asarray(claim.alpha, np.float64)
        if alpha.shape != (len(own),) or not np.isfinite(alpha).all():
            return f"coefficients of shape {alpha.shape}, or not finite"
        K = self._gram(claim, own)
        a = [arb(float(v)) for v in alpha]
        bias = arb(float(claim.bias))  # as the model holds it: Σα, rounded
        plain = (arb_mat(K) * arb_mat([[v] for v in a])).entries()
        scores = [s + bias for s in plain]
        loose = arb((len(own) + 16) * UNIT * (2**29 if self.problem.X.dtype == np.float32 else 1))
        sizes = [sum((abs(k * v) for k, v in zip(row, a, strict=True)), abs(bias)) for row in K]
        doubt = [loose * size for size in sizes]
        length2 = sum((v * s for v, s in zip(a, plain, strict=True)), bias * bias)
        own_values = [K[i][i] + int(claim.intercept) for i in range(len(own))]
        return scores, doubt, length2, max(own_values, default=arb(0))

    def _gram(self, claim: Any, own: np.ndarray) -> list[list[arb]]:
        gamma = claim.parameters.get("gamma")
        key = own.tobytes(), gamma
        if key not in self._products:
            X = [[arb(float(v)) for v in self.X[i]] for i in own]
            given = {"gamma": gamma, "coef0": claim.parameters.get("coef0", 0.0),
                     "degree": claim.parameters.get("degree", 3)}  # fmt: skip
            kernel = self.problem.params["kernel"]
            self._products[key] = [[kernel_value(kernel, x, z, **given) for z in X] for x in X]
        return self._products[key]

    def _compare(self, claim, signs, scores, doubt) -> Iterator[str]:
        least = most = ties = perhaps = 0
        for s, y, e in zip(scores, signs, doubt, strict=True):
            wrong_at_zero = TIES[claim.tie][0 if y > 0 else 1]
            if not e and s == 0:
                ties += 1
                least, most = least + wrong_at_zero, most + wrong_at_zero
            elif e and not abs(s) > e:
                perhaps += 1
                most += 1
            elif s * int(y) < 0:
                least, most = least + 1, most + 1
        if perhaps:
            self.unsure = True
        if not least <= claim.mistakes <= most:
            yield f"{claim.mistakes} mistakes, but there are {least} to {most}"
        if claim.status in (Status.SEPARATED, Status.SEPARATED_BY_TIE) and least:
            yield f"{claim.status.name}, but {least} samples are on the wrong side"
        if claim.status is Status.SEPARATED and ties:
            yield f"SEPARATED, but {ties} samples are on the boundary"
        if claim.status is Status.SEPARATED_BY_TIE and not ties and not perhaps:
            yield "SEPARATED_BY_TIE, but no sample is on the boundary"
        if claim.status in (Status.MAX_ITER, Status.STOPPED) and not most:
            yield f"{claim.status.name}, but there are no mistakes"

    def _sizes(self, claim, signs, scores, length2, radius2, doubt) -> Iterator[str]:
        if not len(scores) or np.isnan(claim.margin) or np.isnan(claim.radius):
            return
        length, radius = (arb(v).sqrt() if v > 0 else arb(0) for v in (length2, radius2))
        smallest = min((arb(s) * int(y) for s, y in zip(scores, signs, strict=True)),
                       key=lambda v: v.mid())  # fmt: skip
        if length2 > 0 or length2 <= 0:
            margin = smallest / length if length > 0 else arb(0)
        else:  # a ball around 0: too few bits to tell whether there is a length
            margin = arb("nan")
        room = arb(1e-12) * radius + (4 * arb(doubt) / length if doubt and length > 0 else 0)
        for name, true in (("margin", margin), ("radius", radius)):
            claimed = getattr(claim, name)
            if not true.is_finite():
                self.unsure = True
            elif not np.isfinite(claimed):
                yield f"{name} {claimed}"
            elif (abs(arb(claimed) - true) - arb(SAME) * abs(true) - room).lower() > 0:
                yield f"{name} {claimed!r}, but it is {number(true)!r}"
