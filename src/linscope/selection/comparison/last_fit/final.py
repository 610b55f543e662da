"""The recommended model on all rows: equation, weights in the table's units, certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from linscope.data.question import Question
from linscope.fitting.equations import equation, largest, score
from linscope.validation.preparation import preparation

from ..findings import Coefficient, Final
from ..scoring.balanced import BalancedDecision
from ..scoring.fits import Training, core, with_parameters
from ..scoring.prepared import numeric_width
from ..scoring.search import search
from .explained import Explanation, explain

if TYPE_CHECKING:
    from ..course import Course

MOST_COEFFICIENTS = 40


class FinalFit(NamedTuple):
    """The finding; pipelines from a table and from ``Question.X``; what the model saw."""

    final: Final
    pipeline: Pipeline
    inside: Pipeline
    X: Any
    names: list[str]


def final_fit(course: Course, key: str) -> FinalFit:
    """Search on all rows, fit, and say what came out."""
    question, model = course.question, course.records[key].model
    steps = preparation(question, scale=True, reference=True).fit(question.X)
    X = steps.transform(question.X)
    X = X.tocsr() if sp.issparse(X) else np.ascontiguousarray(X)
    training = Training(X, course.target, course.rows)
    setting = course.setting(course.prepared[0])
    setting = setting._replace(rows=X.shape[0], numeric=numeric_width(steps, question))
    found = search(model, setting, training, course.folds.folds)
    estimator = with_parameters(model.make(setting), found.parameters)
    # By label, so that it answers with labels.
    estimator.fit(X, question.y)
    names = [str(name) for name in steps.get_feature_names_out()]
    inside = Pipeline([("prepare", steps), ("model", estimator)])
    weights = _weights(estimator, steps, names, question)
    why = explain(question, model.key, course.options.level)
    final = Final(
        key=key,
        title=model.title,
        parameters=found.parameters,
        equation=_equation(weights, question),
        coefficients=_coefficients(weights, why),
        inference=why.words,
        summary=why.summary,
        certificate=_certificate(core(estimator), X, question.y),
    )
    # Frozen: names of categories are those of this table, whatever the pipeline is fitted to.
    pipeline = Pipeline([("columns", FrozenEstimator(question.reader)), *inside.steps])
    return FinalFit(final, pipeline, inside, X, names)


class Weights(NamedTuple):
    """In the table's units, bias first: a row for each class, or one; effects without the bias.

    classes : what the rows speak for
    """

    values: np.ndarray
    effects: np.ndarray
    names: list[str]
    classes: list[str]


def _weights(estimator: Any, steps: Any, names: list[str], question: Question) -> Weights | None:
    own = core(estimator)
    if not hasattr(own, "coef_"):
        return None
    coef = np.atleast_2d(np.asarray(own.coef_, dtype=np.float64))
    bias = np.atleast_1d(np.asarray(own.intercept_, dtype=np.float64))
    mean, scale = np.zeros(len(names)), np.ones(len(names))
    if isinstance(estimator, Pipeline):  # products of standardised numbers
        expand = estimator.named_steps["expand"]
        names = [str(name) for name in expand.get_feature_names_out(names)]
        names = [name.removeprefix("numbers__").removeprefix("remainder__") for name in names]
        mean, scale = _scaling(expand, len(names))
    elif not sp.issparse(question.X):
        mean, scale = _scaling(steps, len(names))
    if coef.shape[1] != len(names):  # a kernel machine
        return None
    classes = [str(label) for label in getattr(own, "classes_", [])]
    bias = bias - thresholds(estimator)
    if len(classes) == 2 and classes[1] != str(question.classes[1]):
        coef, bias, classes = -coef, -bias, classes[::-1]
    if len(classes) > 2 and len(coef) != len(classes):  # pairs of classes
        return None
    values = np.column_stack([bias - coef @ (mean / scale), coef / scale])
    return Weights(values, coef, names, classes)


def thresholds(estimator: Any) -> np.ndarray | float:
    """What a balanced decision takes off log odds or log probabilities: the log of the shares."""
    rule = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    if not isinstance(rule, BalancedDecision):
        return 0.0
    logs = np.log(rule.shares_)
    return logs[1:] - logs[:1] if len(logs) == 2 else logs


def _scaling(steps: Any, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the columns that were standardised, 0 and 1 of the others."""
    mean, scale = np.zeros(width), np.ones(width)
    numbers = steps.named_transformers_.get("numbers")
    if numbers is not None:
        place, last = steps.output_indices_["numbers"], numbers[-1]
        mean[place], scale[place] = last.mean_, last.scale_
    return mean, scale


def _equation(weights: Weights | None, question: Question) -> str:
    if weights is None:
        return ""
    if question.task == "number":
        return f"{question.target} ≈ {score(weights.values[0], weights.names)}"
    if len(weights.classes) == 2:
        return equation(weights.values[0], weights.names, weights.classes[1])
    count = len(weights.classes)
    rows = zip(weights.values, weights.classes, strict=True)
    return "\n".join(largest(row, weights.names, label, count) for row, label in rows)


def _coefficients(weights: Weights | None, why: Explanation) -> tuple[Coefficient, ...]:
    """The largest effects first."""
    if weights is None:
        return ()
    found = []
    for row, (values, effects) in enumerate(zip(weights.values, weights.effects, strict=True)):
        label = f" → {weights.classes[row]}" if len(weights.values) > 1 else ""
        for name, value, effect in zip(weights.names, values[1:], effects, strict=True):
            more = why.intervals.get(name, {}) if not label else {}
            ratio = _ratio(float(value)) if why.odds and not label else None
            found.append(
                Coefficient(name + label, float(value), float(effect), ratio=ratio, **more)
            )
    found.sort(key=lambda one: -abs(one.effect))
    return tuple(found[:MOST_COEFFICIENTS])


def _ratio(value: float) -> float | None:
    """e^w, unless that is beyond all numbers."""
    return float(np.exp(value)) if abs(value) < 700 else None


def _certificate(own: Any, X: Any, y: np.ndarray) -> dict[str, Any]:
    """What the fit claims, and what the independent check says."""
    claim = getattr(own, "certificate_", None)
    if claim is None:
        return {}
    check = own.verify(X, y)
    facts = {label: _plain(value) for label, value in claim.facts().items()}
    return {
        "status": claim.status.name,
        "ok": bool(claim.ok),
        "claim": claim.text,
        "verified": check.claim_holds,
        "check": check.reason,
        **facts,
    }


def _plain(value: Any) -> Any:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else str(value)
    return str(value)
