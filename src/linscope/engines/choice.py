"""Which engine holds the rows of a table: the only place that makes one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from linscope.rows.blocks import Block
from linscope.rows.far import FarRows, engine_of
from linscope.rows.threads import thread_count

from .base import Engine
from .memory import MemoryEngine

# Fewer rows than this are not worth a thread.
FEWEST_ROWS = 4096
_maker: ContextVar[Callable[..., Engine]] = ContextVar("engine", default=MemoryEngine)


def choose(X: Any, y: Any = None, weight: Any = None, *, checked: bool = False) -> Engine:
    """An engine for rows, their targets and weights (empty or None: all are 1).

    Rows that are elsewhere (``rows.far``) have one already; ``checked`` as ``MemoryEngine`` has it.

    Examples
    --------
    >>> choose([[1.0, 2.0], [3.0, 4.0]]).n_features
    2
    """
    if type(X) is FarRows:
        return engine_of(X, y, weight)
    maker = _maker.get()
    if maker is MemoryEngine:
        return MemoryEngine(X, y, weight, checked=checked)
    return maker(X, y, weight)


def here(rows: Block) -> Engine:
    """An engine of rows that are in memory, whatever holds the others."""
    return MemoryEngine(rows.X, rows.y, rows.weight, checked=True)


def in_few_blocks(engine: Engine) -> Engine:
    """Large blocks, a few for each thread: for results that do not depend on the blocking."""
    return engine.cut(max(FEWEST_ROWS, engine.n_rows // (4 * thread_count())))


@contextmanager
def using(maker: Callable[..., Engine]) -> Iterator[None]:
    """Inside the block ``maker(X, y, weight)`` makes the engines of all fits."""
    token = _maker.set(maker)
    try:
        yield
    finally:
        _maker.reset(token)
