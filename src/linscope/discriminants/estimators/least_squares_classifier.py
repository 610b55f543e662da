"""Classification by least squares on 1-of-K targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from linscope._bridge import Interval
from linscope.data.tables import TableLike
from linscope.engines import Engine
from linscope.fitting.verified import Verified
from linscope.least_squares.certificates.least_squares import (
    certificate_of,
    in_range,
    without_assessor,
)
from linscope.results import Result
from linscope.results.caller import warn_caller
from linscope.verify.answers import Answers, linear_answers

from ..certificates.least_squares_classifier import LeastSquaresClassifierCertificate
from ..solvers.one_of_k import (
    chunk_moments,
    solve_from_moments,
    solve_from_rows,
    solve_quickly,
    worth_moments,
)
from .linear_scores import LinearScores
from .moment_family import Lesson


class LeastSquaresClassifier(Verified, LinearScores):
    """Least squares classifier.

    Fits a linear function of x to each column of the 1-of-K matrix T of the labels,

        W = (XᵀX + αI)⁻¹ XᵀT        (x augmented with 1, the bias not penalised),

    and predicts the class with the largest value. All classes come from one factorisation, and
    XᵀT are sums over classes: T is never made.

    Parameters
    ----------
    alpha : strength of the ridge penalty; 0 is plain least squares
    fit_intercept : whether samples are augmented with 1
    class_weight : {label: weight} or "balanced"; multiplies the weights of the samples

    Attributes
    ----------
    coef_, intercept_ : one row per class; for two classes one row, the regression on −1 and +1,
        which is the difference of the two and has the sign of their largest
    rank_ : number of independent columns
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn
    certificate_ : how near W is to the exact solution; ``verify(X, y)`` checks it again
    result_ : what the solver returned

    Notes
    -----
    For two classes, whatever their sizes, the direction of ``coef_`` is that of
    ``FisherDiscriminant``. Squared error also punishes samples that are *too* right, so a few
    points far on their own side move the boundary: see ``linscope.plot.outliers``.

    The codes 1, 2, 3, 4 for four classes instead of 1-of-K targets would claim that 2 lies between
    1 and 3, and that 1 for 4 is a worse mistake than 3 for 4. The classes have no such order, and
    a regression on the codes can fail altogether; see ``linscope.plot.ordinal_codes``.

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = [[0], [1], [2], [4], [5], [6]], ["a", "a", "b", "b", "c", "c"]
    >>> model = ls.LeastSquaresClassifier().fit(X, y)
    >>> model.coef_.round(4).ravel(), model.intercept_.round(4)
    (array([-0.1786,  0.    ,  0.1786]), array([ 0.869 ,  0.3333, -0.2024]))
    >>> bool(model.certificate_.verify(X, y))
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        **LinearScores._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        *,
        alpha: Any = 0.0,
        fit_intercept: bool = True,
        class_weight: Mapping[Any, float] | str | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight

    @property
    def _options(self) -> dict:
        return {"alpha": float(self.alpha), "fit_intercept": self.fit_intercept}

    @property
    def _given_names(self) -> Any:
        return getattr(self, "feature_names_in_", None)

    @property
    def _kind(self) -> Any:
        return "pooled"

    def _read(self, rows: Engine, n_classes: int, whole: bool) -> Any:
        """Rows that come in parts: sums in double-double. Many rows at once: class moments."""
        if not whole:
            return chunk_moments(rows, n_classes, self._given_names)
        return super()._read(rows, n_classes, whole) if worth_moments(rows) else None

    def _solve(self, lesson: Lesson) -> Result:
        found = None
        if not lesson.whole:
            return solve_from_moments(lesson.moments, **self._options)
        if lesson.moments is not None:
            found = solve_quickly(lesson.moments, **self._options)
        if found is not None:
            return found
        options = {"names": self._given_names, **self._options}
        return solve_from_rows(lesson.rows, len(lesson.classes), **options)

    def _learn(self, lesson: Lesson) -> Any:
        result = self._solve(lesson)
        weights = in_range(result.weights, lesson.rows.dtype)
        regression = certificate_of(
            result,
            weights,
            names=self._names(),
            weighted=lesson.weighted or bool(self.class_weight),
            **self._options,
        )
        if lesson.whole and not regression.ok:
            text = f"{regression.status}: {regression.shortfall}. {regression.advice}"
            warn_caller(text, ConvergenceWarning)
        result = without_assessor(replace(result, status=regression.status))
        self.result_, self.rank_ = result, regression.rank
        if len(weights) > 1:
            weights[~lesson.seen, 0] = -np.inf  # never predicted
        self.coef_, self.intercept_ = weights[:, 1:], weights[:, 0]
        self.certificate_ = LeastSquaresClassifierCertificate(
            status=regression.status,
            primal=regression.primal,
            dual=regression.dual,
            gap=regression.gap,
            labels=tuple(lesson.classes.tolist()),
            regression=regression,
            class_weight=self.class_weight or {},
            weighted=lesson.weighted,
            unseen=tuple(lesson.classes[~lesson.seen].tolist()) if len(weights) > 1 else (),
        )
        return result.details.get("moments")

    def _live_claim(self, X: TableLike) -> LeastSquaresClassifierCertificate:
        weights = np.column_stack([self.intercept_, self.coef_])
        if not np.array_equal(weights, self.certificate_.weights):
            raise ValueError("coef_ or intercept_ are not the weights of the certificate")
        return self.certificate_

    def _certified_answers(self, X: Any) -> tuple[Any, Answers]:
        claim = self.certificate_
        return X, linear_answers(X, claim.weights, X.dtype, classes=list(claim.labels))

    def _claimed_weight(self, y: Any, sample_weight: Any) -> Any:
        """The certificate multiplies by the class weights itself."""
        return sample_weight

    def _traced_by(self) -> Any:
        from ..trace import INDICATORS

        return INDICATORS
