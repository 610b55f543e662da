"""The JSON twin gives the findings back, and refuses everything else."""

import json
import math
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from linscope.selection.report import twin
from linscope.selection.report.twin import from_json, schema, to_json
from tests.selection.findings_samples import SAMPLES, hostile, two_classes

PUBLISHED = Path(__file__).resolve().parents[3] / "docs" / "comparison.schema.json"


@pytest.mark.parametrize("sample", [*SAMPLES.values(), hostile])
def test_the_findings_come_back_bit_for_bit(sample):
    found = sample()
    assert from_json(to_json(found)) == found


@pytest.mark.parametrize("value", [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 1e23])
def test_floats_keep_every_bit(value):
    found = replace(two_classes(), seconds=value)
    again = from_json(to_json(found)).seconds
    assert math.copysign(1, again) == math.copysign(1, value)
    assert again.hex() == value.hex()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_json_cannot_say_is_an_error_that_names_the_place(value):
    found = two_classes()
    bad = replace(found, headline=replace(found.headline, naive=value))
    with pytest.raises(ValueError, match=r"headline\.naive is"):
        to_json(bad)


def test_values_that_are_not_plain_are_an_error_that_names_the_place():
    found = two_classes()
    bad = replace(found, final=replace(found.final, parameters={"C": {1.0}}))
    with pytest.raises(TypeError, match=r"final\.parameters\.C is a set"):
        to_json(bad)


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_the_published_schema_describes_the_twin(sample):
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(published)
    jsonschema.Draft202012Validator(published).validate(json.loads(to_json(sample())))


def test_the_published_schema_is_up_to_date():
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == schema(), (
        "run: python -m linscope.selection.report.schema > docs/comparison.schema.json"
    )


def edited(change):
    tree = json.loads(to_json(two_classes()))
    change(tree)
    return tree


def drop(tree):
    del tree["plan"]["rope"]


def add(tree):
    tree["plan"]["ropes"] = 1


def retype(tree):
    tree["candidates"][2]["scores"]["accuracy"]["mean"] = "high"


def truth(tree):
    tree["plan"]["folds"] = True


def shorten(tree):
    tree["candidates"][-2]["edges"]["gamma"] = [1]


def huge(tree):
    tree["seconds"] = 10**400


EDITS = {
    drop: r"plan lacks rope",
    add: r"plan has ropes, which is unknown",
    retype: r'candidates\[2\]\.scores\.accuracy\.mean must be number, it is "high"',
    truth: r"plan\.folds must be integer, it is true",
    shorten: r"candidates\[9\]\.edges\.gamma must have 2 entries, it has 1",
    huge: r"seconds is too large",
}


@pytest.mark.parametrize("change", EDITS, ids=lambda change: change.__name__)
def test_another_shape_is_refused_here_and_by_the_schema(change):
    tree = edited(change)
    with pytest.raises(ValueError, match=EDITS[change]):
        from_json(json.dumps(tree))
    if change is not huge:  # a number without end is a number of JSON
        assert not jsonschema.Draft202012Validator(schema()).is_valid(tree)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"format": "other"}',
        "[" * 100_000,
        '{"format": NaN}',
        '{"a":1,"a":2}',
    ],
)
def test_other_text_is_refused_with_one_error(text):
    with pytest.raises(ValueError, match="not the JSON of a linscope comparison"):
        from_json(text)


def test_pages_without_or_with_two_twins_are_refused(tmp_path):
    path = tmp_path / "page.html"
    for text in ("<html></html>", 2 * (twin.OPENING + "{}</script>")):
        path.write_text(text)
        with pytest.raises(ValueError, match="not a report of linscope compare"):
            twin.read_report(path)
    path.write_text(twin.OPENING + "{}")
    with pytest.raises(ValueError, match="cut off"):
        twin.read_report(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="not text"):
        twin.read_report(path)
