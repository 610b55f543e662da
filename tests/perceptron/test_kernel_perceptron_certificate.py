"""What a kernel perceptron claims: signs are exact, whatever the kernel and wherever the rows."""

import dataclasses
import warnings
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import linscope as ls
from linscope.results import Status
from linscope.results.certificate import without_proofs
from linscope.verify.kernel_signs import exact_energy, exact_sign
from linscope.verify.kernel_values import Kernel, values

KERNELS = ["rbf", "linear", "poly", "sigmoid"]


def true_scores(model, X):
    """Σ α K + b of two classes in 60 digits."""
    with mp.workdps(60):
        gamma, out = mpf(model._gamma), []
        for x in np.asarray(X, dtype=np.float64):
            total = mpf(float(model.intercept_[0]))
            vectors = np.asarray(model.support_vectors_, dtype=np.float64)
            for a, z in zip(model.dual_coef_[0].tolist(), vectors, strict=True):
                apart = sum((mpf(v) - mpf(w)) ** 2 for v, w in zip(x, z, strict=True))
                inner = sum((mpf(v) * mpf(w) for v, w in zip(x, z, strict=True)), mpf(0))
                t = gamma * inner + mpf(model.coef0)
                total += (
                    mpf(a)
                    * {
                        "rbf": lambda apart=apart: mp.exp(-gamma * apart),
                        "linear": lambda inner=inner: inner,
                        "poly": lambda t=t: t**model.degree,
                        "sigmoid": lambda t=t: mp.tanh(t),
                    }[model.kernel]()
                )
            out.append(total)
        return out


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6, 1e8])
def test_mistakes_and_predictions_are_those_of_exact_scores(kernel, offset):
    rng = np.random.default_rng(0)
    A = np.round(rng.normal(size=(12, 2)), 2)
    X = np.r_[A, A + np.array([offset, 0.0])]
    y = np.tile(A[:, 0] * A[:, 1] > 0, 2).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ls.KernelPerceptron(kernel=kernel, gamma=0.5, max_iter=20).fit(X, y)
    signs = np.where(y == 1, 1, -1)
    wrong = [s * int(t) <= 0 for s, t in zip(true_scores(model, X), signs, strict=True)]
    assert model.certificate_.mistakes == sum(wrong)
    assert model.verify(X, y).claim_holds
    np.testing.assert_array_equal(model.predict(X) == y, ~np.array(wrong))


def test_exact_ties_in_every_kernel():
    """A point as far from a positive sample as from a negative one, and none of these at 0."""
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [0.3, 0.3]]), np.array([0, 1, 0])
    for kernel in (*KERNELS, lambda A, B: A @ B.T):
        model = ls.KernelPerceptron(kernel=kernel, gamma=0.7, max_iter=1, fit_intercept=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X[:2], y[:2])
        if len(model.support_) == 2:
            assert model.decision_function(X[2:])[0] == 0.0


def test_signs_that_no_float_can_tell():
    near = np.array([1e-160])
    Z, beta = np.array([[0.0], [1.0]]), np.array([1.0, 0.0])
    assert exact_sign(Kernel("rbf", 1.0), near, Z, beta, -1.0) == -1  # e^{−1e-320} < 1
    assert exact_sign(Kernel("rbf", 1.0), np.zeros(1), Z, beta, -1.0) == 0
    both = np.array([1.0, -1.0])
    assert exact_sign(Kernel("rbf", 3.0), np.array([0.5]), Z, both, 0.0) == 0
    assert exact_sign(Kernel("rbf", 3.0), np.array([0.5 - 2.0**-50]), Z, both, 0.0) == 1
    assert (
        exact_sign(
            Kernel("sigmoid", 1.0),
            np.array([2.0]),
            np.array([[1.0], [-1.0]]),
            beta + 1.0 - np.array([1.0, 0.0]),
            0.0,
        )
        == 0
    )
    assert exact_sign(Kernel("poly", 1.0, 3, 1.0), np.array([0.1]), Z, both, 0.0) == -1
    assert exact_sign(Kernel("rbf", 1e30), np.array([1e9]), Z, both, 0.0) == np.sign(both[1])


def test_a_tiny_argument_of_tanh_has_all_its_digits():
    """tanh t − 2 tanh(t/2) = −t³/4 + …: negative, however small t is."""
    Z, beta = np.array([[1.0], [0.5]]), np.array([1.0, -2.0])
    for t in (1e-5, 1e-20, 1e-55, 1e-90):
        assert exact_sign(Kernel("sigmoid", 1.0), np.array([t]), Z, beta, 0.0) == -1


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_length_of_a_vector_near_zero_has_all_its_digits(kernel):
    X = 2.1 + 2.0**-50 * np.arange(6.0)[:, None]
    alpha, bias = np.array([1.0, -3.0, 2.0, 2.0, -3.0, 1.0]), 2.0**-80
    with mp.workdps(120):
        x, total = [mpf(v) for v in X[:, 0].tolist()], mpf(bias) ** 2
        formula = {
            "rbf": lambda a, b: mp.exp(-((a - b) ** 2) / 2),
            "linear": lambda a, b: a * b,
            "poly": lambda a, b: (a * b / 2) ** 3,
            "sigmoid": lambda a, b: mp.tanh(a * b / 2),
        }[kernel]
        for a, v in zip(alpha.tolist(), x, strict=True):
            total += sum(
                mpf(a) * mpf(b) * formula(v, w) for b, w in zip(alpha.tolist(), x, strict=True)
            )
        true = float(total)
    assert exact_energy(Kernel(kernel, 0.5), X, alpha, bias) == pytest.approx(true, rel=1e-14)


