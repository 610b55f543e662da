"""The playground in a notebook: ``ls.playground(X, y)``."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from linscope.data.given import accepts_dataset
from linscope.data.tables import TableLike
from linscope.results.caller import warn_caller

from ..algorithms import ALGORITHMS
from ..answers import packed_answer
from ..catalog import catalog
from ..limits import CLASSES, POINTS, SECONDS, TOO_LONG
from ..own_table import some_rows
from ..samples import sample
from ..spec import BadSpec, Data
from . import assets

# Seconds until work is stopped again that goes on: an import, or a callback that swallows errors.
AGAIN = 0.25
MISSING = 'the notebook widget needs anywidget: pip install "linscope[web]"'


def playground(
    X: TableLike | None = None,
    y: Any = None,
    *,
    algorithm: str | None = None,
    params: dict[str, Any] | None = None,
    exact: bool = False,
) -> Any:
    """The playground as a widget of a notebook, on your own points.

    Parameters
    ----------
    X, y : points of one or two features and two or three classes, or a ``Dataset``; numbers y with
        one feature make a regression. More than 500 points are shown by a random sample of 500,
        with a warning. Default: the OR data set of the lecture notes.
    algorithm : what is shown first, such as "perceptron", "svm" or "lms-batch"
    params : its parameters, such as ``{"eta0": 0.5}``
    exact : in fractions, where the algorithm has them

    Returns
    -------
    an anywidget; in Jupyter, marimo and other notebooks the last line of a cell shows it

    Examples
    --------
    >>> import linscope as ls
    >>> ls.playground(*ls.datasets.load("xor"), algorithm="svm").run["title"]
    'SVM, pair by pair (SMO)'
    """
    made = None if X is None else as_data(X, y)
    return _widget_class()(first_spec(made, algorithm, params, exact))


def first_spec(
    made: dict[str, Any] | None, algorithm: Any, params: Any, exact: bool
) -> dict[str, Any]:
    """The spec that is shown first, of these points or those that the algorithm is for."""
    if made is None:
        mode = ALGORITHMS[algorithm].mode if algorithm in ALGORITHMS else "classes"
        made = sample("or" if mode == "classes" else "five_points")
    usual = "perceptron" if made["mode"] == "classes" else "least-squares"
    return {
        **made,
        "algorithm": algorithm or usual,
        "params": params or {},
        "exact": exact,
        "start": 1,
        "loss": None,
    }


@accepts_dataset
def as_data(
    X: TableLike, y: Any, features: Any = None, regression: bool | None = None
) -> dict[str, Any]:
    """Points as the page has them; more than three different numbers y make a regression."""
    names = [str(each) for each in (getattr(X, "columns", []) if features is None else features)]
    points, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
    if points.ndim != 2 or len(points) != len(labels):
        raise ValueError(f"X must be a table with one row for each of the {len(labels)} labels")
    if len(points) > POINTS:
        text = f"the playground shows a random sample of {POINTS} of these {len(points):,} points"
        warn_caller(text, UserWarning)
        kept = some_rows(len(points))
        points, labels = points[kept], labels[kept]
    if regression is None:
        regression = labels.dtype.kind == "f" and len(np.unique(labels)) > CLASSES
    mode = "regression" if regression else "classes"
    features = names or [f"x{k + 1}" for k in range(points.shape[1])]
    return {"data": Data(points, labels, features, None, mode).document(), "mode": mode}


class _TimeIsUp(BaseException):
    """Passes through everything that expects errors of a fit."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Ends work in Python that takes longer, so that a kernel goes on; ``BadSpec`` says so.

    Only the main thread can be interrupted, and not on Windows: elsewhere work takes its time.
    """
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def stop(_: int, frame: Any) -> None:
        while frame is not None:  # half an import would leave a broken module behind
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                return
            frame = frame.f_back
        raise _TimeIsUp

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    except _TimeIsUp:
        raise BadSpec(TOO_LONG) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _widget_class() -> Any:
    try:
        import anywidget
        import traitlets
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(MISSING) from error

    class Playground(anywidget.AnyWidget):
        """The page of the playground, answered by this kernel."""

        _esm = assets.module()
        _css = assets.style()
        catalog = traitlets.Dict().tag(sync=True)
        run = traitlets.Dict().tag(sync=True)
        options = traitlets.Dict().tag(sync=True)
        request = traitlets.Dict().tag(sync=True)
        response = traitlets.Dict().tag(sync=True)

        def __init__(self, spec: dict[str, Any]):
            options = {"host": "widget", "embed": False, "step": None, "lecture": None}
            super().__init__(catalog=catalog(), run=packed_answer("fit", spec), options=options)
            self.observe(self._answer, "request")

        def _answer(self, change: Any) -> None:
            asked = change["new"]
            try:
                with at_most(SECONDS):
                    body = packed_answer(asked.get("kind", ""), asked.get("body"))
                self.response = {"id": asked.get("id"), "ok": True, "body": body}
            except BadSpec as error:
                self.response = {"id": asked.get("id"), "ok": False, "error": str(error)}

    return Playground
