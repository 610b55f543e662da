"""Every candidate on the same outer folds, within a budget.

In each outer fold all that is learned is learned from its training rows: the preparation of the
table, the parameters (an inner search), and by the inner scores which candidate the procedure
would have chosen.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from threading import Lock

import numpy as np

from linscope._compiling import compile_seconds
from linscope.data.question import Question

from .advice.choice import choose
from .findings import Plan
from .options import Event, Finished, LeftOut, Options, Scored, Stage, Started, Watch
from .scoring.candidates import Model
from .scoring.record import Record
from .scoring.setup import Setup
from .scoring.tasks import REFUSALS, OuterFold
from .sharing.crew import Crew, Do
from .sharing.processes import Process

# These come after the reference: they cost most, and a budget may end before them.
RUN_LAST = ("logistic-l1", "logistic-poly", "ridge-poly", "kernel-perceptron", "svm-rbf")
# Of small tables other processes take jobs from the right, the longest first; this one takes them
# from the left, and short ones are where they meet, so that none waits long for the others.
SHORT = ("naive-bayes", "least-squares", "perceptron-averaged", "perceptron-pocket", "ridge")
LONGEST = ("kernel-perceptron", "logistic-poly", "ridge-poly", "svm-rbf", "boosting")
# Of the budget so much is for the folds; the rest for learning curve, last fit and checks.
SHARE_OF_FOLDS = 0.8
# Why a model was left out by the clock.
USED_UP = "the budget of {budget} was used up: give --budget more"
TOO_LONG = (
    "{folds} folds would take {whole}, which does not fit in the budget of {budget}: give --budget "
    "more"
)
DURATION = r"(\d+m( \d+s)?|[\d.e+-]+s)"


def takes_long(model: Model) -> bool:
    """Whether it is worth starting another process for a model."""
    return model.key in RUN_LAST or model.family == "reference"


class TooLong(Exception):
    """A candidate does not fit in the budget."""


class Course(Setup):
    """The study on its way: ``run`` fills the records, one for each candidate.

    Parameters
    ----------
    processes : others that may be used; they are for small tables (see ``processes.py``)
    """

    def __init__(
        self,
        question: Question,
        options: Options,
        watch: Watch | None,
        processes: Sequence[Process] = (),
    ):
        self.began = time.perf_counter()
        self.compiled = compile_seconds()
        super().__init__(question, options)
        self.watch: Watch = watch or (lambda event: None)
        self.one_tells = Lock()
        self.records = {model.key: Record(model, i) for i, model in enumerate(self.models)}
        # Fits need neither the table as read nor its reader, which may hold anything.
        sent = replace(question, table=None, reader=None)  # type: ignore[arg-type]
        for one in processes:
            one.subject = sent, options
        self.crew = Crew(self.do, processes)

    @property
    def done(self) -> list[Record]:
        """Those that have run, in order of simplicity."""
        return list(self.records.values())

    def tell(self, event: Event) -> None:
        with self.one_tells:
            self.watch(event)

    def run(self) -> None:
        """All candidates, the costly ones last."""
        self.tell(Stage("preparing the folds"))
        models = sorted(self.models, key=lambda model: model.key in RUN_LAST)
        if not self.small:
            self.crew.end()
        elif self.crew.others:
            models.sort(key=lambda model: _place(model.key))
        self.crew.share([partial(self._candidate, model) for model in models])

    def _candidate(self, model: Model, do: Do) -> None:
        record = Record(model, self.records[model.key].simplicity)
        self.records[model.key] = record
        known = self.options.left_out.get(model.key, "")
        obstacle = known or model.obstacle(self.first) or self._no_time()
        if obstacle:
            self._leave_out(record, obstacle)
            return
        self.tell(Started(model.key, model.title))
        try:
            self._run(model, record, do)
        except TooLong as reason:
            self._leave_out(record, str(reason))
        except REFUSALS as error:
            self._leave_out(record, f"it could not be fitted: {error}")

    def _run(self, model: Model, record: Record, do: Do) -> None:
        folds = len(self.prepared)
        for number in range(folds):
            record.note(do(OuterFold(model.key, number)))
            value = record.metrics[-1].get(self.metric, float("nan"))
            self.tell(Scored(model.key, number + 1, folds, value))
            if number + 1 < folds:
                self._check_budget(model, record, number + 1, folds)
        if record.folds(self.metric) is None:
            raise ValueError(f"it has no {self.metric}")
        record.state = "finished"
        self.tell(Finished(model.key, record.candidate(self.plan)))

    def _no_time(self) -> str:
        """Whether the budget has been used up; baseline and one model are run in any case."""
        if self._left() > 0 or not self.one_finished():
            return ""
        return USED_UP.format(budget=duration(self.options.budget))

    def _check_budget(self, model: Model, record: Record, done: int, folds: int) -> None:
        # The quickest fold counts: the first one may have compiled kernels.
        each = min(record.seconds)
        if done > 1 and each * (folds - done) > self._left() and self.one_finished():
            whole, budget = duration(each * folds), duration(self.options.budget)
            raise TooLong(TOO_LONG.format(folds=folds, whole=whole, budget=budget))

    def _left(self) -> float:
        if self.options.budget is None:
            return np.inf
        # Kernels are compiled once per machine: that time is not the study's.
        elsewhere = (one.compiled for one in self.crew.others)
        compiling = max(compile_seconds() - self.compiled, *elsewhere, 0.0)
        spent = time.perf_counter() - self.began - compiling
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


def out_of_time(why: str, plan: Plan) -> bool:
    """Whether a model was left out by the clock, in the words of this file and of no other."""
    if plan.budget is None:
        return False
    budget, folds = duration(plan.budget), plan.folds * plan.repeats
    if why == USED_UP.format(budget=budget):
        return True
    begin, _, end = TOO_LONG.format(folds=folds, whole="|", budget=budget).partition("|")
    return bool(re.fullmatch(re.escape(begin) + DURATION + re.escape(end), why))


def _place(key: str) -> int:
    """Where a job is, from left to right."""
    return 2 + LONGEST.index(key) if key in LONGEST else int(key in SHORT)


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
