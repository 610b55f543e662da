"""A table as it is named on the command line: a file, a built-in set, or standard input."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ..errors import BadInput

STDIN = "-"


class Given(NamedTuple):
    """The table as it was named.

    word : on a command line; python : in Python; name : in sentences; stem : of the report's name
    """

    word: str
    python: str
    name: str
    stem: str
    built_in: bool = False

    def read(self, sheet: str | None = None) -> Any:
        """The table; ``sheet`` is that of an Excel file."""
        if self.built_in:
            if sheet is not None:
                raise BadInput(f"--sheet {sheet}: {self.word} is a built-in table without sheets")
            from linscope.data.datasets import load

            return load(self.word)
        from linscope.data.files import read_table

        return read_table(self.word, sheet=sheet)


def given_table(table: str | None, file: Path | None = None) -> Given:
    """What is meant by the word, or by ``--data``."""
    if table is not None and file is not None:
        raise BadInput(f"give either {table!r} or --data {file}, not both")
    word = table if table is not None else None if file is None else str(file)
    if word is None:
        raise BadInput("which table? Name a file, a built-in table (churn, …), or - for stdin")
    if word == STDIN:
        return Given(word, "sys.stdin", "standard input", "table")
    if file is None and not looks_like_file(word):
        return Given(word, f"ls.datasets.load({word!r})", word, word, built_in=True)
    return Given(word, repr(word), Path(word).name, Path(word).stem)


def looks_like_file(word: str) -> bool:
    """Rather than the name of a built-in set."""
    from linscope.data.datasets import names

    return word not in names() and ("." in word or "/" in word or Path(word).is_file())
