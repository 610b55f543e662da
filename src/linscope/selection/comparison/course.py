"""Every candidate on the same outer folds, within a budget.

In each outer fold all that is learned is learned from its training rows: the preparation of the
table, the parameters (an inner search), and by the inner scores which candidate the procedure
would have chosen.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from linscope._compiling import compile_seconds
from linscope.data.question import Question

from .candidates import Model, Setting, choose_models
from .choice import choose
from .findings import Plan
from .folds import Folds, Rows, outer_folds
from .judging import answers_of, judge, metrics_of, read_metric
from .options import Event, Finished, LeftOut, Options, Scored, Stage, Started, Watch
from .prepared import Prepared, PreparedFolds
from .record import Record
from .search import alone, fitted, search

# These come after the reference: they cost most, and a budget may end before them.
RUN_LAST = ("logistic-l1", "logistic-poly", "ridge-poly", "kernel-perceptron", "svm-rbf")
# Of the budget so much is for the folds; the rest for learning curve, last fit and checks.
SHARE_OF_FOLDS = 0.8
# Classes whose counts differ by less count as balanced.
BALANCED = 1.1


class TooLong(Exception):
    """A candidate does not fit in the budget."""


class Course:
    """The study on its way: ``run`` fills the records, one for each candidate."""

    def __init__(self, question: Question, options: Options, watch: Watch | None):
        self.question, self.options = question, options
        self.watch: Watch = watch or (lambda event: None)
        self.began = time.perf_counter()
        self.compiled = compile_seconds()
        self.metric = read_metric(options.metric, question.task)
        self.models = choose_models(question.task, options.models)
        numbers = question.task == "number"
        self.target = question.y if numbers else question.codes
        self.rows = Rows(
            None if numbers else self.target, question.groups, question.order, len(self.target)
        )
        self.folds: Folds = outer_folds(self.rows, options.folds, options.repeats, options.seed)
        self.prepared = PreparedFolds(question, self.target, self.rows, self.folds.splits)
        self.records = {model.key: Record(model, i) for i, model in enumerate(self.models)}

    @property
    def done(self) -> list[Record]:
        """Those that have run, in order of simplicity."""
        return list(self.records.values())

    @cached_property
    def plan(self) -> Plan:
        options, task = self.options, self.question.task
        rope = options.rope
        if self.metric in ("rmse", "mae"):
            rope *= float(np.std(self.target))
        splits = self.folds.splits
        return Plan(
            metric=self.metric,
            metrics=metrics_of(task),
            splits=self.folds.words,
            folds=self.folds.folds,
            repeats=self.folds.repeats,
            inner_folds=options.inner_folds,
            train=round(float(np.mean([len(s.train) for s in splits]))),
            test=round(float(np.mean([len(s.test) for s in splits]))),
            rope=rope,
            level=options.level,
            seed=options.seed,
            budget=options.budget,
            group=self.question.group,
            time=self.question.time,
            ignore=options.ignore,
        )

    def setting(self, prepared: Prepared) -> Setting:
        """What candidates are made for, from a fold's training rows."""
        X = prepared.training.X
        balanced = False
        if self.question.task != "number" and self.metric == "balanced_accuracy":
            counts = np.bincount(self.target)
            balanced = bool(counts.max() > BALANCED * counts.min())
        return Setting(
            task=self.question.task,
            metric=self.metric,
            rows=X.shape[0],
            columns=X.shape[1],
            numeric=prepared.numeric,
            classes=len(self.question.classes),
            balanced=balanced,
            sparse=sp.issparse(X),
            seed=self.options.seed,
        )

    def tell(self, event: Event) -> None:
        self.watch(event)

    def run(self) -> None:
        """All candidates, the costly ones last."""
        self.tell(Stage("preparing the folds"))
        first = self.setting(self.prepared[0])
        for model in sorted(self.models, key=lambda model: model.key in RUN_LAST):
            record = self.records[model.key]
            known = self.options.left_out.get(model.key, "")
            obstacle = known or model.obstacle(first) or self._no_time()
            if obstacle:
                self._leave_out(record, obstacle)
                continue
            self.tell(Started(model.key, model.title))
            try:
                self._run(model, record)
            except TooLong as reason:
                self._leave_out(record, str(reason))
            except (ValueError, ArithmeticError, MemoryError, np.linalg.LinAlgError) as error:
                self._leave_out(record, f"it could not be fitted: {error}")

    def _run(self, model: Model, record: Record) -> None:
        folds = len(self.prepared)
        for number in range(folds):
            self._fold(model, record, self.prepared[number])
            value = record.metrics[-1].get(self.metric, float("nan"))
            self.tell(Scored(model.key, number + 1, folds, value))
            if number + 1 < folds:
                self._check_budget(model, record, number + 1, folds)
        if record.folds(self.metric) is None:
            raise ValueError(f"it has no {self.metric}")
        record.state = "finished"
        self.tell(Finished(model.key, record.candidate(self.plan)))

    def _fold(self, model: Model, record: Record, prepared: Prepared) -> None:
        setting, training = self.setting(prepared), prepared.training
        with clock(record.seconds):
            # The reference is never chosen, so that it needs no inner scores.
            if model.family != "reference":
                found = search(model, setting, training, self.options.inner_folds)
                record.found.append(found)
            parameters = record.found[-1].parameters if record.found else {}
            with clock(record.fit_seconds):
                fit = fitted(model, setting, training.X, training.y, parameters)
            begun = time.perf_counter()
            with alone(model, setting):
                answers = answers_of(fit, prepared.X, setting.task)
            spent = time.perf_counter() - begun
        record.predict_seconds.append(1000 * spent / len(prepared.y))
        record.note(fit)
        record.answers.append(answers)
        record.metrics.append(judge(prepared.y, answers, setting.task, setting.classes))

    def _no_time(self) -> str:
        """Whether the budget has been used up; baseline and one model are run in any case."""
        if self._left() > 0 or not self.one_finished():
            return ""
        return f"the budget of {duration(self.options.budget)} was used up: give --budget more"

    def _check_budget(self, model: Model, record: Record, done: int, folds: int) -> None:
        # The quickest fold counts: the first one may have compiled kernels.
        each = min(record.seconds)
        if done > 1 and each * (folds - done) > self._left() and self.one_finished():
            whole = duration(each * folds)
            raise TooLong(
                f"{folds} folds would take {whole}, which does not fit in the budget of "
                f"{duration(self.options.budget)}: give --budget more"
            )

    def _left(self) -> float:
        if self.options.budget is None:
            return np.inf
        # Kernels are compiled once per machine: that time is not the study's.
        spent = time.perf_counter() - self.began - (compile_seconds() - self.compiled)
        return SHARE_OF_FOLDS * self.options.budget - spent

    def one_finished(self) -> bool:
        """Whether there is something to recommend."""
        return any(r.state == "finished" and r.model.family == "linear" for r in self.done)

    def _leave_out(self, record: Record, why: str) -> None:
        fresh = Record(record.model, record.simplicity, state="left out", why=why)
        self.records[record.key] = fresh
        self.tell(LeftOut(record.key, record.model.title, why))

    def choose(self, scores: dict[str, np.ndarray]) -> str:
        """The simplest candidate that is practically equal to the best, by these scores."""
        records = self.records
        able = {k: v for k, v in scores.items() if records[k].model.family != "reference"}
        simplicity = {key: records[key].simplicity for key in able}
        return choose(able, simplicity, rope=self.plan.rope, metric=self.plan.metric)


@contextmanager
def clock(seconds: list[float]) -> Iterator[None]:
    """Append what the block took."""
    begun = time.perf_counter()
    yield
    seconds.append(time.perf_counter() - begun)


def duration(seconds: float | None) -> str:
    """90 -> "1m 30s".

    >>> duration(90), duration(2), duration(0.5)
    ('1m 30s', '2s', '0.5s')
    """
    if seconds is None:
        return "no limit"
    if seconds < 60:
        return f"{seconds:.2g}s" if seconds < 10 else f"{seconds:.0f}s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m {rest}s" if rest else f"{minutes}m"
