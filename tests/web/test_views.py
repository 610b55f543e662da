"""The panels beside the first picture, each against its definition."""

import numpy as np
import pytest

import linscope as ls
from linscope.web.answers import answer, packed_answer
from linscope.web.catalog import catalog
from linscope.web.samples import sample
from linscope.web.views.arrangement import cells_by_count


def run_of(name, algorithm, params=None, made=None, **more):
    spec = {**sample(name, made), "algorithm": algorithm, "params": params or {}, **more}
    return answer("fit", spec)


def table(run):
    """Points with a bias, and y = −1, +1."""
    X = np.array(run["spec"]["data"]["points"])
    y = np.array([2.0 * point["code"] - 1.0 for point in run["points"]])
    return np.column_stack([np.ones(len(X)), X]), y


def test_the_bound_of_or_by_hand():
    """w = (−1, 2, 2) is the shortest with y w·x ≥ 1: γ = 1/3 with the bias, and R² = 3."""
    bound = run_of("or", "perceptron")["bound"]
    assert bound["gamma"] == pytest.approx(1 / 3)
    assert bound["R"] == pytest.approx(np.sqrt(3))
    assert bound["bound"] == pytest.approx(27)


@pytest.mark.parametrize(("name", "separable"), [("or", True), ("xor", False)])
def test_an_empty_solution_region_is_not_separable(name, separable, quiet):
    weights = run_of(name, "perceptron", {"max_iter": 10})["weights"]
    assert weights["separable"] is separable
    assert any(state["region"] for state in weights["states"]) is separable
    assert all(state["held"].startswith("w0 = ") for state in weights["states"])


@pytest.mark.parametrize(("algorithm", "C"), [("svm", 1.0), ("linear-svm", 0.5)])
def test_every_point_meets_its_condition_at_the_end_only(algorithm, C):
    params = {"C": C} | ({"max_iter": 2000} if algorithm == "linear-svm" else {})
    run = run_of("overlapping", algorithm, params, {"n": 16}, start=10**6)
    first = run_of("overlapping", algorithm, params, {"n": 16})["states"][0]
    assert all(words.startswith("no") for words in first["kkt"])
    last = run["states"][-1]
    assert all(words.startswith("yes") for words in last["kkt"])
    X, y = table(run)
    margins = y * (X @ np.array(last["w"][0]))
    for alpha, margin, slack in zip(last["alpha"], margins, last["slack"], strict=True):
        assert slack == pytest.approx(max(0.0, 1 - margin), abs=1e-4)
        if alpha == 0:
            assert margin >= 0.99
        elif alpha == C:
            assert margin <= 1.01
        else:
            assert margin == pytest.approx(1, abs=0.01)


def test_the_weights_of_coordinate_descent_are_sums_of_its_alphas():
    run = run_of("overlapping", "linear-svm", {"max_iter": 5}, {"n": 12})
    X, y = table(run)
    for state in run["states"]:
        np.testing.assert_allclose(state["w"][0], (np.array(state["alpha"]) * y) @ X, atol=1e-3)


def test_curves_are_primal_dual_and_gap():
    curves = {each["name"]: each["values"] for each in run_of("or", "svm")["curves"]}
    primal, dual = np.array(curves["primal P"]), np.array(curves["dual D"])
    np.testing.assert_allclose(curves["gap P − D"], primal - dual)
    assert (np.diff(dual) >= -1e-12).all()
    assert (primal >= dual - 1e-9).all()


def test_least_squares_lies_at_the_bottom_of_its_bowl():
    run = run_of("five_points", "least-squares")
    x, y = np.array(run["spec"]["data"]["points"])[:, 0], np.array(run["spec"]["data"]["labels"])
    slope, intercept = np.polyfit(x, y, 1)
    loss = run["loss"]
    assert run["states"][-1]["w"][0] == pytest.approx([intercept, slope], rel=1e-4)
    assert loss["lowest"] == pytest.approx([intercept, slope], rel=1e-3)
    assert run["states"][0]["w"] is None
    assert run["states"][-1]["residuals"] == pytest.approx(y - intercept - slope * x, rel=1e-4)


def test_flat_pieces_have_their_number_of_mistakes(quiet):
    params = {"max_iter": 3}
    run = run_of("overlapping", "perceptron", params, {"n": 14, "distance": 2.0}, loss="mistakes")
    X, y = table(run)
    w0 = run["states"][-1]["w"][0][0]
    for band in run["loss"]["bands"]:
        for piece in band["polygons"]:
            w = np.r_[w0, np.mean(piece, axis=0)]
            assert int((y * (X @ w) <= 0).sum()) == band["from"] == band["to"]


def test_pieces_cover_the_box():
    lines = np.random.default_rng(0).normal(size=(12, 3))
    pieces = cells_by_count(lines, (-2.0, 2.0, -1.0, 1.0))
    total = 0.0
    for wrong, cells in pieces.items():
        for cell in cells:
            u, v = np.array(cell).T
            total += 0.5 * abs(u @ np.roll(v, -1) - v @ np.roll(u, -1))
            middle = np.r_[1.0, np.mean(cell, axis=0)]
            assert int((lines @ middle < 0).sum()) == wrong
    assert total == pytest.approx(8.0)


def test_nothing_is_lost_on_the_way_to_the_page():
    spec = {**sample("or"), "algorithm": "perceptron", "params": {}}
    sent, whole = packed_answer("fit", spec), answer("fit", spec)
    states, before = [], {}
    for state in sent["states"]:
        before = {**before, **state}
        states.append(before)
    assert states == whole["states"]
    views, view = [], None
    for each in sent["weights"]["states"]:
        view = view if each == 0 else each
        views.append(view)
    assert views == whole["weights"]["states"]
    assert len(str(sent)) < len(str(whole))


def lecture(name):
    return next(each for each in catalog()["lectures"] if each["id"] == name)


def test_iterations_900_to_915_open_there(quiet):
    given = lecture("not-separable")
    run = answer("fit", {**given["spec"], "start": 1750})
    data = ls.datasets.load("non_separable")
    whole = ls.trace(ls.Perceptron(init=[1, 1, 1], max_iter=1000), data.X, data.y)
    path = whole.path(updates=(900, 915))
    last = given["step"] - 1750 + 1
    shown = [state["w"][0] for state in run["states"][1 : last + 1] if state["update"]]
    np.testing.assert_array_equal(shown, path[1:])


def test_one_outlier_turns_least_squares_and_not_the_svm():
    models = answer(
        "everyone", {key: lecture("one-outlier")["spec"][key] for key in ("data", "mode")}
    )
    mistakes = {each["id"]: each["mistakes"] for each in models["models"]}
    assert mistakes["least-squares"] > mistakes["svm"] == mistakes["logistic"] == 0
