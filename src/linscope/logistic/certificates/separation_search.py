"""The search for a direction along which the likelihood grows for ever: one column, then few."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import sparse

from linscope.engines import Engine
from linscope.fitting.relations import find_relations
from linscope.rows.blocks import Block, with_columns
from linscope.separation.signed_rows import SignedRows
from linscope.separation.three_cases import decide
from linscope.verify.relations import ULP, ULP_32

from ..solvers.multinomial import Multinomial
from ..verify.separation import Direction, Signs, margin_signs
from .dependent_columns import constant, nearly_constant, suspects
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

    ``totals`` is the weight of each class, ``ulp`` that of the table. ``model`` has the columns
    numbered ``columns``: not constant (with a bias), not all 0. ``relations`` says what the others
    are, up to ``ulps``.
    """

    engine: Engine
    n_classes: int
    intercept: bool
    totals: np.ndarray
    ulp: float = ULP

    def __post_init__(self) -> None:
        self.d = self.engine.n_features
        self.model = Multinomial(self.engine, self.n_classes, self.intercept)
        self.columns = np.arange(self.d)
        self.relations: dict[int, dict[int, float]] = {}
        self.ulps = 0
        frame = self.model.frame
        matters, self.nothing = frame.changing, len(frame.changing) == 0
        if self.nothing:
            return
        if self.d <= MOST_COLUMNS:
            self.relations = constant(frame)
            self._leave_out(nearly_constant(frame, self.ulp))
        elif len(matters) < self.d:
            self._keep(matters)

    def _leave_out(self, guesses: dict[int, dict[int, float]]) -> None:
        """Leave out the columns for which a guess holds, and those that were left out before."""
        found, ulps = find_relations(self.engine, guesses, self.intercept, self.ulp)
        self.relations |= found
        self.ulps = max(self.ulps, ulps)
        kept = np.flatnonzero([j not in self.relations for j in self.columns.tolist()])
        if 0 < len(kept) < len(self.columns):
            self._keep(kept)
        elif len(kept) == 0:
            self.nothing = True

    def _keep(self, kept: np.ndarray) -> None:
        self.columns = self.columns[kept]
        part = self.engine.derive(with_columns, self.columns)
        self.model = Multinomial(part, self.n_classes, self.intercept)

    def drop_dependent(self) -> None:
        """Leave out columns that are combinations of others up to rounding."""
        if len(self.columns) > MOST_COLUMNS:
            return
        number = {-1: -1} | dict(enumerate(self.columns.tolist()))
        self._leave_out(
            {
                number[j]: {number[k]: c for k, c in guess.items()}
                for j, guess in suspects(self.model, self.ulp == ULP_32).items()
            }
        )

    def inside(self, weights: np.ndarray) -> np.ndarray:
        """Weights (K − 1, d + 1) in the coordinates of the model."""
        return self.model.frame.inside(weights[:, self._places])

    def outside(self, theta: np.ndarray) -> np.ndarray:
        """The inverse, 0 for columns that do not matter."""
        weights = np.zeros((self.n_classes - 1, self.d + 1))
        weights[:, self._places] = self.model.frame.outside(theta.reshape(self.model.shape))
        return weights

    @property
    def _places(self) -> np.ndarray:
        return np.r_[np.zeros(int(self.intercept), dtype=int), 1 + self.columns]

    def shares(self) -> np.ndarray:
        """The best weights without features: log N_k/N_0 of the classes as bias, if there is one.

        Rare classes need many Newton steps from 0, and few from here.
        """
        weights = np.zeros((self.n_classes - 1, self.d + 1))
        if self.intercept:
            logs = np.log(self.totals)
            weights[:, 0] = logs[1:] - logs[0]
        return weights

    def one_column(self, theta: np.ndarray) -> Found | None:
        """A single column that tells some classes from the others; θ is where to begin."""
        single = single_column(self.engine, self.n_classes, self.intercept)
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
        exact = float_direction(self.model.frame, V, self.columns, self.d)
        signs = self.engine.fold(signs_of, exact)
        return _exactly(exact, COMPLETE) if signs.all_positive else None

    def _quasi(self, directions: Directions, V: np.ndarray) -> Found | None:
        exact = exact_direction(directions, V, self.columns, self.d)
        if exact is not None:
            signs = self.engine.fold(signs_of, exact)
            if signs.none_negative and signs.some_positive:
                return _exactly(exact, COMPLETE if signs.all_positive else QUASI)
        return None

    @property
    def small(self) -> bool:
        """Whether rational arithmetic can decide in good time."""
        rows = self.engine.n_rows * (self.n_classes - 1)
        size = int(np.prod(self.model.shape))
        if size > EXACT_WEIGHTS or not self.engine.has_all_rows:
            return False
        return self.is_plain or 2 * rows * size <= EXACT_SIZE

    @property
    def is_plain(self) -> bool:
        """Whether the question is that of ``linscope.separability``, which always has an answer."""
        return self.n_classes == 2 and self.intercept

    @property
    def decided_sooner(self) -> bool:
        """Whether rational arithmetic is quicker than many Newton steps over many rows."""
        many = self.engine.n_rows * int(np.prod(self.model.shape)) > EXACT_SIZE
        return self.small and self.is_plain and many

    def by_fractions(self) -> Found | None:
        """Small tables, exactly: also margins that floats cannot tell from 0."""
        rows = self.model.engine.all_rows("exact arithmetic")
        X = rows.X.toarray() if sparse.issparse(rows.X) else rows.X
        if self.is_plain:
            outcome = decide(SignedRows(X, np.where(rows.y == 1, 1.0, -1.0)))
        else:
            # V·a ≥ 0 without a bias is b + V·a ≥ 0 and −b + V·a ≥ 0 with one.
            A = self._differences(X, rows.y)
            outcome = decide(SignedRows(np.vstack([A, -A]), np.repeat([1.0, -1.0], len(A))))
        if outcome.weights is None:
            return None
        kind = QUASI if outcome.circuit else COMPLETE
        return _exactly(self._as_direction(outcome.weights), kind)

    def _differences(self, X: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """(e_y − e_k) ⊗ z for all rows and classes k ≠ y, without the class 0."""
        Z = np.column_stack([np.ones(len(X)), X]) if self.intercept else X
        rows = []
        for k in range(self.n_classes):
            mine = np.flatnonzero(codes != k)
            block = np.zeros((len(mine), self.n_classes, Z.shape[1]))
            block[np.arange(len(mine)), codes[mine]] = Z[mine]
            block[:, k] = -Z[mine]
            rows.append(block[:, 1:].reshape(len(mine), -1))
        return np.vstack(rows)

    def _as_direction(self, weights: list[Fraction]) -> Direction:
        """The vectors of all classes over all columns."""
        weights = weights if self.is_plain else weights[1:]
        size = len(self.columns) + int(self.intercept)
        rows = [weights[k : k + size] for k in range(0, len(weights), size)]
        return full_direction(rows, self.columns, self.d, self.intercept)


def signs_of(block: Block, direction: Direction) -> Signs:
    """What the margins of the rows have in common."""
    return margin_signs(block.X, block.y, direction)


def _exactly(direction: Direction, kind: str) -> Found:
    """An exact direction, scaled so that its largest weight is 1."""
    largest = max(abs(v) for row in direction for v in row[1:]) or Fraction(1)
    direction = tuple(tuple(v / largest for v in row) for row in direction)
    columns = [j for j in range(len(direction[0]) - 1) if any(row[j + 1] for row in direction)]
    rough = np.array([[float(v) for v in row] for row in direction])
    return Found(kind, direction, rough, columns)
