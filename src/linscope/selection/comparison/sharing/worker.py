"""The other end of ``processes.py``: takes a question and its tasks, and answers them."""

from __future__ import annotations

import os
import pickle
import sys
import warnings
from typing import Any, BinaryIO

from sklearn.exceptions import ConvergenceWarning

from linscope._compiling import compile_seconds

from ..scoring.setup import Setup
from ..scoring.tasks import REFUSALS, Task


def answer_tasks() -> None:
    """Until the input ends."""
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever is printed is no answer
        warnings.simplefilter("ignore", ConvergenceWarning)
        tasks = sys.stdin.buffer
        try:
            setup = Setup(*pickle.load(tasks))
            while True:
                _answer(pickle.load(tasks), setup, answers)
        except (EOFError, BrokenPipeError):
            return


def _answer(task: Task, setup: Setup, answers: BinaryIO) -> None:
    found: tuple[bool, Any]
    try:
        found = True, setup.do(task)
    except REFUSALS as error:
        found = False, str(error)
    # Any other error is ours: it ends this process, and shows where the task is done again.
    pickle.dump((*found, compile_seconds()), answers, protocol=5)
    answers.flush()
