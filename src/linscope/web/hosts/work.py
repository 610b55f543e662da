"""Work in other processes, so that it is really stopped when its time is up.

Each process answers one question at a time. Whoever asks waits for a free one; the clock of a
question starts when its work does.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
from typing import Any

from ..limits import SECONDS, TOO_LONG, BadSpec
from .process import serve

# Seconds for a process to start, to import and to load its kernels.
STARTING = 120.0
FAULT = "linscope failed on this question; the terminal of linscope playground shows why"


class TooLong(RuntimeError):
    """The work took longer than it may."""


class Fault(RuntimeError):
    """The work failed for a reason that is not the question's."""


class Worker:
    """One process and the pipe to it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.ready = False
        self._compiler: tuple[str, str] | None = None

    def compiler(self) -> tuple[str, str]:
        """What compiles its kernels, and where they are: it says so long before it can answer."""
        if self._compiler is None:
            self._compiler = self._wait(STARTING)
        return self._compiler

    def begin(self) -> None:
        """Waits until it can answer."""
        self.compiler()
        if not self.ready:
            self._wait(STARTING)
            self.ready = True

    def ask(self, kind: str, body: Any) -> Any:
        """The answer; blocks. The process is gone after ``TooLong``."""
        self.begin()
        self.pipe.send((kind, body))
        good, found = self._wait(SECONDS)
        if not good:
            raise BadSpec(found) if found else Fault(FAULT)
        return found

    def _wait(self, seconds: float) -> Any:
        try:
            if not self.pipe.poll(seconds):
                raise TooLong(TOO_LONG)
            return self.pipe.recv()
        except (EOFError, OSError) as error:
            raise TooLong("the work ended before its answer: try again") from error

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


# A process that was started before anyone knew what for.
_early: list[Worker] = []


def start_early() -> None:
    """Starts the first process of a crew that is still to come."""
    _early.append(Worker())


class Crew:
    """At most as many workers as cores; ``ask`` waits for a free one.

    The first has the machine for itself: others come when someone has to wait.
    """

    def __init__(self, size: int | None = None):
        self.size = size or max(1, min(4, os.cpu_count() or 1))
        self.free: asyncio.Queue[Worker] = asyncio.Queue()
        self.workers: set[Worker] = set()
        self.starting: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        if not self.workers:
            self.free.put_nowait(self._hire())

    def compiler(self) -> tuple[str, str]:
        """That of its first process."""
        return next(iter(self.workers)).compiler()

    def _hire(self) -> Worker:
        worker = _early.pop() if _early else Worker()
        self.workers.add(worker)
        return worker

    def _grow(self) -> None:
        """One more, which is free as soon as it can answer."""
        worker = self._hire()

        async def begin() -> None:
            with contextlib.suppress(TooLong):  # who asks it hears of that
                await asyncio.get_running_loop().run_in_executor(None, worker.begin)
            self.free.put_nowait(worker)

        task = asyncio.create_task(begin())
        self.starting.add(task)
        task.add_done_callback(self.starting.discard)

    async def ask(self, kind: str, body: Any) -> Any:
        if self.free.empty() and len(self.workers) < self.size:
            self._grow()
        worker = await self.free.get()
        work = asyncio.get_running_loop().run_in_executor(None, worker.ask, kind, body)
        try:
            found = await asyncio.shield(work)
        except TooLong:
            self._replace(worker)
            raise
        except asyncio.CancelledError:  # nobody waits any more: neither does the work
            self._replace(worker)
            raise
        except BaseException:
            self.free.put_nowait(worker)
            raise
        self.free.put_nowait(worker)
        return found

    def _replace(self, worker: Worker) -> None:
        self.workers.discard(worker)
        worker.stop()
        self._grow()

    def stop(self) -> None:
        for worker in self.workers:
            worker.stop()
        self.workers.clear()
