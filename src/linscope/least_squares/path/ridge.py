"""Ridge regression for many α, in plain floats: for searches, which keep none of the fits.

With X and y centred on the training rows the weights are

    w = (XᵀX + αI)⁻¹ Xᵀy = Xᵀ (XXᵀ + αI)⁻¹ y,

so that all α share one Gram matrix, the smaller of the two, and each needs one Cholesky factor.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import cho_factor, cho_solve


def ridge_answers(
    X: np.ndarray, y: np.ndarray, new: np.ndarray, alphas: Sequence[float]
) -> np.ndarray:
    """Predictions for the rows ``new``, shape (alphas, rows), by fits to X (n, d) and y (n,).

    Every α must be positive, and the columns of about the same size, as after standardising.

    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]]), np.array([2.0, 4.0, 5.0, 4.0, 5.0])
    >>> ridge_answers(X, y, np.array([[3.0], [4.0]]), [5.0, 10.0])
    array([[4. , 4.4],
           [4. , 4.3]])
    """
    middle, mean = X.mean(axis=0), y.mean()
    X, new, rest = X - middle, new - middle, y - mean
    tall = X.shape[0] >= X.shape[1]
    gram = X.T @ X if tall else X @ X.T
    # Of the right side, and from the solution to predictions.
    right, onward = (X.T @ rest, new) if tall else (rest, new @ X.T)
    found = []
    for alpha in alphas:
        factor = cho_factor(gram + alpha * np.eye(len(gram)), lower=True, check_finite=False)
        found.append(mean + onward @ cho_solve(factor, right, check_finite=False))
    return np.array(found)
