"""The answer of a traced fit in words: what stands under its steps or its derivation."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from linscope.fitting.equations import equation, largest, vote, weighted_sum
from linscope.reports.cells import number, text, vector
from linscope.results.numbers import short

from .derivation_numbers import root

# So many support vectors are named.
MOST_VECTORS = 8
# An equation of more features is not something to read.
MOST_FEATURES = 24

Answer = list[tuple[str, str]]


def feature_names(given: Sequence[str], d: int) -> list[str]:
    """The names of the features, or x1 … xd."""
    return list(given) if len(given) == d else [f"x{j + 1}" for j in range(d)]


def rule(weights: Any, features: Sequence[str], problem: Any, n_classes: int) -> str:
    """What the hyperplane of a binary problem says, among those of all classes."""
    if n_classes == 2:
        return equation(weights, features, problem.positive)
    if problem.others:
        return largest(weights, features, problem.positive, n_classes)
    return vote(weights, features, problem.negative, problem.positive)


def kernel_rule(beta: Any, b: Any, names: Sequence[Any], positive: Any) -> str:
    """f(x) = Σ α_i y_i K(x_i, x) + b of the samples with α > 0."""
    used = np.flatnonzero(np.asarray(beta) != 0)
    shown = used[:MOST_VECTORS]
    words = weighted_sum([0, *beta[shown]], [f"K({names[k]}, x)" for k in shown])
    more = f" + … ({len(used)} terms)" if len(used) > MOST_VECTORS else ""
    return f"{words or '0'}{more} > {short(0 - b).replace('-', '−')} ⇒ {positive}"


def margin(squared: Any) -> str:
    """2/‖w‖ from ‖w‖².

    >>> margin(Fraction(8)), margin(Fraction(4)), margin(0.0)
    ('M = 2/‖w‖ = 0.707107', 'M = 2/‖w‖ = 1', 'M = ∞: w = 0')
    """
    if not squared > 0:
        return "M = ∞: w = 0"
    length = root(squared)
    width = 2 / length if isinstance(length, Fraction) else 2.0 / float(length)
    return rounded(f"M = 2/‖w‖ = {number(width)}")


def weights(w: Any) -> str:
    """b and w of weights with the bias first.

    >>> weights([-1, 2, 2])
    'w = [2 2], b = −1'
    """
    return f"{rounded(f'w = {text(vector(w[1:]))}')}, {rounded(f'b = {number(w[0])}')}"


def support(alpha: Any, names: Sequence[Any]) -> str:
    """Which samples have α > 0, and their α.

    >>> support(np.array([4.0, 0.0, 2.0]), ["a", "b", "c"])
    '2 of 3 samples: α = 4 (a), 2 (c)'
    """
    used = np.flatnonzero(np.asarray(alpha) != 0)
    shown = [f"{number(alpha[k])} ({names[k]})" for k in used[:MOST_VECTORS]]
    more = ["…"] if len(used) > MOST_VECTORS else []
    which = rounded(f": α = {', '.join([*shown, *more])}") if len(used) else ""
    return f"{len(used):,} of {len(names):,} samples{which}"


def rounded(words: str) -> str:
    """≈ in place of =, instead of before each fraction that is too long to write.

    >>> rounded("b = ≈0.25")
    'b ≈ 0.25'
    """
    if "≈" not in words:
        return words
    before, _, after = words.replace("≈", "").rpartition(" = ")
    return f"{before} ≈ {after}"


def hyperplane_answer(
    w: Any, alpha: Any, names: Sequence[Any], features: Sequence[str], problem: Any, n_classes: int
) -> Answer:
    """The answer of a linear support vector machine: equation, w and b, M, support vectors."""
    squared = sum((value * value for value in w[1:]), start=0 * w[0])
    named = feature_names(features, len(w) - 1)
    return [
        ("equation", rule(w, named, problem, n_classes)),
        ("weights", weights(w)),
        ("margin", margin(squared)),
        ("support vectors", support(alpha, names)),
    ]


def equations(model: Any, features: Sequence[str], weights: Any = None) -> list[str]:
    """The lines of ``model.equation()`` under these names of the features.

    Parameters
    ----------
    features : names, or [] for those that the model knows, or x1 … xd
    weights : one row per hyperplane, bias first, where they are not those of the model
    """
    if not hasattr(model, "_lines"):
        return []
    count = model.n_features_in_
    if count > MOST_FEATURES:
        return [f"{count:,} weights, see estimator.equation()"]
    if len(features) != count:
        features = [f"x{j + 1}" for j in range(count)]
    found = model._lines(list(features), weights)
    return [found] if isinstance(found, str) else list(getattr(found, "values", lambda: found)())


def footnotes(answer: Answer) -> list[str]:
    """The lines as they stand under a table.

    >>> footnotes([("equation", "x1 > 1 ⇒ 1"), ("", "x1 < 0 ⇒ 2")])
    ['equation: x1 > 1 ⇒ 1', 'x1 < 0 ⇒ 2']
    """
    return [f"{label}: {words}" if label else words for label, words in answer]


def labelled(lines: Sequence[str], label: str = "equation") -> Answer:
    """The first line under a label, the others below it."""
    return [("" if k else label, line) for k, line in enumerate(lines)]


def of_problems(trace: Any, replays: Sequence[Any], weights: Any = None) -> list[str]:
    """The equations of these problems of a run."""
    lines = equations(trace.estimator, trace.feature_names, weights)
    if len(lines) != len(trace.problems):
        return lines
    chosen = {replay.name for replay in replays}
    return [line for line, name in zip(lines, trace.problems, strict=True) if name in chosen]
