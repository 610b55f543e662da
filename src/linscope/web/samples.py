"""Where points come from: the notes' sets by name, generators, and the classics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import linscope as ls

from .algorithms import Parameter, integer, number
from .limits import POINTS
from .petals import KINDS, petals
from .spec import BadSpec, Data, read_params_of

# Name → title.
SETS = {
    "or": "OR",
    "xor": "XOR",
    "two_points": "two points",
    "students": "four students",
    "non_separable": "not separable",
    "five_points": "five points (regression)",
    "iris": "iris: petals, three kinds",
    "iris_two": "iris: petals, two kinds",
}
REGRESSION = {"five_points", "noisy_line"}
SEED = integer("random_state", "seed", 0, 0, 9999)
SIZE = integer("n", "points", 40, 4, POINTS)
GENERATORS: dict[str, tuple[str, tuple[Parameter, ...]]] = {
    "separable": ("separable", (SIZE, number("margin", "margin", 0.1, 0.01, 0.5), SEED)),
    "overlapping": ("overlapping clouds", (SIZE, number("distance", "distance", 2.0, 0, 8), SEED)),
    "ring": ("a disc in a ring", (SIZE, number("gap", "gap", 0.5, 0, 2), SEED)),
    "blobs": ("three clouds", (SIZE, number("spread", "spread", 1.0, 0.1, 4), SEED)),
    "outlier": ("two clouds and one outlier", (SIZE, SEED)),
    "noisy_line": ("a noisy line (regression)", (SIZE, number("noise", "noise", 1.0, 0, 5), SEED)),
}


def sample(name: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A data set or what a generator makes, as the page has it."""
    if name in SETS:
        data = _from_set(name)
    elif name in GENERATORS:
        data = _generated(name, read_params_of(params or {}, GENERATORS[name][1], name))
    else:
        raise BadSpec(f"no data set is called {name!r}: {', '.join([*SETS, *GENERATORS])}")
    return {"data": data.document(), "mode": data.mode}


def _from_set(name: str) -> Data:
    if name in ("iris", "iris_two"):
        X, y = petals()
        keep = y != KINDS[0] if name == "iris_two" else slice(None)
        return Data(X[keep], y[keep], ["petal length (cm)", "petal width (cm)"], None, "classes")
    given = ls.datasets.load(name)
    X, y = np.asarray(given.X, dtype=float), np.asarray(given.y)
    features = [str(feature) for feature in given.feature_names]
    names = [str(each) for each in given.sample_names] if len(given.sample_names or ()) else None
    mode = "regression" if name in REGRESSION else "classes"
    return Data(X, y, features, names, mode)


def _generated(name: str, values: dict[str, Any]) -> Data:
    make: Any = {
        "separable": ls.datasets.make_separable,
        "overlapping": ls.datasets.make_overlapping,
        "ring": ls.datasets.make_ring,
        "blobs": ls.datasets.make_blobs,
        "outlier": _outlier,
        "noisy_line": _noisy_line,
    }[name]
    X, y = make(**values)
    if name == "noisy_line":
        return Data(np.round(X, 3), np.round(y, 3), ["x"], None, "regression")
    return Data(np.round(X, 3), np.asarray(y), ["x1", "x2"], None, "classes")


def _outlier(n: int, random_state: int) -> tuple[np.ndarray, np.ndarray]:
    """Two clouds; one point of the second is far out on its own side, and far along the border."""
    X, y = ls.datasets.make_overlapping(n, distance=5.0, random_state=random_state)
    middles = [X[y == label].mean(axis=0) for label in np.unique(y)]
    apart = middles[1] - middles[0]
    aside = np.array([apart[1], -apart[0]])
    X[int(np.flatnonzero(y == y.max())[0])] = np.mean(middles, axis=0) + 2 * apart + 2 * aside
    return X, y


def _noisy_line(n: int, noise: float, random_state: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(random_state)
    x = rng.uniform(0, 10, n)
    return x[:, None], 1.0 + 0.8 * x + noise * rng.standard_normal(n)


def listed() -> dict[str, Any]:
    """The menu."""
    return {
        "samples": [
            {"name": name, "title": title, "mode": _mode(name)} for name, title in SETS.items()
        ],
        "generators": [
            {
                "name": name,
                "title": title,
                "mode": _mode(name),
                "params": [each.document() for each in parameters],
            }
            for name, (title, parameters) in GENERATORS.items()
        ],
    }


def _mode(name: str) -> str:
    return "regression" if name in REGRESSION else "classes"
