"""Finite maximum-likelihood weights: verdicts on made data, their proofs, and forged ones."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import linscope as ls
from linscope.engines import choose
from linscope.logistic.certificates.finite_solution import Finite, Separated, finite_solution
from linscope.logistic.certificates.overlap import prove_overlap
from linscope.logistic.solvers.multinomial import Multinomial
from tests.logistic_data import endometrial, noisy


def asked(X, y, n_classes, *rest, weight=None, **more):
    return finite_solution(choose(X, y, weight), n_classes, *rest, **more)


def reference(X, y, K, intercept=True):
    """Whether max Σ t with 0 ≤ t ≤ 1 and (v_y − v_k)·z ≥ t is above 0: a plain linear program."""
    Z = np.column_stack([np.ones(len(X)), X]) if intercept else X
    p, rows = Z.shape[1], []
    for z, own in zip(Z, y, strict=True):
        for k in set(range(K)) - {own}:
            row = np.zeros((K, p))
            row[own], row[k] = z, -z
            rows.append(row.ravel())
    A = np.array(rows)
    m, v = A.shape
    answer = linprog(
        np.r_[np.zeros(v), -np.ones(m)],
        A_ub=np.hstack([-A, np.eye(m)]),
        b_ub=np.zeros(m),
        bounds=[(-1e4, 1e4)] * v + [(0, 1)] * m,
    )
    return -answer.fun  # m if complete, 0 if the classes overlap


def kind_of(X, y, K, intercept=True):
    total = reference(X, y, K, intercept)
    if total < 1e-6:
        return "finite"
    return "complete" if total > len(y) * (K - 1) - 1e-6 else "quasi-complete"


def small_table(K, seed, intercept=True, n=12):
    """A few small whole numbers: all three verdicts occur."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, size=(n, 2)).astype(float)
    scores = X @ rng.integers(-1, 2, size=(2, K)) + rng.integers(0, 2, size=(n, K)) * (seed % 3)
    y = scores.argmax(axis=1)
    y[:K] = np.arange(K)
    return X, y


class TestAgainstALinearProgram:
    @pytest.mark.share(3)
    @pytest.mark.parametrize("intercept", [True, False])
    @pytest.mark.parametrize("K", [2, 3, 4])
    def test_small_tables(self, K, intercept):
        seen = set()
        for seed in range(24):
            X, y = small_table(K, seed, n=6 + seed)
            answer = asked(X, y, K, intercept)
            kind = answer.kind if isinstance(answer, Separated) else "finite"
            assert kind == kind_of(X, y, K, intercept), (seed, answer)
            assert answer.verify(X, y), (seed, answer.verify(X, y))
            if isinstance(answer, Separated):
                assert answer.exact_direction
            else:
                assert answer.by_newton
            seen.add(kind)
        assert {"finite", "quasi-complete"} <= seen

    @settings(max_examples=30, deadline=None)
    @given(st.integers(0, 10**6))
    def test_two_classes_as_separability(self, seed):
        rng = np.random.default_rng(seed)
        X = rng.integers(-2, 3, size=(9, 2)).astype(float)
        y = rng.integers(0, 2, size=9)
        y[:2] = 0, 1
        answer = asked(X, y, 2)
        exact = {"strict": "complete", "quasi": "quasi-complete", "no": "finite"}
        ours = answer.kind if isinstance(answer, Separated) else "finite"
        assert ours == exact[ls.separability(X, y).kind]
        assert answer.verify(X, y)


class TestSeparated:
    def test_endometrial(self):
        X, y = endometrial()
        answer = asked(X, y, 2, names=["NV", "PI", "EH"])
        assert (answer.kind, answer.names, answer.columns) == ("quasi-complete", ["NV"], [0])
        assert not answer
        assert "column NV separates the classes, with some rows on the boundary" in str(answer)
        assert "penalty='firth'" in str(answer)

    @pytest.mark.parametrize("K", [2, 3])
    def test_complete(self, K):
        rng = np.random.default_rng(K)
        X = rng.normal(size=(60, 4)) * [1, 100, 1e-3, 1] + [0, 1e6, 0, 0]
        y = ((X - [0, 1e6, 0, 0]) / [1, 100, 1e-3, 1] @ rng.normal(size=(4, K))).argmax(axis=1)
        answer = asked(X, y, K)
        assert answer.kind == "complete"
        assert answer.verify(X, y)
        assert answer.verify(sp.csr_array(X), y)

    def test_columns_to_blame(self):
        """x2 + x4 decides, with ties; the others are noise."""
        rng = np.random.default_rng(0)
        X = np.column_stack(
            [
                rng.normal(size=200),
                rng.integers(-3, 4, 200),
                rng.normal(size=200),
                rng.integers(-3, 4, 200),
            ]
        )
        s = X[:, 1] + X[:, 3]
        y = np.where(s == 0, rng.integers(0, 2, 200), s > 0).astype(int)
        answer = asked(X, y, 2, names=list("abcd"))
        assert (answer.kind, answer.names) == ("quasi-complete", ["b", "d"])
        direction = np.array([[float(v) for v in row] for row in answer.exact_direction])
        np.testing.assert_array_equal(direction[1], [0, 0, 1, 0, 1])

    def test_one_class_of_three(self):
        """Only class 2 is told from the others."""
        X, y = noisy(n_classes=3, n=300)
        X[:, 2] = y == 2
        answer = asked(X, y, 3)
        assert (answer.kind, answer.columns) == ("quasi-complete", [2])
        assert answer.verify(X, y)
        assert "multi_class='ovr'" in str(answer)

    def test_few_rows_wide_table(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(20, 50)), rng.integers(0, 2, size=20)
        answer = asked(X, y, 2)
        assert answer.kind == "complete"
        assert answer.verify(X, y)

    def test_margins_that_floats_cannot_tell(self):
        """One row is 1e-9 on its own side: rational arithmetic sees it."""
        X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0 + 1e-9]])
        y = np.array([0, 0, 1, 1])
        answer = asked(X, y, 2)
        assert answer.kind == "quasi-complete"
        assert answer.verify(X, y)


