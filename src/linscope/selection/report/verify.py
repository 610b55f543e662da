"""Is a report true? Its findings against findings that were made again, its page against both.

Two things cannot be made again: how long something took, and which versions made it. Figures that
another matplotlib drew may differ in their bytes, which is then said. Everything else must be the
same.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import zip_longest
from typing import Any, NamedTuple

import matplotlib

from linscope._version import __version__
from linscope.selection.comparison.findings import Coefficient, Findings
from linscope.selection.comparison.versions import versions

from .figures.svg import OPENING
from .page import render
from .twin import from_json, twin_of_page

# Of the size of a number, and of the scores of the study.
RELATIVE, ABSOLUTE = 1e-6, 1e-9
# Never the same twice, wherever they stand.
MEASURED = ("seconds", "fit_seconds", "predict_seconds", "versions")
# Numbers in a sentence that are rounding errors, such as 3.1e-09.
ROUNDING = re.compile(r"(?<![\d.])\d(?:\.\d+)?e-(?:0[7-9]|[1-9]\d\d?)(?!\d)")
# All that a figure may hold: a quotation mark or an entity would end it and go on with the page.
FIGURE = re.compile(re.escape(OPENING) + r"[A-Za-z0-9+/=]*(?=\">)")
VERSION = re.compile(
    r"\d{1,9}(\.\d{1,9}){0,5}((a|b|rc|\.post|\.dev)\d{1,9}){0,3}(\+[0-9a-z.]{0,20})?", re.ASCII
)


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
    Numbers agree if they are equal to 1e-6 of their size, or to 1e-9 of the scores where these are
    smaller than 1. Text must be equal, but for rounding errors of that size, and for the size of
    errors that a certificate states. Times and versions are left out.
    """
    places: list[str] = []
    said = _Compared(places, [] if rounded is None else rounded, ABSOLUTE * min(1.0, _unit(again)))
    said.compare(found, again, "")
    return places + _odd_versions(found)


def _unit(found: Findings) -> float:
    """How large the scores are, in the unit of the target."""
    scores = (one.scores.get(found.plan.metric) for one in found.candidates)
    return max((abs(score.mean) for score in scores if score), default=1.0)


@dataclass
class _Compared:
    """Where two findings differ, and where they agree but for rounding.

    noise : what is smaller is rounding
    """

    places: list[str]
    rounded: list[str]
    noise: float

    def compare(self, a: Any, b: Any, path: str) -> None:
        if is_dataclass(a) and type(a) is type(b):
            for name in (field.name for field in fields(a) if field.name not in MEASURED):
                where = f"{path}.{name}" if path else name
                self._of(b).compare(getattr(a, name), getattr(b, name), where)
        elif isinstance(a, dict) and isinstance(b, dict):
            if list(a) != list(b) and a.keys() == b.keys():
                self.places.append(f"{path}: in another order than recomputed")
            for key in [*a, *(key for key in b if key not in a)]:
                self.compare(a.get(key, MISSING), b.get(key, MISSING), f"{path}.{key}")
        elif isinstance(a, tuple | list) and isinstance(b, tuple | list):
            if len(a) != len(b):
                self.places.append(f"{path}: {len(a)} entries in the report, {len(b)} recomputed")
            for k, (one, other) in enumerate(zip(a, b, strict=False)):
                self.compare(one, other, f"{path}[{k}]")
        elif a != b or repr(a) != repr(b):  # 0 is no −0, and 1 is not True
            said = f"{path}: {_shown(a)} in the report, {_shown(b)} recomputed"
            (self.rounded if self._equal(a, b, path) else self.places).append(said)

    def _of(self, part: Any) -> _Compared:
        """A coefficient is as large as its column makes it: its noise is that of its effect."""
        if isinstance(part, Coefficient) and part.value and part.effect:
            unit = min(1.0, abs(part.value / part.effect))
            return replace(self, noise=self.noise * unit)
        return self

    def _equal(self, a: Any, b: Any, path: str) -> bool:
        if isinstance(a, str) and isinstance(b, str):
            most = math.inf if path.startswith("final.certificate.") else self.noise
            return _still(a, most) == _still(b, most)
        if isinstance(a, bool) or isinstance(b, bool) or None in (a, b) or MISSING in (a, b):
            return a is b
        if isinstance(a, float) and isinstance(b, float):
            return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=self.noise)
        return type(a) is type(b) and bool(a == b)


def _odd_versions(found: Findings) -> list[str]:
    """Versions are not compared, so they can be nothing but versions."""
    odd = [name for name in found.versions if name not in versions()]
    odd += [name for name, text in found.versions.items() if not VERSION.fullmatch(text)]
    return [f"versions: {_shown(name)} is not a version" for name in dict.fromkeys(odd)]


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()


def _still(text: str, most: float) -> str:
    """The text without rounding errors, which are smaller than ``most``."""
    return ROUNDING.sub(lambda found: "0" if float(found[0]) < most else found[0], text)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


class Page(NamedTuple):
    """What a report's page shows, against its findings rendered again.

    differs : the first line that is not what the findings give, in words; None if there is none
    figures : why the figures are not confirmed, in words; empty if they are
    """

    differs: str | None
    figures: str


def compare_page(html_text: str) -> Page:
    """Whether every character of a report's file follows from the findings inside it.

    Parameters
    ----------
    html_text : the whole file

    Notes
    -----
    Figures are compared, whatever drew them. If nothing else differs, and another matplotlib than
    the one installed drew them, that may be the reason, and nothing is known of what they show.
    """
    found = from_json(twin_of_page(html_text))
    try:
        again = render(found)
    except Exception as error:  # findings that a study cannot give: any line may fail on them
        why = f"the page cannot be drawn from its findings: {type(error).__name__}: {error}"
        return Page(why, "")
    difference = _first_difference(html_text, again)
    made = found.versions.get("matplotlib")
    if difference is None or made == matplotlib.__version__:
        return Page(difference and difference + _other_version(found), "")
    without = _first_difference(*(FIGURE.sub(OPENING, each) for each in (html_text, again)))
    if without is not None:
        return Page(without + _other_version(found), "")
    return Page(
        None, f"the figures (matplotlib {made} drew them, here is {matplotlib.__version__})"
    )


def _first_difference(there: str, here: str) -> str | None:
    lines = zip_longest(_lines(there), _lines(here), fillvalue="")
    for number, (one, other) in enumerate(lines, start=1):
        if one != other:
            return f"line {number} of the page is {_around(one, other)}"
    return None


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
