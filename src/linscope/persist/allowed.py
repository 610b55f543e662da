"""The classes that a model file may name, and what is kept of each.

A file says "LogisticRegression"; this table says where that class is. Nothing else is imported, and
no constructor runs: attributes are put in place. Classes that are not here cannot be saved.

Estimators   parameters (``get_params``), and the fitted attributes in ``keeps``
records      dataclasses and named tuples, with all their fields
enumerations by name
"""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache
from importlib import import_module
from inspect import signature
from typing import Any, NamedTuple

# Attributes that any estimator may have.
COMMON = "n_features_in_ feature_names_in_ classes_ certificate_ _sklearn_output_config"

# What ``LinearRegression.summary`` takes from the solver's result; left out if it is large.
SUMMARY = ("rss", "tss", "inverse_root")
SMALL = 64 << 20


class Row(NamedTuple):
    """Where an estimator is, and what a file has of it.

    keeps : fitted attributes that are written
    leaves : fitted attributes that are not; using them after ``load`` is an error that says so
    blank : parameters and attributes that are None after ``load``: rows, and how to use the machine
    never : parameters that must be None, because they would be functions
    """

    module: str
    keeps: str = ""
    leaves: str = ""
    blank: str = ""
    never: str = ""


_GOING_ON = "_settings _initial _progress _seed _first_epoch"
_SQUARES = Row(
    "linscope.least_squares.estimators.linear_regression",
    "coef_ intercept_ rank_ n_iter_ result_ _moments _targets _weighted _explained _weight_kind",
    blank="_training _counts",
)

ESTIMATORS: dict[str, Row] = {
    "LinearRegression": _SQUARES,
    "Ridge": _SQUARES._replace(module="linscope.least_squares.estimators.ridge"),
    "HuberRegressor": Row(
        "linscope.least_squares.estimators.huber",
        "coef_ intercept_ scale_ outliers_ n_iter_ _targets",
        "result_",
    ),
    "Perceptron": Row(
        "linscope.perceptron.estimators.perceptron",
        "coef_ intercept_ committees_ n_iter_ n_updates_ _weights " + _GOING_ON,
        "results_ _random " + _GOING_ON,  # files of before have not what partial_fit goes on from
    ),
    "KernelPerceptron": Row(
        "linscope.perceptron.estimators.kernel_perceptron",
        "support_ support_vectors_ dual_coef_ intercept_ committees_ n_iter_ n_updates_ _gamma "
        "_rows",
        "results_ _gram_rows _random _seed _first_epoch",
    ),
    "LeastSquaresClassifier": Row(
        "linscope.discriminants.estimators.least_squares_classifier",
        "coef_ intercept_ rank_ _moments _weighted _seen",
        "result_",
    ),
    "FisherDiscriminant": Row(
        "linscope.discriminants.estimators.fisher",
        "coef_ intercept_ scalings_ direction_ means_ priors_ xbar_ covariance_ criterion_ "
        "explained_variance_ratio_ shrinkage_ _n_features_out _moments _weighted _seen",
    ),
    "GaussianNaiveBayes": Row(
        "linscope.discriminants.estimators.naive_bayes",
        "theta_ var_ class_prior_ class_count_ _moments _weighted _seen",
    ),
    "LogisticRegression": Row(
        "linscope.logistic.estimators.logistic_regression",
        "coef_ intercept_ n_iter_ _weights _weight_kind",
        "results_",
        blank="_training _seen",
    ),
    "LinearSVC": Row(
        "linscope.linear_svm.estimators.linear_svc",
        "coef_ intercept_ n_iter_ alphas_ slack_ support_ margin_",
        "results_ _last",
    ),
    "SVC": Row(
        "linscope.kernel_svm.estimators.svc",
        "shape_fit_ alphas_ slack_ support_ n_support_ support_vectors_ intercept_ dual_coef_ "
        "margin_ n_iter_ slope_ _coef _gamma _rows",
        "results_",
    ),
    "ApproximateSVC": Row(
        "linscope.kernel_svm.estimators.approximate_svc",
        "map_ linear_ comparison_ _gamma",
    ),
    "BalancedDecision": Row("linscope.selection.comparison.scoring.balanced", "estimator_ shares_"),
    "RadialFeatures": Row("linscope.data.features", "centers_"),
    "TableColumns": Row("linscope.data.columns", "columns_in_ unknown_ kinds_ categories_"),
    "Preparation": Row(
        "linscope.validation.preparation",
        "transformers_ output_indices_ sparse_output_ _columns _remainder "
        "_transformer_to_input_indices _transformers_feature_names_out _n_features",
        blank="n_jobs",
    ),
    "Categories": Row(
        "linscope.validation.preparation",
        "categories_ drop_idx_ _drop_idx_after_grouping _infrequent_enabled _infrequent_indices "
        "_default_to_infrequent_mappings _n_features_outs _missing_indices",
    ),
    "CategoryNames": Row("linscope.validation.preparation"),
    "Pipeline": Row("sklearn.pipeline", blank="memory"),
    "FrozenEstimator": Row("sklearn.frozen"),
    "StandardScaler": Row("sklearn.preprocessing", "mean_ var_ scale_ n_samples_seen_"),
    "MaxAbsScaler": Row("sklearn.preprocessing", "max_abs_ scale_ n_samples_seen_"),
    "SimpleImputer": Row(
        "sklearn.impute", "statistics_ indicator_ _fit_dtype _fill_dtype _n_features"
    ),
    "MissingIndicator": Row("sklearn.impute", "features_ _n_features _precomputed"),
    "PolynomialFeatures": Row(
        "sklearn.preprocessing", "n_output_features_ _min_degree _max_degree _n_out_full"
    ),
    "DummyClassifier": Row(
        "sklearn.dummy", "class_prior_ n_classes_ n_outputs_ sparse_output_ _strategy"
    ),
    "DummyRegressor": Row("sklearn.dummy", "constant_ n_outputs_"),
    # What stands for "passthrough" in a fitted ColumnTransformer.
    "FunctionTransformer": Row(
        "sklearn.preprocessing", blank="kw_args inv_kw_args", never="func inverse_func"
    ),
    "Nystroem": Row(
        "sklearn.kernel_approximation",
        "components_ component_indices_ normalization_ _n_features_out",
        blank="n_jobs",
    ),
    "RBFSampler": Row(
        "sklearn.kernel_approximation", "random_weights_ random_offset_ _gamma _n_features_out"
    ),
}  # fmt: skip
ESTIMATORS["OneHotEncoder"] = ESTIMATORS["Categories"]._replace(module="sklearn.preprocessing")
ESTIMATORS["ColumnTransformer"] = ESTIMATORS["Preparation"]._replace(module="sklearn.compose")

