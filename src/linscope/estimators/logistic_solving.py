"""The problems of a logistic regression: each gets an objective, a solver and a certificate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..certify.finite_solution import Finite, Separated, finite_solution
from ..certify.logistic import LogisticCertificate, certify
from ..results import Result, Status
from ..solvers.driver import run
from ..solvers.gradient import GradientDescent
from ..solvers.gradient_losses import LOGISTIC, SOFTMAX
from ..solvers.logistic_frame import LogisticFrame, logistic_frame
from ..solvers.logistic_objective import LogisticObjective
from .base import Training, binary_problems
from .descents import DESCENTS, descent
from .logistic_choice import Strengths, choose, strengths

# Steps towards infinity that show the direction.
HOPELESS = 20
# η‖∇J‖ at which gradient steps end by default.
SMALL_STEP = 1e-6


class LogisticProblem(NamedTuple):
    """Rows with class numbers and labels; ``side`` as ``LogisticCertificate`` has it."""

    name: str
    X: Any
    codes: np.ndarray
    labels: np.ndarray
    weight: np.ndarray
    side: tuple[Any, Any] | None
    rows: np.ndarray | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Of the weights."""
        return 1 if len(self.labels) == 2 else len(self.labels), self.X.shape[1] + 1


class Part(NamedTuple):
    """One problem that was solved: weights in original units, result, certificate.

    ``solver`` is kept only for a trace, as it holds the whole table.
    """

    problem: LogisticProblem
    W: np.ndarray
    result: Result
    certificate: LogisticCertificate
    solver: GradientDescent | None = None


def problems_of(training: Training, multi_class: str) -> list[LogisticProblem]:
    """One problem for two classes and for a softmax, else several of two classes each."""
    X, classes, codes, weight, _ = training
    if len(classes) == 2 or multi_class == "softmax":
        return [LogisticProblem("", X, codes, classes, weight, None)]
    out = []
    for name, rows, y, positive, negative, others in binary_problems(classes, codes, multi_class):
        own, labels, side = (y > 0).astype(np.int64), np.array([False, True]), (positive, None)
        if others == ():
            labels, side = np.array([negative, positive]), (positive, negative)
        data = X if rows is None else X[rows]
        part = weight if rows is None or not len(weight) else weight[rows]
        out.append(LogisticProblem(name, data, own, labels, part, side, rows))
    return out


def solve(
    model: Any, problem: LogisticProblem, initial: np.ndarray | None, keep_log: bool = False
) -> Part:
    """Minimise the objective of a problem, and certify what was found.

    Parameters
    ----------
    model : the estimator, for its parameters
    problem : what to solve
    initial : first weights in original units, or None
    keep_log : keep what a trace of gradient steps needs
    """
    kind = strengths(model.C, model.penalty, model.l1_ratio)
    weight = problem.weight
    scaled = weight
    if any(kind) and model.C != 1.0:
        scaled = float(model.C) * (weight if len(weight) else np.ones(len(problem.codes)))
    frame = logistic_frame(
        problem.X,
        fit_intercept=model.fit_intercept,
        common=kind.l1 > 0,
        penalised=any(kind),
        names=getattr(model, "feature_names_in_", None),
    )
    rho, classes = frame.pull(kind.rho), len(problem.labels)
    objective = LogisticObjective(
        frame.X, problem.codes, classes, scaled, rho, model.fit_intercept, frame.modest
    )
    verdict = None
    if not any(kind) and model.penalty != "firth":
        verdict = _finite(model, problem)
    solver = None
    if model.solver in DESCENTS:
        solver = _gradient_solver(model, problem, kind, initial, keep_log)
        result, how = _descend(model, solver, objective, frame)
        W = result.weights
    else:
        start = None if initial is None else frame.inside(initial)
        inside = Strengths(kind.rho, *frame.strengths(kind.l1, kind.l2))
        chosen, why = choose(objective, model.solver, model.penalty, inside, model.tol, start)
        hopeless = verdict is not None and not verdict
        result = run(chosen, min(model.max_iter, HOPELESS) if hopeless else model.max_iter)
        W, how = frame.original(result.weights), f"{why}; {result.n_iter} passes over the rows"
    if not np.isfinite(W).all():
        raise ValueError("a weight is beyond the range of floats: scale the columns of X")
    claim = _claim(model, problem, kind, W, how)
    # Gradient steps end by their own rule, which promises no accuracy.
    tol = np.inf if model.solver in DESCENTS else float(model.tol or 0.0)
    certificate = _with_verdict(certify(objective, result, tol=tol, **claim), verdict)
    return Part(problem, W, result, certificate, solver if keep_log else None)


