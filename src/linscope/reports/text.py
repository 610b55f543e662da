"""A table as plain text of at most 80 columns, and the numbers of statistics."""

from __future__ import annotations

import math
import textwrap

from linscope._printable import printable

from .table import Column, Table

WIDTH = 80


def text(table: Table) -> str:
    """Names on the left, numbers in columns of fixed width, facts in two columns, sentences."""
    widths = [column.width for column in table.columns[1:]]
    room = WIDTH - sum(widths) - len(widths) - 1
    names = [cut(row.cells[0], room) for row in table.rows if not row.heading]
    label = max(map(len, names), default=0)

    def line(name: str, cells: list[str]) -> str:
        parts = [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)]
        return " ".join([name.ljust(label + 1), *parts])

    rule = "─" * max(label + sum(widths) + len(widths) + 1, WIDTH - 10)
    lines = [*textwrap.wrap(table.title, WIDTH), rule]
    lines.append(line("", [column.header for column in table.columns[1:]]))
    for row in table.rows:
        if row.heading:
            lines.append(cut(row.cells[0], WIDTH))
        else:
            lines.append(line(cut(row.cells[0], room), table.texts(row)[1:]))
    half = (len(table.facts) + 1) // 2
    facts = [f"{name:<16} {value:>12}" for name, value in table.facts]
    lines += [rule, *in_pairs(facts[:half], facts[half:])]
    for note in table.footnotes:
        lines += textwrap.wrap(note, WIDTH)
    return printable("\n".join(line.rstrip() for line in lines), "\n")


def in_pairs(left: list[str], right: list[str]) -> list[str]:
    """Two columns of lines; the right one may be shorter by one."""
    right = [*right, ""][: len(left)]
    return [f"{one:<{WIDTH // 2}}{two}" for one, two in zip(left, right, strict=True)]


def aligned(rows: list[list[str]]) -> list[str]:
    """Right-aligned columns, as wide as their longest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.rjust, row, widths)) for row in rows]


def cut(name: str, most: int) -> str:
    """The name on one line of at most so many characters."""
    name = printable(" ".join(name.split()))
    return name if len(name) <= most else name[: most - 1] + "…"


def five_digits(value: float | None) -> str:
    """Five digits in at most ten characters; an en dash for what is not defined.

    >>> five_digits(1.16216216), five_digits(-3482258.63), five_digits(2.5e-7), five_digits(None)
    ('1.1622', '-3482259', '2.500e-07', '–')
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
    return f"{t:.3f}" if abs(t) < 1000 else five_digits(t)


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


def coefficient_columns(statistic: str, level: float) -> list[Column]:
    """Name, coefficient, standard error, test statistic, p and the ends of the interval."""
    return [
        Column(""),
        Column("coefficient", "", True, five_digits, 11),
        Column("std. error", "", True, five_digits, 10),
        Column(statistic, "", True, t_value, 8),
        Column("p", "", True, probability, 7),
        Column(f"{100 * level:.3g}% from", "", True, five_digits, 10),
        Column("to", "", True, five_digits, 10),
    ]


def many(n: float, thousands: str = ",") -> str:
    """A number of observations, which is no integer where weights that are none are added.

    >>> many(5000), many(50.4615151142102), many(5000, "")
    ('5,000', '50.46', '5000')
    """
    text = f"{n:,.0f}" if n == round(n) else f"{n:,.2f}"
    return text.replace(",", thousands)
