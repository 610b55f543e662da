"""What must raise one clear error, and what must work: perceptrons, and what all share."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import linscope as ls
from tests import reference

MAKERS = {"Perceptron": ls.Perceptron, "KernelPerceptron": ls.KernelPerceptron}
CLASSIFIERS = MAKERS | {
    "LogisticRegression": ls.LogisticRegression,
    "LinearSVC": ls.LinearSVC,
    "SVC": ls.SVC,
}
X0 = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 1.5], [3.0, 0.0], [4.0, 2.0], [5.0, 1.0]])
Y0 = np.array([0, 0, 0, 1, 1, 1])


@pytest.fixture(params=MAKERS, name="make")
def _make(request):
    return MAKERS[request.param]


@pytest.fixture(params=CLASSIFIERS, name="classifier")
def _classifier(request):
    return CLASSIFIERS[request.param]


# ---- must raise ---------------------------------------------------------------------------------


@pytest.mark.share(3)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, 3, 5])
@pytest.mark.parametrize("kind", ["dense", "float32", "sparse", "pandas", "polars"])
def test_not_finite_values_are_named(classifier, bad, row, kind):
    X = X0.copy()
    X[row, 1] = bad
    names = ["age", "height"]
    wrap = {
        "dense": np.asarray,
        "float32": np.float32,
        "sparse": sparse.csr_matrix,
        "pandas": lambda X: pd.DataFrame(X, columns=names),
        "polars": lambda X: pl.DataFrame(X, schema=names),
    }[kind]
    place = rf"row {row}, column ('height' \()?1"
    model = classifier()
    with pytest.raises(ValueError, match=place):
        model.fit(wrap(X), Y0)
    model.fit(wrap(X0), Y0)
    for method in (model.predict, model.decision_function):
        with pytest.raises(ValueError, match=place):
            method(wrap(X))
    assert (model.predict(wrap(X0)) == Y0).all()


def test_not_finite_values_in_every_rule_and_output():
    X = np.repeat(X0, 30, axis=0)
    y = np.repeat(Y0, 30)
    X[170, 0] = np.nan
    for rule in ("single", "batch", "mini-batch"):
        for output in ("last", "averaged", "pocket"):
            for tie in ("update", "positive", "negative"):
                model = ls.Perceptron(rule=rule, output=output, tie=tie)
                with pytest.raises(ValueError, match="row 170, column 0"):
                    model.fit(X, y)
                with pytest.raises(ValueError, match="row 170, column 0"):
                    model.partial_fit(X, y, classes=[0, 1])
    voted = ls.Perceptron(output="voted")
    with pytest.raises(ValueError, match="row 170, column 0"):
        voted.fit(X, y)
    with pytest.raises(ValueError, match="row 170, column 0"):
        voted.fit(np.repeat(X0, 30, axis=0), y).predict(X)


def test_not_finite_values_where_the_weight_is_zero():
    """0 · NaN must not pass as 0."""
    X = np.column_stack([X0, np.zeros(6)])
    model = ls.Perceptron().fit(X, Y0)
    assert model.coef_[0, 2] == 0
    X[4, 2] = np.nan
    for table in (X, sparse.csr_matrix(X)):
        with pytest.raises(ValueError, match="row 4, column 2"):
            model.predict(table)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (X0, np.zeros(6), "one class"),
        (X0, ["a"] * 6, "one class"),
        (np.zeros((0, 2)), np.zeros(0), "0 sample"),
        (np.zeros((6, 0)), Y0, "0 feature"),
        ([], [], "2D array|0 sample"),
        (X0[:, 0], Y0, "2D array"),
        (X0[None], Y0, "dim 3|3D|expected <= 2"),
        (5.0, [1], "table|2D|scalar"),
        ("a table", [1], "table of numbers"),
        (X0, Y0[:-1], "6 rows.*5 labels"),
        (X0[:-1], Y0, "5 rows.*6 labels"),
        (X0, None, "requires y"),
        (X0, 3, "one label per sample"),
        (X0, [0, 0, 0, "a", 1, 1], "mixed"),
        (X0, [0, 0, 0, None, 1, 1], "row 3"),
        (X0, [0, 0, np.nan, 1, 1, 1], "row 2"),
        (X0, [0.5, 0, 0, 1, 1, 1], "continuous"),
        (X0, np.array(Y0, dtype=complex), "Complex"),
        (X0, [[1, 1, 0]] * 6, "positive entries"),
        (X0, [[0.3, 0.7]] * 6, "one-hot"),
        (X0 * 1j, Y0, "Complex"),
        (X0.astype(str), Y0, "row 0, column 0.*encode"),
        ([["1", "2"]] * 6, Y0, "encode"),
        (np.array([[1, "x"]] * 6, dtype=object), Y0, "row 0, column 1"),
        ([[1.0, 2.0]] * 5 + [[1.0]], Y0, "row 5 has 1"),
        (X0.astype("datetime64[s]"), Y0, "datetime64"),
        (sparse.csr_matrix(X0 * 1j), Y0, "Complex"),
        (pd.DataFrame({"a": list("xyzxyz"), "b": range(6)}), Y0, "'a'.*encode"),
        (
            pd.DataFrame({"a": pd.Categorical(list("xyzxyz")), "b": range(6)}),
            Y0,
            "'a'.*encode",
        ),
        (pl.DataFrame({"a": [None, *range(5)], "b": range(6)}), Y0, "row 0, column 'a'"),
        (pd.DataFrame(X0, columns=["a", "a"]), Y0, "same name|rename"),
        (pd.DataFrame(X0, columns=["a", 1]), Y0, "string names|strings"),
        (pl.LazyFrame({"a": range(6)}), Y0, "lazy"),
    ],
)
def test_bad_tables_and_labels(classifier, X, y, message):
    with pytest.raises((ValueError, TypeError), match=f"(?s){message}"):
        classifier().fit(X, y)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("rule", "online", "'single'"),
        ("output", "mean", "'averaged'"),
        ("schedule", "cosine", "'inverse'"),
        ("tie", "up", "'negative'"),
        ("stop", "never", "'streak'"),
        ("multi_class", "crammer", "'ovo'"),
        ("class_weight", "equal", "'balanced'"),
        ("eta0", 0.0, "eta0"),
        ("eta0", -1.0, "eta0"),
        ("eta0", "auto", "eta0"),
        ("eta0", np.nan, "eta0"),
        ("eta0", np.inf, "eta0"),
        ("margin", -1.0, "margin"),
        ("margin", np.inf, "margin"),
        ("max_iter", 0, "max_iter"),
        ("max_iter", 2.5, "max_iter"),
        ("batch_size", 0, "batch_size"),
        ("shuffle", "yes", "shuffle"),
        ("fit_intercept", None, "fit_intercept"),
        ("random_state", "seed", "random_state"),
        ("class_weight", {0: -1.0}, "class_weight.*negative"),
        ("class_weight", {0: np.nan}, "class_weight"),
        ("class_weight", {0: np.inf}, "class_weight"),
    ],
)
def test_unknown_options_list_the_allowed(make, name, value, message):
    with pytest.raises(ValueError, match=message):
        make(**{name: value}).fit(X0, Y0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"init": "ones"}, "'random'"),
        ({"init": [0.0, 0.0]}, r"shape \(2,\), but 3 weights"),
        ({"init": [0.0] * 4}, "3 weights"),
        ({"init": [0.0] * 3, "fit_intercept": False}, "2 weights"),
        ({"init": [0.0, np.nan, 0.0]}, "init has NaN"),
        ({"init": [0.0, np.inf, 0.0]}, "init has NaN or inf"),
        ({"init": np.zeros((2, 3))}, "init.*2"),
        ({"init": 3.0}, "init"),
        ({"init": [1e300, 1e300, 1e300]}, "init"),
        ({"eta0": 1e300}, "eta0"),
        ({"warm_start": "yes"}, "warm_start"),
    ],
)
def test_bad_starts(settings, message):
    with pytest.raises(ValueError, match=message):
        ls.Perceptron(**settings).fit(X0, Y0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel": "gauss"}, "'rbf'"),
        ({"kernel": "precomputed"}, "square"),
        ({"gamma": "wide"}, "'scale'"),
        ({"gamma": 0.0}, "gamma"),
        ({"gamma": -1.0}, "gamma"),
        ({"gamma": np.nan}, "gamma"),
        ({"kernel": "poly", "degree": -1}, "degree"),
        ({"kernel": "poly", "degree": 1.5}, "degree"),
        ({"kernel": "poly", "coef0": np.inf}, "coef0"),
        ({"kernel": lambda X, Z: X @ Z.T[:, :2]}, "6 × 6"),
        ({"kernel": lambda X, Z: np.full((len(X), len(Z)), np.nan)}, "NaN"),
        ({"kernel": lambda X, Z: "similar"}, "6 × 6"),
    ],
)
def test_bad_kernels(settings, message):
    with pytest.raises(ValueError, match=message):
        ls.KernelPerceptron(**settings).fit(X0, Y0)


class Counter(ls.Observer):
    steps = 0

    def step(self, done, state):
        self.steps += 1
        return False


@pytest.mark.parametrize("rule", ["batch", "mini-batch"])
def test_votes_need_single_steps_and_that_is_said_before_any_work(make, rule):
    with ls.observe(Counter()) as counter, pytest.raises(ValueError, match="rule='single'"):
        make(output="voted", rule=rule).fit(X0, Y0)
    assert counter.steps == 0


@pytest.mark.parametrize(
    ("sample_weight", "message"),
    [
        (-np.ones(6), "[Nn]egative"),
        (np.ones(5), r"sample_weight|inconsistent"),
        (np.full(6, np.nan), "NaN"),
        (np.full(6, np.inf), "infinity|inf"),
        (np.zeros(6), "weight"),
        (np.ones((6, 2)), "1D|sample_weight"),
        (["a"] * 6, "convert|sample_weight"),
    ],
)
def test_bad_weights(classifier, sample_weight, message):
    with pytest.raises(ValueError, match=message):
        classifier().fit(X0, Y0, sample_weight)


def test_tables_of_another_width(classifier):
    model = classifier().fit(X0, Y0)
    for method in (model.predict, model.decision_function):
        with pytest.raises(ValueError, match=r"1 features.*2 features"):
            method(X0[:, :1])
        with pytest.raises(ValueError, match="0 sample"):
            method(X0[:0])
        with pytest.raises(ValueError, match="2D array"):
            method(X0[0])


def test_partial_fit_of_another_width():
    model = ls.Perceptron().partial_fit(X0, Y0)
    with pytest.raises(ValueError, match=r"1 features.*2 features"):
        model.partial_fit(X0[:, :1], Y0)
    np.testing.assert_array_equal(model.predict(X0).shape, (6,))


# ---- must work ----------------------------------------------------------------------------------


def solves(make, X, y, **settings):
    model = make(max_iter=20_000, **settings).fit(X, y)
    assert model.certificate_.status is ls.Status.SEPARATED, model.certificate_
    np.testing.assert_array_equal(model.predict(X), y)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.certificate_.verify(X, y)
    return model


@pytest.mark.parametrize(
    "X",
    [
        np.column_stack([X0, np.ones(6), np.zeros(6)]),
        np.column_stack([X0, X0, X0]),
        X0[:, :1],
        np.hstack([X0, np.random.default_rng(0).normal(size=(6, 50))]),
        X0.astype(np.float32),
        X0.astype(np.float16),
        X0.astype(int),
        X0 > 2.5,
        sparse.csr_matrix(X0),
        sparse.coo_array(X0),
    ],
    ids=[
        "constant columns",
        "duplicate columns",
        "one feature",
        "n < d",
        "float32",
        "float16",
        "integers",
        "booleans",
        "csr",
        "coo",
    ],
)
def test_unusual_tables_work(make, X):
    solves(make, X, Y0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("scale", [1e150, 1e-150, 1e100, 1e-100, 1e30, 1e-30])
@pytest.mark.parametrize("intercept", [True, False])
def test_values_far_from_one(scale, intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    y = np.where(X @ [1.0, -2.0, 0.5] > 0, 1, 0)
    X /= np.abs(X).max()
    if intercept and scale < 1:  # the bias is 1 and the rest is next to nothing
        outcome(ls.Perceptron, X * scale, y)
        return
    model = solves(ls.Perceptron, X * scale, y, fit_intercept=intercept)
    plain = solves(ls.Perceptron, X, y, fit_intercept=False)
    np.testing.assert_allclose(model.coef_ / scale, plain.coef_, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_kernels_of_values_far_from_one(scale):
    X = X0 * scale / 5
    solves(ls.KernelPerceptron, X, Y0)  # gamma="scale" takes the unit away
    with pytest.raises(ValueError, match=r"(?i)scale"):
        ls.KernelPerceptron(kernel="poly", gamma=1.0).fit(X0 * 1e150, Y0)


def test_columns_of_very_different_size():
    X = (X0 - X0.mean(axis=0)) * [1e8, 1e-8]
    solves(ls.Perceptron, X, Y0)


def test_offsets_of_1e8(make):
    """Six points near 1e8 on a line: found or admitted, never claimed wrongly."""
    X, centred = X0 + 1e8, X0 - X0.mean(axis=0)
    solves(ls.KernelPerceptron, X, Y0)
    solves(ls.Perceptron, centred, Y0)
    with pytest.warns(ConvergenceWarning, match="misclassified"):
        model = ls.Perceptron(max_iter=200).fit(X, Y0)
    certificate = model.certificate_
    signs = reference.exact_signs(X, np.where(Y0, 1, -1), np.r_[model.intercept_, model.coef_[0]])
    assert certificate.mistakes == sum(s <= 0 for s in signs)
    assert certificate.verify(X, Y0).claim_holds


def outcome(make, X, y, **settings):
    """A finite certified answer whose predictions agree with the certificate, or a clear error."""
    model = make(max_iter=50, **settings)
    try:
        model.fit(X, y)
    except ValueError as error:
        if "scale" not in str(error).lower():
            raise
        return
    assert np.isfinite(model.decision_function(X)).all()
    assert model.certificate_.verify(X, y).claim_holds
    wrong = int((model.predict(X) != y).sum())
    if model.output != "voted":
        parts = model.certificate_.parts or {"": model.certificate_}
        assert wrong <= sum(part.mistakes for part in parts.values())
    if model.output == "last" and model.certificate_.status is ls.Status.SEPARATED:
        assert wrong == 0


def test_voting_does_not_depend_on_the_unit():
    X, y = X0 - X0.mean(axis=0), np.array([0, 1, 0, 1, 1, 0])
    settings = {"output": "voted", "max_iter": 6, "fit_intercept": False, "stop": "pass"}
    with pytest.warns(ConvergenceWarning):
        plain = ls.Perceptron(**settings).fit(X, y).decision_function(X)
    for unit in (2.0**-1000, 2.0**-540, 2.0**400):
        for make in (np.asarray, sparse.csr_matrix):
            with pytest.warns(ConvergenceWarning):
                model = ls.Perceptron(**settings).fit(make(X * unit), y)
            np.testing.assert_array_equal(model.decision_function(make(X * unit)), plain)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e160, 1e-160, 1e-170, 1e152, 5e-324, 1e-310])
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_extreme_values_give_a_certified_answer_or_an_error(make, scale):
    X = (X0 - X0.mean(axis=0)) * scale
    for intercept in (True, False):
        for table in (X, sparse.csr_matrix(X)):
            for output in ("last", "averaged", "voted", "pocket"):
                outcome(make, table, Y0, fit_intercept=intercept, output=output)
    outcome(make, X, Y0, rule="batch")
    outcome(make, X, Y0, rule="batch", fit_intercept=False)
    outcome(make, X, np.array(["a", "b", "c"])[Y0 + (X[:, 1] > 0)], multi_class="ovo")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("scale", [1e38, 1e30, 1e-30, 1e-40])
def test_extreme_float32(make, scale):
    X = ((X0 - X0.mean(axis=0)) / 3).astype(np.float32) * np.float32(scale)
    for intercept in (True, False):
        outcome(make, X, Y0, fit_intercept=intercept)


@pytest.mark.parametrize("scale", [1e300, 1.7e308])
def test_predicting_far_away_rows_keeps_the_sign(scale):
    model = ls.Perceptron().fit(X0, Y0)
    far = np.array([[1.0, 0.0], [-1.0, 0.0], [0.3, -1.0]]) * scale
    decision = model.decision_function(far)
    assert np.isfinite(decision).all()
    np.testing.assert_array_equal(np.sign(decision), np.sign((far / scale) @ model.coef_[0]))


def test_one_versus_one_far_from_one():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = (rng.normal(size=(30, 3)) / 10 + np.eye(3)[y]) / 2
    for make in (np.asarray, sparse.csr_matrix):
        model = ls.Perceptron(multi_class="ovo", eta0=1e20).fit(make(X * 1e149), y)
        plain = ls.Perceptron(multi_class="ovo", fit_intercept=False).fit(X, y)
        np.testing.assert_allclose(model.coef_ / 1e169, plain.coef_, rtol=1e-9)
        np.testing.assert_array_equal(model.predict(make(X * 1e149)), y)


def test_a_million_rows_with_one_of_the_other_class():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 2))
    X[:, 0] = -np.abs(X[:, 0]) - 0.5
    y = np.zeros(1_000_000, dtype=np.int8)
    X[345_678], y[345_678] = (4.0, 0.0), 1
    model = ls.Perceptron().fit(X, y)
    assert model.certificate_.status is ls.Status.SEPARATED
    assert np.flatnonzero(model.predict(X)).tolist() == [345_678]


def test_parameters_that_were_right_once_do_not_make_others_right():
    """What was validated is remembered by type and value: True is no 1, and 1 no -1."""
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    model = ls.LogisticRegression(C=1.0, max_iter=100)
    for _ in range(2):
        assert model.fit(X, y).certificate_.ok
    for wrong in ({"C": -1.0}, {"C": "1"}, {"fit_intercept": "yes"}, {"max_iter": 100.0}):
        for _ in range(2):
            with pytest.raises(ValueError, match=next(iter(wrong))):
                ls.LogisticRegression(**{"C": 1.0, "max_iter": 100} | wrong).fit(X, y)
