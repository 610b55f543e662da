"""By what factor does one unit more of a feature multiply the odds? exp(w), with intervals.

    odds(class k against the reference)  =  P(k | x)/P(reference | x)  =  exp(w_k·[1, x])

Wald intervals are exp(w ± z·se). Profile intervals (see ``profile_likelihood.py``) do not need the
likelihood to be a parabola: prefer them for few rows or rare classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.arithmetic.distributions import check_level, chi2_tail, ratio
from linscope.data.frames import to_backend
from linscope.fitting.estimable import Estimable
from linscope.reports.page import Report
from linscope.reports.table import Table

from . import report
from .fit import LogisticFit
from .profile_likelihood import drop, profile_interval
from .table import normal_quantile, normal_two_sided

KINDS = ("wald", "profile")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class OddsRatios(Report):
    """Odds ratios of the features; made by ``LogisticRegression.odds_ratios()``.

    Attributes
    ----------
    names : names of the features
    classes : the labels of the rows; ``reference`` is the label the odds are against
    ratios : (K − 1, d) exp of the coefficients
    intervals : (K − 1, d, 2) at ``level``; None where ``refused`` says why
    p_values : (K − 1, d) that the ratio is 1: Wald's test, or the likelihood-ratio test
    kind : "wald" or "profile"
    dependent : a sentence about features that depend on others; None if there are none. Then the
        sums of coefficients that are unique follow after all features of a class
    """

    names: list[str]
    classes: list[Any]
    reference: Any
    target: str
    level: float
    kind: str
    refused: str | None
    ratios: np.ndarray
    intervals: np.ndarray | None = None
    p_values: np.ndarray | None = None
    dependent: str | None = None

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per feature, class after class.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "dict"}, by default the first installed
        """
        columns: dict[str, Any] = {
            "class": np.array([k for k in self.classes for _ in self.names], dtype=object),
            "name": np.array(self.names * len(self.classes), dtype=object),
            "odds_ratio": self.ratios.ravel(),
        }
        if self.intervals is not None:
            assert self.p_values is not None
            columns |= {
                "lower": self.intervals[..., 0].ravel(),
                "upper": self.intervals[..., 1].ravel(),
                "p_value": self.p_values.ravel(),
            }
        return to_backend(columns, backend)

    def _table(self) -> Table:
        return report.odds(self)


def odds_ratios(fit: LogisticFit, level: float = 0.95, kind: str = "wald") -> OddsRatios:
    """The odds ratios of a logistic fit with intervals.

    Parameters
    ----------
    fit : LogisticFit
    level : between 0 and 1
    kind : {"wald", "profile"}
        Profile likelihood takes some passes over the rows for every coefficient.

    Examples
    --------
    >>> fit = LogisticFit(names=["intercept", "dose"], classes=["no", "yes"],
    ...                   weights=np.log([[1 / 3, 6.0]]), X=np.array([[0.0], [0.0], [1.0], [1.0]]),
    ...                   codes=np.array([0, 1, 0, 1]), weight=np.array([3.0, 1.0, 2.0, 4.0]))
    >>> print(odds_ratios(fit, kind="profile"))
    Odds ratios of y
    ──────────────────────────────────────────────────────────────────────
            odds ratio     95% from           to         p
    odds of yes against no
    dose        6.0000      0.42949       177.89    0.1889
    ──────────────────────────────────────────────────────────────────────
    Intervals by profile likelihood, p by the likelihood-ratio test of each.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    level, skip = check_level(level), int(fit.fit_intercept)
    w = np.asarray(fit.weights, dtype=np.float64)[:, skip:]
    why_not = fit.why_not
    facts: dict[str, Any] = {
        "names": list(fit.names[skip:]),
        "classes": [fit.classes[k] for k in fit.others],
        "reference": fit.classes[fit.reference],
        "target": fit.target,
        "level": level,
        "kind": kind,
        "refused": why_not,
        "ratios": _exp(w),
    }
    if why_not is None:
        ends, p = (_wald if kind == "wald" else _profile)(fit, w, level)
        facts |= {"intervals": _exp(ends), "p_values": p}
    if fit.estimable is not None:
        facts |= _of_all(fit.estimable, facts)
    return OddsRatios(**facts)


def _of_all(estimable: Estimable, facts: dict[str, Any]) -> dict[str, Any]:
    """What all features have, from what the independent features have."""
    slopes = estimable.slopes

    def spread(values: np.ndarray | None) -> np.ndarray | None:
        if values is None:
            return None
        first = np.full((len(values), int(estimable.fit_intercept), *values.shape[2:]), np.nan)
        return estimable.spread(np.concatenate([first, values], axis=1), 1)[:, slopes]

    names = [name for name, own in zip(estimable.names, slopes, strict=True) if own]
    return {
        "names": names,
        "ratios": _exp(estimable.coefficients(estimable.effective)[:, slopes]),
        "intervals": spread(facts.get("intervals")),
        "p_values": spread(facts.get("p_values")),
        "dependent": estimable.sentence,
    }


def _exp(values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # beyond 1e308 an odds ratio is ∞
        return np.exp(values)


def _wald(fit: LogisticFit, w: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    skip = int(fit.fit_intercept)
    se = np.sqrt(np.diag(fit.inverse)).reshape(fit.weights.shape)[:, skip:]
    half = normal_quantile(level) * se
    return np.stack([w - half, w + half], axis=-1), normal_two_sided(ratio(w, se))


def _profile(fit: LogisticFit, w: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    ends, p, cut = np.empty((*w.shape, 2)), np.empty(w.shape), normal_quantile(level) ** 2
    for r, j in np.ndindex(*w.shape):
        index = r * fit.p + int(fit.fit_intercept) + j
        ends[r, j] = profile_interval(fit, index, cut)
        p[r, j] = chi2_tail(drop(fit, [index]), 1)
    return ends, p


def likelihood_ratio_tests(fit: LogisticFit) -> tuple[np.ndarray, np.ndarray]:
    """χ² and p of leaving out each feature, from all classes at once (K − 1 degrees of freedom).

    >>> fit = LogisticFit(names=["x"], classes=[0, 1], weights=np.array([[0.0]]),
    ...                   X=np.array([[1.0], [1.0]]), codes=np.array([0, 1]), fit_intercept=False)
    >>> likelihood_ratio_tests(fit)
    (array([0.]), array([1.]))
    """
    fit.need_valid("likelihood-ratio tests")
    skip, R = int(fit.fit_intercept), len(fit.weights)
    statistics = np.array(
        [drop(fit, [r * fit.p + j for r in range(R)]) for j in range(skip, fit.p)]
    )
    return statistics, np.array([chi2_tail(s, R) for s in statistics])
