"""Σ λ_i z_i = 0 with λ_i > 0 on as many rows as possible, at one stroke.

A linear program finds a combination of few rows; each one settles few dimensions, and in tables of
indicators it takes a hundred of them. At the maximum of the likelihood of logistic regression

    Σ_i λ_i z_i = 0      with  λ_i = σ(−z_i·u) > 0  for every row,

and where no maximum exists, λ_i tends to 0 exactly for the rows that some vector has strictly on
its side. So some Newton steps in floats show which rows can take part and give λ up to rounding; a
correction on a basis of these rows, in fractions, makes the sum exactly 0.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.special import expit, log_expit

from linscope.arithmetic.modular import Minor, largest_minor
from linscope.arithmetic.rational import solve

from .signed_rows import SignedRows

# Numbers that are held at once; rows that take part, at least and for each column.
MOST_NUMBERS, FEWEST_ROWS, ROWS_PER_COLUMN, OF_EACH_VALUE = 20_000_000, 1000, 8, 3
MOST_STEPS, SETTLED, RIDGE = 40, 1e-9, 1e-10
# λ above this is positive, below it on its way to 0; λ is rounded to multiples of 2^−BITS.
POSITIVE, BITS = 1e-4, 45


def spanning_combination(rows: SignedRows) -> dict[int, Fraction] | None:
    """Row -> λ > 0 with Σ λ_i z_i = 0 exactly, on rows that span much; None if none was found."""
    every = np.arange(rows.n)
    if rows.n * rows.p > MOST_NUMBERS:
        every = every[:: -(-rows.n * rows.p // MOST_NUMBERS)]
    Z = rows.take(every)
    with np.errstate(all="ignore"):
        taking = np.flatnonzero(_multipliers(Z) > POSITIVE)
        for chosen in (_some(Z, taking), taking):
            if len(chosen):
                own = Z[chosen]
                values = _multipliers(own)
                positive = np.flatnonzero(values > POSITIVE)
                if len(chosen) == len(taking) or _rank(own[positive]) == _rank(Z[taking]):
                    found = _exactly(rows, every[chosen[positive]], own[positive])
                    if found is not None:
                        return found
    return None


def _multipliers(Z: np.ndarray) -> np.ndarray:
    """λ of each row after Newton's steps from 0."""
    u, values = np.zeros(Z.shape[1]), np.full(len(Z), 0.5)
    loss = len(Z) * np.log(2.0)
    for _ in range(MOST_STEPS):
        H = (Z * (values * (1.0 - values))[:, None]).T @ Z
        H.flat[:: len(H) + 1] += RIDGE * max(float(np.trace(H)), 1e-300)
        step = np.linalg.solve(H, values @ Z)
        along, size = Z @ step, 1.0
        while True:
            margins = Z @ u + size * along
            new = -float(log_expit(margins).sum())
            if new <= loss or size < 1e-3:
                break
            size *= 0.5
        u, gained, loss = u + size * step, loss - new, new
        values = expit(-margins)
        if not gained > SETTLED * loss:
            break
    return values


def _some(Z: np.ndarray, taking: np.ndarray) -> np.ndarray:
    """Few of the rows that take part, but some for each sign of each column in either class."""
    size = max(FEWEST_ROWS, ROWS_PER_COLUMN * Z.shape[1])
    if len(taking) <= 2 * size:
        return taking
    chosen = [taking[:: len(taking) // size]]
    side = Z[taking, 0] > 0
    for j in range(1, Z.shape[1]):
        for sign in (-1.0, 1.0):
            for own in (side, ~side):
                chosen.append(taking[own & (sign * Z[taking, j] > 0)][:OF_EACH_VALUE])
    return np.unique(np.concatenate(chosen))


def _rank(Z: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(Z.T @ Z)) if len(Z) else 0


def _exactly(rows: SignedRows, support: np.ndarray, Z: np.ndarray) -> dict[int, Fraction] | None:
    """The combination of these rows, corrected on a basis of them."""
    values = _balanced(Z, _multipliers(Z))
    whole = np.array([max(int(v), 1) for v in np.rint(np.ldexp(values, BITS))], dtype=object)
    M, _ = rows.exact_rows(support, common=True)
    minor = largest_minor(M)
    change = solve_on(M, minor, [-int(v) for v in whole @ M])
    if change is None:
        return None
    found = {int(i): Fraction(int(v)) for i, v in zip(support, whole, strict=True)}
    for place, delta in zip(minor.rows, change, strict=True):
        found[int(support[place])] += delta
    return found if all(v > 0 for v in found.values()) else None


def _balanced(Z: np.ndarray, values: np.ndarray) -> np.ndarray:
    """λ moved as little as possible so that Σ λ z is 0 up to rounding."""
    for _ in range(2):
        values = values - Z @ np.linalg.lstsq(Z.T @ Z, values @ Z, rcond=1e-12)[0]
    return values


def solve_on(M: np.ndarray, minor: Minor, right: list[int]) -> list[Fraction] | None:
    """x with Σ_i x_i M_i = right over the rows of the minor, exactly; None if there is none."""
    B = M[minor.rows]
    found = solve(B[:, minor.columns].T, [right[c] for c in minor.columns])
    if found is None:
        return None
    total = [sum(x * int(v) for x, v in zip(found, column, strict=True) if v) for column in B.T]
    return found if total == right else None
