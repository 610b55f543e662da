"""Logistic regression with every penalty and form, against Newton's method in 300 to 2500 bits.

    P(W) = C Σ_i c_i ℓ_i(W) + l1 Σ|W_kj| + ½ l2 Σ W_kj²        biases free
    ℓ_i  = log Σ_k exp(s_ik − s_iy)                             two classes: s = (0, w·x + b)

Any W whose P is below what a claim allows refutes it, so the search needs no proof of its own:
Newton's steps from the claimed weights and from 0, in balls, with an l1 penalty on the face of the
signs. Whether the minimum exists at all is an exact linear program.

Firth's likelihood: ℓ*(w) = −Σ c_i ℓ_i + ½ log det I(w); the length of its next step, (gᵀ I⁻¹ g)^½.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import arb, arb_mat

from linscope.results import Status

from . import tables
from .exact import ZERO, number, q, separation
from .judging import compare_values, foreign_status, not_numbers, same_floats
from .logistic_objective import Objective
from .nearby import moved, too_far
from .parts import binary_parts, joint_claims
from .problem import Problem

SOLVERS = {
    "l2": ("newton", "trust-region", "lbfgs", "batch", "stochastic"),
    "none": ("newton", "trust-region", "lbfgs", "batch"),
}
ALLOWED = (Status.CONVERGED, Status.INFINITE)


def make(penalty: str, rng: np.random.Generator, level: str) -> Problem:
    classes = int(rng.choice([2, 2, 2, 3, 4]))
    n, d = tables.shape(rng, rows=10, columns=3)
    n = max(n, classes)
    if penalty == "none" and rng.random() < 0.7:  # else most are separable
        n, d = 7 + n, min(d, 2)
    X, kind = tables.table(rng, n, d, level)
    y = tables.labels(rng, X, classes, apart=0.2 if penalty == "none" else 0.6)
    forms = ["ovr", "ovo"] if penalty == "firth" else ["softmax", "softmax", "ovr", "ovo"]
    params: dict[str, Any] = {
        "penalty": None if penalty == "none" else penalty,
        "fit_intercept": bool(rng.random() < 0.85),
        "multi_class": str(rng.choice(forms)),
    }
    if penalty == "elasticnet":
        params["l1_ratio"] = float(rng.choice([0.1, 0.5, 0.9]))
    if penalty in ("l2", "l1", "elasticnet") and rng.random() < 0.6:
        params["C"] = tables.power(rng, level)
    solvers = SOLVERS.get(penalty, ())
    if solvers and rng.random() < 0.3:
        params["solver"] = str(rng.choice(solvers))
        params["max_iter"] = int(rng.choice([1, 5, 100]))
    if rng.random() < 0.1:
        params["tol"] = float(rng.choice([1e-2, 1e-5, 1e-12]))
    params |= tables.class_weight(rng, y)
    weight = tables.weights(rng, n, level)
    if weight is not None and len(np.unique(y[weight > 0])) < len(np.unique(y)):
        weight = None
    return Problem(
        "LogisticRegression", params, tables.form(rng, X), y, weight, level, f"{penalty}, {kind}"
    )


class Judge:
    def __init__(self, problem: Problem):
        self.problem = problem
        self.X, self.c = problem.dense, problem.c
        self.unsure = False
        self._objectives: dict = {}
        self._best: dict = {}

    def held(self, model: Any, claim: Any) -> Iterator[str]:
        parts = joint_claims(claim)
        if any(self._other_problem(part) for part in parts.values()):
            yield "the claim is about another problem"
        W = np.vstack([part.weights for part in parts.values()])
        yield from same_floats("weights", W[:, 1:], model.coef_)
        yield from same_floats("intercepts", W[:, 0], np.ravel(model.intercept_))

    def refute(self, claim: Any) -> Iterator[str]:
        yield from not_numbers(claim)
        parts = binary_parts(claim, self.problem)
        if parts is None:
            yield "these are not the parts of the problem"
            return
        if claim.parts:
            if claim.ok and not all(part.ok for part in claim.parts.values()):
                yield "ok, but a part is not"
            if claim.status not in (Status.CONVERGED, Status.SEVERAL, Status.INFINITE):
                yield from foreign_status(claim, ())
        for name, (part, rows, codes) in parts.items():
            for reason in self._refute_one(part, rows, codes):
                yield f"{name}: {reason}" if name else reason

    def _refute_one(self, claim: Any, rows: np.ndarray, codes: np.ndarray) -> Iterator[str]:
        yield from not_numbers(claim)
        yield from foreign_status(claim, ALLOWED)
        if not (claim.C > 0 and 0 <= claim.l1 < np.inf and 0 <= claim.l2 < np.inf):
            yield f"C {claim.C}, l1 {claim.l1}, l2 {claim.l2}"
            return
        if claim.relations:
            wrong = [*too_far(self.X[rows][self.c[rows] > 0], claim)]
            yield from wrong
            if wrong:
                return
        objective = self.objective(rows, codes, claim)
        shape = objective.rows, self.X.shape[1] + 1
        if claim.weights.shape != shape or not np.isfinite(claim.weights).all():
            yield f"weights of shape {claim.weights.shape}, or not finite"
            return
        theta = objective.inside(claim.weights, claim.fit_intercept)
        if not claim.fit_intercept and claim.weights[:, 0].any():
            yield "a model without intercept has a bias"
        if claim.firth:
            yield from self._refute_firth(claim, objective, theta)
            return
        here = objective.value(theta)
        if not here.is_finite():
            self.unsure = True
            return
        zero = objective.value([[arb(0)] * objective.columns for _ in range(objective.rows)])
        best = self.best(objective, theta)
        yield from compare_values(claim, here, best, zero)
        if claim.status is Status.INFINITE:
            if np.isfinite(claim.C):
                yield "INFINITE, but the penalty keeps the weights finite"
            elif self.separated(rows, codes, claim) == 0:
                yield "INFINITE, but no direction separates the classes"
        sure = claim.status is Status.CONVERGED and not np.isfinite(claim.C)
        if sure and self.separated(rows, codes, claim) > 0:
            yield "CONVERGED, but no finite weights reach the minimum"
        yield from self._refute_words(claim, rows, codes)

    def _refute_words(self, claim, rows, codes) -> Iterator[str]:
        text = getattr(claim, "separation", "")
        if text.startswith("none") and self.separated(rows, codes, claim) > 0:
            yield f"{text!r}, but the classes can be separated"

    def _other_problem(self, claim: Any) -> bool:
        params = self.problem.params
        penalty = params["penalty"]
        C = np.inf if penalty in (None, "firth") else params.get("C", 1.0)
        l1 = {"l1": 1.0, "elasticnet": params.get("l1_ratio")}.get(penalty, 0.0)
        wanted = C, l1, self.problem.params["fit_intercept"], penalty == "firth"
        return (claim.C, claim.l1, claim.fit_intercept, claim.firth) != wanted

    def objective(self, rows, codes, claim: Any) -> Objective:
        """That of the problem which the claim says it is about."""
        key = rows.tobytes(), codes.tobytes(), claim.C, claim.l1, claim.l2, claim.fit_intercept
        key += (str(claim.relations),)
        if key not in self._objectives:
            kept = self.c[rows] > 0
            classes = len(np.unique(codes))
            plain = np.isfinite(claim.C) and claim.l1 == 0.0 and claim.l2 == 0.0
            self._objectives[key] = Objective(
                self.X[rows][kept], codes[kept], self.c[rows][kept],
                rows=1 if classes == 2 else classes, intercept=claim.fit_intercept, C=claim.C,
                l1=claim.l1 if np.isfinite(claim.C) else 0.0,
                l2=1.0 if plain else (claim.l2 if np.isfinite(claim.C) else 0.0),
                exact=moved(self.X[rows][kept], claim) if claim.relations else None,
            )  # fmt: skip
        return self._objectives[key]

    def best(self, objective: Objective, theta) -> arb:
        """The least value found from the weights that were claimed first, or from 0."""
        if objective not in self._best:
            best, _ = objective.lowest(theta)
            here = objective.value(theta)
            if not here - best < arb(1e-9) * here:  # far off: from elsewhere, too
                zero = [[arb(0)] * objective.columns for _ in range(objective.rows)]
                best = min(best, objective.lowest(zero)[0], key=lambda v: v.mid())
            self._best[objective] = best
        return self._best[objective]

    def separated(self, rows, codes, claim: Any) -> int:
        kept = self.c[rows] > 0
        X, codes = moved(self.X[rows][kept], claim), codes[kept]
        classes = int(codes.max()) + 1
        one = [q(1.0)] * claim.fit_intercept
        made = []
        for x, y in zip(X, codes, strict=True):
            z = one + x
            if classes == 2:
                made.append([v if y else -v for v in z])
                continue
            for k in range(classes):
                if k != y:
                    row = [[ZERO] * len(z) for _ in range(classes)]
                    row[y], row[k] = z, [-v for v in z]
                    made.append([v for part in row for v in part])
        return separation(made) if made and made[0] else 0

    def _refute_firth(self, claim, objective: Objective, theta) -> Iterator[str]:
        A, T = arb_mat(objective.A), arb_mat(objective.A).transpose()
        p = []
        for s in objective.scores(theta):
            p.append(1 / (1 + (s[0] - s[1]).exp()))
        D = [c * a * (1 - a) for c, a in zip(objective.c, p, strict=True)]
        information = T * arb_mat([[v * h for v in a] for a, h in zip(objective.A, D, strict=True)])
        try:
            inverse = information.inv()
            logdet = information.det().log()
        except (ZeroDivisionError, ValueError):
            self.unsure = True
            return
        # det of the given columns, not of the scaled ones
        for u in objective.units:
            logdet -= 2 * u.log()
        value = -objective.losses(theta) + logdet / 2
        if not value.is_finite() or value.rad() > abs(value) * arb(1e-20) + arb(1e-20):
            self.unsure = True
            return
        leverage = [d * v for d, v in zip(D, _diagonal(A * inverse * T), strict=True)]
        pull = [
            c * (int(y) - a) + h * (arb(1) / 2 - a)
            for c, y, a, h in zip(objective.c, objective.codes, p, leverage, strict=True)
        ]
        score = T * arb_mat([[v] for v in pull])
        decrement = (score.transpose() * inverse * score)[0, 0].sqrt()
        if claim.primal is not None and np.isfinite(claim.primal):
            room = arb(1e-6) * (abs(value) + 1)
            if (abs(arb(claim.primal) - value) - room).lower() > 0:
                yield f"primal {claim.primal!r}, but the likelihood is {number(value)!r}"
        if claim.ok and decrement.lower() > arb(1e-4):
            yield f"ok, but the next step is {number(decrement)!r} standard errors long"
        step = claim.decrement
        if step is not None and np.isfinite(step) and decrement.lower() > arb(1.01 * step + 1e-12):
            yield f"decrement {step!r}, but it is {number(decrement)!r}"


def _diagonal(M: arb_mat) -> list[arb]:
    return [M[i, i] for i in range(M.nrows())]
