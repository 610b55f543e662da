"""How a gradient descent ended, in a sentence with the numbers that matter.

The solver knows only its stopping rule; the certificate decides by a bound whether the minimum is
near. ``account`` is the sentence that goes with that decision.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal, localcontext
from typing import Any

from linscope.losses.hypotheses import SQUARED
from linscope.results import Status

from .gradient_state import State


def account(details: dict[str, Any], status: Status) -> str:
    """How the descent ended, for a certificate with this status.

    The solver's advice is for its own end: where the certificate decides otherwise, the sentence
    has the numbers alone.

    Parameters
    ----------
    details : of the solver's result
    status : of the certificate
    """
    own = status in (details["ended"], Status.SHORT_STEPS)
    return details["explanation"] if own else details["measured"]


def measured(solver: Any, state: State) -> str:
    """The last step and the number of passes."""
    passes = f"after {state.epoch:,} pass{'es' if state.epoch != 1 else ''}"
    return f"η‖∇J‖ = {state.next_step * solver.objective.unit:.3g} {passes}"


def explanation(solver: Any, state: State) -> str:
    """Why the solver stopped, and what would help if that is not the minimum."""
    if state.status is Status.DIVERGED:
        return _diverged(solver, state)
    step = f"η‖∇J‖ = {state.next_step * solver.objective.unit:.3g}"
    passes = f"after {state.epoch:,} pass{'es' if state.epoch != 1 else ''}"
    if state.status is Status.CONVERGED:
        return f"{step} is at most tol = {solver.tol:g} {passes}"
    advice = _advice(solver, state) if state.status is Status.MAX_ITER else ""
    return f"{step} is above tol = {solver.tol:g} {passes}{advice}"


def _advice(solver: Any, state: State) -> str:
    if state.rule.inverse:
        return "; raise max_iter, or eta0 if J hardly falls any more"
    eta = solver.choice.eta
    if solver.loss != SQUARED and solver.kind == "batch" and eta > solver.limit:
        limit = rounded_down(solver.limit)
        return (
            f"; η = {eta:g} is above {limit} = 2/λmax of a bound of ∇²J, so the steps need not "
            f"shrink: use eta0='auto' or at most {limit}"
        )
    slopes = [slope for _, slope in state.history]
    if solver.kind != "batch" and slopes[-1] > 0.5 * slopes[len(slopes) // 2]:
        calm = "average=True averages them, a lower eta0 calms them"
        if solver.average:
            calm = "the answer is their average; raise max_iter or lower eta0 to improve it"
        return f"; with a constant rate the weights keep oscillating around the minimum: {calm}"
    largest, smallest = solver.objective.curvature if solver.kind == "batch" else (0.0, 0.0)
    if largest > 1e3 * smallest:
        where = "" if solver.loss == SQUARED else "near w = 0 "
        return (
            f"; {where}the steepest direction of J is {largest / smallest:.2g} times as curved as "
            "the flattest: scale the columns of X, or raise max_iter"
        )
    return "; raise max_iter"


def _diverged(solver: Any, state: State) -> str:
    eta = solver.choice.eta
    if solver.diverges(eta):
        limit = rounded_down(solver.limit)
        return (
            f"η = {eta:g} is above 2/λmax = {limit}: the steps grow; use eta0='auto' or at most "
            f"{limit}"
        )
    first, last = state.history[0][0], state.criterion
    values = f"J grew from {first:.3g} to {last:.3g}"
    if last <= first:
        values = "within one pass the weights left the range of floating point"
    return f"η = {eta:g} is too large: {values}; eta0='auto' takes {solver.auto.eta:.3g} here"


def rounded_down(value: float, digits: int = 3) -> str:
    """Three digits, and never more than the value.

    >>> rounded_down(0.12019), rounded_down(1999.6)
    ('0.12', '1990')
    """
    with localcontext(prec=digits, rounding=ROUND_FLOOR):
        return f"{float(+Decimal(value)):g}"
