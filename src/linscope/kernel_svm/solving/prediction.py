"""What a fitted kernel SVM says about new rows: scores of the problems, decisions, labels."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linscope.data import to_matrix
from linscope.data.tables import TableLike
from linscope.fitting.discriminants import Discriminants
from linscope.fitting.linear_prediction import Hyperplanes
from linscope.fitting.scores import into_range, kernel_errors, linear_scores, pair_votes
from linscope.fitting.training import read_features
from linscope.kernels import kernel_name
from linscope.kernels.source import ADVICE
from linscope.kernels.sums import KernelSums
from linscope.rows.finite import check_finite
from linscope.verify.kernel_values import Kernel


class SVCPrediction(Hyperplanes, Discriminants):
    """Scores, decisions and labels."""

    kernel: Any
    multi_class: str
    classes_: np.ndarray
    support_: np.ndarray
    support_vectors_: Any
    n_support_: np.ndarray
    dual_coef_: np.ndarray
    intercept_: np.ndarray
    degree: int
    coef0: float
    _gamma: float
    _coef: np.ndarray

    @property
    def _kernel_name(self) -> Any:
        return kernel_name(self.kernel)

    @property
    def _pairs(self) -> bool:
        return self.multi_class == "ovo" and len(self.classes_) > 2

    @property
    def coef_(self) -> Any:  # type: ignore[override]
        """The weights in the original features; only a linear kernel has them."""
        check_is_fitted(self, "dual_coef_")
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available with kernel='linear'")
        return self._coef

    def _hyperplanes(self) -> np.ndarray:
        return np.column_stack([self.intercept_, self._coef]).astype(np.float64)

    def prediction_error_bound(self, X: TableLike) -> np.ndarray:
        if self.kernel == "linear":
            return super().prediction_error_bound(X)
        scores, matrix = self._problem_scores(X), read_features(self, X)
        if self.kernel == "precomputed":
            matrix, vectors = matrix[:, self.support_], None
        else:
            vectors = self.support_vectors_
        kernel = Kernel(self._kernel_name, self._gamma, self.degree, self.coef0)
        sign, parts = -1.0 if self._pairs else 1.0, zip(scores.T, self._betas(), strict=True)
        errors = [
            kernel_errors(own, kernel, matrix, vectors, sign * beta, sign * float(bias))
            for (own, beta), bias in zip(parts, self.intercept_, strict=True)
        ]
        return errors[0] if len(errors) == 1 else np.column_stack(errors)

    prediction_error_bound.__doc__ = Hyperplanes.prediction_error_bound.__doc__

    def _problem_scores(self, X: TableLike) -> np.ndarray:
        """One column per binary problem; for pairs (a, b) positive for b."""
        check_is_fitted(self)
        if self.kernel == "precomputed":  # a bad number says more than a wrong width
            check_finite(to_matrix(X)[0])
        matrix = read_features(self, X)
        check_finite(matrix, getattr(self, "feature_names_in_", None))
        if self.kernel == "linear":
            scores = linear_scores(matrix, self._hyperplanes()).scores
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                scores = self._sums(matrix) + self.intercept_.astype(np.float64)
        if not np.isfinite(scores).all():
            raise ValueError(f"the scores leave the range of floating point{ADVICE}")
        return into_range(-scores if self._pairs else scores, matrix.dtype)

    def _sums(self, matrix: Any) -> np.ndarray:
        """Σ_j c_j K(x, z_j) with the signs of ``dual_coef_``."""
        if not len(self.support_):  # a fit that was stopped at once: all scores are the bias
            return np.zeros((matrix.shape[0], len(self.intercept_)))
        parts = self._coefficient_parts()
        if self.kernel == "precomputed":
            K = matrix[:, self.support_]
            sums = np.hstack([np.asarray(K[:, a:b] @ c) for a, b, c in parts])
        else:
            sums = KernelSums(
                self.support_vectors_,
                parts,
                self._kernel_name,
                gamma=self._gamma,
                degree=self.degree,
                coef0=self.coef0,
                dtype=matrix.dtype,
            )(matrix)
        return self._join_pairs(sums) if self._pairs else sums

    def _coefficient_parts(self) -> list[tuple[int, int, np.ndarray]]:
        """The vectors of a class have coefficients in K − 1 of the pairs only."""
        coefficients = self.dual_coef_.T.astype(np.float64)
        if not self._pairs:
            return [(0, len(coefficients), coefficients)]
        stops = np.cumsum(self.n_support_)
        starts = stops - self.n_support_
        return [(int(a), int(b), coefficients[a:b]) for a, b in zip(starts, stops, strict=True)]

    def _betas(self) -> list[np.ndarray]:
        """The coefficients of all vectors in each problem."""
        rows = self.dual_coef_.astype(np.float64)
        if not self._pairs:
            return list(rows)
        own = np.repeat(np.arange(len(self.classes_)), self.n_support_)
        pairs = combinations(range(len(self.classes_)), 2)
        return [np.where(own == a, rows[b - 1], np.where(own == b, rows[a], 0.0)) for a, b in pairs]

    def _join_pairs(self, sums: np.ndarray) -> np.ndarray:
        """Pair (a, b): what the vectors of a say in row b − 1, and those of b in row a."""
        count = len(self.classes_)
        sums = sums.reshape(len(sums), count, count - 1)
        return np.column_stack(
            [sums[:, a, b - 1] + sums[:, b, a] for a, b in combinations(range(count), 2)]
        )

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Scores: f(x) for two classes, positive for the second; one column per class for more.

        For pairs of classes the score of a class is its votes, with ties by the sums of scores; so
        ``predict`` is the class with the largest score, always.
        """
        return self._decision(self._problem_scores(X))

    def _decision(self, scores: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 2:
            return scores[:, 0]
        return pair_votes(scores, scores > 0, len(self.classes_)) if self._pairs else scores

    def predict(self, X: TableLike) -> np.ndarray:
        """The label of each row; a score of exactly 0 goes to the first class."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(np.int64)]
        return self.classes_[np.argmax(scores, axis=1)]
