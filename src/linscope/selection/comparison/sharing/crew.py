"""Jobs shared between this process and others.

A job is a function of ``do``, which does a task here or there. This process takes jobs from the
left, the others from the right, so that it matters little which of them takes how long.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeAlias

from .processes import Gone, Process

Do: TypeAlias = Callable[[Any], Any]
Job: TypeAlias = Callable[[Do], None]


class Crew:
    """This process, which has ``here`` to do tasks, and perhaps others."""

    def __init__(self, here: Do, others: Iterable[Process] = ()) -> None:
        self.here, self.others = here, list(others)

    def share(self, jobs: Iterable[Job]) -> None:
        """Do all jobs; the first error, or Ctrl-C, ends the other processes and is raised."""
        waiting = deque(jobs)
        others = [one for one in self.others if not one.gone]
        with ThreadPoolExecutor(len(others) or 1) as pool:
            try:
                helpers = [pool.submit(_help, one, waiting) for one in others]
                while waiting or not all(helper.done() for helper in helpers):
                    self._work(waiting, helpers)
                    for helper in helpers:
                        helper.result()  # it may have put back a job
            except BaseException:
                waiting.clear()
                self.end()
                raise

    def _work(self, waiting: deque[Job], helpers: list[Future[None]]) -> None:
        while waiting and not any(one.done() and one.exception() for one in helpers):
            try:
                job = waiting.popleft()
            except IndexError:  # another was faster
                return
            job(self.here)

    def end(self) -> None:
        """From now on there is this process only."""
        for one in self.others:
            one.end()


def _help(process: Process, waiting: deque[Job]) -> None:
    """Do what waits in another process, until nothing does."""
    while waiting:
        try:
            job = waiting.pop()
        except IndexError:  # another was faster
            return
        try:
            job(process.ask)
        except Gone:  # killed for its memory, say: who is left does the job
            waiting.append(job)
            return
