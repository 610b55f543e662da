"""The search for a direction along which the likelihood grows for ever: one column, then few."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linscope.engines import choose
from linscope.separation.signed_rows import SignedRows
from linscope.separation.three_cases import decide

from ..solvers.multinomial import Multinomial
from ..verify.separation import Direction, margin_signs
from .dependent_columns import dependence
from .exact_direction import exact_direction, float_direction, full_direction, single_column
from .overlap import prove_overlap
from .separating_direction import Directions

COMPLETE, QUASI = "complete", "quasi-complete"
# Up to so many weights (and numbers, if there are more classes) rational arithmetic decides.
EXACT_SIZE, EXACT_WEIGHTS = 60_000, 60
# With more columns nobody looks for dependent ones.
MOST_COLUMNS = 500
# With more weights a direction that is at hand is taken, even if others need fewer columns.
FEW_WEIGHTS = 100
# Newton steps before programs of many weights; larger information matrices take too much memory.
PATIENT_STEPS, MOST_WEIGHTS = 30, 3000


class Found(NamedTuple):
    """A direction in fractions, rounded to floats (K, d + 1), and its features."""

    kind: str
    exact: Direction
    rough: np.ndarray
    columns: list[int]


@dataclass
class Problem:
    """Rows that count, and the columns that can matter.

    ``model`` has the columns numbered ``columns`` of X: not constant (with a bias), not all 0.
    """

    X: Any
    codes: np.ndarray
    n_classes: int
    intercept: bool
    weight: np.ndarray | None = None

    def __post_init__(self) -> None:
        self.model = self._model(self.X)
        low, high = self.model.frame.low, self.model.frame.high
        matters = (low < high) if self.intercept else (low != 0) | (high != 0)
        self.columns = np.arange(self.X.shape[1])
        if not matters.all() and matters.any():
            self._keep(np.flatnonzero(matters))
        self.nothing = not matters.any()

    def _model(self, X: Any) -> Multinomial:
        return Multinomial(choose(X, self.codes, self.weight), self.n_classes, self.intercept)

    def _keep(self, kept: np.ndarray) -> None:
        self.columns = self.columns[kept]
        self.model = self._model(self.X[:, self.columns])

    def drop_dependent(self) -> None:
        """Leave out columns that are exactly combinations of others."""
        if len(self.columns) <= MOST_COLUMNS:
            kept = dependence(self.model)
            if len(kept) < len(self.columns):
                self._keep(kept)

    def inside(self, weights: np.ndarray) -> np.ndarray:
        """Weights (K − 1, d + 1) in the coordinates of the model."""
        return self.model.frame.inside(weights[:, self._places])

    def outside(self, theta: np.ndarray) -> np.ndarray:
        """The inverse, 0 for columns that do not matter."""
        weights = np.zeros((self.n_classes - 1, self.X.shape[1] + 1))
        weights[:, self._places] = self.model.frame.outside(theta.reshape(self.model.shape))
        return weights

    @property
    def _places(self) -> np.ndarray:
        return np.r_[np.zeros(int(self.intercept), dtype=int), 1 + self.columns]

    def shares(self) -> np.ndarray:
        """The best weights without features: log N_k/N_0 of the classes as bias, if there is one.

        Rare classes need many Newton steps from 0, and few from here.
        """
        weights = np.zeros((self.n_classes - 1, self.X.shape[1] + 1))
        if self.intercept:
            logs = np.log(np.bincount(self.codes, self.weight, self.n_classes))
            weights[:, 0] = logs[1:] - logs[0]
        return weights

    def one_column(self, theta: np.ndarray) -> Found | None:
        """A single column that tells some classes from the others; θ is where to begin."""
        single = single_column(self.X, self.codes, self.n_classes, self.intercept)
        if single is None:
            return None
        direction, strict = single
        if strict and self.n_classes == 2:
            return _exactly(direction, COMPLETE)
        return (
            self._iterate(theta)
            or self._complete(Directions(self.model))
            or (_exactly(direction, QUASI))
        )

    def _iterate(self, theta: np.ndarray) -> Found | None:
        """Where some Newton steps end, if that separates: quicker than programs of many weights."""
        if not FEW_WEIGHTS < theta.size <= MOST_WEIGHTS:
            return None
        theta = prove_overlap(self.model, theta, PATIENT_STEPS).theta
        return self._strict(theta) if Directions(self.model).margins(theta).min() > 0 else None

    def some_columns(self, theta: np.ndarray) -> Found | None:
        """A direction of as few columns as linear programs find; θ tells where to look."""
        directions = Directions(self.model, np.ravel(theta))
        if directions.size > FEW_WEIGHTS and directions.margins(theta).min() > 0:
            found = self._strict(theta)  # a program that finds fewer columns would take long
            if found is not None:
                return found
        V = directions.any()
        if V is None:
            return None
        return self._complete(directions) or self._quasi(directions, directions.sparse(V))

    def _complete(self, directions: Directions) -> Found | None:
        V = directions.complete()
        return None if V is None else self._strict(V)

    def _strict(self, V: np.ndarray) -> Found | None:
        """The direction V if every margin is above 0, exactly."""
        exact = float_direction(self.model.frame, V, self.columns, self.X.shape[1])
        signs = margin_signs(self.X, self.codes, exact)
        return _exactly(exact, COMPLETE) if signs.all_positive else None

    def _quasi(self, directions: Directions, V: np.ndarray) -> Found | None:
        exact = exact_direction(directions, V, self.columns, self.X.shape[1])
        if exact is not None:
            signs = margin_signs(self.X, self.codes, exact)
            if signs.none_negative and signs.some_positive:
                return _exactly(exact, COMPLETE if signs.all_positive else QUASI)
        return None

    @property
    def small(self) -> bool:
        """Whether rational arithmetic can decide in good time."""
        rows, size = len(self.codes) * (self.n_classes - 1), int(np.prod(self.model.shape))
        return size <= EXACT_WEIGHTS and (self.is_plain or 2 * rows * size <= EXACT_SIZE)

    @property
    def is_plain(self) -> bool:
        """Whether the question is that of ``linscope.separability``, which always has an answer."""
        return self.n_classes == 2 and self.intercept

    def by_fractions(self) -> Found | None:
        """Small tables, exactly: also margins that floats cannot tell from 0."""
        X = self.X[:, self.columns]
        X = X.toarray() if sparse.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)
        if self.is_plain:
            outcome = decide(SignedRows(X, np.where(self.codes == 1, 1.0, -1.0)))
        else:
            # V·a ≥ 0 without a bias is b + V·a ≥ 0 and −b + V·a ≥ 0 with one.
            A = self._differences(X)
            outcome = decide(SignedRows(np.vstack([A, -A]), np.repeat([1.0, -1.0], len(A))))
        if outcome.weights is None:
            return None
        kind = QUASI if outcome.circuit else COMPLETE
        return _exactly(self._as_direction(outcome.weights), kind)

    def _differences(self, X: np.ndarray) -> np.ndarray:
        """(e_y − e_k) ⊗ z for all rows and classes k ≠ y, without the class 0."""
        Z = np.column_stack([np.ones(len(X)), X]) if self.intercept else X
        rows = []
        for k in range(self.n_classes):
            mine = np.flatnonzero(self.codes != k)
            block = np.zeros((len(mine), self.n_classes, Z.shape[1]))
            block[np.arange(len(mine)), self.codes[mine]] = Z[mine]
            block[:, k] = -Z[mine]
            rows.append(block[:, 1:].reshape(len(mine), -1))
        return np.vstack(rows)

    def _as_direction(self, weights: list[Fraction]) -> Direction:
        """The vectors of all classes over all columns."""
        weights = weights if self.is_plain else weights[1:]
        size = len(self.columns) + int(self.intercept)
        rows = [weights[k : k + size] for k in range(0, len(weights), size)]
        return full_direction(rows, self.columns, self.X.shape[1], self.intercept)


def _exactly(direction: Direction, kind: str) -> Found:
    """An exact direction, scaled so that its largest weight is 1."""
    largest = max(abs(v) for row in direction for v in row[1:]) or Fraction(1)
    direction = tuple(tuple(v / largest for v in row) for row in direction)
    columns = [j for j in range(len(direction[0]) - 1) if any(row[j + 1] for row in direction)]
    rough = np.array([[float(v) for v in row] for row in direction])
    return Found(kind, direction, rough, columns)
