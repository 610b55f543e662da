"""``linscope fit``: options are the estimators' parameters, weights those of Python."""

import json
import re
from dataclasses import fields

import numpy as np
import pytest
import sklearn.linear_model

import linscope as ls
from linscope.cli.fresh.models import MODELS, NOT_HERE, class_of, options_of
from linscope.data.files import read_table

COMMAND = ["fit"]
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2)).round(3)
LABELS = np.where(X @ [2, -1] + rng.normal(size=60) > 0, "yes", "no")
PLANS = np.array(["basic", "plus", "gold"])[np.arange(60) % 3]
PRICES = (X @ [3, 1] + 5 + rng.normal(size=60)).round(3)
TABLE = "a,b,plan,price,label\n" + "".join(
    f"{a},{b},{plan},{price},{label}\n"
    for (a, b), plan, price, label in zip(X, PLANS, PRICES, LABELS, strict=True)
)
NUMBERS = ["regression", "ridge", "huber"]
CLASSES = [key for key in MODELS if key not in NUMBERS]


@pytest.fixture
def table(write):
    return write(TABLE)


def found(run, *words):
    code, out, err = run(*words, "--json")
    assert code == 0, err
    return json.loads(out)


@pytest.mark.parametrize("key", MODELS)
def test_options_are_the_parameters(key):
    cls = class_of(key)
    options = options_of(cls)
    assert {one.name for one in fields(options)} == set(cls().get_params()) - set(NOT_HERE)
    assert options().parameters() == {
        name: value for name, value in cls().get_params().items() if name not in NOT_HERE
    }


@pytest.mark.parametrize("key", MODELS)
def test_the_help_lists_them_with_words(run, key):
    code, out, _ = run(key, "--help")
    assert code == 0
    assert out.index("Examples") < out.index("╭")
    for one in fields(options_of(class_of(key))):
        line = re.search(rf"--{one.name.replace('_', '-')}\b[^\n]*\n[^\n]*", out)
        assert line, one.name
        assert re.search(r"[a-z]{3,} [a-z]+", line[0]), f"no words on {one.name}"


def test_weights_are_those_of_python_and_of_scikit_learn(run, table):
    words = ("logistic", table, "--target", "label", "--drop", "plan,price", "--C", 0.5)
    said = found(run, *words)
    ours = ls.LogisticRegression(C=0.5).fit(X, LABELS)
    assert said["weights"]["coef"] == ours.coef_.tolist()
    assert said["weights"]["intercept"] == ours.intercept_.tolist()
    theirs = sklearn.linear_model.LogisticRegression(C=0.5, tol=1e-10).fit(X, LABELS)
    np.testing.assert_allclose(said["weights"]["coef"], theirs.coef_, rtol=1e-4)
    assert said["training"]["accuracy"] == theirs.score(X, LABELS)
    assert said["certificate"]["ok"]


def test_categories_are_columns_but_the_first(run, table):
    said = found(run, "ridge", table, "--target", "price", "--drop", "label", "--alpha", 2)
    assert said["weights"]["features"] == ["a", "b", "plan=gold", "plan=plus"]
    dummies = np.column_stack([X, PLANS == "gold", PLANS == "plus"])
    theirs = sklearn.linear_model.Ridge(alpha=2).fit(dummies, PRICES)
    np.testing.assert_allclose(said["weights"]["coef"][0], theirs.coef_, rtol=1e-9)
    without = found(
        run, "ridge", table, "--target", "price", "--drop", "label", "--no-fit-intercept"
    )
    assert "plan=basic" in without["weights"]["features"]


