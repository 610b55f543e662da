"""A study as it goes on: a table that fills in a terminal, one line per model elsewhere.

All of it goes to standard error; the answer is for whoever has the findings.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from .findings import Score
from .words import clock, decimals, duration, metric_name, number

REFRESHES_PER_SECOND = 8
NARROW, SCORE_WIDTH, TIME_WIDTH = 72, 14, 6


@dataclass
class Line:
    """What is known of one model so far."""

    title: str
    state: str = "waiting"
    why: str = ""
    folds: int = 0
    scores: list[float] = field(default_factory=list)
    score: Score | None = None
    seconds: float | None = None


class Progress:
    """Takes the events of a study and says nothing."""

    def __init__(self, models: Iterable[tuple[str, str]] = (), metric: str = "") -> None:
        self.metric = metric
        self.lines = {key: Line(title) for key, title in models}
        self.stage, self.seconds_left = "", None
        self.started = self._said = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing more is shown."""

    def __call__(self, event: Any) -> None:
        """Events are told apart by the name of their class."""
        getattr(self, f"_{type(event).__name__.lower()}", self._other)(event)

    def _other(self, event: Any) -> None:
        """Of kinds that are not shown."""

    def _line(self, key: str) -> Line:
        return self.lines.setdefault(key, Line(key))

    def _stage(self, event: Any) -> None:
        self.stage, self.seconds_left = event.words, event.seconds_left
        self._said = time.monotonic()

    def _started(self, event: Any) -> None:
        line = self._line(event.key)
        line.title, line.state = event.title, "running"

    def _scored(self, event: Any) -> None:
        line = self._line(event.key)
        line.state, line.folds = "running", event.folds
        line.scores.append(event.score)

    def _finished(self, event: Any) -> None:
        line, candidate = self._line(event.key), event.candidate
        line.title, line.state, line.why = candidate.title, candidate.state, candidate.why
        line.score, line.seconds = candidate.scores.get(self.metric), candidate.seconds

    def _leftout(self, event: Any) -> None:
        line = self._line(event.key)
        line.state, line.why = "left out", event.why


class Lines(Progress):
    """One line for each model when it is done, for files and pipes."""

    def __init__(self, *args: Any, stream: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stream = stream or sys.stderr

    def _finished(self, event: Any) -> None:
        super()._finished(event)
        line = self.lines[event.key]
        words = [line.title + ":", metric_name(self.metric), score_text(line, self.metric)]
        took = "" if line.seconds is None else f", {duration(line.seconds)}"
        self._say(f"{' '.join(words)}{took}" if line.score else f"{line.title}: {line.state}")

    def _leftout(self, event: Any) -> None:
        super()._leftout(event)
        self._say(f"{self.lines[event.key].title}: left out, {event.why}")

    def _say(self, words: str) -> None:
        print(words, file=self.stream, flush=True)


class LiveTable(Progress):
    """A table in the terminal, one row per model in order of simplicity; gone at the end."""

    def __init__(self, *args: Any, console: Console | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.console = console or Console(stderr=True, highlight=False, markup=False, emoji=False)
        self.live = Live(
            console=self.console,
            get_renderable=self.render,
            refresh_per_second=REFRESHES_PER_SECOND,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Self:
        self.live.start()
        return self

    def close(self) -> None:
        self.live.stop()

    def render(self) -> Group:
        """The table as it is now, and the time."""
        narrow, head = self.console.width < NARROW, metric_name(self.metric)
        longest = max((len(line.title) for line in self.lines.values()), default=0)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", expand=True)
        table.add_column("model", no_wrap=True, width=min(longest, 16 if narrow else 30))
        table.add_column(head, justify="right", no_wrap=True, width=max(len(head), SCORE_WIDTH))
        if not narrow:
            table.add_column("time", justify="right", no_wrap=True, width=TIME_WIDTH)
        table.add_column("", no_wrap=True, ratio=1)
        for line in self.lines.values():
            cells = [line.title, score_text(line, self.metric), _took(line), _state(line)]
            if narrow:
                del cells[2]
            table.add_row(*cells, style=STYLES.get(line.state, ""))
        said = [
            f"left out: {line.title}, {line.why}"
            for line in self.lines.values()
            if line.state == "left out"
        ]
        notes = "\n".join([*said, self._clock()])
        return Group(table, Text(notes, style="dim", no_wrap=True, overflow="ellipsis"))

    def _clock(self) -> str:
        now = time.monotonic()
        parts = [self.stage or "comparing", clock(now - self.started)]
        if self.seconds_left is not None:
            left = max(self.seconds_left - (now - self._said), 0)
            parts.append(f"about {clock(left)} left")
        return " · ".join([*parts, "Ctrl-C stops and keeps what is finished"])


STYLES = {"waiting": "dim", "left out": "dim", "running": "cyan"}


def score_text(line: Line, metric: str) -> str:
    """Mean ± half the interval; while folds are missing the mean so far."""
    if line.score is not None:
        places = decimals(line.score, metric) + 1
        half = (line.score.high - line.score.low) / 2
        return f"{number(line.score.mean, places)} ± {number(half, places)}"
    if line.scores:
        mean = sum(line.scores) / len(line.scores)
        return number(mean, decimals(Score(mean, 0.9 * mean, 1.1 * mean, ()), metric))
    return ""


def _took(line: Line) -> str:
    if line.seconds is None:
        return ""
    return duration(line.seconds) if line.seconds < 10 else clock(line.seconds)


def _state(line: Line) -> str:
    match line.state:
        case "running" if line.scores:
            return f"fold {len(line.scores)} of {line.folds}"
        case "finished":
            return "done"
    return line.state


def watch(models: Iterable[tuple[str, str]], metric: str, *, quiet: bool) -> Progress:
    """What suits standard error: a live table, lines, or nothing."""
    if quiet:
        return Progress(models, metric)
    return (LiveTable if sys.stderr.isatty() else Lines)(models, metric)
