"""The rows of a trace that are sent, the machine before and after each, and the run at a glance.

A machine has one score for each binary problem, or for each class that competes: linear scores by
weights, others by coefficients of the samples, Σ β_i K(x_i, x) + b.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from linscope.kernels import gram
from linscope.perceptron.trace.replay import GramReplay
from linscope.tracing.look_replay import LookReplay
from linscope.tracing.trace_object import Trace

from ..limits import OVERVIEW
from ..spec import Data

# Numbers of all states of a run that are worked out at once.
SHORT_RUN = 1 << 20


@dataclass(frozen=True, eq=False)
class Overview:
    """The whole run: some of its states, evenly spread.

    steps : how many rows were before each, from 0 to all
    weights : (states, d + 1), bias first; None of several problems or curved scores
    measures : of each state
    """

    steps: np.ndarray
    weights: Any
    measures: list[dict[str, float]]


@dataclass(frozen=True, eq=False)
class Course:
    """Rows ``first`` … of a trace, and the states around them: one more than rows.

    rows : of each row its replay, and its number there
    weights : (states, problems, d + 1), bias first; None where scores are curved
    betas : (states, problems, n + 1), signed coefficients of the samples and b; None of a rule that
        has none
    sides : of each problem the codes of its positive and negative class; None where classes compete
    """

    trace: Trace
    data: Data
    rows: list[tuple[Any, int]]
    first: int
    total: int
    weights: Any
    betas: Any
    measures: list[dict[str, float]]
    sides: list[tuple[int, int | None]] | None
    overview: Overview

    @property
    def all_weights(self) -> Any:
        """Weights of the rows, then those of the whole run, evenly spread; of one problem."""
        return np.vstack([self.weights[:, 0], self.overview.weights])

    def steps(self, wanted: Iterable[int]) -> list[Any]:
        """What is known of some rows, which must follow each other."""
        out: list[Any] = []
        for replay, rows in groupby((self.rows[k] for k in wanted), lambda row: row[0]):
            for window in replay.windows(np.array([number for _, number in rows])):
                out += replay.steps(window, self.trace.sample_names)
        return out

    def scorer(self, points: np.ndarray) -> Callable[[int], np.ndarray]:
        """Scores of points in state k, (problems, m)."""
        if self.weights is not None:
            weights = self.weights
            return lambda k: weights[k, :, 1:] @ points.T + weights[k, :, :1]
        model = self.trace.estimator
        K = gram(
            self.data.points, points, kernel=model.kernel, gamma=model._gamma,
            degree=model.degree, coef0=model.coef0,
        )  # fmt: skip
        return lambda k: self.betas[k, :, :-1] @ K + self.betas[k, :, -1:]

    def class_scores(self, scores: np.ndarray) -> np.ndarray:
        """What classes compete with, (K, m), from the scores of one state, (problems, m)."""
        K = len(self.data.classes)
        if K == 2:
            return np.stack([-scores[0], scores[0]])
        if self.sides is None or all(other is None for _, other in self.sides):
            return scores
        votes = np.zeros((K, scores.shape[1]))
        for (positive, negative), score in zip(self.sides, scores, strict=True):
            share = 0.5 + 0.49 * np.tanh(score / (np.abs(score).max() or 1.0))
            votes[positive] += (score > 0) + 1e-3 * share
            votes[negative] += (score <= 0) + 1e-3 * (1 - share)
        return votes

    def predicted(self, scores: np.ndarray) -> np.ndarray:
        """Codes of the classes, (m,), from the scores of one state; score 0 as the model has it."""
        if len(self.data.classes) == 2:
            tie = getattr(self.trace.estimator, "tie", "negative")
            return (scores[0] >= 0 if tie in ("update", "positive") else scores[0] > 0).astype(int)
        return np.argmax(self.class_scores(scores), axis=0)


@dataclass(frozen=True, eq=False)
class State:
    """One state of one problem."""

    weights: np.ndarray | None
    beta: np.ndarray | None
    measures: dict[str, float]


def is_of_machine(replay: Any) -> bool:
    """Whether a replay is that of a support vector machine."""
    of_machines = "linscope.kernel_svm.", "linscope.linear_svm."
    return type(replay).__module__.startswith(of_machines) and not isinstance(replay, LookReplay)


def machines() -> Any:
    """What is known of machines; importing it takes long."""
    from . import machines as known

    return known


def read_course(trace: Trace, data: Data, start: int, most: int, measured: bool = True) -> Course:
    """Rows ``start`` … of a trace, at most so many; of the whole run measures where asked for."""
    return _Reader(trace, data, measured).read(start, most)


class _Reader:
    """Goes through the problems of a trace, and keeps the states of all of them at each row."""

    def __init__(self, trace: Trace, data: Data, measured: bool):
        self.trace, self.data, self.measured = trace, data, measured
        self.replays = trace._replays
        # weights of softmax move together: the rows are those of the first class
        softmax = getattr(trace.estimator, "multi_class", "") == "softmax"
        self.together = softmax and len(self.replays) > 1
        self.current = [self._state(replay, 0) for replay in self.replays]
        self.weights: list[Any] = []
        self.betas: list[Any] = []
        self.measures: list[dict[str, float]] = []
        self.rows: list[tuple[Any, int]] = []

    def read(self, start: int, most: int) -> Course:
        own = self.replays[:1] if self.together else self.replays
        total = sum(replay.n_steps for replay in own)
        first = max(0, min(start - 1, total - most))
        last, begin = min(first + most, total), 0
        for k, replay in enumerate(own):
            here = np.arange(max(first - begin, 0), min(last - begin, replay.n_steps))
            begin += replay.n_steps
            if len(here):
                self._walk(k, here)
            elif begin <= first:
                self.current[k] = self._state(replay, replay.n_updates)
        if not self.weights:
            self._keep(0)
        return Course(
            self.trace, self.data, self.rows, first, total,
            _stacked(self.weights), _stacked(self.betas), self.measures, self._sides(),
            self._overview(own, total),
        )  # fmt: skip

    def _overview(self, own: Sequence[Any], total: int) -> Overview:
        steps = np.unique(np.linspace(0, total, min(total, OVERVIEW) + 1).round().astype(int))
        alone, begin = len(self.replays) == 1, 0
        weights: list[Any] = []
        measures: list[dict[str, float]] = []
        for replay in own:
            first, last = begin + bool(weights), begin + replay.n_steps
            here = steps[(steps >= first) & (steps <= last)] - begin
            begin = last
            if len(here):
                states = _some_states(replay, updates_before(replay, here))
                weights.append(_weights(replay, states) if alone else None)
                measures += _measures(replay, states) if self.measured else [{}] * len(states)
        return Overview(steps, weights[0] if alone else None, measures)

    def _walk(self, k: int, rows: np.ndarray) -> None:
        """The rows of problem k, and before the first of all the state that they start from."""
        replay = self.replays[k]
        places = range(len(self.replays)) if self.together else [k]
        for window in replay.windows(rows):
            tables = [
                self._states(self.replays[place], window if place == k else None, window.steps)
                for place in places
            ]
            if not self.weights:
                for place, (before, _) in zip(places, tables, strict=True):
                    self.current[place] = before[0]
                self._keep(k)
            for row in range(len(window.steps)):
                for place, (_, after) in zip(places, tables, strict=True):
                    self.current[place] = after[row]
                self._keep(k)
            self.rows += [(replay, number) for number in window.steps.tolist()]

    def _keep(self, k: int) -> None:
        """The states of all problems, and the measures of the one that moves."""
        self.weights.append([state.weights for state in self.current])
        self.betas.append([state.beta for state in self.current])
        self.measures.append(self.current[k].measures)

    def _state(self, replay: Any, updates: int) -> State:
        return self._read(replay, replay.states(updates, updates), updates)[0]

    def _states(self, replay: Any, window: Any, steps: np.ndarray) -> tuple[list[State], ...]:
        """The states before and after each step."""
        window = replay.window(steps) if window is None else window
        found = self._read(replay, window.states, window.first)
        return [found[k] for k in window.versions], [found[k] for k in window.after]

    def _read(self, replay: Any, states: Any, first: int) -> list[State]:
        """The states after ``first`` updates and more."""
        weights = _weights(replay, states)
        weights = [None] * len(states) if weights is None else weights
        betas = _betas(replay, states, first, len(self.data.points))
        measures = _measures(replay, states)
        return [State(*each) for each in zip(weights, betas, measures, strict=True)]

    def _sides(self) -> list[tuple[int, int | None]] | None:
        if self.together or self.data.mode == "regression":
            return None
        return _sides(self.replays, self.data)


def updates_before(replay: Any, steps: np.ndarray) -> np.ndarray:
    """How many updates were made in so many steps."""
    every = isinstance(replay.update_steps, range)
    return steps if every else np.searchsorted(replay.update_steps, steps)


def _some_states(replay: Any, updates: np.ndarray) -> Any:
    """The states after so many updates: of a long run each for itself, from the nearest known."""
    if replay.n_updates * replay.width <= SHORT_RUN:
        return replay.states(0, replay.n_updates)[updates]
    return np.concatenate([replay.states(k, k) for k in updates.tolist()])


def _weights(replay: Any, states: Any) -> Any:
    """(states, d + 1), bias first; None where scores are curved."""
    if not replay.weight_names:
        return None
    found = np.asarray(replay.weights(states), dtype=np.float64)
    return found if replay.intercept else np.column_stack([0 * found[:, 0], found])


def _stacked(rows: list[Any]) -> Any:
    """An array of all states; None if a rule has no such numbers."""
    return None if any(each is None for row in rows for each in row) else np.array(rows)


def _betas(replay: Any, states: Any, first: int, n: int) -> Any:
    """Signed coefficients of the samples, and b; None of a rule that has none."""
    betas = np.zeros((len(states), n + 1))
    if is_of_machine(replay):
        machines().fill_betas(betas, replay, states, first)
    elif isinstance(replay, GramReplay):
        betas[:, replay.row_numbers] = replay.alphas(states)
        betas[:, -1] = betas[:, :-1].sum(axis=1) * replay.intercept
    else:
        return [None] * len(states)
    return betas


def _measures(replay: Any, states: Any) -> list[dict[str, float]]:
    """What is drawn over the steps: the criterion, or primal, dual and gap."""
    if is_of_machine(replay):
        return machines().measures(replay, states)
    if hasattr(replay, "measure"):
        mistakes, values = replay.measure(states)
        pairs = zip(mistakes, values, strict=True)
        return [{"mistakes": float(m), "criterion J_p": float(v)} for m, v in pairs]
    name = "objective P(w)" if isinstance(replay, LookReplay) else "loss J(w)"
    return [{name: float(value)} for value in replay.criterion(states)]


def _sides(replays: Any, data: Data) -> list[tuple[int, int | None]]:
    """Codes of the positive and the negative class of each problem; None for all the rest."""
    place = {label: code for code, label in enumerate(np.unique(data.labels).tolist())}
    out = []
    for replay in replays:
        problem = getattr(replay, "problem", None)
        if problem is None:
            return [(1, 0)] if len(place) == 2 else [(k, None) for k in range(len(place))]
        positive = place[_plain(problem.positive)]
        rest = len(place) > 2 and len(replay.y) == len(data.points)
        out.append((positive, None if rest else place[_plain(problem.negative)]))
    return out


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
