"""An edited digit is found: in the findings by making them again, in the page by its own twin."""

import json
import random
import re
from dataclasses import replace
from functools import cache

import matplotlib
import pytest

from linscope import __version__
from linscope.selection.report.figures.svg import OPENING as OPENING_OF_FIGURE
from linscope.selection.report.page import render
from linscope.selection.report.twin import OPENING, from_json, to_json
from linscope.selection.report.verify import compare_page, differences_between
from tests.selection.findings_samples import SAMPLES, a_number, small, two_classes

HERE = matplotlib.__version__


def here(found):
    """As if made by what is installed here."""
    versions = {**found.versions, "matplotlib": matplotlib.__version__, "linscope": __version__}
    return replace(found, versions=versions)


@cache
def page():
    return render(here(small()))


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_equal_findings_have_no_difference(sample):
    assert differences_between(sample(), from_json(to_json(sample()))) == []


def leaves(tree, path=""):
    """Every number of a twin with its path."""
    if isinstance(tree, dict):
        for key, part in tree.items():
            yield from leaves(part, f"{path}.{key}" if path else key)
    elif isinstance(tree, list):
        for k, part in enumerate(tree):
            yield from leaves(part, f"{path}[{k}]")
    elif isinstance(tree, int | float) and not isinstance(tree, bool):
        yield path, tree


def put(tree, path, value):
    *way, last = [int(k) if k.isdigit() else k for k in re.findall(r"[^.\[\]]+", path)]
    for step in way:
        tree = tree[step]
    tree[last] = value


@pytest.mark.share(3)
@pytest.mark.parametrize("seed", range(5))
def test_a_change_of_any_number_is_found_with_its_path(seed):
    found = two_classes()
    numbers = [
        (path, value)
        for path, value in leaves(json.loads(to_json(found)))
        if not path.endswith("seconds") and "versions" not in path
    ]
    for path, value in random.Random(seed).sample(numbers, 12):
        tree = json.loads(to_json(found))
        put(tree, path, value + 1 if isinstance(value, int) else value * 1.001 + 1e-5)
        (said,) = differences_between(from_json(json.dumps(tree)), found)
        assert said.startswith(f"{path}: ")
        assert said.endswith(f"{value!r} recomputed")


def test_times_and_versions_may_differ():
    found = two_classes()
    slower = [
        replace(each, seconds=3 * each.seconds, fit_seconds=9.0, predict_seconds=1.0)
        for each in found.candidates
    ]
    again = replace(found, seconds=99.0, versions={"linscope": "9"}, candidates=tuple(slower))
    assert differences_between(found, again) == []


def test_words_that_follow_from_times_are_compared():
    """Whoever makes findings again takes the times from the report, so the words must agree."""
    found = two_classes()
    reasons = tuple(
        reason.replace("41 times", "38 times") for reason in found.recommendation.reasons
    )
    again = replace(found, recommendation=replace(found.recommendation, reasons=reasons))
    assert reasons != found.recommendation.reasons
    (said,) = differences_between(found, again)
    assert said.startswith("recommendation.reasons[")


@pytest.mark.parametrize(
    "odd",
    [
        {"Python": "3.11. Its accuracy is 0.99"},
        {"numpy": ""},
        {"numpy": "0.99_is_its_accuracy"},
        {"score 0.99": "1.0"},
    ],
)
def test_versions_are_nothing_but_versions(odd):
    found = replace(two_classes(), versions={**two_classes().versions, **odd})
    (said,) = differences_between(found, two_classes())
    assert said.startswith("versions: ")


def test_what_agrees_but_for_the_last_digits_is_said():
    found = two_classes()
    score = replace(found.headline.score, mean=found.headline.score.mean * (1 + 1e-12))
    rounded = []
    again = replace(found, headline=replace(found.headline, score=score))
    assert differences_between(found, again, rounded) == []
    (said,) = rounded
    assert said.startswith("headline.score.mean: ")


@pytest.mark.parametrize("place", ["headline.score.low", "headline.naive"])
def test_another_sign_of_zero_is_said(place):
    tree = json.loads(to_json(two_classes()))
    put(tree, place, 0.0)
    found = from_json(json.dumps(tree))
    put(tree, place, -0.0)
    rounded = []
    assert differences_between(from_json(json.dumps(tree)), found, rounded) == []
    assert rounded == [f"{place}: -0.0 in the report, 0.0 recomputed"]


