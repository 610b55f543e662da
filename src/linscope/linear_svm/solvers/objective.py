"""The objective of a linear support vector machine as sums over row blocks.

    P(W)  =  ½ Σ_j ρ_j W_j² + Σ_i φ_i(m_i),      m_i = y_i W·[1, x_i],   W_0 the bias

φ_i is the piecewise quadratic of ``blocks``. ρ_0 = 0 leaves the bias free, ρ_0 = 1 is
LIBLINEAR's problem. ρ_j ≠ 1 stands for columns that have been scaled: those far from 1 are, by
powers of two; with a free bias dense columns are also moved to about mean 0. The problem stays the
same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from linscope.engines import Engine, here
from linscope.engines.order import reached
from linscope.fitting.column_scaling import ColumnFrame, framed
from linscope.rows.blocks import SPARSE_ROWS, block_rows_for, largest_value

from . import blocks
from .blocks import COMPLEMENT, NOTHING, SLACK, SQUARED_SLACK, Pieces

# Fewer numbers than this are not worth a second thread; work is cut into so many blocks, but not
# into smaller ones than this.
WORTH_THREADS, BLOCKS, LEAST_BLOCK = 400_000, 8, 250_000
FEWEST_OF_A_CLASS = 20
# A slope that is so small beside its terms is rounding.
MOST_SEARCHES, FLAT = 100, 2.0**-51
# A step of less than this, relative to the weights, changes none of them.
UNSEEN = 2.0**-60
# Smaller penalties are none at all; then this share of P(0) takes their place.
NO_PENALTY, LOOSE = 1e-30, 1e-12


@dataclass(eq=False)
class Kept:
    """Multipliers, one for each row, that stay where the rows are, under ``name``."""

    name: str


@dataclass(eq=False)
class Point(Kept):
    """Weights with what one pass over the rows tells about them.

    What it tells of each row (``blocks.Terms``) stays where the rows are, under ``name``.
    """

    W: np.ndarray
    gradient: np.ndarray
    totals: np.ndarray
    engine: Engine

    @cached_property
    def margins(self) -> np.ndarray:
        return self.engine.gather(blocks.kept, self.name, "margins")

    @cached_property
    def alpha(self) -> np.ndarray:
        """α ≥ 0 of each row."""
        return self.engine.gather(blocks.kept, self.name, "alpha")

    @cached_property
    def active(self) -> np.ndarray:
        return self.engine.gather(blocks.kept, self.name, "active")


@dataclass
class MarginObjective:
    """Rows, labels ±1, weights and strength C of one binary problem.

    Parameters
    ----------
    engine : the rows with labels −1.0 and +1.0, and the weights c of the samples
    C : strength of the loss
    squared : the squared hinge, or the hinge
    rho : d + 1 penalties, bias first
    intercept : whether there is a bias at all; without one W_0 stays 0
    pull : Σ α y [1, x] of rows that are left out, their α taken as constant
    """

    engine: Engine
    C: float
    squared: bool
    rho: np.ndarray = field(default_factory=lambda: NOTHING)
    intercept: bool = True
    pull: np.ndarray | float = 0.0

    def __post_init__(self) -> None:
        self.n, self.d = self.engine.n_rows, self.engine.n_features
        if not len(self.rho):
            self.rho = np.r_[0.0, np.ones(self.d)]
        self.total, numbers = self.engine.fold(blocks.facts_block)
        self.engine = self.engine.cut(self._block_rows(numbers))
        # The least P(W) so far; P(0) to begin with.
        self.least = self.C * self.total
        self.smooth = Pieces(NOTHING, 2.0 * self.C, np.inf)
        self._kept: WeakValueDictionary[str, Kept] = WeakValueDictionary()

    def _block_rows(self, numbers: int) -> int:
        if numbers < WORTH_THREADS:
            return max(self.n, 1)
        most = max(-(-self.n // BLOCKS), -(-self.n * LEAST_BLOCK // numbers))
        if self.engine.is_sparse:
            return max(SPARSE_ROWS, most)
        return max(64, min(4 * block_rows_for(self.d, 8), most))

    @cached_property
    def largest(self) -> float:
        """The largest |x|."""
        return float(self.engine.fold(largest_value).value)

    @cached_property
    def y(self) -> np.ndarray:
        return self.engine.gather(blocks.labels_block)

    @cached_property
    def c(self) -> np.ndarray:
        """The weights of the samples, or nothing."""
        return self.engine.gather(blocks.weights_block)

    @property
    def free_bias(self) -> bool:
        return self.intercept and self.rho[0] == 0.0

    def evaluate(self, W: np.ndarray, pieces: Pieces | None = None) -> Point:
        """One pass: margins, α, activity and gradient at W."""
        W = np.array(W, dtype=np.float64)
        name, pieces = self._free_name(), self.smooth if pieces is None else pieces
        totals, v = self.engine.keep(name, blocks.evaluate_block, W, *_sent(pieces))
        gradient = self.rho * W - v - self.pull
        if not self.intercept:
            gradient[0] = 0.0
        point = self._kept[name] = Point(name, W, gradient, totals, self.engine)
        return point

    def _free_name(self) -> str:
        """What is kept for a point that nobody has any more gives way."""
        return next(name for name in map(str, count()) if name not in self._kept)

    def multipliers(self, a: Any, rows: np.ndarray | None = None) -> np.ndarray:
        """Multipliers of all rows or of some, brought here."""
        return self.engine.gather(blocks.multipliers_of, _sent_multipliers(a), rows)

    def patched(self, a: Kept, rows: np.ndarray, values: np.ndarray) -> Kept:
        """Multipliers with other values for some rows."""
        name = self._free_name()
        self.engine.keep(name, blocks.patched_block, a.name, rows, values)
        found = self._kept[name] = Kept(name)
        return found

    def slack(self, point: Point) -> np.ndarray:
        """ξ of each row, brought here."""
        return self.engine.gather(blocks.slack_block, point.name)

    def rank(self, k: int, task: Any, *words: Any) -> float:
        """The k-th smallest, counted from 0, of what a task tells of each row."""
        return reached(self.engine, task, words, k + 1, weighted=False)

    def named_rows(self, task: Any, *words: Any) -> np.ndarray | None:
        """The rows that a task names, in numbers; None if they are too many to be brought here."""
        most = self.engine.room / (self.d + 2)
        if most < self.n and self.engine.fold(blocks.how_many, task, words) > most:
            return None
        return self.engine.gather(task, *words)

    def settled(self, before: Point, now: Point) -> bool:
        """Whether the same rows are active at both."""
        return self.engine.fold(blocks.compare_block, before.name, now.name)[1] == 0

    def primal(self, point: Point) -> float:
        """P(W), without what a restriction leaves out."""
        loss = point.totals[SQUARED_SLACK if self.squared else SLACK]
        value = 0.5 * float(np.sum(self.rho * point.W * point.W)) + self.C * float(loss)
        if not np.any(self.pull):
            self.least = min(self.least, value)
        return value

    # With v = Σ α y [1, x] = ρ W − g:  P(W) − D(α) = Σ (C c ξ − α (1 − m)) + ½ Σ_j g_j²/ρ_j,
    # and for a free bias |g_0| (|b| + |b*|) more. For the squared hinge the first sum is 0.
    def gap(self, point: Point) -> float:
        """A bound on P(W) − min P: the duality gap of W and α; no data are read."""
        lacking, mismatch = self.gap_parts(point)
        return lacking + mismatch

    def gap_parts(self, point: Point) -> tuple[float, float]:
        """What complementary slackness lacks, and the mismatch of W and α.

        That is ½ Σ_j g_j²/ρ_j, plus |g_0| times a bound on |b − b*| if the bias is free.
        """
        g, lacking = point.gradient, float(point.totals[COMPLEMENT])
        mismatch = 0.5 * float(np.sum(g[1:] / self.held[1:] * g[1:]))
        if self.free_bias:
            mismatch += abs(float(g[0])) * (self.bias_bound + abs(float(point.W[0])))
        elif self.intercept:
            mismatch += 0.5 * float(g[0] * g[0]) / float(self.rho[0])
        return lacking, mismatch

    @cached_property
    def held(self) -> np.ndarray:
        """ρ, but never so small that rounding of Σ α y x would count as a mismatch.

        That only happens to columns of a size like 1e150, whose penalty is as good as none; there
        ``gap`` is an estimate. The certificate says what is proven.
        """
        nothing = self.rho < NO_PENALTY
        nothing[0] = False
        return np.where(nothing, LOOSE * self.C * self.n, self.rho)

    @property
    def bias_bound(self) -> float:
        """|b*| ≤ 1 + ‖w*‖ max‖x‖, since each class has a margin of at most 1; ½‖w*‖² ≤ P."""
        return 1.0 + float(np.sqrt(2.0 * self.least)) * self.longest

    @cached_property
    def longest(self) -> float:
        """The largest Σ_{j≥1} x_j²/ρ_j of a row, with ``held`` for ρ; its root."""
        return float(np.sqrt(self.engine.fold(blocks.longest_block, 1.0 / self.held[1:]).value))

    def combine(self, alpha: Any) -> np.ndarray:
        """Σ α y [1, x]."""
        return self.engine.fold(blocks.sum_block, _sent_multipliers(alpha))

    def search(self, point: Point, there: Point, D: np.ndarray, pieces: Pieces) -> float:
        """The t > 0 where ψ(t) = P(W + t D) is least, exactly; ``there`` is t = 1.

        ψ' is increasing and piecewise linear: Newton's method, held between bounds, ends when it
        stays on one piece.
        """
        at_zero = float(np.sum((self.rho * point.W - self.pull) * D))
        square = float(np.sum(self.rho * D * D))
        self.engine.keep("along", blocks.along_block, point.name, there.name)
        low, high, t, sent = 0.0, np.inf, 1.0, _sent(pieces)
        longest, size = np.abs(D).max(), np.abs(point.W).max()
        for _ in range(MOST_SEARCHES):
            pull, bend = self.engine.fold(blocks.slope_block, point.name, t, *sent)
            slope, curvature = at_zero + t * square - pull, square + bend
            if abs(slope) <= FLAT * (abs(at_zero) + t * square + abs(pull)):
                break  # level, as far as floats can tell: further steps might never end
            if slope > 0.0:
                high = t
            else:
                low = t
            ahead = t - slope / curvature if curvature > 0.0 else np.inf
            if not low < ahead < high:
                ahead = 0.5 * (low + high) if high < np.inf else 4.0 * t
            if abs(ahead - t) <= 1e-15 * t or high * longest <= UNSEEN * size:
                break
            t = ahead
        return t

    def share(self, rows: int) -> MarginObjective | None:
        """About so many rows, evenly spread, that stand for all; None if unfit."""
        some = self.engine.some(rows)
        if min(np.sum(some.y > 0), np.sum(some.y < 0)) < FEWEST_OF_A_CLASS:
            return None
        C = self.C * self.n / len(some.y)
        return MarginObjective(here(some), C, self.squared, self.rho, self.intercept)

    def restrict(self, rows: np.ndarray, point: Point) -> MarginObjective:
        """These rows only; the others keep their α, which acts as a constant pull."""
        own = here(self.engine.take(rows))
        part = MarginObjective(own, self.C, self.squared, self.rho, self.intercept)
        total = self.rho * point.W - point.gradient - self.pull
        part.pull = total - part.combine(self.multipliers(point, rows))
        part.least = self.least
        if self.free_bias:
            part.longest = self.longest
        return part


def _sent(pieces: Pieces) -> Pieces:
    """As tasks understand it."""
    return pieces._replace(a=_sent_multipliers(pieces.a))


def _sent_multipliers(a: Any) -> Any:
    return a.name if isinstance(a, Kept) else a


def margin_problem(
    engine: Engine,
    C: float,
    *,
    squared: bool,
    penalize_intercept: bool = False,
    fit_intercept: bool = True,
    largest: float | None = None,
) -> tuple[MarginObjective, ColumnFrame]:
    """The objective, and the frame whose ``original`` gives weights of the given columns.

    Parameters
    ----------
    engine : the rows, with labels −1.0 and +1.0 and the weights of the samples
    C : strength of the loss, finite
    squared : the squared hinge, or the hinge
    penalize_intercept : whether ½b² counts
    fit_intercept : whether there is a bias b
    largest : a bound of the numbers, if somebody has seen that they are finite
    """
    if not 0.0 < C < np.inf:
        raise ValueError(f"C must be positive and finite here, got {C!r}: see hard_margin for inf")
    movable = fit_intercept and not penalize_intercept
    frame = framed(engine, fit_intercept=movable, largest=largest)
    penalised = fit_intercept and penalize_intercept
    rho = np.r_[float(penalised), np.broadcast_to(frame.pull(1.0), engine.n_features)]
    return MarginObjective(frame.engine, C, squared, rho, fit_intercept), frame
