"""Support vector machines, linear and with kernels, against an interior point method in balls.

    P(f)  = ½‖w‖² + Σ C_i max(0, 1 − y_i f(x_i))^p          ‖w‖² = βᵀKβ,  f = Kβ + b
    D(α)  = Σ α − ½ αᵀQα,  Q = yyᵀ∘K (+ diag 1/2C for p = 2),  0 ≤ α (≤ C for p = 1),  Σ yα = 0

A bias that is penalised is one more feature, K + 1, without the last condition. With C = ∞ the
objective is that of f divided by its smallest margin. The dual solution gives weights whose P is a
value that can be reached: whatever claims that none is so small is false.

A kernel with a negative eigenvalue is no inner product; then no gap is true.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from flint import arb, arb_mat

from linscope.results import Status

from .exact import number
from .judging import (
    NOTHING,
    SAME,
    VACUOUS,
    compare_values,
    foreign_status,
    not_numbers,
    same_floats,
)
from .machine import Machine, definiteness, kernel_value
from .parts import binary_parts, joint_claims
from .problem import Problem

ALLOWED = (Status.CONVERGED, Status.STATIONARY)


class Judge:
    def __init__(self, problem: Problem):
        self.problem = problem
        self.linear = problem.estimator == "LinearSVC"
        self.X, self.c = problem.dense, problem.c
        self.kernel = "linear" if self.linear else problem.params["kernel"]
        self.unsure = False
        self._made: dict = {}
        self._gamma: float | None = None

    def held(self, model: Any, claim: Any) -> Iterator[str]:
        parts = joint_claims(claim)
        if any(self._other_problem(part) for part in [claim, *parts.values()]):
            yield "the claim is about another problem"
        if self.linear:
            W = np.vstack([part.weights for part in parts.values()])
            yield from same_floats("weights", W[:, 1:], model.coef_)
            yield from same_floats("intercepts", W[:, 0], np.ravel(model.intercept_))
            return
        bias = [part.bias for part in parts.values()]
        if len(bias) == np.size(model.intercept_):  # pairs may count the other class as positive
            yield from same_floats("intercepts", np.abs(bias), np.abs(np.ravel(model.intercept_)))
        weights = [part.weights for part in parts.values() if part.weights is not None]
        if weights and len(weights) == len(model.coef_):
            yield from same_floats("weights", np.abs(weights), np.abs(model.coef_))
        if not claim.parts:
            kept = np.flatnonzero(self.c > 0)
            sign = np.where(self.problem.y == claim.classes[1], 1.0, -1.0)[kept]
            held = np.zeros(len(self.c))
            held[model.support_] = np.ravel(model.dual_coef_)
            yield from same_floats("dual coefficients", sign * claim.alpha, held[kept])

    def refute(self, claim: Any) -> Iterator[str]:
        yield from not_numbers(claim)
        parts = binary_parts(claim, self.problem)
        if parts is None:
            yield "these are not the parts of the problem"
            return
        if claim.parts:
            yield from foreign_status(claim, (*ALLOWED, Status.SEVERAL))
            if claim.ok and not all(part.ok for part in claim.parts.values()):
                yield "ok, but a part is not"
            if any(part.C != claim.C for part in claim.parts.values()):
                yield "the parts are about another C"
        for name, (part, rows, codes) in parts.items():
            for reason in self._refute_one(part, rows, codes):
                yield f"{name}: {reason}" if name else reason

    def _refute_one(self, claim: Any, rows: np.ndarray, codes: np.ndarray) -> Iterator[str]:
        yield from not_numbers(claim)
        yield from foreign_status(claim, ALLOWED)
        if not claim.C > 0:
            yield f"C {claim.C}"
            return
        rows, codes = rows[self.c[rows] > 0], codes[self.c[rows] > 0]
        self._gamma = None if self.linear else claim.parameters.get("gamma")
        machine = self.machine(rows, codes, claim)
        if self.linear:
            values = self._linear_values(claim, machine, rows)
        else:
            values = self._kernel_values(claim, machine, rows)
        if isinstance(values, str):
            yield values
            return
        norm2, scores, products = values
        zero = sum(machine.C, arb(0)) if machine.C is not None else arb("inf")
        yield from self._refute_objective(claim, machine, rows, norm2, scores, zero)
        if not self.linear and claim.weights is not None:  # the same model by its coefficients
            norm2, scores, _ = self._kernel_values(replace(claim, weights=None), machine, rows)
            yield from self._refute_primal(
                replace(claim, rounding=claim.spread), machine.value(norm2, scores)
            )
        if not self.linear:
            yield from self._refute_kkt(claim, machine, products)

    def _refute_objective(self, claim, machine, rows, norm2, scores, zero) -> Iterator[str]:
        if not all(f.is_finite() for f in scores):
            self.unsure = True
            return
        kind = self._definite(machine)
        negative = None if self.linear else self._negative_energy(claim, machine)
        if negative is False:
            yield "the vector of negative energy has none"
        if kind == "indefinite" or negative:
            yield from self._refute_indefinite(claim, machine.value(norm2, scores))
            return
        if claim.status is Status.STATIONARY:
            yield "STATIONARY, but the kernel is an inner product"
        if kind == "unsure":  # the claim is about a kernel with more on its diagonal
            raised = self._raised(claim, machine)
            if raised is None:
                self.unsure = True
                return
            yield from self._refute_primal(claim, machine.value(norm2, scores))
            claim = replace(claim, primal=None)
            more = [arb(claim.ridge) * a for a in claim.alpha.tolist()]
            scores = [f + y * m for f, y, m in zip(scores, machine.y, more, strict=True)]
            norm2 = norm2 + sum((m * a for m, a in zip(more, claim.alpha.tolist(), strict=True)))
            machine = raised
        here = machine.value(norm2, scores)
        if here is None:
            if claim.ok:
                yield "ok without slack, but a sample has no margin"
            return
        best = self._best(machine, rows)
        if best is None:  # no better weights are known than these
            self.unsure = True
            best = here
        asked = max(VACUOUS, self.problem.params.get("tol", 0.0))
        yield from compare_values(claim, here, best, zero, asked)

    def _refute_indefinite(self, claim, here) -> Iterator[str]:
        if claim.gap is not None and np.isfinite(claim.gap):
            yield "a gap, but the kernel has a negative eigenvalue"
        if claim.status is Status.CONVERGED:
            yield "CONVERGED, but the kernel has a negative eigenvalue"
        yield from self._refute_primal(claim, here)

    def _refute_primal(self, claim, here) -> Iterator[str]:
        """The objective is claimed within its stated rounding."""
        if here is not None and claim.primal is not None and np.isfinite(claim.primal):
            room = arb(SAME) * (abs(here) + abs(arb(claim.primal))) + arb(float(claim.rounding))
            if (abs(arb(claim.primal) - here) - room).lower() > arb(NOTHING):
                yield f"primal {claim.primal!r}, but the objective is {number(here)!r}"
        elif claim.primal is not None and claim.ok:
            yield f"ok with an objective of {claim.primal}"

    def _negative_energy(self, claim, machine: Machine) -> bool | None:
        """Whether the vector that is claimed to show it has negative energy; None without one."""
        if claim.witness is None:
            return None
        places, v = (np.asarray(part) for part in claim.witness)
        v = [arb(float(a)) for a in v]
        energy = sum(
            (a * b * machine.K[i][j] for i, a in zip(places, v, strict=True)
             for j, b in zip(places, v, strict=True)), arb(0)
        )  # fmt: skip
        return bool(energy < 0)

    def _raised(self, claim, machine: Machine) -> Machine | None:
        """The problem with the claimed ridge on the diagonal, if that is an inner product."""
        if self.linear or claim.weights is not None or not 0.0 < (claim.ridge or 0.0) < np.inf:
            return None
        K = [list(row) for row in machine.K]
        for i in range(len(K)):
            K[i][i] = K[i][i] + arb(float(claim.ridge))
        return machine._replace(K=K) if definiteness(K) == "definite" else None

    def _best(self, machine: Machine, rows) -> arb | None:
        prices = "" if machine.C is None else ",".join(str(c) for c in machine.C)
        first = str(machine.K[0][0]) if machine.K else ""  # tells a ridge
        key = (self._gamma, machine.squared, machine.bias, tuple(machine.y), rows.tobytes(),
               prices, first)  # fmt: skip
        if key not in self._made:
            self._made[key], sure = machine.best()
            self.unsure |= not sure
        return self._made[key]

    def _other_problem(self, claim: Any) -> bool:
        params = self.problem.params
        if float(params.get("C", 1.0)) != claim.C:
            return True
        if not self.linear:
            return claim.kernel != self.kernel
        wanted = params["loss"] == "squared_hinge", params["fit_intercept"]
        if (claim.squared, claim.fit_intercept) != wanted:
            return True
        return claim.penalize_intercept != params["penalize_intercept"]

    def machine(self, rows: np.ndarray, codes: np.ndarray, claim: Any) -> Machine:
        """The problem that the claim says it is about."""
        y = [1 if code else -1 for code in codes]
        C = None if np.isinf(claim.C) else [self._price(claim.C, v) for v in self.c[rows]]
        bias, squared = "free", False
        if self.linear:
            squared = claim.squared
            if not claim.fit_intercept:
                bias = "none"
            elif claim.penalize_intercept:
                bias = "penalised"
        key = rows.tobytes(), self._gamma
        if key not in self._made:
            self._made[key] = self._gram(rows)
        return Machine(self._made[key], y, C, squared, bias)

    def _price(self, C: float, c: float) -> arb:
        """C·c; with a kernel it is the float which bounds the dual coefficient that is held."""
        return arb(float(C)) * arb(float(c)) if self.linear else arb(float(C) * float(c))

    def _gram(self, rows: np.ndarray) -> list[list[arb]]:
        if self.kernel == "precomputed":
            return [[arb(float(self.X[i, j])) for j in rows] for i in rows]
        X = [[arb(float(v)) for v in self.X[i]] for i in rows]
        n = len(X)
        params = self.problem.params
        given = {"gamma": self._gamma, "coef0": params.get("coef0", 0.0),
                 "degree": params.get("degree", 3)}  # fmt: skip
        K: list[list] = [[None] * n for _ in range(n)]
        for i in range(n):
            for j in range(i + 1):
                K[i][j] = K[j][i] = kernel_value(self.kernel, X[i], X[j], **given)
        return K

    def _linear_values(self, claim, machine: Machine, rows, w=None):
        w = claim.weights if w is None else w
        if w.shape != (self.X.shape[1] + 1,) or not np.isfinite(w).all():
            return f"weights of shape {w.shape}, or not finite"
        if machine.bias == "none" and w[0]:
            return "a model without intercept has a bias"
        v = [arb(float(a)) for a in w]
        norm2 = sum((a * a for a in (v if machine.bias == "penalised" else v[1:])), arb(0))
        scores = [v[0] + sum((arb(float(x)) * a for x, a in zip(self.X[i], v[1:], strict=True)),
                             arb(0)) for i in rows]  # fmt: skip
        return norm2, scores, None

    def _kernel_values(self, claim, machine: Machine, rows):
        alpha = np.asarray(claim.alpha, np.float64)
        if alpha.shape != (len(rows),) or not np.isfinite(alpha).all():
            return f"coefficients of shape {alpha.shape}, or not finite"
        if not np.isfinite(claim.bias):
            return "the bias is not finite"
        if claim.weights is not None:  # a linear kernel: coef_ is what the model predicts with
            w = np.concatenate([[claim.bias], claim.weights])
            found = self._linear_values(claim, machine, rows, w)
            if isinstance(found, str):
                return found
            norm2, scores, _ = found
            return norm2, scores, [f - arb(float(claim.bias)) for f in scores]
        beta = [arb(float(a)) * y for a, y in zip(alpha, machine.y, strict=True)]
        products = (arb_mat(machine.K) * arb_mat([[b] for b in beta])).entries()
        norm2 = sum((b * s for b, s in zip(beta, products, strict=True)), arb(0))
        return norm2, [s + arb(float(claim.bias)) for s in products], products

    def _refute_kkt(self, claim, machine: Machine, products) -> Iterator[str]:
        if claim.kkt is None or not np.isfinite(claim.kkt):
            return
        slopes = [s - y for s, y in zip(products, machine.y, strict=True)]
        grow, shrink = [], []
        for i, (g, a, y) in enumerate(zip(slopes, claim.alpha, machine.y, strict=True)):
            top = machine.C[i] if machine.C is not None else arb("inf")
            with np.errstate(over="ignore"):
                at_top = machine.C is not None and a == np.float32(float(top)) and a > 0
            below, above = arb(float(a)) < top * arb(1 - 1e-12) and not at_top, a > 0
            (grow if (below if y > 0 else above) else []).append(g)
            (shrink if (above if y > 0 else below) else []).append(g)
        if not grow or not shrink:
            return
        true = max(shrink, key=lambda v: v.mid()) - min(grow, key=lambda v: v.mid())
        if (true - arb(1.01 * claim.kkt + 1e-9)).lower() > 0:
            yield f"KKT violation {claim.kkt!r}, but it is {number(true)!r}"

    def _definite(self, machine: Machine) -> str:
        if self.linear or self.kernel in ("rbf", "linear"):
            return "definite"
        if self.kernel == "poly" and self.problem.params.get("coef0", 0.0) >= 0:
            return "definite"
        return definiteness(machine.K)
