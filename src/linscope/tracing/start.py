"""``linscope.trace``: fit with the log, and set up the replay of each binary problem."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.base import clone
from sklearn.callback import with_callbacks
from sklearn.utils.validation import _num_samples

from ..data.datasets import Dataset
from ..estimators import KernelPerceptron
from ..estimators.base import binary_problems, read_training
from ..estimators.perceptron_family import PerceptronFamily
from .exact import exact_replays
from .perceptron_replay import GramReplay, PerceptronReplay, in_range
from .trace import Trace


def trace(
    estimator,
    X,
    y=None,
    *,
    sample_weight=None,
    criterion: bool = False,
    exact: bool = False,
    sample_names: Sequence[str] | None = None,
    title: str | None = None,
) -> Trace:
    """Fit a clone of the estimator and show every step it took.

    Parameters
    ----------
    estimator : Perceptron or KernelPerceptron
    X, y : the samples and their labels as for ``fit``, or a ``Dataset`` alone
    sample_weight : array of n weights, optional
    criterion : also show the mistakes and the criterion J_p over all samples after each step
    exact : run in rational arithmetic, where 0.1 means 1/10; numbers are then fractions
    sample_names : names of the samples; by default those of the data set or of a pandas index
    title : name of the data for headings

    Returns
    -------
    Trace

    Examples
    --------
    >>> import linscope as ls
    >>> run = ls.trace(ls.Perceptron(tie="negative"), ls.datasets.load("or"))
    >>> len(run.steps), run.n_updates
    (13, 4)
    >>> run.steps[1]
    Step 2: sample 1, w·x = 0, mistake → update, [0 0 0] → [1 0 1]
    """
    if not isinstance(estimator, PerceptronFamily):
        raise TypeError(
            "trace shows the steps of linscope's Perceptron and KernelPerceptron, not of "
            f"{type(estimator).__module__}.{type(estimator).__qualname__}"
        )
    if isinstance(X, Dataset):
        sample_names = sample_names or X.sample_names or None
        title, features = title or X.name, X.feature_names
        X, labels = X
        y = labels if y is None else y
    else:
        sample_names = _index_names(X) if sample_names is None else sample_names
        features = []
    if y is None:
        raise ValueError("y is missing: trace(estimator, X, y), or trace(estimator, dataset)")
    model = _fitted_clone(estimator, X, y, sample_weight)
    replays = _replays(model, X, y, sample_weight)
    if exact:
        replays = exact_replays(model, replays, y, sample_weight)
    if sample_names is not None:
        sample_names = [str(name) for name in sample_names]
        if len(sample_names) != _num_samples(X):
            raise ValueError(
                f"sample_names has {len(sample_names)} names for {_num_samples(X)} samples"
            )
    features = [str(name) for name in getattr(model, "feature_names_in_", features)]
    return Trace(model, replays, criterion, exact, sample_names, features, title)


def _fitted_clone(estimator, X, y, sample_weight):
    """As ``fit`` does it (two calls deep, so that warnings name the caller), but with the log."""
    model = clone(estimator)
    model._validate_params()
    return with_callbacks(type(model)._fit)(model, X, y, sample_weight, keep_log=True)


def _index_names(X) -> list[str] | None:
    """The index of a pandas frame, unless it just counts."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or not hasattr(X, "columns"):
        return None
    return None if getattr(index.dtype, "kind", "O") in "iu" else list(index)


def _replays(model, X, y, sample_weight) -> list[PerceptronReplay]:
    """One replay for each binary problem of a fitted model."""
    with warnings.catch_warnings():  # the fit has said it
        warnings.simplefilter("ignore")
        training = read_training(model, X, y, sample_weight)
    problems = binary_problems(training.classes, training.codes, model.multi_class)
    n = len(training.codes) + len(training.ignored)
    kept = np.delete(np.arange(n), training.ignored)
    kernel = isinstance(model, KernelPerceptron)
    precomputed = kernel and model.kernel == "precomputed"
    if kernel:
        matrix = training.X[:, model._gram_rows] if precomputed else training.X
        model._gram = model._products(matrix) + (1.0 if model.fit_intercept else 0.0)
    replays = []
    for number_, (problem, result) in enumerate(zip(problems, model.results_, strict=True)):
        solver = model._solver(training, problem, number_, keep_log=False)
        rows = slice(None) if problem.rows is None else problem.rows
        shown = None if precomputed else training.X[rows]
        if kernel:
            options = {"linear": model.kernel == "linear", "intercept": model.fit_intercept}
            replay: PerceptronReplay = GramReplay(
                problem, solver, result.log, shown, kept[rows], **options
            )
        else:
            solver, c = in_range(solver, shown, result)
            replay = PerceptronReplay(problem, solver, result.log, shown, kept[rows], c)
        replays.append(replay)
    if kernel:
        del model._gram
    return replays
