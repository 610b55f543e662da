"""The binary problems of a classifier of K classes, as a certificate of several parts has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from linscope.data import encode_labels, to_matrix
from linscope.rows.finite import check_finite


class Given(NamedTuple):
    """The data of a check: rows, labels, the number of each row's label, weights or None."""

    matrix: Any
    known: np.ndarray
    codes: np.ndarray
    weight: np.ndarray | None


def read_data(claim: Any, X: Any, y: Any, sample_weight: Any) -> Given:
    """What was given, as arrays; ValueError if the claim is about other labels or weights."""
    matrix, names = to_matrix(X)
    check_finite(matrix, names)
    known, codes = encode_labels(y, n_samples=matrix.shape[0])
    if known.tolist() != claim.classes.tolist():
        raise ValueError(f"labels {known.tolist()}, expected {claim.classes.tolist()}")
    return Given(matrix, known, codes, read_weight(claim, sample_weight, len(codes)))


def read_weight(claim: Any, sample_weight: Any, n: int) -> np.ndarray | None:
    """The weights of n samples, None if the fit had none; ValueError if they are no weights."""
    if sample_weight is None:
        if claim.weighted:
            raise ValueError("the fit used sample weights: pass sample_weight")
        return None
    c = np.asarray(sample_weight, dtype=np.float64)
    if c.shape != (n,) or not (np.isfinite(c).all() and (c >= 0).all()):
        raise ValueError(f"sample_weight must be {n} finite numbers that are not negative")
    return c


class PartRows(NamedTuple):
    """One part: its rows among all, and which of these are positive."""

    name: str
    part: Any
    rows: Any
    positive: np.ndarray


def split_parts(parts: Mapping[str, Any], known: np.ndarray, codes: np.ndarray) -> list[PartRows]:
    """The rows of each part; ValueError unless the parts are all classes or all pairs.

    Parameters
    ----------
    parts : name -> certificate, whose ``side`` is (positive label, negative label or None for the
        rest)
    known, codes : the labels, and the number of each row's label
    """
    labels = known.tolist()
    sides = [_numbers(part.side, labels) for part in parts.values()]
    count = len(labels)
    rest = [(k, None) for k in range(count)]
    pairs = [(b, a) for a in range(count) for b in range(a + 1, count)]
    if sides not in (rest, pairs):
        raise ValueError("the parts are neither one for each class nor one for each pair")
    return list(_rows(parts, sides, codes))


def _numbers(side: Any, labels: list) -> tuple[int, int | None]:
    if side is None:
        raise ValueError("a part does not say which labels it tells apart")
    positive, negative = side
    return labels.index(positive), None if negative is None else labels.index(negative)


def _rows(parts: Mapping[str, Any], sides: list, codes: np.ndarray) -> Iterator[PartRows]:
    for (name, part), (positive, negative) in zip(parts.items(), sides, strict=True):
        rows: Any = slice(None)
        if negative is not None:
            rows = np.flatnonzero((codes == positive) | (codes == negative))
        yield PartRows(name, part, rows, codes[rows] == positive)
