"""Folds and labels of the rows that were given, and of those that have a positive weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.data import encode_labels
from linscope.fitting.training import Training

from .splits import Split, check_classes


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
