"""The pages of the documentation: every code block runs and prints what it says."""

import doctest
import re
import warnings
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
# The lines of notes.md have a test of their own.
PAGES = sorted(page for page in DOCS.glob("*.md") if page.name != "notes.md")
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Blocks(doctest.DocTestParser):
    """Examples end where their block does: at a line with three backticks."""

    def parse(self, string, name="<string>"):
        return super().parse(string.replace("\n```", "\n\n"), name)


@pytest.mark.share(2)
@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_code_blocks_print_what_they_say(page):
    examples = Blocks().get_doctest(page.read_text("utf-8"), {}, page.name, str(page), 0)
    assert examples.examples, f"{page.name} has no example: remove it from docs/, or add one"
    said = []
    with warnings.catch_warnings():
        outcome = doctest.DocTestRunner(optionflags=OPTIONS).run(examples, out=said.append)
    assert outcome.failed == 0, "".join(said)


def test_there_are_pages():
    assert PAGES


def test_code_of_the_readme_runs_without_a_warning(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (DOCS.parent / "README.md").read_text("utf-8")
    blocks, names = re.findall(r"```python\n(.*?)```", text, re.DOTALL), {}
    assert len(blocks) >= 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for block in blocks:
            exec(block, names)
    assert (tmp_path / "residuals.png").exists()
    assert len(names["trace"].steps) == 13
