"""Bad requests get one sentence that says what is wrong."""

import copy
import json

import numpy as np
import pytest

import linscope as ls
from linscope.web.algorithms import ALGORITHMS
from linscope.web.answers import answer
from linscope.web.limits import KERNEL_POINTS, LARGEST, POINTS
from linscope.web.samples import sample
from linscope.web.spec import BadSpec

GOOD = {
    "data": {"points": [[0.0, 0.0], [1.0, 1.0]], "labels": ["a", "b"]},
    "mode": "classes",
    "algorithm": "perceptron",
    "params": {},
}


def with_(path, value):
    spec = copy.deepcopy(GOOD)
    *way, last = path
    here = spec
    for name in way:
        here = here[name]
    here[last] = value
    return spec


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["algorithm"], "perceptrn", "did you mean 'perceptron'"),
        (["algorithm"], None, "no algorithm"),
        (["mode"], "clases", "'classes' or 'regression'"),
        (["mode"], "regression", "is for classes"),
        (["data", "points"], [], "no points"),
        (["data", "points"], [[0, 0]] * (POINTS + 1), "take a sample"),
        (["data", "points"], [[0, 0], [1, 10**4000]], "numbers must be"),
        (["data", "labels"], ["a", "b\0"], r"control character U\+0000"),
        (["data", "features"], ["a", "\u202eb"], r"control character U\+202E"),
        (["data", "features"], ["a", "\ud800"], r"U\+D800"),
        (["data", "points"], [[0, 0], [1]], "point 1"),
        (["data", "points"], [[0, 0], [1, "x"]], "not a number"),
        (["data", "points"], [[0, 0], [1, float("nan")]], "numbers must be"),
        (["data", "points"], [[0, 0], [1, 1e300]], "numbers must be"),
        (["data", "labels"], ["a", "a"], "second class"),
        (["data", "labels"], ["a"], "one label for each"),
        (["data", "labels"], ["a", 1], "label of point 1"),
        (["data", "names"], ["only one"], "names"),
        (["params"], {"eta": 1}, "eta0"),
        (["params"], {"eta0": -1}, "rate"),
        (["params"], {"rule": "singel"}, "single"),
        (["params"], {"max_iter": 2.5}, "whole number"),
        (["params"], [], "JSON object"),
        (["start"], 0, "start"),
        (["exact"], "yes", "true or false"),
        (["extra"], 1, "there is no 'extra'"),
    ],
)
def test_one_sentence_for_each_mistake(path, value, said):
    with pytest.raises(BadSpec, match=said) as caught:
        answer("fit", with_(path, value))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_kernels_take_fewer_points():
    many = {
        "points": [[float(k), 0.0] for k in range(KERNEL_POINTS + 1)],
        "labels": ["a", "b"] * (KERNEL_POINTS // 2) + ["a"],
    }
    with pytest.raises(BadSpec, match=f"at most {KERNEL_POINTS}"):
        answer("fit", {**GOOD, "data": many, "algorithm": "svm"})


TABLE = "a,b,kind\n1,2,x\n2,1,y\n3,4,x\n"


def test_a_table_is_read():
    found = answer("table", {"text": TABLE})
    assert (found["x"], found["y"], found["mode"]) == (["a", "b"], "kind", "classes")
    assert found["data"]["points"] == [[1.0, 2.0], [2.0, 1.0], [3.0, 4.0]]
    assert found["data"]["labels"] == ["x", "y", "x"]


def test_numbers_make_a_regression():
    found = answer("table", {"text": "a;b\n1;2.5\n2;3\n3;4\n4;9\n", "x": ["a"], "y": "b"})
    assert (found["mode"], found["data"]["labels"]) == ("regression", [2.5, 3.0, 4.0, 9.0])


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        ("", {}, "column names"),
        ("a\n1\n2\n3\n", {}, "one column"),
        ("1,2\n3,4\n5,6\n", {}, "names of the columns"),
        ("a,a\n3,4\n5,6\n", {}, "same name"),
        ("a,b\n3\n5,6\n", {}, "line 2"),
        ("a,b,c\n1,,x\n2,3,y\n", {"x": ["b"], "y": "c"}, "empty in line 2"),
        ("1,2,x\n3,4,y\n5,6,x\n", {}, "first line has numbers"),
        ("a,b,k\n1,2,x\n2,oops,y\n3,4,x\n", {"x": ["a", "b"], "y": "k"}, "'oops' in line 3"),
        ("a,k\nu,x\nv,y\nw,x\nz,x\n", {}, "no column of numbers.*'a' has 4 different texts"),
        (TABLE, {"y": "kin"}, "did you mean 'kind'"),
        (TABLE, {"x": ["kind"], "y": "a"}, "column of numbers"),
        ("a,b,k\n1,2,x\n2,3,y\n\0,4,x\n", {"x": ["a"], "y": "b"}, "is not a number"),
    ],
)
def test_bad_tables(text, more, said):
    with pytest.raises(BadSpec, match=said):
        answer("table", {"text": text, **more})


