"""The parts of a derivation that are matrices: as they are, and as they are eliminated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linscope.reports.cells import number, vector
from linscope.reports.latex import font_for, matrix_rows, matrix_width
from linscope.reports.table import Column, Row, Table, left_out, pieces, shortened

from .derivation_elimination import Elimination
from .derivation_numbers import shown
from .derivation_parts import Choice, Part, aligned
from .derivation_quantities import math

# Columns of a matrix on a narrow screen.
FEW = 4
# In front of a matrix, in points.
LABEL_WIDTH = 60.0


@dataclass(eq=False)
class EliminationPart(Part):
    """The system, and the system after each step."""

    elimination: Elimination
    unknowns: list[str]
    right: list[str]
    exact: bool
    notes: list[str] = field(default_factory=list)

    def table(self, choice: Choice, narrow: bool = False) -> Table:
        columns = [Column("step"), *([] if narrow else [Column("operation")])]
        names = [*_short(self.unknowns, narrow), *_short(self.right, narrow)]
        columns += [Column(name or "…", right=True) for name in names]
        return Table(self.title, self.notes, columns, self._rows(choice, narrow, len(columns)))

    def _rows(self, choice: Choice, narrow: bool, width: int) -> list[Row]:
        """The first and the last rows; those between are not even written down."""
        p = self.elimination.size
        shown_rows = pieces(0, p * (1 + len(self.elimination)), choice.most)
        rows: list[Row] = []
        for step, (heading, operations, matrix) in enumerate(self._states()):
            for i in range(p):
                place = step * p + i
                if not any(start <= place < stop for start, stop in shown_rows):
                    continue
                if len(shown_rows) > 1 and place == shown_rows[1][0]:
                    rows.append(left_out(place - shown_rows[0][1], width))
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
        states = self._first_states(choice.most)
        tables = self._tex_tables(states, narrow=False)
        width = max(map(matrix_width, tables)) + LABEL_WIDTH
        if narrow := font_for(width) is None:
            tables = self._tex_tables(states, narrow=True)
            width = max(map(matrix_width, tables)) + LABEL_WIDTH
        lines = [
            rf"&\text{{{heading}:}} \quad {self._array(rows, narrow)}"
            for (heading, _), rows in zip(states, tables, strict=True)
        ]
        all_of_them = len(states) == 1 + len(self.elimination)
        return aligned(self.title, lines + ([] if all_of_them else [r"&\dots"]), width)

    def _first_states(self, most: int | None) -> list[tuple[str, np.ndarray]]:
        """The steps until there are more rows than that."""
        states: list[tuple[str, np.ndarray]] = []
        for heading, _, matrix in self._states():
            states.append((heading, matrix))
            if most is not None and len(states) * len(matrix) > most:
                break
        return states

    def _tex_tables(self, states: list, narrow: bool) -> list[list[list[str]]]:
        return [[_tex_cells(self._cells(row, narrow)) for row in matrix] for _, matrix in states]

    def _array(self, rows: list[list[str]], narrow: bool) -> str:
        left, right = _short(self.unknowns, narrow), _short(self.right, narrow)
        form = "r" * len(left) + "|" + "r" * len(right)
        return rf"\left[\begin{{array}}{{{form}}} {matrix_rows(rows)} \end{{array}}\right]"


@dataclass(eq=False)
class MatrixPart(Part):
    """A matrix with names for its rows and columns."""

    matrix: np.ndarray
    rows: list[str]
    columns: list[str]
    symbol: str
    notes: list[str] = field(default_factory=list)

    def table(self, choice: Choice, narrow: bool = False) -> Table:
        names = _short(self.columns, narrow)
        columns = [Column(""), *(Column(name or "…", right=True) for name in names)]

        def rows(start: int, stop: int) -> list[Row]:
            named = zip(self.rows[start:stop], self.matrix[start:stop], strict=True)
            short = ((name, _short(row, narrow)) for name, row in named)
            return [Row([name, *("…" if v is None else v for v in row)]) for name, row in short]

        listed = shortened(0, len(self.rows), choice.most, rows, len(columns))
        return Table(self.title, self.notes, columns, listed)

    def latex(self, choice: Choice) -> str:
        rows = self._tex_rows(narrow=False)
        width = matrix_width(rows) + LABEL_WIDTH
        if font_for(width) is None:
            rows = self._tex_rows(narrow=True)
            width = matrix_width(rows) + LABEL_WIDTH
        inside = matrix_rows(rows)
        line = rf"{self.symbol} &= \begin{{pmatrix}} {inside} \end{{pmatrix}}"
        return aligned(self.title, [line], width)

    def _tex_rows(self, narrow: bool) -> list[list[str]]:
        columns = len(_short(self.matrix[0], narrow))
        return [
            [r"\vdots", *[""] * (columns - 1)]
            if row is None
            else _tex_cells("…" if v is None else v for v in _short(self.matrix[row], narrow))
            for row in _short(range(len(self.matrix)))
        ]


def _tex_cells(cells: Iterable[Any]) -> list[str]:
    return [r"\dots" if isinstance(cell, str) else math(cell) for cell in cells]


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
