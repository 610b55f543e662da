"""``linscope evaluate`` against scikit-learn's metrics and SciPy's intervals."""

import json

import numpy as np
import pytest
import sklearn.metrics as theirs
from scipy.stats import binomtest

import linscope as ls
from linscope.cli import main
from linscope.data.files import read_table

COMMAND = ["evaluate"]


def table_of(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)).round(3)
    score = X @ [2, -1] + rng.normal(size=n)
    kinds = np.array(["low", "mid", "top"])[np.digitize(score, [-1, 1])]
    lines = (
        f"{a},{b},{'yes' if s > 0 else 'no'},{kind},{s:.4f}\n"
        for (a, b), s, kind in zip(X, score, kinds, strict=True)
    )
    return "a,b,label,kind,price\n" + "".join(lines)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A model for each kind of target, a training and a test table."""
    folder = tmp_path_factory.mktemp("models")
    for name, seed, n in (("train", 0, 80), ("test", 1, 50)):
        (folder / f"{name}.csv").write_text(table_of(seed, n))
    for key, target in (("logistic", "label"), ("linear-svm", "kind"), ("ridge", "price")):
        others = ",".join({"label", "kind", "price"} - {target})
        words = ["fit", key, folder / "train.csv", "--target", target, "--drop", others]
        words += ["--save", folder / f"{target}.linscope", "--quiet"]
        assert main([*map(str, words)]) == 0
    return folder


def judged(run, *words):
    code, out, err = run(*words, "--json")
    assert code == 0, err
    return json.loads(out)


def test_two_classes(run, made):
    said = judged(run, made / "label.linscope", made / "test.csv", "--level", 0.9)
    model, table = ls.load(made / "label.linscope"), read_table(made / "test.csv")
    y, guess = table.columns["label"], model.predict(table)
    p = model.predict_proba(table)[:, 1]
    assert said["accuracy"] == pytest.approx(theirs.accuracy_score(y, guess))
    assert said["precision"] == pytest.approx(theirs.precision_score(y, guess, pos_label="yes"))
    assert said["recall"] == pytest.approx(theirs.recall_score(y, guess, pos_label="yes"))
    assert said["roc_auc"] == pytest.approx(theirs.roc_auc_score(y == "yes", p))
    assert said["log_loss"] == pytest.approx(theirs.log_loss(y, model.predict_proba(table)))
    assert said["confusion_matrix"] == theirs.confusion_matrix(y, guess).T[::-1, ::-1].tolist()
    low, high = binomtest(int((y == guess).sum()), len(y)).proportion_ci(0.9, method="exact")
    assert said["intervals"]["accuracy"] == pytest.approx([low, high])
    assert said["training_table"] is False


def test_the_other_class_as_the_positive_one(run, made):
    words = (made / "label.linscope", made / "test.csv")
    one, other = judged(run, *words), judged(run, *words, "--positive", "no")
    assert other["recall"] == one["specificity"]
    assert other["roc_auc"] == pytest.approx(one["roc_auc"])


def test_several_classes(run, made):
    said = judged(run, made / "kind.linscope", made / "test.csv")
    table = read_table(made / "test.csv")
    y, guess = table.columns["kind"], ls.load(made / "kind.linscope").predict(table)
    assert said["labels"] == ["low", "mid", "top"]
    recalls = theirs.recall_score(y, guess, average=None)
    assert said["recall"] == pytest.approx(recalls.tolist())


def test_numbers(run, made):
    said = judged(run, made / "price.linscope", made / "test.csv")
    table = read_table(made / "test.csv")
    y, guess = table.columns["price"], ls.load(made / "price.linscope").predict(table)
    assert said["rmse"] == pytest.approx(theirs.root_mean_squared_error(y, guess))
    assert said["mae"] == pytest.approx(theirs.mean_absolute_error(y, guess))
    assert said["r2"] == pytest.approx(theirs.r2_score(y, guess))


def test_the_training_table_is_named_as_such(run, made):
    _, out, _ = run(made / "price.linscope", made / "train.csv")
    assert "These are the rows that it was fitted to" in out
    _, out, _ = run(made / "price.linscope", made / "test.csv")
    assert "fitted to" not in out


def test_rows_without_answers_or_values(run, made, write):
    path = write("a,b,label\n1,1,yes\n2,?,yes\n3,0,\n-1,-1,no\n")
    code, out, err = run(made / "label.linscope", path, "--json")
    assert code == 1
    assert json.loads(out)["judged"] == 2
    assert "1 rows have no answer" in err
    assert "1 of 4 rows have a missing or infinite value" in err


BAD = [
    ("a,b,lable\n1,1,yes\n", [], "no column 'label' with the answers; did you mean 'lable'?"),
    ("a,b,label\n1,1,maybe\n", [], "classes that the model does not know: 'maybe' in 1 rows"),
    ("a,b,label\n1,1,yes\n", ["--positive", "yse"], "did you mean 'yes'?"),
    ("a,label\n1,yes\n", [], "it lacks 'b'"),
    ("a,b,label\n1,1,\n", [], "no row has both an answer"),
]


@pytest.mark.parametrize(("text", "words", "said"), BAD, ids=[said for _, _, said in BAD])
def test_bad_input(run, made, write, text, words, said):
    code, out, err = run(made / "label.linscope", write(text), *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
