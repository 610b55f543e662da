"""Columns that are constant, copies, or combinations of others: found in a sample of the rows by
correlations and by QR with pivoting, verified in all rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.linalg

from linscope.least_squares.certificates.least_squares import sentences

from .registry import Found, rule
from .subject import Subject
from .words import counted, listed, number

# A relation holds if no row is off by more than this share of the column's range.
EXACT = 1e-9
# What is left of a dependent column, as a share of its length.
NOTHING_LEFT = 1e-8
SMALL_FACTOR = 1e-7
MOST_SHOWN = 6


class Line(NamedTuple):
    """y = offset + slope·x."""

    slope: float
    offset: float

    def words(self, name: str) -> str:
        """The formula; it ends with the offset if there is one."""
        factor = {1.0: "", -1.0: "−"}.get(round(self.slope, 9), f"{number(self.slope)}·")
        if self.offset == 0:
            return f"{factor}{name}"
        sign = "−" if self.offset < 0 else "+"
        return f"{factor}{name} {sign} {number(abs(self.offset))}"


def affine(x: np.ndarray, y: np.ndarray, tolerance: float = EXACT) -> Line | None:
    """The line through the ends of x, if all rows lie on it and the same ones are missing."""
    here = ~np.isnan(x)
    if (here != ~np.isnan(y)).any() or not here.any():
        return None
    x, y = x[here], y[here]
    low, high = int(np.argmin(x)), int(np.argmax(x))
    reach = float(y.max() / 2 - y.min() / 2)
    run = x[high] / 2 - x[low] / 2
    if run == 0 or reach == 0:
        return None
    unit = (x / 2 - x[low] / 2) / run  # 0 … 1
    off = np.abs(y / 2 - (y[low] / 2 * (1 - unit) + y[high] / 2 * unit)).max()
    slope = (y[high] / 2 - y[low] / 2) / run
    if off > tolerance * reach or not np.isfinite(slope) or slope == 0:
        return None
    if abs(slope - round(slope, 9)) < 1e-9:
        slope = round(float(slope), 9)
    offset = float(y[low] - slope * x[low])
    return Line(float(slope), 0.0 if abs(offset) <= 1e-9 * np.abs(y).max() else offset)


def pivoted(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """R and the order of the columns in QR with pivoting, and how many are independent."""
    R, order = scipy.linalg.qr(Z, mode="r", pivoting=True, check_finite=False)
    left = np.abs(np.diag(R))
    return R, order, int((left > NOTHING_LEFT * left.max(initial=0.0)).sum())


@rule(
    "LS131",
    "A column is constant",
    "note",
    "A feature has the same value in all rows: no model can learn from it.",
)
def constant(subject: Subject) -> Iterator[Found]:
    found = [c.name for c in subject.question.columns if c.kind == "constant"]
    if subject.affordable:
        for j, name in enumerate(subject.names):
            values = subject.column(j)
            if name not in found and np.fmin.reduce(values) == np.fmax.reduce(values):
                gone = np.isnan(values).any()  # then it says whether a value is missing
                found += [] if gone else [name]
    if found:
        has = "has" if len(found) == 1 else "have each"
        yield Found(
            f"{listed(found)} {has} the same value in all {counted(subject.n, 'row')}: there is "
            "nothing to learn from that.",
            "Nothing needs to be done; ask whether rows with other values are missing.",
            found,
        )


@rule(
    "LS132",
    "Columns are copies of each other",
    "warning",
    "Two features say the same, in the same or in other units: weights are shared between them "
    "and cannot be read one by one.",
)
def copies(subject: Subject) -> Iterator[Found]:
    found = {**_copied_numbers(subject), **_copied_categories(subject)}
    if found:
        shown = "; ".join(list(found.values())[:MOST_SHOWN])
        more = len(found) - MOST_SHOWN
        yield Found(
            f"{shown}{f'; and {more:,} more' if more > 0 else ''} (verified in all rows). Copies "
            "share one weight between them, so their weights cannot be read.",
            f"Leave one of each out (--drop {next(iter(found))}).",
            found,
        )


@rule(
    "LS133",
    "Columns depend on each other",
    "warning",
    "A feature is a sum of others: many weights fit equally well, and none of them means "
    "anything by itself.",
)
def combinations(subject: Subject) -> Iterator[Found]:
    found = _combined(subject)
    if found:
        shown = "; ".join(list(found.values())[:MOST_SHOWN])
        more = len(found) - MOST_SHOWN
        yield Found(
            f"{shown}{f'; and {more:,} more' if more > 0 else ''} (verified in all rows). Many "
            "weights give the same predictions, so they cannot be read one by one.",
            f"Leave one column of each relation out (--drop {next(iter(found))}).",
            found,
        )


def _copied_numbers(subject: Subject) -> dict[str, str]:
    Z, columns = subject.standard
    alike = np.abs(Z.T @ Z) / max(len(Z), 1) > 1 - 1e-9
    found: dict[str, str] = {}
    for a, b in np.argwhere(np.triu(alike, 1)):
        one, other = subject.names[columns[a]], subject.names[columns[b]]
        if one in found or other in found or len(Z) < 4:
            continue
        line = affine(subject.column(columns[a]), subject.column(columns[b]))
        if line is not None:
            same = line == Line(1.0, 0.0)
            found[other] = f"{other} equals {one}" if same else f"{other} = {line.words(one)}"
    return found


def _copied_categories(subject: Subject) -> dict[str, str]:
    """Categories that name the same groups of rows, perhaps by other words."""
    first: dict[bytes, int] = {}
    found = {}
    for j in subject.question.categorical:
        values = np.nan_to_num(subject.column(j), nan=-1.0)
        distinct, at, inverse = np.unique(values, return_index=True, return_inverse=True)
        if not 1 < len(distinct) < subject.n:
            continue
        # Values are numbered in the order in which they appear.
        pattern = np.argsort(np.argsort(at)).astype(np.int32)[inverse.ravel()].tobytes()
        if pattern in first:
            name, other = subject.names[j], subject.names[first[pattern]]
            found[name] = f"{name} names the same groups as {other}"
        else:
            first[pattern] = j
    return found


def _combined(subject: Subject) -> dict[str, str]:
    """Each dependent column as a formula, copies left out."""
    Z, columns = subject.standard
    copied = set(_copied_numbers(subject))
    keep = [k for k, j in enumerate(columns) if subject.names[j] not in copied]
    if len(keep) < 3 or len(Z) <= len(keep) + 1:
        return {}
    R, order, rank = pivoted(Z[:, keep])
    places = [columns[keep[k]] for k in order]
    found: dict[str, str] = {}
    for k in range(rank, len(places)):
        factors = scipy.linalg.solve_triangular(R[:rank, :rank], R[:rank, k])
        used = np.abs(factors) > SMALL_FACTOR
        others = [j for j, is_used in zip(places[:rank], used, strict=True) if is_used]
        relation = _relation(subject, places[k], others)
        if relation is not None:
            j, parts = relation
            found[subject.names[j]] = sentences({j: parts}, subject.names)[0]
    return found


def _relation(subject: Subject, j: int, others: list[int]) -> tuple[int, dict[int, float]] | None:
    """Column j as a combination of others, or one of them as one that is easier to read."""
    columns = np.column_stack([subject.column(k) for k in [*others, j]])
    if np.isnan(columns).any():
        return None
    size = np.ldexp(1.0, np.frexp(np.abs(columns).max(axis=0))[1])
    columns = columns / size
    A = np.column_stack([np.ones(len(columns)), columns[:, :-1]])
    w = np.linalg.lstsq(A, columns[:, -1], rcond=None)[0]
    if np.abs(A @ w - columns[:, -1]).max() > EXACT * np.ptp(columns[:, -1]):
        return None
    # 0 = Σ r x: solve it for the column whose formula has the fewest minus signs.
    r = np.r_[w[1:], -1.0] / size
    places = [*others, j]
    minus = [int((-np.delete(r, k) / r[k] < 0).sum()) for k in range(len(r))]
    k = min(range(len(r)), key=lambda k: (minus[k], -places[k]))
    parts = {places[i]: float(-r[i] / r[k]) for i in range(len(r)) if i != k}
    offset = float(-w[0] / r[k])
    if abs(offset) > EXACT * size[k]:
        parts[-1] = offset
    return places[k], parts
