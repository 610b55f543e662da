"""Firth's penalised likelihood for two classes: finite weights even where the classes separate.

    ℓ*(w)   =  ℓ(w) + ½ log det I(w)                   Jeffreys' prior
    score*  =  Σ_i c_i (y_i − p_i) z_i + Σ_i h_i (½ − p_i) z_i
    h_i     =  c_i p_i (1 − p_i) z_iᵀ I⁻¹ z_i          the leverages
    w       ←  w + t I⁻¹ score*                        t = 1, ½, ¼, … until ℓ* grows

The penalty removes the first-order bias of maximum likelihood (Firth 1993). For a 2 × 2 table it
is the same as adding ½ to every cell. A weight c_i counts as c_i equal rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from linscope.results import Result, Status
from linscope.rows.blocks import Block

from .constrained_newton import SMALL, factor_of, newton_step, search
from .multinomial import Frame, Multinomial, Place, rest
from .objective import LogisticObjective

# After so many steps without any progress the rest is rounding.
IDLE = 20


class FirthLikelihood:
    """ℓ* with its score, and the information of ℓ."""

    def __init__(self, model: Multinomial):
        if model.n_classes != 2:
            raise ValueError(
                f"penalty='firth' is defined for two classes, y has {model.n_classes}: use "
                "multi_class='ovr' or 'ovo', or penalty='l2'"
            )
        self.model = model
        # log det I changes by a constant with the units of the columns: report that of x.
        self._units = 2.0 * float(np.sum(np.log(model.frame.scale)))

    def at(self, theta: np.ndarray) -> Place:
        """ℓ*, score* and I at θ: two passes."""
        plain = self.model.at(theta)
        root, _ = factor_of(plain.information)
        logdet = 2.0 * float(np.sum(np.log(np.diag(root)))) + self._units
        flat = np.reshape(theta, self.model.shape)
        pull = self.model.engine.fold(_pull, self.model.frame, flat, root)
        return Place(plain.value + 0.5 * logdet, plain.score + pull, plain.information)


def _pull(block: Block, frame: Frame, theta: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Σ h (½ − p) z over a block."""
    Z = frame.rows(block.X)
    P = frame.probabilities(Z, theta)
    D = np.prod(P, axis=1) if not block.weighted else np.prod(P, axis=1) * block.weight
    half = linalg.solve_triangular(root, Z.T, lower=True)
    leverage = D * np.einsum("ji,ji->i", half, half)
    toward = 0.5 * (rest(P) - P)[:, frame.others[0]]
    return (leverage * toward) @ Z


@dataclass
class State:
    theta: np.ndarray
    place: Place
    decrement: float = np.inf
    steps: int = 0
    best: tuple[float, float] = (-np.inf, np.inf)  # likelihood and decrement so far
    idle: int = 0  # steps since one of them got better
    status: Status | None = None
    note: str = ""


@dataclass
class Firth:
    """Solver for two classes.

    Parameters
    ----------
    objective : LogisticObjective of two classes with rho = 0
    tol : length of the last step in standard errors
    initial : first weights (1, d + 1), or None for zeros

    Notes
    -----
    ``result(state).details`` has ``penalised_log_likelihood``, ``log_likelihood`` and
    ``covariance`` (p, p) = I⁻¹.
    """

    objective: LogisticObjective
    tol: float = 1e-10
    initial: np.ndarray | None = None
    task: str = "logistic regression (Firth)"

    def __post_init__(self) -> None:
        whole = self.objective
        if whole.rho:
            raise ValueError("Firth's penalty stands alone: rho must be 0")
        self.likelihood = FirthLikelihood(
            Multinomial(whole.engine, whole.n_classes, whole.intercept)
        )

    def init(self) -> State:
        frame = self.likelihood.model.frame
        theta = np.zeros(frame.p)
        if self.initial is not None:
            theta = frame.inside(self.initial[:, int(not frame.intercept) :]).ravel()
        return State(theta, self._at(theta))

    def _at(self, theta: np.ndarray) -> Place:
        try:
            return self.likelihood.at(theta)
        except linalg.LinAlgError:
            raise ValueError(
                "penalty='firth' needs columns that do not depend on each other: drop constant or "
                "duplicate columns and one column of each full set of indicators, or use "
                "penalty='l2'"
            ) from None

    def step(self, state: State) -> State:
        """One step of Fisher's scoring, halved until ℓ* grows."""
        try:
            move, _, decrement2 = newton_step(state.place, np.zeros((0, len(state.theta))))
        except linalg.LinAlgError:  # certain of every class: no direction is left
            state.status = Status.STALLED
            return state
        state.decrement = float(np.sqrt(max(decrement2, 0.0)))
        if state.decrement <= self.tol:
            state.status = Status.CONVERGED
            return state
        self._note_progress(state)
        found = None
        if state.idle <= IDLE:
            found = search(self.likelihood, state.theta, state.place, move, decrement2)
        if found is None:
            small = decrement2 <= np.sqrt(SMALL)
            state.status = Status.CONVERGED if small else Status.STALLED
            return state
        state.theta, state.place = found
        state.steps += 1
        state.note = f"penalised log-likelihood {state.place.value:.6g}"
        return state

    def _note_progress(self, state: State) -> None:
        value, decrement = state.best
        better = state.place.value > value or state.decrement < decrement
        state.idle = 0 if better else state.idle + 1
        state.best = max(value, state.place.value), min(decrement, state.decrement)

    def result(self, state: State) -> Result:
        model = self.likelihood.model
        frame = model.frame
        weights = np.zeros((1, len(frame.shift) + 1))
        weights[0, int(not frame.intercept) :] = frame.outside(state.theta[None, :])[0]
        details: dict[str, Any] = {
            "penalised_log_likelihood": state.place.value,
            "log_likelihood": model.at(state.theta).value,
        }
        try:
            details["covariance"] = covariance(state.place.information, frame.matrix)
        except linalg.LinAlgError:
            details["covariance"] = np.full_like(frame.matrix, np.nan)
        status = state.status or Status.MAX_ITER
        return Result(weights, status, state.steps, state.steps, None, details)


def covariance(information: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """M I⁻¹ Mᵀ, the inverse information of the weights of x."""
    root, _ = factor_of(information)
    half = linalg.solve_triangular(np.tril(root), matrix.T, lower=True)
    return half.T @ half
