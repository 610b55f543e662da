"""Memory of blocks is used again, but never while somebody has a part of it."""

from __future__ import annotations

import numpy as np

import linscope as ls
from linscope.engines.rooms import Rooms


def test_memory_is_used_again_once_nobody_has_it():
    rooms = Rooms()
    room = rooms.take(100, np.dtype(float))
    place = room.ctypes.data
    rooms.give_back(room)
    del room
    assert rooms.take(100, np.dtype(float)).ctypes.data == place


def test_memory_that_a_view_holds_is_left_alone():
    rooms = Rooms()
    room = rooms.take(100, np.dtype(float))
    held = room[:6].reshape(2, 3).T
    held[:] = 7.0
    rooms.give_back(room)
    other = rooms.take(100, np.dtype(float))
    other[:] = 0.0
    assert (held == 7.0).all()


def test_too_small_or_of_another_type_is_not_taken():
    rooms = Rooms()
    for size, kind in ((10, "f8"), (200, "f4")):
        rooms.give_back(np.empty(size, kind))
        room = rooms.take(100, np.dtype(float))
        assert len(room) >= 100
        assert room.dtype == np.float64


def test_blocks_that_a_task_returns_stay_as_they_were(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    X = np.random.default_rng(0).normal(size=(50_000, 8))
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({f"x{j}": X[:, j] for j in range(8)} | {"y": X[:, 0]}), path)
    engine = ls.scan(path, target="y", memory_limit=1 << 22).engine
    found = engine.gather(lambda block: block.X[:, 3])
    assert np.array_equal(found, X[:, 3])
    blocks = list(engine._map(lambda number, block: block.X))
    assert len(blocks) > 8
    assert np.array_equal(np.vstack(blocks), X)
