"""The likelihood of logistic regression with all its second derivatives, for two or K classes.

One class is the reference, its score is 0; θ (R, p) has a row for each other class, R = K − 1.

    P(class k | z)  =  e^(θ_k·z) / Σ_l e^(θ_l·z)
    ℓ(θ)            =  Σ_i c_i log P(y_i | z_i)
    score           =  Σ_i c_i (e_{y_i} − p_i) ⊗ z_i
    information     =  Σ_i c_i (diag p_i − p_i p_iᵀ) ⊗ z_i z_iᵀ

z = [1, (x − m)/s] with s a power of two, so that no entry exceeds 1, and m the middle of columns
that are far from 0: offsets and units do no harm. A weight c_i counts as c_i equal rows.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linscope.engines import Engine, here
from linscope.losses.logistic import log_sigmoid
from linscope.losses.softmax import log_softmax
from linscope.rows.blocks import Block, Largest, Least

# A column is far from 0 when its middle is so many half-widths away.
FAR = 8.0
# Reciprocals of smaller units would overflow.
SMALLEST = -1000


@dataclass(frozen=True)
class Frame:
    """The coordinates z of the rows x, and the class with score 0.

    ``low`` and ``high`` are the range of each column.
    """

    low: np.ndarray
    high: np.ndarray
    shift: np.ndarray
    scale: np.ndarray
    intercept: bool
    n_classes: int
    reference: int = 0

    @classmethod
    def of(cls, engine: Engine, intercept: bool, n_classes: int, reference: int = 0) -> Frame:
        """Measure the columns; only dense ones far from 0 are shifted, and only with intercept."""
        low, high = column_ranges(engine)
        middle, half = low / 2 + high / 2, high / 2 - low / 2
        far = (np.abs(middle) > FAR * half) & (intercept and not engine.is_sparse)
        shift = np.where(far, middle, 0.0)
        size = np.maximum(high - shift, shift - low)
        scale = np.ldexp(1.0, np.where(size > 0, np.maximum(np.frexp(size)[1], SMALLEST), 0))
        return cls(low, high, shift, scale, intercept, n_classes, reference)

    @property
    def p(self) -> int:
        return len(self.shift) + int(self.intercept)

    @property
    def changing(self) -> np.ndarray:
        """Columns that are not constant; without a bias, those that are not 0."""
        return changing_columns(self.low, self.high, self.intercept)

    @cached_property
    def others(self) -> list[int]:
        """The classes that have weights."""
        return [k for k in range(self.n_classes) if k != self.reference]

    @property
    def matrix(self) -> np.ndarray:
        """M (p, p) with weights of x = M · weights of z, for each class."""
        M = np.diag(np.r_[np.ones(int(self.intercept)), 1.0 / self.scale])
        if self.intercept:
            M[0, 1:] = -self.shift / self.scale
        return M

    def inside(self, weights: np.ndarray) -> np.ndarray:
        """Weights (R, p) of x as weights of z."""
        theta = np.array(weights, dtype=np.float64)
        first = int(self.intercept)
        if self.intercept:
            theta[:, 0] += theta[:, 1:] @ self.shift
        theta[:, first:] *= self.scale
        return theta

    def outside(self, theta: np.ndarray) -> np.ndarray:
        """Weights (R, p) of z as weights of x."""
        weights = np.array(theta, dtype=np.float64)
        first = int(self.intercept)
        # Weights of tiny columns may be beyond the range.
        with np.errstate(over="ignore", invalid="ignore"):
            weights[:, first:] /= self.scale
            if self.intercept:
                weights[:, 0] -= weights[:, 1:] @ self.shift
        return weights

    def rows(self, X: Any) -> np.ndarray:
        """z of some rows, dense."""
        first = int(self.intercept)
        Z = np.empty((X.shape[0], self.p))
        Z[:, :first] = 1.0
        dense = X.toarray() if sparse.issparse(X) else X
        if self.shift.any():
            np.subtract(dense, self.shift, out=Z[:, first:])
            dense = Z[:, first:]
        np.multiply(dense, 1.0 / self.scale, out=Z[:, first:])
        return Z

    def probabilities(self, Z: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """P(class | z) of some rows, (rows, K)."""
        return np.exp(self.log_probabilities(Z, theta))

    def log_probabilities(self, Z: np.ndarray, theta: np.ndarray) -> np.ndarray:
        if self.n_classes == 2:
            s = Z @ theta[0]
            L = np.empty((len(Z), 2))
            L[:, self.others[0]], L[:, self.reference] = log_sigmoid(s), log_sigmoid(-s)
            return L
        S = np.zeros((len(Z), self.n_classes))
        S[:, self.others] = Z @ theta.T
        return log_softmax(S)


def column_ranges(engine: Engine) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest number of each column."""
    low, high = engine.fold(_ranges)
    return low.value, high.value


