"""A table whose rows are elsewhere, at the door: ``fit(source)`` needs neither X nor y here.

A source knows its columns and which of them is the target; its engine has the rows. Class numbers,
weights and other targets are made where the rows are. To bring in another kind of table (a Dask
collection), make a ``Source`` of it in ``source_of``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from linscope.arithmetic.whole_sums import as_float, whole_sum
from linscope.data import encode_labels
from linscope.data.labels import places
from linscope.rows.blocks import Block, Least, blind, by_columns, light
from linscope.rows.far import with_weight
from linscope.rows.memory_budget import memory_budget

from .base import Engine, RowsElsewhere

# Of the memory that may be used, for rows that are brought here.
ROOM_SHARE = 1 / 4
# Models that sum over rows.
INSTEAD = (
    "LinearRegression, Ridge, LogisticRegression, LinearSVC, a discriminant or "
    "Perceptron(rule='batch')"
)


@dataclass(eq=False)
class Source:
    """Rows that are elsewhere, and what their columns are called.

    Parameters
    ----------
    engine : the rows; targets are labels or numbers as they stand in the table, or None
    names : of the features, or None
    targets : names of the targets
    """

    engine: Engine
    names: list[str] | None = None
    targets: list[str] = field(default_factory=lambda: ["y"])

    @property
    def where(self) -> str:
        """Where the rows are, for messages: "these are in a file"."""
        return "elsewhere"

    # File in which a fit writes down how far it is.
    checkpoint = None
    # What weights mean, if the table says so: see ``fitting/weight_kind.py``.
    weight_kind: str | None = None

    @property
    def room(self) -> float:
        """Numbers of the table that may be brought here by who needs all rows at once."""
        return memory_budget() * ROOM_SHARE / 8

    def fingerprint(self) -> Any:
        """What tells these rows from others, also in another process."""
        raise TypeError(f"a fit to rows {self.where} cannot have a checkpoint")

    @property
    def in_memory(self) -> bool:
        """Whether the rows live as long as this object, and not in files or on workers."""
        return False

    @property
    def shape(self) -> tuple[int, int]:
        return self.engine.n_rows, self.engine.n_features

    def labelled(self, known: np.ndarray | None = None) -> tuple[np.ndarray, Engine]:
        """The classes in sorted order, and the rows with their numbers as targets.

        ``known`` are the classes that there may be; by default those that are found.
        """
        need_target(self.engine)
        classes = self.engine.fold(_count_labels).classes if known is None else known
        return classes, self.engine.derive(_numbered, classes)

    def numbered(self) -> Engine:
        """The rows with targets (n, k) of numbers."""
        need_target(self.engine)
        return self.engine.derive(as_numbers)

    def plain(self) -> Engine:
        """The rows alone."""
        engine = self.engine
        return engine.derive(_without_target) if engine.n_targets or engine.weighted else engine


def source_of(X: Any, y: Any = None, sample_weight: Any = None) -> Source | None:
    """The source that X is or stands for; None for a table in memory."""
    if not isinstance(X, Source):
        return _opened(X, y, sample_weight)
    for name, value in (("y", y), ("sample_weight", sample_weight)):
        if value is not None:
            word = "target" if name == "y" else "weight"
            raise TypeError(
                f"the table knows its columns: name the {word} where it is opened, "
                f"scan(…, {word}='column'), and leave {name} out"
            )
    return X


def _opened(X: Any, y: Any, sample_weight: Any) -> Source | None:
    """Of a Dask collection."""
    from .cluster.collections import collection_of, is_collection

    return collection_of(X, y, sample_weight) if is_collection(X) else None


def refuse(source: Source, who: str, instead: str = INSTEAD) -> None:
    """Raise the error of a model that needs all rows."""
    raise RowsElsewhere(
        f"{who} needs all rows in memory, and these are {source.where}: use {instead}"
    )


def weighed(engine: Engine) -> tuple[Engine, np.ndarray]:
    """The rows of positive weight, and the numbers of the others; ValueError for no weights."""
    none = np.zeros(0, dtype=np.int64)
    if not engine.weighted:
        return engine, none
    least, broken = engine.fold(_look_at_weights)
    if broken or not least.value >= 0.0:
        what = "a negative weight" if least.value < 0.0 else "NaN or infinity"
        raise ValueError(f"sample_weight has {what}: weights must be finite and not negative")
    if least.value > 0.0:
        return engine, none
    ignored = np.flatnonzero(engine.gather(_weightless))
    return engine.derive(with_weight), ignored


def class_counts(codes: Any, n_classes: int) -> np.ndarray:
    """How many rows each class has; the codes may be far."""
    if isinstance(codes, np.ndarray):
        return np.bincount(codes, minlength=n_classes)
    return codes.rows.engine.fold(_count_codes, n_classes)


def class_totals(codes: Any, weight: Any, n_classes: int) -> np.ndarray:
    """The sum of the weights of each class, rounded once; codes and weights may be far."""
    if not len(weight):
        return class_counts(codes, n_classes).astype(np.float64)
    if isinstance(codes, np.ndarray):
        sums = _sums_by_class(codes, weight, n_classes)
    else:
        sums = codes.rows.engine.fold(_sum_weights, n_classes)
    return np.array([as_float(value) for value in sums])


class _Labels(NamedTuple):
    """Different labels, sorted."""

    classes: np.ndarray

    def plus(self, other: _Labels) -> _Labels:
        if not len(self.classes):
            return other
        texts = [one.classes.dtype.kind in "OUST" for one in (self, other) if len(one.classes)]
        if any(texts) and not all(texts):
            a, b = self.classes[0], other.classes[0]
            raise ValueError(
                f"Unknown label type: mixed. The target has {a!r} in some rows, but {b!r} in "
                "others: make the labels all of one type, for instance strings"
            )
        return _Labels(np.union1d(self.classes, other.classes)) if len(other.classes) else self


@light
def _count_labels(block: Block) -> _Labels:
    return _Labels(encode_labels(block.y, fewest=1).classes if len(block.y) else np.zeros(0))


def _numbered(block: Block, classes: np.ndarray) -> tuple:
    """Class numbers as targets."""
    codes, row = places(classes, np.asarray(block.y))
    if row is not None:
        raise ValueError(
            f"the target is {np.asarray(block.y).tolist()[row]!r} in row {block.start + row}, "
            f"which is not among the classes {classes.tolist()}"
        )
    return block.X, codes, block.weight


@by_columns
def as_numbers(block: Block) -> tuple:
    """Targets with columns, in float64."""
    try:
        y = np.asarray(block.y, dtype=np.float64)
    except ValueError as error:
        raise ValueError(
            f"the target has text ({error}), and a regression predicts numbers: use a classifier"
        ) from None
    return block.X, np.ascontiguousarray(y[:, None] if y.ndim == 1 else y), block.weight


def _without_target(block: Block) -> tuple:
    return block.X, None, block.weight[:0]


@blind
def _look_at_weights(block: Block) -> tuple[Least, int]:
    """The smallest, and how many are not finite."""
    values = block.weight
    return Least(float(values.min(initial=np.inf))), int(np.sum(~np.isfinite(values)))


@blind
def _weightless(block: Block) -> np.ndarray:
    return block.weight == 0.0


@blind
def _count_codes(block: Block, n_classes: int) -> np.ndarray:
    return np.bincount(block.y, minlength=n_classes)


@blind
def _sum_weights(block: Block, n_classes: int) -> tuple[int, ...]:
    return _sums_by_class(block.y, block.weight, n_classes)


def _sums_by_class(codes: np.ndarray, weight: np.ndarray, n_classes: int) -> tuple[int, ...]:
    """Exact sums; weights that are refused later count as 0."""
    usable = np.where(np.isfinite(weight) & (weight > 0.0), weight, 0.0)
    return tuple(whole_sum(usable[codes == k]) for k in range(n_classes))


def need_target(engine: Engine) -> None:
    if not engine.n_targets:
        raise ValueError("the table was opened without a target: scan(…, target='column')")
