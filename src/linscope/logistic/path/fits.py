"""The fits of a path: the whole table and every fold, C after C.

Three ways, all with ``solve(C)``, then ``weights``, ``certificate(m)`` and ``held_out(f)``; problem
0 is the whole table, problem f + 1 is fold f:

    SharedFits   dense tables with an l2 penalty: all folds in one pass (``solvers.folds``)
    WarmFits     sparse and wide tables, large softmax: trust region, each fit started at the last
    RefitFits    every other penalty, solver or form: warm-started fits of the estimator itself
                 (``linscope.validation.refits``)
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from sklearn.base import clone

from linscope.engines import choose
from linscope.fitting.column_scaling import ColumnFrame, framed
from linscope.fitting.training import Training
from linscope.results import Certificate, Status
from linscope.rows.threads import Workers, one_blas_thread
from linscope.validation.refits import RefitFits
from linscope.validation.splits import Split, group_rows

from ..certificates.gap import GOOD
from ..certificates.logistic import (
    ROOM,
    SMALL_WORK,
    Proof,
    Solved,
    careful_proof,
    quick_proof,
    with_proof,
)
from ..certificates.path_bounds import (
    Doubt,
    PathCertificate,
    bound_from_factor,
    doubt_of,
    dual_gap,
    longest_row,
)
from ..solvers.folds.newton import FoldNewton
from ..solvers.folds.table import FoldTable
from ..solvers.objective import LogisticObjective
from ..solvers.trust_region import TrustRegion
from ..solving.choice import accuracy, strengths
from ..solving.problems import promised

# Hessians of all folds are kept: (folds + 1) size² numbers, and size³ work for each.
MOST_SHARED, MOST_SHARED_SOFTMAX = 600, 200
# A gap so small, relatively, needs no second bound; multiplications that a second one may cost.
SMALL_GAP, CHEAP = 1e-10, 20_000_000


class Fits(Protocol):
    weights: np.ndarray
    steps: int  # of the whole table for the last C

    def solve(self, C: float) -> None: ...

    def certificate(self, problem: int) -> Certificate: ...

    def held_out(self, fold: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Numbers of the rows held out and their scores; None: ask ``model``."""
        ...

    def model(self, problem: int) -> Any:
        """A fitted estimator."""
        ...


def make_fits(
    estimator: Any, training: Training, splits: list[Split], *, whole: bool = True
) -> Fits:
    """The quickest way that the estimator's parameters allow.

    Without the ``whole`` table only the folds need be right.
    """
    softmax = len(training.classes) == 2 or estimator.multi_class == "softmax"
    l2 = strengths(1.0, estimator.penalty, estimator.l1_ratio).rho > 0
    if not (l2 and softmax and estimator.solver in ("auto", "newton", "trust-region")):
        return RefitFits(estimator, training, splits, whole=whole)
    engine = choose(training.X, training.codes, training.weight)
    frame = framed(engine, fit_intercept=estimator.fit_intercept)
    if frame.engine.is_sparse or estimator.solver == "trust-region":
        return WarmFits(estimator, training, splits, frame, whole)
    two = len(training.classes) == 2
    size = (training.X.shape[1] + 1) * (1 if two else len(training.classes))
    found = None
    if size <= (MOST_SHARED if two else MOST_SHARED_SOFTMAX):
        found = group_rows(splits, len(training.codes))
    if found is None:
        return WarmFits(estimator, training, splits, frame, whole)
    return SharedFits(estimator, training, frame, splits, *found)


def _numbers(training: Training) -> int:
    K = len(training.classes)
    return training.X.shape[0] * training.X.shape[1] * (1 if K == 2 else K)


