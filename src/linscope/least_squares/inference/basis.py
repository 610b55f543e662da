"""Rows in coordinates where least squares is trivial.

Let T be a root of the slopes' part of the inverse, T Tᵀ = (AᵀCA)⁻¹[1:, 1:]. With an intercept
(and W = Σ cᵢ, x̄ the weighted mean)

    qᵢ = √cᵢ [1/√W, Tᵀ(xᵢ − x̄)]          and  w = P θ,   P = [1/√W  −x̄ᵀT]
                                                            [  0       T  ]

has Σ qᵢqᵢᵀ = I, P Pᵀ = (AᵀCA)⁻¹. The leverage of a row is ‖qᵢ‖², the variance of a fitted mean is
σ²‖q‖², a robust covariance is P (Σ sᵢ qᵢqᵢᵀ) Pᵀ. Nothing cancels when the features are far from 0,
because they are centred before they are multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from linscope.rows.blocks import Block

from .fit import LinearFit


@dataclass(frozen=True, eq=False)
class Basis:
    """The change of coordinates of a fit; made by ``basis_of``.

    Attributes
    ----------
    root : (d, rank) T, T Tᵀ = the slopes' part of the (pseudo-)inverse
    means : (d,) weighted means of the features, zeros without intercept
    total : Σ cᵢ
    fit_intercept : whether q has a first entry for it
    """

    root: np.ndarray
    means: np.ndarray
    total: float
    fit_intercept: bool

    @property
    def size(self) -> int:
        """How many coefficients the rows decide."""
        return self.root.shape[1] + int(self.fit_intercept)

    @property
    def matrix(self) -> np.ndarray:
        """P with w = P θ."""
        if not self.fit_intercept:
            return self.root
        P = np.zeros((len(self.means) + 1, self.size))
        P[0, 0] = 1 / np.sqrt(self.total)
        P[0, 1:] = -self.means @ self.root
        P[1:, 1:] = self.root
        return P

    def slopes_part(self, X: Any) -> np.ndarray:
        """Tᵀ(x − x̄) of each row of a block."""
        if sp.issparse(X):
            return np.asarray(X.astype(np.float64) @ self.root) - self.means @ self.root
        return (np.asarray(X, dtype=np.float64) - self.means) @ self.root

    def rows(self, block: Block) -> np.ndarray:
        """q of each row of a block; a block without weights has c = 1."""
        Z = self.slopes_part(block.X)
        if self.fit_intercept:
            Z = np.column_stack([np.full(len(Z), 1 / np.sqrt(self.total)), Z])
        if block.weighted:
            Z *= np.sqrt(block.weight)[:, None]
        return Z


def basis_of(fit: LinearFit) -> Basis:
    """The coordinates of a fit with an inverse."""
    fit.need_valid("standard errors")
    skip = int(fit.fit_intercept)
    if fit.inverse_root is not None:
        # M = S Sᵀ = RᵀR for Sᵀ = QR: a square root of the same matrix.
        R = scipy.linalg.qr(fit.inverse_root[skip:].T, mode="r")[0]
        root = np.ascontiguousarray(R[: fit.df_model].T)
    else:
        assert fit.inverse is not None
        root = _root(fit.inverse[skip:, skip:])
    means = _means(fit) if skip else np.zeros(fit.df_model)
    return Basis(root, means, fit.total, fit.fit_intercept)


def basis_from_rows(fit: LinearFit) -> Basis:
    """The coordinates of plain least squares on the rows of any fit, penalised or not.

    The pseudo-inverse is used where features repeat each other.
    """
    means = _means(fit) if fit.fit_intercept else np.zeros(fit.df_model)
    G = fit.engine().fold(partial(_gram, means))
    scale = np.sqrt(np.diag(G))
    scale = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(G / scale[:, None] / scale)
    keep = values > len(values) * 1e-12 * max(values[-1], 1.0)
    root = vectors[:, keep] / np.sqrt(values[keep]) / scale[:, None]
    return Basis(root, means, fit.total, fit.fit_intercept)


def _gram(means: np.ndarray, block: Block) -> np.ndarray:
    X = block.X.toarray() if sp.issparse(block.X) else block.X
    X = np.asarray(X, dtype=np.float64) - means
    return X.T @ (X if not block.weighted else X * block.weight[:, None])


def _root(M: np.ndarray) -> np.ndarray:
    """T with T Tᵀ = M; scaled first, so that the units of the features do not matter."""
    scale = np.sqrt(np.diag(M))
    scale = np.where(scale > 0, scale, 1.0)
    unit = M / scale[:, None] / scale
    try:
        return scale[:, None] * np.linalg.cholesky(unit)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(unit)
        return scale[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))


def _means(fit: LinearFit) -> np.ndarray:
    if fit.means is not None:
        return np.asarray(fit.means, dtype=np.float64)
    if fit.has_rows:
        return fit.engine().fold(_weighted_sum) / fit.total
    # The first row of the inverse is [1/W + x̄ᵀMx̄, −x̄ᵀM].
    assert fit.inverse is not None
    return np.linalg.solve(fit.inverse[1:, 1:], -fit.inverse[1:, 0])


def _weighted_sum(block: Block) -> np.ndarray:
    # A product with float64 adds in float64, also for a sparse float32 block.
    c = np.ones(block.X.shape[0]) if not block.weighted else block.weight
    return np.asarray(block.X.T @ c)
