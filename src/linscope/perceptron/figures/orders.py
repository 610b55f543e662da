"""The order of the samples, the first weights and the rate change the perceptron's answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from sklearn.base import clone

from linscope.display import theme
from linscope.display.base import SampleDisplay
from linscope.display.boundary import fitted
from linscope.display.drawing import draw_line, draw_samples
from linscope.display.geometry import reaching
from linscope.display.inputs import Samples, choose_view, read_samples

# Shuffled runs that are shown, and how many are tried to find as many that end differently.
SHOWN, TRIES = 3, 20


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
    def from_runs(
        cls,
        base: Any,
        X: Any,
        y: Any,
        *,
        seeds: Sequence[int] | None,
        inits: Sequence[Any],
        etas: Sequence[float],
        features: Any,
    ) -> Self:
        """A perceptron as given, and with other orders, first weights and rates."""
        if base.output == "voted":
            raise ValueError("estimator has output='voted', a committee without one boundary")
        samples = read_samples(X, y, binary=True)
        first = fitted(base, samples.X, samples.truth)
        models = {"given order": first}
        if seeds is None:
            models |= _telling(base, samples, first)
        else:
            models |= _shuffled(base, samples, seeds)
        changes = {f"from {_text(init)}": {"init": init} for init in inits}
        changes |= {f"η = {theme.number(eta)}": {"eta0": eta} for eta in etas}
        for name, change in changes.items():
            models[name] = fitted(clone(base).set_params(**change), samples.X, samples.truth)
        return cls(
            samples=samples,
            view=choose_view(samples, features),
            runs=list(models),
            weights=np.array([_weights(model) for model in models.values()]),
            updates=np.array([model.n_updates_ for model in models.values()]),
        )

    @property
    def like(self) -> np.ndarray:
        """For each run the first one with the same boundary, perhaps itself."""
        directions = np.array([_direction(w) for w in self.weights])
        return np.array([int((directions == each).all(axis=1).argmax()) for each in directions])

    @property
    def different(self) -> int:
        """How many different boundaries there are; weights of 0 have none."""
        return len(set(self.like[self.weights[:, 1:].any(axis=1)].tolist()))

    @property
    def title(self) -> str:
        n, different = len(self.runs), self.different
        without = n - int(self.weights[:, 1:].any(axis=1).sum())
        if without:
            text = f"{different or 'no'} boundaries, {without} end with weights of 0"
        elif different == 1:
            text = "all find the same boundary"
        else:
            text = f"{different} different boundaries"
        return f"Same samples, {n} runs: {text}{self.view.remark}"

    def _draw(self, axes: list[Axes]) -> None:
        (ax,) = axes
        lines = np.array([self.view.line(w) for w in self.weights])
        box = reaching(self.view.box(self.points), lines)
        entries = theme.class_entries(self.labels)
        for run, (name, line) in enumerate(zip(self.runs, lines, strict=True)):
            colour, dashes = theme.LINES[run % len(theme.LINES)]
            look: Any = {"color": colour, "ls": dashes, "lw": 2}
            draw_line(ax, box, line, **look)
            made = theme.count(int(self.updates[run]), "update")
            same = int(self.like[run])
            made += f", as {self.runs[same]}" if same != run else ""
            made += "" if line[1:].any() else ", no line"
            entries.append(theme.line_entry(f"{name}: {made}", **look))
        draw_samples(ax, self.samples, self.view, box)
        theme.title_and_key(ax, self.title, entries)


def _shuffled(base: Any, samples: Samples, seeds: Iterable[int]) -> Iterator[tuple[str, Any]]:
    """A run for each seed, one after the other."""
    for seed in seeds:
        model = clone(base).set_params(shuffle=True, random_state=seed)
        yield f"shuffle {seed}", fitted(model, samples.X, samples.truth)


def _telling(base: Any, samples: Samples, first: Any) -> dict[str, Any]:
    """Shuffled runs that end differently; if none of those tried does, the first of them."""
    found: dict[str, Any] = {}
    known = {_direction(_weights(first))}
    for name, model in _shuffled(base, samples, range(TRIES)):
        direction = _direction(_weights(model))
        if direction not in known and any(direction[1:]):
            known.add(direction)
            found[name] = model
        if len(found) == SHOWN:
            break
    return found or dict(_shuffled(base, samples, range(SHOWN)))


def _weights(model: Any) -> np.ndarray:
    return np.r_[model.intercept_[0], model.coef_[0]].astype(np.float64)


def _direction(w: np.ndarray) -> tuple[float, ...]:
    """The weights at length 1: equal for the same boundary with the same sides."""
    return tuple((w / (np.linalg.norm(w) or 1.0)).round(9) + 0.0)


def _text(init: Any) -> str:
    return init if isinstance(init, str) else theme.vector(init)
