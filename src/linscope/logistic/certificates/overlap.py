"""A proof that the classes overlap, from one Newton step near the maximum of the likelihood.

A direction V (a weight vector v_k for each class) separates if (v_{y_i} − v_k)·z_i ≥ 0 for all
rows i and classes k, with > 0 for some. None exists if there are λ_ik > 0 with

    Σ_i Σ_{k≠y_i} λ_ik (e_{y_i} − e_k) ⊗ z_i = 0                     (Stiemke's alternative)

since such a V would make the sum of λ_ik (v_{y_i} − v_k)·z_i positive. At any weights, let p_ik be
the probabilities, G = Σ c_i (e_{y_i} − p_i) ⊗ z_i the score, H the information, U = H⁻¹G Newton's
step and t_i = U z_i the change of the scores of row i. Then G − HU = 0 is the sum above with

    λ_ik = c_i p_ik (1 + t_ik − Σ_l p_il t_il)

So **if Newton's step changes no difference of scores by 1 or more, a finite maximum exists**.

Only H may be of some rows (t_i = 0 for the others): with many rows, G is one pass and the rest is
cheap.

Rounding. For the computed G, H, U the sum is not 0 but a small E. A further step H⁻¹E makes it 0,
and changes a score by at most ‖s‖ ‖SE‖/λ_min(SHS), where S = diag(s) = diag(H)^−½ and |z| ≤ 1.
With γ the relative rounding of a sum over rows and a = Σ c_i |e_{y_i} − p_i| ⊗ |z_i|, the errors
of G and H are |ΔG| ≤ γ a and ‖SΔHS‖ ≤ γ·size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from linscope.rows.blocks import Block, Largest

from ..solvers.constrained_newton import SMALL, maximise, newton_step, search
from ..solvers.multinomial import Frame, Multinomial, Place, residuals

UNIT = 2.0**-53
# So many rows give an H that is good enough.
FEWEST_ROWS, ROWS_A_WEIGHT = 8192, 200


class Overlap(NamedTuple):
    """The largest change of a difference of scores, rounding included; below 1 it is a proof."""

    theta: np.ndarray
    change: float

    @property
    def proven(self) -> bool:
        return self.change < 1.0


def prove_overlap(model: Multinomial, theta: np.ndarray, steps: int) -> Overlap:
    """Try the proof at θ, and after each of some Newton steps; all weights must be positive."""
    theta = np.ravel(theta)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        best = _cheap(model, theta)
        if steps and not best.proven:
            theta = _near(model, theta)
        for step in range(steps + 1):
            if best.proven:
                break
            try:
                here = model.at(theta)
                if not np.isfinite(here.information).all():
                    break
                best = Overlap(theta, _change(model, _score(model, theta), model, theta, here))
                move, _, decrement2 = newton_step(here, np.zeros((0, len(theta))))
                if best.proven or step == steps or decrement2 <= SMALL:
                    break
                found = search(model, theta, here, move, decrement2)
            except linalg.LinAlgError:
                break
            if found is None:
                break
            theta = found[0]
    return best


def _share(model: Multinomial) -> Multinomial | None:
    """Some of the rows, where there are many."""
    rows = max(FEWEST_ROWS, ROWS_A_WEIGHT * int(np.prod(model.shape)))
    return model.some(rows) if model.engine.n_rows >= 2 * rows else None


def _near(model: Multinomial, theta: np.ndarray) -> np.ndarray:
    """The maximum of a share of the rows, if it has one: from there few steps are left."""
    part = _share(model)
    if part is None:
        return theta
    try:
        found = maximise(part, theta, most_steps=20)
    except linalg.LinAlgError:
        return theta
    return found.theta if found.converged else theta


def _cheap(model: Multinomial, theta: np.ndarray) -> Overlap:
    """With H of a share of the rows."""
    part = _share(model)
    if part is None:
        return Overlap(theta, np.inf)
    return Overlap(theta, _change(model, _score(model, theta), part, theta, part.at(theta)))


def _change(
    model: Multinomial, score: Score, part: Multinomial, theta: np.ndarray, here: Place
) -> float:
    """The largest change of a difference of scores by Newton's step, with the rounding."""
    H, G = here.information, score.G
    diagonal = np.diag(H)
    if not ((diagonal > 0).all() and score.least > 0.0 and np.isfinite(H).all()):
        return np.inf
    s = 1.0 / np.sqrt(diagonal)
    B = H * s[:, None] * s
    low = float(np.linalg.eigvalsh(B)[0])
    wrong_H = len(G) * (_gamma(part) + 4 * len(G) * UNIT)
    if low <= wrong_H:
        return np.inf
    step = np.linalg.solve(B, G * s)
    U = step * s
    wrong = float(np.linalg.norm(s * (G - H @ U)) + _gamma(model) * np.linalg.norm(s * score.a))
    wrong += wrong_H * float(np.linalg.norm(step))
    wrong *= 2.0 * float(np.linalg.norm(s)) / (low - wrong_H)
    wrong += 4 * (model.frame.p + 4) * UNIT * float(np.sum(np.abs(U)))
    reach = part.engine.fold(_reach, part.frame, U.reshape(model.shape)).value
    return float(reach + wrong)


class Score(NamedTuple):
    """G, the sum a of the sizes of its terms, and the least probability."""

    G: np.ndarray
    a: np.ndarray
    least: float

    def plus(self, other: Score) -> Score:
        return Score(self.G + other.G, self.a + other.a, min(self.least, other.least))


def _score(model: Multinomial, theta: np.ndarray) -> Score:
    return model.engine.fold(_score_block, model.frame, np.reshape(theta, model.shape))


def _score_block(block: Block, frame: Frame, theta: np.ndarray) -> Score:
    Z = frame.rows(block.X)
    P = frame.probabilities(Z, theta)
    r = residuals(P, block.y)[:, frame.others]
    if block.weighted:
        r = r * block.weight[:, None]
    G = (r.T @ Z).ravel()
    a = np.abs(r).T @ np.abs(Z, out=Z)
    return Score(G, a.ravel(), float(P.min(initial=1.0)))


def _reach(block: Block, frame: Frame, U: np.ndarray) -> Largest:
    """max_i (max_k t_ik − min_k t_ik) over a block."""
    T = np.zeros((block.X.shape[0], frame.n_classes))
    T[:, frame.others] = frame.rows(block.X) @ U.T
    return Largest(float((T.max(axis=1) - T.min(axis=1)).max(initial=0.0)))


def _gamma(model: Multinomial) -> float:
    """Relative rounding of the sums over rows, whatever the order inside a block."""
    sizes = model.engine.sizes
    return 1.01 * UNIT * (max(sizes) + len(sizes) + model.n_classes + model.frame.p + 20)
