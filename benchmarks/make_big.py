"""A Parquet table of any size, written a chunk at a time, the same for the same seed.

    python -m benchmarks.make_big big.parquet --gigabytes 10

Columns x1 … xd (normal), y (a number) and label (0 or 1), which depend on them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

CHUNK = 32 << 20  # bytes


def make_big(path: Path, gigabytes: float = 10.0, columns: int = 100, seed: int = 0) -> int:
    """Write the table; how many rows it has."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(seed)
    weights = rng.normal(size=columns) / np.sqrt(columns)
    rows = max(1, int(gigabytes * 1e9 / (8 * (columns + 2))))
    step, done = max(1, CHUNK // (8 * columns)), 0
    part = path.with_name(path.name + ".part")
    writer = None
    while done < rows:
        X = rng.normal(size=(min(step, rows - done), columns))
        y = X @ weights + rng.normal(size=len(X))
        label = (y + rng.logistic(size=len(X)) > 0).astype(np.int64)
        named = {f"x{j + 1}": X[:, j] for j in range(columns)}
        table = pa.table(named | {"y": y, "label": label})
        if writer is None:
            writer = parquet.ParquetWriter(part, table.schema, use_dictionary=False)
        writer.write_table(table)
        done += len(X)
    assert writer is not None
    writer.close()
    part.replace(path)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--gigabytes", type=float, default=10.0)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    rows = make_big(words.path, words.gigabytes, words.columns, words.seed)
    print(f"{words.path}: {rows:,} rows, {words.path.stat().st_size / 1e9:.1f} GB")


if __name__ == "__main__":
    main()
