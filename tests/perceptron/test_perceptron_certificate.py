"""Certificates: the true ones verify, every forged one is rejected with a reason."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import linscope as ls
from linscope.results import Status
from tests import reference

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SEPARABLE = np.array([[2.0, 1.0], [3.0, 0.0], [1.0, 2.5], [-1.0, 0.5], [-2.0, -2.0], [0.0, -1.5]])
LABELS = np.array([1, 1, 1, -1, -1, -1])


def fitted(**settings):
    return ls.Perceptron(**settings).fit(SEPARABLE, LABELS).certificate_


def kernel_fitted(**settings):
    return ls.KernelPerceptron(gamma=0.5, **settings).fit(SEPARABLE, LABELS).certificate_


def overlapping():
    X = np.vstack([SEPARABLE, [[-1.5, 0.0], [2.5, 1.0]]])
    return X, np.r_[LABELS, 1, -1]


def or_table():
    X, y = ls.datasets.load("or")
    return np.asarray(X, dtype=float), np.asarray(y)


# ---- what is claimed ----------------------------------------------------------------------------


def test_status_says_how_the_samples_are_separated():
    X, y = or_table()
    assert fitted().status is Status.SEPARATED
    by_tie = ls.Perceptron(tie="negative").fit(X, y).certificate_
    assert by_tie.status is Status.SEPARATED_BY_TIE
    assert by_tie.mistakes == 0
    assert by_tie.margin == 0.0
    strict = ls.Perceptron(tie="update").fit(X, y).certificate_
    assert strict.status is Status.SEPARATED
    limit = ls.Perceptron(max_iter=30).fit(*overlapping()).certificate_
    assert limit.status is Status.MAX_ITER
    assert limit.mistakes > 0
    assert limit.margin < 0
    for certificate, data in ((by_tie, (X, y)), (strict, (X, y)), (limit, overlapping())):
        assert certificate.verify(*data).claim_holds


@pytest.mark.parametrize("output", ["last", "averaged", "voted", "pocket"])
@pytest.mark.parametrize("intercept", [True, False])
def test_facts_are_those_of_exact_arithmetic(output, intercept):
    X, y = overlapping()
    model = ls.Perceptron(output=output, fit_intercept=intercept, max_iter=9).fit(X, y)
    certificate = model.certificate_
    w = certificate.weights
    signs = reference.exact_signs(X, y, w)
    assert certificate.mistakes == sum(s <= 0 for s in signs)
    rows = np.array(reference.augmented(X, intercept))
    np.testing.assert_allclose(certificate.radius, np.linalg.norm(rows, axis=1).max())
    np.testing.assert_allclose(
        certificate.margin, (y * (rows @ w)).min() / np.linalg.norm(w), rtol=1e-12
    )
    assert certificate.verify(X, y).claim_holds
    assert certificate.verify(sparse.csr_matrix(X), y).claim_holds
    assert certificate.verify(X.tolist(), y.tolist()).claim_holds


def test_a_rounded_weight_vector_is_judged_as_stored():
    """In float32 the stored vector may differ from the one that the loop ended with."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)).astype(np.float32)
    y = np.where(X @ [1, -2, 0.5] > 0.1, 1, -1)
    model = ls.Perceptron(max_iter=10_000).fit(X, y)
    w = np.r_[model.intercept_, model.coef_[0]]
    np.testing.assert_array_equal(model.certificate_.weights, w.astype(np.float64))
    assert model.certificate_.mistakes == sum(s <= 0 for s in reference.exact_signs(X, y, w))
    assert model.certificate_.verify(X, y)


# ---- forgeries ----------------------------------------------------------------------------------


def nudged(vector, place, by):
    out = vector.copy()
    out[place] += by
    return out


def forgeries(c):
    yield "negated weights", replace(c, weights=-c.weights)
    for j in range(len(c.weights)):
        yield f"weight {j} nudged", replace(c, weights=nudged(c.weights, j, 1e-3))
    yield "NaN weight", replace(c, weights=nudged(c.weights, 0, np.nan))
    yield "infinite weight", replace(c, weights=nudged(c.weights, 0, np.inf))
    yield "zero weights", replace(c, weights=np.zeros_like(c.weights))
    yield "too few weights", replace(c, weights=c.weights[:-1])
    yield "larger margin", replace(c, margin=c.margin * 1.001 + 1e-3)
    yield "smaller margin", replace(c, margin=c.margin * 0.999 - 1e-3)
    yield "NaN margin", replace(c, margin=float("nan"))
    yield "larger radius", replace(c, radius=c.radius * 1.001)
    yield "smaller radius", replace(c, radius=c.radius * 0.999)
    yield "one more mistake", replace(c, mistakes=c.mistakes + 1)
    yield "one mistake less", replace(c, mistakes=c.mistakes - 1)
    yield (
        "sides swapped",
        replace(c, positive=c.negative, negative=c.positive, others=(c.positive,)),
    )
    yield "unknown label", replace(c, positive="nobody")
    yield "no updates", replace(c, updates=0)


