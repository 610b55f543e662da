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
    found = engine.fold(_look, "X")
    if found.first is not None:
        complain(found.first, names, "X")
    if engine.n_targets and (first := engine.fold(_look, "y").first) is not None:
        complain(first, None, "y")
    return found.largest


class _Found(NamedTuple):
    largest: float
    first: NotFinite | None

    def plus(self, other: _Found) -> _Found:
        return _Found(max(self.largest, other.largest), self.first or other.first)


def _look(block: Block, name: str) -> _Found:
    found: Any = first_not_finite(getattr(block, name))
    if isinstance(found, float):
        return _Found(found, None)
    return _Found(0.0, found._replace(row=block.start + found.row))
