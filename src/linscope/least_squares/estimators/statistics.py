"""Step 3 to 5 of a regression: does X help, do the assumptions hold, what follows?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linscope.data.tables import TableLike
from linscope.fitting.estimable import Estimable
from linscope.fitting.targets import Regression, read_regression
from linscope.fitting.training import read_features
from linscope.fitting.training_rows import NOT_AT_HAND, TrainingRows
from linscope.fitting.weight_kind import SUMMED, weight_kind
from linscope.results import Result, Status
from linscope.rows.finite import check_finite

from ..certificates.least_squares import LeastSquaresCertificate
from ..inference.clustered import read_groups
from ..inference.covariance import check_robust
from ..inference.diagnose import diagnose
from ..inference.fit import LinearFit, whole
from ..inference.intervals import predict_interval
from ..inference.likelihood import log_likelihood
from ..inference.table import Summary, summary
from ..inference.verdict import Diagnosis
from ..solvers.moments import Moments

# Squares of larger numbers overflow.
SQUARES_FIT = 1e153


class Counts(NamedTuple):
    """What the statistics need of the rows of a fit: how many, Σ cᵢ and Σ log cᵢ."""

    n: int
    total_weight: float
    logs: float

    @classmethod
    def of(cls, training: Regression) -> Counts:
        n, c = len(training.Y), np.asarray(training.weight)
        return cls(n, float(c.sum()), float(np.log(c).sum())) if len(c) else cls(n, float(n), 0.0)


def _inverse(root: np.ndarray | None) -> np.ndarray | None:
    """U Uᵀ; None if there is none in the range of floats."""
    if root is None:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        inverse = root @ root.T
    return inverse if np.isfinite(inverse).all() else None


class LinearStatistics:
    """Methods of fitted linear models that need the statistics of the fit."""

    solver: str
    weight_kind: str
    fit_intercept: bool
    coef_: np.ndarray
    certificate_: LeastSquaresCertificate
    result_: Result
    _moments: Moments | None
    _training: TrainingRows[Regression] | None
    _counts: Counts | None
    _weight_kind = "precision"
    _targets: list[str]
    _names: Callable[[], list[str]]

    @property
    def _alpha(self) -> float:
        raise NotImplementedError

    def summary(
        self,
        robust: str | None = None,
        level: float = 0.95,
        output: int | str = 0,
        *,
        cov: str | None = None,
        groups: Any = None,
        X: TableLike = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> Summary:
        """Coefficients with standard errors, t and p values and intervals; F, R², AIC, BIC.

        Parameters
        ----------
        robust : {"HC0", "HC1", "HC2", "HC3", "cluster"}, optional
            Standard errors that stay valid when the variance is not constant; with "cluster" also
            when rows of a group are correlated. They need the training rows, others do not.
        level : confidence level of the intervals
        output : which target, by number or name
        cov : another name of ``robust``
        groups : a label of any kind for each row, for "cluster"
        X, y, sample_weight : the training data, for robust standard errors; needed only if they are
            not at hand any more: a model does not keep a large table alive

        Returns
        -------
        Summary : prints as text and HTML; has ``to_frame``, ``to_latex``, ``to_html``

        Examples
        --------
        >>> import linscope as ls
        >>> model = ls.LinearRegression().fit(*ls.datasets.load("five_points"))
        >>> table = model.summary()
        >>> round(table.r, 2), round(table.r2, 2)
        (0.98, 0.96)

        Where rows of a group belong together:

        >>> model.summary(cov="cluster", groups=["a", "a", "b", "b", "c"]).standard_errors.round(2)
        array([0.04, 0.1 ])
        """
        if robust is not None and cov is not None:
            raise ValueError("robust and cov are two names of one option: give one of them")
        kind = check_robust(robust or cov)
        if groups is not None and kind != "cluster":
            raise ValueError(f"groups are for cov='cluster', got {kind!r}")
        fit = self._linear_fit(output, X, y, sample_weight, rows=kind is not None or X is not None)
        if kind == "cluster":
            fit = replace(fit, groups=read_groups(groups, fit.X.shape[0], fit.rows))
        return summary(fit, kind, level)

    def diagnose(
        self, X: TableLike = None, y: Any = None, sample_weight: Any = None, output: int | str = 0
    ) -> Diagnosis:
        """Check the five assumptions of linear regression, one verdict each, and collinearity.

        Parameters
        ----------
        X, y, sample_weight : the training data; needed only if they are not at hand any more: a
            model does not keep a large table alive
        output : which target, by number or name

        Returns
        -------
        Diagnosis : prints as text and HTML
        """
        return diagnose(self._linear_fit(output, X, y, sample_weight, rows=True))

    def predict_interval(
        self, X: TableLike, kind: str = "confidence", level: float = 0.95, output: int | str = 0
    ) -> np.ndarray:
        """Interval for the mean of y at each row of X, or for a new y.

        Parameters
        ----------
        X : rows to predict
        kind : {"confidence", "prediction"}
        level : how often such an interval contains the truth
        output : which target, by number or name

        Returns
        -------
        array (n, 2), lower and upper end

        Examples
        --------
        >>> import linscope as ls
        >>> model = ls.LinearRegression().fit(*ls.datasets.load("five_points"))
        >>> model.predict_interval([[2.0]], kind="prediction").round(2)
        array([[1.62, 5.25]])
        """
        check_is_fitted(self)
        return predict_interval(self._linear_fit(output), read_features(self, X), kind, level)

    def log_likelihood(
        self,
        X: TableLike = None,
        y: Any = None,
        weights: Any = None,
        sigma2: Any = None,
        output: int | str = 0,
    ) -> float:
        """ℓ(w, σ²) = −n/2 log(2πσ²) − Σ (y_i − w·x_i)² / 2σ², by default at its maximum.

        Least squares maximises it over w, and σ² = Σ r²/n over σ².

        Parameters
        ----------
        X, y : any data; by default the training data
        weights : bias first (without it if there is no intercept); by default the fitted ones
        sigma2 : by default the maximum-likelihood estimate at these weights
        output : which target, by number or name
        """
        check_is_fitted(self)
        k = self._output_number(output)
        if X is None:
            rows = self._rows(None, None, None)
        else:
            rows = read_regression(self, X, y, reset=False)
            check_finite(rows.X, self._names())
            check_finite(rows.Y, name="y")
        fitted = self.result_.weights[k, int(not self.fit_intercept) :]
        return log_likelihood(
            fitted if weights is None else np.asarray(weights, dtype=np.float64),
            sigma2,
            rows.X,
            rows.Y[:, k],
            sample_weight=rows.weight if len(rows.weight) else None,
            frequency=self._weight_kind == "frequency",
            fit_intercept=self.fit_intercept,
        )

    @property
    def sigma2_ml_(self) -> Any:
        """Maximum-likelihood estimate Σ r²/n of the variance, for each target."""
        check_is_fitted(self)
        n = self._n_rows()
        if n is None:
            raise AttributeError("sigma2_ml_ needs the number of rows: give from_moments(n=…)")
        if "rss" not in self.result_.details:
            raise AttributeError("sigma2_ml_ needs the least Σ r², which solver='exact' finds")
        values = self.result_.details["rss"] / n
        return float(values[0]) if self.coef_.ndim == 1 else values

    def _n_rows(self) -> float | None:
        """Number of observations: rows, or Σ cᵢ for frequencies."""
        known = self._counted() or self._moments
        if known is None or not known.n:
            return None
        return whole(known.total_weight) if self._weight_kind == "frequency" else known.n

    def _linear_fit(
        self,
        output: int | str = 0,
        X: TableLike = None,
        y: Any = None,
        sample_weight: Any = None,
        rows: Any = False,
    ) -> LinearFit:
        check_is_fitted(self)
        k = self._output_number(output)
        result, moments, counts = self.result_, self._moments, self._counted()
        root = result.details.get("inverse_root")
        estimable = self._estimable(result.weights[k])
        given: dict[str, Any] = {"n": self._n_rows()}
        if rows:
            training = self._rows(X, y, sample_weight)
            weight = training.weight if len(training.weight) else None
            given = {"X": training.X, "y": training.Y[:, k], "weight": weight}
            given |= {"rows": training.rows, "n": len(training.Y)}
            if weight is not None:
                given["weight_kind"] = kind = self._weight_kind if X is None else self._kind_of(X)
                if kind == "frequency":
                    given["n"] = whole(float(np.asarray(weight).sum()))
        else:
            means = result.details.get("means") if moments is None else moments.means
            given["means"] = means if means is None else means[estimable.kept]
            weighted = self.certificate_.weighted
            given["weight_kind"] = self._weight_kind if weighted else None
            if counts is not None:
                given |= {"total_weight": counts.total_weight, "log_weights": counts.logs}
            elif moments is not None:
                given["total_weight"] = moments.total_weight
                given["log_weights"] = None if weighted else 0.0
        rss, tss = self._squares(k)
        return LinearFit(
            names=estimable.kept_names,
            weights=estimable.effective[0],
            rss=rss,
            tss=tss,
            fit_intercept=self.fit_intercept,
            inverse=_inverse(root),
            inverse_root=root,
            refused=self._refused(given.get("weight_kind")),
            dependent=tuple(self.certificate_.dependent),
            estimable=estimable if estimable.relations else None,
            target=self._targets[k],
            **given,
        )

    def _estimable(self, weights: np.ndarray) -> Estimable:
        """Which coefficients (d + 1) the data determine."""
        claim, features = self.certificate_, self._names()
        about = claim.dependent, claim.ulps
        return Estimable(claim.relations, features, weights[None], self.fit_intercept, *about)

    def _squares(self, k: int) -> tuple[float, float]:
        """Σ c r² and Σ c (y − ȳ)² of target k; NaN if the variance of y was not given."""
        if not getattr(self, "_explained", True):
            return np.nan, np.nan
        # Of the solution itself, not of the floats that stand for it.
        details = self.result_.details
        return float(details.get("rss", self.certificate_.rss)[k]), float(details["tss"][k])

    def _refused(self, kind: str | None) -> str | None:
        if self._alpha > 0:
            return "the fit is penalised (alpha > 0), so its weights are biased on purpose"
        if self.solver != "exact":
            return "the weights come from gradient descent: fit with solver='exact'"
        if self.certificate_.status is Status.RANK_DEFICIENT and not self.certificate_.relations:
            return "columns depend on each other: " + (
                "; ".join(self.certificate_.dependent) or "there are fewer rows than columns"
            )
        if kind == "summed":
            return SUMMED
        root = self.result_.details["inverse_root"]
        if self.certificate_.status is Status.NEARLY_DEPENDENT:
            return "up to rounding, columns depend on each other: " + (
                "; ".join(self.certificate_.nearly) or "the weights have few digits"
            )
        if root is None:
            return "the table is too large for the inverse of AᵀA"
        with np.errstate(over="ignore"):
            largest = np.abs(root).max() * np.sqrt(1.0 + self.certificate_.rss.max())
        if not largest < SQUARES_FIT:
            return "squares of the standard errors leave the range of floats: scale the columns"
        return None

    def _output_number(self, output: int | str) -> int:
        if isinstance(output, str):
            if output not in self._targets:
                raise ValueError(f"no target is called {output!r}: known are {self._targets}")
            return self._targets.index(output)
        if not 0 <= output < len(self._targets):
            raise ValueError(f"output must be 0 … {len(self._targets) - 1}, got {output}")
        return int(output)

    def _rows(self, X: TableLike, y: Any, sample_weight: Any) -> Regression:
        """The training rows, after making sure that they are those of the fit."""
        if X is None:
            training, advice = self._found(), "they have changed since: pass X and y as they were"
            if training is None:
                raise ValueError(NOT_AT_HAND)
        else:
            training, advice = self._read(X, y, sample_weight), "pass the data of the fit"
        weight = training.weight if len(training.weight) else None
        check = self.certificate_.verify(training.X, training.Y, weight)
        if not check.claim_holds:
            raise ValueError(f"these are not the data of the fit ({check.reason}): {advice}")
        return training

    def _found(self) -> Regression | None:
        """The training rows; None if they are not at hand any more."""
        return None if self._training is None else self._training.find(self._read)

    def _counted(self) -> Counts | None:
        """The counts of the training rows, which are made when they are asked for if need be."""
        if self._counts is None and (training := self._found()) is not None:
            self._counts = Counts.of(training)
        return self._counts

    def _kind_of(self, X: TableLike) -> str:
        """What weights of other data mean: what a compressed table says, or as in the fit."""
        return weight_kind("auto", X, self._weight_kind)

    def _read(self, X: TableLike, y: Any, sample_weight: Any) -> Regression:
        return read_regression(self, X, y, sample_weight, reset=False)
