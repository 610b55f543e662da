"""Every loss against 50 digits, finite differences and its conjugate, as arrays and compiled."""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from mpmath import mp, mpf
from numba import njit

import linscope
from linscope.losses import (
    hinge,
    huber,
    hypotheses,
    logistic,
    perceptron,
    softmax,
    squared,
    squared_hinge,
)
from linscope.losses.logistic_tiles import binary_terms

SCORES = np.r_[np.linspace(-6, 6, 25), 0.3, 1.0, -1.0, 1e-9, -1e-9, 37.0, -37.0, 400.0, -400.0]


class Case(NamedTuple):
    """A loss, the same for mpf, its kinks, and the other arguments of its functions.

    ``sign`` is −1 where the conjugate is written as f*(−a).
    """

    module: object
    exact: object
    kinks: tuple = ()
    more: tuple = ()
    sign: int = 1


def margins(exact, kinks, module):
    return Case(module, exact, kinks, (), -1)


CASES = {
    "perceptron": margins(lambda m: max(mpf(0), -m), (0.0,), perceptron),
    "hinge": margins(lambda m: max(mpf(0), 1 - m), (1.0,), hinge),
    "squared hinge": margins(lambda m: max(mpf(0), 1 - m) ** 2, (), squared_hinge),
    "squared": Case(squared, lambda s: (s - mpf(1.5)) ** 2 / 2, (), (1.5,)),
    "huber": Case(
        huber,
        lambda z: z * z if abs(z) <= 1.35 else mpf(1.35) * (2 * abs(z) - mpf(1.35)),
        (),
        (1.35,),
    ),
    "logistic 0": Case(logistic, lambda s: mp.log1p(mp.exp(s)), (), (0.0,)),
    "logistic 1": Case(logistic, lambda s: mp.log1p(mp.exp(-s)), (), (1.0,)),
}


@pytest.fixture(autouse=True)
def _digits():
    with mp.workdps(50):
        yield


@pytest.fixture(params=list(CASES))
def case(request):
    return CASES[request.param]


def test_the_loss_has_all_its_digits(case):
    exact = [float(case.exact(mpf(s))) for s in SCORES]
    np.testing.assert_allclose(case.module.loss(SCORES, *case.more), exact, rtol=1e-15, atol=0)


def test_compiled_and_plain_are_one_formula(case):
    loss = case.module.loss
    one = njit(lambda s: loss(s))
    two = njit(lambda s, y: loss(s, y))
    given = [(two if case.more else one)(s, *case.more) for s in SCORES]
    np.testing.assert_allclose(given, loss(SCORES, *case.more), rtol=4e-16, atol=0)


def test_derivative_is_that_of_the_loss(case):
    step = mpf(10) ** -20
    for s in SCORES:
        if s in case.kinks:
            continue
        found = float(case.module.derivative(s, *case.more))
        slope = (case.exact(mpf(s) + step) - case.exact(mpf(s) - step)) / (2 * step)
        assert found == pytest.approx(float(slope), rel=1e-14, abs=1e-15)


def test_loss_and_conjugate_meet_at_the_slope(case):
    # f(s) + f*(u) = u s where u is a slope of f at s, also the one that is taken at a kink
    s = SCORES[np.abs(SCORES) < 40]
    u = case.module.derivative(s, *case.more)
    conjugate = case.module.conjugate(case.sign * u, *case.more)
    total = case.module.loss(s, *case.more) + conjugate
    np.testing.assert_allclose(total, u * s, rtol=1e-12, atol=2e-15)


def test_conjugate_is_nowhere_too_small(case):
    # Fenchel and Young: u s ≤ f(s) + f*(u) for every pair
    s, u = np.linspace(-9, 9, 181)[:, None], np.linspace(-3, 3, 121)
    with np.errstate(invalid="ignore"):
        right = case.module.loss(s, *case.more) + case.module.conjugate(case.sign * u, *case.more)
    assert (u * s <= right + 1e-12).all()


def test_at_a_kink_the_slope_lies_between_those_beside_it(case):
    for kink in case.kinks:
        beside = case.module.derivative(np.array([kink - 0.1, kink, kink + 0.1]), *case.more)
        assert beside[0] <= beside[1] <= beside[2]
        assert beside[0] < beside[2]


