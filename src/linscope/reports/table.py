"""A table as plain content: which columns, which rows, no markup."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Self

from .cells import Gap
from .formulas import plain

# Of a table that is too long, the first rows are shown and so many of the last.
TAIL = 5


class Column(NamedTuple):
    """A column under its header; ``latex`` where that is not the header with signs escaped."""

    header: str
    latex: str = ""
    right: bool = False

    @classmethod
    def formula(cls, source: str, right: bool = True) -> Self:
        """Under a formula, given in LaTeX."""
        return cls(plain(source), f"${source}$", right)


class Row(NamedTuple):
    cells: list
    update: bool = False
    gap: bool = False
    first: bool = False  # of a problem


@dataclass
class Table:
    title: str
    notes: list[str]
    columns: list[Column]
    rows: list[Row] = field(default_factory=list)


def pieces(start: int, stop: int, most: int | None) -> list[tuple[int, int]]:
    """Which of the rows ``start`` … ``stop`` − 1 are shown: all, or the first ones and the last.

    >>> pieces(0, 30, 25), pieces(0, 30, None)
    ([(0, 20), (25, 30)], [(0, 30)])
    """
    if most is None or stop - start <= most:
        return [(start, stop)]
    tail = min(TAIL, most // 2)
    return [(start, start + most - tail), (stop - tail, stop)]


def left_out(rows: int, width: int, place: int = 0) -> Row:
    """The row that says how many others are not shown, in the column ``place``."""
    cells: list = [None] * width
    cells[place] = Gap(rows)
    return Row(cells, gap=True)
