"""The notes' two preparations of the samples: augment and reflect."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .given import accepts_dataset
from .labels import encode_labels, signs
from .tables import to_matrix


def augment(X: Any) -> Any:
    """Put a column of ones before the features, so that ``w[0]`` is the bias.

        x = [x1 … xd]  →  [1, x1 … xd]

    Parameters
    ----------
    X : table of any kind, n × d

    Returns
    -------
    n × (d + 1) array, or CSR matrix when ``X`` is sparse, of the same floating-point type

    Examples
    --------
    Good attendance, tall, sleeps in class, chews gum of Jane, Steve, Mary and Peter:

    >>> augment([[1, 1, -1, -1], [1, 1, 1, 1], [-1, -1, -1, 1], [1, -1, -1, 1]])
    array([[ 1.,  1.,  1., -1., -1.],
           [ 1.,  1.,  1.,  1.,  1.],
           [ 1., -1., -1., -1.,  1.],
           [ 1.,  1., -1., -1.,  1.]])
    """
    matrix, _ = to_matrix(X)
    if sp.issparse(matrix):
        ones = sp.csr_array(np.ones((matrix.shape[0], 1), dtype=matrix.dtype))
        kind = type(matrix)
        return kind(sp.hstack([ones, matrix], format="csr", dtype=matrix.dtype))
    out = np.empty((matrix.shape[0], matrix.shape[1] + 1), dtype=matrix.dtype)
    out[:, 0] = 1.0
    out[:, 1:] = matrix
    return out


@accepts_dataset
def reflect(X: Any, y: Any = None) -> Any:
    """Augment, then turn the samples of the first class round.

        x  →  y·[1, x],  y = ±1

    A vector ``w`` separates the classes exactly when ``w·x > 0`` for every reflected sample. The
    notes call this "normalization".

    Parameters
    ----------
    X : table of any kind, n × d
    y : labels of two classes; the second in sorted order is +1, the first is −1

    Returns
    -------
    n × (d + 1) array, or CSR matrix when ``X`` is sparse

    Examples
    --------
    Steve and Mary did not get an A:

    >>> reflect([[1, 1, -1, -1], [1, 1, 1, 1], [-1, -1, -1, 1], [1, -1, -1, 1]], [1, -1, -1, 1])
    array([[ 1.,  1.,  1., -1., -1.],
           [-1., -1., -1., -1., -1.],
           [-1.,  1.,  1.,  1., -1.],
           [ 1.,  1., -1., -1.,  1.]])
    """
    samples = augment(X)
    labels = encode_labels(y, n_samples=samples.shape[0])
    if len(labels.classes) > 2:
        raise ValueError(
            f"reflection needs two classes, y has {len(labels.classes)}: "
            f"{', '.join(map(str, labels.classes[:10]))}"
        )
    sign = signs(labels.codes).astype(samples.dtype)
    if sp.issparse(samples):
        samples.data *= np.repeat(sign, np.diff(samples.indptr))
        return samples
    samples *= sign[:, None]
    return samples
