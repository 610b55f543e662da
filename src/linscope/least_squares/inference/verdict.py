"""What a diagnosis says: tests, one verdict an assumption, and all of them together."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linscope._printable import escape, printable
from linscope.data.frames import to_backend
from linscope.reports.text import WIDTH, five_digits, many, p_equals
from linscope.results.notebook import MARKS, TABLE_STYLE, mark, titled

from .rows import RowValues


@dataclass(frozen=True)
class StatisticalTest:
    """One test or measure.

    Attributes
    ----------
    name : whose test, or what is measured
    statistic : its value
    p_value : how often a model without the fault would show such a value; None if it has none
    df : degrees of freedom, () if it has none
    symbol : letter of the statistic
    note : what the reader should know about this variant
    """

    name: str
    statistic: float
    p_value: float | None = None
    df: tuple[float, ...] = ()
    symbol: str = ""
    note: str = ""

    def __str__(self) -> str:
        df = f"({', '.join(many(each, '') for each in self.df)})" if self.df else ""
        value = f"{self.symbol}{df} = " if self.symbol else ""
        tail = "" if self.p_value is None else f", {p_equals(self.p_value)}"
        note = f" ({self.note})" if self.note else ""
        return f"{self.name} {value}{five_digits(self.statistic)}{tail}{note}"

    def _repr_html_(self) -> str:
        return f"<div>{escape(str(self))}</div>"


@dataclass(frozen=True)
class Verdict:
    """Does one assumption hold?

    Attributes
    ----------
    assumption : its name
    ok : True, False, or None if it cannot be judged
    sentence : what was found, what it means, and what to do
    tests : the tests behind it
    """

    assumption: str
    ok: bool | None
    sentence: str
    tests: list[StatisticalTest] = field(default_factory=list)

    def test(self, name: str) -> StatisticalTest:
        """The test of this name."""
        for test in self.tests:
            if test.name == name:
                return test
        raise KeyError(f"no test {name!r}: there are {[test.name for test in self.tests]}")

    def __str__(self) -> str:
        return f"{MARKS[self.ok]} {self.assumption}: {self.sentence}"

    def _repr_html_(self) -> str:
        return f'<table style="{TABLE_STYLE}"><tbody>{_html_row(self)}</tbody></table>'


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Diagnosis:
    """The verdicts on the five assumptions, and on collinearity.

    Iterate over it, or ask by name: ``diagnosis["normality"]``.

    Attributes
    ----------
    verdicts : one an assumption, in the order of the lecture notes
    rows : residuals, leverages, Cook's distances … of the training rows; None if not at hand
    vif : variance inflation factor of each feature; empty if unknown
    condition_number : of the features, centred and scaled; None if unknown
    n : number of rows
    target : the name of y

    Notes
    -----
    An assumption fails if one of its tests rejects it at 5 % (divided by the number of its tests)
    *and* the effect is large enough to matter: with a million rows every tiny deviation is
    significant.
    """

    verdicts: list[Verdict]
    n: float | None
    target: str
    rows: RowValues | None = None
    vif: dict[str, float] = field(default_factory=dict)
    condition_number: float | None = None

    @property
    def ok(self) -> bool:
        """Whether no assumption fails."""
        return all(verdict.ok is not False for verdict in self.verdicts)

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    def __getitem__(self, assumption: str) -> Verdict:
        for verdict in self.verdicts:
            if verdict.assumption == assumption:
                return verdict
        known = ", ".join(verdict.assumption for verdict in self.verdicts)
        raise KeyError(f"no assumption is called {assumption!r}: known are {known}")

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per test: assumption, ok, test, statistic, p_value.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "dict"}, by default the first installed
        """
        pairs = [(verdict, test) for verdict in self.verdicts for test in verdict.tests]
        p_values = [math.nan if test.p_value is None else test.p_value for _, test in pairs]
        words = {True: "yes", False: "no", None: "unknown"}
        columns = {
            "assumption": np.array([verdict.assumption for verdict, _ in pairs], dtype=object),
            "ok": np.array([words[verdict.ok] for verdict, _ in pairs], dtype=object),
            "test": np.array([test.name for _, test in pairs], dtype=object),
            "statistic": np.array([test.statistic for _, test in pairs]),
            "p_value": np.array(p_values),
        }
        return to_backend(columns, backend)

    @property
    def title(self) -> str:
        rows = "" if self.n is None else f", {many(self.n)} row{'s' if self.n != 1 else ''}"
        return f"Assumptions of the linear regression of {self.target}{rows}"

    def __str__(self) -> str:
        lines = textwrap.wrap(self.title, WIDTH)
        for verdict in self.verdicts:
            lines += _paragraph(f"{MARKS[verdict.ok]} {verdict.assumption:<17}", verdict.sentence)
            for test in verdict.tests:
                lines += _paragraph(" " * 19, f"{test}")
        return printable("\n".join(lines), "\n")

    __repr__ = __str__

    def to_html(self) -> str:
        """The verdicts as a table for notebooks and pages."""
        body = "".join(map(_html_row, self.verdicts))
        table = f'<table style="{TABLE_STYLE}"><tbody>{body}</tbody></table>'
        return titled(f"<b>{escape(self.title)}</b>", table, kind="diagnosis")

    def _repr_html_(self) -> str:
        return self.to_html()


def _paragraph(label: str, words: str) -> list[str]:
    lines = textwrap.wrap(
        re.sub(r" ([=<]) ", "\u00a0\\1\u00a0", words),  # p = 0.03 stays on one line
        WIDTH,
        initial_indent=f"{label:<19}",
        subsequent_indent=" " * 19,
        break_on_hyphens=False,
    )
    return [line.replace("\u00a0", " ") for line in lines]


def _html_row(verdict: Verdict) -> str:
    cell = "text-align:left;vertical-align:top;padding:.3em .6em"
    tests = "".join(f"<br><small>{escape(str(test))}</small>" for test in verdict.tests)
    return (
        f'<tr><td style="{cell}">{mark(verdict.ok)}</td><th scope="row" style="{cell}">'
        f'{escape(verdict.assumption)}</th><td style="{cell}">{escape(verdict.sentence)}{tests}'
        "</td></tr>"
    )


def rejected(tests: Sequence[StatisticalTest], alpha: float) -> list[StatisticalTest]:
    """The tests that reject at ``alpha`` divided by their number, most significant first."""
    judged = [test for test in tests if test.p_value is not None and test.p_value == test.p_value]
    found = [test for test in judged if (test.p_value or 0.0) * len(judged) < alpha]
    return sorted(found, key=lambda test: test.p_value or 0.0)


def named(tests: Sequence[StatisticalTest]) -> str:
    """``Breusch–Pagan p = 0.003, White p = 0.01`` for a sentence."""
    return ", ".join(
        f"{test.name} {p_equals(test.p_value)}" for test in tests if test.p_value is not None
    )


def percent(share: float) -> str:
    """A share in per cent with two digits.

    >>> percent(0.1234), percent(0.00456), percent(1.5)
    ('12 %', '0.46 %', '150 %')
    """
    value = 100 * share
    return f"{value:.0f} %" if value >= 10 else f"{value:.2g} %"
