"""The file of a checkpoint: answers in the order in which they were found.

    linscope checkpoint 1           so begins the file
    8 bytes, 32 bytes, answer …     length, SHA-256 of the record before and the answer, answer

Answers are appended, so what is written is never touched again. What a crash has torn at the end
does not have its checksum, and is cut off. A pass that is not over yet is in a second file,
``….pass``, which is replaced as a whole.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from linscope._version import __version__

from .plain import Unreadable, digest, of_bytes, to_bytes

MAGIC = b"linscope checkpoint 1\n"
# Seconds between two looks at a pass that goes on, and between two waits for the disk.
EVERY, SYNC = 10.0, 1.0
VERSIONS = {"linscope": __version__, "numpy": np.__version__}


class CheckpointError(ValueError):
    """The checkpoint is of another fit, or no checkpoint."""


class Journal:
    """Questions and answers of fits, from the first on.

    Parameters
    ----------
    path : the file; if it is there, the fits go on where it ends
    """

    def __init__(self, path: Any) -> None:
        self.path, self.closed = Path(path), False
        self.engines = 0
        self._beside = self.path.with_name(self.path.name + ".pass")
        self._places: list[tuple[int, int]] = []
        self._at, self._synced = 0, time.monotonic()
        existing = self.path.exists()
        if existing and not self.path.is_file():
            raise CheckpointError(f"{self.path} is not a file: name another one for the checkpoint")
        self._file = open(self.path, "r+b" if existing else "w+b", buffering=0)  # noqa: SIM115
        try:
            _lock(self._file, self.path)
            self._read()
        except BaseException:
            self._file.close()
            raise

    @property
    def replaying(self) -> bool:
        """Whether the next question was answered before."""
        return self._at < len(self._places)

    def begin(self, model: str, parameters: str, data: str) -> None:
        """A fit begins; CheckpointError if it is not the one of the file."""
        mine = {**VERSIONS, "model": model, "parameters": parameters, "data": data}
        found = self._next("fit") if self.replaying else self._append("fit", mine)
        if not isinstance(found, dict):
            raise self._other(f"a fit of {model}")
        for name in VERSIONS:
            if found[name] != mine[name]:
                raise CheckpointError(
                    f"{self.path} was written with {name} {found[name]}, and this is {name} "
                    f"{mine[name]}, whose digits may differ: delete it to begin again"
                )
        if found["model"] != model or found["parameters"] != parameters:
            raise CheckpointError(
                f"{self.path} is the checkpoint of {found['parameters']}, and this is "
                f"{parameters}: fit that model, or delete the file to begin again"
            )
        if found["data"] != data:
            raise CheckpointError(
                f"{self.path} is the checkpoint of a fit to other data, or the data have changed "
                "since: delete it to begin again"
            )

    def answer(self, verb: str, task: Any, words: Any, find: Callable[[Unfinished], Any]) -> Any:
        """From the file, or found now and written there."""
        question = digest(verb, task, words)
        if self.replaying:
            return self._next(question)
        answer = find(Unfinished(self, question))
        answer = self._append(question, answer)
        self._beside.unlink(missing_ok=True)
        return answer

    def close(self) -> None:
        """The file stays: fits that are begun again go on from there."""
        self.closed = True
        if not self._file.closed:
            with suppress(OSError):
                os.fsync(self._file.fileno())
            self._file.close()

    def finish(self) -> None:
        """All is done: the files go."""
        self.path.unlink(missing_ok=True)
        self._beside.unlink(missing_ok=True)
        self.close()

    def _read(self) -> None:
        """Find the records; cut off what is torn, begin a file that has none."""
        size = os.fstat(self._file.fileno()).st_size
        begin = self._file.read(len(MAGIC))
        if begin != MAGIC and not MAGIC.startswith(begin):
            raise CheckpointError(
                f"{self.path} is no checkpoint of linscope, or of another version: name another "
                "file, or delete it"
            )
        self._last, end = hashlib.sha256(MAGIC).digest(), len(MAGIC)
        if len(begin) == len(MAGIC):
            while (place := self._record(end, size)) is not None:
                self._places.append(place)
                end = sum(place)
        self._file.truncate(end if self._places else 0)
        self._end = end
        if not self._places:
            self._write(0, [MAGIC])

    def _record(self, at: int, size: int) -> tuple[int, int] | None:
        """First byte and length of a whole answer; None if there is none."""
        self._file.seek(at)
        head = self._file.read(40)
        length = int.from_bytes(head[:8], "little")
        if len(head) < 40 or at + 40 + length > size:
            return None
        found, left = hashlib.sha256(self._last), length
        while left:
            part = self._file.read(min(left, 1 << 20))
            found.update(part)
            left -= len(part)
        if found.digest() != head[8:]:
            return None
        self._last = found.digest()
        return at + 40, length

    def _next(self, question: str) -> Any:
        at, length = self._places[self._at]
        data = self._bytes(at, length)
        if data[:64].rstrip() != question.encode():
            raise self._other(f"question {self._at + 1}")
        self._at += 1
        try:
            return of_bytes(data[64:])
        except (Unreadable, ImportError) as error:
            raise CheckpointError(f"{self.path} is damaged ({error}): delete it") from error

    def _bytes(self, at: int, length: int) -> bytes:
        self._file.seek(at)
        parts = []
        while length and (part := self._file.read(length)):
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    def _other(self, what: str) -> CheckpointError:
        return CheckpointError(
            f"{self.path} is the checkpoint of another fit ({what} is not the one that it has): "
            "give the table, the model, the options and the memory_limit with which it was begun, "
            "or delete it to begin again"
        )

    def _append(self, question: str, answer: Any) -> Any:
        """Write an answer; returned as it will be read again, so that no bit can differ."""
        parts = [question.encode().ljust(64), *to_bytes(answer)]
        check = hashlib.sha256(self._last)
        for part in parts:
            check.update(part)
        length = sum(memoryview(part).nbytes for part in parts)
        head = length.to_bytes(8, "little") + check.digest()
        self._write(self._end, [head, *parts])
        self._last = check.digest()
        self._places.append((self._end + 40, length))
        self._end += 40 + length
        self._at += 1
        if time.monotonic() - self._synced > SYNC:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()
        return of_bytes(b"".join(parts[1:]))

    def _write(self, at: int, parts: list[Any]) -> None:
        try:
            self._file.seek(at)
            for part in parts:
                view = memoryview(part)
                while view.nbytes:
                    view = view[self._file.write(view) :]
        except OSError as error:
            raise OSError(
                error.errno,
                f"the checkpoint {self.path} cannot be written ({error.strerror}): make room and "
                "fit again, which goes on from what was written",
            ) from error

    def unfinished(self, question: str) -> Any:
        """What was written of the pass that is to come; None if nothing was."""
        try:
            data = self._beside.read_bytes()
        except OSError:
            return None
        check, mark, begun = data[:32], data[32:64], data[64:]
        if hashlib.sha256(mark + begun).digest() != check or mark != self._mark(question):
            return None
        with suppress(Unreadable, ImportError):
            return of_bytes(begun)
        return None

    def write_unfinished(self, question: str, begun: Any) -> None:
        """In place of what was written of it before, as a whole."""
        parts = [self._mark(question), *to_bytes(begun)]
        check = hashlib.sha256()
        for part in parts:
            check.update(part)
        new = self._beside.with_name(self._beside.name + ".new")
        try:
            with open(new, "wb") as file:
                for part in [check.digest(), *parts]:
                    file.write(part)
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, self._beside)
        except OSError as error:
            new.unlink(missing_ok=True)
            raise OSError(
                error.errno,
                f"the checkpoint {self._beside} cannot be written ({error.strerror}): make room "
                "and fit again, which goes on from what was written",
            ) from error

    def _mark(self, question: str) -> bytes:
        """Of the place in this journal: all answers before, and the question."""
        return hashlib.sha256(self._last + question.encode()).digest()


class Unfinished:
    """A pass that goes on: where it begins, and how far it has come."""

    def __init__(self, journal: Journal, question: str) -> None:
        self._journal, self._question = journal, question
        self._written = time.monotonic()
        self.begun = journal.unfinished(question)

    def save(self, begun: Callable[[], Any]) -> None:
        """``begun()`` is worth writing down, now and then."""
        if time.monotonic() - self._written >= EVERY:
            self._journal.write_unfinished(self._question, begun())
            self._written = time.monotonic()


def words_of(model: Any) -> str:
    """A model with its parameters.

    >>> words_of(dict)
    'type()'
    """
    given = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    text = ", ".join(f"{name}={_word(value)}" for name, value in sorted(given.items()))
    return f"{type(model).__name__}({text})"


def _word(value: Any) -> str:
    if isinstance(value, np.ndarray) or callable(value) or hasattr(value, "__dict__"):
        return f"{type(value).__name__} {digest(value)[:12]}"
    if isinstance(value, float | int | str | bool | None | dict | list | tuple):
        return repr(value)
    return type(value).__name__


def _lock(file: Any, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise CheckpointError(
            f"{path} is the checkpoint of a fit that is running: wait for it, or name another file"
        ) from None
