"""A lower bound of penalised logistic regression from any distributions p'.

Weak duality: min P ≥ D(p') for all distributions p'_i with Σ_i c_i (p'_i − e_{y_i}) = 0, which the
free bias asks for. With π the probabilities at W, G = Σ_i c_i (p'_i − e_{y_i}) x_iᵀ and Ω the
penalty of one weight, the gap is a sum of terms that are each at least 0:

    P(W) − D(p')  =  Σ_i c_i KL(p'_i ‖ π_i)  +  Σ_kj [Ω(w_kj) + Ω*(G_kj) + w_kj G_kj]
    KL(p' ‖ π)    ≤  ½ Σ_k π_k u_k² (1 + min(1, |u_k|)),   u = p'/π − 1
    Ω*(g)         =  (|g| − l1)₊² / (2 l2),  or for l2 = 0: 0 if |g| ≤ l1, else ∞

Nothing large cancels, so rounding enters by its square, but for three things that are first order:

- what is left of Σ c (p' − e), E: (1 − a) p' + a q has none, where a = max E_k / N_k, and
  KL(q ‖ π_i) ≤ max_k −log π_ik;
- |G| ≤ l1 for l2 = 0: e + τ (p' − e) has τG, and costs (1 − τ) Σ c f at most;
- |w| times what is not known of G, with an l1 penalty.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from linscope.arithmetic.enclosures import TINY, UNIT, Ball, products

from .values import VANISHING, Place, Problem, column_sizes, residuals, shifted

BIAS_STEPS, FARTHEST = 6, 30.0
# Newton's equations of more weights are left to conjugate gradients.
MOST_WEIGHTS, MOST_PRODUCTS = 700, 100
# Sums of positive numbers are right to this.
ROOM = 1 + 1e-6


class Dual:
    """Bounds for one place; what depends on the table only is made once."""

    def __init__(self, problem: Problem, place: Place, *, precise: bool = False):
        self.problem, self.place, self.precise = problem, place, precise
        self.Z, _ = shifted(problem, place.p if place.known else None)
        self.sizes = column_sizes(self.Z)

    def gap(self, enough: float = 0.0) -> float:
        """A bound on P(W) − min P; the second, dearer way only where the first is not enough."""
        if not self.place.known or not (self.problem.l2 > 0 or self.problem.l1 > 0):
            return np.inf
        with np.errstate(all="ignore"):
            found = self.of(self.place.p)
            if found > enough:
                found = min(found, self.of(self._moved()))
        return found

    def of(self, p: np.ndarray) -> float:
        """The bound for distributions near p, with new biases where these are free."""
        problem = self.problem
        q = _with_new_biases(problem, _present(problem, p)) if problem.intercept else p
        full = products(self.Z, residuals(problem, q), precise=self.precise)
        near, G = self._divergence(q), Ball(full.mid[:, 1:], full.rad[:, 1:])
        if problem.intercept:
            a = self._share(Ball(full.mid[:, 0], full.rad[:, 0]))
            reach = np.ptp(self.place.scores.mid, axis=1) + 2 * self.place.scores.rad.max(axis=1)
            near += a * float(np.sum(problem.c * (reach + np.log(problem.n_classes)))) * ROOM
            total = float(problem.c.sum()) * ROOM
            G = Ball.safe(G.mid, G.rad + a * (np.abs(G.mid) + G.rad + total * self.sizes))
        bound = near * ROOM + self._penalties(G)
        return float(bound) if bound >= 0 else np.inf

    def _divergence(self, q: np.ndarray) -> float:
        """Σ c KL(q ‖ π)."""
        p, e = self.place.p, self.place.doubt[:, None] + (2 * q.shape[1] + 8) * UNIT
        u = (np.abs(q - p) + e * (q + p)) / (p * (1.0 - e))
        terms = 0.5 * p * (1.0 + e) * u * u * (1.0 + np.minimum(u, 1.0))
        gone = p < VANISHING
        terms = np.where(gone, np.where(q < VANISHING, 4 * VANISHING, np.inf), terms)
        return float(np.sum(self.problem.c[:, None] * terms)) + 4 * p.size * TINY

    def _share(self, E: Ball) -> float:
        """a: how much of other distributions makes the totals of the classes right."""
        high = E.mid + E.rad
        if self.problem.n_classes == 2:
            high = np.array([E.rad[0] - E.mid[0], high[0]])
        N = self.problem.class_totals
        present = N > 0  # the others have p' = 0, and no sample
        return float(np.max(np.maximum(high[present], 0.0) / N[present])) * ROOM

    def _penalties(self, G: Ball) -> float:
        """Σ [Ω(w) + Ω*(G) + w G]; with τ where G must be smaller than l1."""
        problem, V = self.problem, self.problem.penalised(self.place.W)
        if not np.isfinite(G.rad).all():
            return np.inf
        l1, l2 = problem.l1, problem.l2
        if l1 == 0:
            off = np.abs(l2 * V.mid + G.mid) + 2 * UNIT * (l2 * np.abs(V.mid) + np.abs(G.mid))
            off += l2 * V.rad + G.rad
            return 0.5 * float(np.sum(off * off)) / l2 * ROOM
        largest = float(np.max(np.abs(G.mid) + G.rad, initial=0.0)) * (1 + 4 * UNIT)
        scales = {min(1.0, l1 / largest * (1 - 4 * UNIT)) if largest > 0 else 1.0}
        if l2 > 0:
            scales.add(1.0)
        return min(self._scaled(V, G, tau) for tau in scales)

    def _scaled(self, V: Ball, G: Ball, tau: float) -> float:
        l1, l2 = self.problem.l1, self.problem.l2
        w, ends = V.mid, []
        for side in (-1.0, 1.0):  # convex in G: the larger end is the largest value
            g = tau * (G.mid + side * G.rad)
            over = np.maximum(np.abs(g) - l1, 0.0)
            star = over * over / (2 * l2) if l2 > 0 else np.zeros_like(over)
            parts = (l1 * np.abs(w), 0.5 * l2 * w * w, w * g, star)
            ends.append(sum(parts) + 8 * UNIT * sum(np.abs(part) for part in parts))
        terms = float(np.sum(np.maximum(*ends))) + 1e-12 * float(np.sum(np.abs(ends[0])))
        spread = float(np.sum(V.rad * (l1 + l2 * (np.abs(w) + V.rad) + np.abs(G.mid) + G.rad)))
        lost = (1.0 - tau + 4 * UNIT * (tau < 1)) * float(self.place.loss.high)
        return max(terms, 0.0) * ROOM + spread * ROOM + lost * ROOM

    def _moved(self) -> np.ndarray:
        """Probabilities after Newton's step, which takes up the gradient for the least price.

        Weights that an l1 penalty holds at 0 stay there.
        """
        problem, p = self.problem, self.place.p
        slope, V = self._slope(p), problem.penalised(self.place.W).mid
        active = np.ones(slope.shape, dtype=bool)
        active[:, 0] = problem.intercept
        if problem.l1 > 0:
            active[:, 1:] = V != 0
            slope[:, 1:] += problem.l1 * np.sign(V)
        move = newton_step(problem, self.Z, p, slope * active, active)
        T = self.Z @ move[:, 1:].T + move[:, 0]
        if problem.n_classes == 2:
            T = np.hstack([np.zeros((len(T), 1)), T])
        return tilted(p, np.clip(T, -FARTHEST, FARTHEST))

    def _slope(self, p: np.ndarray) -> np.ndarray:
        R = residuals(self.problem, p).mid
        slope = np.column_stack([R.sum(axis=0) * self.problem.intercept, (self.Z.T @ R).T])
        slope[:, 1:] += self.problem.l2 * self.problem.penalised(self.place.W).mid
        return slope


def tilted(p: np.ndarray, T: np.ndarray) -> np.ndarray:
    """p' ∝ p e^T."""
    out = p * np.exp(T - T.max(axis=1, keepdims=True))
    return out / out.sum(axis=1, keepdims=True)


