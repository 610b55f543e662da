"""The parts of a derivation as tables: of samples, and of quantities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linscope.reports import documents
from linscope.reports.cells import vector
from linscope.reports.latex import font_for, latex_comment
from linscope.reports.table import Column, Row, Table, shortened

from .derivation_numbers import shown
from .derivation_quantities import Quantity


class Head(NamedTuple):
    """A column of a table of samples: what it shows, under which formula.

    ``key`` is a column of the frame, or several for a vector; ``short`` is for narrow screens. A
    column of words has no formula, and stands under its key.
    """

    key: str | tuple[str, ...]
    formula: str = ""
    short: str = ""

    def column(self, narrow: bool) -> Column:
        if not self.formula:
            return Column(str(self.key))
        column = Column.formula(self.formula, right=isinstance(self.key, str))
        return column._replace(header=self.short) if narrow and self.short else column


@dataclass(eq=False)
class SampleTable:
    """One row per sample, worked out when it is looked at.

    ``work`` has the samples, their row numbers in the data as given, their columns and the sums of
    some of them; ``names`` are what the samples are called.
    """

    work: Any
    names: Sequence[str] | None = None

    @property
    def n(self) -> int:
        return self.work.samples.n

    def columns(self, start: int, stop: int) -> dict[str, np.ndarray]:
        found = self.work.columns(start, stop)
        return {name: shown(column, self.work.exact) for name, column in found.items()}

    @cached_property
    def sums(self) -> dict[str, Any]:
        return {name: shown(total, self.work.exact) for name, total in self.work.sums.items()}

    def labels(self, start: int, stop: int) -> list[Any]:
        rows = self.work.rows[start:stop]
        return rows.tolist() if self.names is None else [self.names[i] for i in rows]


class Choice(NamedTuple):
    """Which rows: samples ``start`` … ``stop`` (from 0, stop not included), at most ``most``."""

    start: int
    stop: int
    most: int | None


@dataclass(eq=False)
class Part:
    """A piece of the derivation under a heading."""

    name: str
    title: str

    def table(self, choice: Choice, narrow: bool = False) -> Table:
        raise NotImplementedError

    def latex(self, choice: Choice) -> str:
        return documents.latex(self.table(choice))


@dataclass(eq=False)
class SamplesPart(Part):
    """Some columns of the samples, and their sums."""

    samples: SampleTable
    heads: list[Head]
    notes: list[str] = field(default_factory=list)

    def table(self, choice: Choice, narrow: bool = False) -> Table:
        columns = [Column("sample"), *(head.column(narrow) for head in self.heads)]
        rows = shortened(*choice, self._rows, len(columns))
        if (choice.start, choice.stop) == (0, self.samples.n) and self.samples.sums:
            rows.append(self._sums())
        return Table(self.title, self.notes, columns, rows)

    def _rows(self, start: int, stop: int) -> list[Row]:
        found = self.samples.columns(start, stop)
        cells: list[Any] = [self.samples.labels(start, stop)]
        for head in self.heads:
            if isinstance(head.key, str):
                cells.append(found[head.key])
            else:
                together = zip(*(found[key] for key in head.key), strict=True)
                cells.append([vector(values) for values in together])
        return [Row(list(row)) for row in zip(*cells, strict=True)]

    def _sums(self) -> Row:
        sums = self.samples.sums
        cells: list[Any] = ["Σ"]
        for head in self.heads:
            if isinstance(head.key, str):
                cells.append(sums.get(head.key))
            else:
                known = all(key in sums for key in head.key)
                cells.append(vector(sums[key] for key in head.key) if known else None)
        return Row(cells, first=True)


@dataclass(eq=False)
class QuantitiesPart(Part):
    """Lines of symbol, formula, numbers and value."""

    quantities: list[Quantity]
    notes: list[str] = field(default_factory=list)

    def table(self, choice: Choice, narrow: bool = False) -> Table:
        listed = [quantity for quantity in self.quantities if quantity.listed]
        numbers = any(quantity.numbers for quantity in listed) and not narrow
        columns = [Column("quantity"), Column("formula")]
        columns += [Column("with numbers")] if numbers else []
        columns += [Column("value")]
        rows = [
            Row([q.symbol, q.formula, *([q.numbers] if numbers else []), q.cell]) for q in listed
        ]
        return Table(self.title, self.notes, columns, rows)

    def latex(self, choice: Choice) -> str:
        lines = [quantity.latex for quantity in self.quantities if quantity.latex]
        return aligned(self.title, lines)


def aligned(title: str, lines: list[str], width: float = 0.0) -> str:
    """Lines under each other, in a font in which the widest of them fits the page."""
    tall = any(word in line for line in lines for word in ("frac{", "matrix}", "array}"))
    body = (" \\\\[4pt]\n" if tall else " \\\\\n").join(lines)
    font = font_for(width) or ""
    before, after = (f"\\begingroup{font}\n", "\\endgroup\n") if font else ("", "")
    return f"{latex_comment(title)}\n{before}\\begin{{align*}}\n{body}\n\\end{{align*}}\n{after}"
