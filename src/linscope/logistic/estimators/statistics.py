"""Standard errors, tests and odds ratios of a fitted logistic regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linscope.data.tables import TableLike
from linscope.engines import check_rows, choose
from linscope.fitting.class_probabilities import class_logits
from linscope.fitting.estimable import Estimable
from linscope.fitting.far import all_here
from linscope.fitting.gradient_options import DESCENTS
from linscope.fitting.scores import linear_scores
from linscope.fitting.training import Training, read_training
from linscope.fitting.training_rows import NOT_AT_HAND, TrainingRows
from linscope.fitting.weight_kind import SUMMED, weight_kind
from linscope.losses.softmax import log_softmax
from linscope.results import Status
from linscope.rows.blocks import Block
from linscope.rows.far import FarRows

from ..certificates.logistic import LogisticCertificate
from ..inference.fit import LogisticFit, Seen
from ..inference.odds_ratios import OddsRatios, odds_ratios
from ..inference.table import LogisticSummary, logistic_summary


def _log_likelihood(block: Block, W: np.ndarray, multi_class: str, n_classes: int) -> float:
    logits = class_logits(linear_scores(block.X, W).scores, multi_class, n_classes)
    logs = log_softmax(logits)[np.arange(len(block.y)), block.y]
    return float(block.weight @ logs if block.weighted else logs.sum())


# Log likelihoods so near to the maximum have the standard errors of the maximum.
NEAR = 1e-4


class LogisticStatistics:
    """Methods that need the statistics of the fit."""

    penalty: str | None
    solver: str
    multi_class: str
    fit_intercept: bool
    reference: object
    weight_kind: str
    classes_: np.ndarray
    coef_: np.ndarray
    _hyperplanes: Callable[[], np.ndarray]
    intercept_: np.ndarray
    certificate_: LogisticCertificate
    _training: TrainingRows[Training] | None
    _seen: Seen | None
    _weight_kind = "frequency"
    _weights: list[np.ndarray]
    _names: Callable[[], list[str]]

    def summary(
        self,
        robust: str | None = None,
        level: float = 0.95,
        X: TableLike = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> LogisticSummary:
        """Coefficients with standard errors, z and p values and intervals; deviance, pseudo-R².

        Parameters
        ----------
        robust : {"HC0", "HC1"}, optional
        level : confidence level of the intervals
        X, y, sample_weight : the training data; needed only if they are not at hand any more

        Returns
        -------
        LogisticSummary : prints as text and HTML; has ``to_frame``, ``to_latex``, ``to_html``

        Examples
        --------
        >>> import linscope as ls
        >>> X, y = ls.datasets.load("breast_cancer")
        >>> table = ls.LogisticRegression(C=float("inf")).fit(X[:, :2], y).summary()
        >>> table.coefficients.round(3)
        array([[19.849, -1.057, -0.218]])
        """
        rows = robust is not None or self.penalty == "firth"
        return logistic_summary(self._logistic_fit(X, y, sample_weight, rows), robust, level)

    def odds_ratios(
        self,
        level: float = 0.95,
        kind: str = "wald",
        X: TableLike = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> OddsRatios:
        """e^w of each coefficient with an interval, by Wald's test or by profile likelihood.

        Parameters
        ----------
        level : confidence level of the intervals
        kind : {"wald", "profile"}
        X, y, sample_weight : the training data; needed only if they are not at hand any more
        """
        return odds_ratios(self._logistic_fit(X, y, sample_weight, kind != "wald"), level, kind)

    def log_likelihood(
        self, X: TableLike = None, y: Any = None, weights: Any = None, sample_weight: Any = None
    ) -> float:
        """l(W) = Σ_i c_i ln P(y_i | x_i, W), the log of the conditional likelihood.

        Of two classes Σ_i y_i w·x_i − ln(1 + e^(w·x_i)) with y = 0 and 1. Without a penalty the
        fitted weights are where it is largest (the notes' MCLE). −l(W) is the cross entropy, and
        scikit-learn's ``log_loss`` is −l(W)/n.

        Parameters
        ----------
        X, y : any data; by default the training data, with their weights
        weights : (d + 1,) of two classes or (K, d + 1) of a softmax, bias first (without it if
            there is no intercept); by default the fitted ones
        sample_weight : array of n weights, optional

        Examples
        --------
        >>> import linscope as ls
        >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]
        >>> model = ls.LogisticRegression(C=float("inf")).fit(X, y)
        >>> round(model.log_likelihood(), 4), round(model.log_likelihood(weights=[0, 0]), 4)
        (-2.3475, -2.7726)
        """
        check_is_fitted(self)
        training = self._found() if X is None else self._read(X, y, sample_weight)
        if training is None:
            raise ValueError(NOT_AT_HAND)
        W = self._hyperplanes() if weights is None else self._given_weights(weights)
        rows = choose(training.X, training.codes, training.weight)
        value = rows.fold(_log_likelihood, W, self.multi_class, len(self.classes_))
        if not np.isfinite(value):
            check_rows(rows, getattr(self, "feature_names_in_", None))
        return value

    def _given_weights(self, weights: Any) -> np.ndarray:
        W = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        if not self.fit_intercept:
            W = np.column_stack([np.zeros(len(W)), W])
        wanted = len(self.coef_), self.coef_.shape[1] + 1
        if W.shape != wanted:
            need = wanted[0], wanted[1] - int(not self.fit_intercept)
            raise ValueError(f"weights must have the shape {need}, got {np.shape(weights)}")
        return W

    def _logistic_fit(
        self, X: TableLike, y: Any, sample_weight: Any, rows: bool = True
    ) -> LogisticFit:
        """What the statistics start from; without the rows where they need not be looked at."""
        check_is_fitted(self)
        seen = self._seen
        if X is None and not rows and seen is not None and seen.reference in (None, self._base):
            return self._fit_of(None, seen)
        training = self._found() if X is None else self._read(X, y, sample_weight)
        if training is None:
            raise ValueError(NOT_AT_HAND)
        if isinstance(training.X, FarRows):  # the check needs all rows
            matrix, codes, weight = all_here(training.X, training.codes, training.weight)
            training = training._replace(X=matrix, codes=codes, weight=weight)
        labels = training.classes[training.codes]
        weight = training.weight if len(training.weight) else None
        check = self.certificate_.verify(training.X, labels, weight)
        if not check.claim_holds:
            raise ValueError(f"these are not the data of the fit ({check.reason}): pass X and y")
        return self._fit_of(training, kind=weight_kind("auto", X, self._weight_kind))

    def _fit_of(
        self, training: Training | None, seen: Seen | None = None, kind: str | None = None
    ) -> LogisticFit:
        W, base, K = np.vstack(self._weights), self._base, len(self.classes_)
        if K > 2:
            softmax = self.multi_class == "softmax"
            W = np.delete(W - W[base], base, axis=0) if softmax else W[: K - 1]
        given: dict[str, Any] = {"seen": seen}
        if training is not None:
            weight = training.weight if len(training.weight) else None
            given = {"X": training.X, "codes": training.codes, "weight": weight}
        claim = self.certificate_
        about = claim.dependent, claim.ulps
        estimable = Estimable(claim.relations, self._names(), W, self.fit_intercept, *about)
        return LogisticFit(
            names=estimable.kept_names,
            classes=list(self.classes_),
            weights=estimable.effective,
            estimable=estimable if claim.relations else None,
            fit_intercept=self.fit_intercept,
            frequency=(kind or self._weight_kind) == "frequency",
            reference=base,
            penalty="firth" if self.penalty == "firth" else None,
            refused=self._refused(),
            **given,
        )

    @property
    def _base(self) -> int:
        """The number of the class that the odds are against."""
        if len(self.classes_) == 2 or self.reference is None:
            return 0
        return list(self.classes_).index(self.reference)

    def _found(self) -> Training | None:
        """The training rows; None if they are not at hand any more."""
        return None if self._training is None else self._training.find(self._read)

    def _read(self, X: TableLike, y: Any, sample_weight: Any) -> Training:
        return read_training(self, X, y, sample_weight, classes=self.classes_)

    def _refused(self) -> str | None:
        claim = self.certificate_
        if claim.penalised:
            return "the fit is penalised, so its weights are biased on purpose: fit with C=np.inf"
        if self._weight_kind == "summed":
            return SUMMED
        if claim.status is Status.INFINITE:
            return "a direction separates the classes, so the weights are not finite"
        if len(self.classes_) > 2 and self.multi_class != "softmax":
            return "one model for each of several binary problems has no common likelihood"
        if not (claim.status.ok or claim.status is Status.SHORT_STEPS):
            return "the fit has not converged"
        if self.solver in DESCENTS and not (claim.gap or 0.0) <= NEAR:
            return "small steps ended the fit, and it may be far from the maximum: lower tol"
        return None
