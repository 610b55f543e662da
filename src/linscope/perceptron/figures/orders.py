"""The order of the samples and the first weights change the perceptron's answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import clone

from linscope.display import theme
from linscope.display.base import SampleDisplay
from linscope.display.boundary import fitted
from linscope.display.drawing import draw_line, draw_samples
from linscope.display.inputs import choose_view, read_samples


@dataclass(eq=False, kw_only=True, repr=False)
class OrdersDisplay(SampleDisplay):
    """Boundaries of several runs on the same samples.

    Attributes
    ----------
    runs : names of the runs
    weights : array (runs, d + 1), bias first
    updates : how many updates each run made
    """

    runs: list[str]
    weights: np.ndarray
    updates: np.ndarray
    size = 6.0, 5.0

    @classmethod
    def from_seeds(
        cls, base: Any, X: Any, y: Any, seeds: Sequence[int], inits: Sequence[Any], features: Any
    ) -> Self:
        """A perceptron with the given order, a shuffle for every seed, and other first weights."""
        if base.output == "voted":
            raise ValueError("estimator has output='voted', a committee without one boundary")
        runs: dict[str, Any] = {"given order": base}
        for seed in seeds:
            runs[f"shuffle {seed}"] = clone(base).set_params(shuffle=True, random_state=seed)
        for init in inits:
            text = init if isinstance(init, str) else theme.vector(init)
            runs[f"from {text}"] = clone(base).set_params(init=init)
        samples = read_samples(X, y, binary=True)
        models = [fitted(model, samples.X, samples.truth) for model in runs.values()]
        return cls(
            samples=samples,
            view=choose_view(samples, features),
            runs=list(runs),
            weights=np.array([np.r_[model.intercept_[0], model.coef_[0]] for model in models]),
            updates=np.array([model.n_updates_ for model in models]),
        )

    @property
    def different(self) -> int:
        """How many different boundaries there are."""
        lengths = np.linalg.norm(self.weights, axis=1, keepdims=True)
        directions = self.weights / np.where(lengths > 0, lengths, 1.0)
        return len(np.unique(directions.round(9) + 0.0, axis=0))

    @property
    def title(self) -> str:
        n, different = len(self.runs), self.different
        if different == 1:
            return f"Same samples, {n} runs: all find the same boundary"
        return f"Same samples, {n} runs: {different} different boundaries{self.view.remark}"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        box = self.view.box(self.points)
        entries = theme.class_entries(self.labels)
        for run, (name, w) in enumerate(zip(self.runs, self.weights, strict=True)):
            colour, dashes = theme.LINES[run % len(theme.LINES)]
            look: Any = {"color": colour, "ls": dashes, "lw": 2}
            draw_line(ax, box, self.view.line(w), **look)
            made = theme.count(int(self.updates[run]), "update")
            entries.append(theme.line_entry(f"{name}: {made}", **look))
        draw_samples(ax, self.samples, self.view, box)
        theme.title_and_key(ax, self.title, entries)
