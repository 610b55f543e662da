"""``linscope verify`` of models: what was changed after the fit is found."""

import json

import numpy as np
import pytest

import linscope as ls
from linscope.cli import main
from linscope.persist import read_about

COMMAND = ["verify"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verified")
    rng = np.random.default_rng(2)
    x, z = rng.normal(size=(2, 50)).round(3)
    label = np.where(x - z + rng.normal(size=50) > 0, "yes", "no")
    lines = [
        f"{a},{'' if i == 7 else b},{c}"
        for i, (a, b, c) in enumerate(zip(x, z, label, strict=True))
    ]
    (folder / "t.csv").write_text("\n".join(["x,z,label", *lines]) + "\n")
    words = ["fit", "logistic", folder / "t.csv", "--target", "label", "--scale"]
    words += ["--missing", "impute", "--save", folder / "m.linscope", "--quiet"]
    assert main([*map(str, words)]) == 0
    return folder


def forged(made, tmp_path, change):
    """The model after a change, in a file that is whole and says the same of its table."""
    model, about = ls.load(made / "m.linscope"), read_about(made / "m.linscope")
    del about["file"]
    change(model)
    ls.save(model, tmp_path / "forged.linscope", about=about)
    return tmp_path / "forged.linscope"


def test_a_true_model_is_confirmed(run, made):
    code, out, err = run(made / "m.linscope", made / "t.csv")
    assert (code, err) == (0, "")
    assert out.startswith("verified: the objective is above the minimum by at most")
    assert "the one of the fit, by its hash" in out
    assert "made again from the table, the same" in out
    assert run(made / "m.linscope", "--data", made / "t.csv")[1] == out


def test_changed_weights_are_found(run, made, tmp_path):
    def change(model):
        model[-1].coef_ = model[-1].coef_ * 1.01

    code, out, _ = run(forged(made, tmp_path, change), made / "t.csv")
    assert code == 1
    assert out.startswith("REJECTED: ")


def test_a_changed_preparation_is_found(run, made, tmp_path):
    def change(model):
        model["prepare"].named_transformers_["numbers"][-1].mean_ += 0.1

    code, out, _ = run(forged(made, tmp_path, change), made / "t.csv")
    assert code == 1
    assert "Preparation in the file is not what the table gives" in out


def test_another_table_is_found(run, made, write):
    text = (made / "t.csv").read_text()
    code, out, _ = run(made / "m.linscope", write(text.replace("yes", "no", 1)))
    assert code == 1
    assert "is not the table of m.linscope" in out
    code, out, _ = run(made / "m.linscope", write("q,r\n1,2\n"), "--json")
    assert code == 1
    assert json.loads(out)["table"] == "another"


def test_models_of_python_need_the_name_of_the_target(run, tmp_path, write):
    X, y = ls.datasets.load("or")
    ls.save(ls.Perceptron().fit(X, y), tmp_path / "or.linscope")
    path = write("a,b,y\n" + "".join(f"{a:g},{b:g},{c}\n" for (a, b), c in zip(X, y, strict=True)))
    assert run(tmp_path / "or.linscope", path)[0] == 2
    code, out, _ = run(tmp_path / "or.linscope", path, "--target", "y")
    assert code == 0
    assert "the file does not say which" in out
    wrong = write(path.read_text().replace("1,1,1", "1,1,-1"), "wrong.csv")
    assert run(tmp_path / "or.linscope", wrong, "--target", "y")[0] == 1


def test_a_model_may_have_any_name(run, made, tmp_path):
    (tmp_path / "model.bin").write_bytes((made / "m.linscope").read_bytes())
    assert run(tmp_path / "model.bin", made / "t.csv")[0] == 0


def test_no_model_and_no_report(run, made, write):
    code, out, err = run(write("?", "x.linscope"), made / "t.csv")
    assert (code, out, err.count("\n")) == (2, "", 1)
    code, out, err = run("gone.linscope", made / "t.csv")
    assert (code, out) == (2, "")
    assert "does not exist" in err
