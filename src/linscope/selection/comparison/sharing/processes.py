"""Other processes that do tasks of a study, for small tables.

A fit of a small table is mostly Python, which runs on one core only, whatever the threads. So other
interpreters take some of the work: each is sent the question once, then one task after the other,
and answers each; floats come back with the same bits. Nothing is written to disk, the user's own
script is not run again in them, and a process whose starter is gone finds its input at an end.

This module is quick to import, so that processes can be started before anything else is loaded.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from linscope.rows.threads import THREADS_VARIABLE, thread_count

# Each holds an interpreter with its libraries (about 200 MB); jobs are whole models, and with more
# processes most would wait for the longest one.
MOST_PROCESSES = 3
START = "import sys; sys.path[:] = {path!r}; from {module} import answer_tasks; answer_tasks()"
WORKER = f"{__package__}.worker"
# Its end is closed, or labels are of a kind that cannot be sent.
UNSENT = (EOFError, OSError, ValueError, TypeError, AttributeError, pickle.PickleError)


class Gone(Exception):
    """The process has ended before it had answered."""


class Refused(ValueError):
    """The task could not be done; the words are those of its error."""


class Process:
    """Another interpreter, loading its libraries from now on.

    subject : question and options, to be sent before the first task
    compiled : seconds that it has spent on compiling so far
    gone : whether it has ended
    """

    def __init__(self) -> None:
        self.subject: Any = None
        self.compiled, self.gone = 0.0, False
        code = START.format(path=[p for p in sys.path if isinstance(p, str)], module=WORKER)
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # As many processes as cores: their solvers need no threads.
            env=os.environ | {THREADS_VARIABLE: "1"},
            # Ctrl-C at a terminal is for the study, which keeps what is finished.
            start_new_session=True,
        )

    def ask(self, task: Any) -> Any:
        """What comes of a task, there.

        Raises
        ------
        Gone, Refused
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            if self.subject is not None:
                pickle.dump(self.subject, stdin, protocol=5)
                self.subject = None
            pickle.dump(task, stdin, protocol=5)
            stdin.flush()
            done, answer, self.compiled = pickle.load(stdout)
        except UNSENT:
            self.gone = True
            raise Gone from None
        if not done:
            raise Refused(answer)
        return answer

    def end(self) -> None:
        """At once, whatever it does; what it had to say is lost."""
        self.gone = True
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(OSError):  # a task that was still to be sent
                pipe.close()


@contextmanager
def started_processes(*, wanted: bool = True) -> Iterator[list[Process]]:
    """One for every core but this one's; none where there is no interpreter to start."""
    found: list[Process] = []
    try:
        with suppress(OSError):  # the machine allows no more
            if wanted and sys.executable and not getattr(sys, "frozen", False):
                for _ in range(min(thread_count() - 1, MOST_PROCESSES)):
                    found.append(Process())
        yield found
    finally:
        for one in found:
            one.end()
