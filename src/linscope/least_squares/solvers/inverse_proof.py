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

from linscope.arithmetic.double_double import UNIT2, Pair, product
from linscope.engines import Engine

from ..verify.facts import TOLERANCE, Facts
from . import refinement
from .cholesky import Factor, residual_squares
from .moments import Moments, symmetric

# ‖SᵀMS − 1‖ of an inverse that proves something.
MOST_OFF = 0.25
# Weights and squares below 2^LOWEST have fewer digits; squares of targets below 2^−FAR may vanish.
LOWEST, FAR = -900, 400
# Residual sums of squares are claimed to SAME, relatively, and taken from the rows beyond LAST.
SAME, LAST = 5e-9, 1e-15
ROOM = 1 + 1e-12


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
    _off: np.ndarray | None = field(init=False, default=None)

    @np.errstate(all="ignore")
    def __post_init__(self) -> None:
        moments, p = self.moments, len(self.factor.norms)
        self.norms, self._S = self.factor.norms, np.ascontiguousarray(self.factor.S.hi)
        self._first, self._full = int(not self.fit_intercept), symmetric(self.M)
        self._right = moments.form.right.part(slice(None), slice(self._first, None))
        self._rounding = moments.rounding + 16 * UNIT2 * (p + 8.0)
        self._sizes_of_S = np.abs(self._S)
        self._lengths = np.sqrt((self._S**2).sum(axis=1)) * (1 + p * 2.0**-50)
        self.eta, self.kappa = self._off_unit(2 * self._rounding)
        squares = np.diag(moments.gram.hi)
        exponent = moments.frame.exponent[moments.frame.targets]
        # There a double-double has fewer digits.
        small = ((squares > 0) & (squares < 2.0**LOWEST)).any() or (exponent > FAR).any()
        if small or not (np.isfinite(self.norms).all() and self.norms.all()):
            self.eta = np.inf
        self.lost, self._far = np.zeros(moments.n_targets), np.full(moments.n_targets, np.inf)

    def _off_unit(self, rounding: float) -> tuple[float, float]:
        """η and κ."""
        p, turned = len(self.norms), Pair.of(self._S.T)
        away = product(turned, product(turned, self._full).turned(), Pair.of(-np.eye(p))).hi
        s = self.norms @ self._sizes_of_S
        reach = float(s @ s) * (1 + p * 2.0**-50)
        off = float(np.sqrt((away * away).sum())) + rounding * reach
        return off * (1 + p * 2.0**-49), float(np.sqrt(reach))

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
        self._centre, self._off = frame.weights(v), None
        if self._first:
            self._centre.hi[0], self._centre.lo[0] = 0.0, 0.0
        power = np.where(v.hi != 0, np.frexp(v.hi)[1] + frame.units, 0)
        if (power < LOWEST).any():  # a weight would lose digits
            self.eta = np.inf
        if not self.proven:
            return False
        size = (self.norms[:, None] * np.abs(v.hi[self._first :])).max(axis=0, initial=0.0)
        longest = (self._lengths * self.norms).max(initial=0.0)
        return bool((longest * self._far <= share * size).all())

    def _reach(self, rho: np.ndarray) -> np.ndarray:
        """‖Sᵀρ‖ of each target, rows of ρ, with the rounding of ρ and of the sum."""
        value = np.abs(rho @ self._S)
        value += (len(self.norms) + 4) * 2.0**-52 * (np.abs(rho) @ self._sizes_of_S)
        return np.sqrt((value * value).sum(axis=1))

    def _sizes(self, v: Pair) -> np.ndarray:
        """‖u‖ + Σ_k ‖a_k‖|v_k| of each target."""
        return self.moments.form.norms + self.norms @ np.abs(v.hi[self._first :])

    def _gradient_reach(self, v: Pair) -> np.ndarray:
        """‖Sᵀρ‖ of each target at most, ρ = g − Mv from the moments."""
        used = Pair(-v.hi[self._first :].T, -v.lo[self._first :].T)
        reach = self._reach(product(used, self._full, self._right).hi)
        return (reach + self._rounding * self.kappa * self._sizes(v)) * ROOM

    @np.errstate(all="ignore")
    def settled(self, v: Pair, share: float) -> bool:
        """Whether v is within this share of the largest weight, in columns of length 1."""
        return self._settle(v, self._gradient_reach(v), share)

    @np.errstate(all="ignore")
    def settled_by_rows(self, v: Pair, g: Pair, squares: np.ndarray, share: float) -> bool:
        """The same from the gradient g and Σ c r² of a pass over the rows."""
        off = self._off_by_rows(v)
        reach = self._reach(g.hi[self._first :].T)
        reach += np.sqrt(1 + min(self.eta, 1.0)) * off
        reach += UNIT2 * (2 * self.moments.n + 32) * self.kappa * (np.sqrt(squares) + off)
        return self._settle(v, reach * ROOM, share)

    def _off_by_rows(self, v: Pair) -> np.ndarray:
        """How wrong the residuals of a pass are, as a length; y is taken about 0 there."""
        moments, frame = self.moments, self.moments.frame
        level = np.ldexp(np.abs(frame.shift), frame.exponent)[frame.targets]
        size = self._sizes(v) + np.sqrt(max(moments.total_weight, 0.0)) * level
        return 4 * UNIT2 * (len(self.norms) + 8) * size * ROOM

    def errors(self, W: np.ndarray) -> np.ndarray:
        """In original units, (targets, d + 1): how far v is from the solution, and W from v."""
        if self._off is None:
            self._off = self._off_centre()
        error = np.abs(self._centre.plus(Pair.of(-W.T)).hi) * ROOM + self._off
        error[error > 0] += 2.0**-1073
        error[: self._first] = 0.0
        return error.T

    def _off_centre(self) -> np.ndarray:
        """How far the centre is from the solution, (d + 1, targets)."""
        frame, off = self.moments.frame, np.zeros(self._centre.hi.shape)
        off[self._first :] = self._lengths[:, None] * self._far
        off = np.ldexp(off, frame.units) * ROOM + np.where(off > 0, 2.0**-1073, 0.0)
        off[0] += np.abs(frame.shift[frame.features]) @ off[1:]
        off[0] += self._bias_rounding(np.abs(self._centre.hi))
        return off * ROOM

    def _bias_rounding(self, size: np.ndarray) -> np.ndarray:
        """What a bias in double-double may lose, for weights of these sizes (d + 1, targets)."""
        frame = self.moments.frame
        total = size[0] + np.abs(frame.shift[frame.targets])
        total += np.abs(frame.shift[frame.features]) @ size[1:]
        return 8 * UNIT2 * (len(size) + 2) * total

    @np.errstate(all="ignore")
    def __call__(self, W: np.ndarray) -> Facts:
        """Bounds at the floats W (targets, d + 1)."""
        moments, frame = self.moments, self.moments.frame
        here = frame.inside(Pair.of(W.T))
        lost = np.ldexp(self._bias_rounding(np.abs(W.T)), -frame.units[0])
        gap, error = np.full(len(W), np.inf), np.full(W.shape, np.inf)
        if self.proven:
            error = self.errors(W)
            reach = self._gradient_reach(here)
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
        moments, frame = self.moments, self.moments.frame
        back = -2 * frame.exponent[frame.targets]
        squares, off = residual_squares(moments, v)
        if self.engine is not None and (off > LAST * squares).any():
            _, exact = refinement.gradient(self.engine, frame, v, 0.0)
            if np.isfinite(exact).all():
                wrong, squares = self._off_by_rows(v), exact
                off = 2 * wrong * np.sqrt(squares) + wrong * wrong
                off += UNIT2 * (2 * moments.n + 32.0) * squares
        self.lost = np.ldexp(off, back)
        return np.ldexp(squares, back)
