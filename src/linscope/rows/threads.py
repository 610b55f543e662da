"""Work on several threads, results in order.

BLAS runs on one thread inside, for two reasons: the threads here already keep the cores busy, and
a BLAS that splits a product over threads may round differently for each number of them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ContextDecorator, contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from itertools import chain, islice
from threading import Lock, RLock
from typing import Any, Generic, TypeVar

from linscope._bridge import take_control

Item = TypeVar("Item")
T = TypeVar("T")

THREADS_VARIABLE = "LINSCOPE_THREADS"
# So many results for each thread may wait for their turn.
AHEAD = 2


_alone: ContextVar[bool] = ContextVar("on one thread", default=False)


def thread_count(n_threads: int | None = None) -> int:
    """``n_threads``, or the environment variable LINSCOPE_THREADS, or the cores we may use.

    Inside ``one_thread`` it is 1.

    >>> thread_count(3)
    3
    """
    if n_threads is not None:
        return _positive(n_threads, "n_threads")
    if _alone.get():
        return 1
    text = os.environ.get(THREADS_VARIABLE, "").strip()
    if text:
        return _positive(text, f"the environment variable {THREADS_VARIABLE}")
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _positive(value: Any, what: str) -> int:
    try:
        count = int(value)
    except (TypeError, ValueError):
        count = 0
    if count < 1 or (not isinstance(value, str) and count != value):
        raise ValueError(f"{what} must be a whole number of at least 1, got {value!r}")
    return count


class Workers:
    """Threads that are started when first needed and kept for the next call."""

    def __init__(self, n_threads: int | None = None):
        self.n_threads = thread_count(n_threads)
        self._pool: ThreadPoolExecutor | None = None

    def map(self, function: Callable[[Item], T], items: Iterable[Item]) -> Generator[T, None, None]:
        """``function`` of each item, in the order of the items, a few items at a time."""
        rest = iter(items)
        head = list(islice(rest, 2))
        # Not ``one_blas_thread``: between two items the caller goes on in the same context.
        _blas_limit.enter()
        try:
            if self.n_threads == 1 or len(head) < 2:
                yield from map(function, chain(head, rest))
            else:
                yield from self._map_on_threads(function, chain(head, rest))
        finally:
            _blas_limit.leave()

    def _map_on_threads(self, function: Callable[[Item], T], items: Iterable[Item]) -> Iterator[T]:
        if self._pool is None:
            # The calling thread works too: one thread less to wake.
            self._pool = ThreadPoolExecutor(self.n_threads - 1, thread_name_prefix="linscope")
        waiting: deque[_Task[T]] = deque()  # tasks that nobody has begun
        pending: deque[_Task[T]] = deque()  # tasks whose result is still to be given
        helpers: list[Future[None]] = []
        try:
            for task in (_Task(function, item) for item in items):
                waiting.append(task)
                pending.append(task)
                if len(pending) > AHEAD * self.n_threads:
                    helpers = self._call(helpers, waiting)
                    yield _first(pending, waiting)
            helpers = self._call(helpers, waiting)
            while pending:
                yield _first(pending, waiting)
        finally:
            # After an error or Ctrl-C nothing may go on in the background.
            waiting.clear()
            begun = [helper for helper in helpers if not helper.cancel()]
            if pending:
                wait(begun)

    def _call(self, helpers: list[Future[None]], waiting: deque[_Task[T]]) -> list[Future[None]]:
        """All threads on their way: one call for each, since calls take longer than small tasks."""
        assert self._pool is not None
        busy = [helper for helper in helpers if not helper.done()]
        missing = min(self.n_threads, len(waiting)) - 1 - len(busy)
        # The copied context carries numpy.errstate into the thread.
        more = (self._pool.submit(copy_context().run, _help, waiting) for _ in range(missing))
        return [*busy, *more]


class _Task(Generic[T]):
    """A call, and how it ended; ``done`` is free from then on."""

    __slots__ = ("done", "error", "function", "item", "value")
    value: T

    def __init__(self, function: Callable[[Item], T], item: Item):
        self.function: Callable[[Any], T] = function
        self.item, self.done = item, Lock()
        self.error: BaseException | None = None
        self.done.acquire()

    def do(self) -> None:
        try:
            self.value = self.function(self.item)
        except BaseException as error:  # it belongs to who asks for the result
            self.error = error
        finally:
            self.done.release()

    def result(self) -> T:
        self.done.acquire()
        if self.error is not None:
            raise self.error
        return self.value


def _help(waiting: deque[_Task[T]]) -> None:
    """Do what waits, until nothing does."""
    try:
        while True:
            waiting.popleft().do()
    except IndexError:
        return


def _first(pending: deque[_Task[T]], waiting: deque[_Task[T]]) -> T:
    """The first result; until it is there, this thread takes the tasks that wait."""
    while pending[0].done.locked() and waiting:
        try:
            task = waiting.popleft()
        except IndexError:  # a helper was faster
            break
        task.do()
        if task.error is not None:
            task.result()  # at once: Ctrl-C should not wait for its turn
    result = pending[0].result()
    pending.popleft()
    return result


class _BlasLimit:
    """Counts who wants one BLAS thread; the setting belongs to the whole process."""

    def __init__(self) -> None:
        # Reentrant: the garbage collector may end an abandoned generator inside ``enter``.
        self.lock, self.users = RLock(), 0
        self.before: list[tuple[Any, int]] = []

    def enter(self) -> None:
        with self.lock:
            if self.users == 0:
                self.before = [(one, one.get_num_threads()) for one in _blas_libraries()]
                self._set([(one, 1) for one, count in self.before if count != 1])
            self.users += 1

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            if self.users == 0:
                self._set([(one, count) for one, count in self.before if count != 1])

    # Not by threadpoolctl's ``limit``, which describes all libraries in words first: small fits
    # would spend a twentieth of their time on that.
    @staticmethod
    def _set(counts: list[tuple[Any, int]]) -> None:
        if counts:  # the thread that entered may not be the one that leaves last
            libraries = [library for library, _ in counts]
            take_control(libraries)
            for library, count in counts:
                library.set_num_threads(count)
            take_control(libraries)  # and leave it to whoever asks next


_blas_limit = _BlasLimit()
# How many blocks of ``one_blas_thread`` the caller is in; inside one there is no need for another.
blas_limits: ContextVar[int] = ContextVar("blas_limits", default=0)


class one_blas_thread(ContextDecorator):
    """Products inside the block run on one thread; may be nested and used by several threads."""

    def __enter__(self) -> None:
        _blas_limit.enter()
        blas_limits.set(blas_limits.get() + 1)

    def __exit__(self, *_: object) -> None:
        blas_limits.set(blas_limits.get() - 1)
        _blas_limit.leave()


@contextmanager
def one_thread() -> Iterator[None]:
    """Solvers and BLAS inside the block run on one thread.

    For small tables, where threads would wait for each other, and where other processes have the
    other cores.
    """
    token = _alone.set(True)
    try:
        with one_blas_thread():
            yield
    finally:
        _alone.reset(token)


@cache
def _blas_libraries() -> list[Any]:
    # The controller looks through the loaded libraries, which takes milliseconds, so it is made
    # once, when SciPy's own BLAS is there too.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    found = ThreadpoolController().lib_controllers
    return [library for library in found if library.user_api == "blas"]
