"""More columns than rows: scores and J of the discriminant against exact rationals."""

from dataclasses import replace

import numpy as np
import pytest

import linscope as ls
from linscope.results import Status

from .fisher import Judge
from .problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore:the class means differ")

ROW_SCALES = np.array(
    [[-1752.6761159052678, -621.0377665351937, 39.419142635494296, 382.7929544445574],
     [-0.000277750795351443, -0.0005182431043581314, -0.0009912901824184663, 8.601737852516972e-4],
     [-58699279154.90466, -135673854130.96623, 11169213842.960701, -188991523957.3916],
     [-3.65637850206969e-12, -2.412852806103155e-12, 2.739525291230506e-12, 2.831129263184873e-13]]
)  # fmt: skip


def fitted(X, y, weight=None):
    """The claim about a wide table, and what exact rationals have against it."""
    problem = Problem("FisherDiscriminant", {}, X, np.asarray(y), weight, "hard", "wide")
    model = ls.FisherDiscriminant().fit(X, y, **problem.given)
    assert model.certificate_.status is Status.UNBOUNDED
    assert model.verify(X, y, **problem.given).claim_holds
    return model.certificate_, Judge(problem)


def test_rows_of_very_different_sizes():
    weight = np.array([0.7509838589819292, 0.9736387546653994, 0.6077764560308754, 1.05053232496])
    claim, judge = fitted(ROW_SCALES, [1, 1, 0, 0], weight)
    assert not list(judge.refute(claim))
    assert claim.accuracy > 1e-12  # what rounding the weights costs here
    assert list(judge.refute(replace(claim, accuracy=1e-13)))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_random_rows(k, offset):
    rng = np.random.default_rng(k)
    X, y = rng.normal(size=(7, 9)), np.arange(7) % k
    X[y == 0] += offset
    X[:, 2] = 5.0 * y  # constant within classes
    claim, judge = fitted(X, y, rng.integers(1, 4, 7).astype(float))
    assert not list(judge.refute(claim))
    assert claim.accuracy < 1e-6
    assert claim.constant == (2,)


def test_rows_that_come_again_are_no_new_ones():
    """Ten rows of three columns, but only three different ones: the scatter has rank 1."""
    rows = np.array([[0.1, 2.3, -0.7], [1.7, 0.3, 4.1], [0.9, -3.1, 2.2]])
    claim, judge = fitted(rows[[0, 1, 2, 2, 1, 0, 0, 1, 2, 2]], [0, 0, 1, 1, 0, 0, 0, 0, 1, 1])
    assert not list(judge.refute(claim))
    assert claim.rank == 1
    assert claim.accuracy < 1e-6


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_means_that_differ_only_where_no_class_varies(dtype):
    """J is 0 in all directions that are left, and so are the weights."""
    claim, judge = fitted(np.eye(4, dtype=dtype)[[2, 3, 2, 0]], [1, 0, 1, 0])
    assert not list(judge.refute(claim))
    assert claim.criterion == 0.0
    assert not claim.weights[:, 1:].any()


def test_what_takes_too_long_is_not_claimed():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 150)), np.arange(60) % 2
    claim, _ = fitted(X, y)
    assert claim.accuracy == np.inf
    assert claim.rank == 58
    for forged in ({"accuracy": 1e-13}, {"rank": 57}, {"weights": 2 * claim.weights}):
        assert not replace(claim, **forged).verify(X, y).claim_holds


def test_spreads_below_rounding_are_not_called_none():
    """With a ridge the weights of two columns differ by rounding, so J is large but finite."""
    X, y = np.eye(4)[[2, 2, 1, 0]], np.array([1, 1, 0, 0])
    options = {"shrinkage": 0.001, "class_weight": {0: 0.25, 1: 0.25}}
    problem = Problem("FisherDiscriminant", options, X, y, None, "hard", "ridge")
    model = problem.fit()
    assert not list(Judge(problem).refute(model.certificate_))
    assert model.verify(X, y)
