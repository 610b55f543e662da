"""``linscope fit`` on a table that is too large for memory: read in batches, again in each pass."""

from __future__ import annotations

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
# Numbers of a packed file take about so many times its size in memory.
UNPACKED = 2.0


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


def open_scan(given: Given, asked: AskedOfColumns, scale: bool, save: bool) -> Any:
    """The table in batches; what only a table in memory allows is refused."""
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
    made = [name for name in columns if name not in (rows.names or ())]
    if save and made:
        raise BadInput(
            f"a model of text columns read in batches cannot be saved: leave out {', '.join(made)} "
            f"(--drop {','.join(made)}), or save a model of a part that fits in memory"
        )
    return rows


class Streamed:
    """A model that was fitted to a table in batches, with what the screen and the file say."""

    def __init__(self, key: str, given: Given, rows: Any, model: Any, command: str) -> None:
        self.key, self.given, self.rows, self.model, self.command = key, given, rows, model, command
        self.names = rows.names

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
    rows = open_scan(given, asked, how["scale"], how["save"])
    model = class_of(key)(**options.parameters())
    with nullcontext() if how["quiet"] else progress_bars():
        model.fit(rows)
    return Streamed(key, given, rows, model, command)
