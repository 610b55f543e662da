"""Linear programs that look for directions along which the likelihood never falls.

A direction V gives class k the weights v_k, with v_0 = 0 (only differences matter). The margin of
row i is min_k (v_{y_i} − v_k)·z_i. Three questions, each on a few rows first; rows whose margin is
violated are added until none is:

    max Σ_ik (v_{y_i} − v_k)·z_i,  margins ≥ 0, |V| ≤ 1      above 0 only if a direction separates
    min ‖V‖₁,  margins ≥ 1                                    feasible only if all rows are strict
    min ‖V‖₁,  margins ≥ 0, one difference ≥ 1               few columns: which ones are to blame?
"""

from __future__ import annotations

from time import monotonic
from typing import Any

import numpy as np
from scipy import sparse

from linscope.rows.blocks import Block
from linscope.separation.strict_separation import lowest

from ..solvers.multinomial import Frame, Multinomial

# HiGHS cannot tell smaller margins from 0; entries of z are at most 1.
TOLERANCE = 1e-9
CLEAR = 1e-7
MOST_ROUNDS = 80
# A complete separation that needs larger weights, columns scaled to 1, is not found.
LARGEST = 1e7
FIRST_ROWS = 10
# A program that needs more is given up, and the question stays open.
MOST_PIVOTS, MOST_SECONDS = 10_000, 3.0


