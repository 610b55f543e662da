"""What was kept so far, as far as it is still needed to make a lost partition again."""

from __future__ import annotations

from typing import Any

from .partition import Event


class Log:
    """Events that are kept under a name, and those whose results they have looked at."""

    def __init__(self) -> None:
        self.count = 0
        self._newest: dict[str, Event] = {}
        self._events: dict[int, Event] = {}

    @property
    def events(self) -> tuple[Event, ...]:
        """In the order in which they happened."""
        return tuple(self._events.values())

    @property
    def numbers(self) -> frozenset[int]:
        """Of the events that are kept under a name."""
        return frozenset(event.number for event in self._newest.values())

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._newest)

    def add(self, name: str, task: Any, arguments: tuple, looked_at: frozenset[str]) -> None:
        """The last event, ``count``, has kept something under this name."""
        reads = {self._newest[one].number for one in looked_at if one in self._newest}
        event = Event(self.count, name, task, arguments, frozenset(reads))
        self._newest[name] = self._events[event.number] = event
        self._prune()

    def forget(self, name: str) -> None:
        self._newest.pop(name, None)
        self._prune()

    def _prune(self) -> None:
        needed: set[int] = set()
        waiting = [event.number for event in self._newest.values()]
        while waiting:
            number = waiting.pop()
            if number not in needed:
                needed.add(number)
                waiting.extend(self._events[number].reads)
        self._events = {k: event for k, event in self._events.items() if k in needed}
