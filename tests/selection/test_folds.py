"""Folds of a comparison: what must never be on both sides."""

from __future__ import annotations

import numpy as np
import pytest

from linscope.selection.comparison.scoring.folds import Rows, outer_folds
from linscope.selection.comparison.scoring.folds import split as split_rows


def _rows(n=60, classes=3, groups=None, order=None):
    codes = None if classes is None else np.arange(n) % classes
    return Rows(codes, groups, order, n)


def test_every_row_judges_once_in_each_repeat():
    folds = outer_folds(_rows(), 5, 3, 0)
    assert (folds.folds, folds.repeats, len(folds.splits)) == (5, 3, 15)
    for repeat in range(3):
        tests = [split.test for split in folds.splits[5 * repeat : 5 * repeat + 5]]
        assert sorted(np.concatenate(tests)) == list(range(60))
    assert all(not set(split.train) & set(split.test) for split in folds.splits)
    assert not np.array_equal(folds.splits[0].test, folds.splits[5].test)
    assert folds.words == "5 stratified folds, 3 times"


@pytest.mark.parametrize(
    ("n", "folds", "repeats"),
    [(60, 10, 2), (24, 8, 2), (12, 4, 5), (300, 10, 2), (303, 5, 2), (5_000, 5, 2), (5_001, 5, 1)],
)
def test_small_tables_have_more_folds_and_more_scores(n, folds, repeats):
    found = outer_folds(_rows(n), None, None, 0)
    assert (found.folds, found.repeats) == (folds, repeats)


def test_time_keeps_five_folds_and_one_order():
    found = outer_folds(_rows(60, order=np.arange(60.0)), None, None, 0)
    assert (found.folds, found.repeats) == (5, 1)


def test_classes_have_their_share_in_every_fold():
    codes = np.r_[np.zeros(90, int), np.ones(10, int)]
    for split in outer_folds(Rows(codes, None, None, 100), 5, 1, 0).splits:
        assert codes[split.test].sum() == 2


@pytest.mark.parametrize("classes", [None, 2])
def test_a_group_is_never_on_both_sides(classes):
    groups = np.repeat(np.arange(12), 5)
    for split in outer_folds(_rows(60, classes, groups), 4, 2, 0).splits:
        assert not set(groups[split.train]) & set(groups[split.test])


def test_in_time_folds_are_judged_by_later_rows():
    order = np.random.default_rng(0).permutation(60).astype(float)
    folds = outer_folds(_rows(60, 2, None, order), 4, None, 0)
    assert folds.repeats == 1
    for split in folds.splits:
        assert order[split.train].max() < order[split.test].min()


def test_as_many_folds_as_the_rarest_class_has_rows():
    codes = np.r_[np.zeros(30, int), np.ones(3, int)]
    rows = Rows(codes, None, None, 33)
    assert outer_folds(rows, None, 1, 0).folds == 3
    with pytest.raises(ValueError, match="rarest class has 3 rows: use at most 3"):
        outer_folds(rows, 5, 1, 0)
    with pytest.raises(ValueError, match="rarest class has 2 rows: at least 3"):
        outer_folds(Rows(np.r_[np.zeros(9, int), 1, 1], None, None, 11), None, 1, 0)
    with pytest.raises(ValueError, match="at least 2"):
        outer_folds(_rows(), 1, 1, 0)


def test_inner_folds_have_every_class():
    codes = np.r_[np.zeros(30, int), np.ones(3, int)]
    rows = Rows(codes, None, None, 33)
    for outer in outer_folds(rows, None, 1, 0).splits:
        part = rows.take(outer.train)
        for inner in split_rows(part, 5, 0):
            assert set(part.codes[inner.train]) == {0, 1}


def test_a_class_that_comes_late_is_named():
    codes = np.r_[np.zeros(50, int), np.ones(10, int)]
    with pytest.raises(ValueError, match="no row of some class to learn from"):
        outer_folds(Rows(codes, None, np.arange(60.0), 60), 4, 1, 0)
