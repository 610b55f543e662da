"""Cases of tables in Parquet files: each contender begins with opening the file.

linscope gets half a gigabyte at most, and less than the table takes, so that it reads in blocks.
Peers of least squares ask a query engine for the moments and solve the normal equations; those of
logistic regression read the file with pyarrow or Dask.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import SGDClassifier

import linscope as ls

from .case import Case, Contender, Data, worse_objective
from .make_big import make_big

MOST_MEMORY = 5e8
EPOCHS = 5
FACTORS, LEVELS = 4, 6


class File(NamedTuple):
    """A table in a file; the folder is gone when nobody needs it."""

    path: str
    names: list[str]
    shape: tuple[int, int]
    folder: Any

    def scan(self, target: str, **options: Any) -> Any:
        limit = min(MOST_MEMORY, 8.0 * self.shape[0] * self.shape[1])
        return ls.scan(self.path, target, columns=self.names, memory_limit=limit, **options)


class Line(NamedTuple):
    """What all answers become."""

    intercept: float
    coef: np.ndarray


def numbers(rows: int, features: int, target: str = "y") -> Data:
    """x1 … xd, y and label as in ``make_big``."""
    folder = TemporaryDirectory(prefix="linscope-bench-")
    path = Path(folder.name) / "table.parquet"
    rows = make_big(path, 8 * (rows + 0.5) * (features + 2) / 1e9, features)
    names = [f"x{j + 1}" for j in range(features)]
    return _opened(File(str(path), names, (rows, features), folder), target)


def labels(rows: int, features: int) -> Data:
    return numbers(rows, features, "label")


def factors(rows: int, features: int) -> Data:
    """Whole numbers from 0 to 5 in four columns, and a count that depends on them: rows repeat."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    X = rng.integers(LEVELS, size=(rows, features))
    y = rng.binomial(20, 0.2 + 0.5 * X.mean(axis=1) / LEVELS).astype(np.float64)
    names = [f"x{j + 1}" for j in range(features)]
    folder = TemporaryDirectory(prefix="linscope-bench-")
    path = str(Path(folder.name) / "table.parquet")
    parquet.write_table(pa.table({n: X[:, j] for j, n in enumerate(names)} | {"y": y}), path)
    return _opened(File(path, names, (rows, features), folder), "y")


def _opened(file: File, target: str) -> Data:
    """The target in memory, for the comparison of work."""
    from pyarrow import parquet

    return Data(file, parquet.read_table(file.path, columns=[target]).column(0).to_numpy())


def _scores(data: Data, line: Line) -> np.ndarray:
    from pyarrow import parquet

    parts = []
    for batch in parquet.ParquetFile(data.X.path).iter_batches(columns=data.X.names):
        parts.append(np.column_stack([np.asarray(c, float) for c in batch.columns]) @ line.coef)
    return np.concatenate(parts) + line.intercept


def squares(data: Data, line: Line) -> float:
    """Σ (y − w·x)²."""
    return float(np.sum((data.y - _scores(data, line)) ** 2))


def log_loss(data: Data, line: Line) -> float:
    """½‖w‖² + Σ log(1 + exp(−y s))."""
    s = _scores(data, line)
    losses = np.logaddexp(0.0, np.where(data.y == 1, -s, s))
    return 0.5 * float(line.coef @ line.coef) + float(np.sum(losses))


def line_of(model: Any) -> Line:
    return Line(float(np.ravel(model.intercept_)[0]), np.ravel(model.coef_))


def from_gram(names: list[str], find: dict[tuple[str, str], float], n: float) -> Line:
    """Least squares from Σ a b of all pairs of columns, of which "" is the constant 1."""
    columns = ["", *names]
    gram = np.array([[_entry(find, a, b, n) for b in columns] for a in columns])
    right = np.array([_entry(find, a, "y", n) for a in columns])
    w = np.linalg.solve(gram, right)
    return Line(float(w[0]), w[1:])


def _entry(find: dict[tuple[str, str], float], a: str, b: str, n: float) -> float:
    return n if a == b == "" else find[(a, b) if (a, b) in find else (b, a)]


