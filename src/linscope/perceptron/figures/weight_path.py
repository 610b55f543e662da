"""The weights of a perceptron before its first update and after each, and their boundaries."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from linscope.data.tables import TableLike
from linscope.display.boundary_path import BoundaryPathDisplay
from linscope.display.inputs import Samples, read_samples, read_weights
from linscope.tracing.start import trace


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
        return perceptron_path(source, model, samples)
    if hasattr(source, "fit") or hasattr(source, "estimator") or isinstance(source, str):
        raise TypeError(
            f"{name} must be weights with the bias first, a linscope Perceptron or its trace, "
            f"got {type(source).__name__}"
        )
    return WeightPath(read_weights(source, samples.X.shape[1], name=name))


def perceptron_path(source: Any, model: Any, samples: Samples) -> WeightPath:
    """The weights of a trace of these samples, or of a clone that is traced here."""
    if source is model or not _is_about(model, len(samples.X)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            source = trace(model, samples.X, samples.truth)
    return WeightPath(source.path(), source.estimator)


def _is_about(model: Any, n_samples: int) -> bool:
    log = model.results_[0].log if len(model.results_) == 1 else None
    return log is not None and log.order.n_samples == n_samples
