"""A share of the campaign on reports: nothing that a reader sees changes unnoticed.

``python -m tests.redteam.pages`` runs for as long as you like, with any seed.
"""

from random import Random

import pytest

from linscope.selection.report.twin import from_json, twin_of_page

from . import pages

CODES = {0: pages.AGREES, 1: pages.REFUSED, 2: pages.REFUSED, 3: pages.UNCONFIRMED}


@pytest.mark.parametrize("most", [12, pytest.param(300, marks=pytest.mark.slow)])
def test_no_mutant_is_unnoticed(most):
    report = pages.run(600, 5, most, looks=4 * (most > 12))
    assert report.counts["mutants"] == most
    assert report.findings == []


@pytest.mark.share(3)
@pytest.mark.parametrize("change", range(6))
def test_the_command_line_judges_as_the_campaign_does(change, tmp_path):
    table, text, _ = pages.real(tmp_path)
    random = Random(change)
    way = pages.CHANGES[(2 * change) % len(pages.CHANGES)]
    data = text.replace("\n", "\r\n").encode() if change == 0 else way(random, text)[1]
    path = tmp_path / "mutant.html"
    path.write_bytes(data)
    again = from_json(twin_of_page(text))
    code, said = pages.called("verify", str(path), str(table), "--quiet")
    assert CODES[code] == pages.verdict_on(path, again), said


def test_what_would_be_a_finding():
    """The campaign decides by itself what a reader sees."""
    _, text = pages.page(pages.small)
    assert pages.fault_of(text.replace("\n", "\r\n"), text) == ""
    assert pages.fault_of(text.replace("</style>", "h1{color:red}</style>", 1), text)
    assert pages.fault_of(text.replace("<h1", "<h1 hidden", 1), text)
    assert pages.fault_of(text.replace('"mean": 0.', '"mean": 0.9', 1), text)
