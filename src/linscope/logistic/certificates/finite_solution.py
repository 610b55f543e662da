"""Does a finite maximum of the likelihood exist? Asked before an unpenalised fit is trusted.

If some direction V never lowers a difference of scores in favour of the own class, and raises one,
the likelihood grows for ever along V and the weights go to infinity (Albert and Anderson 1984):

    complete         (v_{y_i} − v_k)·z_i > 0  for all rows i and classes k ≠ y_i
    quasi-complete   (v_{y_i} − v_k)·z_i ≥ 0  with > 0 for some, but not for all

Otherwise a maximum exists. The answer comes from Newton's step where the classes overlap
(``overlap.py``), from single columns, or from linear programs (``separating_direction.py``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from linscope.data.given import accepts_dataset
from linscope.engines import Engine, choose
from linscope.fitting.relations import ulp_of
from linscope.results import Check
from linscope.rows.blocks import Block, selects
from linscope.rows.threads import one_blas_thread
from linscope.separation.reading import read_table
from linscope.verify.relations import ULP

from ..solvers.blocks import class_totals
from ..solvers.multinomial import Multinomial, column_ranges
from .absent_classes import absent_direction
from .overlap import Overlap, prove_overlap
from .separating_direction import Directions
from .separation_search import (
    COMPLETE,
    FEW_WEIGHTS,
    MOST_WEIGHTS,
    PATIENT_STEPS,
    QUASI,
    Found,
    Problem,
    signs_of,
)

# Newton steps before linear programs are asked, and after they found nothing.
FIRST_STEPS, MORE_STEPS = 8, 200


@dataclass(frozen=True, eq=False)
class Finite:
    """Finite maximum-likelihood weights exist: no direction separates the classes.

    Attributes
    ----------
    weights : (K − 1, d + 1) weights relative to the first class, bias first, where the proof works
    change : how much Newton's step from there changes a difference of scores at most, rounding
        included; below 1 it proves overlap. ∞ if rational arithmetic proves it
    fit_intercept : whether the model has a bias
    relations, ulps, ulp : columns that are combinations of others, and for which table the answer
        is true, as ``linscope.verify.relations`` has them
    """

    weights: np.ndarray
    change: float
    fit_intercept: bool = True
    relations: dict[int, dict[int, float]] = field(default_factory=dict)
    ulps: int = 0
    ulp: float = ULP

    def __bool__(self) -> bool:
        return True

    @property
    def by_newton(self) -> bool:
        """Whether Newton's step proves it; else rational arithmetic does."""
        return self.change < 1.0

    @accepts_dataset
    def verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Check:
        """Prove overlap again from the data."""
        try:
            engine, classes = _read(X, y, sample_weight)
            totals = engine.fold(class_totals, len(classes))
            with one_blas_thread():
                again = _decide(engine, totals, self.fit_intercept, self.weights, self.ulp)
        except (ValueError, TypeError, IndexError) as error:
            return Check(False, f"the certificate does not fit these data: {error}")
        if isinstance(again, Found):
            return Check(False, "a direction separates the classes: no finite maximum exists")
        if again is None:
            return Check(False, "neither overlap nor separation can be proven")
        if again.by_newton:
            return Check(True, f"a Newton step changes scores by {again.change:.3g} < 1: overlap")
        return Check(True, "a positive combination of the rows is 0, exactly: overlap")

    def __str__(self) -> str:
        return "Finite maximum-likelihood weights exist: the classes overlap in every direction."


