"""What an inverse that is nearly right proves about weights, in twice the digits.

With M = G + Λ, any S, and ‖SᵀMS − 1‖ ≤ η < 1, the gradient ρ = g − Mv at v tells how far it is:

    J(v) − min J ≤ ½ ‖Sᵀρ‖² / (1 − η)        |v_j − v*_j| ≤ ‖S_j‖ ‖Sᵀρ‖ / (1 − η)

The sums are wrong by ε‖a_j‖‖a_k‖ at most. With s_j = Σ_k ‖a_k‖|S_kj| and κ = ‖s‖, SᵀMS is wrong by
εκ², and Sᵀρ by εκ(‖u‖ + Σ_k ‖a_k‖|v_k|). A pass over the rows does better: residuals that are wrong
by δ count as ‖SᵀAᵀδ‖ ≤ √(1 + η) ‖δ‖, and only their products with the columns as εκ‖r‖.

Unlike eigenvalues of M in floats, this works up to condition numbers of about 1e13.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit

from ..data.double_double import UNIT2, Pair, add, mul
from ..verify.least_squares_facts import TOLERANCE, Facts
from . import refinement
from .moments import Moments
from .normal_equations import Factor

ROOM = 1 + 1e-12
# ‖SᵀMS − 1‖ of an inverse that proves something.
MOST_OFF = 0.25
# Weights and squares below 2^LOWEST have fewer digits; squares of targets below 2^−FAR may vanish.
LOWEST, FAR = -900, 400
# Residual sums of squares are claimed to SAME, relatively, and taken from the rows beyond LAST.
SAME, LAST = 5e-9, 1e-15


@njit(cache=True)
def scaled(value, power):
    return math.ldexp(value, np.int32(power))  # type: ignore[arg-type]


@njit(cache=True)
def _entry(Mh, Ml, j, k):
    return (Mh[j, k], Ml[j, k]) if j <= k else (Mh[k, j], Ml[k, j])


@njit(cache=True)
def off_unit(Mh, Ml, S, norms, rounding, lengths):
    """η and κ of M (upper half) and S; ‖S_j‖ goes into ``lengths``."""
    p = len(norms)
    Th, Tl = np.zeros((p, p)), np.zeros((p, p))
    for i in range(p):
        for k in range(p):
            a, b = _entry(Mh, Ml, i, k)
            for j in range(p):
                if S[k, j] != 0.0:
                    qh, ql = mul(a, b, S[k, j], 0.0)
                    Th[i, j], Tl[i, j] = add(Th[i, j], Tl[i, j], qh, ql)
    away, reach = 0.0, 0.0
    for i in range(p):
        s = 0.0
        for k in range(p):
            s += norms[k] * abs(S[k, i])
            lengths[i] += S[i, k] * S[i, k]
        lengths[i] = math.sqrt(lengths[i]) * (1.0 + p * 2.0**-50)
        reach += s * s
        for j in range(p):
            h, l = (-1.0, 0.0) if i == j else (0.0, 0.0)
            for k in range(p):
                if S[k, i] != 0.0:
                    qh, ql = mul(Th[k, j], Tl[k, j], S[k, i], 0.0)
                    h, l = add(h, l, qh, ql)
            away += h * h
    reach *= 1.0 + p * 2.0**-50
    return (math.sqrt(away) + rounding * reach) * (1.0 + p * 2.0**-49), math.sqrt(reach)


@njit(cache=True)
def gradient_at(Mh, Ml, Gh, Gl, first, vh, vl, rho):
    """ρ = g − Mv of the columns from ``first`` on, rounded to floats."""
    p, t = rho.shape
    for c in range(t):
        for j in range(p):
            h, l = Gh[first + j, first + p + c], Gl[first + j, first + p + c]
            for k in range(p):
                a, b = _entry(Mh, Ml, j, k)
                qh, ql = mul(a, b, vh[first + k, c], vl[first + k, c])
                h, l = add(h, l, -qh, -ql)
            rho[j, c] = h


@njit(cache=True)
def reach_of(S, rho, out):
    """‖Sᵀρ‖ of each target, with the rounding of ρ and of the sum."""
    p, t = rho.shape
    for c in range(t):
        total = 0.0
        for j in range(p):
            value, size = 0.0, 0.0
            for k in range(p):
                value += S[k, j] * rho[k, c]
                size += abs(S[k, j] * rho[k, c])
            value = abs(value) + (p + 4) * 2.0**-52 * size
            total += value * value
        out[c] = math.sqrt(total)


@njit(cache=True)
def sizes_of(norms, Gh, first, vh, out):
    """‖u‖ + Σ_k ‖a_k‖|v_k| of each target."""
    p = len(norms)
    for c in range(vh.shape[1]):
        at = first + p + c
        out[c] = math.sqrt(max(Gh[at, at], 0.0))
        for k in range(p):
            out[c] += norms[k] * abs(vh[first + k, c])


@njit(cache=True)
def gradient_reach(Mh, Ml, Gh, Gl, S, norms, first, vh, vl, rounding):
    """‖Sᵀρ‖ of each target at most, where sums are wrong by ``rounding`` / κ."""
    t = vh.shape[1]
    rho, reach, size = np.zeros((len(norms), t)), np.zeros(t), np.zeros(t)
    gradient_at(Mh, Ml, Gh, Gl, first, vh, vl, rho)
    reach_of(S, rho, reach)
    sizes_of(norms, Gh, first, vh, size)
    return (reach + rounding * size) * ROOM


@njit(cache=True)
def squares_at(Gh, Gl, d, vh, vl, rounding, rss, off):
    """Σ c r² = u·u − 2v·g + v·Gv of each target, and how wrong that may be."""
    for c in range(vh.shape[1]):
        y = 1 + d + c
        rh, rl, spread = Gh[y, y], Gl[y, y], math.sqrt(max(Gh[y, y], 0.0))
        for j in range(d + 1):
            spread += math.sqrt(max(Gh[j, j], 0.0)) * abs(vh[j, c])
            h, l = -2.0 * Gh[j, y], -2.0 * Gl[j, y]
            for k in range(d + 1):
                a, b = _entry(Gh, Gl, j, k)
                qh, ql = mul(a, b, vh[k, c], vl[k, c])
                h, l = add(h, l, qh, ql)
            qh, ql = mul(h, l, vh[j, c], vl[j, c])
            rh, rl = add(rh, rl, qh, ql)
        rss[c] = max(rh, 0.0)
        off[c] = (rounding + 16 * (2 + d) * UNIT2) * spread * spread


@njit(cache=True)
def into_frame(W, shift, units, vh, vl, lost):
    """v of weights W (targets, d + 1), and by how much v_0 may be wrong.

    v_0 = 2^k_y (w_0 + Σ_j m_j w_j − m_y)
    """
    t, p = W.shape
    for c in range(t):
        size = abs(W[c, 0]) + abs(shift[p - 1 + c])
        h, l = add(W[c, 0], 0.0, -shift[p - 1 + c], 0.0)
        for j in range(1, p):
            vh[j, c] = scaled(W[c, j], -units[j, c])
            qh, ql = mul(shift[j - 1], 0.0, W[c, j], 0.0)
            h, l = add(h, l, qh, ql)
            size += abs(shift[j - 1] * W[c, j])
        vh[0, c], vl[0, c] = (
            scaled(h, -units[0, c]),
            scaled(l, -units[0, c]),
        )
        lost[c] = scaled(8 * UNIT2 * (p + 2) * size, -units[0, c])


@njit(cache=True)
def out_of_frame(vh, vl, shift, units, wh, wl):
    """w (d + 1, targets) of v: w_0 = m_y + 2^−k_y v_0 − Σ_j m_j w_j."""
    p, t = vh.shape
    for c in range(t):
        a, b = (
            scaled(vh[0, c], units[0, c]),
            scaled(vl[0, c], units[0, c]),
        )
        h, l = add(shift[p - 1 + c], 0.0, a, b)
        for j in range(1, p):
            wh[j, c] = scaled(vh[j, c], units[j, c])
            wl[j, c] = scaled(vl[j, c], units[j, c])
            qh, ql = mul(-shift[j - 1], 0.0, wh[j, c], wl[j, c])
            h, l = add(h, l, qh, ql)
        wh[0, c], wl[0, c] = h, l


@njit(cache=True)
def errors_at(W, wh, wl, shift, units, far, lengths, first, out):
    """|W − w*| (targets, d + 1) at most: how far w is from W, and v from the solution.

    v_j is wrong by ``lengths``_j · ``far``.
    """
    t, p = W.shape
    for c in range(t):
        bias, size = 0.0, abs(wh[0, c]) + abs(shift[p - 1 + c])
        for j in range(1, p):
            off = scaled(lengths[j - first] * far[c], units[j, c]) * ROOM
            h, _ = add(wh[j, c], wl[j, c], -W[c, j], 0.0)
            out[c, j] = off + abs(h) * ROOM + (2.0**-1073 if far[c] > 0 or h != 0 else 0.0)
            bias += abs(shift[j - 1]) * off
            size += abs(shift[j - 1] * wh[j, c])
        if first == 0:
            h, _ = add(wh[0, c], wl[0, c], -W[c, 0], 0.0)
            bias += scaled(lengths[0] * far[c], units[0, c])
            bias += abs(h) + 8 * UNIT2 * (p + 2) * size
            out[c, 0] = bias * ROOM + (2.0**-1073 if far[c] > 0 or h != 0 else 0.0)
        else:
            out[c, 0] = 0.0


@dataclass
class InverseProof:
    """Bounds at any weights, from moments in double-double; the rows may sharpen them.

    Parameters
    ----------
    moments : in the frame of the solution
    M : G + Λ of the columns in use, upper half
    factor : without dependent columns
    rows : X, Y and weights, or None
    """

    moments: Moments
    M: Pair
    factor: Factor
    fit_intercept: bool
    alpha: float
    rows: tuple[Any, np.ndarray, np.ndarray] | None = None
    lost: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        moments, p = self.moments, len(self.factor.norms)
        self.norms, self._S = self.factor.norms, np.ascontiguousarray(self.factor.S.hi)
        self._first, self._lengths = int(not self.fit_intercept), np.zeros(p)
        self._rounding = moments.rounding + 16 * UNIT2 * (p + 8.0)
        self.eta, self.kappa = off_unit(
            *self.M, self._S, self.norms, 2 * self._rounding, self._lengths
        )
        squares = np.diag(moments.gram.hi)
        exponent = moments.frame.exponent[moments.frame.targets]
        # There a double-double has fewer digits.
        small = ((squares > 0) & (squares < 2.0**LOWEST)).any() or (exponent > FAR).any()
        if small or not (np.isfinite(self.norms).all() and self.norms.all()):
            self.eta = np.inf
        self.lost, self._far = np.zeros(moments.n_targets), np.full(moments.n_targets, np.inf)

    @property
    def proven(self) -> bool:
        return bool(self.eta <= MOST_OFF)

    @property
    def far(self) -> float:
        """How far v is from the solution, in units of ‖A·‖, at most."""
        return float(self._far.max(initial=0.0))

    @property
    def unique(self) -> bool | None:
        """Whether there is one solution only; None if that is not proven."""
        return True if self.proven else None

    @property
    def rank(self) -> int | None:
        return self.moments.n_features if self.proven else None

    def _settle(self, v: Pair, reach: np.ndarray, share: float) -> bool:
        """Bounds at other weights go by way of v from now on."""
        frame = self.moments.frame
        self._far = reach / (1 - self.eta) * ROOM
        self._centre = np.zeros_like(v.hi), np.zeros_like(v.lo)
        out_of_frame(v.hi, v.lo, frame.shift, frame.units, *self._centre)
        if self._first:
            self._centre[0][0], self._centre[1][0] = 0.0, 0.0
        power = np.where(v.hi != 0, np.frexp(v.hi)[1] + frame.units, 0)
        if (power < LOWEST).any():  # a weight would lose digits
            self.eta = np.inf
        if not self.proven:
            return False
        size = (self.norms[:, None] * np.abs(v.hi[self._first :])).max(axis=0, initial=0.0)
        longest = (self._lengths * self.norms).max(initial=0.0)
        return bool((longest * self._far <= share * size).all())

    def settled(self, v: Pair, share: float) -> bool:
        """Whether v is within this share of the largest weight, in columns of length 1."""
        reach = gradient_reach(
            *self.M, *self.moments.gram, self._S, self.norms, self._first,
            v.hi, v.lo, self._rounding * self.kappa,
        )  # fmt: skip
        return self._settle(v, reach, share)

    def settled_by_rows(self, v: Pair, g: Pair, squares: np.ndarray, share: float) -> bool:
        """The same from the gradient g and Σ c r² of a pass over the rows."""
        moments, p, t = self.moments, len(self.norms), v.hi.shape[1]
        reach, size = np.zeros(t), np.zeros(t)
        reach_of(self._S, np.ascontiguousarray(g.hi[self._first :]), reach)
        sizes_of(self.norms, moments.gram.hi, self._first, v.hi, size)
        frame = moments.frame
        level = np.ldexp(np.abs(frame.shift), frame.exponent)[frame.targets]
        size += np.sqrt(max(moments.total_weight, 0.0)) * level
        reach += 4 * UNIT2 * (p + 8) * np.sqrt(1 + min(self.eta, 1.0)) * size
        reach += UNIT2 * (2 * moments.n + 32) * self.kappa * (np.sqrt(squares) + UNIT2 * size)
        return self._settle(v, reach * ROOM, share)

    def errors(self, W: np.ndarray) -> np.ndarray:
        """In original units, (targets, d + 1): how far v is from the solution, and W from v."""
        out, frame, W = np.empty(W.shape), self.moments.frame, np.ascontiguousarray(W)
        errors_at(W, *self._centre, frame.shift, frame.units, self._far, self._lengths,
                  self._first, out)  # fmt: skip
        return out

    def __call__(self, W: np.ndarray) -> Facts:
        """Bounds at the floats W (targets, d + 1)."""
        moments, frame = self.moments, self.moments.frame
        W = np.ascontiguousarray(W)
        here, lost = Pair.of(np.zeros((W.shape[1], len(W)))), np.zeros(len(W))
        into_frame(W, frame.shift, frame.units, *here, lost)
        gap, error = np.full(len(W), np.inf), np.full(W.shape, np.inf)
        if self.proven:
            error = self.errors(W)
            reach = gradient_reach(
                *self.M, *moments.gram, self._S, self.norms, self._first,
                *here, self._rounding * self.kappa,
            )  # fmt: skip
            reach += np.sqrt((1 + self.eta) * max(moments.total_weight, 0.0)) * lost * ROOM
            gap = 0.5 * reach * reach / (1 - self.eta) * ROOM
        gap = np.ldexp(gap, -2 * frame.exponent[frame.targets])
        rss = self.residual_squares(here, W)
        penalty = self.alpha * (W[:, 1:] ** 2).sum(axis=1) if self.alpha > 0 else 0.0
        primal, tss = 0.5 * (rss + penalty), moments.total_squares(centred=self.fit_intercept)
        size = tss
        if not (gap <= 0.5 * TOLERANCE * tss).all():
            size = moments.total_squares(centred=False)
        dual = primal * (1 - 2 * SAME) - self.lost - gap
        return Facts(rss, primal, gap, tss, error, self._column_lengths, dual, self.lost, size)

    @cached_property
    def _column_lengths(self) -> np.ndarray:
        """Of the columns about their means, in original units; √W first."""
        moments, frame, d = self.moments, self.moments.frame, self.moments.n_features
        total = max(moments.total_weight, 0.0) * float(self.fit_intercept)
        full, squares = np.zeros(1 + d), self.norms[1 - self._first :] ** 2
        if total > 0:
            squares = np.maximum(squares - moments.gram.hi[0, 1 : 1 + d] ** 2 / total, 0.0)
        full[0] = np.sqrt(total)
        full[1:] = np.ldexp(np.sqrt(squares), -frame.exponent[frame.features])
        return full

    def residual_squares(self, v: Pair, W: np.ndarray) -> np.ndarray:
        """Σ c r² from the moments, or by a pass where they cannot tell.

        ``lost`` is then how wrong that may be, beyond some digits that are always claimed less.
        """
        moments, frame, t = self.moments, self.moments.frame, v.hi.shape[1]
        back = -2 * frame.exponent[frame.targets]
        squares, off = np.zeros(t), np.zeros(t)
        squares_at(*moments.gram, moments.n_features, *v, moments.rounding, squares, off)
        if self.rows is not None and (off > LAST * squares).any():
            _, exact = refinement.gradient(*self.rows, frame, v, 0.0)
            if np.isfinite(exact).all():
                squares, off = exact, self._lost_by_rows(v, exact)
        self.lost = np.ldexp(off, back)
        return np.ldexp(squares, back)

    def _lost_by_rows(self, v: Pair, squares: np.ndarray) -> np.ndarray:
        """How wrong Σ c r² of a pass is."""
        moments, frame = self.moments, self.moments.frame
        size = np.zeros(len(squares))
        sizes_of(self.norms, moments.gram.hi, self._first, v.hi, size)
        level = np.ldexp(np.abs(frame.shift), frame.exponent)[frame.targets]
        size += np.sqrt(max(moments.total_weight, 0.0)) * level
        off = 4 * UNIT2 * (8.0 + len(self.norms)) * size * ROOM
        return 2 * off * np.sqrt(squares) + off * off + UNIT2 * (2 * moments.n + 32.0) * squares
