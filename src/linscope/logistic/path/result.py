"""What ``linscope.path`` returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linscope.data.frames import to_backend
from linscope.reports.cells import Strong
from linscope.reports.table import Column, Row, Table
from linscope.results import Check
from linscope.validation.validated import CrossValidated, Given

if TYPE_CHECKING:
    from linscope.validation.path_figure import PathDisplay

HEAD = ("C", "mean", "± se", "lowest", "highest")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RegularizationPath(CrossValidated):
    """Fits for many values of C, with scores from cross-validation; made by ``linscope.path``.

    Attributes
    ----------
    Cs_ : array (n_Cs,), rising
    coefs : array (n_Cs, rows, d + 1)
        Weights of the fits to all rows, bias first; one row for two classes, else one per class.
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
    splits : pairs (train, test) of row numbers, one per fold
    """

    coefs: np.ndarray
    fold_coefs: np.ndarray
    whole_certificates: np.ndarray
    best_index: int
    feature_names: tuple[str, ...]

    @property
    def best_C(self) -> float:
        return float(self.Cs_[self.best_index])

    @property
    def gaps(self) -> np.ndarray:
        return self._of_all("gap")

    @property
    def objectives(self) -> np.ndarray:
        return self._of_all("primal")

    def _of_all(self, name: str) -> np.ndarray:
        every = np.column_stack([self.whole_certificates, self.certificates])
        return np.array([[getattr(one, name) for one in row] for row in every], dtype=np.float64)

    def _checks(self, given: Given) -> Iterator[tuple[str, Check]]:
        everything = np.arange(len(given.y)), self.whole_certificates, self.coefs
        folds = [
            (split.train, self.certificates[:, f], self.fold_coefs[:, f])
            for f, split in enumerate(self.splits)
        ]
        for f, (rows, certificates, coefs) in enumerate([everything, *folds]):
            own = None
            if given.weight is not None:
                rows = rows[given.weight[rows] > 0]
                own = given.weight[rows]
            part, labels = given.X[rows], given.y[rows]
            for C, one, W in zip(self.Cs_.tolist(), certificates, coefs, strict=True):
                where = f"C = {C:.4g}, " + ("all rows" if f == 0 else f"fold {f - 1}")
                if one.C == C and np.array_equal(np.atleast_2d(one.weights), W):
                    yield where, one.verify(part, labels, own)
                else:
                    yield where, Check(False, "the certificate is not that of the weights")

    def _summary(self) -> str:
        worst = float(np.max(self.gaps / np.abs(self.objectives)))
        return f"all {self.gaps.size} fits are within {worst:.2g} of their minimum, relatively"

    def to_frame(self, *, coefs: bool = False, backend: str | None = None) -> Any:
        """One row per C: scores, bound, and with ``coefs`` the weights of the fit to all rows.

        Parameters
        ----------
        coefs : add one column per weight, ``w0`` (bias) to ``wd``; with K classes ``class:w0`` …
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
        # Only here: loading matplotlib takes long, and searches draw nothing.
        from linscope.validation.path_figure import PathDisplay

        return PathDisplay.from_path(self).plot(ax)

    def _table(self) -> Table:
        """C, mean, standard error, worst fold and best fold; the choice has a star."""
        low, high = self.scores.min(axis=1), self.scores.max(axis=1)
        numbers = zip(self.mean_score, self.standard_error, low, high, strict=True)
        rows = [[f"{C:.4g}", *values] for C, values in zip(self.Cs_, numbers, strict=True)]
        title = (
            f"Regularisation path of {type(self.best_estimator).__name__}: "
            f"{len(self.Cs_)} values of C, {len(self.splits)} folds, {self.scoring}"
        )
        columns = [Column(name, "", True, "{:.4f}".format) for name in HEAD]
        best = [Strong(columns[0].text(cell)) for cell in rows[self.best_index]]
        rows[self.best_index] = best
        return Table(
            title, [], columns, list(map(Row, rows)), footnotes=[self._verdict()], kind="path"
        )

    def __str__(self) -> str:
        lines = super().__str__().split("\n")
        for k in range(len(self.Cs_) + 1):
            lines[k + 2] = ("* " if k - 1 == self.best_index else "  ") + lines[k + 2]
        return "\n".join(lines)

    def _verdict(self) -> str:
        """The choice, and what is certain about the fits."""
        choice = f"best C {self.best_C:.4g}: {self.best_score:.4f} ± "
        parts = [choice + f"{self.standard_error[self.best_index]:.4f}"]
        if self.one_standard_error:
            parts[0] += " (smallest C within one standard error of the best)"
        if self.best_index in (0, len(self.Cs_) - 1) and len(self.Cs_) > 1:
            parts.append("it is at the end of the path: try values beyond it")
        worst = float(np.max(self.gaps / np.maximum(np.abs(self.objectives), 1e-300)))
        parts.append(f"every fit is within {worst:.1g} of its minimum, relatively")
        return "; ".join(parts)
