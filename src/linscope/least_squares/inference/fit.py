"""What the statistics of a linear fit start from.

The model is y = A w + ε with A = [1, X] (or X). Sample weights cᵢ are of one of two kinds:

    precision   Var(εᵢ) = σ²/cᵢ, n is the number of rows: doubling all weights changes no test
    frequency   row i stands for cᵢ equal rows with Var(ε) = σ², n = Σ cᵢ: doubling all weights is
                a table twice as long

Both have the same coefficients and the same rss.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linscope.engines import Engine, choose
from linscope.fitting.estimable import Estimable
from linscope.reports.text import many
from linscope.rows.blocks import Block, with_columns


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LinearFit:
    """A fitted hyperplane with what is needed to judge it.

    Attributes
    ----------
    names : names of the coefficients, "intercept" first when there is one
    weights : (p,) the coefficients in the same order
    rss : Σ cᵢ eᵢ², the residual sum of squares; NaN if it is not known
    tss : Σ cᵢ (yᵢ − ȳ)², or Σ cᵢ yᵢ² without intercept
    fit_intercept : whether A has a column of ones
    n : number of observations: rows with positive weight, or Σ cᵢ for frequencies; None if only
        moments are known and n is not. Then rss and tss may be means as well as sums: only their
        ratio is used
    weight_kind : "precision" or "frequency"; None without weights
    inverse : (p, p) (AᵀCA)⁻¹ with C = diag(c); None if it does not exist
    inverse_root : (p, k) S with S Sᵀ = inverse, if a factorisation gave it; more accurate than
        the root of ``inverse``
    refused : why standard errors would not be valid, as a clause ("the fit is penalised"); None
        if they are
    target : the name of y
    X, y, weight : the training rows (dense or CSR) with positive weight; None if not at hand
        (``weight`` also if all are 1)
    rows : their numbers in the user's table; None if all rows are there
    groups : the number of the group of each training row, for clustered standard errors
    dependent : sentences that name features which are combinations of others
    estimable : the coefficients of all features, if such features were left out; then the other
        attributes but X are those of the independent features
    means : (d,) weighted means of the features; needed only where X is None
    total_weight : Σ cᵢ; needed only for a weighted fit where X is None
    log_weights : Σ log cᵢ, likewise; None if it is not known
    """

    names: list[str]
    weights: np.ndarray
    rss: float
    tss: float
    fit_intercept: bool
    n: float | None = None
    weight_kind: str | None = None
    inverse: np.ndarray | None = None
    inverse_root: np.ndarray | None = None
    refused: str | None = None
    target: str = "y"
    X: Any = None
    y: np.ndarray | None = None
    weight: np.ndarray | None = None
    rows: np.ndarray | None = None
    groups: np.ndarray | None = None
    means: np.ndarray | None = None
    dependent: tuple[str, ...] = ()
    estimable: Estimable | None = None
    total_weight: float | None = None
    log_weights: float | None = None

    @property
    def p(self) -> int:
        """Number of coefficients."""
        return len(self.weights)

    @property
    def slopes(self) -> np.ndarray:
        """The coefficients of the features."""
        return self.weights[int(self.fit_intercept) :]

    @property
    def features(self) -> list[str]:
        """The names of the features."""
        return self.names[int(self.fit_intercept) :]

    @property
    def df_model(self) -> int:
        """Number of slopes."""
        return self.p - int(self.fit_intercept)

    @property
    def df_residual(self) -> float | None:
        """n − p, what is left to estimate the variance from."""
        return None if self.n is None else self.n - self.p

    @property
    def n_groups(self) -> int:
        """How many groups the rows have."""
        return 0 if self.groups is None else len(np.unique(self.groups))

    @property
    def frequency(self) -> bool:
        """Whether a row stands for as many equal rows as its weight says."""
        return self.weight_kind == "frequency"

    @property
    def has_rows(self) -> bool:
        """Whether the training rows are at hand."""
        return self.X is not None and self.y is not None

    @property
    def valid(self) -> bool:
        """Whether standard errors, tests and intervals mean something."""
        return self.why_not is None

    @property
    def why_not(self) -> str | None:
        """Why there can be no standard errors, as a clause; None if there can."""
        if self.refused is not None:
            return self.refused
        if self.n is None:
            return "the number of rows n is not known"
        if self.rss != self.rss:
            return "the variance of y is not known"
        if self.inverse is None and self.inverse_root is None:
            return "AᵀA has no inverse"
        if self.n <= self.p:
            return f"{many(self.n)} rows leave no degree of freedom after {self.p} coefficients"
        return None

    @cached_property
    def total(self) -> float:
        """Σ cᵢ."""
        if self.weight is not None:
            return float(np.sum(self.weight, dtype=np.float64))
        return float(self.n or 0) if self.total_weight is None else self.total_weight

    @cached_property
    def logs(self) -> float | None:
        """Σ log cᵢ of precisions; None if it is not known."""
        if self.frequency:
            return 0.0
        if self.weight is not None:
            return float(np.log(self.weight).sum())
        return 0.0 if self.total_weight is None else self.log_weights

    def engine(self, beside: np.ndarray | None = None) -> Engine:
        """The training rows in blocks, a column beside y if given; raises if not at hand."""
        if not self.has_rows:
            raise ValueError(
                "this needs the training rows, and the model was fitted from moments only: fit it "
                "on X and y"
            )
        engine = choose(self.X, self.y, self.weight)
        if self.estimable is not None:
            engine = engine.derive(with_columns, self.estimable.kept)
        return engine if beside is None else engine.derive(_beside, beside)

    def need_valid(self, what: str) -> None:
        """Raise if standard errors would not be valid."""
        if self.why_not is not None:
            raise ValueError(f"no {what}: {self.why_not}")

    def row_number(self, i: int) -> int:
        """Number in the user's table of training row ``i``."""
        return int(i if self.rows is None else self.rows[i])


def whole(number: float) -> float:
    """An integer as an int, which is printed as such.

    >>> whole(12.0), whole(12.5)
    (12, 12.5)
    """
    return int(number) if number == int(number) else float(number)


def _beside(block: Block, column: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
    """Another column beside y."""
    assert block.y is not None
    return block.X, np.column_stack([block.y, column[block.rows]]), block.weight
