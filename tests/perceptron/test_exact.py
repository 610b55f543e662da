"""Exact traces: the textbook's loop in fractions, against the compiled rule and against itself."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import linscope as ls
from linscope.perceptron.trace import exact

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def integers(seed=0, n=20, d=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(n, d)).astype(float)
    return X, rng.integers(0, 2, size=n)


RULES = {
    "single": {},
    "streak, shuffled": {"shuffle": True, "random_state": 4},
    "pass": {"stop": "pass", "tie": "positive"},
    "negative tie": {"tie": "negative", "init": [1, -1, 0, 2]},
    "margin": {"margin": 2, "eta0": 0.5},
    "no intercept": {"fit_intercept": False, "init": [1, 0.5, -1]},
    "batch": {"rule": "batch"},
    "mini-batch": {"rule": "mini-batch", "batch_size": 6, "shuffle": True, "random_state": 1},
    "weights": {"class_weight": {0: 2, 1: 0.25}},
    "halves": {"eta0": 0.25, "output": "averaged"},
}


@pytest.mark.share(3)
@pytest.mark.parametrize("rule", RULES)
def test_exact_equals_float_where_floats_are_exact(rule):
    """On small integers and powers of two no sum is rounded, so every number must agree."""
    X, y = integers()
    model = ls.Perceptron(max_iter=12, **RULES[rule])
    fractions = ls.trace(model, X, y, exact=True, criterion=True)
    floats = ls.trace(model, X, y, criterion=True)
    left, right = fractions.to_frame(backend="dict"), floats.to_frame(backend="dict")
    assert list(left) == list(right)
    for name, column in right.items():
        assert left[name].tolist() == column.tolist(), name
    assert isinstance(left["w1"][-1], Fraction)
    assert fractions.effects(backend="dict")["broken"].tolist() == (
        floats.effects(backend="dict")["broken"].tolist()
    )
    assert fractions.first_rise() == floats.first_rise()


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_several_problems(multi_class):
    X, _ = integers(1, 24)
    y = np.arange(24) % 3
    model = ls.Perceptron(max_iter=5, multi_class=multi_class)
    left = ls.trace(model, X, y, exact=True).to_frame(backend="dict")
    right = ls.trace(model, X, y).to_frame(backend="dict")
    for name, column in right.items():
        assert left[name].tolist() == column.tolist(), name


@pytest.mark.parametrize("rule", ["single", "batch", "mini-batch"])
@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_kernels(kernel, rule):
    X, y = integers(2, 12, 2)
    model = ls.KernelPerceptron(
        kernel=kernel, degree=2, gamma=0.5, coef0=1, rule=rule, batch_size=5, max_iter=8
    )
    left = ls.trace(model, X, y, exact=True, criterion=True).to_frame(backend="dict")
    right = ls.trace(model, X, y, criterion=True).to_frame(backend="dict")
    assert list(left) == list(right)
    for name, column in right.items():
        assert left[name].tolist() == column.tolist(), name


def test_kernel_rule_is_the_plain_rule():
    """α of the linear kernel and w of the perceptron describe the same updates, exactly."""
    X, y = integers(3, 10, 2)
    X = X / 10
    plain = ls.trace(ls.Perceptron(max_iter=10, eta0=0.1), X, y, exact=True)
    kernel = ls.trace(ls.KernelPerceptron(kernel="linear", max_iter=10, eta0=0.1), X, y, exact=True)
    a, b = plain.to_frame(backend="dict"), kernel.to_frame(backend="dict")
    for name in a:
        assert a[name].tolist() == b[name].tolist(), name


def test_floats_are_read_as_decimals():
    X, y = np.array([[0.1], [0.3], [0.7]]), [-1, 1, 1]
    for table in (X, X.astype(np.float32), sparse.csr_array(X)):
        trace = ls.trace(ls.Perceptron(eta0=0.1, init=[0.2, -0.1]), table, y, exact=True)
        assert trace.steps[0].x.tolist() == [1, Fraction(1, 10)]
        assert trace.steps[0].before.tolist() == [Fraction(1, 5), Fraction(-1, 10)]
        assert trace.steps[0].score == Fraction(1, 5) - Fraction(1, 100)
        first = next(step for step in trace.steps if step.update)
        assert first.after.tolist() == [Fraction(1, 10), Fraction(-11, 100)]


def test_rounding_makes_a_difference_that_only_the_exact_trace_gets_right():
    """0.1 + 0.2 - 0.3 is 0: a tie, which floats miss."""
    X, y = np.array([[0.1, 0.2, 0.3], [1.0, 1.0, 1.0]]), [1, -1]
    init = [0, 1, 1, -1]
    model = ls.Perceptron(init=init, tie="negative", max_iter=1)
    assert ls.trace(model, X, y).steps[0].score != 0
    step = ls.trace(model, X, y, exact=True).steps[0]
    assert step.score == 0
    assert step.update  # score 0 is the negative class, the sample is positive


def test_inverse_rate_adds_a_harmonic_series():
    X, y = ls.datasets.load("non_separable")
    trace = ls.trace(ls.Perceptron(schedule="inverse", max_iter=20), X, y, exact=True)
    for k, step in enumerate((s for s in trace.steps if s.update), start=1):
        moved = [b - a for a, b in zip(step.before, step.after, strict=True)]
        assert moved == [Fraction(step.y, k) * v for v in step.x]
    shown = trace.to_markdown()
    assert "≈" in shown  # very long fractions are shortened in tables, not in frames
    assert "/" in shown


def test_balanced_weights_are_exact():
    X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 1]
    trace = ls.trace(ls.Perceptron(class_weight="balanced", max_iter=1), X, y, exact=True)
    assert trace.steps[0].after.tolist() == [Fraction(-3, 2), 0]  # 3 / (2 · 1)
    assert trace.steps[1].after.tolist() == [Fraction(-3, 4), Fraction(3, 4)]  # 3 / (2 · 2)
    weighted = ls.trace(ls.Perceptron(max_iter=1), X, y, sample_weight=[0.1, 0, 1], exact=True)
    assert weighted.steps[0].after.tolist() == [Fraction(-1, 10), 0]
    assert weighted.steps[1].sample == 2


def test_ledger_prints_fractions():
    data = ls.datasets.load("students")
    trace = ls.trace(ls.Perceptron(**data.settings), data, exact=True)
    assert "[−3/4  5/4 −3/4 −3/4 −3/4]" in str(trace)
    assert "−15/4" in trace.to_markdown()
    assert r"-\tfrac{15}{4}" in trace.to_latex()
    assert ",-15/4," in trace.to_csv()
    assert "exact" in repr(trace)


def test_what_has_no_exact_form_is_refused():
    X, y = ls.datasets.load("or")
    for options in ({"kernel": "rbf"}, {"kernel": "poly"}, {"kernel": lambda X, Z: X @ Z.T}):
        with pytest.raises(ValueError, match="rational kernel"):
            ls.trace(ls.KernelPerceptron(**options), X, y, exact=True)


def test_long_runs_are_refused(monkeypatch):
    monkeypatch.setattr(exact, "LONGEST_RUN", 1000)
    X, y = ls.datasets.load("xor")
    with pytest.raises(ValueError, match="too long for exact arithmetic"):
        ls.trace(ls.Perceptron(), X, y, exact=True)


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.booleans()), min_size=2, max_size=9
    ).filter(lambda rows: len({row[2] for row in rows}) == 2),
    tie=st.sampled_from(["update", "positive", "negative"]),
    size=st.integers(1, 4),
)
def test_any_small_table_gives_the_same_run(rows, tie, size):
    table = np.array(rows, dtype=float)
    X, y = table[:, :2], table[:, 2]
    model = ls.Perceptron(tie=tie, rule="mini-batch", batch_size=size, max_iter=6)
    left = ls.trace(model, X, y, exact=True)
    right = ls.trace(model, X, y)
    assert left.path().tolist() == right.path().tolist()
    assert len(left.steps) == len(right.steps)


def test_numpy_integers_do_not_overflow_in_fractions():
    X, y = np.array([[0.1234567891234567], [0.9876543219876543], [0.55]]), [0, 1, 1]
    weights = [3, 5, 7]
    frames = [
        ls.trace(
            ls.Perceptron(max_iter=40, eta0=eta0), X, y, sample_weight=given, exact=True
        ).to_frame(backend="dict")
        for eta0, given in ((3, weights), (np.int64(3), np.array(weights)))
    ]
    for name, column in frames[0].items():
        assert column.tolist() == frames[1][name].tolist(), name
