"""A binary problem of a kernel SVM: its solver and its proof."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from ..certify.kernel_svm import KernelSVMCertificate, Values, kernel_duality
from ..certify.separability import binary_verdict
from ..certify.verdicts import Separable
from ..data.threads import thread_count
from ..kernels.source import ADVICE, KernelSource
from ..results import Result, Status
from ..solvers.driver import run
from ..solvers.smo import SMO
from ..solvers.svm_dual import SvmDual
from ..solvers.svm_problem import SvmProblem
from ..solvers.svm_small import SvmSmall
from .base import Problem, Training

# Up to SMALL samples a problem is solved on its whole Gram matrix. Tables of FINE samples are
# solved to EXACT, whatever tol is: that costs next to nothing.
SMALL, FINE, EXACT = 768, 768, 1e-10
# Fits that take longer than so many seconds are announced. They need so many kernel values a pair
# of samples, more for a larger C; an order of magnitude.
LONG, VALUES_A_PAIR = 10.0, 1.5
# Pairs a sample that the textbook's method takes at most, unless max_iter says otherwise.
MOST_PAIRS = 1000


class Part(NamedTuple):
    """One problem that was solved, in original units."""

    problem: Problem
    alpha: np.ndarray
    bias: float
    values: Values
    result: Result
    certificate: KernelSVMCertificate
    w: np.ndarray | None
    solver: Any
    source: KernelSource


class Fit(NamedTuple):
    """What all problems of a fit share.

    ``training`` has the rows with a positive weight, for a precomputed kernel the square Gram
    matrix; ``options`` are the parameters of the kernel, ``memory`` is what its values may take.
    """

    model: Any
    training: Training
    source: KernelSource
    options: dict
    memory: float


class Start(NamedTuple):
    """What a first step has found: α in units of the solver, and how many pairs that took."""

    alpha: np.ndarray
    pairs: int


def solve_one(
    fit: Fit,
    problem: Problem,
    *,
    stopped: bool = False,
    textbook: bool = False,
    start: Start | None = None,
) -> Part:
    """One binary problem.

    Parameters
    ----------
    fit : the table
    problem : which of its rows, and their signs
    stopped : whether the user has stopped the fit, so that α stays at 0
    textbook : solve by plain sequential minimal optimisation that logs its pairs
    start : where to go on
    """
    model, training, source = fit.model, fit.training, fit.source
    weight = training.weight
    if problem.rows is not None and len(weight):
        weight = weight[problem.rows]
    c = weight if len(weight) else np.ones(len(problem.y))
    solver = _solver(fit, problem, c, textbook)
    most = model.max_iter
    if start is not None:
        solver.initial = start.alpha
        most = None if most is None else most - 1
    if textbook and most is None:
        most = MOST_PAIRS * max(100, len(c))
    with np.errstate(over="ignore", invalid="ignore"):
        result = run(solver, 0 if stopped else most)
    if not np.isfinite(result.details["gradient"]).all():
        raise ValueError(f"kernel values leave the range of floating point{ADVICE}")
    if start is not None:
        counts = result.n_iter + 1, result.n_updates + start.pairs
        result = replace(result, n_iter=counts[0], n_updates=counts[1])
    if stopped:
        result = replace(result, status=Status.STOPPED)
    if np.inf == model.C and not _reached(result, model.tol):
        _refuse(model, training, problem, result)
    alpha, bias = result.weights / source.unit, float(result.details["bias"])
    if not (np.isfinite(alpha).all() and np.isfinite(bias)):
        raise ValueError(f"a coefficient is beyond the range of floats{ADVICE}")
    return _certified(fit, problem, solver, result, c)


def box(model: Any, source: KernelSource, c: np.ndarray) -> np.ndarray:
    """The largest α of samples with weights c, in units of the solver."""
    with np.errstate(over="ignore", under="ignore"):
        C = float(model.C) * source.unit * c
    if not (C > 0).all() or (np.isinf(C).any() and np.inf != model.C):
        raise ValueError(f"C times the kernel's values leaves the range of floats{ADVICE}")
    return C


def _solver(fit: Fit, problem: Problem, c: np.ndarray, textbook: bool) -> Any:
    model, source = fit.model, fit.source
    C = box(model, source, c)

    def tiles(dtype: Any) -> Any:
        whole = source.tiles(dtype)
        return whole if problem.rows is None else whole.take(problem.rows)

    dual = SvmProblem(tiles, problem.y, C)
    n, limit = len(problem.y), fit.memory
    if textbook:
        if 16 * n**2 > limit:
            raise ValueError(
                f"the steps of {n} samples need their whole Gram matrix, {16e-9 * n**2:.2g} GB: "
                "trace fewer rows, or raise memory_limit"
            )
        return SMO(dual, tol=float(model.tol), task=f"kernel SVM (SMO), {problem.name}")
    if n <= SMALL and 16 * n**2 <= limit:
        aim = min(float(model.tol), EXACT) if source.n <= FINE else float(model.tol)
        task = f"kernel SVM, {problem.name}"
        return SvmSmall(dual, tol=float(model.tol), aim=aim, task=task, room=source.room)
    solver = SvmDual(dual, tol=float(model.tol), memory_limit=limit)
    solver.task = f"kernel SVM, {problem.name}{_announcement(solver, n)}"
    return solver


def _announcement(solver: SvmDual, n: int) -> str:
    """What a long fit will take, from the time of a few kernel values."""
    tiles = solver._tiles(np.float32)
    some = np.arange(min(n, 64))
    columns = slice(0, min(n, 512))
    tiles.block(some, columns)
    begin = perf_counter()
    tiles.block(some, columns)
    each = (perf_counter() - begin) / (len(some) * columns.stop) / thread_count()
    bounds = solver.problem.C[np.isfinite(solver.problem.C)]
    harder = max(1.0, float(np.median(bounds)) ** 0.5) if len(bounds) else 10.0
    seconds = each * VALUES_A_PAIR * harder * float(n) ** 2
    if seconds < LONG:
        return ""
    memory = 0.0 if tiles.cheap else min(solver.limit, tiles.dtype.itemsize * float(n) ** 2)
    memory += tiles.dtype.itemsize * solver.working_set**2
    return f" (about {seconds:.1g} s and {max(memory / 1e6, 1):.1g} MB)"


def _reached(result: Result, tol: float) -> bool:
    return result.status.ok or bool(result.details["gap"] <= tol)


def _refuse(model: Any, training: Training, problem: Problem, result: Result) -> None:
    """No hard margin: say why, if it is known."""
    if model.kernel == "linear":
        X = training.X if problem.rows is None else training.X[problem.rows]
        verdict = binary_verdict(X, problem.y, (problem.negative, problem.positive))
        if not isinstance(verdict, Separable):
            raise ValueError(
                f"C=inf allows no slack, but {problem.name} is not separable: use a finite C.\n"
                f"{verdict}"
            )
    elif result.status is Status.UNBOUNDED:
        raise ValueError(
            f"C=inf allows no slack, but {problem.name} is not separable in the feature space of "
            "this kernel: use a finite C, or another kernel"
        )


def _certified(fit: Fit, problem: Problem, solver: Any, result: Result, c: np.ndarray) -> Part:
    model, source = fit.model, fit.source
    y, alpha = problem.y, result.weights / source.unit
    bias, top = float(result.details["bias"]), float(model.C) * c
    found = kernel_duality(result.details["gradient"] + y, y, alpha, top, bias)
    status = result.status
    if found.kkt <= model.tol and status is not Status.STOPPED:
        status = Status.CONVERGED
    elif status.ok:
        status = Status.STALLED
    return part_of(fit, problem, replace(result, status=status), found, solver)


def part_of(
    fit: Fit,
    problem: Problem,
    result: Result,
    found: Values,
    solver: Any = None,
) -> Part:
    """The answer to a problem and the certificate of its values."""
    model, training, source = fit.model, fit.training, fit.source
    alpha, bias = result.weights, float(result.details["bias"])
    if source.unit != 1.0:
        alpha = alpha / source.unit
    side = None
    if len(training.classes) > 2:
        side = problem.positive, None if problem.others else problem.negative
    w = _linear_weights(source, problem, alpha)
    if w is not None and source.centre is not None:
        bias -= float(w @ source.centre)  # f(x) = w·(x − m) + b
    certificate = KernelSVMCertificate(
        status=result.status,
        primal=found.primal,
        dual=found.dual,
        gap=found.gap,
        kkt=found.kkt,
        alpha=alpha,
        bias=bias,
        classes=training.classes,
        C=float(model.C),
        kernel=model.kernel,
        parameters=fit.options,
        weighted=len(training.weight) > 0,
        tol=float(model.tol),
        side=side,
        how=_how(result),
    )
    return Part(problem, alpha, bias, found, result, certificate, w, solver, source)


def _how(result: Result) -> str:
    if result.log is not None:
        return f"sequential minimal optimisation, {result.n_updates} pairs"
    steps = "1 step" if result.n_iter == 1 else f"{result.n_iter} steps"
    return f"decomposition, {steps}, {result.n_updates} pairs"


def _linear_weights(source: KernelSource, problem: Problem, alpha: np.ndarray) -> np.ndarray | None:
    """w = Σ α y x for a linear kernel, from rows without their mean: Σ α y = 0."""
    if source.kernel != "linear":
        return None
    X = source.X if problem.rows is None else source.X[problem.rows]
    beta = problem.y * alpha
    used = np.flatnonzero(beta)
    return np.ldexp(np.asarray(X[used].astype(np.float64).T @ beta[used]), source.exponent)
