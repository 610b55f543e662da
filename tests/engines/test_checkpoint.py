"""Fits that are killed and begun again: the same bits as if nothing had happened."""

import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest
from sklearn.base import clone

import linscope as ls
from linscope.engines.checkpoint import journal
from linscope.engines.checkpoint.engine import JournalEngine, shape_of
from linscope.engines.checkpoint.journal import CheckpointError, Journal
from linscope.engines.checkpoint.plain import Unreadable, of_bytes, to_bytes
from linscope.engines.stream import StreamEngine
from linscope.rows.blocks import Block, Largest
from tests.engines.test_source import GROUPS, NAMES, NUMBERS, SOME, WORDS, X, numbers
from tests.engines.test_stream import TINY, columns, write

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.csv")
pytest.importorskip("pyarrow.parquet")


def other(model, y):
    """Asks the rows as another model does, too."""
    return pytest.param(model, y, id=str(model), marks=pytest.mark.slow)


MODELS = [
    (ls.LinearRegression(), NUMBERS),
    other(ls.HuberRegressor(), NUMBERS),
    (ls.LogisticRegression(penalty=None, class_weight="balanced"), WORDS),
    other(ls.LogisticRegression(), GROUPS),
    (ls.LinearSVC(loss="squared_hinge"), WORDS),
    (ls.FisherDiscriminant(), GROUPS),
    other(ls.Perceptron(rule="batch", max_iter=5), WORDS),
    (ls.Perceptron(rule="mini-batch", output="averaged", max_iter=5), GROUPS),
]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(StreamEngine, "_allowed", lambda self, rows: 37)


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.fixture
def die(monkeypatch):
    """From now on so many answers are written, and then the fit dies; how many were written."""
    append, written = Journal._append, []

    def after(most):
        written.clear()

        def counted(self, question, answer):
            if len(written) == most:
                raise Killed
            written.append(question)
            return append(self, question, answer)

        monkeypatch.setattr(Journal, "_append", counted)
        return written

    return after


def opened(folder, y=NUMBERS, **options):
    path = folder / "t.parquet"
    if not path.exists():
        write(path, pa.table(columns(y, SOME)))
    given = {"target": "y", "weight": "often", "memory_limit": TINY}
    return ls.scan(path, **given | options)


def same(one, other):
    for mine, its in zip(numbers(one), numbers(other), strict=True):
        np.testing.assert_array_equal(mine, its)
    assert str(one.certificate_) == str(other.certificate_)


