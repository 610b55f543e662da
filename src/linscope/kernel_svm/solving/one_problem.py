"""A binary problem of a kernel SVM: its solver and its proof."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import fsum
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from linscope.arithmetic.enclosures import UNIT, Ball
from linscope.fitting.driver import run
from linscope.fitting.scores import in_type
from linscope.fitting.training import Problem, Training
from linscope.kernels.rounding import Rounding
from linscope.kernels.source import ADVICE, KernelSource
from linscope.results import Result, Status
from linscope.rows.row_hashes import row_keys
from linscope.rows.threads import thread_count
from linscope.separation.question import binary_verdict
from linscope.separation.verdicts import Separable
from linscope.verify.kernel_values import Kernel

from ..certificates.kernel_svm import KernelSVMCertificate, claim_of
from ..solvers.decomposition import SvmDual
from ..solvers.dual_problem import SvmProblem
from ..solvers.smo import SMO
from ..solvers.whole_matrix import SvmSmall
from ..verify.duality import Held

# Up to SMALL samples a problem is solved on its whole Gram matrix. Tables of FINE samples are
# solved to EXACT, whatever tol is: that costs next to nothing.
SMALL, FINE, EXACT = 768, 768, 1e-10
# Fits that take longer than so many seconds are announced. They need so many kernel values a pair
# of samples, more for a larger C; an order of magnitude.
LONG, VALUES_A_PAIR = 10.0, 1.5
# Coefficients so much smaller than the largest are rounding of 0.
NOTHING = 8 * UNIT
# Pairs a sample that the textbook's method takes at most, unless max_iter says otherwise.
MOST_PAIRS = 1000


class Part(NamedTuple):
    """One problem that was solved, in original units; ``scores`` are f of its samples."""

    problem: Problem
    alpha: np.ndarray
    bias: float
    scores: np.ndarray
    result: Result
    certificate: KernelSVMCertificate
    w: np.ndarray | None
    solver: Any
    source: KernelSource
    stopped: Status | None = None


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
    stopped: Status | None = None,
    textbook: bool = False,
    start: Start | None = None,
) -> Part:
    """One binary problem.

    Parameters
    ----------
    fit : the table
    problem : which of its rows, and their signs
    stopped : how the user has stopped the fit, so that α stays at 0; None if not
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
        result = replace(result, status=stopped)
    if np.inf == model.C and not _reached(result, model.tol):
        _refuse(model, training, problem, result)
    alpha, bias = result.weights / source.unit, float(result.details["bias"])
    if not (np.isfinite(alpha).all() and np.isfinite(bias)):
        raise ValueError(f"a coefficient is beyond the range of floats{ADVICE}")
    s = result.details["gradient"] + problem.y
    size, used = float(result.weights.sum()), int(np.count_nonzero(result.weights))
    doubt = rounding_of(source.rounding, size, used, float(problem.y @ result.weights))
    doubt *= 2.0 + result.details.get("rounds", 0)  # sums of a few rounds
    return part_of(fit, problem, result, Ball(s, np.full(len(s), doubt)), solver)


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
        rows = np.arange(len(training.codes)) if problem.rows is None else problem.rows
        why = _why_not_separable(model, training.X[rows], problem)
        raise ValueError(f"C=inf allows no slack, but {problem.name} is {why}: use a finite C")


def _why_not_separable(model: Any, X: Any, problem: Problem) -> str:
    """A Gaussian kernel separates all samples that differ, though perhaps not in floats."""
    if model._kernel_name != "rbf":
        return "not separable in the feature space of this kernel, as far as floats can tell"
    keys = row_keys(X)
    if len(np.intersect1d(keys[problem.y > 0], keys[problem.y < 0])):
        return "not separable in the feature space of any kernel: both have the same sample"
    return "not separable in the feature space of this kernel by a margin that floats can tell"


def rounding_of(rounding: Rounding, size: Any, used: Any, total: Any) -> Any:
    """How far float64 sums Σβ_j K'_ij can be from those of the formula, for all samples.

    Solvers may sum in any order, and work on a kernel without what all samples have in common,
    which Σβ = 0 makes the same.

    Parameters
    ----------
    rounding : bounds of |K'| and of its rounding
    size, used, total : Σ|β|, how many are not 0, Σβ
    """
    share = rounding.error + (used + 96) * UNIT * rounding.most
    return 1.01 * (share * size + rounding.most * abs(total))