def rejected(certificate, X, y, what=""):
    check = certificate.verify(X, y)
    assert not check.claim_holds, what
    assert check.reason
    assert str(check).startswith("REJECTED: ")
    return True


# In a loop: names of cases would need a fit when tests are collected, in every process.
@pytest.mark.parametrize("separable", [True, False])
def test_forged_certificates_are_rejected(separable):
    X, y = (SEPARABLE, LABELS) if separable else overlapping()
    true = ls.Perceptron(max_iter=30).fit(X, y).certificate_
    assert true.verify(X, y).claim_holds
    for name, forged in forgeries(true):
        assert rejected(forged, X, y, name)


def test_a_claim_of_a_status_must_fit_the_facts():
    X, y = or_table()
    certificates = {
        Status.SEPARATED: (fitted(), (SEPARABLE, LABELS)),
        Status.SEPARATED_BY_TIE: (ls.Perceptron(tie="negative").fit(X, y).certificate_, (X, y)),
        Status.MAX_ITER: (
            ls.Perceptron(max_iter=30).fit(*overlapping()).certificate_,
            overlapping(),
        ),
    }
    for status, (certificate, data) in certificates.items():
        assert certificate.status is status
        assert certificate.verify(*data).claim_holds
        for other in certificates:
            if other is not status:
                assert rejected(replace(certificate, status=other), *data)


def test_the_tie_rule_is_part_of_the_claim():
    X, y = or_table()
    certificate = ls.Perceptron(tie="negative").fit(X, y).certificate_
    assert rejected(replace(certificate, tie="update"), X, y)
    assert rejected(replace(certificate, tie="positive"), X, y)


@pytest.mark.parametrize("make", [fitted, kernel_fitted], ids=["linear", "kernel"])
def test_other_data_are_rejected(make):
    certificate = make()
    assert certificate.verify(SEPARABLE, LABELS)
    assert rejected(certificate, SEPARABLE, -LABELS)
    assert rejected(certificate, SEPARABLE, np.roll(LABELS, 1))
    flipped = LABELS.copy()
    flipped[2] = -1
    assert rejected(certificate, SEPARABLE, flipped)
    for i in range(len(LABELS)):
        moved = SEPARABLE.copy()
        moved[i] *= -5
        assert rejected(certificate, moved, LABELS)
    longer = np.vstack([SEPARABLE, [[-9.0, -9.0]]])
    assert rejected(certificate, longer, np.r_[LABELS, 1])
    assert rejected(certificate, SEPARABLE[:, :1], LABELS)
    assert rejected(certificate, np.hstack([SEPARABLE, SEPARABLE]), LABELS)
    assert rejected(certificate, SEPARABLE, LABELS[:-1])
    assert rejected(certificate, SEPARABLE, np.ones(6))
    assert rejected(certificate, SEPARABLE * [1, np.nan], LABELS)
    assert rejected(certificate, SEPARABLE, np.where(LABELS > 0, "a", "b"))


def kernel_forgeries(c):
    used = int(np.flatnonzero(c.alpha)[0])
    yield "alpha nudged", replace(c, alpha=nudged(c.alpha, used, 1e-3))
    yield "alpha negated", replace(c, alpha=-c.alpha)
    yield "alpha dropped", replace(c, alpha=nudged(c.alpha, used, -c.alpha[used]))
    yield "NaN alpha", replace(c, alpha=nudged(c.alpha, used, np.nan))
    yield "too short", replace(c, alpha=c.alpha[:-1])
    yield "margin", replace(c, margin=c.margin + 1e-3)
    yield "radius", replace(c, radius=c.radius * 1.01)
    yield "mistakes", replace(c, mistakes=1)
    yield "updates", replace(c, updates=0)
    yield "status", replace(c, status=Status.SEPARATED_BY_TIE)
    yield "gamma", replace(c, parameters=c.parameters | {"gamma": 0.51})
    yield "kernel", replace(c, kernel="linear")
    yield "intercept", replace(c, intercept=False)


def test_forged_kernel_certificates_are_rejected():
    true = kernel_fitted()
    assert true.status is Status.SEPARATED
    assert true.verify(SEPARABLE, LABELS)
    for name, forged in kernel_forgeries(true):
        assert rejected(forged, SEPARABLE, LABELS, name)


# ---- several classes, weights -------------------------------------------------------------------


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("max_iter", [1, 1000])
def test_every_binary_problem_has_its_certificate(multi_class, max_iter):
    rng = np.random.default_rng(0)
    y = np.array(["red", "green", "blue"])[np.arange(30) % 3]
    X = rng.integers(-1, 2, (30, 3)) + 3.0 * np.eye(3)[np.arange(30) % 3]
    model = ls.Perceptron(multi_class=multi_class, max_iter=max_iter).fit(X, y)
    certificate = model.certificate_
    assert certificate.verify(X, y).claim_holds
    assert len(certificate.parts) == 3
    for name, part in certificate.parts.items():
        assert part.verify(X, y).claim_holds, name
        forged = replace(part, mistakes=part.mistakes + 1)
        check = replace(certificate, parts=certificate.parts | {name: forged}).verify(X, y)
        assert not check.claim_holds
        assert name in check.reason
    turned = np.array(["red", "green", "blue"])[(np.arange(30) + 1) % 3]
    assert rejected(certificate, X, turned)
    assert rejected(certificate, np.vstack([X, X[:1]]), np.r_[y, ["purple"]])
    if max_iter == 1000:
        assert certificate.status is Status.SEPARATED
        assert certificate.ok


