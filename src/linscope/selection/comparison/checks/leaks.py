"""Columns that know the answer.

A number separates K classes if the intervals [min, max] of the classes do not meet; a category, if
each of its values has rows of one class only. Both are compared exactly, so what is said is proved.

Few rows are separated by chance. Of the n!/(n₁! … n_K!) ways to deal the labels out at most K! are
in the order of a number; and all m rows of a value are of one class with probability Σ pₖᵐ. Columns
that may be chance (with p columns: p times that probability above 1/1,000) are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln, logsumexp

from .registry import Found, rule
from .relations import affine
from .subject import Subject, extremes, missing, standardised
from .words import between, listed

CHANCE = 1e-3
# Correlation with the target from which a column is taken for a copy of it.
NEARLY_ONE = 1 - 1e-9
WHY = "A column that was written when the answer was known makes every score too good."


@rule(
    "LS101",
    "A column separates the classes by itself",
    "problem",
    "One feature alone tells all classes apart without a mistake: it may know the answer.",
)
def separating_feature(subject: Subject) -> Iterator[Found]:
    if not subject.classification:
        return
    found = {**_separating_numbers(subject), **_separating_categories(subject)}
    if found:
        first, *others = found
        also = f" So does {listed(others)}." if others else ""
        yield Found(
            f"{first} alone separates the classes: {found[first]}. Does it know the answer?{also} "
            f"{WHY}",
            f"Ask when {listed(list(found))} is known; if only after the outcome, leave it out "
            f"(--drop {first}).",
            found,
        )


@rule(
    "LS102",
    "A column that was left out separates the classes",
    "warning",
    "The models do not see this column, but it shows that rows of different classes came in "
    "different ways.",
)
def separating_unseen(subject: Subject) -> Iterator[Found]:
    if not subject.classification:
        return
    found = {}
    for column in subject.unseen:
        words = _raw_separates(subject, column.values)
        if words:
            found[column.name] = words
    if found:
        first, *others = found
        also = f" So does {listed(others)}." if others else ""
        yield Found(
            f"{first} alone separates the classes: {found[first]}. Does it know the answer?{also} "
            "The models do not see it, but other columns may know the answer in the same way.",
            "Ask how the rows were collected: one class after the other, or from different "
            "sources?",
            found,
        )


@rule(
    "LS103",
    "A column is the target in other units",
    "problem",
    "One feature gives the target by a straight line without error: it may be computed from it.",
)
def copied_target(subject: Subject) -> Iterator[Found]:
    if subject.classification or subject.n < 5:
        return
    Z, columns = subject.standard
    y = np.asarray(subject.question.y, dtype=np.float64)
    z = standardised(y[subject.sample, None])[:, 0]
    correlation = Z.T @ z / len(z)
    found = {}
    for k in np.flatnonzero(np.abs(correlation) > NEARLY_ONE):
        x = subject.column(columns[k])
        if abs(_correlation(x, y)) > NEARLY_ONE:
            found[subject.names[columns[k]]] = affine(x, y, 1e-4)
    if found:
        first, *others = found
        also = f" So does {listed(others)}." if others else ""
        line = found[first]
        formula = f" ({subject.target} = {line.words(first)})" if line else ""
        yield Found(
            f"{first} alone gives {subject.target}{formula}: the correlation is 1 up to rounding. "
            f"Does it know the answer?{also} {WHY}",
            f"If it is computed from {subject.target}, leave it out (--drop {first}).",
            found,
        )


def _separating_numbers(subject: Subject) -> dict[str, str]:
    low, high = extremes(subject.X, subject.codes, len(subject.classes))
    order = np.argsort(low, axis=0, kind="stable")
    rising = np.take_along_axis(low, order, axis=0)
    ends = np.take_along_axis(high, order, axis=0)
    numeric = np.zeros(low.shape[1], dtype=bool)
    numeric[subject.numeric] = True
    apart = np.flatnonzero((ends[:-1] < rising[1:]).all(axis=0) & numeric)
    found = {}
    for j in apart.tolist():
        counts = np.bincount(subject.codes[~np.isnan(subject.column(j))])
        if _by_chance_in_order(counts, low.shape[1]):
            continue
        cuts = [between(a, b) for a, b in zip(ends[:-1, j], rising[1:, j], strict=True)]
        found[subject.names[j]] = _in_order(subject, order[:, j], cuts)
    for j in subject.numeric if not sp.issparse(subject.X) else ():
        words = _missing_separates(subject, np.isnan(subject.column(j)))
        if words:
            found[subject.names[j]] = words
    return found


def _separating_categories(subject: Subject) -> dict[str, str]:
    found = {}
    for j in subject.question.categorical:
        values = subject.column(j)
        here = ~np.isnan(values)
        texts = [str(text) for text in subject.question.categories[j]]
        words = _pure(subject, values[here].astype(int), here, texts)
        words = words or _missing_separates(subject, ~here)
        if words:
            found[subject.names[j]] = words
    return found


def _raw_separates(subject: Subject, values: np.ndarray) -> str | None:
    here = ~missing(values)
    if not here.any():
        return None
    distinct, ranks = np.unique(values[here], return_inverse=True)
    ranks, codes, K = ranks.ravel(), subject.codes[here], len(subject.classes)
    counts = np.bincount(codes, minlength=K)
    if (counts > 0).all() and not _by_chance_in_order(counts, len(subject.question.columns)):
        low, high = np.full(K, len(distinct)), np.full(K, -1)
        np.minimum.at(low, codes, ranks)
        np.maximum.at(high, codes, ranks)
        order = np.argsort(low)
        if (high[order][:-1] < low[order][1:]).all():
            return _in_order(subject, order, _cuts(distinct, high[order][:-1], low[order][1:]))
    if len(distinct) < len(ranks):
        words = _pure(subject, ranks, here, [str(value) for value in distinct])
        if words:
            return words
    return _missing_separates(subject, ~here)


def _cuts(distinct: np.ndarray, below: np.ndarray, above: np.ndarray) -> list[str]:
    if distinct.dtype.kind == "f":
        return [between(distinct[a], distinct[b]) for a, b in zip(below, above, strict=True)]
    return [repr(str(distinct[a])) for a in below]


def _in_order(subject: Subject, order: np.ndarray, cuts: list[str]) -> str:
    """``all 120 'yes' lie above 1000.5, all 880 'no' at or below it``."""
    parts = [f"all {subject.counts[k]:,} {subject.classes[k]!r}" for k in order.tolist()]
    if len(cuts) == 1:
        return f"{parts[1]} lie above {cuts[0]}, {parts[0]} at or below it"
    shown = f"{', '.join(parts[:5])}{', …' if len(parts) > 5 else ''}"
    return f"in rising order {shown}, cut at {listed(cuts)}"


def _pure(subject: Subject, values: np.ndarray, here: np.ndarray, texts: list[str]) -> str | None:
    """In words, if each value has rows of one class only and that is not chance."""
    K = len(subject.classes)
    table = np.bincount(values * K + subject.codes[here], minlength=len(texts) * K)
    table = table.reshape(len(texts), K)
    rows = table.sum(axis=1)
    if not here.all() or (table.max(axis=1) != rows).any() or (rows > 0).sum() < 2:
        return None
    if _by_chance_pure(subject, rows):
        return None
    largest = np.argsort(-rows, kind="stable")
    said = [f"{texts[v]!r} is always {subject.classes[table[v].argmax()]!r}" for v in largest]
    return f"each of its {len(said):,} values has rows of one class only ({listed(said, 2)})"


def _missing_separates(subject: Subject, gone: np.ndarray) -> str | None:
    """In words, if a value is missing exactly in the rows of one of two classes."""
    if len(subject.classes) != 2 or not gone.any() or gone.all():
        return None
    share_missing = np.bincount(subject.codes, gone, minlength=2) / subject.counts
    if sorted(share_missing.tolist()) != [0.0, 1.0]:
        return None
    if _by_chance_pure(subject, np.array([gone.sum(), (~gone).sum()])):
        return None
    k = int(share_missing.argmax())
    return f"it is missing in all {subject.counts[k]:,} {subject.classes[k]!r} and in no other row"


def _by_chance_in_order(counts: np.ndarray, columns: int) -> bool:
    K = len(counts)
    log_p = gammaln(K + 1) + gammaln(counts + 1).sum() - gammaln(counts.sum() + 1)
    return bool(log_p + np.log(max(columns, 1)) > np.log(CHANCE))


def _by_chance_pure(subject: Subject, rows: np.ndarray) -> bool:
    log_share = np.log(subject.counts / subject.n)
    log_p = sum(float(logsumexp(m * log_share)) for m in rows if m > 1)
    return bool(log_p + np.log(len(subject.question.columns) or 1) > np.log(CHANCE))


def _correlation(x: np.ndarray, y: np.ndarray) -> float:
    here = ~np.isnan(x)
    Z = standardised(np.column_stack([x[here], y[here]]))
    return float(Z[:, 0] @ Z[:, 1] / max(len(Z), 1)) if len(Z) > 4 else 0.0
