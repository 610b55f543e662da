"""Reading ahead on a thread, bounded by bytes: the disk is busy while the processor is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from threading import Condition, Thread
from typing import Any


def read_ahead(
    items: Iterator[Any], size: Callable[[Any], int], most: float
) -> Generator[Any, None, None]:
    """The items, read on another thread while not more than ``most`` bytes of them wait, or one.

    >>> list(read_ahead(iter("abc"), len, 1))
    ['a', 'b', 'c']
    """
    waiting: deque[Any] = deque()
    turn, state = Condition(), {"bytes": 0, "stop": False, "done": False}
    failed: list[BaseException] = []

    def read() -> None:
        try:
            for item in items:
                room = most - size(item)
                with turn:
                    turn.wait_for(lambda: state["stop"] or not waiting or state["bytes"] <= room)  # noqa: B023
                    if state["stop"]:
                        return
                    waiting.append(item)
                    state["bytes"] += size(item)
                    turn.notify_all()
        except BaseException as error:  # it belongs to who reads
            failed.append(error)
        finally:
            with turn:
                state["done"] = True
                turn.notify_all()

    thread = Thread(target=read, name="linscope-reader", daemon=True)
    thread.start()
    try:
        while True:
            with turn:
                turn.wait_for(lambda: waiting or state["done"])
                if not waiting:
                    break
                item = waiting.popleft()
                state["bytes"] -= size(item)
                turn.notify_all()
            yield item
        if failed:
            raise failed[0]
    finally:
        with turn:
            state["stop"] = True
            turn.notify_all()
        thread.join()
