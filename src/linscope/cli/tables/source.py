"""The table of a command as samples, labels and names: what trace, separate and diagnose work on.

Columns are read as in ``compare`` and ``fit``: by kind, one column per category, missing values
dropped or filled in, never silently.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import BadInput, input_errors
from .options import AskedOfColumns, several
from .table import Given, given_table


class Wanted(NamedTuple):
    """What a command needs of its data, in words.

    task : as ``read_question`` calls it
    other : what a data set has that is not wanted
    """

    task: str
    other: str


CLASSES = Wanted(
    "classes",
    "has numbers to predict, not classes: choose a data set with classes (see linscope datasets)",
)
NUMBERS = Wanted(
    "number",
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
    table: str | None,
    file: Path | None,
    asked: AskedOfColumns | None,
    wanted: Wanted = CLASSES,
    *,
    intercept: bool = True,
) -> Source:
    """Read the table that a command names, or say what is wrong with it."""
    given, asked = given_table(table, file), asked or AskedOfColumns()
    with input_errors(also=(TypeError,)):
        content = given.read(asked.sheet)
        if not given.built_in or content.columns:
            return _from_columns(given, content, asked, wanted, intercept)
        return _from_dataset(given, content, asked, wanted)


def _from_dataset(given: Given, dataset: Any, asked: AskedOfColumns, wanted: Wanted) -> Source:
    """A built-in set of numbers: as it is, with the notes' names and settings."""
    if asked.target is not None:
        raise BadInput(
            f"--target belongs to a file; {given.name!r} is built in and has a target of its own"
        )
    if dataset.X is None and (wanted is CLASSES or asked.words()):
        what = "choose another data set" if wanted is CLASSES else "it has no columns to choose"
        raise BadInput(f"{given.name!r} has no samples, only moments: {what}")
    if dataset.X is not None and (dataset.y.dtype.kind == "f") != (wanted is NUMBERS):
        raise BadInput(f"{given.name!r} {wanted.other}")
    source = Source(
        given.name,
        dataset.X,
        dataset.y,
        features=dataset.feature_names,
        samples=dataset.sample_names,
        classes=dataset.target_names,
        origin=dataset.source,
        settings=dataset.settings,
        words=f"{given.word} {asked.words()}".rstrip(),
        moments=dataset.moments if dataset.X is None else None,
    )
    return _with_positive(_without(source, asked), getattr(asked, "positive", None))


def _without(source: Source, asked: AskedOfColumns) -> Source:
    """The source without the columns that ``--drop`` names."""
    names, gone = source.features, several(asked.drop, source.features)
    for name in (*gone, *several(asked.keep, names)):
        if name not in names:
            from linscope.data.suggest import did_you_mean

            hint = did_you_mean(name, names)
            raise BadInput(f"{source.name!r} has no column {name!r} among {_some(names)}{hint}")
    if not gone:
        return source
    kept = [j for j, name in enumerate(names) if name not in gone]
    if not kept:
        raise BadInput(f"--drop leaves no column of {source.name!r} to predict from")
    # The notes' first weights belong to all columns.
    settings = {name: value for name, value in source.settings.items() if name != "init"}
    features = [names[j] for j in kept]
    return replace(source, X=source.X[:, kept], features=features, settings=settings)


def _some(names: list[str]) -> str:
    return ", ".join(names[:12]) + (", …" if len(names) > 12 else "")


def _with_positive(source: Source, positive: str | None) -> Source:
    """The source with the wanted class of two as +1, the other one as -1."""
    if positive is None:
        return source
    import numpy as np

    from linscope.data.files import is_number
    from linscope.data.suggest import did_you_mean

    labels = sorted(set(source.y.tolist()))
    names = [source.class_name(label) for label in labels]
    if len(labels) != 2:
        raise BadInput(f"--positive needs two classes, {source.name!r} has {len(labels)}")
    known = dict(zip(names, labels, strict=True)) | {str(label): label for label in labels}
    if positive not in known:
        hint = did_you_mean(positive, known)
        raise BadInput(f"{source.name!r} has no class {positive!r} but {' and '.join(names)}{hint}")
    if known[positive] == labels[1]:
        return source
    # The label is ±1 now, so a number that was a label needs a word beside it.
    names = [f"class {name}" if is_number(name) else name for name in names]
    y = np.where(source.y == known[positive], 1, -1)
    return replace(source, y=y, classes={-1: names[1], 1: names[0]})


def _from_columns(
    given: Given, table: Any, asked: AskedOfColumns, wanted: Wanted, intercept: bool
) -> Source:
    """A table with columns of any kind, as ``compare`` reads it."""
    from linscope.data.question import read_question

    names = list(table.columns)
    question = read_question(
        table,
        asked.target,
        missing=asked.missing,
        drop=several(asked.drop, names),
        keep=several(asked.keep, names),
        task=wanted.task,
        split=False,
        name=given.name,
    )
    X, features, encoded = _prepared(question, wanted, intercept)
    source = Source(
        given.name,
        X,
        question.y,
        features=features,
        samples=[f"sample {row}" for row in question.rows] if question.dropped else [],
        origin=table.source if given.built_in else f"target {question.target}",
        remarks=[*encoded, *_remarks(question)],
        words=f"{shlex.quote(given.word)} {asked.words()}".rstrip(),
        target=question.target,
    )
    positive = getattr(asked, "positive", None) or question.positive
    return _with_positive(source, None if positive is None else str(positive))


def _prepared(question: Any, wanted: Wanted, intercept: bool) -> tuple[Any, list[str], list[str]]:
    """The matrix, its columns in the order of the table, and what became of the categories.

    Where numbers are predicted, all categories of a column would add up to the intercept: the
    first is what the others are compared with. Without an intercept, one column keeps them all.
    """
    from linscope.validation.preparation import preparation

    reference = wanted is NUMBERS and intercept
    prepare = preparation(question, scale=False, reference=reference)
    X = prepare.fit_transform(question.X)
    names = prepare.get_feature_names_out().tolist()
    texts = {question.names[place]: each for place, each in question.categories.items()}
    whole = [name for name, each in texts.items() if len(each) > 2 and not reference]
    gone = {f"{name}={texts[name][0]}" for name in whole[1:]} if wanted is NUMBERS else set()
    kept = sorted(
        (j for j, name in enumerate(names) if name not in gone),
        key=lambda j: _origin(names[j], question.names),
    )
    compared = [name for name in texts if name not in (whole[:1] if gone else whole)]
    return X[:, kept], [names[j] for j in kept], _encoded(texts, compared)


def _origin(name: str, columns: tuple[str, ...]) -> int:
    """The place of the column that a name such as "colour=red" or "age is missing" comes from."""
    exact = (name, name.removesuffix(" is missing"))
    fits = [c for c in columns if c in exact or name.startswith(f"{c}=")]
    return columns.index(max(fits, key=len))


def _encoded(texts: dict[str, list[Any]], compared: list[str]) -> list[str]:
    """What became of the columns of text."""
    notes = []
    for column, categories in texts.items():
        reference = f", compared with {categories[0]}" if column in compared else ""
        notes.append(f"{column} ({len(categories)} categories{reference})")
    return [f"one-hot encoded: {', '.join(notes)}"] if notes else []


def _remarks(question: Any) -> list[str]:
    """What else a person should know of the columns and rows."""
    from linscope.results.numbers import counted

    remarks = list(question.notes[1:])  # the first is about the target
    if question.dropped:
        remarks.append(f"left out: {counted(question.dropped, 'row')} with missing values")
    if question.missing == "impute":
        remarks.append("missing numbers are filled in by the median, and marked in columns")
    return remarks
