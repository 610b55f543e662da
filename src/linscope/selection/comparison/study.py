"""The study: candidates judged by the same folds, and what follows from their scores.

The headline is the score of the *procedure*: in each outer fold the candidate that the fold's own
training rows would have chosen, judged by the rows held out.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from linscope.data.question import Question
from linscope.validation.differences import differences

from .advice.recommendation import recommend
from .checks import run_checks
from .course import Course, takes_long
from .curves import learning_curves
from .findings import LESS_IS_BETTER, Candidate, Curve, Data, Findings, Headline
from .last_fit.final import FinalFit, final_fit
from .last_fit.fitted import Fitted
from .last_fit.panels import panels
from .options import Options, Stage, Unsuited, Watch
from .scoring.candidates import choose_models
from .scoring.record import Record, score_of
from .sharing.processes import Process, started_processes
from .versions import versions

STOPPED = "the study was stopped before its last fold"


@dataclass(frozen=True)
class Study:
    """What was found, and the recommended model, fitted on all rows."""

    findings: Findings
    best: Any


def run_study(
    question: Question,
    options: Options,
    *,
    watch: Watch | None = None,
    processes: Sequence[Process] | None = None,
) -> Study:
    """Compare all candidates for a question.

    Parameters
    ----------
    question : from ``read_question``
    options : Options
    watch : called with every event, one at a time; see ``options.py``
    processes : others to use, from ``started_processes``; by default they are started here

    Returns
    -------
    Study; after KeyboardInterrupt with the candidates that were finished

    Raises
    ------
    KeyboardInterrupt
        If nothing was finished yet.
    """
    if processes is None:
        long = any(map(takes_long, choose_models(question.task, options.models)))
        with started_processes(wanted=long) as started:
            return run_study(question, options, watch=watch, processes=started)
    course = Course(question, options, watch, processes)
    with warnings.catch_warnings():
        # What a fit could not reach, its certificate says.
        warnings.simplefilter("ignore", ConvergenceWarning)
        partial = False
        try:
            course.run()
        except KeyboardInterrupt:
            if not course.one_finished():
                raise
            partial = True
        with course.threads():
            return conclude(course, partial)


def conclude(course: Course, partial: bool) -> Study:
    """What follows from the scores."""
    for record in course.done:
        if record.state == "partial":
            fresh = Record(record.model, record.simplicity, state="partial", why=STOPPED)
            course.records[record.key] = fresh
    plan = course.plan
    judged = tuple(record.candidate(plan) for record in course.done)
    pairs = differences(judged, plan)
    finished = [one for one in judged if one.state == "finished"]
    if all(one.family == "reference" for one in finished):
        reasons = dict.fromkeys(f"{one.title}: {one.why}" for one in judged if one.why)
        raise Unsuited(f"no model was fitted in every fold. {'; '.join([*reasons][:2])}")
    key = course.choose({one.key: np.array(one.scores[plan.metric].folds) for one in finished})
    course.tell(Stage("drawing the learning curve"))
    curves: tuple[Curve, ...] = ()
    try:
        curves = learning_curves(course, key, pairs)
    except KeyboardInterrupt:
        partial = True
    data = _data(course)
    advice = recommend(judged, pairs, plan, curves, data)
    course.tell(Stage(f"fitting {course.records[advice.key].model.title} to all rows"))
    last = final_fit(course, advice.key)
    course.tell(Stage("checking data and fits"))
    return _study(course, judged, pairs, curves, data, advice, last, partial)


def _study(
    course: Course,
    judged: tuple[Candidate, ...],
    pairs: Any,
    curves: Any,
    data: Data,
    advice: Any,
    last: FinalFit,
    partial: bool,
) -> Study:
    record, options = course.records[advice.key], course.options
    headline = _headline(course)
    fitted_all = _fitted(course, record, last, headline)
    checks = run_checks(course.question, judged, course.plan, fitted_all, options.ignore)
    findings = Findings(
        data=data,
        plan=course.plan,
        candidates=judged,
        differences=pairs,
        headline=headline,
        recommendation=advice,
        checks=checks,
        curves=curves,
        final=last.final,
        panels=panels(course, record, last),
        command=options.command,
        python=options.python,
        versions=versions(),
        seconds=time.perf_counter() - course.began,
        partial=partial,
        asked=options.asked,
    )
    return Study(findings, last.pipeline)


def _data(course: Course) -> Data:
    question = course.question
    return Data(
        name=question.name,
        rows=len(course.target),
        dropped=question.dropped,
        columns=question.columns,
        target=question.target,
        task=question.task,
        classes=tuple(map(str, question.classes)),
        counts=question.counts if question.classes else (),
        positive=None if question.positive is None else str(question.positive),
        missing=question.missing,
        encoded=course.prepared[0].training.X.shape[1],
        sha256=question.sha256,
    )


def _headline(course: Course) -> Headline:
    """The candidate that each fold would have chosen, judged by the rows held out."""
    ran = [r for r in course.done if r.state == "finished"]
    able = [r for r in ran if r.model.family != "reference"]
    values, keys = [], []
    for fold in range(len(course.prepared)):
        inner = {r.key: r.found[fold].inner for r in able}
        keys.append(course.choose(inner))
        values.append(course.records[keys[-1]].metrics[fold][course.metric])
    means = [np.mean([one[course.metric] for one in r.metrics]).item() for r in able]
    best = min(means) if course.metric in LESS_IS_BETTER else max(means)
    return Headline(score_of(np.array(values), course.plan, course.metric), tuple(keys), best)


def _fitted(course: Course, record: Record, last: FinalFit, headline: Headline) -> Fitted:
    """What checks want to see: the first repeat's answers and the last fit."""
    first = course.folds.splits[: course.folds.folds]
    values = np.full(len(course.target), np.nan)
    probabilities = None
    if record.answers[0].probabilities is not None and len(course.question.classes) == 2:
        probabilities = np.full(len(course.target), np.nan)
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
