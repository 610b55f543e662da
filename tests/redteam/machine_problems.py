"""Problems for support vector machines, linear and with kernels, some of which are none."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import tables
from .problem import Problem


def make_linear(kind: str, rng: np.random.Generator, level: str) -> Problem:
    X, y, weight, name = _table(rng, level)
    params: dict[str, Any] = {
        "loss": "squared_hinge" if kind == "squared" else "hinge",
        "penalize_intercept": bool(rng.random() < 0.25),
        "fit_intercept": bool(rng.random() < 0.85),
        "multi_class": str(rng.choice(["ovr", "ovo"])),
    }
    if kind == "hard":
        params["C"] = np.inf
    elif rng.random() < 0.6:
        params["C"] = tables.power(rng, level)
    if not params["fit_intercept"]:
        params["penalize_intercept"] = False
    if rng.random() < 0.15:
        params["tol"] = float(rng.choice([1e-2, 1e-4, 1e-9]))
    params |= tables.class_weight(rng, y)
    return Problem("LinearSVC", params, tables.form(rng, X), y, weight, level, f"{kind}, {name}")


def make_kernel(kind: str, rng: np.random.Generator, level: str) -> Problem:
    X, y, weight, name = _table(rng, level)
    params: dict[str, Any] = {"kernel": kind, "multi_class": str(rng.choice(["ovr", "ovo"]))}
    if rng.random() < 0.5:
        params["C"] = tables.power(rng, level)
    elif rng.random() < 0.15:
        params["C"] = np.inf
    if kind in ("rbf", "poly", "sigmoid") and rng.random() < 0.5:
        params["gamma"] = tables.power(rng, level)
    if kind in ("poly", "sigmoid") and rng.random() < 0.5:
        params["coef0"] = float(rng.choice([1.0, 0.5, -1.0]))
    if rng.random() < 0.15:
        params["tol"] = float(rng.choice([0.1, 1e-5, 1e-9]))
    params |= tables.class_weight(rng, y)
    if kind == "poly":
        params["degree"] = int(rng.integers(1, 5))
    if kind == "precomputed":
        X = _gram(rng, X)
        return Problem("SVC", params, X, y, weight, level, f"{kind}, {name}")
    return Problem("SVC", params, tables.form(rng, X), y, weight, level, f"{kind}, {name}")


def _table(rng, level):
    classes = int(rng.choice([2, 2, 2, 3]))
    n, d = tables.shape(rng, rows=9, columns=3)
    X, name = tables.table(rng, max(n, classes), d, level)
    y = tables.labels(rng, X, classes)
    weight = tables.weights(rng, len(X), level)
    if weight is not None and len(np.unique(y[weight > 0])) < len(np.unique(y)):
        weight = None
    return X, y, weight, name


def _gram(rng, X: np.ndarray) -> np.ndarray:
    """Products, sometimes of no feature space: with a symmetric matrix added."""
    size = np.abs(X).max() or 1.0
    X = X / size
    K = X @ X.T
    if rng.random() < 0.4:
        extra = rng.standard_normal(K.shape)
        K = K + float(rng.choice([1e-3, 0.1, 1.0])) * (extra + extra.T)
    K = K * float(min(size, 1e150)) ** 2
    return np.ascontiguousarray((K + K.T) / 2)
