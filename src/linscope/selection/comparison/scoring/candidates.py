"""The models of a study, the simplest first, with what each needs.

Simple means here: fewer parameters to choose, a shorter explanation, a cheaper fit. Columns are
standardised for all of them. For balanced accuracy, where classes are not equally frequent,
classifiers with probabilities decide by :class:`BalancedDecision`, the others weight the classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import comb
from typing import Any, NamedTuple

from linscope.data.suggest import did_you_mean

from .balanced import BalancedDecision

POWERS_OF_10 = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
# Exact pockets count the mistakes of every vector on all rows: time grows with rows².
POCKET_ROWS = 5_000
# A kernel perceptron holds the whole Gram matrix.
GRAM_ROWS = 3_000
# Beyond so many rows the kernel is approximated by Nyström features.
EXACT_KERNEL_ROWS = 8_000
MOST_MONOMIALS = 300
# Below so many rows boosting takes fewer, longer steps than scikit-learn's default of 100 at 0.1:
# half the time, and over 23 tables of 150 to 2,000 rows the same score (+0.001 on average).
FEW_ROWS = 1_000
FEW_ROUNDS = {"learning_rate": 0.2, "max_iter": 50, "max_bins": 63}


class Setting(NamedTuple):
    """What a candidate is made for: rows and columns it will see, of them ``numeric`` first."""

    task: str
    metric: str
    rows: int
    columns: int
    numeric: int
    classes: int
    balanced: bool
    sparse: bool
    seed: int


@dataclass(frozen=True)
class Model:
    """A candidate.

    make : setting -> unfitted estimator
    grid : parameters that are searched, each from the most regular value to the least
    path : whether ``linscope.path`` knows how to search it
    obstacle : setting -> why it cannot be run, or ""
    certifies : whether a certificate is to be expected for every fit
    """

    key: str
    title: str
    family: str
    make: Callable[[Setting], Any]
    grid: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    path: bool = False
    readable: bool = True
    obstacle: Callable[[Setting], str] = lambda setting: ""
    certifies: bool = True


def candidates(task: str) -> tuple[Model, ...]:
    """All candidates of a task, the simplest first; the reference is the last."""
    return REGRESSIONS if task == "number" else CLASSIFIERS


def choose_models(task: str, keys: tuple[str, ...] | None) -> tuple[Model, ...]:
    """Those with these keys, in order of simplicity; the baseline is always there."""
    known = candidates(task)
    if keys is None:
        return known
    names = [model.key for model in known]
    for key in keys:
        if key not in names:
            raise ValueError(
                f"there is no model {key!r} for this target{did_you_mean(key, names)}: choose from "
                f"{', '.join(names)}"
            )
    return tuple(m for m in known if m.key in keys or m.family == "baseline")


def _estimator(name: str) -> Any:
    import linscope

    return getattr(linscope, name)


def _probable(name: str, **parameters: Any) -> Callable[[Setting], Any]:
    """A classifier with probabilities."""

    def make(setting: Setting) -> Any:
        model = _estimator(name)(**parameters)
        return BalancedDecision(model) if setting.balanced else model

    return make


def _weighted(name: str, **parameters: Any) -> Callable[[Setting], Any]:
    """A classifier without probabilities."""

    def make(setting: Setting) -> Any:
        weight = "balanced" if setting.balanced else None
        return _estimator(name)(class_weight=weight, **parameters)

    return make


def _perceptron(output: str, passes: int) -> Callable[[Setting], Any]:
    def make(setting: Setting) -> Any:
        options = {"shuffle": True, "max_iter": passes, "random_state": setting.seed}
        return _weighted("Perceptron", output=output, **options)(setting)

    return make


def _kernel_perceptron(setting: Setting) -> Any:
    options = {"shuffle": True, "max_iter": 20, "random_state": setting.seed}
    return _weighted("KernelPerceptron", output="averaged", **options)(setting)


def _svm_rbf(setting: Setting) -> Any:
    if setting.rows <= EXACT_KERNEL_ROWS:
        return _weighted("SVC")(setting)
    return _weighted("ApproximateSVC", random_state=setting.seed)(setting)


def _regression(name: str) -> Callable[[Setting], Any]:
    return lambda setting: _estimator(name)()


def _with_powers(last: Callable[[Setting], Any]) -> Callable[[Setting], Any]:
    """All products of the numbers' columns up to a degree, standardised, before a model."""

    def make(setting: Setting) -> Any:
        from sklearn.compose import ColumnTransformer
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import PolynomialFeatures, StandardScaler

        powers = Pipeline(
            [("powers", PolynomialFeatures(2, include_bias=False)), ("scale", StandardScaler())]
        )
        numbers = slice(0, setting.numeric)
        expand = ColumnTransformer([("numbers", powers, numbers)], remainder="passthrough")
        return Pipeline([("expand", expand), ("model", last(setting))])

    return make


def _baseline(setting: Setting) -> Any:
    from sklearn.dummy import DummyClassifier, DummyRegressor

    return DummyRegressor() if setting.task == "number" else DummyClassifier(strategy="prior")


