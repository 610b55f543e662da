"""Which rows of a trace are shown."""

from __future__ import annotations

from .replay import Replay


def update_range(replay: Replay, updates: tuple[int, int] | None) -> tuple[int, int]:
    """Updates a … b as a Python range from 0."""
    if updates is None:
        return 0, replay.n_updates
    try:
        a, b = (int(k) for k in updates)
    except (TypeError, ValueError):
        raise ValueError(f"updates={updates!r}: give the first and the last as (a, b)") from None
    if a < 1 or b < a:
        raise ValueError(f"updates=({a}, {b}): updates count from 1, and a must not exceed b")
    return min(a - 1, replay.n_updates), min(b, replay.n_updates)


def choose(replay: Replay, start: int, stop: int | None, updates):
    """The chosen steps, from 0: a range, or the steps of the chosen updates."""
    if updates is not None:
        if start != 1 or stop is not None:
            raise ValueError("choose rows by start and stop, or by updates, not by both")
        first, last = update_range(replay, updates)
        return replay.update_steps[first:last]
    if start < 1 or (stop is not None and stop < start):
        raise ValueError(f"start={start}, stop={stop}: steps count from 1 to stop, both included")
    last = replay.n_steps if stop is None else min(stop, replay.n_steps)
    return range(min(start - 1, last), last)
