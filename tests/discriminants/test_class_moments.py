"""Class moments: against extended precision, whatever the offset, scale, storage and blocking."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from linscope.discriminants.solvers import moments as solver
from linscope.engines import MemoryEngine
from linscope.rows.blocks import take_rows

KINDS = ["pooled", "separate", "squares"]
STORES = {"dense": np.ascontiguousarray, "sparse": sparse.csr_array}


def class_moments(X, codes, n_classes, weight=None, n_threads=None, **options):
    engine = MemoryEngine(X, codes, weight, n_threads=n_threads)
    return solver.class_moments(engine, n_classes, **options)


def table(n=400, d=5, n_classes=3, offset=0.0, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_classes, n)
    codes[:n_classes] = np.arange(n_classes)
    X = rng.standard_normal((n, d)) * rng.uniform(0.5, 2.0, d) + codes[:, None] * np.arange(d)
    return X + offset, codes, rng.uniform(0.1, 3.0, n)


def reference(X, codes, weight, n_classes, kind):
    """Means and scatter by two passes in extended precision."""
    X, weight = np.asarray(X, np.longdouble), np.asarray(weight, np.longdouble)
    means, parts = [], []
    for k in range(n_classes):
        w, rows = weight[codes == k, None], X[codes == k]
        means.append((w * rows).sum(axis=0) / w.sum())
        centred = rows - means[-1]
        parts.append((w * centred).T @ centred)
    stacked = np.array(parts)
    if kind == "squares":
        return np.array(means), np.diagonal(stacked, axis1=1, axis2=2)
    return np.array(means), stacked.sum(axis=0) if kind == "pooled" else stacked


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("offset", [0.0, 100.0, 1e8])
def test_moments_match_extended_precision(offset, store, kind):
    X, codes, weight = table(offset=offset)
    means, scatter = reference(X, codes, weight, 3, kind)
    found = class_moments(STORES[store](X), codes, 3, weight=weight, kind=kind)
    np.testing.assert_allclose(found.means, means.astype(float), rtol=1e-15, atol=1e-14)
    size = float(np.abs(scatter).max())
    np.testing.assert_allclose(found.scatter, scatter.astype(float), atol=1e-13 * size)
    assert found.rows == len(codes)
    np.testing.assert_allclose(found.weight, np.bincount(codes, weight), rtol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("store", STORES)
def test_classes_far_apart_keep_their_spread(store, kind):
    """About one common origin S_W would be all rounding error here."""
    X, codes, weight = table()
    X = X + 1e9 * codes[:, None]
    _, scatter = reference(X, codes, weight, 3, kind)
    found = class_moments(STORES[store](X), codes, 3, weight=weight, kind=kind)
    np.testing.assert_allclose(
        found.scatter, scatter.astype(float), atol=1e-12 * float(np.abs(scatter).max())
    )


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("size", [1e-150, 1e-60, 1e60, 1e150])
def test_units_keep_extreme_columns_in_range(size, store):
    X, codes, weight = table()
    X = X / np.abs(X).max()
    plain = class_moments(X, codes, 3, weight=weight)
    scaled = X.copy()
    scaled[:, 1] *= size
    found = class_moments(STORES[store](scaled), codes, 3, weight=weight)
    unit = np.ones(5)
    unit[1] = 1 / size
    inside = np.ldexp(1.0, found.exponent)
    again = found.scatter * np.outer(unit * inside, unit * inside)
    np.testing.assert_allclose(again, plain.scatter, rtol=1e-9, atol=1e-12 * plain.scatter.max())
    np.testing.assert_allclose(found.means * unit, plain.means, rtol=1e-12, atol=1e-14)


def test_values_beyond_the_range_are_refused():
    X, codes, _ = table()
    X[7, 2] = 1e200
    with pytest.raises(ValueError, match="column 2, beyond 1e"):
        class_moments(X, codes, 3)
    X[7, 2] = np.nan
    with pytest.raises(ValueError, match="NaN at row 7, column 2"):
        class_moments(X, codes, 3)
    X[7, 2] = -np.inf
    with pytest.raises(ValueError, match=r"-inf at row 7, column 'c' \(2\)"):
        class_moments(X, codes, 3, feature_names=list("abcde"))
    with pytest.raises(ValueError, match="sample_weight"):
        class_moments(X, codes, 3, weight=np.full(len(codes), 1e308))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("store", STORES)
def test_a_column_that_is_constant_in_each_class_has_no_scatter_at_all(store, kind):
    X, codes, _ = table()
    X[:, 1], X[:, 3] = 0.1, np.array([0.1, 1e8 / 3, -7.0])[codes]
    scatter = class_moments(STORES[store](X), codes, 3, kind=kind).scatter
    assert not scatter[..., [1, 3]].any()
    assert scatter[..., 0].any()


@pytest.mark.share(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_change_no_bit(dtype, store, kind):
    X, codes, weight = table(n=30_000, d=40)
    X = STORES[store](X.astype(dtype))
    one = class_moments(X, codes, 3, weight=weight, kind=kind, n_threads=1)
    many = class_moments(X, codes, 3, weight=weight, kind=kind, n_threads=4)
    np.testing.assert_array_equal(one.scatter, many.scatter)
    np.testing.assert_array_equal(one.offset, many.offset)


@pytest.mark.parametrize("store", STORES)
def test_single_precision_is_summed_in_double(store):
    X, codes, weight = table(offset=3.0)
    small = X.astype(np.float32)
    means, scatter = reference(small, codes, weight, 3, "pooled")
    found = class_moments(STORES[store](small), codes, 3, weight=weight)
    np.testing.assert_allclose(found.means, means.astype(float), rtol=1e-14)
    np.testing.assert_allclose(found.scatter, scatter.astype(float), rtol=1e-11, atol=1e-10)


def test_whole_numbers_are_summed_without_rounding():
    rng = np.random.default_rng(3)
    X = rng.integers(-50, 50, (500, 4)).astype(float)
    codes = np.arange(500) % 2
    total = sum(
        len(part) * part.T.astype(object) @ part.astype(object)
        - np.outer(part.sum(axis=0), part.sum(axis=0)).astype(object)
        for part in (X[codes == k].astype(int) for k in (0, 1))
    )
    exact = (total / 250).astype(float)
    np.testing.assert_allclose(class_moments(X, codes, 2).scatter, exact, rtol=1e-14)


@given(
    n=st.integers(2, 60),
    cuts=st.lists(st.integers(1, 59), max_size=4),
    kind=st.sampled_from(KINDS),
    offset=st.sampled_from([0.0, 1e4, 1e8]),
    seed=st.integers(0, 1000),
)
@settings(max_examples=60, deadline=None)
def test_merged_chunks_are_the_whole(n, cuts, kind, offset, seed):
    X, codes, weight = table(n=max(n, 3), d=3, offset=offset, seed=seed)
    whole = class_moments(X, codes, 3, weight=weight, kind=kind)
    ends = sorted({0, len(codes), *(c for c in cuts if c < len(codes))})
    parts = [
        class_moments(take_rows(X, a, b), codes[a:b], 3, weight=weight[a:b], kind=kind)
        for a, b in itertools.pairwise(ends)
    ]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
    assert merged.rows == whole.rows
    np.testing.assert_allclose(merged.means, whole.means, rtol=1e-14, atol=1e-13)
    size = np.abs(whole.scatter).max() or 1.0
    # at an offset of 1e8 the data themselves are known to 1e-8 of their spread only
    np.testing.assert_allclose(merged.scatter, whole.scatter, atol=1e-12 * size)


def test_chunks_in_different_units_merge():
    X, codes, _ = table()
    scaled = X * np.array([1.0, 1e120, 1.0, 1e-120, 1.0])
    whole = class_moments(scaled, codes, 3)
    zeros = np.zeros((3, 5))
    both = class_moments(zeros, np.arange(3), 3).merge(whole)
    again = whole.merge(class_moments(zeros, np.arange(3), 3))
    inside = np.outer(np.ldexp(1.0, both.exponent), np.ldexp(1.0, both.exponent))
    other = np.outer(np.ldexp(1.0, again.exponent), np.ldexp(1.0, again.exponent))
    np.testing.assert_allclose(both.scatter * inside, again.scatter * other, rtol=1e-9)


def test_weights_are_repeated_rows():
    X, codes, _ = table(n=60)
    times = np.arange(60) % 3 + 1
    weighted = class_moments(X, codes, 3, weight=times.astype(float))
    repeated = class_moments(np.repeat(X, times, axis=0), np.repeat(codes, times), 3)
    np.testing.assert_allclose(weighted.scatter, repeated.scatter, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(weighted.means, repeated.means, rtol=1e-14)


def test_scatters_add_up_to_the_total():
    X, codes, weight = table(offset=10.0)
    moments = class_moments(X, codes, 3, weight=weight)
    mean = weight @ X / weight.sum()
    total = ((X - mean).T * weight) @ (X - mean)
    both = moments.within_scatter() + moments.between_scatter()
    np.testing.assert_allclose(both, total, rtol=1e-12)
    separate = class_moments(X, codes, 3, weight=weight, kind="separate")
    np.testing.assert_allclose(separate.within_scatter(), moments.within_scatter(), rtol=1e-12)
    with pytest.raises(ValueError, match="separate"):
        moments.pooled_scatter(np.ones(3))
    with pytest.raises(ValueError, match="cannot be merged"):
        moments.merge(separate)


def test_a_far_pilot_is_corrected():
    """Rows that the pilot looks at are outliers; the origin is then moved to the mean."""
    X, codes, weight = table(n=20_000, d=2)
    X[:: 20_000 // 1024] += 1e7
    _, scatter = reference(X, codes, weight, 3, "pooled")
    found = class_moments(X, codes, 3, weight=weight)
    np.testing.assert_allclose(found.scatter, scatter.astype(float), rtol=1e-12)
