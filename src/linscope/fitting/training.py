"""What all classifiers share: reading the input, binary problems, callbacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import combinations
from math import fsum
from typing import Any, NamedTuple

import numpy as np
from sklearn.callback import CallbackSupportMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import column_or_1d

from linscope._bridge import (
    begin_callbacks,
    check_feature_names,
    check_n_features,
    check_sample_weight,
    has_callbacks,
)
from linscope.data import encode_labels, signs, to_matrix
from linscope.data.tables import TableLike, at_hand
from linscope.engines import Source, class_counts, class_totals, source_of
from linscope.engines.checkpoint.front import journaled
from linscope.engines.source import refuse, weighed
from linscope.results import Observer, Result, observe
from linscope.rows.blocks import Block
from linscope.rows.far import FarChoice, FarColumn, FarRows, given_target, of_two_classes, sign_of
from linscope.rows.finite import NotFinite, complain, first_not_finite


class Training(NamedTuple):
    """Validated training data: rows with weight 0 are gone, ``weight`` is empty if all are 1.

    X, codes and weight may stand for rows that are elsewhere (``rows.far``).
    """

    X: Any
    classes: np.ndarray
    codes: Any
    weight: Any
    ignored: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """Rows of each class."""
        return class_counts(self.codes, len(self.classes))


class Solved(NamedTuple):
    """A problem, the solver that was run on it, and what that returned."""

    problem: Any
    solver: Any
    result: Result


class Fitted(NamedTuple):
    """What a fit has read and solved: all that tracing asks of an estimator.

    ``solved`` has a problem, a solver and a result for each problem.
    """

    training: Any
    solved: Sequence[Any]


class Problem(NamedTuple):
    """A binary problem of a classifier: which rows, which signs, which labels on each side.

    ``rows`` is None for all; ``others`` has all negative labels, or is () for a pair of classes.
    """

    name: str
    rows: Any
    y: Any
    positive: Any
    negative: Any
    others: tuple


def read_training(
    estimator: Any, X: TableLike, y: Any, sample_weight: Any = None, classes: Any = None
) -> Training:
    """Check and convert what ``fit`` or ``partial_fit`` was given."""
    source = None if at_hand(X) else source_of(X, y, sample_weight)
    if source is not None:
        return _far_training(estimator, source, classes)
    matrix, _ = to_matrix(X, y=y)
    if classes is None:
        known, codes = encode_labels(y, n_samples=matrix.shape[0])
    else:
        known, codes = classes, _codes_of(y, classes, matrix.shape[0])
    reset = classes is None or not hasattr(estimator, "n_features_in_")
    check_feature_names(estimator, X, reset=reset)
    check_n_features(estimator, matrix, reset=reset)
    weight = _weights(estimator, matrix, known, codes, sample_weight)
    ignored = np.flatnonzero(weight == 0.0)
    if len(ignored):
        keep = np.flatnonzero(weight)
        matrix, codes, weight = kept_rows(estimator, matrix, keep), codes[keep], weight[keep]
        if classes is None:
            need_rows(matrix)
    return Training(matrix, known, codes, weight, ignored)


def classes_of(X: TableLike, y: Any) -> np.ndarray:
    """The labels of y, sorted; of rows that are elsewhere those of their target."""
    source = None if at_hand(X) else source_of(X, y)
    return encode_labels(y).classes if source is None else source.labelled()[0]


def has_weights(X: TableLike, sample_weight: Any) -> bool:
    """Whether samples have weights of their own."""
    source = None if at_hand(X) else source_of(X)
    return sample_weight is not None if source is None else source.engine.weighted


def _far_training(estimator: Any, source: Source, classes: Any = None) -> Training:
    """The same for rows that are elsewhere: class numbers and weights are made there."""
    adopt_columns(estimator, source, reset=classes is None)
    known, engine = source.labelled(classes)
    engine = journaled(engine)
    if len(known) < 2:
        raise ValueError(
            f"the target has only one class, {known.tolist()[0]!r}: a classifier needs samples of "
            "at least two classes"
        )
    if estimator.class_weight is not None:
        codes = FarRows(engine).column(given_target)
        weight = codes.rows.weight
        by_class = _checked_class_weights(estimator.class_weight, known, codes, weight)
        engine = engine.derive(_times_class_weight, by_class)
    engine, ignored = weighed(engine)
    X = FarRows(engine)
    if len(ignored) and classes is None:
        need_rows(X)
    return Training(X, known, X.column(given_target), X.weight, ignored)


def _times_class_weight(block: Block, by_class: np.ndarray) -> tuple:
    """The weights of the rows, times those of their classes."""
    own = by_class[block.y]
    return block.X, block.y, own * block.weight if block.weighted else own


def adopt_columns(estimator: Any, source: Source, *, reset: bool = True) -> None:
    """The columns of a far table become the features of a model, or must be those it knows."""
    # Who needs all rows, and what to use where they are far; a model that does not say needs them.
    advice = getattr(estimator, "_far_advice", lambda: (type(estimator).__name__,))()
    if advice:
        refuse(source, *advice)
    names, width = source.names, source.shape[1]
    if not reset and hasattr(estimator, "n_features_in_"):
        check_columns(estimator, width, names)
        return
    estimator.n_features_in_ = width
    vars(estimator).pop("feature_names_in_", None)
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)


def check_columns(estimator: Any, width: int, names: list[str] | None) -> None:
    """The columns of a far table must be those that the model knows."""
    mine = getattr(estimator, "feature_names_in_", None)
    if width != estimator.n_features_in_ or (mine is not None and list(mine) != names):
        raise ValueError(
            f"the table has the features {names or width}, but {type(estimator).__name__} was "
            f"fitted with {estimator.n_features_in_ if mine is None else list(mine)}"
        )


def kept_rows(estimator: Any, matrix: Any, rows: np.ndarray) -> Any:
    """These rows of a matrix; a number that is not finite is reported by its row in the matrix."""
    kept = matrix[rows]
    found = first_not_finite(kept)
    if isinstance(found, NotFinite):
        names = getattr(estimator, "feature_names_in_", None)
        complain(found._replace(row=int(rows[found.row])), names, "X")
    return kept


def need_rows(matrix: Any) -> None:
    if matrix.shape[0] == 0:
        raise ValueError("every sample has weight 0: give some a positive sample_weight")


def read_features(estimator: Any, X: TableLike) -> Any:
    """Check and convert what ``predict`` was given."""
    matrix, _ = to_matrix(X)
    check_feature_names(estimator, X, reset=False)
    check_n_features(estimator, matrix, reset=False)
    return matrix


def _codes_of(y: Any, classes: Any, n_samples: int) -> np.ndarray:
    y = _labels_of_matrix(y) if np.ndim(y) == 2 and np.shape(y)[1] > 1 else y
    y = column_or_1d(y, warn=True)
    if len(y) != n_samples:
        raise ValueError(f"X has {n_samples} rows, y has {len(y)} labels")
    codes = np.searchsorted(classes, y)
    unknown = (codes == len(classes)) | (classes[np.minimum(codes, len(classes) - 1)] != y)
    if unknown.any():
        row = int(np.flatnonzero(unknown)[0])
        raise ValueError(
            f"y[{row}] is {y[row : row + 1].tolist()[0]!r}, which is not among classes="
            f"{classes.tolist()}: name all classes in the first partial_fit(X, y, classes=…)"
        )
    return codes.astype(np.int64)


def _labels_of_matrix(y: Any) -> np.ndarray:
    positive = np.asarray(y) > 0
    bad = np.flatnonzero(positive.sum(axis=1) != 1)
    if len(bad):
        raise ValueError(f"row {bad[0]} of the matrix y must have exactly one positive entry")
    return positive.argmax(axis=1)


def _weights(
    estimator: Any, matrix: Any, classes: Any, codes: np.ndarray, sample_weight: Any
) -> np.ndarray:
    if sample_weight is None and estimator.class_weight is None:
        return np.zeros(0)
    weight = check_sample_weight(
        sample_weight, matrix, dtype=np.float64, ensure_non_negative=True
    ).copy()
    if estimator.class_weight is not None:
        weight *= _checked_class_weights(estimator.class_weight, classes, codes, weight)[codes]
    return weight


def _checked_class_weights(given: Any, classes: Any, codes: Any, weight: Any) -> np.ndarray:
    by_class = class_weights(given, classes, codes, weight)
    for label, value in zip(classes.tolist(), by_class.tolist(), strict=True):
        if not 0 <= value < np.inf:
            raise ValueError(
                f"class_weight gives {value} to {label!r}: weights must be finite and not negative"
            )
    return by_class


def class_weights(given: Any, classes: Any, codes: Any, weight: Any) -> np.ndarray:
    """The weight of each class; "balanced" is n / (K n_k), where a row of weight 2 counts twice.

    Classes without weight do not count, as if their rows were not there.
    """
    if isinstance(given, str) and given == "balanced":
        totals = class_totals(codes, weight, len(classes))
        used = totals > 0.0
        with np.errstate(over="ignore"):
            share = fsum(totals.tolist()) / (used.sum() * np.where(used, totals, 1.0))
        return np.where(used, share, 1.0)
    labels = classes if isinstance(codes, FarColumn) else classes[codes]
    return compute_class_weight(given, classes=classes, y=labels)


def binary_problems(classes: Any, codes: Any, multi_class: str) -> list[Problem]:
    """Two classes: one problem. K classes: one against the rest, or each pair."""
    labels = classes.tolist()
    if isinstance(codes, FarColumn):
        return _far_problems(labels, codes, multi_class)
    if len(labels) == 2 or multi_class == "ovr":
        positives = [1] if len(labels) == 2 else range(len(labels))
        return [_against_rest(labels, codes, k) for k in positives]
    return [_pair(labels, codes, a, b) for a, b in combinations(range(len(labels)), 2)]


def _far_problems(labels: list, codes: FarColumn, multi_class: str) -> list[Problem]:
    """The same of rows that are elsewhere."""
    whole, counts = codes.rows, class_counts(codes, len(labels)).tolist()
    if len(labels) == 2 or multi_class == "ovr":
        positives = [1] if len(labels) == 2 else range(len(labels))
        return [_of_one(labels, k, whole.column(sign_of, k)) for k in positives]
    out = []
    for a, b in combinations(range(len(labels)), 2):
        choice = FarChoice(of_two_classes, (a, b))
        y = FarColumn(whole, sign_of, (b,), choice, counts[a] + counts[b])
        out.append(pair_problem(labels, a, b, choice, y))
    return out


def _against_rest(labels: Any, codes: np.ndarray, k: Any) -> Problem:
    return _of_one(labels, k, signs(codes) if len(labels) == 2 else signs(codes == k))


def _of_one(labels: Any, k: Any, y: Any) -> Problem:
    """Class k, the positive one, against all others."""
    others = tuple(labels[:k] + labels[k + 1 :])
    negative = others[0] if len(others) == 1 else "rest"
    return Problem(f"{labels[k]} vs {negative}", None, y, labels[k], negative, others)


def _pair(labels: Any, codes: np.ndarray, a: Any, b: Any) -> Problem:
    rows = np.flatnonzero((codes == a) | (codes == b))
    return pair_problem(labels, a, b, rows, np.where(codes[rows] == b, 1.0, -1.0))


def pair_problem(labels: list, a: int, b: int, rows: Any, y: Any) -> Problem:
    """Class b, the positive one, against class a."""
    return Problem(f"{labels[b]} vs {labels[a]}", rows, y, labels[b], labels[a], ())


@contextmanager
def watched(model: Any, X: Any, y: Any, most_passes: int) -> Iterator[None]:
    """Hand the passes of all solvers to scikit-learn's callbacks, if the model has any."""
    if not has_callbacks(model):
        yield
        return
    watcher = CallbackObserver(model, X, y, most_passes)
    with closing(watcher), observe(watcher):
        yield


