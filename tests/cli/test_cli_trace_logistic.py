"""``linscope trace logistic``: gradient ascent on the command line."""

import csv
import io

import numpy as np
import pytest

COMMAND = "trace", "logistic"


def test_the_first_visits_of_the_or_table(run):
    """From w = 0: h = ½, so w = [−½ 0 0]; then h = σ(−½) = 0.377541."""
    words = ("--solver", "stochastic", "--no-shuffle", "--eta0", 1, "--C", "inf", "--max-iter", 2)
    code, out, _ = run("or", *words, "--criterion")
    assert code == 0
    for part in ("w·x", "h(x)", "0.377541", "[     −0.5        0        0]", "no penalty"):
        assert part in out
    assert "separates the classes" in " ".join(out.split())
    assert "not finished" in out


def test_numbers_are_those_of_the_formula(run):
    code, out, _ = run("or", "--eta0", 0.5, "--max-iter", 4, "--format", "csv")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    A, y = np.array([[1.0, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]]), np.array([0, 1, 1, 1])
    w = np.zeros(3)
    for row in rows:
        w = w + 0.5 * (A.T @ (y - 1 / (1 + np.exp(-A @ w))) - np.r_[0, w[1:]])
        np.testing.assert_allclose([float(row[f"w{j}"]) for j in range(3)], w, rtol=1e-12)
    assert len(rows) == 4


def test_several_classes(run):
    code, out, _ = run("iris", "--solver", "mini-batch", "--rows", 2, "--max-iter", 3)
    assert code == 0
    assert all(f"equation {name}" in out for name in ("setosa", "versicolor", "virginica"))
    code, out, _ = run("iris", "--multi-class", "ovo", "--rows", 1, "--max-iter", 3)
    assert code == 0
    assert "for virginica, the rest of 1 for" in out
    assert "all 3 problems are as claimed" in out


def test_newton_and_the_likelihood(run):
    """The minimum is that of scikit-learn: w = [0.698692, 0.422018, 0.422018], l(W) = −1.86047."""
    code, out, _ = run("or", "--solver", "newton")
    assert code == 0
    # the seventh digit of the bias is shown or not by the last bits of the fit
    for part in ("‖∇P‖", "λ", "0.422018·x1 + 0.422018·x2 > −0.69869", "l(W) = −1.86047"):
        assert part in out
    code, out, _ = run("iris", "--solver", "trust-region", "--rows", 2)
    assert code == 0
    assert "products" in out
    code, out, _ = run("iris", "--solver", "auto", "--rows", 2)  # few weights: Newton's method
    assert code == 0
    assert "products" not in out
    assert run("iris", "--solver", "newton")[0] == 2


def test_figures(run, tmp_path):
    path = tmp_path / "way.png"
    code, _, err = run("or", "--C", "inf", "--max-iter", 5, "--plot", path, "--format", "csv")
    assert code == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert "figure written" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("or", "--exact"), "is not rational"),
        (("or", "--batch-size", "3"), "--batch-size needs --solver mini-batch"),
        (("or", "--updates", "900:901"), "choose from 1:"),
        (("or", "--C", "0"), "Must be > 0"),
        (("nothing",), "nothing"),
    ],
)
def test_bad_input(run, words, message):
    code, _, err = run(*words)
    assert code == 2
    assert message in " ".join(err.split())


def test_help(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "--solver" in out
    assert "--C" in out


def test_a_rough_tolerance_is_stated(run):
    _, out, _ = run("or", "--max-iter", 3)
    assert "Converged: the objective is within 1 % of its minimum" in out


def test_the_reason_why_it_stopped_names_the_options(run):
    _, out, _ = run("or", "--max-iter", 1)
    assert "raise --max-iter" in out
    assert "max_iter" not in out
