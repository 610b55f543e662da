"""The iterates of a descent, worked out again from its log by the arithmetic of the fit."""

from __future__ import annotations

import numpy as np

from . import gradient_loops as loops
from .descent import GradientDescent, batch_step
from .gradient_state import GradientLog


def iterates(
    solver: GradientDescent, log: GradientLog, first: int, last: int, scores: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The weights after ``first`` … ``last`` updates, bit for bit those of the fit.

    Parameters
    ----------
    solver : the solver as it was set up for the fit
    log : what it has kept
    first, last : which updates, 0 is the start
    scores : also work out w·x of every sample of updates ``first`` + 1 … ``last`` before it was
        used (stochastic and mini-batch rules)

    Returns
    -------
    weights : array (last − first + 1, t, d + 1); in units of the solver, see ``Objective.unit``
    scores : array (samples, t), empty if not asked for

    Examples
    --------
    >>> from linscope.engines import choose
    >>> from linscope.fitting.driver import run
    >>> rows = choose([[1.0], [2.0]], [[1.0], [0.0]])
    >>> solver = GradientDescent(rows, kind="stochastic", eta0=0.5, keep_log=True)
    >>> log = run(solver, 1).log
    >>> weights, scores = iterates(solver, log, 0, 2, scores=True)
    >>> weights[:, 0], scores[:, 0]
    (array([[ 0.  ,  0.  ],
           [ 0.5 ,  0.5 ],
           [-0.25, -1.  ]]), array([0. , 1.5]))
    """
    if solver.kind == "batch":
        return _batch_iterates(solver, log, first, last), np.zeros((0, 0))
    epoch, W = log.kept.before(first // solver.batches)
    state = loops.start(W)
    rule = solver.rule
    while epoch < first // solver.batches:
        solver.visit(state, rule, epoch, 0, solver.batches)
        epoch += 1
    at = first - epoch * solver.batches
    if at:
        solver.visit(state, rule, epoch, 0, at)
    weights = np.empty((last - first + 1, *state.W.shape))
    weights[0] = state.W
    weights[0, :, 1:] *= state.scale[0]
    found, done = [], 0
    while done < last - first:
        count = min(solver.batches - at, last - first - done)
        seen = min((at + count) * solver.size, solver.engine.n_rows) - at * solver.size
        part = np.empty((seen if scores else 0, len(W)))
        into = {"scores": part, "history": weights[done + 1 : done + 1 + count]}
        solver.visit(state, rule, epoch, at, at + count, **into)
        found.append(part)
        done, epoch, at = done + count, epoch + 1, 0
    return weights, np.concatenate(found) if found else np.zeros((0, len(W)))


def _batch_iterates(solver: GradientDescent, log: GradientLog, first: int, last: int):
    at, W = log.kept.before(first)
    state, rule = loops.start(W), solver.rule
    weights = np.empty((last - first + 1, *W.shape))
    while True:
        if at >= first:
            weights[at - first] = state.W
        if at == last:
            return weights
        at += 1
        if at in log.kept.arrays:
            state.W[:] = log.kept.arrays[at]
            continue
        _, gradient = solver.objective.evaluate(state.W)
        batch_step(state, rule.eta0 / at if rule.inverse else rule.eta0, gradient)
