"""What tests of the command line share."""

import json

import pytest
from cyclopts import App


@pytest.fixture
def read_json():
    """Strict JSON: one document, without NaN and Infinity."""

    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    return lambda text: json.loads(text, parse_constant=refuse)


SCRIPTS: dict[str, str] = {}


@pytest.fixture(scope="module")
def each_script_once():
    """The script for a shell takes a second: what the application made is kept for all tests."""
    make = App.generate_completion

    def kept(self, *, shell):
        if shell not in SCRIPTS:
            SCRIPTS[shell] = make(self, shell=shell)
        return SCRIPTS[shell]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(App, "generate_completion", kept)
        yield
