"""Linear support vector machines: the objective at the given floats, and a bound on its minimum.

    P(w, b)  =  ½‖w‖² (+ ½b²) + C Σ_i c_i ξ_i  (or ξ_i²),      ξ_i = max(0, 1 − y_i (w·x_i + b))
    D(α)     =  Σ α_i − ½‖Σ α_i y_i x_i‖² (− ½(Σ α_i y_i)²)    (for ξ_i²: − Σ α_i² / (4 C c_i))

    min P  ≥  D(α)   for all  0 ≤ α_i ≤ C c_i  (for ξ_i²: 0 ≤ α_i),

with a free bias only if Σ α_i y_i is exactly 0: α is *repaired* first, and only ever made smaller.
The terms with ½b² and ½(Σ α y)² belong to a penalised bias. C = ∞ is the hard margin: P is ½‖w‖² if
no ξ_i is above 0, exactly, and else ∞; α has no upper bound.

1 − y (w·x + b) is summed as a whole, since at large scales it is far smaller than its terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linscope.arithmetic.enclosures import BLOCK, TINY, UNIT, Ball, products, scores, total
from linscope.arithmetic.whole_sums import as_float, whole_sum
from linscope.rows.blocks import Block, Largest, blind
from linscope.verify.exact_signs import settled_scores

# The names under which the deficits 1 − y (w·x + b) and α stay with the rows.
DEFICITS, ALPHA = "deficits", "alpha"
# Each repair divides what is left of Σ α y by about 2^50.
MOST_REPAIRS = 60


@dataclass(frozen=True)
class Problem:
    """What is minimised: an engine's rows with signs ±1.0 and positive weights, C and the form."""

    engine: Any
    C: float
    squared: bool = False
    penalised: bool = False
    intercept: bool = True

    @property
    def numbers(self) -> int:
        """Of the table, zeros included."""
        return self.engine.n_rows * self.engine.n_features

    @cached_property
    def c(self) -> np.ndarray:
        """The weights of the samples; empty if all are 1."""
        return self.engine.gather(_weights)

    @property
    def hard(self) -> bool:
        return bool(np.inf == self.C)

    @property
    def free_bias(self) -> bool:
        return self.intercept and not self.penalised


class Bounds(NamedTuple):
    """P, a lower bound of min P, an upper bound of P − min P, and ξ of each row."""

    primal: Ball
    dual: float
    gap: float
    slack: np.ndarray

    @property
    def value(self) -> float:
        """P as a float; ∞ where nothing is known."""
        return float(self.primal.mid) if self.primal.rad < np.inf else np.inf


def bounds(problem: Problem, W: np.ndarray, alpha: np.ndarray, *, precise: bool) -> Bounds:
    """Both sides of the minimum; α within its box, W with the bias first."""
    value = objective(problem, W, precise=precise)
    slack = problem.engine.gather(_slack)
    dual = lower_bound(problem, alpha, precise=precise)
    problem.engine.forget(DEFICITS)
    return Bounds(value, dual, gap_between(value, dual), slack)


def gap_between(value: Ball, dual: float) -> float:
    high = float(value.high) if value.rad else float(value.mid)
    if high == dual:
        return 0.0
    return float(max(np.nextafter(high - dual, np.inf), 0.0)) if high < np.inf else np.inf


def objective(problem: Problem, W: np.ndarray, *, precise: bool) -> Ball:
    """P(w, b); the deficits 1 − y (w·x + b) stay with the rows."""
    half = _half_square(Ball.of(W if problem.penalised else W[1:]))
    loss = problem.engine.keep(DEFICITS, _loss, W, precise, problem.squared)
    if problem.hard:
        return half if _within(problem, W) else Ball(np.inf, np.inf)
    return half if not (loss.mid or loss.rad) else _sum(half, Ball.of(problem.C) * loss)


def largest_deficit(problem: Problem, alpha: np.ndarray) -> float:
    """Of the rows that are below the top of their box, from the last ``objective``; 0 at least."""
    form = problem.C, problem.squared or problem.hard
    return problem.engine.fold(_largest_deficit, alpha, *form).value


