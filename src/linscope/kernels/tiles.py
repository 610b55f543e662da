"""Parts of a Gram matrix K[i, j] = K(x_i, x_j) that is never held as a whole.

A source gives products for any rows and columns; ``kernel_maps`` makes kernel values of them.
Solvers ask for ``block`` (any rows, any columns) and ``fill`` (rows of a store, some columns).
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp

from linscope.rows.blocks import take_rows

from .kernel_maps import (
    DISTANCE,
    EXP2,
    IDENTITY,
    LOG2E,
    POWER,
    TANH,
    add_products,
    fill_products,
    gather,
    map_rows,
    products,
)

# Rows a product: with 512 columns 256 KB of float32, half of an L2 cache.
ROWS = 128
# Sparse tables become dense if that takes at most so many bytes: BLAS is far quicker.
DENSE_BYTES = 1 << 30
# Up to so many features a value is worked out as fast as it is read.
CHEAP_COLUMNS = 64


class Tiles:
    """Kernel values of the rows of one table.

    Parameters
    ----------
    n : number of rows
    dtype : float32 or float64, of all values
    code, degree : the map from products to kernel values
    """

    def __init__(self, n: int, dtype: Any, code: int = IDENTITY, degree: int = 1):
        self.n, self.dtype, self.code, self.degree = n, np.dtype(dtype), code, degree

    def products(self, rows: np.ndarray, columns: Any) -> np.ndarray:
        """What the map is applied to; ``columns`` is a slice or an index."""
        raise NotImplementedError

    def diagonal(self) -> np.ndarray:
        """K(x_i, x_i) in float64."""
        raise NotImplementedError

    def _mapped(self, t: np.ndarray) -> np.ndarray:
        """Kernel values of products but for the Gaussian kernel."""
        if self.code == TANH:
            return np.tanh(t * (0.5 / LOG2E))
        return t**self.degree if self.code == POWER else t

    def take(self, samples: np.ndarray) -> Tiles:
        """The source for some of the samples."""
        raise NotImplementedError

    @property
    def cheap(self) -> bool:
        """Whether a value is worked out again about as fast as it is read from memory."""
        return False

    def block(self, rows: np.ndarray, columns: Any) -> np.ndarray:
        """K[rows, columns] as a new matrix."""
        width = columns.stop - columns.start if isinstance(columns, slice) else len(columns)
        out = np.empty((len(rows), width), dtype=self.dtype)
        self.fill(out, np.arange(len(rows)), rows, columns, 0)
        return out

    def fill(
        self, store: np.ndarray, slots: np.ndarray, rows: np.ndarray, columns: Any, start: int
    ) -> None:
        """store[slots[r], start:] = K[rows[r], columns]."""
        for first in range(0, len(rows), ROWS):
            part = slice(first, first + ROWS)
            T = self.products(rows[part], columns)
            map_rows(T, self.code, self.degree, store, slots[part], start)

    def add_product(
        self, rows: np.ndarray, delta: np.ndarray, columns: Any, total: np.ndarray
    ) -> None:
        """total += Σ_r delta[r]·K[rows[r], columns]."""
        for first in range(0, len(rows), ROWS):
            part = slice(first, first + ROWS)
            total += delta[part] @ self.block(rows[part], columns)


class FeatureTiles(Tiles):
    """A named kernel of dense features; sparse ones if they are made dense.

    Scale and constant of the map's argument are part of the features, so that one product gives
    it:  t = [s·x, a(x), 1]·[z, 1, a(z)]  with a(x) = −γ‖x‖² log₂e for rbf; poly and sigmoid have
    the constant in place of a(x). With ``direct`` an rbf kernel sums squared differences instead,
    and the features are [x, −γ log₂e] and [z, 1].
    """

    def __init__(
        self,
        X: Any,
        kernel: str,
        *,
        gamma: float,
        degree: int,
        coef0: float,
        dtype: Any,
        direct: bool = False,
    ):
        code, self.scale, self.constant = _map_of(kernel, gamma, coef0)
        if direct and code == EXP2:
            code, self.constant = DISTANCE, -0.5 * self.scale
        super().__init__(X.shape[0], dtype, code, degree)
        X = X.toarray() if sp.issparse(X) else np.asarray(X)
        # Far from the origin ‖x‖² − 2x·z + ‖z‖² cancels, so rbf measures from the mean.
        self.centre = X.mean(axis=0, dtype=np.float64) if code == EXP2 else None
        self.right = self.features(X)
        self.left = self._other_side(self.right)

    def features(self, X: Any) -> np.ndarray:
        """Rows of any table as columns of K take them: [z, 1, a(z)]."""
        X = X.toarray() if sp.issparse(X) else np.asarray(X)
        if self.centre is not None:
            X = X - self.centre
        X = X.astype(self.dtype).astype(np.float64)
        parts = [X]
        if self.centre is not None:
            away = (-0.5 * self.scale) * np.einsum("ij,ij->i", X, X)[:, None]
            parts += [np.ones((len(X), 1)), away]
        elif self.constant != 0.0:
            parts += [np.ones((len(X), 1))]
        return np.ascontiguousarray(np.hstack(parts), dtype=self.dtype)

    def _other_side(self, right: np.ndarray) -> np.ndarray:
        """[s·x, a(x), 1] of [x, 1, a(x)]."""
        left = right * right.dtype.type(1.0 if self.code == DISTANCE else self.scale)
        if self.centre is not None:
            left[:, -2], left[:, -1] = right[:, -1], 1.0
        elif self.constant != 0.0:
            left[:, -1] = self.constant
        return left

    def products(self, rows: np.ndarray, columns: Any) -> np.ndarray:
        left, right = self.left[rows], self.right[columns]
        out = np.empty((len(left), len(right)), dtype=self.dtype)
        products(left, right, self.code, out)
        return out

    # Large tiles: threads that come back to Python for small ones wait for each other.
    def fill(
        self, store: np.ndarray, slots: np.ndarray, rows: np.ndarray, columns: Any, start: int
    ) -> None:
        left, right = self.left[rows], self.right[columns]
        fill_products(left, right, self.code, self.degree, store, slots, start)

    def add_product(
        self, rows: np.ndarray, delta: np.ndarray, columns: Any, total: np.ndarray
    ) -> None:
        left, right = self.left[rows], self.right[columns]
        add_products(left, right, self.code, self.degree, delta, total)

    def take(self, samples: np.ndarray) -> Tiles:
        part = copy(self)
        part.n, part.left, part.right = len(samples), self.left[samples], self.right[samples]
        return part

    @property
    def cheap(self) -> bool:
        return self.left.shape[1] <= CHEAP_COLUMNS

    def diagonal(self) -> np.ndarray:
        if self.code in (EXP2, DISTANCE):
            return np.ones(self.n)
        return self._mapped(np.einsum("ij,ij->i", self.left, self.right, dtype=np.float64))


class SparseTiles(Tiles):
    """A named kernel of sparse features with too many columns to be made dense."""

    def __init__(self, X: Any, kernel: str, *, gamma: float, degree: int, coef0: float, dtype: Any):
        code, self.scale, self.constant = _map_of(kernel, gamma, coef0)
        super().__init__(X.shape[0], dtype, code, degree)
        self.X = X.astype(dtype)
        norms = np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
        self.norms = norms
        self.away = ((-0.5 * self.scale) * norms * (kernel == "rbf")).astype(dtype)

    def products(self, rows: np.ndarray, columns: Any) -> np.ndarray:
        some = self.X[rows].toarray().T
        if isinstance(columns, slice):
            others = take_rows(self.X, columns.start, columns.stop)
        else:
            others = self.X[columns]
        T = np.ascontiguousarray((others @ some).T)
        T *= self.scale
        T += self.constant
        T += self.away[rows][:, None]
        T += self.away[columns]
        return T

    def take(self, samples: np.ndarray) -> Tiles:
        part = copy(self)
        part.n, part.X = len(samples), self.X[samples]
        part.norms, part.away = self.norms[samples], self.away[samples]
        return part

    def diagonal(self) -> np.ndarray:
        if self.code == EXP2:
            return np.ones(self.n)
        return self._mapped(self.norms * self.scale + self.constant)


class MatrixTiles(Tiles):
    """A Gram matrix that is given, or the part of one that belongs to some samples."""

    def __init__(self, K: np.ndarray, samples: np.ndarray | None = None, dtype: Any = np.float64):
        self.samples = np.arange(len(K)) if samples is None else np.asarray(samples)
        super().__init__(len(self.samples), dtype)
        self.K = K

    def products(self, rows: np.ndarray, columns: Any) -> np.ndarray:
        return self.K[self.samples[rows][:, None], self.samples[columns]]

    def fill(
        self, store: np.ndarray, slots: np.ndarray, rows: np.ndarray, columns: Any, start: int
    ) -> None:
        gather(self.K, self.samples[rows], self.samples[columns], store, slots, start)

    def take(self, samples: np.ndarray) -> Tiles:
        return MatrixTiles(self.K, self.samples[samples], self.dtype)

    def diagonal(self) -> np.ndarray:
        return self.K[self.samples, self.samples].astype(np.float64)


class FunctionTiles(Tiles):
    """A kernel function (X, Z) → matrix."""

    def __init__(self, X: Any, function: Any, dtype: Any = np.float64):
        super().__init__(X.shape[0], dtype)
        self.X, self.function = X, function

    def products(self, rows: np.ndarray, columns: Any) -> np.ndarray:
        return np.ascontiguousarray(
            dense_values(self.function(self.X[rows], self.X[columns])), self.dtype
        )

    def take(self, samples: np.ndarray) -> Tiles:
        return FunctionTiles(self.X[samples], self.function, self.dtype)

    def diagonal(self) -> np.ndarray:
        parts = [slice(s, min(s + ROWS, self.n)) for s in range(0, self.n, ROWS)]
        return np.concatenate(
            [np.diagonal(dense_values(self.function(self.X[p], self.X[p]))) for p in parts]
        ).astype(np.float64)


def dense_values(K: Any) -> np.ndarray:
    """What a kernel function has returned, also if that is a sparse matrix."""
    return K.toarray() if sp.issparse(K) else np.asarray(K)


def make_tiles(
    X: Any,
    kernel: Any,
    *,
    gamma: float = 1.0,
    degree: int = 3,
    coef0: float = 0.0,
    dtype: Any = np.float32,
    direct: bool = False,
) -> Tiles:
    """The source for a kernel's name, a kernel function or ``"precomputed"``."""
    if callable(kernel):
        return FunctionTiles(X, kernel, dtype)
    if kernel == "precomputed":
        return MatrixTiles(X, dtype=dtype)
    wide = sp.issparse(X) and X.shape[0] * X.shape[1] * np.dtype(dtype).itemsize > DENSE_BYTES
    if wide:
        return SparseTiles(X, kernel, gamma=gamma, degree=degree, coef0=coef0, dtype=dtype)
    options: dict[str, Any] = {"gamma": gamma, "degree": degree, "coef0": coef0}
    return FeatureTiles(X, kernel, **options, dtype=dtype, direct=direct)


def _map_of(kernel: str, gamma: float, coef0: float) -> tuple[int, float, float]:
    """Code of the map, and the factor and constant of x·z in its argument."""
    if kernel == "rbf":
        return EXP2, 2.0 * gamma * LOG2E, 0.0
    if kernel == "sigmoid":
        return TANH, 2.0 * gamma * LOG2E, 2.0 * coef0 * LOG2E
    return (POWER, gamma, coef0) if kernel == "poly" else (IDENTITY, 1.0, 0.0)
