"""Least squares with a ridge penalty."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from linscope._bridge import Interval

from .family import LeastSquaresFamily


class Ridge(LeastSquaresFamily):
    """Ridge regression: minimise ½ Σ_i c_i (y_i − w·[1, x_i])² + ½ α‖w‖², bias not penalised.

    Parameters
    ----------
    alpha : float
        Strength α of the penalty; 0 is ordinary least squares.
    solver, fit_intercept, eta0, schedule, batch_size, shuffle, average, tol, max_iter, \
random_state, weight_kind : as for ``LinearRegression``

    Attributes
    ----------
    coef_, intercept_, rank_, certificate_, n_iter_, result_ : as for ``LinearRegression``

    Notes
    -----
    A penalised fit is biased on purpose, so ``summary`` shows its weights without standard errors.

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("five_points")
    >>> ls.Ridge(alpha=1.0).fit(X, y).coef_.round(4)
    array([1.0886])
    """

    _parameter_constraints: ClassVar[dict] = {
        **LeastSquaresFamily._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        solver: str = "exact",
        fit_intercept: bool = True,
        eta0: float | str = "auto",
        schedule: str = "constant",
        batch_size: int = 32,
        shuffle: bool = True,
        average: bool = False,
        tol: float = 1e-6,
        max_iter: int = 1000,
        random_state: int | np.random.RandomState | None = None,
        weight_kind: str = "auto",
    ) -> None:
        super().__init__(
            solver=solver,
            fit_intercept=fit_intercept,
            eta0=eta0,
            schedule=schedule,
            batch_size=batch_size,
            shuffle=shuffle,
            average=average,
            tol=tol,
            max_iter=max_iter,
            random_state=random_state,
            weight_kind=weight_kind,
        )
        self.alpha = alpha

    @property
    def _alpha(self) -> float:
        return float(self.alpha)