def test_a_vector_of_negative_energy_has_no_margin():
    """Of a sigmoid ‖w‖² may be negative; in floats these coefficients had a length of 4e-16."""
    X = 2.1 + 2.0**-51 * np.array([[0.0, 2, 1, 1, 2, 1, 1, 0, 1, 0, 2, 2]]).T
    y = np.array([1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0])
    alpha = np.array([3.0, -3, -3, 0, 3, 3, -3, -3, 3, 3, 0, -3])
    assert exact_energy(Kernel("sigmoid", 1.0), X, alpha, 0.0) < 0.0
    model = ls.KernelPerceptron(
        kernel="sigmoid", gamma=1.0, max_iter=3, fit_intercept=False, output="voted"
    )
    with pytest.warns(ConvergenceWarning):
        claim = model.fit(X, y).certificate_
    assert claim.margin == 0.0
    assert claim.verify(X, y).claim_holds


@pytest.mark.parametrize("precise", [False, True])
def test_no_width_leaves_the_range(precise):
    """Rows that differ are so far apart that K = 0, and K(x, x) = 1."""
    for size, gamma in [(1e151, 1e164), (1e300, 1e300), (1.0, 1e308), (1e-200, 1e300)]:
        X = size * np.array([[1.0, 2.0], [3.0, -1.0]])
        K = values(Kernel("rbf", gamma), X, X, precise=precise)
        away = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(*X.tolist(), strict=True))
        wanted = np.eye(2) if Fraction(gamma) * away > 1000 else np.ones((2, 2))
        assert (np.abs(sum(K.layers) - wanted) <= K.rad).all()
        assert (K.rad.diagonal() < 1e-14).all()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_forged_claims_and_changed_models_are_rejected(kernel, dtype, form):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 3)).astype(dtype)
    y = (X[:, 0] + 0.2 > 0).astype(int)
    weight = rng.integers(0, 3, 30).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ls.KernelPerceptron(kernel=kernel, max_iter=50).fit(form(X), y, weight)
    claim = model.certificate_
    assert claim.verify(form(X), y)
    assert model.verify(form(X), y, weight)
    changes = [{"status": status} for status in Status if status is not claim.status]
    changes += [{name: np.nan} for name in ("margin", "radius", "bias", "eta0")]
    changes += [{"mistakes": claim.mistakes + 1}, {"margin": claim.margin + 0.01}]
    changes += [{"alpha": -claim.alpha}, {"alpha": claim.alpha[:-1]}, {"bias": claim.bias + 1}]
    changes += [{"gap": 0.0}, {"kernel": "poly" if kernel != "poly" else "rbf"}]
    for change in changes:
        assert not dataclasses.replace(claim, **change).verify(form(X), y).claim_holds, change
    for name in ("dual_coef_", "intercept_", "support_vectors_"):
        held = getattr(model, name)
        setattr(model, name, held + 1.0 if name == "intercept_" else 2.0 * held)
        assert not model.verify(form(X), y, weight).claim_holds, name
        setattr(model, name, held)


def test_an_averaged_vector_with_mistakes_names_the_last_one():
    X, y = np.array([[0.0, 1, 0, 0], [0, 0, 0, 1], [0, 1, 1, 1]]), np.array([0, 0, 1])
    model = ls.KernelPerceptron(kernel="linear", tie="positive", output="averaged").fit(X, y)
    claim = model.certificate_
    assert (model.predict(X) != y).sum() == claim.mistakes
    assert claim.verify(X, y)


def test_values_that_vanish_are_a_clear_error():
    X, y = 1e-170 * np.array([[1.0], [2.0], [-1.0]]), [1, 1, 0]
    with pytest.raises(ValueError, match="vanish"):
        ls.KernelPerceptron(kernel="linear", fit_intercept=False).fit(X, y)


def test_powers_that_are_no_numbers_any_more_still_have_a_sign():
    """e^(−γd²) with γd² = 1e32 is 0 even for decimals; the nearest sample decides."""
    Z = np.array([[0.0], [1e10]])
    kernel = Kernel("rbf", 1e12)
    for beta in ([1.0, -1.0], [-1.0, 1.0]):
        near_first, near_second = np.array([-1e10]), np.array([2.1e10])
        assert exact_sign(kernel, near_first, Z, np.array(beta), 0.0) == np.sign(beta[0])
        assert exact_sign(kernel, near_second, Z, np.array(beta), 0.0) == np.sign(beta[1])


def test_the_bias_is_the_sum_of_the_coefficients_to_the_last_bit():
    X, y = np.array([[0.5], [1.5], [-1.0], [2.0]]), np.array([0, 1, 0, 1])
    model = ls.KernelPerceptron(eta0=1e5).fit(X, y)
    claim = model.certificate_
    assert claim.verify(X, y)
    moved = claim.alpha.copy()
    moved[-1] += 1e-9 * abs(moved).max()
    assert "bias" in dataclasses.replace(claim, alpha=moved).verify(X, y).reason


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("separable", [True, False])
@pytest.mark.parametrize("output", ["last", "averaged"])
def test_without_proofs_the_fit_is_the_same_and_nothing_is_claimed(separable, output):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] > 0 if separable else rng.random(40) < 0.5
    model = ls.KernelPerceptron(output=output, gamma=0.1 if separable else 0.001, max_iter=20)
    proven = clone(model).fit(X, y)
    with without_proofs():
        quick = clone(model).fit(X, y)
    assert_array_equal(quick.dual_coef_, proven.dual_coef_)
    assert_array_equal(quick.decision_function(X), proven.decision_function(X))
    assert not quick.certificate_.ok
    assert proven.certificate_.ok or not separable
