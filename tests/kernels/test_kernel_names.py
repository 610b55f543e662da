"""The notes' names: "gaussian" with its width σ, "polynomial"."""

import numpy as np
import pytest
import sklearn.svm
from sklearn.base import clone

import linscope as ls
from tests.registry import overlapping

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

XOR = ls.datasets.load("xor")
KINDS = [ls.SVC, ls.KernelPerceptron, ls.ApproximateSVC]
NAMES = [("gaussian", "rbf"), ("polynomial", "poly")]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "formula"), NAMES)
def test_both_names_give_the_same_model(kind, name, formula):
    X, y = overlapping()
    options = {"coef0": 1.0, "degree": 2}
    ours, same = kind(kernel=name, **options).fit(X, y), kind(kernel=formula, **options).fit(X, y)
    assert ours.kernel == clone(ours).kernel == name
    assert np.array_equal(ours.decision_function(X), same.decision_function(X))
    assert str(ours.certificate_) == str(same.certificate_)
    assert bool(ours.verify(X, y)) == bool(same.verify(X, y))


def test_the_gaussian_of_width_sigma_is_that_of_scikit_learn():
    X, y = overlapping()
    peer = sklearn.svm.SVC(gamma=1 / (2 * 0.7**2), tol=1e-9).fit(X, y)
    model = ls.SVC(kernel="gaussian", sigma=0.7, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), peer.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("output", ["last", "averaged", "voted"])
def test_the_width_of_a_kernel_perceptron(output):
    X, y = overlapping()
    wide, same = (
        ls.KernelPerceptron(kernel="gaussian", output=output, max_iter=50, **width).fit(X, y)
        for width in ({"sigma": 0.5}, {"gamma": 2.0})
    )
    assert np.array_equal(wide.decision_function(X), same.decision_function(X))
    assert wide.verify(X, y)


@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
def test_one_width_is_enough(kind, kernel):
    with pytest.raises(ValueError, match=r"sigma=1.0 and gamma=2.0 both say how wide"):
        kind(kernel=kernel, sigma=1.0, gamma=2.0).fit(*XOR)
    with pytest.raises(ValueError, match="'sigma' parameter"):
        kind(sigma=-1.0).fit(*XOR)


def test_traces_know_the_names():
    options = {"degree": 2, "coef0": 1.0}
    named = ls.KernelPerceptron(kernel="polynomial", sigma=0.5, **options)
    plain = ls.KernelPerceptron(kernel="poly", gamma=2.0, **options)
    for exact in (False, True):
        one, two = (ls.trace(model, XOR, exact=exact) for model in (named, plain))
        assert one.to_frame(backend="dict").keys() == two.to_frame(backend="dict").keys()
        for mine, theirs in zip(one.steps, two.steps, strict=True):
            assert str(mine) == str(theirs)
    with pytest.raises(ValueError, match="exact=True needs rational kernel values"):
        ls.trace(ls.KernelPerceptron(kernel="gaussian", sigma=1.0), XOR, exact=True)
    smo = str(ls.trace(ls.SVC(kernel="polynomial", gamma=1.0, **options), XOR))
    assert "kernel polynomial · γ = 1 · degree 2 · coef0 1" in smo


def test_a_path_knows_the_names():
    X, y = overlapping()
    one, two = (ls.path(ls.SVC(kernel=k), X, y, Cs=3, gammas=3) for k in ("gaussian", "rbf"))
    assert np.array_equal(one.scores, two.scores)
    assert one.best_gamma == two.best_gamma
    assert one.verify(X, y)
