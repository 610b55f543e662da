"""What the training rows say about a fit, one pass over them: residuals and leverages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from linscope.fitting.scores import row_scores
from linscope.reports.text import many
from linscope.rows.blocks import Block

from .basis import Basis, basis_from_rows, basis_of
from .fit import LinearFit, whole


@dataclass(frozen=True, eq=False)
class RowValues:
    """Values that each training row has.

    Attributes
    ----------
    fitted : ŷᵢ
    residuals : eᵢ = yᵢ − ŷᵢ
    scaled : √cᵢ eᵢ, which has the same variance in every row if the model is right
    leverages : hᵢ = ‖qᵢ‖², how strongly row i pulls its own fitted value
    sigma2 : rss/df
    df : n − p
    p : number of coefficients
    times : how many equal rows each row stands for; 1 unless weights are frequencies, where values
        are those of one of the equal rows
    exact : whether the residuals are rounding errors only
    """

    fitted: np.ndarray
    residuals: np.ndarray
    scaled: np.ndarray
    leverages: np.ndarray
    sigma2: float
    df: float
    p: int
    times: np.ndarray
    exact: bool

    @property
    def n(self) -> int:
        return len(self.fitted)

    @property
    def total(self) -> float:
        """Number of observations: Σ times."""
        return self.df + self.p

    @cached_property
    def standardized(self) -> np.ndarray:
        """√cᵢ eᵢ / (σ √(1 − hᵢ)); 0 where hᵢ = 1 or the fit is exact."""
        scale = np.sqrt(self.sigma2 * self._slack)
        return np.divide(self.scaled, scale, out=np.zeros(self.n), where=scale > 0)

    @cached_property
    def studentized(self) -> np.ndarray:
        """The same with the σ of a fit without row i.

        t = r √((n − p − 1)/(n − p − r²)) for the standardised residual r
        """
        df = self.df
        left = np.maximum(df - self.standardized**2, 0.0)
        out = np.copysign(np.inf, self.standardized)
        out[self.standardized == 0] = 0.0
        factor = np.divide(max(df - 1, 0), left, out=np.full(self.n, np.nan), where=left > 0)
        return np.where(np.isnan(factor), out, self.standardized * np.sqrt(factor))

    @cached_property
    def cooks_distance(self) -> np.ndarray:
        """How far all coefficients move without row i.

        Dᵢ = rᵢ² hᵢ / (p (1 − hᵢ))
        """
        ratio = np.divide(self.leverages, self._slack, out=np.zeros(self.n), where=self._slack > 0)
        return self.standardized**2 * ratio / self.p

    @cached_property
    def _slack(self) -> np.ndarray:
        """1 − hᵢ; 0 where only rounding is left of it."""
        slack = 1 - self.leverages
        return np.where(slack > 1e-10, slack, 0.0)


def row_values(fit: LinearFit, basis: Basis | None = None) -> RowValues:
    """Residuals and leverages of the training rows.

    Of a fit whose inference is refused (a penalised one, say), the leverages are those of plain
    least squares on the same rows.
    """
    engine = fit.engine()
    if basis is None:
        basis = basis_of(fit) if fit.valid else basis_from_rows(fit)
    p, times = basis.size, np.asarray(fit.weight) if fit.frequency else np.ones(engine.n_rows)
    n = whole(times.sum())
    if n <= p:
        raise ValueError(
            f"{many(n)} rows leave no residuals after {p} coefficients: every row is fitted exactly"
        )
    task = partial(_values, fit.weights, basis, fit.frequency)
    fitted, residuals, pull, largest = engine.gather(task)
    rounding = 8 * p * np.finfo(np.float64).eps * largest.max()
    return RowValues(
        fitted,
        residuals,
        residuals if fit.weight is None or fit.frequency else residuals * np.sqrt(fit.weight),
        pull,
        fit.rss / (n - p),
        n - p,
        p,
        times,
        exact=bool(np.abs(residuals).max(initial=0.0) <= rounding),
    )


def _values(
    weights: np.ndarray, basis: Basis, frequency: bool, block: Block
) -> tuple[np.ndarray, ...]:
    """Fitted values, residuals, leverages; and one number, the largest term of a sum."""
    fitted = scores(block.X, weights, basis.fit_intercept)
    Q = basis.rows(block)
    pull = leverages(Q, block, frequency)
    # The largest term of a sum w·x bounds its rounding error.
    terms = np.abs(weights[int(basis.fit_intercept) :]) * _column_sizes(block.X)
    largest = max(np.abs(block.y).max(), abs(weights[0]), terms.max(initial=0.0))
    return fitted, block.y - fitted, pull, np.array([largest])


def leverages(Q: np.ndarray, block: Block, frequency: bool) -> np.ndarray:
    """‖qᵢ‖² of the rows of a block, for frequencies ‖qᵢ‖²/cᵢ."""
    squares = np.einsum("ij,ij->i", Q, Q)
    return squares / block.weight if frequency and block.weighted else squares


def scores(X: Any, weights: np.ndarray, fit_intercept: bool) -> np.ndarray:
    """ŷ = A w in float64."""
    return row_scores(X, weights if fit_intercept else np.r_[0.0, weights])


def _column_sizes(X: Any) -> np.ndarray:
    size = abs(X).max(axis=0)
    return size.toarray().ravel() if hasattr(size, "toarray") else size
