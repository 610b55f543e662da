"""Every number that the page shows is the trace's, and every picture is its definition."""

import json
import re

import numpy as np
import pytest

import linscope as ls
from linscope.web.algorithms import ALGORITHMS
from linscope.web.answers import answer
from linscope.web.limits import OVERVIEW
from linscope.web.samples import sample
from linscope.web.spec import read_spec

TWO = [each for each in ALGORITHMS.values() if each.mode == "classes"]
SMALL = {"max_iter": 4}
CLOSED = {"least-squares", "least-squares-classifier", "fisher", "naive-bayes"}


def spec_of(name, algorithm, made=None, **more):
    params = {key: value for key, value in SMALL.items() if key in _names(algorithm)}
    document = {**sample(name, made), "algorithm": algorithm.id, "params": params}
    return {**document, **more}


def _names(algorithm):
    return [each.name for each in algorithm.parameters]


def traced(spec):
    read = read_spec(spec)
    model = read.algorithm.estimator(read.params)
    trace = ls.trace(model, read.data.points, read.data.labels, exact=read.exact)
    trace.feature_names = read.data.features
    return trace


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=list(ALGORITHMS))
def test_a_run_is_the_trace(algorithm):
    name = "or" if algorithm.mode == "classes" else "five_points"
    spec = spec_of(name, algorithm)
    run = answer("fit", spec)
    trace = traced(spec)
    json.dumps(run, allow_nan=False)
    assert len(run["states"]) == len(run["ledger"]["rows"]) + 1 == min(run["total"], 300) + 1
    assert [tuple(pair) for pair in run["answer"]] == list(trace.answer)
    assert run["certificate"]["text"] == trace.estimator.certificate_.text
    if isinstance(trace, ls.Trace):
        frame = trace.to_frame(backend="dict")
        assert run["total"] == len(frame["step"])
        updates = [state["update"] for state in run["states"][1:]]
        if "update" in frame:
            assert updates == frame["update"][: len(updates)].tolist()
        if "w0" in frame:
            shown = np.array([state["w"][0] for state in run["states"][1:]])
            held = np.column_stack([frame[f"w{k}"] for k in range(shown.shape[1])])
            np.testing.assert_array_equal(shown, held[: len(shown)])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("algorithm", TWO, ids=lambda each: each.id)
@pytest.mark.parametrize("name", ["overlapping", "blobs"])
def test_the_last_state_predicts_as_the_model(algorithm, name):
    spec = spec_of(name, algorithm, {"n": 12})
    run, model = answer("fit", {**spec, "start": 10**6}), traced(spec).estimator
    read = read_spec(spec)
    codes = np.searchsorted(np.unique(read.data.labels), model.predict(read.data.points))
    assert run["states"][-1]["predicted"] == codes.tolist()


@pytest.mark.parametrize("algorithm", ["perceptron", "logistic-newton", "svm", "linear-svm"])
def test_the_boundary_is_where_the_score_is_0(algorithm):
    run = answer("fit", spec_of("overlapping", ALGORITHMS[algorithm], {"n": 12}))
    for state in run["states"]:
        c, *normal = state["w"][0]
        for line in state["lines"]:
            level = {"boundary": (0.0,), "margin": (-1.0, 1.0)}[line["kind"]]
            scores = c + np.array(line["ends"]) @ normal
            size = np.abs(state["w"][0]).sum() * 10
            assert min(np.abs(scores - each).max() for each in level) <= 1e-3 * size
        for region in state["regions"]:
            for polygon in region["polygons"]:
                middle = c + np.mean(polygon, axis=0) @ normal
                assert (middle > 0) == (region["code"] == 1)


def test_weight_space_shows_the_solutions():
    run = answer("fit", spec_of("or", ALGORITHMS["perceptron"], params={"max_iter": 100}))
    view, points = run["weights"], np.array(run["spec"]["data"]["points"])
    y = np.array([-1, 1, 1, 1])
    inside = 0
    for state, seen in zip(run["states"], view["states"], strict=True):
        w0 = state["w"][0][0]
        assert seen["held"].startswith("w0 =")
        if seen["region"]:
            inside += 1
            w = np.mean(seen["region"], axis=0)
            assert (y * (w0 + points @ w) > -1e-3).all()
    assert inside > 0


def test_the_bound_is_that_of_the_separability():
    run = answer("fit", spec_of("or", ALGORITHMS["perceptron"], params={}))
    verdict = ls.separability(*ls.datasets.load("or"))
    assert run["bound"]["bound"] == pytest.approx(float(verdict.bound))
    assert run["states"][-1]["updates"] == run["bound"]["some"][-1] <= run["bound"]["bound"]
    lower, upper = np.array(run["bound"]["lower"]), np.array(run["bound"]["upper"])
    k = np.array(run["bound"]["k"])
    assert ((lower <= upper + 1e-9) == (k <= run["bound"]["bound"] + 1e-9)).all()


