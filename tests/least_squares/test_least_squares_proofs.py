"""What least squares claims, against exact rationals; forged claims; the tools of the proofs."""

import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from scipy import sparse
from sklearn.datasets import make_regression
from sklearn.exceptions import ConvergenceWarning

import linscope as ls
from linscope.arithmetic.modular import largest_minor
from linscope.engines import choose
from linscope.least_squares.solvers.choice import solve_exactly
from linscope.least_squares.verify.normal_equations import normal_equations, optimum
from linscope.results import Status
from linscope.verify.definite import solve
from linscope.verify.exact_gram import exact_gram
from linscope.verify.exact_rank import rank_of


def rational(values):
    values = np.atleast_2d(np.asarray(values, dtype=np.float64))
    entries = [fmpq(*float(v).as_integer_ratio()) for v in values.ravel()]
    return fmpq_mat(*values.shape, entries)


def fraction(value):
    return Fraction(int(value.p), int(value.q))


def centred(X, y):
    """Rows about their means, in rationals."""
    n = len(y)
    A, b = rational(X), rational(np.asarray(y)[:, None])
    ones = fmpq_mat(n, n, [fmpq(1, n)] * (n * n))
    return A - ones * A, b - ones * b


def least_rss(X, y):
    """The minimum over all weights with a bias, whatever the rank."""
    A, b = centred(X, y)
    reduced, r = A.rref()
    columns = [next(j for j in range(A.ncols()) if reduced[i, j] != 0) for i in range(r)]
    if not r:
        return fraction((b.transpose() * b)[0, 0])
    B = fmpq_mat(A.nrows(), r, [A[i, j] for i in range(A.nrows()) for j in columns])
    rest = b - B * (B.transpose() * B).solve(B.transpose() * b)
    return fraction((rest.transpose() * rest)[0, 0])


def rss_of(model, X, y):
    """At the floats that the model holds."""
    w = rational(np.asarray(model.coef_, np.float64)[:, None])
    b = rational(np.full((len(y), 1), float(model.intercept_)))
    r = rational(np.asarray(y)[:, None]) - rational(X) * w - b
    return fraction((r.transpose() * r)[0, 0])


def near_duplicate(seed, n=20, d=50):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 1] = X[:, 0] + 1e-12 * rng.normal(size=n)
    return X, rng.normal(size=n)


@pytest.mark.parametrize("seed", range(5))
def test_no_more_rows_than_columns_and_a_near_duplicate(seed):
    X, y = near_duplicate(seed)
    model = ls.LinearRegression().fit(X, y)
    assert np.abs(y - model.predict(X)).max() < 1e-13
    assert model.certificate_.status is Status.RANK_DEFICIENT
    assert model.certificate_.dependent == [
        "50 columns, but the rows allow only 19 to be independent"
    ]
    w = np.linalg.pinv(X - X.mean(axis=0)) @ (y - y.mean())
    np.testing.assert_allclose(model.coef_, w, rtol=1e-9, atol=1e-11)
    assert model.verify(X, y)
    classifier = ls.LeastSquaresClassifier().fit(X, y > 0)
    np.testing.assert_allclose(classifier.decision_function(X), np.where(y > 0, 1, -1), atol=1e-12)
    assert classifier.verify(X, y > 0)


@pytest.mark.share(2)
@pytest.mark.parametrize("degree", [9, 10, 11, 12])
def test_independent_columns_are_not_called_dependent(degree):
    iris, _ = ls.datasets.load("iris")
    A = ls.PolynomialFeatures(degree, include_bias=False).fit_transform(iris[:, :2])
    model = ls.LinearRegression().fit(A, iris[:, 2])
    least = least_rss(A, iris[:, 2])
    assert model.rank_ == A.shape[1]
    assert model.certificate_.status is Status.SOLVED
    excess = rss_of(model, A, iris[:, 2]) - least
    assert 0 <= excess <= 2 * Fraction(model.certificate_.gap)
    assert excess < least / 10**6
    assert model.verify(A, iris[:, 2])


