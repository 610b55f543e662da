"""Gradient descent on a sum of losses: batch, mini-batch and stochastic (LMS for least squares).

    J(w)  =  Σ_i c_i f(w·x_i, y_i)  +  ½ α Σ_{j≥1} w_j²
    w     ←  w + η_k ( Σ_{i ∈ B} c_i (y_i − h(w·x_i)) x_i  −  α |B|/n [0, w_1 … w_d] )

B is all samples (batch), some of them (mini-batch) or one (stochastic); the update is the notes'
sum, not a mean. One step of the solver is one pass over the samples. η_k = η_0, or η_0/k with
schedule "inverse", where k counts updates.

It stops by the rule of the notes, η_k‖∇J(w)‖ ≤ tol, with the gradient over all samples, looked at
after each pass: then a batch step would move the weights by no more than tol. With several target
columns each has to fulfil it. The loops are in ``gradient_loops``, the rates in ``gradient_rates``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linscope.engines import Engine
from linscope.losses.hypotheses import BENDS, SQUARED, STEP
from linscope.results import Result, Status, VisitOrder
from linscope.rows.blocks import Block
from linscope.rows.operations import GIVEN_ORDER, as_rows, frozen

from . import gradient_loops as loops
from .ending import explanation, measured
from .gradient_loops import Iterates, Rule
from .gradient_objective import Objective
from .gradient_rates import Choice, batch_rate, sample_rate
from .gradient_state import GradientLog, Kept, State, steepest

KINDS = ("batch", "mini-batch", "stochastic")
LOG_BYTES = 64 << 20
TAIL_POINTS = 128
# J above so many times its first value is taken for divergence.
GROWTH = 1e6
NO_SCORES, NO_HISTORY = np.zeros((0, 0)), np.zeros((0, 0, 0))


@dataclass
class GradientDescent:
    """Descent on J for one or several target columns, which share rows, rate and visits.

    Parameters
    ----------
    engine : rows, with targets (n, t) in float64; the weights are (d + 1, t), bias first
    kind : "batch", "mini-batch" or "stochastic"
    order : which sample is visited when; by default the given order
    eta0 : the learning rate, or "auto"
    schedule : "constant" or "inverse"
    alpha : strength of the ridge penalty, which spares the bias
    batch_size : samples of a mini-batch
    tol : stop when η‖∇J‖ is at most this
    intercept : whether there is a bias; without one w[0] stays 0
    initial : first weights, of the shape of the weights; by default zeros
    average : also average the iterates of the second half of the passes
    keep_log : keep what a replay needs
    loss : which loss and hypothesis, as an integer code of ``hypotheses``

    The result's ``details`` hold ``criterion`` (J), ``gradient_norm``, ``eta`` and ``eta_reason``
    (the rate of the first update and where it comes from), ``step`` (η‖∇J‖), ``history`` (one row
    for the start and one for each pass: J and ‖∇J‖), ``averaged`` (weights, or None), and what
    ``ending.account`` takes: ``ended`` (the status), ``measured`` and ``explanation``.

    Examples
    --------
    >>> from linscope.engines import choose
    >>> from linscope.fitting.driver import run
    >>> rows = choose([[1.0], [2.0], [3.0]], [[3.0], [5.0], [7.0]])
    >>> result = run(GradientDescent(rows, tol=1e-10), 1000)
    >>> result.weights.round(6), result.status.name
    (array([[1.],
           [2.]]), 'CONVERGED')
    >>> run(GradientDescent(rows, eta0=0.5), 1000).details["explanation"]
    "η = 0.5 is above 2/λmax = 0.12: the steps grow; use eta0='auto' or at most 0.12"
    """

    engine: Engine
    kind: str = "batch"
    order: VisitOrder | None = None
    eta0: float | str = "auto"
    schedule: str = "constant"
    alpha: float = 0.0
    batch_size: int = 32
    tol: float = 1e-6
    intercept: bool = True
    initial: np.ndarray | None = None
    average: bool = False
    keep_log: bool = False
    loss: int = SQUARED
    task: str = "gradient descent"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {self.kind!r}")
        bias = 1.0 if self.intercept else 0.0
        objective = Objective(self.engine, bias, float(self.alpha), self.loss)
        self.objective, n = objective.in_range(), self.engine.n_rows
        self.order = self.order or VisitOrder(n)
        self.size = {"batch": n, "mini-batch": min(self.batch_size, n), "stochastic": 1}[self.kind]
        self.batches = -(-n // self.size)

    def init(self) -> State:
        if not np.isfinite(self.objective.lengths[1]):
            raise ValueError("X or the weights of the samples are not finite, or too large")
        iterates = loops.start(self._first_weights(), self.average)
        with np.errstate(over="ignore", invalid="ignore"):
            value, gradient = self.objective.evaluate(iterates.W)
        if not (np.isfinite(value).all() and np.isfinite(gradient).all()):
            raise ValueError("J leaves the range of floating point: scale y")
        state = State(iterates, value, gradient, self.rule)
        if self.keep_log:
            state.kept = Kept(LOG_BYTES // (8 * iterates.W.size))
        if self.average:
            state.sums = Kept(TAIL_POINTS)
        self._remember(state)
        return state

    def step(self, state: State) -> State:
        if not self._done(state):
            self._pass(state)
        else:  # only at the very start: later the end of the last pass has seen it
            state.epoch += 1
        if state.status is None and self._done(state):
            state.status = Status.CONVERGED
        return state

    def _done(self, state: State) -> bool:
        return state.next_step * self.objective.unit <= self.tol

    def result(self, state: State) -> Result:
        assert state.status is not None
        assert self.order is not None
        unit = self.objective.unit
        if state.status is Status.MAX_ITER and (
            self._grown(state) or self.diverges(self.choice.eta)
        ):
            state.status = Status.DIVERGED
        log = None
        if state.kept is not None:
            log = GradientLog(state.kept, state.updates, self.size, self.order)
        return Result(
            weights=self.shaped(state.iterates.W),
            status=state.status,
            n_iter=state.epoch,
            n_updates=state.updates,
            log=log,
            details={
                "criterion": state.criterion,
                "gradient_norm": state.slope / unit,
                "eta": self.choice.eta,
                "eta_reason": self.choice.reason,
                "step": state.next_step * unit,
                "history": np.array(state.history) / [1.0, unit],
                "averaged": self._averaged(state),
                "ended": state.status,
                "measured": measured(self, state),
                "explanation": explanation(self, state),
            },
        )

    @property
    def needs(self) -> str:
        """What an engine must have besides blocks."""
        return "" if self.kind == "batch" else "ordered rows"

    @cached_property
    def rows(self) -> Block:
        """The rows in the order of their visits."""
        return self.objective.engine.all_rows(f"{self.kind} gradient descent")

    def visit(self, iterates: Iterates, rule: Rule, epoch: int, first: int, last: int, **into):
        """Batches ``first`` … ``last`` − 1 of a pass, see ``gradient_loops.visit``."""
        assert self.order is not None
        order = self.order.epoch(epoch)
        loops.visit(
            as_rows(self.rows.X, 0.0),
            frozen(self.rows.y),
            self.rows.weight,
            GIVEN_ORDER if order is None else order,
            first,
            last,
            self.size,
            rule,
            epoch * self.batches + first,
            iterates,
            into.get("scores", NO_SCORES),
            into.get("history", NO_HISTORY),
        )
        if last == self.batches:
            loops.fold(iterates)

    def shaped(self, W: np.ndarray) -> np.ndarray:
        """Weights (t, d + 1) as the user has them: (d + 1, t)."""
        return np.ascontiguousarray((W * self.objective.unit).T)

    def diverges(self, eta: float) -> bool:
        """Whether batch steps with the constant rate ``eta`` are known to grow: η > 2/λmax."""
        if self.kind != "batch" or self.schedule != "constant" or self.loss != SQUARED:
            return False
        return eta > self.limit * (1 + 1e-9)

    @property
    def limit(self) -> float:
        """2/λmax: with a larger constant rate batch steps grow, or may if λmax is a bound."""
        largest = self.objective.curvature.largest
        return 2.0 / largest * self.objective.unit**2 if largest else np.inf

    @cached_property
    def auto(self) -> Choice:
        """The rate of eta0="auto"."""
        J, bend = self.objective, BENDS[self.loss]
        if self.loss == STEP:
            return Choice(1.0, "the boundary is the same for every rate")
        if self.kind != "batch":
            n, size = self.engine.n_rows, self.size
            choice = sample_rate(J.longest(size), J.lengths[1] / n, n, size, J.alpha, bend)
        elif self.loss == SQUARED:
            choice = batch_rate(J.curvature)
        else:  # the flattest that J can be is where only the penalty bends it
            least = 0.0 if self.intercept else J.alpha
            choice = batch_rate(J.curvature._replace(smallest=least), "a bound of ∇²J")
        return choice._replace(eta=choice.eta * self.objective.unit**2)

    @property
    def choice(self) -> Choice:
        return self.auto if isinstance(self.eta0, str) else Choice(float(self.eta0), "given")

    @property
    def rule(self) -> Rule:
        J = self.objective
        inverse = self.schedule == "inverse"
        return Rule(self.loss, self.choice.eta / J.unit**2, inverse, J.alpha, J.bias)

    def _pass(self, state: State) -> None:
        before = Iterates(*map(np.copy, state.iterates))
        with np.errstate(over="ignore", invalid="ignore"):
            if self.kind == "batch":
                batch_step(state.iterates, state.rate, state.gradient)
            else:
                self.visit(state.iterates, state.rule, state.epoch, 0, self.batches)
            value, gradient = self.objective.evaluate(state.iterates.W)
            found = (*state.iterates, value, gradient)
            sound = all(np.isfinite(array).all() for array in found)
        if not sound:  # the last finite weights are the answer
            state.iterates, state.status = before, Status.DIVERGED
            return
        state.value, state.gradient = value, gradient
        state.updates += self.batches
        state.epoch += 1
        self._remember(state)
        # Rates η_0/k fall, and what has grown may still shrink again.
        if self._grown(state) and self.schedule == "constant":
            state.status = Status.DIVERGED

    def _grown(self, state: State) -> bool:
        if self.loss == STEP:  # J depends on the length of w, the boundary does not
            return False
        first = max(state.history[0][0], self.objective.value_at_zero)
        return state.criterion > GROWTH * first

    def _remember(self, state: State) -> None:
        state.history.append((state.criterion, steepest(state.gradient)))
        if state.kept is not None:
            state.kept.add(state.epoch, state.iterates.W)
        if state.sums is not None:
            state.sums.add(state.epoch, state.iterates.total)

    def _averaged(self, state: State) -> np.ndarray | None:
        """Mean of the iterates after the middle pass; the first weights if there are no others."""
        if state.sums is None:
            return None
        if state.updates == 0:
            return self.shaped(state.iterates.W)
        epoch, total = state.sums.before(state.epoch // 2)
        count = state.updates * (state.epoch - epoch) // state.epoch
        return self.shaped((state.iterates.total - total) / count)

    def _first_weights(self) -> np.ndarray:
        if self.initial is None:
            return np.zeros(self.objective.shape)
        given = np.asarray(self.initial, dtype=np.float64) / self.objective.unit
        return given.T.reshape(self.objective.shape)


def batch_step(iterates: Iterates, eta: float, gradient: np.ndarray) -> None:
    """w ← w − η∇J(w), in place, with the sum of the iterates if it is wanted."""
    iterates.W[:] -= eta * gradient
    if len(iterates.total):
        iterates.total[:] += iterates.W
