"""From a question to a fitted pipeline: columns, preparation, model."""

from __future__ import annotations

import copy
import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from linscope.data.question import Question, read_question
from linscope.data.suggest import did_you_mean
from linscope.validation.preparation import preparation

from ..figures import named
from ..tables.options import AskedOfColumns, several
from .models import MODELS, ModelOptions, class_of

NUMBER_MODELS = "regression, ridge or huber"
CLASS_MODELS = "logistic, fisher or linear-svm"


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted pipeline from a table to predictions, and what its model saw.

    key : of the model on the command line
    X : the prepared rows; names : of their columns
    """

    key: str
    question: Question
    pipeline: Pipeline
    X: Any
    names: list[str]

    @property
    def model(self) -> Any:
        return self.pipeline[-1]


def ask(table: Any, asked: AskedOfColumns, key: str, name: str) -> Question:
    """The table as a question that this model answers."""
    names = getattr(table, "names", [])
    classes = is_classifier(class_of(key)())
    _check_task(table, asked.target, key, classes)
    return read_question(
        table,
        asked.target,
        positive=getattr(asked, "positive", None),
        missing=asked.missing,
        drop=several(asked.drop, names),
        keep=several(asked.keep, names),
        task="classes" if classes else "number",
        split=False,
        name=name,
    )


def _check_task(table: Any, target: str | None, key: str, classes: bool) -> None:
    """Refuse a target of the other kind, with models that take it."""
    columns = getattr(table, "columns", None) or {}
    values = columns.get(target) if target else getattr(table, "y", None)
    if values is None:
        return
    word = target or "target"
    text = values.dtype.kind in "OU"
    if not classes and text:
        some = next(value for value in values.tolist() if value is not None)
        raise ValueError(
            f"{key} predicts numbers, and the target {word!r} has text such as {some!r}: take "
            f"{CLASS_MODELS}"
        )
    if classes and not text:
        broken = values[np.isfinite(values) & (values != np.rint(values))]
        if len(broken):
            raise ValueError(
                f"{key} predicts classes, and the target {word!r} has numbers such as "
                f"{broken[0]:g}: take {NUMBER_MODELS}"
            )


def fit_pipeline(question: Question, key: str, options: ModelOptions, *, scale: bool) -> Fitted:
    """Columns as they are read, prepared, and a model of them.

    Of each column's categories the first is left out where an intercept speaks for it.
    """
    estimator = class_of(key)(**_with_labels(options.parameters(), question))
    reference = getattr(estimator, "fit_intercept", True)
    prepare = preparation(question, scale=scale, reference=reference).fit(question.X)
    X = prepare.transform(question.X)
    X = X.tocsr() if sp.issparse(X) else np.ascontiguousarray(X)
    names = [str(name) for name in prepare.get_feature_names_out()]
    estimator.fit(named(X, names), question.y)
    # The certificate names columns now; the model itself gets plain arrays from the preparation.
    vars(estimator).pop("feature_names_in_", None)
    steps = [("columns", question.reader), ("prepare", prepare), ("model", estimator)]
    return Fitted(key, question, Pipeline(steps), X, names)


def _with_labels(parameters: dict[str, Any], question: Question) -> dict[str, Any]:
    """Classes that were named by text, as the labels that they are."""
    by_text = {str(label): label for label in question.classes}

    def label(text: str, option: str) -> Any:
        if text not in by_text:
            known = ", ".join(by_text)
            raise ValueError(
                f"{option} {text!r}: the target {question.target!r} has no such class"
                f"{did_you_mean(text, by_text)} It has {known}"
            )
        return by_text[text]

    found = dict(parameters)
    if isinstance(found.get("class_weight"), dict):
        weights = found["class_weight"].items()
        found["class_weight"] = {label(text, "--class-weight"): value for text, value in weights}
    if found.get("reference") is not None:
        found["reference"] = label(found["reference"], "--reference")
    return found


def in_table_units(fitted: Fitted) -> Any:
    """A copy of the model with the names of the columns, and weights for numbers as they are."""
    model = copy.copy(fitted.model)
    model.feature_names_in_ = np.array(fitted.names, dtype=object)
    numbers = fitted.pipeline["prepare"].named_transformers_.get("numbers")
    if numbers is None or not hasattr(model, "coef_") or sp.issparse(fitted.X):
        return model
    last = numbers[-1] if isinstance(numbers, Pipeline) else numbers
    if not hasattr(last, "mean_"):
        return model
    # w·(x − m)/s = (w/s)·x − (w/s)·m
    mean, scale = np.zeros(len(fitted.names)), np.ones(len(fitted.names))
    place = fitted.pipeline["prepare"].output_indices_["numbers"]
    mean[place], scale[place] = last.mean_, last.scale_
    model.coef_ = model.coef_ / scale
    model.intercept_ = model.intercept_ - model.coef_ @ mean
    return model


def command_of(
    key: str, word: str, asked: AskedOfColumns, options: ModelOptions, scale: bool
) -> str:
    """The command that fits the same."""
    parts = [f"linscope fit {key} {shlex.quote(word)}", asked.words(), shlex.join(options.words())]
    return " ".join([part for part in parts if part] + ["--scale"] * scale)


def about(fitted: Fitted, table: str, command: str) -> dict[str, Any]:
    """What a model's file says of the table that it was fitted to."""
    question = fitted.question
    n = len(question.rows) + question.dropped
    return {
        "model": fitted.key,
        "class": MODELS[fitted.key].name,
        "target": question.target,
        "task": question.task,
        "classes": [_json(label) for label in question.classes],
        "positive": _json(question.positive),
        "table": table,
        "sha256": question.sha256,
        "rows": n,
        "rows_used": len(question.rows),
        "columns": [[c.name, c.kind, c.role] for c in question.columns],
        "missing": question.missing,
        "command": command,
        "python": " ".join(repr(fitted.model).split()),
    }


def _json(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
