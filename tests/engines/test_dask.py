"""Dask collections go straight to ``fit``; predictions are Dask arrays."""

import os
import signal

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from distributed import Client, LocalCluster
from sklearn.base import clone

import linscope as ls
from linscope.engines.cluster.dask import DaskCrew
from linscope.engines.cluster.engine import engine_of
from linscope.engines.cluster.partition import PartitionError
from linscope.engines.cluster.shelf import Load
from tests.engines.test_cluster import agree, fails
from tests.engines.test_source import GROUPS, NAMES, NUMBERS, SOME, WORDS, X
from tests.partitions import loads, maker, refuses

FRAME = pd.DataFrame(X, columns=NAMES).assign(y=NUMBERS, label=WORDS, weight=SOME)
CHUNKS = (70, 0, 1, 169)


@pytest.fixture(scope="module")
def client():
    options = {"processes": False, "n_workers": 2, "threads_per_worker": 1}
    with (
        LocalCluster(**options, dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(params=["client", "threads"])
def somewhere(request):
    """With an active client, and without one."""
    if request.param == "threads":
        yield
        return
    with request.getfixturevalue("client").as_current():
        yield


def array(values, *more):
    return da.from_array(values, chunks=(CHUNKS, *more))


MODELS = [
    (ls.LinearRegression(), NUMBERS),
    (ls.LinearRegression(), np.c_[NUMBERS, NUMBERS**2]),
    (ls.LogisticRegression(), WORDS),
    (ls.LogisticRegression(), GROUPS),
    (ls.GaussianNaiveBayes(), GROUPS),
]


@pytest.mark.share(5)
@pytest.mark.usefixtures("somewhere")
@pytest.mark.parametrize("place", range(len(MODELS)), ids=[str(model) for model, _ in MODELS])
def test_arrays(place):
    """Columns in two chunks, the target in other chunks than the rows, weights of 0."""
    model, y = MODELS[place]
    near = clone(model).fit(X, y, sample_weight=SOME)
    rows = array(X, (1, 3))
    far = clone(model).fit(rows, da.from_array(y, chunks=100), sample_weight=array(SOME))
    agree(near, far)
    found = far.predict(rows)
    assert isinstance(found, da.Array)
    assert found.chunks[0] == CHUNKS
    expected = near.predict(X)
    assert found.dtype == expected.dtype
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(found.compute(), expected, rtol=1e-9, atol=1e-12)
    else:
        assert (found.compute() == expected).all()
    if hasattr(far, "predict_proba"):
        shares = far.predict_proba(rows)
        assert shares.shape == (240, len(far.classes_))
        np.testing.assert_allclose(shares.compute(), near.predict_proba(X), rtol=1e-8, atol=1e-12)


@pytest.mark.usefixtures("somewhere")
@pytest.mark.parametrize("unknown", [False, True])
def test_arrays_of_unknown_lengths(unknown):
    rows, y = array(X, (4,)), array(NUMBERS)
    if unknown:
        keep = y > -5.0
        rows, y = rows[keep], y[keep]
    kept = np.asarray(NUMBERS > -5.0) | (not unknown)
    agree(ls.Ridge().fit(X[kept], NUMBERS[kept]), ls.Ridge().fit(rows, y))


@pytest.mark.share(2)
@pytest.mark.usefixtures("somewhere")
def test_data_frames():
    table = dd.from_pandas(FRAME, npartitions=3)
    near = ls.LogisticRegression().fit(FRAME[NAMES], FRAME["label"], FRAME["weight"])
    features = [*NAMES, "label", "weight"]
    for far in (
        ls.LogisticRegression().fit(table[NAMES], table["label"], table["weight"]),
        ls.LogisticRegression().fit(table[features], "label", sample_weight="weight"),
    ):
        agree(near, far)
        assert list(far.feature_names_in_) == NAMES
        found = far.predict(table[NAMES])
        assert (found.compute() == near.predict(FRAME[NAMES])).all()
        assert far.decision_function(table[NAMES]).compute().shape == (240,)
        assert far.score(table[features], "label", sample_weight="weight") == pytest.approx(
            near.score(FRAME[NAMES], FRAME["label"], FRAME["weight"])
        )
    with pytest.raises(ValueError, match="the table has the features"):
        far.predict(table[["b", "a", "c", "d"]])


@pytest.mark.usefixtures("somewhere")
def test_standard_errors():
    near = ls.LinearRegression().fit(X, NUMBERS, SOME)
    far = ls.LinearRegression().fit(array(X, (4,)), array(NUMBERS), array(SOME))
    groups = np.arange(240) // 7
    for kind, labels, chunks in [("HC3", None, None), ("cluster", groups, array(groups))]:
        mine, other = near.summary(kind, groups=labels), far.summary(kind, groups=chunks)
        np.testing.assert_allclose(other.standard_errors, mine.standard_errors, rtol=1e-9)
        np.testing.assert_allclose(other.p_values, mine.p_values, rtol=1e-8)


def test_sparse_chunks():
    rows = np.where(X > 1.0, X, 0.0)
    near = ls.LogisticRegression().fit(sp.csr_array(rows), WORDS)
    agree(near, ls.LogisticRegression().fit(array(rows, (4,)).map_blocks(sp.csr_array), WORDS))


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (da.from_array(NUMBERS[:200], chunks=100), "X has 240 rows, but y has 200 entries"),
        (NUMBERS[:200], "X has 240 rows, but y has 200 entries"),
        (dd.from_pandas(FRAME["y"], npartitions=2), "X has 4 partitions, y has 2"),
    ],
)
def test_rows_that_do_not_match(y, words):
    with pytest.raises(ValueError, match=words):
        ls.LinearRegression().fit(array(X, (4,)), y)


