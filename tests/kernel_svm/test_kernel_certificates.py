"""Certificates of kernel machines: gaps with all rounding, kernels that are no inner products."""

import dataclasses
import warnings

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

import linscope as ls
from linscope.arithmetic.enclosures import Ball
from linscope.kernel_svm.certificates import kernel_svm
from linscope.kernel_svm.certificates.inner_product import Evidence
from linscope.kernel_svm.verify.duality import Held, judge, measure
from linscope.kernels import gram
from linscope.kernels.kernel_maps import DISTANCE
from linscope.kernels.source import KernelSource
from linscope.kernels.sums import KernelSums
from linscope.results import Status
from linscope.verify.kernel_values import Kernel, kernel_sums

DIGITS = 60


def true_kernel(claim, x, z):
    """K(x, z) as the formula says, in 60 digits."""
    with mp.workdps(DIGITS):
        x, z = [mpf(float(v)) for v in x], [mpf(float(v)) for v in z]
        if claim.kernel == "rbf":
            gamma = mpf(claim.parameters["gamma"])
            return mp.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, z, strict=True)))
        t = sum((a * b for a, b in zip(x, z, strict=True)), mpf(0))
        if claim.kernel == "linear":
            return t
        t = mpf(claim.parameters["gamma"]) * t + mpf(claim.parameters["coef0"])
        return t ** claim.parameters["degree"] if claim.kernel == "poly" else mp.tanh(t)


def true_objectives(claim, X, y, alpha=None, bias=None):
    """P of the held floats and D of feasible coefficients near them, in 60 digits."""
    signs = np.where(np.asarray(y) == claim.classes[1], 1, -1)
    alpha = claim.alpha if alpha is None else alpha
    bias = claim.bias if bias is None else bias
    with mp.workdps(DIGITS):
        K = [[true_kernel(claim, a, b) for b in X] for a in X]
        a = [mpf(float(v)) for v in alpha]
        beta = [v * int(s) for v, s in zip(a, signs, strict=True)]
        sums = [mp.fsum(k * b for k, b in zip(row, beta, strict=True)) for row in K]
        norm2 = mp.fsum(b * s for b, s in zip(beta, sums, strict=True))
        slack = [
            max(mpf(0), 1 - int(s) * (f + mpf(bias))) for f, s in zip(sums, signs, strict=True)
        ]
        return norm2 / 2 + mpf(claim.C) * mp.fsum(slack)


def shifted_clusters(offset):
    A = np.random.default_rng(1).normal(size=(20, 2))
    return np.r_[A, A + np.array([offset, 0.0])], np.tile(A[:, 0] * A[:, 1] > 0, 2).astype(int)


# ---- squared distances --------------------------------------------------------------------------


@pytest.mark.share(4)
@pytest.mark.parametrize("offset", [1e3, 1e6, 1e7, 1e9])
def test_two_clusters_far_apart_are_as_exact_as_one(offset):
    X, y = shifted_clusters(offset)
    model = ls.SVC(10.0, gamma=1.0).fit(X, y)
    claim = model.certificate_
    assert claim.ok
    assert claim.gap < 1e-9 * claim.primal
    assert abs(true_objectives(claim, X, y) - mpf(claim.primal)) <= claim.rounding
    assert claim.verify(X, y)
    exact = [
        mp.fsum(
            mpf(b) * true_kernel(claim, X[j], x)
            for j, b in zip(model.support_, model.dual_coef_[0], strict=True)
        )
        + mpf(model.intercept_[0])
        for x in X
    ]
    np.testing.assert_allclose(model.decision_function(X), [float(f) for f in exact], atol=1e-11)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e7, 1e12])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_kernel_values_are_at_most_1_and_1_for_equal_rows(offset, dtype):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 3))
    X = np.r_[A, A + offset, A].astype(dtype)
    K = gram(X, gamma=0.7)
    assert K.max() <= 1.0
    wide = X.astype(np.float64)
    expected = np.exp(-0.7 * ((wide[:, None] - wide[None]) ** 2).sum(-1))
    np.testing.assert_allclose(K, expected, atol=1e-6 if dtype == np.float32 else 1e-11)
    source = KernelSource(wide, "rbf", gamma=0.7)
    tiles = source.tiles(np.float64).block(np.arange(180), slice(0, 180))
    assert tiles.max() <= 1.0
    assert np.abs(tiles - expected).max() <= source.rounding.error
    if source.direct:
        assert source.tiles(np.float64).code == DISTANCE
        assert (tiles[np.arange(60), 120 + np.arange(60)] == 1.0).all()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("width", [1, 3])