def test_missing_numbers_become_the_median(run, write):
    gaps = write("x,y\n" + "".join(f"{'' if i == 3 else i},{2 * i}\n" for i in range(12)))
    assert run("regression", gaps, "--target", "y")[0] == 2
    said = found(run, "regression", gaps, "--target", "y", "--missing", "impute")
    x = np.arange(12.0)
    x[3] = np.median(np.delete(x, 3))
    design = np.column_stack([x, np.arange(12) == 3])
    theirs = sklearn.linear_model.LinearRegression().fit(design, 2 * np.arange(12))
    np.testing.assert_allclose(said["weights"]["coef"][0], theirs.coef_, rtol=1e-9)
    assert said["weights"]["features"] == ["x", "x is missing"]


def test_the_rule_of_a_scaled_fit_is_in_the_units_of_the_table(run, table):
    """Least squares is the same line whatever the units; the rule has six digits."""
    words = ("regression", table, "--target", "price", "--drop", "label,plan")
    plain, scaled = found(run, *words), found(run, *words, "--scale")
    assert plain["rule"] == scaled["rule"]
    assert plain["rule"][0].startswith("price = ")
    assert plain["weights"]["coef"] != scaled["weights"]["coef"]


def test_values_of_every_kind_reach_the_estimator(run, table, tmp_path):
    path = tmp_path / "m.linscope"
    options = ("--C", "inf", "--penalty", "none", "--class-weight", "yes:2,no:1")
    options += ("--tol", "1e-5", "--max-iter", 50, "--random-state", 3)
    words = ("logistic", table, "--target", "label", "--drop", "plan,price")
    code, out, err = run(*words, *options, "--save", path, "--quiet")
    assert (code, err) == (0, "")
    assert "Next:" not in out
    model = ls.load(path)[-1]
    expected = {"C": np.inf, "penalty": None, "class_weight": {"yes": 2.0, "no": 1.0}}
    expected |= {"tol": 1e-5, "max_iter": 50, "random_state": 3}
    assert expected.items() <= model.get_params().items()
    said = ls.persist.read_about(path)
    assert (said["target"], said["positive"], said["rows"]) == ("label", "yes", 60)
    # The command in the file gives the same model again.
    again = found(run, *said["command"].split()[2:])
    assert again["weights"]["coef"] == model.coef_.tolist()


def test_the_reference_class_has_no_weights(run):
    coef = found(run, "logistic", "iris", "--reference", "versicolor")["weights"]["coef"]
    assert coef[1] == [0, 0, 0, 0]


def test_numbers_as_classes(run, write):
    path = write("x,y\n1,0\n2,1\n3,0\n4,1\n5,1\n")
    said = found(run, "logistic", path, "--target", "y", "--class-weight", "0:1,1:3")
    assert said["classes"] == [0, 1]
    assert run("perceptron", path, "--target", "y", "--init", "0,1/2")[0] == 0


def test_notes_data_of_one_row_per_class(run):
    code, out, err = run("svm", "two_points", "--kernel", "linear", "--C", "inf")
    assert code == 0, err
    assert "2 support vectors of 2 rows" in out


def test_the_screen(run, table):
    code, out, err = run("fisher", table, "--target", "label", "--drop", "price")
    assert (code, err) == (0, "")
    lines = ["FisherDiscriminant on table.csv: 60 rows, 3 columns as 4 features"]
    lines += ["label' has two classes", "⇒ yes", "training rows", "new rows usually fare worse"]
    lines += ["✓ the equations were solved", "--save model.linscope"]
    for words in lines:
        assert words in out
    shown, _, _ = out.partition("Next:")  # commands are never broken
    assert max(map(len, shown.splitlines())) <= 120
    assert not any(line != line.rstrip() for line in out.splitlines())


