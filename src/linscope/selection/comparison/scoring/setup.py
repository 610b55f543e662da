"""What every fold of a study shares: the rows, the splits, the tables as models see them.

It follows from the question and the options alone, so that another process makes the same of it.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from linscope.data.question import Question
from linscope.rows.threads import one_thread

from ..findings import Plan
from ..options import Options
from .candidates import Setting, choose_models
from .fits import is_small
from .folds import Folds, Rows, outer_folds
from .judging import metrics_of, read_metric
from .prepared import Prepared, PreparedFolds

# Classes whose counts differ by less count as balanced.
BALANCED = 1.1


class Setup:
    """A question and options, ready for fits."""

    def __init__(self, question: Question, options: Options):
        self.question, self.options = question, options
        self.metric = read_metric(options.metric, question.task)
        self.models = choose_models(question.task, options.models)
        numbers = question.task == "number"
        self.target = question.y if numbers else question.codes
        self.rows = Rows(
            None if numbers else self.target,
            question.groups,
            question.order,
            len(self.target),
            question.classes,
        )
        self.folds: Folds = outer_folds(self.rows, options.folds, options.repeats, options.seed)
        self.prepared = PreparedFolds(question, self.target, self.rows, self.folds.splits)

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

    @cached_property
    def first(self) -> Setting:
        """What candidates are made for in the first fold."""
        return self.setting(self.prepared[0])

    @cached_property
    def small(self) -> bool:
        """Whether threads inside fits would wait for each other most of the time."""
        return is_small(self.first)

    def do(self, task: Any) -> Any:
        """What comes of a task; the same in every process, so with one BLAS thread in each."""
        with self.threads():
            return task.do(self)

    def threads(self) -> AbstractContextManager[None]:
        """One for small tables: other processes have the other cores."""
        return one_thread() if self.small else nullcontext()

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
