"""Mutants of reports: none that shows a reader something else may be confirmed.

``python -m tests.redteam.pages --seconds 60 --seed 0`` prints counts and findings. A mutant is

    bytes    the file changed anywhere: text, tags, styles, scripts, encodings, the JSON as text
    twin     the findings changed, and the page drawn from them, so that both agree
    figure   an image changed, in a report that names another matplotlib
    study    as twin, of a real report and its table, judged by the exit code of the command line

``linscope verify`` must refuse it (exit 1 or 2), say that figures are not confirmed (exit 3), or
the page must be the same to every reader. Where it agrees with exit 0, this file decides by itself
what has changed: only line ends; or times; or numbers that are equal to 1e-6, or to 1e-9 where they
are no larger than that (scores of the samples are about 1 or more).
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import io
import json
import math
import re
import sys
import tempfile
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import matplotlib
import numpy as np

from linscope import __version__
from linscope.cli import main as command_line
from linscope.selection.report import verify
from linscope.selection.report.page import render
from linscope.selection.report.twin import (
    CLOSING,
    OPENING,
    from_json,
    read_text,
    to_json,
    twin_of_page,
)
from linscope.selection.report.verify import compare_page, differences_between
from tests.selection.findings_samples import a_number, small, three_classes, two_classes

REFUSED, UNCONFIRMED, AGREES = "refused", "figures not confirmed", "agrees"
UNNOTICED, CRASH = "UNNOTICED", "CRASH"
KINDS = {"bytes": 0.6, "twin": 0.28, "figure": 0.08, "study": 0.04}
# Fields that follow from what was asked, and those of which the answer is made: tried more often.
HUNCHES = ("partial", "asked", "command", "python", "data", "plan", "recommendation")
SAMPLES = (*[small] * 9, two_classes, three_classes, a_number)
MEASURED = {"seconds", "fit_seconds", "predict_seconds"}
IMAGE = re.compile(r"data:image/svg\+xml;base64,[A-Za-z0-9+/=]*")


@dataclass
class Report:
    """What a campaign has counted and found; ``alike`` are pages that should look the same."""

    counts: Counter = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    alike: list[tuple[str, bytes, bytes]] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{count:8d} {what}" for what, count in sorted(self.counts.items())]
        return "\n".join([*lines, *self.findings])


def run(seconds: float, seed: int, most: int | None = None, looks: int = 8) -> Report:
    """Mutants until the time is over, or so many; a few that agree are looked at in a browser."""
    report, stop, number = Report(), time.monotonic() + seconds, 0
    with drawn_once(), tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < stop and (most is None or number < most):
            attack(seed, number, report, Path(folder))
            number += 1
        look_at(report, looks, Path(folder))
    return report


@contextlib.contextmanager
def drawn_once() -> Iterator[None]:
    """The page of equal findings is drawn once: most mutants have the findings of their sample."""
    known: dict[str, str] = {}

    def draw(found: Any) -> str:
        key = sha256(to_json(found).encode()).hexdigest()
        if key not in known:
            known[key] = render(found)
        if len(known) > 50:
            del known[next(iter(known))]
        return known[key]

    before, verify.render = verify.render, draw
    try:
        yield
    finally:
        verify.render = before


def attack(seed: int, number: int, report: Report, folder: Path) -> None:
    """Make one mutant, and judge it."""
    random = Random(f"{seed} {number}")
    kind = random.choices(list(KINDS), list(KINDS.values()))[0]
    place = f"pages --seed {seed} --only {number}: {kind}"
    report.counts["mutants"] += 1
    try:
        what, verdict, fault = {"bytes": _bytes, "twin": _twin, "figure": _figure, "study": _study}[
            kind
        ](random, folder, report)
    except Exception as error:
        report.counts[CRASH] += 1
        report.findings.append(f"{CRASH}: {place}: {type(error).__name__}: {error}")
        return
    report.counts[f"{kind}: {verdict}"] += 1
    if fault:
        report.counts[UNNOTICED] += 1
        report.findings.append(f"{UNNOTICED}: {place}, {what}: {fault}")


# the verdict


def verdict_on(path: Path, again: Any) -> str:
    """What the command line says of a report, whose study gives these findings again."""
    try:
        text = read_text(path)
        claimed = from_json(twin_of_page(text))
    except ValueError:
        return REFUSED
    page = compare_page(text)
    if page.differs is not None or differences_between(claimed, again):
        return REFUSED
    return UNCONFIRMED if page.figures else AGREES


def leaves(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a twin with its path."""
    if isinstance(tree, dict):
        yield path, tuple(tree)
        for key, part in tree.items():
            yield from leaves(part, f"{path}.{key}")
    elif isinstance(tree, list):
        yield path, len(tree)
        for k, part in enumerate(tree):
            yield from leaves(part, f"{path}.{k}")
    else:
        yield path, tree


