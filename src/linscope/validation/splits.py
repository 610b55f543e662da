"""Which rows train and which rows judge, fold by fold."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import check_cv

from linscope.data import encode_labels
from linscope.fitting.training import Training


class Split(NamedTuple):
    """Numbers of the rows that train, and of those that are held out."""

    train: np.ndarray
    test: np.ndarray


def read_splits(cv: Any, labels: np.ndarray) -> list[Split]:
    """The folds of an int (stratified, not shuffled), a splitter, or pairs of row numbers."""
    if isinstance(cv, bool | np.bool_ | float):
        raise ValueError(f"cv must be a number of folds, a splitter or pairs of rows, got {cv!r}")
    n = len(labels)
    if isinstance(cv, int | np.integer):
        _check_count(int(cv), labels)
    found = check_cv(cv, labels, classifier=True).split(np.empty((n, 0)), labels)
    splits = [_read_pair(number, pair, n) for number, pair in enumerate(found)]
    if len(splits) < 2:
        raise ValueError(f"cv has {len(splits)} fold: a standard error needs at least 2")
    return splits


def _check_count(cv: int, labels: np.ndarray) -> None:
    classes, counts = np.unique(labels, return_counts=True)
    if cv < 2:
        raise ValueError(f"cv={cv}: there must be at least 2 folds")
    if counts.min() < cv:
        rare = classes.tolist()[int(counts.argmin())]
        raise ValueError(
            f"cv={cv}, but class {rare!r} has only {counts.min()} samples: use fewer folds, or "
            "collect more of it"
        )


def _read_pair(number: int, pair: Any, n: int) -> Split:
    try:
        train, test = (_read_rows(rows, n) for rows in pair)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"fold {number} of cv must be a pair (rows to train, rows to test): {error}"
        ) from None
    return Split(train, test)


def _read_rows(rows: Any, n: int) -> np.ndarray:
    rows = np.asarray(rows)
    if rows.dtype == bool and rows.shape == (n,):
        rows = np.flatnonzero(rows)
    if rows.size == 0:
        raise ValueError("one of them is empty")
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        raise ValueError("row numbers must be integers in one dimension")
    if rows.min() < 0 or rows.max() >= n:
        raise ValueError(f"row {rows.max()} does not exist: there are {n}")
    return rows.astype(np.int64)


def check_classes(splits: list[Split], codes: np.ndarray, classes: np.ndarray) -> None:
    """Every fold must have some of each class to train on."""
    for number, split in enumerate(splits):
        counts = np.bincount(codes[split.train], minlength=len(classes))
        if counts.min() == 0:
            missing = classes.tolist()[int(counts.argmin())]
            raise ValueError(
                f"fold {number} of cv has no sample of class {missing!r} to train on: use fewer "
                "folds, or a stratified splitter such as StratifiedKFold(shuffle=True)"
            )


def labels_of(y: Any, training: Training) -> np.ndarray:
    """The label of every row that was given, also of those with weight 0."""
    classes, codes = training.classes, training.codes
    if len(training.ignored):
        classes, codes = encode_labels(y)
    return classes[codes]


def inside(given: list[Split], training: Training) -> list[Split]:
    """The folds in the rows of ``training``, which has none of weight 0; checked."""
    splits = given
    if len(training.ignored):
        place = np.ones(len(training.codes) + len(training.ignored), dtype=np.int64)
        place[training.ignored] = 0
        place = np.where(place > 0, np.cumsum(place) - 1, -1)
        splits = [
            Split(*(place[rows][place[rows] >= 0] for rows in (split.train, split.test)))
            for split in given
        ]
    for number, split in enumerate(splits):
        if len(split.test) == 0:
            raise ValueError(f"fold {number} of cv has only rows of weight 0 to be judged by")
    check_classes(splits, training.codes, training.classes)
    return splits


class Group(NamedTuple):
    """Rows start … stop of the sorted table, all used alike.

    Problem 0 is the whole table, problem f + 1 is fold f. ``train`` and ``test`` are the problems
    that learn from these rows and those that are judged by them.
    """

    start: int
    stop: int
    train: tuple[int, ...]
    test: tuple[int, ...]


# Rows are used in at most so many ways by the folds; with more, groups would be too small.
MOST_GROUPS, MOST_FOLDS = 64, 31


def group_rows(splits: list[Split], n: int) -> tuple[np.ndarray, list[Group]] | None:
    """An order of the rows in which rows that are used alike are neighbours, and the groups.

    None if a row is trained on twice by a fold, or if there are too many groups.
    """
    folds = len(splits)
    if folds > MOST_FOLDS:
        return None
    use = np.zeros(n, dtype=np.int64)
    for f, split in enumerate(splits):
        for rows, bit in ((split.train, 2 * f), (split.test, 2 * f + 1)):
            seen = np.zeros(n, dtype=bool)
            seen[rows] = True
            if seen.sum() < len(rows):
                return None
            use |= seen.astype(np.int64) << bit
    kinds, inverse, counts = np.unique(use, return_inverse=True, return_counts=True)
    if len(kinds) > MOST_GROUPS:
        return None
    order = np.argsort(inverse.astype(np.int16), kind="stable")
    borders = np.r_[0, np.cumsum(counts)].tolist()
    groups = [
        Group(
            borders[k],
            borders[k + 1],
            (0, *(f + 1 for f in range(folds) if kind >> (2 * f) & 1)),
            tuple(f + 1 for f in range(folds) if kind >> (2 * f + 1) & 1),
        )
        for k, kind in enumerate(kinds.tolist())
    ]
    return order, groups
