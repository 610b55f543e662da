"""Built-in data: the notes' numbers, scikit-learn's tables, and generators that keep their word."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from sklearn import datasets as peers
from statsmodels.discrete.discrete_model import Logit

import linscope as ls
from linscope.data import reflect

GOLDEN = ls.datasets.worked_examples()


def separable(X, y):
    Z = reflect(X, y)
    w = linprog(np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=(None, None))
    return w.status == 0


@pytest.mark.parametrize("name", ["or", "students", "two_points", "non_separable"])
def test_notes_data_as_printed(name):
    data = ls.datasets.load(name)
    np.testing.assert_array_equal(data.X, GOLDEN[name]["X"])
    np.testing.assert_array_equal(data.y, GOLDEN[name]["y"])
    assert data.X.dtype == np.float64
    assert separable(*data) == GOLDEN[name].get("separable", True)
    tie = {"misclassified": "update"}.get(GOLDEN[name]["tie"], GOLDEN[name]["tie"])
    assert data.settings["tie"] == tie
    for run, settings in zip(
        GOLDEN[name].get("runs", [GOLDEN[name]]), data.runs or [data.settings], strict=True
    ):
        assert settings["tie"] == tie
        assert list(settings.get("init", np.zeros(len(run["init"])))) == run["init"]


def run_by_hand(X, y, visits, init=None, tie="update"):
    """The single-sample rule of the notes in plain Python, for so many visits."""
    w = [0.0] * (len(X[0]) + 1) if init is None else list(init)
    trace = []
    for k in range(visits):
        i = k % len(X)
        x = [1.0, *X[i]]
        score = sum(a * b for a, b in zip(w, x, strict=True))
        wrong = y[i] * score < 0 or (
            score == 0 and (tie == "update" or y[i] != (1 if tie == "positive" else -1))
        )
        if wrong:
            w = [a + y[i] * b for a, b in zip(w, x, strict=True)]
        trace.append((i, wrong, w))
    return trace


@pytest.mark.parametrize("name", ["or", "students", "two_points", "non_separable"])
def test_settings_give_the_printed_run(name):
    data = ls.datasets.load(name)
    runs = GOLDEN[name].get("runs", [GOLDEN[name]])
    for run, settings in zip(runs, data.runs or [data.settings], strict=True):
        trace = run_by_hand(data.X.tolist(), data.y.tolist(), len(run["visits"]), **settings)
        for (sample, wrong, w), visit in zip(trace, run["visits"], strict=True):
            assert (sample, wrong, w) == (visit["sample"], visit["misclassified"], visit["after"])


def test_xor_is_not_separable():
    X, y = ls.datasets.load("xor")
    np.testing.assert_array_equal(y > 0, X[:, 0] != X[:, 1])
    assert not separable(X, y)


def test_names_of_the_students():
    students = ls.datasets.load("students")
    assert students.sample_names == GOLDEN["students"]["names"]
    assert students.feature_names == GOLDEN["students"]["features"]
    assert [students.target_names[label] for label in students.y.tolist()] == ["A", "F", "F", "A"]


def test_five_points():
    X, y = ls.datasets.load("five_points")
    slope, intercept = np.polyfit(X[:, 0], y, 1)
    assert round(slope, 2) == GOLDEN["five_points"]["printed"]["slope"]
    assert round(intercept, 2) == GOLDEN["five_points"]["printed"]["intercept"]


def test_sbp_age_has_only_moments():
    data = ls.datasets.load("sbp_age")
    moments = data.moments
    assert round(moments["cov_xy"] / moments["var_x"], 2) == 0.97
    assert {key: GOLDEN["sbp_age"][key] for key in moments} == moments
    with pytest.raises(ValueError, match=r"no samples.*moments"):
        _X, _y = data
    with pytest.raises(ValueError, match="moments"):
        data.frame()
    assert "moments" in repr(data)


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits", "diabetes"])
def test_classics_are_scikit_learns(name):
    data = ls.datasets.load(name)
    X, y = getattr(peers, f"load_{name}")(return_X_y=True)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert len(data.feature_names) == X.shape[1]
    assert len(data.target_names) in (0, len(np.unique(y)))


@pytest.mark.parametrize("name", ls.datasets.names())
def test_every_set_shows_itself(name):
    data = ls.datasets.load(name)
    assert name in repr(data)
    assert data.source in data._repr_html_().replace("&#x27;", "'")
    if data.X is not None:
        expected = data.columns or [*data.feature_names, "target"]
        assert list(data.frame().columns) == list(expected)


def test_churn_is_a_mixed_table():
    data = ls.datasets.load("churn")
    frame = pd.DataFrame(data.columns)
    assert frame["customer_id"].is_unique
    assert (frame["churn"] == "yes").mean() == pytest.approx(0.25, abs=0.01)
    np.testing.assert_array_equal(data.y, frame["churn"] == "yes")
    # X is what pandas makes of the columns: one for each category but the first, dates as days.
    features = frame.drop(columns=["customer_id", "churn"])
    joined = pd.to_datetime(features["joined"])
    features["joined"] = (joined - joined.min()).dt.days
    features[["family_bundle", "roaming"]] = features[["family_bundle", "roaming"]] == "yes"
    expected = pd.get_dummies(features, prefix_sep="=", drop_first=True).astype(float)
    assert sorted(data.feature_names) == sorted(expected.columns)
    np.testing.assert_array_equal(data.X, expected[data.feature_names])
    assert np.linalg.matrix_rank(np.column_stack([np.ones(len(data.X)), data.X])) == 15


def test_churn_follows_its_formula():
    """Logistic regression with the interaction finds the coefficients that are printed above it."""
    frame = pd.DataFrame(ls.datasets.make_churn(40_000, random_state=5))
    monthly = frame["contract"] == "monthly"
    bill = frame["monthly_bill"] - 35
    months = (pd.Timestamp("2024-01-01") - pd.to_datetime(frame["joined"])).dt.days / 30.4
    known = {
        "monthly": (1.0, monthly),
        "two years": (-1.0, frame["contract"] == "two years"),
        "calls": (0.45, frame["support_calls"] - 1),
        "bill": (0.04, bill),
        "months": (-0.02, months - 30),
        "family": (-0.6, frame["family_bundle"] == "yes"),
        "invoice": (0.35, frame["payment"] == "invoice"),
        "roaming": (0.25, frame["roaming"] == "yes"),
        "age": (-0.015, frame["age"] - 45),
        "monthly bill": (0.05, monthly * bill),
        "one": (-1.65, np.ones(len(frame))),
    }
    X = np.column_stack([np.asarray(column, dtype=float) for _, column in known.values()])
    fit = Logit((frame["churn"] == "yes").to_numpy(float), X).fit(disp=0)
    assert np.all(np.abs(fit.params - [beta for beta, _ in known.values()]) < 4 * fit.bse)


def test_changing_a_copy_does_not_change_the_next():
    data = ls.datasets.load("students")
    data.X[:] = 0
    data.settings["init"][0] = 9
    again = ls.datasets.load("students")
    assert again.X.any()
    assert again.settings["init"][0] == 0.25
    ls.datasets.worked_examples()["or"].clear()
    assert ls.datasets.worked_examples()["or"]


def test_unknown_name():
    with pytest.raises(ValueError, match=r"did you mean 'students'\?.*or, xor"):
        ls.datasets.load("student")
    with pytest.raises(ValueError, match="Known are or, xor"):
        ls.datasets.load("zzzzzz")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("d", [1, 3, 20])
def test_separable_has_the_margin(seed, d):
    X, y = ls.datasets.make_separable(80, d, margin=0.3, random_state=seed)
    assert set(y.tolist()) == {-1, 1}
    # A hard-margin certificate from outside: w·x ≥ 1 with ‖w‖∞ ≤ 1/0.3 is feasible.
    Z = y[:, None] * X
    found = linprog(np.zeros(d), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=(-1 / 0.3, 1 / 0.3))
    assert found.status == 0


def test_overlapping_and_ring_are_not_separable():
    assert not separable(*ls.datasets.make_overlapping(200, 2, random_state=0))
    assert not separable(*ls.datasets.make_ring(200, 2, random_state=0))
    X, y = ls.datasets.make_overlapping(20_000, 5, distance=3.0, random_state=0)
    means = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
    assert np.linalg.norm(means) == pytest.approx(3.0, abs=0.1)


@pytest.mark.parametrize("make", ["make_separable", "make_overlapping", "make_ring", "make_blobs"])
def test_generators_are_deterministic(make):
    make = getattr(ls.datasets, make)
    first, second, other = make(random_state=3), make(random_state=3), make(random_state=4)
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])
    assert (first[0] != other[0]).any()
    with pytest.raises(ValueError, match=re.escape("n must be at least 2")):
        make(1)
    with pytest.raises(ValueError, match="d must be at least 1"):
        make(10, 0)


def test_churn_is_the_same_for_the_same_seed():
    first, second, other = (ls.datasets.make_churn(50, random_state=s) for s in (3, 3, 4))
    assert all((first[name] == second[name]).all() for name in first)
    assert (first["monthly_bill"] != other["monthly_bill"]).any()
    with pytest.raises(ValueError, match="n must be at least 2"):
        ls.datasets.make_churn(1)


def test_blobs():
    X, y = ls.datasets.make_blobs(10, 3, classes=4, random_state=0)
    assert X.shape == (10, 3)
    assert np.unique(y).tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="classes"):
        ls.datasets.make_blobs(10, classes=11)
