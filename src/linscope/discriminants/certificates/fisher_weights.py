"""Weights, directions and J of a discriminant as they are held: rounded once, from exact values."""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np

from linscope.arithmetic.enclosures import two_prod

from ..solvers.fisher import Discriminants
from ..verify.class_rows import ClassRows
from ..verify.fisher import criterion_of

# Values of J below this, relative to the largest, are rounding.
NOTHING = 1e-12


def held_weights(found: Discriminants, dtype: np.dtype, model: Any = None) -> np.ndarray:
    """(1 or K, d + 1) rounded to what the user holds; the bias belongs to the rounded weights."""
    coef, levels = found.coef, found.levels
    if len(coef) == 2:
        coef, levels = coef[1:] - coef[:1], levels[1:] - levels[:1]
    coef = coef.astype(dtype)
    rows = zip(coef.astype(np.float64), levels.tolist(), strict=True)
    bias = [bias_of(w, level, found, model) for w, level in rows]
    return np.column_stack([np.array(bias).astype(dtype), coef])


def bias_of(w: np.ndarray, level: float, found: Discriminants, model: Any = None) -> float:
    """level − w·m̄, with products that are not rounded; an exact model knows m̄ better."""
    if not (np.isfinite(level) and np.isfinite(w).all()):
        return float(level)
    if model is not None:
        return float(level) - model.centre(w)[0]
    with np.errstate(all="ignore"):
        terms = [*two_prod(w, found.base), w * found.shift]
    if all(np.isfinite(term).all() for term in terms):
        return fsum([level, *(-np.concatenate(terms)).tolist()])
    whole = Fraction(level)
    for a, b, c in zip(w.tolist(), found.base.tolist(), found.shift.tolist(), strict=True):
        whole -= Fraction(a) * (Fraction(b) + Fraction(c))
    if abs(whole) > Fraction(np.finfo(np.float64).max):
        raise ValueError("an intercept is beyond the range of floats: centre the columns of X")
    return float(whole)


def directions_of(
    model: Any, priors: np.ndarray, rough: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Directions of variance 1 from the discriminants, v_i = Σ_k √π_k u_ki x_k / √λ_i.

    Where λ_i = 0 any direction will do: those of the floats, made orthogonal to the others.
    """
    root = np.sqrt(priors)
    values, turn = np.linalg.eigh(root[:, None] * model.heights * root)
    values, turn = values[::-1], turn[:, ::-1]
    most = rough.shape[1]
    good = [i for i in range(min(most, len(values))) if values[i] > NOTHING * values[0] > 0]
    V = [model.combined(root * turn[:, i] / np.sqrt(values[i])) for i in good]
    last = [float(model.along(v[:, None])[-1, 0]) for v in V]
    V = [v if height >= 0 else -v for v, height in zip(V, last, strict=True)]
    for candidate in rough.T:
        if len(V) >= min(most, model.rank):
            break
        v = candidate
        for _ in range(2):
            form = model.form(np.column_stack([*V, v]))
            v = v - sum((form[-1, i] * u for i, u in enumerate(V)), np.zeros_like(v))
        length = float(model.form(v[:, None])[0, 0])
        if length > 1e-6:
            V.append(v / np.sqrt(length))
    out = np.column_stack(V) if V else np.zeros((len(rough), 0))
    for _ in range(2 if V else 0):  # what rounding has left between them, the first ones first
        lower = np.linalg.cholesky(model.form(out))
        out = np.linalg.solve(lower, out.T).T
    found = np.zeros(out.shape[1])
    found[: len(good)] = values[good]
    return out, found


def held_criterion(model: Any, rows: ClassRows, weights: np.ndarray, scalings: np.ndarray) -> float:
    """J of the direction that is held."""
    two = len(weights) == 1
    if len(rows.labels) < 2 or not (two or scalings.shape[1]):
        return 0.0
    w = weights[0, 1:] if two else scalings[:, 0]
    return criterion_of(model, rows, w.astype(np.float64), two)
