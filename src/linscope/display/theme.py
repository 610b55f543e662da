"""How every figure looks: colours that colour-blind readers can tell apart, quiet axes, clear text.

The colours are Petroff's ten-colour sequence. Classes differ by marker as well. Nothing here reads
or changes matplotlib's global settings beyond its default font.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.lines import Line2D

from linscope._printable import printable

BLUE, ORANGE, RED, GREY, PURPLE = "#3f90da", "#ffa90e", "#bd1f01", "#94a4a2", "#832db6"
CLASS_COLOURS = (
    BLUE,
    ORANGE,
    PURPLE,
    "#a96b59",
    "#92dadd",
    "#e76300",
    "#b9ac70",
    "#717581",
    RED,
    GREY,
)
CLASS_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "*", "h")
INK, SOFT, FAINT = "#23262b", "#5b6470", "#d5d9de"
WRONG, GOOD = RED, "#00707a"
DASHED: Any = (0, (4, 3))
# Colour and dashes of the boundaries of several models or runs.
LINES: tuple[tuple[str, Any], ...] = (
    (INK, "-"),
    (RED, (0, (5, 2))),
    (GOOD, (0, (5, 1.5, 1, 1.5))),
    ("#e76300", (0, (1.5, 1.5))),
    ("#a96b59", (0, (8, 2))),
    (PURPLE, (0, (3, 1, 1, 1, 1, 1))),
)

TITLE, TEXT, SMALL = 11.5, 10.0, 9.0
LIGHT_TO_DARK = LinearSegmentedColormap.from_list(
    "linscope", ["#ffffff", "#dbe9f8", "#9cc5ee", BLUE, "#1c4f86"]
)


def class_colour(code: int) -> str:
    """Colour of class number ``code``."""
    return CLASS_COLOURS[code % len(CLASS_COLOURS)]


def class_marker(code: int) -> str:
    """Marker of class number ``code``; combinations repeat only after a hundred classes."""
    return CLASS_MARKERS[(code + code // len(CLASS_COLOURS)) % len(CLASS_MARKERS)]


def tint(colour: str, strength: float) -> tuple[float, float, float]:
    """The colour mixed with white; strength 1 is the colour itself."""
    r, g, b = (1 - strength * (1 - channel) for channel in to_rgb(colour))
    return r, g, b


def style(ax: Axes) -> None:
    """Quiet axes: no top and right spine, soft ticks, white ground."""
    ax.set_facecolor("white")
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(SOFT)
        spine.set_linewidth(0.8)
    ax.tick_params(colors=SOFT, labelsize=SMALL, width=0.8, length=3)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set_color(INK)
        axis.label.set_fontsize(TEXT)


def characters(width_inches: float, size: float) -> int:
    """About how many characters of this size fit into the width."""
    return max(16, int(width_inches * 72 / (0.53 * size)))


def width_of(ax: Axes) -> float:
    """About the width of the axes in inches; the layout comes later."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    place = ax.get_subplotspec()
    if place is None:
        return float(figure.get_figwidth() * ax.get_position().width)
    share = len(place.colspan) / place.get_gridspec().ncols
    return float(figure.get_figwidth() * share * 0.88)


def pretty(text: str) -> str:
    """Names from the data stay as they are; J_p and w_opt are set as in the notes."""
    plain = printable(text, "\n").replace("$", r"\$")
    if plain.startswith("_"):  # matplotlib hides such labels
        plain = "\u200b" + plain
    return plain.replace("J_p", "$J_p$").replace("w_opt", "$w_{opt}$")


def cut(text: str, most: int) -> str:
    """The text, or its beginning and … if it is longer."""
    return text if len(text) <= most else text[: most - 1] + "…"


def name(text: str, most: int = 40) -> str:
    """A name from the data, cut if it is so long that it would crowd out the figure."""
    return pretty(cut(printable(text), most))


def label(ax: Axes, x: str, y: str) -> None:
    """Names from the data at both axes."""
    ax.set(xlabel=name(x), ylabel=name(y))


def no_left_labels(ax: Axes) -> None:
    """For a panel whose neighbour on the left has the same axis."""
    ax.set_ylabel("")
    ax.tick_params(labelleft=False)


def dots(count: int, most: int = 60, **look: Any) -> dict[str, Any]:
    """Marks on a curve while there are so few points that they can be told apart."""
    return {"marker": "o", "ms": 4, **look} if count <= most else {}


