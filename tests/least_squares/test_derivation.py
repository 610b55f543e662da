"""Derivations show the notes' quantities, and end at the exact solution of the same table."""

from __future__ import annotations

import re
from fractions import Fraction
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from scipy import sparse

import linscope as ls
from linscope.tracing import derivation_numbers
from linscope.tracing.derivation_elimination import Elimination
from tests.linear_fits import nist
from tests.reference import exact_least_squares


def five_points(**options):
    return ls.trace(ls.LinearRegression(), ls.datasets.load("five_points"), **options)


def table(n, d, seed=0):
    """Quarters, which are the same number read as a decimal and as stored."""
    rng = np.random.default_rng(seed)
    return rng.integers(-20, 20, (n, d)) / 4.0, rng.integers(-20, 20, n) / 4.0


class TestTheNotes:
    def test_quantities(self):
        steps = five_points(exact=True).steps
        fifth = Fraction(1, 5)
        expected = {
            "n": 5, "mean_x": 9 * fifth, "mean_y": 16 * fifth, "S_xy": 86 * fifth,
            "S_xx": 74 * fifth, "S_yy": 104 * fifth, "slope": Fraction(43, 37),
            "intercept": Fraction(41, 37), "rss": Fraction(30, 37),
        }  # fmt: skip
        assert {name: steps[name].value for name in expected} == expected
        rounded = {"s_x": 1.92, "s_y": 2.28, "r": 0.98}
        assert {name: round(steps[name].value, 2) for name in rounded} == rounded

    def test_columns(self):
        frame = five_points().to_frame(backend="dict")
        np.testing.assert_allclose(frame["dx"], [-0.8, 0.2, -2.8, 1.2, 2.2], rtol=1e-15)
        np.testing.assert_allclose(frame["dxdy"], [0.96, 0.16, 8.96, 0.96, 6.16], rtol=1e-15)
        assert frame["fitted"].round(2).tolist() == [2.27, 3.43, -0.05, 4.59, 5.76]
        assert frame["residual"].round(2).tolist() == [-0.27, 0.57, 0.05, -0.59, 0.24]

    def test_the_screen_shows_them(self):
        text = str(five_points())
        assert re.search(r"^ Σ +9 +16 +0 +0 +17\.2 +14\.8 +20\.8$", text, re.MULTILINE)
        assert re.search(r"S_xy / √\(S_xx·S_yy\) +17\.2 / √\(14\.8·20\.8\) +0\.980316", text)
        assert re.search(r"^ Σ +9 +16 +16 +0 +0\.810811$", text, re.MULTILINE)

    def test_steps_by_number_and_name(self):
        steps = five_points().steps
        assert steps[0].name == "n"
        assert [step.name for step in steps] == steps.names
        assert steps["residuals"].value.shape == (5,)
        with pytest.raises(KeyError, match="no step is called 'slop'"):
            steps["slop"]


@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("alpha", "weighted"), [(0.0, False), (0.75, False), (0.5, True)])
def test_the_answer_is_the_rational_one(d, intercept, alpha, weighted):
    X, y = table(9, d, seed=d)
    weight = np.array([1, 2, 0, 3, 1, 0.5, 1, 1, 2]) if weighted else None
    rows = np.arange(9) if weight is None else np.flatnonzero(weight)
    c = None if weight is None else weight[rows]
    exact = exact_least_squares(X[rows], y[rows], c, fit_intercept=intercept, alpha=alpha)
    for options in ({"exact": True}, {}):
        run = ls.trace(
            ls.Ridge(alpha, fit_intercept=intercept), X, y, sample_weight=weight, **options
        )
        steps = run.steps
        slopes = [steps["slope"].value] if d == 1 else steps["slopes"].value.tolist()
        bias = [steps["intercept"].value] if intercept else []
        kind = Fraction if options else float
        assert [*bias, *slopes] == [kind(v) for v in exact.weights]
        assert steps["rss"].value == kind(exact.rss)
        sums = run.to_frame(backend="dict")["residual2"]
        assert kind(sum(sums)) == pytest.approx(float(exact.rss), rel=1e-14)
        fitted = np.array(steps["fitted"].value, dtype=float)
        np.testing.assert_allclose(fitted, run.estimator.predict(X[rows]), rtol=1e-12, atol=1e-13)


