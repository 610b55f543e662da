"""The quantities of a derivation: symbol = formula = formula with numbers = value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.reports import formulas
from linscope.reports.cells import LONGEST_VECTOR, Vector, number, text, vector
from linscope.reports.formulas import plain
from linscope.reports.latex import matrix_rows

from .derivation_numbers import shown

PLACE = re.compile(r"<(\w+)>")
LONGEST_LINE = 60


@dataclass(frozen=True, eq=False, repr=False)
class Quantity:
    """One step of a derivation.

    Attributes
    ----------
    name : by which ``steps`` finds it, such as ``slope``
    symbol : as the notes write it
    formula : where it comes from
    numbers : the formula with the numbers in it, "" where that says nothing
    value : number, vector, matrix, or a column with one number per sample
    latex : the whole line, aligned at the first =
    """

    name: str
    symbol: str
    formula: str
    numbers: str
    latex: str
    given: Any
    exact: bool

    @property
    def value(self) -> Any:
        """Columns of samples are worked out when they are asked for."""
        return self.given() if callable(self.given) else self.given

    @property
    def listed(self) -> bool:
        """Whether it is a line of its own: matrices and columns have tables."""
        return not callable(self.given) and np.ndim(self.given) < 2

    @property
    def words(self) -> str:
        """The value as text; ≈ where an exact derivation had to round."""
        value = self.value
        if np.ndim(value) == 2:
            return f"{value.shape[0]} × {value.shape[1]} numbers"
        words = text(vector(value)) if np.ndim(value) else number(value)
        return f"≈{words}" if self.exact and is_rounded(value) else words

    @property
    def cell(self) -> str:
        """The value in a table; long vectors are shortened."""
        if np.ndim(self.value) != 1:
            return self.words
        values = list(self.value)
        for front in range(min(len(values), LONGEST_VECTOR), 0, -1):
            whole = front == len(values)
            chosen = values if whole else [*values[:front], None, values[-1]]
            words = text(Vector(tuple(chosen)))
            if len(words) <= LONGEST_LINE:
                break
        return f"≈{words}" if self.exact and is_rounded(self.value) else words

    def __repr__(self) -> str:
        parts = [self.symbol, self.formula, self.numbers, self.words]
        return " = ".join(part for part in parts if part).replace("= ≈", "≈ ")


class Quantities(Sequence[Quantity]):
    """The steps of a derivation in order, by number or by name.

    Examples
    --------
    >>> import linscope as ls
    >>> steps = ls.trace(ls.LinearRegression(), ls.datasets.load("five_points"), exact=True).steps
    >>> steps["intercept"]
    β̂₀ = ȳ − β̂₁·x̄ = (16/5) − (43/37)·(9/5) = 41/37
    >>> steps["intercept"].value
    Fraction(41, 37)
    """

    def __init__(self, exact: bool):
        self.exact = exact
        self._all: list[Quantity] = []

    def add(
        self,
        name: str,
        symbol: str,
        value: Any,
        formula: str = "",
        numbers: str = "",
        *,
        words: str = "",
        **also: Any,
    ) -> None:
        """Append a quantity.

        Parameters
        ----------
        value : a number or array, or a function that works it out later
        symbol, formula, numbers : in LaTeX; in ``numbers``, <name> stands for the value of a
            quantity
        words : for readers of the table, instead of the formula
        also : more values for <name>
        """
        value = value if callable(value) else shown(value, self.exact)
        known = {quantity.name: quantity.given for quantity in self._all}
        known |= {key: shown(given, self.exact) for key, given in also.items()}
        line = ""
        if not callable(value) and np.ndim(value) < 2:
            line = f"{symbol} &{self._equals(value, formula, _fill(numbers, known, math))}"
        filled = _fill(plain(numbers), known, _plain)
        words = words or plain(formula)
        self._all.append(Quantity(name, plain(symbol), words, filled, line, value, self.exact))

    def _equals(self, value: Any, formula: str, numbers: str) -> str:
        """= formula = numbers = value, in LaTeX; what stands there already is not said twice."""
        words = math(value)
        said = "".join(f"= {part} " for part in (formula, numbers) if part not in ("", words))
        if not words.startswith(r"\approx"):
            words = (r"\approx " if self.exact and is_rounded(value) else "= ") + words
        return said + words

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, which: Any) -> Any:
        if not isinstance(which, str):
            return self._all[which]
        for quantity in self._all:
            if quantity.name == which:
                return quantity
        raise KeyError(f"no step is called {which!r}: {', '.join(self.names)}")

    def __iter__(self) -> Iterator[Quantity]:
        return iter(self._all)

    @property
    def names(self) -> list[str]:
        return [quantity.name for quantity in self._all]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._all))


def is_rounded(value: Any) -> bool:
    """Whether these are floats, which an exact derivation only has where there is no fraction."""
    return np.asarray(value).dtype.kind == "f"


def _fill(template: str, values: Mapping[str, Any], form: Callable[[Any], str]) -> str:
    """Put numbers in place of <name>, in brackets where they would be misread."""

    def put(match: re.Match[str]) -> str:
        words = form(values[match[1]]).replace("≈", "").replace(r"\approx ", "")
        misread = words.startswith(("−", "-")) or (form is _plain and "/" in words)
        return f"({words})" if misread and match[0] != template else words

    return PLACE.sub(put, template)


def _plain(value: Any) -> str:
    return text(vector(value)) if np.ndim(value) else number(value)


def math(value: Any) -> str:
    """A number or vector in LaTeX.

    >>> print(math([1, 0.5]))
    \\begin{pmatrix} 1 \\\\ 0.5 \\end{pmatrix}
    """
    if np.ndim(value) == 0:
        return formulas.math(value)
    rows = [r"\vdots" if v is None else math(v) for v in vector(value).values]
    return r"\begin{pmatrix} " + matrix_rows([[row] for row in rows]) + r" \end{pmatrix}"
