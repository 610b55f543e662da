"""Traces of gradient descent: against the fit, plain loops and fractions worked out by hand."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from matplotlib.figure import Figure
from rich.console import Console
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDRegressor

import linscope as ls
from tests.figures import drawn
from tests.linear_fits import design
from tests.reference import squared_criterion, squared_gradient

pytestmark = pytest.mark.usefixtures("quiet")

KINDS = ["batch", "mini-batch", "stochastic"]
POINTS = np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0])


def problem(seed=0, n=23, d=3, targets=None):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    shape = (d,) if targets is None else (d, targets)
    y = 1.0 + X @ rng.standard_normal(shape)
    return X, y + 0.5 * rng.standard_normal(y.shape)


def model(kind, **options):
    settings = {"max_iter": 4, "batch_size": 5, "random_state": 0, "tol": 0.0, **options}
    if "alpha" in settings:
        return ls.Ridge(solver=kind, **settings)
    return ls.LinearRegression(solver=kind, **settings)


# Replay and tables


@pytest.mark.share(3)
@pytest.mark.parametrize("options", [{}, {"alpha": 3.0}, {"fit_intercept": False}])
@pytest.mark.parametrize("schedule", ["constant", "inverse"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_replay_is_the_fit_bit_for_bit(kind, schedule, options):
    X, y = problem(1, targets=2)
    weight = np.random.default_rng(2).uniform(0.0, 2.0, len(X))
    weight[3] = 0.0
    for form in (X, sp.csr_array(X)):
        trace = ls.trace(model(kind, schedule=schedule, **options), form, y, sample_weight=weight)
        fitted = model(kind, schedule=schedule, **options).fit(form, y, weight)
        weights = trace.estimator.result_.weights
        np.testing.assert_array_equal(weights, fitted.result_.weights)
        np.testing.assert_array_equal(np.array(trace.replay()), weights)
        assert trace.problems == ["y1", "y2"]
        assert trace.n_updates == 2 * trace.estimator.result_.n_updates


@pytest.mark.parametrize("shuffle", [False, True])
def test_columns_of_the_stochastic_rule(shuffle):
    X, y = problem(3)
    trace = ls.trace(model("stochastic", eta0=0.02, shuffle=shuffle), X, y, criterion=True)
    frame = trace.to_frame(backend="pandas")
    weights = ["w0", "w1", "w2", "w3"]
    head = ["step", "epoch", "sample", "prediction", "error", "eta"]
    assert list(frame) == [*head, *weights, "J"]
    assert len(frame) == 4 * len(X)
    A, w = design(X), np.zeros(4)
    for row in frame.itertuples():
        i = row.sample
        assert row.prediction == pytest.approx(w @ A[i], abs=1e-12)
        assert row.error == pytest.approx(y[i] - w @ A[i], abs=1e-12)
        assert row.eta == 0.02
        w = w + 0.02 * (y[i] - w @ A[i]) * A[i]
        np.testing.assert_allclose([row.w0, row.w1, row.w2, row.w3], w, rtol=1e-10)
        assert pytest.approx(squared_criterion(w, A, y)) == row.J
    epochs = frame.groupby("epoch")["sample"]
    assert all(sorted(visited) == list(range(len(X))) for _, visited in epochs)
    assert shuffle != (frame["sample"][:23].tolist() == list(range(23)))


@pytest.mark.parametrize("kind", ["batch", "mini-batch"])
def test_columns_of_the_batch_rules(kind):
    X, y = problem(4)
    trace = ls.trace(
        model(kind, eta0=0.01, schedule="inverse", shuffle=False, alpha=2.0), X, y, criterion=True
    )
    frame = trace.to_frame(backend="dict")
    assert ("batch" in frame) == (kind == "mini-batch")
    size = len(X) if kind == "batch" else 5
    A, w, k = design(X), np.zeros(4), 0
    for _ in range(4):
        for at in range(0, len(X), size):
            rows = slice(at, at + size)
            share = 2.0 * len(A[rows]) / len(X)
            slope = squared_gradient(w, A[rows], y[rows], alpha=share)
            assert frame["gradient_norm"][k] == pytest.approx(np.linalg.norm(slope))
            assert frame["eta"][k] == pytest.approx(0.01 / (k + 1))
            w = w - 0.01 / (k + 1) * slope
            found = [frame[f"w{j}"][k] for j in range(4)]
            np.testing.assert_allclose(found, w, rtol=1e-10)
            assert frame["J"][k] == pytest.approx(squared_criterion(w, A, y, alpha=2.0))
            k += 1
    assert k == len(trace.steps)


@pytest.mark.parametrize("kind", KINDS)
def test_any_part_is_part_of_the_whole(kind):
    X, y = problem(5)
    trace = ls.trace(model(kind), X, y, criterion=True)
    whole = trace.to_frame(backend="pandas")
    n = len(whole)
    for start, stop in [(1, 1), (2, n), (n, n), (n // 2, n // 2 + 1)]:
        part = trace.to_frame(start=start, stop=stop, backend="pandas")
        assert part.reset_index(drop=True).equals(whole[start - 1 : stop].reset_index(drop=True))
    updates = trace.to_frame(updates=(2, 3), backend="pandas")
    assert updates["k"].tolist() == updates["step"].tolist() == [2, 3]
    assert trace.steps[-1].after.tolist() == whole.iloc[-1][["w0", "w1", "w2", "w3"]].tolist()
    assert [step.number for step in trace.steps] == whole["step"].tolist()


def test_windows_are_small_and_join(monkeypatch):
    X, y = problem(6)
    before = ls.trace(model("stochastic"), X, y).to_frame(backend="pandas")
    monkeypatch.setattr("linscope.tracing.gradient_replay.WINDOW_NUMBERS", 4 * 7)
    assert ls.trace(model("stochastic"), X, y).to_frame(backend="pandas").equals(before)


def test_steps_say_what_happened():
    X, y = POINTS
    options = {"eta0": 0.1, "shuffle": False, "batch_size": 2}
    names = ["Ada", "Ben", "Cleo"]
    step = ls.trace(model("stochastic", **options), X, y, sample_names=names).steps[1]
    assert repr(step) == "Step 2: sample Ben, h(x) = 0.3, error 2.7, [0.1 0.1] → [0.37 0.64]"
    assert (step.sample, step.y, step.epoch, step.update) == (1, 3.0, 1, True)
    assert step.x.tolist() == [1.0, 2.0]
    step = ls.trace(model("mini-batch", **options), X, y).steps[1]
    assert repr(step).startswith("Step 2: batch 2, ‖∇J‖ = ")
    assert repr(ls.trace(model("batch", **options), X, y).steps[0]).startswith("Step 1: ‖∇J‖ = ")


def test_rows_of_weight_zero_are_left_out_but_keep_their_number():
    X, y = problem(7, n=6)
    trace = ls.trace(
        model("stochastic", shuffle=False, max_iter=1), X, y, sample_weight=[1, 0, 1, 1, 0, 1]
    )
    assert trace.to_frame(backend="dict")["sample"].tolist() == [0, 2, 3, 5]


def test_effects_and_rises():
    X, y = problem(8)
    trace = ls.trace(model("stochastic", eta0=0.1, max_iter=6), X, y)
    effects = trace.effects(backend="pandas")
    # one step takes the share η‖x‖² of the sample's own error away
    A = design(X)[effects["sample"]]
    left = 1 - 0.1 * (A**2).sum(axis=1)
    np.testing.assert_allclose(effects["error_after"], left * effects["error_before"], atol=1e-12)
    rise = trace.first_rise()
    first = effects[effects["rose"]].iloc[0]
    assert (rise.step, rise.before, rise.after) == (first.step, first.J_before, first.J_after)
    batch = ls.trace(model("batch"), X, y)
    assert batch.monotonic() is True
    assert not batch.effects(backend="pandas")["rose"].any()
    assert "batch" in ls.trace(model("mini-batch"), X, y).effects(backend="dict")


@pytest.mark.share(3)
@pytest.mark.parametrize("kind", KINDS)
def test_ledgers_and_documents(kind):
    X, y = problem(9)
    trace = ls.trace(model(kind, max_iter=30), X, y, criterion=True, title="points")
    text = str(trace)
    assert f"points: LinearRegression, {kind} gradient descent" in text
    assert "more" in text
    assert "auto" in text
    for width in (70, 80, 120, 200):
        console = Console(width=width)
        with console.capture() as captured:
            console.print(trace.ledger(width=width))
        assert max(map(len, captured.get().splitlines())) <= width
    assert trace.to_markdown(max_rows=3).count("\n| ") == 6  # head, rule, 3 rows, "… more"
    assert r"\begin{tabular}" in trace.to_latex()
    assert r"\nabla J" in trace.to_latex() or kind == "stochastic"
    assert "<table" in trace.to_html()
    assert "&" not in trace.to_csv(stop=2)
    assert repr(trace).startswith("<trace of LinearRegression: ")


def test_targets_have_names_and_can_be_picked():
    X, Y = problem(10, targets=2)
    Y = pd.DataFrame(Y, columns=["height", "width"])
    trace = ls.trace(model("batch"), X, Y)
    assert trace.problems == ["height", "width"]
    one = trace.to_frame(problem="width", backend="dict")
    alone = ls.trace(model("batch"), X, Y["width"]).to_frame(backend="dict")
    np.testing.assert_array_equal(one["w1"], alone["w1"])
    with pytest.raises(ValueError, match="no problem is called 'depth'"):
        trace.to_frame(problem="depth")


def test_a_descent_that_diverges_is_shown_to_its_last_finite_weights():
    X, y = POINTS
    trace = ls.trace(model("batch", eta0=0.5, max_iter=200), X, y)
    assert "is above 2/λmax = " in str(trace)
    frame = trace.to_frame(backend="dict")
    assert np.isfinite(frame["w1"]).all()
    assert np.all(np.diff(frame["gradient_norm"]) > 0)
    np.testing.assert_array_equal(trace.replay()[0], trace.estimator.result_.weights[0])


def test_a_descent_without_steps():
    X, _ = POINTS
    trace = ls.trace(model("stochastic"), X, np.zeros(3), criterion=True)
    assert len(trace.steps) == 0
    assert trace.to_frame(backend="dict")["step"].tolist() == []
    assert "0 updates" in str(trace)
    np.testing.assert_array_equal(trace.replay()[0], [0.0, 0.0])


def test_averages_do_not_change_the_replay():
    X, y = problem(11)
    trace = ls.trace(model("stochastic", average=True), X, y)
    plain = ls.trace(model("stochastic"), X, y)
    np.testing.assert_array_equal(trace.replay()[0], plain.replay()[0])
    assert np.abs(trace.replay()[0] - trace.estimator.result_.weights[0]).max() > 0


def test_scaled_data_are_shown_in_their_own_units():
    X, y = problem(12)
    big = X * 2.0**490
    options = {"fit_intercept": False, "shuffle": False}
    trace = ls.trace(model("stochastic", **options), big, y).to_frame(backend="dict")
    plain = ls.trace(model("stochastic", **options), X, y).to_frame(backend="dict")
    np.testing.assert_allclose(trace["prediction"], plain["prediction"], atol=1e-9)
    np.testing.assert_allclose(trace["w1"] * 2.0**490, plain["w1"], rtol=1e-9)


# Exact


def by_hand(batches, eta, alpha=0, inverse=False, weight=(1, 1, 1)):
    """POINTS with fractions, as one would do it on paper."""
    x, y = [Fraction(v) for v in (1, 2, 3)], [Fraction(v) for v in (1, 3, 2)]
    w, path = [Fraction(0), Fraction(0)], []
    for k, batch in enumerate(batches, start=1):
        rate = Fraction(eta) / k if inverse else Fraction(eta)
        errors = {i: weight[i] * (y[i] - w[0] - w[1] * x[i]) for i in batch}
        shrink = Fraction(alpha) * len(batch) / 3
        bias = w[0] + rate * sum(errors.values())
        slope = w[1] + rate * (sum(errors[i] * x[i] for i in batch) - shrink * w[1])
        w = [bias, slope]
        path.append(w)
    return path


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(
    ("kind", "batches"),
    [
        ("batch", [[0, 1, 2]] * 4),
        ("mini-batch", [[0, 1], [2]] * 4),
        ("stochastic", [[0], [1], [2]] * 4),
    ],
)
def test_exact_traces_are_those_on_paper(kind, batches, inverse):
    X, y = POINTS
    options = {
        "eta0": 0.1, "batch_size": 2, "shuffle": False, "alpha": 0.3,
        "schedule": "inverse" if inverse else "constant",
    }  # fmt: skip
    weight = [2, 0.5, 1]
    trace = ls.trace(model(kind, **options), X, y, sample_weight=weight, exact=True, criterion=True)
    frame = trace.to_frame(backend="dict")
    fractions = [Fraction(2), Fraction(1, 2), Fraction(1)]
    expected = by_hand(batches, Fraction(1, 10), Fraction(3, 10), inverse, fractions)
    assert [[a, b] for a, b in zip(frame["w0"], frame["w1"], strict=True)] == expected
    float_trace = ls.trace(model(kind, **options), X, y, sample_weight=weight, criterion=True)
    rounded = float_trace.to_frame(backend="dict")
    for name in ("w0", "w1", "J", "eta"):
        np.testing.assert_allclose(frame[name].astype(float), rounded[name], rtol=1e-12)
    other = "error" if kind == "stochastic" else "gradient_norm"
    np.testing.assert_allclose(frame[other].astype(float), rounded[other], rtol=1e-9)
    assert float_trace.steps[1].eta == pytest.approx(float(trace.steps[1].eta))
    assert trace.replay()[0].tolist() == expected[-1]
    assert trace.exact


def test_the_first_lms_steps_printed_as_fractions():
    X, y = POINTS
    trace = ls.trace(model("stochastic", eta0=0.1, shuffle=False), X, y, exact=True)
    assert repr(trace.steps[1]) == (
        "Step 2: sample 1, h(x) = 3/10, error 27/10, [1/10 1/10] → [37/100 16/25]"
    )
    assert r"\tfrac{37}{100}" in trace.to_latex()
    effects = trace.effects(backend="dict")
    assert effects["error_after"][0] == Fraction(4, 5)


def test_exact_stop_rule_and_divergence():
    X, y = POINTS
    for eta in (0.1, 0.5):
        options = {"eta0": eta, "tol": 0.01, "max_iter": 60}
        exact = ls.trace(model("batch", **options), X, y, exact=True)
        rounded = ls.trace(model("batch", **options), X, y)
        assert len(exact.steps) == len(rounded.steps) < 60


def test_exact_without_intercept():
    X, y = POINTS
    trace = ls.trace(model("batch", eta0=0.05, fit_intercept=False), X, y, exact=True)
    frame = trace.to_frame(backend="dict")
    assert "w0" not in frame
    assert frame["w1"][:2].tolist() == [Fraction(13, 20), Fraction(169, 200)]
    assert trace.path()[-1, 0] == 0.0


def test_exact_needs_a_number_and_has_limits(monkeypatch):
    X, y = POINTS
    with pytest.raises(ValueError, match="give eta0 as a number"):
        ls.trace(model("batch"), X, y, exact=True)
    monkeypatch.setattr("linscope.least_squares.trace.exact_gradient.LONGEST_NUMBER", 30)
    with pytest.raises(ValueError, match="too long for exact arithmetic"):
        ls.trace(model("stochastic", eta0=0.1), X, y, exact=True)


# What cannot be traced


def test_what_has_no_steps_is_refused():
    X, y = POINTS
    with pytest.raises(TypeError, match="not of sklearn"):
        ls.trace(SGDRegressor(), X, y)


def test_warnings_name_the_line_of_the_caller():
    X, y = POINTS
    for call in (
        lambda: model("batch", tol=1e-9).fit(X, y),
        lambda: ls.trace(model("batch", tol=1e-9), X, y),
    ):
        with pytest.warns(ConvergenceWarning, match="raise max_iter") as caught:
            call()
        assert caught[0].filename == __file__


# Figures


@pytest.mark.slow
def test_a_line_shows_its_samples_and_its_path():
    X, y = POINTS
    trace = ls.trace(model("stochastic", eta0=0.05, max_iter=40), X, y)
    display = trace.plot()
    np.testing.assert_array_equal(display.weights, trace.path())
    best = np.linalg.lstsq(design(X), y, rcond=None)[0]
    np.testing.assert_allclose(display.line.best, best)
    text = drawn(display)
    assert "120 updates" in text
    assert "minimum, J = 0.75" in text
    grid = np.array([[0.3, 0.4], [1.0, -1.0]])
    values = [squared_criterion(w, design(X), y) for w in grid]
    np.testing.assert_allclose(display.line.criterion(grid), values)
    assert len(trace.plot(updates=(5, 9)).weights) == 6
    far = ls.trace(model("batch", eta0=0.5, max_iter=200), X, y).plot()
    assert "too large" in drawn(far)
    axes = Figure().subplots(1, 2)
    trace.plot(ax=axes)
    assert axes[0].lines


def test_ridge_lines_use_the_penalised_criterion():
    X, y = POINTS
    trace = ls.trace(model("batch", alpha=2.0, max_iter=50), X, y, sample_weight=[1, 2, 3])
    line = trace.plot().line
    grid = np.array([[0.3, 0.4]])
    value = squared_criterion(grid[0], design(X), y, [1, 2, 3], alpha=2.0)
    np.testing.assert_allclose(line.criterion(grid), value)
    np.testing.assert_allclose(
        squared_gradient(line.best, design(X), y, [1, 2, 3], alpha=2.0), 0, atol=1e-12
    )


def test_several_features_show_the_curve_of_j():
    X, y = problem(13)
    trace = ls.trace(model("stochastic", max_iter=30), X, y, criterion=True)
    display = trace.plot()
    assert display.updates[-1] == 30 * 23
    assert len(display.values) <= 400
    J = trace.to_frame(backend="dict")["J"]
    np.testing.assert_allclose(display.values[1:], J[display.updates[1:] - 1])
    assert "J falls from" in drawn(display)
    assert ls.trace(model("batch", eta0=1.0), X, y).plot().title.startswith("J grows from")
    with pytest.raises(ValueError, match="one feature and an intercept"):
        trace.animate()


@pytest.mark.slow
def test_moving_pictures(tmp_path):
    X, y = POINTS
    path = tmp_path / "line.gif"
    trace = ls.trace(model("stochastic", eta0=0.05), X, y)
    moving = trace.animate(path, max_frames=4)
    assert path.read_bytes().startswith(b"GIF89a")
    assert moving._save_count == 4
    with pytest.raises(ValueError, match=r"end in \.gif"):
        trace.animate(tmp_path / "line.mp4")


def test_lms_paths():
    display = ls.plot.lms_paths()
    A = design(display.line.x[:, None])
    best = np.linalg.lstsq(A, display.line.y, rcond=None)[0]
    np.testing.assert_allclose(display.line.best, best)
    batch, last, mean = display.distances
    assert batch < mean < last
    assert mean < display.swing / 5
    text = drawn(display)
    assert "keeps oscillating" in text
    assert "its average is" in text
    X, y = problem(14, d=1)
    given = ls.plot.lms_paths(X, y, passes=12, eta0=0.02, random_state=3)
    assert len(given.stochastic) == 12 * len(X) + 1
    tail = given.stochastic[6 * len(X) + 1 :]
    np.testing.assert_allclose(given.averaged, tail.mean(axis=0))
    with pytest.raises(ValueError, match="choose one column"):
        ls.plot.lms_paths(*problem(15))
    with pytest.raises(ValueError, match="too large"):
        ls.plot.lms_paths(X, y, eta0=50.0)


def test_curves_and_lines_refuse_what_they_cannot_draw():
    with pytest.raises(ValueError, match="values must be finite"):
        ls.plot.lms_curve([1.0, np.nan])
    with pytest.raises(ValueError, match="3 updates for 2 values"):
        ls.plot.lms_curve([1.0, 2.0], updates=[0, 1, 2])
    with pytest.raises(ValueError, match=r"rows \(bias, slope\)"):
        ls.plot.lms_fit(*POINTS, [[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match="X has 3 rows, but y has shape"):
        ls.plot.lms_fit(POINTS[0], [1.0, 2.0], [[0.0, 0.0]])