def fault_of(mutant: str, original: str, said: str = "") -> str:
    """What of an accepted page shows something else; empty if nothing does.

    said : by the command; what it names there is no secret
    """
    ends = [re.sub("\r\n|\r", "\n", text).rstrip("\n") for text in (mutant, original)]
    if ends[0] == ends[1]:
        return ""
    twins = [dict(leaves(json.loads(twin_of_page(text)))) for text in (mutant, original)]
    for path in dict.fromkeys([*twins[0], *twins[1]]):
        one, other = (twin.get(path, "nothing") for twin in twins)
        if repr(one) == repr(other) or path.rpartition(".")[2] in MEASURED:
            continue
        if path == ".versions" and set(one) <= set(other):
            continue
        if path.startswith(".versions.") and re.fullmatch(r"[\d.]{1,20}", str(one)):
            continue
        if {type(one), type(other)} == {float} and math.isclose(
            one, other, rel_tol=1e-6, abs_tol=1e-9
        ):
            continue
        if said and str(one) in said:
            continue
        return f"{path}: {one!r} in place of {other!r}"
    # What is left may follow from times; styles, scripts and tags may not.
    skeletons = [
        re.sub(r"(?s)<style>.*?</style>|<script>.*?</script>|<[^>]*>", _tag, text) for text in ends
    ]
    tags = [re.findall("<[^>]*>", text) for text in skeletons]
    return "" if tags[0] == tags[1] else "other tags"


def _tag(found: re.Match[str]) -> str:
    """A tag without the numbers that follow from others; styles and scripts as they are."""
    text = found[0]
    if text.startswith(("<style>", "<script>")):
        return f"<{hash(text)}>"
    return re.sub(r"[\d.]+", "0", IMAGE.sub("", text))


# mutants of the file


@cache
def page(sample: Callable[[], Any], **versions: str) -> tuple[Any, str]:
    """Findings as if made by what is installed here, and their page."""
    found = sample()
    here = {"matplotlib": matplotlib.__version__, "linscope": __version__, **versions}
    found = replace(found, versions={**found.versions, **here})
    return found, render(found)


INSERTED = (
    "<style>.big{color:#0000}.big::after{content:'0.99';color:green}</style>",
    "<style>@import 'https://example.org/x.css';</style>",
    "<script>document.querySelector('.big').textContent='0.99'</script>",
    "<base href='https://example.org/'>",
    "<meta http-equiv=refresh content='0;url=https://example.org'>",
    "<link rel=stylesheet href=data:text/css,.big{display:none}>",
    "<iframe srcdoc='<b>0.99</b>' style='position:fixed;inset:0'></iframe>",
    "<img src=x onerror=alert(1)>",
    "<svg><style>.big{display:none}</style></svg>",
    "<math><mtext><style>.big{display:none}</style></mtext></math>",
    "<div style='position:fixed;inset:0;background:#fff'>0.99</div>",
    "<plaintext>", "<!--", "-->", "<template>", "</main>", "</body></html>", "<noscript>",
    "<title>0.99</title>", "<dialog open>0.99</dialog>", "<p hidden>", "<br>", "<wbr>", "&nbsp;",
    "\ufeff", "\0", "\u200b", "\u200d", "\u202e", "\u2066", "\xad", "\u0301", "\u3000", "\x0c",
    "\t", " ", "\n", "\r", "\r\n", "\u2028", "0.99", "−", "&#48;", "&zwnj;", "]]>", "<![CDATA[",
)  # fmt: skip
SWAPPED = (
    ("<h1", "<H1"), ("<h1", "<h1 hidden"), ('class="big"', 'class="big" style="display:none"'),
    ('class="big"', 'class="big" class="soft"'), ('class="big"', "class='big'"), ("<p>", "<p >"),
    ("style-src 'unsafe-inline'", "style-src *"), ("default-src 'none'", "default-src *"),
    ("base-uri 'none'", ""), ("<meta charset=\"utf-8\">", "<meta charset=\"utf-7\">"),
    ("<meta charset=\"utf-8\">", ""), ("<!doctype html>\n", ""), (" lang=\"en\">", " dir=rtl>"),
    ("--ink: #", "--ink: #f"), (".big {", ".big { display: none;"),
    ("</style>", "h1{display:none}</style>"),
    ("use strict", "use sloppy"), ("Copied", "Done"), ("&lt;", "<"), ("&amp;", "&"), ("%", "‰"),
    ("0", "O"), ("0", "𝟎"), (".", "․"), ("-", "‐"), ("−", "-"), ("a", "а"), ("</td>", ""),
    ("</html>", "</html>\n<p>0.99</p>"), ("</body>", ""), ("<details>", "<details open>"),
    (OPENING, OPENING + "{}</script>" + OPENING), (OPENING, "<!--" + OPENING),
    (OPENING, OPENING.upper()), (CLOSING, "</SCRIPT>"), (": true", ": false"), ("null", "0.0"),
    ("\": 1.0", "\": 1"), ("0.5", "5e-1"), ("\": 0.", "\": -0."), ("\": 0", "\": 00"),
    ("\"seconds\": ", "\"seconds\": 1, \"seconds\": "), ("\"mean\": ", "\"mean\": NaN, \"mean\": "),
    ("\"rows\": ", "\"rows\": 1e2, \"more\": "), (",\n", ",\n\n"), ("\": \"", "\": \"\\u200b"),
)  # fmt: skip