def _gradient_solver(
    model: Any, problem: LogisticProblem, kind: Strengths, initial, keep_log: bool
) -> GradientDescent:
    """J = Σ c f + ½ α‖w‖² with α = 1/C: the notes' sum, in the units of the table."""
    if kind.l1 > 0 or model.penalty == "firth":
        use = "coordinate" if kind.l1 > 0 else "auto"
        raise ValueError(
            f"solver={model.solver!r} takes steps on a smooth penalty, not on "
            f"penalty={model.penalty!r}: use solver={use!r}, or penalty='l2' or None"
        )
    alpha = 1.0 / float(model.C) if kind.rho else 0.0
    if not np.isfinite(alpha):
        raise ValueError(f"C={model.C} is too small for solver={model.solver!r}: 1/C overflows")
    two = problem.shape[0] == 1
    y = problem.codes.astype(np.float64) if two else np.eye(problem.shape[0])[problem.codes]
    return descent(
        model,
        problem.X,
        y,
        problem.weight,
        loss=LOGISTIC if two else SOFTMAX,
        alpha=alpha,
        tol=SMALL_STEP if model.tol is None else float(model.tol),
        initial=None if initial is None else initial.T,
        keep_log=keep_log,
    )


def _descend(
    model: Any, solver: GradientDescent, objective: LogisticObjective, frame: LogisticFrame
) -> tuple[Result, str]:
    """The gradient steps that were asked for, towards infinity too, looked at from the objective.

    The result's weights are (rows, d + 1) in original units.
    """
    result = run(solver, model.max_iter)
    found = result.details["averaged"] if model.average else result.weights
    W = np.ascontiguousarray(np.reshape(found, (objective.d + 1, -1)).T)
    with np.errstate(over="ignore", invalid="ignore"):
        point = objective.evaluate(frame.inside(W))
    if not np.isfinite(point.value):
        raise ValueError("the objective left the range of floats: use eta0='auto'")
    how = f"{model.solver} gradient steps: {result.details['explanation']}"
    return replace(result, weights=W, details=result.details | {"point": point}), how


def _claim(model: Any, problem: LogisticProblem, kind: Strengths, W, how: str) -> dict[str, Any]:
    return {
        "weights": W,
        "classes": np.asarray(problem.labels),
        "C": float(model.C) if any(kind) else np.inf,
        "l1": kind.l1,
        "l2": kind.l2,
        "firth": model.penalty == "firth",
        "fit_intercept": model.fit_intercept,
        "weighted": len(problem.weight) > 0,
        "side": problem.side,
        "how": how,
    }


def _finite(model: Any, problem: LogisticProblem) -> Finite | Separated:
    """Do finite weights of maximum likelihood exist at all?"""
    return finite_solution(
        problem.X,
        problem.codes,
        len(problem.labels),
        model.fit_intercept,
        problem.weight if len(problem.weight) else None,
        names=list(model._feature_names()),
        classes=list(problem.labels),
    )


def _with_verdict(
    certificate: LogisticCertificate, verdict: Finite | Separated | None
) -> LogisticCertificate:
    if verdict is None:
        return certificate
    certificate = replace(certificate, separation=str(verdict))
    if verdict:
        return certificate
    return replace(certificate, status=Status.INFINITE, gap=np.inf)


def several(parts: dict[str, LogisticCertificate]) -> LogisticCertificate:
    """One certificate of several binary problems; each has its own in ``parts``."""
    all_ok = all(part.status.ok for part in parts.values())
    first = next(iter(parts.values()))
    return LogisticCertificate(
        status=Status.CONVERGED if all_ok else Status.SEVERAL,
        primal=sum(part.primal or 0.0 for part in parts.values()),
        gap=sum(part.gap or 0.0 for part in parts.values()),
        kkt=max(part.kkt or 0.0 for part in parts.values()),
        weights=np.vstack([part.weights for part in parts.values()]),
        classes=first.classes,
        C=first.C,
        fit_intercept=first.fit_intercept,
        weighted=first.weighted,
        how=first.how,
        parts=dict(parts),
    )
