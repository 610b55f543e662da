"""CSV and JSON lines in batches, read as ``linscope`` reads them everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..batches import no_collecting
from ..open_batches import open_batches
from .reading import Batch, Stamp, Table


class TextTable(Table):
    """Text files, one below the other.

    What kind a column has is found in a first pass, which counts the rows, too.
    """

    def __init__(self, paths: list[Path], where: str) -> None:
        self.where = where
        self.in_words = "in a file" if len(paths) == 1 else f"in {len(paths)} files"
        self._paths, self._stamp = paths, Stamp.of(paths)
        first = open_batches(str(paths[0]))
        kinds = dict.fromkeys(first.names, "number")
        self.n_rows = 0
        with no_collecting():
            for path in paths:
                names = list(kinds)
                for piece in open_batches(str(path)).pieces(dict.fromkeys(names, "any")):
                    for name in names:
                        if piece.table.columns[name].dtype == object:
                            kinds[name] = "text"
                    self.n_rows += len(piece.records)
        self.kinds = kinds

    def check(self) -> None:
        self._stamp.check()

    def fingerprint(self, plan: Any) -> Any:
        return self._stamp.files, self._stamp.samples()

    def batches(self, names: list[str], start: int = 0, rows: int | None = None) -> Iterator[Batch]:
        wanted = {name: "text" if self.kinds[name] == "text" else "number" for name in names}
        for path in self._paths:
            with no_collecting():
                for piece in open_batches(str(path)).pieces(wanted):
                    columns = [self._column(piece.table.columns[name], name) for name in names]
                    yield Batch(len(piece.records), columns)

    def _column(self, values: np.ndarray, name: str) -> np.ndarray:
        return values if values.dtype == object or self.kinds[name] == "number" else _texts(values)


def _texts(values: np.ndarray) -> np.ndarray:
    """Numbers of a column of JSON that has texts elsewhere."""
    from ..kinds import number_text

    found = [None if value != value else number_text(value) for value in values.tolist()]
    return np.array(found, dtype=object)
