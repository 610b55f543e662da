"""Separating directions whose margins are exact: single columns, and corners of linear programs.

A direction is K rows of fractions, bias first; row k belongs to class k.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy import linalg

from linscope.arithmetic.rational import as_integers, dot, null_space, power_of_two
from linscope.engines import Engine
from linscope.rows.blocks import Block, Largest, Least

from ..solvers.multinomial import Frame, ranges
from ..verify.separation import Direction
from .separating_direction import Directions, picked

# Entries and margins of a corner below this are 0, relatively.
ZERO, ON_BOUNDARY = 1e-7, 1e-8
# Larger systems take too long in fractions.
MOST_UNKNOWNS, MOST_ROWS = 120, 4000


def single_column(engine: Engine, n_classes: int, intercept: bool):
    """(direction, strict) of one column with some classes below and the others above; or None.

    Strict means that the two groups do not touch. A strict column is preferred.
    """
    low, high = (end.value for end in engine.fold(_class_ranges, n_classes))
    touching = None
    for j in range(engine.n_features):
        order = np.lexsort((low[:, j], high[:, j]))
        for split in range(1, n_classes):
            below, above = high[order[:split], j].max(), low[order[split:], j].min()
            if not intercept:
                below, above = max(below, 0.0), min(above, 0.0)
            if below > above or low[:, j].min() == high[:, j].max():
                continue
            strict = bool(below < above)
            if strict or touching is None:
                found = _threshold(engine.n_features, n_classes, j, order[split:], below, above)
                if strict:
                    return found, True
                touching = found
    return None if touching is None else (touching, False)


def _class_ranges(block: Block, n_classes: int) -> tuple[Least, Largest]:
    """Least and largest value of each column in each class, (K, d)."""
    parts = [ranges(block.X[np.flatnonzero(block.y == k)]) for k in range(n_classes)]
    low, high = (np.array([end.value for end in ends]) for ends in zip(*parts, strict=True))
    return Least(low), Largest(high)


def _threshold(d: int, n_classes: int, j: int, above, lower: float, upper: float) -> Direction:
    """x_j − t for the classes above the threshold, 0 for the others."""
    t = (Fraction(float(lower)) + Fraction(float(upper))) / 2
    zero = [Fraction(0)] * (d + 1)
    one = list(zero)
    one[0], one[j + 1] = -t, Fraction(1)
    return tuple(tuple(one) if k in above else tuple(zero) for k in range(n_classes))


def full_direction(rows, columns: np.ndarray, d: int, intercept: bool) -> Direction:
    """Vectors of the classes but the first over all d columns; the first class has zeros."""
    out, first = [[Fraction(0)] * (d + 1)], int(intercept)
    for own in rows:
        row = [Fraction(0)] * (d + 1)
        row[:first] = own[:first]
        for j, value in zip(columns.tolist(), own[first:], strict=True):
            row[j + 1] = value
        out.append(row)
    return tuple(map(tuple, out))


def float_direction(frame: Frame, V: np.ndarray, columns: np.ndarray, d: int) -> Direction:
    """V, flat in the coordinates of the frame, as the fractions its floats are."""
    first, rows = int(frame.intercept), []
    scale, shift = ([Fraction(v) for v in side.tolist()] for side in (frame.scale, frame.shift))
    for v in V.reshape(-1, frame.p).tolist():
        w = [Fraction(value) / s for value, s in zip(v[first:], scale, strict=True)]
        bias = [Fraction(value) - dot(w, shift) for value in v[:first]]
        rows.append([*bias, *w])
    return full_direction(rows, columns, d, frame.intercept)


def exact_direction(
    directions: Directions, V: np.ndarray, columns: np.ndarray, d: int
) -> Direction | None:
    """The corner that V is up to rounding: exactly 0 on the rows where V is nearly 0."""
    model = directions.model
    V = V / np.abs(V).max()
    used = (np.abs(V) > ZERO).reshape(model.shape)
    used[:, : int(model.intercept)] = True
    unknowns = np.flatnonzero(used.ravel())
    rows = np.flatnonzero(directions.margins(V) <= ON_BOUNDARY)
    if len(unknowns) > MOST_UNKNOWNS or len(rows) == 0:
        return None
    rows = rows[:: -(-len(rows) // MOST_ROWS)]
    A, which = directions.constraints(rows)
    near = np.flatnonzero(np.abs(A @ V) <= ON_BOUNDARY)
    chosen = near[_independent(A[near][:, unknowns].toarray())]
    raw = _raw_constraints(directions, which[chosen])[:, unknowns]
    M, e = as_integers(raw)
    basis = np.array(null_space(M), dtype=object)
    if len(basis) == 0:
        return None
    units = [power_of_two(-s) for s in e]
    weights = _combination(basis, units, model.frame.outside(V.reshape(model.shape)), unknowns)
    full = np.full(directions.size, Fraction(0), dtype=object)
    full[unknowns] = weights
    return full_direction(full.reshape(model.shape).tolist(), columns, d, model.intercept)


def _independent(B: np.ndarray) -> np.ndarray:
    """Rows of B that span the others."""
    if len(B) == 0:
        return np.zeros(0, dtype=int)
    R, order = linalg.qr(B.T, mode="r", pivoting=True)
    sizes = np.abs(np.diag(R))
    return order[: int(np.sum(sizes > 1e-9 * max(sizes[0], 1e-300)))]


def _raw_constraints(directions: Directions, which: np.ndarray) -> np.ndarray:
    """(e_y − e_k) ⊗ [1, x] of some rows and classes, without class 0, in the units of X."""
    model = directions.model
    rows, back = np.unique(which[:, 0], return_inverse=True)
    X, codes = (part[back] for part in model.engine.gather(picked, rows))
    A = np.column_stack([np.ones(len(X)), X]) if model.intercept else X
    blocks = np.zeros((len(A), model.n_classes, A.shape[1]))
    place = np.arange(len(A))
    blocks[place, codes] = A
    blocks[place, which[:, 1]] = -A
    return blocks[:, 1:].reshape(len(A), -1)


def _combination(basis, units, outside: np.ndarray, unknowns) -> list[Fraction]:
    """The vector of the null space that is nearest to the floats."""
    target = np.ravel(outside)[unknowns]
    vectors = [[Fraction(int(v)) * u for v, u in zip(row, units, strict=True)] for row in basis]
    sizes = [max(abs(v) for v in row) for row in vectors]
    vectors = [[v / s for v in row] for row, s in zip(vectors, sizes, strict=True)]
    floats = np.array([[float(v) for v in row] for row in vectors])
    share = np.linalg.lstsq(floats.T, target, rcond=None)[0]
    if len(vectors) == 1:
        share = np.sign(share)
    shares = [Fraction(c) for c in share.tolist()]
    return [dot(shares, column) for column in zip(*vectors, strict=True)]
