"""``linscope fit`` on a table that is too large for memory: read in batches, again in each pass."""

from __future__ import annotations

import copy
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from linscope.results.numbers import counted, short
from linscope.rows.memory_budget import memory_budget

from ..errors import BadInput
from ..json_document import certificate_of
from ..screen import facts, hints, lead, progress_bars
from ..tables.options import AskedOfColumns, several
from ..tables.table import Given
from .fitted import MOST_TERMS, certificate
from .models import MODELS, ModelOptions, class_of

SUFFIXES = (".parquet", ".pq", ".arrow", ".ipc", ".feather", ".csv", ".tsv", ".jsonl", ".ndjson")
# A table that is read, whose columns are looked at and prepared, takes at its peak about so many
# times the size of its file.
UNPACKED = 5.0
# How often a text is in a small table that has all of them.
EACH = 4


def too_large(given: Given) -> bool:
    """Whether a table is a folder or a pattern, or a file that would not fit in memory."""
    if given.built_in or given.word == "-":
        return False
    path = Path(given.word)
    if path.is_dir() or any(mark in given.word for mark in "*?["):
        return True
    if path.suffix.lower() not in SUFFIXES or not path.is_file():
        return False
    return UNPACKED * path.stat().st_size > memory_budget()


def with_checkpoint(given: Given, path: Path | None) -> Any:
    """A block whose fits go on from this file, if there is one."""
    if path is None:
        return nullcontext()
    if given.built_in or given.word == "-":
        raise BadInput("--checkpoint is for fits to tables in files, which are read in batches")
    from linscope.engines.checkpoint.front import checkpoint

    return checkpoint(path)


def open_scan(given: Given, asked: AskedOfColumns, scale: bool, save: bool) -> tuple[Any, list]:
    """The table in batches, and the steps from its columns to the model's features, if any.

    What only a table in memory allows is refused.
    """
    from linscope.data.scan import open_table
    from linscope.engines.scan import scan

    for option, wanted in (("--scale", scale), ("--missing", asked.missing)):
        if wanted:
            raise BadInput(f"{option} needs all rows in memory, and {given.name} is larger")
    if asked.target is None:
        raise BadInput("which column is to be predicted? Name it with --target")
    names = list(open_table(given.word).kinds)
    gone = {asked.target, *several(asked.drop, names)}
    columns = [name for name in names if name not in gone]
    rows = scan(given.word, asked.target, columns=columns)
    if not save or not any(feature.texts for feature in rows.features):
        return rows, []
    question = _question(rows.features, asked.target)
    numbers = [place for place in question.numeric if place not in question.yes_no]
    places = [*numbers, *question.yes_no, *question.categorical]  # as they will be prepared
    rows = scan(given.word, asked.target, columns=[question.names[place] for place in places])
    return rows, _steps(rows.features, question)


def _question(features: tuple[Any, ...], target: str) -> Any:
    """What ``linscope fit`` in memory would make of a small table with all texts of a large one."""
    from linscope.data.question import read_question

    names = [feature.name for feature in features]
    values = {target: np.arange(float(EACH * _longest(features)))}
    return read_question(_example(features) | values, target, keep=names, task="number")


def _longest(features: tuple[Any, ...]) -> int:
    return max(2, *(len(feature.texts) for feature in features))


def _example(features: tuple[Any, ...]) -> dict[str, Any]:
    """Rows in which all texts are."""
    n = EACH * _longest(features)
    return {
        one.name: np.array([one.texts[i % len(one.texts)] for i in range(n)], dtype=object)
        if one.texts
        else np.arange(n) + 0.5
        for one in features
    }


