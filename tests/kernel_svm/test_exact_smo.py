"""SMO in fractions: against the rule itself, the fit in floats, and printed numbers."""

from fractions import Fraction as F

import numpy as np
import pytest
from scipy import sparse

import linscope as ls


def quarters(n=14, d=2, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.integers(-8, 9, (n, d)) / 4 + 1.5 * y[:, None], y


CASES = {
    "linear": ({"kernel": "linear"}, lambda p, g: p),
    "poly": (
        {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1},
        lambda p, g: (p / 2 + 1) ** 2,
    ),
    "scale": ({"kernel": "poly", "degree": 3}, lambda p, g: (g * p) ** 3),
    "auto": ({"kernel": "poly", "degree": 2, "gamma": "auto"}, lambda p, g: (p / 2) ** 2),
}


@pytest.mark.share(4)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_every_step_is_the_best_of_its_pair(name, make):
    options, kernel = CASES[name]
    X, y = quarters()
    model = ls.SVC(C=0.3, **options)
    run, plain = ls.trace(model, make(X), y, exact=True), ls.trace(model, make(X), y)
    rows = [[F(v) for v in row] for row in X.tolist()]
    values = [v for row in rows for v in row]
    mean = sum(values) / len(values)
    gamma = 1 / (2 * (sum((v - mean) ** 2 for v in values) / len(values)))
    K = [[kernel(sum(a * b for a, b in zip(x, z, strict=True)), gamma) for z in rows] for x in rows]
    s = [1 if label else -1 for label in y]

    def dual(alpha):
        pairs = [(i, j) for i, a in enumerate(alpha) for j, b in enumerate(alpha) if a and b]
        quadratic = sum(alpha[i] * alpha[j] * s[i] * s[j] * K[i][j] for i, j in pairs)
        return sum(alpha) - quadratic / 2

    assert len(run.steps) == len(plain.steps)
    for step, rounded in zip(run.steps, plain.steps, strict=True):
        alpha = step.after.tolist()
        assert (step.i, step.j, step.clipped) == (rounded.i, rounded.j, rounded.clipped)
        assert all(isinstance(a, F | int) and 0 <= a <= F(3, 10) for a in alpha)
        assert sum(a * sign for a, sign in zip(alpha, s, strict=True)) == 0
        assert step.dual == dual(alpha)
        np.testing.assert_allclose(step.after.astype(float), rounded.after, atol=1e-9)
        assert float(step.gap) == pytest.approx(rounded.gap, abs=1e-9)
        # along the pair no other step gains more
        for t in (F(1, 1000), -F(1, 1000)):
            other = list(alpha)
            other[step.i] += s[step.i] * t
            other[step.j] -= s[step.j] * t
            inside = all(0 <= other[k] <= F(3, 10) for k in (step.i, step.j))
            assert not inside or dual(other) <= dual(alpha)
    assert run.monotonic()


def test_the_widest_margin_of_the_or_table_in_fractions():
    run = ls.trace(ls.SVC(kernel="linear", C=np.inf), ls.datasets.load("or"), exact=True)
    assert run.replay()[0].tolist() == [4, 2, 2, 0]
    assert run.answer == [
        ("equation", "2·x1 + 2·x2 > 1 ⇒ 1"),
        ("weights", "w = [2 2], b = −1"),
        ("margin", "M = 2/‖w‖ = 0.707107"),
        ("support vectors", "3 of 4 samples: α = 4 (0), 2 (1), 2 (2)"),
    ]
    for shown in (str(run), run.to_html(), run.to_markdown().replace("\\", "")):
        words = " ".join(shown.split())
        assert "w = [2 2], b = −1" in words
        assert "α = 4 (0), 2 (1), 2 (2)" in words
    assert r"$\alpha$ = 4 (0), 2 (1), 2 (2)" in run.to_latex()
    assert run.plot() is not None


def test_decimals_are_fractions_and_weights_are_prices():
    X, y = [[0.1], [0.3], [0.7]], [0, 0, 1]
    run = ls.trace(ls.SVC(kernel="linear", C=np.inf), X, y, exact=True)
    # between 3/10 and 7/10: w = 2/(4/10) = 5, b = −w/2
    assert dict(run.answer)["weights"] == "w = [5], b = −5/2"
    assert dict(run.answer)["margin"] == "M = 2/‖w‖ = 2/5"
    assert run.steps[-1].after.tolist() == [0, F(25, 2), F(25, 2)]
    heavy = ls.trace(
        ls.SVC(kernel="linear", C=1, class_weight="balanced"), X, y, exact=True, criterion=True
    )
    # n/(2 n_k): 3/4 for each of two, 3/2 for one
    assert heavy.steps[-1].after.tolist() == [F(3, 4), F(3, 4), F(3, 2)]
    # w = ¾·(−1/10 − 3/10) + 3/2·7/10 = ¾; P = D at the end
    primal = heavy.to_frame(backend="dict")["primal"][-1]
    assert primal == heavy.steps[-1].dual
    assert heavy.path()[-1, 1] == 0.75


def test_several_classes_and_long_fractions():
    X, y = quarters(12, classes=3)
    run = ls.trace(ls.SVC(kernel="linear"), X, y, exact=True)
    plain = ls.trace(ls.SVC(kernel="linear"), X, y)
    for exact, rounded in zip(run.replay(), plain.replay(), strict=True):
        np.testing.assert_allclose(exact.astype(float), rounded, atol=1e-9)
    assert [label for label, _ in run.answer] == [label for label, _ in plain.answer]
    words = dict(ls.trace(ls.SVC(kernel="poly"), X / 7, y > 0, exact=True).answer)
    assert "≈ 0" in words["margin"] or "=" in words["margin"]
    assert "=≈" not in "".join(words.values()).replace(" ", "")


def test_the_kernel_answer_is_the_decision():
    X, y = ls.datasets.load("xor")
    model = ls.SVC(kernel="poly", degree=2, gamma=1, coef0=1, C=np.inf, tol=1e-9)
    answer = dict(ls.trace(model, X, y).answer)
    # β = −10/3, 8/3, 8/3, −2 and b = −1, so ‖w‖² = Σα = 32/3
    assert answer["equation"] == (
        "−3.33333·K(0, x) + 2.66667·K(1, x) + 2.66667·K(2, x) − 2·K(3, x) > 1 ⇒ 1"
    )
    assert answer["bias"] == "b = −1"
    assert answer["margin"] == f"M = 2/‖w‖ = {2 / np.sqrt(32 / 3):.6g}"


def test_what_has_no_fractions():
    X, y = quarters()
    for kernel in ("rbf", "sigmoid", lambda A, B: A @ B.T):
        with pytest.raises(ValueError, match="kernel='linear' or kernel='poly'"):
            ls.trace(ls.SVC(kernel=kernel), X, y, exact=True)
    with pytest.raises(ValueError, match=r"SVC\(kernel='linear'\)"):
        ls.trace(ls.LinearSVC(), X, y, exact=True)
