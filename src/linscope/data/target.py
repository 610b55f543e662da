"""What is to be predicted: two classes, several, or a number.

Texts are classes. Numbers are a number if some are not whole, if more than 20 are different, or if
more than half of them are; else their values are classes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .kinds import NO_YES, kind_of
from .suggest import did_you_mean

MOST_CLASSES = 20
# Of the numbers 0 and 1, −1 and 1, or 1 and 2, the second is the positive one anyway.
_YES = frozenset(yes for _, yes in NO_YES) - {"1"}


@dataclass(frozen=True, eq=False)
class Target:
    """The target of the rows that are used.

    y : texts, whole numbers (int64), truth values, or float64 for a number
    task : "two classes", "classes" or "number"
    classes : labels in sorted order, but of two the positive one is the second; () for a number
    positive : of two classes the one that is looked for, else None
    notes : sentences that say what was found and assumed
    """

    y: np.ndarray
    task: str
    classes: tuple[Any, ...]
    positive: Any
    notes: tuple[str, ...]


def read_target(
    values: np.ndarray,
    name: str,
    positive: Any,
    task: str | None,
    *,
    truth: bool = False,
    split: bool = True,
) -> Target:
    """The target of a column without missing values.

    ``truth`` says that True and False are meant; to be ``split``, a class needs two rows.

    >>> read_target(np.array([0.0, 1.0, 1.0, 0.0]), "ill", None, None).notes[0]
    "'ill' has two classes: 0 in 2 rows, 1 in 2; 1 is the positive one"
    >>> read_target(np.array([0.5, 1.5, 2.5]), "size", None, None).task
    'number'
    """
    text = values.dtype == object
    if task == "number" and text:
        row = values[0]
        raise ValueError(f"the target {name!r} has text such as {row!r}, so it is not a number")
    whole = text or bool((np.abs(values) < 2**53).all() and (values == np.rint(values)).all())
    if task == "classes" and not whole:
        raise ValueError(
            f"the target {name!r} has numbers such as {values[values != np.rint(values)][0]:g}, "
            "which are no classes: round them, or predict a number"
        )
    if task == "number" or not (whole and (text or task == "classes" or _few(values))):
        return _number(values, name, positive, task)
    labels = values.astype(str) if text else values.astype(np.int64)
    found = _classes(labels, name, positive, text, split)
    return _as_truth(found) if truth else found


def _as_truth(found: Target) -> Target:
    """With True and False in place of their words."""
    classes = tuple(label == "True" for label in found.classes)
    return replace(found, y=found.y == "True", classes=classes, positive=classes[1])


def _few(values: np.ndarray) -> bool:
    distinct = len(np.unique(values))
    return distinct <= MOST_CLASSES and 2 * distinct <= max(len(values), 4)


def _number(values: np.ndarray, name: str, positive: Any, task: str | None) -> Target:
    distinct = len(np.unique(values))
    if distinct < 2:
        raise ValueError(
            f"the target {name!r} is {values[0]:g} in every row: there is nothing to learn"
        )
    if positive is not None:
        raise ValueError(
            f"the target {name!r} is a number with {distinct:,} different values, so it has no "
            f"positive class: leave out positive={str(positive)!r}, or set task='classes'"
        )
    asked = ", as asked" if task == "number" else ""
    low, high = values.min(), values.max()
    note = f"{name!r} is a number{asked}: {distinct:,} different values from {low:g} to {high:g}"
    return Target(values.astype(np.float64), "number", (), None, (note,))


def _classes(labels: np.ndarray, name: str, positive: Any, text: bool, split: bool) -> Target:
    counts = Counter(labels.tolist())
    classes = sorted(counts)
    if len(classes) < 2:
        raise ValueError(
            f"the target {name!r} is {classes[0]} in every row: two classes are needed"
        )
    _check_classes(labels, name, counts, text, split)
    if len(classes) > 2:
        if positive is not None:
            raise ValueError(
                f"the target {name!r} has {len(classes)} classes, and a positive class needs "
                f"two: leave out positive={str(positive)!r}"
            )
        found = f"{name!r} has {len(classes)} classes: {_counted(classes, counts)}"
        return Target(labels, "classes", tuple(classes), None, (found,))
    chosen = _positive(classes, name, positive)
    classes = [label for label in classes if label != chosen] + [chosen]
    note = f"{name!r} has two classes: {_counted(classes, counts)}; {chosen} is the positive one"
    return Target(labels, "two classes", tuple(classes), chosen, (note,))


def _check_classes(labels: np.ndarray, name: str, counts: Counter, text: bool, split: bool) -> None:
    """Refuse texts that name no classes, and classes that cannot be split."""
    # Of a small table that is not split, each row may be a class of its own.
    named = text and (split or len(counts) > MOST_CLASSES)
    kind = kind_of(name, labels.astype(object)).kind if named else ""
    if kind in ("text", "identifier", "date"):
        an = "an" if kind == "identifier" else "a"
        raise ValueError(
            f"the target {name!r} looks like {an} {kind}: {len(counts):,} different texts in "
            f"{len(labels):,} rows, such as {labels[0]!r}; choose a column of classes or numbers"
        )
    single = [str(label) for label, count in sorted(counts.items()) if count == 1]
    if single and split:
        more = ", …" if len(single) > 5 else ""
        otherwise = "" if text else ", or set task='number' if it is a quantity"
        these = ", ".join(single[:5]) + more
        raise ValueError(
            f"the target {name!r} has {_count(len(single), 'class', 'classes')} with a single row "
            f"({these}), which cannot be both learned and tested: take such rows out of the table, "
            f"or join them with another class{otherwise}"
        )


def _positive(classes: list[Any], name: str, positive: Any) -> Any:
    if positive is None:
        yes = [label for label in classes if str(label).lower() in _YES]
        return yes[0] if len(yes) == 1 else classes[1]
    by_text = {str(label): label for label in classes}
    if str(positive) not in by_text:
        hint = did_you_mean(str(positive), by_text)
        raise ValueError(
            f"the target {name!r} has no class {positive!r}; its classes are "
            f"{' and '.join(by_text)}{hint}"
        )
    return by_text[str(positive)]


def _counted(classes: list[Any], counts: Counter) -> str:
    first, *others = (f"{counts[label]:,}" for label in classes)
    parts = [f"{classes[0]} in {_count(int(first.replace(',', '')), 'row', 'rows')}"]
    parts += [f"{label} in {count}" for label, count in zip(classes[1:], others, strict=True)]
    return ", ".join(parts[:8]) + (", …" if len(parts) > 8 else "")


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
