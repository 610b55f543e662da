"""Models by the names they have on the command line, and their parameters as options."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, fields, make_dataclass
from typing import Any, NamedTuple

from cyclopts import Group, Parameter

from .parameters import NONE, option

MODEL = Group("Model", sort_key=1)
# A command fits once, so there are no weights of a fit before it; its rows have no weights either.
NOT_HERE = ("warm_start", "weight_kind")


class Model(NamedTuple):
    """The class of a model, and what it is in a line."""

    name: str
    words: str


MODELS = {
    "regression": Model("LinearRegression", "Least squares: a number from a linear score."),
    "ridge": Model("Ridge", "Least squares with a penalty on the weights."),
    "huber": Model("HuberRegressor", "A regression that outliers cannot swing."),
    "perceptron": Model("Perceptron", "Corrects mistakes until there are none."),
    "kernel-perceptron": Model("KernelPerceptron", "The perceptron in a kernel's feature space."),
    "logistic": Model("LogisticRegression", "Probabilities of classes from linear scores."),
    "least-squares": Model("LeastSquaresClassifier", "Least squares on 1-of-K targets."),
    "fisher": Model("FisherDiscriminant", "Fisher's linear discriminant."),
    "naive-bayes": Model("GaussianNaiveBayes", "Each feature normal in each class, by itself."),
    "linear-svm": Model("LinearSVC", "The widest margin, with a price for slack."),
    "svm": Model("SVC", "The widest margin in a kernel's feature space."),
    "approximate-svm": Model("ApproximateSVC", "About the same for very many rows."),
}


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """Parameters of an estimator; each model has a subclass with its own."""

    def parameters(self) -> dict[str, Any]:
        """As the estimator takes them."""
        values = ((one.name, getattr(self, one.name)) for one in fields(self))
        return {name: None if value == NONE else value for name, value in values}

    def words(self) -> list[str]:
        """The options that give those which are not as they are by default."""
        words: list[str] = []
        for one in fields(self):
            value, option = getattr(self, one.name), one.name.replace("_", "-")
            if value == one.default:
                continue
            if isinstance(value, bool):
                words.append(f"--{option}" if value else f"--no-{option}")
            else:
                words += [f"--{option}", _word(value)]
        return words


def _word(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{label}:{weight:g}" for label, weight in value.items())
    if isinstance(value, list):
        return ",".join(map(repr, value))
    return NONE if value is None else str(value)


def class_of(key: str) -> Any:
    """The estimator of a model."""
    import linscope

    return getattr(linscope, MODELS[key].name)


def options_of(cls: Any) -> type[ModelOptions]:
    """The parameters of an estimator as a class of options.

    >>> import linscope as ls
    >>> options_of(ls.Ridge)(alpha=2.0).words()
    ['--alpha', '2.0']
    """
    found = inspect.signature(cls).parameters
    others = [class_of(key) for key in MODELS]
    made = make_dataclass(
        f"{cls.__name__}Options",
        [
            (name, option(cls, name, one.default, others), field(default=one.default))
            for name, one in found.items()
            if name not in NOT_HERE
        ],
        bases=(ModelOptions,),
        namespace={"__module__": __name__},
        frozen=True,
        kw_only=True,
    )
    return Parameter(name="*", group=MODEL)(made)
