"""The rows of a trace that are sent, and the machine in force before and after each.

A machine has one score for each binary problem, or for each class that competes: linear scores by
weights, others by coefficients of the samples, Σ β_i K(x_i, x) + b.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels

from linscope.kernel_svm.trace.replay import BIAS, DUAL, GAP, PRIMAL, SmoReplay
from linscope.perceptron.trace.replay import GramReplay
from linscope.tracing.trace_object import Trace

from .spec import Data


@dataclass(frozen=True, eq=False)
class Course:
    """Rows ``first`` … of a trace, and the states around them: one more than rows.

    steps : the rows
    of : which problem each row belongs to
    weights : (states, problems, d + 1), bias first; None where scores are curved
    betas : (states, problems, n + 1), signed coefficients of the samples and b; None of a rule that
        has none
    sides : of each problem the codes of its positive and negative class; None where classes compete
    """

    trace: Trace
    data: Data
    steps: list[Any]
    of: list[int]
    first: int
    total: int
    weights: Any
    betas: Any
    measures: list[dict[str, float]]
    sides: list[tuple[int, int | None]] | None

    def scores(self, points: np.ndarray) -> np.ndarray:
        """Scores of points in every state, (states, problems, m)."""
        if self.weights is not None:
            return self.weights[..., 1:] @ points.T + self.weights[..., :1]
        model = self.trace.estimator
        K = pairwise_kernels(
            self.data.points, points, metric=model.kernel, filter_params=True,
            gamma=model._gamma, degree=model.degree, coef0=model.coef0,
        )  # fmt: skip
        return self.betas[..., :-1] @ K + self.betas[..., -1:]

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


def read_course(trace: Trace, data: Data, start: int, most: int) -> Course:
    """Rows ``start`` … of a trace, at most so many."""
    replays = trace._replays
    together = getattr(trace.estimator, "multi_class", "") == "softmax" and len(replays) > 1
    sizes = [replay.n_steps for replay in (replays[:1] if together else replays)]
    total = sum(sizes)
    first = min(start, max(total, 1)) - 1
    last = min(first + most, total)
    weights: list[Any] = []
    betas: list[Any] = []
    steps: list[Any] = []
    measures, of = [], []
    begin = 0
    current = [_state(replay, 0, data) for replay in replays]
    for k, replay in enumerate(replays[: len(sizes)]):
        here = np.arange(max(first - begin, 0), min(last - begin, sizes[k]))
        begin += sizes[k]
        if begin <= first and begin < total:
            current[k] = _state(replay, replay.n_updates, data)
            continue
        for window in replay.windows(here) if len(here) else ():
            moving = replays if together else [replay]
            tables = [_states(each, each.window(window.steps), data) for each in moving]
            places = range(len(replays)) if together else [k]
            if not weights:
                for place, table in zip(places, tables, strict=True):
                    current[place] = table[0][0]
                _append(weights, betas, current)
                measures.append(tables[0][0][0].measures)
            for row in range(len(window.steps)):
                for place, table in zip(places, tables, strict=True):
                    current[place] = table[1][row]
                _append(weights, betas, current)
                measures.append(current[k].measures)
                of.append(k)
            steps += replay.steps(window, trace.sample_names)
    if not weights:
        _append(weights, betas, current)
        measures.append(current[0].measures)
    linear = all(each is not None for each in weights)
    curved = all(each is not None for each in betas)
    return Course(
        trace, data, steps, of, first, total,
        np.array(weights) if linear else None,
        np.array(betas) if curved else None,
        measures,
        None if together or data.mode == "regression" else _sides(replays, data),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class State:
    """One state of one problem."""

    weights: np.ndarray | None
    beta: np.ndarray | None
    measures: dict[str, float]


def _append(weights: list[Any], betas: list[Any], current: list[State]) -> None:
    linear = all(state.weights is not None for state in current)
    weights.append(np.array([state.weights for state in current]) if linear else None)
    curved = all(state.beta is not None for state in current)
    betas.append(np.array([state.beta for state in current]) if curved else None)


def _state(replay: Any, updates: int, data: Data) -> State:
    return _read(replay, replay.states(updates, updates), data)[0]


def _states(replay: Any, window: Any, data: Data) -> tuple[list[State], list[State]]:
    """The states before and after each step of a window."""
    found = _read(replay, window.states, data)
    return [found[k] for k in window.versions], [found[k] for k in window.after]


def _read(replay: Any, states: Any, data: Data) -> list[State]:
    n = len(data.points)
    weights: Any = [None] * len(states)
    if replay.weight_names:
        found = np.asarray(replay.weights(states), dtype=np.float64)
        weights = found if replay.intercept else np.column_stack([0 * found[:, 0], found])
    betas: Any = [None] * len(states)
    if isinstance(replay, SmoReplay | GramReplay):
        betas = np.zeros((len(states), n + 1))
        if isinstance(replay, SmoReplay):
            count = len(replay.y)
            betas[:, replay.row_numbers] = states[:, :count] * replay.y
            betas[:, -1] = states[:, BIAS]
        else:
            betas[:, replay.row_numbers] = replay.alphas(states)
            betas[:, -1] = betas[:, :-1].sum(axis=1) * replay.intercept
    return [
        State(w, beta, measures)
        for w, beta, measures in zip(weights, betas, _measures(replay, states), strict=True)
    ]


def _measures(replay: Any, states: Any) -> list[dict[str, float]]:
    """What is drawn over the steps: the criterion, or primal, dual and gap."""
    if isinstance(replay, SmoReplay):
        named = {"D(α)": DUAL, "P(w, b)": PRIMAL, "m − M": GAP}
        return [{name: float(row[at]) for name, at in named.items()} for row in states]
    name = "J_p" if hasattr(replay, "measure") else replay_criterion(replay)
    if hasattr(replay, "measure"):
        mistakes, values = replay.measure(states)
        pairs = zip(mistakes, values, strict=True)
        return [{"mistakes": float(m), name: float(v)} for m, v in pairs]
    return [{name: float(value)} for value in replay.criterion(states)]


def replay_criterion(replay: Any) -> str:
    return "−D(α)" if hasattr(replay, "alphas") else ("P" if hasattr(replay, "column") else "J")


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
