"""What all figures share: a Display holds computed arrays, and ``plot`` only draws them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from operator import attrgetter
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from linscope._printable import printable

from . import theme
from .inputs import Samples, View


class Display:
    """A figure as data. Subclasses store arrays and say how to draw them.

    Attributes
    ----------
    title : the message of the figure in words
    figure_, axes_, ax_ : after ``plot``: the matplotlib figure, all axes, and the first of them

    Notes
    -----
    ``grid`` and ``size`` are plain numbers in most subclasses, computed where data decide.
    ``plot`` makes a figure of its own, apart from pyplot; notebooks show it, ``save`` writes it,
    ``show`` opens a window. To draw into a figure of yours, pass ``ax``.
    """

    figure_: Figure
    axes_: np.ndarray
    ax_: Axes

    @property
    def title(self) -> str:
        raise NotImplementedError

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of panels."""
        return 1, 1

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        return 6.0, 4.6

    @property
    def panels(self) -> int:
        return self.grid[0] * self.grid[1]

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, as many as there are panels; None makes a new figure

        Returns
        -------
        self, with ``figure_``, ``axes_`` and ``ax_``
        """
        if ax is None:
            self._draw_on(Figure(figsize=self.size, layout="constrained", facecolor="white"))
        else:
            self._draw_into(self._given(ax))
        return self

    def save(self, path: Any, *, dpi: float = 150) -> Self:
        """Write the figure to a file; the ending (.png, .svg, .pdf) says which kind."""
        self._drawn().savefig(path, dpi=dpi)
        return self

    def show(self) -> None:
        """Open the figure in a window (or the notebook) by way of pyplot."""
        import matplotlib.pyplot as plt

        self._draw_on(plt.figure(figsize=self.size, layout="constrained", facecolor="white"))
        plt.show()

    def animation(
        self, places: Any, captions: Sequence[str], samples: Sequence[int | None], fps: float
    ) -> Any:
        """The path of some weights on its way, as a matplotlib animation.

        Parameters
        ----------
        places : which of the weights to show, a frame each
        captions, samples : what to say, and which of ``points`` to ring, for each frame
        fps : frames a second
        """
        from matplotlib.animation import FuncAnimation
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        figure = Figure(figsize=self.size, layout="constrained", facecolor="white")
        FigureCanvasAgg(figure)
        axes = self._panels_of(figure)
        move, points = self._stage(axes)
        look: Any = {"facecolors": "none", "edgecolors": theme.WRONG, "lw": 2.0, "zorder": 5}
        ring = axes[0].scatter([], [], s=130.0, **look)
        rows = int(axes[0].get_legend() is not None)  # of a key between caption and axes

        def draw(frame: int) -> list[Any]:
            move(int(places[frame]))
            sample = samples[frame]
            ring.set_offsets(np.zeros((0, 2)) if sample is None else points[[sample]])
            theme.title_and_key(axes[0], captions[frame], [], rows=rows)
            return [ring]

        return FuncAnimation(figure, draw, frames=len(places), interval=1000.0 / fps)

    def _stage(self, axes: list[Axes]) -> tuple[Callable[[int], None], np.ndarray]:
        """Draw what stays; give what moves the rest to a place on the path, and the samples."""
        raise NotImplementedError

    def _draw(self, axes: list[Axes]) -> None:
        raise NotImplementedError

    def _panels_of(self, figure: Figure) -> list[Axes]:
        axes = list(figure.subplots(*self.grid, squeeze=False).ravel())
        for panel in axes:
            theme.style(panel)
        return axes

    def _draw_on(self, figure: Figure) -> None:
        self._draw_into(self._panels_of(figure))
        if self.panels > 1:
            text = theme.textwrap.fill(self.title, theme.characters(self.size[0] - 0.3, 12.5))
            figure.suptitle(theme.pretty(text), x=0.012, ha="left", fontsize=12.5, color=theme.INK)

    def _draw_into(self, axes: list[Axes]) -> None:
        figure = axes[0].get_figure(root=True)
        assert isinstance(figure, Figure)
        self.figure_, self.ax_ = figure, axes[0]
        self.axes_ = np.array(axes, dtype=object)
        for panel in axes:
            theme.style(panel)
        self._draw(axes)

    def _given(self, ax: Any) -> list[Axes]:
        axes = [ax] if isinstance(ax, Axes) else list(np.asarray(ax, dtype=object).ravel())
        if len(axes) != self.panels or not all(isinstance(each, Axes) for each in axes):
            raise ValueError(
                f"ax must be {self.panels} matplotlib axes{', one per panel' * (self.panels > 1)}, "
                f"got {len(axes)}: leave it out for a new figure"
            )
        return axes

    def _drawn(self) -> Figure:
        if not hasattr(self, "figure_"):
            self.plot()
        return self.figure_

    def __repr__(self) -> str:
        return printable(f"<{type(self).__name__}: {self.title}>", "\n")

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        self._drawn().savefig(buffer, format="png", dpi=110)
        return buffer.getvalue()


@dataclass(eq=False, kw_only=True, repr=False)
class SampleDisplay(Display):
    """A figure in the plane of one or two features.

    Attributes
    ----------
    samples : the table with its classes
    view : which features are shown, and where the others are held
    points : array (n, 2), the samples in the figure (one feature: the second column is 0)
    codes, labels : class number of each sample, and the class names
    names : names of the two features
    note : which features are held at their means, "" if none
    """

    samples: Samples
    view: View

    @property
    def points(self) -> np.ndarray:
        return self.view.points(self.samples.X)

    codes, labels = property(attrgetter("samples.codes")), property(attrgetter("samples.labels"))
    names, note = property(attrgetter("view.names")), property(attrgetter("view.note"))
    flat = property(attrgetter("view.flat"))
