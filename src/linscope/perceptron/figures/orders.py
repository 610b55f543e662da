"""The order of the samples and the first weights change the perceptron's answer."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from linscope.display import theme
from linscope.display.base import Display
from linscope.display.boundary import draw_samples
from linscope.display.geometry import box_around, segment
from linscope.display.inputs import Samples, View, choose_view, read_samples
from linscope.display.theme import LINES


@dataclass(eq=False, kw_only=True, repr=False)
class OrdersDisplay(Display):
    """Boundaries of several runs on the same samples.

    Attributes
    ----------
    runs : names of the runs
    weights : array (runs, d + 1), bias first
    updates : how many updates each run made
    """

    samples: Samples
    view: View
    runs: list[str]
    weights: np.ndarray
    updates: np.ndarray

    @classmethod
    def from_runs(cls, runs: Mapping[str, Any], X: Any, y: Any, *, features: Any = None) -> Self:
        """Fit a clone of each named perceptron."""
        samples = read_samples(X, y, binary=True)
        view = choose_view(samples, features)
        labels = samples.classes[samples.codes]
        weights, updates = [], []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            for model in runs.values():
                fitted = clone(model).fit(samples.X, labels)
                weights.append(np.r_[fitted.intercept_[0], fitted.coef_[0]])
                updates.append(fitted.n_updates_)
        return cls(
            samples=samples,
            view=view,
            runs=list(runs),
            weights=np.array(weights),
            updates=np.array(updates),
        )

    @classmethod
    def from_seeds(
        cls,
        base: Any,
        X: Any,
        y: Any,
        *,
        seeds: Sequence[int] = (0, 1, 2),
        inits: Sequence[Any] = (),
        features: Any = None,
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
        return cls.from_runs(runs, X, y, features=features)

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
        note = f" ({self.view.note})" if self.view.note else ""
        return f"Same samples, {n} runs: {different} different boundaries{note}"

    @property
    def size(self) -> tuple[float, float]:
        return 6.0, 5.0

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        points = self.view.points(self.samples.X)
        box = box_around(points)
        if self.view.flat:
            box = (*box[:2], -1.0, 1.0)
        entries = [theme.class_entry(k, label) for k, label in enumerate(self.samples.labels)]
        for run, (name, w) in enumerate(zip(self.runs, self.weights, strict=True)):
            colour, dashes = LINES[run % len(LINES)]
            ends = segment(box, self.view.line(w))
            if ends is not None:
                ax.plot(*ends.T, color=colour, ls=dashes, lw=2, zorder=3)
            made = theme.count(int(self.updates[run]), "update")
            entries.append(theme.line_entry(f"{name}: {made}", color=colour, ls=dashes, lw=2))
        draw_samples(ax, self.samples, self.view, box)
        theme.title_and_key(ax, self.title, entries)
