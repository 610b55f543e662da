"""What a study has done, fit by fit: tasks that any process with the same setup can do.

A task is made of plain values and its answer, too, so that both may be sent.
"""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import Any, NamedTuple, Protocol

import numpy as np

from linscope.results.certificate import without_proofs

from .candidates import Model
from .fits import alone, core, fitted
from .folds import Rows
from .judging import Answers, answers_of, judge
from .search import Found, search
from .setup import Setup

# What a fit may end with where the table does not suit the model.
REFUSALS = (ValueError, ArithmeticError, MemoryError)


class Task(Protocol):
    """Something to do with a setup."""

    def do(self, setup: Setup) -> Any: ...


class Outcome(NamedTuple):
    """What came of one outer fold; ``found`` is None where nothing is searched or chosen."""

    metrics: dict[str, float]
    found: Found | None
    answers: Answers
    seconds: float
    fit_seconds: float
    predict_seconds: float
    estimator: str
    certified: bool


class OuterFold(NamedTuple):
    """Search a model's parameters on the training rows of a fold, fit, and judge by the others."""

    key: str
    number: int

    def do(self, setup: Setup) -> Outcome:
        model, prepared = model_of(setup, self.key), setup.prepared[self.number]
        setting, training = setup.setting(prepared), prepared.training
        begun = time.perf_counter()
        # The reference is never chosen, so that it needs no inner scores.
        found = None
        if model.family != "reference":
            found = search(model, setting, training, setup.options.inner_folds)
        searched = time.perf_counter()
        with nullcontext() if model.certifies else without_proofs():
            fit = fitted(model, setting, training.X, training.y, found.parameters if found else {})
        fit_done = time.perf_counter()
        with alone(model, setting):
            answers = answers_of(fit, prepared.X, setting.task)
        answered = time.perf_counter()
        own = core(fit)
        certificate = getattr(own, "certificate_", None)
        return Outcome(
            metrics=judge(prepared.y, answers, setting.task, setting.classes),
            found=found,
            answers=answers,
            seconds=answered - begun,
            fit_seconds=fit_done - searched,
            predict_seconds=1000 * (answered - fit_done) / len(prepared.y),
            estimator=type(own).__name__,
            certified=bool(model.certifies and certificate is not None and certificate.ok),
        )


class PartOfFold(NamedTuple):
    """The metric of a model that has learned from ``size`` of a fold's training rows only."""

    key: str
    number: int
    size: int
    parameters: dict[str, Any]

    def do(self, setup: Setup) -> float:
        model, prepared = model_of(setup, self.key), setup.prepared[self.number]
        training = prepared.training
        some = training.take(part_of(training.rows, self.size, setup.options.seed))
        few = training.rows.codes is not None
        if few and len(np.unique(some.y)) < len(setup.question.classes):
            return float("nan")
        setting = setup.setting(prepared)._replace(rows=some.rows.n)
        try:
            with without_proofs():
                fit = fitted(model, setting, some.X, some.y, self.parameters)
        except (ValueError, ArithmeticError):  # too few rows for this model
            return float("nan")
        with alone(model, setting):
            answers = answers_of(fit, prepared.X, setting.task, setup.metric)
        return judge(prepared.y, answers, setting.task, setting.classes)[setup.metric]


def model_of(setup: Setup, key: str) -> Model:
    return next(model for model in setup.models if model.key == key)


def part_of(rows: Rows, size: int, seed: int) -> np.ndarray:
    """So many rows: the last ones in time, else by chance, of every class its share."""
    if rows.order is not None:
        return np.sort(np.argsort(rows.order, kind="stable")[-size:])
    chance = np.random.default_rng(seed).random(rows.n)
    if rows.codes is not None:
        counts = np.bincount(rows.codes)
        place = np.empty(rows.n)
        for code, count in enumerate(counts):
            own = np.flatnonzero(rows.codes == code)
            place[own] = (np.argsort(np.argsort(chance[own])) + 0.5) / max(count, 1)
        chance = place
    return np.sort(np.argsort(chance, kind="stable")[:size])
