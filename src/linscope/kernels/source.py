"""The kernel of one training table, in units in which its numbers are near 1.

    K(x, z) = unit · K'(x', z')        x' = 2^−k (x − centre)

Powers of two change no digit, and keep tables of 1e±150 in the range of float32. For the linear
kernel the mean is taken off: with Σβ = 0 that moves all scores by a constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from linscope.rows.blocks import borders
from linscope.rows.threads import Workers

from .functions import squared_norms
from .rounding import Rounding, gaussian_rounding, product_rounding
from .tiles import DENSE_BYTES, MatrixTiles, Tiles, dense_values, make_tiles

# float32 values of exp(−γ‖x − z‖²) are good to 1 % up to γ‖x‖² of about this.
SINGLE = 1e4
# Rounding of float64 values by ‖x‖² − 2x·z + ‖z‖² beyond which differences are summed instead, and
# of a kernel function of the user's.
CANCELS, FUNCTION = 1e-10, 64 * 2.0**-53
# Kernel values between 2^±this are left as they are.
USUAL = 20
ROWS = 256


class KernelSource:
    """Tiles of K' for a table or some of its rows.

    Parameters
    ----------
    X : dense or CSR matrix, or the Gram matrix with ``kernel="precomputed"``
    kernel : name, callable or "precomputed"
    gamma, degree, coef0 : as in the formulas

    Attributes
    ----------
    unit : K = unit·K'
    centre : what was taken off the rows, or None
    room : memory that the solvers of several problems share, or None
    size : largest γ‖x‖² of a Gaussian kernel, measured from the mean
    direct : whether squared distances are summed from differences, as rounding asks for that
    rounding : bounds of |K'| and of its rounding in float64
    """

    def __init__(
        self, X: Any, kernel: Any, *, gamma: float = 1.0, degree: int = 3, coef0: float = 0.0
    ):
        self.kernel, self.degree, self.n = kernel, degree, X.shape[0]
        self.gamma, self.coef0 = gamma, coef0
        self.unit, self.exponent = 1.0, 0
        self.centre: np.ndarray | None = None
        self.whole: dict[np.dtype, Tiles] = {}
        self.single = True
        self.room: np.ndarray | None = None
        self.direct, self.size = False, 0.0
        if callable(kernel) or kernel == "precomputed":
            self.X = X
            self._scale_values()
        else:
            self._scale_features(X)

    def tiles(self, dtype: Any) -> Tiles:
        """K' of all rows."""
        kind = np.dtype(dtype if self.single else np.float64)
        if kind not in self.whole:
            self.whole[kind] = make_tiles(
                self.X,
                self.kernel,
                gamma=self.gamma,
                degree=self.degree,
                coef0=self.coef0,
                dtype=kind,
                direct=self.direct,
            )
        return self.whole[kind]

    def share_gram(self, workers: Workers) -> None:
        """Work out K' once, for all problems that take some of its rows."""
        if self.kernel == "precomputed":
            return
        tiles = self.tiles(np.float64)
        K = np.empty((self.n, self.n))
        for _ in workers.map(lambda part: _fill(tiles, K, part), borders(self.n, ROWS)):
            pass
        self.single = False
        self.whole = {np.dtype(np.float64): MatrixTiles(K)}

    def shared(self, x: Any) -> Any:
        """Rows of another table in the same units."""
        x = x if self.centre is None else x - self.centre
        return _times_power(x, -self.exponent) if self.exponent else x

    def _scale_features(self, X: Any) -> None:
        if self.kernel == "linear" and not sp.issparse(X):
            self.centre = _mean(X)
            X = X - self.centre
        largest = float(max(X.max(), -X.min())) if X.shape[0] else 0.0
        k = int(np.frexp(largest)[1]) if largest > 0 else 0
        if self.kernel != "linear" and abs(k) <= USUAL:
            k = 0
        self.exponent = k
        self.X = _times_power(X, -k) if k else X
        if self.kernel == "linear":
            self.unit = _power(2 * k)
            self.rounding = product_rounding("linear", self._largest_norm(), X.shape[1])
            return
        with np.errstate(over="ignore"):
            self.gamma = float(np.ldexp(self.gamma, 2 * k))
        norm = self._largest_norm()
        if not np.isfinite(self.gamma * norm):
            raise ValueError(f"the kernel overflows: gamma is too large for these features{ADVICE}")
        if self.kernel == "rbf":
            self._choose_distances(norm)
            return
        if self.kernel == "poly":
            self._scale_powers(norm)
        size = self.gamma * norm + abs(self.coef0)
        self.rounding = product_rounding(self.kernel, size, X.shape[1], self.degree)

    def _choose_distances(self, norm: float) -> None:
        d = self.X.shape[1]
        # A sparse table is measured from the origin: from its mean it is at most twice as far.
        self.size = self.gamma * norm * (4 if sp.issparse(self.X) else 1)
        self.rounding = gaussian_rounding(self.size, d)
        small = not sp.issparse(self.X) or 8.0 * self.n * d <= DENSE_BYTES
        self.direct = bool(self.rounding.error > CANCELS and small)
        if self.direct:
            self.rounding = gaussian_rounding(None, d)
        self.single = not self.direct and self.gamma * norm <= SINGLE

    def _largest_norm(self) -> float:
        """max ‖x‖², measured from the mean for the Gaussian kernel."""
        X = self.X
        if self.kernel == "rbf" and not sp.issparse(X):
            X = X - X.mean(axis=0, dtype=np.float64)
        return float(squared_norms(X).max(initial=0.0))

    def _scale_powers(self, norm: float) -> None:
        """(γ x·z + c0)^p = T^p (γ/T x·z + c0/T)^p."""
        k = int(np.frexp(self.gamma * norm + abs(self.coef0))[1])
        self.gamma, self.coef0 = float(np.ldexp(self.gamma, -k)), float(np.ldexp(self.coef0, -k))
        self.unit = _power(k * self.degree)

    def _scale_values(self) -> None:
        diagonal = make_tiles(self.X, self.kernel, dtype=np.float64).diagonal()
        largest = float(np.abs(diagonal).max(initial=0.0))
        k = int(np.frexp(largest)[1])
        if abs(k) > USUAL and np.isfinite(diagonal).all():
            self.unit = _power(k)
            if callable(self.kernel):
                function, factor = self.kernel, _power(-k)
                self.kernel = lambda A, B: dense_values(function(A, B)) * factor
            else:
                self.X = np.ldexp(self.X, -k)
        self._measure_values(largest / self.unit)

    def _measure_values(self, largest: float) -> None:
        """A matrix has no rounding but that of its symmetry; a function is not asked for all."""
        uneven = 0.0
        for first, stop in borders(0 if callable(self.kernel) else self.n, ROWS):
            rows, columns = self.X[first:stop], self.X[:, first:stop]
            largest = max(largest, float(np.abs(rows).max(initial=0.0)))
            uneven = max(uneven, float(np.abs(rows - columns.T).max(initial=0.0)))
        error = FUNCTION * largest if callable(self.kernel) else 0.5 * uneven
        self.rounding = Rounding(error, largest)


ADVICE = ": scale the columns of X (sklearn.preprocessing.StandardScaler)"


def _fill(tiles: Tiles, K: np.ndarray, part: tuple[int, int]) -> None:
    """Rows from the diagonal on, and the mirrored columns."""
    first, stop = part
    block = tiles.block(np.arange(first, stop), slice(first, tiles.n))
    own = block[:, : stop - first]
    own[:] = 0.5 * (own + own.T)
    K[first:stop, first:] = block
    K[stop:, first:stop] = block[:, stop - first :].T


def _mean(X: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        mean = X.mean(axis=0, dtype=np.float64)
    return mean if np.isfinite(mean).all() else np.zeros(X.shape[1])


def _times_power(X: Any, k: int) -> Any:
    if not sp.issparse(X):
        return np.ldexp(X, k)
    X = X.copy()
    X.data = np.ldexp(X.data, k)
    return X


def _power(k: int) -> float:
    with np.errstate(over="ignore", under="ignore"):
        value = float(np.ldexp(1.0, k))
    if not 0.0 < value < np.inf:
        raise ValueError(f"the kernel's values leave the range of floating point{ADVICE}")
    return value
