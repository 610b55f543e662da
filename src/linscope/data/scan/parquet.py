"""Parquet files in batches: a row group is never held as a whole, however large it is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from linscope.rows.threads import thread_count

from .reading import MOST_ROWS, Batch, ChangedTable, Stamp, Table, arrow_kind, rows_of_batch

# Bytes that are read ahead of each column, and of all together.
COLUMN_BUFFER, ALL_BUFFERS, LEAST_BUFFER = 1 << 20, 32 << 20, 1 << 13
# The same where a few rows are looked at.
FEW_BUFFER = 1 << 16
# So many cores are busy with one thread that reads and those that sum: pyarrow's own threads would
# only take turns with them, which costs a fifth of the time of reading.
BUSY_CORES = 2
WORDS = {"float32": "numbers", "number": "numbers", "truth": "truth values", "text": "texts"}


class ParquetTable(Table):
    """Parquet files, one below the other; they must have the same columns."""

    def __init__(self, paths: list[Path], where: str) -> None:
        from pyarrow import parquet

        self.where = where
        self.in_words = "in a file" if len(paths) == 1 else f"in {len(paths)} files"
        self._paths, self._stamp = paths, Stamp.of(paths)
        groups, self._groups, schema = [], [], None
        # Columns that are text in some files only, and what to say of them.
        self._mixed: dict[str, str] = {}
        # The last footer: that of a large file takes a while to read.
        self._footer: tuple[int, Any] = -1, None
        for number, path in enumerate(paths):
            with _readable(path):
                meta = parquet.read_metadata(path)
            self._footer = number, meta
            own = meta.schema.to_arrow_schema().remove_metadata()
            if schema is None:
                schema = own
                self.kinds = {field.name: arrow_kind(field.type) for field in schema}
            if own.names != schema.names:
                raise ValueError(
                    f"{path} has other columns than {paths[0]}: {own.names[:8]}, not "
                    f"{schema.names[:8]}"
                )
            for field in own:
                self._add_kind(field.name, arrow_kind(field.type), path)
            for group in range(meta.num_row_groups):
                groups.append(meta.row_group(group).num_rows)
                self._groups.append((number, group))
        self.starts = tuple([0, *accumulate(groups)][: len(groups)]) or (0,)
        self.n_rows, self._longest = sum(groups), max(groups, default=0)

    def _add_kind(self, name: str, kind: str, path: Path) -> None:
        """What a column is in all files: numbers in double precision if one file has such."""
        known = self.kinds[name]
        if known == "float32" and kind == "number":
            self.kinds[name] = kind
        elif (known == "text") != (kind == "text"):
            self._mixed[name] = (
                f"column {name!r} has values of mixed types: {WORDS.get(known, known)} in "
                f"{self._paths[0]}, but {WORDS.get(kind, kind)} in {path}; make all of them "
                "numbers, or all of them texts"
            )

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_footer": (-1, None)}  # workers read it themselves

    def check(self) -> None:
        self._stamp.check()

    def fingerprint(self, plan: Any) -> Any:
        return self._stamp.files, self._stamp.samples()

    def batches(self, names: list[str], start: int = 0, rows: int | None = None) -> Iterator[Batch]:
        for name in names:
            if name in self._mixed:
                raise ValueError(self._mixed[name])
        self.check()  # the footer is that of the file as it was
        first = self.starts.index(start) if self._groups else 0
        for number in range(len(self._paths)):
            wanted = [group for file, group in self._groups[first:] if file == number]
            if wanted:
                yield from self._of_file(number, wanted, names, rows)

    def _of_file(
        self, number: int, groups: list[int], names: list[str], few: int | None
    ) -> Iterator[Batch]:
        from pyarrow import parquet

        path, (known, footer) = self._paths[number], self._footer
        rows, buffer = self._portion(len(names)) if few is None else (few, FEW_BUFFER)
        options: dict[str, Any] = {"buffer_size": buffer, "pre_buffer": False}
        options["metadata"] = footer if known == number else None
        chosen = {"columns": names, "use_threads": thread_count() > BUSY_CORES}
        with _readable(path), parquet.ParquetFile(path, **options) as file:
            self._footer = number, file.metadata
            for batch in file.iter_batches(rows, row_groups=groups, **chosen):
                yield Batch(batch.num_rows, [batch.column(name) for name in names])

    def _portion(self, columns: int) -> tuple[int, int]:
        """Rows of a batch, and bytes that are read ahead of each column, 0 if that is all of it.

        A small row group is a batch: in parts it takes a fifth more time.
        """
        if self._longest <= MOST_ROWS and 8 * self._longest * columns <= self.at_once:
            return max(self._longest, rows_of_batch(columns)), 0
        buffer = min(COLUMN_BUFFER, ALL_BUFFERS // max(1, columns))
        return rows_of_batch(columns), max(LEAST_BUFFER, buffer)


class _readable:
    """Errors of the file in plain words."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, _: Any) -> None:
        import pyarrow

        if isinstance(error, FileNotFoundError):
            raise ChangedTable(f"{self.path} has vanished since it was opened") from error
        if isinstance(error, pyarrow.ArrowException | OSError):
            words = str(error).partition("\n")[0]
            raise ValueError(
                f"{self.path} is not a whole Parquet file: {words}; write it again"
            ) from error
