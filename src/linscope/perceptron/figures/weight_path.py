"""The weights of a perceptron before its first update and after each, and their boundaries."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from linscope.data.tables import TableLike
from linscope.display.boundary_path import BoundaryPathDisplay
from linscope.display.inputs import Samples, read_samples, read_weights
from linscope.fitting.training import binary_problems, read_training
from linscope.rows.operations import GIVEN_ORDER

from ..solvers import loops
from ..solvers.rule import PerceptronRule, update_steps


def path_of_boundaries(
    X: TableLike, y: Any, weights: Any, *, features: Any = None, ax: Any = None
) -> BoundaryPathDisplay:
    """The boundary after each update, from faint to strong.

    Parameters
    ----------
    X, y : samples of two classes
    weights : path of the weights (array, perceptron or trace)
    features : two features by number or name, needed if X has more than two
    ax : matplotlib axes, optional

    Examples
    --------
    >>> import linscope as ls
    >>> X, y = ls.datasets.load("or")
    >>> ls.plot.path_of_boundaries(X, y, ls.Perceptron(tie="negative"))
    <BoundaryPathDisplay: 4 updates: the boundary moves from faint to dark>
    """
    path = weight_path(weights, read_samples(X, y, binary=True), name="weights").weights
    return BoundaryPathDisplay.from_path(path, X, y, features=features).plot(ax)


class WeightPath(NamedTuple):
    """Weights (updates + 1, d + 1), bias first, and the perceptron that made them, if known."""

    weights: np.ndarray
    model: Any = None


def weight_path(source: Any, samples: Samples, *, name: str) -> WeightPath:
    """The path from weights, from a perceptron (fitted again here), or from a trace of one."""
    model = getattr(source, "estimator", source)
    if hasattr(model, "tie") and hasattr(model, "init"):  # a linear perceptron
        return perceptron_path(model, samples)
    if hasattr(source, "fit") or hasattr(source, "estimator") or isinstance(source, str):
        raise TypeError(
            f"{name} must be weights with the bias first, a linscope Perceptron or its trace, "
            f"got {type(source).__name__}"
        )
    return WeightPath(read_weights(source, samples.X.shape[1], name=name))


def perceptron_path(model: Any, samples: Samples) -> WeightPath:
    """Replay the log of a fit; a model without a log is first fitted again, as a clone."""
    labels = samples.truth
    fitted = model
    if not _has_log(model, len(labels)):
        fitted = clone(model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted._fit(samples.X, labels, keep_log=True)
    training = read_training(clone(model), samples.X, labels)
    (problem,) = binary_problems(training.classes, training.codes, "ovr")
    solver = fitted._solver(training, problem, 0, keep_log=False)
    replay = _single if solver.kind == "single" else _batches
    return WeightPath(replay(solver, fitted.results_[0].log), fitted)


def _has_log(model: Any, n_samples: int) -> bool:
    results = getattr(model, "results_", [])
    log = results[0].log if len(results) == 1 else None
    return log is not None and log.order.n_samples == n_samples


def _single(solver: PerceptronRule, log: Any) -> np.ndarray:
    places, steps = update_steps(log, solver.rule, solver.y, solver.weight)
    weights = np.empty((len(places) + 1, len(log.initial)))
    weights[0] = log.initial
    loops.replay_vectors(solver.rows, places, steps, log.initial.copy(), weights[1:])
    return weights


def _batches(solver: PerceptronRule, log: Any) -> np.ndarray:
    """Add the logged batches' mistakes again."""
    weights = np.empty((len(log.updates) + 1, len(log.initial)))
    weights[0] = w = log.initial.copy()
    n = len(solver.y)
    radius = loops.radius(solver.rows, n)
    for k, batch in enumerate(log.updates, start=1):
        epoch, number = divmod(int(batch), log.batches_per_epoch)
        permutation = log.order.epoch(epoch) if solver.kind == "mini-batch" else None
        order = GIVEN_ORDER if permutation is None else permutation
        begin = number * log.batch_size
        end, total = min(begin + log.batch_size, n), np.zeros_like(w)
        data = solver.rows, solver.y, solver.weight
        loops.add_mistakes(*data, order, begin, end, solver.rule, w, radius, total)
        eta = solver.rule.eta0 / (log.first_update + k if solver.rule.inverse else 1)
        w = w + eta * total
        weights[k] = w
    return weights
