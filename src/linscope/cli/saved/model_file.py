"""A saved model at the command line: which columns it needs, and what it says of a table."""

from __future__ import annotations

import contextlib
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from linscope.data.columns import TableColumns
from linscope.data.files import Table
from linscope.data.kinds import NO_YES, number_text
from linscope.data.suggest import did_you_mean

from ..errors import BadInput, input_errors

MOST_NAMES = 12
# How the values of a kind of column are read from text.
YES_NO = {form for pair in NO_YES for text in pair for form in (text, text.title(), text.upper())}
HOW = {"number": "number", "category": "text", "date": "text"}


@dataclass(eq=False)
class ModelFile:
    """A model that was loaded, and what its file says of the table that it was fitted to.

    reader : the columns of a table as a matrix, or None where the model takes numbers
    steps : what follows it, up to the model
    unknown : dict from a column's name to texts that the model has not met, and how often
    """

    path: Path
    about: dict[str, Any]
    reader: TableColumns | None
    steps: Any
    features: list[str]
    unknown: dict[str, Counter[str]] = field(default_factory=dict)

    @property
    def final(self) -> Any:
        """What predicts: a pipeline answers for its last step."""
        return self.steps[-1] if isinstance(self.steps, Pipeline) else self.steps

    @property
    def classes(self) -> list[Any]:
        """The labels; none of a model that predicts numbers."""
        return list(getattr(self.steps, "classes_", np.array([])).tolist())

    @property
    def target(self) -> str | None:
        return self.about.get("target")

    def wanted(self, names: list[str], where: str) -> dict[str, str]:
        """The columns to read, and how; refused if the table does not have them."""
        features = self.features or [name for name in names if name != self.target]
        if not self.features and len(features) != self.steps.n_features_in_:
            raise BadInput(
                f"{where} has {len(features)} columns, and the model, which knows no names of "
                f"columns, has {self.steps.n_features_in_} features"
            )
        if missing := [name for name in features if name not in names]:
            raise BadInput(self._differs(missing, names, where))
        kinds = {} if self.reader is None else self.reader.kinds_
        kind = {name: kinds[name].kind if name in kinds else "number" for name in features}
        return {name: HOW.get(kind[name], "any") for name in features}

    def extra(self, names: list[str]) -> list[str]:
        """Columns that the training table did not have."""
        known = {column[0] for column in self.about.get("columns", [])} | {self.target}
        if self.reader is not None:
            known |= set(self.reader.columns_in_)
        return [name for name in names if name not in known and name not in self.features]

    def _differs(self, missing: list[str], names: list[str], where: str) -> str:
        free = [name for name in names if name not in self.features]
        lacks = [f"{n!r}{did_you_mean(n, free).replace('; did', ' (did').replace('?', '?)')}"
                 for n in missing[:MOST_NAMES]]  # fmt: skip
        more = f" and {len(missing) - MOST_NAMES} more" if len(missing) > MOST_NAMES else ""
        extra = self.extra(names)[:MOST_NAMES]
        others = f"; it has {', '.join(map(repr, extra))}, which the model does not know"
        return (
            f"{where} does not have the columns of {self.path.name}: it lacks "
            f"{', '.join(lacks)}{more}{others if extra else ''}"
        )

    def prepared(self, table: Table) -> Any:
        """The rows as the model takes them; what is missing may be NaN."""
        if self.reader is None:
            if table.sparse is not None:
                return table.sparse
            return np.column_stack(list(table.columns.values()))
        X = self.reader.transform(table)
        self._count_unknown(table)
        first = self.steps[0] if self._has_preparation else None
        return X if first is None else first.transform(X)

    @property
    def _has_preparation(self) -> bool:
        steps = self.steps.steps if isinstance(self.steps, Pipeline) else []
        return self.reader is not None and len(steps) > 1

    def answers(self, table: Table, methods: tuple[str, ...]) -> tuple[np.ndarray, list[Any]]:
        """Which rows can be answered for, and what each method says of these."""
        Z = self.prepared(table)
        model = self.steps[1:] if self._has_preparation else self.steps
        if sp.issparse(Z):
            whole = np.ones(Z.shape[0], dtype=bool)
        else:
            whole = np.isfinite(Z).all(axis=1)
            Z = Z if whole.all() else Z[whole]
        if not whole.any():
            return whole, [np.empty(0) for _ in methods]
        with warnings.catch_warnings():  # the columns were put in their order by name
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            return whole, [getattr(model, method)(Z) for method in methods]

    def _count_unknown(self, table: Table) -> None:
        """Texts that the training table did not have, by column."""
        assert self.reader is not None
        for name in self.features:
            kind = self.reader.kinds_[name] if self.reader.kinds_ else None
            if kind is None or kind.kind not in ("category", "yes/no"):
                continue
            if kind.kind == "yes/no" and name not in self.reader.unknown_:
                continue
            known = set(kind.values) if kind.kind == "category" else YES_NO
            seen = self.unknown.setdefault(name, Counter())
            for value, count in Counter(table.columns[name].tolist()).items():
                if value is None or value != value:
                    if kind.kind == "category" and not kind.missing:
                        seen["(missing)"] += count
                elif (number_text(value) if isinstance(value, float) else value) not in known:
                    seen[str(value)] += count

    def unknown_words(self) -> list[str]:
        """A sentence for each column with categories that the model has not met."""
        found = []
        for name, seen in self.unknown.items():
            if not seen:
                continue
            words = ", ".join(f"{text!r} in {count:,}" for text, count in seen.most_common(5))
            more = f" and {len(seen) - 5:,} others" if len(seen) > 5 else ""
            total = sum(seen.values())
            rows = "row" if total == 1 else "rows"
            found.append(
                f"{name!r} has categories that the model has not met, in {total:,} {rows}: "
                f"{words}{more}"
            )
        return found


def read_model(path: Path) -> ModelFile:
    """The model in a file of ``linscope fit --save`` or ``ls.save``."""
    from linscope.persist import load, read_about

    check_exists(path)
    with input_errors():
        about, model = read_about(path), load(path)
    reader, steps = None, model
    if isinstance(model, Pipeline):
        first = model[0].estimator if isinstance(model[0], FrozenEstimator) else model[0]
        if isinstance(first, TableColumns):
            reader, steps = first, model[1:]
    holder = model if reader is None else reader
    names = [str(name) for name in getattr(holder, "feature_names_in_", [])]
    if not hasattr(model, "predict"):
        raise BadInput(f"{path} holds a {type(model).__name__}, which predicts nothing")
    return ModelFile(path, about, reader, steps, names)


def check_exists(path: Path) -> None:
    """Refuse the name of a file that is not there, with one that is."""
    if path.is_dir():
        raise BadInput(f"{path} is a folder: name the file of a model")
    if path.exists():
        return
    near = []
    with contextlib.suppress(OSError):
        near = [entry.name for entry in path.parent.iterdir()]
    raise BadInput(f"{path} does not exist{did_you_mean(path.name, near)}")
