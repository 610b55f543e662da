"""One update with a rate that is too small, right, or too large.

The update w ← w + η y_m x_m changes the signed score of sample j by η y_j y_m x_j·x_m. So sample m
becomes right for η > −y_m w·x_m / ‖x_m‖², and a sample j that is right now becomes wrong for
η > y_j w·x_j / −(y_j y_m x_j·x_m) where that inner product is negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from linscope.data.tables import TableLike
from linscope.display import theme
from linscope.display.base import SampleDisplay
from linscope.display.drawing import draw_line, draw_samples
from linscope.display.geometry import Box, reaching
from linscope.display.inputs import choose_view, given_or_example, read_samples, read_weights
from linscope.display.line_labels import draw_sides
from linscope.losses import perceptron


def step_size(
    X: TableLike = None,
    y: Any = None,
    w: Any = None,
    sample: Any = None,
    *,
    etas: Sequence[float] | None = None,
    ax: Any = None,
) -> StepSizeDisplay:
    """One update with a rate that is too small, right, and too large.

    Parameters
    ----------
    X, y : samples of two classes with one or two features; without them a built-in example
    w : weights before the update, bias first
    sample : row of the mistake that causes the update
    etas : the rates, one per panel; by default three telling ones are computed
    ax : matplotlib axes, one per panel, optional

    Examples
    --------
    >>> import linscope as ls
    >>> display = ls.plot.step_size()
    >>> [display.verdict(panel) for panel in range(3)]
    ['too small: still wrong', 'right: mistake corrected', 'too large: 1 now wrong']
    """
    needed = "step_size needs all of X, y, w and sample"
    X, y, w, sample = given_or_example(needed, example, X, y, w, sample)
    samples = read_samples(X, y, binary=True)
    view = choose_view(samples, None)
    (before,) = read_weights(w, samples.X.shape[1], name="w")
    if not 0 <= int(sample) < len(samples.X):
        raise ValueError(f"sample must be a row from 0 to {len(samples.X) - 1}, got {sample!r}")
    rows, signs = samples.augmented, samples.y
    wrong_before = perceptron.mistakes(before, rows, signs)
    if not wrong_before[sample]:
        raise ValueError(
            f"w gets sample {sample} right, so there is no update: choose one of the rows "
            f"{np.flatnonzero(wrong_before).tolist()}"
        )
    fixes, breaks = thresholds(before, rows, signs, int(sample))
    chosen = telling_rates(fixes, breaks) if etas is None else etas
    rates = np.asarray(chosen, dtype=np.float64)
    if rates.ndim != 1 or len(rates) == 0 or not (rates > 0).all():
        raise ValueError(f"etas must be rates above 0, got {etas!r}")
    after = before + np.outer(rates, signs[sample] * rows[sample])
    return StepSizeDisplay(
        samples=samples,
        view=view,
        etas=rates,
        before=before,
        after=after,
        sample=int(sample),
        wrong_before=wrong_before,
        wrong=perceptron.mistakes(after, rows, signs),
        fixes_above=fixes,
        breaks_above=breaks,
    ).plot(ax)


@dataclass(eq=False, kw_only=True, repr=False)
class StepSizeDisplay(SampleDisplay):
    """The boundary before and after one update, for several rates.

    Attributes
    ----------
    etas : the rates, one per panel
    before : weights before the update
    after : array (rates, d + 1), weights after it
    sample : row of the mistake that causes the update
    wrong_before : array (n,), mistakes before
    wrong : array (rates, n), mistakes after
    fixes_above : the sample is right for rates above this
    breaks_above : the first other sample goes wrong above this rate (infinite if none ever does)
    """

    etas: np.ndarray
    before: np.ndarray
    after: np.ndarray
    sample: int
    wrong_before: np.ndarray
    wrong: np.ndarray
    fixes_above: float
    breaks_above: float

    @property
    def broken(self) -> np.ndarray:
        """Array (rates, n): samples that were right before and are wrong after."""
        return self.wrong & ~self.wrong_before

    def verdict(self, panel: int) -> str:
        """What one rate does, in words."""
        if self.wrong[panel, self.sample]:
            return "too small: still wrong"
        broken = int(self.broken[panel].sum())
        if broken:
            return f"too large: {broken} now wrong"
        return "right: mistake corrected"

    @property
    def title(self) -> str:
        text = f"The update corrects its mistake for η > {self.fixes_above:.3g}"
        if np.isfinite(self.breaks_above):
            text += f" and breaks another sample for η > {self.breaks_above:.3g}"
        return text

    @property
    def grid(self) -> tuple[int, int]:
        return 1, len(self.etas)

    @property
    def size(self) -> tuple[float, float]:
        return 2.9 * len(self.etas), 3.8

    def _draw(self, axes: list[Axes]) -> None:
        lines = [self.view.line(w) for w in (self.before, *self.after)]
        box = reaching(self.view.box(self.points, 0.2), np.array(lines))
        for panel, ax in enumerate(axes):
            self._draw_panel(ax, panel, box)

    def _draw_panel(self, ax: Axes, panel: int, box: Box) -> None:
        bad = bool(self.wrong[panel, self.sample] or self.broken[panel].any())
        colour = theme.WRONG if bad else theme.GOOD
        before: Any = {"color": theme.GREY, "ls": theme.DASHED, "lw": 1.5}
        after: Any = {"color": colour, "lw": 2.2}
        draw_sides(ax, box, self.view.line(self.after[panel]))
        for w, style in ((self.before, before), (self.after[panel], after)):
            draw_line(ax, box, self.view.line(w), **style)
        draw_samples(ax, self.samples, self.view, box, size=38)
        theme.ring(ax, self.points[[self.sample]], colour=theme.PURPLE, size=150)
        for point in self.points[self.broken[panel]]:
            ax.plot(*point, marker="x", ms=13, mew=2.2, color=theme.WRONG, zorder=6)
        if panel:
            theme.no_left_labels(ax)
        entries = [theme.line_entry("before", **before), theme.line_entry("after", **after)]
        if self.broken[panel].any():
            entries.append(
                theme.line_entry("broken", color=theme.WRONG, ls="", marker="x", ms=8, mew=2)
            )
        else:
            entries.append(theme.ring_entry("sample", theme.PURPLE))
        w = theme.vector(self.after[panel])
        text = f"η = {self.etas[panel]:.2g}\n{self.verdict(panel)}\nw = {w}"
        theme.title_and_key(ax, text, entries, colour)


def thresholds(w: np.ndarray, rows: np.ndarray, y: np.ndarray, m: int) -> tuple[float, float]:
    """The rate above which sample m is right, and that above which the first other goes wrong."""
    signed = y * (rows @ w)
    change = y * y[m] * (rows @ rows[m])
    falling = (signed > 0) & (change < 0)
    breaks = signed[falling] / -change[falling]
    return float(-signed[m] / change[m]), float(breaks.min()) if len(breaks) else float("inf")


def telling_rates(fixes: float, breaks: float) -> tuple[float, ...]:
    """Too small, right and too large, as far as there are such rates."""
    if fixes == 0:
        return (breaks / 2, 1.5 * breaks) if np.isfinite(breaks) else (1.0,)
    if not np.isfinite(breaks):
        return fixes / 2, 1.5 * fixes
    if breaks <= fixes:
        return breaks / 2, (fixes + breaks) / 2, 1.5 * fixes
    return fixes / 2, (fixes + breaks) / 2, 1.25 * breaks


def example() -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """X, y, w and a row for which three rates have the three outcomes."""
    X = np.array([[1.0, 3.2], [2.0, 4.4], [3.2, 3.6], [1.6, 1.6], [3.0, 1.2], [4.6, 2.0]])
    y = np.array([1, 1, 1, -1, -1, -1])
    w = np.array([-14.0, -9.0, 10.0])
    return X, y, w, 2