def test_the_fit_itself_is_this_answer():
    for name in ("norris", "longley", "pontius"):
        X, y, _ = nist(name)
        run = ls.trace(ls.LinearRegression(), X, y)
        steps = run.steps
        slopes = [steps["slope"].value] if X.shape[1] == 1 else steps["slopes"].value
        np.testing.assert_allclose(slopes, run.estimator.coef_, rtol=1e-15)
        np.testing.assert_allclose(steps["intercept"].value, run.estimator.intercept_, rtol=1e-15)


def test_decimals_are_read_as_written():
    steps = ls.trace(
        ls.LinearRegression(), [[0.1], [0.2], [0.3]], [0.3, 0.5, 0.7], exact=True
    ).steps
    assert (steps["slope"].value, steps["intercept"].value) == (2, Fraction(1, 10))
    assert (steps["rss"].value, steps["r"].value) == (0, 1)
    X, y = np.array([[0.1], [0.2], [0.4]], np.float32), np.array([0.3, 0.5, 0.9], np.float32)
    steps = ls.trace(ls.Ridge(0.1), X, y, exact=True).steps
    assert steps["alpha"].value == Fraction(1, 10)
    assert steps["mean_y"].value == Fraction(17, 30)
    assert steps["rss"].value.denominator < 10**6


def test_a_weight_of_two_is_the_row_twice():
    X, y = table(6, 2)
    twice = np.r_[np.arange(6), 1, 4]
    weighted = ls.trace(ls.LinearRegression(), X, y, sample_weight=[1, 2, 1, 1, 2, 1], exact=True)
    repeated = ls.trace(ls.LinearRegression(), X[twice], y[twice], exact=True)
    for name in ("slopes", "intercept", "rss", "mean_x", "S_xx"):
        assert np.all(weighted.steps[name].value == repeated.steps[name].value)


class TestManyRows:
    """Large tables are calculated in floats and looked at in pieces."""

    @pytest.fixture
    def data(self):
        rng = np.random.default_rng(3)
        X = rng.normal(size=(40_000, 2)) + np.array([1e8, -3.0])
        return X, X @ [2.0, -1.0] + rng.normal(size=40_000)

    def test_sums(self, data):
        X, y = data
        run = ls.trace(ls.LinearRegression(), X, y)
        Z = np.column_stack([X, y]) - np.array([1e8, -3.0, 2e8])
        covariance = np.cov(Z.T) * (len(y) - 1)
        np.testing.assert_allclose(run.steps["S_xx"].value, covariance[:2, :2], rtol=1e-9)
        np.testing.assert_allclose(run.steps["S_xy"].value, covariance[:2, 2], rtol=1e-6)
        np.testing.assert_array_equal(run.steps["slopes"].value, run.estimator.coef_)
        rss = np.sum((y - run.estimator.predict(X)) ** 2)
        assert run.steps["rss"].value == pytest.approx(rss, rel=1e-6)

    def test_only_some_rows_are_shown(self, data):
        run = ls.trace(ls.LinearRegression(), *data)
        text = run.to_markdown(part="fit")
        assert "… 39,975 more" in text
        assert text.count("\n| ") == 2 + 25 + 1 + 1
        part = run.to_markdown(part="fit", start=100, stop=102)
        assert [line.split()[1] for line in part.splitlines()[-3:]] == ["99", "100", "101"]
        frame = run.to_frame(start=100, stop=102, backend="dict")
        assert frame["sample"].tolist() == [99, 100, 101]
        np.testing.assert_array_equal(frame["x1"], data[0][99:102, 0])

    @pytest.mark.slow
    def test_blocks_do_not_matter(self, data, monkeypatch):
        X, y = data[0][:3000], data[1][:3000]
        whole = ls.trace(ls.LinearRegression(), X, y, sample_weight=np.full(3000, 2.0)).steps
        monkeypatch.setattr(derivation_numbers, "ROWS_AT_ONCE", 700)
        parts = ls.trace(ls.LinearRegression(), X, y, sample_weight=np.full(3000, 2.0)).steps
        np.testing.assert_allclose(whole["S_xx"].value, parts["S_xx"].value, rtol=1e-12)

    def test_sparse(self, data):
        X, y = data[0] * (np.abs(data[0]) < 3), data[1]
        dense = ls.trace(ls.LinearRegression(fit_intercept=False), X, y)
        rows = ls.trace(ls.LinearRegression(fit_intercept=False), sparse.csr_matrix(X), y)
        np.testing.assert_allclose(dense.steps["S_xx"].value, rows.steps["S_xx"].value, rtol=1e-12)