def test_a_whole_number_is_no_float():
    found = two_classes()
    final = replace(found.final, parameters={"C": 1})
    (said,) = differences_between(replace(found, final=final), found)
    assert said == "final.parameters.C: 1 in the report, 1.0 recomputed"


def small_units(found, unit):
    """The same study of a target in a larger unit, and columns in smaller ones."""
    tree = json.loads(to_json(found))
    for one in tree["candidates"]:
        for name in ("rmse", "mae"):
            if score := one["scores"].get(name):
                numbers = {key: score[key] * unit for key in ("mean", "low", "high")}
                one["scores"][name] = numbers | {"folds": [unit * x for x in score["folds"]]}
    for one in tree["final"]["coefficients"]:
        one["effect"] *= unit
        one["value"] *= unit * 1e-3
        one["low"] = one["high"] = None
    return tree


def test_small_numbers_are_compared_by_their_own_size():
    tree = small_units(a_number(), 1e-14)
    found = from_json(json.dumps(tree))
    for path in ("candidates[2].scores.rmse.mean", "final.coefficients[1].value"):
        edited = json.loads(json.dumps(tree))
        old = next(value for place, value in leaves(tree) if place == path)
        put(edited, path, -2 * old)
        (said,) = differences_between(from_json(json.dumps(edited)), found)
        assert said.startswith(path)
    equation = replace(found.final, equation="price = 3.1e-11·age")
    other = replace(found.final, equation="price = 9.9e-08·age")
    (said,) = differences_between(replace(found, final=other), replace(found, final=equation))
    assert said.startswith("final.equation")


def test_words_and_lengths_may_not_differ():
    found = two_classes()
    answer = replace(found.recommendation, answer="Use the perceptron.")
    (said,) = differences_between(replace(found, recommendation=answer), found)
    assert said.startswith("recommendation.answer: 'Use the perceptron.' in the report")
    (said,) = differences_between(replace(found, checks=found.checks[:2]), found)
    assert said == "checks: 2 entries in the report, 4 recomputed"
    final = replace(found.final, parameters={"C": 1.0, "gamma": 2.0})
    (said,) = differences_between(replace(found, final=final), found)
    assert said == "final.parameters.gamma: 2.0 in the report, nothing recomputed"


def test_a_page_agrees_with_its_own_findings():
    assert compare_page(page()) == (None, "")
    assert compare_page(page().replace("\n", "\r\n")) == (None, "")


@pytest.mark.share(3)
@pytest.mark.parametrize("seed", range(3))
def test_an_edited_digit_anywhere_in_the_page_is_found(seed):
    """In the text, in a table, in a figure: outside the twin each digit follows from it."""
    text = page()
    twin = slice(text.index(OPENING), text.index("</script>"))
    digits = [
        m.start() for m in re.finditer(r"\d", text) if not twin.start <= m.start() < twin.stop
    ]
    for at in random.Random(seed).sample(digits, 3):
        other = str((int(text[at]) + 1) % 10)
        said, figures = compare_page(text[:at] + other + text[at + 1 :])
        assert said is not None
        assert figures == ""
        line = text.count("\n", 0, at) + 1
        assert said.startswith(f"line {line} of the page is")


def test_figures_of_another_matplotlib_are_not_confirmed():
    found = replace(small(), versions={**here(small()).versions, "matplotlib": "3.0"})
    text = render(found)
    assert compare_page(text) == (None, "")  # its figures are those that are drawn here
    moved = text.replace(OPENING_OF_FIGURE, OPENING_OF_FIGURE + "AAAA", 1)
    assert moved != text
    differs, figures = compare_page(moved)
    assert differs is None
    assert "matplotlib 3.0 drew them" in figures
    for edited in (
        moved.replace("AAAA", 'AAAA" onerror="x', 1),
        moved.replace("AAAA", "AA&#34;", 1),
        moved.replace("0.773", "0.783", 1),
    ):
        assert compare_page(edited).differs is not None
    assert compare_page(moved.replace('"matplotlib": "3.0"', f'"matplotlib": "{HERE}"')).differs


def test_a_page_of_another_version_is_said_to_be_one():
    found = replace(small(), versions={**here(small()).versions, "linscope": "0.0.1"})
    said = compare_page(render(found).replace("Candidates", "Models", 1)).differs
    assert "linscope 0.0.1 made it" in said
