"""Logistic regression without a penalty on tables with columns that are combinations of others.

The references are statsmodels without the dependent columns, and the likelihood in long fractions
on the nearby table.
"""

import warnings
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import statsmodels.api as sm
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import linscope as ls
from linscope import Status
from linscope.verify.relations import MOST_ULPS, ULP, ULP_32


def ordinary_table(n=300, seed=0):
    """Dummies of all levels, a total beside its parts."""
    rng = np.random.default_rng(seed)
    D = np.eye(3)[rng.integers(0, 3, n)]
    a, b = rng.normal(size=(2, n))
    X = np.c_[D, a, b, a + b, rng.normal(size=n)]
    t = X @ [1, 2, 3, 0.5, 0.2, 0, 0.1] + rng.normal(size=n)
    return X, t > np.median(t)


def tables():
    """name: table, the sentences that name its dependent columns, whether they are exact."""
    rng = np.random.default_rng(3)
    n = 200
    X = rng.standard_normal((n, 3))
    D, E = np.eye(4)[rng.integers(4, size=n)], np.eye(3)[rng.integers(3, size=n)]
    celsius, far = 20 + 10 * X[:, :1], 1e8 + X[:, :1]
    single = np.c_[X, X[:, 0]].astype(np.float32)
    single[:, 3] = single[:, 0] + single[:, 1]
    Z = (D - D.mean(axis=0)) / D.std(axis=0)
    return {
        "ordinary": (np.c_[D, X[:, :2], X[:, 0] + X[:, 1]], "x4 = 1 − x1 − x2 − x3; x7 = x5 + x6",
                     False),
        "units": (np.c_[celsius, 1.8 * celsius + 32], "x2 = 32 + 1.8·x1", False),
        "standardised dummies": (np.c_[Z, X], "x4 = ", False),
        "three copies": (np.c_[X, X[:, :1], X[:, :1], X[:, :1]], "x4 = x1; x5 = x1; x6 = x1", True),
        "two factors": (np.c_[D, E], "x4 = 1 − x1 − x2 − x3; x7 = 1 − x5 − x6", True),
        "constant": (np.c_[X, np.full(n, 0.1)], "x4 is constant", True),
        "nearly constant": (
            np.c_[X, 0.1 + np.spacing(0.1) * rng.integers(-1, 2, n)], "x4 is constant", False,
        ),
        "far from 0, twice": (np.c_[far, X[:, 1:], far], "x4 = x1", True),
        "float32": (single, "x4 = x1 + x2", False),
        "sparse": (sparse.csr_array(np.c_[D, X[:, 0] * D[:, 0], D[:, 0] + D[:, 1]]),
                   "x4 = 1 − x1 − x2 − x3; x6 = x1 + x2", True),
    }  # fmt: skip


def dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)


def loss(X, claim, y, c):
    """The objective at the weights of the claim on the nearby table, in 50 digits."""
    w = [Fraction(float(v)) for v in claim.weights[0]]
    total = mpmath.mpf(0)
    with mpmath.workdps(50):
        for row, label, own in zip(dense(X), y, c, strict=True):
            x = [Fraction(float(v)) for v in row]
            for j, terms in claim.relations.items():
                parts = (Fraction(t) * (1 if k < 0 else x[k]) for k, t in terms.items() if k != j)
                x[j] = -sum(parts, Fraction(0)) / Fraction(terms[j])
            s = w[0] + sum((p * q for p, q in zip(x, w[1:], strict=True)), Fraction(0))
            s = mpmath.mpf(s.numerator) / s.denominator
            total += float(own) * mpmath.log1p(mpmath.exp(-s if label else s))
    return total


