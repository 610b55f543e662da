"""A Display as a picture inside a page.

A figure is an image of its own (``<img src="data:image/svg+xml;base64,…">``): whatever is in it, it
can neither style the page nor run in it, nor cover more than its own box. Colours are variables
that the figure holds for light and for dark ground; text stays text; the bytes depend on the figure
alone.
"""

from __future__ import annotations

import re
import warnings
from base64 import b64encode
from functools import cache
from io import StringIO
from typing import Any
from xml.etree import ElementTree

import matplotlib
from markupsafe import Markup, escape
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from linscope._printable import printable
from linscope.display import theme
from linscope.display.base import Display

from ..templating import source

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
OPENING = "data:image/svg+xml;base64,"
DARK = "@media screen and (prefers-color-scheme:dark)"
BASE = (
    "svg{font-family:var(--sans)}*{stroke-linejoin:round;stroke-linecap:butt}"
    "text{fill:var(--ink);font-variant-numeric:tabular-nums}"
)


def _variables() -> dict[str, str]:
    """What stands for each colour of a figure: a variable, or one mixed with the ground."""
    found = {}
    for colour, name in COLOURS.items():
        for strength in STRENGTHS:
            mixed = f"color-mix(in srgb, var(--{name}) {round(100 * strength)}%, var(--paper))"
            found[to_hex(theme.tint(colour, strength))] = mixed
    return {**found, **{colour: f"var(--{name})" for colour, name in COLOURS.items()}}


VARIABLES = _variables()


def inline(display: Display, words: str, size: tuple[float, float]) -> Markup:
    """The figure as an ``img`` element that says in words what it shows.

    Parameters
    ----------
    display : what to draw; its title is left to the page's caption
    words : what the figure shows, for those who do not see it
    size : width and height in inches
    """
    picture = b64encode(_picture(display, size).encode()).decode()
    width, height = size
    return Markup(
        f'<img class="figure" alt="{escape(printable(words))}" '
        f'style="aspect-ratio:{width:g}/{height:g}" src="{OPENING}{picture}">'
    )


def _picture(display: Display, size: tuple[float, float]) -> str:
    """The SVG document, with its own style."""
    root = ElementTree.fromstring(_drawn(display, size))
    rules = _tidy(root)
    box = root.attrib["viewBox"]
    root.attrib = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": box}
    style = ElementTree.Element("style")
    style.text = _style(rules)
    root.insert(0, style)
    return ElementTree.tostring(root, encoding="unicode")


def _drawn(display: Display, size: tuple[float, float]) -> str:
    with matplotlib.rc_context(), warnings.catch_warnings():
        # Text stays text: the reader's own fonts have the letters.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
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
    # A mark of ``theme.pretty`` may stay; XML has no place for control characters.
    return printable(buffer.getvalue(), "\n\u200b")


def _tidy(root: ElementTree.Element) -> dict[str, str]:
    """Plain tags, short names and numbers, a class for each style: the styles by their classes."""
    used = re.findall(r"#([\w.-]+)", " ".join(_references(root)))
    ids = {old: f"i{k}" for k, old in enumerate(dict.fromkeys(used))}
    classes: dict[str, str] = {}
    for parent in root.iter():
        for child in list(parent):
            if child.tag.endswith("}style") or child.tag.endswith("}metadata"):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        given = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
        style = FONT.sub("", given.pop("style", "")).strip().replace("; ", ";").replace(": ", ":")
        element.attrib = {
            key: _value(key, value, ids) for key, value in given.items() if key != "id"
        }
        if given.get("id") in ids:
            element.attrib["id"] = ids[given["id"]]
        if style:
            coloured = HEX.sub(lambda found: VARIABLES.get(found[0], found[0]), style)
            element.attrib["class"] = classes.setdefault(coloured, f"c{len(classes)}")
        if element.tag not in ("text", "tspan"):
            element.text = (element.text or "").strip() or None
        element.tail = None
    _unwrap(root)
    return {name: style for style, name in classes.items()}


def _unwrap(parent: ElementTree.Element) -> None:
    """Groups that say nothing give way to what is in them."""
    inside: list[ElementTree.Element] = []
    for child in parent:
        _unwrap(child)
        inside += list(child) if child.tag == "g" and not child.attrib else [child]
    parent[:] = inside


def _references(root: ElementTree.Element) -> list[str]:
    return [
        value
        for element in root.iter()
        for key, value in element.attrib.items()
        if value.startswith("url(#") or key.endswith("href")
    ]


def _value(key: str, value: str, ids: dict[str, str]) -> str:
    if key.endswith("href") or value.startswith("url(#"):
        return re.sub(r"#([\w.-]+)", lambda found: f"#{ids[found[1]]}", value)
    if key in PLACES:
        return " ".join(LONG.sub(lambda found: f"{float(found[0]):.2f}", value).split())
    return value


def _style(rules: dict[str, str]) -> str:
    """The rules of a figure's classes, after those variables of the page that they use."""
    wanted = set(re.findall(r"var\(--(\w+)\)", BASE + " ".join(rules.values())))
    light, dark = ({k: v for k, v in each.items() if k in wanted} for each in palettes())
    written = "".join(f".{name}{{{rule}}}" for name, rule in rules.items())
    return f":root{{{_listed(light)}}}{DARK}{{:root{{{_listed(dark)}}}}}{BASE}{written}"


def _listed(variables: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in variables.items())


@cache
def palettes() -> tuple[dict[str, str], dict[str, str]]:
    """The variables of the page's style sheet on light and on dark ground."""
    light, dark = re.findall(r":root \{(.*?)\}", source("style.css"), re.DOTALL)[:2]
    read = lambda block: dict(re.findall(r"--(\w+): (.*?);", block))  # noqa: E731
    return read(light), read(dark)
