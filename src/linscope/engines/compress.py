"""``ls.compress``: equal rows become one row with a weight, which changes no sum over rows."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from linscope.data.scan import open_table
from linscope.data.scan.opening import with_arrow
from linscope.data.scan.plan import make_plan, refuse_missing, values_of
from linscope.data.scan.reading import Batch, Table
from linscope.rows.finite import NotFinite, complain, first_not_finite
from linscope.rows.memory_budget import memory_budget

from .scan import SMALL_SHARE, Scan, scan

# What the column of weights is called, unless the table has such a column.
TIMES = "times"
NUMBERS = ("float32", "number")
# Rows that are grouped at a time.
MANY_ROWS = 1 << 20
# A sample of so many rows, from so many parts of the table; so many for each different one pay.
SAMPLE, MOST_PARTS, PAYS = 1 << 16, 16, 10


def compress(
    table: Any,
    target: str | None = None,
    *,
    columns: Iterable[str] | None = None,
    weight: str | None = None,
    memory_limit: float | None = None,
) -> Scan:
    """A table whose equal rows are one row with a weight: how often it was there.

    One pass. Every model that sums over rows finds the same coefficients as from the whole table,
    and the same standard errors and tests: the weights count rows. Its certificate is about the
    weighted rows.

    Parameters
    ----------
    table, target, columns, memory_limit : as for ``scan``; also a dict of columns
    weight : column of weights that the rows have already; those of equal rows are added.
        ``LinearRegression(weight_kind="frequency")`` says that they count rows; without it there
        are no standard errors of a linear regression.

    Returns
    -------
    Scan
        Of the different rows, which are in memory; ``fit`` takes it.

    Raises
    ------
    ValueError
        If the rows hardly repeat, so that the different ones do not fit in memory.

    Examples
    --------
    >>> import linscope as ls
    >>> table = {"dose": [0, 0, 0, 1, 1, 1], "ill": ["no", "no", "yes", "no", "yes", "yes"]}
    >>> rows = ls.compress(table, target="ill")
    >>> rows.shape
    (4, 1)
    >>> ls.LogisticRegression().fit(rows).coef_.round(4)
    array([[0.3639]])
    """
    given = {"columns": columns, "weight": weight, "memory_limit": memory_limit}
    found = few_rows(table, target, sampled=False, **given)
    assert found is not None
    return found


def few_rows(
    table: Any, target: str | None, *, columns: Any, weight: Any, memory_limit: Any, sampled: bool
) -> Scan | None:
    """The different rows; if they are to be ``sampled``, None where rows do not repeat enough."""
    with_arrow()
    import pyarrow

    rows = open_table(pyarrow.table(table) if isinstance(table, dict) else table)
    plan = make_plan(rows, target, columns, weight)
    name = next(name for name in _names() if name not in rows.kinds)
    keys = [one for one in plan.columns if one != weight]
    most = memory_budget(memory_limit) * SMALL_SHARE
    if sampled and not _pays(rows, keys, name):
        return None
    try:
        found = _grouped(rows, keys, weight, name, most)
    except HardlyRepeat:
        if sampled:
            return None
        raise
    features = [feature.name for feature in plan.features]
    few = scan(found, target, columns=features, weight=name, memory_limit=memory_limit)
    few._table.numbered = False
    few.weight_kind = "frequency" if weight is None else "summed"
    return few


def _pays(rows: Table, keys: list[str], name: str) -> bool:
    """Whether some rows, from parts that are evenly spread, are few different ones."""
    count = min(MOST_PARTS, len(rows.starts))
    chosen, parts = [rows.starts[i * len(rows.starts) // count] for i in range(count)], []
    for start, after in pairwise([*chosen, chosen[-1] + SAMPLE]):
        left = min(-(-SAMPLE // count), after - start)
        batches = rows.batches(keys, start) if left else iter(())
        while left > 0 and (batch := next(batches, None)) is not None:
            parts.append(_table(batch, keys, name, counted=True).slice(0, left))
            left -= batch.rows
    seen = sum(part.num_rows for part in parts)
    return bool(seen) and PAYS * _merged(None, parts, keys, name).num_rows <= seen


class HardlyRepeat(ValueError):
    """The different rows do not fit in memory."""


def _names() -> Iterable[str]:
    yield TIMES
    number = 2
    while True:
        yield f"{TIMES}{number}"
        number += 1


def _grouped(rows: Table, keys: list[str], weight: str | None, name: str, most: float) -> Any:
    """The different rows with the sums of their weights, in the order of their first places."""
    names = keys if weight is None else [*keys, weight]
    total, parts, waiting, first = None, [], 0, 0
    for batch in rows.batches(names):
        _check(rows, batch, names, first)
        first += batch.rows
        parts.append(_table(batch, keys, name, counted=weight is None))
        waiting += batch.rows
        if waiting >= MANY_ROWS:
            total, parts, waiting = _merged(total, parts, keys, name), [], 0
            if total.nbytes > most:
                raise HardlyRepeat(
                    f"rows of {rows.where} hardly repeat: {total.num_rows:,} different ones so "
                    "far, more than fit in memory; use scan(…) on the table itself"
                )
    return _merged(total, parts, keys, name)


def _check(rows: Table, batch: Batch, names: list[str], first: int) -> None:
    """Raise ValueError for a value that is missing or infinite, with its row in the whole table."""
    for j, (name, column) in enumerate(zip(names, batch.columns, strict=True)):
        refuse_missing(column, name, first)
        bad = first_not_finite(values_of(column)) if rows.kinds[name] in NUMBERS else 0.0
        if isinstance(bad, NotFinite):
            complain(NotFinite(first + bad.row, j, bad.value), names, "the table")


def _table(batch: Any, keys: list[str], name: str, *, counted: bool) -> Any:
    """A batch with its weights, or where rows are counted, with 1 for each."""
    import pyarrow as pa

    columns = [one if isinstance(one, pa.Array) else pa.array(one) for one in batch.columns]
    if counted:
        columns.append(pa.array(np.ones(batch.rows)))
    return _plain(pa.table(columns, names=[*keys, name]))


def _plain(table: Any) -> Any:
    """Texts instead of dictionaries, which may differ from batch to batch."""
    import pyarrow as pa
    import pyarrow.types as pt

    fields = [
        pa.field(f.name, f.type.value_type if pt.is_dictionary(f.type) else f.type)
        for f in table.schema
    ]
    return table.cast(pa.schema(fields))


def _merged(total: Any, parts: list[Any], keys: list[str], name: str) -> Any:
    import pyarrow as pa

    both = pa.concat_tables([*([] if total is None else [total]), *parts])
    # One thread: the order of the groups, and of the sums, is always the same.
    found = both.group_by(keys, use_threads=False).aggregate([(name, "sum")])
    return found.rename_columns([*found.column_names[:-1], name]).select([*keys, name])