class TestElimination:
    def test_pivots_multiply_to_the_determinant(self):
        X, y = table(12, 5)
        run = ls.trace(ls.LinearRegression(), X, y, exact=True)
        pivots = [run.elimination.triangle[j, j] for j in range(5)]
        S = np.array(run.steps["S_xx"].value, dtype=float)
        assert float(np.prod(pivots)) == pytest.approx(np.linalg.det(S), rel=1e-10)
        assert len(run.elimination) == 4

    def test_every_step_keeps_the_solution(self):
        X, y = table(12, 4)
        run = ls.trace(ls.Ridge(0.5), X, y, exact=True)
        x = run.steps["slopes"].value
        for step in run.elimination:
            A, b = step.matrix[:, :4], step.matrix[:, 4]
            assert (A.dot(x) == b).all()
            assert not A[step.column + 1 :, step.column].any()

    def test_dependent_columns(self):
        X, y = table(8, 3)
        X = np.column_stack([X, X[:, 0] + 2 * X[:, 1], np.full(8, 0.1)])
        centred = X - X.mean(axis=0)
        shortest = np.linalg.lstsq(centred, y - y.mean(), rcond=None)[0]
        for exact in (True, False):
            run = ls.trace(ls.LinearRegression(), X, y, exact=exact)
            assert run.elimination.dependent == [3, 4]
            np.testing.assert_allclose(
                run.steps["slopes"].value.astype(float), shortest, atol=1e-12
            )
            text = run.to_markdown(part="elimination")
            assert "x4 depends on earlier ones." in text
            assert "x5 does not vary." in text

    def test_columns_dependent_but_for_rounding(self):
        X, y = table(8, 2)
        X = np.column_stack([X, 0.1 * X[:, 0] + 0.2 * X[:, 1]])
        run = ls.trace(ls.LinearRegression(), X, y)
        assert run.estimator.certificate_.status is ls.Status.RANK_DEFICIENT
        assert run.estimator.certificate_.ulps == 1
        np.testing.assert_array_equal(run.steps["slopes"].value, run.estimator.coef_)
        assert run.elimination.dependent == [2]

    def test_a_feature_that_does_not_vary(self):
        run = ls.trace(ls.LinearRegression(), [[0.1]] * 4, [1, 2, 3, 5])
        assert run.steps["slope"].value == 0
        assert run.steps["intercept"].value == 2.75
        assert "any: x does not vary" in str(run)
        assert "r" not in run.steps.names

    def test_loss_of_digits_is_said(self, monkeypatch):
        monkeypatch.setattr(derivation_numbers, "FEW_PRODUCTS", 0)
        X, y, _ = nist("filip")
        run = ls.trace(ls.LinearRegression(), X, y)
        assert "loses digits" in str(run)
        np.testing.assert_array_equal(run.steps["slopes"].value, run.estimator.coef_)

    def test_many_right_hand_sides(self):
        A = np.array([[Fraction(4), Fraction(2)], [Fraction(2), Fraction(3)]])
        B = np.array([[Fraction(8), Fraction(0)], [Fraction(7), Fraction(4)]])
        assert (A.dot(Elimination(A, B).solution()) == B).all()


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.rows = [], 0

    def handle_starttag(self, tag, attrs):
        self.rows += tag == "tr"
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.share(6)
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("d", [1, 3, 11])
def test_documents(d, exact):
    X, y = table(14, d)
    run = ls.trace(ls.LinearRegression(), X, y, exact=exact, title="a_title")
    latex = run.to_latex()
    code = [line for line in latex.splitlines() if not line.startswith("%")]
    assert "\n".join(code).isascii()
    begun, ended = (re.findall(rf"\\{word}{{(\w+\*?)}}", latex) for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended)
    assert {"tabular", "align*"} <= set(begun)
    for line in run.to_markdown().splitlines():
        assert not line.startswith("|") or line.endswith("|")
    page = Tags()
    page.feed(run.to_html())
    assert page.open == []
    assert page.rows > 14 * 2
    assert run._repr_html_() == run.to_html()
    assert not re.search(r" $", str(run), re.MULTILINE)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_tables_fit_the_screen(width):
    run = five_points()
    console = Console(width=width, no_color=True)
    with console.capture() as capture:
        console.print(run.ledger(width=width))
    text = capture.get()
    assert "17.2" in text
    assert "0.810811" in text
    assert max(len(line) for line in text.splitlines()) <= width + 6  # bars over letters


