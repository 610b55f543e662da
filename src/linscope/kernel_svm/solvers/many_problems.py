"""Many small kernel SVMs that share a table.

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
# Of so few samples all kernel values are worked out: no kernel has to be compiled to mirror them.
FEW = 2048


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


def merge_pairs(pairs, order, starts, answers):
    """Rows of both classes of each pair in the order of the table; the second class is +1.

    Returns the rows of each pair class by class, and where those in the table's order are there.
    """
    cuts, offsets, found = starts.tolist(), answers.offsets.tolist(), []
    for p, (a, b) in enumerate(pairs.tolist()):
        first, second = order[cuts[a] : cuts[a + 1]], order[cuts[b] : cuts[b + 1]]
        places = np.concatenate((first, second))
        at = places.argsort(kind="stable")  # quick for two sorted parts
        part = slice(offsets[p], offsets[p + 1])
        answers.rows[part] = places.take(at)
        np.copysign(1.0, at - (len(first) - 0.5), out=answers.y[part])
        found.append((places, at))
    return found


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
    starts, cuts = table.starts.tolist(), table.blocks.tolist()
    for k in range(first, stop):
        if cuts[k] == cuts[k + 1]:
            continue  # too large for every pair
        part, m = slice(starts[k], starts[k + 1]), starts[k + 1] - starts[k]
        K = table.own[cuts[k] : cuts[k + 1]].reshape(m, m)
        left, right = table.left[part], table.right[part]
        fill_products(left, right, features.code, features.degree, K, np.arange(m), 0)


def _fill_pair(table, features, first, second, cuts, places, K, diagonal):
    """K_ab in its place in K = [K_aa, K_ab; K_ba, K_bb], and the other blocks.

    ``first`` and ``second`` are the rows of both classes, ``cuts`` where K_aa and K_bb begin.
    """
    n = len(places)
    if len(table.given):
        gather(table.given, places, places, K, np.arange(n), 0)
        K[:, n:] = 0.0
        diagonal[:n] = K.diagonal()
        return None
    m = first.stop - first.start
    own = table.own[cuts[0] : cuts[0] + m * m].reshape(m, m)
    others = table.own[cuts[1] : cuts[1] + (n - m) * (n - m)].reshape(n - m, n - m)
    left, right = table.left[first], table.right[second]
    fill_products(left, right, features.code, features.degree, K, np.arange(m), m)
    diagonal[:m], diagonal[m:n] = own.diagonal(), others.diagonal()
    return Blocks(own, others, np.zeros(n, dtype=np.bool_))


def room_for(n):
    """Numbers of the memory that the Gram matrix of a pair with n samples takes."""
    return n * (-(-n // BLOCK) * BLOCK)


def solve_class_pairs(first, stop, pairs, merged, table, features, bounds, room, answers):
    """The problems ``first`` to ``stop``, each in the same memory of ``room_for`` numbers."""
    starts, cuts, offsets = (x.tolist() for x in (table.starts, table.blocks, answers.offsets))
    for p, (a, b) in enumerate(pairs[first:stop].tolist(), first):
        own, others = slice(starts[a], starts[a + 1]), slice(starts[b], starts[b + 1])
        places, at = merged[p]
        n, q = len(places), -(-len(places) // BLOCK) * BLOCK
        y, C, beta, s = np.ones(n), bounds.C[places], np.empty(n), np.empty(n)
        y[: own.stop - own.start] = -1.0
        K, diagonal = room[: n * q].reshape(n, q), np.zeros(q, dtype=room.dtype)
        begin = cuts[a], cuts[b]
        blocks = _fill_pair(table, features, own, others, begin, places, K, diagonal)
        out = answers.figures[p]
        solve_problem(K, diagonal, blocks, y, C, bounds, features, places, beta, s, out)
        part = slice(offsets[p], offsets[p + 1])
        answers.beta[part], answers.s[part] = beta[at], s[at]


def fill_whole(first, stop, left, right, features, K):
    """Rows ``first`` to ``stop`` of a Gram matrix from the diagonal on, mirrored."""
    n, some, slots = len(left), left[first:stop], np.arange(first, stop)
    if n <= FEW:
        fill_products(some, right, features.code, features.degree, K, slots, 0)
        return
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
