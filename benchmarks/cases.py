"""The cases of every model that exists; a new model adds its own here."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier

import linscope as ls

from .case import Case, Contender, Data, different_vector
from .compare_cases import COMPARISONS
from .data import libsvm_file, named, overlapping, text_like
from .least_squares_cases import LEAST_SQUARES
from .linear_svm_cases import LINEAR_SVM
from .logistic_cases import LOGISTIC
from .metrics_cases import METRICS
from .path_cases import PATHS
from .stream_cases import STREAMS
from .svc_cases import SVC_CASES

EPOCHS = 5


def weights(data: Data, model) -> np.ndarray:
    """Bias and weights in float64: the same weights mean the same updates."""
    return np.column_stack([model.intercept_, model.coef_]).astype(np.float64)


def mean_of_committee(data: Data, model) -> np.ndarray:
    """The averaged vector Σ c_k w_k / Σ c_k of a voted perceptron, rebuilt from its log.

    Σ_k c_k w_k = C·w_0 + Σ_k s_k x_k (c_k + c_{k+1} + …): each step counts from its visit on.
    """
    rows = []
    for committee in model.committees_:
        later = np.cumsum(committee.survival[::-1])[::-1][1:]
        share = np.zeros(committee.support.shape[0])
        np.add.at(share, committee.samples, committee.steps * later)
        total = committee.survival.sum()
        mean = np.r_[share.sum(), committee.support.T @ share] / total
        rows.append(mean + committee.initial)
    return np.array(rows)


def predictions(data: Data, answer) -> np.ndarray:
    return np.asarray(answer, dtype=np.float64)


def perceptron(output: str = "last", work=weights, *, intercept: bool = True) -> Contender:
    def fit(data: Data):
        model = ls.Perceptron(output=output, max_iter=EPOCHS, fit_intercept=intercept)
        return model.fit(data.X, data.y)

    return Contender("linscope", fit, work)


def fit_with_trace(data: Data):
    return ls.trace(ls.Perceptron(max_iter=EPOCHS), data.X, data.y).estimator


def sklearn_perceptron(average: bool = False, *, intercept: bool = True) -> Contender:
    """The plain class where there is one, SGDClassifier for averages."""

    def fit(data: Data):
        common = {"max_iter": EPOCHS, "tol": None, "shuffle": False, "fit_intercept": intercept}
        if not average:
            return SklearnPerceptron(**common).fit(data.X, data.y)
        rule = {"loss": "perceptron", "penalty": None, "learning_rate": "constant", "eta0": 1.0}
        return SGDClassifier(average=True, **rule, **common).fit(data.X, data.y)

    return Contender("sklearn", fit, weights)


def with_model(rows: int, features: int) -> Data:
    """Points to predict, and weights that both contenders get."""
    data = overlapping(rows, features)
    model = SklearnPerceptron(max_iter=2, tol=None).fit(data.X[:10_000], data.y[:10_000])
    return data._replace(points=data.X, model=model)


def predict_linscope(data: Data):
    model = ls.Perceptron(max_iter=1)
    model.classes_, model.n_features_in_ = data.model.classes_, data.model.n_features_in_
    model.coef_, model.intercept_ = data.model.coef_, data.model.intercept_
    return model.predict(data.points)


def same_updates(
    name, what, make, size, *, output="last", work=weights, intercept=True, grows=True
) -> Case:
    """A perceptron case: both must end at the same weights (averaged where votes are counted)."""
    return Case(
        name,
        f"{what}, {EPOCHS} epochs",
        make,
        size,
        perceptron(output, work, intercept=intercept),
        (sklearn_perceptron(output != "last", intercept=intercept),),
        different_vector,
        {"sklearn": 5.0},
        grows,
    )


PERCEPTRONS = (
    same_updates("perceptron", "dense", overlapping, (500_000, 50)),
    same_updates(
        "perceptron-sparse",
        "CSR, 50 entries a row, no intercept",  # scikit-learn shrinks it for sparse input
        text_like,
        (100_000, 20_000),
        intercept=False,
    ),
    replace(
        same_updates("perceptron-trace", "dense, trace on", overlapping, (500_000, 50)),
        ours=Contender("linscope", fit_with_trace, weights),
    ),
    same_updates("averaged", "dense", overlapping, (500_000, 50), output="averaged"),
    same_updates(
        "voted", "dense", overlapping, (500_000, 50), output="voted", work=mean_of_committee
    ),
    same_updates(
        "perceptron-digits",
        "digits, 10 classes",
        lambda rows, features: named("digits"),
        (1797, 64),
        grows=False,
    ),
    same_updates(
        "perceptron-breast-cancer",
        "breast_cancer",
        lambda rows, features: named("breast_cancer"),
        (569, 30),
        grows=False,
    ),
    Case(
        "predict",
        "a linear classifier on dense points",
        with_model,
        (1_000_000, 50),
        Contender("linscope", predict_linscope, predictions),
        (Contender("sklearn", lambda data: data.model.predict(data.points), predictions),),
        lambda ours, theirs: float(np.mean(ours != theirs)),
        {"sklearn": 1.0},
    ),
)
BY_FAMILY = {
    "Perceptrons": PERCEPTRONS,
    "Least squares": LEAST_SQUARES,
    "Logistic regression": LOGISTIC,
    "Linear SVM": LINEAR_SVM,
    "Kernel SVM": SVC_CASES,
    "Paths and metrics": (*PATHS, *METRICS),
    "Tables in files": STREAMS,
}
FAMILIES = {family: [case.name for case in cases] for family, cases in BY_FAMILY.items()}
CASES = {case.name: case for cases in BY_FAMILY.values() for case in cases}
# They take minutes, and run only where they are named.
LONG_CASES = {case.name: case for case in COMPARISONS}


def cases_for_file(path: Path) -> list[Case]:
    """The cases that fit what is in a LIBSVM file."""
    data = libsvm_file(path)
    sparse = hasattr(data.X, "indptr")
    what = f"{path.name}, CSR, no intercept" if sparse else f"{path.name}, dense"
    make, options = partial(_given, data), {"intercept": not sparse, "grows": False}
    return [
        same_updates(
            f"{name}:{path.name}",
            what,
            make,
            data.X.shape,
            output=output,
            **options,
        )
        for name, output in (("perceptron", "last"), ("averaged", "averaged"))
    ]


def _given(data: Data, rows: int, features: int) -> Data:
    return data
