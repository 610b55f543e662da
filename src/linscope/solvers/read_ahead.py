"""A second core reads ahead of a sequential rule.

One core cannot draw all of the memory's bandwidth: on two cores a second reader adds about half
again. A rule that must visit rows one after the other can still use it: while the rule works on
its rows, another thread touches part of the rows that come next, so that the rule finds them in
the shared cache. The thread only reads, so it can change no result.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from ..data.rows import DenseRows, Rows
from ..data.threads import thread_count

# Tables that fit in the last-level cache need no help.
WORTH_IT = 64 << 20
CHUNK = 1 << 20  # bytes
AHEAD = 2  # chunks
SHARE = 4  # every SHARE-th chunk is left to the rule's own core
FINISHED = 1 << 62  # far beyond any row, far from overflow


@intrinsic
def _load_fresh(context, array, index):
    """array[index] as it is in memory now, not as a register remembers it."""

    def generate(target, builder, signature, args):
        data = target.make_array(signature.args[0])(target, builder, args[0]).data
        pointer = builder.gep(data, [args[1]])
        return builder.load_atomic(pointer, "acquire", 8)

    return types.int64(array, types.int64), generate


@njit(cache=True, nogil=True)
def _walk(values, position, chunk_rows, ahead, share):
    n, d = values.shape
    total = 0.0
    for chunk in range(1, n // chunk_rows + 1):
        if chunk % share == 0:
            continue
        begin, end = chunk * chunk_rows, min((chunk + 1) * chunk_rows, n)
        at = _load_fresh(position, 0)  # type: ignore[call-arg, var-annotated]
        while begin > at + ahead * chunk_rows:
            at = _load_fresh(position, 0)
        if begin > at:
            for i in range(begin, end):
                for j in range(0, d, 8):
                    total += values[i, j]
    return total  # so that the reads are not optimised away


@contextmanager
def reading_ahead(rows: Rows, position: np.ndarray) -> Iterator[None]:
    """Read ahead of a rule that publishes the row it is at in ``position[0]``."""
    if not worth_reading_ahead(rows):
        yield
        return
    values = rows.values  # type: ignore[union-attr]
    chunk_rows = max(1, CHUNK // (values.shape[1] * values.itemsize))
    position[0] = 0
    reader = threading.Thread(target=_walk, args=(values, position, chunk_rows, AHEAD, SHARE))
    reader.start()
    try:
        yield
    finally:
        position[0] = FINISHED
        reader.join()


def worth_reading_ahead(rows: Rows) -> bool:
    return isinstance(rows, DenseRows) and rows.values.nbytes > WORTH_IT and thread_count() > 1
