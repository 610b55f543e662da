"""Cases of least squares: regression, accuracy on the NIST sets, Fisher, 1-of-K classification."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier

import linscope as ls

from .case import Case, Contender, Data, different_vector, worse_objective

NIST_FILE = Path(__file__).parents[1] / "tests" / "data" / "nist.json"
# scikit-learn's Ridge with a penalty that changes nothing takes the normal equations.
NO_PENALTY = 1e-10
DIGITS = 15.0


def regression(rows: int, features: int) -> Data:
    """Dense float64, a linear function and noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, features))
    return Data(X, 1.0 + X @ rng.standard_normal(features) + rng.standard_normal(rows))


def classes(rows: int, features: int, count: int) -> Data:
    """Dense float64, overlapping Gaussian classes with correlated features."""
    rng = np.random.default_rng(0)
    y = rng.integers(count, size=rows)
    X = rng.standard_normal((rows, features))
    X[:, 1:] += 0.5 * X[:, :-1]
    X += rng.standard_normal((count, features))[y]
    return Data(X, y)


def residual_squares(data: Data, model) -> float:
    """RSS in float64; where a line fits exactly, rounding is no difference."""
    residual = data.y - data.X @ np.ravel(model.coef_) - np.ravel(model.intercept_)
    return max(float(residual @ residual), 1e-12 * float(data.y @ data.y))


def sklearnex_regression(data: Data):
    from sklearnex.linear_model import LinearRegression as Accelerated

    return Accelerated().fit(data.X, data.y)


def ols(name: str, what: str, size: tuple[int, int], goals: dict[str, float]) -> Case:
    return Case(
        name,
        what,
        regression,
        size,
        Contender("linscope", lambda d: ls.LinearRegression().fit(d.X, d.y), residual_squares),
        (
            Contender("sklearn", lambda d: LinearRegression().fit(d.X, d.y), residual_squares),
            Contender("sklearn Ridge", lambda d: Ridge(NO_PENALTY).fit(d.X, d.y), residual_squares),
            Contender("sklearnex", sklearnex_regression, residual_squares),
        ),
        worse_objective,
        goals,
    )


@cache
def nist_sets() -> dict[str, tuple[np.ndarray, np.ndarray, bool, list[Fraction]]]:
    """Table, y, intercept and the exact solution of the table as given."""
    sets = {}
    for name, data in json.loads(NIST_FILE.read_text()).items():
        X = (
            np.array(data["X"])
            if "X" in data
            else np.array(data["x"])[:, None] ** np.arange(1, data["degree"] + 1)
        )
        y, intercept = np.array(data["y"]), data["fit_intercept"]
        sets[name] = X, y, intercept, exact_weights(X, y, intercept)
    return sets


def exact_weights(X: np.ndarray, y: np.ndarray, intercept: bool) -> list[Fraction]:
    """AᵀA w = Aᵀy in fractions, by Gauss-Jordan elimination; every float as it is."""
    table = np.column_stack([np.ones((len(y), int(intercept))), X, y])
    A = np.array([[Fraction(float(v)) for v in row] for row in table], dtype=object)
    system = A[:, :-1].T.dot(A)
    for i in range(len(system)):
        system[i] = system[i] / system[i, i]
        for k in range(len(system)):
            if k != i:
                system[k] = system[k] - system[k, i] * system[i]
    return system[:, -1].tolist()


def all_nist(rows: int, features: int) -> Data:
    sets = nist_sets()
    return Data(np.zeros((sum(len(s[1]) for s in sets.values()), len(sets))), np.zeros(0))


def nist_weights(make):
    """Fits every set; returns the weights by set."""

    def fit(data: Data) -> dict[str, np.ndarray]:
        out = {}
        for name, (X, y, intercept, _) in nist_sets().items():
            model = make(intercept).fit(X, y)
            w = np.ravel(model.coef_)
            out[name] = np.r_[model.intercept_, w] if intercept else w
        return out

    return fit


