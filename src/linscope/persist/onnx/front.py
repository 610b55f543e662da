"""``to_onnx``: which function writes which model; inputs, outputs and metadata of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from linscope._printable import json_text, printable
from linscope._version import __version__
from linscope.data.columns import TableColumns
from linscope.discriminants.estimators.fisher import FisherDiscriminant
from linscope.discriminants.estimators.least_squares_classifier import LeastSquaresClassifier
from linscope.discriminants.estimators.naive_bayes import GaussianNaiveBayes
from linscope.fitting.linear_prediction import Hyperplanes
from linscope.kernel_svm.estimators.approximate_svc import ApproximateSVC
from linscope.kernel_svm.estimators.svc import SVC
from linscope.least_squares.estimators.huber import HuberRegressor
from linscope.least_squares.estimators.linear_regression import LinearRegression
from linscope.least_squares.estimators.ridge import Ridge
from linscope.linear_svm.estimators.linear_svc import LinearSVC
from linscope.logistic.estimators.logistic_regression import LogisticRegression
from linscope.perceptron.estimators.kernel_perceptron import KernelPerceptron
from linscope.perceptron.estimators.perceptron import Perceptron
from linscope.selection.comparison.scoring.balanced import BalancedDecision

from . import decisions, kernels, linear
from .columns import named_inputs
from .exact import score_error
from .graph import FORMAT, OPSET, Answer, Graph
from .transformers import transformed

MODELS: dict[type, Callable[[Graph, Any, str], Answer]] = {
    ApproximateSVC: kernels.approximate_svc,
    FisherDiscriminant: linear.posterior_scores,
    GaussianNaiveBayes: linear.naive_bayes,
    HuberRegressor: linear.regression,
    KernelPerceptron: kernels.kernel_perceptron,
    LeastSquaresClassifier: linear.linear_scores,
    LinearRegression: linear.regression,
    LinearSVC: linear.linear_svc,
    LogisticRegression: linear.logistic_regression,
    Perceptron: linear.perceptron,
    Ridge: linear.regression,
    SVC: kernels.svc,
}
OUTPUTS = ("label", "scores", "probabilities", "prediction")


def to_onnx(model: Any) -> Any:
    """A fitted model, or a pipeline that ends with one, as an ONNX model in float64.

    The graph has plain operators only, which onnxruntime computes in double precision: labels are
    those of ``predict``, scores and probabilities agree to about 1e-12.

    Parameters
    ----------
    model : fitted estimator of linscope, or a ``Pipeline`` of steps and such an estimator
        Steps may be scikit-learn's StandardScaler, MaxAbsScaler, SimpleImputer, MissingIndicator,
        OneHotEncoder, PolynomialFeatures, ColumnTransformer, Nystroem and RBFSampler, linscope's
        RadialFeatures, and what ``ls.compare`` and the command line put before a model.

    Returns
    -------
    onnx.ModelProto
        Write it with ``onnx.save(proto, path)``, or give ``proto.SerializeToString()`` to
        ``onnxruntime.InferenceSession``. Its input is ``X``, float64 (n, d). Where the pipeline
        begins by reading a table there is an input (n, 1) for each column, with its name.
        Outputs of a classifier: ``label`` (int64 or string; truth values and whole floats become
        int64), ``scores`` as of ``decision_function``, and ``probabilities`` if it has them. Of a
        regression: ``prediction``. The metadata hold the class, the names of features and the
        classes; of a linear model also ``score_error``: the largest rounding error of a score or a
        prediction, as a share of its size.

    Raises
    ------
    ImportError
        If the package onnx is missing: ``pip install linscope[onnx]``.
    ValueError, TypeError
        If the model, a step or a kernel cannot be written as ONNX.

    Notes
    -----
    NaN and infinity are refused by linscope, but not by a graph: what it says then means nothing.

    Examples
    --------
    >>> import linscope as ls, numpy as np, onnxruntime
    >>> X, y = ls.datasets.load("iris")
    >>> model = ls.LogisticRegression().fit(X, y)
    >>> proto = ls.to_onnx(model)
    >>> session = onnxruntime.InferenceSession(proto.SerializeToString())
    >>> label, scores, probabilities = session.run(None, {"X": X})
    >>> np.array_equal(label, model.predict(X))
    True
    >>> bool(np.abs(probabilities - model.predict_proba(X)).max() < 1e-12)
    True
    """
    _need_onnx()
    check_is_fitted(model)
    try:
        return _written(model)
    except UnicodeEncodeError as error:  # half of a surrogate pair
        name = printable(str(error.object))
        raise ValueError(f"the name '{name}' is not valid Unicode: rename it for ONNX") from None


def _written(model: Any) -> Any:
    graph = Graph()
    x = _inputs(graph, model)
    answer = _answer(graph, model, x)
    classes = getattr(model, "classes_", None)
    if classes is None:
        targets = np.shape(_last(model).coef_)[:-1]
        graph.output("prediction", answer.prediction, "number", *targets)
    else:
        _classifier_outputs(graph, answer, classes)
    return _proto(graph, model, classes)


def _need_onnx() -> None:
    try:
        import onnx  # noqa: F401
    except ImportError as error:
        raise ImportError("to_onnx needs the package onnx: pip install 'linscope[onnx]'") from error


def _inputs(graph: Graph, model: Any) -> str:
    """The matrix X, or a column of a table for each feature."""
    first = _first(model)
    if not isinstance(first, TableColumns):
        return graph.input("X", "number", first.n_features_in_)
    x = named_inputs(graph, first)
    taken = [one.name for one in graph.inputs if one.name in OUTPUTS]
    if taken:
        raise ValueError(
            f"the table has a column {taken[0]!r}, but that is the name of an output of the ONNX "
            "model: rename the column and fit again"
        )
    return x


def _answer(graph: Graph, model: Any, x: str) -> Answer:
    if isinstance(model, FrozenEstimator):
        return _answer(graph, model.estimator, x)
    if type(model) is Pipeline:
        for _, step in model.steps[:-1]:
            x = transformed(graph, step, x)
        return _answer(graph, model.steps[-1][1], x)
    if type(model) is BalancedDecision:  # argmax P_k / π_k
        answer = _answer(graph, model.estimator_, x)
        gain = graph("Div", answer.probabilities, model.shares_)
        return answer._replace(number=decisions.largest(graph, gain))
    if type(model) not in MODELS:
        raise TypeError(
            f"to_onnx does not know {type(model).__name__}; it writes "
            f"{', '.join(kind.__name__ for kind in MODELS)}, and pipelines that end with one of "
            "these"
        )
    return MODELS[type(model)](graph, model, x)


def _classifier_outputs(graph: Graph, answer: Answer, classes: np.ndarray) -> None:
    labels = label_values(classes)
    kind = "text" if labels.dtype == object else "whole number"
    graph.output("label", graph("Gather", labels, answer.number, axis=0), kind)
    graph.output("scores", answer.scores, "number", *([len(classes)] if len(classes) > 2 else []))
    if answer.probabilities:
        graph.output("probabilities", answer.probabilities, "number", len(classes))


def label_values(classes: np.ndarray) -> np.ndarray:
    """Labels as ONNX holds them: int64, or texts in an array of objects.

    >>> label_values(np.array([False, True])), label_values(np.array(["a", "b"]))
    (array([0, 1]), array(['a', 'b'], dtype=object))
    """
    values = classes.tolist()
    if all(isinstance(value, str) for value in values):
        return np.array(values, dtype=object)
    if all(isinstance(value, bool | int | float) for value in values):
        whole = [int(value) for value in values]
        if all(-(2**63) <= value < 2**63 for value in whole):
            return np.array(whole, dtype=np.int64)
    raise TypeError(
        f"labels such as {values[0]!r} cannot be written as ONNX, which has int64 and strings: fit "
        "the model to such labels"
    )


def _first(model: Any) -> Any:
    """The step that sees the rows as they are given."""
    inside = _inside(model)
    return _first(inside[0]) if inside else model


def _last(model: Any) -> Any:
    """The model itself, without what is before or around it."""
    inside = _inside(model)
    return _last(inside[-1]) if inside else model


def _inside(model: Any) -> list[Any]:
    if isinstance(model, FrozenEstimator):
        return [model.estimator]
    if isinstance(model, BalancedDecision):
        return [model.estimator_]
    if not isinstance(model, Pipeline):
        return []
    return [step for _, step in model.steps if step is not None and step != "passthrough"]


def _proto(graph: Graph, model: Any, classes: np.ndarray | None) -> Any:
    from onnx.helper import make_graph, make_model, make_opsetid, set_model_props

    name = type(_last(model)).__name__
    parts = graph.nodes, name, graph.inputs, graph.outputs, graph.constants
    proto = make_model(
        make_graph(*parts),
        opset_imports=[make_opsetid("", OPSET)],
        ir_version=FORMAT,
        producer_name="linscope",
        producer_version=__version__,
    )
    names = list(getattr(_first(model), "feature_names_in_", []))
    about = {"class": name, "feature_names": json_text(names)}
    last = _last(model)
    if isinstance(last, Hyperplanes) and hasattr(last, "coef_"):
        about["score_error"] = f"{score_error(np.shape(last.coef_)[-1]):.3g}"
    if classes is not None:
        about["classes"] = json_text(classes.tolist())
    set_model_props(proto, about)
    return proto
