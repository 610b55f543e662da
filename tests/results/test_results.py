"""What solvers return: statuses with advice, checks, certificates, visiting orders and logs."""

import numpy as np
import pytest

import linscope as ls
from linscope.results import Certificate, Check, Result, Status, UpdateLog, VisitOrder
from tests import reference

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("status", Status)
def test_every_status_says_what_happened_and_what_to_do(status):
    assert str(status) == status.text
    assert len(status.text) > 10
    assert status.advice.endswith(".")
    assert isinstance(status.ok, bool)


def test_only_finished_fits_are_ok():
    assert {s for s in Status if s.ok} == {
        Status.SEPARATED,
        Status.SEPARATED_BY_TIE,
        Status.SOLVED,
        Status.RANK_DEFICIENT,
        Status.CONVERGED,
        Status.SMALL_STEP,
    }


def test_checks_are_true_or_false_with_a_reason():
    assert Check(True, "fine")
    assert not Check(False, "off by one")
    assert str(Check(True, "fine")) == "verified: fine"
    assert str(Check(False, "off by one")) == "REJECTED: off by one"


class Claim(Certificate):
    def facts(self):
        return {"π <sort of>": 3.14159265358979, "n": 7}

    def verify(self, X, y):
        return Check(True, "")


def test_certificates_print_their_facts_and_advice():
    claim = Claim(status=Status.MAX_ITER)
    assert str(claim).splitlines() == [
        Status.MAX_ITER.text,
        "  π <sort of>: 3.14159",
        "  n: 7",
        f"  advice: {Status.MAX_ITER.advice}",
    ]
    assert "π &lt;sort of&gt;" in claim._repr_html_()
    assert not claim.ok


@pytest.mark.parametrize("seed", [None, 0, 7])
@pytest.mark.parametrize("n", [1, 2, 9])
def test_visiting_orders(seed, n):
    order = VisitOrder(n, seed)
    passes = [order.epoch(number) for number in range(4)]
    if seed is None:
        assert passes == [None] * 4
        expected = np.tile(np.arange(n), 4)
    else:
        assert all(sorted(p) == list(range(n)) for p in passes)
        expected = np.concatenate(passes)
    np.testing.assert_array_equal(order.samples(np.arange(4 * n)), expected)
    some = np.arange(0, 4 * n, 3)
    np.testing.assert_array_equal(order.samples(some), expected[some])
    assert len(order.samples([])) == 0


def test_survival_counts_visits_of_each_vector():
    log = UpdateLog(
        initial=np.zeros(2),
        updates=np.array([1, 2, 6]),
        n_batches=9,
        batch_size=1,
        order=VisitOrder(4),
    )
    assert log.survival.tolist() == [1, 1, 4, 3]
    assert log.survival.sum() == log.n_batches
    assert len(log) == 3
    assert log.batches_per_epoch == 4


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("schedule", ["constant", "inverse"])
def test_the_log_of_a_fit_is_enough_to_repeat_it(shuffle, schedule):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), rng.choice([-1, 1], 12)
    model = ls.Perceptron(
        output="voted", shuffle=shuffle, schedule=schedule, random_state=1, max_iter=5
    ).fit(X, y)
    (result,) = model.results_
    assert isinstance(result, Result)
    log, rows = result.log, reference.augmented(X)
    w = log.initial.tolist()
    for number, i in enumerate(log.order.samples(log.updates), start=1):
        step = y[i] * (1.0 / number if schedule == "inverse" else 1.0)
        w = [a + step * b for a, b in zip(w, rows[i], strict=True)]
    np.testing.assert_array_equal(w, result.weights)
    assert (result.n_updates, result.n_iter) == (len(log), 5)
    assert result.status is Status.MAX_ITER
