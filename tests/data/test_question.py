"""A table and a target: what is found, what is said, and what is refused."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

import linscope as ls
from linscope.data import read_table
from linscope.data.question import read_question
from linscope.selection.comparison import findings

N = 60
RNG = np.random.default_rng(1)
FRAME = pd.DataFrame(
    {
        "claim_id": np.arange(N) + 700,
        "age": RNG.integers(18, 80, N).astype(float),
        "colour": RNG.choice(["red", "green", "blue"], N),
        "remark": [f"customer {i} has called again" for i in range(N)],
        "team": RNG.choice(["a", "b", "c", "d"], N),
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.permutation(N), "D"),
        "churn": RNG.permutation(["yes", "no", "no"] * (N // 3)),
    }
)


def with_gaps(**rows):
    frame = FRAME.copy()
    for name, places in rows.items():
        frame.loc[places, name] = None
    return frame


def test_columns_and_matrix():
    question = read_question(FRAME, "churn", name="claims.csv")
    roles = {column.name: (column.kind, column.role) for column in question.columns}
    assert roles == {
        "claim_id": ("identifier", "left out"),
        "age": ("number", "feature"),
        "colour": ("category", "feature"),
        "remark": ("text", "left out"),
        "team": ("category", "feature"),
        "day": ("date", "feature"),
        "churn": ("yes/no", "target"),
    }
    assert [column.name for column in question.columns] == list(FRAME)
    assert question.names == ("age", "colour", "team", "day")
    assert (question.numeric, question.categorical, question.yes_no) == ((0, 3), (1, 2), ())
    codes = FRAME["colour"].astype("category")
    assert question.categories[1] == codes.cat.categories.tolist()
    np.testing.assert_array_equal(question.X[:, 0], FRAME["age"])
    np.testing.assert_array_equal(question.X[:, 1], codes.cat.codes)
    np.testing.assert_array_equal(question.X[:, 3], (FRAME["day"] - FRAME["day"].min()).dt.days)
    assert question.y.tolist() == FRAME["churn"].tolist()
    assert (question.task, question.classes, question.positive) == (
        "two classes",
        ("no", "yes"),
        "yes",
    )
    assert question.counts == (40, 20)
    assert (question.missing, question.dropped) == ("none", 0)
    assert question.table.columns["claim_id"].tolist() == FRAME["claim_id"].tolist()
    assert "left out: claim_id (identifier), remark (text)" in question.notes[1]
    assert all(isinstance(column, findings.Column) for column in question.columns)


def test_keep_and_drop():
    question = read_question(FRAME, "churn", keep=["claim_id"], drop="team")
    assert question.names == ("claim_id", "age", "colour", "day")
    team = next(column for column in question.columns if column.name == "team")
    assert (team.role, team.became) == ("left out", "left out as asked")


@pytest.mark.parametrize(
    ("values", "task", "classes"),
    [
        (["yes", "no"] * 10, "two classes", ("no", "yes")),
        (["True", "False"] * 10, "two classes", ("False", "True")),
        ([True, False] * 10, "two classes", (0, 1)),
        ([1, 0] * 10, "two classes", (0, 1)),
        ([1, -1] * 10, "two classes", (-1, 1)),
        ([2, 1] * 10, "two classes", (1, 2)),
        (["spam", "ham"] * 10, "two classes", ("ham", "spam")),
        (["positive", "unsure"] * 10, "two classes", ("unsure", "positive")),
        (["a", "b", "c", "a"] * 5, "classes", ("a", "b", "c")),
        ([3, 4, 5, 8] * 5, "classes", (3, 4, 5, 8)),
        ([0.5, 1, 2, 1] * 5, "number", ()),
        (list(range(21)) * 3, "number", ()),
        (list(range(20)) * 3, "classes", tuple(range(20))),
        ([2, 4, 0, 4, 6], "number", ()),
        ([1e300, 1, 2, 3] * 5, "number", ()),
    ],
)
def test_task_and_classes(values, task, classes):
    question = read_question({"x": RNG.normal(size=len(values)), "y": values}, "y")
    assert (question.task, question.classes) == (task, classes)
    assert question.positive == (classes[1] if task == "two classes" else None)
    if task == "number":
        assert question.y.dtype == np.float64
        assert "'y' is a number" in question.notes[0]
    else:
        assert question.y.tolist() == [
            int(v) if isinstance(v, bool) else v for v in pd.Series(values).tolist()
        ]
        restored = [question.classes[code] for code in question.codes]
        assert restored == question.y.tolist()


def test_task_can_be_forced():
    table = {"x": RNG.normal(size=20), "stars": [1, 2, 3, 4, 5] * 4}
    assert read_question(table, "stars").task == "classes"
    forced = read_question(table, "stars", task="number")
    assert (forced.task, forced.notes[0]) == (
        "number",
        "'stars' is a number, as asked: 5 different values from 1 to 5",
    )
    counts = {"x": RNG.normal(size=50), "count": list(range(25)) * 2}
    assert read_question(counts, "count", task="classes").task == "classes"


def test_positive():
    question = read_question(FRAME, "churn", positive="no")
    assert (question.classes, question.positive) == (("yes", "no"), "no")
    np.testing.assert_array_equal(question.codes, FRAME["churn"] == "no")
    numbers = FRAME.assign(churn=(FRAME["churn"] == "yes").astype(int))
    assert read_question(numbers, "churn", positive="0").classes == (1, 0)
    assert read_question(numbers, "churn", positive=0).positive == 0


def test_groups_and_order():
    question = read_question(FRAME, "churn", group="team", time="day")
    assert question.names == ("age", "colour")
    np.testing.assert_array_equal(question.groups, FRAME["team"].astype("category").cat.codes)
    np.testing.assert_array_equal(np.argsort(question.order), FRAME["day"].argsort())
    roles = {column.name: column.role for column in question.columns}
    assert (roles["team"], roles["day"]) == ("group", "time")
    by_number = read_question(FRAME, "churn", group="claim_id", time="age")
    np.testing.assert_array_equal(by_number.order, FRAME["age"])
    assert len(np.unique(by_number.groups)) == N


def test_missing_values_are_counted_by_column():
    frame = with_gaps(age=[3, 4], colour=[4, 9], churn=[11], team=[12], remark=[20])
    with pytest.raises(ValueError, match="missing") as caught:
        read_question(frame, "churn", group="team", name="claims.csv")
    assert str(caught.value) == (
        "claims.csv has missing values in 5 of 60 rows (age: 2, colour: 2, team: 1, churn: 1): "
        "choose missing='drop' to leave these rows out, or missing='impute' to fill in medians, "
        "and a category of its own, from the training rows"
    )


def test_missing_rows_are_dropped_or_kept():
    frame = with_gaps(age=[3, 4], colour=[4, 9], churn=[11], remark=[20])
    question = read_question(frame, "churn", missing="drop")
    expected = frame.dropna(subset=["age", "colour", "churn"])
    assert (question.missing, question.dropped) == ("drop", 4)
    assert question.rows.tolist() == expected.index.tolist()
    np.testing.assert_array_equal(question.X[:, 0], expected["age"])
    assert not np.isnan(question.X).any()
    assert question.y.tolist() == expected["churn"].tolist()

    question = read_question(frame, "churn", missing="impute")
    expected = frame.dropna(subset=["churn"])
    assert (question.missing, question.dropped) == ("impute", 1)
    np.testing.assert_array_equal(question.X[:, 0], expected["age"])
    assert np.isnan(question.X).sum() == 4
    # Nothing to fill in is not called imputation.
    assert read_question(FRAME, "churn", missing="impute").missing == "none"
    assert read_question(with_gaps(churn=[1]), "churn", missing="impute").missing == "drop"


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (FRAME, {"target": "chrun"}, r"no column 'chrun' \(target\).*did you mean 'churn'"),
        (
            FRAME,
            {"target": None},
            "which column is to be predicted.*target=.*one of claim_id, age",
        ),
        (FRAME, {"group": "teams"}, r"no column 'teams' \(group\).*did you mean 'team'"),
        (FRAME, {"time": "days"}, r"no column 'days' \(time\).*did you mean 'day'"),
        (FRAME, {"drop": ["agee"]}, r"no column 'agee' \(drop\).*did you mean 'age'"),
        (FRAME, {"keep": ["claim"]}, r"no column 'claim' \(keep\)"),
        (FRAME, {"time": "colour"}, "time column 'colour' .* neither numbers nor dates"),
        (FRAME, {"group": "churn"}, "'churn' cannot be both target and group"),
        (FRAME, {"positive": "Yess"}, "no class 'Yess'; its classes are no and yes; did you mean"),
        (
            FRAME,
            {"target": "colour", "positive": "red"},
            "has 3 classes, and a positive class .*positive=.red.",
        ),
        (FRAME, {"target": "age", "positive": "1"}, "is a number .* leave out positive=.1."),
        (FRAME, {"target": "remark"}, "target 'remark' looks like a text: 60 different texts"),
        (FRAME, {"target": "day"}, "target 'day' looks like a date"),
        (FRAME, {"missing": "mean"}, "missing must be 'drop' or 'impute', got 'mean'"),
        (FRAME, {"task": "regression"}, "task must be 'classes' or 'number'"),
        (FRAME, {"task": "number"}, "'churn' has text such as '(yes|no)', so it is not"),
        (FRAME.assign(age=0.5), {"target": "age"}, "'age' is 0.5 in every row"),
        (FRAME.assign(churn="no"), {}, "'churn' is no in every row: two classes are needed"),
        (
            FRAME.assign(churn=["maybe", *FRAME["churn"][1:]]),
            {},
            r"1 class with a single row \(maybe\).*take such rows out",
        ),
        (FRAME.assign(age=np.inf), {"keep": "age"}, "'age' has an infinite number at row 0"),
        (FRAME.assign(age=np.inf), {"target": "age"}, "'age' has an infinite number at row 0"),
        (FRAME.iloc[:0], {}, "has no rows"),
        (FRAME[["churn"]], {}, "no column left to predict from .*it has only the target"),
        (FRAME[["claim_id", "churn"]], {}, "no column left .*claim_id: its name.*keep="),
        (FRAME.assign(team="a"), {"group": "team"}, "group column 'team' has one group, a"),
        (with_gaps(age=range(0, N, 2), colour=range(1, N, 2)), {"missing": "drop"}, "every row"),
        (with_gaps(churn=range(N)), {"missing": "impute"}, "every row of the table lacks churn"),
    ],
)
def test_what_is_refused(frame, options, message):
    options = {"target": "churn"} | options
    with pytest.raises(ValueError, match=message) as caught:
        read_question(frame, **options)
    assert "\n" not in str(caught.value)


def test_numbers_that_are_no_classes():
    with pytest.raises(ValueError, match=r"numbers such as 1\.5, which are no classes"):
        read_question({"x": [1.5, 2, 3, 4], "y": [1, 1.5, 2, 1]}, "y", task="classes")


def test_arrays_and_a_target_beside_them():
    X, y = ls.datasets.load("iris")
    question = read_question(X, target_values=y)
    assert (question.task, question.classes, question.target) == ("classes", (0, 1, 2), "y")
    assert question.names == ("x1", "x2", "x3", "x4")
    np.testing.assert_array_equal(question.X, X)
    np.testing.assert_array_equal(question.y, y)
    # Numbers in an array are numbers, also if they count the rows.
    counted = read_question(np.arange(40.0)[:, None], target_values=[0, 1] * 20)
    assert counted.names == ("x1",)
    with pytest.raises(ValueError, match="150 rows, but the target 'y' has 3"):
        read_question(X, target_values=[1, 2, 3])
    with pytest.raises(ValueError, match="one column"):
        read_question(X, target_values=np.ones((150, 2)))


def test_frames_and_a_target_beside_them():
    features, y = FRAME[["age", "colour"]], FRAME["churn"]
    question = read_question(features, target_values=y)
    assert (question.target, question.names) == ("churn", ("age", "colour"))
    assert question.columns[-1].role == "target"
    # The target left in the table by mistake is no feature.
    assert read_question(FRAME, target_values=y).names == ("age", "colour", "team", "day")
    with pytest.raises(ValueError, match="a column 'churn' with other values than the target"):
        read_question(FRAME, target_values=y[::-1].rename("churn").to_numpy(), target="churn")


def test_sparse_rows(tmp_path):
    X = sp.random(30, 5, density=0.4, format="csr", random_state=0)
    X.data = X.data.round(2)
    y = np.array([0, 1, 1] * 10)
    dump_svmlight_file(X, y, str(tmp_path / "t.svm"))
    question = read_question(read_table(tmp_path / "t.svm"))
    assert (question.target, question.classes, question.task) == ("target", (0, 1), "two classes")
    assert (question.X != X).nnz == 0
    assert question.numeric == (0, 1, 2, 3, 4)
    assert question.columns[0].became == "5 numbers"
    beside = read_question(X, target_values=y)
    assert (beside.X != X).nnz == 0
    X.data[3] = np.inf
    with pytest.raises(ValueError, match="infinite"):
        read_question(X, target_values=y)


@pytest.mark.parametrize(
    ("name", "task", "classes"),
    [
        ("churn", "two classes", ("no", "yes")),
        ("breast_cancer", "two classes", ("malignant", "benign")),
        ("iris", "classes", ("setosa", "versicolor", "virginica")),
        ("digits", "classes", tuple(range(10))),
        ("diabetes", "number", ()),
    ],
)
def test_built_in_data_sets(name, task, classes):
    data = ls.datasets.load(name)
    question = read_question(data, name=name)
    assert (question.task, question.classes) == (task, classes)
    assert len(question.y) == len(data.X)
    if task != "number":
        np.testing.assert_array_equal(question.codes, data.y)
    with pytest.raises(TypeError, match="has a target of its own"):
        read_question(data, "other")


def test_hash_is_of_the_table_and_the_target(tmp_path):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    FRAME.to_parquet(tmp_path / "t.parquet")
    csv, parquet = (read_table(tmp_path / name) for name in ("t.csv", "t.parquet"))
    question = read_question(FRAME, "churn")
    assert len(question.sha256) == 64
    assert read_question(csv, "churn").sha256 == question.sha256
    assert read_question(parquet, "churn", drop="age").sha256 == question.sha256
    assert read_question(csv, "team").sha256 != question.sha256
    X, y = ls.datasets.load("iris")
    other = np.where(np.arange(150) == 7, 2, y)
    first, second = (read_question(X, target_values=labels).sha256 for labels in (y, other))
    assert first != second


def test_a_question_is_not_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        read_question(FRAME, "churn").name = "other"


def test_truth_values_are_classes_by_their_names_wherever_they_come_from(tmp_path):
    ill, x = [True, False, True, False], [1.0, 2.0, 0.5, 3.0]
    frame = pd.DataFrame({"x": x, "ill": ill})
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_feather(tmp_path / "t.arrow")
    frame.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    files = [read_table(tmp_path / name) for name in ("t.parquet", "t.arrow", "t.jsonl")]
    tables = [frame, frame.astype({"ill": "boolean"}), {"x": x, "ill": ill}, *files]
    found = [read_question(table, "ill") for table in tables]
    found += [read_question(frame[["x"]], "ill", target_values=y) for y in (ill, frame["ill"])]
    for question in found:
        assert question.classes == (False, True)
        assert question.y.tolist() == ill
        assert (question.positive, question.codes.tolist()) == (True, [1, 0, 1, 0])
        assert question.columns[-1].examples == ("True", "False")
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = read_question(read_table(tmp_path / "t.csv"), "ill")
    assert words.classes == ("False", "True")
    assert {question.sha256 for question in found} == {words.sha256}


def test_the_place_of_the_target_does_not_change_the_hash():
    columns = {"y": [0.0, 1.0, 0.0, 1.0], "a": [1.0, 2.0, 3.0, 5.0], "b": [4.0, 2.0, 2.0, 1.0]}
    inside = read_question(columns, "y")
    apart = read_question({"a": columns["a"], "b": columns["b"]}, "y", target_values=columns["y"])
    assert inside.sha256 == apart.sha256
    assert read_question({**columns, "b": [4.0, 2.0, 2.0, 1.5]}, "y").sha256 != inside.sha256
