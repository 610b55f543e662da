"""Separability: verdicts against an independent exact decision, and every forgery is refused."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import SVC

import linscope as ls
from linscope.arithmetic.rational import as_integers
from linscope.separation.class_table import ClassTable
from linscope.separation.integer_simplex import gordan
from linscope.separation.signed_rows import SignedRows
from linscope.separation.spanning_combination import spanning_combination
from linscope.separation.verdicts import NotSeparable, QuasiSeparable, Separable

SQUARE = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
OR = SQUARE, np.array([-1, 1, 1, 1])
XOR = SQUARE, np.array([-1, 1, 1, -1])
# x1 = 0 is the only boundary: both classes have a sample on it at the same place.
TOUCHING = (
    np.array([[0, 0], [0, 1], [-1, 0], [0, 0.5], [0, 2], [1, 1]]),
    np.array([-1, -1, -1, 1, 1, 1]),
)
SLOW_PERCEPTRON = np.array([[-23, -2], [-24, 1], [-17, -6]], dtype=float), np.array([1, -1, -1])


def perceptron_updates(X, y, most=10**6):
    """Updates of the plain rule from zeros in exact integers or fractions."""
    z = [
        [int(s), *(s * Fraction(v) for v in x)] for x, s in zip(X.tolist(), y.tolist(), strict=True)
    ]
    w = [0] * len(z[0])
    updates, streak = 0, 0
    while streak < len(z):
        for row in z:
            if sum(a * b for a, b in zip(row, w, strict=True)) <= 0:
                w = [a + b for a, b in zip(w, row, strict=True)]
                updates, streak = updates + 1, 0
                if updates > most:
                    return updates
            else:
                streak += 1
    return updates


def reduce_rows(matrix):
    """Reduced row echelon form with fractions, and its pivot columns."""
    A = [[Fraction(v) for v in row] for row in matrix]
    pivots, r = [], 0
    for c in range(len(A[0])):
        p = next((i for i in range(r, len(A)) if A[i][c]), None)
        if p is None:
            continue
        A[r], A[p] = A[p], A[r]
        A[r] = [v / A[r][c] for v in A[r]]
        for i in range(len(A)):
            if i != r and A[i][c]:
                A[i] = [a - A[i][c] * b for a, b in zip(A[i], A[r], strict=True)]
        pivots.append(c)
        r += 1
        if r == len(A):
            break
    return A, pivots


def brute_force(X, y):
    """Sum of all extreme rays of {w : Zw >= 0}: its scores tell the three cases apart."""
    Z = [[Fraction(int(s)), *(int(s) * Fraction(v) for v in x)] for x, s in zip(X, y, strict=True)]
    columns = reduce_rows(Z)[1]
    Z = [[row[c] for c in columns] for row in Z]
    rank = len(columns)
    total = [Fraction(0)] * rank
    for chosen in combinations(Z, rank - 1):
        if rank == 1:
            rays = [[Fraction(1)]]
        else:
            E, pivots = reduce_rows(chosen)
            if len(pivots) < rank - 1:
                continue
            free = next(c for c in range(rank) if c not in pivots)
            ray = [Fraction(0)] * rank
            ray[free] = Fraction(1)
            for r, c in enumerate(pivots):
                ray[c] = -E[r][free]
            rays = [ray]
        for ray in rays:
            for sign in (1, -1):
                scores = [sign * sum(a * b for a, b in zip(row, ray, strict=True)) for row in Z]
                if min(scores) >= 0:
                    total = [a + sign * b for a, b in zip(total, ray, strict=True)]
    scores = [sum(a * b for a, b in zip(row, total, strict=True)) for row in Z]
    if min(scores) > 0:
        return "strict"
    return "quasi" if any(scores) else "no"


def test_notes_examples():
    verdict = ls.separability(*OR)
    assert isinstance(verdict, Separable)
    assert verdict.verify(*OR)
    np.testing.assert_array_equal(verdict.weights, [-1, 2, 2])
    xor = ls.separability(*XOR)
    assert isinstance(xor, NotSeparable)
    assert xor.point == (Fraction(1, 2), Fraction(1, 2))
    assert xor.positive == {1: Fraction(1, 2), 2: Fraction(1, 2)}
    assert xor.verify(*XOR)
    X, y = [[2, 1], [4, 3], [3, 5], [1, 3], [5, 6]], [1, 1, 1, -1, -1]
    assert isinstance(ls.separability(X, y), NotSeparable)


def test_quasi_separable():
    verdict = ls.separability(*TOUCHING)
    assert isinstance(verdict, QuasiSeparable)
    assert not verdict
    assert verdict.kind == "quasi"
    assert verdict.boundary.tolist() == [0, 1, 3, 4]
    assert verdict.verify(*TOUCHING)
    np.testing.assert_array_equal(verdict.weights / verdict.weights[1], [0, 1, 0])


@pytest.mark.slow
def test_bound_holds_where_the_perceptron_is_slow():
    verdict = ls.separability(*SLOW_PERCEPTRON)
    assert perceptron_updates(*SLOW_PERCEPTRON) == 75_059
    assert verdict.bound >= 75_059
    assert verdict.verify(*SLOW_PERCEPTRON)


def test_bound_is_not_rounded_below_a_tight_case():
    X, y = np.array([[1.0], [-1.0]]), np.array([1, -1])
    assert perceptron_updates(X, y) == 2
    assert ls.separability(X, y).bound == 2


small_numbers = st.one_of(
    st.integers(-3, 3).map(float),
    st.integers(-9, 9).map(lambda k: k / 7),
    st.integers(-3, 3).map(lambda k: 1e8 + k),
)


@st.composite
def small_problems(draw, most_rows=8, most_columns=3):
    d = draw(st.integers(1, most_columns))
    n = draw(st.integers(2, most_rows))
    values = draw(st.sampled_from([st.integers(-2, 2).map(float), small_numbers]))
    X = np.array(draw(st.lists(st.lists(values, min_size=d, max_size=d), min_size=n, max_size=n)))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    y[:2] = [-1, 1]
    return X, np.array(y)


@settings(max_examples=150, deadline=None)
@given(small_problems())
def test_verdict_agrees_with_brute_force_and_verifies(problem):
    X, y = problem
    verdict = ls.separability(X, y)
    assert verdict.kind == brute_force(X.tolist(), y.tolist())
    check = verdict.verify(X, y)
    assert check, check.reason
    assert str(verdict)
    assert verdict._repr_html_()
    if verdict.kind != "strict":
        assert len(verdict.positive) + len(verdict.negative) <= X.shape[1] + 2


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(small_problems(most_rows=6, most_columns=2))
def test_updates_never_exceed_the_bound(problem):
    X, y = problem
    verdict = ls.separability(X, y)
    if verdict and verdict.bound < 5_000:
        assert perceptron_updates(X, y) <= verdict.bound


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(small_problems(most_rows=7), small_problems(most_rows=7))
def test_a_verdict_holds_only_for_its_own_kind_of_data(one, other):
    """A verdict moved to other data verifies only if those data have the same verdict."""
    verdict = ls.separability(*one)
    X, y = other
    if verdict.verify(X, y):
        assert verdict.kind == brute_force(X.tolist(), y.tolist())


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(small_problems(most_rows=9))
def test_exact_simplex_alone_decides_strict_separation(problem):
    X, y = problem
    M, _ = as_integers(np.column_stack([np.ones(len(X)), X]) * y[:, None])
    u, multipliers = gordan(M)
    assert (u is not None) == (brute_force(X.tolist(), y.tolist()) == "strict")
    if u is not None:
        assert all(v > 0 for v in M @ np.array(u, dtype=object))
    else:
        assert sum(multipliers.values()) == 1
        rows = np.array(list(multipliers.values()), dtype=object) @ M[list(multipliers)]
        assert not rows.any()


def no_guide(R):
    return None


def wrong_guide(R):
    """A linear programme that answers at random."""
    rng = np.random.default_rng(R.shape)
    return float(rng.choice([0.0, 1.0])), rng.normal(size=R.shape[1]), rng.random(len(R))


@pytest.mark.slow
@pytest.mark.parametrize("guide", [no_guide, wrong_guide])
def test_the_verdict_does_not_depend_on_the_linear_programme(guide, monkeypatch):
    monkeypatch.setattr("linscope.separation.strict_separation._highs", guide)
    rng = np.random.default_rng(5)
    for _ in range(60):
        n, d = int(rng.integers(2, 10)), int(rng.integers(1, 4))
        X = rng.integers(-2, 3, size=(n, d)) / 3
        y = np.append([-1, 1], rng.choice([-1, 1], size=n - 2))
        verdict = ls.separability(X, y)
        assert verdict.kind == brute_force(X.tolist(), y.tolist())
        assert verdict.verify(X, y)


def separable_data(seed, n, d, margin):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    w /= np.linalg.norm(w)
    y = np.where(X @ w > 0, 1, -1)
    return X + margin * y[:, None] * w, y


@pytest.mark.parametrize(("n", "d"), [(30, 2), (200, 5), (60, 20)])
def test_geometric_margin_is_the_support_vector_machine(n, d):
    X, y = separable_data(n, n, d, 0.2)
    verdict = ls.separability(X, y)
    peer = SVC(kernel="linear", C=1e10, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(verdict.weights[1:], peer.coef_[0], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(verdict.margin, 1 / np.linalg.norm(peer.coef_), rtol=1e-6)
    np.testing.assert_array_equal(verdict.support, np.sort(peer.support_))
    assert verdict.verify(X, y)
    scores = y * (verdict.weights[0] + X @ verdict.weights[1:])
    np.testing.assert_allclose(scores[verdict.support], 1, rtol=1e-9)
    assert scores.min() > 1 - 1e-9
    np.testing.assert_allclose(np.linalg.norm(verdict.augmented.weights), 1)


def forgeries():
    """Every field of a strict verdict changed a little, or replaced by something plausible."""
    verdict = ls.separability(*OR)
    g, a = verdict.geometric, verdict.augmented
    nudged = g.weights.copy()
    nudged[1] = np.nextafter(nudged[1], 9)
    flipped = list(g.exact)
    flipped[0] = -flipped[0]
    yield "nudged weights", replace(verdict, geometric=replace(g, weights=nudged))
    yield "scaled weights", replace(verdict, geometric=replace(g, weights=2 * g.weights))
    yield "larger margin", replace(verdict, geometric=replace(g, margin=g.margin * (1 + 1e-8)))
    yield "smaller margin", replace(verdict, geometric=replace(g, margin=g.margin * (1 - 1e-8)))
    yield "larger float margin", replace(verdict, geometric=replace(g, reached=g.margin * 1.1))
    yield "no float margin", replace(verdict, geometric=replace(g, reached=0.0))
    yield "nan margin", replace(verdict, geometric=replace(g, margin=float("nan")))
    yield "other support", replace(verdict, geometric=replace(g, support=np.array([0, 1, 3])))
    yield "support repeated", replace(verdict, geometric=replace(g, support=np.array([0, 1, 1])))
    yield "support too large", replace(verdict, geometric=replace(g, support=np.array([0, 1, 9])))
    yield "support negative", replace(verdict, geometric=replace(g, support=np.array([-4, 1, 2])))
    yield "support of floats", replace(verdict, geometric=replace(g, support=np.array([0.0, 1, 2])))
    yield "support empty", replace(verdict, geometric=replace(g, support=g.support[:0]))
    yield (
        "negative coefficient",
        replace(
            verdict,
            geometric=replace(g, exact=tuple(flipped), coefficients=np.array(flipped, dtype=float)),
        ),
    )
    yield (
        "float coefficients only",
        replace(verdict, geometric=replace(g, coefficients=g.coefficients + 1e-3)),
    )
    yield (
        "coefficients without sum 1",
        replace(
            verdict,
            geometric=replace(g, exact=None, coefficients=2 * g.coefficients),
        ),
    )
    yield (
        "other coefficients",
        replace(
            verdict, geometric=replace(g, exact=None, coefficients=np.array([1.0, 0.25, 0.75]))
        ),
    )
    yield "margins swapped", replace(verdict, geometric=a, augmented=g)
    yield "augmented is geometric", replace(verdict, augmented=replace(g, kind="augmented"))
    yield "wrong gamma", replace(verdict, gamma=verdict.gamma * (1 + 1e-8))
    yield (
        "wrong gamma twice",
        replace(verdict, gamma=0.5, augmented=replace(a, margin=0.5), bound=12.0),
    )
    yield "wrong radius", replace(verdict, radius=verdict.radius * (1 + 1e-8))
    yield "wrong bound", replace(verdict, bound=verdict.bound * (1 - 1e-8))
    yield "bound an ulp too low", replace(verdict, bound=np.nextafter(verdict.bound, 0.0))
    yield "bound of nothing", replace(verdict, bound=-1.0)
    yield "not a separator", replace(verdict, exact_weights=(0, 1, 1))
    yield "separator too short", replace(verdict, exact_weights=(-1, 2))
    yield "separator zero", replace(verdict, exact_weights=(0, 0, 0))
    yield "other classes", replace(verdict, classes=(0, 1))


@pytest.mark.parametrize(("name", "forged"), list(forgeries()))
def test_forged_separable_is_refused(name, forged):
    check = forged.verify(*OR)
    assert not check.claim_holds
    assert check.reason


def test_separable_is_refused_on_other_data():
    verdict = ls.separability(*OR)
    X, y = OR
    assert verdict.verify(X, y)
    assert not verdict.verify(X, -y).claim_holds
    assert not verdict.verify(X, XOR[1]).claim_holds
    assert not verdict.verify(X[:, :1], y).claim_holds
    assert not verdict.verify(X[:3], y[:3]).claim_holds
    assert not verdict.verify(X + 1e-7, y).claim_holds
    assert not verdict.verify(np.full_like(X, np.nan), y).claim_holds
    assert not verdict.verify(X, [1, 1, 1, 1]).claim_holds
    assert not verdict.verify(*TOUCHING).claim_holds


def test_forged_not_separable_is_refused():
    verdict = ls.separability(*XOR)
    third, half = Fraction(1, 3), Fraction(1, 2)
    forged = [
        replace(verdict, point=(half, third)),
        replace(verdict, point=(half,)),
        replace(verdict, positive={1: third, 2: 1 - third}),
        replace(verdict, positive={1: half, 3: half}),
        replace(verdict, positive={1: Fraction(1)}),
        replace(verdict, positive={}),
        replace(verdict, positive={1: half, 2: half, 0: Fraction(0)}),
        replace(verdict, positive={-3: half, 2: half}),
        replace(verdict, positive=verdict.negative, negative=verdict.positive),
        replace(verdict, combination={}),
        replace(verdict, combination={0: Fraction(1)}),
        replace(verdict, combination={i: -v for i, v in verdict.combination.items()}),
        replace(verdict, combination={i: v + (i == 0) for i, v in verdict.combination.items()}),
        replace(verdict, classes=("a", "b")),
    ]
    for other in forged:
        assert not other.verify(*XOR).claim_holds
    X, y = XOR
    assert not verdict.verify(X, -y).claim_holds
    assert not verdict.verify(*OR).claim_holds
    assert not verdict.verify(X[:3], y[:3]).claim_holds


def test_quasi_separable_data_cannot_be_called_not_separable():
    quasi = ls.separability(*TOUCHING)
    circuit = {**quasi.positive, **quasi.negative}
    claim = NotSeparable(quasi.classes, quasi.point, quasi.positive, quasi.negative, circuit)
    check = claim.verify(*TOUCHING)
    assert not check.claim_holds
    assert "span" in check.reason


def test_forged_quasi_separable_is_refused():
    quasi = ls.separability(*TOUCHING)
    W = quasi.exact_weights
    for other in (
        replace(quasi, exact_weights=(W[0] + Fraction(1, 10**30), *W[1:])),
        replace(quasi, exact_weights=tuple(-w for w in W)),
        replace(quasi, exact_weights=(0, 0, 0)),
        replace(quasi, weights_separate=False),
        replace(quasi, boundary=quasi.boundary[1:]),
        replace(quasi, boundary=np.append(quasi.boundary, 5)),
        replace(quasi, point=(Fraction(1), Fraction(1))),
        replace(quasi, positive=quasi.negative),
    ):
        assert not other.verify(*TOUCHING).claim_holds
    # strict data have no common point, data that are not separable no such weights
    strict = QuasiSeparable((-1, 1), (0, 1, 1), True, np.array([0]), (0, 0), {1: 1}, {0: 1})
    assert not strict.verify(*OR).claim_holds
    xor = ls.separability(*XOR)
    for W in ((0, 1, 1), (-1, 1, 1), (0, 0, 0)):
        claim = QuasiSeparable(
            (-1, 1), W, True, np.array([0]), xor.point, xor.positive, xor.negative
        )
        assert not claim.verify(*XOR).claim_holds


def test_quasi_separable_data_cannot_be_called_separable():
    X, y = TOUCHING
    shifted = X + 1e-3 * y[:, None] * np.array([1.0, 0.0])
    verdict = ls.separability(shifted, y)
    assert verdict
    assert not verdict.verify(X, y).claim_holds


def offsets():
    rng = np.random.default_rng(3)
    X, y = separable_data(7, 80, 3, 0.1)
    yield "offset 1e8", X + 1e8, y
    yield "offset 2^53", np.array([[2.0**53], [2.0**53 + 2]]), np.array([-1, 1])
    yield "scale 1e150", X * 1e150, y
    yield "scale 1e-150", X * 1e-150, y
    yield "scales 1e±150", X * np.array([1e150, 1.0, 1e-150]), y
    yield "scale 1e300", X * 1e300, y
    yield "scale 1e-300", X * 1e-300, y
    yield "scales 1e±300", X * np.array([1e300, 1.0, 1e-300]), y
    yield "constant column", np.column_stack([X, np.full(80, 3.7)]), y
    yield "constant large column", np.column_stack([X, np.full(80, 1e12)]), y
    yield "duplicate column", np.column_stack([X, X[:, 0]]), y
    yield "duplicate rows", np.vstack([X, X, X]), np.tile(y, 3)
    yield "n < d", rng.normal(size=(6, 30)), np.array([1, -1, 1, -1, 1, 1])
    yield "single feature", np.array([[1.0], [2.0], [3.0]]), np.array([-1, -1, 1])
    yield "tiny margin", np.array([[0.1 + 0.2], [0.3]]), np.array([1, -1])


@pytest.mark.parametrize(("name", "X", "y"), list(offsets()))
def test_hard_separable_data(name, X, y):
    verdict = ls.separability(X, y)
    assert verdict.kind == "strict", name
    check = verdict.verify(X, y)
    assert check, check.reason
    assert np.isfinite(verdict.weights).all()
    assert verdict.margin > 0
    assert not verdict.verify(X, -y).claim_holds


def exact_scores(weights, X, y):
    """y_i (w0 + w·x_i) of floats, as fractions."""
    w = [Fraction(float(v)) for v in weights]
    rows = [[Fraction(1), *map(Fraction, x)] for x in np.asarray(X, dtype=float).tolist()]
    return [int(s) * sum(a * b for a, b in zip(row, w, strict=True))
            for row, s in zip(rows, y, strict=True)]  # fmt: skip


def nearly_collinear(seed):
    """Decimals on a line, but for rounding: margins of 1e-17 beside columns of 1e4."""
    rng = np.random.default_rng(seed)
    t = rng.choice(np.arange(-12, 13), size=rng.integers(4, 8), replace=False)
    X = np.column_stack([np.full(len(t), 3.7), 1e3 * t, np.full(len(t), -1e3), t / 10 - 0.3])
    return X[:, rng.permutation(4)[: rng.integers(2, 5)]], np.arange(len(t)) == rng.integers(len(t))


def check_claims_of_floats(X, y, verdict):
    """weights_separate and the margins of the float weights, against exact rationals."""
    signs = np.where(np.asarray(y) == verdict.classes[1], 1, -1)
    exact = [int(s) * (W > 0) - int(s) * (W < 0) for s, W in zip(
        signs, exact_scores_of(verdict.exact_weights, X), strict=True)]  # fmt: skip
    found = exact_scores(verdict.weights, X, signs)
    assert verdict.weights_separate == ([(f > 0) - (f < 0) for f in found] == exact)
    if verdict.kind != "strict":
        return
    for margin in (verdict.geometric, verdict.augmented):
        w = [Fraction(v) for v in margin.weights.tolist()]
        norm2 = sum(v * v for v in (w[1:] if margin.kind == "geometric" else w))
        least = min(exact_scores(margin.weights, X, signs))
        true = least * least / norm2 if least > 0 else Fraction(0)
        assert true * (1 - Fraction(1, 10**12)) <= Fraction(margin.reached) ** 2 <= true
        assert Fraction(margin.reached) ** 2 <= Fraction(margin.margin) ** 2 * (
            1 + Fraction(1, 10**9)
        )


def exact_scores_of(weights, X):
    rows = [[Fraction(1), *map(Fraction, x)] for x in np.asarray(X, dtype=float).tolist()]
    return [sum(a * b for a, b in zip(row, weights, strict=True)) for row in rows]


def test_float_weights_separate_where_floats_can():
    X = [
        [3.7, -6e3, -1e3, -0.9], [3.7, 1e4, -1e3, 0.7], [3.7, 2e3, -1e3, -0.1],
        [3.7, 6e3, -1e3, 0.3], [3.7, 2e3, -1e3, -0.1], [3.7, 0, -1e3, -0.3],
    ]  # fmt: skip
    y = [0, 0, 0, 0, 0, 1]
    verdict = ls.separability(X, y)
    assert min(exact_scores(verdict.weights, X, [-1] * 5 + [1])) > 0
    assert verdict.weights_separate
    check_claims_of_floats(X, y, verdict)
    assert verdict.verify(X, y)


@pytest.mark.parametrize("seed", range(30))
def test_claims_of_float_weights_are_true(seed):
    X, y = nearly_collinear(seed)
    verdict = ls.separability(X, y)
    if verdict.kind != "no":
        check_claims_of_floats(X, y, verdict)
        if verdict.kind == "strict" and verdict.geometric.coarse:
            assert "float64 weights: " in str(verdict)
    check = verdict.verify(X, y)
    assert check, check.reason


def test_weights_beyond_float64_are_shown_as_a_multiple():
    """Boundary through points at 1e-259 and 1e88: the weights of it are integers of 340 digits."""
    X = [[0, -1.3e-259], [-8.7e88, 0], [0, -1.7e-259], [0, 7.8e-260], [0, 0], [-2.3e88, 0]]
    for y in ([0, 0, 1, 1, 1, 0], [0, 1, 0, 1, 1, 1], [1, 1, 0, 0, 0, 1]):
        verdict = ls.separability(X, y)
        if verdict.kind == "quasi":
            assert np.isfinite(verdict.weights).all()
            check_claims_of_floats(X, y, verdict)
        assert verdict.verify(X, y)


def overlaps():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(80, 3)), np.where(rng.random(80) > 0.5, 1, -1)
    yield "offset 1e8", X + 1e8, y
    yield "scales 1e±150", X * np.array([1e150, 1.0, 1e-150]), y
    yield "constant column", np.column_stack([X, np.full(80, 3.7)]), y
    yield "duplicate column", np.column_stack([X, X[:, 0]]), y
    yield "dependent columns", np.column_stack([X, X[:, 0] * 2, np.zeros(80)]), y
    yield "one hot", np.eye(3)[rng.integers(0, 3, 80)], y
    yield "all the same", np.ones((4, 2)), np.array([1, -1, 1, -1])
    yield "interleaved", np.arange(6.0)[:, None], np.array([1, -1, 1, -1, 1, -1])


@pytest.mark.parametrize(("name", "X", "y"), list(overlaps()))
def test_hard_data_that_are_not_separable(name, X, y):
    verdict = ls.separability(X, y)
    assert verdict.kind == "no", name
    check = verdict.verify(X, y)
    assert check, check.reason


def test_identical_points_give_a_proof_of_two_points():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 4)), np.where(rng.random(500) > 0.5, 1, -1)
    i, j = np.flatnonzero(y > 0)[7], np.flatnonzero(y < 0)[11]
    X[i] = X[j]
    verdict = ls.separability(X, y)
    assert verdict.kind == "no"
    assert verdict.positive == {i: 1}
    assert verdict.negative == {j: 1}
    assert verdict.verify(X, y)


def test_margins_below_rounding_are_decided_exactly():
    """Collinear points whose order only exact arithmetic can tell."""
    t = np.array([0.1, 0.2, 0.3])
    inside = np.array([0.1 + 0.2, 0.3])
    for middle in inside:
        X = np.array([[0.1, 0.7], [0.5, 0.7], [middle, 0.7]])
        y = np.array([1, 1, -1])
        verdict = ls.separability(X, y)
        assert verdict.kind == "no"
        assert verdict.verify(X, y)
    above = np.column_stack([t, np.array([0.7, np.nextafter(0.7, 1), 0.7])])
    verdict = ls.separability(above, [1, -1, 1])
    assert verdict.kind == "strict"
    assert verdict.verify(above, [1, -1, 1])


@pytest.mark.slow
def test_near_degenerate_planes_agree_with_brute_force():
    """Points on a plane, moved by units in the last place: floats cannot tell the three cases."""
    rng = np.random.default_rng(11)
    kinds = set()
    for _ in range(60):
        d = int(rng.integers(1, 4))
        X = rng.integers(-3, 4, size=(d + 4, d)) / 3
        w = rng.integers(-2, 3, size=d)
        side = X @ w
        y = np.where(side > 0, 1, np.where(side < 0, -1, rng.choice([-1, 1], size=len(X))))
        X = np.nextafter(X, X + rng.integers(-1, 2, size=X.shape))
        y[:2] = [-1, 1]
        verdict = ls.separability(X, y)
        kinds.add(verdict.kind)
        assert verdict.kind == brute_force(X.tolist(), y.tolist())
        assert verdict.verify(X, y)
    assert kinds == {"strict", "no"}


def test_sparse_and_dense_and_float32_agree():
    X, y = separable_data(1, 200, 6, 0.1)
    X[np.abs(X) < 0.8] = 0
    X = X.astype(np.float32)
    dense, rare = ls.separability(X, y), ls.separability(sparse.csr_matrix(X), y)
    assert dense.kind == rare.kind
    assert dense.verify(sparse.csr_array(X.astype(float)), y)
    assert rare.verify(X, y)


def test_labels_of_any_kind():
    X = np.array([[0.0], [1.0], [2.0]])
    for y in (["no", "no", "yes"], [False, False, True], [3, 3, 7]):
        verdict = ls.separability(X, y)
        assert verdict.classes == (y[0], y[2])
        assert verdict.weights[1] > 0
        assert verdict.verify(X, y)


def test_one_sample_against_many():
    X = np.random.default_rng(0).normal(size=(20_000, 4))
    y = np.zeros(len(X), dtype=int)
    y[777] = 1
    X[777] = 9
    verdict = ls.separability(X, y)
    assert verdict
    assert verdict.verify(X, y)
    X[777] = 0
    verdict = ls.separability(X, y)
    assert verdict.kind == "no"
    assert verdict.verify(X, y)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0.0], [np.nan]], [0, 1], "row 1"),
        ([[0.0], [np.inf]], [0, 1], "row 1"),
        ([[0.0], [1.0]], [1, 1], "one class"),
        ([[0.0], [1.0]], [0, 1, 1], "2 rows"),
        (np.array([[2**53], [2**53 + 1]]), [0, 1], "row 1, column 0"),
        ([[0.0], [5e-324]], [0, 1], "multiply X"),
    ],
)
def test_bad_input_is_named(X, y, message):
    with pytest.raises(ValueError, match=message):
        ls.separability(X, y)


def test_a_hyperplane_beyond_the_range_of_floats_prints():
    X = np.array(
        [[0, -1.3e-259], [-8.7e88, 0], [0, -1.7e-259], [0, 7.8e-260], [0, 0], [-2.3e88, 0]]
    )
    verdict = ls.separability(X, [0, 0, 1, 1, 1, 0])
    assert verdict.verify(X, [0, 0, 1, 1, 1, 0])
    assert "x1" in str(verdict) or "common point" in str(verdict)


def test_many_classes():
    X = np.array([[0, 0], [0, 1], [5, 0], [5, 1], [2.5, 9], [2.5, 8], [2.5, 0.5]])
    y = np.array(["a", "a", "b", "b", "c", "c", "d"])
    table = ls.separability(X, y)
    assert isinstance(table, ClassTable)
    assert table.pairwise[("a", "b")].kind == "strict"
    assert table.one_vs_rest["c"].kind == "strict"
    assert table.one_vs_rest["d"].kind == "no"
    assert len(table.pairwise) == 6
    assert not table
    assert table.verify(X, y)
    assert "Linearly separable from the rest: a, b, c." in str(table)
    assert "<table" in table._repr_html_()
    own = table.rows[("a", "c")]
    assert own.tolist() == [0, 1, 4, 5]
    assert table.pairwise[("a", "c")].verify(X[own], y[own])
    assert table.one_vs_rest["c"].verify(X, y == "c")
    swapped = {**table.pairwise, ("a", "b"): table.pairwise[("a", "c")]}
    assert not replace(table, pairwise=swapped).verify(X, y).claim_holds
    assert not replace(table, one_vs_rest={}).verify(X, y).claim_holds
    assert not table.verify(X, np.roll(y, 2)).claim_holds


def indicators(n, seed, noise):
    """One value of each of 14 categorical columns as 0 and 1 in 123 columns, as in census data."""
    rng = np.random.default_rng(seed)
    blocks = []
    for group in np.array_split(np.arange(123), 14):
        share = rng.dirichlet(np.full(len(group), 0.7))
        blocks.append(np.eye(len(group))[rng.choice(len(group), n, p=share)])
    X = np.hstack(blocks)
    score = X @ rng.standard_normal(123)
    score += noise * score.std() * rng.standard_normal(n)
    return sparse.csr_array(X), (score > np.quantile(score, 0.75)).astype(int)


@pytest.mark.share(3)
@pytest.mark.parametrize("noise", [0.0, 0.05, 0.7])
@pytest.mark.parametrize("n", [300, pytest.param(1200, marks=pytest.mark.slow)])
def test_tables_of_indicators_are_settled_at_one_stroke(n, noise):
    X, y = indicators(n, 1, noise)
    verdict = ls.separability(X, y)
    assert verdict.verify(X, y)
    if noise == 0.0:
        assert isinstance(verdict, Separable)
    dense = X.toarray()
    assert type(ls.separability(dense, y)) is type(verdict)
    # a column that only some samples of one class have: separable at best up to a boundary
    rare = np.zeros((n, 1))
    rare[np.flatnonzero(y == 1)[:2]] = 1.0
    quasi = ls.separability(sparse.csr_array(np.hstack([dense, rare])), y)
    assert not isinstance(quasi, NotSeparable)
    if noise > 0.5 and n > 1000:
        assert isinstance(quasi, QuasiSeparable)
        assert quasi.verify(np.hstack([dense, rare]), y)


@pytest.mark.parametrize("seed", range(6))
def test_margins_of_columns_of_all_sizes_are_found(seed):
    """Coefficients that are rounded may lead back to rows that were left: then they are exact."""
    rng = np.random.default_rng(seed)
    blocks = [np.eye(4)[rng.choice(4, 46, p=rng.dirichlet(np.full(4, 0.5)))] for _ in range(5)]
    X = np.hstack(blocks) * 10.0 ** rng.integers(-8, 8, size=20)
    score = X @ rng.standard_normal(20)
    y = (score > np.median(score)).astype(int)
    verdict = ls.separability(X, y)
    assert verdict.verify(X, y)


@pytest.mark.slow
def test_a_combination_of_all_rows_is_exact():
    X, y = indicators(1500, 3, 1.0)
    rows = SignedRows(X, np.where(y == 1, 1.0, -1.0))
    found = spanning_combination(rows)
    Z = np.column_stack([np.ones(1500), X.toarray()]) * np.where(y == 1, 1.0, -1.0)[:, None]
    support, values = list(found), list(found.values())
    assert min(values) > 0
    for column in Z[support].T:
        assert sum(v * int(z) for v, z in zip(values, column, strict=True)) == 0


@pytest.mark.slow
def test_a_million_rows():
    X, y = separable_data(0, 1_000_000, 20, 0.1)
    verdict = ls.separability(X, y)
    assert verdict.kind == "strict"
    assert verdict.verify(X, y)
