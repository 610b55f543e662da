"""Columns that are combinations of others: to the last bit, or up to the rounding of the table.

The references are exact rationals of the nearby table, in which a dependent column is exactly the
combination that the certificate names, and statsmodels without the dependent columns.
"""

import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import linscope as ls
from linscope import Status
from linscope.verify.relations import MOST_ULPS, ULP, ULP_32

FAR = "a column far from 0, twice"  # statsmodels calls it rank-deficient without its copy, too


def ordinary_table(n=120, seed=0):
    """Dummies of all levels, a total beside its parts."""
    rng = np.random.default_rng(seed)
    D = np.eye(3)[rng.integers(0, 3, n)]
    a, b = rng.normal(size=(2, n))
    X = np.c_[D, a, b, a + b, rng.normal(size=n)]
    return X, X @ [1, 2, 3, 0.5, 0.2, 0, 0.1] + rng.normal(size=n)


def tables():
    """name: table, the sentences that name its dependent columns, whether they are exact."""
    rng = np.random.default_rng(3)
    n = 60
    X = rng.standard_normal((n, 3))
    celsius = 20 + 10 * X[:, :1]
    D, E = np.eye(4)[rng.integers(4, size=n)], np.eye(3)[rng.integers(3, size=n)]
    prices = np.round(rng.uniform(0, 100, (n, 5)), 2)
    Z = (D - D.mean(axis=0)) / D.std(axis=0)
    far = 1e8 + X[:, :1]
    copies = "x4 = x1; x5 = x1; x6 = x1"
    single = np.c_[X, X[:, :1] + X[:, 1:2]].astype(np.float32)
    single[:, 3] = single[:, 0] + single[:, 1]
    return {
        "ordinary": (ordinary_table()[0], "x3 = 1 − x1 − x2; x6 = x4 + x5", False),
        "total": (np.c_[X, X[:, 0] + X[:, 2]], "x4 = x1 + x3", False),
        "units": (np.c_[celsius, 1.8 * celsius + 32], "x2 = 32 + 1.8·x1", False),
        "scaled": (np.c_[X, 1e-9 * X[:, 0]], "x4 = 1e-09·x1", False),
        "rounded total": (
            np.c_[prices, np.round(prices.sum(axis=1), 2)],
            "x6 is a combination of 5 other columns",
            False,
        ),
        "standardised dummies": (Z, "x4 = ", False),
        "three copies": (np.c_[X, X[:, :1], X[:, :1], X[:, :1]], copies, True),
        "two factors": (np.c_[D, E], "x4 = 1 − x1 − x2 − x3; x7 = 1 − x5 − x6", True),
        "constant": (np.c_[X, np.full(n, 0.1)], "x4 is constant", True),
        "nearly constant": (
            np.c_[X, 0.1 + np.spacing(0.1) * rng.integers(-1, 2, n)],
            "x4 is constant",
            False,
        ),
        "thirds": (np.c_[3 * prices[:, :1].round(), prices[:, 0].round() - 7],
                   "x2 = −7 + 0.333333·x1", True),
        FAR: (np.c_[far, X[:, 1:], far], "x4 = x1", True),
        "float32": (single, "x4 = x1 + x2", False),
        "sparse": (sparse.csr_array(np.c_[D, X[:, 0] * D[:, 0], D[:, 0] + D[:, 1]]),
                   "x4 = 1 − x1 − x2 − x3; x6 = x1 + x2", True),
    }  # fmt: skip


def dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)


def nearby(X, claim):
    """The nearby table in fractions."""
    A = [[Fraction(float(v)) for v in row] for row in dense(X)]
    for j, terms in claim.relations.items():
        for row in A:
            parts = (Fraction(t) * (1 if k < 0 else row[k]) for k, t in terms.items() if k != j)
            row[j] = -sum(parts, Fraction(0)) / Fraction(terms[j])
    return A


def residual_squares(A, y, w, b):
    """Without rounding."""
    w, b = [Fraction(float(v)) for v in w], Fraction(float(b))
    fitted = (b + sum((p * q for p, q in zip(row, w, strict=True)), Fraction(0)) for row in A)
    return sum((Fraction(float(t)) - f) ** 2 for t, f in zip(y, fitted, strict=True))


