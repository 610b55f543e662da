"""Does a direction separate the classes? The sign of every margin, exactly.

A direction gives each class k a vector v_k of fractions, bias first. The likelihood grows for ever
along it if (v_{y_i} − v_k)·[1, x_i] ≥ 0 for all rows i and classes k, with > 0 for some. Floats
with a proven bound decide most signs; whole numbers decide the others.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from linscope.arithmetic.enclosures import UNIT, scores
from linscope.arithmetic.rational import magnitude, power_of_two
from linscope.verify.exact_signs import whole_scores

Direction = tuple[tuple[Fraction, ...], ...]


class Signs(NamedTuple):
    """What the margins of all rows have in common."""

    none_negative: bool
    some_positive: bool
    all_positive: bool

    def plus(self, other: Signs) -> Signs:
        """Of both together."""
        return Signs(
            self.none_negative and other.none_negative,
            self.some_positive or other.some_positive,
            self.all_positive and other.all_positive,
        )


def margin_signs(X: Any, codes: np.ndarray, direction: Direction) -> Signs:
    """The signs of (v_{y_i} − v_k)·[1, x_i] over all rows and classes k ≠ y_i."""
    found = Signs(True, False, True)
    for k, own in enumerate(direction):
        mine = np.flatnonzero(codes == k)
        for other in direction[:k] + direction[k + 1 :] if len(mine) else ():
            signs = _signs(X[mine], [a - b for a, b in zip(own, other, strict=True)])
            positive = signs > 0
            here = Signs(bool((signs >= 0).all()), bool(positive.any()), bool(positive.all()))
            found = found.plus(here)
    return found


def _signs(X: Any, v: list[Fraction]) -> np.ndarray:
    """The sign of v·[1, x] for each row."""
    if not any(v):
        return np.zeros(X.shape[0])
    used = [j for j in range(1, len(v)) if v[j]]
    X, v = X[:, [j - 1 for j in used]], [v[0], *(v[j] for j in used)]
    unit = power_of_two(-max(magnitude(value) for value in v if value))
    near = np.array([[float(value * unit) for value in v]])
    with np.errstate(all="ignore"):
        found = scores(X, near)
        size = (abs(X) @ np.abs(near[0, 1:])) + abs(near[0, 0])
        doubt = found.rad[:, 0] + 2 * UNIT * size + 1e-290 * (1 + np.abs(X).sum(axis=1).max())
        signs = np.sign(found.mid[:, 0])
        open_rows = np.flatnonzero(~(np.abs(found.mid[:, 0]) > doubt))
    if len(open_rows):
        signs[open_rows] = np.sign(whole_scores(X[open_rows], v)[0]).astype(np.float64)
    return signs
