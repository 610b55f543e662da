"""A Display as SVG inside a page.

Colours become variables of the page, so that a figure is right on light and on dark ground; text
stays text, in the page's type; the bytes depend on the figure alone.
"""

from __future__ import annotations

import re
from io import StringIO
from typing import Any
from xml.etree import ElementTree

import matplotlib
from markupsafe import Markup, escape
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from linscope.display import theme
from linscope.display.base import Display

# Names of the page's colours (``templates/style.css``).
COLOURS = {
    theme.BLUE: "blue",
    theme.ORANGE: "orange",
    theme.RED: "red",
    theme.GREY: "grey",
    theme.PURPLE: "purple",
    theme.GOOD: "good",
    theme.INK: "ink",
    theme.SOFT: "soft",
    theme.FAINT: "faint",
    "#000000": "ink",
    "#ffffff": "paper",
    "#a96b59": "brown",
    "#92dadd": "aqua",
    "#e76300": "amber",
    "#b9ac70": "sand",
    "#717581": "slate",
}
STRENGTHS = (0.1, 0.12, 0.17, 0.25, 0.3, 0.55)
HEX, LONG = re.compile(r"#[0-9a-f]{6}\b"), re.compile(r"-?\d+\.\d{3,}")
FONT = re.compile(r"font-family: [^;]*;? ?")
# Attributes whose numbers are places in printer's points: a hundredth is enough.
PLACES = ("d", "x", "y", "width", "height", "transform")
SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "linscope", "axes.unicode_minus": True}
NOTHING: Any = dict.fromkeys(("Date", "Creator", "Type", "Format"))


def _variables() -> dict[str, str]:
    """What stands for each colour of a figure: a variable, or one mixed with the ground."""
    found = {}
    for colour, name in COLOURS.items():
        for strength in STRENGTHS:
            mixed = f"color-mix(in srgb, var(--{name}) {round(100 * strength)}%, var(--paper))"
            found[to_hex(theme.tint(colour, strength))] = mixed
    return {**found, **{colour: f"var(--{name})" for colour, name in COLOURS.items()}}


VARIABLES = _variables()


def inline(display: Display, name: str, words: str, size: tuple[float, float]) -> Markup:
    """The figure as an ``svg`` element that says in words what it shows.

    Parameters
    ----------
    display : what to draw; its title is left to the page's caption
    name : begins all names inside the figure, so that two figures of a page do not mix
    words : what the figure shows, for those who do not see it
    size : width and height in inches
    """
    root = ElementTree.fromstring(_drawn(display, size))
    _tidy(root, name)
    root.attrib = {"viewBox": root.attrib["viewBox"], "class": "figure"}
    text = ElementTree.tostring(root, encoding="unicode")
    start = f'<svg role="img" aria-label="{escape(words)}" '
    return Markup(start + text.removeprefix("<svg "))


def _drawn(display: Display, size: tuple[float, float]) -> str:
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # the reader's own settings are theirs; the page's bytes are ours
        matplotlib.rcParams.update(SETTINGS)
        figure = Figure(figsize=size, layout="constrained")
        figure.patch.set_visible(False)
        axes = figure.subplots(*display.grid, squeeze=False).ravel()
        display.plot(axes)
        for ax in axes:
            ax.patch.set_visible(False)
            if display.panels == 1:
                ax.set_title("", loc="left")
        buffer = StringIO()
        figure.savefig(buffer, format="svg", metadata=NOTHING)
    return buffer.getvalue()


def _tidy(root: ElementTree.Element, name: str) -> None:
    """Plain tags, colours of the page, short numbers, and only the names that are used."""
    used = set(re.findall(r"#([\w.-]+)", " ".join(_references(root))))
    for parent in root.iter():
        for child in list(parent):
            if child.tag.endswith("}style") or child.tag.endswith("}metadata"):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {
            key.rpartition("}")[2]: _value(key, value, name)
            for key, value in element.attrib.items()
            if key != "id" or value in used
        }
        if element.tag not in ("text", "tspan"):
            element.text = (element.text or "").strip() or None
        element.tail = None


def _references(root: ElementTree.Element) -> list[str]:
    return [
        value
        for element in root.iter()
        for key, value in element.attrib.items()
        if value.startswith("url(#") or key.endswith("href")
    ]


def _value(key: str, value: str, name: str) -> str:
    if key == "style":
        return HEX.sub(lambda found: VARIABLES.get(found[0], found[0]), FONT.sub("", value)).strip()
    if key == "id":
        return f"{name}-{value}"
    if key.endswith("href") or value.startswith("url(#"):
        return value.replace("#", f"#{name}-", 1)
    if key in PLACES:
        return " ".join(LONG.sub(lambda found: f"{float(found[0]):.2f}", value).split())
    return value