def _present(problem: Problem, p: np.ndarray) -> np.ndarray:
    """p' = 0 for classes without samples: a free bias rules them out."""
    absent = problem.class_totals == 0
    if not absent.any():
        return p
    out = np.where(absent, 0.0, p)
    return out / out.sum(axis=1, keepdims=True)


def _with_new_biases(problem: Problem, p: np.ndarray) -> np.ndarray:
    """p' ∝ p e^t with the right totals of the classes, by Newton's method for t."""
    c, wanted = problem.c[:, None], problem.class_totals
    for _ in range(BIAS_STEPS):
        # Along rows NumPy adds in pairs: a rare class among 10⁵ samples needs its last digits.
        totals = np.ascontiguousarray((c * p).T).sum(axis=1)
        if not np.abs(wanted - totals).max() > 4 * UNIT * wanted[wanted > 0].min():
            break
        H = np.diag(totals) - p.T @ (c * p)
        if not np.isfinite(H).all():
            break
        t = np.linalg.lstsq(H, wanted - totals, rcond=None)[0]
        p = tilted(p, np.broadcast_to(np.clip(t, -FARTHEST, FARTHEST), p.shape))
    return p


def newton_step(
    problem: Problem, Z: Any, p: np.ndarray, slope: np.ndarray, active: np.ndarray
) -> np.ndarray:
    """About −H⁻¹ slope over active weights; any vector serves, a good one makes a small bound."""
    units = _units(problem, Z, p) * active
    if slope.size <= MOST_WEIGHTS:
        H = _hessian(problem, Z, p) * units.ravel()[:, None] * units.ravel()
        H[np.diag_indices_from(H)] += 1e-14 + (units.ravel() == 0)
        try:
            v = linalg.cho_solve(linalg.cho_factor(H), -(slope * units).ravel())
            return v.reshape(slope.shape) * units
        except (linalg.LinAlgError, ValueError):
            pass
    return units * _conjugate_gradients(problem, Z, p, slope, units)


