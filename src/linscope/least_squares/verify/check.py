"""Is a claim about least squares true? J(w) = ½ Σ_i c_i (y_i − b − x_i·w)² + ½ α‖w‖².

Everything is recomputed from the rows and the floats that the claim names:

1. sums of products in whole numbers (``exact_gram``), so J at the floats is known without rounding;
2. the rank of the columns, proven (``exact_rank``);
3. the solution, or the shortest of several, with a proven radius (``definite``); hence how far the
   floats are from it and J from its minimum (``facts``).

Tables too large for whole numbers get bounds in floats instead (``large``). A claim with relations
is about the nearby table that they define (``linscope.verify.relations``): 1 to 3 look at its
independent columns, ``nearby`` concludes for all.

A claim is ok if and only if its bounds meet the tolerance that it states:

    gap ≤ tolerance · ½ Σ c (y − ȳ)²      and      errors of weights ≤ tolerance, relatively

where a gap that rounding y itself would explain always counts as small enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linscope.data import to_matrix
from linscope.results import Check, Status
from linscope.rows.blocks import with_columns
from linscope.rows.far import FarColumn, FarRows
from linscope.rows.finite import check_finite
from linscope.verify.claims import Refuted, checked, foreign, require
from linscope.verify.definite import MOST_LONG
from linscope.verify.exact_gram import TooWide
from linscope.verify.parts import read_weight
from linscope.verify.relations import check_relations, effective, within_ulps

from .facts import Facts, facts, largest_gap, relative_error
from .large import large_facts
from .nearby import Nearby, at_independent, lengths_of
from .normal_equations import normal_equations, optimum

# Sums of squares are claimed to this, relatively.
SAME, MARGIN = 1e-8, 1e-6
# Bounds in floats are compared with so much room, those without rounding with none.
ROOM = 1 + 1e-9
MOST_COLUMNS, MOST_PRODUCTS = 600, 3_000_000_000
# So much a sum of bounds may lose.
ADDED = 1 + 1e-13
UNIT, LEAST = 2.0**-53, 2.0**-1060
# A wider tolerance than this says nothing.
WIDEST = 1e-2
# Condition numbers are estimates (about some shift, not the mean), to this factor for each column.
ABOUT = 1000.0
# Condition number (columns of length 1) from which columns are nearly dependent.
NEARLY = 1e5
SOLVED = (Status.SOLVED, Status.RANK_DEFICIENT)
CLOSED = (*SOLVED, Status.NEARLY_DEPENDENT)
NOT_REACHED = (
    Status.NEARLY_DEPENDENT,
    Status.STALLED,
    Status.SHORT_STEPS,
    Status.MAX_ITER,
    Status.DIVERGED,
    Status.STOPPED,
    Status.INTERRUPTED,
)


class Found(NamedTuple):
    """What the data say: bounds from above, from below, and the rank if it is proven."""

    most: Facts
    gap: float
    error: np.ndarray
    rank: int | None
    unique: bool | None
    condition: float
    rough: bool = True
    rows: int = 0

    @property
    def room(self) -> float:
        return ROOM if self.rough else 1.0


def check(claim: Any, X, y, sample_weight, choose: Callable[..., Any]) -> Check:
    """Check a claim with the fields of ``LeastSquaresCertificate`` against the data.

    ``choose`` makes an engine of rows, targets and weights.
    """
    return checked(_claims, claim, X, y, sample_weight, choose)


def _claims(claim: Any, X, y, sample_weight, choose) -> str:
    engine = choose(*_data(claim, X, y, sample_weight))
    _check_form(claim)
    check_relations(claim, engine.n_features, engine.fold)
    W = np.asarray(claim.weights, dtype=np.float64)
    B, doubt = effective(W, claim.relations)
    total, raw, own = lengths_of(engine)
    nearby = Nearby(claim.relations, total, raw)
    if claim.relations:
        engine = engine.derive(with_columns, nearby.kept)
    options = {"fit_intercept": claim.fit_intercept, "alpha": float(claim.alpha)}
    found = examine(engine, B, **options)._replace(rows=engine.n_rows)
    sizes = own + total * np.abs(B[:, 0]) + np.abs(B[:, 1:]) @ raw[nearby.kept]
    if claim.relations:
        found = _of_all(found, nearby, W, doubt)
    _check_numbers(claim, found, sizes)
    if claim.error is not None:
        _check_errors(claim, found)
    _check_status(claim, found, raw)
    return _verdict(claim)


def _data(claim, X, y, sample_weight) -> tuple[Any, Any, Any]:
    if isinstance(X, FarRows):
        return _far_data(claim, X, y, sample_weight)
    matrix, names = to_matrix(X)
    Y = np.asarray(y, dtype=np.float64)
    fits = Y.ndim > 0 and len(Y) == matrix.shape[0]
    require(fits, f"X has {matrix.shape[0]} rows, y has {Y.size} entries")
    Y = Y.reshape(len(Y), -1)
    _check_width(claim, matrix.shape[1], Y.shape[1])
    check_finite(matrix, names)
    check_finite(Y, name="y")
    weight = read_weight(claim, sample_weight, len(Y))
    if weight is None:
        return matrix, Y, np.zeros(0)
    keep = np.flatnonzero(weight)
    return matrix[keep], Y[keep], weight[keep]


def _far_data(claim, X: FarRows, y: FarColumn, weight) -> tuple[Any, Any, Any]:
    """Rows that are elsewhere, which their engine has checked and freed of those of weight 0."""
    _check_width(claim, X.shape[1], X.engine.n_targets)
    if weight is None and claim.weighted:
        raise ValueError("the fit used sample weights: pass sample_weight")
    return X, y, np.zeros(0) if weight is None else weight


def _check_width(claim, features: int, count: int) -> None:
    targets, width = np.shape(claim.weights)
    require(
        (count, features + 1) == (targets, width),
        f"{features} features and {count} targets, expected {width - 1} and {targets}",
    )


def _check_form(claim) -> None:
    """What must be so whatever the data are."""
    W = claim.weights
    require(np.isfinite(W).all(), "the weights are not finite")
    require(claim.fit_intercept or not W[:, 0].any(), "a model without intercept has a bias")
    require(np.isfinite(claim.alpha) and claim.alpha >= 0, "alpha is not a number from 0 on")
    numbers = [claim.primal, claim.dual, claim.gap, claim.tolerance]
    known = all(v is not None and v >= 0 for v in numbers) and (np.asarray(claim.rss) >= 0).all()
    require(known, "a number of the claim is missing, negative or NaN")
    finite = np.isfinite(claim.rss).all() and np.isfinite([claim.primal, claim.dual]).all()
    require(finite, "the objective is not finite")
    possible = claim.condition is None or claim.condition >= 1 - MARGIN
    require(possible, "a condition number is never below 1")
    strange = foreign(claim, "primal", "dual", "gap")
    require(not strange, "the claim says something that least squares does not claim")
    useful = 0 < claim.tolerance <= WIDEST
    require(useful, f"a tolerance of {claim.tolerance:.2g} says nothing")
    free = claim.alpha == 0 or not claim.relations
    require(free, "with a penalty no column is set aside")
    both = (claim.error is None) == (claim.accuracy is None)
    require(both, "errors of weights and their relative bound belong together")
    if claim.error is not None:
        good = np.shape(claim.error) == W.shape and (claim.error >= 0).all()
        require(good and claim.accuracy >= 0, "the errors of the weights are not bounds")


def _of_all(found: Found, nearby: Nearby, W: np.ndarray, doubt: np.ndarray) -> Found:
    """What the data say about all columns of the nearby table, from its independent ones."""
    most = nearby.facts(found.most, W, doubt)
    gap, error = float(most.gap.sum() * ADDED), most.error
    if found.rough:
        gap, error = nearby.least_gap(found.gap, doubt), 0 * error
    several = False if found.unique else None
    return found._replace(most=most, gap=gap, error=error, unique=several, condition=np.inf)


def examine(engine: Any, W: np.ndarray, *, fit_intercept: bool, alpha: float) -> Found:
    """What the data say about weights W (targets, d + 1)."""
    n, d = engine.n_rows, engine.n_features
    options: dict[str, Any] = {"fit_intercept": fit_intercept, "alpha": alpha}
    few = d <= MOST_COLUMNS and (n > d or d <= MOST_LONG)
    if few and n * (d + engine.n_targets) ** 2 <= MOST_PRODUCTS:
        try:
            return _exactly(engine, W, options)
        except TooWide:
            pass
    return Found(*large_facts(engine, W, **options))


def _exactly(engine, W, options) -> Found:
    normal = normal_equations(engine, **options)
    best = optimum(normal)
    most = facts(normal, best, W)
    if best is None:
        rough, *rest = large_facts(engine, W, **options)
        most = most._replace(gap=rough.gap, error=rough.error, dual=rough.dual)
        return Found(most, *rest)
    rank, gap = len(best.rank.kept), float(most.gap.sum() * ADDED)
    return Found(most, gap, most.error, rank, best.unique, best.condition, False)


def _check_numbers(claim, found: Found, sizes: np.ndarray) -> None:
    most = found.most
    # Residuals are off by so much in floats; sums in double-double lose no more by cancelling.
    moved = (most.lengths.size + 16 + 4 * np.sqrt(found.rows)) * UNIT * sizes
    most_slack = float((moved * (np.sqrt(claim.rss) + moved)).sum()) + SAME * float(claim.rss.sum())
    possible = 0 <= claim.rounding <= max(LEAST, most_slack)  # LEAST if sizes are unknown
    require(possible, "so much rounding is not possible")
    require(np.shape(claim.rss) == most.rss.shape, "one residual sum of squares per target")
    slack = np.full(len(claim.rss), claim.rounding) + most.rounding
    same = np.abs(most.rss - claim.rss) <= SAME * claim.rss + slack
    k = int(np.argmin(same))
    text = f"the residual sum of squares is {most.rss[k]:.9g}, not {claim.rss[k]:.9g}"
    require(same.all(), text)
    primal = float(most.primal.sum())
    allowed = SAME * primal + claim.rounding + float(most.rounding.sum())
    near = abs(claim.primal - primal) <= allowed
    require(near, f"the objective is {primal:.9g}, not {claim.primal:.9g}")
    bounded = found.gap <= claim.gap * found.room + LEAST
    require(bounded, f"the objective is {found.gap:.2g} above its minimum, not {claim.gap:.2g}")
    fits = abs(claim.dual - max(claim.primal - claim.gap, 0.0)) <= 2 * allowed + LEAST
    require(fits, "the lower bound of the objective is not what the gap says")
    below = found.rough or claim.dual <= max(float(most.dual.sum()), 0.0)
    require(below, "the lower bound of the objective is above the minimum")
    known = claim.rank is None or found.rank is None or claim.rank == found.rank
    require(known, f"{found.rank} columns are independent, not {claim.rank}")
    if claim.condition is not None and found.unique:
        room = ABOUT * most.lengths.size
        about = found.condition / room <= claim.condition <= found.condition * room * room
        text = f"the condition number is about {found.condition:.2g}, not {claim.condition:.2g}"
        require(about, text)


def _check_errors(claim, found: Found) -> None:
    over = ~(found.error <= claim.error * found.room + LEAST)
    if over.any():
        t, j = np.argwhere(over)[0]
        shortest = "shortest " if claim.least_norm else ""
        what = "the intercept" if j == 0 else f"the weight of feature {j - 1}"
        raise Refuted(
            f"{what} is {found.error[t, j]:.2g} from the {shortest}solution, more than the "
            f"{claim.error[t, j]:.2g} that was claimed"
        )
    weights = at_independent(claim.weights, claim.relations)
    share = relative_error(weights, claim.error, found.most.lengths)
    enough = share <= claim.accuracy * (1 + (1e-3 if found.rough else MARGIN))
    require(enough, "the weights have fewer digits than claimed")


def _check_status(claim, found: Found, raw: np.ndarray) -> None:
    """A status is ok exactly if the bounds meet the tolerance; and it must say what is so."""
    scale = float(largest_gap(found.most, claim.tolerance).sum())
    digits = claim.accuracy is not None and claim.accuracy <= claim.tolerance
    near = claim.gap < np.inf and claim.gap <= scale * (1 + MARGIN)
    surely = claim.gap < scale * (1 - MARGIN) and (digits or claim.error is None)
    status = claim.status
    short = f"the bounds do not reach the tolerance, so it is not true that {status}"
    require(status not in SOLVED or (digits and near), short)
    met = status is not Status.CONVERGED or near
    require(met, "the gap is above the tolerance, so it has not converged")
    fits = claim.iterative != (status in CLOSED) or status is Status.STALLED
    require(fits, f"such a solver does not end with: {status}")
    reached = f"the bounds reach the tolerance, so it is not true that {status}"
    require(status not in NOT_REACHED or not surely, reached)
    known = status in (*SOLVED, *NOT_REACHED, Status.CONVERGED)
    require(known, f"least squares does not end with: {status}")
    one = status is not Status.SOLVED or found.unique is True
    require(one, "it is not proven that there is one solution only")
    deficient = status is Status.RANK_DEFICIENT
    text = "only dependent columns leave a choice of the shortest weights"
    require(deficient == claim.least_norm, text)
    proven = not deficient or found.unique is False
    require(proven, "the columns do not depend on each other")
    doubtful = status is not Status.NEARLY_DEPENDENT or not found.unique or _nearly(found, raw)
    require(doubtful, "the columns are not nearly dependent")
    require(not deficient or claim.rank is not None, "the rank is missing")


def _nearly(found: Found, raw: np.ndarray) -> bool:
    """Whether columns nearly depend on each other, or hardly vary for their size."""
    return found.condition >= NEARLY or bool((found.most.lengths[1:] * NEARLY < raw).any())


def _verdict(claim) -> str:
    tail = f"the objective is at most {claim.gap:.2g} above its minimum{within_ulps(claim)}"
    if claim.status is Status.RANK_DEFICIENT:
        return f"no weights fit better and none that fit as well are shorter; {tail}"
    if claim.error is None:
        return tail
    return f"every weight is within its claimed error ({claim.digits:.1f} digits); {tail}"
