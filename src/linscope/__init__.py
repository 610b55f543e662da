"""linscope: linear models that you can see, trust and scale.

Conventions
-----------
- A sample is augmented, ``x = [1, x1 ... xd]``, so ``w[0]`` is the bias and the score is ``w·x``.
- Labels can be anything; inside, binary is -1 / +1 (the second of the sorted labels is +1) and K
  classes are 0 ... K-1 in sorted order. A one-hot or ±1 matrix ``y`` means classes 0 ... K-1.
- ``Perceptron`` visits samples in the given order, starts from zeros and counts score 0 as a
  mistake. It stops after n correct visits in a row (``stop="streak"``) or after a pass without
  mistakes (``stop="pass"``).
- The lecture notes disagree about score 0: ``tie="update"`` counts it as a mistake,
  ``"positive"`` is sign(0) = +1, ``"negative"`` is their second class (-1). ``predict`` follows;
  ``"update"`` predicts +1 at 0.
- The bound R²/γ² holds for the single-sample rule from zeros with a constant rate, no margin and
  no weights, with γ the *augmented* maximum margin; it is claimed only there.
- float32 in gives float32 ``coef_`` and predictions; sums are accumulated in float64.
- Everything is deterministic for a given ``random_state``, and the same for 1 and N threads.
"""

from importlib import import_module as _import_module

from linscope._version import __version__

# Public name -> module that defines it. Nothing is imported before it is used, so that
# ``import linscope`` stays quick.
_PUBLIC = {
    "ApproximateSVC": "kernel_svm.estimators.approximate_svc",
    "Check": "results",
    "Comparison": "selection.comparison.result",
    "Derivation": "tracing.derivation",
    "FisherDiscriminant": "discriminants.estimators.fisher",
    "GaussianNaiveBayes": "discriminants.estimators.naive_bayes",
    "GridPath": "kernel_svm.path.result",
    "HuberRegressor": "least_squares.estimators.huber",
    "KernelPerceptron": "perceptron.estimators.kernel_perceptron",
    "LeastSquaresClassifier": "discriminants.estimators.least_squares_classifier",
    "LinearRegression": "least_squares.estimators.linear_regression",
    "LinearSVC": "linear_svm.estimators.linear_svc",
    "LogisticRegression": "logistic.estimators.logistic_regression",
    "NotSeparable": "separation.verdicts",
    "Observer": "results",
    "Perceptron": "perceptron.estimators.perceptron",
    "PolynomialFeatures": "data",
    "ProgressBar": "results",
    "QuasiSeparable": "separation.verdicts",
    "RadialFeatures": "data",
    "RegularizationPath": "logistic.path.result",
    "Ridge": "least_squares.estimators.ridge",
    "SVC": "kernel_svm.estimators.svc",
    "Separable": "separation.verdicts",
    "Status": "results",
    "Trace": "tracing.trace_object",
    "augment": "data",
    "checkpoint": "engines.checkpoint.front",
    "compare": "selection.compare",
    "compress": "engines.compress",
    "evaluate": "metrics",
    "gradient_descent": "fitting.any_function",
    "load": "persist.model_files",
    "observe": "results",
    "path": "selection.path",
    "playground": "web.hosts.widget",
    "progress": "results",
    "reflect": "data",
    "save": "persist.model_files",
    "scan": "engines.scan",
    "separability": "separation.question",
    "to_onnx": "persist.onnx.front",
    "trace": "tracing.start",
}
_MODULES = {"datasets": "data.datasets", "plot": "plot"}

__all__ = ["__version__", *_PUBLIC, *_MODULES]


def __getattr__(name):
    if name in _PUBLIC:
        value = getattr(_import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    elif name in _MODULES:
        value = _import_module(f"{__name__}.{_MODULES[name]}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted(__all__)