BAD = [
    (["logistik"], 'Did you mean "logistic"?'),
    (["logistic", "TABLE"], "which column is to be predicted?"),
    (["logistic", "TABLE", "--target", "lable"], "did you mean 'label'?"),
    (["logistic", "TABLE", "--target", "label", "--C", "0"], "give a number above 0"),
    (["logistic", "TABLE", "--target", "label", "--C", "many"], "'many' is not a number"),
    (["logistic", "TABLE", "--target", "label", "--max-iter", "1.5"], "whole number of at least"),
    (["logistic", "TABLE", "--target", "label", "--solver", "newtn"], 'Did you mean "newton"?'),
    (["logistic", "TABLE", "--target", "label", "--class-weight", "5"], "as in no:1,yes:5"),
    (["logistic", "TABLE", "--target", "label", "--class-weight", "yse:5"], "did you mean 'yes'?"),
    (["logistic", "TABLE", "--target", "price"], "take regression, ridge or huber"),
    (["ridge", "TABLE", "--target", "label"], "take logistic, fisher or linear-svm"),
    (["svm", "TABLE", "--target", "label", "--kernel", "precomputed"], "Choose from"),
    (["ridge", "TABLE", "--target", "price", "--save", "no/m.linscope"], "there is no folder no"),
    (["ridge", "TABLE", "--target", "price", "--save", "TABLE"], "is no model of linscope"),
    (["ridge", "nowhere.csv", "--target", "price"], "does not exist"),
    (["ridge", "sbp_age"], "moments"),
]


@pytest.mark.parametrize(("words", "said"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_input_is_one_line(run, table, words, said):
    before = table.read_bytes()
    code, out, err = run(*(table if word == "TABLE" else word for word in words))
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert table.read_bytes() == before


def test_a_model_may_replace_a_model(run, table, tmp_path):
    path = tmp_path / "m.linscope"
    for alpha in (1, 2):
        words = ("ridge", table, "--target", "price", "--alpha", alpha, "--save", path)
        assert run(*words, "--quiet")[0] == 0
    assert ls.load(path)[-1].alpha == 2
    (tmp_path / "notes.txt").write_text("mine")
    code, _, err = run("ridge", table, "--target", "price", "--save", tmp_path / "notes.txt")
    assert code == 2
    assert "--force" in err
    forced = ("--save", tmp_path / "notes.txt", "--force", "--quiet")
    assert run("ridge", table, "--target", "price", *forced)[0] == 0


SMALL = {"perceptron": ["--max-iter", 20], "kernel-perceptron": ["--max-iter", 20]}
SMALL["approximate-svm"] = ["--n-components", 5]


@pytest.mark.share(2)
@pytest.mark.parametrize("key", MODELS)
def test_every_model_end_to_end(capsys, monkeypatch, table, tmp_path, key):
    """Fit, predict, evaluate and verify on files: predictions are those of Python."""
    from linscope.cli import main

    def call(*words):
        code = main([*map(str, words)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    target, drop = ("price", "label") if key in NUMBERS else ("label", "price")
    path, scored = tmp_path / "m.linscope", tmp_path / "scored.csv"
    words = ("--target", target, "--drop", drop, "--scale", *SMALL.get(key, ()))
    code, out, err = call("fit", key, table, *words, "--save", path)
    assert code == 0, err
    assert "linscope predict" in out
    assert call("predict", path, table, "--out", scored)[0] == 0
    columns = read_table(scored).columns
    predicted = ls.load(path).predict(read_table(table))
    assert columns["predicted"].tolist() == predicted.tolist()
    code, out, err = call("evaluate", path, table, "--json")
    assert code == 0, err
    said = json.loads(out)
    if key in NUMBERS:
        assert said["rmse"] == pytest.approx(np.sqrt(np.mean((predicted - PRICES) ** 2)))
    else:
        assert said["accuracy"] == pytest.approx(np.mean(predicted == LABELS))
    code, out, err = call("verify", path, table)
    finished = ls.load(path)[-1].certificate_.ok
    assert code == (0 if finished else 1), err + out
    assert out.startswith("verified: " if finished else "not finished: ")


def test_a_folder_is_read_in_batches(run, capsys, tmp_path):
    from linscope.cli import main

    pq = pytest.importorskip("pyarrow.parquet")
    pa = pytest.importorskip("pyarrow")
    both = pa.table({"a": X[:, 0], "b": X[:, 1], "price": PRICES})
    for part in range(2):
        pq.write_table(both.slice(30 * part, 30), tmp_path / f"part-{part}.parquet")
    model = tmp_path / "m.linscope"
    words = ["regression", str(tmp_path), "--target", "price"]
    answer = found(run, *words, "--save", str(model))
    expected = ls.LinearRegression().fit(X, PRICES)
    np.testing.assert_allclose(answer["weights"]["coef"][0], expected.coef_, rtol=1e-9)
    assert answer["rows"] == 60
    assert list(ls.load(model).feature_names_in_) == ["a", "b"]
    code, out, _ = run(*words)
    assert code == 0
    assert "60 rows in batches" in out
    assert main(["predict", str(model), str(tmp_path / "part-0.parquet"), "--only"]) == 0
    shown = capsys.readouterr()
    assert "warning" not in shown.err
    values = np.array(shown.out.split()[1:], dtype=float)
    np.testing.assert_allclose(values, expected.predict(X[:30]), rtol=1e-9)


def test_a_fit_with_a_checkpoint_goes_on(run, tmp_path, monkeypatch):
    from linscope.engines.checkpoint.journal import Journal

    pq = pytest.importorskip("pyarrow.parquet")
    pa = pytest.importorskip("pyarrow")
    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1], "price": PRICES}), tmp_path / "t.parquet")
    place = tmp_path / "c"
    words = ["ridge", str(tmp_path / "t.parquet"), "--target", "price", "--checkpoint", str(place)]

    with monkeypatch.context() as patch:
        append, full = Journal._append, iter([False, False, False, True])

        def fails(*words):
            if next(full):
                raise OSError(28, "No space left on device")
            return append(*words)

        patch.setattr(Journal, "_append", fails)
        code, _, err = run(*words)
    assert code == 2
    assert "No space left" in err
    assert place.exists()
    code, _, err = run("ridge", "--alpha", "3", *words[1:])
    assert code == 2
    assert "is the checkpoint of Ridge(alpha=1.0" in " ".join(err.split())
    answer = found(run, *words)
    np.testing.assert_allclose(answer["weights"]["coef"][0], ls.Ridge().fit(X, PRICES).coef_)
    assert not place.exists()
    code, _, err = run("fisher", "iris", "--checkpoint", str(place))
    assert code == 2
    assert "for fits to tables in files" in err