def _pairs(names: list[str]) -> list[tuple[str, str]]:
    return [pair for pair in combinations_with_replacement(["", *names, "y"], 2) if any(pair)]


def duckdb_moments(data: Data) -> Line:
    import duckdb

    pairs = _pairs(data.X.names)
    sums = ", ".join(f"sum({b if not a else f'{a} * {b}'})" for a, b in pairs)
    with duckdb.connect() as database:
        query = f"SELECT {sums}, count(*) FROM read_parquet('{data.X.path}')"
        *found, n = database.execute(query).fetchall()[0]
    return from_gram(data.X.names, dict(zip(pairs, found, strict=True)), n)


def polars_moments(data: Data) -> Line:
    import polars as pl

    pairs = _pairs(data.X.names)
    sums = [
        (pl.col(a) * pl.col(b) if a else pl.col(b)).sum().alias(f"{k}")
        for k, (a, b) in enumerate(pairs)
    ]
    table = pl.scan_parquet(data.X.path).select(*sums, pl.len().alias("n"))
    *found, n = table.collect(engine="streaming").row(0)
    return from_gram(data.X.names, dict(zip(pairs, found, strict=True)), n)


def linscope_line(data: Data) -> Line:
    return line_of(ls.LinearRegression().fit(data.X.scan("y")))


def duckreg_line(data: Data) -> Line:
    """As its users do, without standard errors."""
    from duckreg.estimators import DuckRegression

    table, formula = f"read_parquet('{data.X.path}')", "y ~ " + " + ".join(data.X.names)
    model = DuckRegression(":memory:", table, formula, cluster_col="", seed=0, n_bootstraps=0)
    model.compress_data()
    found = model.estimate()
    model.conn.close()
    return Line(float(found[0]), found[1:])


def linscope_logistic(data: Data) -> Line:
    return line_of(ls.LogisticRegression().fit(data.X.scan("label")))


def partial_fits(data: Data) -> Line:
    """Stochastic gradients, batch after batch: alpha = 1/(C n) makes the objective the same."""
    from pyarrow import parquet

    n = data.X.shape[0]
    model = SGDClassifier(loss="log_loss", alpha=1.0 / n, random_state=0)
    for _ in range(EPOCHS):
        with parquet.ParquetFile(data.X.path) as file:
            for batch in file.iter_batches(columns=[*data.X.names, "label"]):
                *columns, y = (column.to_numpy() for column in batch.columns)
                model.partial_fit(np.column_stack(columns), y, classes=[0, 1])
    return line_of(model)


def dask_ml_logistic(data: Data) -> Line:
    import dask
    import dask.dataframe as dd
    from dask_ml.linear_model import LogisticRegression

    with dask.config.set(scheduler="threads"):
        frame = dd.read_parquet(data.X.path, columns=[*data.X.names, "label"])
        X = frame[data.X.names].to_dask_array(lengths=True)
        y = frame["label"].to_dask_array(lengths=True)
        return line_of(LogisticRegression(solver="lbfgs").fit(X, y))


def _case(name: str, what: str, make: Any, size: tuple, ours: Any, work: Any, **peers: Any) -> Case:
    others = tuple(Contender(n.replace("_", "-"), fit, work) for n, fit in peers.items())
    goals = {peer.name: 1.0 for peer in others}
    return Case(
        name, what, make, size, Contender("linscope", ours, work), others, worse_objective, goals
    )


STREAMS = (
    _case(
        "stream-moments",
        "least squares of a Parquet file",
        numbers,
        (2_000_000, 20),
        linscope_line,
        squares,
        duckdb=duckdb_moments,
        polars=polars_moments,
    ),
    _case(
        "stream-repeated",
        "least squares of a Parquet file whose rows repeat",
        factors,
        (5_000_000, FACTORS),
        linscope_line,
        squares,
        duckdb=duckdb_moments,
        duckreg=duckreg_line,
    ),
    _case(
        "stream-logistic",
        f"logistic regression of a Parquet file (scikit-learn: {EPOCHS} epochs of partial_fit)",
        labels,
        (1_000_000, 20),
        linscope_logistic,
        log_loss,
        sklearn=partial_fits,
        dask_ml=dask_ml_logistic,
    ),
)
