"""The maximum of a likelihood, everywhere or on a plane A θ = t, by Newton's method.

    I Δ + Aᵀμ = score,   A Δ = 0          one step; μ are the multipliers
    Δ = I⁻¹(score − Aᵀμ),   μ = (A I⁻¹ Aᵀ)⁻¹ A I⁻¹ score

At the maximum on the plane score = Aᵀμ, and μ is the derivative of the maximum by t.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from scipy import linalg

from .multinomial import Place

MOST_STEPS, SHORTEST = 200, 2.0**-30
# The last step is so short, in units of the standard errors (squared).
SMALL = 1e-20
# Below this a change of the likelihood is rounding.
NOISE = 1e-12


class Likelihood(Protocol):
    """A likelihood, penalised or not, that knows its derivatives."""

    def at(self, theta: np.ndarray) -> Place: ...


class Maximum(NamedTuple):
    """Where the maximum is, what is known there, the multipliers, and whether it was reached."""

    theta: np.ndarray
    place: Place
    multipliers: np.ndarray
    converged: bool
    steps: int


def maximise(
    likelihood: Likelihood,
    start: np.ndarray,
    A: np.ndarray | None = None,
    t: np.ndarray | float = 0.0,
    most_steps: int = MOST_STEPS,
) -> Maximum:
    """Maximum on the plane A θ = t, from a start that need not lie on it.

    Raises ``scipy.linalg.LinAlgError`` if the information matrix is singular.
    """
    theta = np.ravel(start).astype(np.float64)
    A = np.zeros((0, len(theta))) if A is None else np.atleast_2d(A)
    here = likelihood.at(theta)
    off = np.atleast_1d(t) - A @ theta if len(A) else np.zeros(0)
    if np.any(off):
        theta = theta + _onto_plane(here, A, off)
        here = likelihood.at(theta)
    for steps in range(most_steps):
        move, multipliers, decrement2 = newton_step(here, A)
        if decrement2 <= SMALL:
            return Maximum(theta, here, multipliers, True, steps)
        found = search(likelihood, theta, here, move, decrement2)
        if found is None:
            return Maximum(theta, here, multipliers, decrement2 <= np.sqrt(SMALL), steps)
        theta, here = found
    return Maximum(theta, here, newton_step(here, A)[1], False, most_steps)


def newton_step(here: Place, A: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Δ, the multipliers, and Δᵀ I Δ."""
    factor = factor_of(here.information)
    move = linalg.cho_solve(factor, here.score)
    multipliers = np.zeros(len(A))
    if len(A):
        side = linalg.cho_solve(factor, A.T)
        multipliers = np.linalg.solve(A @ side, A @ move)
        move = move - side @ multipliers
    return move, multipliers, float(move @ (here.score - A.T @ multipliers))


def _onto_plane(here: Place, A: np.ndarray, off: np.ndarray) -> np.ndarray:
    """The shortest way to the plane, in the metric of the information."""
    side = linalg.cho_solve(factor_of(here.information), A.T)
    return side @ np.linalg.solve(A @ side, off)


def factor_of(information: np.ndarray) -> tuple[np.ndarray, bool]:
    """Cholesky; a pivot that is only rounding means singular."""
    factor = linalg.cho_factor(information, lower=True)
    if (np.diag(factor[0]) ** 2 <= 1e-14 * np.diag(information)).any():
        raise linalg.LinAlgError("the information matrix is singular")
    return factor


def search(
    likelihood: Likelihood, theta: np.ndarray, here: Place, move: np.ndarray, decrement2: float
) -> tuple[np.ndarray, Place] | None:
    """The first of t = 1, ½, ¼, … that does not lower the likelihood."""
    noise, t = NOISE * (1.0 + abs(here.value)), 1.0
    while t > SHORTEST:
        try:
            there = likelihood.at(theta + t * move)
        except linalg.LinAlgError:  # so far that every class is certain
            t *= 0.5
            continue
        if there.value >= here.value + 1e-4 * t * decrement2 - noise:
            return theta + t * move, there
        t *= 0.5
    return None
