"""More columns than rows, in whole numbers: discriminants by what they say of the rows.

B (r, d) holds the differences of the rows of each class to the first of them, which are independent
(``few_rows``). With weights w of these rows, w_0 of the first, W_k of the class, and f_k as in
``class_scatter``, all block by block,

    Σ = BᵀMB      M = f_k (diag w − wwᵀ/W_k)      M⁻¹ = (diag 1/w + 11ᵀ/w_0) / f_k

The part of δ_k in the range of Σ, measured by the spreads D² = diag Σ (``discriminants``), is

    T_k = Bᵀβ_k,  Gβ_k = BD⁻²δ_k,  G = BD⁻²Bᵀ        Σ x_k = T_k  where  y_k = Bx_k = M⁻¹β_k

so that ‖w − x_k‖_Σ = ‖Bw − y_k‖_M. D⁻² is rounded to s = (1 ± ε) D⁻², which moves β_k by
ε‖δ_k‖_s (1 + ε) in the norm of G. The shortest x_k is D⁻²Bᵀα_k with Gα_k = y_k.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import lcm, sqrt
from typing import NamedTuple

import numpy as np

from linscope.arithmetic.rational import as_float, as_integers, dot, magnitude, power_of_two
from linscope.verify.definite import Solution, solve

from .class_rows import ClassRows
from .class_scatter import combined, floats_of, whole_vectors

# Products of long numbers, r²d, that take about a tenth of a second.
MOST_PRODUCTS = 300_000
# Bits of s, and of y.
BITS = 160
# Terms of the sums that tell whether δ has no part in the range of Σ.
MOST_TERMS = 400


class Block(NamedTuple):
    """Of one class: its places in B, its weights but the first, the first, their sum, and f."""

    place: slice
    w: np.ndarray
    first: int
    total: int
    f: Fraction


class RowSpaceModel:
    """A ``discriminant_models.Model`` of independent rows, with proven bounds."""

    separated = True
    dependent: list[int] | None = None

    @classmethod
    def build(cls, rows: ClassRows, priors: np.ndarray, given: bool, rank: int):
        """None if it takes too long or G is too near to a singular matrix."""
        d = rows.n_features
        if rank * rank * d > MOST_PRODUCTS:
            return None
        model = cls()
        model._read(rows, priors if given else None)
        if len(model.B) != rank or not model._solve():
            return None
        return model

    def _read(self, rows: ClassRows, priors: np.ndarray | None) -> None:
        parts, given_weights = zip(*rows.tables(), strict=True)
        blocks = [np.unique(part + 0.0, axis=0, return_inverse=True) for part in parts]
        numbers, self.exponent = as_integers(np.vstack([table for table, _ in blocks]))
        whole, power = as_integers(np.concatenate(given_weights)[:, None])
        self.unit = power_of_two(power[0])
        weights = np.split(whole[:, 0], np.cumsum([len(w) for w in given_weights])[:-1])
        tables = np.split(numbers, np.cumsum([len(table) for table, _ in blocks])[:-1])
        own = [_summed(w, which.ravel()) for w, (_, which) in zip(weights, blocks, strict=True)]
        totals = [sum(w) for w in own]
        given = [Fraction(float(p)) for p in priors] if priors is not None else totals
        shares = [Fraction(p) / sum(given) for p in given]
        self.blocks: list[Block] = []
        at = 0
        for w, total, share in zip(own, totals, shares, strict=True):
            place = slice(at, at + len(w) - 1)
            self.blocks.append(
                Block(place, np.array(w[1:], dtype=object), w[0], total, share / total)
            )
            at = place.stop
        self.B = np.vstack([table[1:] - table[0] for table in tables])
        self.rank = len(self.B)
        self._means(tables, own, totals, shares)
        scale = lcm(*((b.f / b.total).denominator for b in self.blocks))
        self.D = sum((int(b.f / b.total * scale) * self._squares(b) for b in self.blocks),
                     np.zeros(self.B.shape[1], dtype=object))  # fmt: skip
        self.constant = [j for j, v in enumerate(self.D) if not v]
        root = [sqrt(as_float(Fraction(int(v), scale))) for v in self.D]
        self.spread = np.ldexp(root, np.array(self.exponent))

    def _means(self, tables, own, totals, shares) -> None:
        """δ_k = delta_k / below and m̄ = centre, in units of the columns."""
        firsts = [
            np.array(w, dtype=object).dot(table) for w, table in zip(own, tables, strict=True)
        ]
        means = [
            [Fraction(int(v), W) for v in first] for first, W in zip(firsts, totals, strict=True)
        ]
        self.centre_of = [dot(shares, column) for column in zip(*means, strict=True)]
        self.below = lcm(*(s.denominator for s in shares), *totals)
        apart = [[v - c for v, c in zip(m, self.centre_of, strict=True)] for m in means]
        self.below = lcm(self.below, *(v.denominator for row in apart for v in row))
        self.delta = np.array([[int(v * self.below) for v in row] for row in apart], dtype=object)

    def _squares(self, b: Block) -> np.ndarray:
        """W_k Σ w (x − m_k)² of each column."""
        z = self.B[b.place]
        wz = b.w[:, None] * z
        return b.total * (wz * z).sum(axis=0) - wz.sum(axis=0) ** 2

    def _solve(self) -> bool:
        longest = max(int(v).bit_length() for v in self.D)
        self.s = np.array([(1 << (longest + BITS)) // int(v) if v else 0 for v in self.D],
                          dtype=object)  # fmt: skip
        self.G = (self.B * self.s).dot(self.B.T)
        found = solve(self.G, self.B.dot((self.delta * self.s).T))
        if found is None or not np.isfinite(found.distance).all():
            return False
        beta = [[Fraction(int(v), self.below << found.point) for v in column]
                for column in found.numbers.T]  # fmt: skip
        y = [self._inverse(b) for b in beta]
        tops = [max(map(abs, column)) for column in y]
        self.point = 2 * BITS + max(0, *(-magnitude(top) for top in tops if top), 0)
        whole = [[int(v * (1 << self.point)) for v in column] for column in y]
        self.y = np.array(whole, dtype=object).T
        self.doubt = [self._doubt(found, k) for k in range(len(y))]
        for k, far in enumerate(self.doubt):
            if self._norm(self.y[:, [k]], -self.point) <= 2 * far and self._no_part(k):
                self.y[:, k], self.doubt[k] = 0, 0.0
        self.heights = self._floats(self.y, self.y, -2 * self.point)
        return True

    def _inverse(self, beta: list[Fraction]) -> list[Fraction]:
        """M⁻¹β."""
        out: list[Fraction] = []
        for b in self.blocks:
            own = beta[b.place]
            common = sum(own, Fraction(0)) / b.first
            out += [(v / w + common) / b.f for v, w in zip(own, b.w, strict=True)]
        return out

    def _doubt(self, found: Solution, k: int) -> float:
        """‖y_k − y_k*‖_M = ‖β_k − β_k*‖ in the norm of M⁻¹, and what rounding y has changed.

        ‖2^f (β − β*)‖ is known, to which the rounding of s adds 2ε‖δ‖_s / √λ_min.
        """
        far = Fraction(float(found.distance[k])) * power_of_two(int(found.scale[k])) / self.below
        length = Fraction(int((self.s * self.delta[k] ** 2).sum()), self.below**2)
        moved = 4 * length / Fraction(found.least) * power_of_two(-2 * BITS)
        diagonal = [(Fraction(1, int(w)) + Fraction(1, int(b.first))) / b.f
                    for b in self.blocks for w in b.w]  # fmt: skip
        trace = self.rank * max(v * power_of_two(-2 * int(f))
                                for v, f in zip(diagonal, found.f, strict=True))  # fmt: skip
        rounded = self.rank * power_of_two(-2 * self.point)  # as M has no eigenvalue above 1
        return sqrt(as_float(3 * (trace * (far * far + moved) + rounded))) * (1 + 1e-9)

    def _no_part(self, k: int) -> bool:
        """Whether BD⁻²δ_k = 0 without any doubt."""
        if self.B.size > MOST_TERMS:
            return False
        D, delta = self.D.tolist(), self.delta[k].tolist()
        terms = ([Fraction(b * v, w) for b, v, w in zip(row, delta, D, strict=True) if w]
                 for row in self.B.tolist())  # fmt: skip
        return not any(sum(row, Fraction(0)) for row in terms)

    def _form(self, U: np.ndarray, V: np.ndarray, factors: list[Fraction]) -> np.ndarray:
        """UᵀMV of whole numbers (r, m), with ``factors`` in place of f_k / W_k."""
        out = np.full((U.shape[1], V.shape[1]), Fraction(0), dtype=object)
        for b, factor in zip(self.blocks, factors, strict=True):
            if not len(b.w):
                continue
            wU, v = b.w[:, None] * U[b.place], V[b.place]
            cross = np.multiply.outer(wU.sum(axis=0), (b.w[:, None] * v).sum(axis=0))
            out = out + (b.total * wU.T.dot(v) - cross) * factor
        return out

    def _floats(self, U: np.ndarray, V: np.ndarray, power: int) -> np.ndarray:
        found = self._form(U, V, [b.f / b.total for b in self.blocks])
        return floats_of(found, power_of_two(power))

    def _norm(self, u: np.ndarray, power: int) -> float:
        return sqrt(max(float(self._floats(u, u, 2 * power)[0, 0]), 0.0))

    def _apart(self, v: np.ndarray, y: np.ndarray, bits: int) -> float:
        """‖Bv − 2^−bits y‖_M."""
        b, power = whole_vectors(np.asarray(v, dtype=np.float64)[:, None], self.exponent)
        low = min(power, -bits)
        apart = (self.B.dot(b[:, 0]) << (power - low)) - (y << (-bits - low))
        return self._norm(apart[:, None], low)

    def error(self, w, k, base=None) -> float:
        y, doubt = self.y[:, k], self.doubt[k]
        if base is not None:
            y, doubt = y - self.y[:, base], doubt + self.doubt[base]
        return (self._apart(w, y, self.point) + doubt) * (1 + 1e-12)

    def form(self, V) -> np.ndarray:
        b, power = whole_vectors(V, self.exponent)
        u = self.B.dot(b)
        return self._floats(u, u, 2 * power)

    def within(self, w) -> float:
        b, power = whole_vectors(w[:, None], self.exponent)
        u = self.B.dot(b)
        found = self._form(u, u, [Fraction(1, b.total) for b in self.blocks])[0, 0]
        return as_float(found * self.unit * power_of_two(2 * power))

    def along(self, V) -> np.ndarray:
        b, power = whole_vectors(V, self.exponent)
        return floats_of(self.delta.dot(b), power_of_two(power) / self.below)

    def centre(self, w) -> tuple[float, float]:
        b, power = whole_vectors(np.asarray(w, dtype=np.float64)[:, None], self.exponent)
        value = as_float(dot(b[:, 0].tolist(), self.centre_of) * power_of_two(power))
        return value, 2.0**-53 * abs(value)

    def defect(self, v, parts, value) -> float:
        whole, e = as_integers(np.append(parts, value)[:, None])
        y = self.y.dot(whole[:-1, 0])
        b, power = whole_vectors(v[:, None], self.exponent)
        held = self.B.dot(b[:, 0]) * whole[-1, 0]
        low = min(power, -self.point)
        apart = (y << (-self.point - low)) - (held << (power - low))
        return self._norm(apart[:, None], low + e[0])

    @cached_property
    def discriminants(self) -> list[list[Fraction]]:
        """The shortest x_k (K, d) in the units of the data, nearly."""
        found = solve(self.G, self.y)
        assert found is not None  # as it was in ``build``
        x = (found.numbers.T.dot(self.B)) * self.s
        unit = [power_of_two(-found.point - self.point - e) for e in self.exponent]
        return [[int(v) * u for v, u in zip(row, unit, strict=True)] for row in x]

    def combined(self, parts: np.ndarray) -> np.ndarray:
        return combined(self.discriminants, parts)


def _summed(w: np.ndarray, which: np.ndarray) -> list[int]:
    """Weights of equal rows, added."""
    out = [0] * (int(which.max()) + 1)
    for value, i in zip(w.tolist(), which.tolist(), strict=True):
        out[i] += value
    return out
