"""From the frame of the moments back to the units of the table.

    w_j = 2^(k_j − k_y) v_j          w_0 = m_y + 2^−k_y v_0 − Σ_j m_j w_j

Terms of the bias may cancel, so they are added in double-double.
"""

from __future__ import annotations

import numpy as np

from linscope.arithmetic.double_double import UNIT, UNIT2, Pair, product
from linscope.rows.pilot import Frame

from .cholesky import Factor
from .moments import Moments

# A column does not take part in a dependence when its share is below this.
NO_PART = 1e-9


def weights(frame: Frame, v: Pair) -> Pair:
    """w (1 + d, targets), bias first."""
    with np.errstate(over="ignore", invalid="ignore"):
        w = v.scaled(frame.units)
        bias = product(frame.back, w, frame.levels)
    w.hi[0], w.lo[0] = bias.hi[0], bias.lo[0]
    return w


def into_frame(frame: Frame, w: Pair) -> Pair:
    """v of weights w (1 + d, targets): v_0 = 2^k_y (w_0 + Σ_j m_j w_j − m_y)."""
    bias = product(frame.offsets, w, frame.levels.minus())
    v = Pair(w.hi.copy(), w.lo.copy())
    v.hi[0], v.lo[0] = bias.hi[0], bias.lo[0]
    return v.scaled(-frame.units)


def errors(frame: Frame, error: np.ndarray, w: Pair) -> np.ndarray:
    """|w − exact| at most, (1 + d, targets), for w rounded to floats, from errors in the frame."""
    m = np.abs(frame.shift[frame.features])
    with np.errstate(over="ignore", invalid="ignore"):
        full = np.ldexp(error, frame.units)
        full[0] += m @ (full[1:] + 4 * UNIT2 * len(m) * np.abs(w.hi[1:]))
        return full * (1 + 8 * UNIT) * (1 + UNIT * len(m)) + rounding(w)


def rounding(w: Pair) -> np.ndarray:
    """What is lost when pairs are rounded to floats, the rounding of the pairs included."""
    return (np.abs(w.lo) + 2 * UNIT2 * np.abs(w.hi)) * (1 + 8 * UNIT)


def inverse_root(frame: Frame, factor: Factor) -> np.ndarray | None:
    """U (kept, kept) with U Uᵀ = (AᵀCA + αP)⁻¹ in original units; None if columns depend.

    w = Tv, so U = T S; the row of the bias is S_0 − Σ_j m_j 2^k_j S_j.
    """
    if factor.dependent:
        return None
    exponents = np.concatenate([[0], frame.exponent[frame.features]])[factor.kept][:, None]
    U = factor.S.scaled(exponents)
    if factor.kept[0] == 0:
        U.hi[0] = product(frame.back, U).hi[0]
    return U.hi if factor.M is None else U.hi @ factor.M


def dependences(moments: Moments, factor: Factor) -> dict[int, dict[int, float]]:
    """Each dependent feature as a combination of others: {feature: {other or -1 (constant): c}}.

    (x_j − m_j) 2^k_j = t_0 + Σ t_k (x_k − m_k) 2^k_k
    """
    frame = moments.frame
    found = {}
    for j, t in factor.dependent.items():
        share = np.abs(t) * np.sqrt(np.diag(moments.gram.hi))[factor.kept]
        parts: dict[int, float] = {}
        constant = float(frame.shift[j - 1])
        for column, value, part in zip(factor.kept.tolist(), t, share, strict=True):
            if part <= NO_PART * share.max(initial=0.0):
                continue
            if column == 0:
                constant += float(np.ldexp(value, -frame.exponent[j - 1]))
                continue
            c = float(np.ldexp(value, frame.exponent[column - 1] - frame.exponent[j - 1]))
            parts[column - 1] = c
            constant -= c * float(frame.shift[column - 1])
        size = abs(frame.shift[j - 1]) + sum(abs(c * frame.shift[k]) for k, c in parts.items())
        if abs(constant) > NO_PART * size:
            parts[-1] = constant
        found[j - 1] = parts
    return found
