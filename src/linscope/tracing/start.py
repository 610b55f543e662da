"""``linscope.trace``: fit with the log, and set up the replay of each problem."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sklearn.base import clone
from sklearn.callback import with_callbacks

from linscope._bridge import num_samples, validate_params
from linscope.data.datasets import Dataset
from linscope.data.tables import TableLike
from linscope.fitting.training import Fitted

from .answer import Answer, equations, labelled
from .derivation import ClosedForm, Derivation
from .derivation_parts import SampleTable
from .derivation_quantities import Quantities
from .replay import StepRule
from .trace_object import Trace

# How many features are named in a heading.
MOST_NAMES = 10


def trace(
    estimator: Any,
    X: TableLike,
    y: Any = None,
    *,
    sample_weight: Any = None,
    criterion: bool = False,
    exact: bool = False,
    sample_names: Sequence[str] | None = None,
    title: str | None = None,
) -> Trace | Derivation:
    """Fit a clone of the estimator and show every step it took.

    An estimator with a closed form takes no steps; its ``Derivation`` shows every quantity on the
    way from the data to the answer.

    Parameters
    ----------
    estimator : Perceptron or KernelPerceptron; LinearRegression or Ridge, with solver="exact" for
        the closed form, with "batch", "mini-batch" or "stochastic" for the steps;
        LogisticRegression with one of these three, or with the steps of Newton's method and of
        coordinate descent that "auto" takes; LinearSVC; SVC, solved by plain sequential minimal
        optimisation; FisherDiscriminant, LeastSquaresClassifier or GaussianNaiveBayes
    X, y : the samples and their labels or targets as for ``fit``, or a ``Dataset`` alone
    sample_weight : array of n weights, optional
    criterion : also show what the rule descends on, over all samples after each step: the
        mistakes and J_p of a perceptron, J of gradient descent
    exact : run in rational arithmetic, where 0.1 means 1/10; numbers are then fractions
    sample_names : names of the samples; by default those of the data set or of a pandas index
    title : name of the data for headings

    Returns
    -------
    Trace, or Derivation for a closed form

    Examples
    --------
    >>> import linscope as ls
    >>> run = ls.trace(ls.Perceptron(tie="negative"), ls.datasets.load("or"))
    >>> len(run.steps), run.n_updates
    (13, 4)
    >>> run.steps[1]
    Step 2: sample 1, w·x = 0, mistake → update, [0 0 0] → [1 0 1]
    >>> model = ls.LinearRegression(solver="stochastic", eta0=0.1, shuffle=False, tol=0.2)
    >>> ls.trace(model, [[1], [2]], [1, 3], exact=True).steps[1]
    Step 2: sample 1, h(x) = 3/10, error 27/10, [1/10 1/10] → [37/100 16/25]
    >>> ls.trace(ls.LinearRegression(), [[1], [2]], [1, 3], exact=True).steps["slope"]
    β̂₁ = S_xy / S_xx = r·s_y / s_x = 1 / (1/2) = 2
    """
    how = tracer_of(estimator)
    if isinstance(X, Dataset):
        if isinstance(how, ClosedForm) and X.X is None:
            return _derive_from_moments(how, estimator, X, exact)
        sample_names = sample_names or X.sample_names or None
        title, features = title or X.name, X.feature_names
        X, labels = X
        y = labels if y is None else y
    else:
        sample_names = _index_names(X) if sample_names is None else sample_names
        features = []
    if y is None:
        raise ValueError("y is missing: trace(estimator, X, y), or trace(estimator, dataset)")
    names = None if sample_names is None else _checked(sample_names, X)
    if isinstance(how, ClosedForm):
        if criterion:
            raise ValueError(
                "criterion=True is for rules that take steps; a derivation shows its criterion "
                "anyway"
            )
        model = clone(estimator).fit(X, y, sample_weight)
        features = [str(name) for name in getattr(model, "feature_names_in_", features)]
        work = how.work(model, X, y, sample_weight, exact)
        draw = partial(how.draw, model, X, y)
        return _derive(how, work, names, features, title, draw)
    how.check(estimator, exact)
    model, fitted = _fitted_clone(estimator, X, y, sample_weight)
    replays = how.replays(model, fitted)
    if exact and how.exact is not None:
        replays = how.exact(model, replays, y, sample_weight)
    features = [str(name) for name in getattr(model, "feature_names_in_", features)]
    return Trace(model, replays, criterion, exact, names, features, title)


def _derive(
    how: ClosedForm,
    work: Any,
    sample_names: Sequence[str] | None,
    features: Sequence[str],
    title: str | None,
    draw: Any,
) -> Derivation:
    steps, system = Quantities(work.exact), work.elimination
    table = SampleTable(work, sample_names)
    return Derivation(
        work.model,
        steps,
        how.write(work, table, steps),
        table,
        system if system is not None and system.size > 1 else None,
        exact=work.exact,
        title=title,
        notes=_meaning(features, work.target),
        answer=_answer(work, features),
        draw=draw,
    )


def _answer(work: Any, features: Sequence[str]) -> Answer:
    """What a derivation leads to: what it says of itself, or the equation of its model."""
    if hasattr(work, "answer"):
        return work.answer(features)
    return labelled(equations(work.model, features, getattr(work, "solution", None)))


def _derive_from_moments(
    how: ClosedForm, estimator: Any, dataset: Dataset, exact: bool
) -> Derivation:
    """The derivation for a data set of which only moments are known."""
    kind = type(estimator)
    known = how.moments is not None and hasattr(kind, "from_moments")
    if not known or not estimator.fit_intercept:
        raise ValueError(
            f"{dataset.name!r} has moments only, and they give a LinearRegression with intercept: "
            "choose a data set with samples for anything else"
        )
    steps = Quantities(exact)
    assert how.moments is not None
    parts = how.moments(dataset.moments, steps)
    model = kind.from_moments(**dataset.moments, feature_names=dataset.feature_names)
    draw = partial(how.draw, model, None, None)
    options: dict[str, Any] = {"exact": exact, "title": dataset.name, "draw": draw}
    notes = _meaning(dataset.feature_names, "y")
    weights = [[steps["intercept"].value, steps["slope"].value]]
    options["answer"] = labelled(equations(model, dataset.feature_names, weights))
    return Derivation(model, steps, parts, None, None, notes=notes, **options)


def _meaning(features: Sequence[str], target: str) -> list[str]:
    """What x and y stand for, where their names say more than the letters."""
    letters = ["x"] if len(features) == 1 else [f"x{j + 1}" for j in range(len(features))]
    pairs = [("y", target), *zip(letters, features, strict=True)]
    said = [f"{letter} = {name}" for letter, name in pairs if letter != name]
    more = ["…"] if len(said) > MOST_NAMES else []
    return [", ".join([*said[:MOST_NAMES], *more])] if said else []


def tracer_of(estimator: Any) -> StepRule | ClosedForm:
    """How its family traces it; TypeError if the estimator has nothing to show."""
    if isinstance(estimator, type):
        raise TypeError(f"trace needs an estimator, not its class: {estimator.__name__}()")
    if hasattr(estimator, "_traced_by"):
        return estimator._traced_by()
    raise TypeError(
        "trace shows the steps or the derivation of linscope's Perceptron, KernelPerceptron, "
        "FisherDiscriminant, LeastSquaresClassifier, GaussianNaiveBayes, LogisticRegression, "
        "LinearSVC, SVC, LinearRegression and Ridge, not of "
        f"{type(estimator).__module__}.{type(estimator).__qualname__}"
    )


def _checked(sample_names: Sequence[str], X: TableLike) -> list[str]:
    names = [str(name) for name in sample_names]
    if len(names) != num_samples(X):
        raise ValueError(f"sample_names has {len(names)} names for {num_samples(X)} samples")
    return names


def _fitted_clone(estimator: Any, X: TableLike, y: Any, sample_weight: Any) -> tuple[Any, Fitted]:
    """As ``fit`` does it, but with the log; and what was solved."""
    model = clone(estimator)
    validate_params(model)
    return model, with_callbacks(type(model)._fit)(model, X, y, sample_weight, keep_log=True)


def _index_names(X: TableLike) -> list[str] | None:
    """The index of a pandas frame, unless it just counts."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or not hasattr(X, "columns"):
        return None
    return None if getattr(index.dtype, "kind", "O") in "iu" else list(index)
