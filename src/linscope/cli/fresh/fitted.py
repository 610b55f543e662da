"""What is said of a fitted model: its rule, its score, its certificate, what to do next."""

from __future__ import annotations

import math
import shlex
from typing import Any

import numpy as np
import scipy.sparse as sp
from rich.console import Console

from linscope.fitting.equations import equation
from linscope.results.numbers import counted, short

from ..json_document import certificate_of
from ..options import in_options
from ..screen import Pairs, facts, hints, lead, paragraph
from .fitting import Fitted, in_table_units
from .models import MODELS

MOST_TERMS = 16
MOST_LINES = 6


def show(out: Console, fitted: Fitted, next_commands: Pairs) -> None:
    """The screen of ``linscope fit``."""
    question = fitted.question
    lead(out, f"{MODELS[fitted.key].name} on {question.name}:", _size(fitted), "bold")
    for note in question.notes:
        paragraph(out, note)
    out.print()
    facts(out, [*rule(fitted), training(fitted)])
    out.print()
    facts(out, certificate(fitted))
    hints(out, next_commands)


def _size(fitted: Fitted) -> str:
    question = fitted.question
    columns = f"{counted(len(question.names), 'column')}"
    if len(fitted.names) != len(question.names):
        columns += f" as {counted(len(fitted.names), 'feature')}"
    dropped = f" ({question.dropped:,} dropped)" if question.dropped else ""
    return f"{counted(len(question.rows), 'row')}{dropped}, {columns}"


def rule(fitted: Fitted) -> Pairs:
    """The equation, or what stands in its place."""
    model = fitted.model
    if hasattr(model, "support_") and hasattr(model, "kernel"):
        vectors, n = counted(len(model.support_), "support vector"), len(fitted.question.y)
        found = f"{vectors} of {n:,} rows"
        return [("rule", f"{found}{_by_class(model, fitted)}, kernel {model.kernel}")]
    if getattr(model, "output", "") == "voted":
        count = sum(len(committee.steps) + 1 for committee in model.committees_)
        return [("rule", f"{count:,} weight vectors vote, each with the visits it survived")]
    if hasattr(model, "map_"):
        return [("rule", f"a linear machine on {model.n_components} features of the kernel")]
    if not hasattr(model, "coef_") and not getattr(model, "shared_variance", False):
        return [("rule", "means and variances of each class; the boundary is a quadric")]
    if len(fitted.names) > MOST_TERMS:
        return _largest(fitted)
    found = _of_positive(in_table_units(fitted), fitted)
    lines = [found] if isinstance(found, str) else list(getattr(found, "values", lambda: found)())
    lines = [_of_target(line, fitted) for line in lines]
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"… {len(lines)} lines in all"]
    return [("" if k else "rule", line) for k, line in enumerate(lines)]


def _of_positive(model: Any, fitted: Fitted) -> Any:
    """The equation; of two classes that of the positive one, where the labels say the other."""
    positive = fitted.question.positive
    if positive is None or positive == model.classes_[1] or len(model.coef_) > 1:
        return model.equation()
    # score 0 is of the first label, unless a tie rule gives it to the second
    relation = "≥" if getattr(model, "tie", "negative") == "negative" else ">"
    weights = -np.append(model.intercept_, np.asarray(model.coef_)[0])
    return equation(weights, fitted.names, positive, relation)


def _of_target(line: str, fitted: Fitted) -> str:
    """The left side of a regression by its name."""
    if fitted.question.task == "number" and line.startswith("y = "):
        return f"{fitted.question.target} = {line.removeprefix('y = ')}"
    return line


def _by_class(model: Any, fitted: Fitted) -> str:
    counts = getattr(model, "n_support_", None)
    if counts is None or len(counts) != len(model.classes_) or len(counts) > MOST_LINES:
        return ""
    pairs = zip(model.classes_.tolist(), np.asarray(counts).tolist(), strict=True)
    return f" ({', '.join(f'{label}: {count:,}' for label, count in pairs)})"


def _largest(fitted: Fitted) -> Pairs:
    """Of many weights the largest, in units of the prepared columns."""
    coef = np.atleast_2d(getattr(fitted.model, "coef_", np.empty((0, 0))))
    if coef.shape[1] != len(fitted.names):
        return [("rule", f"{len(fitted.names):,} features")]
    size = np.abs(coef).max(axis=0)
    some = np.argsort(-size, kind="stable")[:8].tolist()
    single = len(coef) == 1
    terms = [f"{short(coef[0, j] if single else size[j])}·{fitted.names[j]}" for j in some]
    what = "the largest" if single else "the largest in size, of all classes,"
    return [("rule", f"{len(size):,} weights, {what}: {', '.join(terms)}")]


def scores(fitted: Fitted) -> dict[str, float]:
    """How well the training rows are predicted."""
    y, predicted = fitted.question.y, fitted.model.predict(fitted.X)
    if fitted.question.task == "number":
        residual = y - predicted
        spread = float(((y - y.mean()) ** 2).sum())
        return {
            "r2": 1 - float((residual**2).sum()) / spread,
            "rmse": math.sqrt(float((residual**2).mean())),
        }
    right = int((predicted == y).sum())
    return {"right": right, "rows": len(y), "accuracy": right / len(y)}


def training(fitted: Fitted) -> tuple[str, str]:
    """The score on the training rows, said as such."""
    found = scores(fitted)
    if "r2" in found:
        said = f"R² {found['r2']:.4f}, RMSE {found['rmse']:.4g}"
    else:
        said = f"{found['accuracy']:.4f} right ({found['right']:,} of {found['rows']:,})"
    return "training rows", f"{said}; new rows usually fare worse"


def certificate(fitted: Fitted) -> Pairs:
    """What is proven of the fit, and what to do where it is not enough."""
    claim = fitted.model.certificate_
    names = list(fitted.model.get_params(deep=False))
    pairs = [("certificate", f"{'✓' if claim.ok else '✗'} {claim.text}")]
    for label, value in list(claim.facts().items())[: 2 * MOST_LINES]:
        shown = f"{value:.6g}" if isinstance(value, float) else in_options(str(value), names)
        pairs.append(("", f"{label}: {shown}"))
    if not claim.ok and not claim.parts:
        pairs.append(("advice", in_options(claim.advice, names)))
    return pairs


def document(fitted: Fitted, about: dict[str, Any], saved: str | None) -> dict[str, Any]:
    """All of it for programs."""
    weights = None
    if hasattr(fitted.model, "coef_"):
        coef, bias = fitted.model.coef_, fitted.model.intercept_
        dense = np.atleast_2d(coef.toarray() if sp.issparse(coef) else coef)
        weights = {"features": fitted.names, "coef": dense, "intercept": np.atleast_1d(bias)}
        if fitted.question.task == "two classes" and len(dense) == 1:
            weights["positive_score"] = str(fitted.model.classes_[1])
    return {
        **about,
        "weights": weights,
        "rule": [line for _, line in rule(fitted)],
        "training": scores(fitted),
        "certificate": certificate_of(fitted.model.certificate_),
        "saved": saved,
    }


def what_next(saved: str | None, word: str, command: str) -> Pairs:
    """Commands that are worth trying now."""
    if saved is None:
        if word == "-":
            return []
        return [(f"{command} --save model.linscope", "the same, kept in a file")]
    file, table = shlex.quote(saved), shlex.quote(word)
    found = [
        (f"linscope predict {file} new.csv", "predictions for other rows"),
        (f"linscope evaluate {file} test.csv", "the score on rows that it has not seen"),
    ]
    if word != "-":
        found.append((f"linscope verify {file} {table}", "the certificate, checked independently"))
    return found
