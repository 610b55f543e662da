"""Memory that blocks of rows use one after the other."""

from __future__ import annotations

from collections import deque
from sys import getrefcount

import numpy as np

# Blocks whose memory waits for others.
MOST_ROOMS = 8


def _counted(room: np.ndarray) -> int:
    return getrefcount(room)


def _of_one() -> int:
    room = np.empty(1)
    return _counted(room)


# What is counted of a room that only a caller has, and the function it gives it to: Python from
# 3.14 on counts less of these than before.
ALONE = _of_one()


class Rooms:
    """Memory for blocks, which the next blocks use again: new pages take time to be cleared."""

    def __init__(self) -> None:
        self._free: deque[np.ndarray] = deque(maxlen=MOST_ROOMS)

    def take(self, size: int, dtype: np.dtype) -> np.ndarray:
        """Room for so many numbers at least."""
        try:
            room = self._free.pop()
        except IndexError:
            return np.empty(size, dtype)
        return room if len(room) >= size and room.dtype == dtype else np.empty(size, dtype)

    def give_back(self, room: np.ndarray) -> None:
        """For others, if nobody else has a part of it."""
        if getrefcount(room) <= ALONE:
            self._free.append(room)