def _boosting(setting: Setting) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    options = {"random_state": setting.seed, **(FEW_ROUNDS if setting.rows < FEW_ROWS else {})}
    if setting.task == "number":
        return HistGradientBoostingRegressor(**options)
    model = HistGradientBoostingClassifier(**options)
    return BalancedDecision(model) if setting.balanced else model


def _needs_probabilities(setting: Setting) -> str:
    if setting.metric not in ("log_loss", "brier"):
        return ""
    return f"{setting.metric} needs probabilities, and this model has none"


def _few_rows(most: int, why: str) -> Callable[[Setting], str]:
    def obstacle(setting: Setting) -> str:
        if setting.rows > most:
            return f"{why}: at most {most:,} rows to train on, here {setting.rows:,}"
        return _needs_probabilities(setting)

    return obstacle


def _powers_obstacle(setting: Setting) -> str:
    if setting.sparse or setting.numeric == 0:
        return "there are no columns of numbers to multiply"
    monomials = comb(setting.numeric + 2, 2) - 1
    if monomials > MOST_MONOMIALS:
        return f"degree 2 would make {monomials:,} columns (at most {MOST_MONOMIALS})"
    return ""


def _dense(setting: Setting) -> str:
    return "it needs a dense table" if setting.sparse else ""


LOGISTIC_C = {"C": POWERS_OF_10}
SVM_C = {"C": POWERS_OF_10[:-1]}
RBF_GRID = {"C": (0.1, 1.0, 10.0, 100.0), "gamma": (0.03, 0.1, 0.3, 1.0)}
ALPHAS = (10_000.0, 1_000.0, 100.0, 10.0, 1.0, 0.1, 0.01)

CLASSIFIERS = (
    Model("majority", "Always the most frequent class", "baseline", _baseline, certifies=False),
    Model(
        "naive-bayes",
        "Gaussian naive Bayes",
        "linear",
        _probable("GaussianNaiveBayes"),
        {"shared_variance": (True, False)},
        obstacle=_dense,
    ),
    Model("fisher", "Fisher discriminant", "linear", _probable("FisherDiscriminant")),
    Model(
        "least-squares",
        "Least-squares classifier",
        "linear",
        _weighted("LeastSquaresClassifier"),
        obstacle=_needs_probabilities,
    ),
    Model(
        "perceptron-averaged",
        "Perceptron, averaged",
        "linear",
        _perceptron("averaged", 20),
        obstacle=_needs_probabilities,
        certifies=False,
    ),
    Model(
        "perceptron-pocket",
        "Perceptron, pocket",
        "linear",
        _perceptron("pocket", 5),
        obstacle=_few_rows(POCKET_ROWS, "it counts mistakes on all rows at every update"),
        certifies=False,
    ),
    Model(
        "logistic-l2",
        "Logistic regression, l2",
        "linear",
        _probable("LogisticRegression"),
        LOGISTIC_C,
        path=True,
    ),
    Model(
        "logistic-l1",
        "Logistic regression, l1",
        "linear",
        _probable("LogisticRegression", penalty="l1"),
        LOGISTIC_C,
        path=True,
    ),
    Model(
        "linear-svm",
        "Linear SVM",
        "linear",
        _weighted("LinearSVC", loss="squared_hinge"),
        SVM_C,
        path=True,
        obstacle=_needs_probabilities,
    ),
    Model(
        "logistic-poly",
        "Logistic regression, degree 2",
        "linear",
        _with_powers(_probable("LogisticRegression")),
        LOGISTIC_C,
        path=True,
        obstacle=_powers_obstacle,
    ),
    Model(
        "kernel-perceptron",
        "Kernel perceptron, rbf",
        "kernel",
        _kernel_perceptron,
        readable=False,
        obstacle=_few_rows(GRAM_ROWS, "it holds the whole Gram matrix"),
        certifies=False,
    ),
    Model(
        "svm-rbf",
        "SVM, rbf kernel",
        "kernel",
        _svm_rbf,
        RBF_GRID,
        path=True,
        readable=False,
        obstacle=_needs_probabilities,
    ),
    Model(
        "boosting",
        "Gradient boosting (not linear)",
        "reference",
        _boosting,
        readable=False,
        obstacle=_dense,
        certifies=False,
    ),
)

REGRESSIONS = (
    Model("mean", "Always the mean", "baseline", _baseline, certifies=False),
    Model("linear", "Linear regression", "linear", _regression("LinearRegression")),
    Model("ridge", "Ridge regression", "linear", _regression("Ridge"), {"alpha": ALPHAS}),
    Model(
        "huber",
        "Huber regression",
        "linear",
        _regression("HuberRegressor"),
        obstacle=_dense,
    ),
    Model(
        "ridge-poly",
        "Ridge regression with powers",
        "linear",
        _with_powers(_regression("Ridge")),
        {"degree": (1, 2, 3), "alpha": ALPHAS[1::2]},
        obstacle=_powers_obstacle,
    ),
    Model(
        "boosting",
        "Gradient boosting (not linear)",
        "reference",
        _boosting,
        readable=False,
        obstacle=_dense,
        certifies=False,
    ),
)