class CallbackObserver(Observer):
    """Hands the driver's steps to scikit-learn's callbacks: one fit, whose tasks are passes.

    A fit of several binary problems is one task of all their passes.
    """

    def __init__(
        self, estimator: CallbackSupportMixin, X: TableLike, y: Any, most_passes: int
    ) -> None:
        self.estimator = estimator
        self._data = {"estimator": estimator, "X": X, "y": y}
        self._passes, self._most = 0, most_passes
        self._pass: Any = None
        self._fit = begin_callbacks(estimator, most_passes)
        self._fit.call_on_fit_task_begin(**self._data)

    def begin(self, task: str, total: int | None) -> None:
        self._total = total
        self._next()

    def _next(self) -> None:
        # A fit that begins again with scaled rows may make more passes than were announced.
        if self._passes < self._most:
            self._passes += 1
            self._pass = self._fit.subcontext(task_name="pass")
            self._pass.call_on_fit_task_begin(**self._data)

    def step(self, done: int, state: Any) -> bool:
        stop = self._finish_pass()
        if state.status is None and not stop and done != self._total:
            self._next()
        return stop

    def _finish_pass(self) -> bool:
        current, self._pass = self._pass, None
        return current is not None and bool(current.call_on_fit_task_end(**self._data))

    def end(self) -> None:
        self._finish_pass()

    def close(self) -> None:
        """The fit is over, also after an error."""
        self._fit.call_on_fit_task_end(**self._data)
