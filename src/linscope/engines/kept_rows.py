"""What is kept for each block of a table that is read in batches: in memory, or in a file.

Scores and residuals are as long as the table. Up to a limit they stay in memory; beyond it their
bytes go to a temporary file, which has no name and is gone when the fit is over or dies.
"""

from __future__ import annotations

import errno
import mmap
import os
import pickle
import tempfile
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from linscope.rows.blocks import borders

# Rows of a file that are looked at before their pages are given back.
PART = 1 << 20


class Away(NamedTuple):
    """Something whose arrays are in the file: what it is, and where (offset, size) they are."""

    shell: bytes
    places: list[tuple[int, int]]


class KeptRows:
    """Things by block and name.

    Parameters
    ----------
    limit : bytes that may stay in memory
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._held: dict[tuple[int, str], tuple[Any, int]] = {}
        self._memory, self._end = 0, 0
        self._free: dict[int, list[int]] = {}
        self._file: Any = None
        self._lock = Lock()

    @property
    def used(self) -> bool:
        """Whether something is kept."""
        return bool(self._held)

    def put(self, block: int, name: str, thing: Any) -> None:
        """Keep it; what was kept there before is forgotten."""
        self.drop(block, name)
        buffers: list[Any] = []
        shell = pickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
        views = [buffer.raw() for buffer in buffers]
        size = sum(view.nbytes for view in views)
        with self._lock:
            stays = self._memory + size <= self.limit
            self._memory += size if stays else 0
        if not stays:
            thing, size = Away(shell, [self._write(view) for view in views]), 0
        with self._lock:
            self._held[block, name] = thing, size

    def get(self, block: int, name: str) -> Any:
        """What is kept there; KeyError if nothing is."""
        with self._lock:
            thing, _ = self._held[block, name]
        if not isinstance(thing, Away):
            return thing
        found = [bytearray(os.pread(self._file.fileno(), size, at)) for at, size in thing.places]
        return pickle.loads(thing.shell, buffers=found)

    def drop(self, block: int, name: str) -> None:
        with self._lock:
            thing, size = self._held.pop((block, name), (None, 0))
            self._memory -= size
            if isinstance(thing, Away):
                for at, length in thing.places:
                    self._free.setdefault(length, []).append(at)

    def forget(self, name: str) -> None:
        """Nothing is kept under this name in any block."""
        for block, other in list(self._held):
            if other == name:
                self.drop(block, name)

    def _write(self, view: memoryview) -> tuple[int, int]:
        with self._lock:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="linscope-")  # noqa: SIM115
            room = self._free.get(view.nbytes)
            at = room.pop() if room else self._end
            self._end = max(self._end, at + view.nbytes)
        try:
            done = 0
            while done < view.nbytes:
                done += os.pwrite(self._file.fileno(), view[done:], at + done)
        except OSError as error:
            raise told(error) from None
        return at, view.nbytes


class Column:
    """Something for each row, block after block: in memory, or beyond a limit in such a file.

    It is written to the file and mapped when it is whole, so that its pages are in memory only
    while somebody looks at them.

    Parameters
    ----------
    limit : bytes that may stay in memory
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._parts: list[np.ndarray] = []
        self._file: Any = None
        self._shape: tuple[int, ...] = ()
        self._kind: Any = None

    def add(self, part: np.ndarray) -> None:
        kind = part.dtype if self._kind is None else np.promote_types(self._kind, part.dtype)
        if self._file is not None and kind != self._kind:  # texts may be longer here
            self._parts, self._file = [self.whole()], None
        self._kind, rows = kind, self._shape[0] if self._shape else 0
        self._shape = (rows + len(part), *part.shape[1:])
        self._parts.append(part)
        size = int(np.prod(self._shape, dtype=np.int64)) * kind.itemsize
        if self._file is not None or (size > self._limit and not kind.hasobject):
            self._write()

    def _write(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="linscope-")  # noqa: SIM115
        try:
            for part in self._parts:
                self._file.write(np.ascontiguousarray(part, self._kind).data)
            self._file.flush()
        except OSError as error:
            raise told(error) from None
        self._parts = []

    def whole(self) -> np.ndarray:
        """All of it; to be called once."""
        if self._file is None or not self._shape[0]:
            return self._parts[0] if len(self._parts) == 1 else np.concatenate(self._parts)
        return np.memmap(self._file, self._kind, "r+", shape=self._shape).view(np.ndarray)


def places(values: np.ndarray) -> np.ndarray:
    """Where numbers are not 0, as ``np.flatnonzero``; of a mapped file no page stays in memory."""
    out, at = np.empty(how_many(values), np.intp), 0
    for first, last in borders(len(values), PART):
        found = _looked_at(values, np.flatnonzero, first, last)
        out[at : at + len(found)] = found + first
        at += len(found)
    return out


def how_many(values: np.ndarray) -> int:
    """How many numbers are not 0, likewise."""
    parts = borders(len(values), PART)
    return sum(_looked_at(values, np.count_nonzero, *part) for part in parts)


def _looked_at(values: np.ndarray, function: Any, first: int, last: int) -> Any:
    found = function(values[first:last])
    owner: Any = values
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, mmap.mmap) and hasattr(owner, "madvise"):
        owner.madvise(mmap.MADV_DONTNEED)  # shared: the file has them
    return found


def told(error: OSError) -> OSError:
    """The error of a full disk in plain words."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return error
    return OSError(
        error.errno,
        f"the disk of {tempfile.gettempdir()} is full, where numbers for each row are kept while a "
        "model is fitted: make room, set TMPDIR to another folder, or raise memory_limit",
    )


class KeptOfBlock(dict):
    """``block.kept`` of one block: looked up when it is asked for."""

    def __init__(self, store: KeptRows, block: int) -> None:
        super().__init__()
        self._store, self._block = store, block

    def __missing__(self, name: str) -> Any:
        found = self[name] = self._store.get(self._block, name)
        return found
