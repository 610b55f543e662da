"""Cross-validated scores of a kernel SVM over C and γ: a heat map, or a curve for one γ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from linscope.display import theme

from .path_figure import PathDisplay, ScoresDisplay

# With more cells than this, numbers in them could not be read.
MOST_WITH_NUMBERS = 80
# Cells are as wide as their distance in log C, unless the widest step is so many times the least.
UNEVEN = 3.0
MOST_TICKS = 10


def path(source: Any, *, ax: Any = None) -> PathDisplay | GridDisplay:
    """Weights against C, and the score of held-out rows with the chosen C marked.

    For an SVC a heat map of the scores over C and γ, or a curve for one γ.

    Parameters
    ----------
    source : what ``linscope.path`` returns
    ax : matplotlib axes, optional: two, or one for an SVC

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("iris")
    >>> ls.plot.path(ls.path(ls.LogisticRegression(), X, y, Cs=[0.01, 1, 100]))
    <PathDisplay: C = 100 is chosen: accuracy 0.98 ± 0.013>
    >>> ls.plot.path(ls.path(ls.SVC(), X, y, Cs=[0.1, 1, 10], gammas=[0.01, 0.1, 1]))
    <GridDisplay: C = 1, γ = 0.1 are chosen: accuracy 0.98 ± 0.0082>
    """
    kind = GridDisplay if hasattr(source, "gammas_") else PathDisplay
    return kind.from_path(source).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class GridDisplay(ScoresDisplay):
    """Mean scores of held-out rows, arrays (n_Cs, n_gammas); ``best`` is a pair.

    Attributes
    ----------
    Cs, gammas : rising values; an infinite C is the hard margin, one NaN for kernels without γ
    """

    gammas: np.ndarray

    @staticmethod
    def _more(path: Any) -> dict[str, Any]:
        return {"gammas": path.gammas_}

    @property
    def title(self) -> str:
        i, j = self.best
        choice = "The hard margin" if np.isinf(self.Cs[i]) else f"C = {theme.number(self.Cs[i])}"
        if len(self.gammas) > 1:
            return self._chosen(f"{choice}, γ = {theme.number(self.gammas[j])} are")
        return self._chosen(f"{choice} is")

    @property
    def size(self) -> tuple[float, float]:
        if len(self.gammas) == 1:
            return 6.4, 4.2
        rows, columns = self.mean.shape
        return float(np.clip(2.6 + 0.72 * columns, 5.6, 11.0)), float(
            np.clip(1.9 + 0.46 * rows, 3.8, 9.0)
        )

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        if len(self.gammas) == 1:
            self._draw_curve(ax)
        else:
            self._draw_map(ax)
        theme.title(ax, self.title)

    def _draw_curve(self, ax: Axes) -> None:
        """Mean ± standard error against log C; the hard margin apart, at the right end."""
        x, soft = positions(self.Cs), np.isfinite(self.Cs)
        self._draw_means(ax, x, soft)
        if not soft.all():
            self._draw_hard(ax, float(x[-1]), float(self.mean[-1, 0]), float(self.error[-1, 0]))
        _ticks(ax, "x", x, self.Cs)
        ax.set_xlabel("C (less slack →)")
        ax.set_ylabel(f"{self.score}, mean ± standard error")

    def _draw_hard(self, ax: Axes, x: float, mean: float, error: float) -> None:
        if np.isnan(mean):
            at = (x, 0.5)
            words = "not\nseparable"
            look: dict[str, Any] = {"ha": "center", "va": "center", "color": theme.SOFT}
            ax.text(*at, words, transform=ax.get_xaxis_transform(), fontsize=theme.SMALL, **look)
            return
        ax.errorbar(
            [x], [mean], [error], color=theme.PURPLE, marker="D", ms=5, lw=1.6, capsize=3, zorder=3
        )

    def _draw_map(self, ax: Axes) -> None:
        x, y = positions(self.gammas), positions(self.Cs)
        across, up = _edges(x), _edges(y)
        least, most = self._range()
        known = np.ma.masked_invalid(np.maximum(self.mean, least))
        many = self.mean.size > MOST_WITH_NUMBERS
        look: dict[str, Any] = {"edgecolors": "white", "linewidth": 0.5 if many else 1.5}
        ax.set_facecolor(theme.tint(theme.GREY, 0.25))
        mesh = ax.pcolormesh(across, up, known, cmap=theme.LIGHT_TO_DARK, **look)
        # Off both ends of the colours: no cell is white, and the best are not black.
        mesh.set_clim(least - 0.15 * (most - least), most + 0.1 * (most - least))
        for spine in ax.spines.values():
            spine.set_visible(False)
        if many:
            figure = ax.get_figure()
            assert figure is not None
            cut = ", lower ones cut off" * bool((self.mean < least).any())
            bar = figure.colorbar(mesh, ax=ax, label=self.score + cut, fraction=0.05)
            bar.ax.set_ylim(least, most)
            theme.style(bar.ax)
            bar.outline.set_visible(False)
            bar.ax.spines[:].set_visible(False)
        else:
            self._write(ax, x, y, least, most)
        if np.isinf(self.Cs[-1]) and len(self.Cs) > 1:
            ax.axhline(up[-2], color="white", lw=6)
        self._mark(ax, across, up)
        _ticks(ax, "x", x, self.gammas)
        _ticks(ax, "y", y, self.Cs)
        ax.tick_params(length=0)
        ax.set_xlabel("γ (narrower kernel →)")
        ax.set_ylabel("C (less slack →)")

    def _range(self) -> tuple[float, float]:
        """What the colours tell apart: good cells; all far below the middle one look alike."""
        known = self.mean[np.isfinite(self.mean)]
        most = float(known.max())
        least = max(float(known.min()), most - 2.5 * (most - float(np.median(known))))
        return (least, most) if most > least else (most - 1.0, most)

    def _write(self, ax: Axes, x: np.ndarray, y: np.ndarray, least: float, most: float) -> None:
        for i, j in np.ndindex(*self.mean.shape):
            value = self.mean[i, j]
            chosen = (i, j) == self.best
            dark = value > least + 0.62 * (most - least)
            colour = theme.GREY if np.isnan(value) else "white" if dark else theme.INK
            ax.text(
                float(x[j]),
                float(y[i]),
                "–" if np.isnan(value) else f"{value:.3f}".replace("-", "−"),
                ha="center",
                va="center",
                fontsize=theme.TEXT,
                color=colour,
                fontweight="bold" if chosen else "normal",
            )

    def _mark(self, ax: Axes, across: np.ndarray, up: np.ndarray) -> None:
        i, j = self.best
        corner = across[j], up[i]
        size = across[j + 1] - across[j], up[i + 1] - up[i]
        look: dict[str, Any] = {"fill": False, "clip_on": False, "zorder": 6}
        ax.add_patch(Rectangle(corner, *size, edgecolor=theme.ORANGE, lw=3.2, **look))


def positions(values: np.ndarray) -> np.ndarray:
    """log₁₀ of the values, 0, 1, 2 … if they are too uneven; an infinite one a step after the last.

    >>> positions(np.array([0.1, 1.0, 10.0, np.inf])).tolist()
    [-1.0, 0.0, 1.0, 2.0]
    """
    soft = values[np.isfinite(values)]
    if len(soft) < 2:
        return np.arange(len(values), dtype=np.float64)
    x = np.log10(soft)
    steps = np.diff(x)
    if steps.max() > UNEVEN * steps.min():
        return np.arange(len(values), dtype=np.float64)
    return np.append(x, [x[-1] + np.median(steps)] * (len(values) - len(soft)))


def _edges(x: np.ndarray) -> np.ndarray:
    """Borders of cells round the positions."""
    if len(x) == 1:
        return np.array([x[0] - 0.5, x[0] + 0.5])
    middle = 0.5 * (x[1:] + x[:-1])
    return np.concatenate([[2 * x[0] - middle[0]], middle, [2 * x[-1] - middle[-1]]])


def _ticks(ax: Axes, which: str, x: np.ndarray, values: np.ndarray) -> None:
    """The values themselves, some of them if there are many, always the hard margin."""
    step = -(-len(x) // MOST_TICKS)
    places = sorted({*range(0, len(x), step), *np.flatnonzero(np.isinf(values)).tolist()})
    labels = [_short(values[p]) for p in places]
    (ax.set_xticks if which == "x" else ax.set_yticks)(x[places], labels)


def _short(value: float) -> str:
    return "hard" if np.isinf(value) else f"{value:.3g}".replace("-", "−")
