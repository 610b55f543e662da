"""Probability, odds and log odds: three ways to say the same.

odds  =  p / (1 − p)
l     =  logit(p)  =  log odds  =  w·x      linear in x, from −∞ to ∞
p     =  σ(l)      =  e^l / (1 + e^l)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from linscope.data.frames import to_backend
from linscope.reports.cells import number
from linscope.reports.page import Report
from linscope.reports.table import Column, Row, Table
from linscope.reports.text import aligned

PROBABILITIES = (0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class LogitTable(Report):
    """Some probabilities with their odds and log odds.

    Attributes
    ----------
    p, odds, log_odds : arrays

    Examples
    --------
    >>> print(LogitTable.of([0, 0.5, 0.9, 1]))
      p  odds = p / (1 − p)  logit = log odds
      0                   0                −∞
    0.5                   1                 0
    0.9                   9           2.19722
      1                   ∞                 ∞
    """

    p: np.ndarray
    odds: np.ndarray
    log_odds: np.ndarray

    @classmethod
    def of(cls, p: Any = PROBABILITIES) -> LogitTable:
        """The table of some probabilities."""
        p = np.asarray(p, dtype=np.float64)
        with np.errstate(divide="ignore"):
            return cls(p, p / (1.0 - p), special.logit(p))

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per probability; ``backend`` as for ``Trace.to_frame``."""
        return to_backend({"p": self.p, "odds": self.odds, "log_odds": self.log_odds}, backend)

    def _table(self) -> Table:
        columns = [
            Column("p", "$p$", True, _finite),
            Column("odds = p / (1 − p)", "odds $= p / (1 - p)$", True, _finite),
            Column("logit = log odds", "", True, _finite),
        ]
        cells = zip(self.p.tolist(), self.odds.tolist(), self.log_odds.tolist(), strict=True)
        return Table("Probability, odds, log odds", [], columns, [Row(list(row)) for row in cells])

    def __str__(self) -> str:
        return "\n".join(aligned(self._table().all_texts()))


def _finite(value: float) -> str:
    return number(value).replace("inf", "∞")