def _units(problem: Problem, Z: Any, p: np.ndarray) -> np.ndarray:
    """1/√ of the diagonal of H."""
    D = (problem.c[:, None] * p * (1.0 - p))[:, problem.shown]
    squares = Z.multiply(Z) if hasattr(Z, "multiply") else Z * Z
    diagonal = np.column_stack([D.sum(axis=0), (squares.T @ D).T + problem.l2])
    diagonal[:, 0] = np.where(problem.intercept, diagonal[:, 0], 1.0)
    return 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))


def _hessian(problem: Problem, Z: Any, p: np.ndarray) -> np.ndarray:
    dense = Z.toarray() if hasattr(Z, "toarray") else Z
    A = np.column_stack([np.full(len(dense), float(problem.intercept)), dense])
    P = p[:, problem.shown]
    rows, size = P.shape[1], A.shape[1]
    H = np.zeros((rows, size, rows, size))
    for k in range(rows):
        for l in range(k + 1):
            D = problem.c * P[:, k] * ((k == l) - P[:, l])
            H[k, :, l, :] = (A * D[:, None]).T @ A
            H[l, :, k, :] = H[k, :, l, :].T
    extra = np.full((rows, size), problem.l2)
    extra[:, 0] = 0.0 if problem.intercept else 1.0
    return H.reshape(rows * size, -1) + np.diag(extra.ravel())


def _conjugate_gradients(problem: Problem, Z: Any, p, slope, units) -> np.ndarray:
    P, c = p[:, problem.shown], problem.c[:, None]

    def product(v: np.ndarray) -> np.ndarray:
        V = units * v
        T = Z @ V[:, 1:].T + V[:, 0]
        R = c * P * (T - np.sum(P * T, axis=1, keepdims=True))
        out = np.column_stack([R.sum(axis=0), (Z.T @ R).T + problem.l2 * V[:, 1:]])
        return units * out

    x, r = np.zeros_like(slope), -units * slope
    d, rr = r.copy(), float(np.sum(r * r))
    first = rr
    for _ in range(MOST_PRODUCTS):
        if not rr > 1e-20 * first:
            break
        Hd = product(d)
        curved = float(np.sum(d * Hd))
        if not curved > 0:
            break
        x, r = x + rr / curved * d, r - rr / curved * Hd
        rr, old = float(np.sum(r * r)), rr
        d = r + rr / old * d
    return x
