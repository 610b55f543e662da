"""Which rows train and which rows judge: the outer folds, the same for all models, and the inner.

Classes are stratified; with groups no group is on both sides; with a time column every fold is
judged by rows later than those it learned from.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)

from linscope.validation.splits import Split

from ..options import Unsuited

FOLDS = 5
# Rows of a table, and of each class: to learn from, to search with two inner folds, to judge by.
LEAST, LEAST_OF_CLASS = 4, 3
# A fold of five judges models that have four fifths of the rows. On small tables that costs them
# some of their score, so there nine tenths are learned from.
SMALL, FOLDS_OF_SMALL = 300, 10
# Up to so many rows folds are drawn again until there are so many scores: the noise of a drawing
# is most of the interval.
SCORES = ((SMALL, 20), (5_000, 10))


class Rows(NamedTuple):
    """What splitting has to know of the rows: class codes (or None), groups, order in time.

    labels : of the classes, for messages
    """

    codes: np.ndarray | None
    groups: np.ndarray | None
    order: np.ndarray | None
    n: int
    labels: tuple = ()

    def take(self, rows: np.ndarray) -> Rows:
        codes, groups, order = (None if part is None else part[rows] for part in self[:3])
        return Rows(codes, groups, order, len(rows))


class Folds(NamedTuple):
    """All folds, repeat after repeat; ``words`` say what they are."""

    splits: list[Split]
    folds: int
    repeats: int
    words: str


def outer_folds(rows: Rows, folds: int | None, repeats: int | None, seed: int) -> Folds:
    """The folds that judge, with fewer of them where a class or the groups are too small."""
    small = rows.n <= SMALL and rows.order is None
    usual = FOLDS_OF_SMALL if small else FOLDS
    count = _allowed(rows, usual if folds is None else folds, given=folds is not None)
    if rows.order is not None:
        repeats = 1
    elif repeats is None:
        scores = next((scores for most, scores in SCORES if rows.n <= most), 1)
        repeats = max(1, scores // count)
    splits = [s for r in range(repeats) for s in split(rows, count, seed + r)]
    check_all_classes(rows, splits)
    kind = "stratified folds" if rows.codes is not None else "folds"
    if rows.order is not None:
        kind = "folds in order of time, each judged by later rows"
    elif rows.groups is not None:
        kind += " that keep groups together"
    times = "" if repeats == 1 else f", {repeats} times"
    return Folds(splits, count, repeats, f"{count} {kind}{times}")


def split(rows: Rows, folds: int, seed: int) -> list[Split]:
    """So many folds of these rows."""
    if rows.order is not None:
        return _in_time(rows.order, max(2, min(folds, rows.n - 1)))
    if rows.groups is not None:
        folds = max(2, min(folds, len(np.unique(rows.groups))))
    if rows.codes is not None:  # every part needs some of each class
        folds = max(2, min(folds, int(np.bincount(rows.codes).min())))
    shuffled = {"n_splits": folds, "shuffle": True, "random_state": seed}
    empty = np.empty((rows.n, 0))
    if rows.groups is not None:
        maker = GroupKFold if rows.codes is None else StratifiedGroupKFold
    else:
        maker = KFold if rows.codes is None else StratifiedKFold
    found = maker(**shuffled).split(empty, rows.codes, rows.groups)
    return [Split(train, test) for train, test in found]


def check_all_classes(rows: Rows, splits: list[Split]) -> None:
    """Every fold must have rows of each class to learn from; groups and times may prevent that."""
    if rows.codes is None:
        return
    classes = len(np.unique(rows.codes))
    for number, one in enumerate(splits, 1):
        if len(np.unique(rows.codes[one.train])) < classes:
            raise Unsuited(
                f"fold {number} has no row of some class to learn from: use fewer folds, or split "
                "without the group or time column"
            )


def _in_time(order: np.ndarray, folds: int) -> list[Split]:
    place = np.argsort(order, kind="stable")
    found = TimeSeriesSplit(n_splits=folds).split(place)
    return [Split(np.sort(place[train]), np.sort(place[test])) for train, test in found]


def _allowed(rows: Rows, folds: int, *, given: bool) -> int:
    """The number of folds, at most the rows of the rarest class and the number of groups."""
    if folds < 2:
        raise ValueError(f"{folds} folds: there must be at least 2")
    most, what = rows.n, f"the table has {rows.n} rows"
    if rows.codes is not None and rows.order is None:
        counts = np.bincount(rows.codes)
        rarest = int(counts.min())
        if rarest < LEAST_OF_CLASS:
            labels = rows.labels or range(len(counts))
            few = [str(labels[k]) for k in np.flatnonzero(counts < LEAST_OF_CLASS)]
            more = ", …" if len(few) > 5 else ""
            raise Unsuited(
                f"the rarest class has {rarest} rows: at least {LEAST_OF_CLASS} are needed, to "
                "learn from, to choose parameters by and to judge by; leave out the rows of "
                f"{', '.join(few[:5])}{more}, or join them with another class"
            )
        if rarest < most:
            most, what = rarest, f"the rarest class has {rarest} rows"
    if rows.groups is not None and rows.order is None and len(np.unique(rows.groups)) < most:
        most = len(np.unique(rows.groups))
        what = f"there are {most} groups"
        if most < LEAST_OF_CLASS:
            raise Unsuited(f"{what}, and a comparison needs at least {LEAST_OF_CLASS}")
    least = LEAST
    if rows.order is not None:  # the first fold learns from one part, and searches in three
        least, most = 9, rows.n // 3 - 1
    if rows.n < least:
        raise Unsuited(f"the table has {rows.n} rows, and a comparison needs at least {least}")
    if given and folds > most:
        raise Unsuited(f"{folds} folds, but {what}: use at most {most}")
    return min(folds, most)
