"""The perceptron against the printed runs of the notes and against plain Python loops."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

import linscope as ls
from tests import reference

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RUNS = json.loads((Path(__file__).parents[1] / "data" / "perceptron_runs.json").read_text())
TIES = {"misclassified": "update", "positive": "positive", "negative": "negative"}


def weights(model):
    """All weights, bias first, one row a binary problem."""
    return np.column_stack([model.intercept_, model.coef_])


def visits(model):
    return model.results_[0].details["visits"]


# ---- printed runs -------------------------------------------------------------------------------


def _printed_runs():
    for name, data in RUNS.items():
        for run in data.get("runs", [data]):
            yield pytest.param(data, run, id=f"{name}-{run['init']}")


@pytest.mark.parametrize(("data", "run"), list(_printed_runs()))
def test_printed_runs(data, run):
    settings = {"tie": TIES[data["tie"]], "init": run["init"], "eta0": data["eta"]}
    updates = sum(visit["misclassified"] for visit in run["visits"])
    if data.get("separable", True):
        model = ls.Perceptron(**settings).fit(data["X"], data["y"])
        assert visits(model) == len(run["visits"])
        assert model.n_updates_ == updates
        assert weights(model).tolist() == [run["weights"]]
        assert model.certificate_.ok
    else:
        model = ls.Perceptron(max_iter=50, **settings).fit(data["X"], data["y"])
        assert model.certificate_.status is ls.Status.MAX_ITER
    # Every printed row: the state after the first t visits of the plain loop is the printed one,
    # and the compiled loop agrees with the plain one wherever a pass ends.
    plain = reference.perceptron(
        data["X"], data["y"], tie=settings["tie"], init=run["init"], max_iter=3
    )
    for visit, after in zip(run["visits"], plain.history, strict=False):
        assert after == visit["after"]
    for passes in range(1, 4):
        part = ls.Perceptron(max_iter=passes, **settings).fit(data["X"], data["y"])
        assert weights(part)[0].tolist() == plain.history[min(visits(part), plain.visits) - 1]


def test_or_table_of_the_notes_has_thirteen_rows():
    X, y = ls.datasets.load("or")
    streak = ls.Perceptron(tie="negative").fit(X, y)
    assert (visits(streak), streak.n_updates_, streak.n_iter_) == (13, 4, 4)
    assert weights(streak).tolist() == [[0, 1, 1]]
    assert streak.certificate_.status is ls.Status.SEPARATED_BY_TIE
    whole = ls.Perceptron(tie="negative", stop="pass").fit(X, y)
    assert (visits(whole), whole.n_updates_, whole.n_iter_) == (16, 4, 4)
    assert weights(whole).tolist() == [[0, 1, 1]]


def test_students_equation_is_the_one_of_the_notes():
    data = ls.datasets.load("students")
    frame = pd.DataFrame(data.X, columns=data.feature_names)
    grades = np.where(np.asarray(data.y) > 0, "A", "F")
    model = ls.Perceptron(init=-np.array([0.25] * 5)).fit(frame, grades)  # here F is +1
    assert model.equation().endswith("⇒ F")
    model = ls.Perceptron(init=[0.25] * 5).fit(frame, np.where(grades == "A", "pass", "fail"))
    assert model.equation() == (
        "1.25·good attendance − 0.75·tall − 0.75·sleeps in class − 0.75·chews gum > 0.75 ⇒ pass"
    )


# ---- the textbook loop --------------------------------------------------------------------------


def make_data(kind, n=14, d=3):
    """Small tables; most of them make scores that cancel to within rounding."""
    rng = np.random.default_rng(5)
    integers = rng.integers(-4, 5, (n, d)).astype(float)
    if kind == "floats":
        X = rng.normal(size=(n, d))
    elif kind == "integers":
        X = integers
    elif kind == "tenths":  # 0.1 + 0.2 - 0.3 is not 0
        X = integers / 10
    elif kind == "duplicates":
        X = np.repeat(integers[: n // 2] / 10, 2, axis=0)
    else:  # rows that differ in the last bits
        X = integers / 3 * (1 + rng.integers(-2, 3, (n, d)) * 2.0**-52)
    y = np.where(X @ rng.integers(-3, 4, d) + rng.normal(size=n) * 0.3 > 0, 1, -1)
    y[:2] = 1, -1
    return X, y


DATA = ["floats", "integers", "tenths", "duplicates", "last bits"]
SETTINGS = [
    dict(zip(("tie", "schedule", "margin", "eta0"), values, strict=True))
    for values in product(
        ["update", "positive", "negative"], ["constant", "inverse"], [0.0, 0.3], [1.0, 0.1]
    )
]


def agree(model, plain, exactly=True):
    compare = np.testing.assert_array_equal if exactly else np.testing.assert_allclose
    compare(weights(model)[0], plain.weights)
    assert model.n_updates_ == plain.updates
    assert model.n_iter_ == plain.passes
    assert (model.results_[0].status is ls.Status.MAX_ITER) == (not plain.converged)


@pytest.mark.parametrize("rule", ["single", "mini-batch", "batch"])
@pytest.mark.parametrize("kind", DATA)
def test_equals_the_plain_loop_bit_for_bit(kind, rule):
    X, y = make_data(kind)
    rng = np.random.default_rng(0)
    init = rng.normal(size=4)
    sample_weight = rng.integers(1, 9, len(y)) / 4
    for number, settings in enumerate(SETTINGS):
        intercept, weighted, started = number % 3 > 0, number % 2 == 1, number % 5 > 2
        first = (init if intercept else np.r_[0.0, init[1:]]) if started else np.zeros(4)
        common = {"rule": rule, "max_iter": 12, "fit_intercept": intercept, "batch_size": 4}
        common |= settings | {"stop": "pass" if number % 4 > 1 else "streak"}
        model = ls.Perceptron(
            init=(first if intercept else first[1:]) if started else "zeros", **common
        ).fit(X, y, sample_weight if weighted else None)
        plain = reference.perceptron(
            X, y, init=first, weight=sample_weight if weighted else None, **common
        )
        agree(model, plain)


@pytest.mark.parametrize("rule", ["single", "mini-batch"])
def test_shuffled_passes_equal_the_plain_loop(rule):
    X, y = make_data("tenths")
    model = ls.Perceptron(rule=rule, shuffle=True, random_state=3, batch_size=5, max_iter=9)
    model.fit(X, y)
    order = model.results_[0].log.order if model.results_[0].log else _order_of(X, y, 3)
    orders = [order.epoch(number) for number in range(9)]
    assert all(sorted(p) == list(range(len(y))) for p in orders)
    assert len({tuple(p) for p in orders}) == 9
    plain = reference.perceptron(
        X, y, rule=rule, batch_size=5, max_iter=9, order=lambda number: orders[number]
    )
    agree(model, plain)


def _order_of(X, y, seed):
    """The visiting order depends only on the seed and the number of rows; voting logs it."""
    voted = ls.Perceptron(output="voted", shuffle=True, random_state=seed, max_iter=9).fit(X, y)
    return voted.results_[0].log.order


def test_class_weight_multiplies_the_steps():
    X, y = make_data("integers")
    by_class = {-1: 0.5, 1: 3.0}
    model = ls.Perceptron(class_weight=by_class, max_iter=9).fit(X, y)
    agree(model, reference.perceptron(X, y, weight=[by_class[v] for v in y], max_iter=9))
    balanced = ls.Perceptron(class_weight="balanced", max_iter=9).fit(X, y)
    share = {v: len(y) / (2 * np.sum(y == v)) for v in (-1, 1)}
    agree(balanced, reference.perceptron(X, y, weight=[share[v] for v in y], max_iter=9))


def test_many_columns_where_blocked_sums_differ_from_the_textbook():
    rng = np.random.default_rng(1)
    X = np.repeat(rng.integers(-9, 10, (30, 33)) / 10, 2, axis=1)  # scores cancel in pairs
    X[:, 1::2] *= -1 + 2.0**-50 * rng.integers(0, 3, (30, 33))
    y = rng.choice([-1, 1], 30)
    for tie in ("update", "positive", "negative"):
        model = ls.Perceptron(tie=tie, max_iter=20).fit(X, y)
        agree(model, reference.perceptron(X, y, tie=tie, max_iter=20))


@pytest.mark.parametrize("rule", ["single", "batch", "mini-batch"])
def test_weight_two_means_twice_the_step_and_the_batch_rule_repeats_rows(rule):
    X, y = make_data("integers")
    sample_weight = np.random.default_rng(0).integers(0, 4, len(y))
    model = ls.Perceptron(rule=rule, max_iter=6).fit(X, y, sample_weight)
    keep = sample_weight > 0
    same = ls.Perceptron(rule=rule, max_iter=6).fit(X[keep], y[keep], sample_weight[keep])
    np.testing.assert_array_equal(weights(model), weights(same))
    np.testing.assert_array_equal(model.certificate_.ignored, np.flatnonzero(~keep))
    if rule == "batch":
        again = ls.Perceptron(rule=rule, max_iter=6)
        again.fit(np.repeat(X, sample_weight, axis=0), np.repeat(y, sample_weight))
        np.testing.assert_array_equal(weights(model), weights(again))


# ---- containers ---------------------------------------------------------------------------------


def csr64(X):
    matrix = sparse.csr_array(X)
    matrix.indices, matrix.indptr = matrix.indices.astype("i8"), matrix.indptr.astype("i8")
    return matrix


NAMES = ["a", "b", "c"]
CONTAINERS = {
    "csr": sparse.csr_matrix,
    "csr 64-bit indices": csr64,
    "csc": sparse.csc_array,
    "fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "lists": lambda X: X.tolist(),
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "pyarrow": lambda X: pa.table(dict(zip(NAMES, X.T, strict=True))),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("rule", ["single", "batch"])
def test_every_container_gives_the_same_bits(container, rule):
    X, y = make_data("tenths")
    X[X == 0.1] = 0.0
    kept = CONTAINERS[container](X)
    model = ls.Perceptron(rule=rule, max_iter=15).fit(kept, y)
    dense = ls.Perceptron(rule=rule, max_iter=15).fit(X, y)
    np.testing.assert_array_equal(weights(model), weights(dense))
    np.testing.assert_array_equal(model.predict(kept), dense.predict(X))
    np.testing.assert_allclose(
        model.decision_function(kept), dense.decision_function(X), rtol=1e-12, atol=1e-15
    )
    assert model.certificate_.verify(kept, y).claim_holds
    if hasattr(kept, "columns") and not sparse.issparse(kept):
        assert model.feature_names_in_.tolist() == NAMES


def test_float32_is_stored_small_and_summed_in_float64():
    X, y = make_data("tenths")
    small = X.astype(np.float32)
    for rule in ("single", "batch"):
        model = ls.Perceptron(rule=rule, max_iter=15).fit(small, y)
        plain = reference.perceptron(small, y, rule=rule, max_iter=15)
        assert model.coef_.dtype == model.intercept_.dtype == np.float32
        assert model.decision_function(small).dtype == np.float32
        np.testing.assert_array_equal(weights(model)[0], np.float32(plain.weights))
        assert (model.n_updates_, model.n_iter_) == (plain.updates, plain.passes)


# ---- averaged, voted, pocket --------------------------------------------------------------------


def overlapping(n=18):
    rng = np.random.default_rng(8)
    X = rng.integers(-3, 4, (n, 2)).astype(float)
    y = np.where(X @ [1, 1] + rng.normal(size=n) * 2 > 0, 1, -1)
    return X, y


STARTS = {"zeros": [0.0, 0.0, 0.0], "given": [0.5, -1.0, 2.0]}


@pytest.mark.parametrize("tie", ["update", "positive", "negative"])
@pytest.mark.parametrize("start", STARTS)
def test_outputs_equal_their_definitions(tie, start):
    X, y = overlapping()
    init, points = STARTS[start], np.vstack([X, np.random.default_rng(0).normal(size=(40, 2))])
    settings = {"tie": tie, "init": init, "max_iter": 7}
    run = reference.perceptron(X, y, **settings)

    model = ls.Perceptron(output="averaged", **settings).fit(X, y)
    np.testing.assert_allclose(weights(model)[0], reference.averaged(run), rtol=1e-13)

    pairs = reference.committee(run, init)
    model = ls.Perceptron(output="voted", **settings).fit(X, y)
    expected = [reference.voted_share(pairs, x, tie) for x in reference.augmented(points)]
    np.testing.assert_allclose(model.decision_function(points), expected, rtol=1e-13)
    assert model.committees_[0].survival.tolist() == [c for _, c in pairs]
    positive = np.array(expected) > 0 if tie == "negative" else np.array(expected) >= 0
    np.testing.assert_array_equal(model.predict(points), np.where(positive, 1, -1))
    assert not hasattr(model, "coef_")

    model = ls.Perceptron(output="pocket", **settings).fit(X, y)
    best = reference.pocket(run, X, y, init, tie)
    assert weights(model)[0].tolist() == best
    assert model.certificate_.mistakes == reference.errors(best, reference.augmented(X), y, tie)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_votes_of_single_precision_far_from_the_origin_are_exact(form):
    X, y = overlapping()
    X = (X / 8 + 1e4).astype(np.float32)  # products of these rows are exact in float64 only
    pairs = reference.committee(reference.perceptron(X, y, max_iter=20), STARTS["zeros"])
    model = ls.Perceptron(output="voted", max_iter=20).fit(form(X), y)
    expected = [reference.voted_share(pairs, x, "update") for x in reference.augmented(X)]
    np.testing.assert_allclose(model.decision_function(form(X)), expected, rtol=1e-6)
    assert model.verify(form(X), y).claim_holds


@pytest.mark.parametrize("rule", ["batch", "mini-batch"])
def test_averaged_and_pocket_of_batches(rule):
    X, y = overlapping()
    sample_weight = np.random.default_rng(0).integers(1, 4, len(y))
    settings = {"rule": rule, "batch_size": 5, "max_iter": 7}
    run = reference.perceptron(X, y, weight=sample_weight, **settings)
    model = ls.Perceptron(output="averaged", **settings).fit(X, y, sample_weight)
    np.testing.assert_allclose(weights(model)[0], reference.averaged(run), rtol=1e-13)
    model = ls.Perceptron(output="pocket", **settings).fit(X, y, sample_weight)
    best = reference.pocket(run, X, y, STARTS["zeros"], weight=sample_weight)
    assert weights(model)[0].tolist() == best


def test_outputs_are_the_same_for_sparse_rows():
    X, y = overlapping()
    for output in ("averaged", "voted", "pocket"):
        dense = ls.Perceptron(output=output, max_iter=7).fit(X, y)
        rows = ls.Perceptron(output=output, max_iter=7).fit(sparse.csr_matrix(X), y)
        scores = dense.decision_function(X), rows.decision_function(sparse.csr_matrix(X))
        np.testing.assert_allclose(*scores, rtol=1e-13)  # dense scores may be fused
        if output != "voted":
            np.testing.assert_array_equal(dense.coef_, rows.coef_)
            np.testing.assert_array_equal(dense.intercept_, rows.intercept_)


def test_voted_float32_shares_are_summed_in_float64():
    X, y = make_data("tenths")
    small = X.astype(np.float32)
    model = ls.Perceptron(output="voted", max_iter=5).fit(small, y)
    run = reference.perceptron(small, y, max_iter=5)
    pairs = reference.committee(run, [0.0] * 4)
    points = np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32)
    expected = [reference.voted_share(pairs, x) for x in reference.augmented(points)]
    np.testing.assert_allclose(model.decision_function(points), expected, rtol=1e-6)


def test_pocket_keeps_the_initial_vector_when_nothing_is_better():
    X, y = np.array([[1.0], [2.0], [3.0], [2.5]]), np.array([-1, 1, 1, -1])
    init = [-1.5, 1.0]  # one mistake, which no line avoids
    model = ls.Perceptron(output="pocket", init=init, max_iter=20).fit(X, y)
    assert weights(model)[0].tolist() == init


# ---- partial_fit, warm_start, determinism -------------------------------------------------------


@pytest.mark.parametrize("rule", ["single", "batch", "mini-batch"])
@pytest.mark.parametrize("output", ["last", "averaged", "voted", "pocket"])
def test_partial_fit_is_a_pass_of_fit(rule, output):
    if rule != "single" and output == "voted":
        output = "averaged"  # no votes to count in batches
    X, y = overlapping()
    settings = {"rule": rule, "output": output, "batch_size": 5, "schedule": "inverse"}
    model = ls.Perceptron(**settings)
    for passes in (1, 2, 3):
        model.partial_fit(X, y)
        whole = ls.Perceptron(max_iter=passes, **settings).fit(X, y)
        np.testing.assert_array_equal(model.decision_function(X), whole.decision_function(X))
        assert model.n_updates_ == whole.n_updates_
        assert model.certificate_.status is ls.Status.PARTIAL
        if output == "voted":
            survival = model.committees_[0].survival
            np.testing.assert_array_equal(survival, whole.committees_[0].survival)
        else:
            np.testing.assert_array_equal(weights(model), weights(whole))


@pytest.mark.parametrize("output", ["last", "averaged", "voted"])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_chunks_in_order_are_one_pass(output, make):
    X, y = overlapping()
    whole = ls.Perceptron(output=output, max_iter=1).fit(make(X), y)
    model = ls.Perceptron(output=output)
    for begin, end in [(0, 1), (1, 7), (7, 18)]:
        model.partial_fit(make(X[begin:end]), y[begin:end], classes=[1, -1])
    np.testing.assert_array_equal(model.decision_function(X), whole.decision_function(X))


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("rule", ["single", "batch"])
def test_chunks_may_lack_classes(multi_class, rule):
    X, _ = overlapping()
    labels = np.array(["a", "b", "c"])[np.arange(18) // 6]
    model = ls.Perceptron(multi_class=multi_class, rule=rule)
    for chunk in np.split(np.arange(18), 3):
        model.partial_fit(X[chunk], labels[chunk], classes=["c", "a", "b"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    if rule == "single":
        whole = ls.Perceptron(multi_class=multi_class, max_iter=1).fit(X, labels)
        np.testing.assert_array_equal(weights(model), weights(whole))


def test_partial_fit_takes_every_kind_of_labels():
    X, _ = overlapping()
    codes = np.arange(18) % 3
    expected = weights(ls.Perceptron().partial_fit(X, codes))
    one_hot = np.eye(3)[codes]
    for labels in (one_hot, 2 * one_hot - 1, pl.Series(codes), pd.Series(codes), codes.tolist()):
        np.testing.assert_array_equal(weights(ls.Perceptron().partial_fit(X, labels)), expected)


def test_partial_fit_shuffles_anew_each_time():
    X, y = overlapping()
    settings = {"shuffle": True, "random_state": 0, "output": "voted"}
    whole = ls.Perceptron(max_iter=3, **settings).fit(X, y)
    model = ls.Perceptron(**settings)
    for _ in range(3):
        model.partial_fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), whole.decision_function(X))


def test_failed_partial_fit_changes_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.choice([-1, 1], 40)
    bad = X[20:].copy()
    bad[-1, 1] = np.nan
    for output in ("last", "averaged"):
        model = ls.Perceptron(output=output).partial_fit(X[:20], y[:20])
        with pytest.raises(ValueError, match="row 19, column 1"):
            model.partial_fit(bad, y[20:])
        model.partial_fit(X[20:], y[20:])
        other = ls.Perceptron(output=output).partial_fit(X[:20], y[:20])
        other.partial_fit(X[20:], y[20:])
        np.testing.assert_array_equal(weights(model), weights(other))


def test_partial_fit_refuses_unknown_labels():
    X, y = overlapping()
    model = ls.Perceptron().partial_fit(X, y)
    with pytest.raises(ValueError, match=r"y\[0\] is .*5.*not among"):
        model.partial_fit(X, np.full(18, 5))
    with pytest.raises(ValueError, match="not among"):
        model.partial_fit(X, ["no"] * 18)
    with pytest.raises(ValueError, match="differs from the first call"):
        model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="one class"):
        ls.Perceptron().partial_fit(X, np.ones(18))
    with pytest.raises(ValueError, match="18 rows"):
        model.partial_fit(X, y[:-1])


def test_warm_start_goes_on():
    X, y = overlapping()
    model = ls.Perceptron(max_iter=3, warm_start=True).fit(X, y)
    first = weights(model)
    model.fit(X, y)
    np.testing.assert_array_equal(weights(model), weights(ls.Perceptron(max_iter=6).fit(X, y)))
    cold = ls.Perceptron(max_iter=3).fit(X, y).fit(X, y)
    np.testing.assert_array_equal(weights(cold), first)
    solved = ls.Perceptron(warm_start=True, tie="negative").fit(*ls.datasets.load("or"))
    solved.fit(*ls.datasets.load("or"))
    assert (solved.n_updates_, visits(solved)) == (0, 4)


def test_random_state_decides_everything():
    X, y = overlapping()
    labels = np.arange(18) % 3
    settings = {"init": "random", "shuffle": True, "max_iter": 5}
    for target in (y, labels):
        one, two, other = (
            weights(ls.Perceptron(random_state=seed, **settings).fit(X, target))
            for seed in (1, 1, 2)
        )
        np.testing.assert_array_equal(one, two)
        assert (one != other).any()


def test_random_start_is_an_ordinary_start():
    X, y = overlapping()
    voted = ls.Perceptron(output="voted", init="random", random_state=4, max_iter=5).fit(X, y)
    initial = voted.committees_[0].initial
    assert len(set(initial)) == 3
    model = ls.Perceptron(init="random", random_state=4, max_iter=5).fit(X, y)
    agree(model, reference.perceptron(X, y, init=initial, max_iter=5))


@pytest.mark.usefixtures("quiet")
def test_one_thread_gives_the_bits_of_many(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 20))
    y = np.where(X @ rng.normal(size=20) > 0.3, 1, 0)

    def bits(threads):
        monkeypatch.setenv("LINSCOPE_THREADS", threads)
        batch = ls.Perceptron(rule="batch", max_iter=5).fit(X, y)
        classes = ls.Perceptron(max_iter=2).fit(X, np.arange(60_000) % 3)
        for model in (batch, classes):
            for array in (model.coef_, model.intercept_, model.decision_function(X)):
                yield array.tobytes()

    assert list(bits("1")) == list(bits("3"))


# ---- several classes, labels, ties --------------------------------------------------------------


def three_classes(dtype=float):
    rng = np.random.default_rng(2)
    y = np.arange(45) % 3
    X = rng.integers(-2, 3, (45, 3)) + 3 * np.eye(3)[y]
    return X.astype(dtype), y


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("output", ["last", "averaged", "pocket"])
def test_several_classes_as_in_scikit_learn(multi_class, output):
    X, y = three_classes()
    binary = ls.Perceptron(output=output, max_iter=20)
    model = ls.Perceptron(output=output, max_iter=20, multi_class=multi_class).fit(X, y)
    wrapper = (OneVsRestClassifier if multi_class == "ovr" else OneVsOneClassifier)(binary)
    wrapper.fit(X, y)
    np.testing.assert_array_equal(
        weights(model), np.vstack([weights(each) for each in wrapper.estimators_])
    )
    np.testing.assert_allclose(
        model.decision_function(X), wrapper.decision_function(X), rtol=1e-12, atol=1e-12
    )
    assert model.decision_function(X).shape == (45, 3)
    clear = np.ptp(np.sort(model.decision_function(X), axis=1)[:, 1:], axis=1) > 1e-9
    np.testing.assert_array_equal(model.predict(X)[clear], wrapper.predict(X)[clear])
    assert set(model.certificate_.parts) == (
        {"0 vs rest", "1 vs rest", "2 vs rest"}
        if multi_class == "ovr"
        else {"1 vs 0", "2 vs 0", "2 vs 1"}
    )


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_voted_classes_vote(multi_class):
    X, y = three_classes()
    model = ls.Perceptron(output="voted", max_iter=20, multi_class=multi_class).fit(X, y)
    assert len(model.committees_) == 3
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_float32_classes_stay_small(multi_class):
    X, y = three_classes(np.float32)
    model = ls.Perceptron(max_iter=5, multi_class=multi_class).fit(X, y)
    assert model.coef_.dtype == np.float32
    assert model.decision_function(X).dtype == np.float32


def test_labels_of_every_kind():
    X, y = overlapping()
    positive = y > 0
    plain = ls.Perceptron(max_iter=9).fit(X, y)
    kinds = {
        "strings": np.where(positive, "yes", "no"),
        "objects": np.where(positive, "yes", "no").astype(object),
        "booleans": positive,
        "far apart": np.where(positive, 10**9, -(10**9)),
        "unsigned": positive.astype(np.uint8),
        "whole floats": np.where(positive, 2.0, -7.0),
        "series": pd.Series(np.where(positive, "yes", "no"), dtype="category"),
        "list": np.where(positive, "yes", "no").tolist(),
    }
    for kind, labels in kinds.items():
        model = ls.Perceptron(max_iter=9).fit(X, labels)
        np.testing.assert_array_equal(weights(model), weights(plain), err_msg=kind)
        predicted = model.predict(X)
        assert set(predicted) <= set(np.asarray(labels)), kind
        np.testing.assert_array_equal(predicted == model.classes_[1], plain.predict(X) > 0)
        assert model.certificate_.verify(X, labels).claim_holds, kind


def test_one_hot_and_sign_matrices_mean_classes_from_zero():
    X, codes = three_classes()
    model = ls.Perceptron(max_iter=9).fit(X, codes)
    one_hot = np.eye(3, dtype=int)[codes]
    for matrix in (one_hot, 2.0 * one_hot - 1, sparse.csr_matrix(one_hot)):
        other = ls.Perceptron(max_iter=9).fit(X, matrix)
        np.testing.assert_array_equal(weights(other), weights(model))
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        assert other.certificate_.verify(X, matrix).claim_holds


@pytest.mark.parametrize(("tie", "label"), [("update", 1), ("positive", 1), ("negative", 0)])
def test_a_score_of_zero_goes_where_the_tie_rule_says(tie, label):
    X, y = [[1.0], [-1.0]], [1, 0]
    for output in ("last", "averaged", "pocket"):
        model = ls.Perceptron(tie=tie, output=output, fit_intercept=False).fit(X, y)
        assert model.decision_function([[0.0]]).tolist() == [0.0]
        assert model.predict([[0.0]]).tolist() == [label]
    kernel = ls.KernelPerceptron(kernel="linear", tie=tie, fit_intercept=False).fit(X, y)
    assert kernel.predict([[0.0]]).tolist() == [label]


def test_margin_is_reached_on_separable_data():
    X, y = np.array([[1.0], [2.0], [-1.0], [-3.0]]), np.array([1, 1, -1, -1])
    model = ls.Perceptron(margin=5.0).fit(X, y)
    assert (y * model.decision_function(X) > 5.0).all()
    assert model.certificate_.status is ls.Status.SEPARATED


def test_not_converging_warns_with_counts_and_advice():
    X, y = RUNS["non_separable"]["X"], RUNS["non_separable"]["y"]
    with pytest.warns(ConvergenceWarning) as record:
        model = ls.Perceptron(max_iter=10).fit(X, y)
    (warning,) = record
    text = str(warning.message)
    left = int(np.sum(model.predict(X) != y))
    assert f"max_iter=10 passes with {left} samples misclassified" in text
    assert "separability" in text
    assert "averaged" in text
    assert warning.filename == __file__


def test_warning_counts_the_problems_that_have_mistakes():
    X = np.eye(6)[[0, 1, 2, 3, 4, 5, 5, 4]]
    X[-1] = X[5]
    with pytest.warns(ConvergenceWarning) as record:
        model = ls.Perceptron(max_iter=40).fit(X, [0, 1, 2, 3, 4, 5, 5, 4])
    text = str(record[0].message)
    for name, part in model.certificate_.parts.items():
        assert (f"{part.mistakes} ({name})" in text) == (part.mistakes > 0)


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_no_warning_when_the_last_pass_settles_it():
    X, y = ls.datasets.load("or")
    ls.Perceptron(tie="negative", max_iter=4).fit(X, y)
    # One problem is separated strictly, others by the tie rule: different, but all are fine.
    X, labels = [[0, 1], [2, 1], [1, 0]], ["a", "b", "c"]
    last = ls.Perceptron(tie="negative").fit(X, labels).n_iter_
    certificate = ls.Perceptron(tie="negative", max_iter=last).fit(X, labels).certificate_
    statuses = {part.status for part in certificate.parts.values()}
    assert statuses == {ls.Status.SEPARATED, ls.Status.SEPARATED_BY_TIE}
    assert certificate.status is ls.Status.SEPARATED_BY_TIE
    assert certificate.ok


def test_visits_of_mini_batches_count_samples():
    X, y = overlapping()
    model = ls.Perceptron(rule="mini-batch", batch_size=7, max_iter=2).fit(X, y)
    assert visits(model) == 36


# ---- where a sum in another order would decide otherwise ----------------------------------------


def test_sparse_scores_are_the_textbooks_sums():
    rng = np.random.default_rng(0)
    X = rng.choice([1e16, 1.0, -1e16, 0.1, -0.3], (12, 9))
    y = np.arange(12) % 2 * 2 - 1
    for seed in range(20):
        init = np.random.default_rng(seed).choice([0, 0.5, 0.1, -1, 0.3], 10)
        run = reference.perceptron(X.tolist(), y.tolist(), init=init.tolist(), max_iter=20)
        for rows in (X, sparse.csr_array(X)):
            model = ls.Perceptron(init=init, max_iter=20).fit(rows, y)
            assert model.results_[0].weights.tolist() == run.weights
            assert model.n_updates_ == run.updates


@pytest.mark.parametrize("change", [{"output": "averaged"}, {"output": "pocket"}])
def test_partial_fit_refuses_a_model_of_another_kind(change):
    X = np.array([[1.0, 2.0], [-1.0, 0.5], [0.5, -2.0], [-0.5, -1.0]])
    y = [1, 0, 0, 1]
    model = ls.Perceptron(max_iter=3).fit(X, y).set_params(**change)
    with pytest.raises(ValueError, match="changed since"):
        model.partial_fit(X, y)
    model.fit(X, y).partial_fit(X, y)


def test_partial_fit_refuses_to_turn_classes_into_pairs():
    X, y = np.random.default_rng(0).standard_normal((9, 2)), np.arange(9) % 3
    model = ls.Perceptron(max_iter=2).fit(X, y).set_params(multi_class="ovo")
    with pytest.raises(ValueError, match="changed since"):
        model.partial_fit(X, y)


@pytest.mark.parametrize("output", ["last", "averaged", "pocket"])
def test_partial_fit_counts_on_where_values_are_tiny(output):
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((30, 3)), rng.integers(0, 2, 30)
    models = []
    for scale in (1.0, 2.0**-600):
        model = ls.Perceptron(output=output, schedule="inverse", fit_intercept=False)
        for start in range(0, 30, 10):
            part = slice(start, start + 10)
            model.partial_fit(scale * X[part], y[part], classes=[0, 1])
        models.append((model.n_updates_, (model.coef_ / scale).tolist()))
    assert models[0] == models[1]


@pytest.mark.parametrize("rule", ["single", "mini-batch", "batch"])
def test_a_tiny_rate_changes_no_decision(rule):
    rng = np.random.default_rng(0)
    y = np.arange(14) % 2
    for _ in range(30):
        X = rng.choice([1e16, 1.0, -1e16, 0.1, -0.3], (14, 9))
        settings = {"rule": rule, "max_iter": 20, "batch_size": 3}
        plain = ls.Perceptron(**settings).fit(X, y)
        tiny = ls.Perceptron(**settings, eta0=2.0**-600).fit(X, y)
        assert tiny.n_updates_ == plain.n_updates_
        assert (tiny.coef_ * 2.0**600).tolist() == plain.coef_.tolist()


@pytest.mark.parametrize("estimator", [ls.Perceptron, ls.KernelPerceptron])
def test_a_fit_that_fails_leaves_the_model_as_it_was(estimator):
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 2.0]])
    model = estimator().fit(X, [0, 1, 0, 1])
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(bad, ["a", "b", "a", "b"])
    assert model.classes_.tolist() == [0, 1]
    assert model.predict(X).tolist() == [0, 1, 0, 1]


def test_a_voted_certificate_says_what_it_is_about():
    X, y = ls.datasets.load("or")
    assert "the last vector of the committee" in str(
        ls.Perceptron(output="voted").fit(X, y).certificate_
    )
    assert "about" not in str(ls.Perceptron().fit(X, y).certificate_)
