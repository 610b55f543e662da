"""Work on threads: the order of results, errors, and who does the work."""

import threading
from itertools import count, islice

import numpy as np
import pytest

from linscope.rows.threads import Workers


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("items", [0, 1, 2, 3, 40])
def test_results_come_in_the_order_of_the_items(threads, items):
    done = []

    def square(k):
        done.append(k)
        return k * k

    assert list(Workers(threads).map(square, range(items))) == [k * k for k in range(items)]
    assert sorted(done) == list(range(items))


def test_endless_items_are_taken_a_few_at_a_time():
    taken = []

    def items():
        for k in count():
            taken.append(k)
            yield k

    assert list(islice(Workers(2).map(abs, items()), 10)) == list(range(10))
    assert len(taken) < 20


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_an_error_reaches_the_caller_and_the_workers_stay_usable(threads):
    workers = Workers(threads)

    def inverse(k):
        return 1 // (k - 3)

    with pytest.raises(ZeroDivisionError):
        list(workers.map(inverse, range(8)))
    assert list(workers.map(abs, [-1, -2, -3])) == [1, 2, 3]


def test_the_calling_thread_works_too():
    """With one task held up, the others are done here rather than waited for."""
    here, release, names = threading.get_ident(), threading.Event(), {}

    def work(k):
        names[k] = threading.get_ident()
        if len(names) == 4:
            release.set()
        if names[k] != here:
            release.wait(10)
        return k

    assert list(Workers(2).map(work, range(4))) == list(range(4))
    assert here in names.values()


def test_calls_within_calls_do_not_wait_for_each_other():
    workers = Workers(2)

    def outer(k):
        return sum(workers.map(abs, range(k)))

    assert list(workers.map(outer, range(6))) == [sum(range(k)) for k in range(6)]


def test_numpy_settings_hold_on_all_threads():
    def divide(k):
        return np.float64(k) / np.zeros(3)

    with np.errstate(divide="ignore", invalid="ignore"):
        list(Workers(2).map(divide, range(8)))