TEXTS = {
    "colour": np.array(["red", "blue", "green"])[np.arange(60) % 3],
    "open": np.array(["no", "yes"])[np.arange(60) // 7 % 2],
}


def test_text_columns_in_batches_are_saved_with_their_texts(run, capsys, tmp_path):
    from linscope.cli import main

    pq = pytest.importorskip("pyarrow.parquet")
    pa = pytest.importorskip("pyarrow")
    both = pa.table({**TEXTS, "a": X[:, 0], "price": PRICES})
    pq.write_table(both, tmp_path / "part.parquet")
    model, words = tmp_path / "m.linscope", ["regression", str(tmp_path), "--target", "price"]
    names = found(run, *words)["weights"]["features"]
    assert names == ["colour=green", "colour=red", "open=yes", "a"]
    answer = found(run, *words, "--save", str(model))
    assert sorted(answer["weights"]["features"]) == sorted(names)
    assert main(["predict", str(model), str(tmp_path / "part.parquet"), "--only"]) == 0
    shown = capsys.readouterr()
    assert "warning" not in shown.err
    colour, is_open = TEXTS["colour"], TEXTS["open"]
    Z = np.c_[X[:, 0], is_open == "yes", colour == "green", colour == "red"].astype(float)
    expected = ls.LinearRegression().fit(Z, PRICES).predict(Z)
    np.testing.assert_allclose(np.array(shown.out.split()[1:], dtype=float), expected, rtol=1e-9)
    assert main(["verify", str(model), str(tmp_path / "part.parquet")]) == 0


@pytest.mark.parametrize("texts", [["2024-01-01", "2024-02-01"], [f"t{k:03}" for k in range(60)]])
def test_texts_that_a_table_in_memory_would_not_have_are_not_saved(run, tmp_path, texts):
    pq = pytest.importorskip("pyarrow.parquet")
    pa = pytest.importorskip("pyarrow")
    column = np.array(texts)[np.arange(120) % len(texts)]
    table = pa.table({"colour": column, "price": np.r_[PRICES, PRICES]})
    pq.write_table(table, tmp_path / "part.parquet")
    model = tmp_path / "m.linscope"
    words = ["ridge", str(tmp_path), "--target", "price"]
    assert found(run, *words)["rows"] == 120
    code, _, err = run(*words, "--save", str(model))
    assert code == 2
    assert "--drop colour" in err
    assert not model.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--scale", "--target", "price"], "--scale needs all rows in memory"),
        ([], "Name it with --target"),
        (["--target", "prize"], "did you mean 'price'"),
    ],
)
def test_what_a_table_in_batches_does_not_have(run, tmp_path, words, said):
    pq = pytest.importorskip("pyarrow.parquet")
    pa = pytest.importorskip("pyarrow")
    pq.write_table(pa.table({"a": X[:, 0], "price": PRICES}), tmp_path / "t.parquet")
    code, _, err = run("regression", str(tmp_path), *words)
    assert code == 2
    assert said in " ".join(err.split())


