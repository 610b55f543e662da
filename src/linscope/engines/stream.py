"""Rows in a file or any other table in batches: each pass reads them again, block by block.

Blocks have the borders that they would have in memory, whatever the batches of the table are, and
are worked on by threads while the next ones are read. What tasks make of the rows (``derive``) is
made again in each pass; what they keep for each row is in ``KeptRows``.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Generator
from contextlib import closing
from copy import copy
from dataclasses import replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from linscope.data.scan.plan import Columns, Plan, read_batch
from linscope.data.scan.reading import ChangedTable, Table
from linscope.results.observer import watching
from linscope.rows.blocks import (
    NO_WEIGHT,
    Block,
    block_rows_for,
    borders,
    every,
    stacked,
    taken,
)
from linscope.rows.threads import Workers, one_blas_thread

from .base import RowsElsewhere, Task, Tree
from .kept_rows import Column, KeptOfBlock, KeptRows
from .read_ahead import read_ahead
from .rooms import Rooms

# Bytes that wait between disk and processor, and of a block at most, as shares of the limit.
AHEAD_SHARE, BLOCK_SHARE, KEPT_SHARE = 1 / 16, 1 / 64, 1 / 4
MOST_AHEAD = 64 << 20
# Bytes of rows that stand for all.
SOME_SHARE, MOST_SOME = 1 / 8, 64 << 20
# And of rows that are brought here.
ROOM_SHARE, MOST_ROOM = 1 / 4, 128 << 20
# A look at some rows reads the beginnings of parts: of this share, since of a small part even a few
# rows cost as much as all.
FEWEST_PARTS, MOST_PARTS, SHARE_OF_PARTS = 4, 64, 1 / 32


class Pieces(NamedTuple):
    """What fills a block: its number, its first row, and parts of batches with first and last row.

    A number below 0 is none: rows from anywhere.
    """

    number: int
    start: int
    parts: list[tuple[Columns, int, int]]

    @property
    def rows(self) -> int:
        return sum(end - begin for _, begin, end in self.parts)

    def filled(
        self, plan: Plan, width: int, room: np.ndarray | None = None, by_columns: bool = False
    ) -> Block:
        """The block, in this room; of a plan without features X has a shape, but no numbers."""
        if not plan.features:
            X = np.broadcast_to(np.zeros((), plan.dtype), (self.rows, width))
        else:
            room = np.empty(self.rows * width, plan.dtype) if room is None else room
            order: Any = "F" if by_columns else "C"
            X, at = room[: self.rows * width].reshape(self.rows, width, order=order), 0
            for columns, begin, end in self.parts:
                columns.copy(begin, end, X, at)
                at += end - begin
        y, weight = None, NO_WEIGHT
        if plan.target is not None:
            y = _joined([part.target[a:b] for part, a, b in self.parts])  # type: ignore[index]
        if plan.weight is not None:
            weight = _joined([part.weight[a:b] for part, a, b in self.parts])  # type: ignore[index]
        return Block(self.start, X, y, weight)


class StreamEngine:
    """Engine of a table in batches.

    Parameters
    ----------
    table, plan : what is read, and what becomes of the columns
    limit : bytes of memory to use
    """

    is_sparse, has_all_rows = False, False

    def __init__(self, table: Table, plan: Plan, limit: float) -> None:
        self._table, self._plan, self._limit = table, plan, limit
        self._ahead = table.at_once = min(MOST_AHEAD, limit * AHEAD_SHARE)
        self._steps: tuple[tuple[Task, tuple, KeptRows], ...] = ()
        self._workers = Workers()
        self._seen: dict[int, int] = {}
        self._kept = KeptRows(limit * KEPT_SHARE)
        self.room = min(MOST_ROOM, limit * ROOM_SHARE) / 8
        self.n_features, self.dtype = len(plan.names), plan.dtype
        self.n_targets = int(plan.target is not None)
        self.weighted = plan.weight is not None
        if table.n_rows is None:
            table.n_rows = sum(batch.rows for batch in table.batches(plan.columns[:1]))
        if table.n_rows == 0:
            raise ValueError(f"{table.where} has no rows")
        self.n_rows = table.n_rows
        self._rows = self._allowed(block_rows_for(self.n_features, self.dtype.itemsize))
        self._counts: list[int] | None = None

    def _allowed(self, rows: int) -> int:
        """Rows of a block that memory allows."""
        width = 8 * max(1, self.n_features)
        return max(1, min(rows, int(max(self._limit * BLOCK_SHARE, 1 << 16) // width)))

    @property
    def sizes(self) -> list[int]:
        if self._counts is not None:
            return self._counts
        return [stop - start for start, stop in borders(self._table.n_rows or 0, self._rows)]

    def fold(self, task: Task, *arguments: Any) -> Any:
        """The tasks' results, added in a tree over the blocks' numbers."""
        return self.fold_on(task, arguments)

    def fold_on(self, task: Task, arguments: tuple, unfinished: Any = None) -> Any:
        """The same, from where an unfinished pass has come; it is told how far this one comes."""
        tree = Tree(unfinished and unfinished.begun)
        found = self._map(lambda _, block: task(block, *arguments), task, tree.count)
        with closing(found) as partials:
            for partial in partials:
                tree.add(partial)
                if unfinished is not None:
                    unfinished.save(lambda: tree.sums)
        return tree.total()

    def walk(self, task: Task, state: Any, *arguments: Any) -> Any:
        """The state after all blocks, one after the other; the next ones are read meanwhile."""
        return self.walk_on(task, state, arguments)

    def walk_on(self, task: Task, state: Any, arguments: tuple, unfinished: Any = None) -> Any:
        """The same, from where an unfinished pass has come."""
        number = 0
        if unfinished is not None and unfinished.begun is not None:
            number, state = unfinished.begun
        found = self._map(lambda _, block: block, task, number)
        with closing(found) as blocks:
            for number, block in enumerate(blocks, number + 1):  # noqa: B020
                state = task(block, state, *arguments)
                if unfinished is not None:
                    unfinished.save(lambda now=(number, state): now)
        return state

    def keep(self, name: str, task: Task, *arguments: Any) -> Any:
        """The same for the partials of (kept, partial); kept is ``block.kept[name]`` from then."""

        def keeping(number: int, block: Block) -> Any:
            thing, partial = task(block, *arguments)
            self._kept.put(number, name, thing)
            return partial

        tree = Tree()
        with closing(self._map(keeping, task)) as partials:
            for partial in partials:
                tree.add(partial)
        return tree.total()

    def forget(self, name: str) -> None:
        """Nothing is kept under this name any more."""
        self._kept.forget(name)

    def gather(self, task: Task, *arguments: Any) -> Any:
        """What the task returns for each row, of all rows: an array, or a tuple of arrays."""
        columns: list[Column] = []
        with closing(self._map(lambda _, block: task(block, *arguments), task)) as found:
            for part in found:
                parts = part if isinstance(part, tuple) else (part,)
                columns = columns or [Column(self._limit * KEPT_SHARE / 4) for _ in parts]
                for column, values in zip(columns, parts, strict=True):
                    column.add(np.asarray(values))
        whole = tuple(column.whole() for column in columns)
        return whole if isinstance(part, tuple) else whole[0]

    def derive(self, task: Task, *arguments: Any) -> StreamEngine:
        """The rows that the task will make of each block, in each pass."""
        out = copy(self)
        out._steps = (*self._steps, (task, arguments, self._kept))
        out._kept = KeptRows(self._limit * KEPT_SHARE)
        made = Block(0, *task(self._first(), *arguments))
        out.n_features, out.dtype = made.X.shape[1], made.X.dtype
        out.n_targets = 0 if made.y is None else (made.y.shape[1] if made.y.ndim == 2 else 1)
        out.weighted = made.weighted
        if hasattr(task, "selects") or self._counts is not None:
            out._counts = list(out._map(lambda _, block: block.X.shape[0]))
            out.n_rows = sum(out._counts)
        return out

    def cut(self, rows: int) -> StreamEngine:
        """The same rows in blocks of about so many, where memory allows."""
        rows = self._allowed(rows)
        if rows == self._rows or self._counts is not None or self._uses_kept():
            return self
        out = copy(self)
        out._rows, out._kept, out._seen = rows, KeptRows(self._limit * KEPT_SHARE), {}
        return out

    def _uses_kept(self) -> bool:
        """Whether a step looks at what was kept for the blocks as they are now."""
        return any(kept.used for _, _, kept in self._steps)

    def take(self, rows: np.ndarray) -> Block:
        """The rows with these numbers."""
        return self._brought(len(rows), lambda _, block: _numbered(block, rows))

    def some(self, rows: int) -> Block:
        """The first rows of parts that are evenly spread, or of a small table all."""
        if rows < self.n_rows:
            width = 8 * (self.n_features + 2)
            rows = max(1, min(rows, int(min(MOST_SOME, self._limit * SOME_SHARE) // width)))
        step = max(1, self.n_rows // max(1, rows))
        parts = self._table.starts
        if step == 1 or len(parts) == 1 or self._counts is not None or self._uses_kept():
            return stacked(list(self._map(lambda _, block: _own_block(every(block, step)))))
        count = max(FEWEST_PARTS, round(SHARE_OF_PARTS * len(parts)), -(-rows // self._rows))
        count = min(count, MOST_PARTS, len(parts), max(1, rows))
        chosen = [parts[i * len(parts) // count] for i in range(count)]
        return stacked([self._beginning(start, -(-rows // count)) for start in chosen])

    def _beginning(self, start: int, rows: int) -> Block:
        """The first rows of a part."""
        for columns, first in self._columns(self._plan, start, few=rows):
            part = Pieces(-1, first, [(columns, 0, min(rows, columns.rows))])
            return self._made(part, self._plan)[1]
        raise ChangedTable(f"{self._table.where} has fewer rows than it had: open it again")

    def loaded(self) -> Block:
        """All rows of a table that is known to fit, in one block."""
        return self._brought(self.n_rows, lambda _, block: block)

    def _brought(self, rows: int, function: Any) -> Block:
        """So many rows, which ``function(number, block)`` gives, in one block."""
        X, at = np.empty((rows, self.n_features), self.dtype), 0
        rest = []
        with closing(self._map(function)) as found:
            for block in found:
                X[at : at + len(block.X)] = block.X
                at += len(block.X)
                rest.append(Block(0, X[:0], block.y, block.weight))
        y = None if rest[0].y is None else np.concatenate([part.y for part in rest])
        return Block(0, X, y, np.concatenate([part.weight for part in rest]))

    def all_rows(self, who: str = "this") -> Block:
        """Rows that are in no memory: an error that says so."""
        raise RowsElsewhere(
            f"{who} needs all rows in memory, and these are {self._table.in_words}: use a model or "
            "a solver that sums over rows, or load a part of the table"
        )

    def _map(
        self, function: Any, task: Task | None = None, first: int = 0
    ) -> Generator[Any, None, None]:
        """``function(number, block)`` of all blocks from one on, in their order, on threads.

        It calls this task: which columns the blocks have, and in which order, is as the task asks.
        """
        plan = replace(self._plan, features=()) if hasattr(task, "blind") else self._plan
        tasks = [task, *(step for step, _, _ in self._steps)]
        by_columns = all(hasattr(one, "by_columns") for one in tasks)

        rooms = Rooms()
        numbers = self._rows * len(plan.features and self._plan.names)

        # Filled where it is worked on: the numbers are still in the cache.
        def work(item: Pieces) -> Any:
            room = rooms.take(numbers, plan.dtype)
            found = function(*self._made(item, plan, room, by_columns))
            rooms.give_back(room)
            return found

        with one_blas_thread():
            yield from self._workers.map(work, self._pass(plan, first))

    def _first(self) -> Block:
        """The first block."""
        with closing(self._pass(self._plan, 0, ahead=False)) as found:
            return self._made(next(found), self._plan)[1]

    def _pass(self, plan: Plan, first: int, *, ahead: bool = True) -> Generator[Pieces, None, None]:
        """What the blocks from one on are to be filled with, in their order."""
        self._table.check()
        observer, total = watching.get(), self._table.n_rows or 0
        for item in self._pieces(plan, first, ahead):
            if observer is not None:
                observer.rows(item.start + item.rows, total)
            yield item

    def _made(
        self, item: Pieces, plan: Plan, room: np.ndarray | None = None, by_columns: bool = False
    ) -> tuple[int, Block]:
        """The block with its number, after all steps."""
        number, start = item.number, item.start
        block = item.filled(plan, len(self._plan.names), room, by_columns)
        if plan.features and number >= 0:
            self._recognise(number, block)
        if self._counts is not None and number < len(starts := self._starts):
            start = starts[number]
        for place, (task, arguments, kept) in enumerate(self._steps):
            block.kept = KeptOfBlock(kept, number)
            X, y, weight = task(block, *arguments)
            last = place == len(self._steps) - 1
            block = Block(start if last else block.start, X, y, weight)
        block.kept = KeptOfBlock(self._kept, number)
        return number, block

    @property
    def _starts(self) -> list[int]:
        return [0, *accumulate(self._counts or [])]

    def _pieces(self, plan: Plan, first: int, ahead: bool) -> Generator[Pieces, None, None]:
        """Blocks of ``_rows`` rows, cut from batches of any length."""
        n, row = self._table.n_rows or 0, first * self._rows
        now = Pieces(first, row, [])
        at = self._table.starts[bisect_right(self._table.starts, row) - 1] if plan.columns else 0
        with closing(self._columns(plan, at, ahead)) as found:
            for columns, start in found:
                begin, length = max(0, row - start), columns.rows
                while begin < length:
                    end = min(length, begin + self._rows - now.rows)
                    now.parts.append((columns, begin, end))
                    begin = end
                    if now.rows == self._rows:
                        yield now
                        now = Pieces(now.number + 1, now.start + now.rows, [])
        if now.rows:
            yield now
        if min(now.start, n) + now.rows != n:
            raise ChangedTable(
                f"{self._table.where} had {n:,} rows when it was opened and has "
                f"{now.start + now.rows:,} now: open it again"
            )

    def _columns(
        self, plan: Plan, start: int, ahead: bool = False, few: int | None = None
    ) -> Generator[tuple[Columns, int], None, None]:
        """Batches as arrays, with the number of their first row; or the first few rows."""
        if not plan.columns:  # what is kept for the rows is all that is asked for
            yield Columns(plan, [], None, None, self._table.n_rows or 0), 0
            return
        batches: Any = self._table.batches(plan.columns, start, few)
        if ahead:
            size: Any = lambda batch: 8 * batch.rows * len(batch.columns)  # noqa: E731
            batches = read_ahead(batches, size, self._ahead)
        try:
            for batch in batches:
                yield read_batch(plan, batch, start), start
                start += batch.rows
        finally:
            if hasattr(batches, "close"):
                batches.close()

    def _recognise(self, number: int, block: Block) -> None:
        """Raise if a block is not the one that other passes have seen."""
        ends = block.X[:: max(1, len(block.X) - 1)]
        mark = zlib.crc32(np.ascontiguousarray(ends).tobytes())
        if self._seen.setdefault(number, mark) != mark:
            raise ChangedTable(
                f"{self._table.where} gives other rows, or rows in another order, than in the pass "
                f"before (see rows {block.rows.start:,} to {block.rows.stop:,}): give it an order, "
                "or write it to a file first"
            )


def _joined(parts: list[Any]) -> np.ndarray:
    return np.array(parts[0]) if len(parts) == 1 else np.concatenate(parts)


def _own_block(block: Block) -> Block:
    y = None if block.y is None else np.array(block.y)
    return Block(block.start, np.array(block.X), y, np.array(block.weight))


def _numbered(block: Block, rows: np.ndarray) -> Block:
    first, last = np.searchsorted(rows, (block.rows.start, block.rows.stop))
    return taken(block, rows[first:last] - block.start)
