"""An evaluation of counts that someone has printed: a confusion matrix, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.data.labels import encode_labels
from linscope.rows.finite import check_finite

from .evaluation import Evaluation


def of_matrix(matrix: Any, labels: Any, positive: Any, rows: str) -> Evaluation:
    """See ``linscope.evaluate``; ``rows`` says what the rows of the matrix are."""
    counts = _read_counts(matrix)
    names = _names(len(counts), rows) if labels is None else labels
    classes, codes = encode_labels(names, fewest=1)
    if len(codes) != len(counts):
        raise ValueError(f"the matrix is of {len(counts)} classes, labels name {len(codes)}")
    if len(classes) != len(counts):
        raise ValueError("labels name a class twice")
    code = positive_code(positive, classes)
    return Evaluation(
        labels=classes[codes],
        positive=None if code is None else classes.tolist()[code],
        n_samples=int(counts.sum()),
        rows=rows,
        matrix=counts.T if rows == "predicted" else counts,
        printed=True,
    )


def _names(k: int, rows: str) -> list[Any]:
    """The order of two classes is that in which ``evaluate`` prints them."""
    if k == 2:
        return ["positive", "negative"][:: 1 if rows == "predicted" else -1]
    return list(range(1, k + 1))


def _read_counts(matrix: Any) -> np.ndarray:
    counts = np.asarray(matrix)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or len(counts) < 2:
        raise ValueError(
            "a confusion matrix is square, a row and a column for each of two or more classes; "
            f"this one has shape {counts.shape}"
        )
    if counts.dtype.kind not in "biuf":
        raise ValueError(f"a confusion matrix has counts, got {counts.dtype}")
    check_finite(counts, name="matrix")
    whole = counts.astype(np.int64)
    bad = np.argwhere((whole != counts) | (counts < 0))
    if len(bad):
        i, j = bad[0].tolist()
        raise ValueError(
            f"the matrix has {counts[i, j]} at row {i}, column {j}: counts are whole numbers of at "
            "least 0"
        )
    if not whole.any():
        raise ValueError("all counts are 0: there are no samples to judge by")
    return whole


def positive_code(positive: Any, classes: np.ndarray) -> int | None:
    """The number of the positive class; with K classes there is none unless it is named."""
    known = classes.tolist()
    if positive is None:
        return 1 if len(known) == 2 else None
    if positive not in known:
        shown = ", ".join(map(repr, known[:10]))
        raise ValueError(f"positive={positive!r} is no class of the data: known are {shown}")
    return known.index(positive)
