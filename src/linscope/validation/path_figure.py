"""Coefficients and cross-validated scores against C."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from linscope.display import theme
from linscope.display.base import Display

# So many lines have a colour and a name; the rest are thin and grey.
MOST_NAMED = 8
# So few lines of several classes can all be coloured by class.
MOST_COLOURED = 24
LABEL_GAP = 0.052
# Coefficients so many times those at the chosen C would press these to 0.
FAR = 6.0


@dataclass(eq=False, kw_only=True, repr=False)
class ScoresDisplay(Display):
    """Scores of held-out rows over values of C, and which was chosen.

    Attributes
    ----------
    Cs : rising values of C
    mean, error : mean score over the folds and its standard error
    best : which was chosen
    scoring : name of the score
    """

    Cs: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    best: Any
    scoring: str
    one_standard_error: bool = False

    @classmethod
    def from_path(cls, path: Any) -> Self:
        """From what ``linscope.path`` returns."""
        return cls(
            Cs=path.Cs_,
            mean=path.mean_score,
            error=path.standard_error,
            best=path.best_index,
            scoring=path.scoring,
            one_standard_error=path.one_standard_error,
            **cls._more(path),
        )

    @staticmethod
    def _more(path: Any) -> dict[str, Any]:
        """What a figure shows beside the scores."""
        raise NotImplementedError

    @property
    def score(self) -> str:
        """The name of the score in words."""
        return self.scoring.replace("neg_", "−").replace("_", " ")

    def _chosen(self, what: str) -> str:
        why = "simplest within one standard error" if self.one_standard_error else self.score
        value = theme.number(self.mean[self.best])
        return f"{what} chosen: {why} {value} ± {self.error[self.best]:.2g}"

    def _draw_means(self, ax: Axes, x: np.ndarray, shown: Any = slice(None)) -> None:
        """Mean ± standard error of the values shown, and a mark at the chosen one."""
        mean, error = self.mean.reshape(len(x)), self.error.reshape(len(x))
        low, high = (mean - error)[shown], (mean + error)[shown]
        fill = theme.tint(theme.BLUE, 0.22)
        ax.fill_between(x[shown], low, high, color=fill, lw=0, zorder=1)
        ax.plot(x[shown], mean[shown], color=theme.BLUE, lw=1.8, marker="o", ms=4, zorder=3)
        best = np.ravel(self.best)[0]
        look: Any = {"marker": "o", "ms": 9, "mfc": theme.ORANGE, "mec": theme.INK, "mew": 1.0}
        ax.plot(x[best], mean[best], zorder=5, **look)


@dataclass(eq=False, kw_only=True, repr=False)
class PathDisplay(ScoresDisplay):
    """A regularisation path.

    Attributes
    ----------
    coefs : array (n_Cs, rows, d), without the biases
    names : of the features
    classes : one label per row of weights, empty for two classes
    """

    coefs: np.ndarray
    names: list[str]
    classes: list[str]
    grid = 1, 2
    size = 10.4, 4.5

    @staticmethod
    def _more(path: Any) -> dict[str, Any]:
        coefs = path.coefs[:, :, 1:]
        labels = [str(label) for label in path.classes_.tolist()]
        if coefs.shape[1] != len(labels):
            labels = [str(k) for k in range(coefs.shape[1])]  # pairs of classes
        classes = labels if coefs.shape[1] > 1 else []
        return {"coefs": coefs, "names": list(path.feature_names), "classes": classes}

    @property
    def title(self) -> str:
        return self._chosen(f"C = {theme.number(self.Cs[self.best])} is")

    def _draw(self, axes: list[Axes]) -> None:
        left, right = axes
        margin = max((self.Cs[-1] / self.Cs[0]) ** 0.04, 1.2)
        for ax in axes:
            ax.set_xscale("log")
            ax.set_xlim(self.Cs[0] / margin, self.Cs[-1] * margin)
            ax.set_xlabel("C (weaker penalty →)")
            look: dict[str, Any] = {"color": theme.INK, "lw": 1.0, "ls": theme.DASHED, "zorder": 2}
            ax.axvline(self.Cs[self.best], **look)
        left.axhline(0.0, color=theme.FAINT, lw=0.8, zorder=1)
        left.set_ylabel("weight")
        if self.classes and self.coefs[0].size <= MOST_COLOURED:
            self._draw_classes(left)
        else:
            self._draw_largest(left)
        self._draw_means(right, self.Cs)
        right.set_ylabel(self.score)
        theme.title(right, "Score of held-out rows: mean ± standard error")

    def _draw_largest(self, ax: Axes) -> None:
        """The largest at the chosen C have a colour and a name at their end; the rest are grey."""
        lines, names = self._lines()
        order = np.argsort(-np.abs(lines[self.best]))
        named, rest = order[:MOST_NAMED], order[MOST_NAMED:]
        faint = 0.6 if len(rest) <= 100 else 0.15
        ax.plot(self.Cs, lines[:, rest], color=theme.GREY, lw=0.7, alpha=faint, zorder=2)
        for k, j in enumerate(named):
            ax.plot(self.Cs, lines[:, j], color=theme.class_colour(k), lw=1.7, zorder=3)
        self._scale(ax)
        ends = np.array([_height(ax, lines[-1, j]) for j in named])
        for k, place in _apart(ends, LABEL_GAP):
            ax.annotate(
                theme.name(names[named[k]], 22),
                (1.0, place),
                xycoords="axes fraction",
                xytext=(4, 0),
                textcoords="offset points",
                color=theme.class_colour(k),
                fontsize=theme.SMALL,
                va="center",
                annotation_clip=False,
            )
        kind = "weights, class: feature" if self.classes else "weights"
        theme.title(
            ax, f"The {len(named)} largest of {len(order)} {kind}" if len(rest) else "Weights"
        )

    def _lines(self) -> tuple[np.ndarray, list[str]]:
        """One column per coefficient, and its name."""
        lines = self.coefs.reshape(len(self.Cs), -1)
        if not self.classes:
            return lines, self.names
        return lines, [f"{label}: {name}" for label in self.classes for name in self.names]

    def _scale(self, ax: Axes) -> None:
        """Where the ends dwarf the coefficients at the chosen C, their size on a scale of asinh."""
        chosen = float(np.abs(self.coefs[self.best]).max(initial=0.0))
        largest = float(np.abs(self.coefs).max())
        if not 0 < FAR * chosen < largest:
            return
        ax.set_yscale("asinh", linear_width=chosen / 2)
        powers = np.arange(np.ceil(np.log10(chosen / 2)), np.floor(np.log10(largest)) + 1)
        ticks = 10.0 ** powers[:: -(-len(powers) // 4)]
        ax.set_yticks([*-ticks[::-1], 0.0, *ticks])
        ax.yaxis.set_major_formatter(lambda value, _: theme.number(value))
        ax.yaxis.set_minor_locator(NullLocator())

    def _draw_classes(self, ax: Axes) -> None:
        """Few weights of several classes: a colour per class."""
        for k in range(self.coefs.shape[1]):
            ax.plot(self.Cs, self.coefs[:, k], color=theme.class_colour(k), lw=1.4, zorder=3)
        self._scale(ax)
        entries = [
            theme.line_entry(theme.name(label, 16), color=theme.class_colour(k))
            for k, label in enumerate(self.classes)
        ]
        theme.title_and_key(ax, "Weights of each class, one line per feature", entries)


def _height(ax: Axes, value: float) -> float:
    """Where a coefficient is, as a share of the height of the axes."""
    x, _ = ax.get_xlim()[1], ax.get_ylim()  # both make pending limits final
    return float(ax.transAxes.inverted().transform(ax.transData.transform((x, value)))[1])


def _apart(values: np.ndarray, gap: float) -> list[tuple[int, float]]:
    """Places for labels, as near to their values as ``gap`` between them allows."""
    order = np.argsort(values)
    places = values[order].astype(float)
    for _ in range(100):
        short = np.maximum(gap - np.diff(places), 0.0)
        places[:-1] -= 0.5 * short
        places[1:] += 0.5 * short
    return list(zip(order.tolist(), places.tolist(), strict=True))
