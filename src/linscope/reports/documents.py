"""A table in the languages of documents: Markdown, LaTeX, HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable

from linscope._printable import escape, printable
from linscope.results.notebook import TABLE_STYLE, titled

from .cells import Strong
from .latex import latex, latex_comment, latex_lines
from .table import Column, Row, Table

__all__ = [
    "html",
    "html_page",
    "latex",
    "latex_comment",
    "latex_lines",
    "markdown",
    "markdown_lines",
    "markdown_text",
]

MARKDOWN_SPECIAL = re.compile(r"([\\`*_|<>\[\]~$])")


def markdown(table: Table) -> str:
    """A GitHub table under its title."""
    lines = [f"**{markdown_text(table.title)}**", ""]
    for note in table.notes:
        lines += [markdown_text(note), ""]
    lines.append(_pipes(markdown_text(column.header) for column in table.columns))
    lines.append(_pipes("---:" if column.right else ":---" for column in table.columns))
    for row in table.rows:
        cells = [markdown_text(words) for words in table.texts(row)]
        if row.update:
            cells = [f"**{cell}**" if "→" in cell else cell for cell in cells]
        lines.append(_pipes(cells))
    return "\n".join([*lines, *markdown_lines(table.footnotes)]) + "\n"


def markdown_lines(sentences: Iterable[str]) -> list[str]:
    """Sentences under a table, a paragraph each."""
    return [words for sentence in sentences for words in ("", markdown_text(sentence))]


def _pipes(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def markdown_text(words: str) -> str:
    """The words on one line, with everything escaped that Markdown would read as markup."""
    return MARKDOWN_SPECIAL.sub(r"\\\1", printable(" ".join(words.split())))


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
    title = f"<b>{escape(table.title)}</b>" if table.title else ""
    facts = "; ".join(f"{name} = {value}" for name, value in table.facts)
    shown = f'<table style="{TABLE_STYLE}">{head}<tbody>{body}</tbody></table>'
    footnotes = _small([facts, *table.footnotes])
    return titled(title, shown + footnotes, table.notes if title else (), kind=table.kind)


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
