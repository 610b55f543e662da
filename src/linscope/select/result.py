"""What ``linscope.path`` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data import encode_labels, to_matrix
from ..data.frames import to_backend
from ..display.path import PathDisplay
from ..estimators.base import read_training
from ..results import Check
from . import render
from .splits import Split


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RegularizationPath:
    """Fits for many values of C, with scores from cross-validation; made by ``linscope.path``.

    Attributes
    ----------
    Cs_ : array (n_Cs,), rising
    coefs : array (n_Cs, rows, d + 1)
        Weights of the fits to all rows, bias first; one row for two classes, one a class for more.
    fold_coefs : array (n_Cs, n_folds, rows, d + 1), the same of the fits without a fold
    scores : array (n_Cs, n_folds)
    mean_score, standard_error : arrays (n_Cs,), over the folds
    best_index, best_C, best_score : the choice
    best_estimator : fitted to all rows with the chosen C
    certificates : array (n_Cs, n_folds) of certificates: how far each objective is from its
        minimum, at most; ``verify`` takes the rows that train
    whole_certificates : array (n_Cs,), of the fits to all rows
    gaps : array (n_Cs, n_folds + 1), the bounds; first of all rows, then of the folds
    objectives : array (n_Cs, n_folds + 1), likewise
    classes_ : the labels
    feature_names : of the columns
    scoring : name of the score
    one_standard_error : whether the choice is the simplest within one standard error
    splits : pairs (train, test) of row numbers, one a fold
    """

    Cs_: np.ndarray
    coefs: np.ndarray
    fold_coefs: np.ndarray
    scores: np.ndarray
    best_index: int
    best_estimator: Any
    certificates: np.ndarray
    whole_certificates: np.ndarray
    classes_: np.ndarray
    feature_names: tuple[str, ...]
    scoring: str
    one_standard_error: bool
    splits: tuple[Split, ...]

    @property
    def mean_score(self) -> np.ndarray:
        return self.scores.mean(axis=1)

    @property
    def standard_error(self) -> np.ndarray:
        """Of the mean: s / √folds. Folds share rows, so it is a guide, not a confidence limit."""
        return self.scores.std(axis=1, ddof=1) / np.sqrt(self.scores.shape[1])

    @property
    def best_C(self) -> float:
        return float(self.Cs_[self.best_index])

    @property
    def best_score(self) -> float:
        return float(self.mean_score[self.best_index])

    @property
    def gaps(self) -> np.ndarray:
        return self._of_all("gap")

    @property
    def objectives(self) -> np.ndarray:
        return self._of_all("primal")

    def _of_all(self, name: str) -> np.ndarray:
        every = np.column_stack([self.whole_certificates, self.certificates])
        return np.array([[getattr(one, name) for one in row] for row in every], dtype=np.float64)

    def verify(self, X: Any, y: Any, sample_weight: Any = None) -> Check:
        """Recompute the objective and the bound of every fit from the data alone.

        Parameters
        ----------
        X, y, sample_weight : as they were given to ``path``
        """
        try:
            matrix, _ = to_matrix(X)
            classes, codes = encode_labels(y, n_samples=matrix.shape[0])
        except (ValueError, TypeError) as error:
            return Check(False, f"these are not the data: {error}")
        weight = self._weights(X, y, sample_weight)
        everything = None, self.whole_certificates, self.coefs
        fits: list[tuple[Any, np.ndarray, np.ndarray]] = [everything]
        fits += [
            (split.train, self.certificates[:, f], self.fold_coefs[:, f])
            for f, split in enumerate(self.splits)
        ]
        for f, (train, certificates, coefs) in enumerate(fits):
            rows = np.arange(len(codes)) if train is None else train
            if rows.max() >= len(codes):
                return Check(False, f"these are not the data: there are {len(codes)} rows")
            own = None if weight is None else weight[rows]
            if own is not None:
                rows, own = rows[own > 0], own[own > 0]
            part, labels = matrix[rows], classes[codes[rows]]
            for C, one, W in zip(self.Cs_.tolist(), certificates, coefs, strict=True):
                where = f"C = {C:.4g}, " + ("all rows" if f == 0 else f"fold {f - 1}")
                if one.C != C or not np.array_equal(one.weights, W):
                    return Check(False, f"{where}: the certificate is not that of the weights")
                check = one.verify(part, labels, own)
                if not check:
                    return Check(False, f"{where}: {check.reason}")
        count = len(self.Cs_) * (len(self.splits) + 1)
        worst = float(np.max(self.gaps / np.abs(self.objectives)))
        return Check(True, f"all {count} fits are within {worst:.2g} of their minimum, relatively")

    def _weights(self, X: Any, y: Any, sample_weight: Any) -> np.ndarray | None:
        """Sample weights times class weights, 0 included."""
        training = read_training(self.best_estimator, X, y, sample_weight)
        if len(training.weight) == 0:
            return None
        weight = np.zeros(len(training.codes) + len(training.ignored))
        weight[np.setdiff1d(np.arange(len(weight)), training.ignored)] = training.weight
        return weight

    def to_frame(self, *, coefs: bool = False, backend: str | None = None) -> Any:
        """One row a C: scores, bound, and with ``coefs`` the weights of the fit to all rows.

        Parameters
        ----------
        coefs : add a column a weight, ``w0`` (bias) to ``wd``; with K classes ``class:w0`` …
        backend : {"pandas", "polars", "pyarrow", "dict"}, by default the first installed
        """
        columns: dict[str, np.ndarray] = {
            "C": self.Cs_,
            "mean_score": self.mean_score,
            "standard_error": self.standard_error,
            "best": np.arange(len(self.Cs_)) == self.best_index,
            "gap": self.gaps.max(axis=1),
        }
        for f in range(self.scores.shape[1]):
            columns[f"fold{f}"] = self.scores[:, f]
        if coefs:
            rows = self.coefs.shape[1]
            for k in range(rows):
                name = "" if rows == 1 else f"{k}:"
                if rows == len(self.classes_):
                    name = f"{self.classes_.tolist()[k]}:"
                for j in range(self.coefs.shape[2]):
                    columns[f"{name}w{j}"] = self.coefs[:, k, j]
        return to_backend(columns, backend)

    def plot(self, ax: Any = None) -> PathDisplay:
        """Coefficients and scores against C; see ``linscope.plot.path``."""
        return PathDisplay.from_path(self).plot(ax)

    def __str__(self) -> str:
        return render.text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return render.html(self)
