"""A table in a terminal, as detailed as the width of the screen allows."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from linscope._printable import printable

from .cells import lines
from .table import Row, Table


class Layout(NamedTuple):
    """How wide vectors may be: of weights, and of samples (0: not shown).

    one_line : "before → after" may have this many characters; a longer one goes on two lines
    fold : samples go on two lines
    spare : so many of the columns are left out that a reader can do without
    """

    weights: int
    sample: int
    one_line: int = 36
    fold: bool = False
    spare: int = 0


# An update shows in the weights; the sign of a score is the class, or it is a mistake.
SPARE = ("→ update", "y", "w·x", "score")


# From roomy to narrow; the first that fits is taken.
LAYOUTS = [
    Layout(weights=40, sample=40, one_line=80),
    Layout(weights=60, sample=40),
    Layout(weights=34, sample=18),
    Layout(weights=34, sample=18, fold=True),
    Layout(weights=30, sample=14),
    Layout(weights=34, sample=0),
    Layout(weights=24, sample=0),
    *(Layout(weights=12, sample=0, one_line=0, spare=k) for k in range(len(SPARE) + 1)),
]


def ledger(content: Table, width: int) -> RichTable:
    """A rich table for a screen of this width; updates stand out."""
    console = Console(width=10_000)
    for layout in LAYOUTS:
        table = _table(content, layout)
        if console.measure(table).maximum <= width:
            break
    table.title, table.caption = _plain(content.title), _plain("\n".join(content.notes))
    for line in content.footnotes:
        table.caption.append(f"\n{printable(line)}", style="not dim")
    return table


def _table(content: Table, layout: Layout) -> RichTable:
    table = RichTable(
        title_style="bold",
        caption_style="dim",
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
        header_style="bold",
    )
    spared = [*SPARE[: layout.spare], *([] if layout.sample else ["x"])]
    shown = [k for k, column in enumerate(content.columns) if column.header not in spared]
    cells = [
        lines(
            [row.cells[k] for row in content.rows],
            layout.sample if content.columns[k].header == "x" else layout.weights,
            layout.one_line,
            layout.fold and content.columns[k].header == "x",
        )
        for k in shown
    ]
    stacked = any("\n" in cell for cell in chain.from_iterable(cells))
    # Then the verdict has room for two lines, too.
    update = "" if layout.spare else " →\nupdate" if stacked else " → update"
    long_header = stacked and layout.weights > len("weights before, after")
    for k in shown:
        header, right = content.columns[k].header, content.columns[k].right
        # Only where no layout is narrow enough, words may wrap.
        table.add_column(
            "weights before, after" if long_header and header == "weights" else _plain(header),
            justify="right" if right else "left",
            no_wrap=header not in ("problem", "x", "verdict"),
            min_width=(8 if layout.spare else 9) if header == "verdict" else None,
        )
    for row, *values in zip(content.rows, *cells, strict=True):
        if row.first and table.row_count:
            table.add_section()
        values = [value.replace(" → update", update) for value in values]
        table.add_row(*(Text(value, style=_style(row)) for value in values))
    return table


def _plain(words: str) -> Text:
    """Words of which rich reads none as markup."""
    return Text(printable(words, "\n"))


def _style(row: Row) -> str:
    return "dim" if row.gap else "bold" if row.update else ""
