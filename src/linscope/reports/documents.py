"""A table in the languages of documents: Markdown, LaTeX, HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Any

from .cells import Change, Gap, Strong, Vector
from .formulas import math, tex
from .table import Column, Row, Table

MARKDOWN_SPECIAL = re.compile(r"([\\`*_|<>\[\]~$])")


def markdown(table: Table) -> str:
    """A GitHub table under its title."""
    lines = [f"**{_md(table.title)}**", ""]
    for note in table.notes:
        lines += [_md(note), ""]
    lines.append(_pipes(_md(column.header) for column in table.columns))
    lines.append(_pipes("---:" if column.right else ":---" for column in table.columns))
    for row in table.rows:
        cells = [_md(words) for words in table.texts(row)]
        if row.update:
            cells = [f"**{cell}**" if "→" in cell else cell for cell in cells]
        lines.append(_pipes(cells))
    for note in table.footnotes:
        lines += ["", _md(note)]
    return "\n".join(lines) + "\n"


def _pipes(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _md(words: str) -> str:
    return MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(words.split()))


def latex(table: Table, longtable: bool = False) -> str:
    """A table for any LaTeX document (``longtable`` needs the package of that name)."""
    kind = "longtable" if longtable else "tabular"
    form = "".join("r" if column.right else "l" for column in table.columns)
    head = [_line(column.latex or tex(column.header) for column in table.columns), r"\hline"]
    if table.over:
        across = rf"\multicolumn{{{len(table.columns) - 1}}}{{c}}{{{tex(table.over)}}}"
        head.insert(0, _line(["", across]))
    lines = [f"% {' '.join(line.split())}" for line in [table.title, *table.notes] if line]
    lines.append(rf"\begin{{{kind}}}{{{form}}}")
    if longtable:
        lines += [rf"\caption{{{tex(table.title)}}}\\", r"\hline", *head, r"\endfirsthead"]
        head.append(r"\endhead")
    lines += [r"\hline", *(head if any(column.header for column in table.columns) else [])]
    lines += [_latex_row(row, table.columns) for row in table.rows] + [r"\hline"]
    rest = [""] * (len(table.columns) - 2)
    lines += [_line([tex(name), _digits(value), *rest]) for name, value in table.facts]
    lines += [r"\hline"] if table.facts else []
    lines += [_across(table.columns, rf"\small {tex(note)}") for note in table.footnotes]
    return "\n".join([*lines, rf"\end{{{kind}}}"]) + "\n"


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _across(columns: list[Column], words: str) -> str:
    return rf"\multicolumn{{{len(columns)}}}{{l}}{{{words}}} \\"


def _latex_row(row: Row, columns: list[Column]) -> str:
    if row.heading:
        return _across(columns, rf"\emph{{{tex(row.cells[0])}}}")
    return _line(_latex_cell(*pair) for pair in zip(columns, row.cells, strict=True))


def _latex_cell(column: Column, cell: Any) -> str:
    if cell is None or isinstance(cell, str | Gap | Strong):
        return tex(column.text(cell))
    return f"${_math(cell)}$" if column.form is None else _digits(column.form(cell))


def _math(cell: Any) -> str:
    if isinstance(cell, Vector):
        inside = r"\;".join(r"\dots" if v is None else _math(v) for v in cell.values)
        return rf"[{inside}]"
    if isinstance(cell, Change):
        return _math(cell.before) + ("" if cell.after is None else rf" \to {_math(cell.after)}")
    return math(cell, r"\tfrac")


def _digits(words: str) -> str:
    """A number that is written out as mathematics: 10⁶ for e+06."""
    if words in ("", "–"):
        return tex(words)
    mantissa, _, exponent = words.replace("∞", r"\infty").partition("e")
    power = rf" \cdot 10^{{{int(exponent)}}}" if exponent else ""
    return f"${mantissa}{power}$"


# Colours come from the page, so that light and dark themes both work.
HTML_STYLE = (
    "border-collapse:collapse;font-variant-numeric:tabular-nums;"
    "border-top:2px solid currentColor;border-bottom:2px solid currentColor"
)
HTML_UPDATE = ' style="background:rgba(230,140,20,.14);font-weight:600"'


def html(table: Table) -> str:
    """A table for notebooks and pages, styled without a style sheet."""
    over = ""
    if table.over:
        span = len(table.columns) - 1
        over = f'<tr><th></th><th colspan="{span}">{escape(table.over)}</th></tr>'
    head = "".join(
        f'<th scope="col" style="{_align(column.right)};border-bottom:1px solid currentColor">'
        f"{escape(column.header)}</th>"
        for column in table.columns
    )
    named = any(column.header for column in table.columns)
    head = f"<thead>{over}<tr>{head}</tr></thead>" if named else ""
    body = "".join(_html_row(row, table.columns) for row in table.rows)
    notes = "".join(f"<br><small>{escape(note)}</small>" for note in table.notes)
    caption = f"<b>{escape(table.title)}</b>{notes}" if table.title else ""
    facts = "; ".join(f"{name} = {value}" for name, value in table.facts)
    return (
        f'<table class="linscope-{table.kind}" style="{HTML_STYLE}">'
        f'<caption style="text-align:left;caption-side:top">{caption}</caption>'
        f"{head}<tbody>{body}</tbody></table>{_small([facts, *table.footnotes])}"
    )


def html_page(
    title: str, notes: list[str], tables: list[Table], footnotes: Iterable[str] = ()
) -> str:
    """Several tables under one title."""
    said = "".join(f"<br><small>{escape(note)}</small>" for note in notes)
    body = "".join(f'<div style="margin:.8em 0">{html(table)}</div>' for table in tables)
    return f"<div><p><b>{escape(title)}</b>{said}</p>{body}{_small(footnotes)}</div>"


def _small(sentences: Iterable[str]) -> str:
    said = "<br>".join(escape(words) for words in sentences if words)
    return f"<p><small>{said}</small></p>" if said else ""


def _html_row(row: Row, columns: list[Column]) -> str:
    words = [escape(column.text(cell)) for column, cell in zip(columns, row.cells, strict=False)]
    if row.heading or row.gap:
        style = "text-align:center" if row.gap else "text-align:left;font-style:italic"
        return f'<tr><td colspan="{len(columns)}" style="{style}">{"".join(words)}</td></tr>'
    cells = ""
    for column, cell, shown in zip(columns, row.cells, words, strict=True):
        tag = 'th scope="row"' if not column.header else "td"
        bold = ";font-weight:bold" if isinstance(cell, Strong) else ""
        style = f"{_align(column.right)};white-space:nowrap{bold}"
        cells += f'<{tag} style="{style}">{shown}</{tag[:2]}>'
    return f"<tr{HTML_UPDATE if row.update else ''}>{cells}</tr>"


def _align(right: bool) -> str:
    return f"text-align:{'right' if right else 'left'};padding:.15em .6em"
