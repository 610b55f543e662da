"""Tables in uneven partitions, some empty, some of a single row, for engines of several workers."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

from linscope.engines import Source
from linscope.engines.cluster.engine import engine_of
from linscope.engines.cluster.shelf import Load

# Shares of the rows before each border: the second partition is empty, the third a single row.
BORDERS = (0.3, 0.3, None, 0.55, 0.9, 0.9)


def borders(n):
    stops = [0]
    for share in BORDERS:
        stops.append(stops[-1] + 1 if share is None else max(stops[-1], int(share * n)))
    return list(zip(stops, [*stops[1:], n], strict=True))


def given(*rows):
    return rows


def loads(X, y=None, weight=None):
    columns = [X, y, None if weight is None or not len(weight) else weight]
    return [
        Load(given, tuple(None if one is None else one[a:b] for one in columns), f"partition {k}")
        for k, (a, b) in enumerate(borders(X.shape[0]))
    ]


def maker(crew):
    """What ``using`` takes: engines of partitions on this crew."""

    def make(X, y=None, weight=None):
        recipes = loads(X, None if y is None else np.asarray(y), weight)
        return engine_of(crew, crew.begin(recipes))

    return make


def source(crew, X, y, weight=None, names=None):
    targets = ["y"] if y.ndim == 1 else ["p", "q"]
    return Source(maker(crew)(X, y, weight), names, targets)


def dies_once(flag, *rows):
    """The rows; but the first worker that reads them dies."""
    try:
        Path(flag).touch(exist_ok=False)
    except FileExistsError:
        return rows
    os._exit(1)


def dawdles(*rows):
    """The rows, when the others are done."""
    time.sleep(0.1)
    return rows


def refuses(*_):
    raise OSError(5, "cannot be read", "part-4.parquet")