def least_squares_of(A, y, kept):
    """Σ r² of the best weights of these columns, without rounding: by Gauß on fractions."""
    rows = [[Fraction(1), *(row[k] for k in kept), Fraction(float(t))]
            for row, t in zip(A, y, strict=True)]  # fmt: skip
    m = len(kept) + 2
    G = [[sum(row[i] * row[j] for row in rows) for j in range(m)] for i in range(m)]
    for i in range(m - 1):
        for k in range(i + 1, m):
            f = G[k][i] / G[i][i]
            G[k] = [p - f * q for p, q in zip(G[k], G[i], strict=True)]
    return G[-1][-1]


@pytest.mark.parametrize("name", tables())
@pytest.mark.parametrize("weighted", [False, True])
def test_the_claim_is_true_of_the_nearby_table(name, weighted):
    X, sentence, exact = tables()[name]
    rng = np.random.default_rng(5)
    y = rng.standard_normal(X.shape[0])
    c = rng.integers(0, 4, len(y)).astype(float) if weighted else None
    model = ls.LinearRegression().fit(X, y, c)
    claim = model.certificate_
    assert claim.status is Status.RANK_DEFICIENT
    assert claim.ok
    assert "; ".join(claim.dependent).startswith(sentence)
    assert (claim.ulps == 0) == exact
    assert claim.ulp == (ULP_32 if name == "float32" else ULP)
    assert ("differs from yours" in claim.text) == (not exact)
    assert claim.verify(X, y, c)
    assert model.verify(X, y, c)
    A, times = nearby(X, claim), [1] * len(y) if c is None else c.astype(int)
    for row, given in zip(A, dense(X), strict=True):
        for j, terms in claim.relations.items():
            size = sum(abs(Fraction(t) * (1 if k < 0 else Fraction(float(given[k]))))
                       for k, t in terms.items()) / abs(Fraction(terms[j]))  # fmt: skip
            off = abs(row[j] - Fraction(float(given[j])))
            assert c is not None or off <= claim.ulps * Fraction(claim.ulp) * size
    again = [i for i, m in enumerate(times) for _ in range(m)]
    A, t = [A[i] for i in again], y[again]
    kept = [k for k in range(X.shape[1]) if k not in claim.relations]
    assert model.rank_ == len(kept)
    excess = residual_squares(A, t, claim.weights[0, 1:], claim.weights[0, 0])
    excess -= least_squares_of(A, t, kept)
    assert 0 <= excess <= 2 * Fraction(claim.gap)
    # The shortest of all solutions.
    F = np.array([[float(v) for v in row] for row in A])
    w = np.linalg.pinv(F - F.mean(axis=0), rcond=1e-11) @ (t - t.mean())
    rough = 1e-3 if name == "float32" else 1e-6
    if name not in ("scaled", "constant"):  # pinv drops a tiny column instead
        np.testing.assert_allclose(model.coef_, w, rtol=rough, atol=rough * np.abs(w).max())


@pytest.mark.parametrize("intercept", [True, False])
def test_dummies_with_and_without_an_intercept(intercept):
    X, y = ordinary_table()
    model = ls.LinearRegression(fit_intercept=intercept).fit(X, y)
    assert model.rank_ == (5 if intercept else 6)
    assert model.certificate_.verify(X, y)
    reduced = X[:, [0, 1, 3, 4, 6]] if intercept else X[:, [0, 1, 2, 3, 4, 6]]
    without = ls.LinearRegression(fit_intercept=intercept).fit(reduced, y)
    np.testing.assert_allclose(model.predict(X), without.predict(reduced), rtol=1e-12)


@pytest.mark.parametrize("off", [1e-9, 1e-12, 1e6 * ULP, 64 * ULP])
def test_columns_with_information_of_their_own_are_independent(off):
    """y depends on what distinguishes the column from the total."""
    rng = np.random.default_rng(1)
    a, b, e = rng.normal(size=(3, 80))
    X = np.c_[a, b, a + b + off * e]
    y = a + 1e-3 * rng.normal(size=80)
    model = ls.LinearRegression()
    with warnings.catch_warnings():
        warnings.simplefilter("error" if off == 1e-9 else "ignore", ConvergenceWarning)
        model.fit(X, y)
    assert off < 1e-9 or model.certificate_.status is Status.SOLVED
    assert not model.certificate_.relations
    assert model.certificate_.verify(X, y).claim_holds


