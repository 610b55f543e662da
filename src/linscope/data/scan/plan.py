"""Which columns of a table in batches become which numbers, and the copy into blocks of rows.

Numbers are numbers, true and false are 1 and 0. A column of texts becomes one column of 0 and 1 for
each of its texts in sorted order but the first, which the intercept speaks for; all its texts are
found in a first pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linscope._compiling import kernel
from linscope.rows.finite import IMPUTE_ADVICE
from linscope.rows.operations import frozen

from ..encode import MAX_CATEGORIES
from ..labels import encode_labels, places
from ..suggest import did_you_mean
from .reading import Batch, Table

MOST_CLASSES = 10_000


@dataclass(frozen=True)
class Feature:
    """A column of the table: its texts, if it has any, in sorted order."""

    name: str
    texts: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        return [f"{self.name}={text}" for text in self.texts[1:]] if self.texts else [self.name]


@dataclass(frozen=True, eq=False)
class Plan:
    """What is read, and what it becomes.

    ``labels``: the classes in sorted order, where the target is to be class numbers; ``texts``: the
    same as they stand in the table.
    """

    features: tuple[Feature, ...]
    dtype: np.dtype
    target: str | None = None
    weight: str | None = None
    labels: np.ndarray | None = None
    texts: tuple[Any, ...] = ()

    @cached_property
    def names(self) -> list[str]:
        return [name for feature in self.features for name in feature.names]

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        more = [name for name in (self.target, self.weight) if name is not None]
        return [*(feature.name for feature in self.features), *more]


def make_plan(
    table: Table, target: str | None, columns: Iterable[str] | None, weight: str | None
) -> Plan:
    """What becomes of the columns; texts are found in a pass over their columns."""
    known = list(table.kinds)
    others = [name for name in (target, weight) if name is not None]
    chosen = [name for name in known if name not in others] if columns is None else list(columns)
    for name in (*chosen, *others):
        if name not in table.kinds:
            hint = did_you_mean(name, known)
            raise ValueError(f"{table.where} has no column {name!r} among {_some(known)}{hint}")
        if table.kinds[name] not in ("float32", "number", "truth", "text"):
            advice = "leave it out with columns=[…]" if name in chosen else "make it numbers"
            raise ValueError(f"column {name!r} has {table.kinds[name]}: {advice}")
    if not chosen:
        raise ValueError(f"{table.where} has no column beside the target {target!r}")
    if weight is not None and table.kinds[weight] == "text":
        raise ValueError(f"the weights, column {weight!r}, are texts")
    words = [name for name in chosen if table.kinds[name] == "text"]
    found = find_values(table, words, MAX_CATEGORIES) if words else {}
    small = all(table.kinds[name] == "float32" for name in chosen)
    features = tuple(Feature(name, tuple(sorted(found.get(name, ())))) for name in chosen)
    return Plan(features, np.dtype(np.float32 if small else np.float64), target, weight)


def _some(names: list[str]) -> str:
    return ", ".join(names[:12]) + (", …" if len(names) > 12 else "")


def find_values(table: Table, names: list[str], most: int) -> dict[str, set[Any]]:
    """The different values of some columns, by a pass over these alone."""
    found: dict[str, set[Any]] = {name: set() for name in names}
    first = 0
    for batch in table.batches(names):
        for name, column in zip(names, batch.columns, strict=True):
            refuse_missing(column, name, first)
            found[name].update(_different(column))
            if len(found[name]) > most:
                raise ValueError(
                    f"column {name!r} has more than {most:,} different values: it looks like an "
                    "identifier; choose others with columns=[…]"
                )
        first += batch.rows
    return found


def with_labels(plan: Plan, table: Table, known: np.ndarray | None = None) -> Plan:
    """The plan with class numbers for targets; the classes are found unless they are known."""
    assert plan.target is not None
    if known is None:
        values = find_values(table, [plan.target], MOST_CLASSES)[plan.target]
        if not all(float(value).is_integer() for value in values if isinstance(value, float)):
            _refuse_label(table, plan.target)
        known = encode_labels(np.array(sorted(values)), fewest=1).classes
    return Plan(plan.features, plan.dtype, plan.target, plan.weight, known, tuple(known.tolist()))


def _refuse_label(table: Table, name: str) -> None:
    """Raise ValueError that names the row of the first label that is no integer."""
    first = 0
    for batch in table.batches([name]):
        values = _numbers(batch.columns[0])
        bad = ~(np.isfinite(values) & (values == np.rint(values)))
        if bad.any():
            row, advice = int(np.argmax(bad)), "use a regression model, or bin the values"
            if not np.isfinite(values[row]):
                advice = "drop the row"
            where = f" at row {first + row}" if table.numbered else ""
            raise ValueError(
                f"Unknown label type: continuous. The target {name!r} has {values[row]}{where}, "
                f"but a classifier needs classes: {advice}"
            )
        first += batch.rows


def _different(column: Any) -> list[Any]:
    if isinstance(column, np.ndarray):
        return np.unique(column.astype(str) if column.dtype == object else column).tolist()
    import pyarrow.compute as pc

    return pc.unique(column).to_pylist()


def refuse_missing(column: Any, name: str, first: int) -> None:
    """Raise ValueError that names row and column of the first missing value."""
    if isinstance(column, np.ndarray):
        missing = np.array([value is None for value in column]) if column.dtype == object else None
        if missing is None or not missing.any():
            return
        row = int(np.argmax(missing))
    elif not column.null_count:
        return
    else:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
    raise ValueError(
        f"column {name!r} has a missing value (NaN) at row {first + row:,}: {IMPUTE_ADVICE}"
    )


@dataclass(frozen=True)
class Columns:
    """The columns of a batch as arrays: numbers, or codes of texts; target and weight last.

    Numbers are contiguous and cannot be written to.
    """

    plan: Plan
    features: list[np.ndarray]
    target: np.ndarray | None
    weight: np.ndarray | None
    rows: int

    def copy(self, begin: int, end: int, X: np.ndarray, at: int) -> None:
        """Rows ``begin`` to ``end`` into X from row ``at`` on."""
        by_columns, X, j = X.flags.f_contiguous, X[at : at + end - begin], 0
        if by_columns and not any(feature.texts for feature in self.plan.features):
            # In one call: threads that come back to Python for each column wait for each other.
            np.stack([values[begin:end] for values in self.features], out=X.T)
            return
        alone = [(k, None) for k in range(len(self.features))]
        for k, put in alone if by_columns else self._together:
            if put is not None:
                put(*(values[begin:end] for values in self.features[k : k + PUTS[put]]), X, j)
                j += PUTS[put]
                continue
            texts = self.plan.features[k].texts
            width = len(texts) - 1 if texts else 1
            values = self.features[k][begin:end, None]
            X[:, j : j + width] = values == np.arange(1, width + 1) if texts else values
            j += width

    @cached_property
    def _together(self) -> list[tuple[int, Any]]:
        """The first of columns that are copied together, and by what; None for one alone."""
        found: list[tuple[int, Any]] = []
        k = 0
        while k < len(self.features):
            put = next((put for put, count in PUTS.items() if self._alike(k, count)), None)
            found.append((k, put))
            k += PUTS.get(put, 1)
        return found

    def _alike(self, k: int, count: int) -> bool:
        """Whether so many columns from k on are floats as those of X, or all are whole numbers."""
        some = self.features[k : k + count]
        kind = some[0].dtype
        return (
            len(some) == count
            and (kind == self.plan.dtype or kind == np.int64)
            and all(values.dtype == kind for values in some)
            and not any(feature.texts for feature in self.plan.features[k : k + count])
        )


@kernel
def _put_eight(a, b, c, d, e, f, g, h, X, j):
    """Eight columns at once: rows are written in pieces of 64 bytes, a line of the cache."""
    for i in range(len(X)):
        X[i, j], X[i, j + 1], X[i, j + 2], X[i, j + 3] = a[i], b[i], c[i], d[i]
        X[i, j + 4], X[i, j + 5], X[i, j + 6], X[i, j + 7] = e[i], f[i], g[i], h[i]


@kernel
def _put_four(a, b, c, d, X, j):
    for i in range(len(X)):
        X[i, j], X[i, j + 1], X[i, j + 2], X[i, j + 3] = a[i], b[i], c[i], d[i]


PUTS: dict[Any, int] = {_put_eight: 8, _put_four: 4}


def read_batch(plan: Plan, batch: Batch, first: int) -> Columns:
    """The arrays of a batch, without copies where the table allows; ``first`` is its first row."""
    arrays = []
    for name, column in zip(plan.columns, batch.columns, strict=True):
        refuse_missing(column, name, first)
        arrays.append(column)
    features = [
        _codes(column, feature, first) if feature.texts else frozen(_numbers(column))
        for feature, column in zip(plan.features, arrays, strict=False)
    ]
    rest = arrays[len(features) :]
    weight = None if plan.weight is None else np.asarray(_numbers(rest.pop()), np.float64)
    target = None
    if plan.target is not None and plan.labels is not None:
        target = _class_numbers(rest[0], plan, first)
    elif plan.target is not None:
        target = np.asarray(_target_numbers(rest[0], plan.target), np.float64)
    return Columns(plan, features, target, weight, batch.rows)


def _numbers(column: Any) -> np.ndarray:
    """Without a copy where the values are floats."""
    if isinstance(column, np.ndarray):
        return column
    import pyarrow
    import pyarrow.types as pt

    if pt.is_decimal(column.type):
        column = column.cast(pyarrow.float64())
    return column.to_numpy(zero_copy_only=False)


def _target_numbers(column: Any, name: str) -> np.ndarray:
    values = _numbers(column)
    if values.dtype.kind in "OUS":
        raise ValueError(
            f"the target {name!r} has text such as {values[0]!r}, and a regression predicts "
            "numbers: use a classifier"
        )
    return values


def _codes(column: Any, feature: Feature, first: int) -> np.ndarray:
    """The place of each text among the known ones."""
    return _places(column, feature.texts, feature.name, first)


def _class_numbers(column: Any, plan: Plan, first: int) -> np.ndarray:
    assert plan.labels is not None
    assert plan.target is not None
    values = column if isinstance(column, np.ndarray) else None
    if values is None and plan.labels.dtype.kind in "biuf":
        values = _numbers(column)
    if values is None or values.dtype == object:
        return _places(column, plan.texts, plan.target, first)
    codes, row = places(plan.labels, values)
    if row is not None:
        raise ValueError(
            f"the target is {values.tolist()[row]!r} in row {first + row:,}, which is not "
            f"among the classes {plan.labels.tolist()}"
        )
    return codes


def _places(column: Any, texts: tuple[Any, ...], name: str, first: int) -> np.ndarray:
    if isinstance(column, np.ndarray):
        place = {text: code for code, text in enumerate(texts)}
        codes = np.array([place.get(text, -1) for text in column.tolist()], dtype=np.int64)
    else:
        import pyarrow
        import pyarrow.compute as pc
        import pyarrow.types as pt

        if pt.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        found = pc.index_in(column, value_set=pyarrow.array(texts, type=column.type))
        codes = pc.fill_null(found, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    if len(codes) and codes.min() < 0:
        row = int(np.argmax(codes < 0))
        value = column[row] if isinstance(column, np.ndarray) else column[row].as_py()
        raise ValueError(
            f"column {name!r} has {value!r} at row {first + row:,}, which was not there in the "
            f"first pass, or which the model has not seen; it knows {', '.join(texts[:8])}"
        )
    return codes


def read_columns(table: Table, names: list[str], step: int) -> dict[str, Any]:
    """Every ``step``-th row of some columns, in memory."""
    parts: list[list[Any]] = [[] for _ in names]
    first = 0
    for batch in table.batches(names):
        chosen = slice(-first % step, None, step)
        for part, column in zip(parts, batch.columns, strict=True):
            part.append(values_of(column)[chosen])
        first += batch.rows
    joined = [np.concatenate(part) for part in parts]
    return dict(zip(names, joined, strict=True))


def values_of(column: Any) -> np.ndarray:
    """Numbers, truth values, or objects of text."""
    if isinstance(column, np.ndarray):
        return column
    if column.null_count:
        return np.array(column.to_pylist(), dtype=object)
    return _numbers(column)
