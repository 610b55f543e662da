"""``linscope warm``, with jobs that stand in for those that compile."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

from linscope.cli.compiling import jobs as warming
from linscope.cli.compiling import marker as warm_marker
from linscope.cli.compiling.jobs import Compiled, Job
from linscope.cli.verbs import warm

COMMAND = ("warm", "--processes", "2")


def nothing():
    pass


def fails():
    raise RuntimeError("no compiler today")


def a_kernel():
    import numpy as np

    from linscope.rows.scores import norm

    assert 2.0 <= norm(np.ones(4)) < 2.001


@pytest.fixture
def jobs(monkeypatch, tmp_path):
    """Stand-ins for the jobs, and a marker of their own."""
    told = dict.fromkeys(("short", "long"), Job(nothing, 1.0))
    monkeypatch.setattr(warm, "JOBS", told)
    monkeypatch.setattr(warm_marker, "_marker", lambda *_: tmp_path / "folder" / "a.warm")
    return told


@pytest.fixture
def at_once(monkeypatch):
    """Jobs are run by this process, in the order in which they were handed out."""
    done = []

    def run(jobs, processes, what="compiling"):
        order = sorted(jobs, key=lambda name: -jobs[name].seconds)
        done.append((what, order, processes))
        return {name: jobs[name].fit() for name in order}, {}

    monkeypatch.setattr(warm, "_run", run)
    return done


def test_the_second_time_there_is_nothing_to_do(run, jobs, monkeypatch, tmp_path):
    index = tmp_path / "kernel.nbi"
    index.touch()
    monkeypatch.setattr(warming, "_folders", lambda: {str(tmp_path)})
    monkeypatch.setattr(warm, "_run", lambda jobs, n: ({"a": warming.compile_for(nothing)}, {}))
    code, out, err = run()
    assert (code, err) == (0, "")
    assert out.startswith("0 kernels compiled in ")
    assert json.loads((tmp_path / "folder" / "a.warm").read_text()) == [str(index)]
    assert run() == (0, "All kernels are compiled already: there is nothing to do.\n", "")
    index.unlink()  # somebody has emptied the cache
    assert run()[1].startswith("0 kernels compiled in ")


@pytest.mark.slow
def test_processes_run_the_jobs_and_one_that_fails_is_named(jobs, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    jobs["broken"] = Job(fails, 5.0)
    jobs["kernel"] = Job(a_kernel, 2.0)
    found, failed = warm.warm_up(jobs, 2)
    assert set(found) == {"short", "long", "kernel"}
    assert found["kernel"].kernels == {"linscope.rows.scores.norm"}
    assert found["kernel"].process != os.getpid()
    assert any(str(tmp_path) in folder for folder in found["kernel"].folders)
    assert list(map(str, failed.values())) == ["no compiler today"]


def test_a_failure_is_one_line_and_leaves_no_marker(run, jobs, monkeypatch):
    monkeypatch.setattr(warm, "_run", lambda *_: ({}, {"SVMs": RuntimeError("no compiler")}))
    assert run() == (1, "", "linscope: could not compile SVMs: no compiler\n")
    assert not warm_marker.is_warm()


def test_jobs_with_a_kernel_of_two_processes_are_run_once_more(at_once):
    """Only those: not where one process has compiled it twice, nor where one has compiled it."""

    def job(process, *kernels):
        return Job(lambda: Compiled(process, set(kernels), set()), float(process))

    jobs = {"a": job(1, "x"), "b": job(2, "x", "y"), "c": job(3, "z"), "d": job(3, "z")}
    warm.warm_up(jobs, 2)
    first, second = ("compiling", ["c", "d", "b", "a"], 2), ("checking", ["b", "a"], 1)
    assert at_once == [first, second]


def test_a_kernel_that_processes_have_compiled_one_after_the_other_is_not_compiled_again(at_once):
    def job(process, began, ended):
        return Job(lambda: Compiled(process, {"x"}, set(), began, ended), float(process))

    warm.warm_up({"a": job(1, 5.0, 6.0), "b": job(2, 3.0, 5.0), "c": job(3, 0.0, 3.0)}, 2)
    assert at_once == [("compiling", ["c", "b", "a"], 2)]
    warm.warm_up({"a": job(1, 4.9, 6.0), "b": job(2, 3.0, 5.0), "c": job(3, 0.0, 3.0)}, 2)
    assert at_once[-1] == ("checking", ["b", "a"], 1)


@pytest.mark.parametrize("words", [["--processes", "0"], ["--processes", "two"], ["now"]])
def test_bad_words(run, words):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.startswith("linscope: ")
    assert err.count("\n") == 1


def test_longest_first_on_two_processes_ends_nearly_together():
    """The list is balanced: no process waits long for the other, by the seconds that it states."""
    loads = [0.0, 0.0]
    for seconds in sorted((job.seconds for job in warming.JOBS.values()), reverse=True):
        loads[loads.index(min(loads))] += seconds
    assert max(loads) - min(loads) <= 0.2 * sum(loads) / 2


def test_a_marker_of_other_versions_does_not_count(monkeypatch):
    here = warm_marker._marker()
    monkeypatch.setattr(numba, "__version__", "0.0")
    assert warm_marker._marker() != here


INTERRUPTED = """
import sys, time
sys.path[:0] = {path!r}
from linscope.cli import main
from linscope.cli.compiling import marker as warm_marker
from linscope.cli.verbs import warm
from linscope.cli.compiling.jobs import Job
if __name__ == "__main__":
    warm.compile_for, warm.JOBS = time.sleep, {{"endless": Job(60, 1.0)}}
    warm_marker.is_warm = lambda: False
    print("ready", flush=True)
    raise SystemExit(main(["warm", "--processes", "1"]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interrupt_ends_all_processes_at_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED.format(path=sys.path))
    # A shell that starts the tests in the background has them ignore interrupts.
    child = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert child.stdout.readline() == "ready\n"
    # Python's tracker of shared resources is one child, the process that compiles the other.
    while len(_children(child.pid)) < 2:
        time.sleep(0.001)  # at once: the pool is still starting
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=50)
    assert (child.returncode, err) == (130, "")
    assert not _children(child.pid)


def _children(pid):
    return [stat for stat in Path("/proc").glob("[0-9]*/stat") if _parent(stat) == pid]


def _parent(stat):
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None
