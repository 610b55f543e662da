"""A table in the languages of documents: Markdown, LaTeX, HTML."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from .cells import Change, Gap, Vector, text
from .formulas import math, tex
from .table import Row, Table

MARKDOWN_SPECIAL = re.compile(r"([\\`*_|<>\[\]~$])")


def markdown(table: Table) -> str:
    """A GitHub table under its title."""
    lines = [f"**{_md(table.title)}**", ""]
    for note in table.notes:
        lines += [_md(note), ""]
    lines.append(_pipes(_md(column.header) for column in table.columns))
    lines.append(_pipes("---:" if column.right else ":---" for column in table.columns))
    for row in table.rows:
        cells = [_md(text(cell)) for cell in row.cells]
        if row.update:
            cells = [f"**{cell}**" if "→" in cell else cell for cell in cells]
        lines.append(_pipes(cells))
    return "\n".join(lines) + "\n"


def _pipes(cells) -> str:
    return "| " + " | ".join(cells) + " |"


def _md(words: str) -> str:
    return MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(words.split()))


def latex(table: Table, longtable: bool = False) -> str:
    """A table for any LaTeX document (``longtable`` needs the package of that name)."""
    form = "".join("r" if column.right else "l" for column in table.columns)
    head = " & ".join(column.latex or tex(column.header) for column in table.columns)
    rows = [_latex_row(row) for row in table.rows]
    comment = "".join(f"% {' '.join(line.split())}\n" for line in [table.title, *table.notes])
    if longtable:
        caption = tex(table.title)
        first = rf"\begin{{longtable}}{{{form}}}" + "\n" + rf"\caption{{{caption}}}\\"
        opening = [first, r"\hline", head + r" \\", r"\hline", r"\endfirsthead"]
        opening += [r"\hline", head + r" \\", r"\hline", r"\endhead"]
        closing = [r"\hline", r"\end{longtable}"]
    else:
        opening = [rf"\begin{{tabular}}{{{form}}}", r"\hline", head + r" \\", r"\hline"]
        closing = [r"\hline", r"\end{tabular}"]
    return comment + "\n".join([*opening, *rows, *closing]) + "\n"


def _latex_row(row: Row) -> str:
    return " & ".join(_latex_cell(cell) for cell in row.cells) + r" \\"


def _latex_cell(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return tex(cell)
    if isinstance(cell, Gap):
        return tex(text(cell))
    return f"${_math(cell)}$"


def _math(cell: Any) -> str:
    if isinstance(cell, Vector):
        inside = r"\;".join(r"\dots" if v is None else _math(v) for v in cell.values)
        return rf"[{inside}]"
    if isinstance(cell, Change):
        return _math(cell.before) + ("" if cell.after is None else rf" \to {_math(cell.after)}")
    return math(cell, r"\tfrac")


# Colours come from the page, so that light and dark themes both work.
HTML_STYLE = (
    "border-collapse:collapse;font-variant-numeric:tabular-nums;"
    "border-top:2px solid currentColor;border-bottom:2px solid currentColor"
)
HTML_UPDATE = ' style="background:rgba(230,140,20,.14);font-weight:600"'


def html(table: Table) -> str:
    """A table for notebooks and pages, styled without a style table."""
    head = "".join(
        f'<th scope="col" style="{_align(column.right)};border-bottom:1px solid currentColor">'
        f"{escape(column.header)}</th>"
        for column in table.columns
    )
    body = "".join(_html_row(row, table) for row in table.rows)
    notes = "".join(f"<br><small>{escape(note)}</small>" for note in table.notes)
    return (
        f'<table class="linscope-ledger" style="{HTML_STYLE}">'
        f'<caption style="text-align:left;caption-side:top"><b>{escape(table.title)}</b>{notes}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _html_row(row: Row, table: Table) -> str:
    if row.gap:
        words = escape(next(text(cell) for cell in row.cells if isinstance(cell, Gap)))
        return f'<tr><td colspan="{len(table.columns)}" style="text-align:center">{words}</td></tr>'
    cells = "".join(
        f'<td style="{_align(column.right)};white-space:nowrap">{escape(text(cell))}</td>'
        for column, cell in zip(table.columns, row.cells, strict=True)
    )
    return f"<tr{HTML_UPDATE if row.update else ''}>{cells}</tr>"


def _align(right: bool) -> str:
    return f"text-align:{'right' if right else 'left'};padding:.15em .6em"
