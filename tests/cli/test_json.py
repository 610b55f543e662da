"""What ``--json`` prints is what the Python interface says."""

from fractions import Fraction

import numpy as np
import pytest

import linscope as ls


@pytest.fixture
def document(run, read_json):
    def of(*words):
        code, out, err = run(*words, "--json")
        assert (code, err) == (0, "")
        return read_json(out)

    return of


def test_separable(document):
    found = document("separate", "or")
    verdict = ls.separability(ls.datasets.load("or"))
    assert (found["separable"], found["verdict"], found["verified"]) == (True, "strict", True)
    assert found["weights"] == verdict.weights.tolist()
    for name in ("margin", "radius", "gamma", "bound"):
        assert found[name] == getattr(verdict, name)
    assert found["support"] == verdict.support.tolist()
    exact = [Fraction(text) for text in found["exact_weights"]]
    X, y = ls.datasets.load("or")
    scores = [exact[0] + sum(w * int(x) for w, x in zip(exact[1:], row, strict=True)) for row in X]
    assert all(score * int(label) > 0 for score, label in zip(scores, y, strict=True))


def test_not_separable(document):
    found = document("separate", "xor")
    assert found["verdict"] == "no"
    X, y = ls.datasets.load("xor")
    point = [Fraction(text) for text in found["point"]]
    for side, label in (("positive", 1), ("negative", -1)):
        shares = {int(row): Fraction(share) for row, share in found[side].items()}
        assert sum(shares.values()) == 1
        assert all(y[row] == label for row in shares)
        mean = [sum(share * int(X[row, j]) for row, share in shares.items()) for j in range(2)]
        assert mean == point


def test_many_classes(document):
    found = document("separate", "iris")
    data = ls.datasets.load("iris")
    verdict = ls.separability(data.X, np.array([data.target_names[c] for c in data.y]))
    assert found["classes"] == list(verdict.classes)
    for name, one in verdict.one_vs_rest.items():
        assert found["one_vs_rest"][name]["verdict"] == one.kind
    kinds = [each["verdict"] for each in found["pairwise"]]
    assert kinds == [one.kind for one in verdict.pairwise.values()]


def test_steps_of_a_perceptron(document):
    found = document("trace", "perceptron", "students")
    data = ls.datasets.load("students")
    run = ls.trace(ls.Perceptron(**data.settings), data)
    frame = run.to_frame(backend="dict")
    assert len(found["steps"]) == len(frame["step"])
    for name, values in frame.items():
        assert [row[name] for row in found["steps"]] == values.tolist()
    assert found["coef"] == run.estimator.coef_.tolist()
    assert found["intercept"] == run.estimator.intercept_.tolist()
    assert found["parameters"]["init"] == data.settings["init"]
    assert found["certificate"]["ok"] is found["verified"] is True


def test_exact_steps_are_fractions(document):
    found = document("trace", "perceptron", "students", "--exact")
    weights = [Fraction(str(found["steps"][-1][f"w{j}"])) for j in range(5)]
    printed = ls.datasets.worked_examples()["students"]["runs"][0]["weights"]
    assert weights == [Fraction(str(value)) for value in printed]


def test_infinite_parameters_are_text(document):
    found = document("trace", "svm", "or", "--kernel", "linear", "--C", "inf")
    assert found["parameters"]["C"] == "inf"
    np.testing.assert_allclose(found["coef"], [[2, 2]])


def test_rows_and_updates_of_a_document(document):
    assert len(document("trace", "perceptron", "or", "--rows", "3")["steps"]) == 3
    assert len(document("trace", "perceptron", "non_separable")["steps"]) == 5000
    words = ["trace", "perceptron", "non_separable", "--updates", "900:915"]
    assert [row["k"] for row in document(*words)["steps"]] == list(range(900, 916))


def test_a_derivation(document):
    found = document("trace", "regression", "five_points")
    line = ls.LinearRegression().fit(ls.datasets.load("five_points"))
    assert (found["coef"], found["intercept"]) == (line.coef_.tolist(), line.intercept_)
    fitted = [row["fitted"] for row in found["steps"]]
    np.testing.assert_allclose(fitted, line.predict(ls.datasets.load("five_points").X))


def test_a_line_from_moments(document):
    found = document("trace", "regression", "sbp_age")
    assert (found["verified"], found["steps"]) == (None, [])
    assert found["quantities"]["slope"] == found["coef"][0]
    assert round(found["coef"][0], 2) == 0.97  # as the notes print it
    assert document("diagnose", "sbp_age")["verdicts"] is None


@pytest.mark.parametrize("options", [{}, {"robust": "HC3", "level": 0.9}])
def test_diagnosis(document, options):
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    found = document("diagnose", "diabetes", *words)
    data = ls.datasets.load("diabetes")
    model = ls.LinearRegression().fit(data)
    summary = model.summary(**options)
    for name in ("coefficients", "standard_errors", "p_values", "intervals"):
        np.testing.assert_array_equal(found["table"][name], getattr(summary, name))
    assert found["table"]["r2"] == summary.r2
    assert found["table"]["names"][1:] == data.feature_names
    diagnosis = model.diagnose()
    assert [each["ok"] for each in found["verdicts"]] == [each.ok for each in diagnosis]
    for said, verdict in zip(found["verdicts"], diagnosis, strict=True):
        assert [t["statistic"] for t in said["tests"]] == [t.statistic for t in verdict.tests]
    np.testing.assert_array_equal(list(found["vif"].values()), list(diagnosis.vif.values()))


def test_datasets(document):
    found = document("datasets")["datasets"]
    assert [each["name"] for each in found] == ls.datasets.names()
    for each in found:
        data = ls.datasets.load(each["name"])
        shape = (None, None) if data.X is None else data.X.shape
        assert (each["rows"], each["features"]) == shape


def test_examples(document):
    found = document("examples", "or")
    assert found["ok"] is True
    assert all(line["ok"] for each in found["examples"] for line in each["lines"])


def test_a_figure_beside_the_document(document, tmp_path):
    path = tmp_path / "or.png"
    document("separate", "or", "--quiet", "--plot", path)
    assert path.read_bytes().startswith(b"\x89PNG")