RECORDS: dict[str, str] = {
    "LeastSquaresCertificate": "linscope.least_squares.certificates.least_squares",
    "HuberCertificate": "linscope.least_squares.certificates.huber",
    "PerceptronCertificate": "linscope.perceptron.certificates.perceptron",
    "KernelPerceptronCertificate": "linscope.perceptron.certificates.perceptron",
    "ManyCertificates": "linscope.perceptron.certificates.perceptron",
    "LeastSquaresClassifierCertificate": (
        "linscope.discriminants.certificates.least_squares_classifier"
    ),
    "FisherCertificate": "linscope.discriminants.certificates.fisher",
    "NaiveBayesCertificate": "linscope.discriminants.certificates.naive_bayes",
    "LogisticCertificate": "linscope.logistic.certificates.logistic",
    "LinearSVMCertificate": "linscope.linear_svm.certificates.linear_svm",
    "KernelSVMCertificate": "linscope.kernel_svm.certificates.kernel_svm",
    "Committee": "linscope.perceptron.solvers.voted",
    "Progress": "linscope.perceptron.solvers.loops",
    "Comparison": "linscope.kernel_svm.estimators.approximate_svc",
    "ClassMoments": "linscope.discriminants.solvers.moments",
    "Moments": "linscope.least_squares.solvers.moments",
    "Frame": "linscope.rows.pilot",
    "Pair": "linscope.arithmetic.double_double",
    "Result": "linscope.results",
    "Kind": "linscope.data.kinds",
    "Dates": "linscope.data.dates",
}

ENUMS: dict[str, str] = {"Status": "linscope.results"}


@cache
def class_of(name: str) -> Any:
    """The class of a name in the tables; KeyError for any other name."""
    module = ESTIMATORS[name].module if name in ESTIMATORS else {**RECORDS, **ENUMS}[name]
    return getattr(import_module(module), name)


def name_of(kind: type) -> str | None:
    """The name of a class in the tables; None if it is not there, or only its namesake is."""
    name = kind.__name__
    known = name in ESTIMATORS or name in RECORDS or name in ENUMS
    return name if known and class_of(name) is kind else None


@cache
def parameters_of(name: str) -> dict[str, Any]:
    """The parameters of an estimator, or the fields of a record -> default; MISSING: it has none.

    A file of an older version may lack those that have a default.
    """
    kind = class_of(name)
    if is_dataclass(kind):
        return {field.name: _default(field) for field in fields(kind)}
    if hasattr(kind, "_fields"):
        return {field: kind._field_defaults.get(field, MISSING) for field in kind._fields}
    known = signature(kind.__init__).parameters.values()
    return {
        one.name: MISSING if one.default is one.empty else one.default
        for one in known
        if one.name != "self" and one.kind is not one.VAR_KEYWORD
    }


def fitted_of(name: str) -> list[str]:
    """The fitted attributes that a file may have of an estimator."""
    return f"{COMMON} {ESTIMATORS[name].keeps}".split() if name in ESTIMATORS else []


def essentials(field: str, value: Any) -> Any:
    """What is kept of an attribute: of a solver's result only what ``summary`` asks for."""
    if field == "result_":
        details = {k: _if_small(value.details[k]) for k in SUMMARY if k in value.details}
        return replace(value, log=None, details=details)
    if field == "_moments" and hasattr(value, "gram") and _if_small(value.gram.hi) is None:
        return None
    return value


def _if_small(value: Any) -> Any:
    return value if value is None or value.nbytes <= SMALL else None


def _default(field: Any) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default
