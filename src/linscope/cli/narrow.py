"""Make the ledger fit a narrow screen by leaving out what a reader can do without."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

# The samples are known; an update shows in the weights; a score has the sign of its class or not.
SPARE = ("x", "y", "w·x", "score")


def fitted(out: Console, table: Table) -> Table:
    """The table, or one with fewer columns and shorter words that is no wider than the screen."""
    unlimited = out.options.update(max_width=10_000)
    steps = [_without_column(SPARE[0]), _with_short_verdicts]
    steps += [_without_column(header) for header in SPARE[1:]]
    for step in steps:
        if out.measure(table, options=unlimited).maximum <= out.width:
            break
        table = step(table)
    return table


def _without_column(header: str):
    return lambda table: _rebuilt(table, [c for c in table.columns if c.header != header])


def _with_short_verdicts(table: Table) -> Table:
    return _rebuilt(table, list(table.columns), short=True)


def _rebuilt(table: Table, columns: list, short: bool = False) -> Table:
    new = Table(
        box=table.box,
        pad_edge=table.pad_edge,
        collapse_padding=table.collapse_padding,
        header_style=table.header_style,
    )
    cells = []
    for column in columns:
        new.add_column(column.header, justify=column.justify, no_wrap=column.no_wrap)
        shorten = short and column.header == "verdict"
        cells.append([_short(cell) if shorten else cell for cell in column.cells])
    for row, *values in zip(table.rows, *cells, strict=True):
        new.add_row(*values, end_section=row.end_section)
    return new


def _short(cell: Text) -> Text:
    """``mistake`` for ``mistake → update``."""
    return Text(cell.plain.partition(" →")[0], cell.style)
