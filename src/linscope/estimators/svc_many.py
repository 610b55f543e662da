"""All binary problems of a kernel SVM, which share one table.

With K > 2 classes there are many small problems. Compiled code solves them some at a time, on
threads (``solvers.svm_many``), with a proof in float64; so it does with two classes of one or two
thousand samples. What does not get to ``tol`` there goes on
as a problem of its own (``svc_solving``); so do all problems of small tables, which are solved to
rounding, and of hard margins.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.memory import memory_budget
from ..data.threads import Workers
from ..kernels.source import KernelSource
from ..results import Result, Status, current_observer
from ..solvers.svm_compiled import BIAS, DONE, DUAL, ERROR, KKT, PAIRS
from ..solvers.svm_many import leave_at_zero
from ..verify.enclosures import Ball
from .base import Training, binary_problems
from .svc_solving import FINE, SMALL, Fit, Part, part_of, rounding_of, solve_one
from .svc_tables import Shared, shared_table

# The Gram matrix of all samples is held up to so many samples; for two classes up to twice as many
# if C is so large that samples move many times.
SHARED, ALONE, HARD = 4000, 4000, 10.0


@dataclass
class Progress:
    """What observers of a fit are told."""

    note: str = ""
    status: Status | None = None


def solve_all(
    model: Any, training: Training, gamma: float, *, textbook: bool = False
) -> list[Part]:
    """Every binary problem of a fit.

    Parameters
    ----------
    model : the estimator, for its parameters
    training : rows with a positive weight; the square Gram matrix for a precomputed kernel
    gamma : the number that ``gamma`` or ``sigma`` stands for
    textbook : solve by plain sequential minimal optimisation that logs its pairs
    """
    options = {"gamma": gamma, "degree": model.degree, "coef0": model.coef0}
    source = KernelSource(training.X, model.kernel, **options)
    fit = Fit(model, training, source, options, memory_budget(model.memory_limit))
    several = len(training.classes) > 2
    alone = ALONE if model.C < HARD else 2 * ALONE
    share = source.n <= (SHARED if several else alone) and 16 * source.n**2 <= fit.memory
    compiled = several or (share and model.max_iter is None)
    stopped: Status | None = None
    if compiled and not textbook and source.n > FINE and np.inf != model.C:
        try:
            table = shared_table(fit, fit.memory, share)
        except KeyboardInterrupt:
            table, stopped = None, Status.INTERRUPTED
        if table is not None:
            return _solve_shared(fit, table)
    if several and share and stopped is None:
        source.share_gram(Workers())
        source.room = np.empty((SMALL + 64) ** 2)
    parts: list[Part] = []
    for problem in binary_problems(training.classes, training.codes, model.multi_class):
        parts.append(solve_one(fit, problem, stopped=stopped, textbook=textbook))
        stopped = stopped or stopped_by(parts[-1])
    return parts


def stopped_by(part: Part) -> Status | None:
    """How the user ended a problem, and with it the fit; None if not."""
    ended = part.stopped in (Status.STOPPED, Status.INTERRUPTED)
    return part.stopped if ended else None


def _solve_shared(fit: Fit, table: Shared) -> list[Part]:
    """All problems in compiled code, and what that leaves to do one by one."""
    with np.errstate(over="ignore", invalid="ignore"):
        stopped = _run(table, f"kernel SVM, {len(table.problems)} problems")
    figures = table.answers.figures
    done = (figures[:, DONE] > 0) & (figures[:, KKT] <= fit.model.tol)
    done &= np.isfinite(figures).all(axis=1)
    status = [Status.CONVERGED if d else None for d in done.tolist()]
    for p in np.flatnonzero(figures[:, DONE] == 0).tolist() if stopped else ():
        status[p] = stopped
        leave_at_zero(p, table.bounds_of(p), table.bounds.unit, table.answers)
    ready = iter(_parts(fit, table, status))
    parts: list[Part] = []
    for p, problem in enumerate(table.problems):
        if status[p] is not None:
            parts.append(next(ready))
            continue
        table.help(fit.source)
        parts.append(solve_one(fit, problem, stopped=stopped, start=table.start(p)))
        stopped = stopped or stopped_by(parts[-1])
    return parts


def _parts(fit: Fit, table: Shared, status: list[Status | None]) -> Iterator[Part]:
    """The problems that have a status."""
    answers = table.answers
    with np.errstate(invalid="ignore"):  # of problems that go on elsewhere
        g = answers.s - answers.y
    borders = answers.offsets.tolist()
    for p, figures in enumerate(answers.figures.tolist()):
        how = status[p]
        if how is None:
            continue
        own = slice(borders[p], borders[p + 1])
        details = {
            "gradient": g[own],
            "bias": figures[BIAS],
            "gap": figures[KKT],
            "objective": -figures[DUAL] * fit.source.unit,
        }
        beta = answers.beta[own]
        result = Result(np.abs(beta), how, 1, int(figures[PAIRS]), None, details)
        sums = _sums(fit, answers.s[own], answers.y[own], beta, figures[BIAS], figures[ERROR])
        yield part_of(fit, table.problems[p], result, sums)


# Sums that were left in float32 have a margin of at least 1 + 4δ by a bias that is at most 2δ off.
def _sums(fit: Fit, s: np.ndarray, y: np.ndarray, beta: np.ndarray, b: float, error: float) -> Ball:
    """Kβ of a problem and the bounds of its rounding; ``error`` is that of float32 sums."""
    rounding = rounding_of(fit.source, beta)
    far = (beta == 0.0) & (y * (s + b) >= 1.0 + 1.9 * error)
    return Ball(s, np.where(far, max(error, rounding) + rounding, rounding))


def _run(table: Shared, task: str) -> Status | None:
    """How the user has stopped it: Ctrl-C, or an observer who asks for that; None if not."""
    observer, state = current_observer(), Progress()
    observer.begin(task, len(table.tasks))
    try:
        with closing(table.workers.map(table.solve, table.tasks)) as steps:
            for done, (_, stop) in enumerate(steps, 1):
                state.note = f"{stop} of {len(table.problems)} problems"
                if observer.step(done, state) and done < len(table.tasks):
                    return Status.STOPPED
    except KeyboardInterrupt:
        return Status.INTERRUPTED
    finally:
        observer.end()
    return None