def statsmodels_weights(data: Data) -> dict[str, np.ndarray]:
    import statsmodels.api as sm

    return {
        name: sm.OLS(y, sm.add_constant(X, has_constant="add") if intercept else X)
        .fit(method="qr")
        .params
        for name, (X, y, intercept, _) in nist_sets().items()
    }


def fewest_digits(data: Data, weights: dict[str, np.ndarray]) -> float:
    """Correct digits of the worst coefficient of the worst set."""
    worst = 17.0
    for name, (_, _, _, exact) in nist_sets().items():
        for value, truth in zip(weights[name], exact, strict=True):
            error = abs(Fraction(float(value)) - truth)
            relative = error / abs(truth) if truth else error
            worst = min(worst, 17.0 if relative == 0 else -math.log10(relative))
    return max(worst, 0.0)


def criterion(data: Data, model) -> float:
    """−tr((WᵀS_W W)⁻¹ WᵀS_B W) of the subspace that the classifier looks at."""
    W = np.linalg.svd(model.coef_ - model.coef_.mean(axis=0))[2][: len(model.classes_) - 1].T
    Z, total = data.X @ W, np.zeros((W.shape[1],) * 2)
    within = np.zeros_like(total)
    for k in model.classes_:
        part = Z[data.y == k]
        within += (part - part.mean(axis=0)).T @ (part - part.mean(axis=0))
    total = (Z - Z.mean(axis=0)).T @ (Z - Z.mean(axis=0))
    return -float(np.trace(np.linalg.solve(within, total - within)))


def lda(solver: str):
    return lambda d: LinearDiscriminantAnalysis(solver=solver).fit(d.X, d.y)


def plus_minus(data: Data, model) -> np.ndarray:
    return np.column_stack([model.intercept_, model.coef_])


def one_of_k(data: Data, model) -> np.ndarray:
    """Weights of targets −1 and 1 instead of 0 and 1."""
    W = 2.0 * plus_minus(data, model)
    W[:, 0] -= 1.0
    return W


LEAST_SQUARES = (
    ols(
        "ols-tall",
        "least squares, dense",
        (500_000, 50),
        {"sklearn": 25.0, "sklearn Ridge": 4.0, "sklearnex": 3.0},
    ),
    ols(
        "ols-wide",
        "least squares, more columns than rows",
        (2_000, 5_000),
        {"sklearn": 3.0, "sklearn Ridge": 1.0, "sklearnex": 1.0},
    ),
    Case(
        "ols-nist",
        "11 NIST regression sets, digits against exact rationals",
        all_nist,
        (0, 0),
        Contender(
            "linscope",
            nist_weights(lambda intercept: ls.LinearRegression(fit_intercept=intercept)),
            fewest_digits,
        ),
        (
            Contender(
                "sklearn",
                nist_weights(lambda intercept: LinearRegression(fit_intercept=intercept)),
                fewest_digits,
            ),
            Contender("statsmodels", statsmodels_weights, fewest_digits),
        ),
        lambda ours, theirs: max(0.0, DIGITS - ours, theirs - ours),
        grows=False,
        remark=lambda ours, theirs: f"fewest digits {ours:.1f} against {theirs:.1f}",
        judged_by_time=False,
    ),
    Case(
        "lda",
        "Fisher's discriminant, 5 classes",
        lambda rows, features: classes(rows, features, 5),
        (500_000, 50),
        Contender("linscope", lambda d: ls.FisherDiscriminant().fit(d.X, d.y), criterion),
        (
            Contender("sklearn svd", lda("svd"), criterion),
            Contender("sklearn lsqr", lda("lsqr"), criterion),
        ),
        worse_objective,
        {"sklearn svd": 50.0, "sklearn lsqr": 10.0},
    ),
    Case(
        "lsc",
        "least squares on 1-of-K targets, 10 classes",
        lambda rows, features: classes(rows, features, 10),
        (200_000, 50),
        Contender(
            "linscope", lambda d: ls.LeastSquaresClassifier(alpha=1.0).fit(d.X, d.y), one_of_k
        ),
        (Contender("sklearn", lambda d: RidgeClassifier(alpha=1.0).fit(d.X, d.y), plus_minus),),
        different_vector,
        {"sklearn": 3.0},
    ),
)
