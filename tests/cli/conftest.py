"""What tests of the command line share."""

import json

import pytest


@pytest.fixture
def read_json():
    """Strict JSON: one document, without NaN and Infinity."""

    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    return lambda text: json.loads(text, parse_constant=refuse)
