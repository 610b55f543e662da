"""How often is class i predicted where class j is true? One pass over two columns of labels.

    C[i, j] = Σ weight of the samples of class i that are predicted as class j

The blocks of an engine are counted, and their counts added in a fixed order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linscope._compiling import kernel
from linscope.data.labels import Labels, encode_labels
from linscope.engines import Engine, choose
from linscope.rows.blocks import Block
from linscope.rows.threads import Workers

BLOCK = 1 << 18
MOST_CLASSES = 10_000
NUMBERS = "biuf"


class Pairs(NamedTuple):
    """Sorted classes of both columns, and the class number of each sample in both."""

    classes: np.ndarray
    actual: np.ndarray
    predicted: np.ndarray


def read_pairs(y_true: Any, y_pred: Any, labels: Any = None) -> Pairs:
    """Number the classes of both columns 0 … K−1 in their common sorted order."""
    work = (("y_true", y_true), ("y_pred", y_pred))
    actual, predicted = Workers().map(_encoded, work)
    if len(actual.codes) != len(predicted.codes):
        raise ValueError(
            f"y_true and y_pred have inconsistent numbers of samples: {len(actual.codes)} and "
            f"{len(predicted.codes)}"
        )
    known = [actual.classes, predicted.classes]
    if labels is not None:
        known.append(_encoded(("labels", labels)).classes)
    classes = _union(known)
    if len(classes) > MOST_CLASSES:
        raise ValueError(
            f"the labels have {len(classes)} different values, more than {MOST_CLASSES}: are they "
            "classes, or numbers that a regression predicts?"
        )
    return Pairs(classes, _renumbered(actual, classes), _renumbered(predicted, classes))


def _encoded(column: tuple[str, Any]) -> Labels:
    name, values = column
    try:
        return encode_labels(values, fewest=1)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _union(known: list[np.ndarray]) -> np.ndarray:
    """All classes in order; numbers and words cannot be put in one order."""
    first = known[0]
    for other in known[1:]:
        if (first.dtype.kind in NUMBERS) != (other.dtype.kind in NUMBERS):
            one, two = first.tolist()[0], other.tolist()[0]
            raise ValueError(
                f"the labels are of different kinds, for instance {one!r} "
                f"({type(one).__name__}) and {two!r} ({type(two).__name__}): use the same labels "
                "for what is true and what is predicted"
            )
    if all(len(each) == len(first) and (each == first).all() for each in known):
        return first
    return np.unique(np.concatenate(known))


def _renumbered(labels: Labels, classes: np.ndarray) -> np.ndarray:
    if len(labels.classes) == len(classes):
        return labels.codes
    return np.searchsorted(classes, labels.classes)[labels.codes]


def answers(pairs: Pairs, weight: Any = None) -> Engine:
    """Rows that hold the predicted class; their targets are the actual ones."""
    # A table has floats: the bits of class numbers are taken for such, which copies nothing.
    return choose(pairs.predicted.view(np.float64)[:, None], pairs.actual, weight)


def count_pairs(engine: Engine, k: int) -> np.ndarray:
    """The matrix C of ``answers``: integers, or sums of weights.

    >>> pairs = Pairs(np.arange(2), actual=np.array([0, 0, 1]), predicted=np.array([0, 1, 1]))
    >>> count_pairs(answers(pairs), 2)
    array([[1, 1],
           [0, 1]])
    """
    # With many classes the tables cost more than the samples.
    return engine.cut(max(BLOCK, 2 * k * k)).fold(_count_block, k)


def _count_block(block: Block, k: int) -> np.ndarray:
    predicted = block.X[:, 0].view(np.int64)
    if block.weighted:
        return _add_weights(block.y, predicted, block.weight, k)
    return _count(block.y, predicted, k)


@kernel
def _count(actual, predicted, k):
    # Two tables in turn: an increment need not wait for the one before when the pair repeats.
    table = np.zeros((2, k, k), dtype=np.int64)
    for i in range(len(actual)):
        table[i & 1, actual[i], predicted[i]] += 1
    return table[0] + table[1]


@kernel
def _add_weights(actual, predicted, weight, k):
    table = np.zeros((k, k), dtype=np.float64)
    for i in range(len(actual)):
        table[actual[i], predicted[i]] += weight[i]
    return table
