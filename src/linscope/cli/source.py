"""Where the data of a command come from: a built-in set by name, or a file and a target column."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from .errors import BadInput, input_errors

if TYPE_CHECKING:
    from linscope.data.datasets import Dataset

DATA = Group("Data", sort_key=0)
DataName = Annotated[
    str | None,
    Parameter(group=DATA, help="Built-in data set (see `linscope datasets`), or a file."),
]
DataFile = Annotated[
    Path | None,
    Parameter(name="--data", group=DATA, help="CSV, Parquet or LIBSVM file with your own data."),
]
Target = Annotated[
    str | None,
    Parameter(group=DATA, help="Column of the file that holds the classes."),
]


@dataclass(frozen=True)
class Source:
    """Data with everything a person needs to recognise them.

    Attributes
    ----------
    name : the data set's or the file's
    X, y : the samples and their labels
    features : names of the columns of X
    samples : names of the rows, if they have any
    classes : label -> name, where they differ
    origin : where the data come from, in plain words
    settings : parameters of the perceptron that give the notes' run
    remarks : what was done to the table, for the header
    words : how to name the data again on a command line
    """

    name: str
    X: Any
    y: Any
    features: list[str]
    samples: list[str] = field(default_factory=list)
    classes: dict[Any, str] = field(default_factory=dict)
    origin: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    words: str = ""

    def class_name(self, label: Any) -> str:
        """The name of a class; labels that are numbers already say enough."""
        from linscope.data.files import is_number

        name = self.classes.get(label, "")
        return str(label) if not name or is_number(name) else name

    def class_phrase(self, label: Any) -> str:
        """``class A (1)`` for a class with a name, ``class 1`` for one without."""
        name = self.class_name(label)
        phrase = name if name.startswith("class") else f"class {name}"
        return phrase if name == str(label) else f"{phrase} ({label})"

    def labels(self) -> Any:
        """The labels; of three classes and more by name, since there no sign depends on them."""
        import numpy as np

        if len(self.classes) < 3:
            return self.y
        return np.array([self.class_name(label) for label in self.y.tolist()])

    def dataset(self) -> Dataset:
        """For ``trace``."""
        from linscope.data.datasets import Dataset

        y, features, samples = self.labels(), self.features, self.samples
        return Dataset(self.name, X=self.X, y=y, feature_names=features, sample_names=samples)

    def sample_name(self, row: int) -> str:
        return self.samples[row] if self.samples else f"sample {row}"

    def title(self) -> str:
        n, d = self.X.shape
        return f"{n:,} sample{'s' if n != 1 else ''}, {d:,} feature{'s' if d != 1 else ''}"


def load_source(data: str | None, file: Path | None, target: str | None) -> Source:
    """Read the data that a command names, or say what is wrong with the naming."""
    if data is not None and file is not None:
        raise BadInput(f"give either the name {data!r} or --data {file}, not both")
    if file is None and data is not None and _looks_like_file(data):
        file = Path(data)
    if file is not None:
        return _from_file(file, target)
    if data is None:
        raise BadInput("which data? Name a built-in set (or, students, …) or give --data FILE")
    if target is not None:
        raise BadInput(f"--target belongs to --data FILE; {data!r} is built in and has its classes")
    return _built_in(data)


def _looks_like_file(data: str) -> bool:
    from linscope.data.datasets import names

    return data not in names() and ("." in data or "/" in data or Path(data).is_file())


def _built_in(name: str) -> Source:
    from linscope.data.datasets import load

    with input_errors():
        dataset = load(name)
    if dataset.X is None:
        raise BadInput(f"{name!r} has no samples, only moments: choose another data set")
    X, y = dataset
    if y.dtype.kind == "f":
        raise BadInput(
            f"{name!r} has numbers to predict, not classes: choose a data set with classes "
            "(see linscope datasets)"
        )
    return Source(
        name,
        X,
        y,
        features=dataset.feature_names,
        samples=dataset.sample_names,
        classes=dataset.target_names,
        origin=dataset.source,
        settings=dataset.settings,
        words=name,
    )


def _from_file(path: Path, target: str | None) -> Source:
    from linscope.data import encode_frame, read_table
    from linscope.rows.finite import check_finite

    with input_errors(also=(TypeError,)):
        table = read_table(path)
        if target is None:
            if table.sparse is None:
                more = ", …" if len(table.names) > 12 else ""
                raise BadInput(
                    f"{path}: which column holds the classes? Give --target, one of "
                    f"{', '.join(table.names[:12])}{more}"
                )
            target = "target"
        X, y, names = encode_frame(table, target)
        features = names or [f"x{j + 1}" for j in range(X.shape[1])]
        check_finite(X, names, name=str(path))
    encoded = [
        f"{name} ({len(set(values))} categories)"
        for name, values in table.columns.items()
        if values.dtype == object and name != target
    ]
    return Source(
        path.name,
        X,
        y,
        features=features,
        origin=f"target {target}",
        remarks=[f"one-hot encoded: {', '.join(encoded)}"] if encoded else [],
        words=f"--data {shlex.quote(str(path))} --target {shlex.quote(target)}",
    )
