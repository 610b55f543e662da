"""Every estimator with small problems and a reference from outside, for tests of properties.

A new estimator is one entry here; ``tests/test_properties.py`` then holds it to all properties.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.svm

import linscope as ls

# Properties that an estimator cannot have, by name; the entry says why.
SPARSE, WEIGHTS, SCALES, FLOAT32 = "sparse", "weights", "scales", "float32"


@dataclass(frozen=True)
class Entry:
    """An estimator and what is known about it.

    make : a new, unfitted estimator. problem : its X, y. reference : predictions or scores of X by
    somebody else's fit, given X, y, c. ours : the same of a fitted model of ours. objective : what
    the fit minimises, of the weights (bias first), X, y: for tests of optimality; None where there
    is none. lacks : properties that it cannot have -> why.
    """

    make: Callable[[], Any]
    problem: Callable[[], tuple[np.ndarray, np.ndarray]]
    reference: Callable[[Any, Any], np.ndarray] | None = None
    ours: Callable[[Any, Any], np.ndarray] = lambda model, X: model.decision_function(X)
    objective: Callable[[np.ndarray, np.ndarray, np.ndarray], float] | None = None
    tolerance: float = 1e-6
    traced: bool = False
    lacks: dict[str, str] = field(default_factory=dict)


@cache
def overlapping() -> tuple[np.ndarray, np.ndarray]:
    """Two classes that no line separates."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3)) @ np.array([[1.0, 0.4, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 1.0]])
    return X, (X[:, 0] - 0.5 * X[:, 2] + 0.9 * rng.normal(size=60) > 0.2).astype(int)


@cache
def three_classes() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    y = np.arange(75) % 3
    return rng.normal(size=(75, 3)) + np.array([[0, 0, 0], [2, 1, 0], [0, 2, 1]])[y], y


@cache
def apart() -> tuple[np.ndarray, np.ndarray]:
    """Two classes with a gap between them."""
    X, y = overlapping()
    return X + 4.0 * (2 * y[:, None] - 1) * np.array([1.0, 0.0, -0.5]), y


@cache
def noisy_plane() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(50, 3))
    return X, 1.0 + X @ [2.0, -1.0, 0.5] + 0.3 * rng.normal(size=50)


@cache
def plane_with_outliers() -> tuple[np.ndarray, np.ndarray]:
    X, y = noisy_plane()
    return X, y + np.where(np.arange(len(y)) % 7 == 0, 20.0 * X[:, 0] ** 2, 0.0)


def scores_of(kind: Callable[..., Any], **options: Any) -> Callable[[Any, Any], np.ndarray]:
    """What an estimator of scikit-learn says of its own training rows."""

    def reference(X: Any, y: Any) -> np.ndarray:
        model = kind(**options).fit(X, y)
        return (
            model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)
        )

    return reference


def predicted(model: Any, X: Any) -> np.ndarray:
    return model.predict(X)


def logits(model: Any, X: Any) -> np.ndarray:
    return np.log(model.predict_proba(X))


