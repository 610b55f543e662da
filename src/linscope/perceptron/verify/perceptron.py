"""Is a claim about a perceptron true? Its vector is its own proof.

    mistakes   samples with y w·x < 0, and those with w·x = 0 that the tie rule counts as wrong
    margin     min y w·x / ‖w‖ over the samples          radius   R = max ‖[1, x]‖
    SEPARATED needs y w·x > 0 for every sample, SEPARATED_BY_TIE no mistake but samples with w·x = 0

Signs are exact (``exact_signs``): a sample counts as misclassified if and only if ``predict`` with
these weights says so. CONVERGED is the end of a fit whose *last* vector makes no mistakes while the
claim is about another, the averaged one: the last vector is then part of the claim.

How the vector was found (updates, passes, rate) is checked as far as data can tell: from zeros, k
updates at rate η make no vector longer than √k η R.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from linscope.data import encode_labels, to_matrix
from linscope.results import Check, Status
from linscope.rows.blocks import Block, Largest, Least
from linscope.rows.finite import check_finite
from linscope.verify.claims import checked, foreign, require
from linscope.verify.exact_signs import signed_scores

# Floats in a certificate are rounded; a claim may differ from the true value by this much.
ROUNDING = 1e-9
# Whether a score of 0 is a mistake for y = +1, and for y = −1.
TIES = {"update": (True, True), "positive": (False, True), "negative": (True, False)}
# Ends of a fit that leave mistakes.
UNFINISHED = (Status.CONVERGED, Status.MAX_ITER, Status.STOPPED, Status.STALLED)
# Beyond these sizes products leave the range of floats.
LOW, HIGH = 1e-140, 1e140


@dataclass(frozen=True)
class Measured:
    """Facts about a weight vector on data, recomputed from scratch."""

    mistakes: int
    ties: int
    margin: float
    radius: float


def check(claim: Any, X: Any, y: Any, choose: Any) -> Check:
    """Recompute all that the claim of one binary problem says.

    ``choose`` makes an engine of rows and signs.
    """
    return checked(_claims, claim, X, y, choose)


def _claims(claim: Any, X: Any, y: Any, choose: Any) -> str:
    matrix, own, signs = problem_rows(claim, X, y)
    matrix, weights = matrix[own], claim.weights
    fits = weights.shape == (matrix.shape[1] + 1,)
    require(fits, f"X has {matrix.shape[1]} features, not {len(weights) - 1}")
    require(np.isfinite(weights).all(), "the weights are not finite")
    require(claim.intercept or weights[0] == 0, "a model without intercept has a bias")
    if len(signs) == 0:
        return compare(claim, Measured(0, 0, 0.0, 0.0), 0.0, 0)
    engine = choose(matrix, signs)
    found = measure(engine, weights, claim.tie, claim.intercept)
    right = _last_is_right(claim, engine)
    require(right, "no last vector that classifies every sample correctly")
    return compare(claim, found, length_of(weights), len(signs))


def _last_is_right(claim: Any, engine: Any) -> bool:
    """Whether a claim to have converged has a last vector without mistakes."""
    if claim.status is not Status.CONVERGED:
        return claim.last is None
    last = claim.last
    if last is None or last.shape != claim.weights.shape or not np.isfinite(last).all():
        return False
    if claim.output != "averaged" or (last[0] != 0 and not claim.intercept):
        return False
    return measure(engine, last, claim.tie, claim.intercept).mistakes == 0


def problem_rows(claim: Any, X: Any, y: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    """The matrix, which of its rows belong to the problem, and their signs ±1.0."""
    matrix, _ = to_matrix(X)
    check_finite(matrix)
    classes, codes = encode_labels(y, n_samples=matrix.shape[0])
    labels = classes.tolist()
    counted = counted_rows(claim, len(codes))
    below = claim.others or (claim.negative,)
    positive = np.array([label == claim.positive for label in labels])[codes]
    negative = np.array([label in below for label in labels])[codes]
    strange = counted & ~(positive | negative)
    if claim.others and strange.any():
        label = labels[codes[np.argmax(strange)]]
        raise ValueError(f"y has the label {label!r}, unknown to the model")
    if not positive.any() or not negative.any():
        raise ValueError(f"y has no samples of {claim.positive!r} and {claim.negative!r}")
    own = counted & ~strange
    return matrix, own, np.where(positive[own], 1.0, -1.0)


def counted_rows(claim: Any, n: int) -> np.ndarray:
    """Which of n rows the claim is about: those with a weight above 0."""
    ignored = np.asarray(claim.ignored)
    if ignored.ndim != 1 or ignored.dtype.kind not in "iu":
        raise ValueError("the ignored rows are not row numbers")
    if len(ignored) and not 0 <= ignored.min() <= ignored.max() < n:
        raise ValueError(f"X has {n} rows, fewer than the certificate speaks of")
    counted = np.ones(n, bool)
    counted[ignored] = False
    return counted


def measure(engine: Any, W: np.ndarray, tie: str, intercept: bool) -> Measured:
    """Mistakes and ties exactly, margin and radius in floats."""
    found = engine.fold(_of_block, np.asarray(W, dtype=np.float64), tie, intercept)
    return Measured(*found[:2], *(float(extreme.value) for extreme in found[2:]))


def _of_block(block: Block, W: np.ndarray, tie: str, intercept: bool):
    """Mistakes, ties, the least margin and the largest radius."""
    X, y = block.X, block.y
    if len(y) == 0:
        return 0, 0, Least(np.inf), Largest(0.0)
    signed = y * signed_scores(X, W)
    wrong_at_zero = np.where(y > 0, *TIES[tie])
    mistakes = int(((signed < 0) | ((signed == 0) & wrong_at_zero)).sum())
    radius, length = radius_of(X, intercept), length_of(W)
    margin = float(signed.min()) / length if length else 0.0
    if length and not all(LOW < size < HIGH for size in (length, radius, length * radius)):
        margin = _extreme_margin(X, y, W)
    return mistakes, int((signed == 0).sum()), Least(margin + 0.0), Largest(radius)


def _extreme_margin(X: Any, y: np.ndarray, W: np.ndarray) -> float:
    """The same where products leave the range of floats: all brought near 1 by powers of two."""
    size = max(float(abs(X).max(initial=0.0) if not sparse.issparse(X) else abs(X).max()), 1e-300)
    e, shift = int(np.frexp(size)[1]), int(np.frexp(np.abs(W).max())[1])
    rows = X.astype(np.float64)
    if sparse.issparse(X):
        rows.data = np.ldexp(rows.data, -e)
    else:
        rows = np.ldexp(rows, -e)
    near = np.ldexp(W, -shift)
    smallest = (y * signed_scores(rows, np.r_[np.ldexp(near[0], -e), near[1:]])).min()
    with np.errstate(over="ignore"):
        return float(np.ldexp(smallest / np.linalg.norm(near), e))


def length_of(vector: np.ndarray) -> float:
    """‖vector‖, also where squares leave the range of floats."""
    largest = float(np.abs(vector).max(initial=0.0))
    return largest * float(np.linalg.norm(vector / largest)) if largest > 0 else 0.0


def radius_of(X: Any, intercept: bool) -> float:
    """max ‖[1, x]‖, without the 1 if there is no bias."""
    values = X.data if sparse.issparse(X) else X
    largest = float(max(np.abs(values).max(initial=0.0), 1.0 if intercept else 0.0))
    if largest == 0.0:
        return 0.0
    unit = 2.0 ** min(-int(np.frexp(largest)[1]), 1000)
    near = X.astype(np.float64) * unit
    squares = near.multiply(near).sum(axis=1) if sparse.issparse(X) else (near * near).sum(axis=1)
    most = float(np.asarray(squares).max()) + (unit * unit if intercept else 0.0)
    return float(np.sqrt(most)) / unit


def compare(claim: Any, found: Measured, length: float, n: int) -> str:
    """The claim against what was found about a vector of this length on n samples."""
    said = f"the certificate claims {claim.mistakes}"
    same = found.mistakes == claim.mistakes
    require(same, f"{_samples(found.mistakes)} misclassified, {said}")
    for name in ("margin", "radius"):
        value, truth = getattr(claim, name), getattr(found, name)
        allowed = ROUNDING * abs(truth) + 1e-15 * (len(claim.weights) + 8) * found.radius
        near = abs(value - truth) <= allowed
        require(near, f"the {name} is {truth:.12g}, not {value:.12g}")
    _check_form(claim, n)
    _check_status(claim, found)
    # From zeros, ‖w‖² ≤ k η² R² after k updates: the second half of the convergence proof.
    reach = (claim.updates**0.5) * claim.eta0 * claim.radius * 1.0001
    possible = claim.no_bound or length <= reach
    require(possible, f"{claim.updates} updates cannot make a vector of length {length:g}")
    by, of = ("", "") if claim.output == "last" else (f" by {claim.about}", f" of {claim.about}")
    if found.mistakes:
        return f"{_samples(found.mistakes)} misclassified{by}, as claimed"
    but = f" ({len(claim.ignored):,} of weight 0 left out)" if len(claim.ignored) else ""
    return f"every sample{but} is on its side{of}; smallest margin {found.margin:.6g}"


def _check_status(claim: Any, found: Measured) -> None:
    """Whether the fit can have ended as claimed."""
    status = claim.status
    if status is Status.PARTIAL:
        require(claim.passes <= 1, "partial_fit makes one pass, not several")
        return
    separated = status in (Status.SEPARATED, Status.SEPARATED_BY_TIE)
    if found.mistakes:
        text = "the status claims a separation, but samples are misclassified"
        require(not separated, text)
        require(status in UNFINISHED, f"no such end of a fit with mistakes: {status}")
        return
    text = "the status claims that mistakes are left, but there are none"
    require(status not in UNFINISHED, text)
    strict = status is not Status.SEPARATED or not found.ties
    require(strict, f"{_samples(found.ties)} on the boundary, not strictly apart")
    tied = status is not Status.SEPARATED_BY_TIE or found.ties
    require(tied, "no sample has score 0: the separation is strict")
    require(separated, f"no such end of a fit without mistakes: {status}")


def _check_form(claim: Any, n: int) -> None:
    """What holds for any fit on n samples."""
    text = "a perceptron has no primal, dual, gap, kkt, backward error or parts"
    require(not foreign(claim), text)
    side = opposite(claim.others) if claim.others else claim.negative
    named = claim.negative == side
    require(named, f"the negative side is {side!r}, not {claim.negative!r}")
    counts = claim.updates >= 0 and claim.passes >= 0 and 0 < claim.eta0 < np.inf
    require(counts, "updates and passes must be counts, and eta0 a positive number")
    # partial_fit counts the updates of all its calls, but the passes of one
    able = claim.status is Status.PARTIAL or claim.updates <= claim.passes * n
    text = f"{claim.passes} passes over {n} samples cannot make {claim.updates} updates"
    require(able, text)


def opposite(others: tuple) -> Any:
    """What the negative side is called."""
    return others[0] if len(others) == 1 else "rest"


def _samples(count: int) -> str:
    return "1 sample is" if count == 1 else f"{count:,} samples are"