SETS = ["or", "non_separable", "two_points", "students"]
TWO = [(key, name) for key in ("perceptron", "logistic", "linear-svm") for name in SETS]
TWO += [("fisher", "or"), ("fisher", "non_separable")]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("key", "name"), TWO)
def test_the_rule_ends_with_the_positive_class_and_is_what_predict_does(run, key, name):
    options = {"tie": "negative"} if key == "perceptron" else {}
    code, out, err = run(key, name, "--quiet", *(["--tie", "negative"] if options else []))
    assert code == 0, err
    positive = re.search(r"; (.*) is the positive one", out)[1]
    left, relation, right, label = re.search(r"rule +(.*) ([>≥]) (\S+) ⇒ (.*)", out).groups()
    assert label == positive
    data = ls.datasets.load(name)
    words = {y: text if text.isalpha() or " " in text else str(y) for y, text in names_of(data)}
    y = np.array([words[each] for each in data.y.tolist()])
    numbers = all(each.lstrip("-").isdigit() for each in words.values())
    model = class_of(key)(**options).fit(data.X, y.astype(int) if numbers else y)
    for x, predicted in zip(data.X, model.predict(data.X), strict=True):
        terms = left.replace("·", "*").replace("−", "-")
        for k in sorted(range(len(x)), key=lambda k: -len(data.feature_names[k])):
            terms = terms.replace(data.feature_names[k], f"({x[k]})")
        value, border = eval(terms), float(right.replace("−", "-"))
        # the rule has six digits
        said = relation == "≥" if abs(value - border) < 1e-5 else value > border
        assert said == (str(predicted) == positive)


def names_of(data):
    return [(y, data.target_names.get(y, str(y))) for y in set(data.y.tolist())]


def test_the_weights_of_programs_say_for_which_class_they_are(run):
    said = found(run, "logistic", "non_separable")
    assert (said["positive"], said["weights"]["positive_score"]) == ("class 1", "class 2")
    assert said["rule"][0].endswith("⇒ class 1")


def test_facts_and_advice_name_the_options(run):
    said = " ".join(run("perceptron", "non_separable")[1].split())
    assert "raise --max-iter; otherwise use --output averaged, voted or pocket" in said
    said = " ".join(run("logistic", "or", "--C", "inf")[1].split())
    assert "(--penalty l2) or --penalty firth" in said
    assert "penalty=" not in said
