"""Class weights, means and scatter from the data alone, by other means than the fit.

Nothing here uses the fit's sums: means are plain means about the first row of a class, and the
scatter is never formed. Its factor R, with RᵀR = Σ, comes from QR factorisations of the centred
rows, which keeps the digits that a matrix of products loses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from ..data import check_finite, encode_labels, to_matrix
from ..verify.perceptron import foreign_values
from .verify import require

ROWS = 4096
# A null direction may hold this share of the spread of the columns at most.
NULL_SHARE = 1e-5
# Singular values of standardised columns below this are rounding.
LEAST = 1e-14


@dataclass(frozen=True, eq=False)
class ClassRows:
    """The rows of a table by class, in units 2^exponent a column.

    Attributes
    ----------
    labels : the labels that have rows of positive weight
    parts, weights : for each label its rows (dense or CSR, unscaled) and their weights
    totals, means : (K,) and (K, d); the means are offsets from ``firsts``, the first row of each
    exponent : (d,) the unit of each column
    size : (d,) root mean square of the values
    """

    labels: list[Any]
    parts: list[Any]
    weights: list[np.ndarray]
    firsts: np.ndarray
    offsets: np.ndarray
    exponent: np.ndarray
    size: np.ndarray

    @property
    def totals(self) -> np.ndarray:
        return np.array([w.sum() for w in self.weights])

    @property
    def means(self) -> np.ndarray:
        """Class means in the units of the data."""
        return self.firsts + np.ldexp(self.offsets, self.exponent)

    def apart(self, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """m_k − m̄ in units 2^exponent, and m̄ in the units of the data."""
        base = self.firsts[0]
        means = np.ldexp(self.firsts - base, -self.exponent) + self.offsets
        centre = share @ means
        return means - centre, base + np.ldexp(centre, self.exponent)

    def centred(self, k: int, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Rows of a class about its mean, dense."""
        rows = self.parts[k][start:stop]
        rows = rows.toarray() if sparse.issparse(rows) else rows
        apart = np.ldexp(rows.astype(np.float64) - self.firsts[k], -self.exponent)
        return apart - self.offsets[k]

    def variances(self) -> np.ndarray:
        """(K, d) of each class, in units 2^exponent."""
        out = np.zeros_like(self.offsets)
        for k, w in enumerate(self.weights):
            for a in range(0, len(w), ROWS):
                out[k] += w[a : a + ROWS] @ self.centred(k, a, a + ROWS) ** 2
        return out / self.totals[:, None]

    def factor(self, factors: np.ndarray, ridge: np.ndarray) -> np.ndarray:
        """R with RᵀR = Σ_k factor_k S_k + diag(ridge), in units 2^exponent."""
        d = len(self.exponent)
        R = np.diag(np.sqrt(ridge)) if ridge.any() else np.zeros((0, d))
        for k, w in enumerate(self.weights):
            for a in range(0, len(w), ROWS):
                root = np.sqrt(factors[k] * w[a : a + ROWS])
                rows = root[:, None] * self.centred(k, a, a + ROWS)
                R = np.asarray(np.linalg.qr(np.vstack([R, rows]), mode="r"))
        return R


def read_classes(X: Any, y: Any, sample_weight: Any, class_weight: Any) -> ClassRows:
    """Read a table again; rows of weight 0 are left out. ``class_weight`` as in the estimators."""
    matrix, names = to_matrix(X)
    check_finite(matrix, names)
    known, codes = encode_labels(y, n_samples=matrix.shape[0])
    weight = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if weight.shape != codes.shape or not (weight >= 0).all():
        raise ValueError(f"sample_weight must be {len(codes)} numbers that are not negative")
    if class_weight == "balanced":
        by_class = len(codes) / (len(known) * np.bincount(codes))
    else:
        by_class = np.array([float(class_weight.get(label, 1.0)) for label in known.tolist()])
    weight = weight * by_class[codes]
    largest = np.abs(_dense(abs(matrix).max(axis=0))).astype(np.float64)
    exponent = np.where(largest > 0, np.frexp(largest)[1], 0).astype(np.int64)
    labels, parts, weights, firsts, offsets = [], [], [], [], []
    for k, label in enumerate(known.tolist()):
        rows = np.flatnonzero((codes == k) & (weight > 0))
        if len(rows) == 0:
            continue
        part, w = matrix[rows], weight[rows]
        first = _dense(part[:1]).astype(np.float64)
        labels.append(label)
        parts.append(part)
        weights.append(w)
        firsts.append(first)
        offsets.append(_mean_offset(part, w, first, exponent))
    firsts_, offsets_ = np.array(firsts), np.array(offsets)
    size = np.sqrt(_mean_square(parts, weights, exponent))
    return ClassRows(labels, parts, weights, firsts_, offsets_, exponent, size)


def _dense(part: Any) -> np.ndarray:
    return (part.toarray() if sparse.issparse(part) else np.asarray(part)).ravel()


