"""Gradient descent on any function: against closed forms and SciPy."""

from math import cos, sin

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize, rosen, rosen_der

import linscope as ls
from linscope import Status, gradient_descent
from tests.figures import drawn


def bowl(x):
    return (x - 3.0) ** 2


def slope(x):
    return 2.0 * (x - 3.0)


def test_every_step_is_that_of_the_closed_form():
    run = gradient_descent(bowl, slope, 0.0, eta=0.25, tol=1e-8)
    k = np.arange(run.n_iter + 1)
    np.testing.assert_allclose(run.history.x[:, 0], 3.0 - 3.0 * 0.5**k, rtol=1e-14)
    np.testing.assert_allclose(run.history.value, bowl(run.history.x[:, 0]))
    np.testing.assert_allclose(run.history.gradient_norm, np.abs(slope(run.history.x[:, 0])))
    assert run.x == run.history.x[-1, 0]
    assert isinstance(run.x, float)


def test_the_stop_rule_looks_before_it_steps():
    run = gradient_descent(bowl, slope, 0.0, eta=0.25, tol=1e-3)
    steps = run.history.eta * run.history.gradient_norm
    assert run.status is Status.SMALL_STEP
    assert run.success
    assert steps[-1] <= 1e-3 < steps[-2]
    at_once = gradient_descent(bowl, slope, 3.0)
    assert (at_once.n_iter, at_once.status) == (0, Status.SMALL_STEP)


@pytest.mark.parametrize(
    ("schedule", "rates"),
    [
        ("constant", [0.3, 0.3, 0.3]),
        ("inverse", [0.3, 0.15, 0.1]),
        (lambda k: 0.6 / (k + 1), [0.3, 0.2, 0.15]),
    ],
)
def test_schedules(schedule, rates):
    run = gradient_descent(bowl, slope, 0.0, eta=0.3, schedule=schedule, tol=0.0, max_iter=2)
    np.testing.assert_allclose(run.history.eta, rates)
    x = [0.0]
    for rate in rates[:2]:
        x.append(x[-1] - rate * slope(x[-1]))
    np.testing.assert_allclose(run.history.x[:, 0], x)


@pytest.mark.slow
def test_many_dimensions_against_scipy():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((8, 5))
    H, b = A.T @ A + np.eye(5), rng.standard_normal(5)
    eta = 1.0 / np.linalg.eigvalsh(H)[-1]
    run = gradient_descent(
        lambda x: 0.5 * x @ H @ x - b @ x, lambda x: H @ x - b, np.zeros(5), eta=eta, tol=1e-12
    )
    np.testing.assert_allclose(run.x, np.linalg.solve(H, b), atol=1e-9)
    valley = gradient_descent(rosen, rosen_der, [-1.0, 1.5], eta=1e-3, tol=1e-9, max_iter=200_000)
    np.testing.assert_allclose(valley.x, minimize(rosen, [-1.0, 1.5]).x, atol=1e-4)


def test_without_a_gradient_differences_do():
    point = np.array([0.3, -1.7, 40.0])

    def wave(x):
        return sin(x[0]) + x[1] ** 4 + 0.1 * x[2] ** 2

    run = gradient_descent(wave, None, point, eta=1e-3, max_iter=1, tol=0.0)
    found = (run.history.x[0] - run.history.x[1]) / 1e-3
    np.testing.assert_allclose(found, [cos(0.3), 4 * (-1.7) ** 3, 8.0], rtol=1e-8)
    np.testing.assert_allclose(found, approx_fprime(point, wave), rtol=1e-5)


def test_local_minima_depend_on_the_start():
    def f(x):
        return x**4 - 4 * x**2 + x

    minima = sorted(r.real for r in np.roots([4, 0, -8, 1]) if 12 * r.real**2 > 8)
    left, right = (gradient_descent(f, None, x0, eta=0.02, tol=1e-9) for x0 in (-0.5, 1.0))
    assert left.x == pytest.approx(minima[0], abs=1e-6)
    assert right.x == pytest.approx(minima[1], abs=1e-6)
    assert left.value < right.value


@pytest.mark.parametrize("eta", [1.05, 3.0, 1e200])
@pytest.mark.parametrize("grad", [slope, None])
def test_a_rate_that_is_too_large_is_caught_and_named(eta, grad):
    run = gradient_descent(bowl, grad, 0.0, eta=eta, max_iter=10_000)
    assert run.status is Status.DIVERGED
    assert not run.success
    assert np.isfinite(run.x)
    assert np.isfinite(run.history.x).all()
    assert "too large" in run.explanation
    assert f"{eta:.4g}" in run.explanation


def test_an_array_that_overflows_is_caught_without_warnings():
    run = gradient_descent(lambda x: np.exp(x @ x), lambda x: 2 * x * np.exp(x @ x), [3.0, 4.0])
    assert run.status is Status.DIVERGED
    assert run.n_iter == 0


def test_a_function_without_a_minimum():
    run = gradient_descent(lambda x: -(x**4), lambda x: -4 * x**3, 1.0)
    assert run.status is Status.DIVERGED
    assert np.isfinite(run.x)


def test_steps_that_jump_to_and_fro_are_told():
    run = gradient_descent(lambda x: abs(x), lambda x: 1.0 if x > 0 else -1.0, 0.25, max_iter=50)
    assert run.status is Status.MAX_ITER
    assert run.explanation.endswith("f does not settle: lower eta")
    slow = gradient_descent(bowl, slope, 0.0, eta=1e-5, max_iter=50)
    assert "raise max_iter" in slow.explanation


