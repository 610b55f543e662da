"""The confusion matrix as the notes draw it: rows predicted, columns actual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.display import theme
from linscope.display.base import Display

from .evaluation import Evaluation
from .evaluation_figures import read_evaluation

NORMALIZE = (None, "true", "pred", "all")
# With more classes than this, numbers in the cells could not be read.
MOST_WITH_NUMBERS = 16
WORDS = ("hits (TP)", "misses (FN)", "false alarms (FP)", "correct rejections (TN)")


def confusion(
    source: Any, *data: Any, normalize: str | None = None, ax: Any = None
) -> ConfusionDisplay:
    """The confusion matrix, drawn as in the notes: rows predicted, columns actual.

    Parameters
    ----------
    source, data : an ``Evaluation``; a fitted classifier, X and y; or y_true and y_pred
    normalize : None, or shares of each actual class ("true"), each predicted class ("pred") or of
        all samples ("all")
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> ls.plot.confusion(["A", "A", "F"], ["A", "F", "F"])
    <ConfusionDisplay: 66.67 % right: 1 error in 3 samples>
    """
    if normalize not in NORMALIZE:
        raise ValueError(
            f"normalize={normalize!r} is unknown: choose from {', '.join(map(repr, NORMALIZE))}"
        )
    return ConfusionDisplay(
        evaluation=read_evaluation(source, data, arrays="y_pred"), normalize=normalize
    ).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class ConfusionDisplay(Display):
    """Counts by predicted and actual class; right ones blue, errors red.

    Attributes
    ----------
    evaluation : what is drawn
    normalize : None for counts; shares of each actual class ("true"), of each predicted class
        ("pred") or of all samples ("all")
    shares : array (K, K) like ``evaluation.confusion_matrix``, shares of the actual classes; the
        colours show them
    """

    evaluation: Evaluation
    normalize: str | None = None

    @property
    def shares(self) -> np.ndarray:
        return self._as_drawn(self._divided("true"))

    @property
    def values(self) -> np.ndarray:
        """What stands in the cells."""
        return self._as_drawn(self._divided(self.normalize))

    def _as_drawn(self, matrix: np.ndarray) -> np.ndarray:
        return matrix.T if self.evaluation.rows == "predicted" else matrix

    def _divided(self, normalize: str | None) -> np.ndarray:
        matrix = self.evaluation.matrix
        if normalize is None:
            return matrix
        axis = {"true": 1, "pred": 0, "all": None}[normalize]
        whole = matrix.sum(axis=axis, keepdims=True).astype(np.float64)
        out = np.full(matrix.shape, np.nan)
        return np.divide(matrix, whole, out=out, where=np.broadcast_to(whole > 0, matrix.shape))

    @property
    def title(self) -> str:
        result = self.evaluation
        wrong = result.counts.fn.sum()
        right = f"{100 * result.accuracy:.4g} % right"
        if result.matrix.dtype.kind == "i":
            return f"{right}: {theme.count(int(wrong), 'error')} in {result.n_samples:,} samples"
        return f"{right}, by weight, of {result.n_samples:,} samples"

    @property
    def size(self) -> tuple[float, float]:
        side = float(np.clip(2.4 + 0.75 * len(self.evaluation.labels), 4.4, 9.0))
        return side + 0.4, side

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        result, k = self.evaluation, len(self.evaluation.labels)
        ax.imshow(self._colours(), aspect="auto", interpolation="nearest")
        for spine in ax.spines.values():
            spine.set_visible(False)
        if k <= MOST_WITH_NUMBERS:
            self._write(ax)
            for edge in np.arange(0.5, k - 1):
                ax.axhline(edge, color="white", lw=2)
                ax.axvline(edge, color="white", lw=2)
        names = [theme.name(name, 18) for name in result.names]
        step = max(1, k // 20)
        places = np.arange(0, k, step)
        slanted = len(places) * max(map(len, names)) > 60
        turn: dict[str, Any] = {"rotation": 45, "ha": "left"} if slanted else {}
        ax.set_xticks(places, [names[p] for p in places], **turn)
        ax.set_yticks(places, [names[p] for p in places])
        ax.tick_params(length=0, labelsize=theme.TEXT, labelcolor=theme.INK)
        ax.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False)
        ax.xaxis.set_label_position("top")
        row, column = "predicted class", "actual class"
        if result.rows == "actual":
            row, column = column, row
        ax.set_xlabel(column)
        ax.set_ylabel(row)
        theme.title(ax, self.title, pad=10.0)

    def _colours(self) -> np.ndarray:
        """The stronger, the larger the share of the actual class; every error is visible."""
        shares = np.nan_to_num(self.shares)
        strength = np.where(shares > 0, 0.1 + 0.75 * shares, 0.03)
        k = len(shares)
        return np.array(
            [
                [theme.tint(theme.BLUE if i == j else theme.RED, strength[i, j]) for j in range(k)]
                for i in range(k)
            ]
        )

    def _write(self, ax: Axes) -> None:
        values, shares, words = self.values, np.nan_to_num(self.shares), self._words()
        size = float(np.clip(100 / len(values), 8.0, 15.0))
        for i, j in np.ndindex(*values.shape):
            dark = shares[i, j] > 0.5
            colour = "white" if dark and i != j else theme.INK if shares[i, j] else theme.GREY
            at: dict[str, Any] = {"ha": "center", "color": colour}
            lift = 0.08 if words else 0.0
            text = _cell(float(values[i, j]), self.normalize)
            ax.text(j, i - lift, text, va="center", fontsize=size, **at)
            if words:
                ax.text(j, i + 0.2, words[i][j], va="center", fontsize=theme.SMALL, **at)

    def _words(self) -> list[list[str]] | None:
        """Hits, false alarms, misses and correct rejections of two classes."""
        result = self.evaluation
        if len(result.labels) != 2 or result.position is None:
            return None
        tp, fn, fp, tn = WORDS
        matrix = [[tp, fn], [fp, tn]] if result.position == 0 else [[tn, fp], [fn, tp]]
        if result.rows == "actual":
            return matrix
        return [list(line) for line in zip(*matrix, strict=True)]


def _cell(value: float, normalize: str | None) -> str:
    if normalize is None:
        return f"{int(value):,}" if value == int(value) else theme.number(float(value))
    return "–" if np.isnan(value) else f"{100 * value:.3g} %"