class TestFinite:
    @pytest.mark.parametrize("intercept", [True, False])
    @pytest.mark.parametrize("K", [2, 3])
    def test_overlap(self, K, intercept):
        X, y = noisy(n_classes=K)
        answer = asked(X, y, K, intercept)
        assert answer
        assert answer.by_newton
        assert answer.verify(X, y)

    def test_where_a_solver_ended(self):
        X, y = noisy(n=50_000, d=4)
        model = Multinomial(choose(X, y), 2)
        theta = prove_overlap(model, np.zeros(model.shape), 20).theta
        weights = model.frame.outside(theta.reshape(model.shape))
        answer = asked(X, y, 2, weights=weights)
        np.testing.assert_allclose(answer.weights, weights, rtol=1e-12)
        assert answer.by_newton

    def test_weights_of_all_classes(self):
        """K rows of a softmax: only differences matter."""
        X, y = noisy(n_classes=3)
        answer = asked(X, y, 3)
        rows = np.vstack([np.zeros(4), answer.weights]) + np.arange(4.0)
        again = asked(X, y, 3, weights=rows)
        np.testing.assert_allclose(again.weights, answer.weights, atol=1e-9)

    def test_dependent_columns(self):
        """A constant, a duplicate, a multiple and a full set of indicators add no direction."""
        X, y = noisy(d=2, n=300)
        groups = np.eye(3)[np.random.default_rng(0).integers(0, 3, len(y))]
        table = np.column_stack([X, groups, np.full(len(y), 0.1), X[:, 0], -2 * X[:, 1]])
        answer = asked(table, y, 2)
        assert answer.by_newton
        assert answer.verify(table, y)

    @pytest.mark.parametrize("K", [2, 3])
    def test_dependence_that_rounds(self, K):
        """They change nothing, and the answer says for which table it is true."""
        X, y = noisy(d=2, n=40, n_classes=K)
        table = np.column_stack([X, X @ [0.3, 0.7], 3 * X[:, 0] + 1])
        answer = asked(table, y, K)
        assert answer is not None
        assert list(answer.relations) == [2, 3]
        assert answer.ulps == 1
        assert answer.verify(table, y)
        if K == 2:
            assert bool(answer) == isinstance(ls.separability(table, y), ls.NotSeparable)

    @pytest.mark.parametrize(
        ("X", "y", "finite"),
        [
            ([[0.0], [1.0], [0.5], [1e9]], [0, 0, 1, 1], True),
            (
                [[-0.5, -4e3], [-0.1 - 1e-14, -2e3], [0.5, 1e3], [0.9 + 1e-14, 3e3]],
                [0, 1, 0, 0],
                False,
            ),
        ],
    )
    def test_what_floats_cannot_tell(self, X, y, finite):
        """Margins far below those of other rows, either way."""
        X, y = np.array(X), np.array(y)
        answer = asked(X, y, 2)
        assert bool(answer) is finite
        assert answer.verify(X, y)
        assert isinstance(ls.separability(X, y), ls.NotSeparable) is finite

    def test_every_small_table_is_decided_as_fractions_do(self):
        """Two and three classes, with and without a bias, whole numbers with many ties."""
        rng = np.random.default_rng(5)
        for trial in range(150):
            K, bias = 2 + trial % 2, bool(trial % 3)
            n, d = int(rng.integers(4, 12)), int(rng.integers(1, 4))
            X = rng.integers(-2, 3, size=(n, d)) * 10.0 ** rng.integers(-6, 7, size=d)
            y = np.r_[np.arange(K), rng.integers(0, K, size=n - K)]
            answer = asked(X, y, K, bias)
            assert answer is not None
            assert answer.verify(X, y), (trial, answer.verify(X, y))
            if K == 2 and bias:
                assert bool(answer) == isinstance(ls.separability(X, y), ls.NotSeparable), trial

    def test_only_a_constant(self):
        assert asked(np.ones((4, 1)), np.array([0, 1, 0, 1]), 2)

    def test_rows_of_weight_zero_do_not_count(self):
        X, y = np.array([[0.0], [1.0], [2.0], [3.0], [0.5]]), np.array([0, 0, 1, 1, 1])
        assert asked(X, y, 2)
        weight = np.array([1.0, 1.0, 1.0, 1.0, 0.0])
        answer = asked(X, y, 2, weight=weight)
        assert answer.kind == "complete"
        assert answer.verify(X, y, weight)
        assert not answer.verify(X, y).claim_holds

    def test_a_class_without_weight_can_be_ruled_out_for_ever(self):
        X, y = np.array([[0.0], [1.0], [2.0], [3.0], [0.5]]), np.array([0, 0, 1, 1, 1])
        only = (y == 0).astype(float)
        answer = asked(X, y, 2, weight=only)
        assert answer.kind == "complete"
        assert answer.verify(X, y, only)
        with pytest.raises(ValueError, match="class number 1 has no row of positive weight"):
            asked(X, y, 2, False, weight=only)
        y = np.array([0, 0, 1, 1, 2])
        answer = asked(X, y, 3, weight=(y < 2).astype(float))
        assert answer.kind == "complete"
        assert answer.verify(X, y, (y < 2).astype(float))
        y = np.array([0, 1, 0, 1, 2])
        answer = asked(X, y, 3, weight=(y < 2).astype(float))
        assert answer.kind == "quasi-complete"
        assert answer.verify(X, y, (y < 2).astype(float))

    def test_no_proof_without_overlap(self):
        """However far Newton goes, its step never proves what is false."""
        X, y = endometrial()
        model = Multinomial(choose(X, y), 2)
        for steps in range(30):
            assert not prove_overlap(model, np.zeros(model.shape), steps).proven

    def test_one_row_makes_the_difference(self):
        X = np.arange(20.0)[:, None]
        y = (X[:, 0] > 9.5).astype(int)
        assert not asked(X, y, 2)
        y[3] = 1
        assert asked(X, y, 2).by_newton


