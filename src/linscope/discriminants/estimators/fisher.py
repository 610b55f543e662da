"""Fisher's linear discriminant: the direction that separates the classes best."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from linscope._bridge import Interval, StrOptions
from linscope.arithmetic.double_double import Pair, product
from linscope.data.given import accepts_dataset
from linscope.data.tables import TableLike
from linscope.fitting.scores import linear_scores
from linscope.fitting.training import read_features
from linscope.fitting.verified import Verified
from linscope.results import Status
from linscope.results.caller import warn_caller
from linscope.rows.finite import check_finite
from linscope.rows.threads import one_blas_thread
from linscope.verify.answers import Answers, linear_answers, projection

from ..certificates.fisher import FisherCertificate
from ..certificates.fisher_proof import Proof, Setting, prove
from ..solvers.fisher import (
    Discriminants,
    Pooling,
    criterion,
    discriminants,
    measurement,
    plain_pooling,
    unit_vector,
)
from ..solvers.moments import ClassMoments
from ..solvers.shrinkage import ledoit_wolf_pooling
from .linear_scores import PosteriorScores
from .moment_family import Lesson

# Matrices of so many columns are not worth a thread to BLAS itself.
TINY = 32


def _check_range(found: Discriminants, moments: ClassMoments) -> None:
    """Variances must be floats in the units of the data, too."""
    varies = np.ones(len(moments.exponent), dtype=bool)
    varies[found.constant] = False
    variances = np.diag(found.covariance)[varies]
    if not (np.isfinite(variances) & (variances >= np.finfo(np.float64).tiny)).all():
        raise ValueError(
            "the variance of a column leaves the range of floats: scale the columns, e.g. with "
            "sklearn.preprocessing.StandardScaler"
        )


def _can_go_on(model: Any) -> bool:
    if model.shrinkage == "auto":
        raise AttributeError("shrinkage='auto' needs all samples at once: call fit")
    return True


class FisherDiscriminant(
    Verified, ClassNamePrefixFeaturesOutMixin, TransformerMixin, PosteriorScores
):
    """Fisher's linear discriminant, as a direction, a projection and a classifier.

    For two classes, the direction w that maximises

        J(w) = (w·m_2 − w·m_1)² / (s_1² + s_2²) = wᵀ S_B w / wᵀ S_W w,

    which is w ∝ S_W⁻¹ (m_2 − m_1). For K classes, the K − 1 best directions. Classification is
    that of Gaussian classes with one common covariance (linear discriminant analysis).

    Parameters
    ----------
    priors : class probabilities in sorted order of the labels; None takes the shares in the data
    shrinkage : None, "auto" or a number from 0 to 1
        Pulls the covariance Σ towards a multiple of the identity, (1 − s) Σ + s (tr Σ / d) I;
        "auto" chooses s by the formula of Ledoit and Wolf. For few samples and many features.
    n_components : how many directions ``transform`` keeps; None keeps all
    mean_difference : use the directions along which the *means* lie apart, w ∝ m_2 − m_1, which
        ignores how the classes spread; for comparison
    class_weight : {label: weight} or "balanced"; multiplies the weights of the samples

    Attributes
    ----------
    direction_ : two classes: w of length 1, pointing from the first class to the second
    criterion_ : J of the direction; for K classes of the first one
    coef_, intercept_ : the linear scores of the classes; for two classes their difference
    scalings_ : (d, m) all directions, with variance 1 within classes
    explained_variance_ratio_ : share of each direction in the variance between classes
    means_, priors_, covariance_, xbar_ : class means and probabilities, Σ, and the mean Σ π_k m_k
    shrinkage_ : the shrinkage in use; one number per class with "auto"
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn
    certificate_ : that no direction does better; ``certificate_.verify(X, y)`` checks it again

    Notes
    -----
    Scores, probabilities and decisions are those of scikit-learn's
    ``LinearDiscriminantAnalysis(solver="lsqr")``. With K > 2 classes its ``coef_`` is Σ⁻¹ m_k, here
    it is Σ⁻¹ (m_k − m̄), so that data far from the origin lose no digits; the difference is the
    same for all classes.

    Where no class varies along some direction, Σ is singular and the others are used; if the class
    means differ along it, J has no maximum, and ``certificate_`` and a warning say so.

    Examples
    --------
    >>> import linscope as ls
    >>> X = [[1, 0], [3, 1], [5, 2], [1, 2], [3, 3], [5, 5]]
    >>> y = ["a", "a", "a", "b", "b", "b"]
    >>> model = ls.FisherDiscriminant().fit(X, y)
    >>> model.direction_.round(4), round(model.criterion_, 4)
    (array([-0.53 ,  0.848]), 13.0667)
    >>> round(ls.FisherDiscriminant(mean_difference=True).fit(X, y).criterion_, 4)
    0.8167
    >>> print(model.equation())
    33.6·x2 − 21·x1 > 9.8 ⇒ b
    """

    _parameter_constraints: ClassVar[dict] = {
        **PosteriorScores._parameter_constraints,
        "priors": ["array-like", None],
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both"), None],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "mean_difference": ["boolean"],
    }

    def __init__(
        self,
        *,
        priors: Any = None,
        shrinkage: float | str | None = None,
        n_components: int | None = None,
        mean_difference: bool = False,
        class_weight: Mapping[Any, float] | str | None = None,
    ) -> None:
        self.priors = priors
        self.shrinkage = shrinkage
        self.n_components = n_components
        self.mean_difference = mean_difference
        self.class_weight = class_weight

    @available_if(_can_go_on)
    @accepts_dataset
    def partial_fit(
        self, X: TableLike, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from more samples; see ``MomentClassifier``. Not with ``shrinkage="auto"``."""
        return super().partial_fit(X, y, classes, sample_weight)

    @property
    def _kind(self) -> Any:
        return "pooled" if self.priors is None and self.shrinkage != "auto" else "separate"

    def _learn(self, lesson: Lesson) -> ClassMoments:
        # Threads of BLAS wait for each other; tiny matrices never get any.
        with one_blas_thread() if lesson.rows.n_features > TINY else nullcontext():
            return self._solve(lesson)

    def _solve(self, lesson: Lesson) -> ClassMoments:
        moments, rows = lesson.moments, lesson.rows
        priors = self._priors_over(moments)
        components = self._components(lesson)
        pooling = self._pooling(lesson, priors)
        again = {}
        if lesson.whole:  # the rows are there to be measured again
            again = {
                "measure": measurement(rows, moments, pooling),
                "along": measurement(rows, moments),
            }
        naive = self.mean_difference
        found = discriminants(moments, pooling, priors, mean_difference=naive, **again)
        _check_range(found, moments)
        if lesson.whole and not found.covariance.any():
            raise ValueError(
                "no class varies at all, so no direction is better than another: the number of "
                "samples must be more than the number of classes"
            )
        proof = prove(found, self._setting(lesson, priors, pooling))
        if not (np.isfinite(proof.weights[:, 1:]).all() and np.isfinite(proof.scalings).all()):
            raise ValueError(f"a weight is beyond the range of {rows.dtype}: scale the columns")
        self._n_features_out = min(components, proof.scalings.shape[1])
        self._keep(proof, priors, pooling, lesson)
        if lesson.whole:
            self._warn()
        return moments

    def _setting(self, lesson: Lesson, priors: np.ndarray, pooling: Pooling) -> Setting:
        return Setting(
            rows=lesson.rows if lesson.whole else None,
            moments=lesson.moments,
            priors=priors,
            pooling=pooling,
            given=self.priors is not None,
            automatic=self.shrinkage == "auto",
            mean_difference=self.mean_difference,
            dtype=lesson.rows.dtype,
        )

    def _components(self, lesson: Lesson) -> int:
        most = min(len(lesson.classes) - 1, lesson.rows.n_features)
        if self.n_components is not None and self.n_components > most:
            raise ValueError(
                f"n_components={self.n_components}, but there are {most} directions: it cannot be "
                "larger than min(n_features, n_classes - 1)"
            )
        return most if self.n_components is None else self.n_components

    def _pooling(self, lesson: Lesson, priors: np.ndarray) -> Pooling:
        if self.shrinkage != "auto":
            chosen = None if self.priors is None else priors
            return plain_pooling(lesson.moments, chosen, float(self.shrinkage or 0.0))
        return ledoit_wolf_pooling(lesson.rows, lesson.moments, priors)

    def _keep(self, proof: Proof, priors: Any, pooling: Pooling, lesson: Lesson) -> None:
        found = proof.found
        self.coef_, self.intercept_ = proof.weights[:, 1:], proof.weights[:, 0]
        self.scalings_ = proof.scalings
        if len(priors) == 2:
            self.direction_ = unit_vector(self.coef_[0].astype(np.float64))
        elif hasattr(self, "direction_"):
            del self.direction_  # of an earlier fit to two classes
        self.means_, self.priors_, self.xbar_ = lesson.moments.means, priors, found.centre
        self.covariance_, self.criterion_ = found.covariance, found.criterion
        ratio = found.eigenvalues / (found.eigenvalues.sum() or 1.0)
        self.explained_variance_ratio_ = ratio[: self._n_features_out]
        alike = self.shrinkage != "auto"
        self.shrinkage_ = float(pooling.shrinkage[0]) if alike else pooling.shrinkage
        self.certificate_ = self._certificate(proof, priors, pooling, lesson)

    def _certificate(
        self, proof: Proof, priors: Any, pooling: Any, lesson: Lesson
    ) -> FisherCertificate:
        found = proof.found
        return FisherCertificate(
            status=proof.status,
            labels=tuple(lesson.classes.tolist()),
            weights=proof.weights,
            scalings=proof.scalings,
            criterion=found.criterion,
            totals=lesson.moments.weight,
            means=lesson.moments.means,
            priors=priors,
            rank=found.rank,
            accuracy=proof.accuracy,
            tolerance=proof.tolerance,
            shrinkage=pooling.shrinkage,
            automatic=self.shrinkage == "auto",
            given_priors=self.priors is not None,
            mean_difference=self.mean_difference,
            components=self._n_features_out,
            centre=self.xbar_,
            constant=tuple(found.constant),
            dependent=tuple(found.dependent),
            names=tuple(self._names()),
            class_weight=self.class_weight or {},
            weighted=lesson.weighted,
        )

    def _live_claim(self, X: TableLike) -> FisherCertificate:
        self._check_live_priors(self.priors_)
        return replace(
            self.certificate_,
            centre=None if self.certificate_.centre is None else np.asarray(self.xbar_),
            labels=tuple(self.classes_.tolist()),
            weights=np.column_stack([self.intercept_, self.coef_]),
            scalings=np.asarray(self.scalings_),
            means=np.asarray(self.means_),
            priors=np.asarray(self.priors_),
            criterion=float(self.criterion_),
        )

    def _certified_answers(self, X: Any) -> tuple[Any, Answers]:
        claim = self.certificate_
        centre = np.asarray(claim.priors) @ np.asarray(claim.means)
        form: dict[str, Any] = {"classes": list(claim.labels), "logits": "softmax"}
        if claim.components is not None:
            directions = claim.scalings[:, : claim.components]
            form["transformed"] = projection(X, centre, directions, X.dtype)
        return X, linear_answers(X, claim.weights, X.dtype, **form)

    def _claimed_weight(self, y: Any, sample_weight: Any) -> Any:
        return sample_weight  # the certificate knows the class weights

    def _warn(self) -> None:
        claim = self.certificate_
        if claim.ok:
            return
        if claim.status is not Status.UNBOUNDED:
            warn_caller(f"{claim.text}. {claim.advice}", ConvergenceWarning)
            return
        which = [claim.names[j] for j in claim.constant or claim.dependent]
        where = f" (see {', '.join(which[:5])}{', …' if len(which) > 5 else ''})" if which else ""
        left_out = "" if self.mean_difference else ", and that direction is left out"
        warn_caller(
            "the class means differ along a direction in which no class varies"
            f"{where}: J has no maximum{left_out}. {claim.advice}",
            UserWarning,
        )

    def criterion(self, w: Any) -> Any:
        """J(w) = wᵀ S_B w / wᵀ S_W w of any direction, on the samples of the fit.

        For two classes S_B = (m_2 − m_1)(m_2 − m_1)ᵀ as in the notes, for K classes
        Σ N_k (m_k − m̄)(m_k − m̄)ᵀ.

        Parameters
        ----------
        w : (d,) a direction, or (m, d) several

        Examples
        --------
        >>> import linscope as ls
        >>> X, y = ls.datasets.load("iris")
        >>> model = ls.FisherDiscriminant().fit(X, y)
        >>> model.criterion([0, 0, 0, 1]) < model.criterion_
        True
        """
        check_is_fitted(self)
        w = np.asarray(w, dtype=np.float64)
        if w.ndim not in (1, 2) or w.shape[-1] != self.n_features_in_:
            raise ValueError(f"w has shape {w.shape}, but there are {self.n_features_in_} features")
        if not np.isfinite(w).all():
            raise ValueError("w has NaN or inf: pass a finite direction")
        if w.ndim == 1:
            return criterion(self._moments, w)
        return np.array([criterion(self._moments, each) for each in w])

    def transform(self, X: TableLike) -> np.ndarray:
        """Samples along the best directions, about the mean ``xbar_``: (n, n_components)."""
        check_is_fitted(self)
        matrix = read_features(self, X)
        directions = self.scalings_[:, : self._n_features_out].T.astype(np.float64)
        # (x − x̄)·v = x·v − x̄·v: nothing cancels, because both are summed in twice the precision.
        start = product(Pair.of(directions), Pair.of(-self.xbar_[:, None]))
        scores = linear_scores(matrix, np.hstack([start.hi, directions]), start.lo[:, 0]).scores
        with np.errstate(over="ignore"):
            out = scores.astype(matrix.dtype, copy=False)
        if not np.isfinite(out).all():
            check_finite(matrix, getattr(self, "feature_names_in_", None))
        return out

    def _traced_by(self) -> Any:
        from ..trace import FISHER

        return FISHER
