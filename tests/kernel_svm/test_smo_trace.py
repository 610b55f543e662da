"""Steps of sequential minimal optimisation: replay = fit, D rises, the gap is m(α) − M(α)."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel, sigmoid_kernel
from sklearn.svm import SVC as ReferenceSVC

import linscope as ls


def clouds(n=30, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(["a", "b"], n // 2)
    return rng.normal(size=(n, 2)) + 1.3 * (y == "b")[:, None], y


def signed(y):
    return np.where(y == "b", 1.0, -1.0)


MODELS = {
    "linear": ({"kernel": "linear"}, lambda X: X @ X.T),
    "rbf": ({"kernel": "rbf", "gamma": 0.7}, lambda X: rbf_kernel(X, gamma=0.7)),
    "sigma": ({"kernel": "rbf", "sigma": 2.0}, lambda X: rbf_kernel(X, gamma=1 / 8)),
    "poly": (
        {"kernel": "poly", "degree": 2, "gamma": 1, "coef0": 1},
        lambda X: polynomial_kernel(X, degree=2, gamma=1, coef0=1),
    ),
    "sigmoid": (
        {"kernel": "sigmoid", "gamma": 0.01, "coef0": 0.0},
        lambda X: sigmoid_kernel(X, gamma=0.01, coef0=0.0),
    ),
}


@pytest.fixture(params=list(MODELS))
def case(request):
    options, kernel = MODELS[request.param]
    X, y = clouds()
    return ls.SVC(C=2.0, **options), X, y, kernel(X)


def test_replay_ends_at_the_fitted_alpha_to_the_last_bit(case):
    model, X, y, _ = case
    run = ls.trace(model, X, y)
    assert np.array_equal(run.replay()[0], run.estimator.alphas_[0])
    assert np.array_equal(run.steps[-1].after, run.estimator.alphas_[0])
    assert run.estimator.certificate_.verify(X, y).claim_holds


def test_the_dual_value_rises_at_every_step_in_exact_arithmetic(case):
    model, X, y, K = case
    run, s = ls.trace(model, X, y), signed(y)
    Q = [[Fraction(v) for v in row] for row in (s[:, None] * s * K).tolist()]
    values = [Fraction(0)]
    for step in run.steps:
        alpha = [Fraction(v) for v in step.after.tolist()]
        used = [k for k, a in enumerate(alpha) if a]
        quadratic = sum(alpha[i] * alpha[j] * Q[i][j] for i in used for j in used)
        values.append(sum(alpha) - quadratic / 2)
        assert step.dual == pytest.approx(float(values[-1]), rel=1e-9, abs=1e-9)
    assert all(after > before for before, after in pairwise(values))
    assert run.monotonic() is True


def test_every_step_moves_one_pair_within_its_bounds(case):
    model, X, y, _ = case
    run, s = ls.trace(model, X, y), signed(y)
    for step in run.steps:
        moved = set(np.flatnonzero(step.before != step.after))
        assert moved <= {step.i, step.j}
        assert step.before[step.i] == step.alpha_i_before
        assert step.after[step.j] == step.alpha_j
        assert np.all((step.after >= 0) & (step.after <= 2.0))
        assert abs(step.after @ s) < 1e-12
        # y_i α_i grows, y_j α_j shrinks by as much
        assert s[step.i] * (step.alpha_i - step.alpha_i_before) > 0
        assert s[step.j] * (step.alpha_j - step.alpha_j_before) < 0
        at_bound = {step.alpha_i, step.alpha_j} & {0.0, 2.0}
        assert at_bound if step.clipped else True


def test_gap_and_duality_of_the_frame(case):
    model, X, y, K = case
    run, s = ls.trace(model, X, y), signed(y)
    frame = run.to_frame(criterion=True, backend="dict")
    for k, step in enumerate(run.steps):
        # m = max of −y∇f over those that may grow, M = min over those that may shrink
        slopes = s - K @ (s * step.after)
        grow = np.where(s > 0, step.after < 2.0, step.after > 0)
        shrink = np.where(s > 0, step.after > 0, step.after < 2.0)
        assert frame["gap"][k] == pytest.approx(
            slopes[grow].max() - slopes[shrink].min(), abs=1e-10
        )
    assert frame["gap"][-1] <= 1e-3 < frame["gap"][:-1].min()
    assert np.all(frame["primal"] >= frame["dual"] - 1e-9)


@pytest.mark.parametrize("C", [0.3, 5.0])
def test_the_same_alpha_as_the_fast_fit_and_scikit_learn(C):
    X, y = clouds(40, seed=1)
    run = ls.trace(ls.SVC(C=C, gamma=0.7, tol=1e-10), X, y)
    fast = ls.SVC(C=C, gamma=0.7, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(run.replay()[0], fast.alphas_[0], atol=1e-6)
    other = ReferenceSVC(C=C, gamma=0.7, tol=1e-10).fit(X, y)
    alpha = np.zeros(len(X))
    alpha[other.support_] = np.abs(other.dual_coef_[0])
    np.testing.assert_allclose(run.replay()[0], alpha, atol=1e-5)  # its kernel is float32
    np.testing.assert_allclose(
        run.estimator.decision_function(X), other.decision_function(X), atol=1e-5
    )


def test_the_default_tolerance_agrees_with_the_fast_fit_within_it():
    X, y = clouds(40, seed=1)
    run, fast = ls.trace(ls.SVC(), X, y), ls.SVC().fit(X, y)
    scores = run.estimator.decision_function(X)
    np.testing.assert_allclose(scores, fast.decision_function(X), atol=2e-3)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_three_classes_have_a_problem_column(multi_class):
    X, y = ls.datasets.load("iris")
    run = ls.trace(ls.SVC(multi_class=multi_class), X, y)
    frame = run.to_frame(backend="dict")
    assert len(run.problems) == 3
    assert list(dict.fromkeys(frame["problem"].tolist())) == run.problems
    for k, (alpha, name) in enumerate(zip(run.replay(), run.problems, strict=True)):
        fitted = run.estimator.alphas_[k]
        rows = np.flatnonzero(fitted)
        assert set(rows) <= set(frame["i"][frame["problem"] == name]) | set(
            frame["j"][frame["problem"] == name]
        )
        assert np.array_equal(np.sort(alpha[alpha > 0]), np.sort(fitted[rows]))
    assert "problem" in run.to_markdown(max_rows=3)


def test_pairs_of_classes_of_other_sizes_are_printed():
    X, y = [[0.0], [1.0], [2.0], [3.0], [5.0]], [0, 0, 0, 1, 2]
    run = ls.trace(ls.SVC(kernel="linear"), X, y)
    assert len({len(alpha) for alpha in run.replay()}) > 1
    printed = str(run)
    assert all(name in printed for name in run.problems)


@pytest.mark.parametrize("scale", [2.0**-40, 2.0**20, 2.0**-400])
def test_units_of_the_data(scale):
    X, y = clouds(20)
    run = ls.trace(ls.SVC(kernel="linear", C=1.0 / scale**2), X * scale, y)
    plain = ls.trace(ls.SVC(kernel="linear", C=1.0), X, y)
    assert np.array_equal(run.replay()[0], run.estimator.alphas_[0])
    assert np.array_equal(run.replay()[0] * scale**2, plain.replay()[0])
    assert run.steps[-1].dual * scale**2 == plain.steps[-1].dual


def test_weights_of_a_linear_kernel_end_at_the_fit():
    X, y = clouds(40, seed=2)
    for table in (X, sparse.csr_matrix(X)):
        run = ls.trace(ls.SVC(kernel="linear"), table, y)
        fitted = np.concatenate([run.estimator.intercept_, run.estimator.coef_[0]])
        np.testing.assert_allclose(run.path()[-1], fitted, rtol=1e-12)
        assert {"w0", "w1", "w2"} <= set(run.to_frame(backend="dict"))


def test_other_kernels_have_no_weights():
    run = ls.trace(ls.SVC(), *clouds())
    assert "w0" not in run.to_frame(backend="dict")
    with pytest.raises(ValueError, match="linear kernel"):
        run.path()


def test_rows_of_weight_zero_keep_their_numbers():
    X, y = clouds(20)
    weight = np.ones(20)
    weight[[0, 1, 12]] = 0.0
    run = ls.trace(ls.SVC(), X, y, sample_weight=weight)
    frame = run.to_frame(backend="dict")
    assert not {0, 1, 12} & {*frame["i"].tolist(), *frame["j"].tolist()}
    kept = np.flatnonzero(weight)
    assert np.array_equal(run.estimator.alphas_[0][kept], run.replay()[0])


def test_precomputed_and_callable_kernels_reach_the_same_dual_value():
    X, y = clouds(24)
    plain = ls.trace(ls.SVC(kernel="linear", tol=1e-8), X, y)
    for model, table in (
        (ls.SVC(kernel="precomputed", tol=1e-8), X @ X.T),
        (ls.SVC(kernel=lambda A, B: A @ B.T, tol=1e-8), X),
    ):
        run = ls.trace(model, table, y)
        assert run.steps[-1].dual == pytest.approx(plain.steps[-1].dual, rel=1e-8)
        assert np.array_equal(run.replay()[0], run.estimator.alphas_[0])


def test_xor_by_hand():
    # All four inputs are ±1, K = 9 on the diagonal and 1 elsewhere: a pair has η = 9 + 9 − 2 = 16
    # and slope 2, so α = 2/16 for the first pair, and the same for the second.
    X = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])
    model = ls.SVC(kernel="poly", degree=2, gamma=1, coef0=1, C=np.inf)
    run = ls.trace(model, X, [-1, 1, 1, -1], sample_names=["A", "B", "C", "D"])
    assert [step.clipped for step in run.steps] == [False, False]
    assert run.replay()[0].tolist() == [0.125] * 4
    assert [step.dual for step in run.steps] == [0.125, 0.25]
    assert "samples B and A, α_i 0 → 0.125, α_j 0 → 0.125, D = 0.125, gap 2" in repr(run.steps[0])
    markdown, latex = run.to_markdown(), run.to_latex()
    assert r"| 1 | B ↑ | A ↑ | no | 0.125 | 2 | \[0 0 0 0\] → \[0.125 0.125 0 0\]" in markdown
    assert r"$1$ & B $\uparrow$ & A $\uparrow$ & no & $0.125$ & $2$ & $[0\;0\;0\;0] \to" in latex
    assert "2 pairs, 0 clipped" in str(run)
    effects = run.effects(backend="dict")
    assert effects["dual_after"].tolist() == [0.125, 0.25]
    frame = run.to_frame(backend="dict", criterion=True)
    assert frame["primal"].tolist() == [np.inf, 0.25]
    assert [frame[f"a{k}"][0] for k in range(4)] == [0.125, 0.125, 0.0, 0.0]


def test_max_iter_counts_pairs():
    with pytest.warns(ConvergenceWarning):
        run = ls.trace(ls.SVC(max_iter=3), *clouds())
    assert len(run.steps) == 3
    assert np.array_equal(run.replay()[0], run.estimator.alphas_[0])


def test_what_cannot_be_shown():
    X, y = clouds()
    with pytest.raises(ValueError, match="fractions"):
        ls.trace(ls.SVC(), X, y, exact=True)
    with pytest.raises(ValueError, match="not separable"):
        ls.trace(ls.SVC(kernel="linear", C=np.inf, max_iter=500), X, y)
    with pytest.raises(ValueError, match="Gram"):
        ls.trace(ls.SVC(memory_limit=1000), X, y)


@pytest.mark.slow
def test_figures(tmp_path):
    X, y = clouds()
    straight = ls.trace(ls.SVC(kernel="linear"), X, y)
    assert len(straight.plot().weights) == len(straight.steps) + 1
    curve = ls.trace(ls.SVC(), X, y)
    display = curve.plot()
    assert display.dual[0] == 0.0
    assert len(display.dual) == len(curve.steps) + 1
    assert np.all(np.diff(display.dual) > 0)
    assert display.gap[-1] <= display.tol
    assert len(curve.plot(updates=(3, 5)).steps) == 4
    with pytest.raises(ValueError, match="linear kernel"):
        curve.animate()
    straight.animate(tmp_path / "way.gif", max_frames=3)
    assert (tmp_path / "way.gif").stat().st_size > 0