def test_scores_of_new_points_far_from_the_origin(form, width):
    rng = np.random.default_rng(2)
    V = rng.normal(size=(50, 3)) + np.repeat([[0.0, 1e7, 0.0], [3e6, 0.0, 0.0]], 25, axis=0)
    points, c = V[::2] + 0.1, rng.normal(size=(50, width))
    sums = KernelSums(V, [(0, 50, c)], "rbf", gamma=1.3, degree=3, coef0=0.0)
    expected = np.exp(-1.3 * ((points[:, None] - V[None]) ** 2).sum(-1)) @ c
    np.testing.assert_allclose(sums(form(points)), expected, atol=1e-12)


def test_a_path_far_from_the_origin_is_that_near_it():
    rng = np.random.default_rng(0)
    A = np.round(rng.normal(size=(60, 2)), 3)
    y = (A[:, 0] * A[:, 1] > 0).astype(int)
    # 2^26 and multiples of it: adding them to three decimals moves no kernel value much
    X = np.r_[A, A + 2.0**26]
    found = ls.path(ls.SVC(), X, np.tile(y, 2), Cs=[1.0, 10.0], gammas=[0.5, 1.0], cv=3)
    assert all(one.ok and one.rounding < 1e-9 for one in found.certificates.ravel())
    assert found.verify(X, np.tile(y, 2))


# ---- gaps ---------------------------------------------------------------------------------------


