"""The point of a convex hull nearest to the origin, and the nearest points of two hulls.

    min ½‖v‖²,   v = Σ α_i s_i,   α >= 0,   Σ_{i in group g} α_i = 1 for every group g

One group is Wolfe's minimum norm point of conv{s_i}. Two groups with s_i = y_i x_i are the nearest
points p of conv{x_i : y_i = +1} and q of conv{x_i : y_i = -1}: then v = p - q, the normal of the
maximum margin hyperplane.

Optimality: v is the answer when no row lies below its group's plane, and for any α

    Σ_g min_{i in g} s_i·v  <=  ‖v*‖·‖v‖  <=  ‖v‖²,   gap = 1 - Σ_g min_i s_i·v / ‖v‖².

Wolfe's method keeps a *corral*: rows with α > 0 whose affine hull has its least norm inside the
corral. A major step adds the row furthest below its plane; minor steps go towards the least norm
point of the affine hull and drop the rows whose α reaches 0 on the way.

The least norm point of the affine hull: with A = [κC | S], one row for each corral row, C its group
indicators, and A' = QR, the answer is α = R⁻¹ C̃ β where C̃ are the first columns of Q' and β makes
each group sum to 1. Only R is inverted, never the Gram matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import solve_triangular

from linscope.results import Result, Status

# A coefficient up to this is rounding of 0: a row that stayed for it would bar the way to others.
NOTHING = 1e-14


class Points(Protocol):
    """Rows that need not sit in one array."""

    def __len__(self) -> int: ...

    def take(self, rows: np.ndarray) -> np.ndarray:
        """The rows as a float64 array."""

    def dot(self, v: np.ndarray) -> np.ndarray:
        """s_i·v for every row."""


class ArrayPoints:
    """Points that are the rows of an array."""

    def __init__(self, array):
        self.array = np.asarray(array, dtype=np.float64)

    def __len__(self) -> int:
        return len(self.array)

    def take(self, rows):
        return self.array[rows]

    def dot(self, v):
        return self.array @ v


@dataclass(frozen=True, kw_only=True)
class MinNormPoint(Result):
    """Nearest point to the origin: ``weights`` is v, with the rows and coefficients that make it.

    Attributes
    ----------
    support : rows with a positive coefficient, ascending
    coefficients : their convex coefficients; each group sums to 1
    gap : relative distance between the two bounds on ‖v‖ over all rows (rounding included)
    """

    support: np.ndarray
    coefficients: np.ndarray
    gap: float


def min_norm_point(
    points, groups=None, *, tol: float = 1e-12, max_iter: int = 100_000, working: int = 400
) -> MinNormPoint:
    """Nearest point to the origin of one hull, or of the difference of two.

    Parameters
    ----------
    points : array (n, d) or :class:`Points`; for two hulls the rows of the second are negated
    groups : array (n,) of 0 ... G-1, which hull a row belongs to; None means one hull
    tol : stop when the relative gap over all rows is at most this
    max_iter : most major steps
    working : rows a full scan may add to the working set

    Examples
    --------
    >>> answer = min_norm_point([[1.0, 1.0], [1.0, -1.0], [3.0, 0.0]])
    >>> answer.weights.round(12) + 0.0, answer.support, answer.coefficients
    (array([1., 0.]), array([0, 1]), array([0.5, 0.5]))
    """
    if isinstance(points, np.ndarray | list | tuple):
        points = ArrayPoints(points)
    groups = np.zeros(len(points), dtype=np.intp) if groups is None else np.asarray(groups)
    if len(groups) != len(points):
        raise ValueError(f"groups has {len(groups)} entries for {len(points)} points")
    rows, scans, steps = _spread(groups, working), 0, 0
    corral: Corral | None = None
    best = np.inf
    while True:
        corral = Corral(points.take(rows), groups[rows], rows, corral)
        steps += corral.run(tol / 4, max_iter - steps)
        scores = points.dot(corral.v)
        scans += 1
        gap = _gap(scores, groups, corral.v)
        fresh = _below(scores, groups, corral, working)
        # the norm must fall from scan to scan; rounding has the last word when it does not
        if gap <= tol or len(fresh) == 0 or steps >= max_iter or not corral.norm < best:
            break
        best = corral.norm
        rows = np.union1d(rows[corral.near(scores[rows])], fresh)
    order = np.argsort(corral.rows[corral.members])
    return MinNormPoint(
        weights=corral.v,
        status=Status.CONVERGED if gap <= tol else Status.STOPPED,
        n_iter=scans,
        n_updates=steps,
        support=corral.rows[corral.members][order],
        coefficients=corral.alpha[order],
        gap=float(gap),
    )


class Corral:
    """Wolfe's method on rows held in memory: ``init`` is the constructor, ``step`` a major step."""

    def __init__(self, S, groups, rows, previous: Corral | None = None):
        self.S, self.groups, self.rows = S, groups, rows
        self.n_groups = int(groups.max()) + 1
        self.kappa = float(np.sqrt(np.einsum("ij,ij->i", S, S).max())) or 1.0
        if previous is None:
            norms = np.einsum("ij,ij->i", S, S)
            first = [np.flatnonzero(groups == g) for g in range(self.n_groups)]
            self.members = np.array([i[np.argmin(norms[i])] for i in first])
            self.alpha = np.ones(self.n_groups)
        else:
            self.members = np.searchsorted(rows, previous.rows[previous.members])
            self.alpha = previous.alpha
        self._move(self.alpha)

    def _move(self, alpha):
        self.alpha = alpha
        self.v = alpha @ self.S[self.members]
        self.norm = float(self.v @ self.v)

    def run(self, tol: float, max_iter: int) -> int:
        """Major steps until the gap over the rows in memory is at most tol; returns how many."""
        for steps in range(max_iter):
            if not self.step(tol):
                return steps
        return max_iter

    def step(self, tol: float) -> bool:
        """Add the row furthest below its plane and restore the corral; False when done."""
        # below this, v is the rounding of the coefficients
        if self.norm <= (1e-16 * self.kappa) ** 2:
            return False
        scores = self.S @ self.v
        depth = self._planes(scores)[self.groups] - scores
        new = int(np.argmax(depth))
        if depth[new] <= tol * self.norm or new in self.members:
            return False
        before = self.norm, self.members, self.alpha
        self.members = np.append(self.members, new)
        self.alpha = np.append(self.alpha, 0.0)
        if not self._restore() or self.norm >= before[0]:
            _, self.members, self.alpha = before
            self._move(self.alpha)
            return False
        return True

    def _planes(self, scores):
        """Each group's plane: the score of its part of v (all its corral rows lie on it)."""
        own = self.groups[self.members]
        return np.bincount(own, self.alpha * scores[self.members], self.n_groups)

    def _restore(self) -> bool:
        """Minor steps: walk to the affine minimiser, dropping rows whose coefficient hits 0."""
        for _ in range(len(self.members) + 1):
            target = affine_minimiser(
                self.S[self.members], self.groups[self.members], self.n_groups, self.kappa
            )
            if target is None:
                return False
            falling = target < NOTHING
            if not falling.any():
                self._move(target)
                return True
            room = self.alpha[falling] / np.maximum(self.alpha[falling] - target[falling], 1e-300)
            theta = min(1.0, float(room.min()))
            alpha = (1 - theta) * self.alpha + theta * target
            keep = alpha > NOTHING
            keep[np.flatnonzero(falling)[np.argmin(room)]] = False
            own = self.groups[self.members]
            if len(np.unique(own[keep])) < self.n_groups:
                return False
            self.members, alpha = self.members[keep], alpha[keep]
            self._move(alpha / np.bincount(own[keep], alpha, self.n_groups)[own[keep]])
        return False

    def near(self, scores) -> np.ndarray:
        """Rows worth keeping: the corral, and those not far above their plane."""
        depth = self._planes(scores)[self.groups] - scores
        keep = depth > -0.5 * self.norm
        keep[self.members] = True
        return keep


