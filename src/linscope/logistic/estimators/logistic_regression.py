"""Logistic regression: two classes and many, penalised or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import ConvergenceWarning

from linscope._bridge import Interval, StrOptions, fits_with_callbacks
from linscope.data.tables import TableLike
from linscope.engines import check_rows, choose
from linscope.fitting.gradient_options import DESCENT_CONSTRAINTS, DESCENTS, stops_early
from linscope.fitting.training import Fitted, Training, read_training, watched
from linscope.fitting.training_rows import TrainingRows
from linscope.fitting.verified import Verified
from linscope.fitting.weight_kind import WEIGHT_KINDS, weight_kind
from linscope.results import Status
from linscope.results.caller import warn_caller
from linscope.rows.threads import one_blas_thread
from linscope.verify.answers import Answers, linear_answers, linear_form

from ..certificates.logistic import LogisticCertificate
from ..solving.choice import SOLVERS, check_options, ignored_options, strengths
from ..solving.problems import Part, problems_of, several, solve
from .prediction import LogisticPrediction
from .statistics import LogisticStatistics


class LogisticRegression(
    Verified,
    LogisticPrediction,
    LogisticStatistics,
    ClassifierMixin,
    CallbackSupportMixin,
    BaseEstimator,
):
    """Logistic regression: minimise ½‖w‖² + C Σ_i c_i log(1 + e^{−y_i w·x_i}), bias not penalised.

    Parameters
    ----------
    C : float
        Weight of the loss against the penalty; ``np.inf`` is no penalty. The notes' λ‖w‖² is
        C = 1/(2λ).
    penalty : {"l2", "l1", "elasticnet", "firth", None}
        "l1" and "elasticnet" replace ½‖w‖² by ‖w‖₁ or by both, and make weights exactly 0. None is
        the same as C = ∞: maximum likelihood. "firth" is maximum likelihood with Firth's
        correction, finite also where a hyperplane separates the classes (two classes).
    l1_ratio : float
        Share of the l1 penalty in "elasticnet". Other penalties do not use it: a value that
        contradicts them gives a warning, as ``penalty="l2", l1_ratio=1`` does in scikit-learn.
    solver : {"auto", "newton", "trust-region", "lbfgs", "coordinate", "batch", "stochastic", \
            "mini-batch"}
        "auto" takes coordinate descent for l1 penalties, and else Newton's method or the
        trust-region method, whichever should cost less for the shape of the table (for a softmax
        Newton's method only where rows and weights are few); the certificate says which, and why.
        The last three are the notes' gradient ascent on the likelihood,
        w ← w + η (Σ (y − h(x)) x − w/C) with h = σ(w·x), or the softmax of all scores, over all
        samples, one, or ``batch_size`` at a time. ``linscope.trace`` shows every step.
    multi_class : {"softmax", "ovr", "ovo"}
        How K classes are told apart: all at once, one against the rest, or in pairs.
    reference : label, optional
        Class whose weights are 0 in ``coef_`` (softmax), as in the form with R − 1 sets of weights;
        by default the weights of the classes sum to 0. Probabilities are the same.
    fit_intercept : bool
    class_weight : dict, "balanced" or None
    eta0 : "auto" or float
        Learning rate η of gradient steps. "auto" takes one that is safe.
    schedule : {"constant", "inverse"}
        η_k = eta0, or eta0/k where k counts updates.
    batch_size : samples a mini-batch
    shuffle : bool
        Visit the samples in a new random order in each pass ("stochastic" and "mini-batch").
    average : bool
        Return the mean of the iterates of the second half of the passes.
    tol : float, optional
        Relative accuracy of the weights at which to stop, about: the objective is then within
        tol² of its minimum, relatively. By default 1e-4 for large tables, and as exact as floats
        allow for small ones, where that costs nothing; a value of 1e-4 or less is never less exact
        than the default. The certificate states what it promises. Gradient steps end when
        η times the gradient of Σ c f + ½‖w‖²/C is at most this, by default 1e-6.
    max_iter : most steps, or passes of gradient steps
    warm_start : bool
        Start from the weights of the last fit.
    random_state : int, RandomState or None
        For the order of the visits; the other solvers are deterministic.
    weight_kind : {"auto", "frequency", "precision"}
        What ``sample_weight`` means for robust errors, BIC and the R² that depend on n; the rest is
        the same. "frequency": a row of weight 2 is 2 equal rows, and n is the sum of the weights
        (``freq_weights`` of statsmodels). "precision": it is one row, and n is the number of rows
        (``var_weights``). "auto" is "frequency".

    Attributes
    ----------
    classes_ : the labels, sorted
    coef_ : array (1, d) for two classes, else (problems, d)
    intercept_ : array of as many
    certificate_ : how far the objective is from its minimum, at most
    n_iter_ : steps made, one number per problem

    Notes
    -----
    Without a penalty, columns that are combinations of others (up to 4 ulp of their terms) are left
    out of the fit and then share their weights with the others. The certificate names them, and
    ``summary`` shows the coefficients, and the sums of coefficients, that the data determine.

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("breast_cancer")
    >>> model = ls.LogisticRegression().fit(X, y)
    >>> round(model.score(X, y), 2), bool(model.certificate_.verify(X, y))
    (0.96, True)
    """

    _parameter_constraints: ClassVar[dict] = {
        "C": [Interval(Real, 0, None, closed="right"), Interval(Real, 0, None, closed="neither")],
        "penalty": [StrOptions({"l2", "l1", "elasticnet", "firth"}), None],
        "l1_ratio": [Interval(Real, 0, 1, closed="both"), None],
        "solver": [StrOptions({"auto", *SOLVERS, "coordinate", *DESCENTS})],
        "multi_class": [StrOptions({"softmax", "ovr", "ovo"})],
        "reference": "no_validation",
        "fit_intercept": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        **DESCENT_CONSTRAINTS,
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
        "weight_kind": WEIGHT_KINDS,
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        penalty: str = "l2",
        l1_ratio: float = 0.0,
        solver: str = "auto",
        multi_class: str = "softmax",
        reference: Any = None,
        fit_intercept: bool = True,
        class_weight: Mapping[Any, float] | str | None = None,
        eta0: float | str = "auto",
        schedule: str = "constant",
        batch_size: int = 32,
        shuffle: bool = True,
        average: bool = False,
        tol: float | None = None,
        max_iter: int = 1000,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        weight_kind: str = "auto",
    ) -> None:
        self.C = C
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.multi_class = multi_class
        self.reference = reference
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.eta0 = eta0
        self.schedule = schedule
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.average = average
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.random_state = random_state
        self.weight_kind = weight_kind

    def __getstate__(self) -> dict[str, Any]:
        # Where the training rows are, and what was seen of them, is not part of the model.
        state = super().__getstate__()
        return state | {"_training": None, "_seen": None} if "_training" in state else state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = stops_early(self)
        return tags

    def _far_advice(self) -> tuple[str, ...]:
        if self.penalty == "firth":
            return "penalty='firth'", "penalty='l2' or None"
        if strengths(self.C, self.penalty, self.l1_ratio).l1 > 0 or self.solver == "coordinate":
            return "coordinate descent (l1 penalty)", "penalty='l2'"
        if self.solver in ("stochastic", "mini-batch"):
            return f"solver={self.solver!r}", "solver='auto' or 'batch'"
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

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight)
        return self

    def _fit(
        self, X: TableLike, y: Any, sample_weight: Any = None, keep_log: bool = False
    ) -> Fitted:
        self._weight_kind = weight_kind(self.weight_kind, X, "frequency")
        training = read_training(self, X, y, sample_weight)
        check_options(self, training)
        unused = ignored_options(self)
        if unused:
            warn_caller(unused, UserWarning)
        problems = problems_of(training, self.multi_class)
        engine = choose(training.X, training.codes, training.weight, checked=True)
        if len(problems) > 1:  # the first look at the rows of a single problem checks them
            check_rows(engine, getattr(self, "feature_names_in_", None))
        # Beyond the range of floats bounds become infinite, and the certificate says so.
        unwarned = np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore")
        with watched(self, X, y, len(problems) * self.max_iter), unwarned:
            parts = [
                solve(self, problem, engine, self._initial(number, problem.shape), keep_log)
                for number, problem in enumerate(problems)
            ]
        self._keep(training, parts)
        self._training = TrainingRows(training, (X, y, sample_weight))
        self._seen = None if self._training.kept else self._fit_of(training).look()
        return Fitted(training, parts)

    def _live_claim(self, X: TableLike) -> Any:
        """The certificate about the weights that the attributes hold."""
        W = np.column_stack([self.intercept_, self.coef_])
        claim = self.certificate_
        if not claim.parts:
            return replace(claim, weights=W)
        rows = zip(claim.parts.items(), W, strict=True)
        parts: Any = {}
        for (name, part), row in rows:
            parts[name] = replace(cast(LogisticCertificate, part), weights=row[None, :])
        return replace(claim, weights=W, parts=parts)

    def _certified_answers(self, X: Any) -> tuple[Any, Answers]:
        claim = self.certificate_
        form = linear_form(claim)
        logits = "pairs" if form["pairs"] else "ovr" if claim.parts else "softmax"
        form |= {"logits": logits, "pairs": form["pairs"] and "shares"}
        return X, linear_answers(X, claim.weights, self.coef_.dtype, **form)

    def _initial(self, number: int, shape: Any) -> np.ndarray | None:
        if not self.warm_start or not hasattr(self, "_weights"):
            return None
        before = self._weights[number] if number < len(self._weights) else None
        return before if before is not None and before.shape == shape else None

    def _keep(self, training: Training, parts: list[Part]) -> None:
        self.classes_ = training.classes
        self._weights = [part.W for part in parts]
        W = np.vstack([part.held for part in parts])
        self.coef_, self.intercept_ = W[:, 1:], W[:, 0]
        self.n_iter_ = np.array(
            [min(max(1, part.result.n_iter), self.max_iter) for part in parts], dtype=np.int32
        )
        self.results_ = [part.result for part in parts]
        if len(parts) == 1:
            self.certificate_ = parts[0].certificate
        else:
            self.certificate_ = several({part.problem.name: part.certificate for part in parts})
        self._warn(parts)

    def _warn(self, parts: list[Part]) -> None:
        for part in parts:
            claim, name = part.certificate, part.problem.name
            if claim.status is Status.INFINITE:
                text = claim.separation
            elif claim.status.ok:
                continue
            else:
                text = self._unfinished(part)
            warn_caller(f"{name}: {text}" if name else text, ConvergenceWarning)

    def _unfinished(self, part: Part) -> str:
        claim, far = part.certificate, ""
        if claim.gap is not None and np.isfinite(claim.gap):
            far = f"the objective may be {claim.gap:.2g} above its minimum"
        if self.solver in DESCENTS:
            steps = part.result.details["explanation"]
            if claim.status is Status.SHORT_STEPS:
                steps += ", but that need not be the minimum: scale X, or lower tol"
            return f"{far}: {steps}" if far else steps
        return f"{claim.text}{': ' if far else ''}{far}. {claim.advice}"

    def _traced_by(self) -> Any:
        from ..trace import STEPS

        return STEPS