def _steps(features: tuple[Any, ...], question: Any) -> list[tuple[str, Any]]:
    """How columns become features, as a saved model has it; refused where that differs."""
    from linscope.validation.preparation import preparation

    prepare = preparation(question, scale=False, reference=True).fit(question.X)
    example, wanted = _example(features), []
    for one in features:
        column = example[one.name]
        wanted += [column == text for text in one.texts[1:]] if one.texts else [column]
    found = prepare.transform(question.reader.transform(example))
    made = [one.name for one in features if one.texts]
    if not np.array_equal(found, np.column_stack(wanted).astype(float)):
        raise BadInput(
            "a model of these texts, read in batches, cannot be saved, since a table in memory "
            f"would be read otherwise: leave out some of {', '.join(made)} (--drop {made[0]})"
        )
    return [("columns", question.reader), ("prepare", prepare)]


class Streamed:
    """A model that was fitted to a table in batches, with what the screen and the file say."""

    def __init__(
        self, key: str, given: Given, rows: Any, model: Any, command: str, steps: list
    ) -> None:
        self.key, self.given, self.rows, self.model, self.command = key, given, rows, model, command
        self.names, self._steps = rows.names, steps

    def to_save(self) -> Any:
        """The model; where columns were texts, with the way from a table to its features."""
        if not self._steps:
            return self.model
        from sklearn.pipeline import Pipeline

        plain = copy.copy(self.model)  # it gets arrays from the preparation
        vars(plain).pop("feature_names_in_", None)
        return Pipeline([*self._steps, ("model", plain)])

    def about(self) -> dict[str, Any]:
        """What the file of the model says of the table."""
        labels = getattr(self.model, "classes_", np.array([])).tolist()
        n, _ = self.rows.shape
        return {
            "model": self.key,
            "class": MODELS[self.key].name,
            "target": self.rows.targets[0],
            "task": "number" if not labels else "two classes" if len(labels) == 2 else "classes",
            "classes": labels,
            "table": self.given.name,
            "rows": n,
            "rows_used": n,
            "command": self.command,
            "python": " ".join(repr(self.model).split()),
        }

    def rule(self) -> list[tuple[str, str]]:
        """The equation; of many weights the largest."""
        coef = np.atleast_2d(getattr(self.model, "coef_", np.empty((0, 0))))
        if coef.size and len(self.names) > MOST_TERMS:
            size = np.abs(coef).max(axis=0)
            some = np.argsort(-size, kind="stable")[:8].tolist()
            terms = ", ".join(f"{short(size[j])}·{self.names[j]}" for j in some)
            return [("rule", f"{len(size):,} weights, the largest in size: {terms}")]
        try:
            found = self.model.equation()
        except (AttributeError, ValueError):
            return [("rule", "means and variances of each class")]
        lines = [found] if isinstance(found, str) else list(found.values())
        return [("" if k else "rule", line) for k, line in enumerate(lines)]

    def show(self, out: Console, after: list[tuple[str, str]]) -> None:
        n, d = self.rows.shape
        size = f"{counted(n, 'row')} in batches, {counted(d, 'feature')}"
        lead(out, f"{MODELS[self.key].name} on {self.given.name}:", size, "bold")
        out.print()
        facts(out, self.rule())
        out.print()
        facts(out, certificate(self))  # type: ignore[arg-type]
        hints(out, after)

    def document(self, saved: str | None) -> dict[str, Any]:
        """All of it for programs."""
        weights = None
        if hasattr(self.model, "coef_"):
            weights = {
                "features": self.names,
                "coef": np.atleast_2d(self.model.coef_),
                "intercept": np.atleast_1d(self.model.intercept_),
            }
        return {
            **self.about(),
            "weights": weights,
            "rule": [line for _, line in self.rule()],
            "certificate": certificate_of(self.model.certificate_),
            "saved": saved,
        }


def fit_streamed(
    key: str, given: Given, asked: AskedOfColumns, options: ModelOptions, command: str, **how: Any
) -> Streamed:
    """The model, with a bar for the rows of each pass unless it is to be quiet."""
    rows, steps = open_scan(given, asked, how["scale"], how["save"])
    model = class_of(key)(**options.parameters())
    with nullcontext() if how["quiet"] else progress_bars():
        model.fit(rows)
    return Streamed(key, given, rows, model, command, steps)
