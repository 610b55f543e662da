"""From the frame of the moments back to the units of the table.

    w_j = 2^(k_j − k_y) v_j          w_0 = m_y + 2^−k_y v_0 − Σ_j m_j w_j

Terms of the bias may cancel, so they are added in double-double.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..data.double_double import UNIT, UNIT2, Pair, product
from .moments import Frame, Moments
from .normal_equations import Factor

# A column does not take part in a dependence when its share is below this.
NO_PART = 1e-9
LARGEST = Fraction(float(np.finfo(float).max))


def weights(frame: Frame, v: Pair) -> Pair:
    """w (1 + d, targets), bias first."""
    with np.errstate(over="ignore", invalid="ignore"):
        w = v.scaled(_exponents(frame))
        bias = Pair.of(np.zeros((1, w.hi.shape[1])))
        product(Pair.of(np.r_[1.0, -frame.shift[frame.features]][None, :]), w, bias)
        bias = bias.plus(Pair.of(frame.shift[None, frame.targets]))
    w.hi[0], w.lo[0] = bias.hi[0], bias.lo[0]
    return w


def difference(frame: Frame, a: Pair, b: Pair) -> np.ndarray:
    """w of a less w of b: the shift of the targets drops out."""
    still = np.r_[frame.shift[frame.features], np.zeros(a.hi.shape[1])]
    centred = Frame(still, frame.exponent, frame.n_features)
    return weights(centred, a.plus(b.times(-1.0))).hi


def _exponents(frame: Frame) -> np.ndarray:
    return np.r_[0, frame.exponent[frame.features]][:, None] - frame.exponent[frame.targets]


def into_frame(frame: Frame, w: Pair) -> Pair:
    """v of weights w (1 + d, targets): v_0 = 2^k_y (w_0 + Σ_j m_j w_j − m_y)."""
    bias = Pair.of(np.zeros((1, w.hi.shape[1])))
    product(Pair.of(np.r_[1.0, frame.shift[frame.features]][None, :]), w, bias)
    bias = bias.plus(Pair.of(-frame.shift[None, frame.targets]))
    v = Pair(w.hi.copy(), w.lo.copy())
    v.hi[0], v.lo[0] = bias.hi[0], bias.lo[0]
    return v.scaled(-_exponents(frame))


def errors(frame: Frame, factor: Factor, error: np.ndarray, w: Pair) -> np.ndarray:
    """|w − exact| at most, (1 + d, targets), for w rounded to floats; dependent columns 0."""
    full = np.zeros(w.hi.shape)
    full[factor.kept] = error
    m = np.abs(frame.shift[frame.features])
    with np.errstate(over="ignore", invalid="ignore"):
        full = np.ldexp(full, _exponents(frame))
        full[0] += m @ (full[1:] + 4 * UNIT2 * len(m) * np.abs(w.hi[1:]))
        return full * (1 + 8 * UNIT) + rounding(w)


def rounding(w: Pair) -> np.ndarray:
    """What is lost when pairs are rounded to floats, the rounding of the pairs included."""
    return (np.abs(w.lo) + 2 * UNIT2 * np.abs(w.hi)) * (1 + 8 * UNIT)


def inverse_root(frame: Frame, factor: Factor) -> np.ndarray | None:
    """U (kept, kept) with U Uᵀ = (AᵀCA + αP)⁻¹ in original units; None if columns depend.

    w = Tv, so U = T S; the row of the bias is S_0 − Σ_j m_j 2^k_j S_j.
    """
    if factor.dependent:
        return None
    exponents = np.r_[0, frame.exponent[frame.features]][factor.kept][:, None]
    U = factor.S.scaled(exponents)
    if factor.kept[0] == 0:
        row = Pair.of(np.zeros((1, U.hi.shape[1])))
        product(Pair.of(np.r_[1.0, -frame.shift[frame.features]][None, :]), U, row)
        U.hi[0] = row.hi[0]
    return U.hi if factor.M is None else U.hi @ factor.M


def total_squares(moments: Moments, *, centred: bool) -> np.ndarray:
    """Σ c (y − ȳ)² of each target, or Σ c y²."""
    d, frame = moments.n_features, moments.frame
    if not centred:
        moments = moments.in_frame(frame.unshifted())
    out = np.empty(moments.n_targets)
    for k in range(moments.n_targets):
        entry = (1 + d + k, 1 + d + k), (0, 1 + d + k), (0, 0)
        square, total, n = (
            Fraction(float(moments.gram.hi[e])) + Fraction(float(moments.gram.lo[e])) for e in entry
        )
        value = square - total * total / n if centred else square
        value = max(value, Fraction(0)) * Fraction(4) ** int(-frame.exponent[d + k])
        out[k] = float(value) if value < LARGEST else np.inf
    return out


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
