"""Built-in data: the lecture notes' examples, scikit-learn's classics, and generators.

>>> X, y = load("or")
>>> X.tolist(), y.tolist()
([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-1, 1, 1, 1])
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from linscope._printable import escape
from linscope.results.notebook import facts, first_rows, titled

from .churn import make_churn
from .generate import make_blobs, make_overlapping, make_ring, make_separable
from .notes import NOTES
from .suggest import did_you_mean

__all__ = [
    "Dataset",
    "load",
    "make_blobs",
    "make_churn",
    "make_overlapping",
    "make_ring",
    "make_separable",
    "names",
    "worked_examples",
]


def __dir__() -> list[str]:
    return list(__all__)


# scikit-learn's data sets, and where each comes from.
CLASSICS = {
    "iris": "Fisher's iris flowers, 3 classes (scikit-learn)",
    "wine": "chemical analysis of wines from 3 growers (scikit-learn)",
    "breast_cancer": "Wisconsin breast tumours, 2 classes (scikit-learn)",
    "digits": "handwritten digits of 8 × 8 pixels, 10 classes (scikit-learn)",
    "diabetes": "progression of diabetes after one year, a regression (scikit-learn)",
}
# Tables with columns of several kinds; made up, and the same on every machine.
MIXED = {
    "churn": "customers of a mobile operator who left or stayed, made up (make_churn): numbers, "
    "categories, yes/no, a date and an identifier",
}


# What a notebook shows of a data set.
MOST_ROWS, MOST_COLUMNS = 5, 8


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set that unpacks as ``X, y``; whoever takes X and y takes it in their place.

    Attributes
    ----------
    name : str
    X : float64 array of shape (n, d), or None when only moments are known
    y : labels, or numbers for a regression
    feature_names, sample_names : lists of str
    target_names : dict from label to name
    source : where it comes from, in plain words
    settings : keyword arguments of ``Perceptron`` that give the notes' printed run
    runs : the settings of every printed run, when there are several
    moments : dict of means, variances and the covariance
    columns : dict of the columns as they are, for a table with columns of several kinds; there X
        has a column for each category but the first, and no identifiers
    target : name of the column to predict in it

    Examples
    --------
    >>> load("students")
    <Dataset students: 4 samples, 4 features>
    >>> load("students").settings
    {'tie': 'update', 'init': [0.25, 0.25, 0.25, 0.25, 0.25]}
    >>> import linscope as ls
    >>> ls.Perceptron().fit(load("or")).score(load("or"))
    1.0
    """

    name: str
    X: Any = None
    y: Any = None
    feature_names: list[str] = field(default_factory=list)
    target_names: dict[Any, str] = field(default_factory=dict)
    sample_names: list[str] = field(default_factory=list)
    source: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    runs: tuple[dict[str, Any], ...] = ()
    moments: dict[str, float] = field(default_factory=dict)
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    target: str = "target"

    def __len__(self) -> int:
        """Two parts, X and y: ``dataset[0]`` and ``dataset[1]``."""
        return 2

    def __getitem__(self, part: int) -> np.ndarray:
        self._need_samples()
        return (self.X, self.y)[part]

    def __iter__(self) -> Iterator[np.ndarray]:
        self._need_samples()
        return iter((self.X, self.y))

    def frame(self) -> Any:
        """A pandas or polars data frame, whichever is installed, else a dict of columns."""
        self._need_samples()
        columns = dict(zip(self.feature_names, self.X.T, strict=True)) | {self.target: self.y}
        columns = self.columns or columns
        for module in ("pandas", "polars"):
            try:
                return __import__(module).DataFrame(columns)
            except ImportError:
                continue
        return columns

    def _need_samples(self) -> None:
        if self.X is None:
            raise ValueError(
                f"the data set {self.name!r} has no samples X, y, only moments: "
                f"use load({self.name!r}).moments"
            )

    def _size(self) -> str:
        if self.X is None:
            return "moments only"
        return f"{self.X.shape[0]} samples, {self.X.shape[1]} features"

    def __repr__(self) -> str:
        return f"<Dataset {self.name}: {self._size()}>"

    def _repr_html_(self) -> str:
        title = f"<b>{escape(self.name)}</b>: {self._size()}"
        if self.X is None:
            values = [(name, f"{value:g}") for name, value in self.moments.items()]
            return facts(f"{self.name}: {self._size()}", [*values, ("source", self.source)])
        columns = self.columns or dict(zip(self.feature_names, self.X.T, strict=True))
        shown = [name for name in columns if name != self.target][:MOST_COLUMNS]
        header = [*shown, *["…"] * (len(shown) < len(columns) - (self.target in columns))]
        rows = []
        for i in range(min(MOST_ROWS, len(self.X))):
            row = [_cell(columns[name][i]) for name in shown] + ["…"] * (len(header) - len(shown))
            label = self.y[i].item()
            rows.append([*row, self.target_names.get(label, _cell(label))])
        more = ["…"] * (len(header) + 1)
        rows += [more] if len(self.X) > MOST_ROWS else []
        return titled(title, first_rows([*header, self.target], rows), [self.source])


