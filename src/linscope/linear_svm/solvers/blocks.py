"""What one block of rows adds to the objective of a linear support vector machine.

Both losses are handled as one piecewise quadratic function of the margin m = y (w·x + b), see
``pull`` in ``losses.hinge``:

    r_i = a_i + k c_i (1 − m_i)          α_i = r_i, cut to [0, u c_i]          −α_i = slope in m_i

The squared hinge is a = 0, k = 2C, u = ∞. The hinge is approached by a = multipliers, u = C and a
large k. Rows with 0 < r_i < u c_i are *active*: only they have curvature, k c_i.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linscope._compiling import kernel
from linscope.losses import hinge, squared_hinge
from linscope.rows.blocks import Block, Largest, blind, block_rows_for, selects
from linscope.rows.curvature import diagonal_block, product_block
from linscope.rows.operations import REORDER, TILE, add_rows_to, as_rows, quick_dots

NOTHING = np.zeros(0)
# Places in the totals of a pass, with ξ = max(0, 1 − m): Σ c ξ, Σ c ξ², and what complementary
# slackness lacks, Σ (u c ξ − α (1 − m)): each term is ≥ 0.
SLACK, SQUARED_SLACK, COMPLEMENT = range(3)


class Pieces(NamedTuple):
    """The numbers that make the piecewise quadratic; empty a: zeros.

    ``a`` has a number for each row, or is something that is kept for the rows (``objective.Kept``).
    """

    a: Any
    k: float
    u: float


class Terms(NamedTuple):
    """What a pass tells of each row: its margin, its α, and whether it is active."""

    margins: np.ndarray
    alpha: np.ndarray
    active: np.ndarray


def evaluate_block(block: Block, w, a, k, u) -> tuple[Terms, tuple[np.ndarray, np.ndarray]]:
    """What stays with the rows; totals and Σ α y [1, x]."""
    n = len(block.y)
    out = Terms(np.empty(n), np.empty(n), np.empty(n, dtype=np.bool_))
    own = own_multipliers(block, a), block.weight, k, u
    g, totals = np.zeros(len(w)), np.zeros(3)
    margin_pass(as_rows(block.X), w, block.y, *own, *out, g, totals)
    return out, (totals, g)


def own_multipliers(block: Block, a: Any) -> np.ndarray:
    """Those of the rows of a block: entries of an array, or what is kept under a name."""
    if not isinstance(a, str):
        return a[block.rows] if len(a) else a
    found = block.kept[a]
    return found.alpha if isinstance(found, Terms) else found


@blind
def kept(block: Block, name: str, which: str) -> np.ndarray:
    """The margins, α or activity of a point."""
    return getattr(block.kept[name], which)


@blind
def distances(block: Block, name: str) -> np.ndarray:
    """|1 − m|, how far the rows are from their kink."""
    return np.abs(1.0 - block.kept[name].margins)


@blind
def slack_block(block: Block, name: str) -> np.ndarray:
    """ξ of each row."""
    return hinge.loss(block.kept[name].margins)


@blind
def within_block(block: Block, name: str, most: float) -> float:
    """Σ c of the rows whose margin is less than this."""
    near = block.kept[name].margins < most
    return float(block.weight[near].sum() if block.weighted else np.count_nonzero(near))


def _numbers_of(block: Block, chosen: np.ndarray) -> np.ndarray:
    return block.start + np.flatnonzero(chosen)


@blind
def active_rows(block: Block, name: str) -> np.ndarray:
    """The numbers of the active rows."""
    return _numbers_of(block, block.kept[name].active)


@blind
def near_rows(block: Block, name: str, most: float, C: float) -> np.ndarray:
    """Rows no further than this from their kink, and all whose α is strictly inside its box."""
    alpha, top = block.kept[name].alpha, C * block.weight if block.weighted else C
    near = distances(block, name) <= most
    return _numbers_of(block, near | ((alpha > 0.0) & (alpha < top)))


@blind
def crossed_rows(block: Block, a: str, name: str, rows: np.ndarray) -> np.ndarray:
    """Rows whose α is not what it was, but for these."""
    crossed = block.kept[name].alpha != own_multipliers(block, a)
    crossed[_own_rows(block, rows)[1]] = False
    return _numbers_of(block, crossed)


@blind
def how_many(block: Block, task: Any, words: tuple) -> int:
    """How many rows a task names."""
    return len(task(block, *words))


@blind
def multipliers_of(block: Block, a: Any, rows: np.ndarray | None = None) -> np.ndarray:
    """Multipliers of all rows, or of some."""
    own = own_multipliers(block, a)
    return own if rows is None else own[_own_rows(block, rows)[1]]


@blind
def patched_block(block: Block, a: Any, rows: np.ndarray, values: np.ndarray) -> tuple:
    """Multipliers with other values for some rows, which are kept."""
    own = np.array(own_multipliers(block, a))
    part, places = _own_rows(block, rows)
    own[places] = values[part]
    return own, 0


def _own_rows(block: Block, rows: np.ndarray) -> tuple[slice, np.ndarray]:
    """Which of these sorted rows are in the block, and where."""
    part = slice(*np.searchsorted(rows, (block.rows.start, block.rows.stop)))
    return part, rows[part] - block.start


@blind
def kinks(block: Block, name: str, bias: float) -> np.ndarray:
    """The bias at which each row is at its kink, y − w·x, from margins with another bias."""
    return block.y - (block.y * block.kept[name].margins - bias)


@blind
def loss_at_bias(block: Block, name: str, before: float, now: float) -> float:
    """Σ c ξ with another bias."""
    loss = hinge.loss(block.y * (block.y * block.kept[name].margins - before + now))
    return float(np.sum(block.weight * loss if block.weighted else loss))


def dual_block(block: Block, feasible: Any, C: float) -> tuple[np.ndarray, float, float]:
    """Σ α y [1, x], Σ α and Σ α²/(4 C c)."""
    alpha = feasible.of(block)
    square = np.sum(squared_hinge.bend(alpha, C * block.weight if block.weighted else C))
    return sum_rows(block, alpha), float(alpha.sum()), float(square)


@blind
def facts_block(block: Block) -> tuple[float, int]:
    """Σ c, and how many numbers are held."""
    numbers = block.X.nnz if sparse.issparse(block.X) else block.X.size
    return float(block.weight.sum()) if block.weighted else float(len(block.y)), numbers


@blind
def labels_block(block: Block) -> np.ndarray:
    return block.y


@blind
def weights_block(block: Block) -> np.ndarray:
    return block.weight


@blind
def compare_block(block: Block, before: str, now: str) -> tuple[int, int]:
    """How many rows are active now, and how many were not or are no longer."""
    was, active = block.kept[before], block.kept[now].active
    was = was.active if isinstance(was, Terms) else was
    return int(np.count_nonzero(active)), int(np.count_nonzero(was != active))


def follow_block(block: Block, before: str, now: str) -> tuple[np.ndarray, np.ndarray]:
    """Activity is kept; Σ ±c [1, x][1, x]ᵀ of the rows that came and left."""
    was, active = block.kept[before], block.kept[now].active
    came, left = np.flatnonzero(active & ~was), np.flatnonzero(was & ~active)
    G = _gram(block, came)
    return active, G - _gram(block, left) if len(left) else G


def active_block(block: Block, now: str) -> tuple[np.ndarray, np.ndarray]:
    """Activity is kept; Σ c [1, x][1, x]ᵀ of the active rows."""
    active = block.kept[now].active
    return active, _gram(block, np.flatnonzero(active))


@selects
def take_active_block(block: Block, name: str) -> tuple[Any, np.ndarray, np.ndarray]:
    """The active rows."""
    own = np.flatnonzero(block.kept[name].active)
    return block.X[own], block.y[own], block.weight[own] if block.weighted else block.weight


def curved_block(block: Block, V: np.ndarray, k: float) -> np.ndarray:
    """k Σ c (V·[1, x]) [1, x]."""
    return product_block(block.X, V[None, :], k * _own(block), NOTHING)[0]


def curves_block(block: Block, k: float) -> np.ndarray:
    """k Σ c [1, x]²."""
    return diagonal_block(block.X, k * _own(block)[None, :])[0]


def _own(block: Block) -> np.ndarray:
    return block.weight if block.weighted else np.ones(len(block.y))


def sum_block(block: Block, alpha: Any) -> np.ndarray:
    """Σ α y [1, x] of multipliers, see ``Pieces``."""
    return sum_rows(block, own_multipliers(block, alpha))


def sum_rows(block: Block, alpha: np.ndarray) -> np.ndarray:
    weight = alpha * block.y
    return np.r_[weight.sum(), block.X.T @ weight]


def _gram(block: Block, rows: np.ndarray) -> np.ndarray:
    """Σ c [1, x][1, x]ᵀ of these rows of a block; of sparse rows the lower triangle."""
    G = np.zeros((block.X.shape[1] + 1,) * 2)
    own = block.weight[rows] if block.weighted else block.weight
    table: Any = as_rows(block.X)
    if sparse.issparse(block.X):
        _sparse_gram(table.data, table.indices, table.indptr, rows, own, G)
        return G
    step = block_rows_for(len(G), 8)
    room = np.empty((min(step, len(rows)), len(G) - 1), block.X.dtype)
    for first in range(0, len(rows), step):
        part = slice(first, first + step)
        Z = room[: len(rows[part])]
        table.values.take(rows[part], axis=0, out=Z, mode="clip")  # into place, without a buffer
        Z = Z.astype(np.float64, copy=False)
        root = np.sqrt(own[part]) if len(own) else np.ones(len(Z))
        if len(own):
            Z *= root[:, None]
        G[0, 0] += root @ root
        G[0, 1:] += root @ Z
        G[1:, 1:] += Z.T @ Z
    G[1:, 0] = G[0, 1:]
    return G


# Comparisons in place of min and max, and formulas without calls in them, which are compiled again
# wherever they are called: half the time of compiling. NaN stays NaN.
@kernel
def margin_pass(rows, w, y, a, c, k, u, margins, alpha, active, g, totals):
    """Margins, α and activity; g ← g + Σ α y [1, x]. Rows are still in the cache for that."""
    weighted, centred = len(c) > 0, len(a) > 0
    slack, squared, lacking, bounded = 0.0, 0.0, 0.0, u < np.inf
    s = np.empty(TILE)
    for first in range(0, len(y), TILE):
        last = min(first + TILE, len(y))
        quick_dots(rows, first, last, w, s)
        for i in range(first, last):
            m = y[i] * s[i - first]
            own = c[i] if weighted else 1.0
            r = hinge.pull(m, a[i] if centred else 0.0, k * own)
            top = u * own if own > 0.0 else 0.0
            value = 0.0 if r < 0.0 else r
            value = top if value > top else value
            xi = hinge.slack(1.0 - m)
            margins[i] = m
            alpha[i] = value
            s[i - first] = value * y[i]
            active[i] = 0.0 < r < top
            slack += own * xi
            squared += own * xi * xi
            if bounded:
                lacking += hinge.unused(xi, hinge.slack(m - 1.0), value, top)
        add_rows_to(rows, first, last, s, g)
    totals[0] += slack
    totals[1] += squared
    totals[2] += lacking


@kernel
def _sparse_gram(data, indices, indptr, rows, c, G):
    """The lower triangle; the columns of a row need not be sorted."""
    one = np.uint64(1)
    for t in range(len(rows)):
        i, own = rows[t], 1.0
        if len(c):
            own = c[t]
        G[0, 0] += own
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j, x = np.uint64(indices[p]) + one, own * data[p]
            G[j, 0] += x
            for q in range(np.uint64(indptr[i]), p + one):
                l = np.uint64(indices[q]) + one
                G[max(j, l), min(j, l)] += x * data[q]


# ψ'(t) = Σ ρ (w + t δ) δ − Σ α_i(t) s_i,   α_i(t) = a_i + k c_i (1 − m_i − t s_i) cut to [0, u c_i]
@kernel(fastmath=REORDER)
def slope_and_curvature(t, margins, along, a, c, k, u):
    """Σ α(t) s and Σ k c s² of the active rows at t."""
    slope, curvature = 0.0, 0.0
    weighted, centred = len(c) > 0, len(a) > 0
    for i in range(len(margins)):
        own = c[i] if weighted else 1.0
        s = along[i]
        r = hinge.pull(margins[i] + t * s, a[i] if centred else 0.0, k * own)
        top = u * own if own > 0.0 else 0.0
        value = 0.0 if r < 0.0 else r
        slope += (top if value > top else value) * s
        curvature += own * s * s if 0.0 < r < top else 0.0
    return slope, k * curvature


@kernel(fastmath=REORDER)
def squared_slope_and_curvature(t, margins, along):
    """The same of the squared hinge without weights, over k."""
    slope, curvature = 0.0, 0.0
    for i in range(len(margins)):
        r = hinge.loss(margins[i] + t * along[i])
        slope += r * along[i]
        curvature += along[i] * along[i] if r > 0.0 else 0.0
    return slope, curvature


@blind
def along_block(block: Block, here: str, there: str) -> tuple[np.ndarray, int]:
    """How the margins change from one point to the other, which is kept."""
    return block.kept[there].margins - block.kept[here].margins, 0


@blind
def slope_block(block: Block, here: str, t: float, a, k: float, u: float) -> tuple:
    """``slope_and_curvature`` of a block."""
    own = own_multipliers(block, a)
    margins, along = block.kept[here].margins, block.kept["along"]
    if len(own) == 0 and len(block.weight) == 0 and u == np.inf:
        slope, curvature = squared_slope_and_curvature(t, margins, along)
        return k * slope, k * curvature
    return slope_and_curvature(t, margins, along, own, block.weight, k, u)


@kernel
def _sparse_norms(data, indices, indptr, scale, out):
    for i in range(len(out)):
        total = 0.0
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            total += np.float64(data[p]) * data[p] * scale[np.uint64(indices[p])]
        out[i] = total


def longest_block(block: Block, scale) -> Largest:
    """The largest Σ_j x_j² scale_j of a row."""
    if sparse.issparse(block.X):
        rows: Any = as_rows(block.X)
        out = np.empty(len(block.y))
        _sparse_norms(rows.data, rows.indices, rows.indptr, scale, out)
        return Largest(out.max(initial=0.0))
    (n, d), top = block.X.shape, 0.0
    step = min(n, block_rows_for(4 * d, 8))  # a quarter of a block: squares stay in the cache
    room = np.empty((step, d))
    for first in range(0, n, max(1, step)):
        part = block.X[first : first + step]
        squares = np.square(part, out=room[: len(part)], dtype=np.float64)
        top = max(top, float((squares @ scale).max()))
    return Largest(top)
