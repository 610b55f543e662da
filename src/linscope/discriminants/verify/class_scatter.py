"""The scatter within classes and the class means in whole numbers, without any rounding.

With S_k = Σ w (x − m_k)(x − m_k)ᵀ of class k, its weight W_k and prior π_k, and W = Σ W_k:

    Σ = Σ_k f_k S_k + diag(ridge)     f_k = (1 − s_k)/W,  or (1 − s_k) π_k/W_k for given priors
    δ_k = m_k − m̄                     m̄ = Σ π_k m_k

``s_k`` is the shrinkage. Everything is in units 2^e of each column: Σ = N / scale with whole N.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from linscope.arithmetic.rational import as_float, as_integers, dot, power_of_two
from linscope.verify.exact_gram import exact_gram

from .class_rows import ClassRows

# Where a column has no variance in a class, shrinkage="auto" adds no more than this times its mean
# square: that is endless already.
ENDLESS = Fraction(10) ** 200


class ClassSums(NamedTuple):
    """Σ w, Σ w x and Σ w x xᵀ of each class in whole numbers.

    In units 2^exponent of the columns and ``unit`` of the weights.
    """

    weight: list[int]
    first: list[np.ndarray]
    second: list[np.ndarray]
    exponent: list[int]
    unit: Fraction

    def scatter(self, k: int) -> np.ndarray:
        """W_k S_k."""
        return self.weight[k] * self.second[k] - np.multiply.outer(self.first[k], self.first[k])

    def mean(self, k: int) -> list[Fraction]:
        return [Fraction(int(v), self.weight[k]) for v in self.first[k]]


def class_sums(rows: ClassRows) -> ClassSums:
    grams = [exact_gram(engine, ones=True) for engine in rows.engines]
    exponent = np.min([[int(e) for e in gram.exponent] for gram in grams], axis=0)
    power = min(int(gram.power) for gram in grams)
    out = ClassSums([], [], [], [int(e) for e in exponent[1:]], power_of_two(power))
    for gram in grams:
        shift = np.array([int(e) for e in gram.exponent - exponent], dtype=object)
        G = gram.numbers << (shift[:, None] + shift + (int(gram.power) - power))
        out.weight.append(int(G[0, 0]))
        out.first.append(G[0, 1:])
        out.second.append(G[1:, 1:])
    return out


class Scatter(NamedTuple):
    """Σ = N / scale and δ_k (K, d) in units 2^exponent; S_W = pooled · pooled_unit.

    ``shares`` are the probabilities of the classes, ``centre`` is m̄.
    """

    N: np.ndarray
    scale: int
    delta: list[list[Fraction]]
    exponent: list[int]
    shares: list[Fraction]
    centre: list[Fraction]
    pooled: np.ndarray
    pooled_unit: Fraction

    def form(self, V: np.ndarray) -> np.ndarray:
        """VᵀΣV of columns of floats in the units of the data, rounded once."""
        return self._form(V, self.N, Fraction(1, self.scale))

    def within(self, V: np.ndarray) -> np.ndarray:
        """VᵀS_W V, rounded once."""
        return self._form(V, self.pooled, self.pooled_unit)

    def _form(self, V: np.ndarray, M: np.ndarray, unit: Fraction) -> np.ndarray:
        b, q = whole_vectors(V, self.exponent)
        return floats_of(b.T.dot(M.dot(b)), unit * power_of_two(2 * q))

    def along(self, V: np.ndarray) -> np.ndarray:
        """δ_k·v, (K, m), rounded once."""
        b, q = whole_vectors(V, self.exponent)
        below = lcm(*(v.denominator for delta in self.delta for v in delta))
        whole = np.array([[int(v * below) for v in delta] for delta in self.delta], dtype=object)
        return floats_of(whole.dot(b), power_of_two(q) / below)


def whole_vectors(V: np.ndarray, exponent: list[int]) -> tuple[np.ndarray, int]:
    """Columns of floats (d, m) in the units of the data as integers times 2^power."""
    scaled, e = as_integers(np.asarray(V, dtype=np.float64), common=True)
    low = min(exponent)
    shift = np.array([[a - low] for a in exponent], dtype=object)
    return scaled << shift, low + (e[0] if e else 0)


def floats_of(values: np.ndarray, unit: Fraction) -> np.ndarray:
    """Whole numbers or fractions times a unit, rounded once."""
    found = [[as_float((v if isinstance(v, Fraction) else int(v)) * unit) for v in row]
             for row in values]  # fmt: skip
    return np.array(found).reshape(values.shape)


def combined(discriminants: list[list[Fraction]], parts: np.ndarray) -> np.ndarray:
    """Σ_k parts_k x_k in floats."""
    share = [Fraction(float(p)) for p in parts]
    return np.array([as_float(dot(share, x)) for x in zip(*discriminants, strict=True)])


def scatter_of(
    sums: ClassSums, priors: list[Fraction] | None, shrinkage: np.ndarray, automatic: bool
) -> Scatter:
    """Σ and the differences of the means for given priors, or those of the data.

    ``shrinkage`` is that of the classes with samples, ``automatic`` whether the formula of Ledoit
    and Wolf has chosen it.
    """
    W, K = sum(sums.weight), len(sums.weight)
    given = sums.weight if priors is None else priors
    whole = sum(given, Fraction(0))  # given priors are floats, whose sum is only nearly 1
    shares = [Fraction(p) / whole for p in given]
    shares_of_ridge = [Fraction(float(s)) for s in shrinkage]
    by_class = priors is not None or automatic
    bare = [Fraction(shares[k] / sums.weight[k]) if by_class else Fraction(1, W) for k in range(K)]
    factors = [(1 - s) * f / w for s, f, w in zip(shares_of_ridge, bare, sums.weight, strict=True)]
    per_weight = [f / w for f, w in zip(bare, sums.weight, strict=True)]
    ridge = _ridge(sums, shares, shares_of_ridge, per_weight, automatic)
    scale = lcm(*(f.denominator for f in factors), *(r.denominator for r in ridge))
    matrices = [sums.scatter(k) for k in range(K)]
    N = sum(int(f * scale) * S for f, S in zip(factors, matrices, strict=True))
    N = N + np.diag(np.array([int(r * scale) for r in ridge], dtype=object))
    means = [sums.mean(k) for k in range(K)]
    d = len(sums.exponent)
    centre = [sum((shares[k] * means[k][j] for k in range(K)), Fraction(0)) for j in range(d)]
    delta = [[m - c for m, c in zip(mean, centre, strict=True)] for mean in means]
    common = lcm(*sums.weight)
    nothing = np.zeros((d, d), dtype=object)
    pooled = sum((common // w * S for w, S in zip(sums.weight, matrices, strict=True)), nothing)
    unit = sums.unit / common
    return Scatter(N, scale, delta, sums.exponent, shares, centre, pooled, unit)


def _ridge(sums: ClassSums, shares, shrinkage, factors, automatic: bool) -> list[Fraction]:
    d = len(sums.exponent)
    if not any(shrinkage):
        return [Fraction(0)] * d
    units = [power_of_two(2 * e) for e in sums.exponent]
    diagonals = [np.diag(sums.scatter(k)) for k in range(len(shares))]
    if automatic:
        ridge = [Fraction(0)] * d
        for k, w in enumerate(sums.weight):
            varies = [bool(v) for v in diagonals[k]]
            share = shares[k] * shrinkage[k] * Fraction(sum(varies), d)
            for j in range(d):
                own = Fraction(int(diagonals[k][j]), w * w)
                ridge[j] += share * (own if varies[j] else min(1 / units[j], _endless(sums, j)))
        return ridge
    mixed = [sum(f * int(v[j]) for f, v in zip(factors, diagonals, strict=True)) for j in range(d)]
    mean = sum((v * unit for v, unit in zip(mixed, units, strict=True)), Fraction(0)) / d
    ridge = [shrinkage[0] * mean / unit for unit in units]
    return [r if _square(sums, j) else min(r, Fraction(1)) for j, r in enumerate(ridge)]


def _square(sums: ClassSums, j: int) -> int:
    return sum(int(second[j, j]) for second in sums.second)


def _endless(sums: ClassSums, j: int) -> Fraction:
    square = _square(sums, j)
    return ENDLESS * Fraction(square, sum(sums.weight)) if square else Fraction(1)
