"""``linscope verify``: a true report is confirmed, and a change of one digit is caught."""

import re
import shutil

import numpy as np
import pytest

from linscope.cli import main

COMMAND = ["verify"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small report, and its table."""
    folder = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(1)
    x, z = rng.normal(size=(2, 90)).round(4)
    label = np.where(x + rng.normal(size=90) > 0, "yes", "no")
    lines = [f"{a},{b},{c}" for a, b, c in zip(x, z, label, strict=True)]
    table, report = folder / "table.csv", folder / "report.html"
    table.write_text("\n".join(["x,z,label", *lines]) + "\n")
    words = [
        "compare",
        table,
        "--target",
        "label",
        "--models",
        "fisher",
        "--folds",
        5,
        "--repeats",
        1,
    ]
    assert main([*map(str, words), "--report", str(report), "--quiet"]) == 0
    return report, table


@pytest.fixture
def copy(made, tmp_path):
    report, table = made
    return shutil.copy(report, tmp_path / "r.html"), shutil.copy(table, tmp_path / "t.csv")


def edit(path, pattern, new):
    """Replace what the pattern's group finds, once."""
    page = path.read_text(encoding="utf-8")
    found = re.search(pattern, page)
    assert found, pattern
    path.write_text(page[: found.start(1)] + new + page[found.end(1) :], encoding="utf-8")
    return found[1]


def test_a_true_report_is_confirmed(run, copy):
    code, out, _ = run(*copy, "--quiet")
    assert code == 0
    said = re.fullmatch(
        r"([\d,]+) numbers recomputed, (\d+) certificates, the page drawn again: all agree\.\n", out
    )
    assert said, out
    assert int(said[1].replace(",", "")) > 100
    assert int(said[2]) == 6  # five folds and the last fit


def test_one_digit_of_the_findings_is_caught(run, copy):
    report, table = copy
    digits = r'"headline": \{\s*"score": \{\s*"mean": 0\.\d(\d)'
    old = re.search(digits, report.read_text(encoding="utf-8"))[1]
    edit(report, digits, str((int(old) + 1) % 10))
    code, out, _ = run(report, table, "--quiet")
    assert code == 1
    assert "headline.score.mean" in out


def test_one_digit_of_the_page_is_caught(run, copy):
    report, table = copy
    page = report.read_text(encoding="utf-8")
    at = re.search(r"<main.*?>[^{}]*?0\.(\d)", page, re.DOTALL).start(1)
    other = str((int(page[at]) + 1) % 10)
    report.write_text(page[:at] + other + page[at + 1 :], encoding="utf-8")
    code, out, _ = run(report, table, "--quiet")
    assert code == 1
    assert "of the page" in out


def test_another_table_is_caught_without_a_study(run, copy):
    report, table = copy
    edit(table, r"\n-?\d\.(\d)", "9" if "\n0.9" not in table.read_text()[:20] else "8")
    code, out, _ = run(report, table, "--quiet")
    assert code == 1
    assert "is not the table of the report" in out


def test_a_study_of_other_options_is_caught(run, copy):
    report, table = copy
    edit(report, r'"command": "linscope compare .*?( --repeats 1)', " --repeats 2")
    code, out, _ = run(report, table, "--quiet")
    assert code == 1
    assert "plan.repeats" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["{folder}/no.html", "{table}"], "no.html"),
        (["{report}", "{folder}/no.csv"], "does not exist"),
        (["{table}", "{table}"], "not a report"),
        (["{report}"], "table"),
        ([], "report"),
    ],
)
def test_bad_input(run, copy, words, says):
    report, table = copy
    code, out, err = run(
        *(word.format(report=report, table=table, folder=report.parent) for word in words)
    )
    assert (code, out) == (2, "")
    assert err.startswith("linscope: ")
    assert err.count("\n") == 1
    assert says in err.lower()


def test_a_report_that_does_not_say_how_it_was_made(run, copy):
    report, table = copy
    edit(report, r'"command": "(.*?)",', "")
    code, _, err = run(report, table)
    assert code == 2
    assert "which command made it" in err
