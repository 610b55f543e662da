"""The fits that together need every kernel of everyday use, on small tables.

A kernel is compiled for the types that it is called with: dense and sparse rows, two and K classes,
few samples and many take different ones.
"""

from __future__ import annotations

import math
import os
import sys
import time
import warnings
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

# ``SVC`` solves larger problems by other kernels than smaller ones (``linscope.kernel_svm``), and
# fills still larger Gram matrices by another.
SOME, MANY = 800, 2100


class Job(NamedTuple):
    """Fits of one kind, and the seconds that their kernels take on an empty cache."""

    fit: Callable[[], None]
    seconds: float


class Compiled(NamedTuple):
    """The process, names of the kernels that were not in the cache, and the cache's folders.

    ``began`` and ``ended`` are times that processes can compare.
    """

    process: int
    kernels: set[str]
    folders: set[str]
    began: float = -math.inf
    ended: float = math.inf

    def raced(self, other: Compiled) -> bool:
        """Whether another process may have written the same kernel at the same moment."""
        at_once = self.began < other.ended and other.began < self.ended
        return at_once and self.process != other.process and bool(self.kernels & other.kernels)


@cache
def _tables() -> tuple[Any, Any, Any, Any]:
    """Rows, two classes that overlap, three classes, a number."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    score = X @ [1.0, -1.0, 0.5] + 0.5 * rng.normal(size=90)
    return X, (score > 0).astype(int), np.digitize(score, [-0.8, 0.8]), score


def _fit(model: Any, *, rows: str = "dense", target: str = "two") -> Any:
    """Fit a model to one of the small tables, ask it for predictions and check its claims."""
    from scipy.sparse import csr_matrix

    X, two, three, number = _tables()
    X = csr_matrix(X) if rows == "sparse" else X
    y = {"two": two, "three": three, "number": number}[target]
    model.fit(X, y)
    model.predict(X)
    model.predict(X[:1])  # in twice the precision: one score says nothing of how scores spread
    model.verify(X, y)
    return model


def _perceptrons() -> None:
    import linscope as ls

    _fit(ls.Perceptron(max_iter=2))
    _fit(ls.Perceptron(max_iter=2, output="averaged"))
    _fit(ls.Perceptron(max_iter=2, output="pocket"), target="three")
    _fit(ls.Perceptron(max_iter=2), rows="sparse")


def _kernel_perceptrons() -> None:
    import linscope as ls

    _fit(ls.KernelPerceptron(max_iter=2))


def _least_squares() -> None:
    import linscope as ls

    for regressor in (ls.LinearRegression(), ls.Ridge(), ls.HuberRegressor()):
        _fit(regressor, target="number")
    for model in (ls.LeastSquaresClassifier(), ls.FisherDiscriminant(), ls.GaussianNaiveBayes()):
        _fit(model)
        _fit(model, target="three")


def _logistic() -> None:
    import linscope as ls

    X, two, _, _ = _tables()
    for penalty in ("l2", "l1"):
        _fit(ls.LogisticRegression(penalty=penalty))
        _fit(ls.LogisticRegression(penalty=penalty), target="three")
        _fit(ls.LogisticRegression(penalty=penalty), rows="sparse")
    _fit(ls.LogisticRegression(), rows="sparse", target="three")
    ls.path(ls.LogisticRegression(), X, two, Cs=2, cv=3)


def _linear_svm() -> None:
    import linscope as ls

    _fit(ls.LinearSVC())
    _fit(ls.LinearSVC(loss="squared_hinge"), target="three")
    _fit(ls.LinearSVC(), rows="sparse")


def _kernel_svm() -> None:
    import numpy as np

    import linscope as ls

    X, two, _, _ = _tables()
    _fit(ls.SVC())
    _fit(ls.SVC(), target="three")
    _fit(ls.SVC(), rows="sparse")
    ls.path(ls.SVC(), X, two, Cs=2, gammas=2, cv=3)
    X = np.random.default_rng(0).normal(size=(MANY, 3))
    # With so small a C most samples are vectors: predictions are long sums.
    ls.SVC(0.001, tol=0.1).fit(X, (X[:, 0] > 0).astype(int)).predict(X)
    ls.SVC(tol=0.1).fit(X[:SOME], np.digitize(X[:SOME, 0], [-0.5, 0.5]))


def _approximate_svm() -> None:
    import linscope as ls

    _fit(ls.ApproximateSVC(n_components=10, random_state=0))


def _large_tables() -> None:
    """What ``linscope predict`` reads and writes large tables with."""
    from linscope.data.fields import Texts, joined, split_records

    found = split_records(b"0.5,red\n2,blue\n", ",", 2, [0, 1])
    assert found is not None
    records, (numbers, words) = found
    values, _ = numbers.floats()
    words.coded()
    joined([records, Texts.of_floats(values)], ",", "\n")


def _playground() -> None:
    """Every algorithm and every lecture of the playground, step by step."""
    from linscope.web.algorithms import ALGORITHMS
    from linscope.web.answers import answer
    from linscope.web.catalog import catalog
    from linscope.web.samples import sample

    points = {"classes": ("overlapping", "blobs"), "regression": ("noisy_line",)}
    brief = {"max_iter": 2}
    asked = [
        {
            **sample(name, {"n": 12}),
            "algorithm": each.id,
            "params": brief if any(one.name in brief for one in each.parameters) else {},
        }
        for each in ALGORITHMS.values()
        for name in points[each.mode]
    ]
    for spec in (*asked, *(each["spec"] for each in catalog()["lectures"])):
        answer("fit", spec)


# A job finds the kernels that others have finished in the cache: those that need the kernels of
# others are short, and so come last.
JOBS: dict[str, Job] = {
    "logistic regression": Job(_logistic, 8.0),
    "kernel SVM": Job(_kernel_svm, 7.5),
    "perceptrons": Job(_perceptrons, 6.5),
    "least squares": Job(_least_squares, 4.0),
    "linear SVM": Job(_linear_svm, 3.7),
    "large tables": Job(_large_tables, 3.0),
    "kernel perceptron": Job(_kernel_perceptrons, 2.0),
    "approximate kernel SVM": Job(_approximate_svm, 0.5),
}
# Steps have kernels of their own, a third of all: only for those who can open the page.
if find_spec("starlette") is not None:
    JOBS["playground"] = Job(_playground, 3.5)


def compile_for(fit: Callable[[], None]) -> Compiled:
    """Run a job; what its fits find does not matter here."""
    from linscope._bridge import compile_events
    from linscope._compiling import announce_nothing

    announce_nothing()
    began = time.time()
    with compile_events.install_recorder("numba:compile") as recorder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit()
    compiled = {event.data["dispatcher"] for _, event in recorder.buffer}
    # Those that are in no cache of their own are parts of others.
    functions = [one.py_func for one in compiled if one.stats.cache_path]
    names = {f"{one.__module__}.{one.__qualname__}" for one in functions}
    kernels = {name for name in names if name.startswith("linscope.")}
    return Compiled(os.getpid(), kernels, _folders(), began, time.time())


def _folders() -> set[str]:
    """Where Numba keeps the kernels of all modules that are loaded."""
    from linscope._bridge import Dispatcher

    modules = [module for name, module in sys.modules.items() if name.startswith("linscope.")]
    values = [value for module in modules for value in vars(module).values()]
    return {str(one.stats.cache_path) for one in values if isinstance(one, Dispatcher)}
