"""Faults of fits, scores and regressions are planted, and found."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from linscope import separability
from linscope.selection.comparison.checks.scores import badly_calibrated, clopper_pearson

from .planted import candidate, checks, labels, plan, question


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.fixture
def q(rng):
    return question(rng.normal(size=(200, 3)), labels(rng, 200))


def test_edges_of_the_search(q):
    model = candidate(edges={"C": (0, 4)})
    baseline = candidate("majority", 0.5, family="baseline")
    found = checks(q, (baseline, model))["LS201"]
    assert "C was the largest value tried in 4 of 5 folds" in found.words
    assert found.level == "warning"
    assert "LS201" not in checks(q, (baseline, candidate(edges={"C": (1, 1)})))


def test_an_edge_of_a_model_that_learned_nothing_is_a_note(q):
    baseline = candidate("majority", 0.5, family="baseline")
    found = checks(q, (baseline, candidate(mean=0.505, edges={"C": (5, 0)})))["LS201"]
    assert found.level == "note"


def test_fits_without_certificate(q):
    assert "2 of 5 fits" in checks(q, (candidate(certified=3),))["LS202"].words
    reference = candidate("boosting", family="reference", certified=0)
    assert "LS202" not in checks(q, (candidate(), reference))


def test_a_final_model_without_certificate(q):
    bad = SimpleNamespace(certificate_=SimpleNamespace(ok=False))
    good = SimpleNamespace(certificate_=SimpleNamespace(ok=True))
    assert "LS203" in checks(q, final=[None, bad])
    assert "LS203" not in checks(q, final=[None, good])


def test_models_that_were_not_finished(q):
    late = candidate("svm-rbf", state="left out", why="the budget of 10 s", scores={})
    found = checks(q, (candidate(), late))["LS204"]
    assert "svm-rbf (left out: the budget of 10 s)" in found.words


def test_separated_classes(rng):
    X = rng.normal(size=(200, 3))
    y = np.where(X @ [1.0, 1.0, -1.0] > 0, "yes", "no")
    words = checks(question(X, y))["LS211"].words
    assert "A hyperplane separates 'yes' from 'no'" in words
    assert "no finite solution" in words
    y[np.argmax(X @ [1.0, 1.0, -1.0])] = "no"
    assert "LS211" not in checks(question(X, y))


def test_a_category_without_rows_of_a_class(rng):
    X = np.column_stack([rng.normal(size=200), rng.integers(0, 3, 200)])
    y = labels(rng, 200)
    y[X[:, 1] == 2] = "yes"
    found = checks(question(X, y, names=["a", "city"], categories={1: ["Bonn", "Rome", "Ulm"]}))
    assert "All with city=Ulm are 'yes'." in found["LS212"].words
    assert "LS211" not in found


@pytest.mark.parametrize("seed", range(12))
def test_separation_agrees_with_the_exact_verdict(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 14))
    y = np.where(X[:, 0] + 0.1 * rng.normal(size=60) > 0, "yes", "no")
    assert ("LS211" in checks(question(X, y))) == bool(separability(X, y))


def test_one_of_three_classes_is_cut_off():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    words = checks(question(X, y))["LS211"].words
    assert "separates '0' from all other classes" in words
    assert "'1'" not in words


def test_perfect_scores(q):
    assert "LS301" in checks(q, (candidate(mean=1.0),))
    assert "LS301" not in checks(q, (candidate(mean=0.97),))
    r2 = candidate("linear", 0.99995, metric="r2")
    assert "LS301" in checks(q, (r2,), plan(metric="r2"))


def test_calibration(rng):
    p = rng.random(2000)
    y = np.where(rng.random(2000) < p, "yes", "no")
    q = question(rng.normal(size=(2000, 2)), y)
    assert "LS302" not in checks(q, probabilities=p)
    sure = p**3 / (p**3 + (1 - p) ** 3)  # as naive Bayes with copied columns
    assert "the share of 'yes'" in checks(q, probabilities=sure)["LS302"].words


def test_clopper_pearson_has_its_level():
    n, level = 25, 0.9
    for true in (0.03, 0.2, 0.5, 0.71):
        chance = stats.binom.pmf(np.arange(n + 1), n, true)
        covered = sum(
            chance[k]
            for k in range(n + 1)
            if clopper_pearson(k, n, level)[0] <= true <= clopper_pearson(k, n, level)[1]
        )
        assert covered >= level


def test_true_probabilities_hardly_ever_alarm(rng):
    alarms = 0
    for _ in range(300):
        p = rng.beta(1, 2, 400)
        alarms += bool(badly_calibrated(p, rng.random(400) < p))
    assert alarms <= 300 * 0.01 + 3 * np.sqrt(300 * 0.01)


def test_an_unstable_choice(q):
    models = (candidate("fisher"), candidate("logistic-l2"), candidate("linear-svm"))
    chosen = ["fisher", "logistic-l2", "fisher", "linear-svm", "logistic-l2"]
    assert "fisher 2 times" in checks(q, models, choices=chosen)["LS303"].words
    assert "LS303" not in checks(q, models, choices=["fisher"] * 4 + ["linear-svm"])


@pytest.fixture
def line(rng):
    X = rng.uniform(-2, 2, size=(300, 3))
    return X, X @ [1.0, -2.0, 0.5]


def found_in(X, y):
    return {code for code in checks(question(X, y)) if code[2] == "4"}


def test_a_regression_that_keeps_all_assumptions(line, rng):
    X, mean = line
    assert found_in(X, mean + rng.normal(size=300)) == set()


def test_a_row_that_pulls_the_regression(line, rng):
    X, mean = line
    X[7], y = 6.0, mean + rng.normal(size=300)
    y[7] = 60.0
    assert checks(question(X, y))["LS401"].rows == (7,)


def test_a_curve(line, rng):
    X, mean = line
    assert "LS403" in found_in(X, mean + X[:, 0] ** 2 + 0.5 * rng.normal(size=300))


def test_residuals_that_follow_each_other(line, rng):
    X, mean = line
    noise = rng.normal(size=300)
    for i in range(1, 300):
        noise[i] += 0.8 * noise[i - 1]
    assert "LS402" in found_in(X, mean + noise)


def test_a_spread_that_grows(line, rng):
    X, mean = line
    assert "LS404" in found_in(X, mean + np.exp(X[:, 0]) * rng.normal(size=300))


def test_skewed_residuals(line, rng):
    X, mean = line
    assert "LS405" in found_in(X, mean + rng.exponential(size=300))


def test_features_that_are_almost_combinations(line, rng):
    X, mean = line
    X = np.column_stack([X, X[:, 0] + X[:, 1] + 0.01 * rng.normal(size=300)])
    found = checks(question(X, mean + rng.normal(size=300)))
    assert "x4" in found["LS406"].words
    assert "LS133" not in found


def test_one_hot_columns_do_not_hide_the_assumptions(line, rng):
    X, mean = line
    colour = rng.integers(0, 4, 300)
    q = question(
        np.column_stack([X, colour]),
        mean + colour + X[:, 0] ** 2 + 0.5 * rng.normal(size=300),
        categories={3: ["a", "b", "c", "d"]},
    )
    assert "LS403" in checks(q)
