"""Values so far out that a few rows decide what a linear model makes of a column.

The squares (x − median)² of a column add up to what a linear fit sees of it. A column is reported
if at most 1 % of its rows make more than 90 % of that sum, and each of them lies more than 10
robust standard deviations (1.4826 · median of |x − median|) from the median. For normal values 1 %
of the rows make 9 % of the sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .registry import Found, rule
from .subject import Subject
from .words import number, rows_named, share

FEW, MOST, FAR = 0.01, 0.9, 10.0
FEWEST_ROWS = 20
SHOWN = 3


class Far(NamedTuple):
    """Rows far out, by distance; how far the first is; their share of the squares; its value."""

    rows: np.ndarray
    distance: float
    share: float
    value: float


def far_out(values: np.ndarray) -> Far | None:
    """The few rows that decide a column, if there are such."""
    here = np.flatnonzero(~np.isnan(values))
    if len(here) < FEWEST_ROWS:
        return None
    x = values[here]
    size = np.abs(x).max()
    off = np.abs(x / 2 - np.median(x) / 2)
    # The median of |x − median|, in units that keep squares in range.
    spread = 1.4826 * float(np.median(off))
    if spread == 0 or off.max() <= FAR * spread or not np.isfinite(size):
        return None
    count = max(int(FEW * len(x)), 1)
    top = np.argsort(-off, kind="stable")[:count]
    unit = off / off.max()
    part = float((unit[top] ** 2).sum() / (unit**2).sum())
    top = top[off[top] > FAR * spread]
    if part <= MOST:
        return None
    with np.errstate(over="ignore"):
        return Far(here[top], float(off[top[0]] / spread), part, float(x[top[0]]))


@rule(
    "LS151",
    "A few values decide a column",
    "warning",
    "A few rows are so far from the rest that a linear model sees little else of this column.",
)
def outlying_values(subject: Subject) -> Iterator[Found]:
    found: dict[str, Far] = {}
    for j in subject.numeric if subject.affordable else ():
        far = far_out(subject.column(j))
        if far is not None:
            found[subject.names[j]] = far
    if not subject.classification:
        far = far_out(np.asarray(subject.question.y, dtype=np.float64))
        if far is not None:
            found[subject.target] = far
    if found:
        parts = [_sentence(name, far) for name, far in list(found.items())[:SHOWN]]
        more = f" And {len(found) - SHOWN:,} more columns." if len(found) > SHOWN else ""
        first = next(iter(found.values()))
        yield Found(
            f"{' '.join(parts)}{more} Scaling by such a column makes its other values all alike.",
            f"Check {rows_named(first.rows[:3])} for mistakes; if the values are right, take "
            "logarithms, or trust a model that outliers cannot swing (HuberRegressor).",
            found,
            first.rows,
        )


def _sentence(name: str, far: Far) -> str:
    if len(far.rows) == 1:
        who = f"the value {number(far.value)} of row {far.rows[0]} lies"
    else:
        who = f"{len(far.rows):,} values ({number(far.value)} of row {far.rows[0]}, …) lie up to"
    return (
        f"{name}: {who} {far.distance:,.3g} robust standard deviations from the median and "
        f"{'makes' if len(far.rows) == 1 else 'make'} {share(far.share)} of its squares."
    )