def test_a_column_that_is_not_there():
    with pytest.raises(ValueError, match="no column 'z', only"):
        ls.LinearRegression().fit(dd.from_pandas(FRAME[NAMES], npartitions=2), "z")


@pytest.mark.share(2)
@pytest.mark.usefixtures("somewhere")
def test_evaluation():
    frame = dd.from_pandas(FRAME[[*NAMES, "label", "weight"]], npartitions=3)
    model = ls.LogisticRegression().fit(FRAME[NAMES], WORDS)
    near = ls.evaluate(model, X, WORDS, sample_weight=SOME)
    for far in (
        ls.evaluate(model, frame, "label", sample_weight="weight"),
        ls.evaluate(model, frame[NAMES], frame["label"], sample_weight=frame["weight"]),
    ):
        np.testing.assert_allclose(far.confusion_matrix, near.confusion_matrix, rtol=1e-12)
        assert far.roc_auc == pytest.approx(near.roc_auc, abs=1e-12)
    lazy = ls.evaluate(array(WORDS), model.predict(frame[NAMES]))
    assert (lazy.confusion_matrix == ls.evaluate(model, X, WORDS).confusion_matrix).all()


def test_what_needs_all_rows_says_what_to_use():
    with pytest.raises(ValueError, match="in a Dask collection: use "):
        ls.SVC().fit(array(X, (4,)), WORDS)


class TestFaults:
    def test_a_partition_that_fails_is_named(self, client):
        crew = DaskCrew(client)
        with pytest.raises(ZeroDivisionError, match=r"one over nothing \(in partition \d\)"):
            maker(crew)(X).fold(fails)
        parts = [*loads(X)[:3], Load(refuses, (), "part-4.parquet, rows 0 to 99")]
        with pytest.raises(PartitionError, match=r"part-4\.parquet, rows 0 to 99 failed: OSError"):
            engine_of(crew, crew.begin(parts))

    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore")
    def test_a_worker_killed_in_mid_fit_changes_nothing(self, monkeypatch):
        """What it had kept is made again on the other."""
        near, total, calls = ls.LogisticRegression().fit(X, WORDS), DaskCrew.total, []

        def killing(self, parts, job):
            calls.append(job.verb)
            if len(calls) == 6:
                pids = client.run(os.getpid)
                os.kill(next(iter(pids.values())), signal.SIGKILL)
            return total(self, parts, job)

        monkeypatch.setattr(DaskCrew, "total", killing)
        options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
        with LocalCluster(**options, silence_logs=50) as cluster, Client(cluster) as client:
            far = ls.LogisticRegression().fit(array(X, (4,)), array(WORDS))
            assert "keep" in calls[:6]
            assert len(calls) > 8
            agree(near, far)
