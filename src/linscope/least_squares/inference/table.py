"""Does X help describe y? The table of coefficients, with everything that is printed beside it.

t = w/se(w)         is this coefficient different from 0?
R² = 1 − rss/tss    the share of the variation of y that the line describes
adjusted R²         the same after a price for each coefficient: 1 − (1 − R²)(n − 1)/(n − p)
r = ±√R²            the correlation, with one feature only
F                   do the features together describe more than chance would?
AIC, BIC            −2ℓ + 2p, −2ℓ + p log n (σ² is not counted among the p)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.arithmetic.distributions import check_level, f_tail, ratio, t_quantile, two_sided
from linscope.data.frames import to_backend
from linscope.fitting.estimable import Estimable
from linscope.reports.page import Report
from linscope.reports.table import Table

from . import likelihood
from .covariance import check_robust, covariance
from .fit import LinearFit
from .report import report


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Summary(Report):
    """The regression table; made by ``LinearRegression.summary()``.

    Where ``refused`` says why inference is not valid, everything that would need it is None.

    Attributes
    ----------
    names : names of the coefficients
    coefficients, standard_errors, t, p_values : arrays in that order
    intervals : (p, 2) confidence intervals of the coefficients at ``level``
    covariance : (p, p) of the coefficients
    r2, adjusted_r2 : share of the variation of y that is described
    r : correlation of x and y (one feature and an intercept only)
    f_statistic, f_pvalue : of all slopes together
    log_likelihood, aic, bic : at the maximum likelihood estimate
    sigma : √(rss/(n − p)), the standard deviation of the residuals
    sigma2_ml : rss/n, the variance estimated by maximum likelihood
    df_model, df_residual : number of slopes, and n − p
    n : number of rows; the sum of the weights if they are frequencies
    weight_kind : "precision" or "frequency", see ``LinearRegression``; None without weights
    robust : which robust standard errors, None for the classic ones
    n_groups : how many groups clustered standard errors have
    dependent : a sentence about columns that depend on others; None if there are none. Then
        coefficients that are not unique have NaN for all but their value, and the sums that are
        unique follow after all coefficients
    refused : why there are no standard errors; None if there are

    Notes
    -----
    Tests use Student's t with n − p degrees of freedom, with robust standard errors too (clustered
    ones: G − 1 for G groups); F is then a Wald test.
    """

    names: list[str]
    target: str
    fit_intercept: bool
    n: float | None
    level: float
    robust: str | None
    refused: str | None
    coefficients: np.ndarray
    r2: float
    r: float | None
    df_model: int
    standard_errors: np.ndarray | None = None
    t: np.ndarray | None = None
    p_values: np.ndarray | None = None
    intervals: np.ndarray | None = None
    covariance: np.ndarray | None = None
    adjusted_r2: float | None = None
    f_statistic: float | None = None
    f_pvalue: float | None = None
    log_likelihood: float | None = None
    aic: float | None = None
    bic: float | None = None
    sigma: float | None = None
    sigma2_ml: float | None = None
    df_residual: float | None = None
    n_groups: int | None = None
    weight_kind: str | None = None
    dependent: str | None = None

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per coefficient.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "dict"}, by default the first installed
        """
        columns: dict[str, Any] = {
            "name": np.array(self.names, dtype=object),
            "coefficient": self.coefficients,
        }
        if self.standard_errors is not None:
            assert self.intervals is not None
            columns |= {
                "standard_error": self.standard_errors,
                "t": self.t,
                "p_value": self.p_values,
                "lower": self.intervals[:, 0],
                "upper": self.intervals[:, 1],
            }
        return to_backend(columns, backend)

    def _table(self) -> Table:
        return report(self)


