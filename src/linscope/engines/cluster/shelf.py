"""On a worker of an executor: the partitions it had last, and how others are made.

An executor does not say which worker does a job, so each one keeps what it had last, up to a limit
of bytes, and makes what it lacks from the recipe.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import RLock
from typing import Any, NamedTuple

from .partition import Held, Job, load, work


class Part(NamedTuple):
    """A partition of a family, which are those of one engine, and how it is made."""

    family: str
    number: int
    recipe: Any


class Load(NamedTuple):
    """The rows ``function(*arguments)``: (X, y, weight)."""

    function: Any
    arguments: tuple
    where: str

    def build(self, part: Part) -> Held:
        return load(*self)


class Made(NamedTuple):
    """What a job makes of another partition."""

    origin: Part
    job: Job

    @property
    def where(self) -> str:
        return self.origin.recipe.where

    def build(self, part: Part) -> Held:
        return work(shelf.get(self.origin), self.job, part.number)


class Shelf:
    """Partitions in the order of their last use."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._held: OrderedDict[tuple[str, int], Held] = OrderedDict()

    def get(self, part: Part) -> Held:
        """From here, or made anew."""
        key = part.family, part.number
        with self._lock:
            held = self._held.get(key)
        if held is None:
            held = part.recipe.build(part)
        with self._lock:
            self._held[key] = held
            self._held.move_to_end(key)
        return held

    def drop(self, families: frozenset[str]) -> None:
        """Their engines are gone."""
        with self._lock:
            for key in [key for key in self._held if key[0] in families]:
                del self._held[key]

    def shrink(self, limit: float) -> None:
        """Drop those that were not used for longest, until the others fit."""
        with self._lock:
            sizes = {key: held.nbytes for key, held in self._held.items()}
            total = sum(sizes.values())
            for key in list(sizes)[:-1]:
                if total <= limit:
                    return
                total -= sizes[key]
                del self._held[key]


shelf = Shelf()


def do(part: Part, job: Job, gone: frozenset[str], limit: float) -> Any:
    """A job on a partition."""
    shelf.drop(gone)
    answer = work(shelf.get(part), job, part.number)
    shelf.shrink(limit)
    return answer
