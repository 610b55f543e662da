"""Passes over the rows in double-double: the gradient at given weights, and a better inverse."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from linscope.arithmetic.double_double import Pair, product
from linscope.engines import Engine
from linscope.rows.blocks import Block
from linscope.rows.double_operations import gradient_pass, shifted, times
from linscope.rows.operations import as_rows, frozen
from linscope.rows.pilot import Frame

from .cholesky import Factor
from .moments import Moments


def gradient(engine: Engine, frame: Frame, v: Pair, alpha: float) -> tuple[Pair, np.ndarray]:
    """g(v) = Σ_i c_i (y_i − v·a_i) a_i − Λv and Σ_i c_i (y_i − v·a_i)², both in the frame."""
    target, feature = frame.exponent[frame.targets], frame.exponent[frame.features]
    exponents = np.r_[0, feature][:, None] - target
    w = v.scaled(exponents)
    start = w.part([0]).plus(Pair.of(frame.shift[None, frame.targets]))
    w.hi[0], w.lo[0] = start.hi[0], start.lo[0]
    w = Pair(np.ascontiguousarray(w.hi.T), np.ascontiguousarray(w.lo.T))
    g, squares = engine.fold(_gradient_block, frame.shift[frame.features], w)
    g = Pair(g.hi.T, g.lo.T).scaled(np.r_[0, feature][:, None] + target)
    if alpha > 0:
        g = product(Pair.of(np.diag(np.r_[0.0, -np.ldexp(alpha, 2 * feature)])), v, g)
    return g, np.ldexp(squares.hi, 2 * target)


def _gradient_block(block: Block, shift: np.ndarray, w: Pair) -> tuple[Pair, Pair]:
    g, squares = Pair.of(np.zeros_like(w.hi)), Pair.of(np.zeros(len(w.hi)))
    gradient_pass(as_rows(block.X), frozen(block.y), block.weight, shift, w, g, squares)
    return g, squares


class Round(NamedTuple):
    """Weights after a round; how far it went, the largest ‖A·(step)‖ of a target; Σ‖a_j‖|v_j|."""

    v: Pair
    length: float
    size: float


def refine(engine: Engine, moments: Moments, factor: Factor, v: Pair, alpha: float) -> Round:
    """One round: v ← v + S Sᵀ g(v).

    Sᵀg is the step in units of ‖A·‖. Rounding in S makes it wrong by a share of about condition·u.
    """
    g, _ = gradient(engine, moments.frame, v, alpha)
    after, z = moved(factor, v, g)
    length = np.sqrt((z * z).sum(axis=0))
    size = factor.norms @ np.abs(after.hi[factor.kept])
    return Round(after, float(length.max(initial=0.0)), float(size.max(initial=0.0)))


def moved(factor: Factor, v: Pair, g: Pair) -> tuple[Pair, np.ndarray]:
    """v + S Sᵀ g, and Sᵀg."""
    kept, root = factor.kept, factor.inverse_root
    z = root.T @ g.hi[kept]
    part = v.part(kept).plus(Pair.of(root @ z))
    after = Pair(v.hi.copy(), v.lo.copy())
    after.hi[kept], after.lo[kept] = part.hi, part.lo
    return after, z


def improved(engine: Engine, frame: Frame, factor: Factor) -> Factor:
    """The factor with S M in place of S, MMᵀ = (BᵀB)⁻¹ and B = A S.

    Whatever S is, (AᵀCA)⁻¹ = S (BᵀB)⁻¹ Sᵀ. B is summed in double-double, and BᵀB is so close to
    the unit matrix that floats do for the rest.
    """
    S = np.ascontiguousarray(factor.S.hi)
    E = engine.fold(_orthogonal_block, frame, factor.kept, S)
    try:
        return factor.corrected(S, np.linalg.inv(np.linalg.cholesky(E)).T)
    except np.linalg.LinAlgError:  # S is too rough to be corrected
        return factor


def _orthogonal_block(block: Block, frame: Frame, kept: np.ndarray, S: np.ndarray) -> np.ndarray:
    values = block.X.toarray() if sparse.issparse(block.X) else block.X
    scale = np.ldexp(1.0, frame.exponent[frame.features])
    H, L = np.ones((len(values), 1 + len(scale))), np.zeros((len(values), 1 + len(scale)))
    shifted(frozen(values), frame.shift[frame.features], scale, H[:, 1:], L[:, 1:])
    B = np.empty((len(values), len(kept)))
    times(np.ascontiguousarray(H[:, kept]), np.ascontiguousarray(L[:, kept]), S, B)
    return B.T @ B if not block.weighted else B.T @ (B * block.weight[:, None])
