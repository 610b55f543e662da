"""Facts as small tables for notebooks.

Ink and rules have the colour of the page, so that light and dark themes both work; the colours of
marks have a contrast of about 4 : 1 with white as well as with #111111.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from linscope._printable import escape

MARKS = {True: "✓", False: "✗", None: "?"}
COLOURS = {True: "#00848f", False: "#d8422b", None: "#757985"}
TABLE_STYLE = (
    "border-collapse:collapse;font-variant-numeric:tabular-nums;"
    "border-top:2px solid currentColor;border-bottom:2px solid currentColor"
)
LEFT = "text-align:left;vertical-align:top;padding:.15em .6em"


def mark(ok: bool | None) -> str:
    """✓, ✗ or ? in its colour.

    >>> mark(True)
    '<b style="color:#00848f">✓</b>'
    """
    return f'<b style="color:{COLOURS[ok]}">{MARKS[ok]}</b>'


def titled(title: str, table: str, notes: Iterable[str] = (), *, kind: str = "facts") -> str:
    """A table under its title, which may be wider than the table.

    title : HTML already; notes : sentences under it
    """
    small = "".join(f"<br><small>{escape(note)}</small>" for note in notes)
    heading = f'<div style="margin:.2em 0">{title}{small}</div>' if title else ""
    return f'<div class="linscope-{kind}">{heading}{table}</div>'


def facts(title: str, pairs: Iterable[tuple[str, str]], ok: bool | str | None = "") -> str:
    """Labels and values side by side; ``ok`` puts its mark before the title."""
    head = f"<b>{escape(title)}</b>"
    if not isinstance(ok, str):
        head = f"{mark(ok)} {head}"
    rows = "".join(
        f'<tr><th scope="row" style="{LEFT}">{escape(label)}</th>'
        f'<td style="{LEFT};max-width:50em">{escape(value)}</td></tr>'
        for label, value in pairs
    )
    table = f'<table style="{TABLE_STYLE}"><tbody>{rows}</tbody></table>' if rows else ""
    return titled(head, table)


def first_rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Some rows of a table of data."""
    cell = "text-align:right;padding:.15em .6em;white-space:nowrap"
    rule = "border-bottom:1px solid currentColor"
    head = "".join(f'<th scope="col" style="{cell};{rule}">{escape(h)}</th>' for h in header)
    body = "".join(
        "<tr>" + "".join(f'<td style="{cell}">{escape(text)}</td>' for text in row) + "</tr>"
        for row in rows
    )
    return (
        f'<table style="{TABLE_STYLE}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    )
