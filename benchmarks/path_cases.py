"""Cases of regularisation paths: ten values of C, five folds, one process.

What is compared is the sum over folds and C of ½‖w‖² + C Σ f on the rows that train. For a grid of
C and γ of a kernel SVM it is the best mean score, and every fit must reach tol.
"""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

import linscope as ls
from linscope.losses.softmax import loss

from .case import Case, Contender, Data, worse_objective
from .data import named, overlapping

VALUES, FOLDS, MOST_STEPS = 10, 5, 3000
GRID = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.005, 0.02, 0.05, 0.2]}
# A best score so much lower counts as equal: half a standard error.
SAME_SCORE = 0.005


def linscope_path(data: Data):
    return ls.path(ls.LogisticRegression(), data.X, data.y, Cs=VALUES, cv=FOLDS)


def sklearn_path(data: Data):
    model = LogisticRegressionCV(
        Cs=VALUES, cv=FOLDS, max_iter=MOST_STEPS, use_legacy_attributes=False, l1_ratios=(0,)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return model.fit(data.X, data.y)


def linscope_objectives(data: Data, found) -> float:
    return total(data, found.Cs_, np.moveaxis(found.fold_coefs, 1, 0))


def sklearn_objectives(data: Data, model) -> float:
    """Its weights have the bias last, and a row for each class."""
    W = model.coefs_paths_[:, 0]
    return total(data, model.Cs_, np.concatenate([W[..., -1:], W[..., :-1]], axis=-1))


def total(data: Data, Cs: np.ndarray, W: np.ndarray) -> float:
    """Σ over folds and C of the objective; W is (folds, C, rows, d + 1)."""
    codes = np.unique(data.y, return_inverse=True)[1]
    out = 0.0
    for fold, (train, _) in enumerate(StratifiedKFold(FOLDS).split(data.X, data.y)):
        for C, V in zip(Cs.tolist(), W[fold], strict=True):
            S = data.X[train] @ V[:, 1:].T + V[:, 0]
            out += 0.5 * float(np.sum(V[:, 1:] ** 2)) + C * float(np.sum(loss(S, codes[train])))
    return out


def linscope_grid(data: Data):
    return ls.path(ls.SVC(), data.X, data.y, Cs=GRID["C"], gammas=GRID["gamma"], cv=FOLDS)


def sklearn_grid(data: Data, jobs: int):
    return GridSearchCV(SVC(), GRID, cv=FOLDS, n_jobs=jobs).fit(data.X, data.y)


def linscope_best(data: Data, found) -> np.ndarray:
    """The best mean score, recomputed proofs or NaN, and the worst violation in units of tol."""
    score = found.best_score if found.verify(data.X, data.y) else np.nan
    return np.array([score, found.kkt.max() / found.best_estimator.tol])


def sklearn_best(data: Data, found) -> np.ndarray:
    return np.array([found.best_score_, 1.0])


def worse_choice(ours: np.ndarray, theirs: np.ndarray) -> float:
    """By how much the score is lower, beyond what counts as equal; all fits must reach tol."""
    if not ours[1] <= 1.0 or np.isnan(ours[0]):
        return np.inf
    return max(0.0, float(theirs[0] - ours[0]) - SAME_SCORE)


def path_case(name: str, what: str, make, size: tuple[int, int], **more) -> Case:
    return Case(
        name,
        f"{what}, {VALUES} values of C, {FOLDS} folds",
        make,
        size,
        Contender("linscope", linscope_path, linscope_objectives),
        (Contender("sklearn", sklearn_path, sklearn_objectives),),
        worse_objective,
        {"sklearn": 10.0},
        **more,
    )


PATHS = (
    path_case("path-cv", "logistic path, dense, two classes", overlapping, (50_000, 50)),
    path_case(
        "path-cv-digits",
        "logistic path, digits, 10 classes at once",
        lambda rows, features: named("digits"),
        (1797, 64),
        grows=False,
    ),
    Case(
        "path-cv-svc",
        f"kernel SVM, rbf, 4 values of C, 4 of γ, {FOLDS} folds, two classes",
        overlapping,
        (2000, 20),
        Contender("linscope", linscope_grid, linscope_best),
        (
            Contender("sklearn", partial(sklearn_grid, jobs=1), sklearn_best),
            Contender("sklearn (2 jobs)", partial(sklearn_grid, jobs=2), sklearn_best),
        ),
        worse_choice,
        {"sklearn": 10.0},
    ),
)
