"""What a check of discriminants needs to know, in whole numbers or in floats with bounds.

x_k* solves Σ x_k = δ_k (``discriminants``). For any other w the distance in the norm of Σ follows
from its residual ρ = δ_k − Σ w:

    ‖w − x_k*‖²_Σ = ρᵀ Σ⁻¹ ρ ≤ ‖ρ‖² / λ_min(Σ)

Floats do for well-conditioned tables; columns are then measured by their spreads.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import fsum, ldexp, sqrt
from typing import Any, Protocol

import numpy as np

from linscope.arithmetic.enclosures import dense, gamma
from linscope.arithmetic.rational import as_float, dot, power_of_two
from linscope.rows.blocks import Block

from .class_columns import class_moments
from .class_rows import ClassRows
from .class_scatter import Scatter, class_sums, combined, scatter_of
from .discriminants import Optimum, forms, in_units, optimum

ROWS = 1024
UNIT = 2.0**-53
# Least eigenvalue of the correlations for which floats do.
LEAST = 1e-8


class Model(Protocol):
    """Σ and the x_k* of the classes that have samples; vectors are in the units of the data."""

    rank: int
    constant: list[int]
    dependent: list[int] | None  # None if they were not looked for
    separated: bool
    heights: np.ndarray  # x_k*ᵀ Σ x_l*
    spread: np.ndarray  # of each column within classes, with any ridge

    def error(self, w: np.ndarray, k: int, base: int | None = None) -> float:
        """A bound of ‖w − x_k*‖_Σ, or with a base of ‖w − (x_k* − x_base*)‖_Σ."""

    def form(self, V: np.ndarray) -> np.ndarray:
        """VᵀΣV."""

    def within(self, w: np.ndarray) -> float:
        """wᵀ S_W w."""

    def along(self, V: np.ndarray) -> np.ndarray:
        """δ_k·v, (K, m)."""

    def centre(self, w: np.ndarray) -> tuple[float, float]:
        """w·m̄ and a bound of its error."""

    def defect(self, v: np.ndarray, parts: np.ndarray, value: float) -> float:
        """‖Σ_k parts_k x_k* − value·v‖_Σ."""


class ExactModel:
    """All of it without rounding."""

    @classmethod
    def build(cls, rows: ClassRows, priors, given: bool, shrinkage: np.ndarray, automatic: bool):
        """None if the rank cannot be proven; ``given``: the priors are not counted."""
        shares = [Fraction(float(p)) for p in priors] if given else None
        scatter = scatter_of(class_sums(rows), shares, shrinkage, automatic)
        most = rows.n_features if shrinkage.any() else rows.n_rows - len(rows.labels)
        found = optimum(scatter, most)
        return None if found is None else cls(scatter, found)

    def __init__(self, scatter: Scatter, found: Optimum):
        self.scatter, self.found = scatter, found
        self.rank, self.constant, self.separated = found.rank, found.constant, found.separated
        left = {*found.kept, *found.constant}
        self.dependent: list[int] | None = [
            j for j in range(len(scatter.exponent)) if j not in left
        ]
        self.heights = forms(scatter, found.x, found.x)
        diagonal = [Fraction(int(v), scatter.scale) for v in np.diag(scatter.N)]
        self.spread = np.array([*map(_root, diagonal, scatter.exponent)])

    def error(self, w, k, base=None) -> float:
        x, doubt = self.found.x[k], self.found.doubt[k]
        if base is not None:
            x = [a - b for a, b in zip(x, self.found.x[base], strict=True)]
            doubt += self.found.doubt[base]
        held = in_units(w, self.scatter.exponent)
        apart = [a - b for a, b in zip(held, x, strict=True)]
        square = float(forms(self.scatter, [apart], [apart])[0, 0])
        return (sqrt(max(square, 0.0)) + doubt) * (1 + 1e-12)

    def form(self, V) -> np.ndarray:
        return self.scatter.form(V)

    def within(self, w) -> float:
        return float(self.scatter.within(w[:, None])[0, 0])

    def along(self, V) -> np.ndarray:
        return self.scatter.along(V)

    @cached_property
    def discriminants(self) -> list[list[Fraction]]:
        """x_k* in the units of the data."""
        unit = [power_of_two(-e) for e in self.scatter.exponent]
        return [[v * u for v, u in zip(x, unit, strict=True)] for x in self.found.x]

    def combined(self, parts: np.ndarray) -> np.ndarray:
        return combined(self.discriminants, parts)

    def centre(self, w) -> tuple[float, float]:
        found = as_float(dot(in_units(w, self.scatter.exponent), self.scatter.centre))
        return found, UNIT * abs(found)

    def defect(self, v, parts, value) -> float:
        unit = float(value) or 1.0  # so that squares stay in the range of floats
        share = [Fraction(float(p)) / Fraction(unit) for p in parts]
        held = in_units(v, self.scatter.exponent)
        q = [
            sum((s * x[j] for s, x in zip(share, self.found.x, strict=True)), Fraction(0))
            - (held[j] if value else 0)
            for j in range(len(held))
        ]
        return unit * sqrt(max(float(forms(self.scatter, [q], [q])[0, 0]), 0.0))


def _root(variance: Fraction, exponent: int) -> float:
    """√variance · 2^exponent; the variance may be beyond the range of floats."""
    about = (variance.numerator.bit_length() - variance.denominator.bit_length()) // 2
    return ldexp(sqrt(as_float(variance * power_of_two(-2 * about))), exponent + about)


def _gram(block: Block, origin, offset, unit) -> np.ndarray:
    """Σ w z zᵀ with z = (x − mean)/unit, some rows at a time."""
    out = np.zeros((len(unit), len(unit)))
    for first in range(0, block.X.shape[0], ROWS):
        rows = slice(first, first + ROWS)
        z = ((dense(block.X[rows]) - origin) - offset) / unit
        if block.weighted:
            z *= np.sqrt(block.weight[rows])[:, None]
        out += z.T @ z
    return out


class FloatModel:
    """In floats: C = D⁻¹ΣD⁻¹ is known up to ``lost`` in each entry, λ_min(C) ≥ ``least`` > 0.

    ``None`` from ``build`` if that is not so.
    """

    rank: int
    constant: list[int] = []  # noqa: RUF012 (never changed)
    dependent: list[int] | None = []  # noqa: RUF012
    separated = False

    @classmethod
    def build(cls, rows: ClassRows, shares: np.ndarray, shrinkage: np.ndarray, claim: Any):
        if claim.automatic or shrinkage.any():
            return None
        model = cls()
        return model if model._measure(rows, shares, claim) else None

    def _measure(self, rows: ClassRows, shares: np.ndarray, claim: Any) -> bool:
        about = [class_moments(rows, k) for k in range(len(rows.labels))]
        d, W = rows.n_features, fsum(rows.totals.tolist())
        factors = shares / rows.totals if claim.given_priors else np.full(len(shares), 1.0 / W)
        origin = np.array([m.origin for m in about])
        offset = np.array([m.offset.mid for m in about])
        rough = np.sqrt(sum(f * t * m.variance.mid for f, t, m in
                            zip(factors, rows.totals, about, strict=True)))  # fmt: skip
        fine = np.isfinite(rough).all() and (rough > 1e-100).all() and (rough < 1e100).all()
        if not fine or d == 0:
            return False
        self.unit = np.ldexp(1.0, np.frexp(rough)[1])
        S, T, path = np.zeros((d, d)), np.zeros((d, d)), 8
        for k, engine in enumerate(rows.engines):
            gram = engine.fold(_gram, origin[k], offset[k], self.unit)
            S += factors[k] * gram
            T += gram
            path += 1 + max(engine.sizes) // ROWS + len(engine.sizes)
        self.spread = np.sqrt(np.diag(S))
        self.C = S / np.outer(self.spread, self.spread)
        self.pooled = T
        self.lost = gamma(path + ROWS + 16) * 4
        least = 0.5 * float(np.linalg.eigvalsh(self.C)[0])
        try:
            np.linalg.cholesky(self.C - least * np.eye(d))
        except np.linalg.LinAlgError:
            return False
        self.least = least - d * (self.lost + gamma(d + 4))
        if not self.least > LEAST:
            return False
        self.rank, self.spread = d, self.spread * self.unit
        self._means(about, origin, offset, shares)
        return bool(np.isfinite(self.heights).all())

    def _means(self, about, origin, offset, shares) -> None:
        base = origin[0]
        means = (origin - base) + offset
        centre = shares @ means
        self.delta = means - centre
        step = np.array([m.offset.rad for m in about]) + 4 * UNIT * (np.abs(origin - base) + 1e-300)
        self.doubt = (step + shares @ step + 8 * UNIT * np.abs(self.delta)) / self.spread
        self.base, self.shift = base, centre
        self.doubt_centre = shares @ step + 4 * UNIT * np.abs(centre)
        std = self.delta / self.spread
        self.x = np.linalg.solve(self.C, std.T).T
        self.heights = self.x @ self.C @ self.x.T

    def _size(self, w: np.ndarray) -> float:
        d = len(w)
        return d * (self.lost + gamma(d + 4)) * float(np.linalg.norm(w))

    def error(self, w, k, base=None) -> float:
        w = np.asarray(w, dtype=np.float64) * self.spread
        target, doubt = self.delta[k] / self.spread, self.doubt[k]
        if base is not None:
            target, doubt = target - self.delta[base] / self.spread, doubt + self.doubt[base]
        rho = float(np.linalg.norm(target - self.C @ w))
        left = rho + self._size(w) + float(np.linalg.norm(doubt))
        return left / sqrt(self.least) * (1 + 1e-9)

    def form(self, V) -> np.ndarray:
        V = V * self.spread[:, None]
        return V.T @ self.C @ V

    def within(self, w) -> float:
        w = w * self.unit
        return float(w @ self.pooled @ w)

    def along(self, V) -> np.ndarray:
        return self.delta @ V

    def centre(self, w) -> tuple[float, float]:
        w = np.asarray(w, dtype=np.float64)
        terms = np.concatenate([w * self.base, w * self.shift])
        far = np.abs(w) @ self.doubt_centre + 4 * UNIT * np.abs(terms).sum()
        return fsum(terms.tolist()), float(far)

    def defect(self, v, parts, value) -> float:
        q = parts @ self.x - value * (v * self.spread)
        return sqrt(max(float(q @ self.C @ q), 0.0))
