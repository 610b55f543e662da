"""A linear model as a network: inputs, weighted sums, and what is made of the sums.

score z_k = w_k·[1, x1 … xd]

identity    regression: the score is the answer
step        two classes: the sign of the score decides
sigmoid     P(second class | x) = σ(z)
softmax     P_k = e^{z_k} / Σ_l e^{z_l}
sigmoids    one class against the rest: P_k = σ(z_k) / Σ_l σ(z_l)
argmax      discriminant functions g_k(x) = z_k: the largest wins
votes       a score for each pair of classes: each is a vote, or a share σ of one
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import is_regressor

from . import theme
from .base import Display
from .drawing import arrow
from .inputs import class_names, model_weights
from .network_drawing import GAP, Places, draw_box, draw_edge, draw_node, draw_sums, right, write

# More than so many features or scores are shortened: the first ones, …, the last.
MOST_FEATURES, MOST_SCORES = 6, 4
SHAPES = {
    "identity": "{model}: the weighted sum of the inputs is the answer",
    "step": "{model}: the sign of the weighted sum decides",
    "sigmoid": "{model}: σ of the weighted sum is a probability",
    "softmax": "{model}: softmax of {scores} weighted sums are probabilities",
    "sigmoids": "{model}: σ of {scores} weighted sums, divided by their sum",
    "argmax": "{model}: the largest of {scores} discriminants decides",
    "votes": "{model}: {scores} pairs of classes vote",
}


def network(model: Any, *, ax: Any = None) -> NetworkDisplay:
    """A fitted linear model as a network, with its weights on the edges.

    Edges are as wide as their weights are large. Of more than six features or four scores, the
    first ones and the last are shown.

    Parameters
    ----------
    model : any fitted linear model: regression or classifier, of two or more classes
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("or")
    >>> display = ls.plot.network(ls.Perceptron().fit(X, y))
    >>> display
    <NetworkDisplay: Perceptron: the sign of the weighted sum decides>
    >>> display.inputs, display.weights
    (['1', 'x1', 'x2'], array([[-1.,  2.,  2.]]))
    """
    weights = model_weights(model)
    features = getattr(model, "feature_names_in_", None)
    if features is None:
        features = [f"x{j + 1}" for j in range(weights.shape[1] - 1)]
    inputs = ["1", *map(str, features)]
    bias = getattr(model, "fit_intercept", True)
    if not bias:
        weights, inputs = weights[:, 1:], inputs[1:]
    labels = [] if is_regressor(model) else class_names(model.classes_)
    return NetworkDisplay(
        model=type(model).__name__,
        inputs=inputs,
        bias=bias,
        weights=weights,
        labels=labels,
        kind=_kind(model, len(weights), len(labels)),
        shares=_posterior(model),
    ).plot(ax)


def _posterior(model: Any) -> bool:
    """Whether probabilities follow from the scores alone; SVC fits them afterwards."""
    return hasattr(model, "predict_proba") and not hasattr(model, "dual_coef_")


def _kind(model: Any, scores: int, classes: int) -> str:
    """What becomes of the scores: a key of ``SHAPES``."""
    if classes == 0:
        return "identity"
    if scores == 1:
        return "sigmoid" if _posterior(model) else "step"
    way = getattr(model, "multi_class", "")
    if way == "ovo":
        return "votes"
    if not _posterior(model):
        return "argmax"
    return "sigmoids" if way == "ovr" else "softmax"


@dataclass(eq=False, kw_only=True, repr=False)
class NetworkDisplay(Display):
    """Inputs, weights and scores of a linear model.

    Attributes
    ----------
    model : name of the model
    inputs : names of the inputs
    bias : whether the first of them is the 1 of the bias
    weights : array (scores, inputs)
    labels : names of the classes, none for a regression
    kind : what becomes of the scores: "identity", "step", "sigmoid", "softmax", "sigmoids",
        "argmax" or "votes"
    shares : whether the model gives probabilities
    """

    model: str
    inputs: list[str]
    bias: bool
    weights: np.ndarray
    labels: list[str]
    kind: str
    shares: bool

    @property
    def shown_inputs(self) -> list[int]:
        """Numbers of the inputs in the figure; −1 stands for those left out."""
        bias = int(self.bias)
        features = _shortened(len(self.inputs) - bias, MOST_FEATURES)
        return [*range(bias), *(k if k < 0 else k + bias for k in features)]

    @property
    def shown_scores(self) -> list[int]:
        """Numbers of the scores in the figure; −1 stands for those left out."""
        return _shortened(len(self.weights), MOST_SCORES)

    @property
    def edges(self) -> list[tuple[int, int, float]]:
        """(input, score, weight) of each edge in the figure."""
        return [
            (i, k, float(self.weights[k, i]))
            for k in self.shown_scores
            for i in self.shown_inputs
            if i >= 0 and k >= 0
        ]

    @property
    def outputs(self) -> list[str]:
        """What comes out: one text for each score, or a single one."""
        if self.kind == "identity":
            return (
                ["ŷ"] if len(self.weights) == 1 else [f"ŷ{k + 1}" for k in range(len(self.weights))]
            )
        if self.kind == "step":
            negative, positive = (theme.cut(label, 14) for label in self.labels)
            return [f"{positive} if Σ > 0\n{negative} if Σ < 0"]
        if self.kind == "sigmoid":
            return [f"P({theme.cut(self.labels[1], 14)} | x)"]
        if self.kind in ("softmax", "sigmoids"):
            return [f"P({theme.cut(label, 14)} | x)" for label in self.labels]
        return ["class ŷ"]

    @property
    def title(self) -> str:
        text = SHAPES[self.kind].format(model=self.model, scores=len(self.weights))
        left = [
            f"{len(shown) - 1} of {total} {what}"
            for shown, total, what in (
                (self.shown_inputs, len(self.inputs), "inputs"),
                (self.shown_scores, len(self.weights), "scores"),
            )
            if -1 in shown
        ]
        return text + (f" ({' and '.join(left)} shown)" if left else "")

    @property
    def places(self) -> Places:
        """Where everything stands, in inches."""
        names = max(len(theme.cut(name, 18)) for name in self.inputs)
        ends = max(len(line) for text in self.outputs for line in text.splitlines())
        boxed = len(self.weights) > 1 and self.kind != "identity"
        return Places(len(self.shown_inputs), len(self.shown_scores), names, ends, boxed)

    @property
    def size(self) -> tuple[float, float]:
        width = self.places.width + 0.3
        lines = -(-len(self.title) // theme.characters(0.88 * width, theme.TITLE))
        return width, self.places.height + 0.7 + 0.2 * lines

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        places = self.places
        ax.set(xlim=(0, places.width), ylim=(0, places.height))
        ax.set_aspect("equal")
        ax.set_axis_off()
        self._draw_edges(ax, places)
        for row, i in enumerate(self.shown_inputs):
            draw_node(ax, places.input(row), *self._input_names(i, places.outside))
        sums = [places.score(row) for row in range(len(self.shown_scores))]
        draw_sums(ax, sums, self.shown_scores, self._score_names(), self._glyph(), places)
        self._draw_outputs(ax, sums, places)
        entries = [
            theme.line_entry("positive weight", color=theme.BLUE, lw=2.5),
            theme.line_entry("negative weight", color=theme.RED, lw=2.5),
        ]
        theme.title_and_key(ax, self.title, entries)

    def _input_names(self, i: int, outside: bool) -> tuple[str, str]:
        """What stands in the node of an input, and what on its left."""
        if i < 0:
            return "⋮", ""
        if not outside or self._is_bias(i):
            return self.inputs[i], ""
        return f"x{i + 1 - self._is_bias(0)}", self.inputs[i]

    def _is_bias(self, i: int) -> bool:
        return self.bias and i == 0

    def _draw_edges(self, ax: Axes, places: Places) -> None:
        finite = np.abs(self.weights[np.isfinite(self.weights)])
        largest = float(finite.max(initial=0.0)) or 1.0
        rows = {k: row for row, k in enumerate(self.shown_scores)}
        columns = {i: row for row, i in enumerate(self.shown_inputs)}
        for i, k, weight in self.edges:
            start, end = places.input(columns[i]), places.score(rows[k])
            draw_edge(ax, start, end, places.label_at(rows[k]), weight, largest)

    def _glyph(self) -> str:
        """The function that stands behind each sum."""
        if self.kind == "votes":
            return "sigmoid" if self.shares else "step"
        return {"sigmoids": "sigmoid", "softmax": "", "argmax": ""}.get(self.kind, self.kind)

    def _score_names(self) -> list[str]:
        """What is written beside each sum."""
        if self.kind == "votes":
            short = [theme.cut(label, 10) for label in self.labels]
            return [" : ".join(pair) for pair in combinations(short, 2)]
        letter = "g" if self.kind == "argmax" else "z"
        return [f"{letter}{k + 1}" for k in range(len(self.weights))]

    def _draw_outputs(self, ax: Axes, sums: list[np.ndarray], places: Places) -> None:
        ends = [right(spot, places.after_sum) for spot in sums]
        if places.boxed:
            words = {"sigmoids": "÷ sum", "votes": "most votes"}.get(self.kind, self.kind)
            words = "largest sum" if self.kind == "votes" and self.shares else words
            ends = draw_box(ax, ends, words)
        texts, shown = self.outputs, self.shown_scores
        if len(texts) < len(shown):
            ends, shown = [np.mean(ends, axis=0)], [0]
        for spot, k in zip(ends, shown, strict=True):
            if k < 0:
                write(ax, right(spot, GAP), "⋮")
                continue
            arrow(ax, spot, right(spot, GAP), theme.INK, zorder=2)
            write(ax, right(spot, 1.15 * GAP), theme.pretty(texts[k]), ha="left")


def _shortened(count: int, most: int) -> list[int]:
    """0 … count − 1, or the first of them, −1 and the last, ``most`` in all."""
    if count <= most:
        return list(range(count))
    return [*range(most - 2), -1, count - 1]
