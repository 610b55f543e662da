"""One update, three models: w ← w + η (y − h(x)) x, with h the identity, σ, or a step."""

import numpy as np
import pytest
import scipy.sparse as sp

import linscope as ls
from linscope.fitting.driver import run
from linscope.losses.hypotheses import LOGISTIC, SQUARED, STEP
from linscope.results import VisitOrder
from tests.gradient import gradient_solver

pytestmark = pytest.mark.usefixtures("quiet")

HYPOTHESES = {
    "identity": lambda s: s,
    "sigma": lambda s: 1 / (1 + np.exp(-s)),
    "step": lambda s: float(s >= 0),
}
PASSES, ETA = 5, 0.125


def one_update(h, X, y, eta, passes):
    w = np.zeros(X.shape[1] + 1)
    for _ in range(passes):
        for x, target in zip(np.column_stack([np.ones(len(X)), X]), y, strict=True):
            w = w + eta * (target - h(w @ x)) * x
    return w


def samples(seed=0, n=40, d=3):
    """Two classes that overlap, in numbers whose sums are exact."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    return rng.integers(-8, 9, size=(n, d)) / 4 + y[:, None] * 0.5, y


def models():
    shared = {"solver": "stochastic", "eta0": ETA, "shuffle": False, "max_iter": PASSES, "tol": 0}
    return {
        "identity": ls.LinearRegression(**shared),
        "sigma": ls.LogisticRegression(**shared, penalty=None),
        "step": ls.Perceptron(
            rule="single", eta0=ETA, tie="positive", max_iter=PASSES, stop="pass"
        ),
    }


@pytest.mark.parametrize("name", list(HYPOTHESES))
@pytest.mark.parametrize("seed", range(3))
def test_three_models_are_one_loop_with_another_hypothesis(name, seed):
    X, y = samples(seed)
    model = models()[name].fit(X, y)
    expected = one_update(HYPOTHESES[name], X, y, ETA, PASSES)
    found = np.r_[np.ravel(model.intercept_), np.ravel(model.coef_)]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("name", "code"), [("identity", SQUARED), ("sigma", LOGISTIC)])
def test_regressions_go_through_the_same_compiled_update(name, code):
    X, y = samples()
    solver = gradient_solver(X, y.astype(float), kind="stochastic", eta0=ETA, tol=0, loss=code)
    model = models()[name].fit(X, y)
    result = model.result_ if name == "identity" else model.results_[0]
    np.testing.assert_array_equal(run(solver, PASSES).weights, result.weights[0])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("schedule", ["constant", "shuffled"])
@pytest.mark.parametrize("seed", range(5))
def test_the_update_with_a_step_is_the_perceptron_bit_for_bit(seed, schedule, weighted, form):
    """y − h is ±1 for a mistake and 0 else; at score 0 both say y = 1 (tie="positive")."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((60, 4)), rng.integers(2, size=60)
    weight = rng.uniform(0.5, 2.0, 60) if weighted else None
    shuffle = schedule == "shuffled"
    rate = 0.3  # not a power of 2: roundings must agree too
    perceptron = ls.Perceptron(
        eta0=rate, tie="positive", stop="pass", max_iter=7, shuffle=shuffle, random_state=seed
    ).fit(form(X), y, weight)
    seed_of_visits = perceptron._seed if shuffle else None
    result = run(
        gradient_solver(
            form(X),
            y.astype(float),
            np.zeros(0) if weight is None else weight,
            kind="stochastic",
            order=VisitOrder(60, seed_of_visits),
            eta0=rate,
            tol=0.0,
            loss=STEP,
        ),
        7,
    )
    if weighted:  # c·η·y there, η·(c·(y − h)) here: the same product up to one rounding
        np.testing.assert_allclose(result.weights, perceptron.results_[0].weights, rtol=1e-13)
    else:
        np.testing.assert_array_equal(result.weights, perceptron.results_[0].weights)


def test_ties_that_always_update_are_no_hypothesis():
    """tie="update" calls score 0 a mistake whatever y is; away from score 0 all ties agree."""
    X, y = samples(4)
    X = X + np.pi / 10
    solver = gradient_solver(
        X,
        y.astype(float),
        kind="stochastic",
        eta0=1.0,
        tol=0,
        loss=STEP,
        initial=np.full(4, 0.1),
    )
    found = run(solver, 6).weights
    for tie in ("update", "positive", "negative"):
        model = ls.Perceptron(tie=tie, init=[0.1] * 4, max_iter=6, stop="pass").fit(X, y)
        np.testing.assert_array_equal(found, model.results_[0].weights)


def test_a_separating_step_ends_where_the_perceptron_does():
    X, y = ls.datasets.load("or")
    y01 = (np.asarray(y) > 0).astype(float)
    result = run(gradient_solver(X, y01, kind="stochastic", eta0="auto", tol=0.0, loss=STEP), 100)
    model = ls.Perceptron(tie="positive").fit(X, y)
    np.testing.assert_array_equal(result.weights, model.results_[0].weights)
    assert result.status.ok
    assert result.details["criterion"] == 0.0


def test_batch_and_mini_batch_steps_are_those_of_the_perceptron_too():
    X, y = samples(6, n=32)
    for rule, size in (("batch", 32), ("mini-batch", 8)):
        model = ls.Perceptron(
            rule=rule, batch_size=size, eta0=0.5, tie="positive", max_iter=9, stop="pass"
        ).fit(X, y)
        solver = gradient_solver(
            X, y.astype(float), kind=rule, batch_size=size, eta0=0.5, tol=0.0, loss=STEP
        )
        np.testing.assert_array_equal(run(solver, 9).weights, model.results_[0].weights)
