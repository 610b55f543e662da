"""Is a report true? Its findings against findings that were made again, its page against both.

Three things cannot be made again: how long something took, which versions made it, and the pictures
that another matplotlib drew. Everything else must be the same.
"""

from __future__ import annotations

import math
import re
from dataclasses import fields, is_dataclass
from itertools import zip_longest
from typing import Any

import matplotlib

from linscope._version import __version__
from linscope.selection.comparison.findings import Findings
from linscope.selection.comparison.versions import versions

from .figures.svg import OPENING
from .page import render
from .twin import from_json, twin_of_page

RELATIVE, ABSOLUTE = 1e-6, 1e-9
# Never the same twice, wherever they stand.
MEASURED = ("seconds", "fit_seconds", "predict_seconds", "versions")
# Numbers in a sentence that are rounding errors, such as 3.1e-09.
ROUNDING = re.compile(r"\d(?:\.\d+)?e-(?:0[7-9]|[1-9]\d)")
# All that a figure may hold: a quotation mark or an entity would end it and go on with the page.
FIGURE = re.compile(re.escape(OPENING) + r"[A-Za-z0-9+/=]*(?=\">)")
VERSION = re.compile(r"\d[\w.+!-]{0,39}", re.ASCII)


def differences_between(
    found: Findings, again: Findings, rounded: list[str] | None = None
) -> list[str]:
    """Where two findings differ, each place by its path; empty if they agree.

    Parameters
    ----------
    found : the findings of a report
    again : those of the same study, made again, with the times of the report
    rounded : places that agree, but not to the last digit, are added here

    Notes
    -----
    Numbers agree if they are equal to 1e-6 of their size (or to 1e-9). Text must be equal, but for
    the size of rounding errors. Times and versions are left out.
    """
    places: list[str] = []
    _compare(found, again, "", places, [] if rounded is None else rounded)
    return places + _odd_versions(found)


def _compare(a: Any, b: Any, path: str, places: list[str], rounded: list[str]) -> None:
    if is_dataclass(a) and type(a) is type(b):
        for name in (field.name for field in fields(a) if field.name not in MEASURED):
            where = f"{path}.{name}" if path else name
            _compare(getattr(a, name), getattr(b, name), where, places, rounded)
    elif isinstance(a, dict) and isinstance(b, dict):
        if list(a) != list(b) and a.keys() == b.keys():
            places.append(f"{path}: in another order than recomputed")
        for key in [*a, *(key for key in b if key not in a)]:
            one, other = a.get(key, MISSING), b.get(key, MISSING)
            _compare(one, other, f"{path}.{key}", places, rounded)
    elif isinstance(a, tuple | list) and isinstance(b, tuple | list):
        if len(a) != len(b):
            places.append(f"{path}: {len(a)} entries in the report, {len(b)} recomputed")
        for k, (one, other) in enumerate(zip(a, b, strict=False)):
            _compare(one, other, f"{path}[{k}]", places, rounded)
    elif a != b or isinstance(a, bool) is not isinstance(b, bool):
        said = f"{path}: {_shown(a)} in the report, {_shown(b)} recomputed"
        (rounded if _equal(a, b) else places).append(said)


def _odd_versions(found: Findings) -> list[str]:
    """Versions are not compared, so they can be nothing but versions."""
    odd = [name for name in found.versions if name not in versions()]
    odd += [name for name, text in found.versions.items() if not VERSION.fullmatch(text)]
    return [f"versions: {_shown(name)} is not a version" for name in dict.fromkeys(odd)]


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, str) and isinstance(b, str):
        return _still(a) == _still(b)
    if isinstance(a, bool) or isinstance(b, bool) or None in (a, b) or MISSING in (a, b):
        return a is b
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return bool(a == b)


def _still(text: str) -> str:
    """The text without what the rounding has put into it."""
    return ROUNDING.sub("0", text)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def page_differs(html_text: str) -> str | None:
    """Where a report differs from what its own findings give when they are rendered again.

    Parameters
    ----------
    html_text : the whole file

    Returns
    -------
    None if every character is as it should be; else the first line that is not. Where the report
    was made with another matplotlib the figures are not compared (see ``other_matplotlib``).
    """
    found = from_json(twin_of_page(html_text))
    try:
        again = render(found)
    except Exception as error:  # findings that a study cannot give: any line may fail on them
        return f"the page cannot be drawn from its findings: {type(error).__name__}: {error}"
    there, here = html_text, again
    if other_matplotlib(found):
        there, here = (FIGURE.sub(OPENING, each) for each in (there, here))
    lines = zip_longest(_lines(there), _lines(here), fillvalue="")
    for number, (one, other) in enumerate(lines, start=1):
        if one != other:
            return f"line {number} of the page is {_around(one, other)}{_other_version(found)}"
    return None


def other_matplotlib(findings: Findings) -> str:
    """Why the figures of a report cannot be compared here; empty if they can."""
    made = findings.versions.get("matplotlib")
    if made == matplotlib.__version__:
        return ""
    return f"the figures (matplotlib {made} drew them, here is {matplotlib.__version__})"


def other_versions(findings: Findings) -> str:
    """Versions that the report names and that are not those installed here."""
    other = [name for name, text in versions().items() if findings.versions.get(name) != text]
    return f"the versions of {', '.join(other)}" if other else ""


def _other_version(findings: Findings) -> str:
    made = findings.versions.get("linscope")
    if made == __version__:
        return ""
    return f" (linscope {made} made it, this is {__version__}: pages of two versions may differ)"


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _around(one: str, other: str, reach: int = 30) -> str:
    """What is there and what should be, near the first difference."""
    pairs = zip(one, other, strict=False)
    at = next((k for k, (x, y) in enumerate(pairs) if x != y), min(len(one), len(other)))
    begin = max(at - reach, 0)
    there, here = (each[begin : at + reach] for each in (one, other))
    return f"…{there}…, its findings give …{here}…"
