"""A saved model checked against its table: the hash, the preparation, the certificate."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from linscope.data.columns import as_table
from linscope.data.datasets import Dataset
from linscope.data.fingerprint import sha256
from linscope.data.frame_columns import column_of
from linscope.data.question import Question, of_dataset, read_question
from linscope.results import Check

from ..errors import BadInput
from .model_file import ModelFile


def hash_of(model: ModelFile, content: Any, target: str | None = None) -> tuple[str, int]:
    """The hash of a table, to be compared with the one in the file, and its rows.

    A table without the target has none.
    """
    outside, target = None, target or model.target
    if isinstance(content, Dataset):
        content, target, outside, _ = of_dataset(content, None, None, None)
        outside = None if outside is None else column_of(outside)
    table = as_table(content)
    rows = len(table) if table.columns else table.sparse.shape[0]
    target = target or "target"
    there = outside is not None or target in table.columns
    return sha256(table, target, outside) if there else "", rows


def question_of(model: ModelFile, content: Any, target: str | None = None) -> Question:
    """What the model was asked, of this table."""
    names = getattr(content, "names", [])
    target = None if isinstance(content, Dataset) else target or model.target
    if target is None and names and "target" not in names:
        raise BadInput(f"{model.path.name} does not say what it predicts: give --target COLUMN")
    reader, missing = model.reader, model.about.get("missing")
    left_out = (
        [] if reader is None else [c for c in reader.leave_out if c not in (target, model.target)]
    )
    keep = [name for name in names if name != target] if reader is None else list(reader.keep)
    return read_question(
        content,
        target,
        missing=missing if missing in ("drop", "impute") else None,
        drop=left_out,
        keep=keep,
        task="classes" if model.classes else "number",
        split=False,
    )


def check(model: ModelFile, question: Question) -> Check:
    """The certificate on this table, by the independent verifier.

    Kinds of columns and preparation are made again from the table: they must be those in the file.
    """
    if model.reader is None:
        wanted = model.features or list(question.names)
        lacking = [name for name in wanted if name not in question.table.names]
        if lacking and question.table.sparse is None:
            raise BadInput(f"the table has no column {lacking[0]!r}, which the model needs")
        X = question.X
        if model.features:
            X = np.ascontiguousarray(X[:, [question.names.index(name) for name in wanted]])
        return model.steps.verify(X, question.y)
    if _read_as(question.reader) != _read_as(model.reader):
        return Check(False, "the kinds of the columns in the file are not those of the table")
    X = question.X
    for _, step in model.steps.steps[:-1]:
        name = type(step).__name__
        try:
            Z = step.transform(X)
            same = _equal(Z, clone(step).fit_transform(X))
        except (ValueError, TypeError, AttributeError, LookupError, NameError) as error:
            return Check(False, f"{name} in the file does not fit the table: {error}")
        if not same:
            return Check(False, f"{name} in the file is not what the table gives")
        X = Z
    X = X.tocsr() if sp.issparse(X) else np.ascontiguousarray(X)
    return model.final.verify(X, question.y)


def _read_as(reader: Any) -> dict[str, Any]:
    """All that decides what a value of a column becomes; not how often it is there."""
    return {
        name: (kind.kind, kind.numeric, kind.values, kind.dates)
        for name, kind in reader.kinds_.items()
    }


def _equal(a: Any, b: Any) -> bool:
    if sp.issparse(a):
        return a.shape == b.shape and not (a != b).nnz
    return np.array_equal(a, b, equal_nan=True)
