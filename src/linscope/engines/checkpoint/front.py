"""``ls.checkpoint``, and what a fit does with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

from ..base import Engine
from .engine import JournalEngine, shape_of
from .journal import Journal, words_of
from .plain import digest

# The journal of the block, and whether a fit is under way in it.
_journal: ContextVar[Journal | None] = ContextVar("checkpoint", default=None)
_fitting: ContextVar[bool] = ContextVar("fitting", default=False)


@contextmanager
def checkpoint(path: Any) -> Iterator[None]:
    """Fits inside the block go on where they were, if the process dies and they are begun again.

    What the rows have answered is written to a file as soon as it is known, and of a long pass what
    was added up so far, every ten seconds. After a crash run the same lines again: the answers in
    the file are not asked for again, and the model has the same bits as if nothing had happened.
    When the block ends without an error, the file is gone.

    For tables that are read in batches or are in partitions: ``ls.scan`` and Dask collections. A
    table in memory is fitted from the beginning.

    Parameters
    ----------
    path : file to write; another one, with ``.pass`` at the end of its name, is beside it

    Raises
    ------
    CheckpointError
        If the file is that of another table, model, option or version, or no checkpoint.

    Examples
    --------
    >>> import linscope as ls, pyarrow as pa, tempfile
    >>> table = pa.table({"x": [0.0, 1.0, 2.0, 4.0], "y": [1.0, 3.0, 5.0, 9.0]})
    >>> with ls.checkpoint(tempfile.mkdtemp() + "/fit"):
    ...     model = ls.LinearRegression().fit(ls.scan(table, target="y"))
    >>> model.coef_
    array([2.])
    """
    journal = Journal(path)
    token = _journal.set(journal)
    try:
        yield
    except BaseException:
        journal.close()
        raise
    else:
        journal.finish()
    finally:
        _journal.reset(token)


@contextmanager
def one_fit(model: Any, source: Any) -> Iterator[None]:
    """A fit to rows that are elsewhere; where it has a checkpoint, that must be its own."""
    path, active = getattr(source, "checkpoint", None), _journal.get()
    with checkpoint(path) if path is not None and active is None else nullcontext():
        journal = _journal.get()
        if journal is None or _fitting.get():
            yield
            return
        journal.begin(type(model).__name__, words_of(model), digest(source.fingerprint()))
        token = _fitting.set(True)
        try:
            yield
        finally:
            _fitting.reset(token)


def is_journaled() -> bool:
    """Whether a fit with a checkpoint is under way."""
    return _journal.get() is not None and _fitting.get()


def journaled(engine: Engine) -> Engine:
    """The engine, or one before it where a fit has a checkpoint."""
    journal = _journal.get()
    if journal is None or not _fitting.get() or isinstance(engine, JournalEngine):
        return engine
    shape = shape_of(engine)
    journal.answer("open", None, shape, lambda _: None)
    return JournalEngine(journal, lambda: engine, shape)
