"""Gaussian naive Bayes: features that are independent given the class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.special import log_softmax, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from linscope.data.tables import TableLike
from linscope.fitting.scores import into_range, rounding_to
from linscope.fitting.training import read_features
from linscope.fitting.verified import Verified
from linscope.results import Status
from linscope.results.caller import warn_caller
from linscope.rows.finite import check_finite
from linscope.verify.answers import Answers, gaussian_answers, some

from ..certificates.naive_bayes import NaiveBayesCertificate
from ..solvers.moments import ClassMoments
from ..solvers.naive_bayes import (
    UNIT,
    Gaussians,
    discriminants,
    gaussians,
    logistic_weights,
    rounding_errors,
)
from .linear_scores import equations
from .moment_family import Lesson, MomentClassifier

# Means (in deviations) and variances (relatively) that are certain to this are called solved.
TOLERANCE = 1e-8


class GaussianNaiveBayes(Verified, MomentClassifier):
    """Gaussian naive Bayes.

    Each feature is normally distributed in each class, independently of the others given the
    class. A sample goes to the class with the largest discriminant function

        g_k(x) = ln P(x | C_k) + ln P(C_k).

    With ``shared_variance=True`` the boundary is a hyperplane and the posterior is that of
    logistic regression, P(second class | x) = σ(w·[1, x]).

    Parameters
    ----------
    shared_variance : whether the classes share the variance of each feature (its mean within
        classes); otherwise each has its own, and the boundary is a quadric
    priors : class probabilities in sorted order of the labels; None takes the shares in the data
    class_weight : {label: weight} or "balanced"; multiplies the weights of the samples

    Attributes
    ----------
    theta_, var_ : (K, d) mean and variance of each feature in each class
    class_prior_, class_count_ : probability and number (weight) of samples of each class
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn
    certificate_ : that these are the moments of the samples; ``verify(X, y)`` checks it again

    Notes
    -----
    Variances are those of the samples, without smoothing (scikit-learn's
    ``GaussianNB(var_smoothing=0)``). Only where n equal samples have variance 0 it is replaced, by
    V/(n + 1) with V the variance of the whole column; ``certificate_`` names these columns.

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = [[1], [2], [3], [5], [6], [7]], ["no", "no", "no", "yes", "yes", "yes"]
    >>> model = ls.GaussianNaiveBayes(shared_variance=True).fit(X, y)
    >>> model.theta_.ravel(), model.var_.ravel().round(4)
    (array([2., 6.]), array([0.6667, 0.6667]))
    >>> model.as_logistic()
    array([-24.,   6.])
    >>> model.predict_proba([[4.0]])
    array([[0.5, 0.5]])
    """

    _parameter_constraints: ClassVar[dict] = {
        **MomentClassifier._parameter_constraints,
        "shared_variance": ["boolean"],
        "priors": ["array-like", None],
    }

    _zero_priors = True

    def __init__(
        self,
        *,
        shared_variance: bool = False,
        priors: Any = None,
        class_weight: Mapping[Any, float] | str | None = None,
    ) -> None:
        self.shared_variance = shared_variance
        self.priors = priors
        self.class_weight = class_weight

    @property
    def _kind(self) -> Any:
        return "squares"

    def _learn(self, lesson: Lesson) -> ClassMoments:
        moments = lesson.moments
        priors = self._priors_over(moments)
        model = gaussians(moments, priors, self.shared_variance)
        variances = model.variances
        if not (np.isfinite(variances) & (variances >= np.finfo(np.float64).tiny)).all():
            raise ValueError(
                "the variance of a column leaves the range of floats: scale the columns, e.g. "
                "with sklearn.preprocessing.StandardScaler"
            )
        self.theta_, self.var_ = model.means, variances
        self.class_prior_, self.class_count_ = priors, moments.weight
        self.certificate_ = NaiveBayesCertificate(
            status=Status.SOLVED if model.accuracy <= TOLERANCE else Status.STALLED,
            labels=tuple(lesson.classes.tolist()),
            means=model.means,
            variances=model.variances,
            accuracy=model.accuracy,
            tolerance=TOLERANCE,
            priors=priors,
            totals=moments.weight,
            shared=self.shared_variance,
            replaced=tuple(np.flatnonzero(model.floored.any(axis=0)).tolist()),
            names=tuple(self._names()),
            given_priors=self.priors is not None,
            class_weight=self.class_weight or {},
            weighted=lesson.weighted,
        )
        if lesson.whole and not self.certificate_.ok:
            warn_caller(
                f"means and variances are only certain to {model.accuracy:.1e}: "
                f"{self.certificate_.advice}",
                ConvergenceWarning,
            )
        return moments

    @property
    def _model(self) -> Gaussians:
        """What the attributes say now."""
        return Gaussians(self.class_prior_, self.theta_, self.var_)

    def _live_claim(self, X: TableLike) -> NaiveBayesCertificate:
        self._check_live_priors(self.class_prior_)
        return replace(
            self.certificate_,
            means=np.asarray(self.theta_),
            variances=np.asarray(self.var_),
            priors=np.asarray(self.class_prior_),
            totals=np.asarray(self.class_count_),
            labels=tuple(self.classes_.tolist()),
        )

    def _certified_answers(self, X: Any) -> tuple[Any, Answers]:
        claim = self.certificate_
        form: dict[str, Any] = {"classes": list(claim.labels), "logits": "softmax"}
        numbers = claim.means, claim.variances, claim.priors
        X = some(X, claim.means.size)
        return X, gaussian_answers(X, *numbers, X.dtype, **form)

    def _claimed_weight(self, y: Any, sample_weight: Any) -> Any:
        return sample_weight  # the certificate knows the class weights

    def discriminants(self, X: TableLike) -> np.ndarray:
        """g_k(x) = ln P(x | C_k) + ln P(C_k), one column per class.

        The class with the largest is predicted. Any increasing function of the g_k, the same for
        all classes, decides alike: P(x | C_k) P(C_k) = exp g_k for one.

        Examples
        --------
        >>> import linscope as ls
        >>> X, y = ls.datasets.load("iris")
        >>> model = ls.GaussianNaiveBayes().fit(X, y)
        >>> model.discriminants(X[:1]).round(2), model.predict(X[:1])
        (array([[  1.06, -40.08, -56.84]]), array([0]))
        """
        scores, dtype = self._joint(X)
        return into_range(scores, dtype)

    def _joint(self, X: TableLike) -> tuple[np.ndarray, np.dtype]:
        """The discriminant functions in float64, and the type of X."""
        check_is_fitted(self)
        matrix = read_features(self, X)
        scores = discriminants(matrix, self._model)
        seen = scores[:, self.class_prior_ > 0]
        if not np.isfinite(seen).all():
            check_finite(matrix, getattr(self, "feature_names_in_", None))
            row = int(np.flatnonzero(~np.isfinite(seen).all(axis=1))[0])
            raise ValueError(
                f"row {row} of X is so far from the training data that its density leaves the "
                "range of floats: check the units of its values"
            )
        return scores, matrix.dtype

    def decision_function(self, X: TableLike) -> np.ndarray:
        """g_2(x) − g_1(x) for two classes (positive means the second), else all g_k(x)."""
        scores, dtype = self._joint(X)
        scores = scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores
        return into_range(scores, dtype)

    def prediction_error_bound(self, X: TableLike) -> np.ndarray:
        """A proven bound on the rounding error of each score of ``decision_function``.

        The score that the model computes differs by at most the bound from the exact one of the
        floats in ``theta_``, ``var_`` and ``class_prior_`` at the float values of the row.

        Parameters
        ----------
        X : rows, as for ``predict``

        Returns
        -------
        array (n,) of two classes, (n, K) of more
        """
        scores, dtype = self._joint(X)
        errors = rounding_errors(scores, self._model, sparse.issparse(X))
        if scores.shape[1] == 2:
            with np.errstate(invalid="ignore"):
                scores = scores[:, 1] - scores[:, 0]
            errors = 1.01 * errors.sum(axis=1) + UNIT * np.abs(scores)
        return errors + rounding_to(scores, dtype)

    def predict(self, X: TableLike) -> np.ndarray:
        """The label with the largest discriminant function; the first of equals."""
        scores, _ = self._joint(X)
        return self.classes_[scores.argmax(axis=1)]

    def predict_joint_log_proba(self, X: TableLike) -> np.ndarray:
        """ln P(x, class), the same as ``discriminants``; scikit-learn's name."""
        return self.discriminants(X)

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """P(class | x), one column per class."""
        scores, dtype = self._joint(X)
        return softmax(scores, axis=1).astype(dtype)

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """ln P(class | x), exact also where the probability itself vanishes."""
        scores, dtype = self._joint(X)
        logs = into_range(log_softmax(scores, axis=1), dtype)
        logs[softmax(scores, axis=1).astype(dtype) == 1.0] = 0.0  # as rounded there
        return logs

    def as_logistic(self) -> np.ndarray:
        """The weights of the logistic regression that this model is, bias first.

        Two classes: w (d + 1,) with P(second class | x) = σ(w·[1, x]), in the notes' terms
        w_i = (μ_i1 − μ_i0)/σ_i² and w_0 = ln(π/(1 − π)) + Σ_i (μ_i0² − μ_i1²)/(2σ_i²). K classes:
        (K, d + 1), whose softmax is the posterior. (The notes write P(Y = 1 | X) with the
        opposite sign of w.)

        Raises
        ------
        ValueError
            If the classes have different variances: the posterior is then quadratic in x.
        """
        check_is_fitted(self)
        if not self._model.alike:
            raise ValueError(
                "the classes have different variances, so ln P(class | x) is quadratic in x and "
                "no logistic regression: fit with shared_variance=True"
            )
        weights = logistic_weights(self._model)
        return weights[1] - weights[0] if len(weights) == 2 else weights

    def _traced_by(self) -> Any:
        from ..trace import NAIVE_BAYES

        return NAIVE_BAYES

    def equation(self) -> Any:
        """The hyperplane of a model with shared variances, largest weight first.

        One line for two classes, a dict of lines for the pairs of K classes.
        """
        weights = np.atleast_2d(self.as_logistic())
        return equations(weights, self.classes_.tolist(), self._names())