@pytest.mark.slow
def test_exactly_dependent_whole_numbers():
    """Small tables whose columns depend on each other to the last bit."""
    rng = np.random.default_rng(0)
    for _ in range(150):
        n, d = int(rng.integers(3, 12)), int(rng.integers(2, 7))
        r = int(rng.integers(1, d + 1))
        X = (
            rng.integers(-9, 10, (n, r))
            @ rng.integers(-9, 10, (r, d))
            * 2.0 ** rng.integers(-3, 4, d)
        )
        y = rng.integers(-99, 100, n) * 10.0 ** rng.integers(-3, 4)
        model = ls.LinearRegression().fit(X, y)
        claim = model.certificate_
        known = centred(X, y)[0].rank()
        assert model.rank_ == known
        assert claim.status is (Status.SOLVED if known == d else Status.RANK_DEFICIENT)
        excess = rss_of(model, X, y) - least_rss(X, y)
        assert 0 <= excess <= 2 * Fraction(claim.gap)
        assert claim.gap <= 0.5e-6 * np.sum((y - y.mean()) ** 2)
        w = np.linalg.pinv(X - X.mean(axis=0)) @ (y - y.mean())
        np.testing.assert_allclose(model.coef_, w, rtol=1e-6, atol=1e-9 * np.abs(w).max())
        assert model.verify(X, y)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_bounds_hold_for_the_floats_of_the_model(dtype):
    rng = np.random.default_rng(1)
    for _ in range(60):
        n, d = int(rng.integers(4, 15)), int(rng.integers(1, 5))
        X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.choice([0, 1, 1e3])
        X = X.astype(dtype)
        y = rng.normal(size=n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = ls.LinearRegression().fit(X, y)
        claim = model.certificate_
        np.testing.assert_array_equal(claim.weights[0, 1:], model.coef_.astype(np.float64))
        excess = rss_of(model, X, y) - least_rss(X, y)
        assert 0 <= excess <= 2 * Fraction(claim.gap)
        assert Fraction(claim.dual) <= least_rss(X, y) / 2
        if claim.status is Status.SOLVED:
            A, b = centred(X, y)
            w = (A.transpose() * A).solve(A.transpose() * b)
            for j in range(d):
                away = abs(Fraction(float(model.coef_[j])) - fraction(w[j, 0]))
                assert away <= Fraction(float(claim.error[0, 1 + j]))
        assert model.verify(X, y)


@pytest.mark.parametrize("solver", ["batch", "stochastic", "mini-batch"])
def test_short_steps_are_no_solution(solver):
    X, y = make_regression(30, 3, noise=1.0, random_state=0)
    model = ls.LinearRegression(solver=solver, eta0=1e-12, random_state=0)
    with pytest.warns(ConvergenceWarning, match="the minimum was not proven near"):
        model.fit(X, y)
    claim = model.certificate_
    assert claim.status is Status.SHORT_STEPS
    assert not claim.ok
    assert claim.gap >= float(rss_of(model, X, y) - least_rss(X, y)) / 2 * (1 - 1e-12)
    assert model.verify(X, y).claim_holds
    assert not replace(claim, status=Status.CONVERGED).verify(X, y).claim_holds
    good = ls.LinearRegression(solver="batch").fit(X, y)
    assert good.certificate_.status is Status.CONVERGED
    assert good.verify(X, y)


def slow_tables():
    iris, _ = ls.datasets.load("iris")
    small = {f"100 x {d}": (ls.LinearRegression(), *make_regression(100, d, random_state=0))
             for d in (60, 80, 99)}  # fmt: skip
    polynomials = ls.PolynomialFeatures(9, include_bias=False).fit_transform(iris[:, :2])
    ridge = ls.Ridge(1e-16, fit_intercept=False)
    return small | {
        "weak ridge": (ridge, *make_regression(50, 100, random_state=0)),
        "polynomials": (ls.LinearRegression(), polynomials, iris[:, 2]),
    }


@pytest.mark.parametrize("name", slow_tables())
def test_tables_that_once_took_long(name):
    model, X, y = slow_tables()[name]
    model.fit(X, y)
    assert model.certificate_.status is Status.SOLVED
    assert model.certificate_.digits > 8
    assert model.certificate_.how != "rational arithmetic"
    assert model.verify(X, y)


def test_a_curve_of_overfitting_ends(monkeypatch):
    iris, y = ls.datasets.load("iris")
    figure = ls.plot.overfitting(iris[:, :2], y, degrees=range(1, 9), cv=3)
    assert (np.diff(figure.train) <= 1e-6).all()


def forgeries(claim):
    others = [s for s in Status if s is not claim.status]
    yield from ({"status": status} for status in others)
    for value in (np.nan, np.inf, 1e9, -1.0):
        yield from ({name: value} for name in ("primal", "gap", "dual", "accuracy", "tolerance"))
        yield {"error": np.full_like(claim.error, value)} if value != 1e9 else {"gap": value}
        yield {"rss": claim.rss * value}
    yield from ({"gap": 0.0}, {"dual": 2 * claim.dual + 1}, {"kkt": 0.0}, {"backward_error": 0.0})
    yield from ({"rank": claim.rank - 1}, {"alpha": 1.0}, {"fit_intercept": False})
    yield from ({"weights": 2 * claim.weights}, {"weights": claim.weights * np.nan})
    yield from ({"least_norm": not claim.least_norm}, {"condition": np.nan}, {"iterative": True})
    yield from ({"error": claim.error * 0}, {"accuracy": claim.accuracy / 10}, {"rounding": 1.0})


@pytest.mark.share(4)
@pytest.mark.parametrize("kind", ["solved", "dependent", "ridge", "wide"])
def test_every_forgery_is_rejected(kind):
    rng = np.random.default_rng(3)
    X, y = rng.integers(-9, 10, (12, 3)) / 8, rng.normal(size=12)
    X = {"dependent": np.c_[X, X[:, 0] - X[:, 1]], "wide": X.T.copy()}.get(kind, X)
    y = y[: len(X)]
    model = ls.Ridge(0.3 if kind == "ridge" else 0.0).fit(X, y)
    claim = model.certificate_
    assert claim.verify(X, y)
    for forged in forgeries(claim):
        check = replace(claim, **forged).verify(X, y)
        assert not check.claim_holds, forged
        assert check.reason


@pytest.mark.parametrize("make", [ls.LinearRegression, ls.Ridge, ls.LeastSquaresClassifier])
def test_changed_attributes_are_noticed(make):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 3, 30)
    model = make().fit(X, y)
    assert model.verify(X, y)
    for name in ("coef_", "intercept_"):
        kept = getattr(model, name)
        setattr(model, name, kept * 2)
        assert not model.verify(X, y).claim_holds
        setattr(model, name, kept)
    assert model.verify(X, y)


