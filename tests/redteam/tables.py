"""Kinds of adversity: tables, labels, targets, weights and forms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

Rng = np.random.Generator
# The largest power of ten of scales and offsets.
DECADES = {"ordinary": 4, "hard": 15, "extreme": 300}
CONSTANTS = (0.0, 1.0, 0.1, 0.3, 3.7, 0.001, -1.0, 1e-3, 7.0, 1 / 3, 1e4, -0.7)


def power(rng: Rng, level: str) -> float:
    """A power of ten with a factor, within the scales of the level."""
    return float(rng.uniform(1, 10) * 10.0 ** rng.integers(-DECADES[level], DECADES[level]))


def plain(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    return rng.standard_normal((n, d))


def whole(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    return rng.integers(-9, 10, (n, d)).astype(float)


def decimals(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    return np.round(rng.normal(0, 5, (n, d)), int(rng.integers(0, 3)))


def scaled(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    return plain(rng, n, d, level) * power(rng, level)


def mixed_scales(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    return plain(rng, n, d, level) * np.array([power(rng, level) for _ in range(d)])


def row_scales(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    return plain(rng, n, d, level) * np.array([[power(rng, level)] for _ in range(n)])


def offset(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    far = np.array([power(rng, level) for _ in range(d)])
    if level == "extreme":  # an offset past 1e16 leaves a constant column
        far = np.minimum(far, 1e13)
    return plain(rng, n, d, level) + np.where(rng.random(d) < 0.7, far, 0.0)


def near_duplicate(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    X = scaled(rng, n, d, level) if rng.random() < 0.3 else plain(rng, n, d, level)
    if d > 1:
        X[:, 1] = X[:, 0] * (1.0 + 10.0 ** -rng.integers(6, 17) * rng.standard_normal(n))
    return X


def constant_columns(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    X = plain(rng, n, d, level)
    for j in range(d):
        if rng.random() < 0.5:
            X[:, j] = rng.choice(CONSTANTS) if rng.random() < 0.7 else power(rng, level)
    return X


def dependent_columns(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    """Whole numbers, the last column a combination of the others: dependent to the last bit."""
    X = rng.integers(-40, 41, (n, d)).astype(float)
    if d > 1:
        X[:, -1] = X[:, :-1] @ rng.integers(-3, 4, d - 1) + rng.integers(-5, 6)
    return X * float(rng.choice([1, 1, 1024, 10.0 ** (DECADES[level] // 2)]))


def repeated_rows(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    return decimals(rng, max(2, n // 2), d, level)[rng.integers(0, max(2, n // 2), n)]


def one_ulp(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    """Rows that differ in their last bit."""
    X = decimals(rng, 1, d, level) + 0.1
    X = np.tile(np.where(X == 0.0, 0.1, X), (n, 1))  # the neighbours of 0 are no ordinary numbers
    if rng.random() < 0.5:
        X = X * power(rng, level)
    return X + np.spacing(X) * rng.integers(0, 3, (n, d))


def polynomial(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    x = np.round(rng.uniform(0.5, 8, n), 1)
    return x[:, None] ** np.arange(1, d + 1)


def indicators(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    return (rng.integers(0, d, n)[:, None] == np.arange(d)).astype(float)


def mostly_zero(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    return mixed_scales(rng, n, d, level) * (rng.random((n, d)) < 0.4)


def far_pairs(rng: Rng, n: int, d: int, level: str) -> np.ndarray:
    """Two copies of a small table, far from each other: distances cancel."""
    near = plain(rng, n, d, level)
    near[n // 2 :] += power(rng, level if level != "extreme" else "hard")
    return near


KINDS: tuple[Callable[[Rng, int, int, str], np.ndarray], ...] = (
    plain, whole, decimals, scaled, mixed_scales, row_scales, offset, near_duplicate,
    constant_columns, dependent_columns, repeated_rows, one_ulp, polynomial, indicators,
    mostly_zero, far_pairs,
)  # fmt: skip


def table(rng: Rng, n: int, d: int, level: str) -> tuple[np.ndarray, str]:
    kind = KINDS[rng.integers(len(KINDS))]
    return kind(rng, n, d, level), kind.__name__


def shape(rng: Rng, rows: int = 12, columns: int = 4) -> tuple[int, int]:
    """Mostly more rows than columns, sometimes not."""
    d = int(rng.integers(1, columns + 1))
    wide = rng.random() < 0.2
    return int(rng.integers(2, d + 2) if wide else rng.integers(d + 2, max(rows, d + 2) + 1)), d


def labels(rng: Rng, X: np.ndarray, classes: int = 2, apart: float = 0.6) -> np.ndarray:
    """Class numbers, each at least once: by chance, by a hyperplane, or nearly so."""
    n = len(X)
    if classes == 2 and rng.random() < apart:
        with np.errstate(over="ignore", invalid="ignore"):
            column = X[:, rng.integers(X.shape[1])]
            scores = column / (np.abs(column).max() or 1.0)
        scores = scores + rng.choice([0.0, 0.0, 0.3]) * rng.standard_normal(n)
        y = (scores > np.median(scores)).astype(int)
    else:
        y = rng.integers(0, classes, n)
    places = rng.permutation(n)
    for k in range(min(classes, n)):
        if not (y == k).any():
            y[places[k]] = k
    if len(np.unique(y)) < 2:
        y[0] = 1 - y[0]
    return y


def targets(rng: Rng, X: np.ndarray, level: str) -> np.ndarray:
    n, d = X.shape
    choice = rng.integers(5)
    if choice == 0:
        return np.round(rng.normal(0, 3, n), 1)
    if choice == 1:
        return rng.standard_normal(n) * power(rng, level)
    if choice == 2:
        return np.full(n, float(rng.choice(CONSTANTS)))
    if choice == 3:
        return 1e6 + rng.standard_normal(n)
    with np.errstate(over="ignore", invalid="ignore"):
        y = X @ rng.integers(-3, 4, d) + rng.choice([0.0, 0.0, 1e-3]) * rng.standard_normal(n)
    return y if np.isfinite(y).all() else rng.standard_normal(n)


def weights(rng: Rng, n: int, level: str) -> np.ndarray | None:
    choice = rng.random()
    if choice < 0.65:
        return None
    if choice < 0.75:
        return rng.integers(1, 4, n).astype(float)
    if choice < 0.85:
        return rng.uniform(0.1, 2.0, n)
    if choice < 0.93:
        c = np.ones(n)
        c[rng.integers(0, n)] = 0.0
        return c
    if rng.random() < 0.5:
        return np.full(n, power(rng, level))
    return np.array([power(rng, level) for _ in range(n)])


def class_weight(rng: Rng, y: np.ndarray) -> dict[str, dict]:
    """Now and then a parameter ``class_weight``; powers of two, so that products are exact."""
    if rng.random() > 0.08:
        return {}
    return {"class_weight": {int(v): float(rng.choice([0.25, 0.5, 2.0])) for v in np.unique(y)}}


def form(rng: Rng, X: np.ndarray):
    """As the user may hold it: float64, float32, sparse with indices of either size."""
    choice = rng.random()
    if choice < 0.7:
        return X
    if choice < 0.8:
        with np.errstate(over="ignore", under="ignore"):
            single = X.astype(np.float32)
        return single if np.isfinite(single).all() else X
    made = sparse.csr_array(X)
    kind = np.int64 if choice < 0.9 else np.int32
    made.indices, made.indptr = made.indices.astype(kind), made.indptr.astype(kind)
    return made