def title(ax: Axes, text: str, *, pad: float = 8.0, size: float = TITLE, colour: str = INK) -> None:
    """The message above the axes, wrapped to its width."""
    fit = characters(width_of(ax), size)
    lines = "\n".join(textwrap.fill(line, fit) for line in text.splitlines())
    ax.set_title(pretty(lines), loc="left", fontsize=size, color=colour, pad=pad)


def title_and_key(
    ax: Axes,
    text: str,
    entries: Sequence[Line2D],
    colour: str = INK,
    *,
    rows: int = 0,
    panels: int = 1,
) -> int:
    """The message, and under it the key in rows, both above the axes and off the data.

    ``rows`` is the room for a key that a panel without one leaves, to be level with its neighbour.
    The key may reach over several ``panels`` of one width. Returns the rows of the key.
    """
    handles = list(entries)
    if handles:
        lengths = [len(str(handle.get_label())) + 7 for handle in handles]
        columns = _columns(lengths, characters(panels * width_of(ax), SMALL))
        rows = -(-len(handles) // columns)
        key = ax.legend(
            handles=handles,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            borderaxespad=0.1,
            ncols=columns,
            frameon=False,
            fontsize=SMALL,
            labelcolor=INK,
            handletextpad=0.5,
            columnspacing=1.4,
            borderpad=0.2,
        )
        key.set_in_layout(panels == 1)
    title(ax, text, pad=8.0 + 14.5 * rows, colour=colour)
    return rows


def _columns(lengths: list[int], fit: int) -> int:
    """The most columns of key entries that fit into so many characters."""
    for columns in range(len(lengths), 1, -1):
        if sum(part.max() for part in np.array_split(lengths, columns)) <= fit:
            return columns
    return 1


def class_entry(code: int, label: str) -> Line2D:
    """Key entry of a class."""
    return Line2D(
        [],
        [],
        ls="",
        marker=class_marker(code),
        mfc=class_colour(code),
        mec=INK,
        mew=0.7,
        ms=6.5,
        label=name(label),
    )


def class_entries(labels: Sequence[str]) -> list[Line2D]:
    """Key entries of all classes."""
    return [class_entry(code, label) for code, label in enumerate(labels)]


def line_entry(label: str, **style: Any) -> Line2D:
    """Key entry of a line."""
    return Line2D([], [], **{"color": INK, "lw": 1.8, **style}, label=pretty(label))


def ring_entry(label: str, colour: str = WRONG) -> Line2D:
    """Key entry of a ringed sample."""
    return Line2D([], [], ls="", marker="o", mfc="none", mec=colour, mew=1.6, ms=10, label=label)


def scatter(ax: Any, points: Any, codes: Any, *, size: float = 42.0, **look: Any) -> None:
    """Samples by class, in the plane or in space; many samples are drawn smaller."""
    size = size if len(points) <= 200 else max(8.0, size * (200 / len(points)) ** 0.5)
    for code in sorted(set(codes.tolist())):
        chosen = points[codes == code]
        ax.scatter(
            *chosen.T,
            s=size,
            c=class_colour(code),
            marker=class_marker(code),
            edgecolors=INK,
            linewidths=0.7,
            **{"zorder": 4, **look},
        )


def ring(ax: Any, points: Any, *, colour: str = WRONG, size: float = 130.0) -> None:
    """Circles round samples that the figure is about."""
    if len(points):
        ax.scatter(
            *points.T,
            s=size,
            facecolors="none",
            edgecolors=colour,
            linewidths=1.6,
            zorder=5,
        )


def number(value: float) -> str:
    """A number for a title: four digits, the true minus sign, no −0."""
    return f"{value + 0.0:.4g}".replace("-", "−")


def region_entry(label: str, colour: str, strength: float = 0.3) -> Line2D:
    """Key entry of a shaded region."""
    fill = tint(colour, strength)
    return Line2D([], [], ls="", marker="s", mfc=fill, mec="none", ms=10, label=label)


def vector(values: Any) -> str:
    """A weight vector for a title."""
    return "[" + ", ".join(number(float(value)) for value in values) + "]"


def count(n: int, noun: str) -> str:
    """``1 mistake``, ``2 mistakes``."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def verdict(model: str, n: int, wrong: int) -> str:
    """How many of n samples a model gets wrong."""
    if wrong == 0:
        return f"{model} gets all {n:,} samples right"
    return f"{model} gets {wrong:,} of {count(n, 'sample')} wrong"
