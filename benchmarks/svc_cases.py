"""Cases of kernel support vector machines: fits of two and ten classes, and predictions.

All solve the same dual problem to the same tolerance, m(α) − M(α) ≤ 1e-3. Compared is the dual
objective ½ βᵀKβ − Σα of the coefficients that each has found, worked out in float64 here.
"""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVC

import linscope as ls

from .case import Case, Contender, Data, worse_objective
from .data import named
from .linear_svm_cases import one_of_each

CACHE_MB = 2000
BLOCK = 1000
TRAINED = 8000


def curved(rows: int, features: int) -> Data:
    """Dense float64, two classes with a curved border, one label in ten is wrong."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, features))
    score = (X[:, :2] ** 2).sum(axis=1) - 1.4 + X[:, 2:6].sum(axis=1)
    wrong = rng.random(rows) < 0.1
    return Data(X, np.where((score > 0) ^ wrong, 1, -1))


def dense(X) -> np.ndarray:
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X)


def width(X) -> float:
    """gamma="scale"."""
    variance = float(dense(X).var())
    return 1.0 / (X.shape[1] * variance) if variance else 1.0


def kernel_times(X: np.ndarray, Z: np.ndarray, beta: np.ndarray, gamma: float) -> np.ndarray:
    """K(X, Z)β in float64, some rows at a time."""
    parts = []
    for start in range(0, len(X), BLOCK):
        some = X[start : start + BLOCK]
        squares = (some**2).sum(axis=1)[:, None] + (Z**2).sum(axis=1) - 2.0 * some @ Z.T
        parts.append(np.exp(-gamma * np.maximum(squares, 0.0)) @ beta)
    return np.concatenate(parts)


def dual_objective(data: Data, model) -> float:
    """½ βᵀKβ − Σα of all binary problems, as scikit-learn lays out their coefficients."""
    V, gamma = dense(data.X)[model.support_], width(data.X)
    coefficients = dense(model.dual_coef_)
    if len(coefficients) == 1:
        beta = coefficients[0]
        return 0.5 * float(beta @ kernel_times(V, V, beta, gamma)) - float(np.abs(beta).sum())
    total, ends = 0.0, np.r_[0, np.cumsum(model.n_support_)]
    for b in range(1, len(ends) - 1):
        for a in range(b):
            of_a, of_b = slice(ends[a], ends[a + 1]), slice(ends[b], ends[b + 1])
            beta = np.r_[coefficients[b - 1, of_a], coefficients[a, of_b]]
            Z = np.vstack([V[of_a], V[of_b]])
            total += 0.5 * float(beta @ kernel_times(Z, Z, beta, gamma)) - np.abs(beta).sum()
    return total


def linscope(C: float) -> Contender:
    return Contender("linscope", lambda d: ls.SVC(C).fit(d.X, d.y), dual_objective)


def sklearn(C: float) -> Contender:
    return Contender(
        "sklearn", lambda d: SVC(C=C, cache_size=CACHE_MB).fit(d.X, d.y), dual_objective
    )


def sklearnex(C: float) -> Contender:
    def fit(data: Data):
        from sklearnex.svm import SVC as Accelerated

        return Accelerated(C=C, cache_size=CACHE_MB).fit(data.X, data.y)

    return Contender("sklearnex", fit, dual_objective)


def rbf(name: str, what: str, make, size, C: float, goals: tuple[float, float], **more) -> Case:
    return Case(
        name,
        f"kernel SVM, rbf, {what}, C = {C:g}",
        make,
        size,
        linscope(C),
        (sklearn(C), sklearnex(C)),
        worse_objective,
        {"sklearn": goals[0], "sklearnex": goals[1]},
        **more,
    )


def with_vectors(rows: int, features: int) -> Data:
    """Points to predict, and support vectors that both contenders get."""
    data = curved(rows, features)
    trained = slice(0, min(rows, TRAINED))
    model = SVC(cache_size=CACHE_MB).fit(data.X[trained], data.y[trained])
    return data._replace(points=data.X, model=model)


def predict_linscope(data: Data) -> np.ndarray:
    theirs, model = data.model, ls.SVC()
    for name in (
        "classes_",
        "n_features_in_",
        "support_",
        "support_vectors_",
        "n_support_",
        "dual_coef_",
        "intercept_",
        "_gamma",
    ):
        setattr(model, name, getattr(theirs, name))
    return model.predict(data.points)


PREDICTION = Case(
    "predict-svc",
    "a kernel SVM on dense points, rbf",
    with_vectors,
    (100_000, 50),
    Contender("linscope", predict_linscope, lambda data, labels: labels),
    (Contender("sklearn", lambda d: d.model.predict(d.points), lambda data, labels: labels),),
    lambda ours, theirs: float(np.mean(ours != theirs)),
    {"sklearn": 5.0},
)

SVC_CASES = (
    PREDICTION,
    rbf("svc-rbf", "dense", curved, (5_000, 20), 1.0, (8.0, 2.0)),
    rbf("svc-rbf-hard", "dense", curved, (5_000, 20), 100.0, (5.0, 5.0)),
    rbf("svc-rbf-20k", "dense", curved, (20_000, 20), 1.0, (8.0, 2.0)),
    rbf("svc-rbf-20k-hard", "dense", curved, (20_000, 20), 100.0, (5.0, 5.0)),
    rbf("svc-rbf-sparse", "CSR of zeros and ones", one_of_each, (20_000, 120), 1.0, (8.0, 2.0)),
    rbf(
        "svc-multi",
        "digits, 10 classes",
        lambda rows, features: named("digits"),
        (1797, 64),
        1.0,
        (5.0, 1.0),
        grows=False,
    ),
)