def _margins(w: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (2 * y - 1) * (X @ w[1:] + w[0])


def log_loss(w: np.ndarray, X: np.ndarray, y: np.ndarray) -> float:
    return 0.5 * w[1:] @ w[1:] + np.logaddexp(0.0, -_margins(w, X, y)).sum()


def hinge(w: np.ndarray, X: np.ndarray, y: np.ndarray) -> float:
    return 0.5 * w[1:] @ w[1:] + np.maximum(0.0, 1.0 - _margins(w, X, y)).sum()


def squared_hinge(w: np.ndarray, X: np.ndarray, y: np.ndarray) -> float:
    return 0.5 * w[1:] @ w[1:] + np.square(np.maximum(0.0, 1.0 - _margins(w, X, y))).sum()


def squares(alpha: float) -> Callable[[np.ndarray, np.ndarray, np.ndarray], float]:
    return lambda w, X, y: np.square(X @ w[1:] + w[0] - y).sum() + alpha * w[1:] @ w[1:]


def huber(w: np.ndarray, X: np.ndarray, y: np.ndarray) -> float:
    """Σ (σ + σ H(r/σ)) at the best σ for these weights, ε = 1.35."""
    size, low, high = np.abs(X @ w[1:] + w[0] - y), -40.0, 40.0
    for _ in range(200):  # the slope by σ is Σ (1 − min(|r|/σ, ε)²)
        sigma = np.exp(0.5 * (low + high))
        rising = np.sum(1.0 - np.minimum(size / sigma, 1.35) ** 2) > 0
        low, high = (low, np.log(sigma)) if rising else (np.log(sigma), high)
    near = np.minimum(size / sigma, 1.35)
    return float(np.sum(sigma + near * (2.0 * size - near * sigma)))


VISITS = "each sample is a visit: a weight is one longer step, a repeated row two visits"
NEWTON = {"solver": "newton-cholesky", "tol": 1e-12, "max_iter": 1000}
LDA = sklearn.discriminant_analysis.LinearDiscriminantAnalysis

REGISTRY: dict[str, Entry] = {
    "LinearRegression": Entry(
        ls.LinearRegression, noisy_plane, scores_of(sklearn.linear_model.LinearRegression),
        ours=predicted, objective=squares(0.0), tolerance=1e-10, traced=True,
    ),
    "Ridge": Entry(
        lambda: ls.Ridge(alpha=2.0), noisy_plane, scores_of(sklearn.linear_model.Ridge, alpha=2.0),
        ours=predicted, objective=squares(2.0), tolerance=1e-10, traced=True,
    ),
    "HuberRegressor": Entry(
        ls.HuberRegressor, plane_with_outliers,
        scores_of(sklearn.linear_model.HuberRegressor, alpha=0.0, tol=1e-12, max_iter=10_000),
        ours=predicted, objective=huber, tolerance=1e-4,
    ),
    "LeastSquaresClassifier": Entry(
        ls.LeastSquaresClassifier, overlapping,
        lambda X, y: sklearn.linear_model.LinearRegression().fit(X, 2.0 * y - 1.0).predict(X),
        tolerance=1e-9, traced=True,
    ),
    "FisherDiscriminant": Entry(
        ls.FisherDiscriminant, three_classes,
        lambda X, y: np.log(LDA(solver="eigen").fit(X, y).predict_proba(X)),
        ours=logits, tolerance=1e-6, traced=True,
    ),
    "GaussianNaiveBayes": Entry(
        ls.GaussianNaiveBayes, three_classes,
        lambda X, y: np.log(
            sklearn.naive_bayes.GaussianNB(var_smoothing=0.0).fit(X, y).predict_proba(X)
        ),
        ours=logits, tolerance=1e-8,
    ),
    "LogisticRegression": Entry(
        ls.LogisticRegression, overlapping,
        scores_of(sklearn.linear_model.LogisticRegression, **NEWTON), objective=log_loss,
        tolerance=1e-4,
    ),
    "LogisticRegression of K classes": Entry(
        ls.LogisticRegression, three_classes,
        lambda X, y: np.log(
            sklearn.linear_model.LogisticRegression(**NEWTON).fit(X, y).predict_proba(X)
        ),
        ours=logits, tolerance=1e-3,
    ),
    "LogisticRegression by descent": Entry(
        lambda: ls.LogisticRegression(solver="batch", tol=1e-7, max_iter=100_000), overlapping,
        scores_of(sklearn.linear_model.LogisticRegression, **NEWTON), tolerance=1e-2, traced=True,
    ),
    "LinearSVC": Entry(
        ls.LinearSVC, overlapping,
        scores_of(sklearn.svm.SVC, kernel="linear", tol=1e-10),
        objective=hinge, tolerance=1e-2,
    ),
    "LinearSVC squared": Entry(
        lambda: ls.LinearSVC(loss="squared_hinge"), overlapping, objective=squared_hinge,
    ),
    "SVC": Entry(
        lambda: ls.SVC(tol=1e-9), overlapping, scores_of(sklearn.svm.SVC, tol=1e-9), tolerance=1e-5,
        traced=True,
    ),
    "SVC of K classes": Entry(
        lambda: ls.SVC(tol=1e-9, multi_class="ovo"), three_classes, tolerance=1e-5,
    ),
    "ApproximateSVC": Entry(
        lambda: ls.ApproximateSVC(random_state=0), overlapping,
        lacks={
            SPARSE: "the features that stand for the kernel are dense",
            SCALES: "gamma is chosen from the rows, in floats",
            WEIGHTS: "rows are drawn for the features, and a repeated row is drawn more often",
        },
    ),
    "Perceptron": Entry(ls.Perceptron, apart, tolerance=0.0, traced=True, lacks={WEIGHTS: VISITS}),
    "KernelPerceptron": Entry(
        ls.KernelPerceptron, apart, tolerance=0.0, traced=True, lacks={WEIGHTS: VISITS}
    ),
}  # fmt: skip
