"""What ``scan`` can open, and how."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .reading import ArrowStreams, Table, rows_of_batch

PARQUET = (".parquet", ".pq")
TEXT = (".csv", ".tsv", ".txt", ".dat", ".data", ".jsonl", ".ndjson")
ARROW = (".arrow", ".ipc", ".feather")
KINDS = "Parquet, CSV, JSON lines or Arrow files"


def open_table(table: Any) -> Table:
    """A table in batches of anything that can be read more than once.

    Parameters
    ----------
    table : path of a file or a folder, pattern (``"part-*.parquet"``) or list of paths; pyarrow
        dataset or table, polars LazyFrame or DataFrame, DuckDB relation, pandas DataFrame, or
        anything else with ``__arrow_c_stream__`` that gives its rows each time it is asked
    """
    if isinstance(table, str | Path) or (
        isinstance(table, list | tuple) and all(isinstance(one, str | Path) for one in table)
    ):
        return _open_paths(table)
    with_arrow()
    for opens in (_dataset, _lazy_frame, _relation, _streams):
        found = opens(table)
        if found is not None:
            return found
    raise TypeError(
        f"scan cannot open {type(table).__name__}: give {KINDS}, a pyarrow dataset, a polars lazy "
        "frame, a DuckDB relation, or a table with __arrow_c_stream__"
    )


def with_arrow() -> None:
    """Say what to install if pyarrow is not there."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ImportError("tables in batches need pyarrow: pip install linscope[scale]") from None


def _open_paths(given: Any) -> Table:
    where = str(given) if isinstance(given, str | Path) else f"{given[0]} …" if given else "[]"
    paths = _files(given)
    kinds = {path.suffix.lower() for path in paths}
    if kinds <= set(TEXT):
        from .text import TextTable

        return TextTable(paths, where)
    with_arrow()
    if kinds <= set(PARQUET):
        from .parquet import ParquetTable

        return ParquetTable(paths, where)
    if kinds <= set(ARROW):
        return _arrow_files(paths, where)
    raise ValueError(f"{where}: {', '.join(sorted(kinds))} cannot be read in batches, only {KINDS}")


def _files(given: Any) -> list[Path]:
    """The files that are meant, in the order of their names."""
    if isinstance(given, list | tuple):
        return [path for one in given for path in _files(one)]
    path = Path(given)
    if path.is_dir():
        known = {*PARQUET, *TEXT, *ARROW}
        found = [
            p for p in sorted(path.rglob("*")) if p.suffix.lower() in known and p.is_file()
            and not p.name.startswith((".", "_"))
        ]  # fmt: skip
        if not found:
            raise ValueError(f"{path} is a folder without {KINDS}")
        return found
    if path.is_file():
        return [path]
    found = [Path(name) for name in sorted(glob.glob(str(given), recursive=True))]
    if not found:
        raise FileNotFoundError(f"there is no file {given}")
    return found


def _arrow_files(paths: list[Path], where: str) -> Table:
    from pyarrow import dataset

    found: Any = _dataset(dataset.dataset([str(path) for path in paths], format="ipc"))
    found.where, found.in_words = where, "in files"
    return found


def _dataset(table: Any) -> Table | None:
    from pyarrow import dataset

    if not isinstance(table, dataset.Dataset):
        return None

    def again(names: list[str]) -> Iterator[Any]:
        options = {"batch_size": rows_of_batch(len(names)), "batch_readahead": 2}
        return table.scanner(columns=names, fragment_readahead=1, **options).to_batches()

    return ArrowStreams(again, table.schema, "the dataset", "in a dataset")


def _lazy_frame(table: Any) -> Table | None:
    if type(table).__name__ != "LazyFrame" or not type(table).__module__.startswith("polars"):
        return None

    def again(names: list[str]) -> Iterator[Any]:
        for frame in table.select(names).collect_batches(maintain_order=True):
            yield from frame.to_arrow().to_batches()

    schema = table.head(0).collect().to_arrow().schema
    return ArrowStreams(again, schema, "the lazy frame", "in a lazy frame")


def _relation(table: Any) -> Table | None:
    if type(table).__name__ != "DuckDBPyRelation":
        return None

    def again(names: list[str]) -> Iterator[Any]:
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        chosen, rows = table.project(quoted), rows_of_batch(len(names))
        reader = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_record_batch
        return iter(reader(rows))

    return ArrowStreams(again, table.limit(0).to_arrow_table().schema, "the relation", "in DuckDB")


def _streams(table: Any) -> Table | None:
    import pyarrow

    if not hasattr(table, "__arrow_c_stream__"):
        return None
    if isinstance(table, pyarrow.RecordBatchReader):
        raise TypeError(
            "a RecordBatchReader can be read once only, and a fit reads several times: give what "
            "it was made of"
        )
    open_again: Callable[[], Any] = lambda: pyarrow.RecordBatchReader.from_stream(table)  # noqa: E731
    found = ArrowStreams(lambda names: iter(open_again()), open_again().schema, "the table",
                         "in a table that is read in batches")  # fmt: skip
    found.in_memory = True
    return found
