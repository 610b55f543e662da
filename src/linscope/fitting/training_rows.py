"""The rows of a fit, for what asks for them afterwards; no large table is kept alive for that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar
from weakref import ref

import numpy as np
from scipy import sparse

from linscope.engines import Source

# Numbers of a table that is copied: half a megabyte costs little to keep.
SMALL = 1 << 16
GONE = object()
NOT_AT_HAND = (
    "the training rows are not at hand: a model keeps no large table, and its file none; "
    "pass X and y"
)

Read = TypeVar("Read", bound=tuple[Any, ...])


class TrainingRows(Generic[Read]):
    """Where the training rows are found again.

    A small table is copied (a compressed one is kept), and one that is read in batches is read
    again. Of any other table there are weak references only: its rows are at hand as long as
    somebody else holds the table.

    Parameters
    ----------
    training : X, targets and weights as ``fit`` has read them
    given : X, y and sample_weight as ``fit`` was given them

    Attributes
    ----------
    kept : whether the rows are at hand for as long as the model
    """

    def __init__(self, training: Read, given: tuple[Any, ...]) -> None:
        source = given[0] if isinstance(given[0], Source) else None
        small = _size(training) <= SMALL
        self.kept = small or (source is not None and _may_be_kept(source))
        self._copy = type(training)(*map(_copied, training)) if small else None
        self._given: list[Callable[[], Any]] = []
        if not small:
            self._given = [_always(one) if self.kept else _weakly(one) for one in given]

    def find(self, read: Callable[..., Read]) -> Read | None:
        """The rows, where they are not copied by ``read(X, y, sample_weight)``; None if gone."""
        if self._copy is not None:
            return self._copy
        found = [one() for one in self._given]
        return None if any(one is GONE for one in found) else read(*found)


def _may_be_kept(source: Source) -> bool:
    compressed = source.weight_kind is not None  # rows of its own, not the user's
    return not source.in_memory or (compressed and bool(np.prod(source.shape) <= SMALL))


def _always(one: Any) -> Callable[[], Any]:
    return lambda: one


def _weakly(one: Any) -> Callable[[], Any]:
    """What returns the object while somebody holds it, and then ``GONE``."""
    if one is None:
        return _always(None)
    try:
        held = ref(one)
    except TypeError:  # a list
        return _always(GONE)
    return lambda: GONE if held() is None else held()


def _size(training: tuple[Any, ...]) -> float:
    """Numbers in arrays; infinite for rows that are elsewhere."""
    total = 0
    for one in training:
        if sparse.issparse(one):
            total += one.nnz + one.shape[0]
        elif isinstance(one, np.ndarray):
            total += one.size
        elif hasattr(one, "shape"):
            return np.inf
    return total


def _copied(one: Any) -> Any:
    return one.copy() if isinstance(one, np.ndarray) or sparse.issparse(one) else one