def affine_minimiser(S, groups, n_groups: int, kappa: float) -> np.ndarray | None:
    """α with least ‖α·S‖ and every group summing to 1 (any sign); None if rows are dependent."""
    k = len(S)
    if k > S.shape[1] + n_groups:
        return None
    A = np.zeros((k, n_groups + S.shape[1]))
    A[np.arange(k), groups] = kappa
    A[:, n_groups:] = S
    Q, R = np.linalg.qr(A.T)
    diagonal = np.abs(np.diag(R))
    if diagonal.min() <= 1e-14 * diagonal.max():
        return None
    top = Q[:n_groups]
    try:
        beta = np.linalg.solve(top @ top.T, np.ones(n_groups))
    except np.linalg.LinAlgError:
        return None
    alpha = solve_triangular(R, top.T @ beta, check_finite=False)
    sums = np.bincount(groups, alpha, n_groups)
    if not (np.isfinite(alpha).all() and (np.abs(sums) > 0).all()):
        return None
    return alpha / sums[groups]


def _spread(groups, count: int) -> np.ndarray:
    """About ``count`` rows of every group, evenly spread."""
    chosen = []
    for g in range(int(groups.max()) + 1):
        own = np.flatnonzero(groups == g)
        if len(own) == 0:
            raise ValueError(f"group {g} has no points")
        chosen.append(own[:: -(-len(own) // count)])
    return np.sort(np.concatenate(chosen))


def _gap(scores, groups, v) -> float:
    lowest = sum(scores[groups == g].min() for g in range(int(groups.max()) + 1))
    norm = float(v @ v)
    return float(1.0 - lowest / norm) if norm > 0 else 0.0


def _below(scores, groups, corral: Corral, count: int) -> np.ndarray:
    """New rows below their plane, the deepest ``count`` of each group."""
    planes = np.bincount(
        corral.groups[corral.members],
        corral.alpha * scores[corral.rows[corral.members]],
        corral.n_groups,
    )
    chosen = []
    for g in range(corral.n_groups):
        own = np.flatnonzero((groups == g) & (scores < planes[g]))
        if len(own) > count:
            own = own[np.argpartition(scores[own], count - 1)[:count]]
        chosen.append(own)
    return np.setdiff1d(np.concatenate(chosen), corral.rows)
