"""One description of a table for text, terminal, HTML, LaTeX and Markdown: no markup here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from .cells import Gap, Strong, text
from .formulas import plain

# Of a table that is too long, the first rows are shown and so many of the last.
TAIL = 5


class Column(NamedTuple):
    """A column under its header; one without header has the names of the rows.

    latex : the header in LaTeX, where that is not the header with signs escaped
    form : how a number of this column is written; by default with six digits
    width : in plain text
    """

    header: str
    latex: str = ""
    right: bool = False
    form: Callable[[Any], str] | None = None
    width: int = 0

    @classmethod
    def formula(cls, source: str, right: bool = True) -> Self:
        """Under a formula, given in LaTeX."""
        return cls(plain(source), f"${source}$", right)

    def text(self, cell: Any) -> str:
        if self.form is None or isinstance(cell, str | Gap | Strong):
            return text(cell)
        return self.form(cell)


class Row(NamedTuple):
    """Its cells; whether it stands out, says what is left out, begins a part or heads one."""

    cells: list
    update: bool = False
    gap: bool = False
    first: bool = False
    heading: bool = False


@dataclass
class Table:
    """Rows under a title.

    notes : said with the title
    facts : named numbers under the table; footnotes : sentences under it
    over : what all columns but the first are, over their headers
    kind : for style sheets of pages
    """

    title: str
    notes: list[str]
    columns: list[Column]
    rows: list[Row] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)
    footnotes: list[str] = field(default_factory=list)
    over: str = ""
    kind: str = "ledger"

    def texts(self, row: Row) -> list[str]:
        """The cells of a row as text."""
        return [column.text(cell) for column, cell in zip(self.columns, row.cells, strict=True)]

    def all_texts(self) -> list[list[str]]:
        """The headers, and the rows as text."""
        return [[column.header for column in self.columns], *map(self.texts, self.rows)]


def pieces(start: int, stop: int, most: int | None) -> list[tuple[int, int]]:
    """Which of the rows ``start`` … ``stop`` − 1 are shown: all, or the first ones and the last.

    >>> pieces(0, 30, 25), pieces(0, 30, None)
    ([(0, 20), (25, 30)], [(0, 30)])
    """
    if most is None or stop - start <= most:
        return [(start, stop)]
    tail = min(TAIL, most // 2)
    return [(start, start + most - tail), (stop - tail, stop)]


def shortened(
    start: int,
    stop: int,
    most: int | None,
    rows: Callable[[int, int], Iterable[Row]],
    width: int,
    place: int = 0,
) -> list[Row]:
    """The rows that are shown, and one that says in the column ``place`` how many are not."""
    (first, end), *last = pieces(start, stop, most)
    out = list(rows(first, end))
    for begin, stop in last:
        out += [left_out(begin - end, width, place), *rows(begin, stop)]
    return out


def left_out(rows: int, width: int, place: int = 0) -> Row:
    """The row that says how many others are not shown, in the column ``place``."""
    cells: list = [None] * width
    cells[place] = Gap(rows)
    return Row(cells, gap=True)
