"""Logistic regression: two classes and many, penalised or not."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from ..certify.finite_solution import Finite, Separated, finite_solution
from ..certify.logistic import LogisticCertificate, certify
from ..data import check_finite
from ..results import Result, Status
from ..solvers.driver import run
from ..solvers.logistic_frame import logistic_frame
from ..solvers.logistic_objective import LogisticObjective
from .base import Training, binary_problems, read_training
from .logistic_choice import choose, strengths
from .logistic_prediction import LogisticPrediction
from .logistic_statistics import LogisticStatistics

# Steps towards infinity that show the direction.
HOPELESS = 20


class Part(NamedTuple):
    """One problem that was solved: its name, weights in original units, result, certificate."""

    name: str
    W: np.ndarray
    result: Result
    certificate: LogisticCertificate


class LogisticRegression(
    LogisticPrediction, LogisticStatistics, ClassifierMixin, CallbackSupportMixin, BaseEstimator
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
        Share of the l1 penalty in "elasticnet".
    solver : {"auto", "newton", "trust-region", "lbfgs", "coordinate"}
        "auto" takes Newton's method for two classes in a dense table with at most some hundred
        columns, coordinate descent for l1 penalties, and the trust-region method elsewhere; the
        certificate says which.
    multi_class : {"softmax", "ovr", "ovo"}
        How K classes are told apart: all at once, one against the rest, or in pairs.
    reference : label, optional
        Class whose weights are 0 in ``coef_`` (softmax), as in the form with R − 1 sets of weights;
        by default the weights of the classes sum to 0. Probabilities are the same.
    fit_intercept : bool
    class_weight : dict, "balanced" or None
    tol : float, optional
        Relative accuracy of the objective at which to stop; by default 1e-8 for large tables, and
        as exact as floats allow for small ones, where that costs nothing.
    max_iter : most steps
    warm_start : bool
        Start from the weights of the last fit.
    random_state : ignored; the solvers are deterministic

    Attributes
    ----------
    classes_ : the labels, sorted
    coef_ : array (1, d) for two classes, else (problems, d)
    intercept_ : array of as many
    certificate_ : how far the objective is from its minimum, at most
    n_iter_ : steps made, one number a problem

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
        "solver": [StrOptions({"auto", "newton", "trust-region", "lbfgs", "coordinate"})],
        "multi_class": [StrOptions({"softmax", "ovr", "ovo"})],
        "reference": "no_validation",
        "fit_intercept": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "tol": [Interval(Real, 0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C=1.0,
        *,
        penalty="l2",
        l1_ratio=None,
        solver="auto",
        multi_class="softmax",
        reference=None,
        fit_intercept=True,
        class_weight=None,
        tol=None,
        max_iter=1000,
        warm_start=False,
        random_state=None,
    ):
        self.C = C
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.multi_class = multi_class
        self.reference = reference
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.random_state = random_state

    def __getstate__(self):
        # The training rows are at hand for ``summary``, but are not part of the model.
        state = super().__getstate__()
        return state | {"_training": None} if "_training" in state else state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Train on samples X (n, d) with labels y of any kind.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, d)
        y : labels, or a one-hot or ±1 matrix
        sample_weight : array of n weights, optional

        Returns
        -------
        self
        """
        training = read_training(self, X, y, sample_weight)
        check_finite(training.X, getattr(self, "feature_names_in_", None))
        parts = [
            self._solve(training, *problem, number=number)
            for number, problem in enumerate(self._problems(training))
        ]
        self._keep(training, parts)
        return self

    def _problems(self, training: Training) -> Iterator[tuple[Any, ...]]:
        """(name, rows or None, class numbers, labels, sides) of every problem."""
        classes = training.classes
        if len(classes) == 2 or self.multi_class == "softmax":
            yield "", None, training.codes, classes, None
            return
        for problem in binary_problems(classes, training.codes, self.multi_class):
            labels, side = np.array([False, True]), (problem.positive, None)
            if problem.others == ():
                labels = np.array([problem.negative, problem.positive])
                side = (problem.positive, problem.negative)
            yield problem.name, problem.rows, (problem.y > 0).astype(np.int64), labels, side

    def _solve(self, training: Training, name, rows, codes, labels, side, *, number: int) -> Part:
        X = training.X if rows is None else training.X[rows]
        weight = training.weight
        if rows is not None and len(weight):
            weight = weight[rows]
        kind = strengths(self.C, self.penalty, self.l1_ratio)
        scaled = weight
        if any(kind) and self.C != 1.0:
            scaled = float(self.C) * (weight if len(weight) else np.ones(len(codes)))
        frame = logistic_frame(X, fit_intercept=self.fit_intercept, scale=kind.l1 == 0)
        objective = LogisticObjective(
            frame.X, codes, len(labels), scaled, frame.pull(kind.rho), self.fit_intercept
        )
        initial = self._initial(number, objective.shape)
        start = None if initial is None else frame.inside(initial)
        verdict = None
        if not any(kind) and self.penalty != "firth":
            verdict = self._finite(X, codes, labels, weight)
        solver, why = choose(objective, self.solver, self.penalty, kind, self.tol, start)
        limit = self.max_iter if verdict is None or verdict else min(self.max_iter, HOPELESS)
        result = run(solver, limit)
        W = frame.original(result.weights)
        if not np.isfinite(W).all():
            raise ValueError("a weight is beyond the range of floats: scale the columns of X")
        claim = {
            "weights": W,
            "classes": np.asarray(labels),
            "C": float(self.C) if any(kind) else np.inf,
            "l1": kind.l1,
            "l2": kind.l2,
            "firth": self.penalty == "firth",
            "fit_intercept": self.fit_intercept,
            "weighted": len(weight) > 0,
            "side": side,
            "how": f"{why}; {result.n_iter} passes over the rows",
        }
        certificate = certify(objective, result, **claim)
        if verdict is not None:
            certificate = replace(certificate, separation=str(verdict))
            if not verdict:
                certificate = replace(certificate, status=Status.INFINITE, gap=np.inf)
        return Part(name, W, result, certificate)

    def _finite(self, X, codes, labels, weight) -> Finite | Separated:
        """Do finite weights of maximum likelihood exist at all?"""
        return finite_solution(
            X,
            codes,
            len(labels),
            self.fit_intercept,
            weight if len(weight) else None,
            names=list(self._feature_names()),
            classes=list(labels),
        )

    def _initial(self, number: int, shape) -> np.ndarray | None:
        if not self.warm_start or not hasattr(self, "_weights"):
            return None
        before = self._weights[number] if number < len(self._weights) else None
        return before if before is not None and before.shape == shape else None

    def _keep(self, training: Training, parts: list[Part]) -> None:
        self.classes_ = training.classes
        self._weights = [part.W for part in parts]
        W = np.vstack(self._weights)
        if self.reference is not None:
            W = W - W[self._reference_row(len(W))]
        W = W.astype(training.X.dtype)
        self.coef_, self.intercept_ = W[:, 1:], W[:, 0]
        self.n_iter_ = np.array([part.result.n_iter for part in parts], dtype=np.int32)
        self.results_ = [part.result for part in parts]
        self._training = training
        if len(parts) == 1:
            self.certificate_ = parts[0].certificate
        else:
            self.certificate_ = several({part.name: part.certificate for part in parts})
        self._warn(parts)

    def _reference_row(self, rows: int) -> int:
        labels = self.classes_.tolist()
        if self.reference not in labels:
            raise ValueError(f"reference={self.reference!r} is not among the classes {labels}")
        if rows != len(labels):
            raise ValueError("reference needs multi_class='softmax' and more than two classes")
        return labels.index(self.reference)

    def _warn(self, parts: list[Part]) -> None:
        for part in parts:
            claim, name = part.certificate, f"{part.name}: " if part.name else ""
            if claim.status is Status.INFINITE:
                text = claim.separation
            elif not claim.status.ok:
                far = "" if claim.gap is None else (
                    f": the objective may be {claim.gap:.2g} above its minimum"
                )  # fmt: skip
                text = f"{claim.status}{far}; raise max_iter or tol"
            else:
                continue
            warnings.warn(name + text, ConvergenceWarning, stacklevel=5)


def several(parts: dict[str, LogisticCertificate]) -> LogisticCertificate:
    """One certificate of several binary problems; each has its own in ``parts``."""
    all_ok = all(part.status.ok for part in parts.values())
    first = next(iter(parts.values()))
    return LogisticCertificate(
        status=Status.CONVERGED if all_ok else Status.SEVERAL,
        primal=sum(part.primal or 0.0 for part in parts.values()),
        gap=sum(part.gap or 0.0 for part in parts.values()),
        kkt=max(part.kkt or 0.0 for part in parts.values()),
        weights=np.vstack([part.weights for part in parts.values()]),
        classes=first.classes,
        C=first.C,
        fit_intercept=first.fit_intercept,
        weighted=first.weighted,
        how=first.how,
        parts=dict(parts),
    )