def test_exact_sums_of_products():
    rng = np.random.default_rng(0)
    for trial in range(60):
        A = rng.normal(size=(int(rng.integers(1, 9)), 3)) * 10.0 ** rng.integers(-40, 40, 3)
        if trial % 3 == 0:
            A *= 10.0 ** rng.integers(-150, 100, A.shape)
        c = rng.random(len(A)) if trial % 2 else None
        found = exact_gram(choose(A, None, c))
        R = rational(A)
        weighted = rational(np.diag(np.ones(len(A)) if c is None else c)) * R
        true = R.transpose() * weighted
        for j in range(3):
            for k in range(3):
                power = int(found.exponent[j] + found.exponent[k]) + found.power
                value = Fraction(int(found.numbers[j, k])) * Fraction(2) ** power
                assert value == fraction(true[j, k])


def test_solutions_are_within_their_radius():
    rng = np.random.default_rng(0)
    for trial in range(40):
        p = int(rng.integers(1, 7))
        A = rng.integers(-99, 100, (p + 3, p)).astype(object)
        if trial % 2 and p > 1:  # nearly dependent
            A[:, -1] = A[:, 0] * 10**12 + rng.integers(-1, 2, p + 3)
        N, b = A.T.dot(A), rng.integers(-99, 100, (p, 2)).astype(object)
        found = solve(N, b)
        if found is None:
            assert fmpq_mat(p, p, [fmpq(int(v)) for v in N.ravel()]).det() == 0
            continue
        exact = fmpq_mat(p, p, [fmpq(int(v)) for v in N.ravel()]).solve(
            fmpq_mat(p, 2, [fmpq(int(v)) for v in b.ravel()])
        )
        for k in range(2):
            parts = (
                (Fraction(int(found.numbers[j, k]), 1 << found.point) - fraction(exact[j, k]))
                * Fraction(2) ** int(found.f[j])
                for j in range(p)
            )
            far = Fraction(float(found.distance[k])) * Fraction(2) ** int(found.scale[k])
            assert sum(v * v for v in parts) <= far * far


