"""What the checks of all assumptions share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linscope.engines import Engine
from linscope.reports.text import many
from linscope.rows.blocks import Block, block_rows_for

from .basis import Basis
from .fit import LinearFit
from .rows import RowValues

# With fewer degrees of freedom the tests of shape (bend, spread, normality) could find nothing.
FEWEST_DF = 8


@dataclass(frozen=True, eq=False)
class Context:
    """A valid fit with its rows.

    Attributes
    ----------
    fit, basis, rows : the fit, its coordinates, its residuals and leverages
    alpha : an assumption is rejected at this level
    """

    fit: LinearFit
    basis: Basis
    rows: RowValues
    alpha: float = 0.05

    @cached_property
    def u(self) -> np.ndarray:
        """√c e (e for frequencies), the largest of size 1: the unit of y does not matter."""
        return self.rows.scaled / self._unit

    @cached_property
    def e(self) -> np.ndarray:
        """The residuals in the same unit."""
        return self.rows.residuals / self._unit

    @cached_property
    def weight(self) -> np.ndarray:
        """c of each row, also where the rows are elsewhere."""
        weight = self.fit.weight
        return np.ones(self.rows.n) if weight is None else np.asarray(weight)

    @cached_property
    def _unit(self) -> float:
        return float(np.abs(self.rows.scaled).max())

    @property
    def df(self) -> float:
        return self.rows.df

    def mean(self, values: np.ndarray) -> float:
        """Mean over all observations."""
        return float(values @ self.rows.times) / self.rows.total

    def centred(self, values: np.ndarray) -> np.ndarray:
        """The values with mean 0, the largest of size 1 (or all 0)."""
        centre = values - self.mean(values)
        return centre / (float(np.abs(centre).max()) or 1.0)

    @property
    def too_few(self) -> str:
        """Why the tests cannot judge, if there are too few rows; else ""."""
        if self.df >= FEWEST_DF:
            return ""
        degrees = f"{many(self.df)} degree{'s' if self.df != 1 else ''} of freedom"
        return (
            f"Too few rows to judge: {many(self.rows.total)} rows less {self.rows.p} coefficients "
            f"leave {degrees}, and {FEWEST_DF} are needed."
        )

    def engine(self, columns: int | None = None) -> Engine:
        """The rows in blocks that stay small with this many columns."""
        engine = self.fit.engine()
        return engine if columns is None else engine.cut(block_rows_for(columns, 8))

    def features(self, block: Block) -> np.ndarray:
        """The features in coordinates with mean 0 and variance 1, uncorrelated."""
        return self.basis.slopes_part(block.X) * np.sqrt(self.basis.total)
