"""Is a report true? Its findings against findings that were made again, its page against both.

What was measured (times) and what the machine is (versions) may differ; everything else may not.
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

from .page import render
from .twin import from_json, twin_of_page

RELATIVE, ABSOLUTE = 1e-6, 1e-9
# Never the same twice, wherever they stand.
MEASURED = ("seconds", "fit_seconds", "predict_seconds", "versions")
# How many times as costly, in a sentence; and numbers that are rounding errors, such as 3.1e-09.
TIMES = re.compile(r"[\d.,]+ times (?=cheaper|dearer|faster|slower|as )")
ROUNDING = re.compile(r"\d(?:\.\d+)?e-(?:0[7-9]|[1-9]\d)")
FIGURE = re.compile(r'<svg role="img" .*?</svg>', re.DOTALL)


def differences_between(found: Findings, again: Findings) -> list[str]:
    """Where two findings differ, each place by its path; empty if they agree.

    Parameters
    ----------
    found : the findings of a report
    again : those of the same study, made again

    Notes
    -----
    Numbers agree if they are equal to 1e-6 of their size (or to 1e-9). Text must be equal, but for
    how many times as long a fit took and for the size of rounding errors. What depends on the
    clock is left out: times, what the budget left out and why, a change of the answer by cost.
    """
    places: list[str] = []
    _compare(found, again, "", places)
    return places


def _compare(a: Any, b: Any, path: str, places: list[str]) -> None:
    if is_dataclass(a) and type(a) is type(b):
        _compare_fields(a, b, path, places)
    elif isinstance(a, dict) and isinstance(b, dict):
        for key in [*a, *(key for key in b if key not in a)]:
            _compare(a.get(key, MISSING), b.get(key, MISSING), f"{path}.{key}", places)
    elif isinstance(a, tuple | list) and isinstance(b, tuple | list):
        if len(a) != len(b):
            places.append(f"{path}: {len(a)} entries in the report, {len(b)} recomputed")
        for k, (one, other) in enumerate(zip(a, b, strict=False)):
            _compare(one, other, f"{path}[{k}]", places)
    elif not _equal(a, b):
        places.append(f"{path}: {_shown(a)} in the report, {_shown(b)} recomputed")


def _compare_fields(a: Any, b: Any, path: str, places: list[str]) -> None:
    for field in fields(a):
        name = field.name
        one, other = getattr(a, name), getattr(b, name)
        if name in MEASURED or (name == "why" and getattr(a, "state", "") == "left out"):
            continue
        if name == "flips":
            one, other = ([flip for flip in each if flip.kind != "cost"] for each in (one, other))
        _compare(one, other, f"{path}.{name}" if path else name, places)


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
    """The text without what the clock and the rounding have put into it."""
    return ROUNDING.sub("0", TIMES.sub("… times ", text))


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
    was made with another matplotlib the figures are not compared (see ``not_compared``).
    """
    found = from_json(twin_of_page(html_text))
    there, here = (_lines(text) for text in (html_text, render(found)))
    if not_compared(found):
        there, here = (_lines(FIGURE.sub("", "\n".join(each))) for each in (there, here))
    for number, (one, other) in enumerate(zip_longest(there, here, fillvalue=""), start=1):
        if one != other:
            return f"line {number} of the page is {_around(one, other)}{_other_version(found)}"
    return None


def not_compared(findings: Findings) -> str:
    """What of a report's page cannot be compared here, in words; empty if all of it can."""
    made = findings.versions.get("matplotlib")
    if made == matplotlib.__version__:
        return ""
    return (
        f"the figures were drawn by matplotlib {made}, here is {matplotlib.__version__}: they are "
        "not compared"
    )


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
