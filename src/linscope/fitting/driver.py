"""The one loop that drives every solver: step, watch, stop."""

from __future__ import annotations

from itertools import count
from typing import Any, Protocol

from linscope.results import Result, Status
from linscope.results.observer import watching
from linscope.rows.threads import one_blas_thread


class Solver(Protocol):
    """A method is ``init`` and ``step``; ``state.status`` is None while it should go on."""

    task: str

    def init(self) -> Any: ...

    def step(self, state: Any) -> Any: ...

    def result(self, state: Any) -> Result: ...


def run(solver: Solver, max_iter: int | None) -> Result:
    """Step until the solver says how it ended, an observer asks to stop, or ``max_iter``.

    Solvers share the rows among threads themselves. What is left for BLAS is small, and threads of
    its own would only wait for each other. A solver with a method ``interrupted`` keeps what it
    has when the user presses Ctrl-C; others pass that on.
    """
    with one_blas_thread():
        return _run(solver, max_iter)


def _run(solver: Solver, max_iter: int | None) -> Result:
    observer = watching.get()
    state = solver.init()
    if observer is not None:
        observer.begin(solver.task, max_iter)
    try:
        for done in count(1) if max_iter is None else range(1, max_iter + 1):
            state = solver.step(state)
            wants_stop = observer is not None and observer.step(done, state)
            if state.status is not None:
                break
            if wants_stop:
                state.status = Status.STOPPED
                break
        else:
            state.status = Status.MAX_ITER
    except KeyboardInterrupt:
        if not hasattr(solver, "interrupted"):
            raise
        solver.interrupted(state)
    finally:
        if observer is not None:
            observer.end()
    return solver.result(state)
