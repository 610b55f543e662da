"""The quadratic model of the log loss at a point, on a working set of weights.

Three forms, with one method ``minimise``:

- ``GramModel``, for dense tables and some hundred weights: the Hessian of the working set, made
  by BLAS. The biases are eliminated from it, then steps cost nothing to speak of;
- ``BinaryModel``: two classes, steps over the rows of a column;
- ``SoftmaxModel``: K classes, steps over the rows of a column, all classes of it together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from linscope.rows.blocks import Block

from ..blocks import Terms
from ..objective import LogisticObjective, Point
from .classes import class_moments, descend_classes
from .loops import GramColumns, as_columns, column_moments, descend

LARGEST_GRAM = 1500
# So many violators of a class are let in at once: a Hessian grows with their square.
FEWEST, FEWEST_SPARSE = 100, 500
# Added to the Hessian's diagonal, in units of it: more than rounding, so that descent converges.
RIDGE = 1e-10
# How far a model is minimised: squared length of a sweep against the first one's.
ACCURACY_GRAM, SWEEPS_GRAM = 1e-10, 500
# Where so many sweeps are too few and steps many, weights of the same signs are solved for, so
# often in a step.
ROUNDS = 10
ACCURACY_COLUMNS, SWEEPS_COLUMNS = 1e-4, 100


class GramModel:
    """``own`` holds the working set of each class; ``share`` makes the curvature larger.

    ``rounds`` of descent are made in a step, with weights of fixed signs solved for in between.
    """

    rounds = 1

    def __init__(
        self, objective: LogisticObjective, point: Point, share: float, own: list[np.ndarray]
    ):
        self.own = own
        H = objective.engine.fold(_hessian_block, point.name, share, own)
        # Rows of H: the biases, then the working set of class after class.
        K = objective.rows
        inner, self.border = H[K:, K:].copy(), H[K:, :K]
        self.inverse = np.zeros((K, K))
        if objective.intercept:
            self.inverse = bias_inverse(H[:K, :K])
            free = _free(K)
            # By Cholesky: backward stable, so what is left has no eigenvalue far below 0.
            root = linalg.cholesky(H[free, free], lower=True)
            half = linalg.solve_triangular(root, self.border[:, free].T, lower=True)
            inner -= half.T @ half
        # What elimination leaves of a constant column is rounding, perhaps below 0.
        inner[np.diag_indices_from(inner)] += RIDGE * H.diagonal()[K:]
        self.columns = GramColumns(np.ascontiguousarray(inner))
        self.squares = inner.diagonal().copy()

    def minimise(self, here: Point, l1: float, l2: float) -> tuple[np.ndarray, int]:
        """Weights that minimise the model with the gradient at ``here``, and the sweeps."""
        W = here.W.copy()
        w = np.concatenate([row[own + 1] for row, own in zip(W, self.own, strict=True)])
        g = np.concatenate([row[own + 1] for row, own in zip(here.gradient, self.own, strict=True)])
        g -= self.border @ (self.inverse @ here.gradient[:, 0])
        index, none = np.arange(len(w)), np.zeros(len(w))
        old = w.copy()
        penalties, sweeps = (l1, l2, ACCURACY_GRAM, SWEEPS_GRAM), 0
        for left in reversed(range(self.rounds)):
            _, made = descend(
                self.columns, index, g, none, w, self.squares, none, 0.0, 0.0, *penalties
            )
            sweeps += made
            if made < SWEEPS_GRAM or not left:
                break
            self._solve_signs(w, g, l1, l2)
        start = 0
        for row, own in zip(W, self.own, strict=True):
            row[own + 1] = w[start : start + len(own)]
            start += len(own)
        W[:, 0] -= self.inverse @ (here.gradient[:, 0] + self.border.T @ (w - old))
        return W, sweeps

    def _solve_signs(self, w: np.ndarray, g: np.ndarray, l1: float, l2: float) -> None:
        """Move w to the minimum of the model where no weight changes its sign; g is its gradient.

        Where columns nearly depend on each other, descent by coordinates takes millions of sweeps.
        A weight that would change its sign becomes 0, and the others are solved for again.
        """
        H = self.columns.gram
        for _ in range(len(w)):
            used = np.flatnonzero(w)
            A = H[np.ix_(used, used)] + l2 * np.eye(len(used))
            factor, wrong = linalg.lapack.dpotrf(A)
            if wrong or not len(used):
                return
            right = -(g[used] + l1 * np.sign(w[used]) + l2 * w[used])
            step, _ = linalg.lapack.dpotrs(factor, right)
            turns = np.full(len(used), np.inf)
            np.divide(-w[used], step, out=turns, where=w[used] * step < 0)
            first = int(np.argmin(turns))
            t = min(1.0, turns[first])
            step *= t
            if t < 1.0:
                step[first] = -w[used[first]]
            w[used] += step
            g += H[:, used] @ step
            if t == 1.0:
                return


class ColumnModel:
    """What the two models over the rows of a column share."""

    def __init__(
        self,
        objective: LogisticObjective,
        point: Point,
        share: float,
        own: list[np.ndarray],
        columns: Any,
    ):
        self.engine, self.columns = objective.engine, columns
        curvature, c = self.engine.gather(_curvature, point.name, share)
        self._prepare(curvature, c, own, objective.intercept)

    def _prepare(self, curvature, c, own: list[np.ndarray], intercept: bool) -> None:
        raise NotImplementedError

    def residual(self, point: Point) -> np.ndarray:
        """A copy that may be changed."""
        return self.engine.gather(_residual, point.name)


class BinaryModel(ColumnModel):
    def _prepare(self, curvature, c, own: list[np.ndarray], intercept: bool) -> None:
        self.own, self.h = own[0], curvature
        self.mass = float(self.h.sum()) if intercept else 0.0
        self.squares, self.sums = column_moments(self.columns, self.own, self.h)

    def minimise(self, here: Point, l1: float, l2: float) -> tuple[np.ndarray, int]:
        W, u = here.W.copy(), self.residual(here).ravel()
        b = -float(u.sum()) / self.mass if self.mass > 0 else 0.0
        w = W[0, self.own + 1]
        penalties = l1, l2, ACCURACY_COLUMNS, SWEEPS_COLUMNS
        moments = self.squares, self.sums, self.mass
        b, sweeps = descend(self.columns, self.own, u, self.h, w, *moments, b, *penalties)
        W[0, self.own + 1], W[0, 0] = w, W[0, 0] + b
        return W, sweeps


class SoftmaxModel(ColumnModel):
    def _prepare(self, curvature, c, own: list[np.ndarray], intercept: bool) -> None:
        self.P, self.c = curvature, c
        self.own = np.unique(np.concatenate(own))
        self.may = np.column_stack([np.isin(self.own, each) for each in own])
        self.squares = class_moments(self.columns, self.own, self.P, self.c)
        self.inverse = np.zeros((0, 0))
        if intercept:
            weighted = self.P * self.c[:, None]
            H = np.diag(weighted.sum(axis=0)) - self.P.T @ weighted
            self.inverse = bias_inverse(H)

    def minimise(self, here: Point, l1: float, l2: float) -> tuple[np.ndarray, int]:
        W, U = here.W.copy(), self.residual(here)
        w, b = np.ascontiguousarray(W[:, self.own + 1].T), np.zeros(W.shape[0])
        data = U, self.P, self.c, w, self.squares, self.inverse, b
        penalties = l1, l2, ACCURACY_COLUMNS, SWEEPS_COLUMNS
        sweeps = descend_classes(self.columns, self.own, self.may, *data, *penalties)
        W[:, self.own + 1] = w.T
        W[:, 0] += b
        return W, sweeps


def _free(K: int) -> slice:
    """The biases that move: adding a number to all of K changes nothing, so the first rests."""
    return slice(1, K) if K > 1 else slice(0, 1)


def bias_inverse(H: np.ndarray) -> np.ndarray:
    """Inverse of the curvature by the biases, 0 for the one that rests."""
    inverse, free = np.zeros_like(H), _free(len(H))
    inverse[free, free] = linalg.inv(H[free, free])
    return inverse


Model = GramModel | BinaryModel | SoftmaxModel


def _hessian_block(block: Block, name: str, share: float, own: list[np.ndarray]) -> np.ndarray:
    """Σ c (p_k δ_kl − p_k p_l) [1, x]_own k [1, x]_own lᵀ of the rows of a block."""
    K, P = len(own), careful(block.kept[name], block.weight, share)
    parts = [np.column_stack([np.ones(len(P)), block.X[:, each]]) for each in own]
    starts = np.cumsum([K] + [len(each) for each in own])
    place = [np.r_[k, starts[k] : starts[k + 1]] for k in range(K)]
    H = np.empty((starts[-1],) * 2)
    for k in range(K):
        for l in range(k + 1):
            if K == 1:
                v = P
            else:
                v = P[:, k] * ((1.0 if k == l else 0.0) - P[:, l])
                v = v if not block.weighted else v * block.weight
            product = (parts[k] * v[:, None]).T @ parts[l]
            H[np.ix_(place[k], place[l])] = product
            H[np.ix_(place[l], place[k])] = product.T
    return H


def working_sets(point: Point, l1: float, fewest: int) -> list[np.ndarray]:
    """Columns of each class with a weight, and the worst violators of |g_j| ≤ l1."""
    sets = []
    for w, g in zip(point.W[:, 1:], point.gradient[:, 1:], strict=True):
        excess = np.where(w != 0, np.inf, np.abs(g) - l1)
        size = max(fewest, 2 * int(np.count_nonzero(w)))
        if size < len(excess):
            worst = np.argpartition(-excess, size)[:size]
            own = worst[excess[worst] > 0]
        else:
            own = np.flatnonzero(excess > 0)
        sets.append(np.sort(own))
    return sets


def _curvature(block: Block, name: str, share: float) -> tuple[np.ndarray, np.ndarray]:
    c = block.weight if block.weighted else np.ones(len(block.y))
    return careful(block.kept[name], block.weight, share), c


def _residual(block: Block, name: str) -> np.ndarray:
    return block.kept[name].residual(block.y, block.weight)


def careful(terms: Terms, c: np.ndarray, share: float) -> np.ndarray:
    """More curvature: that of probabilities mixed with equal ones.

    Where a sample is sure of a class, even of the wrong one, the true curvature is near 0 and says
    nothing about the way to the minimum. With s the share, two classes have
    p ← (1 − s) p + s/2 and so p q ← (1 − s)² p q + s/2 − s²/4.
    """
    K = terms.scores.shape[1]
    if K > 1:
        return (1 - share) * terms.curvature + share / K
    floor = share / 2 - share**2 / 4
    return (1 - share) ** 2 * terms.curvature + floor * (c if len(c) else 1.0)


def make_model(
    objective: LogisticObjective, point: Point, share: float, l1: float, columns: Any
) -> tuple[Model, Any]:
    """A model at ``point``, and the columns of the table if they had to be copied."""
    dense = not objective.is_sparse
    own = working_sets(point, l1, FEWEST if dense else FEWEST_SPARSE)
    if dense and sum(map(len, own)) <= LARGEST_GRAM:
        return GramModel(objective, point, share, own), columns
    if columns is None:
        columns = as_columns(objective.engine.all_rows("coordinate descent over columns").X)
    maker = BinaryModel if objective.rows == 1 else SoftmaxModel
    return maker(objective, point, share, own, columns), columns
