"""What an inverse that is nearly right proves about weights, in twice the digits.

With M = G + Λ, any S, and ‖SᵀMS − 1‖ ≤ η < 1, the gradient ρ = g − Mv at v tells how far it is:

    J(v) − min J ≤ ½ ‖Sᵀρ‖² / (1 − η)        |v_j − v*_j| ≤ ‖S_j‖ ‖Sᵀρ‖ / (1 − η)

The sums are wrong by ε‖a_j‖‖a_k‖ at most. With s_j = Σ_k ‖a_k‖|S_kj| and κ = ‖s‖, SᵀMS is wrong by
εκ², and Sᵀρ by εκ(‖u‖ + Σ_k ‖a_k‖|v_k|). A pass over the rows does better: residuals that are wrong
by δ count as ‖SᵀAᵀδ‖ ≤ √(1 + η) ‖δ‖, and only their products with the columns as εκ‖r‖.

Unlike eigenvalues of M in floats, this works up to condition numbers of about 1e13.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from linscope.arithmetic.double_double import UNIT2, Pair
from linscope.engines import Engine

from ..verify.facts import TOLERANCE, Facts
from . import refinement
from .cholesky import Factor
from .inverse_loops import (
    ROOM,
    errors_at,
    gradient_reach,
    into_frame,
    off_unit,
    out_of_frame,
    reach_of,
    sizes_of,
    squares_at,
)
from .moments import Moments

# ‖SᵀMS − 1‖ of an inverse that proves something.
MOST_OFF = 0.25
# Weights and squares below 2^LOWEST have fewer digits; squares of targets below 2^−FAR may vanish.
LOWEST, FAR = -900, 400
# Residual sums of squares are claimed to SAME, relatively, and taken from the rows beyond LAST.
SAME, LAST = 5e-9, 1e-15


@dataclass
class InverseProof:
    """Bounds at any weights, from moments in double-double; the rows may sharpen them.

    Parameters
    ----------
    moments : in the frame of the solution
    M : G + Λ of the columns in use, upper half
    factor : without dependent columns
    engine : the rows, or None
    """

    moments: Moments
    M: Pair
    factor: Factor
    fit_intercept: bool
    alpha: float
    engine: Engine | None = None
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
        reach, off = np.zeros(len(squares)), self._off_by_rows(v)
        reach_of(self._S, np.ascontiguousarray(g.hi[self._first :]), reach)
        reach += np.sqrt(1 + min(self.eta, 1.0)) * off
        reach += UNIT2 * (2 * self.moments.n + 32) * self.kappa * (np.sqrt(squares) + off)
        return self._settle(v, reach * ROOM, share)

    def _off_by_rows(self, v: Pair) -> np.ndarray:
        """How wrong the residuals of a pass are, as a length; y is taken about 0 there."""
        moments, frame, size = self.moments, self.moments.frame, np.zeros(v.hi.shape[1])
        sizes_of(self.norms, moments.gram.hi, self._first, v.hi, size)
        level = np.ldexp(np.abs(frame.shift), frame.exponent)[frame.targets]
        size += np.sqrt(max(moments.total_weight, 0.0)) * level
        return 4 * UNIT2 * (len(self.norms) + 8) * size * ROOM

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
        """Of the columns about their means, in original units; √W first.

        R without its first row belongs to the columns less their means: nothing cancels.
        """
        moments, frame = self.moments, self.moments.frame
        inner = self.factor.R.hi[1 - self._first :, 1 - self._first :]
        lengths = np.sqrt(np.einsum("ij,ij->j", inner, inner))
        first = np.sqrt(max(moments.total_weight, 0.0)) * float(self.fit_intercept)
        return np.concatenate([[first], np.ldexp(lengths, -frame.exponent[frame.features])])

    def residual_squares(self, v: Pair, W: np.ndarray) -> np.ndarray:
        """Σ c r² from the moments, or by a pass where they cannot tell.

        ``lost`` is then how wrong that may be, beyond some digits that are always claimed less.
        """
        moments, frame, t = self.moments, self.moments.frame, v.hi.shape[1]
        back = -2 * frame.exponent[frame.targets]
        squares, off = np.zeros(t), np.zeros(t)
        squares_at(*moments.gram, moments.n_features, *v, moments.rounding, squares, off)
        if self.engine is not None and (off > LAST * squares).any():
            _, exact = refinement.gradient(self.engine, frame, v, 0.0)
            if np.isfinite(exact).all():
                wrong, squares = self._off_by_rows(v), exact
                off = 2 * wrong * np.sqrt(squares) + wrong * wrong
                off += UNIT2 * (2 * moments.n + 32.0) * squares
        self.lost = np.ldexp(off, back)
        return np.ldexp(squares, back)
