"""How every command names a table, and what may be asked of its columns."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Group, Parameter

from ..completion import tables

DATA = Group("Data", sort_key=0)


TableName = Annotated[
    str | None,
    Parameter(
        name="TABLE",
        group=DATA,
        help="File, built-in name (linscope datasets), or - for stdin.",
        allow_leading_hyphen=True,
        completer=tables,
    ),
]
DataFile = Annotated[
    Path | None,
    Parameter(
        name="--data",
        group=DATA,
        help="The same as TABLE, for a file: CSV, Parquet, Arrow, JSON lines, Excel or LIBSVM.",
    ),
]


@Parameter(name="*", group=DATA)
@dataclass(frozen=True, kw_only=True)
class AskedOfColumns:
    """Which column is the target, which are features, what about missing values."""

    target: Annotated[str | None, Parameter(help="Column to predict.")] = None
    missing: Annotated[
        Literal["drop", "impute"] | None,
        Parameter(help="Drop rows with missing values, or fill them in."),
    ] = None
    drop: Annotated[
        list[str] | None, Parameter(help="Columns to leave out: --drop id,url.", negative=())
    ] = None
    keep: Annotated[
        list[str] | None,
        Parameter(help="Columns to use although they look like identifiers.", negative=()),
    ] = None
    sheet: Annotated[str | None, Parameter(help="Of an Excel file; the first by default.")] = None

    def words(self) -> str:
        """The options that ask the same.

        >>> AskedOfColumns(target="the price", drop=["id,url"]).words()
        "--target 'the price' --drop id,url"
        """
        words = []
        for field in fields(self):
            value = getattr(self, field.name)
            for text in value if isinstance(value, list) else [value]:
                if text is not None:
                    # After a space, a word with a hyphen would be an option.
                    joint = "=" if text.startswith("-") else " "
                    words.append(f"--{field.name}{joint}{shlex.quote(text)}")
        return " ".join(words)


@Parameter(name="*", group=DATA)
@dataclass(frozen=True, kw_only=True)
class AskedOfTable(AskedOfColumns):
    """The same where classes are predicted."""

    positive: Annotated[
        str | None, Parameter(help="Of two classes the one looked for; yes and 1 by default.")
    ] = None


def several(words: list[str] | None, whole: Iterable[str] = ()) -> tuple[str, ...]:
    """Names with commas between them, unless one is written with a comma itself.

    >>> several(["id,url", "a,b"], whole=["a,b"])
    ('id', 'url', 'a,b')
    """
    parts = [[word] if word in whole else word.split(",") for word in words or ()]
    return tuple(part.strip() for each in parts for part in each)
