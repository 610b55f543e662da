"""The problems of a linear support vector machine: each gets a solver and a certificate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from linscope.engines import choose
from linscope.engines.kept_rows import how_many
from linscope.fitting.column_scaling import ColumnFrame
from linscope.fitting.driver import run
from linscope.fitting.training import Problem, Training, binary_problems
from linscope.results import Look, Result, Status, VisitOrder
from linscope.results.certificate import proofs_wanted
from linscope.rows.blocks import Block, blind

from ..certificates.duality import outside
from ..certificates.linear_svm import LinearSVMCertificate, certify, reached
from ..solvers.dual_coordinate import DualCoordinate
from ..solvers.hinge import Multipliers
from ..solvers.objective import margin_problem
from ..solvers.squared_hinge import FiniteNewton
from ..verify.bounds import Problem as Claimed
from .finish import SMALL_TABLE, Finish, Held
from .hard_margin import Rows, hard_margin_result, proven

# The relative gap that is promised; small tables are solved to rounding, which costs nothing.
PROMISED, EXACT = 1e-6, 1e-13


class Start(NamedTuple):
    """Weights in original units and dual coefficients to begin with, or None."""

    W: np.ndarray | None = None
    alpha: np.ndarray | None = None


class Part(NamedTuple):
    """One problem that was solved; ``solver`` is kept only for a trace."""

    problem: Problem
    W: np.ndarray
    alpha: np.ndarray
    slack: np.ndarray
    result: Result
    certificate: LinearSVMCertificate
    solver: DualCoordinate | None = None


def check_options(model: Any) -> None:
    """Refuse what has no meaning together, before any work."""
    if model.solver != "coordinate":
        return
    if model.fit_intercept and not model.penalize_intercept:
        raise ValueError(
            "solver='coordinate' changes one α at a time, and a free bias ties them together by "
            "Σ α y = 0: use penalize_intercept=True, fit_intercept=False or solver='newton'"
        )
    if np.inf == model.C:
        raise ValueError("solver='coordinate' needs a finite C: use solver='newton' for C=inf")


def problems_of(training: Training, multi_class: str) -> list[Problem]:
    return binary_problems(training.classes, training.codes, multi_class)


def rows_of(training: Training, problem: Problem) -> Rows:
    X, c = training.X, training.weight
    if problem.rows is not None:
        X, c = X[problem.rows], c[problem.rows] if len(c) else c
    return Rows(X, problem.y, c)


def solve(
    model: Any,
    training: Training,
    problem: Problem,
    start: Start,
    keep_log: bool = False,
    largest: float | None = None,
) -> Part:
    """Minimise the objective of a problem, and certify what was found.

    Parameters
    ----------
    model : the estimator, for its parameters
    training, problem : what to solve
    start : where to begin
    keep_log : keep what a trace needs
    largest : a bound of the numbers, if somebody has seen that they are finite
    """
    rows = rows_of(training, problem)
    options = _options(model)
    finite = float(model.C) if np.inf > model.C else 1.0
    if not len(rows.y):
        return _empty(model, training, problem, rows)
    engine = choose(*rows)
    objective, frame = margin_problem(engine, finite, **options, largest=largest)
    solver, sides = None, engine.fold(_sides)
    one_sided = min(sides) == 0
    if one_sided and objective.free_bias:
        result, how = _one_sided(rows, 1.0 if sides[0] else -1.0), "all samples are on one side"
        W = result.weights
    elif np.inf == model.C:
        result, how = hard_margin_result(model, rows, problem)
        W = result.weights
    elif model.solver == "coordinate":
        solver = _coordinate(model, rows, start, keep_log)
        result = run(solver, model.max_iter)
        W, how = result.weights, f"dual coordinate descent, {result.n_iter} passes"
    else:
        aim = PROMISED if model.tol is None else float(model.tol)
        small = objective.n * objective.d <= SMALL_TABLE
        if model.tol is None and small and proofs_wanted():
            aim = EXACT
        initial = None if start.W is None else frame.inside(start.W[None, :])[0]
        chosen: Any = Multipliers(objective, aim, initial, start.alpha, PROMISED)
        if objective.squared:
            chosen = FiniteNewton(objective, aim, initial)
        chosen.log = [] if keep_log else None
        result = run(chosen, model.max_iter)
        W = outside(frame, result.weights)
        how = f"{chosen.task}, {result.n_iter} passes over the rows"
    claimed = Claimed(
        engine, float(model.C), options["squared"],
        model.fit_intercept and model.penalize_intercept, model.fit_intercept,
    )  # fmt: skip
    claim = _claim(model, training, problem, how)
    last = Finish(claimed, objective, frame, rows.X.dtype, claim["tol"])
    own = result.details["alpha"]
    # the textbook's steps and a fit that was cut short are left as they are
    plain = solver is not None or result.status in (Status.MAX_ITER, Status.STOPPED)
    held = _held(last, W, own, plain)
    if claimed.hard and not one_sided and not reached(held.found, claim["tol"]):
        held = proven(model, rows, problem, last, held)
    if keep_log and solver is None:
        result = replace(result, log=_in_units(result, frame, held))
    certificate = certify(held.found, claimed, result, held.W, held.alpha, **claim)
    kept = solver if keep_log else None
    return Part(problem, held.W, held.alpha, held.found.slack, result, certificate, kept)


@blind
def _sides(block: Block) -> tuple[int, int]:
    """How many rows are positive, and how many negative."""
    positive = int(np.count_nonzero(block.y > 0))
    return positive, len(block.y) - positive


def _held(last: Finish, W: np.ndarray, alpha: np.ndarray, plain: bool) -> Held:
    if not (proofs_wanted() or last.problem.hard) and np.isfinite(W).all():
        return last.unproven(W, alpha)
    return last.as_solved(W, alpha) if plain else last.best(W, alpha)


def _in_units(result: Result, frame: ColumnFrame, held: Held) -> list[Look]:
    """The log in the units of the table; it ends with the weights that the model will hold."""
    log = [at._replace(weights=outside(frame, at.weights)) for at in result.log or []]
    found = {"P": held.found.value, "gap": held.found.gap}
    found["active"] = how_many(held.alpha)
    numbers = dict.fromkeys(log[0].numbers, np.nan) if log else {}
    last = Look(held.W, numbers | found, len(held.alpha))
    if log and not np.array_equal(log[-1].weights, held.W):
        # the equations of the support, or rounding to the type of the table
        log[-1] = log[-1]._replace(moved=True, by="last digits")
        return [*log, last]
    return [*log[:-1], last]


def _options(model: Any) -> dict[str, Any]:
    return {
        "squared": model.loss == "squared_hinge",
        "penalize_intercept": model.penalize_intercept,
        "fit_intercept": model.fit_intercept,
    }


def _claim(model: Any, training: Training, problem: Problem, how: str) -> dict[str, Any]:
    side = None
    if len(training.classes) > 2:
        side = problem.positive, None if problem.others else problem.negative
    tol = PROMISED if model.tol is None else float(model.tol)
    return {"classes": training.classes, "tol": tol, "side": side, "how": how}


def _coordinate(model: Any, rows: Rows, start: Start, keep_log: bool) -> DualCoordinate:
    seed = None
    if model.random_state is not None:
        seed = int(check_random_state(model.random_state).randint(2**31 - 1))
    return DualCoordinate(
        X=rows.X,
        y=rows.y,
        C=float(model.C),
        order=VisitOrder(len(rows.y), seed),
        squared=model.loss == "squared_hinge",
        c=rows.c,
        tol=PROMISED if model.tol is None else float(model.tol),
        shrink=False,
        alpha=start.alpha,
        keep_log=keep_log,
        bias=1.0 if model.fit_intercept else 0.0,
    )


def _one_sided(rows: Rows, side: float) -> Result:
    """A free bias alone gives every sample a margin of 1."""
    W = np.zeros(rows.X.shape[1] + 1)
    W[0] = side
    return Result(W, Status.SOLVED, 1, 0, None, {"alpha": np.zeros(len(rows.y))})


def _empty(model: Any, training: Training, problem: Problem, rows: Rows) -> Part:
    """Two classes whose samples all have weight 0: nothing to decide."""
    W, none = np.zeros(rows.X.shape[1] + 1), np.zeros(0)
    certificate = LinearSVMCertificate(
        status=Status.CONVERGED,
        primal=0.0,
        dual=0.0,
        gap=0.0,
        weights=W,
        alpha=none,
        C=float(model.C),
        squared=model.loss == "squared_hinge",
        penalize_intercept=model.fit_intercept and model.penalize_intercept,
        fit_intercept=model.fit_intercept,
        weighted=True,
        **_claim(model, training, problem, "no samples"),
    )
    return Part(problem, W, none, none, Result(W, Status.SOLVED, 1, 0), certificate)