@pytest.mark.parametrize("ulps", [1, 3])
def test_a_few_ulp_are_said(ulps):
    rng = np.random.default_rng(1)
    a, b = 1 + rng.random((2, 80))
    X = np.c_[a, b, (a + b) * (1 + ulps * ULP * rng.choice([-1, 1], 80))]
    model = ls.LinearRegression().fit(X, a + rng.normal(size=80))
    assert model.certificate_.ok
    assert 1 <= model.certificate_.ulps <= ulps
    assert f"at most {model.certificate_.ulps} ulp" in str(model.certificate_)


def reduced_fit(X, claim, y, c=None, intercept=True):
    """statsmodels without the dependent columns."""
    A = dense(X)[:, [k for k in range(X.shape[1]) if k not in claim.relations]]
    A = np.column_stack([np.ones(len(A)), A]) if intercept else A
    return sm.WLS(y, A, 1.0 if c is None else c).fit()


@pytest.mark.parametrize("name", sorted(set(tables()) - {"float32", FAR}))
@pytest.mark.parametrize("weighted", [False, True])
def test_standard_errors_are_those_without_the_dependent_columns(name, weighted):
    X = tables()[name][0]
    rng = np.random.default_rng(5)
    y = rng.standard_normal(X.shape[0])
    c = 0.5 + rng.random(len(y)) if weighted else None
    model = ls.LinearRegression().fit(X, y, c)
    table, other = model.summary(), reduced_fit(X, model.certificate_, y, c)
    d, dependent = X.shape[1], list(model.certificate_.relations)
    known = np.isfinite(table.standard_errors)
    assert not known[[1 + j for j in dependent]].any()
    # Coefficients that are determined, then sums; together those of the reduced design.
    shown = {round(v, 9) for v in table.coefficients[known]}
    assert shown == {round(v, 9) for v in other.params}
    rough = 1e-6 if name in ("nearly constant", "scaled") else 1e-9
    np.testing.assert_allclose(
        np.sort(table.standard_errors[known]), np.sort(other.bse), rtol=rough
    )
    np.testing.assert_allclose(np.sort(table.p_values[known]), np.sort(other.pvalues), rtol=1e-5)
    np.testing.assert_allclose(table.coefficients[: 1 + d], np.r_[model.intercept_, model.coef_])
    assert table.r2 == pytest.approx(other.rsquared, rel=1e-9)
    assert table.aic == pytest.approx(other.aic, rel=1e-9)
    assert table.f_statistic == pytest.approx(other.fvalue, rel=1e-6)
    assert (table.df_model, table.df_residual) == (other.df_model, other.df_resid)
    assert table.covariance.shape == (len(table.names),) * 2
    kept = [k for k in range(d) if k not in dependent]
    ends = other.get_prediction(np.column_stack([np.ones(3), dense(X)[:3, kept]])).conf_int()
    np.testing.assert_allclose(model.predict_interval(X[:3]), ends, rtol=1e-6, atol=1e-8)


def test_sums_of_coefficients_are_named():
    X, y = ordinary_table()
    model = ls.LinearRegression().fit(X, y)
    table = model.summary()
    sums = ["intercept + x3", "x1 − x3", "x2 − x3", "x4 + x6", "x5 + x6"]
    assert table.names == ["intercept", *(f"x{j}" for j in range(1, 8)), *sums]
    assert np.isnan(table.standard_errors[:7]).all()
    assert np.isfinite(table.standard_errors[7:]).all()
    w = dict(zip(table.names, table.coefficients, strict=True))
    assert w["x4 + x6"] == pytest.approx(w["x4"] + w["x6"], rel=1e-12)
    assert w["x1 − x3"] == pytest.approx(w["x1"] - w["x3"], rel=1e-12)
    assert "x3 = 1 − x1 − x2; x6 = x4 + x5" in str(table)
    assert len(table.to_frame("dict")["name"]) == 13


