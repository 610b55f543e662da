"""Order statistics of rows in blocks, against sorting."""

from fractions import Fraction

import numpy as np
import pytest

from linscope.arithmetic.whole_sums import ONE, as_float, whole_sum
from linscope.engines import MemoryEngine, order
from linscope.rows.blocks import blind


@blind
def values_of(block):
    return block.y


@pytest.mark.parametrize("kind", ["wide", "few", "equal"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_value_that_a_weight_reaches_is_that_of_sorted_rows(kind, weighted, monkeypatch):
    monkeypatch.setattr(order, "FEW", 10)
    rng = np.random.default_rng(0)
    for _ in range(20):
        n = int(rng.integers(1, 1000))
        values = rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n)
        if kind != "wide":
            values = rng.integers(-3, 3, n).astype(float) if kind == "few" else np.full(n, -0.5)
        c = rng.random(n) + 0.1
        rows = MemoryEngine(np.zeros((n, 1)), values, c if weighted else None, block_rows=97)
        k = int(rng.integers(n))
        assert order.reached(rows, values_of, (), k + 1, weighted=False) == np.sort(values)[k]
        sums = np.cumsum(c[np.argsort(values, kind="stable")] if weighted else np.ones(n))
        wanted = rng.random() * 1.1 * sums[-1]
        place = min(int(np.searchsorted(sums, wanted)), n - 1)
        assert order.reached(rows, values_of, (), wanted) == np.sort(values)[place]


def test_sums_in_whole_numbers_are_exact():
    rng = np.random.default_rng(1)
    values = np.r_[rng.normal(size=500) * 10.0 ** rng.integers(-320, 300, 500), 5e-324, -1e308, 0.0]
    exact = sum(map(Fraction, values.tolist()))
    assert Fraction(whole_sum(values), ONE) == exact
    assert as_float(whole_sum(values)) == float(exact)
    assert whole_sum(values[:0]) == 0
    assert as_float(4 * whole_sum(np.array([1e308]))) == np.inf
