"""Other coordinates for rows whose columns are nearly combinations of each other.

If column k is Σ_j c_j·column j up to rounding, floats do not see what is left of it, and a solver
in floats finds nothing in that direction. With the vector e_k − Σ_j c_j e_j in place of e_k the
same W can be written, and z_i·(e_k − Σ_j c_j e_j) is formed in whole numbers: what is left, to all
digits, in a unit of its own. That may again be nearly a combination, so it is looked at again.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.linalg import qr, solve_triangular

from linscope.arithmetic.rational import magnitude, power_of_two

from .signed_rows import SignedRows, whole_numbers

# A column of unit length is nearly a combination if this little is left of it.
NEARLY = 1e-7
MOST_LEVELS = 4
SAMPLE_ROWS = 2000


def exact_column(rows: SignedRows, places: Any, vector: Sequence[Fraction]) -> np.ndarray:
    """z_i·vector for some rows, formed in whole numbers and rounded once."""
    whole, factor = whole_numbers(vector)
    total, unit = rows.exact_scores(places, whole)
    unit *= factor
    return np.array([float(t * unit) for t in total.tolist()])


def set_apart(rows: SignedRows, vectors: list[list[Fraction]]) -> list[list[Fraction]] | None:
    """Vectors with the same span on which the rows are seen well; None if these are already.

    A vector that is orthogonal to all rows is left out.
    """
    places = np.arange(0, rows.n, -(-rows.n // max(SAMPLE_ROWS, 4 * rows.p)))
    columns = [_in_units(exact_column(rows, places, vector), vector) for vector in vectors]
    changed = False
    for _ in range(MOST_LEVELS):
        A = np.column_stack([column for column, _ in columns])
        replaced = _residuals(A)
        if not replaced:
            break
        changed = True
        current = [vector for _, vector in columns]
        for k, others, share in replaced:
            vector = _minus(current[k], [current[j] for j in others], share)
            columns[k] = _in_units(exact_column(rows, places, vector), vector)
        columns = [pair for pair in columns if pair[0].any() or rows.signs_of(pair[1]).any()]
    return [vector for _, vector in columns] if changed else None


def _in_units(column: np.ndarray, vector: Sequence[Fraction]) -> tuple[np.ndarray, list[Fraction]]:
    """Both times the power of two that brings the column's largest entry to about 1."""
    largest = float(np.abs(column).max(initial=0.0))
    if largest == 0.0:
        return column, list(vector)
    unit = power_of_two(-magnitude(Fraction(largest)))
    return column * float(unit), [v * unit for v in vector]


def _residuals(A: np.ndarray) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """Columns of which little is left beside the others: (its place, places of those, shares)."""
    lengths = np.linalg.norm(A, axis=0)
    lengths[lengths == 0.0] = 1.0
    R, order = qr(A / lengths, mode="r", pivoting=True)
    left = np.abs(np.diag(R))
    rank = int(np.searchsorted(-left, -NEARLY))
    if rank == len(order):
        return []
    shares = solve_triangular(R[:rank, :rank], R[:rank, rank:])
    basis = order[:rank]
    return [
        (int(k), basis, shares[:, m] * lengths[k] / lengths[basis])
        for m, k in enumerate(order[rank:])
    ]


def _minus(
    vector: list[Fraction], others: list[list[Fraction]], shares: np.ndarray
) -> list[Fraction]:
    out = list(vector)
    for share, other in zip(map(Fraction, shares.tolist()), others, strict=True):
        if share:
            out = [a - share * b for a, b in zip(out, other, strict=True)]
    return out