def _cell(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def names() -> list[str]:
    """The names that ``load`` knows.

    >>> names()[:3]
    ['or', 'xor', 'students']
    """
    return [*NOTES, *CLASSICS, *MIXED]


def load(name: str) -> Dataset:
    """A built-in data set.

    Parameters
    ----------
    name : one of ``names()``

    Returns
    -------
    Dataset

    Examples
    --------
    >>> load("five_points").y
    array([2., 4., 0., 4., 6.])
    >>> load("studnets")
    Traceback (most recent call last):
    ValueError: no data set is called 'studnets'; did you mean 'students'? Known are or, xor, ...
    """
    if name in NOTES:
        return _from_notes(name)
    if name in CLASSICS:
        return _from_scikit_learn(name)
    if name in MIXED:
        return _mixed(name, make_churn(random_state=0), "churn")
    hint = did_you_mean(str(name), names()) or "."
    raise ValueError(f"no data set is called {name!r}{hint} Known are {', '.join(names())}")


@cache
def _worked_examples_text() -> str:
    return files(__package__).joinpath("worked_examples.json").read_text(encoding="utf-8")


def worked_examples() -> dict[str, Any]:
    """The runs printed in the notes, visit by visit; a fresh copy each time.

    >>> worked_examples()["or"]["weights"]
    [0.0, 1.0, 1.0]
    """
    return json.loads(_worked_examples_text())


def _from_notes(name: str) -> Dataset:
    facts = {key: _copy(value) for key, value in NOTES[name].items()}
    if "X" in facts:
        facts["X"] = np.array(facts["X"], dtype=np.float64)
        facts["y"] = np.array(facts["y"])
    return Dataset(name, **facts)


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return type(value)(map(_copy, value)) if isinstance(value, list | tuple) else value


def _from_scikit_learn(name: str) -> Dataset:
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    target_names = getattr(bunch, "target_names", ())
    return Dataset(
        name,
        X=np.ascontiguousarray(bunch.data, dtype=np.float64),
        y=bunch.target,
        feature_names=[str(feature) for feature in bunch.feature_names],
        target_names={label: str(text) for label, text in enumerate(target_names)},
        source=CLASSICS[name],
    )


def _mixed(name: str, columns: dict[str, np.ndarray], target: str) -> Dataset:
    """A table of several kinds of columns, and the numbers that they become."""
    from .columns import TableColumns
    from .target import read_target

    reader = TableColumns(leave_out=[target]).fit(columns)
    codes = reader.transform(columns)
    parts: dict[str, np.ndarray] = {}
    for place, feature in enumerate(reader.feature_names_in_):
        texts = reader.categories_.get(place, [])
        if not texts:
            parts[feature] = codes[:, place]
        for code, text in enumerate(texts[1:], start=1):
            parts[f"{feature}={text}"] = (codes[:, place] == code).astype(np.float64)
    classes = read_target(columns[target], target, None, None).classes
    return Dataset(
        name,
        X=np.column_stack(list(parts.values())),
        y=np.array([classes.index(label) for label in columns[target]]),
        feature_names=list(parts),
        target_names=dict(enumerate(classes)),
        source=MIXED[name],
        columns=columns,
        target=target,
    )