class Directions:
    """The rows of a model as constraints on V, flat (K − 1)·p, in the coordinates of its frame."""

    def __init__(self, model: Multinomial, theta: np.ndarray | None = None):
        self.model = model
        self.n, self.size = model.engine.n_rows, int(np.prod(model.shape))
        self.first = self._first_rows(theta)

    def _first_rows(self, theta: np.ndarray | None) -> np.ndarray:
        """Every so-manieth row, and those nearest the wrong side of θ."""
        count = FIRST_ROWS * (self.size + 5) // (self.model.n_classes - 1)
        chosen = np.arange(0, self.n, max(1, self.n // count))
        if theta is not None and np.isfinite(theta).all() and len(chosen) < self.n:
            chosen = np.union1d(chosen, lowest(self.margins(theta), count))
        return chosen

    def margins(self, V: np.ndarray) -> np.ndarray:
        """min_k (v_{y_i} − v_k)·z_i of every row."""
        return self._gather(_margins, V)

    def spreads(self, V: np.ndarray) -> np.ndarray:
        """max_k (v_{y_i} − v_k)·z_i of every row."""
        return self._gather(_spread, V)

    def _gather(self, task: Any, V: np.ndarray) -> np.ndarray:
        V = np.reshape(V, self.model.shape)
        return self.model.engine.gather(task, self.model.frame, V)

    def total(self) -> np.ndarray:
        """Σ_i Σ_k (e_{y_i} − e_k) ⊗ z_i without the class 0."""
        return self.model.engine.fold(_total, self.model.frame).ravel()

    def constraints(self, rows: np.ndarray) -> tuple[sparse.csr_array, np.ndarray]:
        """A with A V = all differences of these rows, and the row and class k of each."""
        K, p = self.model.n_classes, self.model.frame.p
        rows = np.sort(rows)
        Z, y = self.model.engine.gather(picked, rows, self.model.frame)
        parts, which = [], []
        for k in range(K):
            mine = np.flatnonzero(y != k)
            blocks = np.zeros((len(mine), K, p))
            blocks[np.arange(len(mine)), y[mine]] = Z[mine]
            blocks[:, k] = -Z[mine]
            parts.append(sparse.csr_array(blocks[:, 1:].reshape(len(mine), self.size)))
            which.append(np.column_stack([rows[mine], np.full(len(mine), k)]))
        return sparse.vstack(parts, format="csr"), np.concatenate(which)

    def any(self) -> np.ndarray | None:
        """A direction that separates, perhaps with rows on the boundary; None if there is none."""
        g = self.total()
        bounds = [(-1.0, 1.0)] * self.size
        V = self._generate(lambda A: _solve(-g, A, np.zeros(A.shape[0]), bounds), 0.0)
        if V is None or not float(np.abs(V).max()) > 0:
            return None
        A, _ = self.constraints(self._off_boundary(V))
        return V if A.shape[0] and (A @ V).max() > CLEAR * np.abs(V).max() else None

    def complete(self) -> np.ndarray | None:
        """A direction with every margin above 0, of few columns; None if there is none."""
        return self._generate(lambda A: self._shortest(A, np.ones(A.shape[0])), 1.0)

    def sparse(self, V: np.ndarray) -> np.ndarray:
        """A direction of few columns that separates where V does most."""
        A, _ = self.constraints(self._off_boundary(V))
        row = A[[int(np.argmax(A @ V))]]

        def solve(A: Any) -> np.ndarray | None:
            both = sparse.vstack([A, row], format="csr")
            return self._shortest(both, np.r_[np.zeros(A.shape[0]), 1.0])

        found = self._generate(solve, 0.0)
        return V if found is None else found

    def _off_boundary(self, V: np.ndarray) -> np.ndarray:
        """The rows with the largest differences."""
        return lowest(-self.spreads(V), 50)

    def _shortest(self, A: Any, b: np.ndarray) -> np.ndarray | None:
        """min ‖V‖₁ with A V ≥ b; biases cost nothing."""
        price = np.ones(self.model.shape)
        if self.model.intercept:
            price[:, 0] = 0.0
        cost = np.r_[price.ravel(), price.ravel()]
        double = sparse.hstack([A, -A], format="csr")
        answer = _solve(cost, double, b, [(0.0, LARGEST)] * (2 * self.size))
        return None if answer is None else answer[: self.size] - answer[self.size :]

    def _most_new(self) -> int:
        """Rows to add in a round; each brings K − 1 constraints."""
        return 1 + 10 * (self.size + 5) // (self.model.n_classes - 1)

    def _generate(self, solve: Any, least: float) -> np.ndarray | None:
        """Solve on the working rows and add the violated ones until every margin is ≥ least."""
        working, began = self.first, monotonic()
        for _ in range(MOST_ROUNDS):
            if monotonic() - began > 3 * MOST_SECONDS:
                return None
            V = solve(self.constraints(working)[0])
            if V is None:
                return None
            margins = self.margins(V)
            slack = TOLERANCE * max(1.0, float(np.abs(V).max()))
            wrong = np.setdiff1d(np.flatnonzero(margins < least - slack), working)
            if len(wrong) == 0:
                return V
            working = np.union1d(working, wrong[lowest(margins[wrong], self._most_new())])
        return None


def _solve(cost: np.ndarray, A: Any, b: np.ndarray, bounds: list) -> np.ndarray | None:
    """min cost·v with A v ≥ b; None if there is none."""
    # scipy.optimize takes long to import, and most fits do without it
    from scipy.optimize import linprog

    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    options = tight | {"maxiter": MOST_PIVOTS, "time_limit": MOST_SECONDS}
    answer = linprog(cost, A_ub=-A, b_ub=-b, bounds=bounds, method="highs-ds", options=options)
    return answer.x if answer.status == 0 else None


def picked(
    block: Block, rows: np.ndarray, frame: Frame | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """x, or z in a frame, and the class of the rows with these numbers, which rise."""
    first, last = np.searchsorted(rows, [block.rows.start, block.rows.stop])
    inside = rows[first:last] - block.start
    X = block.X[inside]
    if frame is not None:
        return frame.rows(X), block.y[inside]
    return X.toarray() if sparse.issparse(X) else X.astype(np.float64), block.y[inside]


def _scores(block: Block, frame: Frame, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    S = np.zeros((block.X.shape[0], frame.n_classes))
    S[:, frame.others] = frame.rows(block.X) @ V.T
    return S, S[np.arange(len(S)), block.y]


def _margins(block: Block, frame: Frame, V: np.ndarray) -> np.ndarray:
    S, own = _scores(block, frame, V)
    S[np.arange(len(S)), block.y] = -np.inf
    return own - S.max(axis=1)


def _spread(block: Block, frame: Frame, V: np.ndarray) -> np.ndarray:
    S, own = _scores(block, frame, V)
    return own - S.min(axis=1)


def _total(block: Block, frame: Frame) -> np.ndarray:
    Z = frame.rows(block.X)
    own = np.zeros((len(Z), frame.n_classes))
    own[np.arange(len(Z)), block.y] = frame.n_classes
    return (own - 1.0)[:, 1:].T @ Z
