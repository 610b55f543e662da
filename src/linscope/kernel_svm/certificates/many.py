"""The numbers of many kernel machines at once: the formulas of ``verify.duality`` in floats.

The samples of all problems stand one after the other, and every sum is one over a segment. A sum of
n terms that are not negative is wrong by at most (n + 4)u of itself, which is added.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linscope.arithmetic.enclosures import UNIT, Ball
from linscope.losses import hinge

from ..verify.duality import put_in_box


class Segments(NamedTuple):
    """Samples of problems: scores with their rounding, signs, α, largest α; b of each problem.

    ``starts`` are the places of the first samples, ``lengths`` bounds of √K_ii.
    """

    f: Ball
    y: np.ndarray
    alpha: np.ndarray
    top: np.ndarray
    bias: np.ndarray
    starts: np.ndarray
    lengths: float


class Figures(NamedTuple):
    """Of each problem: P and its rounding, bounds of P − min P and of the KKT violation, ΣC_i."""

    primal: np.ndarray
    rounding: np.ndarray
    gap: np.ndarray
    kkt: np.ndarray
    prices: np.ndarray


def judge_many(given: Segments) -> Figures:
    """For prices C_i that are finite; no problem may be empty."""
    f, y, alpha, top, bias, starts, lengths = given
    counts = np.diff(np.append(starts, len(y)))
    more = 1.0 + (counts + 8) * UNIT

    def total(values: np.ndarray) -> np.ndarray:
        return np.add.reduceat(values, starts)

    with np.errstate(all="ignore"):
        a = put_in_box(alpha, top)
        beta, m = y * alpha, y * f.mid
        all_a = total(a) * more
        off = np.abs(alpha - a) + a * np.repeat(_share(y * a, a, y, total, counts, all_a), counts)
        below, above = m - f.rad, m + f.rad
        terms = np.maximum(hinge.lack(below, a, top), hinge.lack(above, a, top))
        rest = total(off * (np.abs(m - 1.0) + f.rad)) + 0.5 * (total(off) * lengths) ** 2
        gap = (total(terms) + rest) * (more + 1e-12)
        size = total(np.abs(beta * f.mid))
        norm2 = total(beta * f.mid) - bias * total(beta)
        doubt = total(np.abs(beta) * f.rad) + (counts + 8) * UNIT * (size + np.abs(bias) * all_a)
        slack = total(top * hinge.loss(m))
        doubt = 0.5 * doubt + total(np.where(below < 1.0, top * f.rad, 0.0))
        rounding = doubt * more + (counts + 12) * UNIT * (slack + np.abs(norm2))
        kkt = _violations(f, y, a, top, starts)
    return Figures(0.5 * norm2 + slack, rounding, gap, kkt, total(top))


def _share(signed, a, y, total, counts, all_a) -> np.ndarray:
    """What α of the heavier class has to lose for Σβ = 0, as a share of it."""
    left = np.abs(total(signed)) + (counts + 4) * UNIT * all_a
    heavier = np.maximum(total(np.where(y > 0, a, 0.0)), total(np.where(y < 0, a, 0.0)))
    return np.where(heavier > 0, np.minimum(1.0, left / heavier * (1.0 + 1e-9)), 0.0)


def _violations(f: Ball, y, a, top, starts) -> np.ndarray:
    positive = y > 0
    grow, shrink = np.where(positive, a < top, a > 0), np.where(positive, a > 0, a < top)
    most = np.maximum.reduceat(np.where(shrink, f.mid + f.rad - y, -np.inf), starts)
    least = np.minimum.reduceat(np.where(grow, f.mid - f.rad - y, np.inf), starts)
    gap = (most - least) * (1.0 + 8.0 * UNIT) + 8.0 * UNIT
    known = np.isfinite(most) & np.isfinite(least)
    return np.where(known, np.maximum(0.0, gap), np.where(np.isnan(gap), np.inf, 0.0))
