"""Which solver "auto" takes: the estimate behaves as costs do, and the answers are the same."""

import numpy as np
import pytest
import scipy.sparse as sp

import linscope as ls
from linscope.logistic.solvers.newton import shares
from linscope.logistic.solving.costs import Shape, newton_cost, trust_region_cost

COSTS = (newton_cost, trust_region_cost)


def shape(n, d, entries=None, rarer=0.5):
    """Of a dense table, or of a sparse one with so many entries in every row."""
    sparse, e = entries is not None, d if entries is None else entries
    blocks = max(1, n // 2048) if sparse else 1
    return Shape(
        n, d, sparse, n * e, float(n) * e * e, blocks, tuple(shares(n, d)), rarer, d < min(600, n)
    )


def choice(*arguments, **options):
    table = shape(*arguments, **options)
    return "newton" if newton_cost(table) <= trust_region_cost(table) else "trust-region"


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (shape(49_749, 300, 12, rarer=0.03), "newton"),  # LIBSVM's w8a
        (shape(32_561, 123, 14, rarer=0.24), "newton"),  # LIBSVM's a9a
        (shape(500_000, 50), "newton"),
        (shape(569, 30), "newton"),
        (shape(20_000, 50_000, 50), "trust-region"),  # a text
        (shape(50_000, 3000, 14), "trust-region"),
        (shape(1500, 1500), "trust-region"),
        (shape(200, 5000), "trust-region"),
        (shape(10_000, 1000), "trust-region"),
    ],
)
def test_shapes_whose_best_solver_is_known(table, expected):
    """By several times in measurements."""
    newton, other = newton_cost(table), trust_region_cost(table)
    best, worse = (newton, other) if expected == "newton" else (other, newton)
    assert best < worse


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("entries", [None, 8])
def test_costs_grow_with_rows_columns_and_entries(cost, entries):
    rows = [cost(shape(n, 40, entries)) for n in (6000, 9000, 12_000)]  # without a share
    more = [cost(shape(n, 40, entries)) for n in (20_000, 80_000, 140_000)]  # with one
    columns = [cost(shape(3000, d, entries)) for d in (8, 20, 50, 130, 300, 500)]
    for costs in (rows, more, columns):
        assert costs == sorted(costs)
        assert len(set(costs)) == len(costs)
    dense_rows = [cost(shape(50_000, 300, e)) for e in (4, 12, 30, 80)]
    assert dense_rows == sorted(dense_rows)


@pytest.mark.parametrize("entries", [None, 10])
@pytest.mark.parametrize("n", [500, 5000, 50_000, 500_000])
def test_few_columns_are_for_newton_and_very_many_never_are(n, entries):
    assert choice(n, 20, entries) == "newton"
    assert {choice(n, d, entries) for d in range(1500, 20_000, 500)} == {"trust-region"}


def test_a_rare_class_is_no_reason_against_newton():
    for rarer in (0.5, 0.1, 0.01, 0.0):
        assert newton_cost(shape(50_000, 300, 12, rarer)) == newton_cost(shape(50_000, 300, 12))
    products = [trust_region_cost(shape(50_000, 300, 12, q)) for q in (0.5, 0.2, 0.1, 0.01, 0.0)]
    assert products == sorted(products)


def binary_table(n, d, share):
    rng = np.random.default_rng(5)
    X = sp.csr_array((rng.uniform(size=(n, d)) < 5 / d).astype(float))
    score = X @ rng.standard_normal(d) + 0.5 * rng.standard_normal(n)
    return X, np.where(score > np.quantile(score, 1 - share), "yes", "no")


@pytest.mark.parametrize(
    ("n", "d", "taken"), [(15_000, 60, "newton"), (400, 900, "trust-region")], ids=str
)
def test_every_solver_finds_the_same_minimum(n, d, taken):
    """Objectives agree to the gaps that the certificates prove, and probabilities follow."""
    X, y = binary_table(n, d, 0.05)
    fits = {
        solver: ls.LogisticRegression(solver=solver).fit(X, y)
        for solver in ("auto", "newton", "trust-region")
    }
    auto = fits.pop("auto")
    assert auto.certificate_.how.startswith(f"{taken} (auto: estimated at 0.")
    assert auto.certificate_.verify(X, y).ok
    for other in fits.values():
        apart = abs(auto.certificate_.primal - other.certificate_.primal)
        assert apart <= auto.certificate_.gap + other.certificate_.gap
        np.testing.assert_allclose(auto.predict_proba(X), other.predict_proba(X), atol=1e-5)
    np.testing.assert_array_equal(auto.coef_, fits[taken].coef_)


def test_one_thread_and_many_give_the_same_bits(monkeypatch):
    X, y = binary_table(40_000, 60, 0.05)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("LINSCOPE_THREADS", threads)
        found.append(ls.LogisticRegression().fit(X, y).coef_)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
