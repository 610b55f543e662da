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
from math import fsum
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linscope.arithmetic.enclosures import BLOCK, TINY, Ball, products, scores, total
from linscope.rows.blocks import Block, blind
from linscope.verify.exact_signs import settled_scores

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
    def y(self) -> np.ndarray:
        return self.engine.gather(_signs)

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

    @property
    def weight(self) -> np.ndarray:
        return self.c if len(self.c) else np.ones(len(self.y))


class Bounds(NamedTuple):
    """P, a lower bound of min P, an upper bound of P − min P, and 1 − y (w·x + b) of each row."""

    primal: Ball
    dual: float
    gap: float
    deficit: np.ndarray

    @property
    def value(self) -> float:
        """P as a float; ∞ where nothing is known."""
        return float(self.primal.mid) if self.primal.rad < np.inf else np.inf


def bounds(problem: Problem, W: np.ndarray, alpha: np.ndarray, *, precise: bool) -> Bounds:
    """Both sides of the minimum; α within its box, W with the bias first."""
    deficit = deficits(problem, W, precise=precise)
    value = objective(problem, W, deficit)
    dual = lower_bound(problem, alpha, precise=precise)
    return Bounds(value, dual, gap_between(value, dual), deficit.mid)


def gap_between(value: Ball, dual: float) -> float:
    high = float(value.high) if value.rad else float(value.mid)
    if high == dual:
        return 0.0
    return float(max(np.nextafter(high - dual, np.inf), 0.0)) if high < np.inf else np.inf


def deficits(problem: Problem, W: np.ndarray, *, precise: bool) -> Ball:
    """1 − y (w·x + b) of each row."""
    return Ball(*problem.engine.gather(_deficits, W, precise))


def _deficits(block: Block, W: np.ndarray, precise: bool) -> tuple[np.ndarray, np.ndarray]:
    X, y = block.X, block.y
    if not W[1:].any():
        found = Ball.of(1.0) - Ball.of(y * W[0])
        return found.mid, found.rad
    if not precise:
        plain = scores(X, W)
        found = Ball.of(1.0) - Ball.of(y) * Ball(plain.mid[:, 0], plain.rad[:, 0])
        return found.mid, found.rad
    V, n = _turned_weights(W), len(y)
    mid, rad = np.empty(n), np.empty(n)
    step = max(1, BLOCK // len(V))
    for first in range(0, n, step):
        part = slice(first, min(n, first + step))
        found = scores(_turned(X[part], y[part]), V, precise=True)
        mid[part], rad[part] = found.mid[:, 0], found.rad[:, 0]
    return mid, rad


@blind
def _signs(block: Block) -> np.ndarray:
    return block.y


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


def objective(problem: Problem, W: np.ndarray, deficit: Ball) -> Ball:
    """P(w, b) from the deficits of all rows."""
    half = _half_square(Ball.of(W if problem.penalised else W[1:]))
    if problem.hard:
        return half if _within(problem, W, deficit) else Ball(np.inf, np.inf)
    slack = deficit.positive_part()
    some = np.flatnonzero((slack.mid > 0.0) | (slack.rad > 0.0))
    if not len(some):
        return half
    slack = slack.take(some)
    slack = slack * slack if problem.squared else slack
    loss = Ball.of(problem.C) * total(slack * problem.c[some] if len(problem.c) else slack)
    return _sum(half, loss)


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


def _within(problem: Problem, W: np.ndarray, deficit: Ball) -> bool:
    """Whether no deficit is above 0; those in doubt are worked out exactly."""
    if (deficit.low > 0.0).any():
        return False
    rows = np.flatnonzero(~(deficit.high <= 0.0))
    if not len(rows):
        return True
    doubtful = problem.engine.take(rows)
    turned = _turned(doubtful.X, doubtful.y)
    return not (settled_scores(turned, _turned_weights(W)) > 0.0).any()


def lower_bound(problem: Problem, alpha: np.ndarray, *, precise: bool) -> float:
    """D(α), repaired and rounded down; 0 where that is more."""
    alpha = feasible(problem, alpha)
    if not alpha.any():
        return 0.0
    v = problem.engine.fold(_combined, alpha, precise)
    first = 0 if problem.intercept and problem.penalised else 1
    parts = [total(alpha), -_half_square(Ball(v.mid[0, first:], v.rad[0, first:]))]
    if problem.squared and not problem.hard:
        price = Ball.of(4.0 * problem.C) * Ball.of(problem.weight)  # 4 C is exact
        parts.append(-total(Ball.of(alpha).over(price) * Ball.of(alpha)))
    value = _sum(*parts)
    return max(float(value.low), 0.0) if value.rad < np.inf else 0.0


def _combined(block: Block, alpha: np.ndarray, precise: bool) -> Ball:
    """Σ α y [1, x]."""
    return products(block.X, (alpha[block.rows] * block.y)[:, None], precise=precise)


def ceiling(problem: Problem) -> np.ndarray | float:
    """C c_i rounded down, or ∞."""
    if problem.squared or problem.hard:
        return np.inf
    if not len(problem.c):
        return problem.C
    with np.errstate(over="ignore", under="ignore"):
        return np.nextafter(problem.C * problem.c, 0.0)


def feasible(problem: Problem, alpha: np.ndarray) -> np.ndarray:
    """α cut to its box and, for a free bias, repaired."""
    alpha = np.minimum(np.maximum(alpha, 0.0), ceiling(problem))
    return balanced(alpha, problem.y) if problem.free_bias else alpha


def balanced(alpha: np.ndarray, y: np.ndarray) -> np.ndarray:
    """α with Σ α y = 0, exactly: the heavier class is scaled down, then single ones by bits."""
    used = np.flatnonzero(alpha)
    if len(used) < len(alpha):
        out = np.zeros_like(alpha)
        if len(used):
            out[used] = balanced(alpha[used], y[used])
        return out
    plus, minus = fsum(alpha[y > 0].tolist()), fsum(alpha[y < 0].tolist())
    low = min(plus, minus)
    if not 0.0 < low < np.inf:
        return np.zeros_like(alpha)
    share = (low / plus, low / minus)
    out = np.minimum(alpha * np.where(y > 0, *share), alpha)
    for _ in range(MOST_REPAIRS):
        left = fsum((out * y).tolist())
        if left == 0.0:
            return out
        # The smallest one that is large enough: its last bit is the finest.
        able = np.flatnonzero((y * left > 0.0) & (out >= abs(left)))
        if not len(able):
            break
        k = able[np.argmin(out[able])]
        # Less than its last bit is too little: then a bit more, and the other class mends that.
        out[k] = min(out[k] - abs(left), np.nextafter(out[k], 0.0))
    return np.zeros_like(alpha)
