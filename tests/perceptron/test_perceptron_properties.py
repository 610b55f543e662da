"""What must hold on any data: the convergence theorem, exact separation, symmetries."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linscope as ls
from tests import reference

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

FEW = settings(max_examples=60, deadline=None)


@st.composite
def tables(draw, low=-9, high=9, most=10):
    """Small tables of whole numbers or dyadic fractions, with labels of both classes."""
    n, d = draw(st.integers(2, most)), draw(st.integers(1, 3))
    # R ≈ 1 beside the bias, so the bound grows with 1/unit²: 2⁻⁶ makes it tens of thousands.
    unit = draw(st.sampled_from([1.0, 0.5, 2.0**-6]))
    cell = st.integers(low, high)
    X = np.array(draw(st.lists(st.lists(cell, min_size=d, max_size=d), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))
    y[:2] = 1, -1
    return X * unit, y


@st.composite
def separable_tables(draw):
    X, _ = draw(tables())
    d = X.shape[1]
    v = np.array(draw(st.lists(st.integers(-5, 5), min_size=d, max_size=d)))
    side = X @ v + draw(st.sampled_from([0.5, -0.25, 1.0])) / 2048
    y = np.where(side > 0, 1, -1)
    X = np.vstack([X, X[:1]])
    return X, np.r_[y, y[0]]


TIES = st.sampled_from(["update", "positive", "negative"])


@FEW
@given(separable_tables(), TIES, st.booleans(), st.sampled_from([1.0, 0.25, 3.0]))
def test_updates_never_exceed_the_bound(data, tie, shuffle, eta0):
    X, y = data
    if len(set(y)) < 2:
        return
    verdict = ls.separability(X, y)
    if not verdict:
        return
    model = ls.Perceptron(
        tie=tie, shuffle=shuffle, random_state=0, eta0=eta0, max_iter=int(verdict.bound) + 2
    ).fit(X, y)
    assert model.n_updates_ <= verdict.bound
    assert model.certificate_.ok
    assert model.certificate_.bound(X, y) == verdict.bound
    assert model.certificate_.verify(X, y)
    signs = reference.exact_signs(X, y, np.r_[model.intercept_, model.coef_[0]])
    assert min(signs) >= (1 if tie == "update" else 0)
    np.testing.assert_array_equal(model.predict(X), y)


def test_a_hard_case_needs_75059_updates():
    X, y = np.array([[-23, -2], [-24, 1], [-17, -6]]), np.array([1, -1, -1])
    model = ls.Perceptron(max_iter=100_000).fit(X, y)
    assert model.n_updates_ == 75_059
    assert model.certificate_.status is ls.Status.SEPARATED
    assert min(reference.exact_signs(X, y, np.r_[model.intercept_, model.coef_[0]])) == 1
    bound = model.certificate_.bound(X, y)
    assert bound == ls.separability(X, y).bound
    assert bound >= 75_059
    verified = ls.separability(X, y)
    assert verified.verify(X, y)
    # γ² R⁻² from scratch: the best direction of the three cones is where all margins agree.
    A = np.column_stack([np.ones(3), X]) * y[:, None]
    w = np.linalg.solve(A, np.ones(3))
    gamma = 1 / np.linalg.norm(w)
    np.testing.assert_allclose(bound, (A**2).sum(axis=1).max() / gamma**2, rtol=1e-9)


@FEW
@given(tables(), TIES)
def test_certificates_tell_the_exact_truth(data, tie):
    X, y = data
    model = ls.Perceptron(tie=tie, max_iter=25).fit(X, y)
    w = np.r_[model.intercept_, model.coef_[0]]
    signs = np.array(reference.exact_signs(X, y, w))
    wrong = {"update": signs <= 0, "positive": np.where(y > 0, signs < 0, signs <= 0)}.get(
        tie, np.where(y > 0, signs <= 0, signs < 0)
    )
    certificate = model.certificate_
    assert certificate.mistakes == wrong.sum()
    assert certificate.verify(X, y).claim_holds
    expected = {
        (True, True): ls.Status.SEPARATED,
        (True, False): ls.Status.SEPARATED_BY_TIE,
    }.get((not wrong.any(), bool((signs != 0).all())), ls.Status.MAX_ITER)
    assert certificate.status is expected
    if certificate.status is ls.Status.SEPARATED:
        assert ls.separability(X, y)


@FEW
@given(tables())
def test_whole_number_runs_equal_the_plain_loop(data):
    X, y = data
    for tie in ("update", "positive", "negative"):
        model = ls.Perceptron(tie=tie, max_iter=15).fit(X, y)
        plain = reference.perceptron(X, y, tie=tie, max_iter=15)
        assert [*model.intercept_, *model.coef_[0]] == plain.weights
        assert model.results_[0].details["visits"] == plain.visits


@FEW
@given(tables())
def test_scaling_and_column_order_do_not_matter(data):
    X, y = data
    plain = ls.Perceptron(fit_intercept=False, max_iter=15).fit(X, y)
    for factor in (2.0**40, 2.0**-40):
        scaled = ls.Perceptron(fit_intercept=False, max_iter=15).fit(X * factor, y)
        np.testing.assert_array_equal(scaled.coef_, plain.coef_ * factor)
        assert scaled.n_updates_ == plain.n_updates_
    turned = ls.Perceptron(fit_intercept=False, max_iter=15).fit(X[:, ::-1], y)
    np.testing.assert_array_equal(turned.coef_[:, ::-1], plain.coef_)
    mirrored = ls.Perceptron(fit_intercept=False, max_iter=15).fit(-X, y)
    np.testing.assert_array_equal(mirrored.coef_, -plain.coef_)
    other_sign = ls.Perceptron(fit_intercept=False, max_iter=15).fit(X, -y)
    np.testing.assert_array_equal(other_sign.coef_, -plain.coef_)


@FEW
@given(tables())
def test_pocket_is_never_worse_than_any_vector_on_the_way(data):
    X, y = data
    run = reference.perceptron(X, y, max_iter=6)
    model = ls.Perceptron(output="pocket", max_iter=6).fit(X, y)
    rows = reference.augmented(X)
    fewest = min(reference.errors(w, rows, y) for w in [[0.0] * len(rows[0]), *run.history])
    assert model.certificate_.mistakes == fewest


@FEW
@given(tables())
def test_the_linear_kernel_makes_the_same_updates(data):
    X, y = data
    model = ls.KernelPerceptron(kernel="linear", max_iter=15).fit(X, y)
    plain = ls.Perceptron(max_iter=15).fit(X, y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    np.testing.assert_array_equal(model.intercept_, plain.intercept_)
    assert model.n_updates_ == plain.n_updates_
    assert model.certificate_.mistakes == plain.certificate_.mistakes
    assert model.certificate_.status is plain.certificate_.status
    assert model.certificate_.verify(X, y).claim_holds
