"""What ``linscope.path`` returns for an SVC."""

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
    from linscope.validation.grid_figure import GridDisplay

# More columns than this would not fit on a line; those nearest to the choice are shown.
MOST_COLUMNS = 9


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class GridPath(CrossValidated):
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
    splits : pairs (train, test) of row numbers, one per fold
    """

    gammas_: np.ndarray
    best_index: tuple[int, int]

    @property
    def best_C(self) -> float:
        return float(self.Cs_[self.best_index[0]])

    @property
    def best_gamma(self) -> float | None:
        gamma = float(self.gammas_[self.best_index[1]])
        return None if np.isnan(gamma) else gamma

    @property
    def kkt(self) -> np.ndarray:
        values = [np.nan if one is None else one.kkt for one in self.certificates.ravel()]
        return np.array(values, dtype=np.float64).reshape(self.certificates.shape)

    def _checks(self, given: Given) -> Iterator[tuple[str, Check]]:
        for f, split in enumerate(self.splits):
            rows, counts = np.unique(split.train, return_counts=True)
            own = counts * (1.0 if given.weight is None else given.weight[rows])
            plain = given.weight is None and counts.max() == 1
            rows, own = rows[own > 0], own[own > 0]
            part = given.X[rows]
            if self.best_estimator.kernel == "precomputed":
                part = part[:, rows]
            for i, j in np.ndindex(*self.certificates.shape[:2]):
                check = self._verify_one(i, j, f, part, given.y[rows], None if plain else own)
                yield f"{self._cell(i, j)}, fold {f}", check

    def _summary(self) -> str:
        count = int(np.isfinite(self.kkt).sum())
        return f"all {count} fits violate optimality by at most {np.nanmax(self.kkt):.2g}"

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

    def _cell(self, i: int, j: int) -> str:
        gamma = "" if np.isnan(self.gammas_[j]) else f", γ = {self.gammas_[j]:.4g}"
        return f"C = {self.Cs_[i]:.4g}{gamma}"

    def to_frame(self, *, backend: str | None = None) -> Any:
        """One row per pair of C and γ: scores, and the worst violation of optimality.

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
        # Only here: loading matplotlib takes long, and searches draw nothing.
        from linscope.validation.grid_figure import GridDisplay

        return GridDisplay.from_path(self).plot(ax)

    def _table(self) -> Table:
        """One row per C, one column per γ that is shown; the choice has a star."""
        kernel, count = self.best_estimator.kernel, len(self.gammas_)
        gammas = "" if np.isnan(self.gammas_).any() else f" × {count} of γ"
        title = (
            f"Grid of SVC, kernel {getattr(kernel, '__name__', kernel)}: {len(self.Cs_)} values of "
            f"C{gammas}, {len(self.splits)} folds, mean {self.scoring}"
        )
        i, j = self.best_index
        first = min(max(j - MOST_COLUMNS // 2, 0), max(count - MOST_COLUMNS, 0))
        shown = slice(first, first + MOST_COLUMNS)
        if count == 1:
            head = ["C", "mean", "± se"]
            body = np.column_stack([self.mean_score, self.standard_error]).tolist()
        else:
            head = ["C \\ γ", *(f"{gamma:.3g}" for gamma in self.gammas_[shown])]
            body = self.mean_score[:, shown].tolist()
        body[i][j - first] = Strong("*" + _score(body[i][j - first]))
        hidden = count - len(self.gammas_[shown])
        return Table(
            title,
            [],
            [Column(name, "", True, _score) for name in head],
            [Row([_value(C), *line]) for C, line in zip(self.Cs_, body, strict=True)],
            footnotes=[
                *([f"({hidden} more values of γ: see to_frame())"] if hidden else []),
                self._verdict(),
            ],
            kind="path",
        )

    def _verdict(self) -> str:
        """The choice, and what is certain about the fits."""
        choice = f"best C {_value(self.best_C)}"
        if self.best_gamma is not None:
            choice += f", γ {_value(self.best_gamma)}"
        choice += f": {self.best_score:.4f} ± {self.standard_error[self.best_index]:.4f}"
        if self.one_standard_error:
            choice += " (smallest within one standard error of the best)"
        parts = [choice, *self._ends()]
        missing = int(np.isnan(self.scores).any(axis=2).sum())
        if missing:
            cells = "1 cell has" if missing == 1 else f"{missing} cells have"
            parts.append(f"{cells} no hard margin: some fold is not separable")
        worst, tol = float(np.nanmax(self.kkt)), self.best_estimator.tol
        parts.append(f"no fit violates optimality by more than {worst:.1g} (tol {tol:g})")
        return "; ".join(parts)

    def _ends(self) -> list[str]:
        i, j = self.best_index
        named = {"C": (i, self.Cs_), "γ": (j, self.gammas_)}
        at_end = [
            name
            for name, (place, values) in named.items()
            if len(values) > 1 and place in (0, len(values) - 1) and np.isfinite(values[place])
        ]
        return [f"{' and '.join(at_end)} at the end of the grid: try values beyond"] * bool(at_end)


def _value(value: float) -> str:
    return "hard" if np.isinf(value) else f"{value:.4g}"


def _score(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.4f}"
