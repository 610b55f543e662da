"""What may be asked of a table in every command that learns from one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from .source import DATA

TableName = Annotated[
    str | None,
    Parameter(
        group=DATA,
        help="File, built-in name (linscope datasets), or - for stdin.",
        allow_leading_hyphen=True,
    ),
]


@Parameter(name="*", group=DATA)
@dataclass(frozen=True, kw_only=True)
class AskedOfTable:
    """Which column is the target, which are features, what about missing values."""

    target: Annotated[str | None, Parameter(help="Column to predict.")] = None
    positive: Annotated[
        str | None, Parameter(help="Of two classes the one looked for; yes and 1 by default.")
    ] = None
    missing: Annotated[
        Literal["drop", "impute"] | None,
        Parameter(help="Drop rows with missing values, or fill them in from the training rows."),
    ] = None
    drop: Annotated[
        list[str] | None, Parameter(help="Columns to leave out: --drop id,url.", negative=())
    ] = None
    keep: Annotated[
        list[str] | None,
        Parameter(help="Columns to use although they look like identifiers.", negative=()),
    ] = None
    sheet: Annotated[str | None, Parameter(help="Of an Excel file; the first by default.")] = None


def several(words: list[str] | None, whole: Any = ()) -> tuple[str, ...]:
    """Names with commas between them, unless one is written with a comma itself."""
    parts = [[word] if word in whole else word.split(",") for word in words or ()]
    return tuple(part.strip() for each in parts for part in each)