def test_rows_of_weight_zero_are_no_part_of_the_claim():
    X, y = overlapping()
    sample_weight = np.r_[np.ones(6), 0, 0]
    certificate = ls.Perceptron().fit(X, y, sample_weight).certificate_
    assert certificate.status is Status.SEPARATED
    assert certificate.verify(X, y)
    assert certificate.verify(np.vstack([SEPARABLE, 100 * X[6:]]), y)
    assert rejected(replace(certificate, ignored=np.zeros(0, int)), X, y)
    assert rejected(certificate, SEPARABLE[:5], LABELS[:5])


# ---- the bound ----------------------------------------------------------------------------------


def test_the_bound_is_that_of_separability():
    certificate = fitted()
    bound = certificate.bound(SEPARABLE, LABELS)
    assert bound == ls.separability(SEPARABLE, LABELS).bound
    assert certificate.updates <= bound


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"rule": "batch"}, "single-sample"),
        ({"rule": "mini-batch"}, "single-sample"),
        ({"init": [1.0, 0.0, 0.0]}, "zeros"),
        ({"init": "random", "random_state": 0}, "zeros"),
        ({"schedule": "inverse"}, "constant rate"),
        ({"margin": 0.5}, "margin"),
        ({"class_weight": "balanced"}, "weights"),
        ({"output": "averaged"}, "last"),
        ({"output": "voted"}, "last"),
        ({"output": "pocket"}, "last"),
        ({"fit_intercept": False}, "intercept"),
    ],
)
def test_the_bound_is_claimed_only_where_the_theorem_holds(settings, reason):
    certificate = fitted(**settings)
    with pytest.raises(ValueError, match=reason):
        certificate.bound(SEPARABLE, LABELS)
    assert certificate.verify(SEPARABLE, LABELS)


def test_the_bound_needs_separable_data():
    certificate = ls.Perceptron(max_iter=5).fit(*overlapping()).certificate_
    with pytest.raises(ValueError, match="separable"):
        certificate.bound(*overlapping())
    with pytest.raises(ValueError, match="Perceptron only"):
        kernel_fitted().bound(SEPARABLE, LABELS)


# ---- reading ------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [fitted, kernel_fitted], ids=["linear", "kernel"])
def test_certificates_read_well(make):
    certificate = make()
    text = str(certificate)
    assert text.splitlines()[0] == "a strictly separating vector was found"
    for word in ("samples misclassified: 0", "R = max ‖x‖", f"updates: {certificate.updates}"):
        assert word in text
    assert f"advice: {certificate.advice}" in text
    html = certificate._repr_html_()
    assert html.count("<table") == 1
    assert "✓" in html
    assert "misclassified" in html


def test_several_certificates_read_well():
    X, _ = overlapping()
    labels = np.array(["<a>", "b", "c"])[np.arange(8) % 3]
    certificate = ls.Perceptron(max_iter=3).fit(X, labels).certificate_
    assert "<a> vs rest: " in str(certificate)
    html = certificate._repr_html_()
    assert "&lt;a&gt;" in html
    assert "✗" in html
    assert "parts" in certificate.advice or "separability" in certificate.advice


@pytest.mark.parametrize("output", ["averaged", "voted", "pocket"])
def test_advice_does_not_name_what_is_already_in_use(output):
    X, y = overlapping()
    for labels in (y, np.where(np.arange(len(y)) % 2, y, 0)):
        model = ls.Perceptron(max_iter=3, output=output).fit(X, labels)
        for certificate in (model.certificate_, *model.certificate_.parts.values()):
            assert "use output=" not in certificate.advice


def test_bounds_of_several_problems():
    X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    certificate = ls.Perceptron().fit(X, ["a", "b", "c"]).certificate_
    bounds = certificate.bound(X, ["a", "b", "c"])
    assert list(bounds) == list(certificate.parts)
    verdicts = ls.separability(X, ["a", "b", "c"]).one_vs_rest
    assert bounds["b vs rest"] == verdicts["b"].bound
    X, y = ls.datasets.load("iris")
    with pytest.raises(ValueError, match=r"1 vs rest: .*strictly separable"):
        ls.Perceptron(max_iter=2).fit(X, y).certificate_.bound(X, y)


def test_a_console_shows_the_claim_and_not_the_arrays():
    X, y = overlapping()
    three = np.where(np.arange(len(y)) % 2, y, 0)
    for shown in (
        fitted(),
        kernel_fitted(),
        ls.Perceptron(max_iter=3).fit(X, three).certificate_,
        ls.separability(SEPARABLE, LABELS),
        ls.separability(X, y),
        ls.separability(X, three),
    ):
        assert repr(shown) == str(shown)
