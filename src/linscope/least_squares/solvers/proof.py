"""What the moments prove about weights: how far they and their objective are from the minimum.

In columns of length 1, M̂ = D⁻¹(G + Λ)D⁻¹, the gradient at v is a distance,

    ‖D(v − v*)‖ ≤ ‖D⁻¹ρ‖ / λ_min(M̂)        J(v) − min J ≤ ½ ‖D⁻¹ρ‖² / λ_min(M̂)

where ρ = g − (G + Λ)v is wrong by no more than the rounding ε of the sums,
|Δρ_j| ≤ ε‖a_j‖(‖u‖ + Σ_k ‖a_k‖|v_k|). Cholesky's factorisation of M̂ − μ proves
λ_min ≥ μ − ‖E‖, E the rounding of the factorisation and of the sums (Rump 2006).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linscope.arithmetic.double_double import UNIT, UNIT2, Pair, product
from linscope.arithmetic.enclosures import gamma, scores
from linscope.engines import Engine
from linscope.rows.blocks import Block
from linscope.rows.pilot import Frame

from ..verify.facts import TOLERANCE, Facts
from . import cholesky as equations
from . import refinement
from .moments import Moments, symmetric

ROOM = 1 + 1e-12
# Weights below 2^LOWEST are spaced evenly.
LOWEST = -900
# Squares of residuals of targets below 2^−FAR may vanish.
FAR = 400
# Residual sums of squares are claimed to this, relatively.
SAME, LAST = 5e-9, 1e-15


def least_eigenvalue(gram: np.ndarray, norms: np.ndarray, rounding: float) -> float:
    """λ_min of the columns scaled to length 1 is at least this; 0 if nothing is proven."""
    p = len(norms)
    if not ((norms > 0) & np.isfinite(norms)).all():
        return 0.0
    M = gram / np.outer(norms, norms)
    share = gamma(p + 2)
    doubt = (share / (1 - share) * float(np.trace(M)) + p * (8 * UNIT + rounding)) * ROOM
    try:
        low = 0.5 * float(np.linalg.eigvalsh(M)[0]) if p else 1.0
        if not low > 2 * doubt:
            return 0.0
        M[np.diag_indices(p)] -= low
        np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        return 0.0
    return (low - doubt) / ROOM


@dataclass
class MomentProof:
    """Bounds at any weights, from moments, and from the rows where they are given and better.

    Parameters
    ----------
    moments : in the frame of the solution
    engine : the rows, or None
    closely : take the gradient from the rows, because the moments are in floats
    """

    moments: Moments
    fit_intercept: bool
    alpha: float
    engine: Engine | None = None
    closely: bool = False

    def __post_init__(self) -> None:
        moments = self.moments
        gram, self.columns = equations.penalised(moments, self.fit_intercept, self.alpha)
        self._full, self.lost = symmetric(gram), np.zeros(moments.n_targets)
        right = moments.gram.part(self.columns, slice(1 + moments.n_features, None))
        self._right = right.turned()
        self._centre, self._far = Pair.of(np.zeros((1 + moments.n_features, 0))), np.zeros(0)
        with np.errstate(invalid="ignore", over="ignore"):
            self.norms = np.sqrt(np.diag(gram.hi))
            self.least = least_eigenvalue(self._full.hi, self.norms, moments.rounding)
            squares = np.diag(moments.gram.hi)
        # There a double-double has fewer digits.
        small = (squares > 0) & (squares < 2.0**LOWEST)
        tiny = moments.frame.exponent[moments.frame.targets] > FAR
        if small.any() or tiny.any():
            self.least = 0.0

    @property
    def unique(self) -> bool | None:
        """Whether there is one solution only; None if that is not proven."""
        return True if self.least > 0 else None

    @property
    def rank(self) -> int | None:
        return self.moments.n_features if self.least > 0 else None

    def _gradient(self, v: Pair) -> tuple[np.ndarray, float]:
        """ρ of the columns in use, and its rounding relative to their lengths."""
        moments, p = self.moments, len(self.columns)
        if self.closely and self.engine is not None:
            g, _ = refinement.gradient(self.engine, moments.frame, v, self.alpha)
            return g.hi[self.columns], UNIT2 * (16.0 + 2.0 * moments.n + p)
        g = product(v.part(self.columns).minus().turned(), self._full, self._right)
        return g.hi.T, moments.rounding + 4 * UNIT2 * (p + 8.0)

    def distance(self, v: Pair, lost: np.ndarray) -> np.ndarray:
        """‖D⁻¹ρ‖ of each target at most; v_0 may be wrong by ``lost``."""
        rho, rounding = self._gradient(v)
        size = self.norms @ np.abs(v.hi[self.columns]) + self.moments.form.norms
        length = np.sqrt(((rho / self.norms[:, None]) ** 2).sum(axis=0))
        first = np.sqrt(max(self.moments.total_weight, 0.0))
        rest = np.sqrt(len(rho)) * (rounding * size * ROOM + first * lost)
        return (length * (1 + 4 * UNIT) + rest) * ROOM

    def settled(self, v: Pair, share: float) -> bool:
        """Whether v is within this share of the largest weight, in columns of length 1.

        Bounds at other weights go by way of v from now on.
        """
        self._centre, self._far = v, np.full(v.hi.shape[1], np.inf)
        power = np.where(v.hi != 0, np.frexp(v.hi)[1] + self.moments.frame.units, 0)
        if (power < LOWEST).any():  # a weight would lose digits
            self.least = 0.0
        if not self.least > 0:
            return False
        self._far = self.distance(v, np.zeros(v.hi.shape[1])) / self.least * ROOM
        size = (self.norms[:, None] * np.abs(v.hi[self.columns])).max(axis=0, initial=0.0)
        return bool((self._far <= share * size).all())

    def __call__(self, W: np.ndarray) -> Facts:
        """Bounds at the floats W (targets, d + 1).

        The solution v* is near v, and J(w) − min J = ½ ρ·(v* − v(w)) with the gradient ρ at w.
        """
        frame, t = self.moments.frame, W.shape[0]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            here = frame.inside(Pair.of(W.T))
            gap, error = np.full(t, np.inf), np.full(W.shape, np.inf)
            if self.least > 0:
                error = self.errors(W)
                gap = self._gap(here, self._lost(W))
            back = -2 * frame.exponent[frame.targets]
            rss = self.residual_squares(here, W)
            penalty = self.alpha * (W[:, 1:] ** 2).sum(axis=1) if self.alpha > 0 else 0.0
            tss = self.moments.total_squares(centred=self.fit_intercept)
            gap = np.ldexp(gap * ROOM, back)
        primal = 0.5 * (rss + penalty)
        dual = primal * (1 - 2 * SAME) - self.lost - gap
        size = tss
        if not (gap <= 0.5 * TOLERANCE * tss).all():
            size = self.moments.total_squares(centred=False)
        return Facts(rss, primal, gap, tss, error, self._lengths(), dual, self.lost, size)

    def _gap(self, here: Pair, lost: np.ndarray) -> np.ndarray:
        """½ρ·(v − v(w)) and what v* − v adds; or ½‖D⁻¹ρ‖²/λ, if that is less."""
        rough = self.distance(here, lost)
        way = self._centre.plus(here.minus()).hi[self.columns]
        long = np.sqrt(((self.norms[:, None] * way) ** 2).sum(axis=0)) * ROOM
        first = np.sqrt(max(self.moments.total_weight, 0.0)) * lost
        far = rough * (long + first + self._far)
        return np.minimum(0.5 * rough * rough / self.least, 0.5 * far) * ROOM

    def errors(self, W: np.ndarray) -> np.ndarray:
        """In original units, (targets, d + 1): how far v is from the solution, and W from v."""
        frame = self.moments.frame
        full = np.zeros((W.shape[1], W.shape[0]))
        full[self.columns] = self._far / self.norms[:, None] * ROOM
        centre = frame.weights(self._centre)
        if not self.fit_intercept:
            centre.hi[0], centre.lo[0] = 0.0, 0.0
        way = np.abs(centre.plus(Pair.of(-W.T)).hi) * ROOM
        found = _errors(frame, full, Pair.of(np.abs(W.T))) + way
        return (found + np.where(found > 0, 2.0**-1073, 0.0)).T

    def _lost(self, W: np.ndarray) -> np.ndarray:
        frame = self.moments.frame
        size = np.abs(W[:, 0]) + np.abs(W[:, 1:]) @ np.abs(frame.shift[frame.features])
        size = size + np.abs(frame.shift[frame.targets])
        return np.ldexp(8 * UNIT2 * W.shape[1] * size, frame.exponent[frame.targets])

    def _lengths(self) -> np.ndarray:
        """Of the columns about their means, in original units; √W first."""
        moments, frame = self.moments, self.moments.frame
        full = np.zeros(1 + moments.n_features)
        full[self.columns] = self.norms
        total = max(moments.total_weight, 0.0) * float(self.fit_intercept)
        if total > 0:
            first = moments.gram.hi[0, 1 : 1 + moments.n_features]
            full[1:] = np.sqrt(np.maximum(full[1:] ** 2 - first * first / total, 0.0))
        full[0] = np.sqrt(total)
        with np.errstate(over="ignore"):
            full[1:] = np.ldexp(full[1:], -frame.exponent[frame.features])
        return full

    def residual_squares(self, v: Pair, W: np.ndarray) -> np.ndarray:
        """Σ c r²: from the moments, or by a pass where they cannot tell.

        ``lost`` is then how wrong that may be, beyond some digits that are always claimed less.
        """
        frame = self.moments.frame
        back = -2 * frame.exponent[frame.targets]
        rss, error = equations.residual_squares(self.moments, v)
        found, self.lost = np.ldexp(rss, back), np.ldexp(error, back)
        rough = self.moments.rounding > UNIT
        if self.engine is None or not (error > (SAME if rough else LAST) * rss).any():
            return found
        plain = _plain_squares(self.engine, W) if rough else None
        if plain is not None:
            self.lost = SAME * plain
            return plain
        _, squares = refinement.gradient(self.engine, frame, v, 0.0)
        if not np.isfinite(squares).all():
            return found
        size = self.norms @ np.abs(v.hi[self.columns]) + self.moments.form.norms
        off = UNIT2 * (32.0 + len(self.norms)) * size * ROOM
        off = (
            2 * off * np.sqrt(squares) + off * off + UNIT2 * (2.0 * self.moments.n + 32.0) * squares
        )
        self.lost = np.ldexp(off, back)
        return np.ldexp(squares, back)


def _plain_squares(engine: Engine, W: np.ndarray) -> np.ndarray | None:
    """Σ c r² by a pass in floats; None if that does not tell."""
    squares, wrong = engine.fold(_squares_block, W)
    return squares if (wrong <= SAME * squares).all() else None


def _squares_block(block: Block, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    c = block.weight if block.weighted else np.ones(len(block.y))
    fitted = scores(block.X, W)
    r = np.abs(block.y - fitted.mid)
    doubt = fitted.rad + UNIT * (np.abs(block.y) + r)
    return c @ (r * r), c @ (2 * r * doubt + doubt * doubt)


def _errors(frame: Frame, error: np.ndarray, w: Pair) -> np.ndarray:
    """|w − exact| at most, (1 + d, targets), for w rounded to floats, from errors in the frame."""
    m = np.abs(frame.shift[frame.features])
    with np.errstate(over="ignore", invalid="ignore"):
        full = np.ldexp(error, frame.units)
        full[0] += m @ (full[1:] + 4 * UNIT2 * len(m) * np.abs(w.hi[1:]))
        return full * (1 + 8 * UNIT) * (1 + UNIT * len(m)) + _rounding(w)


def _rounding(w: Pair) -> np.ndarray:
    """What is lost when pairs are rounded to floats, the rounding of the pairs included."""
    return (np.abs(w.lo) + 2 * UNIT2 * np.abs(w.hi)) * (1 + 8 * UNIT)
