"""The study: every candidate on the same outer folds, then what follows from their scores.

In each outer fold all that is learned is learned from its training rows: the preparation of the
table, the parameters (an inner search), and which candidate the *procedure* would have chosen. The
headline is the score of those choices on the held-out rows.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from linscope._compiling import compile_seconds
from linscope.data.question import Question
from linscope.validation.differences import differences

from .candidates import Model, Setting, choose_models
from .checks import run_checks
from .choice import choose
from .curves import learning_curves
from .final import FinalFit, final_fit
from .findings import LESS_IS_BETTER, Candidate, Curve, Data, Findings, Headline, Plan
from .fitted import Fitted
from .folds import Folds, Rows, outer_folds
from .judging import answers_of, judge, metrics_of, read_metric
from .options import Event, Finished, LeftOut, Options, Scored, Stage, Started, Watch
from .panels import panels
from .prepared import Prepared, PreparedFolds
from .recommendation import recommend
from .record import Record, score_of
from .search import alone, fitted, search
from .versions import versions

# These come after the reference: they cost most, and a budget may end before them.
RUN_LAST = ("logistic-l1", "logistic-poly", "ridge-poly", "kernel-perceptron", "svm-rbf")
# Of the budget so much is for the folds; the rest for learning curve, last fit and checks.
SHARE_OF_FOLDS = 0.8
# Classes whose counts differ by less count as balanced.
BALANCED = 1.1


@dataclass(frozen=True)
class Study:
    """What was found, and the recommended model, fitted on all rows."""

    findings: Findings
    best: Any


class TooLong(Exception):
    """A candidate does not fit in the budget."""


def run_study(question: Question, options: Options, *, watch: Watch | None = None) -> Study:
    """Compare all candidates for a question.

    Parameters
    ----------
    question : from ``read_question``
    options : Options
    watch : called with every event; see ``options.py``

    Returns
    -------
    Study; after KeyboardInterrupt with the candidates that were finished

    Raises
    ------
    KeyboardInterrupt
        If nothing was finished yet.
    """
    course = Course(question, options, watch)
    with warnings.catch_warnings():
        # What a fit could not reach, its certificate says.
        warnings.simplefilter("ignore", ConvergenceWarning)
        partial = False
        try:
            course.run()
        except KeyboardInterrupt:
            if not any(r.state == "finished" and r.model.family == "linear" for r in course.done):
                raise
            partial = True
        return course.conclude(partial)


class Course:
    """The study on its way."""

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
        if self._left() > 0 or not self._one_finished():
            return ""
        return f"the budget of {duration(self.options.budget)} was used up: give --budget more"

    def _check_budget(self, model: Model, record: Record, done: int, folds: int) -> None:
        # The quickest fold counts: the first one may have compiled kernels.
        each = min(record.seconds)
        if done > 1 and each * (folds - done) > self._left() and self._one_finished():
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

    def _one_finished(self) -> bool:
        return any(r.state == "finished" and r.model.family == "linear" for r in self.done)

    def _leave_out(self, record: Record, why: str) -> None:
        fresh = Record(record.model, record.simplicity, state="left out", why=why)
        self.records[record.key] = fresh
        self.tell(LeftOut(record.key, record.model.title, why))

    def conclude(self, partial: bool) -> Study:
        """What follows from the scores."""
        for record in self.done:
            if record.state == "partial":
                why = "the study was stopped before its last fold"
                fresh = Record(record.model, record.simplicity, state="partial", why=why)
                self.records[record.key] = fresh
        plan = self.plan
        judged = tuple(record.candidate(plan) for record in self.done)
        pairs = differences(judged, plan)
        key = chosen_by(
            {c.key: np.array(c.scores[plan.metric].folds) for c in finished(judged)}, self
        )
        self.tell(Stage("drawing the learning curve"))
        curves: tuple[Curve, ...] = ()
        try:
            curves = learning_curves(self, key, pairs)
        except KeyboardInterrupt:
            partial = True
        data = self._data()
        advice = recommend(judged, pairs, plan, curves, data)
        self.tell(Stage(f"fitting {self.records[advice.key].model.title} to all rows"))
        last = final_fit(self, advice.key)
        self.tell(Stage("checking data and fits"))
        return self._study(judged, pairs, curves, data, advice, last, partial)

    def _study(
        self,
        judged: tuple[Candidate, ...],
        pairs: Any,
        curves: Any,
        data: Data,
        advice: Any,
        last: FinalFit,
        partial: bool,
    ) -> Study:
        record, options = self.records[advice.key], self.options
        headline = self._headline()
        fitted_all = self._fitted(record, last, headline)
        checks = run_checks(self.question, judged, self.plan, fitted_all, options.ignore)
        findings = Findings(
            data=data,
            plan=self.plan,
            candidates=judged,
            differences=pairs,
            headline=headline,
            recommendation=advice,
            checks=checks,
            curves=curves,
            final=last.final,
            panels=panels(self, record, last),
            command=options.command,
            python=options.python,
            versions=versions(),
            seconds=time.perf_counter() - self.began,
            partial=partial,
        )
        return Study(findings, last.pipeline)

    def _data(self) -> Data:
        question = self.question
        return Data(
            name=question.name,
            rows=len(self.target),
            dropped=question.dropped,
            columns=question.columns,
            target=question.target,
            task=question.task,
            classes=tuple(map(str, question.classes)),
            counts=question.counts if question.classes else (),
            positive=None if question.positive is None else str(question.positive),
            missing=question.missing,
            encoded=self.prepared[0].training.X.shape[1],
            sha256=question.sha256,
        )

    def _headline(self) -> Headline:
        """The candidate that each fold would have chosen, judged by the rows held out."""
        ran = [r for r in self.done if r.state == "finished"]
        able = [r for r in ran if r.model.family != "reference"]
        values, keys = [], []
        for fold in range(len(self.prepared)):
            inner = {r.key: r.found[fold].inner for r in able}
            keys.append(chosen_by(inner, self))
            values.append(self.records[keys[-1]].metrics[fold][self.metric])
        means = [np.mean([one[self.metric] for one in r.metrics]).item() for r in able]
        best = min(means) if self.metric in LESS_IS_BETTER else max(means)
        return Headline(score_of(np.array(values), self.plan, self.metric), tuple(keys), best)

    def _fitted(self, record: Record, last: FinalFit, headline: Headline) -> Fitted:
        """What checks want to see: the first repeat's answers and the last fit."""
        first = self.folds.splits[: self.folds.folds]
        values = np.full(len(self.target), np.nan)
        probabilities = None
        if record.answers[0].probabilities is not None and len(self.question.classes) == 2:
            probabilities = np.full(len(self.target), np.nan)
        for split, answers in zip(first, record.answers, strict=False):
            values[split.test] = answers.values
            if probabilities is not None and answers.probabilities is not None:
                probabilities[split.test] = answers.probabilities[:, 1]
        return Fitted(
            folds=first,
            final=last.inside,
            probabilities=probabilities,
            predictions=values,
            encoded=last.X,
            names=last.names,
            choices=headline.chosen,
        )


def chosen_by(scores: dict[str, np.ndarray], course: Course) -> str:
    """The simplest candidate that is practically equal to the best, by these scores."""
    records = course.records
    able = {k: v for k, v in scores.items() if records[k].model.family != "reference"}
    simplicity = {key: records[key].simplicity for key in able}
    plan = course.plan
    return choose(able, simplicity, rope=plan.rope, metric=plan.metric)


def finished(candidates: tuple[Candidate, ...]) -> list[Candidate]:
    return [one for one in candidates if one.state == "finished"]


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
