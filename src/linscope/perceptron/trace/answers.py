"""The answer of a traced perceptron in words: a hyperplane, a committee, or a sum of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linscope.fitting.equations import score
from linscope.reports.cells import text, vectors
from linscope.results.numbers import counted
from linscope.tracing.answer import of_problems

from .outputs import kept_vector

# Vectors of a committee, and samples of a kernel expansion, that are written out.
MOST_TERMS = 8


def answer(trace: Any, replays: Sequence[Any]) -> list[str]:
    """One line for each of these problems."""
    model = trace.estimator
    if model.output == "voted":
        return [_committee(model, replay) for replay in replays]
    if not replays[0].weight_names:
        return [_expansion(trace, replay) for replay in replays]
    lines = of_problems(trace, replays, _exact_weights(trace._replays) if trace.exact else None)
    if model.output != "averaged" or len(lines) != len(replays):
        return lines
    pairs = zip(lines, replays, strict=True)
    return [f"{line}, from the mean of {_visits(replay)}" for line, replay in pairs]


def _visits(replay: Any) -> str:
    """The sum that is divided, and by what."""
    total = text(vectors(replay.sums.total()[None])[0])
    steps = counted(replay.n_steps, "visit" if replay.single else "batch")
    return f"{steps}, {total} / {replay.n_steps:,}"


def _exact_weights(replays: Sequence[Any]) -> np.ndarray:
    weights = np.array([kept_vector(replay) for replay in replays])
    return weights if replays[0].intercept else np.column_stack([0 * weights[:, 0], weights])


def _rule(model: Any, replay: Any, score: str) -> str:
    """What ``predict`` does with the score of this problem."""
    problem, n_classes = replay.problem, len(model.classes_)
    side = f"{score} {'≥' if model.tie == 'positive' else '>'} 0"
    if n_classes == 2:
        return f"{side} ⇒ {problem.positive}"
    if len(problem.others) > 1:
        return f"{score} is the largest of {n_classes} ⇒ {problem.positive}"
    return f"{side} ⇒ a vote for {problem.positive}, else for {problem.negative}"


def _committee(model: Any, replay: Any) -> str:
    """The list {(w_k, c_k)} of the notes, where it is short."""
    counts = replay.log.survival
    rule = _rule(model, replay, "Σ c_k sign(w_k·x)")
    if not replay.weight_names or len(counts) > MOST_TERMS:
        return f"{rule}, of {counted(len(counts), 'vector')} w_k that survived c_k visits"
    weights = vectors(replay.weights(replay.states(0, replay.n_updates)))
    pairs = zip(weights, counts.tolist(), strict=True)
    return f"{rule}, (w_k, c_k) = {', '.join(f'({text(w)}, {c})' for w, c in pairs)}"


def _expansion(trace: Any, replay: Any) -> str:
    """Σ α_i K(x_i, x) + b with the samples by name."""
    alphas = kept_vector(replay)
    used = np.flatnonzero(alphas)
    if len(used) > MOST_TERMS:
        rule = _rule(trace.estimator, replay, "Σ α K(x_i, x) + b")
        return f"{rule}, of {counted(len(used), 'sample')} x_i"
    names = replay.given_names(used, trace.sample_names)
    features = [f"K({name if trace.sample_names else f'sample {name}'}, x)" for name in names]
    bias = alphas.sum() if replay.intercept else 0
    return _rule(trace.estimator, replay, score(np.array([bias, *alphas[used]]), features))
