"""Which features move the odds? The table of a logistic regression.

z = w/se(w)            is this coefficient different from 0? se² from the inverse information
deviance               −2ℓ
LR = 2(ℓ − ℓ₀)         do the features together say more than the shares of the classes? χ²
McFadden R²            1 − ℓ/ℓ₀
Cox–Snell R²           1 − exp(−LR/n)
Nagelkerke R²          the same divided by its largest value, 1 − exp(2ℓ₀/n)
AIC, BIC               −2ℓ + 2k, −2ℓ + k log n with k coefficients in all

Robust errors are White's sandwich I⁻¹ (Σ cᵢ sᵢsᵢᵀ) I⁻¹ with sᵢ the score of row i (HC0), times
n/(n − k) (HC1); weights that are precisions count squared in the middle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from linscope.arithmetic.distributions import check_level, chi2_tail, ratio
from linscope.data.frames import to_backend
from linscope.fitting.estimable import Estimable
from linscope.reports.page import Report
from linscope.reports.table import Table
from linscope.rows.blocks import Block

from ..solvers.constrained_newton import factor_of
from ..solvers.multinomial import Frame, residuals
from . import report
from .fit import LogisticFit
from .profile_likelihood import drop

ROBUST = ("HC0", "HC1")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LogisticSummary(Report):
    """The table of a logistic regression; made by ``LogisticRegression.summary()``.

    Arrays have a row for each class other than the reference and a column for each name. Where
    ``refused`` says why inference is not valid, everything that would need it is None.

    Attributes
    ----------
    names : names of the coefficients of a class
    classes : the labels of the rows; ``reference`` is the label the odds are against
    coefficients, standard_errors, z, p_values : (K − 1, p)
    intervals : (K − 1, p, 2) Wald intervals at ``level``
    covariance : of all coefficients, class after class
    log_likelihood, null_log_likelihood : ℓ, and ℓ₀ without the features
    deviance : −2ℓ
    lr_statistic, lr_pvalue, df_model : test of all slopes together
    mcfadden, cox_snell, nagelkerke : pseudo-R²
    aic, bic : information criteria
    n : Σ of the sample weights; the number of rows without weights, or if they are precisions
    weight_kind : "frequency" or "precision", see ``LogisticRegression``; None without weights
    robust : "HC0" or "HC1" for robust standard errors, else None
    penalty : "firth" if ℓ is Firth's penalised likelihood, else None
    refused : why there are no standard errors; None if there are
    dependent : a sentence about columns that depend on others; None if there are none. Then
        coefficients that are not unique have NaN for all but their value, and the sums that are
        unique follow after all coefficients of a class

    Notes
    -----
    Without an intercept ℓ₀ has equal probabilities for all classes, since a constant alone is no
    special case of the model.
    """

    names: list[str]
    classes: list[Any]
    reference: Any
    target: str
    fit_intercept: bool
    n: float
    weight_kind: str | None
    level: float
    robust: str | None
    penalty: str | None
    refused: str | None
    coefficients: np.ndarray
    df_model: int
    standard_errors: np.ndarray | None = None
    z: np.ndarray | None = None
    p_values: np.ndarray | None = None
    intervals: np.ndarray | None = None
    covariance: np.ndarray | None = None
    log_likelihood: float | None = None
    null_log_likelihood: float | None = None
    deviance: float | None = None
    lr_statistic: float | None = None
    lr_pvalue: float | None = None
    mcfadden: float | None = None
    cox_snell: float | None = None
    nagelkerke: float | None = None
    aic: float | None = None
    bic: float | None = None
    dependent: str | None = None

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per coefficient, class after class.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "dict"}, by default the first installed
        """
        columns: dict[str, Any] = {
            "class": np.array([k for k in self.classes for _ in self.names], dtype=object),
            "name": np.array(self.names * len(self.classes), dtype=object),
            "coefficient": self.coefficients.ravel(),
        }
        if self.standard_errors is not None:
            assert self.z is not None
            assert self.p_values is not None
            assert self.intervals is not None
            columns |= {
                "standard_error": self.standard_errors.ravel(),
                "z": self.z.ravel(),
                "p_value": self.p_values.ravel(),
                "lower": self.intervals[..., 0].ravel(),
                "upper": self.intervals[..., 1].ravel(),
            }
        return to_backend(columns, backend)

    def _table(self) -> Table:
        return report.summary(self)


def logistic_summary(
    fit: LogisticFit, robust: str | None = None, level: float = 0.95
) -> LogisticSummary:
    """The table of a logistic fit.

    Parameters
    ----------
    fit : LogisticFit
    robust : None, or "HC0" or "HC1" for standard errors that hold when the model is not quite right
    level : of the confidence intervals, between 0 and 1

    Examples
    --------
    >>> fit = LogisticFit(names=["intercept", "dose"], classes=["no", "yes"],
    ...                   weights=np.log([[1 / 3, 6.0]]), X=np.array([[0.0], [0.0], [1.0], [1.0]]),
    ...                   codes=np.array([0, 1, 0, 1]), weight=np.array([3.0, 1.0, 2.0, 4.0]))
    >>> table = logistic_summary(fit)
    >>> (table.standard_errors[0, 1] ** 2).round(6)  # 1/3 + 1/1 + 1/2 + 1/4
    np.float64(2.083333)
    """
    check_logistic_robust(robust)
    level = check_level(level)
    why_not = fit.why_not
    facts: dict[str, Any] = {
        "names": list(fit.names),
        "classes": [fit.classes[k] for k in fit.others],
        "reference": fit.classes[fit.reference],
        "target": fit.target,
        "fit_intercept": fit.fit_intercept,
        "n": fit.n,
        "weight_kind": fit.weight_kind,
        "level": level,
        "robust": robust,
        "penalty": fit.penalty,
        "refused": why_not,
        "coefficients": np.asarray(fit.weights, dtype=np.float64),
        "df_model": fit.df_model,
    }
    if why_not is None:
        facts |= _inference(fit, robust, level) | _whole(fit)
    if fit.estimable is not None:
        facts |= _of_all(fit.estimable, facts)
    return LogisticSummary(**facts)


