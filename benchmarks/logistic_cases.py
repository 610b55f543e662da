"""Cases of logistic regression: tall dense tables, sparse tables, softmax of many classes.

All minimise ½‖w‖² + Σ f with a free bias. Peers run with their default tolerances, as their users
do; with those some are right to three digits only, which is to their advantage here.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression

import linscope as ls

from .case import Case, Contender, Data, worse_objective
from .data import named, overlapping, text_like

MOST_STEPS = 3000


def weak_classes(rows: int, features: int, count: int = 10) -> Data:
    """Dense float64, correlated features, classes that overlap: about one in six is wrong."""
    rng = np.random.default_rng(0)
    y = rng.integers(count, size=rows)
    X = rng.standard_normal((rows, features))
    X[:, 1:] += 0.5 * X[:, :-1]
    X += 0.25 * rng.standard_normal((count, features))[y]
    return Data(X, y)


def objective(data: Data, model, C: float = 1.0) -> float:
    """½‖W‖² + C Σ f in float64, softmax for more than two classes."""
    W = np.asarray(model.coef_, dtype=np.float64)
    S = data.X @ W.T + np.asarray(model.intercept_, dtype=np.float64)
    codes = np.searchsorted(model.classes_, data.y)
    if len(W) == 1:
        losses = np.logaddexp(0.0, np.where(codes == 1, -S[:, 0], S[:, 0]))
    else:
        losses = logsumexp(S, axis=1) - S[np.arange(len(S)), codes]
    return 0.5 * float(np.sum(W * W)) + C * float(np.sum(losses))


def linscope() -> Contender:
    return Contender("linscope", lambda d: ls.LogisticRegression().fit(d.X, d.y), objective)


def sklearn(solver: str) -> Contender:
    def fit(data: Data):
        return LogisticRegression(solver=solver, max_iter=MOST_STEPS).fit(data.X, data.y)

    return Contender(f"sklearn {solver}", fit, objective)


def sklearnex(data: Data):
    from sklearnex.linear_model import LogisticRegression as Accelerated

    return Accelerated(max_iter=MOST_STEPS).fit(data.X, data.y)


def logistic(
    name: str, what: str, make, size, solvers: tuple[str, ...], goal: float, **more
) -> Case:
    """linscope against scikit-learn's solvers and its accelerated twin, the same goal for all."""
    peers = (*(sklearn(solver) for solver in solvers), Contender("sklearnex", sklearnex, objective))
    goals = {peer.name: goal for peer in peers}
    return Case(name, what, make, size, linscope(), peers, worse_objective, goals, **more)


LOGISTIC = (
    logistic(
        "logistic-tall",
        "logistic regression, dense, two classes",
        overlapping,
        (500_000, 50),
        ("lbfgs", "newton-cholesky"),
        4.0,
    ),
    logistic(
        "logistic-sparse",
        "logistic regression, CSR, few columns",
        text_like,
        (50_000, 300),
        ("newton-cg", "lbfgs", "liblinear"),
        2.0,
    ),
    logistic(
        "logistic-text",
        "logistic regression, CSR, more columns than rows",
        text_like,
        (20_000, 50_000),
        ("newton-cg", "liblinear"),
        2.0,
    ),
    logistic(
        "softmax",
        "logistic regression, dense, 10 classes at once",
        weak_classes,
        (60_000, 100),
        ("lbfgs", "newton-cg"),
        3.0,
    ),
    logistic(
        "softmax-digits",
        "logistic regression, digits, 10 classes at once",
        lambda rows, features: named("digits"),
        (1797, 64),
        ("lbfgs", "newton-cg"),
        3.0,
        grows=False,
    ),
)
