"""Strict separation inside a subspace: a direction, or a combination that forbids it.

Over the active rows, with r_i = z_i·N for a basis N of the subspace, exactly one exists:

    u with r_i·u > 0 for all i       (then W = N·u scores every active row strictly > 0), or
    λ >= 0, λ ≠ 0 with Σ λ_i r_i = 0 (then no W in the subspace does).

HiGHS solves max t, r_i·u >= t, |u_j| <= 1 on a few rows; a scan of all rows adds the most violated
ones. HiGHS only guides: its u is accepted after an exact scan, its λ after an exact solve on the
rows it names. Where it cannot tell, columns that are nearly combinations of others are set apart
(``apart``) and it is asked again; then the simplex method in integers takes over.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from linscope.arithmetic.modular import largest_minor
from linscope.arithmetic.rational import (
    clear_denominators,
    magnitude,
    null_space,
    power_of_two,
    solve,
    times_powers,
)

from .apart import exact_column, set_apart
from .integer_simplex import gordan
from .signed_rows import SignedRows

# t below this is noise for HiGHS; the exact routines decide there.
DECIDED = 1e-9
MAX_ROUNDS = 80


class Subspace:
    """Vectors W = Σ u_k N_k: exact basis vectors, and their floats in guide coordinates.

    Without vectors it is the whole space: floats count in guide coordinates, exact numbers in the
    original ones. ``exactly``: products with the rows are formed in whole numbers, and the vectors
    have the units in which those are floats of about 1.
    """

    def __init__(self, rows: SignedRows, vectors=None, exactly: bool = False):
        self.rows, self._exactly = rows, exactly
        self.vectors: list[list[Fraction]] | None = vectors if exactly else None
        self.dimension = rows.p if vectors is None else len(vectors)
        if vectors is None:
            self.floats = np.eye(rows.p)
        elif not exactly:
            self._scale(vectors)

    def _scale(self, vectors) -> None:
        self.vectors, columns = [], []
        for vector in vectors:
            guide = self.rows.to_guide([Fraction(v) for v in vector])
            unit = power_of_two(-max(magnitude(v) for v in guide if v))
            columns.append([float(v * unit) for v in guide])
            self.vectors.append([Fraction(v) * unit for v in vector])
        self.floats = np.array(columns).T

    def lift(self, u) -> list[Fraction]:
        """W = N·u exactly, for floats u."""
        return self.rows.to_exact(u) if self.vectors is None else self.lift_exact(u)

    def lift_exact(self, u) -> list[Fraction]:
        """W = N·u exactly, for u in the coordinates of :meth:`exact`."""
        if self.vectors is None:
            return [Fraction(v) for v in u]
        W = [Fraction(0)] * self.rows.p
        for c, vector in zip(u, self.vectors, strict=True):
            if c:
                W = [a + Fraction(c) * b for a, b in zip(W, vector, strict=True)]
        return W

    def project(self, rows) -> np.ndarray:
        """r_i = z_i·N in floats."""
        if self._exactly and self.vectors is not None:
            return np.column_stack([exact_column(self.rows, rows, v) for v in self.vectors])
        return self.rows.take(rows) @ self.floats

    def apart(self) -> Subspace | None:
        """The same vectors in coordinates that floats see better, if there are such."""
        if self._exactly:
            return None
        vectors = self.vectors or [self.rows.to_exact(u) for u in np.eye(self.rows.p).tolist()]
        better = set_apart(self.rows, vectors)
        return None if better is None else Subspace(self.rows, better, exactly=True)

    def exact(self, rows) -> tuple[np.ndarray, list[Fraction]]:
        """Integers R and units q > 0 with z_i·N_k = R[i, k]·q[k]."""
        M, e = self.rows.exact_rows(rows)
        if self.vectors is None:
            return M, [power_of_two(s) for s in e]
        columns, units = [], []
        for vector in self.vectors:
            whole, common = clear_denominators(times_powers(vector, e))
            columns.append(M @ np.array(whole, dtype=object))
            units.append(Fraction(1, common))
        return np.array(columns, dtype=object).T, units


@dataclass(frozen=True)
class Direction:
    """W with z_i·W > 0 for every active row."""

    weights: list[Fraction]


@dataclass(frozen=True)
class Combination:
    """λ > 0 on a few rows with Σ λ_i z_i·N = 0; the rows form a circuit (one relation only)."""

    multipliers: dict[int, Fraction]


def alternative(space: Subspace, active: np.ndarray) -> Direction | Combination:
    """Decide strict separation of the active rows (a boolean mask, not all false) exactly."""
    indices = np.flatnonzero(active)
    working = _starting_rows(space, indices)
    if active.all() and _violated(space.rows, guess := _squares(space, working), active) is None:
        return Direction(guess)  # of an easy table, without SciPy's programmes
    seeds = working[: space.dimension + 1]
    for _ in range(MAX_ROUNDS):
        solution = _highs(space.project(working))
        if solution is None:
            break
        t, u, multipliers = solution
        order = np.argsort(-multipliers, kind="stable")
        seeds = working[order[: space.dimension + 1]]
        if t <= DECIDED:
            found = _circuit(space, working[multipliers > 1e-9 * multipliers.max()])
            if found is not None:
                return found
            break
        W = space.lift(u)
        violated = _violated(space.rows, W, active)
        if violated is None:
            return Direction(W)
        fresh = np.setdiff1d(violated, working)
        if len(fresh) == 0:
            break
        working = np.concatenate([working, fresh])
    better = space.apart()
    return (
        _exact_alternative(space, active, seeds) if better is None else alternative(better, active)
    )


def _starting_rows(space: Subspace, indices: np.ndarray) -> np.ndarray:
    """All rows if few; else those nearest the wrong side of a least-squares guess, and a sample."""
    size = 20 * (space.dimension + 5)
    if len(indices) <= size:
        return indices
    sample = indices[:: -(-len(indices) // 20_000)]
    rows = space.rows
    f, _, _ = rows.scores(_squares(space, sample))
    chosen = [indices[:: -(-len(indices) // (size // 4))]]
    for sign in (-1.0, 1.0):
        side = indices[rows.signs[indices] == sign]
        chosen.append(side[lowest(f[side], size // 2)])
    return np.unique(np.concatenate(chosen))


def _squares(space: Subspace, rows: np.ndarray) -> list[Fraction]:
    """The weights whose scores of these rows are nearest to 1."""
    R = space.project(rows)
    return space.lift(np.linalg.lstsq(R, np.ones(len(R)), rcond=None)[0])


def lowest(values: np.ndarray, count: int) -> np.ndarray:
    """Where so many of the smallest values are."""
    if len(values) <= count:
        return np.arange(len(values))
    return np.argpartition(values, count - 1)[:count]


def _highs(R: np.ndarray) -> tuple[float, np.ndarray, np.ndarray] | None:
    """max t with R·u >= t and |u| <= 1: (t, u, dual weights of the rows), None if HiGHS fails."""
    # scipy.optimize takes long to import, and certificates of perceptrons do without it
    from scipy.optimize import linprog

    k, m = R.shape
    norms = np.abs(R).max(axis=1, keepdims=True)
    if not norms.all():
        return None
    # rows are scaled by powers of two: the signs, and the rows that matter, stay the same
    R = np.ldexp(R, -np.frexp(norms)[1])
    answer = linprog(
        np.append(np.zeros(m), -1.0),
        A_ub=np.column_stack([-R, np.ones(k)]),
        b_ub=np.zeros(k),
        bounds=[(-1.0, 1.0)] * m + [(None, 1.0)],
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if answer.status != 0:
        return None
    multipliers = np.maximum(-answer.ineqlin.marginals, 0.0)
    if multipliers.max() <= 0.0:
        return None
    return float(answer.x[-1]), answer.x[:-1], multipliers


def _violated(rows: SignedRows, W, active) -> np.ndarray | None:
    """None if every active row scores > 0 exactly, else up to 10·p rows that do not."""
    f, bound, _ = rows.scores(W)
    wrong = np.flatnonzero(active & (f <= -bound))
    if len(wrong) == 0:
        wrong = np.flatnonzero(active & (rows.signs_of(W) <= 0))
        if len(wrong) == 0:
            return None
    return wrong[lowest(f[wrong], 10 * rows.p)]


def _circuit(space: Subspace, support: np.ndarray) -> Combination | None:
    """The one positive relation between the named rows, if there is exactly one."""
    if len(support) > space.dimension + 1:
        return None
    R, _ = space.exact(support)
    relation = _relation(R)
    if relation is None:
        return None
    if any(v < 0 for v in relation):
        relation = [-v for v in relation]
    if any(v < 0 for v in relation):
        return None
    total = sum(relation)
    return Combination(
        {int(i): Fraction(v, total) for i, v in zip(support, relation, strict=True) if v}
    )


def _relation(R: np.ndarray) -> list[int] | None:
    """The integers λ with λ·R = 0 if they are unique up to a factor."""
    k, m = R.shape
    if k == m + 1:
        first = solve(R[:m].T, -R[m])
        if first is not None and len(largest_minor(R[:m]).columns) == m:
            return clear_denominators([*first, Fraction(1)])[0]
    relations = null_space(R.T)
    return relations[0] if len(relations) == 1 else None


def _exact_alternative(space: Subspace, active, seeds) -> Direction | Combination:
    """The same decision in integers on a growing set of rows."""
    chosen = np.asarray(seeds)
    while True:
        R, units = space.exact(chosen)
        u, multipliers = gordan(R)
        if u is None:
            return Combination({int(chosen[i]): v for i, v in multipliers.items()})
        W = space.lift_exact([v / q for v, q in zip(u, units, strict=True)])
        violated = _violated(space.rows, W, active)
        if violated is None:
            return Direction(W)
        chosen = np.concatenate([chosen, violated[: 2 * space.dimension + 2]])