def test_the_table():
    run = gradient_descent(bowl, slope, 0.0, eta=0.25, tol=1e-3)
    frame = run.to_frame(backend="pandas")
    assert list(frame) == ["k", "x", "f", "gradient_norm", "eta"]
    assert len(frame) == run.n_iter + 1
    plane = gradient_descent(lambda x: x @ x, lambda x: 2 * x, [1.0, 2.0])
    assert list(plane.to_frame(backend="dict"))[:3] == ["k", "x1", "x2"]


def test_observers_see_the_steps():
    class Count(ls.Observer):
        seen = 0

        def step(self, done, state):
            self.seen = done
            return done == 3

    with ls.observe(Count()) as count:
        run = gradient_descent(bowl, slope, 0.0)
    assert (count.seen, run.n_iter, run.status) == (3, 3, Status.STOPPED)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"f": 3}, "f must be a function"),
        ({"grad": 3}, "grad must be a function or None"),
        ({"x0": np.nan}, "x0 must be a finite number"),
        ({"x0": []}, "x0 must be a finite number"),
        ({"x0": [[1.0]]}, "x0 must be a finite number"),
        ({"eta": 0.0}, "eta must be a positive number"),
        ({"eta": "auto"}, "eta must be a positive number"),
        ({"tol": -1.0}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"max_iter": 1.5}, "max_iter must be"),
        ({"schedule": "cosine"}, "schedule must be"),
        ({"schedule": lambda k: -1.0}, r"schedule\(1\) gave -1.0"),
        ({"f": lambda x: [x, x]}, "f\\(x\\) must be one number"),
        ({"grad": lambda x: [x, x]}, "grad\\(x\\) has 2 numbers for a point of 1"),
        ({"f": lambda x: np.inf}, "not finite at x0 = 0.0"),
    ],
)
def test_what_is_wrong_is_named(change, message):
    given = {"f": bowl, "grad": slope, "x0": 0.0, **change}
    arguments = [given.pop(name) for name in ("f", "grad", "x0")]
    with pytest.raises((TypeError, ValueError), match=message):
        gradient_descent(*arguments, **given)


def test_the_gradient_may_be_left_out_or_named():
    known = gradient_descent(bowl, slope, 0.0)
    for run in (
        gradient_descent(bowl, 0.0, grad=slope),
        gradient_descent(bowl, slope, x0=0.0),
        gradient_descent(bowl, grad=slope, x0=0.0),
        gradient_descent(f=bowl, grad=slope, x0=0.0),
    ):
        assert np.array_equal(run.history.x, known.history.x)
    differences = gradient_descent(bowl, None, 0.0)
    for run in (gradient_descent(bowl, 0.0), gradient_descent(bowl, x0=0.0)):
        assert np.array_equal(run.history.x, differences.history.x)
    np.testing.assert_allclose(differences.history.x, known.history.x, atol=1e-8)
    plane = gradient_descent(lambda x: x[0] ** 2 + 3 * x[1] ** 2, [2.0, 1.0])
    np.testing.assert_allclose(plane.x, 0.0, atol=1e-4)


@pytest.mark.parametrize("start", [(), (slope,), (slope, 0.0, 1.0)])
def test_a_start_is_needed(start):
    with pytest.raises(TypeError, match=r"gradient_descent\(f, grad, x0\)"):
        gradient_descent(bowl, *start)
    with pytest.raises(TypeError, match=r"gradient_descent\(f, x0\)"):
        gradient_descent(bowl, slope, 0.0, x0=1.0)


# Figures


def test_rates_side_by_side():
    display = ls.plot.descent()
    assert display.panels == 3
    statuses = [run.status for run in display.runs]
    assert statuses == [Status.MAX_ITER, Status.SMALL_STEP, Status.DIVERGED]
    (u,) = display.grids
    np.testing.assert_allclose(display.values, u**2)
    text = drawn(display)
    assert all(words in text for words in ("too small", "to the minimum", "too large"))


def test_starts_share_a_panel():
    display = ls.plot.descent("minima")
    assert display.panels == 1
    roots = [r.real for r in np.roots([4, 0, -8, 1]) if 12 * r.real**2 > 8]
    np.testing.assert_allclose(sorted(display.ends[:, 0]), sorted(roots), atol=1e-3)
    assert "4 starts, 2 different minima" in drawn(display)


@pytest.mark.slow
def test_planes_and_more_dimensions():
    display = ls.plot.descent("valley")
    u, v = display.grids
    np.testing.assert_allclose(display.values, 0.5 * (u**2 + 9 * v[:, None] ** 2))
    drawn(display)
    one = ls.plot.descent(display.runs[0])
    assert one.title == "η = 0.05: 104 steps to the minimum"
    several = ls.plot.descent(display.runs[:2], together=True)
    assert several.panels == 1
    assert "35 steps" in drawn(several)
    deep = gradient_descent(lambda x: x @ x, lambda x: 2 * x, np.ones(4), schedule="inverse")
    assert "f(x)" in drawn(ls.plot.descent(deep))
    assert ls.plot.descent([display.runs[0], display.runs[1]]).title.endswith("steps it takes")


def test_a_vector_of_one_number():
    run = gradient_descent(lambda x: float(x[0] ** 2), None, [1.0])
    assert run.x == pytest.approx([0.0], abs=1e-5)
    assert "f(x)" in drawn(ls.plot.descent(run))


def test_what_cannot_be_drawn_is_refused():
    one = gradient_descent(bowl, slope, 0.0)
    two = gradient_descent(lambda x: x @ x, None, [1.0, 2.0])
    with pytest.raises(TypeError, match="gradient_descent returned"):
        ls.plot.descent([3])
    with pytest.raises(ValueError, match="no example"):
        ls.plot.descent("hills")
    with pytest.raises(ValueError, match="differ in length"):
        ls.plot.descent([one, two])