def test_large_kernel_values_lose_nothing_that_is_not_said():
    """Values near 1e12: a bias of one unit in the last place more costs 2.7e-4 of the objective."""
    X, y = [[9.85], [9.77], [9.99], [9.98]], [0, 0, 1, 0]
    claim = ls.SVC(kernel="poly").fit(X, y).certificate_
    assert claim.verify(X, y)
    P = true_objectives(claim, X, y)
    # Any other model with a smaller objective bounds the gap from below.
    best = min(
        true_objectives(claim, X, y, claim.alpha, claim.bias + k * np.spacing(claim.bias) / 8)
        for k in range(-16, 17)
    )
    assert P - best <= claim.gap
    assert claim.gap <= 1e-3 * claim.primal


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e6])
def test_objectives_are_within_their_stated_rounding(kernel, scale, C):
    rng = np.random.default_rng(3)
    X = scale * rng.normal(size=(9, 2))
    y = (X[:, 0] + 0.5 * scale * rng.normal(size=9) > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        claim = ls.SVC(C, kernel=kernel).fit(X, y).certificate_
    room = claim.spread if kernel == "linear" else claim.rounding
    assert abs(true_objectives(claim, X, y) - mpf(claim.primal)) <= room
    assert claim.dual <= claim.primal
    assert claim.verify(X, y)


FAR_OPTIONS = [
    {"kernel": "poly", "degree": 4, "gamma": 0.1, "coef0": 1.0},
    {"kernel": "linear"},
    {"kernel": "linear", "C": 1e6, "max_iter": 20},
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("centre", "scale"), [(1e3, 1.0), (0.0, 1e3), (1e3, 1e3)])
@pytest.mark.parametrize("options", FAR_OPTIONS, ids=str)
def test_the_objective_is_that_of_the_dual_coefficients_far_from_the_origin(
    options, centre, scale, dtype
):
    """Σβ ≠ 0 by rounding moves Σβ_j x_j·x, and margins of 1 − 1e-17 are worth most of ½‖w‖²."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(24, 4))
    y = (X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=24) > 0).astype(int)
    X = (centre + scale * X).astype(dtype)
    model = ls.SVC(**options).fit(X, y)
    claim, alpha = model.certificate_, np.zeros(24)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    P = true_objectives(claim, X, y, alpha, float(model.intercept_[0]))
    room = claim.spread if options["kernel"] == "linear" else claim.rounding
    assert abs(P - mpf(claim.primal)) <= room
    assert claim.rounding <= 1e-5 * claim.primal
    assert room <= (1e-5 if dtype is np.float64 else 1e-1) * claim.primal
    if options["kernel"] == "linear":
        signs, w = 2 * y - 1, [mpf(float(v)) for v in model.coef_[0]]
        with mp.workdps(DIGITS):
            f = [mp.fdot(w, x) + mpf(float(model.intercept_[0])) for x in X.astype(float).tolist()]
            slack = mp.fsum(max(0, 1 - int(s) * v) for v, s in zip(f, signs, strict=True))
            P = mp.fdot(w, w) / 2 + mpf(claim.C) * slack
        assert abs(P - mpf(claim.primal)) <= claim.rounding
    assert model.verify(X, y).claim_holds
    for off in (3.0 * claim.rounding, -3.0 * claim.rounding):
        forged = dataclasses.replace(claim, primal=claim.primal + off, dual=claim.dual + off)
        assert not forged.verify(X, y).claim_holds


def test_an_objective_that_rounding_hides_is_shown_with_its_rounding():
    X, y = np.array([[1e9], [1e9 + 1.0], [1e9 + 2.0]]), [0, 1, 1]
    claim = ls.SVC(kernel="linear").fit(X, y).certificate_
    coarse = dataclasses.replace(claim, rounding=1e-3 * claim.primal)
    assert "rounded by at most" in str(coarse.facts()["objective"])
    assert dataclasses.replace(claim, rounding=0.0).facts()["objective"] == claim.primal


def test_the_gap_counts_what_rounding_does_to_the_sum_of_the_coefficients():
    """Σβ ≠ 0, α above C, scores that are known to 1e-3 only: each makes the gap larger."""
    X, y = np.array([[0.0], [1.0]]), np.array([-1.0, 1.0])
    held = Held(
        X, y, np.full(2, 10.0), np.array([2.0, 2.0]), -1.0, Kernel("linear"), np.array([2.0])
    )
    exact = measure(held)
    assert exact.gap < 1e-12
    assert measure(held._replace(alpha=np.array([2.0, 2.001]))).gap > 1e-7
    loose = judge(held, Ball(exact.f.mid, np.full(2, 1e-3)), Ball(4.0, 0.0))
    assert loose.gap >= 8.0 * 1e-3  # (C − α)·1e-3 for a margin of 1 − 1e-3
    assert measure(held._replace(bias=-1.1)).gap >= 0.99 * (0.2 + 0.8)


def test_precise_sums_enclose_the_truth():
    rng = np.random.default_rng(4)
    X, beta = rng.normal(size=(5, 3)) + 1e6, rng.normal(size=5)
    for kernel in (
        Kernel("poly", 1e-6, 4, 1.0),
        Kernel("rbf", 0.3),
        Kernel("sigmoid", 1e-12, 3, 0.5),
    ):
        claim = type("Claim", (), {"kernel": kernel.name, "parameters": kernel._asdict()})
        with mp.workdps(DIGITS):
            true = [
                mp.fsum(mpf(b) * true_kernel(claim, x, z) for b, z in zip(beta, X, strict=True))
                for x in X
            ]
        rough, fine = (kernel_sums(kernel, X, X, beta, precise=p) for p in (False, True))
        for sums in (rough, fine):
            for k in range(5):
                assert abs(true[k] - mpf(sums.mid[k])) <= mpf(sums.rad[k])
        assert (fine.rad <= 1e-15 * (1.0 + np.abs(fine.mid))).all()


def test_a_large_price_does_not_spoil_margins_that_are_1_but_for_rounding():
    X = np.array(
        [[34.0, 15, -17], [-20, 28, 50], [26, 26, 2], [34, -36, -68], [7, -14, -19], [-12, 32, 46]]
    )
    claim = ls.SVC(4319153627.929825, kernel="linear").fit(X, [1, 0, 1, 1, 0, 0]).certificate_
    assert claim.ok
    assert claim.gap < 1e-6 * claim.primal


def test_rounding_is_no_support_vector():
    X, y = [[3.0], [0.0], [0.0]], [1, 0, 1]
    model = ls.SVC(10.0, kernel="linear").fit(X, y)
    assert model.support_.tolist() == [1, 2]
    np.testing.assert_allclose(model.dual_coef_, [[-10.0, 10.0]])
    assert model.certificate_.verify(X, y)


@pytest.mark.share(2)
@pytest.mark.parametrize("n", [1500, 5000])
def test_large_fits_are_proven_by_the_scores_of_the_solver(n, monkeypatch):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 4))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0).astype(int)
    monkeypatch.setattr(kernel_svm, "measure", None)  # no second pass over the kernel
    model = ls.SVC(gamma=0.5).fit(X, y)
    assert model.certificate_.ok
    assert model.verify(X, y)


# ---- kernels that are no inner products ---------------------------------------------------------


def test_an_indefinite_kernel_has_no_gap_and_is_not_worse_than_nothing():
    X, y = ls.datasets.load("iris")
    X, y = X[y < 2], y[y < 2]
    with pytest.warns(ConvergenceWarning, match="not an inner product"):
        model = ls.SVC(kernel="sigmoid", gamma=0.1).fit(X, y)
    claim = model.certificate_
    assert claim.status is Status.STATIONARY
    assert not claim.ok
    assert claim.gap is None
    assert claim.dual is None
    assert claim.primal <= 100.0
    rows, v = claim.witness
    K = np.tanh(0.1 * X[rows] @ X[rows].T)
    assert v @ K @ v < 0.0
    check = claim.verify(X, y)
    assert check.claim_holds
    assert "no minimum is claimed" in check.reason
    for change in (
        {"status": Status.CONVERGED, "gap": 0.0, "dual": claim.primal},
        {"status": Status.CONVERGED},
        {"witness": (rows, np.abs(v))},
        {"witness": None},
        {"gap": 0.0},
        {"ridge": 0.0, "witness": None, "gap": 0.0, "dual": 0.0, "status": Status.CONVERGED},
        {"primal": 90.0},
    ):
        assert not dataclasses.replace(claim, **change).verify(X, y).claim_holds, change


def test_stationary_points_are_said_to_be_no_more():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(int)
    with pytest.warns(ConvergenceWarning, match="not an inner product"):
        model = ls.SVC(kernel="sigmoid", gamma=0.05).fit(X, y)
    assert model.certificate_.kkt <= 1e-3
    assert model.verify(X, y).claim_holds
    for kkt in (1e-18, np.nan, np.inf, 1.0):
        assert not dataclasses.replace(model.certificate_, kkt=kkt).verify(X, y).claim_holds


def test_given_matrices_and_functions_are_proven_or_refuted():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] > 0).astype(int)
    K = X @ X.T  # of rank 3: rounding makes some eigenvalues negative, by 1e-15
    model = ls.SVC(kernel="precomputed").fit(K, y)
    assert model.certificate_.status is Status.CONVERGED
    assert 0.0 < model.certificate_.ridge < 1e-9
    assert model.verify(K, y)
    assert not dataclasses.replace(model.certificate_, ridge=1e-30).verify(K, y).claim_holds
    bad = K - 0.5 * np.eye(80)
    with pytest.warns(ConvergenceWarning, match="not an inner product"):
        other = ls.SVC(kernel="precomputed").fit(bad, y)
    assert other.certificate_.status is Status.STATIONARY
    assert other.verify(bad, y).claim_holds
    assert not other.certificate_.verify(K, y).claim_holds
    function = ls.SVC(kernel=lambda A, B: A @ B.T).fit(X, y)
    assert function.certificate_.status is Status.CONVERGED
    assert function.verify(X, y)
    with pytest.warns(ConvergenceWarning, match="not an inner product"):
        poly = ls.SVC(kernel="poly", coef0=-1.0, degree=1, gamma=0.1).fit(X, y)
    assert poly.certificate_.status is Status.STATIONARY


def test_terms_that_cancel_do_not_hide_an_indefinite_kernel():
    """x·z = 0 of two rows, times γ = 4e14: floats leave tanh(γ x·z + ½) open, pairs do not."""
    X = np.array([[1.0, 3.0, -2.0], [-4.0, 0.0, 3.0], [-8.0, 2.0, -1.0]])
    y = np.array([1, 0, 0])
    model = ls.SVC(kernel="sigmoid", C=1e-15, gamma=420294596041553.8, coef0=0.5)
    with pytest.warns(ConvergenceWarning, match="not an inner product"):
        claim = model.fit(X, y).certificate_
    assert claim.status is Status.STATIONARY
    assert claim.verify(X, y).claim_holds
    forged = dataclasses.replace(
        claim, status=Status.CONVERGED, witness=None, gap=1e-20, dual=claim.primal
    )
    assert not forged.verify(X, y).claim_holds


def test_a_claim_that_knows_nothing_is_accepted_where_little_is_known():
    """Kernel values of 1e18 and 1e-21 without slack: rounding is most of the smallest margin."""
    K, y = np.zeros((6, 6)), np.array([0, 1, 0, 1, 1, 1])
    K[np.triu_indices(6)] = [
        386526.8232565306, -0.008938311670046549, 1220017579326.632, -53.88290784476751,
        2.9323640727787264e-07, -4.205460332618492e-08, 2.0669565655956183e-10, -28212.52423074349,
        1.2460253597595332e-06, -6.781000032990717e-15, 9.724995241536992e-16,
        3.8508139779943895e+18,
        -170073823.70517686, 0.9255594961391701, -0.13273944332577955, 0.0075114263308986365,
        -4.087796592475517e-11, 5.862527977700418e-12, 2.2246215625808207e-19,
        -3.1904489020887584e-20,
        4.575593605696503e-21
    ]  # fmt: skip
    K = np.maximum(K, K.T) + np.minimum(K, K.T) - np.diag(K.diagonal())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ls.SVC(kernel="precomputed", C=np.inf).fit(K, y)
    assert model.verify(K, y).claim_holds


def test_without_evidence_there_is_no_gap(monkeypatch):
    monkeypatch.setattr(
        "linscope.kernel_svm.certificates.kernel_svm.evidence", lambda held: Evidence(None, None)
    )
    X = np.random.default_rng(1).normal(size=(20, 3))
    y = (X[:, 0] > 0).astype(int)
    K = rbf_kernel(X)
    with pytest.warns(ConvergenceWarning):
        claim = ls.SVC(kernel="precomputed").fit(K, y).certificate_
    assert claim.gap == np.inf
    assert not claim.ok
    assert claim.verify(K, y).claim_holds


def test_what_is_not_checked_is_said(monkeypatch):
    for module in ("certificates.inner_product", "certificates.kernel_svm", "verify.check"):
        monkeypatch.setattr(f"linscope.kernel_svm.{module}.MOST", 50)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] > 0).astype(int)
    K = rbf_kernel(X)
    model = ls.SVC(kernel="precomputed").fit(K, y)
    assert model.certificate_.ridge is None
    assert "not checked" in str(model.certificate_)
    assert "not checked" in model.verify(K, y).reason


def test_an_uneven_matrix_counts_its_unevenness():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    K = rbf_kernel(X)
    K = K + 1e-9 * np.triu(rng.normal(size=K.shape))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        claim = ls.SVC(10.0, kernel="precomputed").fit(K, y).certificate_
    assert claim.verify(K, y).claim_holds
    assert claim.gap is None or claim.gap > 1e-9


# ---- forgeries ----------------------------------------------------------------------------------


def forged(claim):
    """One number or status changed at a time."""
    for status in Status:
        if status is not claim.status:
            yield {"status": status}
    for name in (
        "primal",
        "dual",
        "gap",
        "kkt",
        "bias",
        "C",
        "tol",
        "allowed",
        "rounding",
        "ridge",
    ):
        for value in (np.nan, np.inf, -np.inf, -1.0, 1e9):
            yield {name: value}
    yield {"gap": 1e-9 * claim.gap}
    yield {"kkt": 1e-9 * claim.kkt}
    yield {"dual": claim.dual + 1.0}
    yield {"alpha": np.roll(claim.alpha, 1)}
    yield {"alpha": 2.0 * claim.alpha}
    yield {"parameters": {**claim.parameters, "gamma": 1.0001 * claim.parameters["gamma"]}}
    yield {"backward_error": 0.0}


@pytest.mark.share(3)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_forgery_is_rejected(kernel, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)).astype(dtype)
    y = (X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=50) > 0.5).astype(int)
    claim = ls.SVC(kernel=kernel).fit(X, y).certificate_
    assert claim.verify(X, y)
    for change in forged(claim):
        if kernel == "linear" and "parameters" in change:
            continue  # a linear kernel has no γ
        assert not dataclasses.replace(claim, **change).verify(X, y).claim_holds, change


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_verify_looks_at_the_model_as_it_is(kernel, multi_class, dtype):
    X, y = ls.datasets.load("iris")
    X = X.astype(dtype)
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    model = ls.SVC(kernel=kernel, multi_class=multi_class, class_weight={0: 1.0, 1: 2.0, 2: 0.5})
    model.fit(X, y, weight)
    assert model.verify(X, y, weight)
    assert not model.verify(X, y).claim_holds
    for name in ("dual_coef_", "intercept_", "support_vectors_", "_coef"):
        if not hasattr(model, name):
            continue
        held = getattr(model, name)
        setattr(model, name, 2.0 * held)
        assert not model.verify(X, y, weight).claim_holds, name
        setattr(model, name, held)
    assert model.verify(X, y, weight)


# ---- kinds of kernels and ends ------------------------------------------------------------------


def test_a_kernel_function_may_return_a_sparse_matrix():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=900) > 0).astype(int)
    for rows in (slice(0, 60), slice(None)):
        plain = ls.SVC(kernel=lambda A, B: A @ B.T).fit(X[rows], y[rows])
        other = ls.SVC(kernel=lambda A, B: sparse.csr_array(A @ B.T)).fit(X[rows], y[rows])
        np.testing.assert_allclose(
            other.decision_function(X), plain.decision_function(X), atol=1e-6
        )
        assert other.verify(X[rows], y[rows])


@pytest.mark.parametrize("scale", [1e-200, 1e-160, 1e-100, 1e100, 1e160, 1e200])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
def test_extreme_scales_give_an_answer_or_a_clear_error(scale, kernel):
    rng = np.random.default_rng(0)
    X = scale * rng.normal(size=(30, 2))
    y = (X[:, 0] > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            model = ls.SVC(kernel=kernel).fit(X, y)
        except ValueError as error:
            clear = ("range", "overflows", "no computer number")
            if not any(words in str(error) for words in clear):
                raise
            return
    assert model.verify(X, y).claim_holds


def test_hard_margins_of_nearly_equal_samples_are_not_called_inseparable():
    X = np.array([[0.0], [1e-9], [1.0], [2.0]])
    with pytest.raises(ValueError, match="by a margin that floats can tell"):
        ls.SVC(np.inf, gamma=1.0).fit(X, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="both have the same sample"):
        ls.SVC(np.inf, gamma=1.0).fit([[0.0], [0.0], [1.0]], [0, 1, 1])


def test_a_bound_that_float32_rounds_by_far():
    """C below 2^-126 is a float32 with few bits; α = C as the model holds it is in its box."""
    X, y = np.zeros((6, 3), dtype=np.float32), np.array([1, 0, 0, 1, 0, 1])
    model = ls.SVC(kernel="poly", C=1.1965237505009214e-41, degree=1).fit(X, y)
    assert model.verify(X, y)


def test_long_sums_of_gaussian_values():
    """So many float64 values are summed by a compiled loop, in tiles that end unevenly."""
    rng = np.random.default_rng(0)
    vectors, points = rng.normal(size=(1061, 3)), rng.normal(size=(1009, 3))
    beta = rng.normal(size=(1061, 1))
    sums = KernelSums(vectors, [(0, 1061, beta)], "rbf", gamma=0.3, degree=1, coef0=0.0)(points)
    assert np.abs(sums - rbf_kernel(points, vectors, gamma=0.3) @ beta).max() <= 1e-12 * 1061
