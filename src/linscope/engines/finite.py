"""Are all numbers of an engine's rows finite, and if not, where is the first that is not?"""

from __future__ import annotations

from typing import Any, NamedTuple

from linscope.rows.blocks import Block
from linscope.rows.finite import NotFinite, complain, first_not_finite

from .base import Engine


def check_rows(engine: Engine, names: list[str] | None = None) -> float:
    """Raise ValueError that names the first row and column of X, or row of y, that is not finite.

    Returns a number that is at least the largest |x|, and at most some hundred times that.
    """
    found, targets = engine.fold(_look)
    if found.first is not None:
        complain(found.first, names, "X")
    if targets.first is not None:
        complain(targets.first, None, "y")
    return found.largest


class _Found(NamedTuple):
    largest: float
    first: NotFinite | None

    def plus(self, other: _Found) -> _Found:
        return _Found(max(self.largest, other.largest), self.first or other.first)


def _look(block: Block) -> tuple[_Found, _Found]:
    """What is found in X and in y, where class numbers need no look."""
    counted = block.y is None or block.y.dtype.kind in "iub"
    return _found(block, block.X), _Found(0.0, None) if counted else _found(block, block.y)


def _found(block: Block, values: Any) -> _Found:
    found: Any = first_not_finite(values)
    if isinstance(found, float):
        return _Found(found, None)
    return _Found(0.0, found._replace(row=block.start + found.row))