@pytest.mark.parametrize("name", tables())
@pytest.mark.parametrize("weighted", [False, True])
def test_against_the_fit_without_the_dependent_columns(name, weighted):
    X, sentence, exact = tables()[name]
    rng = np.random.default_rng(7)
    y = rng.random(X.shape[0]) < 0.4
    c = rng.integers(0, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    given = c if weighted else None
    model = ls.LogisticRegression(penalty=None).fit(X, y, given)
    claim = model.certificate_
    assert claim.status is Status.CONVERGED
    assert "; ".join(claim.dependent).startswith(sentence)
    assert (claim.ulps == 0) == exact
    assert claim.ulp == (ULP_32 if name == "float32" and not exact else ULP)
    assert ("differs from yours" in claim.text) == (not exact)
    assert claim.verify(X, y, given)
    assert model.verify(X, y, given)
    A = dense(X)[:, [k for k in range(X.shape[1]) if k not in claim.relations]]
    A[:, 0] -= 1e8 if "far" in name else 0
    other = sm.GLM(y.astype(float), sm.add_constant(A), sm.families.Binomial(), freq_weights=c)
    other = other.fit(tol=1e-14)
    assert claim.primal == pytest.approx(-other.llf, rel=1e-8)
    value = loss(X, claim, y, c)
    assert abs(value - claim.primal) <= 1e-9 * claim.primal
    assert value - claim.gap <= -other.llf * (1 + 1e-12)
    table = model.summary()
    known = np.isfinite(table.standard_errors[0])
    assert not known[[1 + j for j in claim.relations]].any()
    if "far" in name:  # another intercept
        at = np.flatnonzero(known)[1:]
        np.testing.assert_allclose(
            np.sort(table.standard_errors[0, at]), np.sort(other.bse[1:]), rtol=1e-6
        )
        return
    rough = 1e-4 if name == "float32" else 1e-6
    np.testing.assert_allclose(
        np.sort(table.coefficients[0, known]), np.sort(other.params), rtol=rough, atol=1e-6
    )
    np.testing.assert_allclose(
        np.sort(table.standard_errors[0, known]), np.sort(other.bse), rtol=rough
    )
    assert table.aic == pytest.approx(other.aic, rel=1e-8)
    assert table.df_model == other.df_model


@pytest.mark.parametrize("solver", ["newton", "trust-region", "lbfgs", "batch"])
def test_every_solver(solver):
    X, y = ordinary_table(100)
    model = ls.LogisticRegression(penalty=None, solver=solver, max_iter=20_000).fit(X, y)
    assert model.certificate_.ok
    assert sorted(model.certificate_.relations) == [2, 5]
    assert model.verify(X, y)


def test_weights_are_the_shortest():
    X, y = ordinary_table()
    model = ls.LogisticRegression(penalty=None).fit(X, y)
    w = model.coef_[0]
    N = np.array([[1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, -1, 0]])  # moves that change no score
    np.testing.assert_allclose(N @ w, 0.0, atol=1e-12)


@pytest.mark.parametrize("multi_class", ["softmax", "ovr", "ovo"])
def test_several_classes(multi_class):
    X, _ = ordinary_table()
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, len(X))
    model = ls.LogisticRegression(penalty=None, multi_class=multi_class).fit(X, y)
    assert model.certificate_.ok
    assert model.certificate_.ulps == 1
    assert "differs from yours" in model.certificate_.text
    assert model.verify(X, y)
    assert not replace(model.certificate_, ulps=0).verify(X, y)
    if multi_class == "softmax":
        A = sm.add_constant(X[:, [0, 1, 3, 4, 6]])
        other = sm.MNLogit(y, A).fit(disp=0, method="newton", maxiter=100)
        table = model.summary()
        known = np.isfinite(table.standard_errors[0])
        order = [8, 9, 10, 11, 12, 7]  # sums of the intercept, two levels, two parts; x7
        assert known.sum() == 6
        np.testing.assert_allclose(table.coefficients[:, order], other.params.T, rtol=1e-5)
        np.testing.assert_allclose(table.standard_errors[:, order], other.bse.T, rtol=1e-6)


