"""The whole comparison against the same study written with scikit-learn's ``GridSearchCV``.

Both see the same mixed table, the same outer and inner folds, the same grids and the same metric;
scikit-learn's study has its own counterpart of each model, and gradient boosting is the same in
both; so are the learning curves of three models. linscope's also proves its fits, checks the data
and writes down its reasons. What is compared is the mean score of each model on the outer folds.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_score,
    learning_curve,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, LinearSVC

from linscope.data.question import read_question
from linscope.selection.comparison.curves import PARTS
from linscope.selection.comparison.options import Options
from linscope.selection.comparison.scoring.candidates import LOGISTIC_C, RBF_GRID, SVM_C
from linscope.selection.comparison.study import run_study

from .case import Case, Contender, Data

NUMBERS, LEVELS = 8, (4, 6, 12)
FOLDS, INNER = 5, 3
CURVES = ("fisher", "logistic-l2", "boosting")
# A mean score so much lower counts as equal: less than a standard error of any of them.
SAME_SCORE = 0.01


def mixed(rows: int, features: int) -> Data:
    """Numbers first, then three columns of categories; classes overlap, about one in three is 1."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(rows, NUMBERS))
    codes = np.column_stack([rng.integers(k, size=rows) for k in LEVELS])
    s = Z @ rng.normal(size=NUMBERS) * 0.6 + rng.normal(size=LEVELS[0])[codes[:, 0]]
    s += 0.4 * Z[:, 0] * Z[:, 1] - 0.8
    y = (rng.random(rows) < 1 / (1 + np.exp(-s))).astype(int)
    return Data(np.column_stack([Z, codes]), y)


def linscope_study(data: Data) -> dict[str, float]:
    table: dict[str, Any] = {f"x{j}": data.X[:, j] for j in range(NUMBERS)}
    for j, name in enumerate(("plan", "region", "device")):
        table[name] = np.array([f"{name}{int(c)}" for c in data.X[:, NUMBERS + j]], dtype=object)
    question = read_question(table, target_values=data.y)
    keys = tuple(models(1))
    options = Options(folds=FOLDS, repeats=1, inner_folds=INNER, budget=None, models=keys)
    found = run_study(question, options).findings
    return {
        one.key: one.scores["balanced_accuracy"].mean
        for one in found.candidates
        if one.state == "finished"
    }


def models(width: int) -> dict[str, tuple[Any, dict[str, Any]]]:
    """Counterparts in scikit-learn, with their grids; weights of classes as the metric counts."""
    gammas = {"C": RBF_GRID["C"], "gamma": [g / width for g in RBF_GRID["gamma"]]}
    even = {"class_weight": "balanced"}
    perceptron = {"loss": "perceptron", "learning_rate": "constant", "eta0": 1.0, "tol": None}
    logistic = LogisticRegression(max_iter=1000, **even)
    return {
        "naive-bayes": (GaussianNB(), {}),
        "fisher": (LinearDiscriminantAnalysis(priors=[0.5, 0.5]), {}),
        "least-squares": (RidgeClassifier(alpha=1e-9, **even), {}),
        "perceptron-averaged": (
            SGDClassifier(average=True, max_iter=20, random_state=0, **perceptron, **even),
            {},
        ),
        "logistic-l2": (logistic, dict(LOGISTIC_C)),
        "logistic-l1": (
            LogisticRegression(l1_ratio=1.0, solver="liblinear", max_iter=1000, **even),
            dict(LOGISTIC_C),
        ),
        "linear-svm": (LinearSVC(**even), dict(SVM_C)),
        "logistic-poly": (logistic, dict(LOGISTIC_C)),
        "svm-rbf": (SVC(**even), gammas),
        "boosting": (HistGradientBoostingClassifier(random_state=0, **even), {}),
    }


def sklearn_study(data: Data, jobs: int) -> dict[str, float]:
    outer = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    inner = StratifiedKFold(INNER, shuffle=True, random_state=0)
    width = NUMBERS + sum(LEVELS) - len(LEVELS)
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for key, (model, grid) in models(width).items():
            numbers: Any = StandardScaler()
            if key == "logistic-poly":
                powers = PolynomialFeatures(2, include_bias=False)
                numbers = make_pipeline(numbers, powers, StandardScaler())
            steps = ColumnTransformer(
                [
                    ("numbers", numbers, slice(0, NUMBERS)),
                    ("categories", OneHotEncoder(drop="first"), slice(NUMBERS, None)),
                ],
                sparse_threshold=0.0,
            )
            grid = {f"model__{name}": values for name, values in grid.items()}
            whole = make_pipeline(steps, model)
            whole.steps[-1] = ("model", model)
            search = GridSearchCV(whole, grid, cv=inner, scoring="balanced_accuracy", n_jobs=jobs)
            scores = cross_val_score(
                whole if key == "boosting" else search,
                data.X,
                data.y,
                cv=outer,
                scoring="balanced_accuracy",
            )
            found[key] = float(scores.mean())
            if key in CURVES:
                sizes = {"train_sizes": PARTS, "cv": outer, "scoring": "balanced_accuracy"}
                learning_curve(whole, data.X, data.y, **sizes)
    return found


def worse_scores(ours: dict[str, float], theirs: dict[str, float]) -> float:
    """By how much the worst of the models is worse, beyond what counts as equal."""
    return max(theirs[key] - ours[key] for key in theirs) - SAME_SCORE


def as_found(data: Data, found: dict[str, float]) -> dict[str, float]:
    return found


COMPARISONS = (
    Case(
        "compare",
        f"the whole comparison of ten models, mixed table, {FOLDS} × {INNER} folds",
        mixed,
        (2000, NUMBERS + len(LEVELS)),
        Contender("linscope", linscope_study, as_found),
        (
            Contender("sklearn", partial(sklearn_study, jobs=1), as_found),
            Contender("sklearn (2 jobs)", partial(sklearn_study, jobs=2), as_found),
        ),
        worse_scores,
        {"sklearn": 5.0, "sklearn (2 jobs)": 5.0},
        grows=False,
    ),
)
