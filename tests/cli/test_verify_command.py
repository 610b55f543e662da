"""``linscope verify``: a true report is confirmed, and a change of one digit is caught."""

import re
import shutil
from base64 import b64encode
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import linscope as ls
from linscope.cli import main
from linscope.data import read_table
from linscope.selection.report.figures.svg import OPENING
from linscope.selection.report.page import render
from linscope.selection.report.rows import OtherRows, rows_of_report
from linscope.selection.report.twin import read_report

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


def test_a_true_report_is_confirmed(run, made, copy):
    code, out, _ = run(*copy, "--quiet")
    assert code == 0
    first, _, rest = " ".join(out.split()).partition(". ")
    assert (
        first == f"Not compared: the name of the table ('{made[1]}' in the report); times, "
        "which are measured"
    )
    said = re.fullmatch(
        r"([\d,]+) numbers recomputed, (\d+) certificates, the page drawn again: all agree\.",
        rest,
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


def test_figures_of_another_matplotlib_that_differ_are_not_confirmed(run, copy):
    report, table = copy
    found = read_report(report)
    page = render(replace(found, versions={**found.versions, "matplotlib": "3.0"}))
    report.write_text(page, encoding="utf-8")
    assert run(report, table, "--quiet")[0] == 0  # they are what is drawn here
    other = b64encode(b"<svg xmlns='http://www.w3.org/2000/svg'><text>0.99</text></svg>").decode()
    edit(report, re.escape(OPENING) + "([A-Za-z0-9+/=]*)", other)
    code, out, _ = run(report, table, "--quiet")
    assert code == 3
    assert " ".join(out.split()).startswith("Not compared: the figures (matplotlib 3.0 drew them")


def test_another_table_is_caught_without_a_study(run, copy):
    report, table = copy
    edit(table, r"\n-?\d\.(\d)", "9" if "\n0.9" not in table.read_text()[:20] else "8")
    code, out, _ = run(report, table, "--quiet")
    assert code == 1
    assert "these are not the rows of the report" in out
    assert "but other values" in out


def test_a_study_of_other_options_is_caught(run, copy):
    report, table = copy
    edit(report, r'"asked": \{[^}]*"repeats": (1)', "2")
    code, out, _ = run(report, table, "--quiet")
    assert code == 1
    assert "plan.repeats" in out


def test_a_command_that_is_not_what_was_asked_is_caught(run, copy):
    report, table = copy
    edit(report, r'"command": "linscope compare .*? --repeats (1)', "2")
    edit(report, r'"python": "ls\.compare\(.*?repeats=(1)', "2")
    code, out, _ = run(report, table, "--quiet")
    assert code == 1
    assert "command: " in out
    assert "python: " in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["{folder}/no.html", "{table}"], "no.html"),
        (["{report}", "{folder}/no.csv"], "does not exist"),
        (["{table}", "{table}"], "not a report"),
        (["{report}"], "table"),
        ([], "file requires an argument"),
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


# Reports that were made in Python


FLAGGED = {
    "ill": [k % 3 == 0 or k % 7 == 0 for k in range(60)],
    "x": [(k % 3) + k / 7 for k in range(60)],
    "flag": [k % 5 < 2 for k in range(60)],
    "city": ["abc"[k % 4 % 3] for k in range(60)],
}
QUICK = {"models": ["fisher"], "repeats": 1, "verbose": False}


@pytest.fixture(scope="module")
def frame_report(tmp_path_factory):
    path = tmp_path_factory.mktemp("frame") / "report.html"
    found = ls.compare(pd.DataFrame(FLAGGED), target="ill", **QUICK)
    assert found.findings.data.classes == ("False", "True")
    return found.report(path)


def save(frame, path, kind):
    """As people save tables; truth values come out as True, as true, or as they are."""
    if kind == "pandas":
        frame.to_csv(path.with_suffix(".csv"))  # with a column of row numbers
    elif kind == "polars":
        pl.from_pandas(frame).write_csv(path.with_suffix(".csv"))
    else:
        frame[frame.columns[::-1]].to_parquet(path.with_suffix(".parquet"))
    return next(path.parent.glob(f"{path.name}.*"))


@pytest.mark.parametrize("kind", ["pandas", "polars", "parquet"])
def test_the_rows_of_a_frame_are_found_in_a_file(frame_report, tmp_path, kind):
    path = save(pd.DataFrame(FLAGGED), tmp_path / "table", kind)
    found = rows_of_report(read_table(path), read_report(frame_report).data, "table")
    assert found.names == list(FLAGGED)
    assert found.columns["ill"].tolist() == [str(value) for value in FLAGGED["ill"]]
    assert found.columns["flag"].tolist() == FLAGGED["flag"]
    assert found.columns["x"].tolist() == FLAGGED["x"]


