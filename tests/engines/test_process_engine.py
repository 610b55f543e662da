"""Every order-free model, with its rows in another process: the same weights and certificate."""

import numpy as np
import pytest

from linscope.engines import MemoryEngine
from tests.process_engine import MutatedError, ProcessEngine


def total(block, power):
    return (block.X**power).sum(axis=0), block.X.shape[0]


def doubles_its_argument(block, w):
    w *= 2.0
    return float(w.sum())


def doubles_its_rows(block):
    block.X[:] *= 2.0
    return 0.0


def keeps_scores(block, w):
    scores = block.X @ w
    return scores, float(scores.sum())


def sum_of_kept(block):
    return float(block.kept["scores"].sum())


X = np.random.default_rng(0).normal(size=(101, 3))


def test_sums_are_those_of_the_rows():
    first, second = (make(X).fold(total, 2) for make in (MemoryEngine, ProcessEngine))
    np.testing.assert_allclose(first[0], second[0], rtol=1e-14)
    assert first[1] == second[1] == 101


def test_there_are_empty_and_single_rows():
    assert {0, 1} < set(ProcessEngine(X).sizes)


def test_what_is_kept_is_found_again():
    engine, w = ProcessEngine(X), np.arange(3.0)
    assert engine.keep("scores", keeps_scores, w) == pytest.approx(engine.fold(sum_of_kept))
    engine.forget("scores")
    with pytest.raises(KeyError):
        engine.fold(sum_of_kept)


@pytest.mark.parametrize(
    ("task", "words"), [(doubles_its_argument, (np.ones(2),)), (doubles_its_rows, ())]
)
def test_a_task_that_writes_into_what_it_is_given_is_found_out(task, words):
    with pytest.raises(MutatedError, match=task.__name__):
        ProcessEngine(X).fold(task, *words)


def test_all_rows_are_refused_by_name():
    with pytest.raises(ValueError, match="the dual simplex needs all rows in memory"):
        ProcessEngine(X).all_rows("the dual simplex")
