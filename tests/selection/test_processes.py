"""A study shared with another process: the same findings, whatever becomes of the other."""

from __future__ import annotations

import os
import sys
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest

from linscope.data.question import read_question
from linscope.selection.comparison.advice.recommendation import recommend
from linscope.selection.comparison.options import Finished, Options
from linscope.selection.comparison.sharing import processes
from linscope.selection.comparison.sharing.crew import Crew
from linscope.selection.comparison.sharing.processes import (
    Gone,
    Process,
    Refused,
    started_processes,
)
from linscope.selection.comparison.study import run_study
from linscope.selection.report.twin import to_json

MODELS = ("naive-bayes", "fisher", "least-squares", "logistic-l2", "boosting")
OPTIONS = Options(models=MODELS, budget=None, repeats=1, folds=3)


def _question():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    plan = rng.choice(["basic", "plus"], 60).astype(object)
    y = np.where(X[:, 0] + rng.normal(size=60) > (plan == "plus"), "yes", "no").astype(object)
    return read_question({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "plan": plan, "y": y}, "y")


class Watched(Process):
    """Counts what it is asked, and may end at a task."""

    def __init__(self, end_at=None):
        super().__init__()
        self.asked, self.end_at = [], end_at

    def ask(self, task):
        self.asked.append(task)
        if len(self.asked) == self.end_at:
            self._process.kill()
        return super().ask(task)

    @property
    def runs(self):
        return self._process.poll() is None


@pytest.fixture
def other():
    process = Watched()
    yield process
    process.end()
    assert not process.runs


@pytest.fixture(scope="module")
def alone():
    return run_study(_question(), OPTIONS, processes=[])


def timeless(study):
    """The findings as JSON, as if every fit had taken no time."""
    found = study.findings
    candidates = tuple(
        replace(one, seconds=0.0, fit_seconds=0.0, predict_seconds=0.0) for one in found.candidates
    )
    advice = recommend(candidates, found.differences, found.plan, found.curves, found.data)
    return to_json(replace(found, candidates=candidates, recommendation=advice, seconds=0.0))


@pytest.mark.slow
def test_two_processes_find_what_one_finds_to_the_last_bit(alone, other, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    shared = run_study(_question(), OPTIONS, processes=[other])
    assert timeless(shared) == timeless(alone)
    assert {type(task).__name__ for task in other.asked} == {"OuterFold", "PartOfFold"}
    assert not list(tmp_path.iterdir())


@pytest.mark.share(2)
@pytest.mark.parametrize("end_at", [1, 3])
def test_a_process_that_is_killed_leaves_its_job_to_this_one(alone, end_at):
    other = Watched(end_at)
    shared = run_study(_question(), OPTIONS, processes=[other])
    assert timeless(shared) == timeless(alone)
    assert len(other.asked) == end_at
    other.end()


@pytest.mark.slow
def test_an_interrupt_keeps_what_both_have_finished_and_ends_the_other(other):
    finished = []

    def interrupt(event):
        if isinstance(event, Finished):
            finished.append(event.key)
            if event.key == "fisher":
                raise KeyboardInterrupt

    options = replace(OPTIONS, repeats=20)
    found = run_study(_question(), options, watch=interrupt, processes=[other]).findings
    assert found.partial
    assert not other.runs
    states = {one.key: one.state for one in found.candidates}
    assert {key for key, state in states.items() if state == "finished"} == set(finished)
    assert states["fisher"] == "finished"
    assert states["boosting"] == "partial"


def test_processes_are_for_small_tables(monkeypatch, other):
    monkeypatch.setattr("linscope.selection.comparison.scoring.fits.SMALL", 10)
    options = replace(OPTIONS, models=("fisher",))
    found = run_study(_question(), options, processes=[other]).findings
    assert found.candidates[-1].state == "finished"
    assert not other.asked
    assert not other.runs


class Refuses(NamedTuple):
    def do(self, setup):
        raise ValueError(f"{len(setup.target)} rows do not suit it")


class Prints(NamedTuple):
    def do(self, setup):
        print("this is no answer")
        os.write(1, b"nor is this")
        return os.getpid()


class Fails(NamedTuple):
    def do(self, setup):
        raise TypeError("an error of ours")


def test_answers_refusals_and_errors_of_another_process(other):
    other.subject = replace(_question(), table=None, reader=None), OPTIONS
    with pytest.raises(Refused, match="60 rows do not suit it"):
        other.ask(Refuses())
    assert other.ask(Prints()) == other._process.pid
    with pytest.raises(Gone):
        other.ask(Fails())
    assert other.gone


def test_what_cannot_be_sent_is_done_here(alone):
    question = replace(_question(), notes=(lambda: None,))
    other = Watched()
    assert timeless(run_study(question, OPTIONS, processes=[other])) == timeless(alone)
    assert other.gone
    other.end()


@pytest.mark.slow
def test_a_process_ends_when_its_starter_is_gone(other):
    other._process.stdin.close()
    assert other._process.wait(timeout=100) == 0


def test_as_many_processes_as_cores(monkeypatch):
    made = []
    monkeypatch.setattr(processes, "MOST_PROCESSES", 3)
    monkeypatch.setattr(processes, "Process", lambda: made.append(Fake()) or made[-1])
    for cores, others in (("1", 0), ("2", 1), ("3", 2), ("64", 3)):
        monkeypatch.setenv("LINSCOPE_THREADS", cores)
        made.clear()
        with started_processes() as found:
            assert len(found) == others
        assert all(one.gone for one in made)
    monkeypatch.setattr(sys, "executable", "")
    with started_processes() as found:
        assert not found


class Fake:
    """A process that lives here; it ends when it is asked ``last`` tasks."""

    def __init__(self, last=None):
        self.last, self.asked, self.gone = last, 0, False

    def ask(self, task):
        self.asked += 1
        if self.gone or self.asked == self.last:
            self.gone = True
            raise Gone
        return task

    def end(self):
        self.gone = True


@pytest.mark.parametrize("lasts", [(), (None,), (1,), (5, 1), (None, 3, 2)])
def test_every_job_of_a_crew_is_done_once(lasts):
    done = Counter()

    def job(number, do):
        done[do(number)] += 1

    Crew(lambda task: task, [Fake(last) for last in lasts]).share(
        [partial(job, number) for number in range(50)]
    )
    assert done == Counter(range(50))


@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize("error", [KeyboardInterrupt, TypeError])
def test_an_error_of_a_job_ends_all_processes(error, place):
    def fails(do):
        raise error

    jobs = [lambda do: None] * 10
    jobs[place] = fails
    others = [Fake(), Fake()]
    with pytest.raises(error):
        Crew(lambda task: task, others).share(jobs)
    assert all(one.gone for one in others)
