"""Columns of a trace, as arrays and as text."""

from __future__ import annotations

import csv
import io

import numpy as np

from .replay import GramReplay, Replay, Window


def step_columns(replay: Replay, window: Window, criterion: bool) -> dict[str, np.ndarray]:
    """One row a step of the window: what happened, and the weights after it."""
    columns: dict[str, np.ndarray] = {
        "step": window.steps + 1,
        "epoch": replay.epochs(window.steps) + 1,
    }
    if replay.single:
        samples, scores = replay.samples(window.steps), replay.scores(window)
        columns["sample"] = replay.row_numbers[samples]
        columns["score"] = scores
        columns["normalized"] = replay.normalized(window, scores)
    else:
        columns["batch"] = window.steps % replay.log.batches_per_epoch + 1
        columns["batch_mistakes"] = replay.batch_mistakes(window)
    columns["update"] = window.updated
    if isinstance(replay, GramReplay):
        alphas = replay.alphas(window.states)
        if replay.single:
            columns["alpha"] = alphas[window.after, samples]
        columns["support"] = np.count_nonzero(alphas, axis=1)[window.after]
    weights = replay.weights(window.states)
    for j, name in enumerate(replay.weight_names):
        columns[name] = weights[window.after, j]
    if criterion:
        mistakes, values = replay.measure(window.states)
        columns["mistakes"], columns["criterion"] = mistakes[window.after], values[window.after]
    return columns


def effect_columns(replay: Replay, first: int, last: int) -> dict[str, np.ndarray]:
    """One row for each update ``first`` … ``last`` − 1 (from 0): its effect on all samples."""
    steps = replay.update_steps[first:last]
    states = replay.states(first, last)
    mistakes, criterion = replay.measure(states)
    mended, broken = replay.changes(states)
    columns: dict[str, np.ndarray] = {"update": np.arange(first + 1, last + 1), "step": steps + 1}
    if replay.single:
        samples = replay.samples(steps)
        columns["sample"] = replay.row_numbers[samples]
        fixed = replay.fixed(samples, states)
    else:
        columns["batch"] = steps % replay.log.batches_per_epoch + 1
        fixed = mended
    columns |= {
        "mistakes_before": mistakes[:-1],
        "mistakes_after": mistakes[1:],
        "criterion_before": criterion[:-1],
        "criterion_after": criterion[1:],
        "fixed": fixed,
        "broken": broken,
    }
    return columns


def join(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Parts of a table, one below the other."""
    if len(parts) == 1:
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def to_csv(columns: dict[str, np.ndarray]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    return text.getvalue()
