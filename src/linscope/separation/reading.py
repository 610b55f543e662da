"""What the exact certificates read: a finite float64 matrix and the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from linscope.data import Labels, encode_labels, signs, to_matrix
from linscope.rows.finite import check_finite

from .signed_rows import SignedRows


def read_table(X: Any, y: Any) -> tuple[Any, Labels]:
    """A dense or CSR float64 matrix with finite entries, and the encoded labels."""
    matrix, names = to_matrix(X, y=y)
    check_finite(matrix, names)
    labels = encode_labels(y, n_samples=matrix.shape[0])
    _refuse_rounded_integers(X, matrix)
    if sparse.issparse(matrix):
        matrix = sparse.csr_array(matrix)
    return matrix.astype(np.float64, copy=False), labels


def read_rows(X: Any, y: Any) -> tuple[SignedRows, tuple[Any, Any]]:
    """The signed rows of a two-class problem, and its (negative, positive) labels."""
    matrix, labels = read_table(X, y)
    if len(labels.classes) != 2:
        raise ValueError(f"y has {len(labels.classes)} classes, this verdict is about two")
    return SignedRows(matrix, signs(labels.codes)), tuple(labels.classes.tolist())


def _refuse_rounded_integers(X, matrix) -> None:
    """Integers beyond 2^53 change when they become float64, and so may the answer."""
    if matrix.dtype != np.float64 or sparse.issparse(matrix) or not matrix.size:
        return
    source = X if isinstance(X, np.ndarray) else None
    if isinstance(X, list | tuple):
        source = np.asarray(X)
    if source is None or source.dtype.kind not in "iuO" or np.abs(matrix).max() < 2.0**53:
        return
    for (i, j), value in np.ndenumerate(source):
        if abs(value) > 2**53 and int(matrix[i, j]) != value:
            raise ValueError(
                f"X has {value} at row {i}, column {j}, which float64 cannot hold exactly: pass "
                "X.astype(float) if rounding it is acceptable, or subtract an offset first"
            )
