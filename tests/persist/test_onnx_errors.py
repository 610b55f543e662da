"""What to_onnx refuses, in words; what an ONNX model says about itself."""

import json
import sys

import numpy as np
import onnx
import pytest
import sklearn.linear_model
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, RobustScaler

import linscope as ls
from linscope.data.columns import TableColumns
from linscope.persist.onnx import graph
from tests.registry import overlapping


def test_what_a_model_says_about_itself():
    X, y = overlapping()
    proto = ls.to_onnx(ls.LogisticRegression().fit(X, np.array(["no", "yes"])[y]))
    about = {one.key: one.value for one in proto.metadata_props}
    assert (proto.producer_name, proto.producer_version) == ("linscope", ls.__version__)
    assert about["class"] == "LogisticRegression"
    assert json.loads(about["classes"]) == ["no", "yes"]
    assert {one.domain for one in proto.opset_import} == {""}
    assert {node.domain for node in proto.graph.node} == {""}


def test_no_number_is_rounded_to_single_precision():
    X, y = overlapping()
    proto = ls.to_onnx(ls.SVC(probability=True).fit(X, y))
    kinds = {one.data_type for one in proto.graph.initializer}
    assert onnx.TensorProto.FLOAT not in kinds


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kernel", ["precomputed", lambda A, B: A @ B.T])
def test_kernels_without_a_formula(kernel):
    X, y = overlapping()
    given = X @ X.T if kernel == "precomputed" else X
    for model in (ls.SVC(kernel=kernel), ls.KernelPerceptron(kernel=kernel, max_iter=2)):
        model.fit(given, y)
        with pytest.raises(ValueError, match=r"cannot compute: fit it with one of the kernels rbf"):
            ls.to_onnx(model)


def test_models_and_steps_that_are_not_known():
    X, y = overlapping()
    with pytest.raises(TypeError, match=r"to_onnx does not know BayesianRidge"):
        ls.to_onnx(sklearn.linear_model.BayesianRidge().fit(X, y))
    with pytest.raises(TypeError, match=r"a step RobustScaler cannot be written"):
        ls.to_onnx(make_pipeline(RobustScaler(), ls.LinearSVC()).fit(X, y))
    with pytest.raises(TypeError, match=r"runs Python"):
        ls.to_onnx(make_pipeline(FunctionTransformer(np.abs), ls.LinearSVC()).fit(X, y))


def test_models_that_are_not_fitted():
    with pytest.raises(NotFittedError):
        ls.to_onnx(ls.SVC())


def test_texts_in_an_encoder():
    table = np.array([["a"], ["b"], ["a"], ["b"]], dtype=object)
    model = make_pipeline(OneHotEncoder(sparse_output=False), ls.LinearSVC()).fit(
        table, [0, 1, 0, 1]
    )
    with pytest.raises(TypeError, match=r"fitted to texts"):
        ls.to_onnx(model)


def test_labels_that_onnx_does_not_have():
    X, y = overlapping()
    labels = np.array([b"no", b"yes"])[y]
    with pytest.raises(TypeError, match=r"int64 and strings"):
        ls.to_onnx(ls.LogisticRegression().fit(X, labels))


def test_a_column_with_the_name_of_an_output():
    table = {"scores": [1.5, 2.0, 3.5, 4.0, 1.0], "age": [1.0, 3.0, 2.0, 5.5, 1.0]}
    model = make_pipeline(TableColumns(), ls.LinearRegression()).fit(table, [1, 2, 3, 4, 5])
    with pytest.raises(ValueError, match=r"column 'scores'.*rename"):
        ls.to_onnx(model)


def test_models_larger_than_a_file(monkeypatch):
    X, y = overlapping()
    monkeypatch.setattr(graph, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match=r"larger than 2 GB"):
        ls.to_onnx(ls.SVC().fit(X, y))


def test_without_the_package_onnx(monkeypatch):
    X, y = overlapping()
    model = ls.LinearSVC().fit(X, y)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'linscope\[onnx\]'"):
        ls.to_onnx(model)
