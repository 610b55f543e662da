"""Claims that no fit could make are rejected; honest ones about odd data are not."""

from dataclasses import replace

import numpy as np
import pytest

import linscope as ls
from linscope.results import Status

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

MODELS = [ls.Perceptron, ls.KernelPerceptron]


def mixed(n=60, classes=3, dtype=np.float64):
    rng = np.random.default_rng(1)
    return rng.standard_normal((n, 2)).astype(dtype), np.arange(n) % classes


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("model", MODELS)
def test_several_problems_claim_together_what_they_claim_alone(model, multi_class):
    X, y = mixed()
    true = model(multi_class=multi_class, max_iter=3).fit(X, y).certificate_
    assert true.verify(X, y).claim_holds
    for status in Status:
        assert replace(true, status=status).verify(X, y).claim_holds == (status is true.status)
    names, parts = list(true.parts), list(true.parts.values())
    for forged in (
        dict(zip(names[:2], parts[:2], strict=True)),
        dict(zip(names, reversed(parts), strict=True)),
        dict(zip(names, [parts[0]] * 3, strict=True)),
    ):
        assert not replace(true, parts=forged).verify(X, y).claim_holds
    assert not replace(true, gap=0.0).verify(X, y).claim_holds


@pytest.mark.parametrize(
    "forged",
    [
        {"gap": 0.0},
        {"kkt": 0.0},
        {"status": Status.SEVERAL},
        {"negative": 7},
        {"updates": -1},
        {"updates": 10**9},
        {"updates": None},
        {"passes": 0},
        {"eta0": np.inf},
        {"eta0": np.nan},
        {"margin": None},
        {"tie": "sometimes"},
        {"ignored": np.array([-1])},
        {"ignored": np.array([-100])},
        {"ignored": np.array([0.5])},
        {"ignored": np.ones(60, bool)},
    ],
    ids=str,
)
@pytest.mark.parametrize("model", MODELS)
def test_impossible_claims_are_rejected_with_a_reason(model, forged):
    X, y = mixed(classes=2)
    true = model(max_iter=3).fit(X, y).certificate_
    assert true.verify(X, y).claim_holds
    check = replace(true, **forged).verify(X, y)
    assert not check.claim_holds
    assert check.reason


def test_a_bias_needs_an_intercept():
    X, y = mixed(classes=2)
    true = ls.Perceptron(max_iter=3, init=[0.5, 0.0, 0.0]).fit(X * 1e9, y).certificate_
    assert true.verify(X * 1e9, y).claim_holds
    assert true.weights[0] != 0
    assert not replace(true, intercept=False).verify(X * 1e9, y).claim_holds


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("classes", [3, 4])
@pytest.mark.parametrize("model", MODELS)
def test_classes_of_weight_zero_are_no_part_of_the_claim(model, classes, multi_class):
    X, y = mixed(classes=classes)
    fit = model(multi_class=multi_class, max_iter=3).fit(X, y, sample_weight=np.where(y > 1, 0, 1))
    assert fit.certificate_.verify(X, y).claim_holds


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pairs_of_classes_are_measured_as_in_the_fit(kernel, dtype):
    X, y = mixed(n=125, classes=4, dtype=dtype)
    model = ls.KernelPerceptron(kernel=kernel, multi_class="ovo", output="averaged", max_iter=20)
    certificate = model.fit(X, y).certificate_
    assert certificate.verify(X, y).claim_holds


def test_labels_that_look_like_arrays_or_like_the_rest():
    X = np.array([[1.0, 2.0], [-3.0, -4.0], [2.0, 2.0], [-1.0, -1.0], [0.0, 5.0], [0.5, 6.0]])
    pairs = np.empty(6, dtype=object)
    pairs[:] = [(1, 2), (0, 3)] * 3
    for y in (pairs, ["rest", "s", "t"] * 2, ["a", "b", "rest"] * 2):
        for multi_class in ("ovr", "ovo"):
            model = ls.Perceptron(multi_class=multi_class, max_iter=5).fit(X, y)
            check = model.certificate_.verify(X, y)
            assert check.claim_holds, check.reason
