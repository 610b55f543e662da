"""A table in a terminal, as detailed as the width of the screen allows."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from .cells import Change, Vector, number, text
from .table import Column, Row, Table


class Layout(NamedTuple):
    """How wide vectors may be: of weights, and of samples (0: not shown).

    one_line : "before → after" may have this many characters; a longer one goes on two lines
    fold : samples go on two lines
    """

    weights: int
    sample: int
    one_line: int = 36
    fold: bool = False


# From roomy to narrow; the first that fits is taken.
LAYOUTS = [
    Layout(weights=40, sample=40, one_line=80),
    Layout(weights=60, sample=40),
    Layout(weights=34, sample=18),
    Layout(weights=34, sample=18, fold=True),
    Layout(weights=30, sample=14),
    Layout(weights=34, sample=0),
    Layout(weights=24, sample=0),
    Layout(weights=12, sample=0, one_line=0),
]
# How to shorten a vector: digits, entries at the front, entries at the end (None: all).
FORMS = [
    (6, None, 0),
    (4, None, 0),
    (3, None, 0),
    (6, 3, 1),
    (4, 3, 1),
    (3, 3, 1),
    (3, 2, 1),
    (3, 1, 1),
]


def ledger(content: Table, width: int) -> RichTable:
    """A rich table for a screen of this width; updates stand out."""
    console = Console(width=10_000)
    for layout in LAYOUTS:
        table = _table(content, layout)
        if console.measure(table).maximum <= width:
            break
    table.title, table.caption = Text(content.title), Text("\n".join(content.notes))
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
    shown = [k for k, c in enumerate(content.columns) if c.header != "x" or layout.sample]
    cells = [
        _lines(content.columns[k], [row.cells[k] for row in content.rows], layout) for k in shown
    ]
    stacked = any("\n" in cell for cell in chain.from_iterable(cells))
    long_header = stacked and layout.weights > len("weights before, after")
    for k in shown:
        header, right = content.columns[k].header, content.columns[k].right
        # Only where no layout is narrow enough, words may wrap.
        table.add_column(
            "weights before, after" if long_header and header == "weights" else header,
            justify="right" if right else "left",
            no_wrap=header not in ("problem", "x", "verdict"),
            min_width=9 if header == "verdict" else None,
        )
    for row, *values in zip(content.rows, *cells, strict=True):
        if row.first and table.row_count:
            table.add_section()
        if stacked:  # then the verdict has room for two lines, too
            values = [value.replace(" → update", " →\nupdate") for value in values]
        table.add_row(*(Text(value, style=_style(row)) for value in values))
    return table


def _style(row: Row) -> str:
    return "dim" if row.gap else "bold" if row.update else ""


def _lines(column: Column, cells: list, layout: Layout) -> list[str]:
    """Cells of one column as text, the entries of vectors below each other."""
    vectors = list(chain.from_iterable(_vectors(cell) for cell in cells))
    sample = column.header == "x"
    lines = _aligned(vectors, layout.sample if sample else layout.weights, sample and layout.fold)
    aligned = dict(zip(map(id, vectors), lines, strict=True))
    out = []
    for cell in cells:
        if isinstance(cell, Vector):
            out.append(aligned[id(cell)])
        elif isinstance(cell, Change) and isinstance(cell.before, Vector):
            before, after = aligned[id(cell.before)], cell.after and aligned[id(cell.after)]
            out.append(_change(before, after, layout.one_line))
        else:
            out.append(text(cell))
    return out


def _vectors(cell) -> Iterable[Vector]:
    if isinstance(cell, Change):
        return chain(_vectors(cell.before), _vectors(cell.after))
    return [cell] if isinstance(cell, Vector) else []


def _aligned(vectors: list[Vector], widest: int, fold: bool) -> list[str]:
    """Vectors in the most detailed form that is not wider than ``widest``."""
    for digits, front, back in FORMS:
        rows = [_entries(vector.values, digits, front, back) for vector in vectors]
        widths = [max(map(len, entries)) for entries in zip(*rows, strict=True)]
        if sum(widths) + len(widths) + 1 <= widest:
            break
    if fold and len(widths) > 3:
        return [_folded(row) for row in rows]
    return ["[" + " ".join(map(str.rjust, row, widths)) + "]" for row in rows]


def _folded(entries: list[str]) -> str:
    half = (len(entries) + 1) // 2
    return "[" + " ".join(entries[:half]) + "\n " + " ".join(entries[half:]) + "]"


def _entries(values: tuple, digits: int, front: int | None, back: int) -> list[str]:
    if front is not None and len(values) > front + back + 1:
        values = (*values[:front], None, *values[len(values) - back :])
    return ["…" if v is None else number(v, digits) for v in values]


def _change(before: str, after: str | None, one_line: int) -> str:
    if after is None:
        return before
    line = f"{before} → {after}"
    return line if len(line) <= one_line else f"{before}\n{after}"
