"""Corrected t-tests: published figures, other libraries, exact cases, properties, simulation."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import make_moons
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.svm import SVC
from statsmodels.stats.multitest import multipletests

from benchmarks.false_positives import false_positives
from linscope.validation.differences import (
    compare_pair,
    corrected_interval,
    differences,
    holm,
)

# scikit-learn, "Statistical comparison of models using grid search": t, the one-sided p times 6
# (Bonferroni), P(worse), P(better), P(equal) with a rope of 0.01, as the page prints them.
PRINTED = {
    ("rbf", "linear"): (0.750, 1.000, 0.068, 0.500, 0.432),
    ("rbf", "poly3"): (1.657, 0.302, 0.018, 0.882, 0.100),
    ("rbf", "poly2"): (4.565, 0.000, 0.000, 1.000, 0.000),
    ("linear", "poly3"): (1.111, 0.807, 0.063, 0.750, 0.187),
    ("linear", "poly2"): (4.276, 0.000, 0.000, 1.000, 0.000),
    ("poly3", "poly2"): (3.851, 0.001, 0.000, 1.000, 0.000),
}


@pytest.fixture(scope="module")
def moons():
    """The AUCs of that page: four kernels, 10 folds, 10 times."""
    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    models = {
        "linear": SVC(kernel="linear"),
        "poly2": SVC(kernel="poly", degree=2),
        "poly3": SVC(kernel="poly", degree=3),
        "rbf": SVC(kernel="rbf"),
    }
    return {
        key: [auc(model, X, y, *rows) for rows in folds.split(X, y)]
        for key, model in models.items()
    }


def auc(model, X, y, train, test):
    """Share of the pairs of one row of each class that are in order."""
    found = model.fit(X[train], y[train]).decision_function(X[test])
    gap = found[y[test] == 1][:, None] - found[y[test] == 0]
    return float(np.mean((gap > 0) + 0.5 * (gap == 0)))


def candidates_of(scores, metric):
    """As the study hands them over, without what is not looked at."""
    return [
        SimpleNamespace(
            key=key,
            simplicity=rank,
            state="finished",
            scores={metric: SimpleNamespace(mean=float(np.mean(folds)), folds=tuple(folds))},
        )
        for rank, (key, folds) in enumerate(scores.items())
    ]


def plan_of(metric, **more):
    rules = {"metric": metric, "train": 90, "test": 10, "rope": 0.01, "level": 0.95, **more}
    return SimpleNamespace(**rules)


@pytest.mark.share(3)
@pytest.mark.parametrize("pair", PRINTED)
def test_published_table(moons, pair):
    t, bonferroni, worse, better, equal = PRINTED[pair]
    found = compare_pair(moons[pair[0]], moons[pair[1]], train=90, test=10, rope=0.01)
    assert found.t == pytest.approx(t, abs=5e-4)
    assert min(1.0, 6 * found.p / 2) == pytest.approx(bonferroni, abs=5e-4)
    assert found.better == pytest.approx(better, abs=5e-4)
    assert found.equal == pytest.approx(equal, abs=5e-4)
    assert found.worse == pytest.approx(worse, abs=5e-4)


@pytest.mark.parametrize(
    ("level", "low", "high"),
    [(0.5, 0.000977, 0.019023), (0.75, -0.005422, 0.025422), (0.95, -0.016445, 0.036445)],
)
def test_published_intervals(moons, level, low, high):
    found = compare_pair(moons["rbf"], moons["linear"], train=90, test=10, level=level)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-7)
    alone = corrected_interval(np.subtract(moons["rbf"], moons["linear"]), 90, 10, level)
    assert alone == pytest.approx((found.mean, low, high), abs=5e-7)


def test_all_pairs_of_the_published_table(moons):
    found = differences(candidates_of(moons, "roc_auc"), plan_of("roc_auc"))
    assert [(one.a, one.b) for one in found] == list(PRINTED)  # the page is in order of means, too
    assert [one.better for one in found] == pytest.approx(
        [row[3] for row in PRINTED.values()], abs=5e-4
    )
    expected = multipletests([one.p for one in found], method="holm")[1]
    np.testing.assert_allclose([one.p_holm for one in found], expected, rtol=1e-12)


@pytest.mark.parametrize("m", [1, 12])
def test_holm_is_that_of_statsmodels(m):
    p = np.random.default_rng(m).uniform(size=m) ** 3
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], rtol=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_bonferroni_over_all_sets(p):
    """By closed testing: the greatest Bonferroni value of all sets of hypotheses with this one."""
    sets = [s for size in range(1, len(p) + 1) for s in combinations(range(len(p)), size)]
    values = [min(1.0, len(one) * min(p[i] for i in one)) for one in sets]
    expected = [
        max(value for one, value in zip(sets, values, strict=True) if i in one)
        for i in range(len(p))
    ]
    found = holm(p)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert np.all(found >= p)
    assert np.all(np.diff(found[np.argsort(p, kind="stable")]) >= 0)


def test_holm_of_nothing():
    assert holm([]).shape == (0,)


scores = st.floats(-1, 1, allow_subnormal=False).map(lambda value: round(value, 6))
pairs = st.lists(st.tuples(scores, scores), min_size=2, max_size=25)


@settings(max_examples=50, deadline=None)
@given(pairs, st.floats(0, 0.1), st.integers(2, 10))
def test_formula_and_symmetry(rows, rope, folds):
    a, b = np.array(rows).T
    rules = {"train": folds - 1, "test": 1}
    one = compare_pair(a, b, rope=rope, **rules)
    two = compare_pair(b, a, rope=rope, **rules)
    assert one.better + one.equal + one.worse == pytest.approx(1, abs=1e-12)
    assert min(one[4:]) >= 0
    assert (two.mean, two.low, two.high) == (-one.mean, -one.high, -one.low)
    assert (two.p, two.t, two.better, two.worse) == (one.p, -one.t, one.worse, one.better)
    d = a - b
    if np.ptp(d) > 1e-9:
        scale = d.std(ddof=1) * np.sqrt(1 / len(d) + 1 / (folds - 1))
        posterior = stats.t(len(d) - 1, d.mean(), scale)
        assert one.better == pytest.approx(posterior.sf(rope), rel=1e-6, abs=1e-12)
        assert one.worse == pytest.approx(posterior.cdf(-rope), rel=1e-6, abs=1e-12)
        sd = d.std(ddof=1) / np.sqrt(len(d))
        assert abs(one.t) < abs(d.mean() / sd) or d.mean() == 0  # never sd/√J


@settings(max_examples=50, deadline=None)
@given(pairs, st.sampled_from([1e-150, 1e-3, 7.0, 1e150]), st.floats(0, 0.1))
def test_units_do_not_matter(rows, unit, rope):
    a, b = np.array(rows).T
    rules = {"train": 4, "test": 1}
    one = compare_pair(a, b, rope=rope, **rules)
    far = compare_pair(unit * a, unit * b, rope=unit * rope, **rules)
    if np.ptp(a - b) > 1e-9:
        np.testing.assert_allclose(np.array(far[:3]) / unit, one[:3], rtol=1e-7, atol=1e-12)
        np.testing.assert_allclose(far[3:], one[3:], rtol=1e-6, atol=1e-12)


def test_two_folds_by_hand():
    # d = (1, 3): mean 2, s² = 2, se² = 2 (1/2 + 1/1) = 3; Student's t with 1 degree is Cauchy's.
    found = compare_pair([1, 3], [0, 0], train=5, test=5, rope=2)
    assert found.t == pytest.approx(2 / np.sqrt(3))
    assert found.p == pytest.approx(1 - 2 / np.pi * np.arctan(2 / np.sqrt(3)))
    assert found.better == pytest.approx(0.5)
    assert found.worse == pytest.approx(0.5 - np.arctan(4 / np.sqrt(3)) / np.pi)


@pytest.mark.parametrize(
    ("shift", "p", "verdict"),
    [(0.0, 1.0, (0, 1, 0)), (0.1, 0.0, (1, 0, 0)), (-0.1, 0.0, (0, 0, 1)), (0.01, 0.0, (0, 1, 0))],
)
def test_no_spread_is_certain(shift, p, verdict):
    b = np.array([0.7, 0.8, 0.55, 0.61])
    found = compare_pair(b + shift, b, train=3, test=1, rope=0.01)
    assert (found.better, found.equal, found.worse) == verdict
    assert found.p == p
    assert (found.low, found.mean, found.high) == pytest.approx((shift,) * 3)


def test_rounding_is_no_difference():
    b = np.array([0.7, 0.8, 0.55, 0.61])
    found = compare_pair(np.nextafter(b, 1), b, train=3, test=1)
    assert (found.mean, found.p, found.equal) == (0, 1, 1)


def test_less_is_better_is_turned():
    errors = {"good": [1.0, 1.1, 0.9], "bad": [2.0, 2.4, 2.2]}
    (found,) = differences(candidates_of(errors, "rmse"), plan_of("rmse"))
    assert (found.a, found.b) == ("good", "bad")
    assert found.mean == pytest.approx(1.2)
    (other,) = differences(candidates_of(errors, "r2"), plan_of("r2"))
    assert (other.a, other.b) == ("bad", "good")


def test_only_finished_candidates_with_the_metric():
    given = candidates_of({"a": [1, 2], "b": [2, 2], "c": [3, 1]}, "roc_auc")
    given[1].state = "partial"
    assert [(one.a, one.b) for one in differences(given, plan_of("roc_auc"))] == [("c", "a")]
    assert differences(given[:2], plan_of("roc_auc")) == ()
    assert differences(given, plan_of("log_loss")) == ()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compare_pair([1], [2], train=3, test=1), "needs at least 2"),
        (lambda: compare_pair([1, np.nan], [2, 3], train=3, test=1), r"a_values\[1\] is nan"),
        (lambda: compare_pair([1, 2, 3], [1, 2], train=3, test=1), "3 and 2 scores"),
        (lambda: compare_pair([1, 2], [1, 2], train=0, test=1), "train=0"),
        (lambda: compare_pair([1, 2], [1, 2], train=3, test=1, rope=-1), "rope=-1"),
        (lambda: compare_pair([1, 2], [1, 2], train=3, test=1, rope=np.nan), "rope=nan"),
        (lambda: corrected_interval([0.5], 3, 1), "more folds or repeats"),
        (lambda: corrected_interval([0.5, 0.6], 3, 1, 95), "level=95"),
        (lambda: holm([0.5, np.nan]), "from 0 to 1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_false_positives():
    """Of equal models at most 5 % are called different; by sd/√J it is a third (J = 20)."""
    tables = 1000
    naive, corrected = false_positives(tables, repeats=4, seed=1)
    noise = 3 * np.sqrt(0.05 * 0.95 / tables)
    assert corrected / tables <= 0.05 + noise
    assert corrected > 0  # it can tell models apart at all
    assert naive / tables > 0.25
