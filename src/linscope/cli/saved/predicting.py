"""Predictions as new columns behind the records of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope.data.batches import append_json, quoted
from linscope.data.fields import Texts, joined

from ..errors import BadInput
from .model_file import ModelFile


@dataclass
class Count:
    """Rows written, and those among them without a prediction."""

    rows: int = 0
    without: int = 0


@dataclass(frozen=True, eq=False)
class Answers:
    """What is asked of the model for each row.

    methods : of the model; columns : names of the new columns; the labels' come first
    """

    model: ModelFile
    methods: tuple[str, ...]
    columns: tuple[str, ...]

    @classmethod
    def of(cls, model: ModelFile, *, proba: bool, scores: bool) -> Answers:
        """Refused where the model has no such answer."""
        classes = model.classes
        methods, columns = ["predict"], ["predicted"]
        if proba:
            if not hasattr(model.steps, "predict_proba"):
                raise BadInput(_no_probabilities(model, bool(classes)))
            methods.append("predict_proba")
            columns += [f"p_{label}" for label in classes]
        if scores:
            if not hasattr(model.steps, "decision_function"):
                raise BadInput(f"{model.path.name} has no scores: leave --scores out")
            methods.append("decision_function")
            columns += ["score"] if len(classes) == 2 else [f"score_{label}" for label in classes]
        return cls(model, tuple(methods), tuple(columns))

    def names(self, taken: list[str]) -> list[str]:
        """Names of the new columns that the table does not have yet."""
        found = []
        for name in self.columns:
            free = (
                new for k in range(1, len(taken) + 2) if (new := _numbered(name, k)) not in taken
            )
            found.append(next(free))
        return found

    def of_piece(self, table: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Which rows have answers, and their columns."""
        whole, found = self.model.answers(table, self.methods)
        columns = [column for values in found for column in np.atleast_2d(values.T)]
        if len(columns) != len(self.columns) and whole.any():
            raise BadInput(
                f"{self.model.path.name} has no score for each class: leave --scores out"
            )
        return whole, columns


def _numbered(name: str, k: int) -> str:
    return name if k == 1 else f"{name}_{k}"


def _no_probabilities(model: ModelFile, classes: bool) -> str:
    if not classes:
        return f"{model.path.name} predicts numbers: leave --proba out"
    hint = "fit it with --probability, or" if hasattr(model.final, "probability") else "say"
    return f"{model.path.name} gives no probabilities: {hint} --scores"


def write_answers(
    batches: Any,
    wanted: dict[str, str],
    answers: Answers,
    write: Callable[[bytes], Any],
    *,
    only: bool,
) -> Count:
    """Write the table with its new columns, piece by piece."""
    names, count = answers.names([] if only else batches.names), Count()
    comma, end = batches.delimiter, batches.newline
    head = ""  # written with the first piece: a table that is refused leaves nothing
    if not batches.json and batches.head is not None:
        new = comma.join(quoted(name, comma) for name in names)
        head = f"{new}{end}" if only else f"{batches.head}{comma}{new}{end}"
    for piece in batches.pieces(wanted):
        whole, columns = answers.of_piece(piece.table)
        count.rows += len(whole)
        count.without += int(len(whole) - whole.sum())
        write(head.encode("utf-8", "backslashreplace"))
        head = ""
        if isinstance(piece.records, Texts):
            new = [_column_of_texts(column, whole, comma) for column in columns]
            new = new or [Texts.of([""]).take(np.zeros(len(whole), int))] * len(names)
            write(joined(new if only else [piece.records, *new], comma, end))
            continue
        listed = [column.tolist() for column in columns]
        if batches.json:
            lines = _json_lines(piece.records, whole, listed, names, only)
        else:
            lines = _csv_lines(piece.records, whole, listed, len(names), comma, only)
        write((end.join(lines) + end).encode("utf-8", "backslashreplace"))
    return count


def _csv_lines(
    records: list[str],
    whole: np.ndarray,
    columns: list[list[Any]],
    width: int,
    comma: str,
    only: bool,
) -> list[str]:
    """Records with the new fields; a row without an answer has empty ones."""
    texts = [_texts(column, comma) for column in columns]
    tails = texts[0] if len(texts) == 1 else [comma.join(row) for row in zip(*texts, strict=True)]
    if not whole.all():
        answers, nothing = iter(tails), comma * (width - 1)
        tails = [next(answers) if there else nothing for there in whole.tolist()]
    if only:
        return tails
    return [f"{record}{comma}{tail}" for record, tail in zip(records, tails, strict=True)]


def _texts(values: list[Any], comma: str) -> list[str]:
    if not values or isinstance(values[0], float):
        return list(map(repr, values))
    fields = {value: quoted(str(value), comma) for value in set(values)}
    return [fields[value] for value in values]


def _column_of_texts(values: np.ndarray, whole: np.ndarray, comma: str) -> Texts:
    """By compiled loops what ``_csv_lines`` makes of a column."""
    if values.dtype.kind == "f":
        texts, places = Texts.of_floats(values), np.arange(len(values))
    else:
        labels, places = np.unique(values, return_inverse=True)
        texts = Texts.of(_texts(labels.tolist(), comma))
    if whole.all():
        return texts.take(places)
    spread = np.zeros(len(whole), np.int64)
    spread[whole] = places
    found = texts.take(spread)
    return Texts(found.data, found.starts, np.where(whole, found.ends, found.starts))


def _json_lines(
    records: list[str], whole: np.ndarray, columns: list[list[Any]], names: list[str], only: bool
) -> list[str]:
    rows = zip(*columns, strict=True)
    fields = [
        dict(zip(names, next(rows), strict=True)) if there else dict.fromkeys(names)
        for there in whole.tolist()
    ]
    starts = ["{}"] * len(records) if only else records
    return [append_json(start, new) for start, new in zip(starts, fields, strict=True)]