def test_a_report_of_a_frame_is_confirmed(run, frame_report, tmp_path):
    table = save(pd.DataFrame(FLAGGED | {"more": range(60)}), tmp_path / "table", "polars")
    code, out, err = run(frame_report, table, "--quiet")
    assert code == 0, out + err
    assert "columns of the table that the report does not have (more)" in out


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda frame: frame[:-1], "t.csv has 59 rows, the report 60"),
        (lambda frame: frame.drop(columns="flag"), "t.csv has no column 'flag'"),
        (lambda frame: frame.assign(x=frame.x + 1e-9), "but other values"),
        (lambda frame: frame.assign(flag=~frame.flag), "but other values"),
    ],
)
def test_other_rows_than_those_of_the_frame_are_said_to_be_others(
    frame_report, tmp_path, change, says
):
    change(pd.DataFrame(FLAGGED)).to_csv(tmp_path / "t.csv", index=False)
    data = read_report(frame_report).data
    with pytest.raises(OtherRows, match=f"these are not the rows of the report.*{says}"):
        rows_of_report(read_table(tmp_path / "t.csv"), data, "t.csv")


@pytest.fixture(scope="module")
def iris_report(tmp_path_factory):
    """Of three classes and two arrays: there is no command."""
    iris = ls.datasets.load("iris")
    found = ls.compare(iris.X, iris.y, **QUICK)
    assert found.findings.command == ""
    return found.report(tmp_path_factory.mktemp("iris") / "report.html")


def iris_table(path):
    np.savetxt(path, np.column_stack(ls.datasets.load("iris")), delimiter=",")  # without a header
    return path


@pytest.mark.slow
def test_a_report_of_two_arrays_is_confirmed(run, iris_report, tmp_path):
    page = iris_report.read_text(encoding="utf-8")
    assert "ls.compare(X, y, models=[&#39;fisher&#39;], repeats=1)" in page
    assert 'id="copy-command"' not in page
    code, out, err = run(iris_report, iris_table(tmp_path / "t.csv"), "--quiet")
    assert code == 0, out + err


EDITS = {
    r'"auc": 0\.\d(\d)': r"panels\.against_rest\[\d\]\.auc",
    r'"high": \[\s*0\.0(\d)': r"panels\.against_rest\[\d\]\.calibration\.high\[0\]",
    r'"precision": \[(?:\s*1\.0,)*\s*0\.(\d)': r"panels\.against_rest\[\d\]\.pr\.precision",
    r'"macro": \{\s*"auc": 0\.\d\d(\d)': r"panels\.macro\.auc",
}


@pytest.mark.slow
def test_one_digit_of_a_class_against_the_rest_is_caught(run, iris_report, tmp_path):
    report = shutil.copy(iris_report, tmp_path / "r.html")
    for pattern in EDITS:
        page = report.read_text(encoding="utf-8")
        start = page.index('"against_rest"')
        old = re.compile(pattern).search(page, start)
        new = str((int(old[1]) + 1) % 10)
        report.write_text(page[: old.start(1)] + new + page[old.end(1) :], encoding="utf-8")
    code, out, _ = run(report, iris_table(tmp_path / "t.csv"), "--quiet")
    assert code == 1
    assert all(re.search(place, out) for place in EDITS.values()), out


@pytest.mark.slow
def test_a_report_of_a_sheet_is_confirmed_by_the_workbook(run, tmp_path):
    book, report = tmp_path / "book.xlsx", tmp_path / "report.html"
    frame = pd.DataFrame(FLAGGED)
    with pd.ExcelWriter(book) as writer:
        pd.DataFrame({"note": ["see the next sheet"]}).to_excel(
            writer, sheet_name="read me", index=False
        )
        frame.to_excel(writer, sheet_name="all rows", index=False)
    words = ["compare", book, "--sheet", "all rows", "--target", "ill", "--models", "fisher"]
    words += ["--repeats", 1, "--report", report, "--quiet"]
    assert main([*map(str, words)]) == 0
    assert run(report, book, "--quiet")[0] == 0
    code, out, _ = run(report, book, "--sheet", "read me", "--quiet")
    assert (code, "these are not the rows" in out) == (1, True)
    code, _, err = run(report, book, "--sheet", "all row", "--quiet")
    assert code == 2
    assert "did you mean 'all rows'" in err
    assert "its sheets are 'read me', 'all rows'" in err


def test_a_whole_study_is_not_partial(run, copy):
    report, table = copy
    found = read_report(report)
    report.write_text(render(replace(found, partial=True)), encoding="utf-8")
    code, out, _ = run(report, table, "--quiet")
    assert code == 1
    assert "partial: True in the report, False recomputed" in out
