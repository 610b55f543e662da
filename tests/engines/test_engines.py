"""Engines: the same bits for any number of threads, and for any engine with the same borders."""

import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from linscope.engines import Engine, MemoryEngine
from linscope.engines.base import Tree
from linscope.rows.blocks import BLOCK_BYTES, block_borders, take_rows
from linscope.rows.threads import Workers, blas_limits, one_blas_thread, one_thread, thread_count

rng = np.random.default_rng(0)
X = rng.standard_normal((5000, 7)) * 10.0 ** rng.uniform(-8, 8, (5000, 1))
y = rng.choice([-1.0, 1.0], 5000)
weight = rng.uniform(size=5000)


def moments(block, power=1.0):
    """A sum whose rounding depends on every border and on the order of the blocks."""
    scaled = (
        block.X.multiply(block.weight[:, None])
        if sp.issparse(block.X)
        else (block.X * block.weight[:, None])
    )
    product = scaled.T @ block.X
    product = product.toarray() if sp.issparse(product) else product
    return product**power, block.X.T @ block.y


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_same_bits_for_any_number_of_threads(container):
    table = container(X)
    expected = MemoryEngine(table, y, weight, n_threads=1, block_rows=37).fold(moments, 1.0)
    for k in (2, 4):
        engine = MemoryEngine(table, y, weight, n_threads=k, block_rows=37)
        assert isinstance(engine, Engine)
        for _ in range(3):
            result = engine.fold(moments, 1.0)
            assert all((a == b).all() for a, b in zip(result, expected, strict=True))


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=40))
def test_a_tree_adds_each_once_and_in_order(numbers):
    tree = Tree()
    for k, number in enumerate(numbers):
        tree.add((number, Ordered(k, k)))
    total, order = tree.total()
    assert total == sum(numbers)
    assert (order.first, order.last) == (0, len(numbers) - 1)


class Ordered(NamedTuple):
    """Adds only to its neighbour on the right."""

    first: int
    last: int

    def plus(self, other):
        assert other.first == self.last + 1
        return Ordered(self.first, other.last)


def test_derived_rows():
    engine = MemoryEngine(X, y, weight, block_rows=700)
    small = engine.derive(positive_rows, 10.0)
    assert small.n_rows == (y > 0).sum()
    assert not small.weighted
    np.testing.assert_array_equal(small.all_rows("a test").X, X[y > 0] * 10.0)
    np.testing.assert_array_equal(small.cut(99).gather(first_column), X[y > 0, 0] * 10.0)
    assert max(small.cut(99).sizes) == 99


def positive_rows(block, scale):
    own = block.y > 0
    return block.X[own] * scale, block.y[own], np.zeros(0)


def first_column(block):
    return block.X[:, 0]


def test_sum_is_right():
    total, _ = MemoryEngine(X, y, weight, n_threads=2, block_rows=100).fold(moments)
    np.testing.assert_allclose(total, (X * weight[:, None]).T @ X, rtol=1e-10)


@given(st.integers(1, 5000), st.integers(1, 10**6), st.sampled_from([4, 8]))
def test_borders_cover_the_rows_once(n, d, itemsize):
    borders = block_borders(n, d, itemsize)
    assert borders[0][0] == 0
    assert borders[-1][1] == n
    assert all(a[1] == b[0] for a, b in itertools.pairwise(borders))
    rows = borders[0][1]
    assert rows == 1 or rows * d * itemsize <= BLOCK_BYTES


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_rows_of_a_sparse_table_share_its_memory(index):
    table = sp.csr_array(np.where(rng.uniform(size=(50, 9)) < 0.3, 1.5, 0.0))
    table.indices, table.indptr = table.indices.astype(index), table.indptr.astype(index)
    part = take_rows(table, 10, 33)
    np.testing.assert_array_equal(part.toarray(), table[10:33].toarray())
    assert np.shares_memory(part.data, table.data)


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_results_come_in_block_order(n_threads):
    def slow_first(block):
        time.sleep(0.02 if block.start == 0 else 0.0)
        return np.array([block.start])

    engine = MemoryEngine(X, n_threads=n_threads, block_rows=500)
    assert engine.gather(slow_first).tolist() == list(range(0, 5000, 500))


def test_few_blocks_are_in_flight():
    started = []
    results = Workers(2).map(started.append, range(500))
    next(results)
    assert len(started) <= 2 * 2 + 1
    results.close()


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_errors_come_through_and_end_the_work(n_threads, error):
    running = threading.Semaphore(0)

    def fail_at_20(block):
        if block.start == 20:
            raise error("block 20")
        time.sleep(0.001)
        running.release()
        return 1

    before = blas_threads()
    engine = MemoryEngine(X, n_threads=n_threads, block_rows=10)
    with pytest.raises(error, match="block 20"):
        engine.fold(fail_at_20)
    done = running._value
    time.sleep(0.05)
    assert running._value == done < 50
    assert blas_threads() == before
    assert engine.fold(lambda block: block.X.shape[0]) == 5000