class SharedFits:
    """All folds at once."""

    def __init__(self, estimator, training: Training, frame: ColumnFrame, splits, order, groups):
        self.estimator, self.training, self.frame = estimator, training, frame
        self.rows: list[Any] = [slice(None), *(split.train for split in splits)]
        K, bias = len(training.classes), estimator.fit_intercept
        X = frame.engine.all_rows("a path with shared folds").X
        self.table = FoldTable(X, training.codes, K, training.weight, order, groups, bias)
        tol = accuracy(estimator.tol, _numbers(training))
        with one_blas_thread():
            self.newton = FoldNewton(self.table, frame.pull(1.0), tol, estimator.max_iter)
        self.sums, self.longest = self.table.class_sums(), longest_row(X)
        self.largest = float(np.abs(self.table.X).max(initial=0.0))

    def solve(self, C: float) -> None:
        with one_blas_thread():
            self.newton.solve(C)
        self.steps = self.newton.steps
        self.weights = np.array([self.frame.original(W) for W in self.newton.W])

    def certificate(self, problem: int) -> PathCertificate:
        m, newton = problem, self.newton
        claim = _claim(self, newton.status[m], self.weights[m], newton.C)
        if _numbers(self.training) <= SMALL_WORK:
            return with_proof(claim, _careful(self, claim, m))
        proof = self._proof(m, claim.weights, 0.5 * claim.tolerance)
        if not proof.gap <= claim.tolerance * abs(proof.value):
            proof = _careful(self, claim, m)
        return with_proof(claim, proof)

    def _proof(self, m: int, held: np.ndarray, enough: float) -> Proof:
        """From the sums that the steps have; the Newton bound only where the dual one is large."""
        newton, table = self.newton, self.table
        W, loss, gradient = newton.W[m], newton.losses.value[m], newton.losses.gradient[m]
        value = float(newton.value(W[None], newton.losses.value[m : m + 1])[0])
        sums, frame = newton.C * self.sums[m], self.frame
        doubt = doubt_of(
            W,
            newton.C * loss,
            sums,
            self.largest,
            table.d,
            table.rounding,
            frame.rounding(held, W),
        )
        rest = (newton.C, newton.ridge, self.sums[m], table.intercept)
        gap = dual_gap(W, loss, gradient, *rest, doubt)
        small = min(enough, SMALL_GAP) * value
        if gap > small:
            with one_blas_thread():
                gap = min(gap, self._newton_gap(m, small, doubt))
        slope = doubt.slope + 8.2 * doubt.score * min(newton.C * loss, doubt.weight)
        g = newton.ridge * W + newton.C * gradient
        kkt = frame.original_slope(g, slope, self.largest)
        wrong = 4 * (doubt.value + 16 * 2.0**-53 * value)
        return Proof(value, min(ROOM * gap, value) + wrong, ROOM * kkt)

    def _newton_gap(self, m: int, enough: float, doubt: Doubt) -> float:
        """From the Hessian that is there; from a new one if that is not enough and cheap."""
        newton, table = self.newton, self.table
        g = (newton.ridge * newton.W[m] + newton.C * newton.losses.gradient[m]).ravel()
        found = np.inf
        if table.rows == 1:
            distance = float(np.sqrt(np.sum((newton.W[m] - newton.at[m]) ** 2)))
            found = bound_from_factor(g, newton.factors[m], self.longest, doubt, distance)
        if found > enough and table.n * table.size**2 <= CHEAP:
            newton.H[m] = table.hessians(newton.W[m], [m])[0]
            newton.at[m] = newton.W[m]
            # Scores of two classes differ by √2 ‖z‖ at most where each class has its weights.
            longest = self.longest * (1.0 if table.rows == 1 else np.sqrt(2.0))
            found = min(found, bound_from_factor(g, newton.factor(m), longest, doubt))
        return found

    def held_out(self, fold: int):
        return self.table.held_out(fold + 1)

    def model(self, problem: int):
        return with_weights(self.estimator, self.training, self.weights[problem])


