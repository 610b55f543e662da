"""Where the data of a command come from: a built-in set by name, or a file and a target column."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from cyclopts import Group, Parameter

from .errors import BadInput, input_errors

DATA = Group("Data", sort_key=0)
DataName = Annotated[
    str | None,
    Parameter(group=DATA, help="Built-in data set (see `linscope datasets`), or a file."),
]
DataFile = Annotated[
    Path | None,
    Parameter(
        name="--data",
        group=DATA,
        help="File with your own data: CSV, Parquet, Arrow, JSON lines, Excel or LIBSVM.",
    ),
]
Target = Annotated[
    str | None, Parameter(group=DATA, help="Column of the file that holds the classes.")
]
NumberTarget = Annotated[
    str | None, Parameter(group=DATA, help="Column of the file with the numbers to predict.")
]


class Wanted(NamedTuple):
    """What a command needs of its data, in words."""

    column: str
    some: str
    has: str
    other: str


CLASSES = Wanted(
    "the classes",
    "or, students",
    "its classes",
    "has numbers to predict, not classes: choose a data set with classes (see linscope datasets)",
)
NUMBERS = Wanted(
    "the numbers to predict",
    "five_points, diabetes",
    "its target",
    "has classes, not numbers to predict: choose five_points, diabetes or sbp_age (see linscope "
    "datasets)",
)


@dataclass(frozen=True)
class Source:
    """Data with everything a person needs to recognise them.

    Attributes
    ----------
    name : the data set's or the file's
    X, y : the samples and their labels or targets; None where only moments are known
    features : names of the columns of X
    samples : names of the rows, if they have any
    classes : label -> name, where they differ
    origin : where the data come from, in plain words
    settings : parameters of the perceptron that give the notes' run
    remarks : what was done to the table, for the header
    words : how to name the data again on a command line
    target : the name of y
    moments : means, variances and covariance, where nothing else is known
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
    target: str = "y"
    moments: dict[str, float] | None = None

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

    def sample_name(self, row: int) -> str:
        return self.samples[row] if self.samples else f"sample {row}"

    def title(self) -> str:
        if self.X is None:
            return "moments only"
        n, d = self.X.shape
        return f"{n:,} sample{'s' if n != 1 else ''}, {d:,} feature{'s' if d != 1 else ''}"

    def check_drawable(self) -> None:
        """Refuse, before any work, a figure of more features than it has axes."""
        if self.X.shape[1] > 2:
            raise BadInput(f"--plot needs 1 or 2 features, {self.name} has {self.X.shape[1]}")


def load_source(
    data: str | None,
    file: Path | None,
    target: str | None,
    wanted: Wanted = CLASSES,
    *,
    intercept: bool = True,
) -> Source:
    """Read the data that a command names, or say what is wrong with the naming."""
    if data is not None and file is not None:
        raise BadInput(f"give either the name {data!r} or --data {file}, not both")
    if file is None and data is not None and looks_like_file(data):
        file = Path(data)
    if file is not None:
        return _from_file(file, target, wanted, intercept)
    if data is None:
        raise BadInput(f"which data? Name a built-in set ({wanted.some}, …) or give --data FILE")
    if target is not None:
        raise BadInput(
            f"--target belongs to --data FILE; {data!r} is built in and has {wanted.has}"
        )
    return _built_in(data, wanted)


def looks_like_file(data: str) -> bool:
    """Rather than the name of a built-in set."""
    from linscope.data.datasets import names

    return data not in names() and ("." in data or "/" in data or Path(data).is_file())


def _built_in(name: str, wanted: Wanted) -> Source:
    from linscope.data.datasets import load

    with input_errors():
        dataset = load(name)
    if dataset.X is None and wanted is CLASSES:
        raise BadInput(f"{name!r} has no samples, only moments: choose another data set")
    if dataset.X is not None and (dataset.y.dtype.kind == "f") != (wanted is NUMBERS):
        raise BadInput(f"{name!r} {wanted.other}")
    return Source(
        name,
        dataset.X,
        dataset.y,
        features=dataset.feature_names,
        samples=dataset.sample_names,
        classes=dataset.target_names,
        origin=dataset.source,
        settings=dataset.settings,
        words=name,
        moments=dataset.moments if dataset.X is None else None,
    )


def _from_file(path: Path, target: str | None, wanted: Wanted, intercept: bool) -> Source:
    from linscope.data import encode_frame, read_table

    with input_errors(also=(TypeError,)):
        table = read_table(path)
        if target is None and table.sparse is None:
            more = ", …" if len(table.names) > 12 else ""
            raise BadInput(
                f"{path}: which column holds {wanted.column}? Give --target, one of "
                f"{', '.join(table.names[:12])}{more}"
            )
        target = target or "target"
        X, y, names = encode_frame(table, target)
        y = _checked(X, y, names, str(path), target, wanted)
    texts = {
        column: sorted(set(values))
        for column, values in table.columns.items()
        if values.dtype == object and column != target
    }
    # With an intercept all categories of a column would add up to 1; without, those of the second.
    spared = list(texts)[int(not intercept) :] if wanted is NUMBERS else []
    X, names = _without_references(X, names, {f"{name}={texts[name][0]}" for name in spared})
    return Source(
        path.name,
        X,
        y,
        features=names or [f"x{j + 1}" for j in range(X.shape[1])],
        origin=f"target {target}",
        remarks=_encoded(texts, spared),
        words=f"--data {shlex.quote(str(path))} --target {shlex.quote(target)}",
        target=target,
    )


def _checked(X: Any, y: Any, names: Any, path: str, target: str, wanted: Wanted) -> Any:
    """The labels, or the numbers to predict, of a table that has a number in every place."""
    from linscope.rows.finite import check_finite

    if wanted is NUMBERS and y.dtype.kind in "OU":
        raise BadInput(
            f"{path}: the target column {target!r} has text such as {str(y[0])!r}, and a "
            "regression predicts numbers"
        )
    check_finite(X, names, name=path)
    if wanted is CLASSES:
        return y
    check_finite(y, name=f"{path}: the target column {target!r}")
    return y.astype(float)


def _without_references(
    X: Any, names: list[str] | None, gone: set[str]
) -> tuple[Any, list[str] | None]:
    """Without the columns of the categories that the others are compared with."""
    if names is None or not gone:
        return X, names
    kept = [j for j, name in enumerate(names) if name not in gone]
    if not kept:
        raise BadInput("every column has the same value in all rows: there is nothing to learn")
    return X[:, kept], [names[j] for j in kept]


def _encoded(texts: dict[str, list[Any]], spared: list[str]) -> list[str]:
    """What became of the columns of text."""
    notes = []
    for column, categories in texts.items():
        compared = f", compared with {categories[0]}" if column in spared else ""
        notes.append(f"{column} ({len(categories)} categories{compared})")
    return [f"one-hot encoded: {', '.join(notes)}"] if notes else []