class TestForged:
    @pytest.fixture
    def quasi(self):
        X, y = endometrial()
        return X, y, asked(X, y, 2)

    def test_another_kind(self, quasi):
        X, y, answer = quasi
        assert "not complete" in replace(answer, kind="complete").verify(X, y).reason
        assert not replace(answer, kind="nearly").verify(X, y).claim_holds
        line = np.arange(4.0)[:, None]
        strict = asked(line, np.array([0, 0, 1, 1]), 2)
        forged = replace(strict, kind="quasi-complete")
        check = forged.verify(line, np.array([0, 0, 1, 1]))
        assert not check.claim_holds
        assert "completely" in check.reason

    def test_another_direction(self, quasi):
        X, y, answer = quasi
        zero, own = answer.exact_direction
        turned = (zero, tuple(-v for v in own))
        floats = np.array([[float(v) for v in row] for row in turned])
        forged = replace(answer, exact_direction=turned, direction=floats)
        assert "negative margin" in forged.verify(X, y).reason
        nothing = ((Fraction(0),) * 4, (Fraction(0),) * 4)
        forged = replace(answer, exact_direction=nothing, direction=np.zeros((2, 4)))
        assert "every margin is 0" in forged.verify(X, y).reason
        assert not replace(answer, direction=answer.direction + 1e-3).verify(X, y).claim_holds
        assert not replace(answer, direction=answer.direction[:, :2]).verify(X, y).claim_holds

    def test_floats_prove_nothing(self, quasi):
        X, y, answer = quasi
        assert not replace(answer, exact_direction=()).verify(X, y).claim_holds

    def test_a_bias_where_there_is_none(self):
        X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
        answer = asked(X, y, 2)
        assert asked(X, y, 2, fit_intercept=False)
        assert "no bias" in replace(answer, fit_intercept=False).verify(X, y).reason

    def test_finite_where_it_is_not(self, quasi):
        X, y, _ = quasi
        forged = Finite(np.zeros((1, 4)), 0.5)
        assert "no finite maximum" in forged.verify(X, y).reason

    def test_other_data(self, quasi):
        X, y, answer = quasi
        assert not answer.verify(X, 1 - y).claim_holds
        assert not answer.verify(X[:, :2], y).claim_holds
        assert not answer.verify(X, y + 1).claim_holds
        assert not Finite(np.zeros((1, 2)), 0.5).verify(X, y).claim_holds
