"""Errors by degree, on the samples of a fit and on samples that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from linscope.display import theme
from linscope.display.base import Display

# Errors that differ by more than this factor need a logarithmic axis.
WIDE = 20.0
# A curve that is so many times worse than the best leaves the picture.
WORST = 300.0


@dataclass(eq=False, kw_only=True, repr=False)
class DegreesDisplay(Display):
    """Errors of fits by degree over a look at some of the fits, which subclasses draw.

    Attributes
    ----------
    degrees : the degrees that were tried
    terms : how many weights each has
    train : error on the training samples
    validation : error on samples that the fit has not seen
    best : the degree with the least validation error
    shown : the degrees of the small panels, at most three
    how : how the unseen samples were chosen, in words
    """

    degrees: np.ndarray
    terms: np.ndarray
    train: np.ndarray
    validation: np.ndarray
    best: int
    shown: list[int]
    how: str
    size = 9.0, 6.4

    @property
    def error_name(self) -> str:
        """What is called an error."""
        raise NotImplementedError

    def _draw_fit(self, ax: Axes, number: int) -> None:
        """One of the fits that are shown."""
        raise NotImplementedError

    @property
    def title(self) -> str:
        last = int(self.degrees[-1])
        if len(self.degrees) == 1:
            error = theme.number(float(self.validation[0]))
            return f"Degree {self.best}: error {error} on new samples"
        if self.best == last:
            return f"Degree {self.best} predicts best of all that were tried"
        if self.best == self.degrees[0]:
            return f"Degree {self.best} predicts best: more terms only fit the noise"
        worse = self.validation[-1] > self.validation.min()
        better = self.train[-1] < self.train[list(self.degrees).index(self.best)]
        end = "fits better and " * bool(better) + f"predicts {'worse' if worse else 'no better'}"
        return f"Degree {self.best} predicts best; degree {last} {end}"

    @property
    def panels(self) -> int:
        return 1 + len(self.shown)

    def _draw_on(self, figure: Figure) -> None:
        grid = figure.add_gridspec(2, len(self.shown), height_ratios=[1.0, 0.85])
        top = figure.add_subplot(grid[0, :])
        small = [figure.add_subplot(grid[1, k]) for k in range(len(self.shown))]
        self._draw_into([top, *small])

    def _draw(self, axes: list[Axes]) -> None:
        self._draw_errors(axes[0])
        for number, ax in enumerate(axes[1:]):
            self._draw_fit(ax, number)
            if number:
                theme.no_left_labels(ax)
            theme.title(ax, self._verdict(self.shown[number]), size=theme.TEXT)

    def _verdict(self, degree: int) -> str:
        if degree == self.best:
            return f"degree {degree}: best"
        if degree < self.best:
            return f"degree {degree}: under-fits"
        worse = self.validation[self.degrees == degree][0] > self.validation.min()
        return f"degree {degree}: {'over-fits' if worse else 'no better'}"

    def _draw_errors(self, ax: Axes) -> None:
        new = theme.line_entry(f"new samples ({self.how})", color=theme.ORANGE, marker="s", ms=5)
        old = theme.line_entry("training samples", color=theme.BLUE, marker="o", ms=5)
        for values, entry in ((self.train, old), (self.validation, new)):
            style: dict[str, Any] = {"color": entry.get_color(), "marker": entry.get_marker()}
            ax.plot(self.degrees, values, lw=1.8, ms=5, zorder=3, **style)
        least = float(self.validation.min())
        ax.axvline(self.best, color=theme.GOOD, lw=1.0, ls=theme.DASHED, zorder=1)
        ax.plot(self.best, least, marker="*", ms=17, color=theme.GOOD, mec="white", zorder=5)
        star = theme.line_entry("best", color=theme.GOOD, ls="", marker="*", ms=11)
        ax.set(xlabel="degree of the polynomial", ylabel=self.error_name)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=15))
        self._scale(ax, least)
        theme.title_and_key(ax, self.title, [old, new, star])

    def _scale(self, ax: Axes, least: float) -> None:
        """A logarithmic axis if one curve would hide the other; exact fits do not stretch it."""
        every = np.concatenate([self.train, self.validation])
        high = min(float(every.max()), WORST * least)
        low = max(float(every.min()), least / 10.0)
        if least > 0 and high > WIDE * low:
            ax.set_yscale("log")
            ax.set_ylim(low / 1.5, high * 1.6)
        else:
            ax.set_ylim(0.0, 1.08 * high or 1.0)
