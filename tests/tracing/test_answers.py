"""Every trace ends with its answer, and it is the rule of the model."""

import re
from fractions import Fraction

import numpy as np
import pytest

import linscope as ls
from linscope.reports.formulas import tex

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
DESCENT = {"solver": "stochastic", "eta0": 0.01, "max_iter": 3, "shuffle": False}
CLASSIFIERS = {
    "single": ls.Perceptron(),
    "batch": ls.Perceptron(rule="batch", max_iter=20),
    "mini-batch": ls.Perceptron(rule="mini-batch", batch_size=7, tie="positive", max_iter=20),
    "pocket": ls.Perceptron(output="pocket", max_iter=5),
    "no intercept": ls.Perceptron(fit_intercept=False, max_iter=5),
    "pairs": ls.Perceptron(multi_class="ovo", max_iter=5),
    "least squares": ls.LeastSquaresClassifier(),
    "Fisher": ls.FisherDiscriminant(),
}
REGRESSIONS = {
    "closed form": ls.LinearRegression(),
    "through the origin": ls.LinearRegression(fit_intercept=False),
    "ridge": ls.Ridge(alpha=0.5),
    "LMS": ls.LinearRegression(**DESCENT),
    "batch": ls.LinearRegression(solver="batch"),
    "averaged": ls.Ridge(**DESCENT, average=True),
}


def lines(equation):
    if isinstance(equation, str):
        return [equation]
    return list(equation.values() if isinstance(equation, dict) else equation)


def said(run):
    """The words of the answer, without their labels."""
    return [words for _, words in run.answer]


def is_last(run):
    """The answer stands at the end of everything that is printed."""
    label, first = run.answer[0]
    assert f"{label}: {first}" in " ".join(str(run).split())
    page = run.to_html()
    assert page.index(f"{label}: ") > page.rindex("</table>")
    assert f"{label}: " in run.to_markdown().splitlines()[-2 * len(run.answer) + 1]
    assert tex(first) in run.to_latex().splitlines()[-len(run.answer)]


@pytest.mark.share(6)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers(name, n_classes):
    X, y = ls.datasets.load("iris")
    rows = y < n_classes
    run = ls.trace(CLASSIFIERS[name], X[rows][:, 1:], y[rows])
    assert said(run) == lines(run.estimator.equation())
    is_last(run)


@pytest.mark.share(3)
@pytest.mark.parametrize("name", REGRESSIONS)
def test_regressions(name):
    run = ls.trace(REGRESSIONS[name], *ls.datasets.load("diabetes"))
    assert said(run) == lines(run.estimator.equation())
    is_last(run)


def test_one_problem_has_one_line():
    run = ls.trace(ls.Perceptron(max_iter=3), ls.datasets.load("iris"))
    assert len(run.answer) == 3
    page = run.to_markdown(problem=1)
    assert page.count("is the largest of 3") == 1
    assert "is the largest of 3 ⇒ 1" in page


def test_features_have_their_names():
    data = ls.datasets.load("students")
    answer = "5/4·good attendance − 3/4·tall − 3/4·sleeps in class − 3/4·chews gum > 3/4 ⇒ 1"
    assert said(ls.trace(ls.Perceptron(**data.settings), data, exact=True)) == [answer]


def test_closed_forms_in_fractions():
    five = ls.datasets.load("five_points")
    assert said(ls.trace(ls.LinearRegression(), five, exact=True)) == ["y = 41/37 + 43/37·x"]
    run = ls.trace(ls.LinearRegression(**DESCENT), five, exact=True)
    first, second = (Fraction(w) for w in run.replay()[0])
    shown = said(run)[0].replace("·x", "").split("= ")[1].split(" + ")
    assert [float(Fraction(word)) for word in shown] == pytest.approx([first, second], rel=1e-5)
    run = ls.trace(ls.LeastSquaresClassifier(), [[0], [1], [3], [5]], [0, 0, 1, 1], exact=True)
    slopes = np.polyfit([0, 1, 3, 5], [-1, -1, 1, 1], 1)
    weight, right = re.fullmatch(r"(\S+)·x1 > (\S+) ⇒ 1", said(run)[0]).groups()
    assert [float(Fraction(weight)), -float(Fraction(right))] == pytest.approx(slopes)


def test_kernels_say_which_samples_count():
    options = {"kernel": "poly", "degree": 2, "gamma": 1, "coef0": 1}
    run = ls.trace(ls.KernelPerceptron(**options), ls.datasets.load("xor"))
    model = run.estimator
    for alpha, row in zip(model.dual_coef_[0], model.support_, strict=True):
        assert f"{abs(alpha):g}·K(sample {row}, x)" in said(run)[0]
    is_last(run)


def test_many_features_are_not_written_out():
    X = np.random.default_rng(0).normal(size=(40, 30))
    run = ls.trace(ls.Perceptron(), X, X[:, 0] > 0)
    assert said(run) == ["30 weights, see estimator.equation()"]


def test_a_part_of_a_derivation_has_no_answer():
    run = ls.trace(ls.LinearRegression(), ls.datasets.load("five_points"))
    assert "equation:" not in run.to_markdown(part="fit")


def test_rounding_is_shown_as_zero_and_small_weights_are_not():
    run = ls.trace(ls.LogisticRegression(solver="batch", max_iter=3), ls.datasets.load("iris"))
    bias = run.to_frame(backend="dict")["w0"]
    assert 0 < np.abs(bias[0]) < 1e-15  # equal classes: the first step is 0 but for rounding
    assert "e−1" not in str(run)
    X = np.array([[1e-3], [2e-3], [-1e-3], [4e-3]]) * 1e18
    small = ls.trace(
        ls.LinearRegression(solver="batch", tol=0, max_iter=3), X, [1.0, 2.0, -1.0, 4.0]
    )
    assert re.search(r"\d\.?\d*e−1[5-8]", str(small))


def test_words_count_rightly():
    X, y = ls.datasets.load("two_points")
    once = ls.trace(ls.Perceptron(tie="positive", max_iter=1), X, y)
    assert "2 visits, 1 update:" in str(once)
    assert repr(once) == "<trace of Perceptron: 2 steps, 1 update>"
    batch = ls.trace(ls.Perceptron(rule="batch", tie="positive", max_iter=1), X, y)
    assert "1 batch, 1 update:" in str(batch)
    assert repr(batch.steps[0]).startswith("Step 1: batch 1, 1 mistake,")


@pytest.mark.parametrize("model", [ls.Perceptron(output="voted"), ls.KernelPerceptron()])
def test_committees_and_kernels_of_several_classes(model):
    X, y = ls.datasets.load("iris")
    run = ls.trace(model.set_params(max_iter=2, multi_class="ovr"), X, y)
    assert [line.partition(" ⇒ ")[2].partition(",")[0] for line in said(run)] == ["0", "1", "2"]
    assert all("is the largest of 3" in line for line in said(run))
    run = ls.trace(model.set_params(multi_class="ovo"), X, y)
    assert "> 0 ⇒ a vote for 1, else for 0" in said(run)[0]
