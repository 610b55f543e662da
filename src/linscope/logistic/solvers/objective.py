"""The objective of logistic regression as sums over row blocks.

    P(W) = ½ Σ_{k,j≥1} ρ_j W_kj² + Σ_i c_i f(W [1, x_i])       ρ = 1 and c_i ← C c_i, or ρ = 0

Two classes have one row of weights, K classes have K (softmax). The bias is W[:, 0].
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from linscope.engines import Engine, here
from linscope.results import Look
from linscope.rows.blocks import SPARSE_ROWS, block_rows_for
from linscope.rows.curvature import mirrored

from . import blocks

# A block of sparse rows has so many entries for each number of its gradient.
ENTRIES_A_WEIGHT, MOST_SPARSE_BLOCKS = 8, 64
# Fewer entries are one block: waking a thread takes longer.
WORTH_THREADS = 100_000
# A share of the rows is of use if it has some of each class.
FEWEST_OF_A_CLASS = 20
# Products with weights beyond these leave the range of float32; smaller tables gain no time by it.
FLOAT32_WEIGHTS, FLOAT32_NUMBERS = (1e-20, 1e20), 200_000
# The name under which a table is kept in float32.
ROUGH = "float32"


@dataclass(eq=False)
class Point:
    """Weights with what one pass over the rows tells about them.

    What it tells of each row (``blocks.Terms``) stays where the rows are, under ``name``.
    """

    W: np.ndarray
    value: float
    gradient: np.ndarray
    name: str
    known: set[str] = field(default_factory=set)  # names of its curvature in other forms


@dataclass
class LogisticObjective:
    """P, its gradient and its curvature.

    Parameters
    ----------
    engine : the rows with class numbers 0 … K−1 and weights, already times C
    n_classes : K
    rho : 1 with a penalty, 0 without; one number per column where they have been scaled
    intercept : whether there is a bias
    float32 : whether rough products may be taken in float32
    """

    engine: Engine
    n_classes: int
    rho: float | np.ndarray = 1.0
    intercept: bool = True
    float32: bool = True

    def __post_init__(self) -> None:
        self.facts = blocks.Facts(*self.engine.fold(blocks.facts_of, self.n_classes))
        self.n, self.d = self.engine.n_rows, self.engine.n_features
        self.rows = 1 if self.n_classes == 2 else self.n_classes
        self.engine = self.engine.cut(self._block_rows())
        self.float32 &= FLOAT32_WEIGHTS[0] < self.facts.heaviest.value < FLOAT32_WEIGHTS[1]
        self.float32 &= self.n * self.d * self.rows > FLOAT32_NUMBERS
        self.mask = np.ones(self.d + 1)
        self.mask[0] = float(self.intercept)
        self._points: WeakValueDictionary[str, Point] = WeakValueDictionary()

    def _block_rows(self) -> int:
        if not self.is_sparse:
            return 4 * block_rows_for(self.d, 8)
        if self.facts.entries < WORTH_THREADS:
            return max(self.n, 1)
        # Each block has a gradient of its own: blocks must be large enough to pay for it.
        wanted = self.facts.entries // (ENTRIES_A_WEIGHT * (self.d + 1))
        return max(SPARSE_ROWS, -(-self.n // min(max(wanted, 4), MOST_SPARSE_BLOCKS)))

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.d + 1

    @property
    def is_sparse(self) -> bool:
        return self.engine.is_sparse

    @property
    def totals(self) -> np.ndarray:
        """Σ c of each class."""
        return self.facts.totals

    @property
    def total(self) -> float:
        """Σ c."""
        return float(self.facts.totals.sum())

    def evaluate(self, W: np.ndarray) -> Point:
        """Value, gradient and scores at W: one pass."""
        W = np.array(W, dtype=np.float64).reshape(self.shape)
        # What is kept for a point that nobody has any more gives way.
        number = 0
        while (name := str(number)) in self._points:
            number += 1
        loss, gradient = self.engine.keep(name, blocks.evaluate_block, W)
        if not self.intercept:
            gradient[:, 0] = 0.0
        pull = self.rho * W[:, 1:]
        gradient[:, 1:] += pull
        value = loss + 0.5 * float(np.vdot(pull, W[:, 1:]))
        point = self._points[name] = Point(W, value, gradient, name)
        return point

    @property
    def at_zero(self) -> float:
        """P(0) = Σ c log K."""
        return self.total * float(np.log(self.n_classes))

    def between(self, here: Point, there: Point, t: float) -> float:
        """P at W + t (V − W): scores are linear in the weights, so no pass over the features."""
        loss = self.engine.fold(blocks.loss_between, here.name, there.name, t)
        return loss + self.penalty(here.W + t * (there.W - here.W))

    def penalty(self, W: np.ndarray) -> float:
        """½ρ Σ_{k,j≥1} W_kj²."""
        return 0.5 * float(np.sum(self.rho * W[:, 1:] ** 2))

    def least_score(self, point: Point) -> float:
        """The least |score|."""
        return self.engine.fold(blocks.least_score, point.name).value

    def residuals(self, point: Point) -> float:
        """Σ c |p − e_y|."""
        return self.engine.fold(blocks.sum_of_residuals, point.name)

    def product(self, point: Point, V: np.ndarray, *, rough: bool = False) -> np.ndarray:
        """∇²P(W) V, two products with X; rough: in float32 where the table is dense."""
        V = np.reshape(V, self.shape) * self.mask
        rough = rough and not self.is_sparse and self.float32
        dtype, size = (np.float32 if rough else np.float64), 1.0
        if rough:  # the largest entry becomes 1: float32 has a small range
            size = float(np.abs(V).max()) or 1.0
            self._keep_rough()
        # That of two classes is kept as it is needed.
        as_is = self.rows == 1 and not rough
        curvature = point.name if as_is else f"{point.name} {dtype.__name__}"
        if not as_is and curvature not in point.known:
            self.engine.keep(curvature, blocks.curvature_by_class, point.name, dtype)
            point.known.add(curvature)
        table, inside = ROUGH if rough else None, np.divide(V, size).astype(dtype, copy=False)
        out = self.engine.fold(blocks.curved, curvature, table, inside) * (size * self.mask)
        out[:, 1:] += self.rho * V[:, 1:]
        return out

    def _keep_rough(self) -> None:
        if not self._has_rough:
            self.engine.keep(ROUGH, blocks.rough_columns)
            self._has_rough = True

    _has_rough = False

    @property
    def hessian_work(self) -> int:
        """Multiplications of a whole Hessian."""
        return self.n * (self.rows * (self.d + 1)) ** 2

    def hessian(self, point: Point, dtype: Any = np.float64, *, whole: bool = True) -> np.ndarray:
        """∇²P(W), all weights by all weights; for two classes products may be taken in float32.

        ``whole`` as ``class_hessians`` has it.

        What K > 2 classes have in common changes no probability, so that the losses have no
        curvature there: some is added, of about the size of the others.
        """
        if self.rows == 1:
            return self.class_hessians(point, dtype, whole=whole)[0]
        K, p = self.shape
        H = self.engine.fold(blocks.softmax_hessian, point.name)
        if not self.intercept:  # also between classes
            H[:, 0], H[:, :, :, 0] = 0.0, 0.0
        alike = np.einsum("kjlj->jkl", H)  # a view
        alike += np.einsum("jkk->j", alike)[:, None, None] / K**2
        self._penalise(np.einsum("kikj->kij", H))
        return H.reshape(K * p, K * p)

    def hessian_root(self, point: Point) -> np.ndarray:
        """A with AᵀA = ∇²P(W), whose condition is the root of that of ∇²P."""
        K, p = self.shape
        parts = self.engine.gather(blocks.curvature_roots, point.name).reshape(-1, K, p)
        pull = np.zeros((K, p, K, p))
        for k in range(K):
            pull[k, 1:, k, 1:] = np.diag(np.sqrt(np.broadcast_to(self.rho, p - 1)))
        if not self.intercept:
            parts[:, :, 0] = 0.0
            for k in range(K):
                pull[k, 0, k, 0] = 1.0
        return np.concatenate([parts.reshape(-1, K * p), pull.reshape(K * p, K * p)])

    def class_hessians(
        self, point: Point, dtype: Any = np.float64, *, whole: bool = True
    ) -> np.ndarray:
        """The diagonal blocks of ∇²P(W), (d + 1, d + 1) for each row of weights.

        At W = 0 all are the same, and there is only one. Where not the whole is asked for, those
        of sparse rows have their lower triangles only.
        """
        dtype = dtype if self.float32 else np.float64
        most = self.rows if point.W.any() else 1
        H = self.engine.fold(blocks.class_hessians, point.name, most, dtype)
        H = mirrored(H) if whole and self.is_sparse else H
        self._penalise(H)
        return H

    def _penalise(self, H: np.ndarray) -> None:
        """Add the penalty's part to the Hessians of rows of weights, (rows, d + 1, d + 1)."""
        np.einsum("kjj->kj", H)[:, 1:] += self.rho
        if not self.intercept:
            H[:, 0, :], H[:, :, 0] = 0.0, 0.0
            H[:, 0, 0] = 1.0

    def diagonal(self, point: Point) -> np.ndarray:
        """The diagonal of ∇²P(W), in the shape of W."""
        out = self.engine.fold(blocks.squares, point.name)
        out[:, 1:] += self.rho
        return out

    def share(self, rows: int) -> LogisticObjective | None:
        """About so many rows, evenly spread, that stand for all; None if unfit."""
        some = self.engine.some(rows)
        if np.bincount(some.y, minlength=self.n_classes).min() < FEWEST_OF_A_CLASS:
            return None
        weight = some.weight if some.weighted else np.ones(len(some.y))
        some = replace(some, weight=weight * (self.n / len(some.y)))
        return replace(self, engine=here(some))

    def some(self, rows: int) -> LogisticObjective:
        """About so many rows, evenly spread, as they are."""
        return replace(self, engine=here(self.engine.some(rows)))


def look(
    objective: LogisticObjective,
    point: Point,
    decrement: float = np.nan,
    t: float = np.nan,
    moved: bool = False,
    **more: float,
) -> Look:
    """What a log says of a point; ``decrement`` is that of Newton's method, t the step from it."""
    slope = float(np.linalg.norm(point.gradient))
    numbers = {"P": point.value, "gradient_norm": slope, "decrement": decrement, **more}
    return Look(point.W, numbers | {"t": t if moved else np.nan}, objective.n, moved)
