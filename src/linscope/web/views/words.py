"""The sentence of a state in plain words, and the formulas of the notes with its numbers.

A state is the one after a step: the sentence says what the step found, in the past tense, and what
holds now. The picture, the crosses and the weights beside it are those of now.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np
from scipy.special import expit

from linscope.perceptron.trace.shown import PerceptronStep
from linscope.reports.cells import number, text, vector
from linscope.results.numbers import counted
from linscope.tracing.fractions import rational
from linscope.tracing.gradient_replay import GradientStep
from linscope.tracing.look_replay import COLUMNS, LookStep

from .course import updates_before

Words = tuple[str, list[str]]
# What score 0 is, by the parameter ``tie``.
MEANS = {"update": "counts as a mistake", "positive": "means +1", "negative": "means −1"}
# Of so many products a sum is written out.
WRITTEN_OUT = 5


@singledispatch
def words_of_step(step: Any, model: Any) -> Words:
    """One sentence, and some lines of mathematics; steps of machines: ``machines.py``."""
    return str(step), []


# What a solver measures before its step; the other numbers say how it went on.
MEASURED = {"P", "gap", "gradient_norm", "decrement"}
# The objectives that a sentence names, by the names of their curves.
OBJECTIVES = {"loss J(w)": "J", "objective P(w)": "P"}


def now(data: Any, picture: dict[str, Any], measures: dict[str, float]) -> str:
    """The objective in this state, and how many points it puts on the wrong side."""
    parts = [f"{OBJECTIVES[k]} is {number(v)}" for k, v in measures.items() if k in OBJECTIVES]
    if picture["predicted"] and picture["regions"]:  # those that the picture crosses out
        wrong, n = int(np.sum(data.codes != picture["predicted"])), len(data.points)
        many = f"{wrong:,} of {counted(n, 'point')} {'is' if wrong == 1 else 'are'}"
        parts.append(f"{many if wrong else 'no point is'} on the wrong side")
    return f" Now {' and '.join(parts)}." if parts else ""


def who(step: Any) -> str:
    return str(step.name) if step.name is not None else f"Sample {step.sample}"


def vector_text(values: Any) -> str:
    return text(vector(values))


def signed(value: Any) -> str:
    """A factor in brackets where it has a sign."""
    words = number(value)
    return f"({words})" if words.startswith("−") else words


def dot(w: Sequence[Any], x: Sequence[Any], score: Any) -> str:
    """w·x written out, where it is short."""
    if len(w) != len(x) or len(w) > WRITTEN_OUT:
        return f"w·x = {number(score)}"
    products = " + ".join(f"({number(a)})({number(b)})" for a, b in zip(w, x, strict=True))
    return f"w·x = {products} = {number(score)}"


def score_of(w: Any, x: Any) -> Any:
    return sum(a * b for a, b in zip(w, x, strict=True))


@words_of_step.register
def _(step: PerceptronStep, model: Any) -> Words:
    if step.sample is None:
        return _batch_of_mistakes(step, model)
    score, sign = number(step.score), "+1" if step.y > 0 else "−1"
    linear = len(step.before) > 0
    lines = [dot(step.before, step.x, step.score) if linear else f"f(x) = {score}"]
    lines.append(f"y {'w·x' if linear else 'f(x)'} = ({sign})({score}) = {number(step.normalized)}")
    if not step.update:
        lines.append(f"w = {vector_text(step.before)} stays" if linear else "every α stays")
        where = f"is on the right side (score {score})"
        if step.score == 0:
            where = f"lies on the boundary: score 0 {MEANS[model.tie]}, and so it is"
        return f"{who(step)} {where}. The weights stay.", lines
    if step.score == 0:
        but = "" if model.tie == "update" else f", but it is {sign}"
        why = f"{who(step)} was on the boundary: score 0 {MEANS[model.tie]}{but}."
    elif step.normalized > 0:
        why = f"{who(step)} was on the right side, but not by the margin (score {score})."
    else:
        why = f"{who(step)} was on the wrong side (score {score})."
    if not linear:
        lines.append(f"α of this sample is now {number(step.alpha)}")
        return f"{why} It has joined the sum that decides, with the sign of its class.", lines
    eta, after = _rate(step, model), score_of(step.after, step.x)
    lines = [f"before: {line}" for line in lines]
    lines.append(
        f"w ← w + η y x = {vector_text(step.before)} + {number(eta)}·({sign})·"
        f"{vector_text(step.x)} = {vector_text(step.after)}"
    )
    lines.append(f"now {dot(step.after, step.x, after)}")
    what = "x" if eta == 1 else f"η = {number(eta)} times x"
    moved = f"added {what} to" if step.y > 0 else f"took {what} from"
    return f"{why} The step {moved} the weights, and brought its score to {number(after)}.", lines


def _rate(step: PerceptronStep, model: Any) -> Any:
    """η of this update, as a fraction where the weights are fractions."""
    exact = any(isinstance(value, Fraction) for value in step.after)
    eta = rational(model.eta0) if exact else model.eta0
    if model.schedule == "constant":
        return eta
    return eta / int(updates_before(step._replay, np.array([step.number]))[0])


def _batch_of_mistakes(step: PerceptronStep, model: Any) -> Words:
    if not step.update:
        stays = f"w = {vector_text(step.before)} stays"
        return "No sample of this batch was wrong. The weights stay.", [stays]
    count, eta = counted(step.batch_mistakes or 0, "sample"), _rate(step, model)
    total = [(b - a) / eta for a, b in zip(step.before, step.after, strict=True)]
    lines = [
        f"Σ y x = {vector_text(total)}, over {counted(step.batch_mistakes or 0, 'mistake')}",
        f"w ← w + η Σ y x = {vector_text(step.before)} + {number(eta)}·{vector_text(total)}"
        f" = {vector_text(step.after)}",
    ]
    verb = "was" if step.batch_mistakes == 1 else "were"
    what = "y·x" if eta == 1 else f"η = {number(eta)} times y·x"
    return f"{count} {verb} wrong. The step added {what} of each to the weights, at once.", lines


@words_of_step.register
def _(step: GradientStep, model: Any) -> Words:
    before, after, eta = vector_text(step.before), vector_text(step.after), number(step.eta)
    if step.sample is None:
        J, whose = ("J", "J") if step.batch is None else ("J_B", "the error of this batch")
        slope = [(a - b) / step.eta for a, b in zip(step.before, step.after, strict=True)]
        lines = [
            f"before: ‖∇{J}(w)‖ = {number(step.gradient_norm)}",
            f"w ← w − η ∇{J}(w) = {before} − {eta}·{vector_text(slope)} = {after}",
        ]
        return (
            f"The gradient of {whose} had length {number(step.gradient_norm)}. "
            f"The step went η = {eta} times the gradient downhill.",
            lines,
        )
    h, error = number(step.prediction), number(step.error)
    lines = [] if step.score is None else [dot(step.before, step.x, step.score)]
    lines.append(f"h(x) = {h}, y − h(x) = {number(step.y)} − {signed(step.prediction)} = {error}")
    lines = [f"before: {line}" for line in lines]
    formula, drawn = "w ← w + η (y − h(x)) x", ""
    numbers = f"{before} + {eta}·{signed(step.error)}·{vector_text(step.x)}"
    if getattr(model, "penalty", None) is not None:  # each step has an n-th part of its pull
        moves = list(zip(step.before, step.x, step.after, strict=True))[1:]
        pull = vector_text([0.0, *((a - b) / step.eta + step.error * x for a, x, b in moves)])
        lines.append(f"p = [0 w₁ …] / (C n) = {pull}")
        formula, drawn = f"{formula} − η p", f" − {eta}·{pull}"
    lines.append(f"{formula} = {numbers}{drawn} = {after}")
    if step.error == 0:
        return f"{who(step)} was met exactly: h(x) = {h}. The weights stay.", lines
    side, reached = "too low" if step.error > 0 else "too high", _prediction(step, model)
    brought = "" if reached is None else f", and brought h(x) to {number(reached)}"
    if brought:
        lines.append(f"now h(x) = {number(reached)}")
    return (
        f"{who(step)}: h(x) = {h} was {side} by {number(abs(step.error))}. "
        f"The step moved the weights by η = {eta} times the error along x{brought}.",
        lines,
    )


def _prediction(step: GradientStep, model: Any) -> Any:
    """h(x) after the step; None where it depends on the weights of other classes."""
    score = score_of(step.after, step.x)
    if step.score is None:
        return score
    softmax = model.multi_class == "softmax" and len(model.classes_) > 2
    return None if softmax else float(expit(float(score)))


@words_of_step.register
def _(step: LookStep, model: Any) -> Words:
    known = {name: value for name, value in step.numbers.items() if value == value}
    when = "before: " if step.update else ""
    lines = [
        f"{when * (name in MEASURED)}{COLUMNS[name].header} = {number(value)}"
        for name, value in known.items()
    ]
    lines.append(
        f"w = {vector_text(step.before)}" + (f" → {vector_text(step.after)}" * step.update)
    )
    P = f"P = {number(known['P'])}" if "P" in known else "the objective"
    if not step.update:
        return f"{P}: no step lowers it any more. The weights stay.", lines
    return (
        f"The objective was {P}. The step went to the lowest point of the curve that fits the "
        "objective best at the weights before.",
        lines,
    )


# What the quantities of closed forms are, by their names without numbers at the end.
PLAIN = {
    "n": "So many points",
    "mean_x": "The mean of x",
    "mean_y": "The mean of y",
    "S_xy": "How x and y vary together",
    "S_xx": "How much x varies",
    "S_yy": "How much y varies",
    "s_x": "The standard deviation of x",
    "s_y": "The standard deviation of y",
    "r": "The correlation, from −1 to 1",
    "slope": "By so much y rises where x rises by 1",
    "intercept": "The height of the line at x = 0",
    "rss": "What is left: the sum of all squared residuals",
    "r_squared": "The share of the variation of y that the line explains",
    "XtX": "Products of the columns with each other",
    "XtT": "Products of the columns with the targets",
    "W": "The weights of all classes",
    "w": "The weights that decide between the two classes",
    "E": "Half the sum of all squared errors",
    "mistakes": "So many points are on the wrong side",
    "mean": "The mean of a class",
    "means": "The mean of each class",
    "S_W": "How much points vary within their classes",
    "S_B": "How much the means of the classes vary",
    "difference": "From one mean to the other",
    "projected": "Where the mean of a class lands on the direction w",
    "s2": "How much a class varies along w",
    "J": "Distance of the means over spread, as large as it can be",
    "direction": "The same direction with length 1",
    "directions": "The best directions, one in each column",
    "pi": "How frequent a class is",
    "variance": "How much each feature varies in a class",
    "variances": "How much each feature varies in each class",
    "odds": "How much more frequent one class is than the other",
    "c": "The constant of the boundary",
}


def words_of_quantity(name: str, symbol: str, value: str) -> str:
    """The sentence of one quantity of a closed form."""
    plain = PLAIN.get(name) or PLAIN.get(name.rstrip("0123456789").rstrip("_"))
    said = f"{symbol} = {value}".replace("= ≈", "≈ ")
    return f"{plain}: {said}" if plain else said


def before_the_first(model: Any, weights: list[np.ndarray] | None) -> str:
    """The sentence of the state from which a run starts."""
    if weights is None:
        return "Before the first step every α is 0: nothing is decided yet."
    start = vector_text(weights[0])
    if not np.any(weights[0]):
        return f"Before the first step: w = {start}, so every score is 0."
    return f"Before the first step: w = {start}."
