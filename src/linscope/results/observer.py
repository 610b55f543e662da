"""Watching a fit: one observer for progress bars, callbacks and anything else.

The driver tells the current observer when a task begins, after each step, and when it ends.
``observe`` sets the observer for the fits inside its ``with`` block::

    with ls.progress():
        ls.Perceptron().fit(X, y)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any


class Observer:
    """Does nothing; subclasses override what they need."""

    def begin(self, task: str, total: int | None) -> None:
        """A task of at most ``total`` steps begins."""

    def step(self, done: int, state: Any) -> bool:
        """``done`` steps are finished; return True to ask for a stop."""
        return False

    def rows(self, done: int, total: int) -> None:
        """In a pass over a table that is read in batches ``done`` of ``total`` rows are read."""

    def end(self) -> None:
        """The task is over, also after an error."""


class Observers(Observer):
    """Several observers as one."""

    def __init__(self, *observers: Observer) -> None:
        self.observers = observers

    def begin(self, task: str, total: int | None) -> None:
        for observer in self.observers:
            observer.begin(task, total)

    def step(self, done: int, state: Any) -> bool:
        wanted = [observer.step(done, state) for observer in self.observers]  # tell them all
        return any(wanted)

    def rows(self, done: int, total: int) -> None:
        for observer in self.observers:
            observer.rows(done, total)

    def end(self) -> None:
        for observer in self.observers:
            observer.end()


class ProgressBar(Observer):
    """A rich progress bar on standard error, drawn once a task has lasted ``after`` seconds."""

    def __init__(self, after: float = 1.0) -> None:
        self.after = after
        self._bar: Any = None
        self._pass: Any = None
        self._read = 0

    def begin(self, task: str, total: int | None) -> None:
        self._task, self._total, self._started = task, total, time.monotonic()

    def step(self, done: int, state: Any) -> bool:
        if self._bar is None and time.monotonic() - self._started >= self.after:
            self._open()
        if self._bar is not None:
            self._bar.update(self._id, completed=done, note=getattr(state, "note", ""))
        return False

    def rows(self, done: int, total: int) -> None:
        """A bar of its own for a long pass over a table in batches."""
        if done < self._read or self._read == 0:
            self._began = time.monotonic()
        self._read = done
        if self._pass is None and time.monotonic() - self._began >= self.after:
            self._pass = _bar()
            self._pass.start()
            self._place = self._pass.add_task("reading", total=total, note="")
        if self._pass is not None:
            self._pass.update(self._place, completed=done)
            if done >= total:
                self._pass.stop()
                self._pass, self._read = None, 0

    def end(self) -> None:
        for bar in (self._bar, self._pass):
            if bar is not None:
                bar.stop()
        self._bar = self._pass = None

    def _open(self) -> None:
        self._bar = _bar()
        self._bar.start()
        self._id = self._bar.add_task(self._task, total=self._total, note="")


def _bar() -> Any:
    """What is drawn: how far it is, how long it took."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}"),
        console=Console(file=sys.stderr),
        transient=True,
    )


# Whoever watches the fits of this context; most of the time nobody does.
watching: ContextVar[Observer | None] = ContextVar("linscope_observer", default=None)


def current_observer() -> Observer:
    """The observer that ``observe`` has set, or one that does nothing."""
    return watching.get() or Observer()


@contextmanager
def observe(observer: Observer) -> Iterator[Observer]:
    """Let ``observer`` watch every fit inside the block, beside those that watch already."""
    outer = watching.get()
    token = watching.set(observer if outer is None else Observers(outer, observer))
    try:
        yield observer
    finally:
        watching.reset(token)


def progress(after: float = 1.0) -> Any:
    """Show a progress bar for fits inside the block that last longer than ``after`` seconds."""
    return observe(ProgressBar(after))
