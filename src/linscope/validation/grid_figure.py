"""Cross-validated scores of a kernel SVM over C and γ: a heat map, or a curve for one γ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from linscope.display import theme
from linscope.display.base import Display

# With more cells than this, numbers in them could not be read.
MOST_WITH_NUMBERS = 80
# Cells are as wide as their distance in log C, unless the widest step is so many times the least.
UNEVEN = 3.0
MOST_TICKS = 10


@dataclass(eq=False, kw_only=True, repr=False)
class GridDisplay(Display):
    """Mean scores of held-out rows.

    Attributes
    ----------
    Cs, gammas : rising values; an infinite C is the hard margin, one NaN for kernels without γ
    mean, error : arrays (n_Cs, n_gammas), mean score over the folds and its standard error
    best : which C and γ were chosen
    scoring : name of the score
    """

    Cs: np.ndarray
    gammas: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    best: tuple[int, int]
    scoring: str
    one_standard_error: bool = False

    @classmethod
    def from_path(cls, path: Any) -> Self:
        return cls(
            Cs=path.Cs_,
            gammas=path.gammas_,
            mean=path.mean_score,
            error=path.standard_error,
            best=path.best_index,
            scoring=path.scoring,
            one_standard_error=path.one_standard_error,
        )

    @property
    def title(self) -> str:
        i, j = self.best
        choice = "The hard margin" if np.isinf(self.Cs[i]) else f"C = {theme.number(self.Cs[i])}"
        are = "is"
        if len(self.gammas) > 1:
            choice, are = f"{choice}, γ = {theme.number(self.gammas[j])}", "are"
        score, error = theme.number(self.mean[i, j]), f"{self.error[i, j]:.2g}"
        why = "simplest within one standard error" if self.one_standard_error else self._score
        return f"{choice} {are} chosen: {why} {score} ± {error}"

    @property
    def _score(self) -> str:
        return self.scoring.replace("neg_", "−").replace("_", " ")

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
        x, mean, error = positions(self.Cs), self.mean[:, 0], self.error[:, 0]
        soft = np.isfinite(self.Cs)
        fill = theme.tint(theme.BLUE, 0.22)
        low, high = (mean - error)[soft], (mean + error)[soft]
        ax.fill_between(x[soft], low, high, color=fill, lw=0, zorder=1)
        ax.plot(x[soft], mean[soft], color=theme.BLUE, lw=1.8, marker="o", ms=4, zorder=3)
        if not soft.all():
            self._draw_hard(ax, float(x[-1]), float(mean[-1]), float(error[-1]))
        at = x[self.best[0]], mean[self.best[0]]
        ax.plot(*at, marker="o", ms=9, mfc=theme.ORANGE, mec=theme.INK, mew=1.0, zorder=5)
        _ticks(ax, "x", x, self.Cs)
        ax.set_xlabel("C (less slack →)")
        ax.set_ylabel(f"{self._score}, mean ± standard error")

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
            bar = figure.colorbar(mesh, ax=ax, label=self._score + cut, fraction=0.05)
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