def _bytes(random: Random, folder: Path, report: Report) -> tuple[str, str, str]:
    found, text = page(random.choice(SAMPLES))
    what, data = random.choice(CHANGES)(random, text)
    path = folder / "mutant.html"
    path.write_bytes(data)
    verdict = verdict_on(path, found)
    if verdict != AGREES:
        return what, verdict, ""
    if data != text.encode():
        report.alike.append((what, data, text.encode()))
    else:
        verdict = "unchanged"
    return what, verdict, fault_of(data.decode(), text)


def _place(random: Random, text: str) -> int:
    """Anywhere, but often where it is read: the answer, a heading, a table, the JSON."""
    if random.random() < 0.5:
        return random.randrange(len(text) + 1)
    wanted = random.choice(("<h1", 'class="big"', "<td", "<li>", "<style>", "<script", "</html>"))
    places = [found.start() for found in re.finditer(re.escape(wanted), text)]
    return min(random.choice(places) + random.randrange(60), len(text))


def _digit(random: Random, text: str) -> tuple[str, bytes]:
    digits = [found.start() for found in re.finditer(r"\d", text)]
    at = random.choice(digits)
    new = str((int(text[at]) + random.randrange(1, 10)) % 10)
    return f"digit at {at}", (text[:at] + new + text[at + 1 :]).encode()


def _insert(random: Random, text: str) -> tuple[str, bytes]:
    at, new = _place(random, text), random.choice(INSERTED)
    return f"{new!r} at {at}", (text[:at] + new + text[at:]).encode()


def _at_an_end(random: Random, text: str) -> tuple[str, bytes]:
    new = random.choice(INSERTED)
    first = random.random() < 0.5
    return f"{new!r} at the {'start' if first else 'end'}", (
        new + text if first else text + new
    ).encode()


def _swap(random: Random, text: str) -> tuple[str, bytes]:
    known = [pair for pair in SWAPPED if pair[0] in text]
    old, new = random.choice(known)
    at = random.choice([found.start() for found in re.finditer(re.escape(old), text)])
    return f"{old!r} → {new!r} at {at}", (text[:at] + new + text[at + len(old) :]).encode()


def _cut(random: Random, text: str) -> tuple[str, bytes]:
    at, size = _place(random, text), random.choice((1, 1, 5, 50, 5000))
    return f"{size} characters less at {at}", (text[:at] + text[at + size :]).encode()


def _again(random: Random, text: str) -> tuple[str, bytes]:
    at, size = _place(random, text), random.choice((1, 10, 100))
    part = text[at : at + size]
    return f"{part!r} twice", (text[: at + size] + part + text[at + size :]).encode()


def _lines(random: Random, text: str) -> tuple[str, bytes]:
    lines = text.split("\n")
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return f"lines {i} and {j}", "\n".join(lines).encode()


