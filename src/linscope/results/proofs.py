"""Fits that nobody keeps need no proofs.

A search fits hundreds of models and keeps none of them: the winner is fitted again. What is fitted
inside ``without_proofs()`` may leave its bounds at infinity, so that its certificate is not ok.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_WANTED: ContextVar[bool] = ContextVar("proofs wanted", default=True)


def proofs_wanted() -> bool:
    """Whether fits are to be proven, at a price."""
    return _WANTED.get()


@contextmanager
def without_proofs() -> Iterator[None]:
    """Fits in this block are thrown away."""
    token = _WANTED.set(False)
    try:
        yield
    finally:
        _WANTED.reset(token)