@dataclass(frozen=True, eq=False)
class Separated:
    """No finite maximum-likelihood weights exist: the likelihood grows for ever in a direction.

    Attributes
    ----------
    kind : "complete" or "quasi-complete"
    direction : (K, d + 1) one weight vector per class, bias first (differences matter)
    columns : numbers of the features that take part
    names : their names
    classes : the labels
    exact_direction : the direction in fractions, whose margins are exact
    """

    kind: str
    direction: np.ndarray
    columns: list[int]
    names: list[str]
    classes: list[Any]
    fit_intercept: bool = True
    exact_direction: tuple[tuple[Fraction, ...], ...] = field(default=(), repr=False)

    def __bool__(self) -> bool:
        return False

    @property
    def sentence(self) -> str:
        """What happened and what to do."""
        columns = ", ".join(self.names[:6]) + (", …" if len(self.names) > 6 else "")
        if not self.names:
            who = "the constant alone"
        elif len(self.names) == 1:
            who = f"column {columns}"
        else:
            who = f"a combination of the columns {columns}"
        how = (
            "separates the classes completely"
            if self.kind == COMPLETE
            else "separates the classes, with some rows on the boundary (quasi-complete separation)"
        )
        firth = "penalty='firth'" + ("" if len(self.classes) == 2 else " with multi_class='ovr'")
        return (
            f"No finite maximum-likelihood weights exist: {who} {how}, so the likelihood grows for "
            f"ever as weights go to infinity. Use a finite C (penalty='l2') or {firth}."
        )

    def __str__(self) -> str:
        return self.sentence

    @accepts_dataset
    def verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Check:
        """Check the sign of every margin, exactly; and the kind."""
        try:
            return _check_separated(self, *_read(X, y, sample_weight))
        except (ValueError, TypeError, IndexError) as error:
            return Check(False, f"the certificate does not fit these data: {error}")


def finite_solution(
    engine: Engine,
    n_classes: int,
    fit_intercept: bool = True,
    *,
    weights: np.ndarray | None = None,
    names: list[str] | None = None,
    classes: list[Any] | None = None,
) -> Finite | Separated | None:
    """Decide whether finite maximum-likelihood weights exist; None if neither can be proven.

    Parameters
    ----------
    engine : the rows, finite, with class numbers 0 … K − 1; those of weight 0 do not count
    n_classes : K
    fit_intercept : whether the model has a bias
    weights : (1, d + 1) or (K, d + 1) where a solver ended; near the maximum one pass suffices
    names, classes : for the words of the answer

    Returns
    -------
    Finite, Separated or None
        True, false and false in an ``if``; the first two have ``verify(X, y)``.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [2.0, 1.0]])
    >>> answer = finite_solution(choose(X, [0, 1, 1, 1]), 2, names=["dose", "sex"])
    >>> print(answer.kind, answer.names)
    complete ['dose']
    >>> bool(finite_solution(choose(X, [0, 1, 0, 1]), 2))
    True
    """
    ulp, engine = ulp_of(engine.dtype), _counting(engine)
    totals = engine.fold(class_totals, n_classes)
    if not totals.all():
        return _without(engine, totals, fit_intercept, classes)
    start = None if weights is None else _relative(np.asarray(weights, dtype=np.float64))
    with one_blas_thread():
        answer = _decide(engine, totals, fit_intercept, start, ulp)
    if not isinstance(answer, Found):
        return answer
    known = [f"x{j + 1}" for j in range(engine.n_features)] if names is None else list(names)
    return Separated(
        kind=answer.kind,
        direction=answer.rough,
        columns=answer.columns,
        names=[known[j] for j in answer.columns],
        classes=list(range(n_classes)) if classes is None else list(classes),
        fit_intercept=fit_intercept,
        exact_direction=answer.exact,
    )


def _without(engine: Engine, totals: np.ndarray, fit_intercept: bool, classes) -> Separated:
    """Some classes have no rows: ruling them out raises the likelihood for ever."""
    present, n_classes = np.flatnonzero(totals), len(totals)
    if not fit_intercept:
        raise ValueError(
            f"class number {np.argmin(totals)} has no row of positive weight, and without an "
            "intercept it cannot be ruled out: leave its rows out"
        )
    inner, kind = None, COMPLETE if len(present) == 1 else QUASI
    if len(present) > 1:
        answer = finite_solution(engine.derive(_numbered, present), len(present))
        if isinstance(answer, Separated) and answer.kind == COMPLETE and answer.exact_direction:
            inner, kind = answer.exact_direction, COMPLETE
    largest = np.maximum(*map(np.abs, column_ranges(engine)))
    exact = absent_direction(largest, n_classes, present, inner)
    return Separated(
        kind=kind,
        direction=np.array([[float(v) for v in row] for row in exact]),
        columns=[],
        names=[],
        classes=list(range(n_classes)) if classes is None else list(classes),
        exact_direction=exact,
    )