def summary(fit: LinearFit, robust: str | None = None, level: float = 0.95) -> Summary:
    """The regression table of a fit.

    Parameters
    ----------
    fit : LinearFit
    robust : None, or "HC0" … "HC3" for standard errors that allow unequal variances, "cluster" for
        those that allow errors to be correlated inside the groups of the fit
    level : of the confidence intervals, between 0 and 1
    """
    check_robust(robust)
    level = check_level(level)
    r2 = 1 - fit.rss / fit.tss if fit.tss > 0 else math.nan
    facts: dict[str, Any] = {
        "names": fit.names,
        "target": fit.target,
        "fit_intercept": fit.fit_intercept,
        "n": fit.n,
        "weight_kind": fit.weight_kind,
        "level": level,
        "robust": robust,
        "refused": fit.why_not,
        "coefficients": fit.weights,
        "r2": r2,
        "r": _correlation(fit, r2),
        "df_model": fit.df_model,
    }
    if fit.valid:
        facts |= _inference(fit, robust, level) | _whole(fit, r2)
    if fit.estimable is not None:
        facts |= _of_all(fit.estimable, facts)
    return Summary(**facts)


def _of_all(estimable: Estimable, facts: dict[str, Any]) -> dict[str, Any]:
    """What all coefficients have, from what those of the independent columns have."""
    columns = ("standard_errors", "t", "p_values")
    spread = {name: estimable.spread(facts.get(name)) for name in columns}
    covariance = estimable.spread(estimable.spread(facts.get("covariance")), 0)
    return spread | {
        "names": estimable.names,
        "coefficients": estimable.coefficients(facts["coefficients"][None])[0],
        "covariance": covariance,
        "intervals": estimable.spread(facts.get("intervals"), 0),
        "dependent": estimable.sentence,
    }


def _correlation(fit: LinearFit, r2: float) -> float | None:
    if not (fit.fit_intercept and fit.df_model == 1):
        return None
    return math.copysign(math.sqrt(max(r2, 0.0)), fit.weights[1]) if r2 == r2 else math.nan


def _inference(fit: LinearFit, robust: str | None, level: float) -> dict[str, Any]:
    """What each coefficient has, and F, which needs the same covariance."""
    C = covariance(fit, robust)
    df = fit.df_residual if robust != "cluster" else fit.n_groups - 1
    assert df is not None
    se = np.sqrt(np.diag(C))
    t = ratio(fit.weights, se)
    half = t_quantile(level, df) * se
    f = _f_statistic(fit) if robust is None else _wald(fit, C)
    return {
        "covariance": C,
        "standard_errors": se,
        "t": t,
        "p_values": two_sided(t, df),
        "intervals": np.column_stack([fit.weights - half, fit.weights + half]),
        "f_statistic": f,
        "f_pvalue": f_tail(f, fit.df_model, df) if f == f else math.nan,
        "n_groups": fit.n_groups if robust == "cluster" else None,
    }


def _whole(fit: LinearFit, r2: float) -> dict[str, Any]:
    """What the fit has as a whole."""
    n, df, p = fit.n, fit.df_residual, fit.p
    assert n is not None
    assert df is not None
    facts: dict[str, Any] = {
        "adjusted_r2": 1 - (1 - r2) * (n - int(fit.fit_intercept)) / df,
        "sigma": math.sqrt(fit.rss / df),
        "sigma2_ml": likelihood.sigma2_ml(fit.rss, n),
        "df_residual": df,
    }
    if fit.logs is None:
        return facts  # ℓ needs every weight, and they are not at hand
    value = likelihood.maximum(fit.rss, n, fit.logs)
    more = {
        "log_likelihood": value,
        "aic": -2 * value + 2 * p,
        "bic": -2 * value + p * math.log(n),
    }
    return facts | more


def _f_statistic(fit: LinearFit) -> float:
    """(tss − rss)/(p − 1) / (rss/(n − p))."""
    explained, df = fit.tss - fit.rss, fit.df_residual
    assert df is not None
    if fit.rss == 0:
        return math.inf if explained > 0 else math.nan
    return explained / fit.df_model / (fit.rss / df)


def _wald(fit: LinearFit, C: np.ndarray) -> float:
    """wᵀ Cov⁻¹ w / (p − 1) over the slopes, in units where the variances are 1."""
    skip = int(fit.fit_intercept)
    C, se = C[skip:, skip:], np.sqrt(np.diag(C)[skip:])
    if not (se > 0).all():
        return math.inf if fit.slopes.any() else math.nan
    t = fit.slopes / se
    return float(t @ np.linalg.lstsq(C / se[:, None] / se, t, rcond=None)[0]) / fit.df_model
