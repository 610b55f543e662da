"""Scores are right to rounding, and their bounds hold: judged by exact rationals."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from scipy import sparse
from sklearn.preprocessing import PolynomialFeatures

import linscope as ls
from linscope.fitting.scores import linear_scores
from linscope.rows.threads import THREADS_VARIABLE
from tests.redteam.exact import precision, q

DIGITS = 2.0**-36


def exact(X, W):
    rows = [[Fraction(v) for v in row] for row in np.asarray(X, dtype=np.float64).tolist()]
    weights = [[Fraction(v) for v in w] for w in np.asarray(W, dtype=np.float64).tolist()]
    return [
        [w[0] + sum(a * b for a, b in zip(w[1:], row, strict=True)) for w in weights]
        for row in rows
    ]


def errors(scores, truth):
    pairs = zip(np.asarray(scores, dtype=np.float64).tolist(), truth, strict=True)
    return np.array([[float(abs(Fraction(a) - b)) for a, b in zip(*p, strict=True)] for p in pairs])


def sizes(truth):
    return np.array([[float(abs(value)) for value in row] for row in truth])


def weights_of(model):
    return np.column_stack([np.atleast_1d(model.intercept_), np.atleast_2d(model.coef_)])


TABLES = {
    "plain": lambda rng, n, d: rng.normal(size=(n, d)),
    "units": lambda rng, n, d: rng.normal(size=(n, d)) * 10.0 ** rng.integers(-12, 12, d),
    "offsets": lambda rng, n, d: rng.normal(size=(n, d)) + 10.0 ** rng.integers(3, 9, d),
    "integers": lambda rng, n, d: rng.integers(-3, 4, (n, d)).astype(float),
    "huge": lambda rng, n, d: rng.normal(size=(n, d)) * 1e280,
    "tiny": lambda rng, n, d: rng.normal(size=(n, d)) * 1e-280,
    "empty rows": lambda rng, n, d: rng.normal(size=(n, d)) * (rng.random((n, 1)) < 0.5),
}


@pytest.mark.parametrize("form", ["float64", "float32", "sparse"])
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("seed", range(4))
def test_scores_are_within_their_bounds(table, form, seed):
    rng = np.random.default_rng(seed)
    n, d, K = rng.integers(2, 20), rng.integers(1, 30), rng.integers(1, 4)
    with np.errstate(over="ignore", under="ignore"):
        X = TABLES[table](rng, n, d).astype("float32" if form == "float32" else "float64")
    X[~np.isfinite(X)] = 1.0
    W = rng.normal(size=(K, d + 1)) * 10.0 ** rng.integers(-3, 3, d + 1)
    if seed % 2:  # scores far below their terms
        W[:, 0] = -(W[:, 1:] @ X[0].astype(np.float64))
        W[~np.isfinite(W)] = 0.0
    found = linear_scores(sparse.csr_array(X) if form == "sparse" else X, W, bounds=True)
    truth = exact(X, W)
    off, size = errors(found.scores, truth), sizes(truth)
    assert (off <= found.errors).all()
    assert (off <= np.maximum(DIGITS * size, 5e-324)).all()
    assert np.array_equal(np.sign(found.scores), [[(v > 0) - (v < 0) for v in r] for r in truth])


@pytest.mark.filterwarnings("ignore")
def test_weights_that_cancel_predict_what_was_certified():
    X, _ = ls.datasets.load("iris")
    X, y = X[:, :2], X[:, 2]
    P = PolynomialFeatures(12, include_bias=False).fit_transform(X)
    model = ls.LinearRegression().fit(P, y)
    predicted = model.predict(P)
    truth = exact(P, weights_of(model))
    assert (errors(predicted[:, None], truth) <= 2.0**-52 * sizes(truth)).all()
    assert (errors(predicted[:, None], truth)[:, 0] <= model.prediction_error_bound(P)).all()
    rss = float(np.sum((y - predicted) ** 2))
    assert rss == pytest.approx(float(np.ravel(model.certificate_.rss)[0]), rel=1e-9)


def test_float32_rows_are_scored_in_float64():
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(200, 5)) + 1e5).astype(np.float32)
    y = X.astype(np.float64) @ rng.normal(size=5)
    model = ls.LinearRegression().fit(X, (y - y.mean()).astype(np.float32))
    truth = exact(X, weights_of(model))
    predicted = model.predict(X)
    assert predicted.dtype == np.float32
    # rounded once, to float32
    assert (errors(predicted[:, None], truth) <= 2.0**-24 * 1.001 * sizes(truth) + 1e-45).all()
    assert (errors(predicted[:, None], truth)[:, 0] <= model.prediction_error_bound(X)).all()


def test_the_number_of_threads_changes_no_score(monkeypatch):
    rng = np.random.default_rng(1)
    X, W = rng.normal(size=(60_000, 10)) + 1e4, rng.normal(size=(3, 11))
    found = []
    for count in ("1", "2"):
        monkeypatch.setenv(THREADS_VARIABLE, count)
        found.append(linear_scores(X, W, bounds=True))
    assert np.array_equal(found[0].scores, found[1].scores)
    assert np.array_equal(found[0].errors, found[1].errors)


MODELS = {
    "LinearRegression": ls.LinearRegression(),
    "Ridge": ls.Ridge(),
    "Huber": ls.HuberRegressor(),
    "LogisticRegression": ls.LogisticRegression(),
    "pairs": ls.LogisticRegression(multi_class="ovo"),
    "LinearSVC": ls.LinearSVC(),
    "Perceptron": ls.Perceptron(output="pocket", max_iter=20),
    "no intercept": ls.Perceptron(fit_intercept=False, init=[1.0] * 4, max_iter=20),
    "LeastSquaresClassifier": ls.LeastSquaresClassifier(),
    "FisherDiscriminant": ls.FisherDiscriminant(),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_bounds_of_every_linear_model(name, classes, dtype):
    X, y = ls.datasets.load("iris")
    X, y = (X[y < classes] + 1000.0).astype(dtype), y[y < classes]
    model = MODELS[name].fit(X, y)
    W = weights_of(model).astype(np.float64)
    truth = exact(X, W)
    bound = model.prediction_error_bound(X)
    given = getattr(model, "decision_function", model.predict)(X)
    if name == "pairs" and classes == 3:
        given = model._problem_scores(X)
    assert bound.shape == given.shape
    off = errors(given.reshape(len(X), -1), truth)
    assert (off <= bound.reshape(off.shape)).all()
    rounding = np.finfo(dtype).eps
    assert (bound.reshape(off.shape) <= rounding * sizes(truth) + 1e-9 * np.ptp(given)).all()


def in_balls(model, X, beta, bias):
    """Σ_j β_j K(x_i, z_j) + b."""
    gamma, c0 = (arb(float(v or 0.0)) for v in (model._gamma, model.coef0))
    x, z = ([[q(v) for v in row] for row in A.tolist()] for A in (X, model.support_vectors_))
    for row in x:
        total = arb(float(bias))
        for other, weight in zip(z, beta.tolist(), strict=True):
            if model.kernel == "rbf":
                value = (-gamma * sum((a - b) ** 2 for a, b in zip(row, other, strict=True))).exp()
            else:
                t = gamma * sum(a * b for a, b in zip(row, other, strict=True)) + c0
                value = t**model.degree if model.kernel == "poly" else t.tanh()
            total += weight * value
        yield total


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid"])
@pytest.mark.parametrize("kind", [ls.SVC, ls.KernelPerceptron])
def test_bounds_of_kernel_machines(kind, kernel, dtype):
    X, y = ls.datasets.load("iris")
    X = X.astype(dtype)
    with precision(300):
        for classes in (2, 3):
            own = y < classes
            options = {"kernel": kernel, "coef0": 0.5, "max_iter": 30}
            model = kind(**options).fit(X[own][::3], y[own][::3])
            bound = model.prediction_error_bound(X[:8]).reshape(8, -1)
            scores = model._problem_scores if kind is ls.SVC else model._scores
            pairs = kind is ls.SVC and classes == 3
            betas = model._betas() if kind is ls.SVC else model.dual_coef_.astype(np.float64)
            for k, found in enumerate(scores(X[:8]).T.tolist()):
                truth = in_balls(model, X[:8].astype(np.float64), betas[k], model.intercept_[k])
                for value, exact, limit in zip(found, truth, bound[:, k].tolist(), strict=True):
                    assert abs((-exact if pairs else exact) - value) <= limit
                    assert limit <= np.sqrt(np.finfo(dtype).eps) * (1.0 + float(abs(exact).mid()))


def test_bounds_of_rows_that_are_elsewhere(tmp_path):
    X, _ = ls.datasets.load("iris")
    model = ls.LinearRegression().fit(X[:, :3], X[:, 3])
    path = tmp_path / "iris.csv"
    np.savetxt(path, X, delimiter=",", header="a,b,c,d", comments="")
    rows = ls.scan(path, target="d")
    far = ls.LinearRegression().fit(rows)
    assert np.allclose(far.prediction_error_bound(rows), model.prediction_error_bound(X[:, :3]))


def test_bad_rows_and_voted_perceptrons_are_refused():
    X, y = ls.datasets.load("or")
    model = ls.LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match="NaN at row 0"):
        model.prediction_error_bound([[np.nan, 1.0]])
    with pytest.raises(ValueError, match="votes"):
        ls.Perceptron(output="voted").fit(X, y).prediction_error_bound(X)
