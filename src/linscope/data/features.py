"""New features that make classes separable: powers and products, distances, Gaussian bumps."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.validation import check_is_fitted, validate_data

from linscope._bridge import check_feature_names_in
from linscope.rows.finite import check_finite

from .tables import to_matrix

__all__ = ["PolynomialFeatures", "RadialFeatures"]


class RadialFeatures(TransformerMixin, BaseEstimator):
    """Append the squared distance to one or more centres, or a Gaussian bump round each.

        r_k² = ‖x − c_k‖²          or, with ``gamma``,          exp(−γ‖x − c_k‖²)

    One class inside a ring of another is not separable by a line, but with r² as a third
    coordinate it is separable by a plane.

    Parameters
    ----------
    centers : "origin", "mean", "kmeans" or array of shape (n_centers, n_features)
        "mean" is the mean of the training rows; "kmeans" finds ``n_centers`` centres in them.
    gamma : float, optional
        Width of the bumps, 1/(2σ²). Without it the squared distances themselves are appended.
    n_centers : int
        How many centres "kmeans" looks for.
    random_state : int, RandomState or None
        Start of "kmeans".

    Attributes
    ----------
    centers_ : ndarray of shape (n_centers, n_features)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, when the training table had names

    Examples
    --------
    XOR is not separable, but with a bump at each end of the diagonal it is:

    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> RadialFeatures(centers=[[1, 1], [0, 0]], gamma=1.0).fit_transform(X)[:, 2:].round(2)
    array([[0.14, 1.  ],
           [0.37, 0.37],
           [0.37, 0.37],
           [1.  , 0.14]])

    The two bumps add up to 1.14 for the one class and 0.74 for the other. The squared distance to
    the mean works too; it separates the corners of the square from its middle:

    >>> RadialFeatures(centers="mean").fit([[0, 0], [2, 2]]).transform([[0, 0], [1, 1]])
    array([[0., 0., 2.],
           [1., 1., 0.]])
    """

    def __init__(
        self,
        centers: Any = "origin",
        *,
        gamma: float | None = None,
        n_centers: int = 8,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.centers = centers
        self.gamma = gamma
        self.n_centers = n_centers
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> RadialFeatures:
        """Find the centres."""
        matrix = self._matrix(X, reset=True)
        if self.gamma is not None and not (_is_real(self.gamma) and 0 < self.gamma < np.inf):
            raise ValueError(f"gamma must be a positive number or None, got {self.gamma!r}")
        self.centers_ = self._find_centers(matrix).astype(matrix.dtype, copy=False)
        return self

    def transform(self, X: Any) -> Any:
        """The features, and after them a column for each centre."""
        check_is_fitted(self)
        matrix = self._matrix(X, reset=False)
        new = self._distances(matrix).astype(matrix.dtype, copy=False)
        if sp.issparse(matrix):
            return type(matrix)(sp.hstack([matrix, sp.csr_array(new)], format="csr"))
        return np.hstack([matrix, new])

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the features, then r², r²_0 …, or bump_0 …"""
        check_is_fitted(self)
        names = check_feature_names_in(self, input_features)
        count = len(self.centers_)
        stem = "r²" if self.gamma is None else "bump"
        new = [stem] if count == 1 else [f"{stem}_{k}" for k in range(count)]
        return np.asarray([*names, *new], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _matrix(self, X: Any, *, reset: bool) -> Any:
        matrix, names = to_matrix(X)
        # scikit-learn remembers and compares the names and the number of features.
        validate_data(self, X, skip_check_array=True, reset=reset)
        check_finite(matrix, names)
        return matrix

    def _find_centers(self, matrix: Any) -> np.ndarray:
        width = matrix.shape[1]
        if isinstance(self.centers, str):
            if self.centers == "origin":
                return np.zeros((1, width))
            if self.centers == "mean":
                return np.asarray(matrix.mean(axis=0, dtype=np.float64)).reshape(1, width)
            if self.centers == "kmeans":
                return self._kmeans(matrix)
            raise ValueError(
                f"centers must be 'origin', 'mean', 'kmeans' or an array, got {self.centers!r}"
            )
        centers, _ = to_matrix(self.centers, name="centers")
        check_finite(centers, name="centers")
        if centers.shape[1] != width:
            raise ValueError(f"centers has {centers.shape[1]} columns, but X has {width} features")
        return centers.toarray() if sp.issparse(centers) else centers

    def _kmeans(self, matrix: Any) -> np.ndarray:
        from sklearn.cluster import KMeans

        if not isinstance(self.n_centers, int | np.integer) or not (
            1 <= self.n_centers <= matrix.shape[0]
        ):
            raise ValueError(
                "n_centers must be a whole number from 1 to the number of samples "
                f"(n_samples = {matrix.shape[0]}), got {self.n_centers!r}"
            )
        model = KMeans(self.n_centers, n_init=10, random_state=self.random_state)
        return model.fit(matrix).cluster_centers_

    def _distances(self, matrix: Any) -> np.ndarray:
        """‖x − c‖² by subtraction: the expanded square would lose digits far from the origin."""
        out = np.empty((matrix.shape[0], len(self.centers_)))
        step = max(1, (1 << 16) // matrix.shape[1])
        for start in range(0, len(out), step):
            block = matrix[start : start + step]
            block = block.toarray() if sp.issparse(block) else block
            for k, center in enumerate(self.centers_):
                away = np.subtract(block, center, dtype=np.float64)
                out[start : start + step, k] = np.einsum("ij,ij->i", away, away)
        return out if self.gamma is None else np.exp(-self.gamma * out)


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