def _loss(block: Block, W: np.ndarray, precise: bool, squared: bool) -> tuple[Ball, Ball]:
    """The deficits, which are kept; Σ c ξ or Σ c ξ²."""
    deficit = _deficits(block, W, precise)
    slack = deficit.positive_part()
    some = np.flatnonzero((slack.mid > 0.0) | (slack.rad > 0.0))
    slack = slack.take(some)
    slack = slack * slack if squared else slack
    return deficit, total(slack * block.weight[some] if block.weighted else slack)


def _deficits(block: Block, W: np.ndarray, precise: bool) -> Ball:
    X, y = block.X, block.y
    if not W[1:].any():
        return Ball.of(1.0) - Ball.of(y * W[0])
    if not precise:
        plain = scores(X, W)
        return Ball.of(1.0) - Ball.of(y) * Ball(plain.mid[:, 0], plain.rad[:, 0])
    V, n = _turned_weights(W), len(y)
    mid, rad = np.empty(n), np.empty(n)
    step = max(1, BLOCK // len(V))
    for first in range(0, n, step):
        part = slice(first, min(n, first + step))
        found = scores(_turned(X[part], y[part]), V, precise=True)
        mid[part], rad[part] = found.mid[:, 0], found.rad[:, 0]
    return Ball(mid, rad)


@blind
def _slack(block: Block) -> np.ndarray:
    return np.maximum(block.kept[DEFICITS].mid, 0.0)


@blind
def _largest_deficit(block: Block, alpha: np.ndarray, C: float, unbounded: bool) -> Largest:
    below = alpha[block.rows] < _ceiling(block.weight, C, unbounded)
    return Largest(block.kept[DEFICITS].mid[below].max(initial=0.0))


@blind
def _doubtful(block: Block) -> np.ndarray:
    """Rows whose deficit may be above 0."""
    return block.start + np.flatnonzero(~(block.kept[DEFICITS].high <= 0.0))


@blind
def _lacking(block: Block) -> int:
    """How many rows have a deficit above 0 for sure."""
    return int(np.count_nonzero(block.kept[DEFICITS].low > 0.0))


@blind
def _weights(block: Block) -> np.ndarray:
    return block.weight


def _turned(X: Any, y: np.ndarray) -> Any:
    """−y [x, 1] of some rows: times (w, b) and plus 1 it is the deficit."""
    if not sparse.issparse(X):
        return np.column_stack([X, np.ones(len(y))]) * -y[:, None]
    signs = sparse.diags_array(-y)
    return (signs @ sparse.hstack([X, np.ones((len(y), 1))], format="csr")).tocsr()


def _turned_weights(W: np.ndarray) -> np.ndarray:
    return np.r_[1.0, W[1:], W[0]]


def _half_square(v: Ball) -> Ball:
    """½‖v‖²; exactly 0 for zeros."""
    some = np.flatnonzero((v.mid != 0.0) | (v.rad > 0.0))
    if not len(some):
        return Ball(0.0, 0.0)
    v = v.take(some)
    square = total(v * v)
    return Ball(0.5 * square.mid, 0.5 * square.rad + TINY)


def _sum(*parts: Ball) -> Ball:
    return total(Ball(np.array([p.mid for p in parts]), np.array([p.rad for p in parts])))


def _within(problem: Problem, W: np.ndarray) -> bool:
    """Whether no deficit is above 0; those in doubt are worked out exactly."""
    if problem.engine.fold(_lacking):
        return False
    rows = problem.engine.gather(_doubtful)
    if not len(rows):
        return True
    doubtful = problem.engine.take(rows)
    turned = _turned(doubtful.X, doubtful.y)
    return not (settled_scores(turned, _turned_weights(W)) > 0.0).any()


def lower_bound(problem: Problem, alpha: np.ndarray, *, precise: bool) -> float:
    """D(α), repaired and rounded down; 0 where that is more."""
    squared = problem.squared and not problem.hard
    found = feasible(problem, alpha, problem.engine)
    v, whole, square = problem.engine.fold(_dual_terms, found, precise, problem.C, squared)
    if not whole:
        return 0.0
    first, value = 0 if problem.intercept and problem.penalised else 1, as_float(whole)
    parts = [
        Ball.safe(value, UNIT * value),
        -_half_square(Ball(v.mid[0, first:], v.rad[0, first:])),
    ]
    if squared:
        parts.append(-square)
    bound = _sum(*parts)
    return max(float(bound.low), 0.0) if bound.rad < np.inf else 0.0


def _dual_terms(block: Block, found: Feasible, precise: bool, C: float, squared: bool) -> tuple:
    """Σ α y [1, x], Σ α and, for the squared hinge, Σ α² / (4 C c)."""
    alpha, square = found.of(block), Ball(0.0, 0.0)
    v = products(block.X, (alpha * block.y)[:, None], precise=precise)
    if squared:
        price = Ball.of(4.0 * C) * Ball.of(block.weight if block.weighted else 1.0)  # 4 C is exact
        square = total(Ball.of(alpha).over(price) * Ball.of(alpha))
    return v, whole_sum(alpha), square


def ceiling(problem: Problem) -> np.ndarray | float:
    """C c_i rounded down, or ∞."""
    return _ceiling(problem.c, problem.C, problem.squared or problem.hard)


def _ceiling(c: np.ndarray, C: float, unbounded: bool) -> np.ndarray | float:
    if unbounded:
        return np.inf
    if not len(c):
        return C
    with np.errstate(over="ignore", under="ignore"):
        return np.nextafter(C * c, 0.0)


class Feasible(NamedTuple):
    """The α of the rows cut to its box; each class times its share; and single ones, by row."""

    C: float
    unbounded: bool
    shares: tuple[float, float] = (1.0, 1.0)
    singles: tuple[tuple[int, float], ...] = ()

    def of(self, block: Block) -> np.ndarray:
        top = _ceiling(block.weight, self.C, self.unbounded)
        own = np.minimum(np.maximum(block.kept[ALPHA], 0.0), top)
        if self.shares != (1.0, 1.0):
            own = np.minimum(own * np.where(block.y > 0, *self.shares), own)
        for row, value in self.singles:
            if block.rows.start <= row < block.rows.stop:
                own[row - block.start] = value
        return own


def feasible(problem: Problem, alpha: np.ndarray, engine: Any) -> Feasible:
    """α cut to its box and, for a free bias, with Σ α y = 0, exactly.

    The heavier class is scaled down, then single ones by bits. α is brought to the engine, which
    has the rows of the problem, perhaps in other units, and stays there.
    """
    engine.keep(ALPHA, _bring, alpha)
    found = Feasible(problem.C, problem.squared or problem.hard)
    if not problem.free_bias:
        return found
    plus, minus = map(as_float, engine.fold(_class_sums, found))
    low, nothing = min(plus, minus), found._replace(shares=(0.0, 0.0))
    if not 0.0 < low < np.inf:
        return nothing
    found = found._replace(shares=(low / plus, low / minus))
    plus, minus = engine.fold(_class_sums, found)
    left = plus - minus
    for _ in range(MOST_REPAIRS):
        if left == 0:
            return found
        off = as_float(left)
        able = engine.fold(_able, found, off)
        if able.row < 0:
            break
        # Less than its last bit is too little: then a bit more, and the other class mends that.
        value = min(able.value - abs(off), np.nextafter(able.value, 0.0))
        change = whole_sum(np.array([value, -able.value]))
        left += change if off > 0.0 else -change
        found = found._replace(singles=(*found.singles, (able.row, float(value))))
    return nothing


@blind
def _bring(block: Block, alpha: np.ndarray) -> tuple[np.ndarray, int]:
    return alpha[block.rows], 0


@blind
def _class_sums(block: Block, found: Feasible) -> tuple[int, int]:
    """Σ α of the positive and of the negative rows."""
    alpha = found.of(block)
    return whole_sum(alpha[block.y > 0]), whole_sum(alpha[block.y < 0])


class Smallest(NamedTuple):
    """The first row with the least value; row −1 for none."""

    value: float
    row: int

    def plus(self, other: Smallest) -> Smallest:
        return other if other.value < self.value or self.row < 0 else self


@blind
def _able(block: Block, found: Feasible, off: float) -> Smallest:
    """The smallest α that can be made less by so much: its last bit is the finest."""
    alpha = found.of(block)
    able = np.flatnonzero((block.y * off > 0.0) & (alpha >= abs(off)))
    if not len(able):
        return Smallest(np.inf, -1)
    k = able[np.argmin(alpha[able])]
    return Smallest(float(alpha[k]), block.start + int(k))
