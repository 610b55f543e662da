"""The rows of all folds in one table: one pass gives what every fold asks for.

    L_m(W) = Σ_{i in train(m)} c_i f(W [1, x_i])           m = 0: the whole table; m = f + 1: fold f

Rows that the folds use alike are neighbours (``splits.Group``). So a block of rows adds to the sums
of some problems and not to those of others, and is read once for all. The Hessians at *one* point
W are sums over groups as well: "all rows less the fold's own" costs no more than all rows.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from linscope.losses.logistic import root_of_bend
from linscope.losses.softmax import softmax, softmax_terms
from linscope.rows.blocks import BLOCK_BYTES
from linscope.rows.operations import NO_WEIGHT, frozen
from linscope.rows.threads import Workers
from linscope.validation.splits import Group

from .loops import fold_pass

NUMBERS_IN_CACHE = BLOCK_BYTES // 8
# Scores of rows with fewer numbers are there before another thread wakes.
WORTH_THREADS = 100_000
# So many rows a weight tell the way of a step.
ROWS_A_WEIGHT = 100


class Losses(NamedTuple):
    """L_m and ∇L_m of some problems."""

    value: np.ndarray
    gradient: np.ndarray


class FoldTable:
    """The sorted table.

    Parameters
    ----------
    X : C-contiguous array (n, d)
    codes : class numbers
    n_classes : K
    weight : weights of the samples, or empty
    order, groups : from ``group_rows``
    intercept : whether there is a bias
    """

    def __init__(self, X, codes, n_classes, weight, order, groups: list[Group], intercept=True):
        self.X = frozen(np.ascontiguousarray(X[order]))
        self.codes, self.n_classes = codes[order], n_classes
        self.weight = weight[order] if len(weight) else NO_WEIGHT
        self.order, self.groups, self.intercept = order, groups, intercept
        self.n, self.d = self.X.shape
        self.rows = 1 if n_classes == 2 else n_classes
        self.problems = 1 + max(m for group in groups for m in (*group.train, *group.test))
        self.shape = self.rows, self.d + 1
        places = max(len(group.test) for group in groups)
        self._held = np.zeros((self.n, max(places, 1), self.rows))
        small = self.X.size * self.rows < WORTH_THREADS
        self._workers = Workers(1 if small else None)
        self._blocks = [
            group._replace(start=a, stop=min(a + self._block_rows, group.stop))
            for group in groups
            for a in range(group.start, group.stop, self._block_rows)
        ]

    @property
    def _block_rows(self) -> int:
        return max(256, NUMBERS_IN_CACHE // (self.d * max(1, self.rows)))

    @property
    def rounding(self) -> float:
        """Of a sum over the rows, relative to the sum of its terms' sizes."""
        return 1.01 * 2.0**-53 * (self._block_rows + len(self._blocks) + 2 * self.n_classes + 80)

    @property
    def size(self) -> int:
        """Numbers in the weights of one problem."""
        return self.rows * (self.d + 1)

    def evaluate(self, W: np.ndarray, problems: list[int]) -> Losses:
        """L_m and ∇L_m at W[m]; the scores of the rows held out from m are kept."""
        W = np.ascontiguousarray(W[problems])
        make = partial(self._losses, W=W, problems=problems)
        value, gradient = np.zeros(len(W)), np.zeros(W.shape)
        for loss, G in self._map(make):
            value += loss
            gradient += G
        if not self.intercept:
            gradient[:, :, 0] = 0.0
        return Losses(value, gradient)

    def evaluate_at(self, W: np.ndarray) -> Losses:
        """L_m and ∇L_m of *all* problems at one W: a pass for one."""
        shared = [block._replace(train=(0,), test=()) for block in self._blocks]
        make = partial(self._losses, W=W[None], problems=[0])
        value, gradient = np.zeros(self.problems), np.zeros((self.problems, *W.shape))
        for block, (loss, G) in zip(self._blocks, self._map(make, shared), strict=True):
            for m in block.train:
                value[m] += loss[0]
                gradient[m] += G[0]
        if not self.intercept:
            gradient[:, :, 0] = 0.0
        return Losses(value, gradient)

    def _losses(self, block: Group, W: np.ndarray, problems: list[int]):
        here = slice(block.start, block.stop)
        X, c = self.X[here], self.weight[here] if len(self.weight) else NO_WEIGHT
        train = np.array([m in block.train for m in problems])
        place = np.array([block.test.index(m) if m in block.test else -1 for m in problems])
        loss, G, held = np.zeros(len(W)), np.zeros(W.shape), self._held[here]
        if self.rows == 1:
            fold_pass(X, self.codes[here], c, W[:, 0], train, place, held[:, :, 0], loss, G[:, 0])
            return loss, G
        for m in np.flatnonzero(train | (place >= 0)):
            S = X @ W[m, :, 1:].T + W[m, :, 0]
            if place[m] >= 0:
                held[:, place[m]] = S
            if train[m]:
                R = np.empty_like(S)
                loss[m] = softmax_terms(S, self.codes[here], c, np.empty_like(S), R)
                G[m, :, 0], G[m, :, 1:] = R.sum(axis=0), R.T @ X
        return loss, G

    def held_out(self, problem: int) -> tuple[np.ndarray, np.ndarray]:
        """Row numbers of the given table that are held out, and their scores (rows, K or 1)."""
        parts = [
            (slice(group.start, group.stop), group.test.index(problem))
            for group in self.groups
            if problem in group.test
        ]
        rows = np.concatenate([self.order[here] for here, _ in parts])
        return rows, np.concatenate([self._held[here, place] for here, place in parts])

    def class_sums(self) -> np.ndarray:
        """Σ c [1, x] over the rows of each problem and class, (problems, K, d + 1)."""
        sums = np.zeros((self.problems, self.n_classes, self.d + 1))
        for block, part in zip(self._blocks, self._map(self._class_sums), strict=True):
            sums[list(block.train)] += part
        return sums

    def _class_sums(self, block: Group) -> np.ndarray:
        here = slice(block.start, block.stop)
        T = np.zeros((block.stop - block.start, self.n_classes))
        own = self.weight[here] if len(self.weight) else 1.0
        T[np.arange(len(T)), self.codes[here]] = own
        return np.column_stack([T.sum(axis=0), T.T @ self.X[here]])

    def hessians(self, W: np.ndarray, problems: list[int]) -> np.ndarray:
        """∇²L_m(W) of the given problems at one W, (problems, size, size)."""
        H = np.zeros((len(problems), self.size, self.size))
        blocks = [block for block in self._blocks if not set(problems).isdisjoint(block.train)]
        make = partial(self._hessian, W=W)
        for block, part in zip(blocks, self._map(make, blocks), strict=True):
            for k, m in enumerate(problems):
                if m in block.train:
                    H[k] += part
        return self._fixed(H)

    def rough_hessian(self, W: np.ndarray) -> np.ndarray:
        """About ∇²L_0(W), from a share of the rows."""
        every = max(1, self.n // (ROWS_A_WEIGHT * self.size))
        H = np.zeros((1, self.size, self.size))
        for part in self._map(partial(self._hessian, W=W, every=every)):
            H[0] += part
        return self._fixed(every * H)[0]

    def _hessian(self, block: Group, W: np.ndarray, every: int = 1) -> np.ndarray:
        here = slice(block.start, block.stop, every)
        X, c = self.X[here], self.weight[here] if len(self.weight) else NO_WEIGHT
        if self.rows > 1:
            return softmax_hessian(X, W, c)
        root = root_of_bend(X @ W[0, 1:] + W[0, 0], c if len(c) else 1.0)
        Z = np.empty((len(X), self.d + 1))
        Z[:, 0] = root
        np.multiply(X, root[:, None], out=Z[:, 1:])
        return Z.T @ Z

    def _fixed(self, H: np.ndarray) -> np.ndarray:
        """A bias that is not there stays 0, and so does one common to all classes."""
        first = np.arange(self.rows) * (self.d + 1)
        if not self.intercept:
            H[:, first, :], H[:, :, first] = 0.0, 0.0
            H[:, first, first] = 1.0
        elif self.rows > 1:
            H[np.ix_(range(len(H)), first, first)] += H[:, first, first].mean(axis=1)[:, None, None]
        return H

    def _map(self, make: Any, blocks: list[Group] | None = None):
        return self._workers.map(make, self._blocks if blocks is None else blocks)


def softmax_hessian(X: np.ndarray, W: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Σ c (diag(p) − p pᵀ) ⊗ [1, x][1, x]ᵀ, (K(d + 1), K(d + 1)): one product for all classes."""
    A = np.column_stack([np.ones(len(X)), X])
    P = softmax(A @ W.T)
    own = np.sqrt(c)[:, None] if len(c) else 1.0
    B = ((own * P)[:, :, None] * A[:, None, :]).reshape(len(X), -1)
    H = -(B.T @ B)
    p = A.shape[1]
    for k in range(P.shape[1]):
        Z = A * (own * np.sqrt(P[:, k : k + 1]))
        H[k * p : (k + 1) * p, k * p : (k + 1) * p] += Z.T @ Z
    return H
