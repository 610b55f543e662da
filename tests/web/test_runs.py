"""Every number that the page shows is the trace's, and every picture is its definition."""

import json

import numpy as np
import pytest

import linscope as ls
from linscope.web.algorithms import ALGORITHMS
from linscope.web.answers import answer
from linscope.web.samples import sample
from linscope.web.spec import read_spec

TWO = [each for each in ALGORITHMS.values() if each.mode == "classes"]
SMALL = {"max_iter": 4}


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
    assert run["bound"]["updates"][-1] <= run["bound"]["bound"]
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


def test_a_brief_run_is_the_end_of_the_whole():
    spec = spec_of("overlapping", ALGORITHMS["perceptron"], {"n": 12})
    whole = answer("fit", spec)
    end = answer("fit", {**spec, "brief": {"view": "weights"}})
    assert end["states"][-1] == whole["states"][-1]
    assert end["weights"]["states"][-1] == whole["weights"]["states"][-1]
    middle = answer("fit", {**spec, "brief": {"at": 3, "view": "loss"}})
    assert [k for k, state in enumerate(middle["states"]) if state] == [2, 3]
    assert middle["states"][3] == whole["states"][3]
    assert middle["loss"] == whole["loss"]
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
