"""What fitted hyperplanes say about new rows: scores, labels, the equation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linscope.data.tables import TableLike
from linscope.rows.blocks import Block
from linscope.rows.finite import check_finite

from .discriminants import Discriminants
from .equations import equation, rules, vote
from .scores import block_scores, into_range
from .training import read_features


class LinearPrediction(Discriminants):
    """Scores of the problems, decisions, labels, equations."""

    multi_class: str
    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray
    _names: Callable[[], list[str]]
    certificate_: Any

    def _problem_scores(self, X: TableLike) -> np.ndarray:
        """w·[1, x] of every problem, (n, problems), with the right sign also beyond the range."""
        check_is_fitted(self)
        matrix = read_features(self, X)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = matrix @ self.coef_.T + self.intercept_
        if np.isfinite(scores).all():
            return scores
        check_finite(matrix, getattr(self, "feature_names_in_", None))
        weights = np.column_stack([self.intercept_, self.coef_]).astype(np.float64)
        return into_range(block_scores(Block(0, matrix), weights=weights, bias=1.0), scores.dtype)

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