def _mean_offset(part: Any, weight: np.ndarray, first: np.ndarray, exponent) -> np.ndarray:
    """The mean of the rows minus the first row, corrected once for what rounding left over."""
    offset = np.zeros_like(first)
    for _ in range(2):
        left = np.zeros_like(first)
        for a in range(0, len(weight), ROWS):
            rows = part[a : a + ROWS]
            rows = rows.toarray() if sparse.issparse(rows) else rows
            apart = np.ldexp(rows.astype(np.float64) - first, -exponent) - offset
            left += weight[a : a + ROWS] @ apart
        offset = offset + left / weight.sum()
    return offset


def _mean_square(parts, weights, exponent) -> np.ndarray:
    total, squares = 0.0, np.zeros(len(exponent))
    for part, w in zip(parts, weights, strict=True):
        for a in range(0, len(w), ROWS):
            rows = part[a : a + ROWS]
            rows = rows.toarray() if sparse.issparse(rows) else rows
            squares += w[a : a + ROWS] @ np.ldexp(rows.astype(np.float64), -exponent) ** 2
        total += w.sum()
    return squares / total


def listed(names: list[str], most: int = 10) -> str:
    """Names with commas, cut after some.

    >>> listed(["a", "b", "c"], most=2)
    'a, b, …'
    """
    return ", ".join(names[:most]) + ", …" * (len(names) > most)


def counts(labels: tuple, totals: np.ndarray) -> str:
    """How many samples (or how much weight) each class has."""
    pairs = zip(labels, totals, strict=True)
    return listed([f"{label}: {total:g}" for label, total in pairs])


class Whitened:
    """T (d, rank) with T Tᵀ = Σ⁺ for Σ = RᵀR, from singular values of the standardised R.

    ``axes`` are R T, orthonormal columns; ``null`` a basis of the null directions.
    """

    def __init__(self, R: np.ndarray, rank: int):
        self.R, self.rank = R, rank
        self.spread = np.sqrt((R**2).sum(axis=0))
        used = self.spread > 0
        require(0 <= rank <= used.sum(), f"the rank is at most {used.sum()}, not {rank}")
        left, values, right = np.linalg.svd(R[:, used] / self.spread[used], full_matrices=True)
        values = np.r_[values, np.zeros(len(right) - len(values))]
        rest = values[rank:].max(initial=0.0)
        require(bool(rest <= NULL_SHARE), f"the rank is more than {rank}")
        require(bool(values[:rank].min(initial=1.0) > LEAST), f"the rank is less than {rank}")
        self.axes = left[:, :rank]
        self.root = np.zeros((len(used), rank))
        self.root[used] = (right[:rank].T / values[:rank]) / self.spread[used, None]
        self.null = np.zeros((len(used), len(right) - rank))
        self.null[used] = right[rank:].T / self.spread[used, None]
        self.condition = float(values[:1].max(initial=1.0) / values[:rank].min(initial=1.0))

    def independent(self, columns: np.ndarray) -> bool:
        """Whether these columns are independent within classes."""
        if len(columns) == 0:
            return True
        if (self.spread[columns] == 0).any():
            return False
        part = self.R[:, columns] / self.spread[columns]
        return bool(np.linalg.svd(part, compute_uv=False)[-1] > LEAST and len(part) >= len(columns))

    def null_separation(self, apart: np.ndarray, size: np.ndarray) -> float:
        """How far the class means differ where the classes do not vary, in standard units."""
        constant = self.spread == 0
        scale = np.where(size > 0, size, 1.0)[constant]
        jump = np.abs(apart[:, constant] / scale).max(initial=0.0)
        return float(max(np.abs(apart @ self.null).max(initial=0.0), jump))


def check_classes(claim: Any, rows: ClassRows) -> np.ndarray:
    """Labels, weights, means and priors against the data; returns which classes have samples."""
    require(not foreign_values(claim) and not claim.parts, "no such model has these claims")
    labels, d = list(claim.labels), len(rows.exponent)
    for label in rows.labels:
        require(label in labels, f"y has the label {label!r}, unknown to the model")
    seen = np.array([labels.index(label) for label in rows.labels])
    means, totals = np.asarray(claim.means), np.asarray(claim.totals)
    priors = np.asarray(claim.priors)
    require(means.shape == (len(labels), d), f"the means are not of {d} features")
    require(totals.shape == priors.shape == (len(labels),), "a number a class is needed")
    others = np.setdiff1d(np.arange(len(labels)), seen)
    require(not (totals[others].any() or priors[others].any()), "a class without samples counts")
    found = rows.totals
    off = np.abs(totals[seen] / found - 1.0)
    require(bool(off.max() <= 1e-9), f"class {labels[seen[off.argmax()]]!r} has another weight")
    share = found / found.sum()
    counted = bool(np.abs(priors[seen] - share).max() <= 1e-9)
    require(claim.given_priors or counted, "the priors are not the shares of the classes")
    require(bool((priors[seen] > 0).all() and abs(priors.sum() - 1.0) <= 1e-9), "priors: sum not 1")
    allowed = 1e-9 * np.sqrt(rows.variances().max(axis=0)) + 1e-15 * rows.size
    wrong = np.abs(means[seen] - rows.means) > np.ldexp(allowed, rows.exponent)
    require(not wrong.any(), f"the mean of column {int(np.argmax(wrong.any(axis=0)))} is another")
    return seen