@pytest.mark.share(2)
@pytest.mark.filterwarnings("ignore")  # of perceptrons that do not settle
@pytest.mark.parametrize(("model", "y"), MODELS, ids=str)
def test_a_fit_that_dies_goes_on_with_the_same_bits(model, y, tmp_path, die):
    whole = clone(model).fit(opened(tmp_path, y))
    rows = opened(tmp_path, y, checkpoint=tmp_path / "c")
    written = die(-1)
    same(clone(model).fit(rows), whole)
    assert not list(tmp_path.glob("c*"))
    many = len(written)
    for before in {many // 3, many - 1}:
        die(before)
        with pytest.raises(Killed):
            clone(model).fit(rows)
        written = die(-1)
        same(clone(model).fit(rows), whole)
        assert len(written) == many - before  # the others were not asked again


# The moments at which a process kills itself, in its first, second … life: after so many answers,
# in the middle of a record, in the middle of a pass.
LIVES = """
    import os, signal, sys
    import numpy as np
    import linscope as ls
    from linscope.engines import stream
    from linscope.engines.checkpoint import journal

    folder, lives = sys.argv[1], eval(sys.argv[2])
    journal.EVERY, os.fsync = 0.0, int  # which does nothing: no power is lost here
    stream.StreamEngine._allowed = lambda self, rows: 37
    append, save = journal.Journal._append, journal.Journal.write_unfinished

    def dies():
        os.kill(os.getpid(), signal.SIGKILL)

    def live(name, model, moment):
        done, looks = [0], [0]

        def appended(self, question, answer):
            done[0] += 1
            if done[0] == moment.get("answers"):
                dies()
            if done[0] == moment.get("torn"):
                append(self, question, answer)
                self._file.truncate(self._end - moment["bytes"])
                dies()
            return append(self, question, answer)

        def saved(self, question, begun):
            save(self, question, begun)
            looks[0] += 1
            if looks[0] == moment.get("looks"):
                dies()

        journal.Journal._append, journal.Journal.write_unfinished = appended, saved
        rows = ls.scan(folder + "/t.parquet", target="y", weight="often", memory_limit=4096,
                       checkpoint=folder + "/c" + name)
        found = model.fit(rows)
        np.savez(folder + "/" + name, coef=found.coef_, intercept=found.intercept_,
                 text=str(found.certificate_))

    for name in {name for name, _ in lives}:  # all that is imported and compiled, once
        eval("ls." + name).fit(ls.scan(folder + "/t.parquet", target="y", weight="often"))
    for name, moment in lives:
        child = os.fork()
        if child == 0:
            live(name, eval("ls." + name), moment)
            os._exit(0)
        _, how = os.waitpid(child, 0)
        assert os.WIFSIGNALED(how) == bool(moment), (moment, how)
    """
FIRST, SECOND = "LogisticRegression()", "Perceptron(output='averaged',max_iter=15)"
MOMENTS = [
    (FIRST, {"answers": 1}), (FIRST, {"torn": 3, "bytes": 1}), (FIRST, {"torn": 3, "bytes": 99}),
    (FIRST, {"looks": 4}), (FIRST, {"answers": 9}), (FIRST, {}), (SECOND, {"looks": 17}),
    (SECOND, {"answers": 5}), (SECOND, {}),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_kill_9(tmp_path, quiet):
    models = {name: eval(f"ls.{name}").fit(opened(tmp_path, WORDS)) for name in (FIRST, SECOND)}
    command = [sys.executable, "-c", textwrap.dedent(LIVES), str(tmp_path), repr(MOMENTS)]
    alone = os.environ | {"LINSCOPE_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=alone)
    assert done.returncode == 0, done.stderr
    for name, whole in models.items():
        found = np.load(tmp_path / f"{name}.npz")
        np.testing.assert_array_equal(found["coef"], whole.coef_)
        np.testing.assert_array_equal(found["intercept"], whole.intercept_)
        assert str(found["text"]) == str(whole.certificate_)
    assert not list(tmp_path.glob("c*"))


def sums(block, dies, seen):
    if block.start == dies:
        raise Killed
    seen.append(block.start)
    return block.X.sum(axis=0), len(block.X)


def visits(block, state, dies, seen):
    total, rows = sums(block, dies, seen)
    return 3.0 * state[0] + total, state[1] + rows


@pytest.mark.parametrize("verb", ["fold", "walk"])
def test_a_long_pass_goes_on_in_its_middle(verb, tmp_path, monkeypatch):
    monkeypatch.setattr(journal, "EVERY", 0.0)
    rows = opened(tmp_path).engine
    rows._workers.n_threads = 1
    words = (sums,) if verb == "fold" else (visits, (np.zeros(4), 0))
    whole = getattr(rows, verb)(*words, -1, [])
    lives = []
    for dies in (37 * 4, 37 * 6, -1):
        notes, seen = Journal(tmp_path / "c"), []
        engine = JournalEngine(notes, lambda: rows, shape_of(rows))
        with monkeypatch.context() as patch:  # who dies where is no part of the question
            patch.setattr(journal, "digest", lambda *_: "one question")
            with suppress(Killed):
                np.testing.assert_equal(getattr(engine, verb)(*words, dies, seen), whole)
        notes.close()
        lives.append([start // 37 for start in seen])
    assert lives == [[0, 1, 2, 3], [4, 5], [6]]


def test_partitions_go_on(tmp_path, die):
    with ThreadPoolExecutor(2) as pool:
        rows = opened(tmp_path, WORDS, executor=pool)
        whole = ls.LogisticRegression().fit(rows)
        die(12)
        with pytest.raises(Killed), ls.checkpoint(tmp_path / "c"):
            ls.LogisticRegression().fit(rows)
        written = die(-1)
        with ls.checkpoint(tmp_path / "c"):
            again = ls.LogisticRegression().fit(rows)
        same(again, whole)
        assert 0 < len(written) < 30


def test_dask_collections_go_on(tmp_path, die):
    da = pytest.importorskip("dask.array")
    given = da.from_array(X, chunks=(70, 4)), da.from_array(WORDS, chunks=70)
    whole = ls.LogisticRegression().fit(*given)
    die(12)
    with pytest.raises(Killed), ls.checkpoint(tmp_path / "c"):
        ls.LogisticRegression().fit(*given)
    die(-1)
    with pytest.raises(CheckpointError, match="other data"), ls.checkpoint(tmp_path / "c"):
        ls.LogisticRegression().fit(given[0] + 1.0, given[1])
    with ls.checkpoint(tmp_path / "c"):
        same(ls.LogisticRegression().fit(*given), whole)


def test_several_fits_and_tables_of_this_process(tmp_path, die):
    table, rest = pa.table(columns(NUMBERS)), pa.table(columns(WORDS))

    def both():
        with ls.checkpoint(tmp_path / "c"):
            first = ls.Ridge().fit(ls.scan(table, target="y"))
            score = first.score(ls.scan(table, target="y"))
            return first, score, ls.LogisticRegression().fit(ls.scan(rest, target="y"))

    die(20)
    with pytest.raises(Killed):
        both()
    written = die(-1)
    first, score, second = both()
    same(first, ls.Ridge().fit(ls.scan(table, target="y")))
    assert score == first.score(X, NUMBERS)
    assert 0 < len(written) < 40
    np.testing.assert_allclose(second.coef_, ls.LogisticRegression().fit(X, WORDS).coef_, rtol=1e-9)


@pytest.fixture
def left(tmp_path, die):
    """What a fit has left that died in its middle."""
    die(5)
    with pytest.raises(Killed):
        ls.Ridge().fit(opened(tmp_path, checkpoint=tmp_path / "c"))
    die(-1)
    return tmp_path / "c"


def test_the_checkpoint_of_another_fit_is_refused(left, tmp_path, monkeypatch):
    rows = opened(tmp_path, checkpoint=left)
    with pytest.raises(CheckpointError, match=r"checkpoint of Ridge\(alpha=1.0.*this is LinearReg"):
        ls.LinearRegression().fit(rows)
    with pytest.raises(CheckpointError, match=r"this is Ridge\(alpha=2.0"):
        ls.Ridge(alpha=2.0).fit(rows)
    with pytest.raises(CheckpointError, match="a fit to other data"):
        ls.Ridge().fit(opened(tmp_path, checkpoint=left, columns=NAMES[:2]))
    with monkeypatch.context() as patch:
        patch.setattr(StreamEngine, "_allowed", lambda self, rows: 50)  # by another memory_limit
        with pytest.raises(CheckpointError, match=r"another fit .* memory_limit"):
            ls.Ridge().fit(rows)
    with monkeypatch.context() as patch:
        patch.setitem(journal.VERSIONS, "linscope", "99")
        with pytest.raises(CheckpointError, match="this is linscope 99, whose digits may differ"):
            ls.Ridge().fit(rows)
    same(ls.Ridge().fit(rows), ls.Ridge().fit(opened(tmp_path)))


def test_data_that_have_changed_since_are_refused(left, tmp_path):
    write(tmp_path / "t.parquet", pa.table(columns(NUMBERS[::-1], SOME)))
    with pytest.raises(CheckpointError, match="the data have changed since"):
        ls.Ridge().fit(opened(tmp_path, checkpoint=left))


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_file_of_the_same_size_and_time_is_known_by_its_bytes(kind, tmp_path, die):
    path, files = tmp_path / f"t.{kind}", {}
    for name, shift in (("old", 0), ("new", 1)):
        table = pa.table({"x": np.arange(500) % 7 + 1, "y": (np.arange(500) + shift) % 9 + 1})
        if kind == "csv":
            pa.csv.write_csv(table, path)
        else:
            plain = {"compression": "none", "use_dictionary": False, "write_statistics": False}
            pa.parquet.write_table(table, path, **plain)
        files[name] = path.read_bytes()
    assert len(files["old"]) == len(files["new"])
    for name in ("old", "new"):
        path.write_bytes(files[name])
        os.utime(path, ns=(10**18, 10**18))
        rows = ls.scan(path, "y", checkpoint=tmp_path / "c")
        if name == "old":
            die(3)
            with pytest.raises(Killed):
                ls.Ridge().fit(rows)
            die(-1)
    with pytest.raises(CheckpointError, match="the data have changed since"):
        ls.Ridge().fit(rows)
    path.write_bytes(files["old"])
    os.utime(path, ns=(10**18, 10**18))
    ls.Ridge().fit(ls.scan(path, "y", checkpoint=tmp_path / "c"))


def test_a_fit_that_ends_before_the_first_answer_leaves_nothing(tmp_path, die):
    rows = opened(tmp_path, checkpoint=tmp_path / "c")
    with pytest.raises(ValueError, match="alpha"):
        ls.Ridge(alpha=-1.0).fit(rows)
    assert not (tmp_path / "c").exists()
    notes = Journal(tmp_path / "c")  # and so does a process that is killed there
    notes.begin("Ridge", "Ridge()", "")
    notes.close()
    same(ls.Ridge().fit(rows), ls.Ridge().fit(opened(tmp_path)))


def test_a_checkpoint_that_is_in_use(left, tmp_path):
    pytest.importorskip("fcntl")
    with ls.checkpoint(tmp_path / "d"), pytest.raises(CheckpointError, match="fit that is running"):
        Journal(tmp_path / "d")


def test_other_files_are_left_alone(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("my only copy")
    with pytest.raises(CheckpointError, match="is no checkpoint of linscope"):
        ls.Ridge().fit(opened(tmp_path, checkpoint=path))
    assert path.read_text() == "my only copy"
    with pytest.raises(CheckpointError, match="is not a file"), ls.checkpoint(tmp_path):
        pass


@pytest.mark.share(4)
@pytest.mark.parametrize("place", range(0, 1500, 67))
def test_a_damaged_file_is_never_believed(place, left, tmp_path):
    data = bytearray(left.read_bytes())
    place %= len(data)
    if place < len(journal.MAGIC):
        place = len(journal.MAGIC)
    data[place] ^= 1 << place % 8
    left.write_bytes(data)
    same(ls.Ridge().fit(opened(tmp_path, checkpoint=left)), ls.Ridge().fit(opened(tmp_path)))


def test_a_file_that_was_cut_anywhere(left, tmp_path, die):
    data, whole = left.read_bytes(), ls.Ridge().fit(opened(tmp_path))
    for length in range(0, len(data), 97):
        left.write_bytes(data[:length])
        same(ls.Ridge().fit(opened(tmp_path, checkpoint=left)), whole)


def test_a_full_disk_is_one_clear_error_and_loses_nothing(tmp_path, monkeypatch):
    resource = pytest.importorskip("resource")
    import signal

    rows = opened(tmp_path, WORDS, checkpoint=tmp_path / "c")
    whole = ls.LogisticRegression().fit(opened(tmp_path, WORDS))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, before[1]))
        with pytest.raises(OSError, match=r"checkpoint .*c cannot be written .*: make room"):
            ls.LogisticRegression().fit(rows)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    same(ls.LogisticRegression().fit(rows), whole)


@pytest.mark.parametrize(
    "thing",
    [
        None,
        (1, 2.5, -0.0, float("inf"), "ä", True, [None, (3,)]),
        10**30,
        np.float64(0.1),
        np.bool_(True),
        np.arange(6.0).reshape(2, 3).T,
        np.zeros((0, 3)),
        np.array(["a", "bc"]),
        np.array(["a", None], dtype=object),
        Largest(np.array([1.0, 2.0])),
        {"a": np.int64(3), "b": np.dtype(np.float32)},
    ],
    ids=repr,
)
def test_answers_come_back_as_they_were(thing):
    found = of_bytes(b"".join(to_bytes(thing)))
    np.testing.assert_equal(found, thing)
    assert type(found) is type(thing)
    if isinstance(thing, np.ndarray):
        assert (found.dtype, found.flags.f_contiguous) == (thing.dtype, thing.flags.f_contiguous)


def test_blocks_and_sparse_rows_come_back():
    import scipy.sparse as sp

    block = Block(7, sp.csr_array(np.eye(3)), np.arange(3), np.ones(3))
    found = of_bytes(b"".join(to_bytes(block)))
    assert found.rows == slice(7, 10)
    np.testing.assert_array_equal(found.X.toarray(), np.eye(3))


def test_a_file_can_name_no_other_classes():
    data = b"".join(to_bytes(Largest(1.0))).replace(b"rows.blocks", b"engines.scan")
    head = b'[["made","subprocess","Popen","true"],[]]'
    with pytest.raises(Unreadable):
        of_bytes(len(head).to_bytes(8, "little") + head)
    head = data[8:].replace(b"Largest", b"Scan")
    with pytest.raises(Unreadable):
        of_bytes(len(head).to_bytes(8, "little") + head)
