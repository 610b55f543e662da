"""What ``linscope.path`` returns for an SVC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data import encode_labels, to_matrix
from ..data.frames import to_backend
from ..display.grid import GridDisplay
from ..estimators.base import read_training
from ..results import Check
from . import grid_render
from .splits import Split


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class GridPath:
    """Fits for a grid of C and γ, with scores from cross-validation; made by ``linscope.path``.

    Attributes
    ----------
    Cs_ : array (n_Cs,), rising; the last may be infinite, the hard margin
    gammas_ : array (n_gammas,), rising; one NaN for kernels without γ
    scores : array (n_Cs, n_gammas, n_folds); NaN where no hard margin exists
    mean_score, standard_error : arrays (n_Cs, n_gammas), over the folds
    best_index, best_C, best_gamma, best_score : the choice; best_gamma is None without γ
    best_estimator : SVC fitted to all rows with the choice
    certificates : array (n_Cs, n_gammas, n_folds) of certificates, None where there is no fit;
        ``verify`` takes the rows that train
    kkt : array (n_Cs, n_gammas, n_folds), by how much the optimality conditions are violated
    classes_ : the labels
    scoring : name of the score
    one_standard_error : whether the choice is the simplest within one standard error
    splits : pairs (train, test) of row numbers, one a fold
    """

    Cs_: np.ndarray
    gammas_: np.ndarray
    scores: np.ndarray
    certificates: np.ndarray
    best_index: tuple[int, int]
    best_estimator: Any
    classes_: np.ndarray
    scoring: str
    one_standard_error: bool
    splits: tuple[Split, ...]

    @property
    def mean_score(self) -> np.ndarray:
        return self.scores.mean(axis=2)

    @property
    def standard_error(self) -> np.ndarray:
        """Of the mean: s / √folds. Folds share rows, so it is a guide, not a confidence limit."""
        return self.scores.std(axis=2, ddof=1) / np.sqrt(self.scores.shape[2])

    @property
    def best_C(self) -> float:
        return float(self.Cs_[self.best_index[0]])

    @property
    def best_gamma(self) -> float | None:
        gamma = float(self.gammas_[self.best_index[1]])
        return None if np.isnan(gamma) else gamma

    @property
    def best_score(self) -> float:
        return float(self.mean_score[self.best_index])

    @property
    def kkt(self) -> np.ndarray:
        values = [np.nan if one is None else one.kkt for one in self.certificates.ravel()]
        return np.array(values, dtype=np.float64).reshape(self.certificates.shape)

    def verify(self, X: Any, y: Any, sample_weight: Any = None) -> Check:
        """Recompute objective, gap and optimality conditions of every fit from the data alone.

        Parameters
        ----------
        X, y, sample_weight : as they were given to ``path``
        """
        try:
            matrix, _ = to_matrix(X)
            classes, codes = encode_labels(y, n_samples=matrix.shape[0])
            weight = self._weights(X, y, sample_weight)
        except (ValueError, TypeError) as error:
            return Check(False, f"these are not the data: {error}")
        for f, split in enumerate(self.splits):
            rows, counts = np.unique(split.train, return_counts=True)
            if rows.max() >= len(codes):
                return Check(False, f"these are not the data: there are {len(codes)} rows")
            own = counts * (1.0 if weight is None else weight[rows])
            rows, own = rows[own > 0], own[own > 0]
            part = matrix[rows]
            if self.best_estimator.kernel == "precomputed":
                part = part[:, rows]
            plain = weight is None and counts.max() == 1
            for i, j in np.ndindex(*self.certificates.shape[:2]):
                where = f"{self._cell(i, j)}, fold {f}"
                check = self._verify_one(
                    i, j, f, part, classes[codes[rows]], None if plain else own
                )
                if not check:
                    return Check(False, f"{where}: {check.reason}")
        worst = float(np.nanmax(self.kkt))
        count = int(np.isfinite(self.kkt).sum())
        return Check(True, f"all {count} fits violate optimality by at most {worst:.2g}")

    def _verify_one(self, i: int, j: int, f: int, X: Any, y: Any, weight: Any) -> Check:
        one = self.certificates[i, j, f]
        if one is None:
            missing = bool(np.isinf(self.Cs_[i]) and np.isnan(self.scores[i, j, f]))
            return Check(missing, "there is no certificate")
        gamma = self.gammas_[j]
        known = [part.parameters["gamma"] for part in (one.parts or {"": one}).values()]
        Cs = [part.C for part in (one.parts or {"": one}).values()]
        same = np.isnan(gamma) or all(value == gamma for value in known)
        if not same or any(self.Cs_[i] != C for C in Cs):
            return Check(False, "the certificate is that of another C or γ")
        return one.verify(X, y, weight)

    def _weights(self, X: Any, y: Any, sample_weight: Any) -> np.ndarray | None:
        """Sample weights times class weights, 0 included."""
        training = read_training(self.best_estimator, X, y, sample_weight)
        if len(training.weight) == 0:
            return None
        weight = np.zeros(len(training.codes) + len(training.ignored))
        weight[np.setdiff1d(np.arange(len(weight)), training.ignored)] = training.weight
        return weight

    def _cell(self, i: int, j: int) -> str:
        gamma = "" if np.isnan(self.gammas_[j]) else f", γ = {self.gammas_[j]:.4g}"
        return f"C = {self.Cs_[i]:.4g}{gamma}"

    def to_frame(self, *, backend: str | None = None) -> Any:
        """One row a pair of C and γ: scores, and the worst violation of optimality.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "dict"}, by default the first installed
        """
        shape = self.mean_score.shape
        best = np.zeros(shape, dtype=bool)
        best[self.best_index] = True
        columns: dict[str, np.ndarray] = {"C": np.repeat(self.Cs_, shape[1])}
        if not np.isnan(self.gammas_).any():
            columns["gamma"] = np.tile(self.gammas_, shape[0])
        columns |= {
            "mean_score": self.mean_score.ravel(),
            "standard_error": self.standard_error.ravel(),
            "best": best.ravel(),
            "kkt": self.kkt.max(axis=2).ravel(),
        }
        for f in range(self.scores.shape[2]):
            columns[f"fold{f}"] = self.scores[:, :, f].ravel()
        return to_backend(columns, backend)

    def plot(self, ax: Any = None) -> GridDisplay:
        """Heat map of the mean scores, a curve for one γ; see ``linscope.plot.path``."""
        return GridDisplay.from_path(self).plot(ax)

    def __str__(self) -> str:
        return grid_render.text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grid_render.html(self)