class Interrupts:
    def plus(self, other):
        raise KeyboardInterrupt


def test_interrupt_in_the_sum_ends_the_work():
    finished = []

    def note(block):
        finished.append(block.start)
        return Interrupts()

    engine = MemoryEngine(X, n_threads=2, block_rows=10)
    with pytest.raises(KeyboardInterrupt):
        engine.fold(note)
    count = len(finished)
    time.sleep(0.05)
    assert len(finished) == count < 50


def blas_threads():
    return [info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_blas_is_single_threaded_inside_and_restored_after(n_threads):
    engine = MemoryEngine(X, n_threads=n_threads, block_rows=1000)
    with threadpool_limits(2, "blas"):
        before = blas_threads()
        assert set(engine.gather(lambda block: np.array(blas_threads()))) == {1}
        assert blas_threads() == before
    assert before == [2] * len(before)


def test_a_single_block_is_folded_on_one_blas_thread_inside_a_limit_and_outside():
    engine = MemoryEngine(X[:10])
    with threadpool_limits(2, "blas"):
        before = blas_threads()
        assert set(engine.fold(lambda block: np.array(blas_threads()))) == {1}
        assert blas_threads() == before
        with one_blas_thread():
            assert set(engine.fold(lambda block: np.array(blas_threads()))) == {1}
        waiting = Workers(1).map(str, range(3))
        next(waiting)  # its limit ends with it, so who waits must not rely on it
        assert blas_limits.get() == 0
        waiting.close()
        assert blas_threads() == before


def test_overlapping_limits_are_undone_once():
    def use(delay):
        with one_blas_thread():
            time.sleep(delay)
            return set(blas_threads())

    with threadpool_limits(2, "blas"), ThreadPoolExecutor(3) as pool:
        before = blas_threads()
        assert list(pool.map(use, [0.05, 0.02, 0.03])) == [{1}] * 3
        assert blas_threads() == before


def test_the_last_to_leave_undoes_the_limit_of_another_thread():
    before = blas_threads()
    entered, left, finish = threading.Event(), threading.Event(), threading.Event()

    def first():
        with one_blas_thread():
            entered.set()
            left.wait()
        finish.wait()  # alive, but no longer a user

    thread = threading.Thread(target=first)
    thread.start()
    entered.wait()
    with one_blas_thread():
        left.set()
        time.sleep(0.05)
        assert set(blas_threads()) == {1}
    assert blas_threads() == before
    finish.set()
    thread.join()


@pytest.mark.parametrize("n_threads", [1, 3])
def test_errstate_of_the_caller_holds_in_the_threads(n_threads):
    engine = MemoryEngine(np.zeros((10, 1)), n_threads=n_threads, block_rows=1)
    with np.errstate(divide="ignore"):
        assert np.isinf(engine.gather(lambda block: 1.0 / block.X)).all()
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        engine.gather(lambda block: 1.0 / block.X)


def test_number_of_threads(monkeypatch):
    monkeypatch.setenv("LINSCOPE_THREADS", "3")
    assert thread_count() == 3
    with one_thread():
        assert thread_count() == 1
        assert thread_count(2) == 2
    assert thread_count() == 3
    assert thread_count(2) == 2
    assert MemoryEngine(X).n_threads == 3
    monkeypatch.setenv("LINSCOPE_THREADS", "many")
    with pytest.raises(ValueError, match=r"LINSCOPE_THREADS .* 'many'"):
        thread_count()
    monkeypatch.delenv("LINSCOPE_THREADS")
    assert thread_count() >= 1
    for wrong in (0, -1, 1.5, "x"):
        with pytest.raises(ValueError, match="n_threads"):
            thread_count(wrong)


def test_lengths_are_compared():
    with pytest.raises(ValueError, match="X has 5000 rows, but y has 3 entries"):
        MemoryEngine(X, [1, 2, 3])
    with pytest.raises(ValueError, match="X has 5000 rows, but weight has 1 entries"):
        MemoryEngine(X, weight=1.0)
    with pytest.raises(ValueError, match="block_rows"):
        MemoryEngine(X, block_rows=0)


def test_block_knows_its_place():
    engine = MemoryEngine(X, y, n_threads=1, block_rows=1500)

    def check(block):
        np.testing.assert_array_equal(y[block.rows], block.y)
        assert not block.weighted
        return 1

    assert engine.fold(check) == len(engine.sizes) == 4


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_part_without_rows_is_one_empty_block(kind):
    engine = MemoryEngine(kind(np.zeros((0, 3))), np.zeros(0))
    assert (engine.n_rows, engine.sizes, engine.cut(5).sizes) == (0, [0], [0])
    assert engine.fold(lambda block: block.X.sum(axis=0)).tolist() == [0.0, 0.0, 0.0]
