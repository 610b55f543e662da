"""Cases of linear support vector machines: dense and sparse tables, both losses.

All minimise ½‖w‖² + ½b² + Σ loss: LIBLINEAR penalises the bias, so linscope is asked to do so, too.
Peers run with the tolerance of the case's name or with their default, as their users do; for the
hinge that is right to three or four digits only, which is to their advantage here.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import linscope as ls
from linscope.losses import hinge, squared_hinge

from .case import Case, Contender, Data, worse_objective
from .data import overlapping, text_like

LOSSES = {"hinge": hinge.loss, "squared_hinge": squared_hinge.loss}
GROUPS = 14


def one_of_each(rows: int, features: int) -> Data:
    """CSR of zeros and ones: one value of each of some categorical columns, a quarter positive."""
    rng = np.random.default_rng(0)
    groups = np.array_split(np.arange(features), min(GROUPS, features))
    columns = [
        group[rng.choice(len(group), rows, p=rng.dirichlet(np.full(len(group), 0.7)))]
        for group in groups
    ]
    indices = np.array(columns, dtype=np.int32).T.ravel()
    indptr = (np.arange(rows + 1) * len(groups)).astype(np.int32)
    X = sparse.csr_array((np.ones(len(indices)), indices, indptr), shape=(rows, features))
    score = X @ rng.standard_normal(features)
    score = score - np.quantile(score, 0.75) + 0.7 * score.std() * rng.standard_normal(rows)
    return Data(X, np.where(score > 0, 1, -1))


def objective(loss: str):
    """½‖w‖² + ½b² + Σ f in float64."""

    def value(data: Data, model) -> float:
        w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
        margins = data.y * (data.X @ w + b)
        return 0.5 * float(w @ w + b * b) + float(np.sum(LOSSES[loss](margins)))

    return value


def linscope(loss: str) -> Contender:
    def fit(data: Data):
        return ls.LinearSVC(loss=loss, penalize_intercept=True).fit(data.X, data.y)

    return Contender("linscope", fit, objective(loss))


def sklearn(loss: str, **options) -> Contender:
    def fit(data: Data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return LinearSVC(loss=loss, **options).fit(data.X, data.y)

    return Contender("sklearn", fit, objective(loss))


def linear_svm(name: str, what: str, make, size, loss: str, goal: float, **options) -> Case:
    return Case(
        name,
        f"linear SVM, {what}",
        make,
        size,
        linscope(loss),
        (sklearn(loss, **options),),
        worse_objective,
        {"sklearn": goal},
    )


LINEAR_SVM = (
    linear_svm(
        "linear-svm-sq",
        "squared hinge, dense",
        overlapping,
        (200_000, 50),
        "squared_hinge",
        8.0,
        dual=False,
        tol=1e-6,
    ),
    linear_svm("linear-svm-hinge", "hinge, dense", overlapping, (20_000, 50), "hinge", 5.0),
    linear_svm("linear-svm-text", "hinge, CSR", text_like, (50_000, 300), "hinge", 2.0),
    linear_svm(
        "linear-svm-binary", "hinge, CSR of categories", one_of_each, (20_000, 120), "hinge", 2.0
    ),
)
