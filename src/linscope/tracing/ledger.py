"""The ledger in a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from rich import box
from rich.table import Table
from rich.text import Text

from .sheet import Change, Row, Sheet, Vector, number, text

# A longer "before → after" goes on two lines, so that the table fits 80 columns; much longer
# vectors may break anywhere.
ONE_LINE, TWO_LINES = 32, 40
WRAPS = {"problem", "x", "verdict"}


def ledger(sheet: Sheet) -> Table:
    """A rich table; updates stand out, correct visits are quiet."""
    table = Table(
        title=Text(sheet.title),
        caption=Text("\n".join(sheet.notes)),
        title_style="bold",
        caption_style="dim",
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
        header_style="bold",
    )
    columns = [_lines(cells) for cells in zip(*(row.cells for row in sheet.rows), strict=True)]
    stacked = any("\n" in cell for cells in columns for cell in cells)
    if stacked:  # there are two lines for the verdict, too
        columns = [[cell.replace(" → update", " →\nupdate") for cell in c] for c in columns]
    for column, cells in zip(sheet.columns, columns or [[]] * len(sheet.columns), strict=True):
        lines = [line for cell in cells for line in cell.splitlines()]
        table.add_column(
            "weights before, after" if stacked and column.header == "weights" else column.header,
            justify="right" if column.right else "left",
            no_wrap=column.header not in WRAPS and max(map(len, lines), default=0) <= TWO_LINES,
        )
    for row, *cells in zip(sheet.rows, *columns, strict=True):
        if row.first and table.row_count:
            table.add_section()
        table.add_row(*(Text(cell, style=_style(row)) for cell in cells))
    return table


def _style(row: Row) -> str:
    return "dim" if row.gap else "bold" if row.update else ""


def _lines(cells: tuple) -> list[str]:
    """Cells of one column as text, the entries of vectors below each other."""
    vectors = list(chain.from_iterable(_vectors(cell) for cell in cells))
    widths = [
        max(len(_entry(v)) for v in entries)
        for entries in zip(*(vector.values for vector in vectors), strict=True)
    ]
    pad = {id(v): _padded(v, widths) for v in vectors}
    out = []
    for cell in cells:
        if isinstance(cell, Vector):
            out.append(pad[id(cell)])
        elif isinstance(cell, Change) and isinstance(cell.before, Vector):
            out.append(_change(pad[id(cell.before)], cell.after and pad[id(cell.after)]))
        else:
            out.append(text(cell))
    return out


def _vectors(cell) -> Iterable[Vector]:
    if isinstance(cell, Change):
        return chain(_vectors(cell.before), _vectors(cell.after))
    return [cell] if isinstance(cell, Vector) else []


def _entry(value) -> str:
    return "…" if value is None else number(value)


def _padded(vector: Vector, widths: list[int]) -> str:
    entries = (_entry(v).rjust(width) for v, width in zip(vector.values, widths, strict=True))
    return "[" + " ".join(entries) + "]"


def _change(before: str, after: str | None) -> str:
    if after is None:
        return before
    return f"{before} → {after}" if len(before) * 2 + 3 <= ONE_LINE else f"{before}\n{after}"