def test_separated_classes_are_still_separated():
    X, _ = ordinary_table()
    with pytest.warns(ConvergenceWarning, match="No finite"):
        model = ls.LogisticRegression(penalty=None).fit(X, X[:, 3] + X[:, 0] > 0.5)
    assert model.certificate_.status is Status.INFINITE
    assert not model.certificate_.relations
    assert model.verify(X, X[:, 3] + X[:, 0] > 0.5).claim_holds


@pytest.mark.parametrize("off", [1e-9, 1e6 * ULP])
def test_columns_with_information_of_their_own_are_independent(off):
    rng = np.random.default_rng(1)
    a, b, e = rng.normal(size=(3, 200))
    X = np.c_[a, b, a + b + off * e]
    y = rng.random(200) < 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ls.LogisticRegression(penalty=None).fit(X, y)
    assert not model.certificate_.relations
    assert model.verify(X, y).claim_holds


def test_penalised_fits_have_no_relations():
    X, y = ordinary_table()
    for penalty in ("l2", "l1"):
        model = ls.LogisticRegression(penalty=penalty).fit(X, y)
        assert not model.certificate_.relations
        assert model.verify(X, y)


def forgeries(claim):
    W = claim.weights
    moved = W.copy()
    moved[0, 4] += 1e-2
    j = max(claim.relations)
    false = {**claim.relations, j: {j: -1.0, 3: 1.0, 4: 1.0 + 1e-9}}
    return {
        "weights": replace(claim, weights=moved),
        "fewer ulps": replace(claim, ulps=0),
        "many ulps": replace(claim, ulps=MOST_ULPS + 1),
        "float32": replace(claim, ulp=ULP_32),
        "false relation": replace(claim, relations=false),
        "independent column": replace(claim, relations={**claim.relations, 6: {6: -1.0, 0: 1.0}}),
        "no relations": replace(claim, relations={}),
        "penalised": replace(claim, C=1.0),
        "minimum": replace(claim, primal=claim.primal * 1.01),
        "lower bound": replace(claim, dual=claim.primal, gap=0.0),
    }


@pytest.mark.parametrize(
    "name", forgeries(ls.LogisticRegression(penalty=None).fit(*ordinary_table()).certificate_)
)
def test_false_claims_are_rejected(name):
    X, y = ordinary_table()
    claim = ls.LogisticRegression(penalty=None).fit(X, y).certificate_
    assert claim.verify(X, y)
    assert not forgeries(claim)[name].verify(X, y)


def test_another_table_is_rejected():
    X, y = ordinary_table()
    claim = ls.LogisticRegression(penalty=None).fit(X, y).certificate_
    other = X.copy()
    other[7, 5] += 1e-12
    assert not claim.verify(other, y)


def test_files_keep_the_claim(tmp_path):
    X, y = ordinary_table()
    ls.save(ls.LogisticRegression(penalty=None).fit(X, y), tmp_path / "model.linscope")
    model = ls.load(tmp_path / "model.linscope")
    assert model.certificate_.relations[5] == {3: 1.0, 4: 1.0, 5: -1.0}
    assert model.verify(X, y)


def test_odds_ratios():
    X, y = ordinary_table()
    model = ls.LogisticRegression(penalty=None).fit(X, y)
    table = model.odds_ratios()
    assert table.names == [*(f"x{j}" for j in range(1, 8)), "x1 − x3", "x2 − x3", "x4 + x6",
                           "x5 + x6"]  # fmt: skip
    other = sm.Logit(y, sm.add_constant(X[:, [0, 1, 3, 4, 6]])).fit(disp=0)
    order = [7, 8, 9, 10, 6]
    np.testing.assert_allclose(table.ratios[0, order], np.exp(other.params[1:]), rtol=1e-6)
    np.testing.assert_allclose(table.intervals[0, order], np.exp(other.conf_int()[1:]), rtol=1e-6)
    assert np.isnan(table.p_values[0, :6]).all()