def part_of(fit: Fit, problem: Problem, result: Result, sums: Ball, solver: Any = None) -> Part:
    """The answer to a problem, as the model holds it, and its certificate.

    Parameters
    ----------
    fit, problem : the table, and which rows of it
    result : what the solver has found
    sums : Kβ of the solver's β with a bound of its rounding
    solver : for traces
    """
    model, training, source = fit.model, fit.training, fit.source
    dtype = training.X.dtype
    found = result.weights / source.unit
    logged = result.log is not None  # a trace ends where its log does
    top = _tops(fit, problem)
    alpha = in_type(found if logged else without_rounding(found, problem.y, top), dtype)
    alpha = alpha.astype(np.float64) if logged else balanced(alpha, problem.y, top)
    w = _linear_weights(source, problem, alpha, dtype)
    bias = _held_bias(float(result.details["bias"]), w, source, dtype)
    moved = source.unit * source.rounding.most * float(np.abs(alpha - found).sum())
    f = None
    if w is None and not logged:  # the steps of a log round each time
        mid = sums.mid + bias
        f = Ball(mid, sums.rad + moved + 2.0 * UNIT * (np.abs(mid) + abs(bias)))
    X = training.X if problem.rows is None else training.X[problem.rows]
    if model.kernel == "precomputed" and problem.rows is not None:
        X = X[:, problem.rows]
    held = Held(X, problem.y, top, alpha, bias, kernel_of(fit), w)
    about = about_problem(fit, problem, _how(result))
    claim, held, judged = claim_of(held, f, result.status, float(model.tol), about, keep=logged)
    ended = result.status
    result = replace(result, status=claim.status)
    return Part(
        problem,
        held.alpha,
        held.bias,
        judged.f.mid,
        result,
        claim,
        held.weights,
        solver,
        source,
        ended,
    )


def kernel_of(fit: Fit) -> Kernel:
    return Kernel(fit.model._kernel_name, **fit.options)


def _tops(fit: Fit, problem: Problem) -> np.ndarray:
    """The largest α of the samples."""
    weight = fit.training.weight
    if not len(weight):
        return np.full(len(problem.y), float(fit.model.C))
    return float(fit.model.C) * (weight if problem.rows is None else weight[problem.rows])


def about_problem(fit: Fit, problem: Problem, how: str) -> dict[str, Any]:
    """What a certificate says besides its numbers."""
    training, side = fit.training, None
    if len(training.classes) > 2:
        side = problem.positive, None if problem.others else problem.negative
    return {
        "classes": training.classes,
        "C": float(fit.model.C),
        "parameters": fit.options,
        "weighted": len(training.weight) > 0,
        "side": side,
        "how": how,
    }


def without_rounding(alpha: np.ndarray, y: np.ndarray, top: np.ndarray) -> np.ndarray:
    """α with what is only rounding put at its bound; Σ α y stays as it was, within rounding.

    >>> without_rounding(np.array([1.0, 1e-17, 1.0]), np.array([1.0, 1.0, -1.0]), np.full(3, 2.0))
    array([1., 0., 1.])
    """
    room = NOTHING * float(alpha.max(initial=0.0))
    low, high = (alpha > 0) & (alpha <= room), (alpha < top) & (alpha >= top * (1.0 - NOTHING))
    if not (low.any() or high.any()):
        return alpha
    snapped = np.where(low, 0.0, np.where(high, top, alpha))
    left = float(y @ (snapped - alpha))
    free = np.flatnonzero((snapped > 0) & (snapped < top))
    if len(free):
        most = free[np.argmax(np.minimum(snapped[free], (top - snapped)[free]))]
        snapped[most] = np.clip(snapped[most] - y[most] * left, 0.0, top[most])
    return snapped


def balanced(alpha: np.ndarray, y: np.ndarray, top: np.ndarray) -> np.ndarray:
    """α in float64, moved by rounding so that Σ α y is 0, or next to it.

    Far from the origin Σ α y x depends on that. Each step moves one coefficient; smaller ones can
    take up what larger ones leave.

    >>> balanced(np.array([0.3, 0.1, 0.2]), np.array([1.0, -1.0, -1.0]), np.ones(3)).tolist()
    [0.30000000000000004, 0.1, 0.20000000000000004]
    """
    held = alpha.astype(np.float64)
    free = np.flatnonzero((held > 0) & (held < top))
    _, first = np.unique(-np.frexp(held[free])[1], return_index=True)
    left = fsum((y * held).tolist())
    for i in free[first]:
        value = float(alpha.dtype.type(held[i] - y[i] * left))
        if left and 0.0 < value < top[i]:
            left = fsum([left, y[i] * value, -y[i] * held[i]])
            held[i] = value
    return held


def _how(result: Result) -> str:
    if result.log is not None:
        return f"sequential minimal optimisation, {result.n_updates} pairs"
    steps = "1 step" if result.n_iter == 1 else f"{result.n_iter} steps"
    return f"decomposition, {steps}, {result.n_updates} pairs"


def _linear_weights(
    source: KernelSource, problem: Problem, alpha: np.ndarray, dtype: Any
) -> np.ndarray | None:
    """w = Σ α y x for a linear kernel, from rows without their mean: Σ α y = 0."""
    if source.kernel != "linear":
        return None
    X = source.X if problem.rows is None else source.X[problem.rows]
    beta = problem.y * alpha
    used = np.flatnonzero(beta)
    w = np.ldexp(np.asarray(X[used].astype(np.float64).T @ beta[used]), source.exponent)
    return in_type(w, dtype).astype(np.float64)


def _held_bias(bias: float, w: np.ndarray | None, source: KernelSource, dtype: Any) -> float:
    """b in the type of the model; f(x) = w·(x − m) + b for a linear kernel, rounded once."""
    if w is not None and source.centre is not None:
        terms = zip(w.tolist(), source.centre.tolist(), strict=True)
        bias = float(Fraction(bias) - sum(Fraction(a) * Fraction(c) for a, c in terms))
    return float(in_type(np.array([bias]), dtype)[0])