@pytest.mark.parametrize("K", [1, 2, 5])
def test_softmax(K):
    rng = np.random.default_rng(K)
    S = rng.standard_normal((40, K)) * rng.choice([1.0, 30.0, 300.0], (40, 1))
    y = rng.integers(max(K, 2), size=40)
    full = np.column_stack([np.zeros(40), S]) if K == 1 else S
    exact, probable = [], []
    for row, own in zip(full, y, strict=True):
        e = [mp.exp(mpf(s)) for s in row]
        exact.append(float(mp.log(sum(e) / e[own])))
        probable.append([float(each / sum(e)) for each in e])
    np.testing.assert_allclose(softmax.loss(S, y), exact, rtol=1e-13, atol=2e-13)
    P = softmax.probabilities(S)
    np.testing.assert_allclose(P, probable, rtol=3e-13, atol=1e-300)
    if K > 1:
        u = softmax.derivative(S, y)
        np.testing.assert_allclose(u, P - np.eye(K)[y])
        total = softmax.loss(S, y) + softmax.entropy(P)
        np.testing.assert_allclose(total, np.sum(u * S, axis=1), rtol=1e-9, atol=1e-9)
        out, R = np.empty_like(S), np.empty_like(S)
        # the compiled form keeps the digits of losses that are nearly 0
        value = softmax.softmax_terms(S, y, np.zeros(0), out, R)
        assert value == pytest.approx(sum(exact), rel=1e-14)
        np.testing.assert_allclose(out, probable, rtol=3e-13, atol=1e-300)
        one = softmax.softmax_terms(S[:1], y[:1], np.zeros(0), out[:1], R[:1])
        assert one == pytest.approx(exact[0], rel=1e-12)


def test_tiles_are_the_log_loss():
    codes = np.arange(len(SCORES)) % 2
    residual, bend = np.empty((2, len(SCORES)))
    total = binary_terms(SCORES, codes, np.zeros(0), residual, bend)
    assert total == pytest.approx(logistic.loss(SCORES, codes).sum(), rel=1e-14)
    np.testing.assert_allclose(residual, logistic.derivative(SCORES, codes), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(np.sqrt(bend), logistic.root_of_bend(SCORES, 1.0), rtol=1e-14)


def test_what_complementary_slackness_lacks():
    m, top = np.linspace(-3, 4, 29), 2.0
    for alpha in np.linspace(0, top, 9):
        fenchel = top * hinge.loss(m) + top * hinge.conjugate(alpha / top) + alpha * m
        np.testing.assert_allclose(hinge.lack(m, alpha, top), fenchel, atol=1e-14)


def test_hypotheses_are_slopes():
    # the one update: ∂f/∂s = h(s) − y
    for code, targets in (
        (hypotheses.SQUARED, (-1.5, 2.0)),
        (hypotheses.LOGISTIC, (0.0, 1.0)),
        (hypotheses.STEP, (0.0, 1.0)),
    ):
        for y in targets:
            for s in (-2.0, -0.3, 0.7, 5.0):
                rise = hypotheses.loss_of(code, s + 1e-6, y) - hypotheses.loss_of(code, s - 1e-6, y)
                slope = hypotheses.hypothesis(code, s) - y
                assert slope == pytest.approx(rise / 2e-6, abs=1e-8)


FORMULAS = re.compile(
    r"maximum\((0\.0, )?1(\.0)? - |max\(0\.0, 1\.0 - |max\(1\.0 - |log1p\((np|math)\.exp"
    r"|logaddexp\(0|exp\(-(np\.)?abs\(|exp\(S - |exp\(scores - "
)


def test_no_formula_of_a_loss_stands_elsewhere():
    # but in the verifiers, which must not share it; lowess.py has weights of that form
    root = Path(linscope.__file__).parent
    found = [
        f"{path.relative_to(root)}: {line.strip()}"
        for path in sorted(root.rglob("*.py"))
        if not {"verify", "losses"} & set(path.relative_to(root).parts)
        for line in path.read_text(encoding="utf-8").splitlines()
        if FORMULAS.search(line)
    ]
    assert [line for line in found if "lowess.py" not in line] == []
