"""Iterative parameter mixing: partitions correct by themselves, their weights are averaged."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import linscope as ls
from linscope.engines.cluster.executors import ExecutorCrew
from linscope.results import Status
from tests.partitions import borders, source

rng = np.random.default_rng(3)
X = rng.normal(size=(300, 3))
X = X[np.abs(X @ [1.0, -2.0, 0.5] + 0.3) > 0.1]
y = np.where(X @ [1.0, -2.0, 0.5] + 0.3 > 0, "b", "a")


@pytest.fixture(scope="module")
def crew():
    with ThreadPoolExecutor(2) as pool:
        yield ExecutorCrew(pool)


def textbook(passes):
    """McDonald, Hall and Mann's figure 3, line by line."""
    A, signs, w, total = np.c_[np.ones(len(X)), X], np.where(y == "b", 1.0, -1.0), np.zeros(4), 0
    for _ in range(passes):
        ends = []
        for first, last in borders(len(X)):
            own = w.copy()
            for row, sign in zip(A[first:last], signs[first:last], strict=True):
                if sign * (row @ own) <= 0:
                    own, total = own + sign * row, total + 1
            ends += [own] if last > first else []
        w = np.mean(ends, axis=0)
    return w, total


@pytest.mark.filterwarnings("ignore:Perceptron stopped")
@pytest.mark.parametrize("passes", [1, 4])
def test_passes_are_those_of_the_paper(passes, crew):
    model = ls.Perceptron(rule="mixing", max_iter=passes).fit(source(crew, X, y))
    w, updates = textbook(passes)
    np.testing.assert_allclose(np.r_[model.intercept_, model.coef_[0]], w, rtol=1e-12)
    assert model.n_updates_ == updates


def test_it_separates_within_the_bound(crew):
    rows = source(crew, X, y)
    model = ls.Perceptron(rule="mixing").fit(rows)
    assert model.certificate_.status is Status.SEPARATED
    assert model.score(rows) == 1.0
    assert model.certificate_.verify(X, y)
    partitions = sum(last > first for first, last in borders(len(X)))
    assert model.n_updates_ <= partitions * ls.separability(X, y).bound
    with pytest.raises(ValueError, match="S·R²/γ² bounds the corrections"):
        model.certificate_.bound(X, y)


def test_in_memory_it_is_the_single_sample_rule():
    mixed = ls.Perceptron(rule="mixing").fit(X, y)
    plain = ls.Perceptron(stop="pass").fit(X, y)
    assert (mixed.coef_ == plain.coef_).all()
    assert mixed.n_updates_ == plain.n_updates_


@pytest.mark.parametrize(
    "options", [{"output": "averaged"}, {"schedule": "inverse"}, {"shuffle": True}]
)
def test_what_has_no_meaning_is_refused(options):
    with pytest.raises(ValueError, match="rule='mixing' corrects in all partitions at once"):
        ls.Perceptron(rule="mixing", **options).fit(X, y)
    with pytest.raises(ValueError, match="it has no trace"):
        ls.trace(ls.Perceptron(rule="mixing"), X, y)
