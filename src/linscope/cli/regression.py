"""Data with numbers to predict: a built-in set by name, or a file and a target column."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import BadInput, input_errors
from .figures import named
from .source import Source, _looks_like_file

if TYPE_CHECKING:
    from linscope.data.datasets import Dataset


@dataclass(frozen=True)
class RegressionSource(Source):
    """A source whose y are numbers.

    Attributes
    ----------
    target : the name of y
    moments : means, variances and covariance, where nothing else is known (X is None then)
    """

    target: str = "y"
    moments: dict[str, float] | None = None

    def title(self) -> str:
        return "moments only" if self.X is None else super().title()

    def dataset(self) -> Dataset:
        X = None if self.X is None else named(self.X, self.features)
        return replace(super().dataset(), X=X, moments=self.moments or {})


def load_regression(
    data: str | None, file: Path | None, target: str | None, *, intercept: bool = True
) -> RegressionSource:
    """Read the data that a command names, or say what is wrong with the naming."""
    if data is not None and file is not None:
        raise BadInput(f"give either the name {data!r} or --data {file}, not both")
    if file is None and data is not None and _looks_like_file(data):
        file = Path(data)
    if file is not None:
        return _from_file(file, target, intercept)
    if data is None:
        raise BadInput(
            "which data? Name a built-in set (five_points, diabetes, …) or give --data FILE"
        )
    if target is not None:
        raise BadInput(f"--target belongs to --data FILE; {data!r} is built in and has its target")
    return _built_in(data)


def _built_in(name: str) -> RegressionSource:
    from linscope.data.datasets import load

    with input_errors():
        dataset = load(name)
    facts: dict[str, Any] = {
        "features": dataset.feature_names,
        "samples": dataset.sample_names,
        "origin": dataset.source,
        "words": name,
    }
    if dataset.X is None:
        return RegressionSource(name, None, None, moments=dataset.moments, **facts)
    if dataset.y.dtype.kind != "f":
        raise BadInput(
            f"{name!r} has classes, not numbers to predict: choose five_points, diabetes or "
            "sbp_age (see linscope datasets)"
        )
    return RegressionSource(name, dataset.X, dataset.y, **facts)


def _from_file(path: Path, target: str | None, intercept: bool) -> RegressionSource:
    from linscope.data import encode_frame, read_table
    from linscope.rows.finite import check_finite

    with input_errors(also=(TypeError,)):
        table = read_table(path)
        if target is None and table.sparse is None:
            more = ", …" if len(table.names) > 12 else ""
            raise BadInput(
                f"{path}: which column holds the numbers to predict? Give --target, one of "
                f"{', '.join(table.names[:12])}{more}"
            )
        target = target or "target"
        X, y, names = encode_frame(table, target)
        assert y is not None
        if y.dtype.kind in "OU":
            raise BadInput(
                f"{path}: the target column {target!r} has text such as {str(y[0])!r}, and a "
                "regression predicts numbers"
            )
        check_finite(X, names, name=str(path))
        check_finite(y, name=f"{path}: the target column {target!r}")
    X, names, remarks = _without_references(X, names, table, target, intercept)
    return RegressionSource(
        path.name,
        X,
        y.astype(float),
        features=names or [f"x{j + 1}" for j in range(X.shape[1])],
        origin=f"target {target}",
        remarks=remarks,
        words=f"--data {shlex.quote(str(path))} --target {shlex.quote(target)}",
        target=target,
    )


def _without_references(
    X: Any, names: list[str] | None, table: Any, target: str, intercept: bool
) -> tuple[Any, list[str] | None, list[str]]:
    """Leave out one category of each text column: with the intercept they would add up to 1."""
    if names is None:
        return X, names, []
    texts = {
        column: sorted(set(values))
        for column, values in table.columns.items()
        if values.dtype == object and column != target
    }
    keep_first = not intercept  # then one column may have all its categories
    gone, remarks = set(), []
    for column, categories in texts.items():
        note = f"{column} ({len(categories)} categories"
        if not keep_first:
            gone.add(f"{column}={categories[0]}")
            note += f", compared with {categories[0]}"
        keep_first = False
        remarks.append(note + ")")
    kept = [j for j, name in enumerate(names) if name not in gone]
    if not kept:
        raise BadInput("every column has the same value in all rows: there is nothing to learn")
    said = [f"one-hot encoded: {', '.join(remarks)}"] if remarks else []
    return X[:, kept], [names[j] for j in kept], said
