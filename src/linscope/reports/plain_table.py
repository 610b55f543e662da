"""A table of coefficients in groups, with facts and notes under it: text, HTML and LaTeX."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, field
from html import escape

from .formulas import tex


@dataclass(frozen=True)
class Group:
    """Rows under one heading ("" for none): names and their cells."""

    heading: str
    names: list[str]
    cells: list[list[str]]


@dataclass(frozen=True)
class PlainTable:
    """What is printed; ``widths`` are those of the columns of text."""

    title: str
    header: list[str]
    widths: list[int]
    groups: list[Group]
    facts: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def text(self) -> str:
        """At most 80 columns, whatever the names."""
        room = WIDTH - sum(self.widths) - len(self.widths) - 1
        label = max((len(_cut(n, room)) for g in self.groups for n in g.names), default=0)
        rule = "─" * max(label + sum(self.widths) + len(self.widths) + 1, WIDTH - 10)
        lines = [*textwrap.wrap(self.title, WIDTH), rule]
        lines.append(_line("", self.header, label, self.widths))
        for group in self.groups:
            if group.heading:
                lines.append(_cut(group.heading, WIDTH))
            lines += [
                _line(_cut(name, room), row, label, self.widths)
                for name, row in zip(group.names, group.cells, strict=True)
            ]
        lines += [rule, *_two_columns(self.facts)]
        for note in self.notes:
            lines += textwrap.wrap(note, WIDTH)
        return "\n".join(line.rstrip() for line in lines)

    def html(self) -> str:
        right = "text-align:right;padding:.15em .6em"
        head = "".join(f'<th scope="col" style="{right}">{escape(h)}</th>' for h in self.header)
        body = "".join(self._html_group(group, right) for group in self.groups)
        under = "; ".join(f"{escape(label)} = {escape(value)}" for label, value in self.facts)
        remarks = [under, *map(escape, self.notes)] if under else list(map(escape, self.notes))
        return (
            f'<table class="linscope-summary" style="{HTML_TABLE}">'
            f'<caption style="text-align:left;caption-side:top"><b>{escape(self.title)}</b>'
            f"</caption><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"<p><small>{'<br>'.join(remarks)}</small></p>"
        )

    def _html_group(self, group: Group, right: str) -> str:
        out = ""
        if group.heading:
            span = len(self.header) + 1
            out = (
                f'<tr><th scope="rowgroup" colspan="{span}" style="text-align:left">'
                f"<i>{escape(group.heading)}</i></th></tr>"
            )
        for name, row in zip(group.names, group.cells, strict=True):
            out += f'<tr><th scope="row" style="text-align:left">{escape(name)}</th>'
            out += "".join(f'<td style="{right}">{escape(value)}</td>' for value in row) + "</tr>"
        return out

    def latex(self) -> str:
        """A ``tabular`` for any LaTeX document."""
        columns = len(self.header) + 1
        lines = [
            f"% {self.title}",
            rf"\begin{{tabular}}{{l{'r' * len(self.header)}}}",
            r"\hline",
            " & ".join(["", *map(_words, self.header)]) + r" \\",
            r"\hline",
        ]
        for group in self.groups:
            if group.heading:
                words = _words(group.heading)
                lines.append(rf"\multicolumn{{{columns}}}{{l}}{{\emph{{{words}}}}} \\")
            for name, row in zip(group.names, group.cells, strict=True):
                lines.append(" & ".join([tex(name), *map(_math, row)]) + r" \\")
        lines.append(r"\hline")
        for label, value in self.facts:
            lines.append(f"{_words(label)} & {_math(value)}" + " &" * (columns - 2) + r" \\")
        if self.facts:
            lines.append(r"\hline")
        lines += [
            rf"\multicolumn{{{columns}}}{{l}}{{\small {_words(note)}}} \\" for note in self.notes
        ]
        return "\n".join([*lines, r"\end{tabular}"]) + "\n"


def _words(note: str) -> str:
    return tex(note).replace("R²", "$R^2$").replace("χ²", r"$\chi^2$").replace("½", r"$\frac12$")


WIDTH = 80


# Colours come from the page, so that light and dark themes both work.
HTML_TABLE = (
    "border-collapse:collapse;font-variant-numeric:tabular-nums;"
    "border-top:2px solid currentColor;border-bottom:2px solid currentColor"
)


def number(value: float | None) -> str:
    """Five digits in at most ten characters; an en dash for what is not defined.

    >>> number(1.16216216), number(-3482258.63), number(2.5e-7), number(None), number(float("inf"))
    ('1.1622', '-3482259', '2.500e-07', '–', '∞')
    """
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if -4 <= size < 8:
        return f"{value:.{max(0, 4 - size)}f}"
    return f"{value:.{3 if abs(size) < 100 else 2}e}"


def t_value(t: float) -> str:
    """Three decimals, where they fit."""
    return f"{t:.3f}" if abs(t) < 1000 else number(t)


def probability(p: float | None) -> str:
    """Four decimals, as tables print them.

    >>> probability(0.03), probability(1e-9)
    ('0.0300', '<0.0001')
    """
    if p is None or math.isnan(p):
        return "–"
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def p_equals(p: float) -> str:
    """``p = 0.03`` or ``p < 0.0001`` for a sentence.

    >>> p_equals(0.034567), p_equals(1e-9)
    ('p = 0.035', 'p < 0.0001')
    """
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.2g}"


def _cut(name: str, most: int) -> str:
    name = " ".join(name.split())
    return name if len(name) <= most else name[: most - 1] + "…"


def _line(name: str, row: list[str], label: int, widths: list[int]) -> str:
    parts = [value.rjust(width) for value, width in zip(row, widths, strict=True)]
    return " ".join([name.ljust(label + 1), *parts])


def _two_columns(pairs: list[tuple[str, str]]) -> list[str]:
    half = (len(pairs) + 1) // 2
    left, right = pairs[:half], pairs[half:]
    lines = []
    for k, pair in enumerate(left):
        line = _fact(*pair)
        if k < len(right):
            line = line.ljust(WIDTH // 2) + _fact(*right[k])
        lines.append(line)
    return lines


def _fact(label: str, value: str) -> str:
    return f"{label:<16} {value:>12}"


def _math(value: str) -> str:
    """A number as mathematics: 10⁶ for e+06, the true minus sign."""
    if value in ("", "–"):
        return value.replace("–", "--")
    mantissa, _, exponent = value.replace("∞", r"\infty").partition("e")
    power = rf" \cdot 10^{{{int(exponent)}}}" if exponent else ""
    return f"${mantissa}{power}$"
