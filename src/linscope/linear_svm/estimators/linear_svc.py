"""Linear support vector machines: hinge and squared hinge, soft and hard margin."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from linscope._bridge import Interval, StrOptions, fits_with_callbacks
from linscope.data.tables import TableLike
from linscope.engines import check_rows
from linscope.engines.kept_rows import places
from linscope.fitting.linear_prediction import LinearPrediction
from linscope.fitting.scores import in_type, pair_votes
from linscope.fitting.training import Fitted, Training, read_training, watched
from linscope.fitting.verified import Verified
from linscope.results.caller import warn_caller
from linscope.rows.far import FarChoice, FarRows
from linscope.rows.finite import check_finite
from linscope.rows.threads import one_blas_thread
from linscope.verify.answers import Answers, linear_answers, linear_form

from ..certificates.linear_svm import several
from ..solving.problems import Part, Start, check_options, problems_of, solve


class LinearSVC(Verified, LinearPrediction, ClassifierMixin, CallbackSupportMixin, BaseEstimator):
    """Linear support vector machine: minimise ½‖w‖² + C Σ_i c_i ξ_i, bias not penalised.

    ξ_i = max(0, 1 − y_i (w·x_i + b)) is the slack of a sample: 0 if it is on the right side of the
    margin. The margin is 2/‖w‖ wide.

    Parameters
    ----------
    C : float
        Price of slack; ``np.inf`` allows none: the hard margin, which exists only if a hyperplane
        separates the classes. The notes' λ‖w‖² is C = 1/(2λ); they penalise the bias, too.
    loss : {"hinge", "squared_hinge"}
        Slack counts as ξ or as ξ².
    penalize_intercept : bool
        Whether the bias counts in the length, ½‖w‖² + ½b²: LIBLINEAR's problem, and with
        ``C=np.inf`` the shortest augmented vector with y w·[1, x] ≥ 1.
    multi_class : {"ovr", "ovo"}
        K classes as one against the rest, or each pair.
    solver : {"auto", "newton", "coordinate"}
        "newton": Newton's method, for the hinge within a method of multipliers; what "auto" takes.
        "coordinate": the textbook's dual coordinate descent, one α at a time, for a penalised bias
        or none. ``linscope.trace`` shows every step.
    fit_intercept : bool
    class_weight : dict, "balanced" or None
    tol : float, optional
        Duality gap at which to stop, relative to the objective. By default 1e-6 for large tables,
        and as exact as floats allow for small ones, where that costs nothing.
    max_iter : most rounds, or passes of coordinate descent
    warm_start : bool
        Start from the solution of the last fit.
    random_state : int, RandomState or None
        Order of the visits of coordinate descent: a new one in each pass, or with None the given
        one. The other solvers have no use for it.

    Attributes
    ----------
    classes_ : the labels, sorted
    coef_, intercept_ : the hyperplanes, one row for each binary problem
    alphas_ : array (n,), the dual coefficients: w = Σ α_i y_i x_i; K classes: a list by problem
    support_ : rows of the support vectors, α > 0; K classes: a list by problem
    slack_ : array (n,), ξ of the samples; K classes: a list by problem
    margin_ : 2/‖w‖, the width of the margin; K classes: an array by problem
    certificate_ : the objective, a proven lower bound, and their gap; ``verify(X, y)`` checks it
    n_iter_ : passes over the rows, of the longest problem

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("or")
    >>> model = ls.LinearSVC(C=float("inf")).fit(X, y)
    >>> model.coef_.round(9), model.intercept_.round(9)
    (array([[2., 2.]]), array([-1.]))
    >>> round(model.margin_, 6), model.support_, bool(model.certificate_.verify(X, y))
    (0.707107, array([0, 1, 2]), True)
    """

    _parameter_constraints: ClassVar[dict] = {
        "C": [Interval(Real, 0, None, closed="right"), Interval(Real, 0, None, closed="neither")],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "penalize_intercept": ["boolean"],
        "multi_class": [StrOptions({"ovr", "ovo"})],
        "solver": [StrOptions({"auto", "newton", "coordinate"})],
        "fit_intercept": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: str = "hinge",
        penalize_intercept: bool = False,
        multi_class: str = "ovr",
        solver: str = "auto",
        fit_intercept: bool = True,
        class_weight: Mapping[Any, float] | str | None = None,
        tol: float | None = None,
        max_iter: int = 1000,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.C = C
        self.loss = loss
        self.penalize_intercept = penalize_intercept
        self.multi_class = multi_class
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _far_advice(self) -> tuple[str, ...]:
        if np.inf == self.C:
            return "the hard margin, C=inf", "a finite C"
        if self.solver == "coordinate":
            return "solver='coordinate'", "solver='newton'"
        return ()

    @fits_with_callbacks
    @one_blas_thread()
    def fit(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on samples X (n, d) with labels y of any kind.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, d), or a ``Dataset``, which brings its y
        y : labels, or a one-hot or ±1 matrix
        sample_weight : array of n weights, optional
            Multiplies C for each sample; rows with weight 0 are left out.

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight)
        return self

    def _fit(
        self, X: TableLike, y: Any, sample_weight: Any = None, keep_log: bool = False
    ) -> Fitted:
        training = read_training(self, X, y, sample_weight)
        check_options(self)
        names = getattr(self, "feature_names_in_", None)
        if isinstance(training.X, FarRows):
            largest = check_rows(training.X.engine, names)
        else:
            largest = check_finite(training.X, names)
        problems = problems_of(training, self.multi_class)
        # what leaves the range of floats shows in the certificate, or as an error
        with watched(self, X, y, len(problems) * self.max_iter), np.errstate(all="ignore"):
            parts = [
                solve(self, training, problem, self._start(k, training, problem), keep_log, largest)
                for k, problem in enumerate(problems)
            ]
        self._keep(training, parts)
        return Fitted(training, parts)

    def _start(self, number: int, training: Training, problem: Any) -> Start:
        if not self.warm_start or number >= len(getattr(self, "_last", [])):
            return Start()
        W, alpha = self._last[number]
        if W is None or len(W) != training.X.shape[1] + 1:
            return Start()
        return Start(W, alpha if alpha is not None and len(alpha) == len(problem.y) else None)

    def _keep(self, training: Training, parts: list[Part]) -> None:
        W = in_type(np.vstack([part.W for part in parts]), training.X.dtype)
        self.classes_ = training.classes
        self.coef_, self.intercept_ = W[:, 1:], W[:, 0]
        self.n_iter_ = max(1, *(part.result.n_iter for part in parts))
        self.results_ = [part.result for part in parts]
        self._last = [Start(part.W, part.alpha) for part in parts]
        alphas = [_spread(training, part, part.alpha) for part in parts]
        slack = [_spread(training, part, part.slack) for part in parts]
        support = [places(alpha) for alpha in alphas]
        with np.errstate(divide="ignore", over="ignore"):
            margin = 2.0 / np.array([np.linalg.norm(part.W[1:]) for part in parts])
        one = len(parts) == 1
        self.alphas_: Any = alphas[0] if one else alphas
        self.slack_: Any = slack[0] if one else slack
        self.support_: Any = support[0] if one else support
        self.margin_: Any = float(margin[0]) if one else margin
        named = {part.problem.name: part.certificate for part in parts}
        self.certificate_ = parts[0].certificate if one else several(named, training.classes)
        self._warn(parts)

    def _warn(self, parts: list[Part]) -> None:
        for part in parts:
            claim, name = part.certificate, part.problem.name
            if claim.status.ok:
                continue
            gap = claim.gap or 0.0
            share = gap / (claim.primal or 1.0) if gap < np.inf else np.inf
            text = (
                f"{claim.text}: the objective may be {gap:.2g} above its minimum, "
                f"{share:.1g} of it where {claim.tol:g} was asked for. {claim.advice}"
            )
            if not claim.tol < 1.0:
                text = f"tol={claim.tol:g} asks for nothing: nothing is claimed"
            warn_caller(f"{name}: {text}" if len(parts) > 1 else text, ConvergenceWarning)

    def _live_claim(self, X: TableLike) -> Any:
        """The certificate, if the attributes hold the weights and coefficients it speaks of."""
        claim, one = self.certificate_, not self.certificate_.parts
        W = np.column_stack([self.intercept_, self.coef_])
        if not np.array_equal(W, np.atleast_2d(claim.weights)):
            raise ValueError("coef_ and intercept_ are not the weights of the certificate")
        claims = [claim] if one else list(claim.parts.values())
        alphas = [self.alphas_] if one else self.alphas_
        for part, alpha in zip(claims, alphas, strict=True):
            if not np.array_equal(part.alpha[part.alpha != 0.0], alpha[alpha != 0.0]):
                raise ValueError("alphas_ are not the coefficients of the certificate")
        return claim

    def _certified_answers(self, X: Any) -> tuple[Any, Answers]:
        claim = self.certificate_
        weights = np.atleast_2d(claim.weights)
        return X, linear_answers(X, weights, self.coef_.dtype, **linear_form(claim))

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Scores: w·x + b for two classes, positive for the second; else one column for each class.

        For pairs of classes the score of a class is its votes, with ties by the sums of scores.
        """
        return self._decision(self._problem_scores(X))

    def _decision(self, scores: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 2:
            return scores[:, 0]
        if self.multi_class == "ovo":
            return pair_votes(scores, scores > 0, len(self.classes_))
        return scores

    def predict(self, X: TableLike) -> np.ndarray:
        """The label of each row; a score of exactly 0 goes to the first class."""
        check_is_fitted(self)
        return self._labels(self.decision_function(X))

    def _traced_by(self) -> Any:
        from ..trace import STEPS

        return STEPS


def _spread(training: Training, part: Part, values: np.ndarray) -> np.ndarray:
    """One value for each row that was given; 0 for those that took no part."""
    rows = part.problem.rows
    if rows is None and not len(training.ignored) and isinstance(training.X, FarRows):
        return values  # of many rows a copy is dear
    rows = np.arange(len(training.codes)) if rows is None else rows
    if isinstance(rows, FarChoice):
        rows = np.flatnonzero(np.isin(training.codes, rows.words))
    total = len(training.codes) + len(training.ignored)
    if len(training.ignored):
        rows = np.delete(np.arange(total), training.ignored)[rows]
    out = np.zeros(total)
    out[rows] = values
    return out
