"""Similarity functions K(x, z) = φ(x)·φ(z) of the rows of X with the rows of Z.

Each takes two matrices, dense or CSR, and returns the dense matrix of all pairs. The arithmetic
is done in the floating-point type of the inputs; ``gram`` calls them with float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

Kernel = Callable[..., np.ndarray]


# K(x, z) = x·z
def linear(X: Any, Z: Any) -> np.ndarray:
    """The plain dot product.

    >>> linear(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    array([[11.]])
    """
    if not sp.issparse(X) and not sp.issparse(Z):
        return X @ Z.T
    product = X @ Z.T
    return np.ascontiguousarray(product.toarray() if sp.issparse(product) else product)


# K(x, z) = (γ x·z + c0)^p; the notes have γ = c0 = 1
def poly(X: Any, Z: Any, *, gamma: float, degree: int, coef0: float) -> np.ndarray:
    """All products of up to ``degree`` features.

    >>> x, z = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])
    >>> poly(x, z, gamma=1.0, degree=2, coef0=1.0)
    array([[144.]])
    """
    K = linear(X, Z)
    K *= gamma
    K += coef0
    return whole_power(K, degree)


def whole_power(K: np.ndarray, degree: int) -> np.ndarray:
    """K^degree by squaring, many times faster than ``np.power``; may overwrite K."""
    power = None
    while degree:
        if degree & 1:
            power = K.copy() if power is None else np.multiply(power, K, out=power)
        degree >>= 1
        if degree:
            np.multiply(K, K, out=K)
    return np.ones_like(K) if power is None else power


# K(x, z) = exp(−γ‖x − z‖²), γ = 1/(2σ²)
def rbf(X: Any, Z: Any, *, gamma: float) -> np.ndarray:
    """The Gaussian bump round each row of Z.

    >>> rbf(np.array([[0.0, 0.0]]), np.array([[0.0, 0.0], [0.0, 1.0]]), gamma=np.log(2)).round(6)
    array([[1. , 0.5]])
    """
    K = squared_distances(X, Z)
    K *= -gamma
    return np.exp(K, out=K)


# K(x, z) = tanh(γ x·z + c0); the notes' β0 = γ, β1 = c0
def sigmoid(X: Any, Z: Any, *, gamma: float, coef0: float) -> np.ndarray:
    """A soft step of the dot product. It is not an inner product for every γ and c0.

    >>> sigmoid(np.array([[1.0]]), np.array([[0.0]]), gamma=1.0, coef0=0.0)
    array([[0.]])
    """
    K = linear(X, Z)
    K *= gamma
    K += coef0
    return np.tanh(K, out=K)


# ‖x − z‖² = Σ(x_k − z_k)²; ‖x‖² − 2 x·z + ‖z‖² would cancel far from the origin
def squared_distances(X: Any, Z: Any) -> np.ndarray:
    """Squared distances of all pairs of rows; exactly 0 for rows that are the same.

    >>> squared_distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([[25.]])
    """
    from scipy.spatial.distance import cdist  # takes long to import, and few kernels need it

    return cdist(*_dense(X, Z), "sqeuclidean")


# 2 x·z − ‖x‖² − ‖z‖² is wrong by up to 4(d + 4)u max ‖x‖²: where that is little, BLAS is quicker
def quick_rbf(X: Any, Z: Any, *, gamma: float) -> np.ndarray:
    """The same for rows near the origin, by one product of matrices; at most 1."""
    K = linear(X, Z)
    K *= -2.0
    K += squared_norms(X)[:, None]
    K += squared_norms(Z)
    np.maximum(K, 0.0, out=K)
    K *= -gamma
    return np.exp(K, out=K)


def _dense(X: Any, Z: Any) -> tuple[np.ndarray, np.ndarray]:
    """Of sparse rows the columns that are used."""
    if sp.issparse(X) or sp.issparse(Z):
        X, Z = sp.csr_array(X), sp.csr_array(Z)
        used = np.union1d(X.indices, Z.indices)
        X, Z = X[:, used].toarray(), Z[:, used].toarray()
    return X, Z


def squared_norms(X: Any) -> np.ndarray:
    """‖x‖² of each row."""
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


# name -> (function, the parameters it takes)
KERNELS: dict[str, tuple[Kernel, tuple[str, ...]]] = {
    "linear": (linear, ()),
    "poly": (poly, ("gamma", "degree", "coef0")),
    "rbf": (rbf, ("gamma",)),
    "sigmoid": (sigmoid, ("gamma", "coef0")),
}