def test_names():
    X = pd.DataFrame({"age": [1, 2, 4], "height": [3.0, 1.0, 5.0]}, index=["Ann", "Bob", "Cy"])
    run = ls.trace(ls.LinearRegression(), X, pd.Series([1.0, 2.0, 2.5], name="weight"))
    text = str(run)
    assert "y = weight, x1 = age, x2 = height" in text
    assert re.search(r"^ Bob +\[2 1\]", text, re.MULTILINE)
    assert list(run.to_frame().columns) == [
        "sample", "x1", "x2", "y", "dx1", "dx2", "dy", "fitted", "residual", "residual2",
    ]  # fmt: skip


def test_frame_and_csv_of_fractions():
    run = five_points(exact=True)
    assert run.to_frame(backend="dict")["dx"].tolist()[0] == Fraction(-4, 5)
    assert run.to_csv(stop=1).splitlines()[1].startswith("0,1,2,-4/5,-6/5,24/25,16/25,36/25,84/37")
    assert "exact derivation of LinearRegression" in repr(run)


def test_figures():
    assert type(five_points().plot()).__name__ == "LineFitDisplay"
    run = ls.trace(ls.LinearRegression(), *table(12, 2))
    assert type(run.plot()).__name__ == "ResidualsDisplay"


def test_huge_numbers():
    X, y = [[1e200], [2e200], [3.5e200]], [1.0, 2.0, 4.0]
    exact = ls.trace(ls.LinearRegression(), X, y, exact=True)
    assert exact.steps["intercept"].value == Fraction(-11, 38)
    assert "e+400" in str(exact)
    rows = np.random.default_rng(0).normal(size=(30_000, 2))
    target = rows.sum(axis=1)
    for table, numbers in (
        (X, y),
        ([[1e-200], [2e-200], [3.5e-200]], y),
        (1e-200 * rows, target),
        (1e160 * rows, target),
    ):
        with pytest.raises(ValueError, match="beyond the range of floats"):
            ls.trace(ls.LinearRegression(), table, numbers)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: five_points().to_markdown(part="nothing"), "no part is called 'nothing'"),
        (lambda: five_points().to_html(max_rows=0), "max_rows must be at least 1"),
        (lambda: five_points().to_frame(start=0), "samples count from 1"),
        (lambda: five_points(criterion=True), "criterion=True is for rules"),
        (lambda: five_points(sample_names=["a"]), "1 names for 5 samples"),
        (
            lambda: ls.trace(ls.LinearRegression(), np.eye(3), np.eye(3)),
            "y has 3 targets, and a derivation shows one",
        ),
        (
            lambda: ls.trace(
                ls.LinearRegression(), np.zeros((1_000_000, 1)), np.zeros(1_000_000), exact=True
            ),
            "too large for exact arithmetic",
        ),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
