"""Regression that outliers do not turn."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import column_or_1d

from linscope._bridge import Interval, fits
from linscope.data import to_matrix
from linscope.data.tables import TableLike
from linscope.engines import check_rows, choose, source_of
from linscope.engines.source import refuse
from linscope.fitting.driver import run
from linscope.fitting.targets import Regression, read_regression
from linscope.results import Result
from linscope.results.caller import warn_caller
from linscope.rows.far import MOST_BROUGHT, FarRows, brought
from linscope.verify.answers import Answers, linear_answers

from ..certificates.huber import HuberCertificate, certify, outliers_of
from ..certificates.least_squares import in_range
from ..solvers.huber import HuberNewton
from .family import LinearRegressor

# The widest tolerance that a claim may state, and the narrowest for weights in float32.
WIDEST, NARROWEST_32 = 1e-2, 1e-4
# The solver holds a matrix of columns × columns.
MOST_COLUMNS = 5000


class HuberRegressor(LinearRegressor):
    """Huber's regression: quadratic loss for small residuals, linear for those of outliers.

    Minimises Σ_i c_i (σ + σ H(r_i/σ)) + α‖w‖² over w, b and the scale σ ≥ 0 of the residuals
    r = y − w·x − b, with H(z) = z² for |z| ≤ ε and 2ε|z| − ε² beyond. The bias is not penalised.

    Parameters
    ----------
    epsilon : float above 1
        From which residual on, in units of the scale, a sample is an outlier. The default keeps
        95% of the efficiency of least squares where errors are normal.
    alpha : float
        Strength α of the penalty; 0 is none.
    fit_intercept : bool
    max_iter : int
        Steps at most; each is one pass over the rows, some are a few.
    tol : float
        The objective is claimed to be within this share of its minimum.

    Attributes
    ----------
    coef_, intercept_ : the weights
    scale_ : float
        σ; 0 where more than a share 1 − 1/ε² of the samples can be met exactly.
    outliers_ : array of n booleans
        Which samples have |residual| > ε·scale.
    certificate_ : HuberCertificate
    n_iter_ : int
        Passes over the rows.
    result_ : Result

    Notes
    -----
    Newton's method on the pieces of the objective, see ``least_squares/solvers/huber``. A feasible
    point of the dual problem bounds how far the objective is from its minimum.

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0.1, 0.9, 2.1, 2.9, 4.1, 50.0]
    >>> model = ls.HuberRegressor().fit(X, y)
    >>> model.coef_.round(2), model.outliers_.tolist()
    (array([1.06]), [False, False, False, True, False, True])
    >>> ls.LinearRegression().fit(X, y).coef_.round(2)
    array([7.43])
    """

    _parameter_constraints: ClassVar[dict] = {
        "epsilon": [Interval(Real, 1.0, None, closed="neither")],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        epsilon: float = 1.35,
        alpha: float = 0.0,
        *,
        fit_intercept: bool = True,
        max_iter: int = 100,
        tol: float = 1e-6,
    ) -> None:
        self.epsilon = epsilon
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _far_advice(self) -> tuple[str, ...]:
        return ()

    @fits
    def fit(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to samples X (n, d) with targets y (n,).

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, d), or a ``Dataset``, which brings its y
        y : n numbers
        sample_weight : array of n weights, optional
            c_i in Σ c_i f_i; rows with weight 0 are left out.

        Returns
        -------
        self
        """
        training = self._read(X, y, sample_weight)
        engine = choose(training.X, training.Y[:, 0], training.weight)
        options = float(self.epsilon), float(self.alpha), bool(self.fit_intercept)
        with np.errstate(all="ignore"):  # what leaves the range of floats is refused in the end
            result = run(HuberNewton(engine, *options), self.max_iter)
            self._keep(training, result)
            claim = self.certificate_ = self._claim(training, result, X, y)
        self.result_ = replace(result, status=claim.status)
        if not claim.ok:
            warn_caller(f"{claim.text}: {claim.shortfall}. {claim.advice}", ConvergenceWarning)
        return self

    def _read(self, X: TableLike, y: Any, sample_weight: Any) -> Regression:
        if y is not None and getattr(y, "ndim", 1) == 2:
            y = column_or_1d(y, warn=True)
        training = read_regression(self, X, y, sample_weight)
        check_rows(choose(training.X, training.Y, training.weight), self._names())
        n, d = training.X.shape
        source = source_of(X)
        if source is not None and n * d > max(MOST_BROUGHT, source.room):
            refuse(source, "the proof of so large a HuberRegressor", "LinearRegression")
        if n == 0:
            raise ValueError("all sample weights are 0: there is nothing to fit")
        if d > MOST_COLUMNS:
            raise ValueError(
                f"X has {d} columns, and a matrix of {d} × {d} numbers is too large: choose at "
                f"most {MOST_COLUMNS} of them, or use Ridge"
            )
        return training

    def _keep(self, training: Regression, result: Result) -> None:
        held = in_range(result.weights, training.X.dtype)
        self.coef_, self.intercept_ = held[1:], held[0]
        self.scale_ = float(result.details["scale"])
        self.n_iter_ = result.n_iter
        self._targets = training.targets

    def _claim(self, training: Regression, result: Result, X: Any, y: Any) -> HuberCertificate:
        single = training.X.dtype == np.float32
        scale = self.scale_, float(self.epsilon), bool(single)
        if isinstance(training.X, FarRows):
            training, rows, targets = _brought(training, X)
        else:
            rows, targets = to_matrix(X)[0], np.asarray(y, dtype=np.float64).ravel()
        c = training.weight if len(training.weight) else np.ones(len(training.Y))
        self.outliers_ = outliers_of(rows, targets, self._weights(), *scale)  # all that were given
        return certify(
            training.X, training.Y[:, 0], c, result.status,
            weights=self._weights(), scale=self.scale_, outliers=self.outliers_,
            epsilon=float(self.epsilon), alpha=float(self.alpha),
            tolerance=min(max(self.tol, NARROWEST_32 if single else 0.0), WIDEST),
            fit_intercept=bool(self.fit_intercept), single=bool(single),
            weighted=len(training.weight) > 0,
            how=f"Newton's method on the pieces, {result.n_iter} passes over the rows",
        )  # fmt: skip

    def _weights(self) -> np.ndarray:
        return np.r_[self.intercept_, self.coef_].astype(np.float64)

    def _certified_answers(self, X: Any) -> tuple[Any, Answers]:
        return X, linear_answers(X, self.certificate_.weights, self.coef_.dtype)

    def _live_claim(self, X: TableLike) -> HuberCertificate:
        return replace(
            self.certificate_, weights=self._weights(), scale=self.scale_, outliers=self.outliers_
        )


def _brought(training: Regression, X: Any) -> tuple[Regression, Any, np.ndarray]:
    """Far rows here: those of positive weight, and all that were given with their targets."""
    source: Any = source_of(X)
    own: Any = brought(training.X, training.Y, training.weight, source.room)
    given = source.numbered()
    every = given.take(np.arange(given.n_rows))
    return training._replace(X=own[0], Y=own[1], weight=own[2]), every.X, every.y[:, 0]
