"""``linscope warm``: compile all kernels now, so that no fit has to wait for one."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Annotated, Any

from cyclopts import App, Parameter
from cyclopts.validators import Number

from ..compiling import marker
from ..compiling.jobs import JOBS, Compiled, Job, compile_for
from ..errors import CHECK_FAILED, EXIT_CODES, FINE
from ..screen import complain, console, paragraph

USAGE = """\
Usage: linscope warm [OPTIONS]

Examples:

  linscope warm
  linscope warm --processes 4"""

app = App(name="warm", usage=USAGE, help_epilogue=EXIT_CODES, help_format="plaintext")


@app.default
def warm(
    *,
    processes: Annotated[
        int | None, Parameter(help="How many at once; one per core.", validator=Number(gte=1))
    ] = None,
) -> int:
    """Compile all kernels now, in parallel, so that no later fit waits for a compiler.

    They stay on disk until linscope, Numba or the processor changes. The exit code is 1 if a kernel
    could not be compiled.
    """
    from linscope.rows.threads import thread_count

    if marker.is_warm():
        paragraph(console(), "All kernels are compiled already: there is nothing to do.")
        return FINE
    begin = time.perf_counter()
    found, failed = warm_up(JOBS, processes or thread_count())
    seconds = time.perf_counter() - begin
    for name, why in failed.items():
        complain(f"could not compile {name}: {why}")
    if failed:
        return CHECK_FAILED
    marker.remember(set().union(*(one.folders for one in found.values())))
    count = len(set().union(*(one.kernels for one in found.values())))
    paragraph(console(), f"{count} kernels compiled in {seconds:.1f} s; they are kept on disk.")
    return FINE


def warm_up(
    jobs: Mapping[str, Job], processes: int
) -> tuple[dict[str, Compiled], dict[str, BaseException]]:
    """Run all jobs, the longest first: what was compiled, and what failed.

    Of two processes that write a kernel of one name at the same moment one may lose its entry in
    the cache, so jobs with a kernel that two processes have compiled are run once more, by one.
    """
    found, failed = _run(jobs, processes)
    again = {name: jobs[name] for name, one in found.items() if any(map(one.raced, found.values()))}
    if again:
        failed |= _run(again, 1, "checking")[1]
    return found, failed


def _run(
    jobs: Mapping[str, Job], processes: int, what: str = "compiling"
) -> tuple[dict[str, Any], dict[str, Any]]:
    found, failed = {}, {}
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, _leave_interrupts_to_the_parent)
    order = sorted(jobs, key=lambda name: -jobs[name].seconds)
    try:
        with _bar(what, sum(job.seconds for job in jobs.values())) as advance:
            with _interrupts_wait():
                names = {pool.submit(compile_for, jobs[name].fit): name for name in order}
            for future in as_completed(names):
                name, error = names[future], future.exception()
                advance(name, jobs[name].seconds)
                if error is None:
                    found[name] = future.result()
                else:
                    failed[name] = error
    except BaseException:
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return found, failed


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Ctrl-C is heard at the end of the block: a pool that is half started could not be ended."""
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came and callable(before):
        before(came[0], None)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _bar(what: str, total: float) -> Iterator[Any]:
    """A bar on standard error if a person is watching; call it with what is done."""
    if not sys.stderr.isatty():
        yield lambda name, seconds: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    text, bar = TextColumn("{task.description}"), BarColumn()
    with Progress(
        text, bar, TimeElapsedColumn(), console=console(sys.stderr), transient=True
    ) as out:
        task = out.add_task(what, total=total)
        yield lambda name, seconds: out.update(
            task, advance=seconds, description=f"{what}: {name} done"
        )
