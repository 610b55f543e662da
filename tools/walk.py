"""How far a reader walks to follow one call: ``python tools/walk.py [--pairs]``.

A call on a small table is run once to import and compile, and once more under a profiler. Counted
are the top folders and files of linscope in which a function was entered, and the jumps: how often
a function of one file called one of another. Inlined and compiled code is not seen.

``--pairs`` lists, most frequent first, which function called which one of another file.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import NamedTuple

import linscope as ls

HOME = str(Path(ls.__file__).parent) + "/"


class Walk(NamedTuple):
    """What one call touched: files, and (caller, callee) of every jump between two of them."""

    files: set[str]
    jumps: Counter[tuple[str, str]]

    def row(self) -> str:
        folders = {Path(each).parts[0] for each in self.files}
        return f"{len(folders):8} {len(self.files):6} {self.jumps.total():6}"

    def pairs(self) -> str:
        return "\n".join(
            f"{count:6}  {caller} -> {callee}"
            for (caller, callee), count in self.jumps.most_common()
        )


def walk(call: Callable[[], object]) -> Walk:
    """The call, watched."""
    seen = Walk(set(), Counter())

    def watch(frame, event, _):
        here = frame.f_code.co_filename
        if event != "call" or not here.startswith(HOME):
            return
        seen.files.add(here[len(HOME) :])
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(HOME):
            caller = caller.f_back
        if caller is not None and caller.f_code.co_filename != here:
            seen.jumps[place(caller.f_code), place(frame.f_code)] += 1

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen


def place(code: CodeType) -> str:
    return f"{code.co_filename[len(HOME) :]}:{code.co_qualname}"


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
        seen = walk(call)
        print(f"{name:30} {seen.row()}")
        if "--pairs" in sys.argv:
            print(seen.pairs())


if __name__ == "__main__":
    main()
