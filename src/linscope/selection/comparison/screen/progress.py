"""A study as it goes on: a table that fills in a terminal, one line per model elsewhere.

All of it goes to standard error; the answer is for whoever has the findings.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Self

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from linscope._printable import printable
from linscope.selection.report import words

from ..findings import Score
from ..options import Event, Finished, LeftOut, Scored, Stage, Started
from ..times import clock

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

    def __init__(
        self,
        metric: str,
        models: Iterable[tuple[str, str]] = (),
        budget: float | None = None,
    ) -> None:
        self.metric, self.budget = metric, budget
        self.lines = {key: Line(title) for key, title in models}
        self.stage = ""
        self.seconds_left: float | None = None
        self.started = self._said = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing more is shown."""

    def __call__(self, event: Event) -> None:
        match event:
            case Stage(words, seconds_left):
                self.stage, self.seconds_left = words, seconds_left
                self._said = time.monotonic()
            case Started(key, title):
                self._line(key, title).state = "running"
                self.stage = ""
            case Scored(key, _, folds, score):
                line = self._line(key)
                line.state, line.folds = "running", folds
                line.scores.append(score)
            case Finished(key, candidate):
                line = self._line(key, candidate.title)
                line.state, line.why = candidate.state, candidate.why
                line.score, line.seconds = candidate.scores.get(self.metric), candidate.seconds
                self.done(line)
            case LeftOut(key, title, why):
                line = self._line(key, title)
                line.state, line.why = "left out", why
                self.done(line)

    def done(self, line: Line) -> None:
        """Nothing more will happen to this model."""

    def _line(self, key: str, title: str = "") -> Line:
        line = self.lines.setdefault(key, Line(title or key))
        line.title = title or line.title
        return line


class Lines(Progress):
    """One line for each model when it is done, for files and pipes."""

    def __init__(self, *args: Any, stream: Any = None) -> None:
        super().__init__(*args)
        self.stream = stream or sys.stderr

    def done(self, line: Line) -> None:
        if line.score is None:
            said = f"{line.state}, {line.why}" if line.why else line.state
        else:
            took = f", {_took(line)}" if line.seconds is not None else ""
            said = f"{words.metric(self.metric)} {score_text(line)}{took}"
        print(printable(f"{line.title}: {said}"), file=self.stream, flush=True)


class LiveTable(Progress):
    """A table in the terminal, one row per model in order of simplicity; gone at the end."""

    def __init__(self, *args: Any, console: Console | None = None) -> None:
        super().__init__(*args)
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
        narrow, head = self.console.width < NARROW, words.metric(self.metric)
        longest = max((len(line.title) for line in self.lines.values()), default=0)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", expand=True)
        table.add_column("model", no_wrap=True, width=min(longest, 16 if narrow else 30))
        table.add_column(head, justify="right", no_wrap=True, width=max(len(head), SCORE_WIDTH))
        if not narrow:
            table.add_column("time", justify="right", no_wrap=True, width=TIME_WIDTH)
        table.add_column("", no_wrap=True, ratio=1)
        for line in self.lines.values():
            cells = [line.title, score_text(line), _took(line), _state(line)]
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
        over = [line for line in self.lines.values() if line.state not in ("waiting", "running")]
        parts = [
            f"{len(over)} of {words.count(len(self.lines), 'model')}",
            clock(now - self.started),
        ]
        if self.seconds_left is not None:
            parts.append(f"about {clock(max(self.seconds_left - (now - self._said), 0))} left")
        elif self.budget is not None:
            left = self.budget - (now - self.started)
            parts.append(f"at most {clock(left)} left" if left > 0 else "finishing")
        shown = [self.stage] if self.stage else []
        return " · ".join([*shown, *parts, "Ctrl-C keeps what is finished"])


STYLES = {"waiting": "dim", "left out": "dim", "running": "cyan"}


def score_text(line: Line) -> str:
    """Mean ± half the interval; while folds are missing the mean so far."""
    if line.score is not None:
        half = (line.score.high - line.score.low) / 2
        places = words.decimals_for([half])
        return f"{words.fixed(line.score.mean, places)} ± {words.fixed(half, places)}"
    return words.digits(fmean(line.scores), 3) if line.scores else ""


def _took(line: Line) -> str:
    if line.seconds is None:
        return ""
    return words.seconds(line.seconds) if line.seconds < 10 else clock(line.seconds)


def _state(line: Line) -> str:
    match line.state:
        case "running" if line.scores:
            return f"fold {len(line.scores)} of {line.folds}"
        case "finished":
            return "done"
    return line.state


def watch(
    metric: str,
    models: Iterable[tuple[str, str]] = (),
    budget: float | None = None,
    *,
    quiet: bool,
) -> Progress:
    """What suits standard error: a live table, lines, or nothing.

    Parameters
    ----------
    models : key and title of those that are expected, the simplest first
    budget : seconds that the study may take
    """
    kind = Progress if quiet else LiveTable if sys.stderr.isatty() else Lines
    return kind(metric, models, budget)
