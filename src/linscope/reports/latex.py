"""A table in LaTeX, in a font in which it fits the page.

What is wider than the text of a plain ``article`` (345 pt) gets a smaller font and narrower gaps,
then changes on two lines, and at last ``\\resizebox``, which needs the package graphicx. Widths are
guessed from those of the letters of Computer Modern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from linscope._printable import printable

from .cells import Change, Gap, Strong, Vector
from .formulas import math, tex
from .table import Column, Row, Table

TEXT_WIDTH, TEXT_HEIGHT = 340.0, 520.0  # pt
# Rows of a page, and of a table that is scaled, whose rows have two lines.
MOST_ROWS, SCALED_ROWS = 40, 25


class Layout(NamedTuple):
    """A font by name and size (1: that of the text), and the gap beside a column.

    stacked : changes are on two lines
    scaled : the table is scaled to the page
    """

    font: str
    size: float
    gap: float = 6.0
    stacked: bool = False
    scaled: bool = False


# From roomy to narrow; the first that fits is taken.
LAYOUTS = [
    Layout("", 1.0),
    Layout(r"\small", 0.92),
    Layout(r"\footnotesize", 0.85, 4.0),
    Layout("", 1.0, 6.0, stacked=True),
    Layout(r"\small", 0.92, 4.0, stacked=True),
    Layout(r"\footnotesize", 0.85, 3.0, stacked=True),
    Layout(r"\scriptsize", 0.76, 3.0),
    Layout(r"\scriptsize", 0.76, 2.0, stacked=True),
    Layout(r"\footnotesize", 0.85, 3.0, stacked=True, scaled=True),
]


def latex(table: Table, longtable: bool | None = None) -> str:
    """A table for any LaTeX document.

    ``longtable`` goes over several pages and needs the package of that name. None takes it for many
    rows; where they are so wide that they are scaled, several tables instead.
    """
    layout, heads, cells = _fitted(table, LAYOUTS[: -1 if longtable else None])
    rows = list(zip(table.rows, cells, strict=True))
    parts = [rows]
    if longtable is None and len(rows) > MOST_ROWS:
        longtable = not layout.scaled
        if layout.scaled:
            parts = [rows[k : k + SCALED_ROWS] for k in range(0, len(rows), SCALED_ROWS)]
    lines = [latex_comment(line) for line in [table.title, *table.notes] if line]
    lines += [r"% needs \usepackage{longtable}"] if longtable else []
    lines += [r"% needs \usepackage{graphicx}"] if layout.scaled else []
    setup = _setup(layout, any("frac{" in cell for row in cells for cell in row))
    lines += [rf"\begingroup{setup}"] if setup else []
    for part in parts:
        body = _environment(table, heads, part, bool(longtable))
        lines += body if longtable else [r"\noindent", *_scaled(body, layout), r"\par"]
    lines += [r"\endgroup"] if setup else []
    return "\n".join(lines) + "\n" + latex_lines(table.footnotes)


def latex_comment(words: str) -> str:
    """The words on one line that LaTeX does not read."""
    return f"% {printable(' '.join(words.split()))}"


def latex_lines(sentences: Iterable[str]) -> str:
    """Sentences under a table, a paragraph each."""
    form = "{{\\raggedright\\smallskip\\noindent {}\\par}}\n"
    return "".join(form.format(tex(words)) for words in sentences)


def _fitted(table: Table, layouts: list[Layout]) -> tuple[Layout, list[str], list[list[str]]]:
    """The first layout that fits, or the last; the headers and all cells in it."""
    heads = [column.latex or tex(column.header) for column in table.columns]
    for layout in layouts:
        cells = [_row(row, table.columns, layout.stacked) for row in table.rows]
        one_page = layout.stacked and len(cells) <= MOST_ROWS
        too_tall = one_page and _height(cells, layout) > TEXT_HEIGHT
        if _table_width(table, heads, cells, layout) <= TEXT_WIDTH and not too_tall:
            break
    return layout, heads, cells


def _height(cells: list[list[str]], layout: Layout) -> float:
    """About how high the rows are, in points."""
    lines = sum(2 if any(r"\\" in cell for cell in row) else 1 for row in cells)
    return 13.0 * layout.size * lines


def _scaled(body: list[str], layout: Layout) -> list[str]:
    if not layout.scaled:
        return body
    return [r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%", *body, "}"]


def _setup(layout: Layout, fractions: bool) -> str:
    """Font, gaps, and room for fractions."""
    words = layout.font
    if layout.gap != Layout("", 1).gap:
        words += rf"\setlength{{\tabcolsep}}{{{layout.gap:g}pt}}"
    stretch = 1.35 if fractions else 1.1 if layout.stacked else 0
    return words + (rf"\renewcommand{{\arraystretch}}{{{stretch}}}" if stretch else "")


def _environment(
    table: Table, heads: list[str], rows: list[tuple[Row, list[str]]], longtable: bool
) -> list[str]:
    """These of the rows, and after the last of all the facts."""
    kind = "longtable" if longtable else "tabular"
    form = "".join("r" if column.right else "l" for column in table.columns)
    head = [_line(heads), r"\hline"]
    if table.over:
        across = rf"\multicolumn{{{len(table.columns) - 1}}}{{c}}{{{tex(table.over)}}}"
        head.insert(0, _line(["", across]))
    lines = [rf"\begin{{{kind}}}{{{form}}}"]
    if longtable:
        lines += [rf"\caption{{{tex(table.title)}}}\\", r"\hline", *head, r"\endfirsthead"]
        head.append(r"\endhead")
    lines += [r"\hline", *(head if any(column.header for column in table.columns) else [])]
    for row, cells in rows:
        lines.append(_across(table.columns, cells[0]) if row.heading else _line(cells))
    lines.append(r"\hline")
    if table.facts and (not rows or rows[-1][0] is table.rows[-1]):
        lines += [_line(_fact(*fact, len(heads))) for fact in table.facts]
        lines.append(r"\hline")
    return [*lines, rf"\end{{{kind}}}"]


def _row(row: Row, columns: list[Column], stacked: bool) -> list[str]:
    if row.heading:
        return [rf"\emph{{{tex(row.cells[0])}}}"]
    pairs = zip(columns, row.cells, strict=True)
    return [_cell(column, cell, stacked) for column, cell in pairs]


def _fact(name: str, value: str, width: int) -> list[str]:
    return [tex(name), _digits(value), *[""] * (width - 2)]


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _across(columns: list[Column], words: str) -> str:
    return rf"\multicolumn{{{len(columns)}}}{{l}}{{{words}}} \\"


def _cell(column: Column, cell: Any, stacked: bool) -> str:
    if cell is None or isinstance(cell, str | Gap | Strong):
        words = tex(column.text(cell))
        before, arrow, after = words.partition(r" $\to$ ")
        return _on_two_lines(before + arrow, after) if stacked and arrow else words
    return f"${_math(cell, stacked)}$" if column.form is None else _digits(column.form(cell))


def _on_two_lines(first: str, second: str) -> str:
    return rf"\begin{{tabular}}{{@{{}}l@{{}}}}{first}\\{second}\end{{tabular}}"


def _math(cell: Any, stacked: bool = False) -> str:
    if isinstance(cell, Vector):
        return "[" + r"\;".join(map(_entry, cell.values)) + "]"
    if isinstance(cell, Change):
        before, after = _math(cell.before), cell.after
        if after is None:
            return before
        if stacked and isinstance(after, Vector):
            return rf"\begin{{array}}{{@{{}}l@{{}}}}{before}\\{{}}\to{_math(after)}\end{{array}}"
        return rf"{before} \to {_math(after)}"
    return math(cell, r"\tfrac")


def _entry(value: Any) -> str:
    """A number of a vector; a sign in braces is no minus between two numbers."""
    words = r"\dots" if value is None else math(value, r"\tfrac")
    return f"{{{words}}}" if words.startswith(("-", r"\approx")) else words


def _digits(words: str) -> str:
    """A number that is written out as mathematics: 10⁶ for e+06."""
    if words in ("", "–"):
        return tex(words)
    mantissa, _, exponent = words.replace("∞", r"\infty").partition("e")
    power = rf" \cdot 10^{{{int(exponent)}}}" if exponent else ""
    return f"${mantissa}{power}$"


FRACTION = re.compile(r"\\t?frac\{([^{}]*)\}\{([^{}]*)\}")
COMMANDS = {r"\to": 16.0, r"\;": 2.8, r"\cdot": 7.2, r"\dots": 12.0, r"\approx": 13.3}
COMMANDS |= {r"\sum": 10.6, r"\mathbf": 0.0, r"\emph": 0.0, r"\hat": 0.0, r"\bar": 0.0}
TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\^\{[^{}]*\}|.")
LETTERS = {**dict.fromkeys("ijlt.,:;[]!|'f", 3.1), "(": 3.9, ")": 3.9, **dict.fromkeys("mwMW", 8.2)}
LETTERS |= {"-": 7.8, "=": 13.3, "+": 12.2, " ": 3.4, **dict.fromkeys("{}$&_", 0.0)}


def source_width(source: str) -> float:
    """About how wide this LaTeX is, in points of a 10 pt font.

    >>> source_width("visit") < source_width("verdict") < source_width(r"mistake $\\to$ update")
    True
    """
    if r"\\" in source:
        parts = re.sub(r"\\(begin|end){\w+}({@{}l@{}})?", "", source).split(r"\\")
        return max(map(source_width, parts))
    total = 0.0
    for above, below in FRACTION.findall(source):
        total += 4.2 * max(len(above), len(below)) + 2.4
    for token in TOKEN.findall(FRACTION.sub("", source)):
        if token.startswith("^"):
            total += 4.2 * (len(token) - 3)
        elif token.startswith("\\"):
            total += COMMANDS.get(token, 6.0)
        else:
            total += LETTERS.get(token, 7.4 if token.isupper() else 5.2)
    return total


def _table_width(table: Table, heads: list[str], cells: list[list[str]], layout: Layout) -> float:
    rows = [heads, *(own for row, own in zip(table.rows, cells, strict=True) if not row.heading)]
    rows += [_fact(*fact, len(heads)) for fact in table.facts]
    widest = sum(max(map(source_width, column)) for column in zip(*rows, strict=True))
    return widest * layout.size + 2 * layout.gap * len(heads)


def font_for(width: float) -> str | None:
    """The largest font in which something of this width fits the page; None if none does."""
    fonts = [("", 1.0), (r"\small", 0.92), (r"\footnotesize", 0.85), (r"\scriptsize", 0.76)]
    return next((font for font, size in fonts if width * size <= TEXT_WIDTH), None)


def matrix_rows(rows: list[list[str]]) -> str:
    """Rows of a matrix, with room between fractions."""
    end = r" \\[4pt] " if any("frac{" in cell for row in rows for cell in row) else r" \\ "
    return end.join(" & ".join(row) for row in rows)


def matrix_width(rows: list[list[str]]) -> float:
    """About how wide a matrix is, with its brackets, in points of a 10 pt font."""
    return sum(max(map(source_width, column)) + 10 for column in zip(*rows, strict=True)) + 10