def test_the_loss_of_the_path_is_in_its_band():
    run = answer("fit", spec_of("five_points", ALGORITHMS["lms-batch"]))
    x, y = np.array(run["spec"]["data"]["points"])[:, 0], np.array(run["spec"]["data"]["labels"])
    slope, intercept = np.polyfit(x, y, 1)
    assert run["loss"]["lowest"] == pytest.approx([intercept, slope], rel=1e-3)


def test_exact_ledgers_have_fractions():
    spec = spec_of("or", ALGORITHMS["perceptron"], params={"eta0": 0.5}, exact=True)
    cells = [cell for row in answer("fit", spec)["ledger"]["rows"] for cell in row]
    assert any("1/2" in cell for cell in cells)


def test_a_later_part_of_a_long_run():
    spec = spec_of("non_separable", ALGORITHMS["perceptron"], params={"max_iter": 200})
    whole, later = answer("fit", spec), answer("fit", {**spec, "start": 250})
    assert later["start"] == 250
    assert later["ledger"]["rows"][:51] == whole["ledger"]["rows"][249:]
    assert [s["w"] for s in later["states"][:51]] == [s["w"] for s in whole["states"][249:300]]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_windows_make_the_whole_run():
    spec = spec_of("non_separable", ALGORITHMS["perceptron"], params={"max_iter": 200})
    first = answer("fit", spec)
    trace = traced(spec)
    path = np.vstack([step.after for step in trace.steps])
    assert first["total"] == len(path) == 1000
    for start in (1, 301, 601, 901, 10**6):
        window = answer("fit", {**spec, "start": start, "window": True})
        begin = min(start, 701) - 1  # the last window is as long as the others
        assert (window["start"], len(window["states"])) == (begin + 1, 301)
        shown = np.array([state["w"][0] for state in window["states"]])
        np.testing.assert_array_equal(shown[1:], path[begin : begin + 300])
        assert len(window["weights"]["states"]) == 301
        assert len(window["ledger"]["rows"]) == 300
        assert "loss" not in window
    assert [s["w"] for s in answer("fit", {**spec, "start": 10**6})["states"]] == [
        s["w"] for s in window["states"]
    ]
    overview = first["overview"]
    assert (overview["steps"][0], overview["steps"][-1]) == (0, 1000)
    places = np.array(overview["steps"][1:]) - 1
    np.testing.assert_allclose(overview["w"][1:], path[places], rtol=1e-4)
    assert len(overview["steps"]) <= OVERVIEW + 1
    assert all(len(each["values"]) == len(overview["steps"]) for each in overview["curves"])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=list(ALGORITHMS))
@pytest.mark.parametrize("name", ["or", "blobs"])
def test_the_overview_is_made_of_states_of_the_run(algorithm, name):
    name = name if algorithm.mode == "classes" else "five_points"
    run = answer("fit", spec_of(name, algorithm, {"n": 12} if name == "blobs" else None))
    overview, states = run["overview"], run["states"]
    assert overview["steps"] == sorted(set(overview["steps"]))
    assert overview["steps"][-1] == run["total"]
    for place, step in enumerate(overview["steps"]):
        if step >= len(states):
            break
        if overview["w"] is not None:
            assert overview["w"][place] == pytest.approx(states[step]["w"][0], rel=1e-4)
        for some, here in zip(overview["curves"], run["curves"], strict=True):
            assert some["name"] == here["name"]
            assert some["values"][place] == pytest.approx(here["values"][step])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("algorithm", TWO, ids=lambda each: each.id)
