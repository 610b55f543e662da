"""``linscope trace svm``: sequential minimal optimisation on the command line."""

import csv
import io

import pytest

COMMAND = "trace", "svm"


def test_the_widest_margin_of_the_or_table(run):
    """w = [2, 2], b = −1: α = 4, 2, 2, 0 and M = 2/√8 = 0.707107."""
    code, out, _ = run("or", "--kernel", "linear", "--C", "inf")
    assert code == 0
    for part in ("[2 2 0 0] → [4 2 2 0]", "3 of 4 samples", "2/‖w‖ = 0.707107", "verified"):
        assert part in out
    for part in ("2·x1 + 2·x2 > 1 ⇒ 1", "w = [2 2], b = −1", "α = 4 (0), 2 (1), 2 (2)"):
        assert part in out


def test_fractions(run):
    """With C = 1 two samples share the α of the third: ½ + ½ = 1, and D = 2 − ½·½ = 7/4."""
    code, out, _ = run("or", "--kernel", "linear", "--exact")
    assert code == 0
    for part in ("7/4", "[1 1/2 1/2 0]", "w = [1/2 1/2], b = 1/2"):
        assert part in out
    code, out, _ = run("or", "--kernel", "linear", "--exact", "--format", "latex")
    assert r"\tfrac{1}{2}" in out
    assert "w = [1/2 1/2], b = 1/2" in out


def test_dual_values_rise_in_the_csv(run):
    code, out, _ = run("or", "--format", "csv", "--criterion")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    duals = [float(row["dual"]) for row in rows]
    assert duals == sorted(duals)
    assert all(float(row["primal"]) >= float(row["dual"]) - 1e-12 for row in rows)


def test_several_classes_have_a_table_each(run):
    code, out, _ = run("iris", "--rows", 2)
    assert code == 0
    assert all(name in out for name in ("versicolor vs setosa", "virginica vs versicolor"))
    assert "all 3 problems are as claimed" in out


def test_the_figure(run, tmp_path):
    path = tmp_path / "margin.png"
    words = ("--kernel", "poly", "--degree", 2, "--gamma", 1, "--coef0", 1, "--C", "inf")
    code, out, err = run("xor", *words, "--plot", path)
    assert code == 0
    assert path.stat().st_size > 0
    assert "4 of 4 samples" in out
    assert "figure written" in err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("xor", "--kernel", "linear", "--C", "inf", "--max-iter", 500), "--C inf allows no slack"),
        (("or", "--degree", 3), "--degree belongs to --kernel poly"),
        (("or", "--exact"), "--exact needs kernel values that are fractions"),
        (("or", "--updates", "500:510"), "the run ended after"),
        (("iris", "--plot", "a.png"), "--plot needs 1 or 2 features"),
    ],
)
def test_what_cannot_be_shown(run, words, says):
    code, out, err = run(*words)
    assert code == 2
    assert says in " ".join(err.split())
    assert not out