def _encoded(random: Random, text: str) -> tuple[str, bytes]:
    ways: dict[str, Callable[[], bytes]] = {
        "utf-16": lambda: text.encode("utf-16"),
        "utf-8-sig": lambda: text.encode("utf-8-sig"),
        "cp1252": lambda: text.encode("cp1252", "xmlcharrefreplace"),
        "utf-7": lambda: text.encode("utf-7"),
        "crlf": lambda: text.replace("\n", "\r\n").encode(),
        "cr": lambda: text.replace("\n", "\r").encode(),
        "some crlf": lambda: text.replace("\n", "\r\n", random.randrange(90)).encode(),
        "no last line end": lambda: text.rstrip("\n").encode(),
        "line ends at the end": lambda: (text + "\n" * 5).encode(),
        "a byte": lambda: _one_byte(random, text.encode()),
    }
    name = random.choice(list(ways))
    return name, ways[name]()


def _one_byte(random: Random, data: bytes) -> bytes:
    at = random.randrange(len(data))
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


def _image(random: Random, text: str) -> tuple[str, bytes]:
    found = random.choice(list(IMAGE.finditer(text)))
    return "an image", (text[: found.start()] + _lie(random) + text[found.end() :]).encode()


def _lie(random: Random) -> str:
    inside = random.choice(("<text y='20'>0.99</text>", "<rect width='9' height='9'/>", ""))
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 90 90'>{inside}</svg>"
    return "data:image/svg+xml;base64," + b64encode(svg.encode()).decode()


CHANGES = (_digit, _digit, _insert, _insert, _at_an_end, _swap, _swap, _swap, _cut, _again, _lines,
           _encoded, _image)  # fmt: skip


# mutants of the findings, with a page that agrees with them


def _changed(random: Random, tree: Any) -> tuple[str, Any]:
    """A twin with one value changed, or an entry more or less."""
    tree = copy.deepcopy(tree)
    way: list[tuple[Any, Any]] = []
    here = tree
    while isinstance(here, dict | list) and here and (not way or random.random() < 0.98):
        keys = list(here) if isinstance(here, dict) else range(len(here))
        keys = [key for key in keys if key != "format"]
        known = [key for key in keys if key in HUNCHES] if not way and random.random() < 0.4 else []
        way.append((here, random.choice(known or keys)))
        here = here[way[-1][1]]
    inside, key = way[-1]
    inside[key] = _other(random, here)
    name = ".".join(str(key) for _, key in way)
    return f"{name}: {here!r:.60} → {inside[key]!r:.60}", tree


