"""Standard errors where rows of a group belong together: pupils of a school, days of a shop.

Errors may be correlated inside a group in any way, not between groups. With the coordinates q and
the scaled residuals u of ``covariance.py``

    Cov(w) = k P (Σ_g s_g s_gᵀ) Pᵀ,    s_g = Σ_{i in g} u_i q_i,    k = G/(G − 1) · (n − 1)/(n − p)

for G groups. k is the usual correction for few of them; tests use t with G − 1 degrees of freedom.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import column_or_1d

from linscope.rows.blocks import Block

from .basis import Basis
from .rows import scores

NO_GROUPS = "cov='cluster' needs groups=: a label for each row that says its group"


class GroupSums(NamedTuple):
    """s_g of the groups that a part of the rows has, in the order of their numbers."""

    groups: np.ndarray
    sums: np.ndarray

    def plus(self, other: GroupSums) -> GroupSums:
        return _added(
            np.concatenate([self.groups, other.groups]), np.concatenate([self.sums, other.sums])
        )


def group_sums(block: Block, weights: np.ndarray, basis: Basis) -> GroupSums:
    """Over a block whose y has two columns, the target and the number of the group."""
    u = block.y[:, 0] - scores(block.X, weights, basis.fit_intercept)
    if block.weighted:
        u *= np.sqrt(block.weight)
    return _added(block.y[:, 1], basis.rows(block) * u[:, None])


def _added(groups: np.ndarray, terms: np.ndarray) -> GroupSums:
    known, places = np.unique(groups, return_inverse=True)
    sums = np.zeros((len(known), terms.shape[1]))
    np.add.at(sums, places, terms)
    return GroupSums(known, sums)


def middle(sums: GroupSums, n: float, p: int) -> np.ndarray:
    """k Σ_g s_g s_gᵀ."""
    G = len(sums.groups)
    return sums.sums.T @ sums.sums * (G / (G - 1) * (n - 1) / (n - p))


def read_groups(groups: Any, n: int, rows: np.ndarray | None) -> np.ndarray:
    """The number of the group of each training row.

    Parameters
    ----------
    groups : a label of any kind for each row of the user's table, or for each training row
    n : training rows
    rows : their numbers in the user's table; None if all rows are there
    """
    if groups is None:
        raise ValueError(NO_GROUPS)
    labels = column_or_1d(groups)
    if rows is not None and len(labels) != n:
        last = int(rows[-1]) if len(rows) else -1
        labels = labels[rows] if last < len(labels) else labels
    if len(labels) != n:
        raise ValueError(f"groups has {len(labels)} labels for {n} rows: one per row is needed")
    if (labels != labels).any():
        row = int(np.flatnonzero(labels != labels)[0])
        raise ValueError(f"groups[{row}] is missing: every row needs a group")
    known, numbers = np.unique(labels, return_inverse=True)
    if len(known) < 2:
        raise ValueError("all rows are in one group: clustered errors need at least two groups")
    return numbers.astype(np.float64)