def test_ranks_are_proven():
    rng = np.random.default_rng(0)
    A = rng.integers(-9, 10, (40, 15)) @ rng.integers(-9, 10, (15, 25))
    N = A.astype(object).T.dot(A.astype(object))
    found = rank_of(N, 40)
    assert found.proven
    assert len(found.kept) == 15 == len(largest_minor(N).columns)
    simple = np.c_[A[:, :3], 2 * A[:, 0] - A[:, 2]].astype(object)
    found = rank_of(simple.T.dot(simple), 40)
    assert found.shares == {3: [2, 0, -1]}


def test_the_shortest_of_many_solutions():
    rng = np.random.default_rng(0)
    for _ in range(30):
        X = rng.integers(-5, 6, (7, 2)) @ rng.integers(-3, 4, (2, 4)) / 4
        y = rng.normal(size=(7, 1))
        normal = normal_equations(choose(X, y), fit_intercept=False, alpha=0.0)
        best = optimum(normal)
        unit = [Fraction(2) ** int(normal.e_y[0] - e) for e in normal.e]
        w = [float(Fraction(int(u), 1 << best.point) * s)
             for u, s in zip(best.numbers[:, 0], unit, strict=True)]  # fmt: skip
        np.testing.assert_allclose(w, np.linalg.pinv(X) @ y[:, 0], rtol=1e-9, atol=1e-12)


