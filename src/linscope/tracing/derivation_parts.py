"""The parts of a derivation as sheets: samples, quantities, matrices, the elimination."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from . import render
from .derivation_elimination import Elimination
from .derivation_numbers import shown
from .derivation_quantities import Quantity, math
from .sheet import Column, Gap, Row, Sheet, number, vector

TAIL = 5
# Columns of a matrix on a narrow screen.
FEW = 4


class Head(NamedTuple):
    """A column of a table of samples: what it shows, under which words.

    ``key`` is a column of the frame, or several for a vector; ``short`` is for narrow screens.
    """

    key: str | tuple[str, ...]
    header: str
    short: str
    latex: str


@dataclass(eq=False)
class SampleTable:
    """One row a sample, worked out when it is looked at.

    Attributes
    ----------
    n : how many rows
    compute : (start, stop) -> columns of these rows
    totals : () -> the sums of some of the columns
    numbers : row numbers in the data as given; names : what the samples are called
    """

    n: int
    compute: Callable[[int, int], dict[str, np.ndarray]]
    totals: Callable[[], dict[str, Any]]
    numbers: np.ndarray
    exact: bool
    names: Sequence[str] | None = None

    def columns(self, start: int, stop: int) -> dict[str, np.ndarray]:
        found = self.compute(start, stop)
        return {name: shown(column, self.exact) for name, column in found.items()}

    @cached_property
    def sums(self) -> dict[str, Any]:
        return {name: shown(total, self.exact) for name, total in self.totals().items()}

    def labels(self, start: int, stop: int) -> list[Any]:
        rows = self.numbers[start:stop]
        return rows.tolist() if self.names is None else [self.names[i] for i in rows]


class Choice(NamedTuple):
    """Which rows: samples ``start`` … ``stop`` (from 0, stop not included), at most ``most``."""

    start: int
    stop: int
    most: int | None

    def pieces(self) -> list[tuple[int, int]]:
        """One range, or the first ones and the last."""
        count = self.stop - self.start
        if self.most is None or count <= self.most:
            return [(self.start, self.stop)]
        tail = min(TAIL, self.most // 2)
        return [(self.start, self.start + self.most - tail), (self.stop - tail, self.stop)]


class Part:
    """A piece of the derivation under a heading."""

    name: str
    title: str

    def sheet(self, choice: Choice, narrow: bool = False) -> Sheet:
        raise NotImplementedError

    def latex(self, choice: Choice) -> str:
        return render.latex(self.sheet(choice))


@dataclass(eq=False)
class SamplesPart(Part):
    """Some columns of the samples, and their sums."""

    name: str
    title: str
    table: SampleTable
    heads: list[Head]
    notes: list[str] = field(default_factory=list)

    def sheet(self, choice: Choice, narrow: bool = False) -> Sheet:
        columns = [Column("sample")]
        for head in self.heads:
            header = head.short if narrow else head.header
            columns.append(Column(header, head.latex, right=isinstance(head.key, str)))
        rows: list[Row] = []
        for start, stop in choice.pieces():
            if rows:
                left_out = choice.stop - choice.start - (choice.most or 0)
                rows.append(Row([Gap(left_out), *[None] * len(self.heads)], gap=True))
            rows += self._rows(start, stop)
        if (choice.start, choice.stop) == (0, self.table.n):
            rows.append(self._sums())
        return Sheet(self.title, self.notes, columns, rows)

    def latex(self, choice: Choice) -> str:
        return super().latex(choice).replace("Σ", r"$\Sigma$")

    def _rows(self, start: int, stop: int) -> list[Row]:
        found = self.table.columns(start, stop)
        cells: list[Any] = [self.table.labels(start, stop)]
        for head in self.heads:
            if isinstance(head.key, str):
                cells.append(found[head.key])
            else:
                together = zip(*(found[key] for key in head.key), strict=True)
                cells.append([vector(values) for values in together])
        return [Row(list(row)) for row in zip(*cells, strict=True)]

    def _sums(self) -> Row:
        sums = self.table.sums
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

    name: str
    title: str
    quantities: list[Quantity]
    notes: list[str] = field(default_factory=list)

    def sheet(self, choice: Choice, narrow: bool = False) -> Sheet:
        listed = [quantity for quantity in self.quantities if quantity.listed]
        numbers = any(quantity.numbers for quantity in listed) and not narrow
        columns = [Column("quantity"), Column("formula")]
        columns += [Column("with numbers")] if numbers else []
        columns += [Column("value")]
        rows = [
            Row([q.symbol, q.formula, *([q.numbers] if numbers else []), q.cell]) for q in listed
        ]
        return Sheet(self.title, self.notes, columns, rows)

    def latex(self, choice: Choice) -> str:
        lines = [quantity.latex for quantity in self.quantities if quantity.latex]
        return _aligned(self.title, lines)


@dataclass(eq=False)
class EliminationPart(Part):
    """The system, and the system after each step."""

    name: str
    title: str
    elimination: Elimination
    unknowns: list[str]
    right: list[str]
    exact: bool
    notes: list[str] = field(default_factory=list)

    def sheet(self, choice: Choice, narrow: bool = False) -> Sheet:
        columns = [Column("step"), *([] if narrow else [Column("operation")])]
        names = [*_short(self.unknowns, narrow), *_short(self.right, narrow)]
        columns += [Column(name or "…", right=True) for name in names]
        return Sheet(self.title, self.notes, columns, self._rows(choice, narrow, len(columns)))

    def _rows(self, choice: Choice, narrow: bool, width: int) -> list[Row]:
        """The first and the last rows; those between are not even written down."""
        p = self.elimination.size
        pieces = choice._replace(start=0, stop=p * (1 + len(self.elimination))).pieces()
        rows: list[Row] = []
        for step, (heading, operations, matrix) in enumerate(self._states()):
            for i in range(p):
                place = step * p + i
                if not any(start <= place < stop for start, stop in pieces):
                    continue
                if len(pieces) > 1 and place == pieces[1][0]:
                    left_out = Gap(pieces[1][0] - pieces[0][1])
                    rows.append(Row([left_out, *[None] * (width - 1)], gap=True))
                cells = [heading if i == 0 else None, *([] if narrow else [operations[i]])]
                cells += self._cells(matrix[i], narrow)
                rows.append(Row(cells, first=step > 0 and i == 0))
        return rows

    def _cells(self, row: np.ndarray, narrow: bool = False) -> list[Any]:
        p = self.elimination.size
        cells = [*_short(row[:p], narrow), *_short(row[p:], narrow)]
        return ["…" if cell is None else shown(cell, self.exact) for cell in cells]

    def _states(self) -> Iterable[tuple[str, list[str | None], np.ndarray]]:
        size = self.elimination.size
        yield "the system", [None] * size, self.elimination.matrix
        for step in self.elimination:
            operations: list[str | None] = [None] * size
            if step.pivot is None:
                operations[step.column] = "pivot 0: depends on earlier ones"
            else:
                operations[step.column] = f"pivot {number(shown(step.pivot, self.exact))}"
                for i, factor in enumerate(step.factors, start=step.column + 1):
                    operations[i] = _operation(i, step.column, shown(factor, self.exact))
            yield f"step {step.column + 1}", operations, step.matrix

    def latex(self, choice: Choice) -> str:
        lines = []
        for heading, _, matrix in self._states():
            lines.append(rf"&\text{{{heading}:}} \quad {self._array(matrix)}")
            if choice.most is not None and len(lines) * len(matrix) > choice.most:
                lines.append(r"&\dots")
                break
        return _aligned(self.title, lines)

    def _array(self, matrix: np.ndarray) -> str:
        rows = []
        for row in matrix:
            cells = self._cells(row)
            rows.append(" & ".join(r"\dots" if cell == "…" else math(cell) for cell in cells))
        form = "r" * len(_short(self.unknowns)) + "|" + "r" * len(_short(self.right))
        inside = r" \\ ".join(rows)
        return rf"\left[\begin{{array}}{{{form}}} {inside} \end{{array}}\right]"


@dataclass(eq=False)
class MatrixPart(Part):
    """A matrix with names for its rows and columns."""

    name: str
    title: str
    matrix: np.ndarray
    rows: list[str]
    columns: list[str]
    notes: list[str] = field(default_factory=list)

    def sheet(self, choice: Choice, narrow: bool = False) -> Sheet:
        names = _short(self.columns, narrow)
        columns = [Column(""), *(Column(name or "…", right=True) for name in names)]
        rows: list[Row] = []
        for start, stop in choice._replace(start=0, stop=len(self.rows)).pieces():
            if rows:
                rows.append(Row([Gap(start - len(rows)), *[None] * (len(columns) - 1)], gap=True))
            for name, row in zip(self.rows[start:stop], self.matrix[start:stop], strict=True):
                rows.append(Row([name, *("…" if v is None else v for v in _short(row, narrow))]))
        return Sheet(self.title, self.notes, columns, rows)


def _short(values: Iterable[Any], narrow: bool = False) -> tuple:
    """At most eight of them, or four, None for those left out."""
    values = tuple(values)
    if narrow and len(values) > FEW:
        return (*values[: FEW - 1], None, values[-1])
    return vector(values).values


def _operation(row: int, pivot: int, factor: Any) -> str | None:
    if factor == 0:
        return None
    sign, size = ("+", -factor) if factor < 0 else ("−", factor)
    words = "" if size == 1 else f"{number(size)}·"
    return f"row {row + 1} {sign} {words}row {pivot + 1}"


def _aligned(title: str, lines: list[str]) -> str:
    body = " \\\\\n".join(lines)
    return f"% {title}\n\\begin{{align*}}\n{body}\n\\end{{align*}}\n"
