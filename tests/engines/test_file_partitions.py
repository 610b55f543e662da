"""Files in partitions on an executor: each worker reads its own rows."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone

import linscope as ls
from linscope.data.scan.reading import ChangedTable
from linscope.engines.cluster import executors, files
from linscope.engines.cluster.dask import DaskCrew
from linscope.engines.cluster.executors import ExecutorCrew
from linscope.engines.cluster.files import crew_of, row_borders
from linscope.engines.cluster.shelf import shelf
from tests.engines.test_cluster import agree
from tests.engines.test_source import GROUPS, NAMES, NUMBERS, SOME, WORDS, X

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
TEXTS = np.array(["red", "green", "blue"])[np.arange(240) % 3]


@pytest.fixture(scope="module")
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture
def folder(tmp_path):
    """Two files with row groups of 50 rows; a text is missing from the second."""
    texts = np.where(np.arange(240) < 150, TEXTS, "red")
    columns = dict(zip(NAMES, X.T, strict=True))
    columns |= {"text": texts, "y": NUMBERS, "word": WORDS, "group": GROUPS, "often": SOME}
    table = pa.table(columns)
    pq.write_table(table.slice(0, 150), tmp_path / "1.parquet", row_group_size=50)
    pq.write_table(table.slice(150), tmp_path / "2.parquet", row_group_size=50)
    return tmp_path


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (ls.LinearRegression(), "y"),
        (ls.LogisticRegression(), "word"),
        (ls.GaussianNaiveBayes(), "group"),
        (ls.LinearSVC(loss="squared_hinge"), "word"),
    ],
)
def test_the_same_model_as_streamed(model, target, folder, threads):
    options = {"columns": [*NAMES, "text"], "weight": "often"}
    near = clone(model).fit(ls.scan(folder, target, **options))
    rows = ls.scan(folder, target, **options, executor=threads)
    far = clone(model).fit(rows)
    agree(near, far)
    assert list(far.feature_names_in_)[-2:] == ["text=green", "text=red"]
    assert far.score(rows) == pytest.approx(near.score(ls.scan(folder, target, **options)))


def test_text_files(tmp_path, threads):
    np.savetxt(
        tmp_path / "t.csv", np.c_[X, NUMBERS], delimiter=",", header="a,b,c,d,y", comments=""
    )
    near = ls.Ridge().fit(X, NUMBERS)
    agree(near, ls.Ridge().fit(ls.scan(tmp_path / "t.csv", "y", executor=threads)))


def test_a_file_that_changes_between_passes_is_named(folder, threads):
    rows = ls.scan(folder, "y", columns=NAMES, executor=threads)
    engine = files.file_engine(crew_of(threads), rows._table, rows._plan, len(X))
    ls.Ridge().fit(rows)
    path = folder / "2.parquet"
    os.truncate(path, path.stat().st_size - 20)
    shelf.drop(frozenset(key[0] for key in shelf._held))
    with pytest.raises(ChangedTable, match=r"2\.parquet has changed .* nothing was fitted"):
        ls.Ridge().fit(rows)  # the look at some rows, which is from here
    with pytest.raises(ChangedTable, match=r"2\.parquet has changed .* \(in partition 0 "):
        engine.fold(lambda block: block.X.sum())


def test_one_pass_reads_each_partition_once(folder, threads, monkeypatch):
    """What is known of the files is not asked of workers, who would read all rows for it."""
    calls, read = [], files.read_rows
    monkeypatch.setattr(executors, "memory_budget", lambda: 0.0)  # no worker keeps any
    monkeypatch.setattr(files, "read_rows", lambda *given: calls.append(given[2:]) or read(*given))
    model = ls.LinearRegression().fit(ls.scan(folder, "y", columns=NAMES, executor=threads))
    assert len(calls) == len(set(calls)) > 1
    agree(ls.LinearRegression().fit(ls.scan(folder, "y", columns=NAMES)), model)


def test_tables_of_this_process_are_refused(threads):
    table = pa.table({"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 4.0]})
    with pytest.raises(TypeError, match="is not in files, so workers cannot read it"):
        ls.Ridge().fit(ls.scan(table, "y", executor=threads))


def test_partitions_begin_at_row_groups_where_these_are_near():
    found = row_borders((0, 50, 100, 150, 200), 240, 2, 10**6)
    assert found == [0, 30, 50, 90, 120, 150, 180, 200, 240]
    assert row_borders((0,), 3, 4, 10**6) == [0, 1, 2, 3]
    assert len(row_borders((0,), 10**9, 2, 10**6)) == 1 + 1000


def test_who_does_the_jobs():
    from distributed import Client, LocalCluster

    options = {"processes": False, "n_workers": 1, "threads_per_worker": 2}
    with LocalCluster(**options, dashboard_address=None) as cluster, Client(cluster) as client:
        for given in (client, cluster, cluster.scheduler_address, client.get_executor()):
            crew = crew_of(given)
            assert isinstance(crew, DaskCrew)
            assert crew.workers == 2
            if crew.client is not client:
                crew.client.close()
    with ThreadPoolExecutor(3) as pool:
        assert isinstance(crew_of(pool), ExecutorCrew)
        assert crew_of(pool).workers == 3
    for wrong in (True, 0, object()):
        with pytest.raises(TypeError, match="executor"):
            crew_of(wrong)
