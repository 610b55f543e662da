"""The approximate kernel machine: exact with all rows, and its stated error holds on new rows."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import pairwise_kernels

import linscope as ls
from tests.scikit_learn import failed_checks

# Which rows the map is made of depends on how many there are: a weight of 2 is no repeated row.
SAMPLED = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}


def some_classes(n, classes=2, seed=0):
    return make_classification(
        n, 6, n_informative=4, n_redundant=0, n_classes=classes, flip_y=0.05, random_state=seed
    )


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_all_rows_as_components_give_the_exact_machine(kernel, classes):
    X, y = some_classes(120, classes)
    options = {"kernel": kernel, "degree": 2, "coef0": 1.0, "gamma": 0.2}
    near = ls.ApproximateSVC(n_components=120, check_rows=0, **options).fit(X, y)
    exact = ls.SVC(multi_class="ovr", tol=1e-8, **options).fit(X, y)
    formula = options if kernel == "poly" else {"gamma": 0.2}
    formula = {name: value for name, value in formula.items() if name != "kernel"}
    Z = near.map_.transform(X)
    np.testing.assert_allclose(Z @ Z.T, pairwise_kernels(X, metric=kernel, **formula), atol=1e-6)
    np.testing.assert_allclose(near.decision_function(X), exact.decision_function(X), atol=1e-3)


@pytest.mark.slow
def test_the_stated_error_holds_on_new_rows():
    held = []
    for seed in range(6):
        X, y = some_classes(6000, seed=seed)
        model = ls.ApproximateSVC(n_components=25, check_rows=400, random_state=seed)
        model.fit(X[:2000], y[:2000])
        stated = model.comparison_
        rows, new = stated.trained_on, X[2000:]
        exact = ls.SVC(gamma=model._gamma).fit(X[rows], y[rows])
        near = ls.LinearSVC().fit(model._features(X[rows]), y[rows])
        differ = np.mean(exact.predict(new) != near.predict(model._features(new)))
        assert not np.intersect1d(rows, stated.held_out).size
        held.append(differ <= stated.disagreement_at_most)
        assert stated.disagreement <= stated.disagreement_at_most < 0.5
    assert sum(held) >= 5


def test_the_limit_is_that_of_clopper_and_pearson():
    from scipy.stats import binomtest

    from linscope.kernel_svm.estimators.approximate_svc import _upper_limit

    for count, trials in ((0, 10), (3, 50), (50, 50)):
        limit = binomtest(count, trials, alternative="less").proportion_ci(0.95, "exact").high
        assert _upper_limit(count, trials) == pytest.approx(limit, rel=1e-12)


def test_more_components_differ_less():
    X, y = some_classes(1200)
    few, many = (
        ls.ApproximateSVC(n_components=m, check_rows=400).fit(X, y).comparison_ for m in (5, 300)
    )
    assert many.disagreement < few.disagreement
    assert "95 % confidence" in str(many)


@pytest.mark.slow
def test_random_cosines_and_sparse_rows():
    X, y = some_classes(1500)
    model = ls.ApproximateSVC(method="random", n_components=400, gamma=0.1, check_rows=300)
    assert model.fit(X, y).score(X, y) > 0.85
    assert model.comparison_.disagreement < 0.1
    dense = ls.ApproximateSVC(check_rows=0).fit(X, y)
    thin = ls.ApproximateSVC(check_rows=0).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(
        thin.decision_function(sparse.csr_array(X)), dense.decision_function(X), atol=1e-4
    )


def test_random_cosines_are_only_for_the_gaussian_kernel():
    with pytest.raises(ValueError, match="method='random' is for kernel='rbf'"):
        ls.ApproximateSVC(method="random", kernel="poly").fit(*some_classes(50))


@pytest.mark.slow
def test_scikit_learn_checks():
    failed = failed_checks(ls.ApproximateSVC(n_components=20, check_rows=50))
    assert set(failed) <= SAMPLED, failed


@pytest.mark.share(4)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("method", ["nystroem", "random"])
def test_rows_that_are_elsewhere_give_the_same_machine(method, classes):
    pa, da = pytest.importorskip("pyarrow"), pytest.importorskip("dask.array")
    X, codes = some_classes(240, classes)
    y, weight = np.array(["no", "yes", "maybe"])[codes], 0.5 + np.arange(240) % 3
    weight[::9] = 0.0
    model = ls.ApproximateSVC(n_components=30, check_rows=80, method=method)
    near = clone(model).fit(X, y, weight)
    columns = {f"x{j}": X[:, j] for j in range(6)} | {"y": y, "c": weight}
    rows = ls.scan(pa.table(columns), target="y", weight="c", memory_limit=1 << 12)
    chunks = tuple(da.from_array(part, chunks=(70, *part.shape[1:])) for part in (X, y, weight))
    for far, given in ((clone(model).fit(rows), rows), (clone(model).fit(*chunks), chunks[0])):
        size = np.abs(near.linear_.coef_).max()
        np.testing.assert_allclose(far.linear_.coef_, near.linear_.coef_, atol=1e-9 * size)
        assert str(far.comparison_) == str(near.comparison_)
        assert (np.asarray(far.predict(given)) == near.predict(X)).all()
    assert far.verify(*chunks)
    assert far.score(*chunks) == pytest.approx(near.score(X, y, weight))
