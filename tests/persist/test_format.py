"""The format is what docs/model_files.md says, and files of the first version stay readable."""

import hashlib
import warnings
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

import linscope as ls
from linscope.data.question import read_question
from linscope.persist import read_about
from tests.registry import three_classes

from .checks import split

# Written by linscope 0.1.0 from TABLE with ``read_question``, ``preparation`` and a logistic
# regression, as ``linscope fit`` makes them. It is never written again.
FIRST = Path(__file__).parents[1] / "data" / "model_v1.linscope"
TABLE = {
    "age": [31.0, 18.0, 50.0, 44.0, 27.0, 63.0, 39.0, 22.0],
    "plan": ["basic", "plus", "basic", "gold", "plus", "gold", "basic", "plus"],
    "since": ["2024-02-01", "2023-12-31", "2024-01-15", "2024-03-01"] * 2,
    "y": ["stay", "leave", "stay", "leave", "leave", "stay", "leave", "stay"],
}
NEW = {"age": [20.0, 60.0, 35.0], "plan": ["plus", "basic", "none"], "since": ["2024-02-20"] * 3}
# Of the model that was saved.
LABELS = ["leave", "stay", "stay"]
SHARES = [0.36642739723400053, 0.758368350588177, 0.5099898698901674]


def first():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a newer scikit-learn, one day
        return ls.load(FIRST)


def test_a_file_of_the_first_version_predicts_what_it_did():
    model = first()
    assert model.predict(NEW).tolist() == LABELS
    np.testing.assert_allclose(model.predict_proba(NEW)[:, 1], SHARES, rtol=1e-12)
    assert model["columns"].unknown_ == {"plan": 1}
    assert read_about(FIRST)["target"] == "y"


def test_a_file_of_the_first_version_is_what_a_fit_gives_now_and_its_claim_holds():
    model, question = first(), read_question(TABLE, "y")
    rows = model["prepare"].transform(question.X)
    assert model["model"].verify(rows, question.y)
    again = ls.LogisticRegression().fit(rows, question.y)
    np.testing.assert_allclose(model["model"].coef_, again.coef_, rtol=1e-6)


def test_safetensors_reads_our_files(tmp_path):
    X, y = three_classes()
    model = ls.LogisticRegression().fit(X, y)
    path = tmp_path / "m.safetensors"
    ls.save(model, path)
    header, document, _ = split(path.read_bytes())
    place = document["model"]["fields"]["coef_"]["tensor"]
    with safe_open(path, "np") as file:
        np.testing.assert_array_equal(file.get_tensor(place), model.coef_)
        assert sorted(file.keys()) == sorted(header.keys() - {"__metadata__"})
        assert file.metadata()["linscope"] == "1"


def test_the_checksum_is_that_of_the_whole_file_with_zeros_in_its_place():
    data = FIRST.read_bytes()
    digits = read_about(FIRST)["file"]["sha256"].encode()
    assert data.count(digits) == 1
    assert hashlib.sha256(data.replace(digits, b"0" * 64)).hexdigest().encode() == digits


def test_another_scikit_learn_is_a_warning_where_its_transformers_are(tmp_path, monkeypatch):
    monkeypatch.setattr("sklearn.__version__", "1.99.0")
    with pytest.warns(UserWarning, match="written with scikit-learn 1.9"):
        ls.load(FIRST)
    X, y = three_classes()
    monkeypatch.setattr("sklearn.__version__", "1.98.0")
    ls.save(ls.LogisticRegression().fit(X, y), tmp_path / "m")
    monkeypatch.setattr("sklearn.__version__", "1.99.0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ls.load(tmp_path / "m")


def test_a_file_that_lacks_a_field_with_a_default_gets_the_default(tmp_path):
    """So that later versions may add parameters."""
    from .checks import sealed

    X, y = three_classes()
    ls.save(ls.LogisticRegression().fit(X, y), tmp_path / "m")
    header, document, tensors = split((tmp_path / "m").read_bytes())
    del document["model"]["fields"]["warm_start"]
    del document["model"]["fields"]["certificate_"]["fields"]["parts"]
    (tmp_path / "m").write_bytes(sealed(header, document, tensors))
    model = ls.load(tmp_path / "m")
    assert model.warm_start is False
    assert model.certificate_.parts == {}
    assert model.certificate_.parts is not ls.load(tmp_path / "m").certificate_.parts
