"""The sentence of a step in plain words, and the formulas of the notes with this step's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from linscope.perceptron.trace.shown import PerceptronStep
from linscope.reports.cells import number, text, vector
from linscope.results.numbers import counted
from linscope.tracing.gradient_replay import GradientStep
from linscope.tracing.look_replay import COLUMNS, LookStep

Words = tuple[str, list[str]]
# What score 0 is, by the parameter ``tie``.
MEANS = {"update": "counts as a mistake", "positive": "means +1", "negative": "means −1"}
# Of so many products a sum is written out.
WRITTEN_OUT = 5


@singledispatch
def words_of_step(step: Any, model: Any) -> Words:
    """One sentence, and some lines of mathematics; steps of machines: ``machines.py``."""
    return str(step), []


def who(step: Any) -> str:
    return str(step.name) if step.name is not None else f"Sample {step.sample}"


def vector_text(values: Any) -> str:
    return text(vector(values))


def dot(w: Sequence[Any], x: Sequence[Any], score: Any) -> str:
    """w·x written out, where it is short."""
    if len(w) != len(x) or len(w) > WRITTEN_OUT:
        return f"w·x = {number(score)}"
    products = " + ".join(f"({number(a)})({number(b)})" for a, b in zip(w, x, strict=True))
    return f"w·x = {products} = {number(score)}"


@words_of_step.register
def _(step: PerceptronStep, model: Any) -> Words:
    if step.sample is None:
        return _batch_of_mistakes(step, model)
    score = number(step.score)
    sign = "+1" if step.y > 0 else "−1"
    linear = len(step.before) > 0
    lines = [dot(step.before, step.x, step.score) if linear else f"f(x) = {score}"]
    lines.append(f"y w·x = {number(step.normalized)}, y = {sign}")
    if not step.update:
        lines.append("w stays")
        where = f"is on the right side: score {score}"
        if step.score == 0:
            where = f"lies on the boundary: score 0 {MEANS[model.tie]}, and so it is"
        return f"{who(step)} {where}. Nothing changes.", lines
    if step.score == 0:
        but = "" if model.tie == "update" else f", but it is {sign}"
        why = f"{who(step)} lies on the boundary: score 0 {MEANS[model.tie]}{but}."
    elif step.normalized > 0:
        why = f"{who(step)} is on the right side, but not by the margin: score {score}."
    else:
        why = f"{who(step)} is on the wrong side: score {score}."
    what = "x" if step.y > 0 else "−x"
    if not linear:
        lines.append(f"α of this sample becomes {number(step.alpha)}")
        return f"{why} It joins the sum that decides, with the sign of its class.", lines
    lines.append(
        f"w ← w + η y x = {vector_text(step.before)} + η·({sign})·{vector_text(step.x)}"
        f" = {vector_text(step.after)}"
    )
    rate = "" if model.eta0 == 1 and model.schedule == "constant" else "η times "
    return f"{why} Add {rate}{what} to the weights.", lines


def _batch_of_mistakes(step: PerceptronStep, model: Any) -> Words:
    if not step.update:
        return "No sample of this batch is wrong. Nothing changes.", ["w stays"]
    count = counted(step.batch_mistakes or 0, "sample")
    lines = [
        "w ← w + η Σ y x over the mistakes",
        f"{vector_text(step.before)} → {vector_text(step.after)}",
    ]
    verb = "is" if step.batch_mistakes == 1 else "are"
    return f"{count} {verb} wrong. Add y·x of each to the weights, all at once.", lines


@words_of_step.register
def _(step: GradientStep, model: Any) -> Words:
    change = f"w = {vector_text(step.before)} → {vector_text(step.after)}"
    if step.sample is None:
        J, errors = (
            ("J", "All errors") if step.batch is None else ("J_B", "The errors of this batch")
        )
        lines = [
            f"w ← w − η ∇{J}(w)",
            f"‖∇{J}‖ = {number(step.gradient_norm)}, η = {number(step.eta)}",
            change,
        ]
        return (
            f"{errors} together point downhill, with slope {number(step.gradient_norm)}. "
            f"Go η = {number(step.eta)} times the gradient that way.",
            lines,
        )
    lines = [] if step.score is None else [dot(step.before, step.x, step.score)]
    lines += [
        f"h(x) = {number(step.prediction)}, y − h(x) = {number(step.error)}",
        f"w ← w + η (y − h(x)) x, η = {number(step.eta)}",
        change,
    ]
    if step.error == 0:
        return f"{who(step)} is met exactly: h(x) = {number(step.prediction)}.", lines
    side = "too low" if step.error > 0 else "too high"
    return (
        f"{who(step)}: h(x) = {number(step.prediction)} is {side} by {number(abs(step.error))}. "
        "Move the weights along x by η times the error.",
        lines,
    )


@words_of_step.register
def _(step: LookStep, model: Any) -> Words:
    known = {name: value for name, value in step.numbers.items() if value == value}
    lines = [f"{COLUMNS[name].header} = {number(value)}" for name, value in known.items()]
    lines.append(
        f"w = {vector_text(step.before)}" + (f" → {vector_text(step.after)}" * step.update)
    )
    P = f"P = {number(known['P'])}" if "P" in known else "the objective"
    if not step.update:
        return f"{P}: no step would lower it any more. This is the minimum.", lines
    return (
        f"Here {P}. The curve that fits the objective best at this point has its lowest point at "
        "the new weights: go there.",
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
