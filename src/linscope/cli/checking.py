"""A saved model checked against its table: the hash, the preparation, the certificate."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from linscope.data.columns import as_table
from linscope.data.datasets import Dataset
from linscope.data.files import Table
from linscope.data.fingerprint import sha256
from linscope.data.missing import complete_rows
from linscope.data.question import of_dataset
from linscope.data.target import read_target
from linscope.results import Check

from .errors import BadInput
from .model_file import ModelFile


def table_and_answers(content: Any, target: str | None) -> tuple[Table, str, Any, Any]:
    """The table, the name of its target, the answers, and these once more if they are outside."""
    outside = None
    if isinstance(content, Dataset):
        content, target, outside, _ = of_dataset(content, None, None, None)
    table = as_table(content)
    if target is None:
        raise BadInput("the model does not say what it predicts: give --target COLUMN")
    if outside is None and target not in table.columns:
        raise BadInput(f"the table has no column {target!r}, which the model predicts")
    return table, target, table.columns[target] if outside is None else outside, outside


def same_table(model: ModelFile, content: Any) -> bool:
    """Whether the hash of the table is that in the file."""
    table, target, _, outside = table_and_answers(content, model.target)
    return bool(model.about.get("sha256") == sha256(table, target, outside))


def check(model: ModelFile, content: Any, target: str | None) -> tuple[Check, str]:
    """The independent check of the certificate on this table, and what was compared besides."""
    table, target, values, _ = table_and_answers(content, target or model.target)
    if model.reader is None:
        columns = [name for name in model.features or table.names if name != target]
        X: Any = Table({name: table.columns[name] for name in columns}, table.sparse)
        Z, rows = model.prepared(X), np.arange(len(values))
        said = ""
    else:
        X = model.reader.transform(table)
        missing = model.about.get("missing")
        how = missing if missing in ("drop", "impute") else None
        rows, _ = complete_rows(X, model.reader, {target: values}, how, "the table")
        Z, said = _prepared_again(model, table, X[rows])
    task = "number" if not model.classes else "classes"
    y = read_target(values[rows], target, None, task, split=False).y
    final = copy.copy(model.final)
    return final.verify(Z, y), said


def _prepared_again(model: ModelFile, table: Table, X: Any) -> tuple[Any, str]:
    """The prepared rows; kinds of columns and preparation must be what the table gives."""
    assert model.reader is not None
    if clone(model.reader).fit(table).kinds_ != model.reader.kinds_:
        return X, "the kinds of the columns are not those in the file"
    steps = [step for _, step in model.steps.steps[:-1]]
    for step in steps:
        Z = step.transform(X)
        again = clone(step).fit_transform(X)
        if not _equal(Z, again):
            return Z, f"{type(step).__name__} fitted to the table gives other numbers"
        X = Z
    return (X.tocsr() if sp.issparse(X) else np.ascontiguousarray(X)), ""


def _equal(a: Any, b: Any) -> bool:
    if sp.issparse(a):
        return a.shape == b.shape and not (a != b).nnz
    return np.array_equal(a, b, equal_nan=True)
