"""A saved model's predictions against the answers of a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linscope.data.kinds import number_text
from linscope.data.suggest import did_you_mean
from linscope.metrics import evaluate
from linscope.selection.comparison.checks.scores import clopper_pearson

from ..errors import BadInput
from ..screen import Pairs
from .model_file import ModelFile


@dataclass
class Judged:
    """What was found.

    rows : of the table; judged : those with an answer and a prediction; without : without one
    evaluation : of classes; numbers : RMSE, MAE, R² of numbers
    """

    rows: int
    judged: int
    without: int
    evaluation: Any = None
    numbers: dict[str, float] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def judge(
    model: ModelFile, batches: Any, name: str, target: str | None, positive: str | None
) -> Judged:
    """Predict a table piece by piece and compare."""
    answer = target or model.target
    if answer is None:
        raise BadInput(f"{model.path.name} does not say what it predicts: give --target COLUMN")
    if answer not in batches.names:
        hint = did_you_mean(answer, batches.names)
        raise BadInput(
            f"{name} has no column {answer!r} with the answers{hint}"
            f"{'' if hint else '; say --target COLUMN'}"
        )
    wanted = model.wanted([name for name in batches.names if name != answer], name)
    classes = model.classes
    method = _scores_method(model)
    actual, predicted, scores, whole = [], [], [], []
    for piece in batches.pieces({**wanted, answer: "text" if classes else "number"}):
        columns = dict(piece.table.columns)
        answers = columns.pop(answer)
        there, found = model.answers(
            type(piece.table)(columns, sparse=piece.table.sparse), ("predict", *method)
        )
        whole.append(there)
        actual.append(answers[there])
        if there.any():
            predicted.append(found[0])
            scores += found[1:]
    y, guess = np.concatenate(actual), np.concatenate([*predicted, np.empty(0, dtype=object)])
    n, without = sum(map(len, whole)), int(sum(len(w) - w.sum() for w in whole))
    if not classes:
        return _numbers(y.astype(np.float64), guess.astype(np.float64), n, without)
    S = np.concatenate(scores) if scores else None
    return _classes(model, y, guess, S, (n, without, answer, positive))


def _scores_method(model: ModelFile) -> tuple[str, ...]:
    for method in ("predict_proba", "decision_function"):
        if model.classes and hasattr(model.steps, method):
            return (method,)
    return ()


def _numbers(y: np.ndarray, guess: np.ndarray, n: int, without: int) -> Judged:
    from ..verbs.evaluate import scores_of

    known = np.isfinite(y)
    found = Judged(n, int(known.sum()), without, numbers=scores_of(y[known], guess[known]))
    return _with_remarks(found, int((~known).sum()))


def _classes(model: ModelFile, y: Any, guess: Any, scores: Any, asked: tuple[Any, ...]) -> Judged:
    n, without, answer, positive = asked
    by_text = {str(label): label for label in model.classes}
    texts = [_label_text(value, by_text) for value in y.tolist()]
    unknown = Counter(text for text in texts if text is not None and text not in by_text)
    if unknown:
        words = ", ".join(f"{text!r} in {k:,} rows" for text, k in unknown.most_common(5))
        raise BadInput(
            f"the column {answer!r} has classes that the model does not know: {words}; it knows "
            f"{', '.join(by_text)}"
        )
    known = np.array([text is not None for text in texts], dtype=bool)
    if not known.any():
        raise BadInput(f"no row has both an answer in {answer!r} and a prediction")
    labels = np.array([by_text[text] for text in texts if text is not None])
    two = len(by_text) == 2
    chosen = _positive(model, by_text, positive) if two else None
    if scores is not None:
        scores = scores[known]
        if scores.ndim == 1 and str(chosen) == str(model.classes[0]):
            scores = -scores
        if scores.ndim == 2 and scores.shape[1] != len(by_text):
            scores = None
    if two:
        order = [chosen, next(label for label in model.classes if label != chosen)]
    result = evaluate(
        labels,
        np.array(guess[known].tolist()),
        scores,
        labels=order if two else model.classes,
        positive=chosen,
    )
    found = Judged(n, int(known.sum()), without, evaluation=result)
    return _with_remarks(found, int((~known).sum()))


def _label_text(value: Any, by_text: dict[str, Any]) -> str | None:
    """The text of a class; 1.0 is the class 1."""
    if value is None or value != value:
        return None
    if isinstance(value, str) and value in by_text:
        return value
    try:
        return number_text(float(value))
    except (ValueError, OverflowError):
        return str(value)


def _positive(model: ModelFile, by_text: dict[str, Any], asked: str | None) -> Any:
    if asked is None:
        said = model.about.get("positive")
        return by_text.get(str(said), model.classes[1])
    if asked not in by_text:
        hint = did_you_mean(asked, by_text)
        raise BadInput(f"--positive {asked}: the classes are {' and '.join(by_text)}{hint}")
    return by_text[asked]


def _with_remarks(found: Judged, unanswered: int) -> Judged:
    if unanswered:
        found.remarks.append(f"{unanswered:,} rows have no answer and are left out")
    if found.without:
        found.remarks.append(
            f"{found.without:,} of {found.rows:,} rows have a missing or infinite value: they have "
            "no prediction and are left out"
        )
    return found


def shares(found: Judged, level: float) -> dict[str, tuple[float, float, float]]:
    """Shares of rows with their Clopper–Pearson intervals."""
    result = found.evaluation
    n, right = found.judged, round(result.accuracy * found.judged)
    counts = {"accuracy": (right, n)}
    if result.position is not None:
        tp, fp, fn, tn = (int(getattr(result, name)) for name in ("tp", "fp", "fn", "tn"))
        counts |= {"precision": (tp, tp + fp), "recall": (tp, tp + fn)}
        counts |= {"specificity": (tn, tn + fp)}
    return {name: (k / m, *clopper_pearson(k, m, level)) for name, (k, m) in counts.items() if m}


def intervals(found: Judged, level: float) -> Pairs:
    """Lines with the numbers and their intervals, where they have one."""
    if found.evaluation is None:
        labels = {"rmse": "RMSE", "mae": "MAE", "r2": "R²"}
        return [(labels[name], f"{value:.6g}") for name, value in found.numbers.items()]
    percent = f"{100 * level:g} %"
    return [
        (name, f"{value:.4f}, {percent} interval {low:.4f} … {high:.4f}")
        for name, (value, low, high) in shares(found, level).items()
    ]


def document(found: Judged, model: ModelFile, level: float, trained: bool) -> dict[str, Any]:
    """All of it for programs."""
    base: dict[str, Any] = {
        "model": model.path.name,
        "rows": found.rows,
        "judged": found.judged,
        "training_table": trained,
    }
    if found.evaluation is None:
        return {**base, **found.numbers}
    result = found.evaluation
    names = ["accuracy", "error_rate", "precision", "recall", "specificity", "f1", "roc_auc"]
    names += ["average_precision", "log_loss", "brier_score"]
    return {
        **base,
        "labels": [str(label) for label in result.labels.tolist()],
        "positive": None if result.positive is None else str(result.positive),
        "confusion_matrix": result.confusion_matrix,
        **{name: getattr(result, name) for name in names},
        "level": level,
        "intervals": {name: [low, high] for name, (_, low, high) in shares(found, level).items()},
        "unknown_categories": {name: dict(seen) for name, seen in model.unknown.items() if seen},
    }
