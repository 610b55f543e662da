"""Rows that are there twice, exactly or nearly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from .registry import Found, rule
from .subject import Subject, standardised
from .words import counted, share

# Equal rows that chance explains are mentioned from this share on.
WORTH_A_NOTE = 0.01
MOST_ASKED = 2_000
# A near-copy is so many times nearer than the 20th neighbour, in standardised columns. In three
# dimensions chance makes 20 of a million rows so: the chance is about 20/NEARER³.
NEARER, USUAL = 100, 20
FEWEST_FINE, FEWEST_ROWS = 3, 40
FEWEST_NEAR, NEAR_SHARE = 3, 0.005


@rule(
    "LS121",
    "Rows are there more than once",
    "warning",
    "Rows are equal in all features and in the target: a copy in the training rows gives the "
    "answer for its twin in the test rows.",
)
def repeated(subject: Subject) -> Iterator[Found]:
    whole = _with_target(subject)
    size = np.bincount(whole)
    extra = int((size - 1).sum())
    if not extra:
        return
    pairs = float((size * (size - 1.0)).sum() / 2)
    chance = pairs <= 10 * _pairs_by_chance(subject)
    if chance and extra < WORTH_A_NOTE * subject.n:
        return
    rows = np.flatnonzero(size[whole] > 1)
    tested, met = _copies_in_training(subject, whole)
    folds = f" In the folds {met:,} of {tested:,} test rows have a copy in training." if met else ""
    why = (
        "With so few different values this may be chance."
        if chance
        else "So many are no chance, and each gives away the answer of its twin."
    )
    yield Found(
        f"{counted(extra, 'row')} ({share(extra, subject.n)}) equal an earlier row in all features "
        f"and in {subject.target}.{folds} {why}",
        "If they are copies of one observation, remove them; if they belong to one person or "
        "thing, keep them together (--group).",
        rows=rows,
        level="note" if chance else None,
    )


@rule(
    "LS122",
    "Equal features, different targets",
    "note",
    "Rows with the same features have different targets: no model can be right on all of them.",
)
def contradicting(subject: Subject) -> Iterator[Found]:
    whole = _with_target(subject)
    groups = subject.copies
    variants = np.bincount(groups[np.unique(whole, return_index=True)[1]])
    rows = np.flatnonzero(variants[groups] > 1)
    if not len(rows):
        return
    yield Found(
        f"{counted(len(rows), 'row')} ({share(len(rows), subject.n)}) share all features with a "
        f"row of another {subject.target}. {_floor(subject, whole)}",
        "Ask for a feature that tells them apart, or whether targets were entered wrongly.",
        rows=rows,
    )


@rule(
    "LS123",
    "Near-copies of rows are in training and test",
    "warning",
    "Rows of the test folds have a twin in training that is far nearer than rows usually are: "
    "such scores are too good.",
)
def nearly_repeated(subject: Subject) -> Iterator[Found]:
    found = _near_copies(subject)
    if found is None:
        return
    asked, rows, partners = found
    crossing = _crossing(subject, rows, partners)
    if len(crossing) < max(FEWEST_NEAR, NEAR_SHARE * asked):
        return
    first = crossing[0]
    yield Found(
        f"Of {asked:,} rows {len(crossing):,} ({share(len(crossing), asked)}) have a near-copy on "
        f"the other side of a fold (row {rows[first]} and row {partners[first]}, for example): "
        f"{NEARER} times nearer than their {USUAL}th neighbour. Rows that are almost in "
        "the training data are easy, so scores are too good.",
        "If they are repeated measurements of one thing, keep them together (--group); if they "
        "are copies with noise, remove them.",
        rows=rows[crossing],
    )


def _with_target(subject: Subject) -> np.ndarray:
    """A number for each row, the same for rows that are equal in features and target."""
    groups, codes = subject.copies.astype(np.int64), subject.codes
    return np.unique(groups * (int(codes.max()) + 1) + codes, return_inverse=True)[1].ravel()


def _pairs_by_chance(subject: Subject) -> float:
    """How many pairs of equal rows to expect: n(n − 1)/2 · √Π P(two values of column j agree).

    The root stands for columns that depend on each other: half of what they say is new.
    """
    rows = subject.sample[:: max(len(subject.sample) // 2_000, 1)]
    part = subject.X[rows]
    m, d = part.shape
    columns = np.arange(d)[:: max(d // 1_000, 1)]
    part = part[:, columns]
    part = part.toarray() if sp.issparse(part) else part
    log_p = 0.0
    for j in range(part.shape[1]):
        count = np.unique(part[:, j], return_counts=True)[1]
        agree = float((count * (count - 1.0)).sum()) / max(m * (m - 1.0), 1.0)
        log_p += np.log(max(agree, 1.0 / max(m * m, 1)))
    return float(np.exp(log_p / 2)) * subject.n * (subject.n - 1) / 2


def _copies_in_training(subject: Subject, whole: np.ndarray) -> tuple[int, int]:
    """How many rows were tested, and how many of those have an equal row in their training."""
    tested = met = 0
    for train, test in subject.folds:
        trained = np.zeros(int(whole.max()) + 1, dtype=bool)
        trained[whole[train]] = True
        tested, met = tested + len(test), met + int(trained[whole[test]].sum())
    return tested, met


def _floor(subject: Subject, whole: np.ndarray) -> str:
    groups = subject.copies
    if subject.classification:
        largest = np.zeros(int(groups.max()) + 1, dtype=np.int64)
        np.maximum.at(largest, groups, np.bincount(whole)[whole])
        return (
            "No model can be right on all of these: none that sees these columns is right on more "
            f"than {share(int(largest.sum()), subject.n)} of this table."
        )
    y = np.asarray(subject.question.y, dtype=np.float64)
    z = standardised(y[:, None])[:, 0]
    mean = np.bincount(groups, z) / np.bincount(groups)
    left = float(np.sqrt(np.mean((z - mean[groups]) ** 2)))
    return (
        "No model can be right on all of these: the error of any that sees these columns is at "
        f"least {share(left)} of the standard deviation of {subject.target} on this table."
    )


def _near_copies(subject: Subject) -> tuple[int, np.ndarray, np.ndarray] | None:
    """How many rows were asked; those with a near-copy that is not an exact one, and that one."""
    if sp.issparse(subject.X) or not subject.folds or subject.n < FEWEST_ROWS:
        return None
    X = np.asarray(subject.X)
    # One row of each set of equal ones: exact copies have a check of their own.
    kept = np.unique(subject.copies, return_index=True)[1]
    fine = sum(len(np.unique(X[:2_000, j])) > min(subject.n, 2_000) / 2 for j in subject.numeric)
    if fine < FEWEST_FINE or len(kept) < FEWEST_ROWS:
        return None
    Z = np.column_stack(
        [standardised(X[kept][:, subject.numeric])]
        + [np.nan_to_num(X[kept, j], nan=-1.0) for j in subject.question.categorical]
    )
    asked = np.arange(len(kept))
    if len(kept) > MOST_ASKED:
        rng = np.random.default_rng(subject.plan.seed)
        asked = np.sort(rng.choice(len(kept), MOST_ASKED, replace=False))
    nearest = NearestNeighbors(n_neighbors=USUAL + 1, algorithm="brute").fit(Z)
    distance, index = nearest.kneighbors(Z[asked])
    # The row itself comes first, but for rounding.
    partner = np.where(index[:, 0] == asked, index[:, 1], index[:, 0])
    near = np.linalg.norm(Z[asked] - Z[partner], axis=1) * NEARER < distance[:, -1]
    return len(asked), kept[asked[near]], kept[partner[near]]


def _crossing(subject: Subject, rows: np.ndarray, partners: np.ndarray) -> np.ndarray:
    """Which of the rows are tested while their partner is in training."""
    crossing = np.zeros(len(rows), dtype=bool)
    for train, test in subject.folds:
        trained, tested = np.zeros((2, subject.n), dtype=bool)
        trained[train], tested[test] = True, True
        crossing |= tested[rows] & trained[partners]
    return np.flatnonzero(crossing)
