"""What fitted hyperplanes say about new rows: scores, labels, the equation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linscope.data.tables import TableLike
from linscope.rows.finite import check_finite

from .discriminants import Discriminants
from .equations import equation, rules, vote
from .scores import Scored, into_range, linear_scores, rounding_to
from .training import read_features


class Hyperplanes:
    """Scores w·[1, x] of all problems of a fitted model, and how far off they may be."""

    coef_: np.ndarray
    intercept_: Any

    def _hyperplanes(self) -> np.ndarray:
        """The weights in float64, bias first, one row for each problem."""
        coef = np.atleast_2d(self.coef_)
        weights = np.empty((len(coef), coef.shape[1] + 1))
        weights[:, 0], weights[:, 1:] = self.intercept_, coef
        return weights

    def _linear_scores(self, X: TableLike, bounds: bool = False) -> tuple[Scored, np.dtype]:
        """Scores (n, problems) in float64, and the type of X."""
        check_is_fitted(self)
        matrix, weights = read_features(self, X), self._hyperplanes()
        endless = np.isinf(weights[:, 0])  # a class that no sample has had yet
        if endless.any():
            bias = weights[endless, 0]
            weights[endless] = 0.0
        found = linear_scores(matrix, weights, bounds=bounds)
        if np.isnan(found.scores).any():
            check_finite(matrix, getattr(self, "feature_names_in_", None))
        if endless.any():
            found.scores[:, endless] = bias
        return found, matrix.dtype

    def _problem_scores(self, X: TableLike) -> np.ndarray:
        """The same in the type of X, with the right sign also beyond its range."""
        found, dtype = self._linear_scores(X)
        return into_range(found.scores, dtype)

    def prediction_error_bound(self, X: TableLike) -> np.ndarray:
        """A proven bound on the rounding error of each score.

        The score that the model computes (the prediction of a regression) differs by at most the
        bound from the exact score of its float coefficients at the float values of the row. The
        bound states nothing about the fit.

        Parameters
        ----------
        X : rows, as for ``predict``

        Returns
        -------
        array (n,), or (n, problems) of several targets, classes or pairs of classes

        Examples
        --------
        >>> import linscope as ls
        >>> X, y = ls.datasets.load("iris")
        >>> model = ls.LinearSVC().fit(X, y)
        >>> bound = model.prediction_error_bound(X)
        >>> bound.shape, bool(bound.max() < 1e-12)
        ((150, 3), True)
        """
        found, dtype = self._linear_scores(X, bounds=True)
        errors = found.errors + rounding_to(found.scores, dtype)
        return errors[:, 0] if errors.shape[1] == 1 else errors


class LinearPrediction(Hyperplanes, Discriminants):
    """Scores of the problems, decisions, labels, equations."""

    multi_class: str
    classes_: np.ndarray
    _names: Callable[[], list[str]]
    certificate_: Any

    def _decision(self, scores: np.ndarray) -> np.ndarray:
        """One score per class from those of the problems; for two classes the score itself."""
        raise NotImplementedError

    def _labels(self, decision: np.ndarray) -> np.ndarray:
        if decision.ndim == 1:
            return self.classes_[(decision > 0).astype(np.int64)]
        return self.classes_[np.argmax(decision, axis=1)]

    def equation(self) -> Any:
        """The rule of ``predict`` in words: the hyperplane of two classes as the notes write it.

        K classes: a dict of lines, the score of each class (the largest wins) or what each pair
        of classes says.
        """
        check_is_fitted(self)
        features = self._names()
        if len(self.classes_) == 2:
            return equation(np.r_[self.intercept_[0], self.coef_[0]], features, self.classes_[1])
        labels, weights = self.classes_.tolist(), np.column_stack([self.intercept_, self.coef_])
        pair = self._pair_line if self.multi_class == "ovo" else None
        names = list(self.certificate_.parts) or labels
        return dict(zip(names, rules(weights, features, labels, pair), strict=True))

    # What a pair of classes says, in words.
    _pair_line: Any = staticmethod(vote)