class WarmFits:
    """Trust region; the whole table first, then each fold moved as the whole table moved.

    Without the ``whole`` table each fold starts where it was for the last C.
    """

    def __init__(
        self,
        estimator,
        training: Training,
        splits: list[Split],
        frame: ColumnFrame,
        whole: bool = True,
    ):
        self.estimator, self.training, self.frame, self.splits = estimator, training, frame, splits
        self.whole = whole
        make = partial(self._objective, estimator.fit_intercept)
        self.rows: list[Any] = [slice(None), *(split.train for split in splits)]
        self.X = frame.engine.all_rows("a path").X
        self.objectives = [make(rows) for rows in self.rows]
        self.tol = accuracy(estimator.tol, _numbers(training))
        self.folds = range(1, len(splits) + 1)
        self.V: list[np.ndarray] = []  # weights of the last two C
        # Small tables do not keep the threads busy by themselves.
        self._workers = Workers(None if len(self.objectives[0].engine.sizes) == 1 else 1)

    def _objective(self, intercept: bool, rows: Any) -> LogisticObjective:
        _, classes, codes, weight, _ = self.training
        own = weight[rows] if len(weight) else weight
        engine = choose(self.X[rows], codes[rows], own)
        return LogisticObjective(engine, len(classes), 1.0, intercept)

    def solve(self, C: float) -> None:
        """P/C = ½ Σ (ρ/C) w² + L: between values of C only the penalty changes."""
        self.C, before = C, self.V[-1] if self.V else None
        for objective in self.objectives:
            objective.rho = self.frame.pull(1.0 / C)
        with one_blas_thread():
            states = self._from_whole(before) if self.whole else self._alone(before)
        self.points = [state.point for state in states]
        self.toward = [state.toward for state in states]
        self.status = [state.status or Status.MAX_ITER for state in states]
        self.steps = states[0].passes
        V = np.array([point.W for point in self.points])
        self.V = [*self.V[-1:], V]
        self.weights = np.array([self.frame.original(one) for one in V])

    def _from_whole(self, before: np.ndarray | None) -> list[Any]:
        whole = self._solve(0, None if before is None else before[0] + self._change(0, 0.0))
        known, W = whole.preconditioner, whole.point.W
        starts = [W] * len(self.splits)
        if before is not None:
            starts = [W + before[m] - before[0] + self._change(m, 1.0) for m in self.folds]
        make = partial(self._fold, starts=starts, known=known)
        return [whole, *self._workers.map(make, self.folds)]

    def _alone(self, before: np.ndarray | None) -> list[Any]:
        """Each fold from its own last weights; what stands for the whole table is a fold."""
        starts = [None if before is None else before[m] + self._change(m, 0.0) for m in self.folds]
        states = list(self._workers.map(partial(self._fold, starts=starts), self.folds))
        return [states[0], *states]

    def _change(self, m: int, less: float) -> Any:
        """How the weights of m (less those of the whole table) changed before the last C."""
        if len(self.V) < 2:
            return 0.0
        older, newer = self.V
        return (newer[m] - less * newer[0]) - (older[m] - less * older[0])

    def _fold(self, m: int, starts: Any, known: Any = None):
        return self._solve(m, starts[m - 1], replace(known, products=0) if known else None)

    def _solve(self, m: int, start: np.ndarray | None, known: Any = None):
        solver = TrustRegion(self.objectives[m], self.tol, start)
        state = solver.init()
        if known is not None:
            state.preconditioner = known
        for _ in range(self.estimator.max_iter):
            state = solver.step(state)
            if state.status is not None:
                break
        return state

    def certificate(self, problem: int) -> PathCertificate:
        m, C = problem, self.C
        claim = _claim(self, self.status[m], self.weights[m], C)
        if _numbers(self.training) <= SMALL_WORK:
            return with_proof(claim, _careful(self, claim, m))
        args = (self.objectives[m], self.frame, self.points[m])
        # P/C was solved: its value, bound and gradient are those of P, divided by C.
        value, gap, kkt = quick_proof(Solved(*args), claim.weights)
        if gap > GOOD * value:
            value, gap, kkt = quick_proof(Solved(*args, self.toward[m]), claim.weights)
        room = 1e-15 * value
        proof = Proof(C * value, C * (gap + 8 * room), C * kkt * (1 + 1e-15))
        if not proof.gap <= claim.tolerance * abs(proof.value):
            proof = _careful(self, claim, m)
        return with_proof(claim, proof)

    def held_out(self, fold: int):
        rows = self.splits[fold].test
        V = self.V[-1][fold + 1]
        return rows, self.X[rows] @ V[:, 1:].T + V[:, 0]

    def model(self, problem: int):
        return with_weights(self.estimator, self.training, self.weights[problem])


def with_weights(estimator: Any, training: Training, W: np.ndarray) -> Any:
    """A clone that predicts with these weights."""
    model = clone(estimator)
    model.classes_, model.n_features_in_ = training.classes, W.shape[1] - 1
    W = W.astype(training.X.dtype)
    model.coef_, model.intercept_ = W[:, 1:], W[:, 0]
    return model


def _claim(fits: Any, status: Status, W: np.ndarray, C: float) -> PathCertificate:
    """What is claimed, but for the numbers."""
    numbers = _numbers(fits.training)
    return PathCertificate(
        status=status,
        weights=W,
        classes=fits.training.classes,
        C=C,
        tolerance=promised(fits.estimator, numbers, fits.weights.dtype),
        fit_intercept=fits.estimator.fit_intercept,
        weighted=len(fits.training.weight) > 0,
    )


def _careful(fits: Any, claim: PathCertificate, problem: int) -> Proof:
    X, _, codes, weight, _ = fits.training
    rows = fits.rows[problem]
    return careful_proof(claim, X[rows], codes[rows], weight[rows] if len(weight) else weight)