@pytest.mark.parametrize("robust", ["HC0", "HC1", "HC2", "HC3"])
def test_robust_errors(robust):
    X, y = ordinary_table()
    model = ls.LinearRegression().fit(X, y)
    table = model.summary(robust)
    other = reduced_fit(X, model.certificate_, y).get_robustcov_results(robust)
    known = np.isfinite(table.standard_errors)
    np.testing.assert_allclose(np.sort(table.standard_errors[known]), np.sort(other.bse), rtol=1e-8)


def test_assumptions_are_judged():
    X, y = ordinary_table()
    found = ls.LinearRegression().fit(X, y).diagnose()
    without = ls.LinearRegression().fit(X[:, [0, 1, 3, 4, 6]], y).diagnose()
    for name in ("linearity", "homoscedasticity", "normality", "independence", "existence"):
        assert found[name].sentence == without[name].sentence
    assert found["collinearity"].ok is False
    assert "x6 = x4 + x5" in found["collinearity"].sentence


def test_rows_that_do_not_follow_a_relation_have_no_interval():
    X, y = ordinary_table()
    model = ls.LinearRegression().fit(X, y)
    row = X[:1].copy()
    row[0, 5] += 1.0
    with pytest.raises(ValueError, match="x6 = x4 \\+ x5"):
        model.predict_interval(row)


def forgeries(claim):
    """What is false, or says nothing."""
    W = claim.weights
    moved = W.copy()
    moved[0, 4] += 1e-3
    along = W.copy()  # still a best fit, but not the shortest one
    along[0, 4:7] += [1.0, 1.0, -1.0]
    j = max(claim.relations)
    false = {**claim.relations, j: {j: -1.0, 3: 1.0, 4: 1.0 + 1e-9}}
    return {
        "weights": replace(claim, weights=moved),
        "longer": replace(claim, weights=along),
        "gap": replace(claim, gap=-1.0),
        "fewer ulps": replace(claim, ulps=0),
        "many ulps": replace(claim, ulps=MOST_ULPS + 1),
        "float32": replace(claim, ulp=ULP_32),
        "large ulp": replace(claim, ulp=1e-3),
        "false relation": replace(claim, relations=false),
        "independent column": replace(claim, relations={**claim.relations, 6: {6: -1.0, 0: 1.0}}),
        "no relation": replace(claim, relations={**claim.relations, j: {j: 0.0}}),
        "dependent on a dependent one": replace(
            claim, relations={**claim.relations, 4: {4: -1.0, 5: 1.0, 3: -1.0}}
        ),
        "rank": replace(claim, rank=claim.rank + 1),
        "solved": replace(claim, status=Status.SOLVED, least_norm=False),
        "no relations": replace(claim, relations={}),
        "not a number": replace(claim, relations={**claim.relations, j: {j: np.nan}}),
        "far column": replace(claim, relations={**claim.relations, 9: {9: 1.0}}),
        "penalised": replace(claim, alpha=1.0),
    }


@pytest.mark.parametrize(
    "name", forgeries(ls.LinearRegression().fit(*ordinary_table()).certificate_)
)
def test_false_claims_are_rejected(name):
    X, y = ordinary_table()
    claim = ls.LinearRegression().fit(X, y).certificate_
    assert claim.verify(X, y)
    assert not forgeries(claim)[name].verify(X, y)


def test_another_table_is_rejected():
    X, y = ordinary_table()
    claim = ls.LinearRegression().fit(X, y).certificate_
    other = X.copy()
    other[7, 5] += 1e-12
    assert not claim.verify(other, y)
    other = X.copy()
    other[7, :3] = 0.0
    assert not claim.verify(other, y)


def test_files_keep_the_claim(tmp_path):
    X, y = ordinary_table()
    ls.save(ls.LinearRegression().fit(X, y), tmp_path / "model.linscope")
    model = ls.load(tmp_path / "model.linscope")
    assert model.certificate_.relations[5] == {3: 1.0, 4: 1.0, 5: -1.0}
    assert model.verify(X, y)


@pytest.mark.slow
def test_many_rows():
    X, y = ordinary_table(300_000)
    model = ls.LinearRegression().fit(X, y)
    assert model.certificate_.ok
    assert model.rank_ == 5
    assert model.verify(X, y)
