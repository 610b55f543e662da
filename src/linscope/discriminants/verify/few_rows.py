"""More columns than rows: the scatter within classes is singular, whatever the values.

With r different rows in K classes, Σ has rank r − K at most. If the rows about their common mean
have a higher rank, the class means differ along a direction in which no class varies. Ranks modulo
a prime are never too high, so both are facts. The discriminants themselves are worked out in
floats: with the singular values of the standardised rows about their class means, Z = U S Vᵀ,

    x_k = V S⁻² Vᵀ δ_k
"""

from __future__ import annotations

from math import fsum
from typing import NamedTuple

import numpy as np

from linscope.arithmetic.enclosures import dense
from linscope.arithmetic.modular import largest_minor
from linscope.arithmetic.rational import as_integers
from linscope.rows.blocks import Block

from .class_columns import class_moments
from .class_rows import ClassRows

# Singular values below this, relative to the largest, are rounding.
NOTHING = 1e-10


def few(rows: ClassRows) -> bool:
    """Whether there are fewer different rows than it takes for a scatter of full rank.

    >>> from linscope.engines import choose
    >>> rows = choose([[1.0, 2.0], [3.0, 5.0], [1.0, 2.0]])
    >>> few(ClassRows(["a"], np.array([0]), [rows], np.array([3.0])))
    True
    """
    most = rows.n_features + len(rows.labels)
    if rows.n_rows < most:
        return True
    found = (engine.fold(_distinct, most) for engine in rows.engines)
    return sum(len(each.rows) for each in found) < most


class Distinct(NamedTuple):
    """Different rows, sorted; ``most`` of them at most."""

    rows: np.ndarray
    most: int

    def plus(self, other: Distinct) -> Distinct:
        rows = np.unique(np.vstack([self.rows, other.rows]), axis=0)
        return Distinct(rows[: self.most], self.most)


def _distinct(block: Block, most: int) -> Distinct:
    return Distinct(np.unique(dense(block.X), axis=0)[:most], most)


def ranks(rows: ClassRows) -> tuple[int, int, bool]:
    """Ranks of the scatter within classes and of that of all rows, and whether the first is proven.

    The second may be too low, never too high.
    """
    parts = [engine.fold(_distinct, rows.n_rows).rows for engine in rows.engines]
    table = np.vstack(parts)
    codes = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    one_hot = (codes[:, None] == np.arange(len(parts))).astype(object)
    one = np.ones((len(table), 1), dtype=object)
    most = min(len(table) - len(parts), table.shape[1])
    for columns in (4 * len(table), table.shape[1]):  # some columns are enough, as a rule
        numbers = as_integers(table[:, :columns])[0]
        within = len(largest_minor(np.hstack([one_hot, numbers]).T).rows) - len(parts)
        whole = len(largest_minor(np.hstack([one, numbers]).T).rows) - 1
        if within == most and whole > within:
            break
    return within, whole, within == most


class FewRowsModel:
    """A ``discriminant_models.Model`` in floats, without proven bounds.

    Singular values below ``nothing``, relative to the largest, are left out.
    """

    separated = True
    dependent: list[int] | None = None

    def __init__(self, rows, priors: np.ndarray, given: bool, rank: int, nothing: float = NOTHING):
        self.rank: int = rank
        W = fsum(rows.totals.tolist())
        factors = priors / rows.totals if given else np.full(len(priors), 1.0 / W)
        about = [class_moments(rows, k) for k in range(len(rows.labels))]
        means = np.array([m.origin for m in about])
        offset = np.array([m.offset.mid for m in about])
        blocks, weights = zip(*rows.tables(), strict=True)
        constant = [block.min(axis=0) == block.max(axis=0) for block in blocks]
        still = np.logical_and.reduce(constant, axis=0)
        self.constant = np.flatnonzero(still).tolist()
        Z = [(block - m) - o for block, m, o in zip(blocks, means, offset, strict=True)]
        root = [np.sqrt(w)[:, None] for w in weights]
        self.S = np.vstack([r * z for r, z in zip(root, Z, strict=True)])
        self.S[:, still] = 0.0
        self.Z = np.vstack([np.sqrt(f) * r * z for f, r, z in zip(factors, root, Z, strict=True)])
        self.Z[:, still] = 0.0
        peak = np.abs(self.Z).max(axis=0, initial=0.0)
        peak[peak == 0.0] = 1.0  # squares of small columns would vanish
        self.spread = peak * np.sqrt(((self.Z / peak) ** 2).sum(axis=0))
        self.base = means[0]
        apart = (means - self.base) + offset
        self.shift = priors @ apart
        self.delta = apart - self.shift
        unit = np.where(self.spread > 0.0, self.spread, 1.0)
        _, values, turn = np.linalg.svd(self.Z / unit, full_matrices=False)
        r = min(rank, int((values > nothing * values.max(initial=0.0)).sum()))
        self.T = T = np.where(still[:, None], 0.0, turn[:r].T / values[:r]) / unit[:, None]
        self.heights_of = self.delta @ T
        self.x = self.heights_of @ T.T
        self.heights = self.heights_of @ self.heights_of.T

    def fresh(self) -> np.ndarray:
        """Share of the spread of each column that the columns before it do not have."""
        Z = self.Z / np.where(self.spread > 0, self.spread, 1.0)
        left = np.abs(np.diag(np.linalg.qr(Z, mode="r")))
        return np.concatenate([left, np.zeros(Z.shape[1] - len(left))])

    def error(self, w, k, base=None) -> float:
        x = self.x[k] - (0.0 if base is None else self.x[base])
        return float(np.linalg.norm(self.Z @ (np.asarray(w, np.float64) - x)))

    def form(self, V) -> np.ndarray:
        A = self.Z @ V
        return A.T @ A

    def within(self, w) -> float:
        return float(((self.S @ w) ** 2).sum())

    def along(self, V) -> np.ndarray:
        return self.delta @ V

    def combined(self, parts: np.ndarray) -> np.ndarray:
        return parts @ self.x

    def centre(self, w) -> tuple[float, float]:
        terms = np.concatenate([w * self.base, w * self.shift])
        return fsum(terms.tolist()), 1e-12 * float(np.abs(terms).sum())

    def defect(self, v, parts, value) -> float:
        return float(np.linalg.norm(self.Z @ (parts @ self.x - value * v)))
