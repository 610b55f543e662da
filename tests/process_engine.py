"""An engine whose rows are in another process, in blocks of uneven, single and no rows.

What goes there and back goes through pickle, so nothing can be shared by accident; there the
arguments and the rows are compared with copies, so a task that writes into them is found out.
"""

from __future__ import annotations

import multiprocessing
import pickle
import traceback
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from linscope.data import to_matrix
from linscope.engines.base import RowsElsewhere, Tree
from linscope.rows.blocks import NO_WEIGHT, Block, stacked, take_rows, taken
from linscope.rows.threads import one_blas_thread

# Shares of the rows; 0 makes an empty block, and after it comes a single row.
SHARES = (0.31, 0.0, None, 0.05, 0.4, None, 0.0, 0.24)


class MutatedError(Exception):
    """A task wrote into what it was given."""


class ProcessEngine:
    """Rows that only another process has.

    Parameters
    ----------
    X, y, weight : the rows; sent away at once, and not kept here
    """

    def __init__(self, X: Any, y: Any = None, weight: Any = None):
        empty = hasattr(X, "shape") and X.shape[0] == 0
        matrix = X if empty else to_matrix(X)[0]
        weight = NO_WEIGHT if weight is None else np.asarray(weight)
        self._adopt(_cut(matrix, None if y is None else np.asarray(y), weight))

    def _adopt(self, blocks: list[Block]) -> None:
        first = blocks[0]
        self.sizes = [block.X.shape[0] for block in blocks]
        self.n_rows, self.n_features = sum(self.sizes), first.X.shape[1]
        self.n_targets = 0 if first.y is None else int(np.prod(first.y.shape[1:]))
        self.dtype, self.is_sparse = first.X.dtype, sp.issparse(first.X)
        self.weighted = any(block.weighted for block in blocks)
        self._name = _ask("put", blocks)

    def fold(self, task, *arguments):
        return self._tree("fold", task, arguments)

    def keep(self, name, task, *arguments):
        return self._tree("keep", task, arguments, name)

    def _tree(self, verb, task, arguments, name=""):
        tree = Tree()
        for partial in _ask(verb, self._name, name, task, arguments):
            tree.add(partial)
        return tree.total()

    def forget(self, name):
        _ask("forget", self._name, name)

    def gather(self, task, *arguments):
        parts = _ask("fold", self._name, "", task, arguments)
        if isinstance(parts[0], tuple):
            return tuple(np.concatenate(column) for column in zip(*parts, strict=True))
        return np.concatenate(parts)

    def derive(self, task, *arguments):
        parts = _ask("fold", self._name, "", task, arguments)
        out = object.__new__(ProcessEngine)
        starts = np.cumsum([0, *(part[0].shape[0] for part in parts)])
        out._adopt([Block(int(a), *part) for a, part in zip(starts, parts, strict=False)])
        return out

    def take(self, rows):
        return stacked(_ask("fold", self._name, "", _numbered, (rows,)))

    def cut(self, rows):
        return self

    def some(self, rows):
        """A few of each block."""
        step = max(1, self.n_rows // max(1, rows))
        return stacked(_ask("fold", self._name, "", _every, (step,)))

    has_all_rows, room = False, np.inf

    def all_rows(self, who):
        raise RowsElsewhere(f"{who} needs all rows in memory, and these are in another process")


def _numbered(block: Block, rows: np.ndarray) -> Block:
    first, last = np.searchsorted(rows, (block.rows.start, block.rows.stop))
    return taken(block, rows[first:last] - block.start)


def _every(block: Block, step: int) -> Block:
    y = None if block.y is None else block.y[::step]
    return Block(block.start, block.X[::step], y, block.weight[::step])


def _cut(X: Any, y: Any, weight: np.ndarray) -> list[Block]:
    stops, n = [0], X.shape[0]
    for share in SHARES:
        rows = 1 if share is None else int(share * n)
        stops.append(min(n, stops[-1] + rows))
    stops[-1] = n
    return [
        Block(a, take_rows(X, a, b), None if y is None else y[a:b], weight[a:b])
        for a, b in pairwise(stops)
    ]


class _Other:
    """The process with the rows; one for all engines of a test run, because it compiles too."""

    connection: Any = None
    process: Any = None

    @classmethod
    def talk(cls) -> Any:
        if cls.process is None or not cls.process.is_alive():
            context = multiprocessing.get_context("spawn")
            cls.connection, theirs = context.Pipe()
            cls.process = context.Process(target=_serve, args=(theirs,), daemon=True)
            cls.process.start()
        return cls.connection


def _ask(*message: Any) -> Any:
    connection = _Other.talk()
    connection.send_bytes(pickle.dumps(message))
    answer, error = pickle.loads(connection.recv_bytes())
    if error is None:
        return answer
    kind, text, where = error
    raise kind(f"{text}\n{where}")


def _serve(connection: Any) -> None:
    tables: dict[int, list[Block]] = {}
    while True:
        try:
            message = pickle.loads(connection.recv_bytes())
        except EOFError:
            return
        try:
            answer = _answer(tables, *message), None
        except Exception as error:  # all of them go back to the test
            kind = type(error) if type(error).__module__ == "builtins" else RuntimeError
            kind = MutatedError if isinstance(error, MutatedError) else kind
            answer = None, (kind, str(error), traceback.format_exc())
        connection.send_bytes(pickle.dumps(answer))


def _answer(tables: dict, verb: str, *words: Any) -> Any:
    if verb == "put":
        tables[len(tables)] = words[0]
        return len(tables) - 1
    table, name = tables[words[0]], words[1]
    if verb == "forget":
        for block in table:
            block.kept.pop(name, None)
        return None
    task, arguments = words[2:]
    with one_blas_thread(), np.errstate(all="ignore"):
        out = [_checked(block, task, arguments) for block in table]
    if verb == "fold":
        return out
    for block, (kept, _) in zip(table, out, strict=True):
        block.kept[name] = kept
    return [partial for _, partial in out]


def _checked(block: Block, task: Any, arguments: tuple) -> Any:
    before = [(array, array.copy()) for array in _arrays((block, arguments), set())]
    result = task(block, *arguments)
    if not all(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc") for a, b in before):
        raise MutatedError(f"{task.__module__}.{task.__name__} writes into what it was given")
    return result


def _arrays(thing: Any, seen: set[int]) -> list[np.ndarray]:
    """All arrays that can be reached from it."""
    if id(thing) in seen or isinstance(thing, str | bytes | int | float | type):
        return []
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        return [thing]
    if sp.issparse(thing):
        return [thing.data, thing.indices, thing.indptr]
    if isinstance(thing, dict):
        inside = list(thing.values())
    elif isinstance(thing, tuple | list):
        inside = list(thing)
    else:
        names = getattr(thing, "__slots__", None) or getattr(thing, "__dict__", ())
        inside = [getattr(thing, name) for name in names]
    return [array for each in inside for array in _arrays(each, seen)]
