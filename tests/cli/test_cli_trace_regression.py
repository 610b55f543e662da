"""``linscope trace regression``: the derivation and the descent on the command line."""

import csv
import io
import re

import numpy as np
import pytest

COMMAND = "trace", "regression"


FILE = "size,colour,price\n1,red,2\n2,blue,4.5\n3,red,5\n4,blue,9\n6,red,12\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text(FILE)
    return path


def test_the_line_of_the_notes(run):
    code, out, err = run("five_points")
    assert (code, err) == (0, "")
    assert re.search(r"^ Σ +9 +16 +0 +0 +17\.2 +14\.8 +20\.8$", out, re.MULTILINE)
    assert "17.2 / √(14.8·20.8)" in out
    assert "equation     y = 1.10811 + 1.16216·x" in out
    assert "verified: every weight" in out
    assert "linscope diagnose five_points" in out
    assert not re.search(r" $", out, re.MULTILINE)


def test_fractions(run):
    code, out, _ = run("five_points", "--exact")
    assert code == 0
    assert "y = 41/37 + 43/37·x" in out
    assert re.search(r"RSS .* 30/37$", out, re.MULTILINE)


def test_moments_alone(run):
    code, out, _ = run("sbp_age")
    assert code == 0
    assert "y = 98.7139 + 0.970886·age" in out
    assert "moments only" in out
    assert "7570/7797" in run("sbp_age", "--exact")[1]


def test_several_features_of_a_file(run, table):
    code, out, _ = run("--data", table, "--target", "price")
    assert code == 0
    assert "one-hot encoded: colour (2 categories, compared with blue)" in out
    assert "normal equations S_xx β = S_xy" in out
    assert "price = " in out
    code, out, _ = run(table, "--target", "price", "--alpha", "0.5", "--no-intercept")
    assert code == 0
    assert "(S_xx + αI) β = S_xy" in out
    assert "your options  --alpha 0.5 --no-fit-intercept" in out


def test_descent(run):
    options = ["--solver", "stochastic", "--max-iter", 2, "--random-state", 0]
    code, out, err = run("five_points", *options, "--criterion")
    assert (code, err) == (0, "")
    assert "your options  --solver stochastic --max-iter 2 --random-state 0" in out
    assert "10 updates in 2 passes" in out
    assert len(re.findall(r"^ +\d+  \d", out, re.MULTILINE)) == 10
    assert "the minimum in closed form" in out
    rows = list(csv.DictReader(io.StringIO(run("five_points", *options, "--format", "csv")[1])))
    assert len(rows) == 10
    assert f"y = {float(rows[-1]['w0']):.6g} + {float(rows[-1]['w1']):.6g}·x" in out


def test_updates_and_order(run):
    words = ["--solver", "mini-batch", "--batch-size", "2", "--no-shuffle", "--max-iter", "4"]
    code, out, _ = run("five_points", *words, "--updates", "3:5")
    assert code == 0
    assert [int(line.split()[0]) for line in out.splitlines() if re.match(r" \d ", line)] == [
        3,
        4,
        5,
    ]
    assert "--no-shuffle" in out


@pytest.mark.parametrize("form", ["markdown", "latex", "csv"])
def test_documents(run, form):
    code, out, _ = run("diabetes", "--format", form, "--rows", 4)
    assert code == 0
    marks = {"markdown": "| sample |", "latex": r"\begin{align*}", "csv": "sample,x1,"}
    assert marks[form] in out
    if form == "csv":
        assert len(out.splitlines()) == 5
        assert len(run("five_points", "--format", "csv")[1].splitlines()) == 6


def test_figures(run, tmp_path):
    steps = ["five_points", "--solver", "batch", "--max-iter", "5"]
    for words in (["five_points"], steps, ["sbp_age"]):
        path = tmp_path / "line.png"
        code, _, err = run(*words, "--plot", path)
        assert (code, path.read_bytes()[:4]) == (0, b"\x89PNG")
        assert "figure written" in err


@pytest.mark.parametrize("width", [60, 80])
def test_narrow_screens(run, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    for words in (["five_points"], ["diabetes", "--rows", "4"], ["sbp_age"]):
        out = run(*words)[1]
        lines = [line for line in out.splitlines() if not line.startswith("  linscope ")]
        plain = [re.sub("[\u0300-\u036f]", "", line) for line in lines]  # bars have no width
        assert max(map(len, plain)) <= width


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["or"], "has classes, not numbers"),
        (["five_point"], "did you mean 'five_points'"),
        (["five_points", "--eta0", "0.1"], "--eta0 needs --solver batch or stochastic"),
        (["five_points", "--solver", "batch", "--batch-size", "2"], "needs --solver mini-batch"),
        (["five_points", "--solver", "batch", "--no-shuffle"], "needs --solver stochastic"),
        (["five_points", "--updates", "1:3"], "--updates shows steps"),
        (["five_points", "--criterion"], "--criterion shows steps"),
        (["sbp_age", "--alpha", "1"], "--alpha needs rows"),
        (["five_points", "--plot", "x.jpg"], "must end in"),
        (["five_points", "--alpha", "-1"], "--alpha"),
        (
            ["five_points", "--solver", "batch", "--max-iter", "3", "--updates", "9:12"],
            "the run ended after 3 updates",
        ),
    ],
)
def test_bad_input(run, words, message):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_help(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "linscope trace regression five_points" in out


def test_the_numbers_are_those_of_numpy(run, table):
    rows = list(csv.DictReader(io.StringIO(run(table, "--target", "price", "--format", "csv")[1])))
    X = np.array([[1.0, float(row["x1"]), float(row["x2"])] for row in rows])
    y = np.array([float(row["y"]) for row in rows])
    fitted = X @ np.linalg.lstsq(X, y, rcond=None)[0]
    np.testing.assert_allclose([float(row["fitted"]) for row in rows], fitted, rtol=1e-12)
