"""Names that steer terminals, end lines or look like markup go through every command."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from linscope.cli import main
from linscope.selection.report.twin import read_report

NAMES = [
    "a\x01b",
    "v\x0bt",
    "\x1b]0;title\x07",
    "<script>alert(1)</script>",
    "$x_1$ \\bad{",
    "[red]bold[/red]",
    "\u202eabc",
    "😀",
    "new\nline",
    "L" * 10_000,
    "\x9bC1",
    "_hidden",
]
TARGET = "tar\x1b]0;title\x07get"
LABELS = ["no\u202e\x01", "yes\x1b]0;title\x07"]
STEERING = ["\x1b", "\x07", "\x9b", "\x01", "\x0b", "\u202e"]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Two classes, and a number, with these names."""
    folder = tmp_path_factory.mktemp("names")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, len(NAMES))).round(3)
    codes = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    kinds = [["k\x1b]0;title\x07", "<b>", "$m$"][k % 3] for k in range(60)]
    columns = {"classes": [LABELS[k] for k in codes], "number": (2 * X[:, 0] + X[:, 1]).round(3)}
    for name, values in columns.items():
        with open(folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            write = csv.writer(file)
            write.writerow([*NAMES, "kind\x1b", TARGET])
            write.writerows([*row, k, y] for row, k, y in zip(X, kinds, values, strict=True))
    return folder


@pytest.fixture
def call(capsys, tables, monkeypatch):
    """Run a command in the folder of the tables; what it prints steers nothing."""
    monkeypatch.chdir(tables)

    def run(*words):
        code = main([*map(str, words)])
        out, err = capsys.readouterr()
        assert code in (0, 1), err
        assert "internal error" not in err
        assert "Glyph" not in err
        assert [one for one in STEERING if one in out + err] == []
        return out

    return run


@pytest.mark.parametrize(("table", "model"), [("classes", "logistic"), ("number", "regression")])
def test_a_model_from_fit_to_verify(call, table, model):
    asked = f"{table}.csv", "--target", TARGET
    assert r"\x1b]0;title\x07" in call("fit", model, *asked, "--save", "m.linscope", "--force")
    document = json.loads(call("fit", model, *asked, "--json"))
    assert document["target"] == TARGET
    call("predict", "m.linscope", f"{table}.csv", "--out", "p.csv", "--force")
    with open("p.csv", newline="", encoding="utf-8") as file:
        header, first, *_ = csv.reader(file)
    assert header[: len(NAMES)] == NAMES
    assert table == "number" or first[len(NAMES) + 2] in LABELS
    call("evaluate", "m.linscope", f"{table}.csv")
    call("verify", "m.linscope", f"{table}.csv")


@pytest.mark.parametrize("form", ["rich", "markdown", "latex", "csv"])
@pytest.mark.parametrize(("table", "model"), [("classes", "perceptron"), ("number", "regression")])
def test_steps(call, table, model, form):
    words = ["--rows", 3, "--format", form, *(["--max-iter", 2] if table == "classes" else [])]
    call("trace", model, f"{table}.csv", "--target", TARGET, *words)


def test_other_commands(call):
    call("separate", "classes.csv", "--target", TARGET)
    call("diagnose", "number.csv", "--target", TARGET)


@pytest.mark.slow
@pytest.mark.parametrize("table", ["classes", "number"])
def test_a_comparison_and_its_report(call, table):
    asked = (
        f"{table}.csv",
        "--target",
        TARGET,
        "--models",
        "fisher" if table == "classes" else "ridge",
    )
    call("compare", *asked, "--report", "r.html", "--quiet")
    page = Path("r.html").read_text(encoding="utf-8")
    assert [one for one in STEERING if one in page] == []
    found = read_report("r.html")
    assert [column.name for column in found.data.columns] == [*NAMES, "kind\x1b", TARGET]
    call("verify", "r.html", f"{table}.csv", "--quiet")
    assert json.loads(call("compare", *asked, "--json", "--quiet"))["data"]["target"] == TARGET


@pytest.mark.parametrize("words", [["--target", "no\x1b]0;title\x07"], ["--target", "tar"]])
def test_errors(capsys, tables, words):
    assert main(["fit", "logistic", str(tables / "classes.csv"), *words]) == 2
    assert [one for one in STEERING if one in capsys.readouterr().err] == []
