"""What ``LinearRegression`` and ``Ridge`` share: the fit, streaming, prediction, the equation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin, clone
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from linscope._bridge import Interval, StrOptions, fits, fits_with_callbacks
from linscope._printable import printable
from linscope.data.given import accepts_dataset
from linscope.data.tables import TableLike
from linscope.engines import Source, check_rows, choose
from linscope.fitting.descent import GradientDescent
from linscope.fitting.driver import run
from linscope.fitting.gradient_options import DESCENT_CONSTRAINTS, descent, stops_early
from linscope.fitting.linear_prediction import Hyperplanes
from linscope.fitting.targets import Regression, read_regression
from linscope.fitting.training import Fitted, Solved, watched
from linscope.fitting.training_rows import TrainingRows
from linscope.fitting.verified import Verified
from linscope.fitting.weight_kind import WEIGHT_KINDS, weight_kind
from linscope.results import Result, Status
from linscope.results.caller import warn_caller
from linscope.results.numbers import short
from linscope.verify.answers import Answers, linear_answers

from ..certificates.least_squares import (
    LeastSquaresCertificate,
    certificate_of,
    in_range,
    without_assessor,
)
from ..solvers.choice import solve_exactly
from ..solvers.exact import LeastSquares
from ..solvers.moments import exact_moments, weight_exponent
from .statistics import Counts, LinearStatistics

MOST_ROUNDS = 20


def _keeps_moments(estimator: Any) -> bool:
    if estimator.solver != "exact":
        raise AttributeError(f"partial_fit needs solver='exact', not {estimator.solver!r}")
    return True


class LinearRegressor(Verified, Hyperplanes, RegressorMixin, BaseEstimator):
    """What a fitted hyperplane w·[1, x] predicts, and how it is written."""

    n_features_in_: int
    fit_intercept: bool
    _targets: list[str]

    def predict(self, X: TableLike) -> np.ndarray:
        """ŷ = w·[1, x] for each row of X; (n,) or (n, targets)."""
        found, dtype = self._linear_scores(X)
        with np.errstate(over="ignore"):
            out = found.scores.astype(dtype, copy=False)
        most = np.finfo(dtype).max
        if not -most < out.min() <= out.max() < most:
            raise ValueError("a prediction is beyond the range of floats: scale the columns")
        return out[:, 0] if self.coef_.ndim == 1 else out

    def equation(self) -> Any:
        """The fitted hyperplane as the notes write it; a list for several targets.

        Examples
        --------
        >>> import linscope as ls
        >>> print(ls.LinearRegression().fit(*ls.datasets.load("five_points")).equation())
        y = 1.10811 + 1.16216·x1
        """
        check_is_fitted(self)
        return self._lines(self._names())

    def _lines(self, features: Sequence[str], weights: Any = None) -> Any:
        """The hyperplanes with these weights, bias first, in words; by default its own."""
        if weights is None:
            weights = np.column_stack([np.atleast_1d(self.intercept_), np.atleast_2d(self.coef_)])
        lines = [
            _equation(name, w[0], w[1:], features, self.fit_intercept)
            for name, w in zip(self._targets, weights, strict=True)
        ]
        return lines[0] if len(lines) == 1 else lines


class LeastSquaresFamily(LinearStatistics, MultiOutputMixin, CallbackSupportMixin, LinearRegressor):
    """Least squares with or without a ridge penalty; subclasses say how strong it is."""

    _parameter_constraints: ClassVar[dict] = {
        "fit_intercept": ["boolean"],
        "solver": [StrOptions({"exact", "batch", "stochastic", "mini-batch"})],
        **DESCENT_CONSTRAINTS,
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "weight_kind": WEIGHT_KINDS,
    }

    def __init__(
        self,
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
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.eta0 = eta0
        self.schedule = schedule
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.average = average
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.weight_kind = weight_kind

    @property
    def _alpha(self) -> float:
        return 0.0

    def _far_advice(self) -> tuple[str, ...]:
        if self.solver in ("exact", "batch"):
            return ()
        return f"solver={self.solver!r}", "solver='exact' or 'batch'"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.regressor_tags.poor_score = stops_early(self)
        return tags

    def __getstate__(self) -> dict[str, Any]:
        # Where the training rows are is not part of the model.
        state = super().__getstate__()
        return state | {"_training": None, "_counts": None} if "_training" in state else state

    @fits_with_callbacks
    def fit(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to samples X (n, d) with targets y (n,) or (n, targets).

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, d), or a ``Dataset``, which brings its y
        y : numbers; several columns are several targets
        sample_weight : array of n weights, optional
            c_i in Σ c_i (y_i − ŷ_i)²; rows with weight 0 are left out.

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight)
        return self

    def _fit(
        self, X: TableLike, y: Any, sample_weight: Any = None, keep_log: bool = False
    ) -> Fitted:
        self._weight_kind = weight_kind(self.weight_kind, X, "precision")
        training = read_regression(self, X, y, sample_weight)
        solver = None
        if self.solver == "exact":
            result = self._run_exact(training)
        else:
            solver, result = self._run_gradient(training, X, y, keep_log)
        self._keep(training, result)
        self._training = TrainingRows(training, (X, y, sample_weight))
        # Weights that are elsewhere are brought here when the statistics ask for them.
        self._counts = None if self._training.kept else Counts.of(training)
        return Fitted(training, [Solved(None, solver, result)])

    def _run_exact(self, training: Regression) -> Result:
        result = self._solved(training)
        self._moments = result.details.get("moments")
        return self._certified(result, training.X.dtype, len(training.weight) > 0)

    def _solved(self, training: Regression) -> Result:
        return solve_exactly(
            choose(training.X, training.Y, training.weight),
            fit_intercept=self.fit_intercept,
            alpha=self._alpha,
            names=self._names(),
            most_rounds=MOST_ROUNDS,
        )

    def _certified(
        self, result: Result, dtype: Any, weighted: bool, *, unfinished: bool = False
    ) -> Result:
        """Keep the certificate; what it needed for its bounds is not part of the result."""
        claim = self.certificate_ = self._claim(result, in_range(result.weights, dtype), weighted)
        if not claim.ok and not unfinished:
            warn_caller(f"{claim.text}: {claim.shortfall}. {claim.advice}", ConvergenceWarning)
        return without_assessor(replace(result, status=claim.status))

    def _claim(self, result: Result, weights: np.ndarray, weighted: bool, ended: Any = None) -> Any:
        return certificate_of(
            result,
            weights,
            names=self._names(),
            alpha=self._alpha,
            fit_intercept=self.fit_intercept,
            weighted=weighted,
            ended=ended,
        )

    def _run_gradient(
        self, training: Regression, X: TableLike, y: Any, keep_log: bool
    ) -> tuple[GradientDescent, Result]:
        engine = choose(training.X, training.Y, training.weight)
        check_rows(engine, self._names())
        options: dict[str, Any] = {"alpha": self._alpha, "tol": self.tol, "keep_log": keep_log}
        solver = descent(self, engine, **options)
        with watched(self, X, y, self.max_iter):
            result = run(solver, self.max_iter)
        weights = (result.details["averaged"] if self.average else result.weights).T
        self._moments = None
        tss = self._judge(training, result, weights)
        details = result.details | {"tss": tss}
        return solver, replace(result, weights=weights, details=details)

    def _judge(self, training: Regression, result: Result, weights: np.ndarray) -> np.ndarray:
        """How near a descent came: the exact solution tells, and decides whether it is ok.

        Returns Σ c (y − ȳ)² of each target.
        """
        exact, weighted = self._solved(training), len(training.weight) > 0
        held = in_range(weights, training.X.dtype)
        self.certificate_ = claim = self._claim(exact, held, weighted, result.details)
        if claim.status is Status.SHORT_STEPS:
            warn_caller(f"{claim.text}: {claim.shortfall}. {claim.advice}", ConvergenceWarning)
        elif not claim.ok:
            warn_caller(claim.how, ConvergenceWarning)
        return exact.details["tss"]

    def _far_data(self, source: Source) -> tuple[Any, Any, Any]:
        far = read_regression(self, source, None, reset=False)
        return far.X, far.Y, far.weight if len(far.weight) else None

    def _live_claim(self, X: TableLike) -> LeastSquaresCertificate:
        weights = np.column_stack([np.atleast_1d(self.intercept_), np.atleast_2d(self.coef_)])
        return replace(self.certificate_, weights=weights.astype(np.float64))

    def _certified_answers(self, X: Any) -> tuple[Any, Answers]:
        weights = np.atleast_2d(self.certificate_.weights)
        return X, linear_answers(X, weights, np.asarray(self.coef_).dtype)

    def _keep(self, training: Regression, result: Result) -> None:
        weights = result.weights.astype(training.X.dtype)
        coef, intercept = weights[:, 1:], weights[:, 0]
        self.coef_ = coef[0] if training.single else coef
        self.intercept_ = intercept[0] if training.single else intercept
        self.rank_ = self.certificate_.rank
        self.n_iter_ = max(1, result.n_iter)
        self.result_ = result
        self._targets = training.targets

    @available_if(_keeps_moments)
    @accepts_dataset
    @fits
    def partial_fit(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> Self:
        """Add rows: the model afterwards is that of all rows so far, to the last digits.

        Moments are kept, not rows, in double-double. Needs ``solver="exact"``. More rows may come,
        so it does not warn; ``certificate_`` says what is proven so far.

        Parameters
        ----------
        X, y, sample_weight : as for ``fit``

        Returns
        -------
        self
        """
        first = not hasattr(self, "n_features_in_")
        training = read_regression(self, X, y, sample_weight, reset=first)
        known = getattr(self, "_moments", None)
        if not first and known is None:
            raise ValueError(
                "this model was fitted without moments (many columns or a gradient solver), so "
                "rows cannot be added: start with partial_fit"
            )
        if known is not None and training.Y.shape[1] != known.n_targets:
            raise ValueError(
                f"y has {training.Y.shape[1]} targets, so far it had {known.n_targets}"
            )
        engine = choose(training.X, training.Y, training.weight)
        if weight_exponent(engine):
            raise ValueError(
                "sample_weight is too far from 1 for partial_fit: multiply all weights by a number"
            )
        moments = exact_moments(engine, centred=self.fit_intercept)
        if not moments.gram.finite():
            check_rows(engine, self._names())
            raise ValueError("values of X or y are too large: divide the columns by a power of 2")
        weighted, before = len(training.weight) > 0, not first and self.certificate_.weighted
        kind = weight_kind(self.weight_kind, X, "precision")
        if weighted and before:
            kind = _common(kind, self._weight_kind)
        elif before:
            kind = self._weight_kind
        total = moments if known is None else known.merge(moments)
        return self._from_moments(total, training, weighted or before, kind, unfinished=True)

    def merge(self, other: Self) -> Self:
        """A model of the rows of both, as if it had been fitted to all of them at once.

        Parameters
        ----------
        other : fitted model with the same parameters, features and number of targets

        Returns
        -------
        A new estimator; this one and the other stay what they are.

        Examples
        --------
        >>> import linscope as ls
        >>> X, y = ls.datasets.load("five_points")
        >>> parts = [ls.LinearRegression().fit(X[rows], y[rows]) for rows in ([0, 1], [2, 3, 4])]
        >>> parts[0].merge(parts[1]).coef_.round(2)
        array([1.16])
        """
        check_is_fitted(self)
        if type(self) is not type(other) or self.get_params() != other.get_params():
            raise ValueError(
                f"merge needs another {type(self).__name__} with the same parameters, got {other!r}"
            )
        check_is_fitted(other)
        if self._moments is None or other._moments is None:
            raise ValueError(
                "only models with moments can be merged: solver='exact' and at most some hundred "
                "columns"
            )
        ours, theirs = (getattr(m, "feature_names_in_", None) for m in (self, other))
        if ours is not None and theirs is not None and list(ours) != list(theirs):
            raise ValueError("the models have different feature names")
        both = clone(self)
        both.n_features_in_ = self.n_features_in_
        if ours is not None:
            both.feature_names_in_ = ours
        weighted = [one for one in (self, other) if one.certificate_.weighted]
        kinds = {one._weight_kind for one in weighted or [self]}
        single = self.coef_.ndim == 1
        like = Regression(np.empty((0, 0), self.coef_.dtype), None, None, single, None,
                          self._targets)  # fmt: skip
        total = self._moments.merge(other._moments)
        return both._from_moments(total, like, bool(weighted), _common(*kinds))

    def _from_moments(
        self,
        moments: Any,
        like: Regression,
        weighted: bool,
        kind: str = "precision",
        *,
        unfinished: bool = False,
    ) -> Self:
        """Solve from moments alone; ``like`` tells dtype and shape of the answer.

        ``unfinished``: more rows may come, so a certificate that is not ok is no reason to warn.
        """
        solver = LeastSquares(
            None, fit_intercept=self.fit_intercept, alpha=self._alpha, moments=moments
        )
        result = run(solver, 1)
        self._moments, self._weight_kind = moments, kind
        result = self._certified(result, like.X.dtype, weighted, unfinished=unfinished)
        self._keep(like._replace(X=np.empty((0, 0), like.X.dtype)), result)
        self._training = self._counts = None
        return self

    def _traced_by(self) -> Any:
        from ..trace import CLOSED_FORM, STEPS

        return CLOSED_FORM if self.solver == "exact" else STEPS


def _common(*kinds: str) -> str:
    """The kind of weights of parts that are put together."""
    if len({*kinds}) > 1:
        raise ValueError(
            "weights of some rows are frequencies, those of others precisions: set weight_kind"
        )
    return kinds[0]


def _equation(target: str, bias: Any, slopes: Any, names: Sequence[str], biased: bool) -> str:
    text = short(bias) if biased else ""
    for j in np.flatnonzero(slopes).tolist():
        value = abs(slopes[j])
        term = names[j] if value == 1 else f"{short(value)}·{names[j]}"
        lead = " − " if slopes[j] < 0 else " + "
        text += lead + term if text else ("−" if slopes[j] < 0 else "") + term
    return f"{printable(target)} = {text or '0'}".replace("= -", "= −")
