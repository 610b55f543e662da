"""How far a reader walks to follow one call: ``python tools/walk.py``.

A call on a small table is run once to import and compile, and once more under a profiler. Counted
are the top folders and files of linscope in which a function was entered, and the jumps: how often
a function of one file called one of another. Inlined and compiled code is not seen.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable
from pathlib import Path

import linscope as ls

HOME = str(Path(ls.__file__).parent)


def walk(call: Callable[[], object]) -> tuple[int, int, int]:
    """(folders, files, jumps) of a call."""
    files: set[str] = set()
    jumps = 0

    def watch(frame, event, _):
        nonlocal jumps
        here = frame.f_code.co_filename
        if event != "call" or not here.startswith(HOME):
            return
        files.add(here)
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(HOME):
            caller = caller.f_back
        jumps += caller is not None and caller.f_code.co_filename != here

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    folders = {Path(each).relative_to(HOME).parts[0] for each in files}
    return len(folders), len(files), jumps


def main() -> None:
    from linscope.cli import main as command

    X, y = ls.datasets.load("iris")
    two = y < 2

    def trace() -> None:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            command(["trace", "perceptron", "or"])

    calls: dict[str, Callable[[], object]] = {
        "LinearRegression().fit": lambda: ls.LinearRegression().fit(X[:, :2], X[:, 2]),
        "Perceptron().fit": lambda: ls.Perceptron().fit(X[two], y[two]),
        "LogisticRegression().fit": lambda: ls.LogisticRegression().fit(X, y),
        "LinearSVC().fit": lambda: ls.LinearSVC().fit(X[two], y[two]),
        "SVC().fit": lambda: ls.SVC().fit(X[two], y[two]),
        "FisherDiscriminant().fit": lambda: ls.FisherDiscriminant().fit(X, y),
        "linscope trace perceptron or": trace,
    }
    print(f"{'call':30} {'folders':>8} {'files':>6} {'jumps':>6}")
    for name, call in calls.items():
        call()
        folders, files, jumps = walk(call)
        print(f"{name:30} {folders:8} {files:6} {jumps:6}")


if __name__ == "__main__":
    main()
