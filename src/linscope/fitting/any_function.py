"""Gradient descent on any function, step by step, as the notes write it.

    k = 1, x⁽¹⁾ a first guess
    while η_k ‖∇f(x⁽ᵏ⁾)‖ > ε:
        x⁽ᵏ⁺¹⁾ = x⁽ᵏ⁾ − η_k ∇f(x⁽ᵏ⁾),   k = k + 1

With η too small there are too many steps, with η too large they jump over the minimum and may never
find it. Only a *local* minimum is found: which one depends on the start.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from linscope.data.frames import to_backend
from linscope.results import Result, Status
from linscope.results.notebook import facts

from .driver import run

# So many steps in a row, each longer than the last and each uphill, are no descent.
UPHILL = 10


class History(NamedTuple):
    """What was seen at x⁽¹⁾, x⁽²⁾ …, one row each.

    x : points (k, n). value : f. gradient_norm : ‖∇f‖. eta : η_k, which the next step took.
    """

    x: np.ndarray
    value: np.ndarray
    gradient_norm: np.ndarray
    eta: np.ndarray


@dataclass(frozen=True, kw_only=True, repr=False)
class Descent(Result):
    """The run of ``gradient_descent``.

    Attributes
    ----------
    x : the last point, a float or an array as the start was
    value, gradient_norm : f and ‖∇f‖ there
    status : how it ended; ``explanation`` says it with numbers
    n_iter : steps made
    history : ``x``, ``value``, ``gradient_norm`` and ``eta`` at each point, the start first
    function : f
    """

    x: Any
    value: float
    gradient_norm: float
    explanation: str
    history: History
    function: Callable[[Any], Any] = field(compare=False)

    @property
    def success(self) -> bool:
        return self.status.ok

    def to_frame(self, *, backend: str | None = None) -> Any:
        """One row per point: ``k`` from 1, ``x`` or ``x1 … xn``, ``f``, ``gradient_norm``, ``eta``.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "dict"}, by default the first installed
        """
        points = self.history.x
        names = ["x"] if np.ndim(self.x) == 0 else [f"x{j + 1}" for j in range(points.shape[1])]
        columns = {"k": np.arange(1, len(points) + 1)}
        columns |= {name: points[:, j] for j, name in enumerate(names)}
        _, columns["f"], columns["gradient_norm"], columns["eta"] = self.history
        return to_backend(columns, backend)

    def _repr_html_(self) -> str:
        where = np.array2string(np.asarray(self.x), precision=6, threshold=8)
        pairs = [
            ("x", where),
            ("f(x)", f"{self.value:.6g}"),
            ("‖∇f(x)‖", f"{self.gradient_norm:.6g}"),
            ("steps", f"{self.n_iter:,}"),
            ("why it ended", self.explanation),
        ]
        return facts("Gradient descent", pairs, self.success)

    def __repr__(self) -> str:
        where = np.array2string(np.asarray(self.x), precision=6, threshold=8)
        steps = f"{self.n_iter:,} step{'' if self.n_iter == 1 else 's'}"
        return f"<Descent: f({where}) = {self.value:.6g} after {steps}: {self.explanation}>"


def gradient_descent(
    f: Callable[[Any], Any],
    *start: Any,
    grad: Callable[[Any], Any] | None = None,
    x0: Any = None,
    eta: float = 0.1,
    schedule: str | Callable[[int], float] = "constant",
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> Descent:
    """Go downhill from ``x0`` until η‖∇f‖ ≤ tol.

    Parameters
    ----------
    f : function of a point; takes a float if ``x0`` is one, else an array
    start : ``x0``, or ``grad, x0``; both may be given by name instead
    grad : its gradient; None takes central differences, (f(x + h) − f(x − h)) / 2h
    x0 : where to start, a number or an array
    eta : the learning rate η
    schedule : "constant" (η), "inverse" (η/k), or a function of k = 1, 2 … that gives η_k itself
    tol : stop when the next step would be no longer than this
    max_iter : most steps

    Returns
    -------
    Descent
        With ``x``, ``value``, ``status``, ``history``; ``linscope.plot.descent`` draws it.

    Examples
    --------
    >>> import linscope as ls
    >>> ls.gradient_descent(lambda x: (x - 3) ** 2, lambda x: 2 * (x - 3), 0.0, tol=1e-9)
    <Descent: f(3.) = 2.07...e-17 after 91 steps: η‖∇f‖ = 9.11e-10 is at most tol = 1e-09>
    >>> round(ls.gradient_descent(lambda x: (x - 3) ** 2, 0.0).x, 4)
    3.0
    >>> run = ls.gradient_descent(lambda x: (x - 3) ** 2, 0.0, eta=1.1)
    >>> run.status.name, run.explanation
    ('DIVERGED', 'f rose from 9 to 345 in 10 ever longer steps: η = 1.1 is too large')
    """
    grad, x0 = _read_start(start, grad, x0)
    _check(f, grad, eta, schedule, tol)
    if not isinstance(max_iter, Integral) or max_iter < 1:
        raise ValueError(f"max_iter must be a whole number of at least 1, got {max_iter!r}")
    return run(_Method(f, grad, x0, eta, schedule, tol), int(max_iter))


@dataclass
class _State:
    points: list[np.ndarray]
    values: list[float]
    gradients: list[np.ndarray]
    rates: list[float]
    status: Status | None = None
    lost: str = ""
    uphill: int = 0

    @property
    def next_step(self) -> float:
        return self.rates[-1] * math.hypot(*self.gradients[-1])

    @property
    def note(self) -> str:
        return f"f = {self.values[-1]:.6g}"


class _Method:
    """The method as a solver: one step is one update."""

    task = "gradient descent"

    def __init__(self, f: Any, grad: Any, x0: Any, eta: Any, schedule: Any, tol: float) -> None:
        first = np.asarray(x0, dtype=np.float64)
        if first.ndim > 1 or first.size == 0 or not np.isfinite(first).all():
            raise ValueError(f"x0 must be a finite number or a vector of them, got {x0!r}")
        self.scalar, self.first = first.ndim == 0, first.reshape(-1)
        self.f, self.grad = f, grad
        self.eta, self.schedule, self.tol = float(eta), schedule, float(tol)

    def init(self) -> _State:
        value, slope = self._look(self.first)
        if not (np.isfinite(value) and np.isfinite(slope).all()):
            raise ValueError(f"f or its gradient is not finite at x0 = {self._given(self.first)}")
        return _State([self.first], [value], [slope], [self._rate(1)])

    def step(self, state: _State) -> _State:
        if state.next_step <= self.tol:
            state.status = Status.SMALL_STEP
            return state
        with np.errstate(over="ignore", invalid="ignore"):
            x = state.points[-1] - state.rates[-1] * state.gradients[-1]
            value, slope = self._look(x)
        if not (np.isfinite(x).all() and np.isfinite(value) and np.isfinite(slope).all()):
            state.status = Status.DIVERGED
            state.lost = "f falls without bound" if value == -np.inf else "f is not finite any more"
            return state
        before = state.next_step
        state.points.append(x)
        state.values.append(value)
        state.gradients.append(slope)
        state.rates.append(self._rate(len(state.points)))
        grew = value > state.values[-2] and state.next_step > before
        state.uphill = state.uphill + 1 if grew else 0
        if state.next_step <= self.tol:
            state.status = Status.SMALL_STEP
        elif state.uphill == UPHILL:
            state.status = Status.DIVERGED
        return state

    def result(self, state: _State) -> Descent:
        assert state.status is not None
        norms = np.array([math.hypot(*slope) for slope in state.gradients])
        history = History(
            np.array(state.points), np.array(state.values), norms, np.array(state.rates)
        )
        return Descent(
            weights=state.points[-1],
            status=state.status,
            n_iter=len(state.points) - 1,
            n_updates=len(state.points) - 1,
            x=self._given(state.points[-1]),
            value=state.values[-1],
            gradient_norm=float(norms[-1]),
            explanation=self._explain(state),
            history=history,
            function=self.f,
        )

    def _explain(self, state: _State) -> str:
        rate = f"η = {state.rates[-1]:.4g}"
        if state.lost:
            steps = len(state.points)
            return f"{state.lost} at step {steps:,}: {rate} may be too large"
        if state.status is Status.DIVERGED:
            first, last = state.values[-1 - UPHILL], state.values[-1]
            return (
                f"f rose from {first:.3g} to {last:.3g} in {UPHILL} ever longer steps: {rate} is "
                "too large"
            )
        step = f"η‖∇f‖ = {state.next_step:.3g}"
        if state.status is Status.SMALL_STEP:
            return f"{step} is at most tol = {self.tol:g}"
        if state.status is Status.MAX_ITER and np.any(np.diff(state.values[-UPHILL:]) > 0):
            return f"{step} is above tol = {self.tol:g} and f does not settle: lower eta"
        return f"{step} is above tol = {self.tol:g}: raise max_iter, or eta if f falls slowly"

    def _given(self, x: np.ndarray) -> Any:
        """The point as the user has it."""
        return float(x[0]) if self.scalar else x.copy()

    def _rate(self, k: int) -> float:
        if callable(self.schedule):
            rate = float(self.schedule(k))
            if not 0 < rate < np.inf:
                raise ValueError(f"schedule({k}) gave {rate}: rates must be positive and finite")
            return rate
        return self.eta / k if self.schedule == "inverse" else self.eta

    def _look(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """f and ∇f at x; what overflows is infinite."""
        value = self._value(x)
        if self.grad is None:
            return value, self._differences(x)
        try:
            slope = np.asarray(self.grad(self._given(x)), dtype=np.float64)
        except OverflowError:
            return value, np.full(len(x), np.inf)
        if slope.size != len(x):
            raise ValueError(f"grad(x) has {slope.size} numbers for a point of {len(x)}")
        return value, slope.reshape(-1)

    def _value(self, x: np.ndarray) -> float:
        try:
            value = np.asarray(self.f(self._given(x)), dtype=np.float64)
        except OverflowError:  # Python's floats raise where NumPy's become infinite
            return np.inf
        if value.size != 1:
            raise ValueError(f"f(x) must be one number, got an array of shape {value.shape}")
        return float(value.reshape(()))

    def _differences(self, x: np.ndarray) -> np.ndarray:
        """Central differences; h balances rounding against curvature."""
        slope = np.empty(len(x))
        for j in range(len(x)):
            h = np.cbrt(np.finfo(np.float64).eps) * max(1.0, abs(x[j]))
            up, down = x.copy(), x.copy()
            up[j] += h
            down[j] -= h
            with np.errstate(over="ignore", invalid="ignore"):
                slope[j] = (self._value(up) - self._value(down)) / (up[j] - down[j])
        return slope


def _read_start(start: tuple[Any, ...], grad: Any, x0: Any) -> tuple[Any, Any]:
    """The gradient and the first point, in whichever way they were given."""
    if len(start) == 2 and grad is None and x0 is None:
        return start
    if len(start) == 1 and x0 is None:
        if callable(start[0]):
            raise TypeError("where to start? Pass gradient_descent(f, grad, x0) with a point x0")
        return grad, start[0]
    if len(start) == 1 and grad is None:
        return start[0], x0
    if not start and x0 is not None:
        return grad, x0
    raise TypeError("pass gradient_descent(f, x0), gradient_descent(f, grad, x0), or x0= and grad=")


def _check(f: Any, grad: Any, eta: Any, schedule: Any, tol: Any) -> None:
    if not callable(f):
        raise TypeError(f"f must be a function of a point, got {f!r}")
    if grad is not None and not callable(grad):
        raise TypeError(f"grad must be a function or None for finite differences, got {grad!r}")
    if not callable(schedule) and schedule not in ("constant", "inverse"):
        raise ValueError(
            f"schedule must be 'constant', 'inverse' or a function of k, got {schedule!r}"
        )
    if not isinstance(eta, Real) or not 0 < float(eta) < np.inf:
        raise ValueError(f"eta must be a positive number, got {eta!r}")
    if not isinstance(tol, Real) or not 0 <= float(tol) < np.inf:
        raise ValueError(f"tol must be a number of at least 0, got {tol!r}")