def _of_all(estimable: Estimable, facts: dict[str, Any]) -> dict[str, Any]:
    """What all coefficients have, from what those of the independent columns have."""
    spread = {
        name: estimable.spread(facts.get(name)) for name in ("standard_errors", "z", "p_values")
    }
    C, R = facts.get("covariance"), len(facts["classes"])
    if C is not None:
        p = len(C) // R
        C = estimable.spread(estimable.spread(C.reshape(R, p, R, p), 3), 1)
        C = C.reshape(R * C.shape[1], -1)
    return spread | {
        "names": estimable.names,
        "coefficients": estimable.coefficients(facts["coefficients"]),
        "covariance": C,
        "intervals": estimable.spread(facts.get("intervals"), 1),
        "dependent": estimable.sentence,
    }


def check_logistic_robust(robust: str | None) -> None:
    """Refuse an unknown kind of standard errors."""
    if robust is not None and robust not in ROBUST:
        raise ValueError(f"robust must be None or one of {', '.join(ROBUST)}, got {robust!r}")


def logistic_covariance(fit: LogisticFit, robust: str | None = None) -> np.ndarray:
    """The covariance of all coefficients, class after class.

    Parameters
    ----------
    fit : LogisticFit
    robust : None for the inverse information, or "HC0", "HC1"
    """
    check_logistic_robust(robust)
    if robust is None:
        return fit.inverse
    model = fit.model
    theta = fit.theta.reshape(model.shape)
    middle = model.engine.fold(_middle, model.frame, theta, 1 if fit.frequency else 2)
    root, _ = factor_of(fit.place.information)
    bread = np.linalg.solve(np.tril(root).T, np.linalg.solve(np.tril(root), fit.units.T)).T
    C = bread @ middle @ bread.T
    k = fit.weights.size
    if robust == "HC1":
        C *= fit.n / (fit.n - k) if fit.n > k else math.nan
    return (C + C.T) / 2  # symmetric to the last bit


def _middle(block: Block, frame: Frame, theta: np.ndarray, power: int) -> np.ndarray:
    """Σ c s sᵀ over a block (c² for precisions), s = (e_y − p) ⊗ z."""
    Z = frame.rows(block.X)
    r = residuals(frame.probabilities(Z, theta), block.y)[:, frame.others]
    scores = (r[:, :, None] * Z[:, None, :]).reshape(len(Z), -1)
    weighted = scores if not block.weighted else scores * block.weight[:, None] ** power
    return scores.T @ weighted


def normal_two_sided(z: np.ndarray) -> np.ndarray:
    """P(|Z| ≥ |z|).

    >>> normal_two_sided(np.array([1.959963984540054])).round(12)
    array([0.05])
    """
    return special.erfc(np.abs(z) / math.sqrt(2.0))


def normal_quantile(level: float) -> float:
    """z with P(|Z| ≤ z) = ``level``.

    >>> round(normal_quantile(0.95), 6)
    1.959964
    """
    return float(special.ndtri((1 + level) / 2))


def _inference(fit: LogisticFit, robust: str | None, level: float) -> dict[str, Any]:
    C = logistic_covariance(fit, robust)
    w = np.asarray(fit.weights, dtype=np.float64)
    se = np.sqrt(np.diag(C)).reshape(w.shape)
    z = ratio(w, se)
    half = normal_quantile(level) * se
    return {
        "covariance": C,
        "standard_errors": se,
        "z": z,
        "p_values": normal_two_sided(z),
        "intervals": np.stack([w - half, w + half], axis=-1),
    }


def _whole(fit: LogisticFit) -> dict[str, Any]:
    """What the fit has as a whole; Firth's likelihood has no pseudo-R² and no AIC."""
    value, n, k = fit.log_likelihood, fit.n, fit.weights.size
    if fit.firth:
        skip = int(fit.fit_intercept)
        lr = drop(fit, list(range(skip, fit.p))) if fit.df_model else 0.0
        null = value - lr / 2
    else:
        null = null_log_likelihood(fit)
        lr = max(2.0 * (value - null), 0.0)
    facts: dict[str, Any] = {
        "log_likelihood": value,
        "null_log_likelihood": null,
        "lr_statistic": lr,
        "lr_pvalue": chi2_tail(lr, fit.df_model) if fit.df_model else math.nan,
    }
    if fit.firth:
        return facts
    cox_snell = -math.expm1(-lr / n)
    return facts | {
        "deviance": -2.0 * value,
        "mcfadden": 1.0 - value / null if null else math.nan,
        "cox_snell": cox_snell,
        "nagelkerke": cox_snell / -math.expm1(2.0 * null / n) if null else math.nan,
        "aic": -2.0 * value + 2.0 * k,
        "bic": -2.0 * value + k * math.log(n),
    }


def null_log_likelihood(fit: LogisticFit) -> float:
    """ℓ₀ = Σ_k c_k log(c_k/c) for weights c_k of the classes; without intercept −c log K."""
    counts = fit.class_weights
    total = float(counts.sum())
    if not fit.fit_intercept:
        return -total * math.log(len(fit.classes))
    return float(np.sum(special.xlogy(counts, counts / total)))
