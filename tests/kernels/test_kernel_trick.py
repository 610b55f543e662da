"""The kernel trick: (1 + x·z)² is φ(x)·φ(z), and a machine with that kernel is linear in φ(x)."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from matplotlib.figure import Figure

import linscope as ls

ROOT = np.sqrt(2.0)
XOR = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
SIGNS = np.array([-1, 1, 1, -1])
QUADRATIC = {"kernel": "poly", "degree": 2, "gamma": 1, "coef0": 1}


class Root2:
    """a + b√2 with rational a and b, so that φ is exact."""

    def __init__(self, a, b=0):
        self.a, self.b = Fraction(a), Fraction(b)

    def __add__(self, other):
        return Root2(self.a + other.a, self.b + other.b)

    def __mul__(self, other):
        return Root2(self.a * other.a + 2 * self.b * other.b, self.a * other.b + self.b * other.a)


def exact_phi(x1, x2):
    """[1, x1², √2 x1 x2, x2², √2 x1, √2 x2] as printed in the notes."""
    return [Root2(1), Root2(x1**2), Root2(0, x1 * x2), Root2(x2**2), Root2(0, x1), Root2(0, x2)]


def phi(X):
    x1, x2 = np.asarray(X, dtype=float).T
    return np.column_stack([np.ones_like(x1), x1**2, ROOT * x1 * x2, x2**2, ROOT * x1, ROOT * x2])


def test_the_kernel_is_the_inner_product_of_phi_exactly():
    values = [Fraction(-3), Fraction(-1, 2), Fraction(0), Fraction(1), Fraction(7, 5)]
    for x1, x2, z1, z2 in product(values, repeat=4):
        inner = Root2(0)
        for left, right in zip(exact_phi(x1, x2), exact_phi(z1, z2), strict=True):
            inner = inner + left * right
        assert inner.b == 0
        assert inner.a == (1 + x1 * z1 + x2 * z2) ** 2


def test_two_polynomials_of_degree_two_agree_everywhere_if_they_do_on_a_grid():
    # Both sides have degree 2 in each of the four variables: 3 values each decide.
    for x1, x2, z1, z2 in product(range(3), repeat=4):
        inner = sum(
            (left * right).a
            for left, right in zip(exact_phi(x1, x2), exact_phi(z1, z2), strict=True)
        )
        assert inner == (1 + x1 * z1 + x2 * z2) ** 2


@pytest.mark.parametrize("C", [0.1, 1.0, 20.0])
def test_the_kernel_machine_is_the_linear_machine_on_phi(C):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where((X**2).sum(axis=1) + 0.5 * rng.normal(size=60) > 1.5, "out", "in")
    kernel = ls.SVC(C=C, tol=1e-10, **QUADRATIC).fit(X, y)
    linear = ls.LinearSVC(C=C, loss="hinge").fit(phi(X), y)
    new = rng.normal(size=(200, 2))
    np.testing.assert_allclose(
        kernel.decision_function(new), linear.decision_function(phi(new)), atol=1e-6
    )
    assert kernel.margin_ == pytest.approx(linear.margin_, rel=1e-7)
    assert kernel.certificate_.primal == pytest.approx(linear.certificate_.primal, rel=1e-9)


def test_xor_worked_out_by_hand():
    # K is 9 on the diagonal and 1 elsewhere. By symmetry all α are equal, and
    # D = 4α − ½α²ΣΣ y_i y_j K_ij = 4α − 16α², largest at α = 1/8, D = 1/4. ‖w‖² = 32α² = 1/2.
    K = [[(1 + a * c + b * d) ** 2 for c, d in XOR] for a, b in XOR]
    np.testing.assert_array_equal(K, np.ones((4, 4)) + 8 * np.eye(4))
    model = ls.SVC(C=np.inf, **QUADRATIC).fit(XOR, SIGNS)
    np.testing.assert_allclose(model.alphas_[0], 1 / 8, rtol=1e-12)
    assert sorted(model.support_) == [0, 1, 2, 3]
    assert model.certificate_.dual == pytest.approx(1 / 4, rel=1e-12)
    assert model.margin_ == pytest.approx(2 / np.sqrt(1 / 2), rel=1e-12)
    # w = Σ α y φ(x) has one entry, −1/√2 at √2 x1 x2: f(x) = −x1 x2
    w = (SIGNS / 8) @ phi(XOR)
    np.testing.assert_allclose(w, [0, 0, -1 / ROOT, 0, 0, 0], atol=1e-15)
    new = np.random.default_rng(0).normal(size=(50, 2))
    np.testing.assert_allclose(
        model.decision_function(new), -new[:, 0] * new[:, 1], rtol=0, atol=1e-12
    )


def test_no_line_separates_xor():
    with pytest.raises(ValueError, match="not separable"):
        ls.LinearSVC(C=np.inf).fit(XOR, SIGNS)


def test_the_shortest_weight_vector_with_a_margin_counts_the_bias():
    # min ‖[b, w]‖ with y w·[1, x] ≥ 1: on one axis, x = 1 (−) and x = 3 (+), the pair
    # −b − w ≥ 1 and b + 3w ≥ 1 meets at b = −2, w = 1; both constraints push (α > 0).
    model = ls.LinearSVC(C=np.inf, penalize_intercept=True).fit([[1.0], [3.0]], [-1, 1])
    np.testing.assert_allclose(model.coef_, [[1.0]], rtol=1e-9)
    np.testing.assert_allclose(model.intercept_, [-2.0], rtol=1e-9)
    X, y = ls.datasets.load("or")
    augmented = ls.separability(X, y).augmented
    model = ls.LinearSVC(C=np.inf, penalize_intercept=True).fit(X, y)
    W = np.concatenate([model.intercept_, model.coef_[0]])
    np.testing.assert_allclose(1 / np.linalg.norm(W), float(augmented.margin), rtol=1e-9)


def clouds():
    rng = np.random.default_rng(3)
    y = np.repeat([-1, 1], 25)
    return rng.normal(size=(50, 2)) * 0.8 + np.where(y > 0, 1, 0)[:, None] * [2.6, 1.6], y


@pytest.mark.parametrize(
    "model",
    [ls.LinearSVC(C=0.1), ls.SVC(kernel="linear", C=0.1, tol=1e-8)],
    ids=["LinearSVC", "SVC"],
)
def test_margin_of_a_fitted_linear_machine(model):
    X, y = clouds()
    model = model.fit(X, y)
    display = ls.plot.margin(model, X, y)
    w, b = model.coef_[0], model.intercept_[0]
    assert display.width == pytest.approx(2 / np.linalg.norm(w))
    np.testing.assert_allclose(display.slack, np.maximum(0, 1 - y * (X @ w + b)), atol=1e-9)
    np.testing.assert_allclose(display.slack, np.ravel(model.slack_), atol=1e-6)
    assert set(display.support) == set(np.ravel(model.support_))
    # slack starts on the margin line of the sample's own class and is perpendicular to it
    np.testing.assert_allclose(display.feet @ w + b, y, atol=1e-9)
    lengths = np.linalg.norm(X - display.feet, axis=1)
    loose = display.slack > 0
    np.testing.assert_allclose(
        lengths[loose], display.slack[loose] / np.linalg.norm(w), rtol=1e-9, atol=1e-12
    )
    assert display.title.startswith("M = 2/‖w‖ = ")
    words = [text.get_text() for text in display.ax_.texts]
    assert any(text.startswith("M = ") for text in words)


def test_margin_of_other_kernels_is_three_curves():
    X, y = clouds()
    model = ls.SVC(C=5).fit(X, y)
    display = ls.plot.margin(model, X, y)
    assert display.weights.size == 0
    assert np.isnan(display.width)
    spots = np.column_stack([display.u[[0, 100]], display.v[[30, 7]]])
    np.testing.assert_allclose(
        display.values[[30, 7], [0, 100]], model.decision_function(spots), atol=1e-9
    )


def test_margin_of_one_feature_and_of_a_wide_margin():
    X, y = clouds()
    flat = ls.plot.margin(ls.LinearSVC().fit(X[:, :1], y), X[:, :1], y)
    assert flat.view.flat
    wide = ls.plot.margin(ls.LinearSVC(C=1e-3).fit(X, y), X, y)
    assert not wide.whole


def test_margins_side_by_side():
    X, y = clouds()
    X = X[y * (X @ [1.7, 1] - 2.7) > 0.5]
    y = np.where(X @ [1.7, 1] > 2.7, 1, -1)
    left, right = Figure(figsize=(12, 5)).subplots(1, 2)
    hard = ls.plot.margin(ls.LinearSVC(C=np.inf).fit(X, y), X, y, ax=left)
    soft = ls.plot.margin(ls.LinearSVC(C=0.05).fit(X, y), X, y, ax=right)
    assert "no slack" in hard.title
    assert "Σξ" in soft.title
    assert hard.width < soft.width


def test_margin_says_what_is_wrong():
    X, y = clouds()
    model = ls.LinearSVC().fit(X, y)
    with pytest.raises(ValueError, match="trained on"):
        ls.plot.margin(model, X, np.where(y > 0, "a", "b"))
    with pytest.raises(ValueError, match="trained on"):
        ls.plot.margin(model, X[:2], [-1, 1])
    wide = np.column_stack([X, X])
    with pytest.raises(ValueError, match="4 features"):
        ls.plot.margin(ls.LinearSVC().fit(wide, y), wide, y)
    with pytest.raises(TypeError, match="GaussianNaiveBayes"):
        ls.plot.margin(ls.GaussianNaiveBayes().fit(X, y), X, y)
    with pytest.raises(TypeError, match="separability"):
        ls.plot.margin("verdict", X, y)


@pytest.mark.share(3)
@pytest.mark.parametrize("model", [ls.LinearSVC(), ls.SVC(), ls.SVC(kernel="linear")])
def test_boundary_draws_support_vector_machines(model):
    X, y = clouds()
    display = ls.plot.boundary(model.fit(X, y), X, y)
    assert len(display.lines) == int(hasattr(model, "coef_"))
    assert int(display.wrong.sum()) == int((model.predict(X) != y).sum())
    X, y = ls.datasets.load("iris")
    ls.plot.boundary(model.fit(X[:, :2], y), X[:, :2], y)