def _other(random: Random, value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice((value + 1, value - 1, -value, 0, 10 * value, value + 10**12))
    if isinstance(value, float):
        factor = random.choice((1 + 1e-12, 1 + 1e-7, 1.0001, 1.1, -1, 0, 1e-30, 1e30))
        return random.choice((value * factor, value + 1e-3, -0.0, value + 1e-10))
    if isinstance(value, str):
        at = random.randrange(len(value) + 1)
        new = random.choice(("\u200b", "\u202e", "0.99", " ", "e-09", "not ", "<b>", "\n", "\x1b"))
        words = value.replace("0", "9", 1), value.upper(), "", value + "!"
        return random.choice((value[:at] + new + value[at:], *words))
    if isinstance(value, list):
        return random.choice((value[1:], value[:-1], value + value[-1:], value[::-1], []))
    if isinstance(value, dict):
        pairs = list(value.items())
        return random.choice((dict(pairs[::-1]), dict(pairs[1:]), {**value, "accuracy": 0.99}))
    return random.choice((0, 0.0, "", 1.5, False))


def _mutant_page(tree: Any) -> str | None:
    """The page of a changed twin; None if there is none."""
    try:
        return verify.render(from_json(json.dumps(tree)))
    except Exception:
        return None


def _twin(random: Random, folder: Path, report: Report) -> tuple[str, str, str]:
    found, text = page(random.choice(SAMPLES))
    what, tree = _changed(random, json.loads(to_json(found)))
    drawn = _mutant_page(tree)
    if drawn is None:
        return what, "cannot be drawn", ""
    path = folder / "mutant.html"
    path.write_text(drawn, encoding="utf-8", newline="\n")
    verdict = verdict_on(path, found)
    if verdict == AGREES and drawn == text:
        verdict = "unchanged"
    return what, verdict, fault_of(drawn, text) if verdict == AGREES else ""


def _figure(random: Random, folder: Path, report: Report) -> tuple[str, str, str]:
    found, text = page(random.choice(SAMPLES), matplotlib="3.0")
    images = list(IMAGE.finditer(text))
    one = random.choice(images)
    more = random.choice(("", "", "", '" onerror="alert(1)', '"><h1>0.99</h1><img src="', "&#34;"))
    new = random.choice((_lie(random), random.choice(images)[0], one[0][:-40])) + more
    drawn = text[: one.start()] + new + text[one.end() :]
    path = folder / "mutant.html"
    path.write_text(drawn, encoding="utf-8", newline="\n")
    verdict = verdict_on(path, found)
    if verdict == AGREES and drawn == text:
        verdict = "unchanged"
    fault = "a figure that is not drawn here" if verdict == AGREES else ""
    if verdict == UNCONFIRMED and IMAGE.sub("", drawn) != IMAGE.sub("", text):
        fault = "more than a figure"
    return what_of(new), verdict, fault


def what_of(new: str) -> str:
    return f"{new[:40]}…{new[-30:]}"


# a real study


@cache
def real(folder: Path) -> tuple[Path, str, str]:
    """A small table, and the report of it."""
    rng = np.random.default_rng(1)
    x, z = rng.normal(size=(2, 80)).round(3)
    label = np.where(x + rng.normal(size=80) > 0, "yes", "no")
    table, path = folder / "table.csv", folder / "report.html"
    rows = (f"{a},{b},{c}" for a, b, c in zip(x, z, label, strict=True))
    table.write_text("\n".join(["x,z,label", *rows]) + "\n")
    words = "--target", "label", "--models", "fisher", "--folds", "3", "--repeats", "1"
    code, said = called("compare", str(table), *words, "--report", str(path), "--quiet")
    assert code == 0, said
    text = path.read_text(encoding="utf-8")
    code, said = called("verify", str(path), str(table), "--quiet")
    assert code == 0, said
    return table, text, said


def called(*words: str) -> tuple[int, str]:
    """Exit code and all that a command prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = command_line(list(words))
    return code, " ".join(out.getvalue().split())


def _study(random: Random, folder: Path, report: Report) -> tuple[str, str, str]:
    table, text, usual = real(folder)
    what, tree = _changed(random, json.loads(twin_of_page(text)))
    drawn = _mutant_page(tree)
    if drawn is None:
        return what, "cannot be drawn", ""
    path = folder / "study.html"
    path.write_text(drawn, encoding="utf-8", newline="\n")
    code, said = called("verify", str(path), str(table), "--quiet")
    if "internal error" in said:
        return what, CRASH, said
    if code:
        return what, UNCONFIRMED if code == 3 else REFUSED, ""
    verdict = "unchanged" if drawn == text else AGREES if said == usual else "agrees, and says more"
    return what, verdict, fault_of(drawn, text, said)


# the browser


def look_at(report: Report, most: int, folder: Path) -> None:
    """Screenshots of mutants that agree: they must be those of the page itself."""
    from tests.browser import BROWSER, QUIET

    chosen = list({what.split(" at ")[0]: (what, *both) for what, *both in report.alike}.values())
    if BROWSER is None or not chosen or not most:
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER, args=QUIET)
        view = browser.new_page(viewport={"width": 1200, "height": 900})
        for what, *both in chosen[:most]:
            shots = []
            for data in both:
                path = folder / "look.html"
                path.write_bytes(data)
                view.goto(path.as_uri())
                shots.append(view.screenshot(full_page=True))
            report.counts["looked at in a browser"] += 1
            if shots[0] != shots[1]:
                report.counts[UNNOTICED] += 1
                report.findings.append(f"{UNNOTICED}: looks different: {what}")
        browser.close()


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.redteam.pages", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mutants", type=int, help="so many, if the time suffices")
    parser.add_argument("--only", type=int, help="just the mutant of this number")
    options = parser.parse_args(given)
    if options.only is None:
        report = run(options.seconds, options.seed, options.mutants)
    else:
        report = Report()
        with tempfile.TemporaryDirectory() as folder:
            attack(options.seed, options.only, report, Path(folder))
    print(report)
    return int(bool(report.findings))


if __name__ == "__main__":
    sys.exit(main())