def _decide(engine, totals, fit_intercept, start, ulp) -> Finite | Found | None:
    problem = Problem(engine, len(totals), fit_intercept, totals, ulp)
    weights = problem.shares() if start is None else start
    if problem.nothing:  # only the constant, and every class is there
        return _finite(problem, np.zeros_like(weights), 0.0)
    theta = problem.inside(weights)
    overlap = _prove(problem, theta, 0)
    if not overlap.proven:
        before = problem.columns
        problem.drop_dependent()
        theta = theta if len(problem.columns) == len(before) else problem.inside(problem.shares())
        found = problem.one_column(theta)
        if found is not None:
            return found
        few = theta.size <= FEW_WEIGHTS
        overlap = _prove(problem, theta, FIRST_STEPS if few else PATIENT_STEPS)
    if not overlap.proven:
        found = problem.some_columns(overlap.theta)
        if found is not None:
            return found
        if not problem.decided_sooner:
            overlap = _prove(problem, problem.inside(problem.shares()), MORE_STEPS)
    if not overlap.proven:
        if not problem.small:
            return None
        found = problem.by_fractions()
        if found is not None:
            return found
    return _finite(problem, problem.outside(overlap.theta), overlap.change)


def _finite(problem: Problem, weights: np.ndarray, change: float) -> Finite:
    about = problem.relations, problem.ulps, problem.ulp
    return Finite(weights, change, problem.intercept, *about)


def _prove(problem: Problem, theta: np.ndarray, steps: int) -> Overlap:
    """The proof by Newton's step, unless the system is too large for it."""
    if theta.size > MOST_WEIGHTS:
        return Overlap(np.ravel(theta), np.inf)
    return prove_overlap(problem.model, theta, steps)


def _check_separated(claim: Separated, engine: Engine, classes: list[Any]) -> Check:
    if list(claim.classes) != classes:
        return Check(False, f"the classes are {classes}")
    if claim.kind not in (COMPLETE, QUASI):
        return Check(False, f"there is no separation called {claim.kind!r}")
    wanted = (len(classes), engine.n_features + 1)
    if np.shape(claim.direction) != wanted:
        return Check(False, f"the direction must be {wanted}")
    if not claim.fit_intercept and np.any(claim.direction[:, 0]):
        return Check(False, "the model has no bias, the direction has one")
    model = Multinomial(engine, len(classes), claim.fit_intercept)
    problem = _wrong_margin(claim, engine)
    if problem is not None:
        return Check(False, problem)
    if claim.kind == QUASI and Directions(model).complete() is not None:
        return Check(False, "another direction separates the classes completely")
    return Check(True, f"{claim.kind} separation: no margin is negative and some are positive")


def _wrong_margin(claim: Separated, engine: Engine) -> str | None:
    """What is wrong with the margins of the direction, or None."""
    near = np.array([[float(v) for v in row] for row in claim.exact_direction])
    if near.shape != claim.direction.shape or not np.array_equal(near, claim.direction):
        return "the direction is not the exact one, rounded"
    none_negative, some, everywhere = engine.fold(signs_of, claim.exact_direction)
    if not none_negative:
        return "a row has a negative margin"
    if not some:
        return "every margin is 0: the direction changes no odds"
    if claim.kind == COMPLETE and not everywhere:
        return "a row has margin 0: the separation is not complete"
    return None


def _read(X: Any, y: Any, sample_weight: Any) -> tuple[Engine, list[Any]]:
    """The rows that count with their class numbers, and the labels."""
    matrix, labels = read_table(X, y)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    return _counting(choose(matrix, labels.codes, weight)), labels.classes.tolist()


def _counting(engine: Engine) -> Engine:
    """Without the rows of weight 0, as float64."""
    if engine.dtype == np.float64 and not (engine.weighted and engine.fold(_weightless)):
        return engine
    return engine.derive(_with_weight)


def _weightless(block: Block) -> int:
    return int(np.sum(~(block.weight > 0)))


@selects
def _with_weight(block: Block) -> tuple:
    X, y, weight = block.X.astype(np.float64, copy=False), block.y, block.weight
    if not block.weighted or (weight > 0).all():
        return X, y, weight
    kept = np.flatnonzero(weight > 0)
    return X[kept], y[kept], weight[kept]


def _numbered(block: Block, present: np.ndarray) -> tuple:
    """The present classes have numbers without gaps."""
    return block.X, np.searchsorted(present, block.y), block.weight


def _relative(weights: np.ndarray) -> np.ndarray:
    """(K − 1, d + 1) against the first class; one row, for two classes, already is."""
    return weights if len(weights) == 1 else weights[1:] - weights[0]
