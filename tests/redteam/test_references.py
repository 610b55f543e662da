"""The references know what is true: closed forms, planted lies, and each other."""

from dataclasses import replace

import numpy as np
import pytest
from flint import arb, fmpq
from mpmath import mp

import linscope as ls
from linscope.results import Status

from .campaign import problem_of, rng_of, run
from .exact import precision, q, rationals, separation, solve
from .forging import forgeries
from .interior import dual_solution
from .least_squares import Judge as LeastSquares
from .logistic_objective import Objective
from .machine import Machine, definiteness
from .machines import Judge as Machines
from .problem import Problem
from .registry import LEVELS, REGISTRY


@pytest.mark.parametrize(
    ("X", "y", "kind"),
    [
        ([[0.0], [1.0]], [0, 1], 2),
        ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], 1),
        ([[0.0], [1.0], [0.5], [1e9]], [0, 0, 1, 1], 0),
        ([[1.0], [1.0]], [0, 1], 0),
        ([[1e4], [1e4 + 2e-12]], [0, 1], 2),
        ([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1], 0),
    ],
)
def test_separation_by_an_exact_program(X, y, kind):
    signed = [[q(s * v) for v in (1.0, *x)] for x, s in zip(X, np.where(y, 1.0, -1.0), strict=True)]
    assert separation(signed) == kind


def test_solve_in_rationals():
    assert solve([[fmpq(2), fmpq(1)], [fmpq(1), fmpq(3)]], [[fmpq(1)], [fmpq(2)]]) == [
        [fmpq(1, 5)],
        [fmpq(3, 5)],
    ]


@pytest.mark.parametrize(("bias", "norm2"), [("free", 2.0), ("none", 1.0)])
def test_hard_margin_of_two_points(bias, norm2):
    """±1 at x = ±1 without a bias: w = 1; at 0 and √2 with one: w = √2, both in closed form."""
    with precision(300):
        x = [arb(-1), arb(1)] if bias == "none" else [arb(0), arb(2).sqrt()]
        K = [[a * b for b in x] for a in x]
        best, sure = Machine(K, [-1, 1], None, False, bias).best()
        assert sure
        assert abs(best - arb(norm2) / 2) < arb(1e-25)


def test_soft_margin_agrees_with_rationals():
    """The notes' table that no line separates: the minimum is 248/81."""
    X, y = ls.datasets.load("non_separable")
    with precision(300):
        K = [[arb(float(a @ b)) for b in X] for a in X]
        best, sure = Machine(K, [int(v) for v in y], [arb(1)] * 5, False, "free").best()
        assert sure
        assert abs(best - arb(fmpq(248, 81))) < arb(1e-25)
        alpha, dual, _ = dual_solution(*_parts(K, y))
        assert dual <= best + arb(1e-25)
        assert min(alpha) > 0


def _parts(K, y):
    from flint import arb_mat

    Q = [[int(y[i] * y[j]) * K[i][j] for j in range(5)] for i in range(5)]
    return arb_mat(Q), [int(v) for v in y], [arb(1)] * 5


def test_logistic_minimum_in_closed_form():
    """A bias alone: the log odds; P = −Σ log of the shares."""
    with precision(300):
        P = Objective(np.zeros((4, 1)), np.array([0, 1, 1, 1]), np.ones(4), rows=1, C=1.0, l1=0.0,
                      l2=1.0, intercept=True)  # fmt: skip
        found, theta = P.lowest([[arb(0), arb(0)]])
        with mp.workdps(80):
            wanted = -3 * mp.log(mp.mpf(3) / 4) - mp.log(mp.mpf(1) / 4)
            assert abs(found - arb(mp.nstr(wanted, 70))) < arb(1e-50)
    assert abs(float(theta[0][0]) - np.log(3)) < 1e-15


def test_an_l1_penalty_that_is_strong_leaves_all_weights_at_0():
    X, y = np.array([[1.0], [-1.0], [0.5]]), np.array([1, 0, 0])
    with precision(300):
        P = Objective(X, y, np.ones(3), rows=1, C=1.0, l1=100.0, l2=0.0, intercept=True)
        found, theta = P.lowest([[arb(0), arb(3)]])
        alone, _ = P.lowest([[arb(0), arb(0)]])
    assert theta[0][1].is_zero()
    assert abs(found - alone) < arb(1e-20)


def test_definite_or_not():
    with precision(300):
        assert definiteness([[arb(2), arb(1)], [arb(1), arb(2)]]) == "definite"
        assert definiteness([[arb(1), arb(2)], [arb(2), arb(1)]]) == "indefinite"
        assert definiteness([[arb(0), arb(1)], [arb(1), arb(0)]]) == "indefinite"


def test_least_norm_of_dependent_columns():
    X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    problem = Problem("LinearRegression", {"fit_intercept": False}, X, np.array([5.0, 10.0, 15.0]),
                      None, "ordinary", "")  # fmt: skip
    (weights,), rank = LeastSquares(problem).solution
    assert rank == 1
    assert weights == rationals([0.0, 1.0, 2.0])


def test_planted_lies_are_found():
    X, y = ls.datasets.load("non_separable")
    problem = Problem("LinearSVC", {"loss": "hinge", "penalize_intercept": False,
                      "fit_intercept": True}, X, y, None, "ordinary", "")  # fmt: skip
    claim = problem.fit().certificate_
    with precision(300):
        judge = Machines(problem)
        assert not [*judge.refute(claim)]
        for lie in (
            {"gap": 0.0},
            {"gap": np.nan},
            {"gap": 1e9},
            {"dual": 1.001 * claim.dual},
            {"primal": 1.001 * claim.primal},
            {"weights": 1.001 * claim.weights},
            {"status": Status.SEPARATED},
        ):
            assert [*judge.refute(replace(claim, **lie))], lie


def test_every_field_of_a_claim_is_forged():
    X, y = ls.datasets.load("non_separable")
    seen = {what.split()[0] for what, _ in forgeries(ls.LinearSVC().fit(X, y).certificate_)}
    assert {"status", "primal", "dual", "gap", "alpha", "weights", "C"} <= seen


@pytest.mark.parametrize("estimator", REGISTRY)
def test_a_problem_is_the_same_every_time(estimator):
    for level in LEVELS:
        one, two = (problem_of(estimator, level, 3, 5) for _ in range(2))
        assert one.snippet() == two.snippet()
    assert rng_of(estimator, "hard", 0, 1).random() != rng_of(estimator, "hard", 0, 2).random()


def test_a_snippet_fits_the_same_problem():
    outcome = run("GaussianNaiveBayes", "ordinary", 0, 1)
    names = {}
    exec(outcome.problem.snippet().rsplit("\n", 1)[0], names)
    again = outcome.problem.fit()
    np.testing.assert_array_equal(names["m"].theta_, again.theta_)
