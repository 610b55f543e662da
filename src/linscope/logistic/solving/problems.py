"""The problems of a logistic regression: each gets an objective, a solver and a certificate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from linscope.engines import Engine
from linscope.fitting.column_scaling import ColumnFrame, framed
from linscope.fitting.descent import GradientDescent
from linscope.fitting.driver import run
from linscope.fitting.ending import account
from linscope.fitting.gradient_options import DESCENTS, descent
from linscope.fitting.relations import in_words, sentences
from linscope.fitting.scores import in_type
from linscope.fitting.training import Training, binary_problems
from linscope.losses.hypotheses import LOGISTIC, SOFTMAX
from linscope.results import Result, Status
from linscope.rows.blocks import Block, selects, with_columns
from linscope.rows.far import FarColumn, is_class
from linscope.verify.relations import ULP, Relations, effective, independent, shortest

from ..certificates.finite_solution import Finite, Separated, finite_solution
from ..certificates.firth import certify_firth
from ..certificates.logistic import (
    DESCENT_TOLERANCE,
    HEADROOM,
    ROUGH_TOLERANCE,
    TOLERANCE,
    LogisticCertificate,
    Solved,
    certify,
    infinite,
)
from ..solvers.coordinate.descent import null_weights
from ..solvers.multinomial import changing_columns, column_ranges
from ..solvers.objective import LogisticObjective, look
from ..verify.model import SHARED
from .choice import SMALL_TABLE, Strengths, accuracy, choose, strengths

# Steps towards infinity that show the direction.
HOPELESS = 20
# η‖∇J‖ at which gradient steps end by default.
SMALL_STEP = 1e-6


class LogisticProblem(NamedTuple):
    """Rows with class numbers and labels; ``side`` as ``LogisticCertificate`` has it.

    ``pair`` has the numbers of the two classes of a binary problem among several, None for the
    rest; ``rows`` is None for all rows of the training data.
    """

    name: str
    training: Training
    codes: Any
    labels: np.ndarray
    side: tuple[Any, Any] | None = None
    pair: tuple[int, int | None] | None = None
    rows: Any = None

    @property
    def X(self) -> Any:
        """A copy for a pair of classes: not kept, as there are many pairs."""
        return self.training.X if self.rows is None else self.training.X[self.rows]

    @property
    def weight(self) -> np.ndarray:
        weight = self.training.weight
        return weight if self.rows is None or not len(weight) else weight[self.rows]

    @property
    def d(self) -> int:
        return self.training.X.shape[1]

    @property
    def shape(self) -> tuple[int, int]:
        """Of the weights."""
        return 1 if len(self.labels) == 2 else len(self.labels), self.d + 1

    def engine_of(self, whole: Engine) -> Engine:
        """The rows of this problem."""
        if self.pair is None:
            return whole
        return whole.derive(_of_one if self.pair[1] is None else _of_two, *self.pair)


def _of_one(block: Block, positive: int, _: None) -> tuple:
    """One class against the rest."""
    return block.X, (block.y == positive).astype(np.int64), block.weight


@selects
def _of_two(block: Block, positive: int, negative: int) -> tuple:
    """One class against another."""
    X, y, c = block.X, (block.y == positive).astype(np.int64), block.weight
    rows = np.flatnonzero((y == 1) | (block.y == negative))
    return X[rows], y[rows], c[rows] if block.weighted else c


class Part(NamedTuple):
    """One problem that was solved: weights in original units, result, certificate.

    ``held`` are the weights that the model shows: rounded to its type, against the reference.
    ``solver`` is kept only for a trace, as it holds the whole table.
    """

    problem: LogisticProblem
    W: np.ndarray
    held: np.ndarray
    result: Result
    certificate: LogisticCertificate
    solver: GradientDescent | None = None


def problems_of(training: Training, multi_class: str) -> list[LogisticProblem]:
    """One problem for two classes and for a softmax, else several of two classes each."""
    classes, codes = training.classes, training.codes
    if len(classes) == 2 or multi_class == "softmax":
        return [LogisticProblem("", training, codes, classes)]
    number, out = {label: k for k, label in enumerate(classes.tolist())}, []
    for name, rows, y, positive, negative, others in binary_problems(classes, codes, multi_class):
        labels, side, other = np.array([False, True]), (positive, None), None
        if others == ():
            labels, side = np.array([negative, positive]), (positive, negative)
            other = number[negative]
        own, pair = _zero_or_one(y), (number[positive], other)
        out.append(LogisticProblem(name, training, own, labels, side, pair, rows))
    return out


def _zero_or_one(signs: Any) -> Any:
    """Class numbers of signs."""
    if isinstance(signs, FarColumn):
        return replace(signs, task=is_class)
    return (signs > 0).astype(np.int64)


def _times(block: Block, C: float) -> tuple:
    """Weights times C."""
    ones = np.ones(block.X.shape[0])
    return block.X, block.y, C * (block.weight if block.weighted else ones)


def _as_targets(block: Block, n_classes: int) -> tuple:
    """0 and 1, or one column per class, as targets."""
    y = block.y[:, None].astype(np.float64) if n_classes == 2 else np.eye(n_classes)[block.y]
    return block.X, y, block.weight


def solve(
    model: Any,
    problem: LogisticProblem,
    whole: Engine,
    initial: np.ndarray | None,
    keep_log: bool = False,
) -> Part:
    """Minimise the objective of a problem, and certify what was found.

    Parameters
    ----------
    model : the estimator, for its parameters
    problem : what to solve
    whole : the rows of all problems
    initial : first weights in original units, or None
    keep_log : keep what a trace needs
    """
    kind = strengths(model.C, model.penalty, model.l1_ratio)
    likelihood = not any(kind) and model.penalty != "firth"
    engine = problem.engine_of(whole)
    verdict = _finite(model, problem, engine) if likelihood else None
    relations = verdict.relations if isinstance(verdict, Finite) else {}
    if len(relations) == problem.d:
        relations = {}
    solver = None
    if model.solver in DESCENTS:
        solver = _gradient_solver(model, problem, engine, kind, initial, keep_log)
        solved, W, result = _descend(model, problem, engine, kind, solver)
        how = f"{model.solver} gradient steps"
    else:
        hopeless = isinstance(verdict, Separated)
        asked = initial, relations, hopeless, keep_log
        solved, W, result, how = _minimise(model, problem, engine, kind, *asked)
    if not np.isfinite(W).all():
        raise ValueError("a weight is beyond the range of floats: scale the columns of X")
    held = held_weights(model, problem, W)
    fields = _fields(model, problem, kind, held, how)
    if isinstance(verdict, Finite) and relations:
        fields |= {"relations": relations, "ulps": verdict.ulps}
        fields["ulp"] = verdict.ulp if verdict.ulps else ULP
        fields["dependent"] = sentences(in_words(relations), model._names())
    if model.penalty == "firth":
        certificate = certify_firth(problem.X, problem.codes, problem.weight, result, **fields)
    else:
        status = result.status
        if model.solver in DESCENTS and status.ok:
            status = Status.SHORT_STEPS  # unless the bound says that the minimum is near
        certificate = _with_verdict(certify(solved, problem, status, **fields), verdict)
        if model.solver in DESCENTS:
            ended = account(result.details, certificate.status)
            certificate = replace(certificate, how=f"{how}: {ended}")
    return Part(problem, W, held, result, certificate, solver if keep_log else None)


def held_weights(model: Any, problem: LogisticProblem, W: np.ndarray) -> np.ndarray:
    """The weights as the model shows them."""
    if model.reference is not None:
        W = W - W[list(problem.labels.tolist()).index(model.reference)]
    return in_type(W, problem.training.X.dtype)


def _objective(
    model: Any, engine: Engine, n_classes: int, kind: Strengths
) -> tuple[LogisticObjective, ColumnFrame]:
    """What is minimised, in columns that are near 1."""
    if any(kind) and model.C != 1.0:
        engine = engine.derive(_times, float(model.C))
    frame = framed(
        engine,
        fit_intercept=model.fit_intercept,
        common=kind.l1 > 0,
        penalised=any(kind),
        names=getattr(model, "feature_names_in_", None),
    )
    rho = frame.pull(kind.rho)
    return LogisticObjective(frame.engine, n_classes, rho, model.fit_intercept, frame.modest), frame


def _minimise(
    model: Any,
    problem: LogisticProblem,
    engine: Engine,
    kind: Strengths,
    initial: np.ndarray | None,
    relations: Relations,
    hopeless: bool,
    keep_log: bool = False,
) -> tuple[Solved, np.ndarray, Result, str]:
    """The minimum by the solver that suits it.

    Columns that depend on others are left out, and then share their weights with these.
    """
    kept = independent(relations, problem.d)
    if not (relations or any(kind) or model.penalty == "firth"):
        kept = changing_columns(*column_ranges(engine), model.fit_intercept)
    constant = len(kept) == 0
    kept = np.arange(problem.d) if constant else kept
    if len(kept) < problem.d:
        engine = engine.derive(with_columns, kept)
    objective, frame = _objective(model, engine, len(problem.labels), kind)
    if constant:
        result, how = _without_features(objective), "no column changes: the shares of the classes"
    else:
        start = None if initial is None else frame.inside(_of_some(initial, relations, kept))
        inside = Strengths(kind.rho, *frame.strengths(kind.l1, kind.l2))
        chosen, why = choose(objective, model, inside, start)
        if keep_log:
            chosen.log = []
        result = run(chosen, min(model.max_iter, HOPELESS) if hopeless else model.max_iter)
        passes = result.details.get("passes", result.n_iter)
        how = f"{why}; {passes} passes over the rows"
    W = _of_all(frame.original(result.weights), relations, kept, problem.d)
    if keep_log:
        looks = result.log or [look(objective, result.details["point"])]
        found = (_of_all(frame.original(at.weights), relations, kept, problem.d) for at in looks)
        log = [at._replace(weights=V) for at, V in zip(looks, found, strict=True)]
        details = result.details | {"framed": not frame.plain}
        result = replace(result, log=log, details=details)
    point: Any = result.details.get("point")
    return Solved(objective, frame, point, result.details.get("toward")), W, result, how


def _of_some(W: np.ndarray, relations: Relations, kept: np.ndarray) -> np.ndarray:
    """What weights of all columns are for those that were not left out."""
    return effective(W, relations)[0] if relations else W[:, np.r_[0, 1 + kept]]


def _of_all(V: np.ndarray, relations: Relations, kept: np.ndarray, d: int) -> np.ndarray:
    """Weights of all columns: shared among those that depend on each other, 0 for constant ones."""
    if relations:
        return shortest(V, relations, d)
    W = np.zeros((len(V), d + 1))
    W[:, np.r_[0, 1 + kept]] = V
    return W


def _without_features(objective: LogisticObjective) -> Result:
    W = null_weights(objective)
    return Result(W, Status.CONVERGED, 0, 0, None, {"point": objective.evaluate(W)})


def _gradient_solver(
    model: Any, problem: LogisticProblem, engine: Engine, kind: Strengths, initial, keep_log: bool
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
    n_classes = len(problem.labels)
    return descent(
        model,
        engine.derive(_as_targets, n_classes),
        loss=LOGISTIC if n_classes == 2 else SOFTMAX,
        alpha=alpha,
        tol=SMALL_STEP if model.tol is None else float(model.tol),
        initial=None if initial is None else initial.T,
        keep_log=keep_log,
    )


def _descend(
    model: Any, problem: LogisticProblem, engine: Engine, kind: Strengths, solver: GradientDescent
) -> tuple[Solved, np.ndarray, Result]:
    """The gradient steps that were asked for, towards infinity too, looked at from the objective.

    The result's weights are (rows, d + 1) in original units.
    """
    objective, frame = _objective(model, engine, len(problem.labels), kind)
    result = run(solver, model.max_iter)
    found = result.details["averaged"] if model.average else result.weights
    W = np.ascontiguousarray(found.T)
    with np.errstate(over="ignore", invalid="ignore"):
        point = objective.evaluate(frame.inside(W))
    if not np.isfinite(point.value):
        raise ValueError("the objective left the range of floats: use eta0='auto'")
    result = replace(result, weights=W, details=result.details | {"point": point})
    return Solved(objective, frame, point), W, result


def _fields(
    model: Any, problem: LogisticProblem, kind: Strengths, held, how: str
) -> dict[str, Any]:
    numbers = len(problem.codes) * problem.d * problem.shape[0]
    return {
        "weights": held,
        "classes": np.asarray(problem.labels),
        "C": float(model.C) if any(kind) else np.inf,
        "tolerance": promised(model, numbers, problem.training.X.dtype),
        "l1": kind.l1,
        "l2": kind.l2,
        "common": model.reference is not None,
        "firth": model.penalty == "firth",
        "fit_intercept": model.fit_intercept,
        "weighted": len(problem.training.weight) > 0,
        "side": problem.side,
        "how": how,
    }


def promised(model: Any, numbers: int, dtype: Any) -> float:
    """The accuracy of the objective, relatively, that CONVERGED promises."""
    if model.solver in DESCENTS:
        return DESCENT_TOLERANCE
    # Weights of 24 bits, in float32, allow no more.
    exact = numbers <= SMALL_TABLE and dtype != np.float32
    least = TOLERANCE if exact else ROUGH_TOLERANCE
    return min(max(HEADROOM * accuracy(model.tol, numbers), least), DESCENT_TOLERANCE)


def _finite(model: Any, problem: LogisticProblem, engine: Engine) -> Finite | Separated | None:
    """Do finite weights of maximum likelihood exist at all? None if nobody can tell."""
    return finite_solution(
        engine,
        len(problem.labels),
        model.fit_intercept,
        names=model._names(),
        classes=list(problem.labels),
    )


def _with_verdict(
    certificate: LogisticCertificate, verdict: Finite | Separated | None
) -> LogisticCertificate:
    if isinstance(verdict, Separated):
        return infinite(certificate, str(verdict), verdict.exact_direction)
    return certificate if verdict is None else replace(certificate, separation=str(verdict))


def several(parts: dict[str, LogisticCertificate]) -> LogisticCertificate:
    """One certificate of several binary problems; each has its own in ``parts``."""
    claims = list(parts.values())
    all_ok, first = all(part.status.ok for part in claims), claims[0]
    ulps, ulp = max((part.ulps, part.ulp) for part in claims)
    firth = first.firth  # its likelihood has no bound from the other side
    return LogisticCertificate(
        status=Status.CONVERGED if all_ok else Status.SEVERAL,
        primal=_sum(part.primal for part in claims),
        gap=None if firth else sum(part.gap or 0.0 for part in claims),
        kkt=None if firth else max(part.kkt or 0.0 for part in claims),
        weights=np.vstack([part.weights for part in claims]),
        classes=first.classes,
        **{name: getattr(first, name) for name in SHARED},
        dependent=list(dict.fromkeys(line for part in claims for line in part.dependent)),
        ulps=ulps,
        ulp=ulp,
        how=first.how,
        parts=dict(parts),
    )


def _sum(values: Iterable[float | None]) -> float | None:
    known = list(values)
    return None if None in known else float(sum(value or 0.0 for value in known))
