"""Many small kernel SVMs that share a table: one compiled call solves some of them.

Each pair of K classes needs the kernel values of both classes among themselves, which K − 1 pairs
share, and those between the two, which no other pair needs. So only the former are kept, and the
Gram matrix of a pair is put together in memory that stays in the cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linscope._compiling import kernel
from linscope.kernels.kernel_maps import fill_products, gather

from .compiled import judge, solve_problem
from .pair_loops import BLOCK, Blocks

# Rows and columns that are turned round at a time.
SQUARE = 32
# Columns of a product.
WIDTH = 512


class Sorted(NamedTuple):
    """A table whose samples are sorted by class.

    Class k has the samples ``order[starts[k] : starts[k + 1]]`` of the table, in their order. Its
    kernel values are ``own[blocks[k] : blocks[k + 1]]``. ``left`` and ``right`` are features of the
    sorted samples; they have no columns if the Gram matrix ``given`` is there.
    """

    order: np.ndarray
    starts: np.ndarray
    left: np.ndarray
    right: np.ndarray
    own: np.ndarray
    blocks: np.ndarray
    given: np.ndarray


class Answers(NamedTuple):
    """Of all problems, one after the other: rows, signs, β and s; problem p begins at offsets[p].

    The rows of a problem are in the order of the table. ``figures`` has one row per problem.
    """

    offsets: np.ndarray
    rows: np.ndarray
    y: np.ndarray
    beta: np.ndarray
    s: np.ndarray
    figures: np.ndarray


@kernel
def merge_pairs(pairs, order, starts, answers):
    """Rows of both classes of each pair in the order of the table; the second class is +1."""
    for p in range(len(pairs)):
        a, b = pairs[p]
        i, j = starts[a], starts[b]
        for k in range(answers.offsets[p], answers.offsets[p + 1]):
            first = j == starts[b + 1] or (i < starts[a + 1] and order[i] < order[j])
            answers.rows[k] = order[i] if first else order[j]
            answers.y[k] = -1.0 if first else 1.0
            i, j = (i + 1, j) if first else (i, j + 1)


@kernel
def take(source, rows, out):
    """out = source[rows], in the type of ``out``."""
    for r in range(len(rows)):
        row, target = source[rows[r]], out[r]
        for k in range(len(row)):
            target[k] = row[k]


# Slices and unsigned numbers: an index that may be negative keeps loops from becoming vectors.
@kernel
def mirror(K, first, stop, begin, end):
    """K[begin:end, first:stop] = K[first:stop, begin:end]ᵀ, a small square at a time."""
    for at in range(begin, end, SQUARE):
        for top in range(first, stop, SQUARE):
            height = min(SQUARE, stop - top)
            for j in range(at, min(at + SQUARE, end)):
                target = K[j, top : top + height]
                for i in range(height):
                    target[i] = K[np.uint64(top + i), np.uint64(j)]


def fill_own(first, stop, table, features):
    """Kernel values of some classes among themselves."""
    for k in range(first, stop):
        if table.blocks[k] == table.blocks[k + 1]:
            continue  # too large for every pair
        a, b = table.starts[k], table.starts[k + 1]
        left, right, slots = table.left[a:b], table.right[a:b], np.arange(b - a)
        fill_products(left, right, features.code, features.degree, _own(table, k), slots, 0)


def _own(table, k):
    """K_kk; nothing if the whole Gram matrix is given."""
    m = 0 if len(table.given) else table.starts[k + 1] - table.starts[k]
    return table.own[table.blocks[k] : table.blocks[k] + m * m].reshape(m, m)


def _fill_pair(table, features, a, b, places, K, diagonal):
    """K_ab in its place in K = [K_aa, K_ab; K_ba, K_bb], and the other blocks."""
    n = len(places)
    own_a, own_b, given = _own(table, a), _own(table, b), len(table.given) > 0
    if given:
        gather(table.given, places, places, K, np.arange(n), 0)
        K[:, n:] = 0.0
        diagonal[:n] = K.diagonal()
    else:
        m = len(own_a)
        left = table.left[table.starts[a] : table.starts[a + 1]]
        right = table.right[table.starts[b] : table.starts[b + 1]]
        fill_products(left, right, features.code, features.degree, K, np.arange(m), m)
        diagonal[:m], diagonal[m:n] = own_a.diagonal(), own_b.diagonal()
    return Blocks(own_a, own_b, np.full(n, given))


def room_for(n):
    """Numbers of the memory that the Gram matrix of a pair with n samples takes."""
    return n * (-(-n // BLOCK) * BLOCK)


def solve_class_pairs(first, stop, pairs, table, features, bounds, room, answers):
    """The problems ``first`` to ``stop``, each in the same memory of ``room_for`` numbers."""
    starts = table.starts.tolist()
    for p, (a, b) in enumerate(pairs[first:stop].tolist(), first):
        own, others = (table.order[starts[k] : starts[k + 1]] for k in (a, b))
        places = np.concatenate((own, others))
        n, q = len(places), -(-len(places) // BLOCK) * BLOCK
        y, C, (beta, s) = np.ones(n), bounds.C[places], np.empty((2, n))
        y[: len(own)] = -1.0
        K, diagonal = room[: n * q].reshape(n, q), np.zeros(q, dtype=room.dtype)
        blocks = _fill_pair(table, features, a, b, places, K, diagonal)
        out = answers.figures[p]
        solve_problem(K, diagonal, blocks, y, C, bounds, features, places, beta, s, out)
        part = slice(answers.offsets[p], answers.offsets[p + 1])
        at = np.argsort(places)  # answers are in the order of the table
        answers.beta[part], answers.s[part] = beta[at], s[at]


def fill_whole(first, stop, left, right, features, K):
    """Rows ``first`` to ``stop`` of a Gram matrix from the diagonal on, mirrored."""
    n, some, slots = len(left), left[first:stop], np.arange(first, stop)
    for at in range(first, n, WIDTH):
        end = min(at + WIDTH, n)
        fill_products(some, right[at:end], features.code, features.degree, K, slots, at)
        mirror(K, first, stop, max(at, stop), end)


def solve_against_rest(first, stop, K, features, bounds, answers):
    """The problems ``first`` to ``stop``, all of which have the samples of K."""
    n = len(K)
    places, diagonal = np.arange(n), np.zeros(K.shape[1], dtype=K.dtype)
    diagonal[:n] = K.diagonal()
    for p in range(first, stop):
        part = slice(answers.offsets[p], answers.offsets[p + 1])
        y, beta, s = answers.y[part], answers.beta[part], answers.s[part]
        C, out = bounds.C, answers.figures[p]
        solve_problem(K, diagonal, None, y, C, bounds, features, places, beta, s, out)


@kernel
def leave_at_zero(p, C, unit, answers):
    """Figures of a problem that nothing was done for: β = 0 is feasible."""
    part = slice(answers.offsets[p], answers.offsets[p + 1])
    y, beta, s = answers.y[part], answers.beta[part], answers.s[part]
    for i in range(len(y)):
        beta[i], s[i] = 0.0, 0.0
    judge(y, C, unit, beta, s, np.ones(len(y), dtype=np.bool_), 0.0, answers.figures[p])
