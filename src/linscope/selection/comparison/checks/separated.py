"""Classes that a hyperplane separates: logistic regression without a penalty has no solution there.

With reflected rows zᵢ = ±[1, xᵢ] a hyperplane separates two classes if zᵢ·w > 0 for all i. Linear
programs on few rows, max t with zᵢ·w ≥ t and |wⱼ| ≤ 1, propose w; rows that it puts on the wrong
side join them. Only a w whose signs are right in exact arithmetic is reported. That there is none
is not claimed: ``ls.separability`` proves that too, and takes its time.

A single column x separates with ties if x of one class never exceeds x of the others.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import linprog

from linscope.separation.reading import read_table
from linscope.separation.signed_rows import SignedRows

from .registry import Found, rule
from .subject import Subject, extremes
from .words import listed

# Entries times classes, and rows · columns² of the linear programs: two seconds or so.
MOST_WORK, MOST_SOLVED, MOST_CLASSES = 4_000_000, 100_000_000, 10
# Counted, not timed, so that the answer is the same on every machine.
MOST_ROUNDS, MOST_STEPS = 20, 5_000
# t below this is rounding of the linear program.
ROUNDING = 1e-9
CONSEQUENCE = (
    "Logistic regression without a penalty has no finite solution (its weights grow for ever), and "
    "no standard errors."
)
ADVICE = (
    "Use a penalty (finite C) or penalty='firth', and do not read odds ratios of a fit without a "
    "penalty."
)


@rule(
    "LS211",
    "A hyperplane separates the classes",
    "note",
    "Proved in exact arithmetic: some weights make no mistake on this table, so logistic "
    "regression without a penalty has no finite solution.",
)
def separated(subject: Subject) -> Iterator[Found]:
    classes = _separated_classes(subject)
    if not classes:
        return
    n, d = subject.encoded[0].shape
    few = f" With {d + 1:,} weights for {n:,} rows that may be chance." if n <= 2 * (d + 1) else ""
    rest = "all other classes" if len(subject.classes) > 2 else repr(subject.classes[0])
    each = "each of " if len(classes) > 1 else ""
    yield Found(
        f"A hyperplane separates {each}{listed(classes)} from {rest} (proved in exact arithmetic)."
        f"{few} {CONSEQUENCE}",
        ADVICE,
    )


@rule(
    "LS212",
    "A column rules a class out",
    "note",
    "For some values of a column there are no rows of a class: without a penalty, logistic "
    "regression gives it an infinite weight.",
)
def separated_by_ties(subject: Subject) -> Iterator[Found]:
    if not subject.classification or subject.encoded is None or len(subject.classes) < 2:
        return
    matrix, names = subject.encoded
    low, high = extremes(matrix, subject.codes, len(subject.classes))
    found = _ruled_out(subject.classes, names, low, high)
    if found:
        first, *more = list(found.values())[:4]
        words = "; ".join([first[0].upper() + first[1:], *more])
        rest = f"; and {len(found) - 4:,} more columns" if len(found) > 4 else ""
        yield Found(f"{words}{rest}. {CONSEQUENCE}", ADVICE, found)


def _ruled_out(
    classes: tuple[str, ...], names: list[str], low: np.ndarray, high: np.ndarray
) -> dict[str, str]:
    """Columns of which one class has the lowest or the highest values only, ties allowed."""
    moves = low.min(axis=0) < high.max(axis=0)
    indicator = moves & (low.min(axis=0) == 0) & (high.max(axis=0) == 1)
    found: dict[str, str] = {}
    for k, name in enumerate(classes):
        rest = np.delete(high, k, axis=0).max(axis=0)
        for j in np.flatnonzero(moves & (low[k] >= rest)):
            ruled = f"all with {names[j]} are {name!r}"
            below = f"no {name!r} is below any other row in {names[j]}"
            found.setdefault(names[j], ruled if indicator[j] else below)
    for k, name in enumerate(classes):
        rest = np.delete(low, k, axis=0).min(axis=0)
        for j in np.flatnonzero(moves & (high[k] <= rest)):
            ruled = f"no {name!r} has {names[j]}"
            above = f"no {name!r} is above any other row in {names[j]}"
            found.setdefault(names[j], ruled if indicator[j] else above)
    return found


def _separated_classes(subject: Subject) -> list[str]:
    """The classes that a hyperplane cuts off from the rest; of two, the second."""
    K = len(subject.classes)
    if not subject.classification or subject.encoded is None or not 2 <= K <= MOST_CLASSES:
        return []
    matrix = subject.encoded[0]
    n, d = matrix.shape
    if not 0 < d < n or max(n * d * K / MOST_WORK, _size(n, d) * d**2 * K / MOST_SOLVED) > 1:
        return []
    X, _ = read_table(matrix, subject.codes)
    asked = [1] if K == 2 else range(K)
    return [
        repr(subject.classes[k])
        for k in asked
        if _is_separated(SignedRows(X, np.where(subject.codes == k, 1.0, -1.0)))
    ]


def _size(n: int, d: int) -> int:
    """How many rows the first linear program has."""
    return min(n, 20 * (d + 6))


def _is_separated(rows: SignedRows) -> bool:
    """Whether a separating vector was found, and proved to be one."""
    size = _size(rows.n, rows.p - 1)
    working = np.arange(rows.n)[:: -(-rows.n // size)]
    for _ in range(MOST_ROUNDS):
        w = _widest(rows.take(working))
        if w is None:
            return False
        W = rows.to_exact(w)
        wrong = np.flatnonzero(rows.signs_of(W) <= 0)
        if not len(wrong):
            return True
        score = rows.scores(W)[0]
        fresh = np.setdiff1d(wrong[np.argsort(score[wrong], kind="stable")[:size]], working)
        if not len(fresh):
            return False
        working = np.concatenate([working, fresh])
    return False


def _widest(Z: np.ndarray) -> np.ndarray | None:
    """w of the linear program on these rows; None if t is not positive."""
    n, p = Z.shape
    answer = linprog(
        np.r_[np.zeros(p), -1.0],
        A_ub=np.column_stack([-Z, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1.0, 1.0)] * p + [(None, 1.0)],
        method="highs-ds",
        options={"maxiter": MOST_STEPS},
    )
    if answer.status != 0 or answer.x[-1] <= ROUNDING:
        return None
    return answer.x[:-1]