def test_a_sample_of_many_rows():
    rows = [(k, (k * 7) % 10, "xy"[k % 2]) for k in range(5000)]
    text = "a,b,kind\n" + "".join(f"{a},{b},{kind}\n" for a, b, kind in rows)
    found = answer("table", {"text": text})
    assert found["rows"] == 5000
    taken = [tuple(point) for point in found["data"]["points"]]
    assert len(set(taken)) == POINTS
    places = [int(a) for a, _ in taken]
    assert places == sorted(places)
    assert [(a, b, k) for (a, b), k in zip(taken, found["data"]["labels"], strict=True)] == [
        rows[place] for place in places
    ]
    assert np.abs(np.mean(places) - 2500) < 300  # five standard errors


@pytest.mark.parametrize("power", [20, 300])
def test_large_numbers_are_numbers(power):
    found = answer("table", {"text": f"a,b,kind\n1e{power},2,x\n2,1,y\n3e{power},4,x\n"})
    assert found["x"] == ["a", "b"]
    unit = 10.0**power if power > 100 else 1.0
    assert found["data"]["points"][0][0] * unit == pytest.approx(10.0**power)
    assert found["data"]["points"][2][0] == 3 * found["data"]["points"][0][0]
    assert (found["data"]["features"][0] == "a") == (power < 100)
    assert [note for note in found["notes"] if "in units of" in note] or power < 100
    run = answer("fit", {**GOOD, "data": found["data"]})
    assert run["box"][1] > found["data"]["points"][2][0]


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=list(ALGORITHMS))
def test_the_largest_numbers_have_a_picture(algorithm):
    points, labels = [[0.0, 0.0], [1.0, 2.0], [2.0, 1.0], [LARGEST, 3.0]], ["a", "b", "a", "b"]
    if algorithm.mode == "regression":
        points, labels = [[x] for x, _ in points], [1.0, 2.0, 3.0, LARGEST]
    spec = {"data": {"points": points, "labels": labels}, "mode": algorithm.mode}
    params = {"max_iter": 3} if any(p.name == "max_iter" for p in algorithm.parameters) else {}
    run = answer("fit", {**spec, "algorithm": algorithm.id, "params": params})
    json.dumps(run, allow_nan=False)


@pytest.mark.parametrize(
    ("cell", "said"), [("oops", "'oops' in line 3, which is not a number"), ("", "empty in line 3")]
)
def test_a_column_with_a_mistake_is_left_out_and_named(cell, said):
    found = answer("table", {"text": f"a,b,kind\n1,2,x\n2,{cell},y\n3,4,x\n"})
    assert found["x"] == ["a"]
    (note,) = found["notes"]
    assert said in note
    assert "left out" in note


def test_decimal_commas_where_columns_end_with_semicolons():
    found = answer("table", {"text": "a;b;kind\n1,5;2;x\n-2,25;3;y\n3;4;x\n"})
    assert found["data"]["points"] == [[1.5, 2.0], [-2.25, 3.0], [3.0, 4.0]]


def test_the_petals_are_those_of_scikit_learn():
    flowers = ls.datasets.load("iris")
    data = sample("iris")["data"]
    assert data["points"] == flowers.X[:, 2:].tolist()
    assert data["labels"] == [flowers.target_names[label] for label in flowers.y.tolist()]
    assert data["features"] == flowers.feature_names[2:]
    assert sample("iris_two")["data"]["points"] == data["points"][50:]