def test_sentence_crosses_and_numbers_are_of_one_moment(algorithm):
    """What the sentence says of now holds for the weights of this state."""
    run = answer("fit", spec_of("overlapping", algorithm, {"n": 20, "distance": 1.0}))
    X, n = np.array(run["spec"]["data"]["points"]), len(run["points"])
    codes = np.array([point["code"] for point in run["points"]])
    for state in run["states"]:
        if state["predicted"] is None or not state["regions"]:
            assert "on the wrong side." not in state["say"]
            continue
        wrong = int((np.array(state["predicted"]) != codes).sum())
        if algorithm.id not in CLOSED:
            said = f"{wrong} of {n} points" if wrong else "no point is on the wrong side"
            assert said in state["say"]
        if state["w"] is not None:
            scores = state["w"][0][0] + X @ np.array(state["w"][0][1:])
            clear = np.abs(scores) > 1e-9
            np.testing.assert_array_equal((scores > 0)[clear], np.array(state["predicted"])[clear])
        brought = re.search(r"brought its score to (\S+)\.", state["say"])
        if brought and state["w"] is not None:
            assert float(brought[1].replace("−", "-")) == pytest.approx(
                scores[state["sample"]], rel=1e-4, abs=1e-5
            )
        h = re.search(r"brought h\(x\) to (\S+)\.", state["say"])
        if h:
            wanted = 1 / (1 + np.exp(-scores[state["sample"]]))
            assert float(h[1].replace("−", "-")) == pytest.approx(wanted, rel=1e-4)
        J = re.search(r"Now J is (\S+) and", state["say"])
        if J:
            y = 2.0 * codes - 1.0
            wanted = np.log1p(np.exp(-y * scores)).sum() + 0.5 * np.sum(
                np.square(state["w"][0][1:])
            )
            assert float(J[1]) == pytest.approx(wanted, rel=1e-4)
        was = re.search(r"was on the wrong side \(score (\S+)\)", state["say"])
        assert was is None or state["update"]


RATES = [("perceptron", {"eta0": 0.5}), ("perceptron", {"eta0": 0.5, "schedule": "inverse"})]
RATES += [("perceptron", {"rule": "batch", "eta0": 0.25}), ("logistic-batch", {"C": 0.5})]
RATES += [("logistic-stochastic", {"C": 0.5}), ("lms-batch", {}), ("lms-stochastic", {})]
RATES += [("lms-mini-batch", {"batch_size": 3})]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("algorithm", "params"), RATES)
def test_the_formula_of_a_step_is_filled_and_true(algorithm, params):
    """w ← … = a ± b·c·[…] … = [after]: each symbol has its number, and the sum is right."""
    name = "overlapping" if ALGORITHMS[algorithm].mode == "classes" else "noisy_line"
    run = answer(
        "fit", spec_of(name, ALGORITHMS[algorithm], {"n": 12}, params={**params, "max_iter": 4})
    )
    updates = 0
    for state in run["states"]:
        for line in state["formula"]:
            if not line.startswith("w ←"):
                continue
            updates += 1
            _, sum_, after = line.rsplit(" = ", 2)
            assert not re.search(r"[a-zA-Zηαy∇Σ]", sum_.replace("e−", "").replace("e+", ""))
            text = sum_.replace("−", "-").replace("·", "*")
            text = re.sub(r"\[(.*?)\]", lambda m: f"V([{','.join(m[1].split())}])", text)
            value = eval(text, {"V": np.array})
            wanted = [float(each) for each in after.strip("[]").replace("−", "-").split()]
            np.testing.assert_allclose(value, wanted, rtol=1e-3, atol=1e-4)
    assert updates > 0


def test_a_brief_run_is_the_end_of_the_whole():
    spec = spec_of("overlapping", ALGORITHMS["perceptron"], {"n": 12})
    whole = answer("fit", spec)
    end = answer("fit", {**spec, "brief": {"view": "weights"}})
    assert end["states"][-1] == whole["states"][-1]
    assert end["weights"]["states"][-1] == whole["weights"]["states"][-1]
    middle = answer("fit", {**spec, "brief": {"at": 3, "view": "loss"}})
    assert middle["start"] == 3
    assert middle["states"][1] == whole["states"][3]
    assert middle["states"][0]["lines"] == whole["states"][2]["lines"]
    assert middle["loss"] == whole["loss"]
    begin = answer("fit", {**spec, "brief": {"at": 0, "view": "loss"}})
    assert (begin["start"], begin["states"][0]) == (1, whole["states"][0])
    assert middle["ledger"] is middle["weights"] is None


def test_python_makes_the_run_again():
    spec = spec_of("xor", ALGORITHMS["svm"], params={"kernel": "poly", "degree": 2})
    run = answer("fit", spec)
    names: dict = {}
    code = "\n".join(line for line in run["python"].splitlines() if "plot" not in line)
    exec(compile(code, "run", "exec"), names)
    assert [tuple(pair) for pair in run["answer"]] == list(names["trace"].answer)


def test_everyone_counts_its_mistakes():
    made = sample("overlapping", {"n": 30})
    found = answer("everyone", made)
    X, y = np.array(made["data"]["points"]), np.array(made["data"]["labels"], dtype=int)
    model = ls.LeastSquaresClassifier().fit(X, y)
    mine = next(each for each in found["models"] if each["id"] == "least-squares")
    assert mine["mistakes"] == int((model.predict(X) != y).sum())
    assert len(found["models"]) >= 6
