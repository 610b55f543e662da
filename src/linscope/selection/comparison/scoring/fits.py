"""A candidate fitted to prepared rows, alone or on the inner folds."""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline
from threadpoolctl import ThreadpoolController

from linscope._bridge import take_control
from linscope.results.certificate import without_proofs
from linscope.validation.splits import Split

from ..findings import LESS_IS_BETTER
from .balanced import BalancedDecision
from .candidates import Model, Setting
from .folds import Rows
from .judging import Answers, answers_of, judge

SMALL = 500_000


class Training(NamedTuple):
    """Prepared rows, their class codes or numbers, and what splitting must know of them."""

    X: Any
    y: np.ndarray
    rows: Rows

    def take(self, rows: np.ndarray) -> Training:
        return Training(self.X[rows], self.y[rows], self.rows.take(rows))


def fitted(
    model: Model, setting: Setting, X: Any, y: np.ndarray, parameters: dict[str, Any]
) -> Any:
    """The candidate with these parameters, fitted."""
    with alone(model, setting):
        return with_parameters(model.make(setting), parameters).fit(X, y)


def alone(model: Model, setting: Setting) -> Any:
    """On small tables the threads of gradient boosting wait for each other most of the time."""
    if model.family == "reference" and is_small(setting):
        take_control(_controller().lib_controllers)
        return _controller().limit(limits=1, user_api="openmp")
    return nullcontext()


def is_small(setting: Setting) -> bool:
    """Whether threads inside a fit would wait for each other most of the time."""
    return setting.rows * setting.columns < SMALL


@cache
def _controller() -> ThreadpoolController:
    # It looks through the loaded libraries, which takes milliseconds: once, with those of boosting.
    import sklearn.ensemble  # noqa: F401

    return ThreadpoolController()


def with_parameters(estimator: Any, parameters: dict[str, Any]) -> Any:
    """Set parameters of the model inside a pipeline or a decision rule; degree is of the powers."""
    for name, value in parameters.items():
        if name == "degree":
            estimator.set_params(expand__numbers__powers__degree=value)
        else:
            core(estimator).set_params(**{name: value})
    return estimator


def core(estimator: Any) -> Any:
    """The model itself, without what stands before and around it; fitted if the whole is."""
    if isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    if isinstance(estimator, BalancedDecision):
        return getattr(estimator, "estimator_", estimator.estimator)
    return estimator


def score(setting: Setting, y: np.ndarray, answers: Answers) -> float:
    """The metric, turned so that more is better; NaN if the answers do not allow it."""
    value = judge(y, answers, setting.task, setting.classes).get(setting.metric, float("nan"))
    return -value if setting.metric in LESS_IS_BETTER else value


def inner_scores(
    model: Model,
    setting: Setting,
    training: Training,
    splits: list[Split],
    parameters: dict[str, Any],
) -> np.ndarray:
    """The metric itself on each inner fold."""
    found = []
    for train, test in splits:
        X, y = training.X[train], training.y[train]
        with without_proofs():
            one = fitted(model, setting, X, y, parameters)
        answers = answers_of(one, training.X[test], setting.task, setting.metric)
        value = score(setting, training.y[test], answers)
        found.append(-value if setting.metric in LESS_IS_BETTER else value)
    return np.array(found)
