"""States of a long run, some kept, the others worked out from the nearest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

CHECKPOINT_EVERY = 4096  # updates
CHECKPOINT_BYTES = 64 << 20


class Checkpoints:
    """The state of a long run every so many updates, so that none is far from one of them.

    ``advance(first, last, state)`` applies updates ``first`` … ``last`` − 1 to a state in place.
    """

    def __init__(
        self, first: np.ndarray, n_updates: int, advance: Callable[[int, int, np.ndarray], None]
    ) -> None:
        self._kept, self._advance = [first], advance
        numbers = -(-n_updates * len(first) * first.itemsize // CHECKPOINT_BYTES)
        self._interval = max(CHECKPOINT_EVERY, numbers)

    def state(self, update: int) -> np.ndarray:
        """The state after so many updates."""
        wanted = update // self._interval
        while len(self._kept) <= wanted:
            done = (len(self._kept) - 1) * self._interval
            state = self._kept[-1].copy()
            self._advance(done, done + self._interval, state)
            self._kept.append(state)
        state = self._kept[wanted].copy()
        self._advance(wanted * self._interval, update, state)
        return state
