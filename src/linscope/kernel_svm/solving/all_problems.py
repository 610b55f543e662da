"""All binary problems of a kernel SVM, which share one table.

With K > 2 classes there are many small problems. Compiled code solves them some at a time, on
threads (``solvers.many_problems``), with a proof in float64; so it does with two classes of one or
two thousand samples. What does not get to ``tol`` there goes on as a problem of its own
(``one_problem``); so do all problems of small tables, which are solved to rounding, and of hard
margins.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linscope.arithmetic.enclosures import UNIT, Ball
from linscope.fitting.training import Training, binary_problems
from linscope.kernels.source import KernelSource
from linscope.results import Result, Status, current_observer
from linscope.rows.memory_budget import memory_budget
from linscope.rows.threads import Workers

from ..certificates.kernel_svm import WIDER, KernelSVMCertificate, quick_claims
from ..certificates.many import Segments
from ..solvers.compiled import BIAS, DONE, DUAL, ERROR, KKT, PAIRS
from ..solvers.many_problems import leave_at_zero
from ..verify.duality import widened
from .one_problem import (
    FINE,
    NOTHING,
    SMALL,
    Fit,
    Part,
    about_problem,
    kernel_of,
    part_of,
    rounding_of,
    solve_one,
)
from .tables import Shared, shared_table

# The Gram matrix of all samples is held up to so many samples; for two classes up to twice as many
# if C is so large that samples move many times.
SHARED, ALONE, HARD = 4000, 4000, 10.0
NEARLY = 1.0 - NOTHING


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
    source = KernelSource(training.X, model._kernel_name, **options)
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
    table.free()
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
        g, (sums, far) = answers.s - answers.y, _sums(fit, table)
        claims = _quick_claims(fit, table, status, sums, far)
    borders = answers.offsets.tolist()
    for p, figures in enumerate(answers.figures.tolist()):
        how, claim, problem = status[p], claims[p], table.problems[p]
        if how is None:
            continue
        own = slice(borders[p], borders[p + 1])
        result = _result(fit, figures, how, g[own], answers.beta[own])
        if claim is None:
            yield part_of(fit, problem, result, Ball(sums.mid[own], sums.rad[own] + far[own]))
            continue
        result = replace(result, status=claim.status)
        scores = sums.mid[own] + claim.bias
        found = problem, claim.alpha, claim.bias, scores, result, claim
        yield Part(*found, None, None, fit.source, how)


def _result(fit: Fit, figures: list[float], how: Status, g: np.ndarray, beta: np.ndarray) -> Result:
    details = {
        "gradient": g,
        "bias": figures[BIAS],
        "gap": figures[KKT],
        "objective": -figures[DUAL] * fit.source.unit,
    }
    return Result(np.abs(beta), how, 1, int(figures[PAIRS]), None, details)


# Sums that were left in float32 have a margin of at least 1 + 4δ by a bias that is at most 2δ off.
def _sums(fit: Fit, table: Shared) -> tuple[Ball, np.ndarray]:
    """Kβ of all problems with bounds of its rounding, and what is more for sums in float32."""
    answers, counts = table.answers, np.diff(table.answers.offsets)
    starts, beta, y, s = answers.offsets[:-1], answers.beta, answers.y, answers.s
    size, used = np.add.reduceat(np.abs(beta), starts), np.add.reduceat(beta != 0.0, starts)
    rounding = rounding_of(fit.source.rounding, size, used, np.add.reduceat(beta, starts))
    rounding, error = np.repeat(rounding, counts), np.repeat(answers.figures[:, ERROR], counts)
    margins = y * (s + np.repeat(answers.figures[:, BIAS], counts))
    far = (beta == 0.0) & (margins >= 1.0 + 1.9 * error)
    return Ball(s, rounding), np.where(far, error, 0.0)


def _quick_claims(
    fit: Fit, table: Shared, status: list[Status | None], sums: Ball, far: np.ndarray
) -> list[KernelSVMCertificate | None]:
    """Of all problems at once; None where a problem needs more care."""
    answers, kernel, model = table.answers, kernel_of(fit), fit.model
    single = fit.training.X.dtype != np.float64
    if kernel.name == "linear" or single or not kernel.inner_product or not len(answers.y):
        return [None] * len(status)
    starts, counts = answers.offsets[:-1], np.diff(answers.offsets)
    found, top = np.abs(answers.beta) / fit.source.unit, _tops(fit, table)
    largest = np.repeat(np.maximum.reduceat(found, starts), counts)
    alpha = np.where(found <= NOTHING * largest, 0.0, np.where(found >= top * NEARLY, top, found))
    longest2 = fit.source.unit * fit.source.rounding.most
    moved = np.repeat(longest2 * np.add.reduceat(np.abs(alpha - found), starts), counts)
    bias = answers.figures[:, BIAS]
    mid = sums.mid + np.repeat(bias, counts)
    doubt = 2.0 * UNIT * (np.abs(mid) + np.repeat(np.abs(bias), counts))
    f = widened(Ball(mid, sums.rad + moved + doubt), WIDER)
    f, longest = Ball(f.mid, f.rad + far), 1.01 * float(np.sqrt(longest2))
    segments = Segments(f, answers.y, alpha, top, bias, starts, longest)
    pairs = answers.figures[:, PAIRS].tolist()
    about = [
        about_problem(fit, problem, f"decomposition, 1 step, {int(k)} pairs")
        | {"kernel": kernel.name}
        for problem, k in zip(table.problems, pairs, strict=True)
    ]
    return quick_claims(segments, status, float(model.tol), about)


def _tops(fit: Fit, table: Shared) -> np.ndarray:
    """C_i of the samples of all problems."""
    weight, total = fit.training.weight, len(table.answers.y)
    if not len(weight):
        return np.full(total, float(fit.model.C))
    rows = [problem.rows for problem in table.problems]
    parts = [weight if own is None else weight[own] for own in rows]
    return float(fit.model.C) * np.concatenate(parts)


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