def test_moments_alone_do_not_prove_dependence():
    X = np.arange(12.0).reshape(6, 2)
    model = ls.LinearRegression().partial_fit(X, np.arange(6.0) ** 2)
    assert model.certificate_.status is Status.NEARLY_DEPENDENT
    assert model.certificate_.verify(X, np.arange(6.0) ** 2).claim_holds


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("model", [ls.LinearRegression(), ls.Ridge(1.3)], ids=str)
def test_a_constant_target_is_solved(model, dtype):
    X = np.random.default_rng(0).normal(size=(10, 3)).astype(dtype)
    y = np.full(10, 0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        claim = model.fit(X, y).certificate_
    assert claim.status is Status.SOLVED
    assert claim.verify(X, y)
    assert not replace(claim, status=Status.STALLED).verify(X, y).claim_holds
    far = claim.weights + np.array([1e-3, 0.0, 0.0, 0.0])
    assert not replace(claim, weights=far).verify(X, y).claim_holds


def exact_weights(X, y):
    """The solution with a bias, which comes first."""
    A = rational(np.column_stack([np.ones(len(y)), X]))
    b = rational(np.asarray(y)[:, None])
    w = (A.transpose() * A).solve(A.transpose() * b)
    return [fraction(w[j, 0]) for j in range(A.ncols())]


@pytest.mark.parametrize("degree", [2, 4, 6, 8, 10])
def test_an_inverse_proves_the_digits_of_badly_conditioned_columns(degree):
    """Powers of x: condition numbers of 1e1 to 1e9, too large for eigenvalues in floats."""
    rng = np.random.default_rng(degree)
    x = rng.uniform(-2, 1, size=60)
    X, y = x[:, None] ** np.arange(1, degree + 1), rng.normal(size=60)
    model = ls.LinearRegression().fit(X, y)
    claim = model.certificate_
    assert claim.ok
    assert claim.digits >= 15
    parts = zip(claim.weights[0], claim.error[0], exact_weights(X, y), strict=True)
    for held, error, exact in parts:
        assert abs(Fraction(float(held)) - exact) <= Fraction(float(error))
        assert error <= 1e-15 * abs(held)
    away = rss_of(model, X, y) - least_rss(X, y)
    assert 0 <= away / 2 <= Fraction(float(claim.gap)) <= least_rss(X, y) * Fraction(1, 10**12)
    assert model.verify(X, y)


def test_bounds_hold_at_other_weights():
    """An optimum that is known: how far any weights are from it, and what they cost."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 3)) + 1e6, rng.normal(size=12)
    proof = solve_exactly(choose(X, y[:, None]), fit_intercept=True, alpha=0.0,
                          most_rounds=10).details["assess"]  # fmt: skip
    exact, least = exact_weights(X, y), least_rss(X, y)
    for _ in range(20):
        w = np.array([float(v) for v in exact]) * (1 + 10.0 ** rng.uniform(-16, 0, size=4))
        found = proof(w[None, :])
        for held, error, best in zip(w, found.error[0], exact, strict=True):
            assert abs(Fraction(float(held)) - best) <= Fraction(float(error))
        r = [Fraction(float(t)) - Fraction(float(w[0])) - sum(
            Fraction(float(a)) * Fraction(float(b)) for a, b in zip(row, w[1:], strict=True)
        ) for row, t in zip(X, y, strict=True)]  # fmt: skip
        away = (sum(v * v for v in r) - least) / 2
        assert (
            away <= Fraction(float(found.gap[0])) <= away * Fraction(101, 100) + Fraction(1, 10**20)
        )


@pytest.mark.parametrize("offset", [1e3, 1e8, 3e9])
def test_condition_and_digits_are_about_the_means(offset):
    """Sparse columns are not shifted, so the bias is nearly a combination of them."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    X[:, 0] += offset
    model = ls.LinearRegression().fit(sparse.csr_array(X), y)
    inner = X - X.mean(axis=0)
    true = np.linalg.cond(inner / np.linalg.norm(inner, axis=0))
    assert true / 4 <= model.certificate_.condition <= 4 * true
    assert model.verify(X, y)


def test_bounds_are_compared_without_room():
    """A weight that is wrong by 1e-10 more than claimed, relatively, is a false claim."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(9, 2)), rng.normal(size=9)
    with pytest.warns(ConvergenceWarning):
        model = ls.Ridge(alpha=1.0, solver="batch", max_iter=2).fit(X, y)
    claim = model.certificate_
    assert claim.verify(X, y).claim_holds
    assert not replace(claim, error=claim.error * (1 - 1e-10)).verify(X, y).claim_holds
    assert not replace(claim, gap=claim.gap * (1 - 1e-10)).verify(X, y).claim_holds


@pytest.mark.parametrize("n", [20, 60, 400])
def test_sums_of_squares_that_moments_cannot_tell_are_verified(n):
    """Residuals of 1e-16 of y are rounding, more of it with more rows."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 2)) * 10 + [0.0, 8e5]
    y = X @ [0.008, -2.25] + 1e-9 * rng.normal(size=n)
    model = ls.LinearRegression(fit_intercept=False)
    for rows in (slice(0, n // 4), slice(n // 4, n)):
        model.partial_fit(X[rows], y[rows])
    assert model.certificate_.ok
    assert model.verify(X, y)
