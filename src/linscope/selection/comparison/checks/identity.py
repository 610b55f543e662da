"""Columns that name a row, a group of rows, or a point in time."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from .registry import Found, rule
from .subject import Subject, missing
from .words import counted, listed

WORD_ID = re.compile(r"(?:^|[_\W])(?:id|ids|uuid|guid|key)$", re.IGNORECASE)
CAMEL_ID = re.compile(r"[a-z](?:Id|ID|UUID)$")
# Rows of the same one of these are often alike.
MEMBERS = re.compile(
    r"^(?:customer|client|user|patient|subject|person|participant|household|family|school|"
    r"hospital|clinic|store|shop|device|machine|session|batch)(?:_?(?:no|nr|num|number|name))?$",
    re.IGNORECASE,
)
FEWEST_ROWS = 10


def named_as_identifier(name: str) -> bool:
    """Whether a column is called like an identifier.

    >>> [named_as_identifier(name) for name in ("id", "claim_id", "customerId", "humid", "paid")]
    [True, True, True, False, False]
    """
    return bool(WORD_ID.search(name) or CAMEL_ID.search(name))


@rule(
    "LS111",
    "An identifier is used as a feature",
    "warning",
    "A feature has another whole number in each row, rising or called an id: it names rows and "
    "says nothing about new ones.",
)
def used_identifier(subject: Subject) -> Iterator[Found]:
    if not subject.affordable or subject.n < FEWEST_ROWS:
        return
    found = {}
    for j in subject.numeric:
        values, name = subject.column(j), subject.names[j]
        if np.isnan(values).any() or (values != np.rint(values)).any():
            continue
        rising = bool((np.diff(values) > 0).all() or (np.diff(values) < 0).all())
        called = named_as_identifier(name)
        if (rising or called) and len(np.unique(values)) == subject.n:
            found[name] = "rising" if rising else "called an identifier"
    if found:
        first = next(iter(found))
        yield Found(
            f"{listed(list(found))} has another whole number in each of {subject.n:,} rows "
            f"({found[first]}): it names rows. What a model learns from it says nothing about new "
            "rows.",
            f"Leave it out (--drop {first}); if it is a time, say so (--time {first}).",
            found,
        )


@rule(
    "LS112",
    "An identifier was left out",
    "note",
    "A column names rows and was left out of all models.",
)
def left_identifier(subject: Subject) -> Iterator[Found]:
    columns = subject.question.columns
    found = [c.name for c in columns if (c.kind, c.role) == ("identifier", "left out")]
    if found:
        yield Found(
            f"{listed(found)} {'names' if len(found) == 1 else 'name'} rows, or things that rows "
            f"belong to, so no model sees {'it' if len(found) == 1 else 'them'}.",
            f"If it means more than a name, use it: --keep {found[0]}.",
            found,
        )


@rule(
    "LS113",
    "Rows seem to come in groups",
    "warning",
    "Rows of the same customer, patient or place are in training and test folds: scores for new "
    "ones may be too good.",
)
def groups(subject: Subject) -> Iterator[Found]:
    if subject.plan.group is not None or subject.question.groups is not None:
        return
    for name, distinct, rows in _possible_groups(subject):
        yield Found(
            f"{name} has {counted(distinct, 'value')} in {rows:,} rows, "
            f"{rows / distinct:.1f} rows each on average, and is called like a group. If rows of "
            "one group are alike, scores are too good for groups that no fold has seen.",
            f"Keep each group in one fold: --group {name}.",
            (name,),
        )


@rule(
    "LS114",
    "Rows may be ordered in time",
    "note",
    "There is a date, and folds were dealt out at random: a model is then judged on days before "
    "those it learned from.",
)
def dates(subject: Subject) -> Iterator[Found]:
    found = [c.name for c in subject.question.columns if c.kind == "date" and c.role != "target"]
    if found and subject.plan.time is None and subject.question.order is None:
        yield Found(
            f"{listed(found)} is a date, and folds were dealt out at random: models were judged on "
            "rows from before some of those they learned from. Where things change with time, "
            "scores are too good.",
            f"To predict later rows from earlier ones: --time {found[0]}.",
            found,
        )


def _possible_groups(subject: Subject) -> Iterator[tuple[str, int, int]]:
    """(name, distinct values, rows) of columns that are called like groups and repeat."""
    columns: list[tuple[str, np.ndarray]] = []
    for j, name in enumerate(subject.names if subject.affordable else ()):
        if _called_group(name):
            columns.append((name, subject.column(j)))
    known = {name for name, _ in columns}
    for raw in subject.unseen:
        if raw.name not in known and _called_group(raw.name):
            columns.append((raw.name, raw.values[~missing(raw.values)]))
    for name, values in columns:
        if values.dtype.kind == "f":
            values = values[~np.isnan(values)]
            if (values != np.rint(values)).any():
                continue
        distinct = len(np.unique(values))
        if distinct >= 5 and len(values) >= 1.2 * distinct:
            yield name, distinct, len(values)


def _called_group(name: str) -> bool:
    return named_as_identifier(name) or bool(MEMBERS.match(name))