def changing_columns(low: np.ndarray, high: np.ndarray, intercept: bool) -> np.ndarray:
    """Columns with these ranges that are not constant; without a bias, those that are not 0."""
    return np.flatnonzero((low < high) if intercept else (low != 0) | (high != 0))


def _ranges(block: Block) -> tuple[Least, Largest]:
    return ranges(block.X)


def ranges(X: Any) -> tuple[Least, Largest]:
    """Least and largest number of each column of some rows; of no rows: ∞ and −∞."""
    if X.shape[0] == 0:
        nothing = np.full(X.shape[1], np.inf)
        return Least(nothing), Largest(-nothing)
    low, high = X.min(axis=0), X.max(axis=0)
    if sparse.issparse(X):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    return Least(low.astype(np.float64)), Largest(high.astype(np.float64))


class Place(NamedTuple):
    """ℓ, its gradient (R·p,) and minus its second derivatives (R·p, R·p)."""

    value: float
    score: np.ndarray
    information: np.ndarray

    def plus(self, other: Place) -> Place:
        score, information = self.score + other.score, self.information + other.information
        return Place(self.value + other.value, score, information)


@dataclass
class Multinomial:
    """ℓ over the rows of an engine.

    Parameters
    ----------
    engine : the rows with class numbers 0 … K−1 and weights
    n_classes : K
    intercept : whether z begins with 1
    reference : number of the class with score 0
    """

    engine: Engine
    n_classes: int
    intercept: bool = True
    reference: int = 0
    frame: Frame = field(init=False)

    def __post_init__(self) -> None:
        self.frame = Frame.of(self.engine, self.intercept, self.n_classes, self.reference)

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_classes - 1, self.frame.p

    def some(self, rows: int) -> Multinomial:
        """The same for about so many rows, in the same coordinates."""
        part = copy.copy(self)
        part.engine = here(self.engine.some(rows))
        return part

    def at(self, theta: np.ndarray) -> Place:
        """Value, score and information at θ (R, p) or flat: one pass."""
        return self.engine.fold(_place, self.frame, np.reshape(theta, self.shape))


def _place(block: Block, frame: Frame, theta: np.ndarray) -> Place:
    Z = frame.rows(block.X)
    L = frame.log_probabilities(Z, theta)
    P, own = np.exp(L), np.arange(len(Z))
    c = np.ones(len(Z)) if not block.weighted else block.weight
    value = float(c @ L[own, block.y])
    residual = residuals(P, block.y)[:, frame.others] * c[:, None]
    return Place(value, (residual.T @ Z).ravel(), information(Z, P, c, frame.others))


def rest(P: np.ndarray) -> np.ndarray:
    """1 − p of each class, without cancellation.

    >>> rest(np.array([[1.0, 1e-20]]))
    array([[1.e-20, 1.e+00]])
    """
    if P.shape[1] == 2:
        return P[:, ::-1]
    out = np.empty_like(P)
    for k in range(P.shape[1]):
        out[:, k] = np.delete(P, k, axis=1).sum(axis=1)
    return out


def residuals(P: np.ndarray, y: np.ndarray | None) -> np.ndarray:
    """e_y − p of each row."""
    out, own = -P, np.arange(len(P))
    out[own, y] = rest(P)[own, y]
    return out


def information(Z: np.ndarray, P: np.ndarray, c: np.ndarray, others: list[int]) -> np.ndarray:
    """Σ c (diag p − p pᵀ) ⊗ z zᵀ over the classes that are not the reference."""
    R, p = len(others), Z.shape[1]
    out, Q = np.empty((R, p, R, p)), rest(P)
    for a, k in enumerate(others):
        for b, l in enumerate(others[: a + 1]):
            D = c * P[:, k] * (Q[:, k] if k == l else -P[:, l])
            out[a, :, b, :] = (Z * D[:, None]).T @ Z
            out[b, :, a, :] = out[a, :, b, :].T
    return out.reshape(R * p, R * p)
