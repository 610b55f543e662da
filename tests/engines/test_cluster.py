"""Rows in partitions on executors: the same models, whatever the workers do."""

import multiprocessing
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import linscope as ls
from linscope.engines import MemoryEngine, RowsElsewhere, Source, using
from linscope.engines.cluster.engine import ClusterEngine, engine_of
from linscope.engines.cluster.executors import ExecutorCrew
from linscope.engines.cluster.log import Log
from linscope.engines.cluster.partition import PartitionError
from linscope.engines.cluster.shelf import Load, Shelf, shelf
from tests.engines.test_source import GROUPS, MODELS, NAMES, NUMBERS, SOME, WORDS, X, numbers
from tests.partitions import dawdles, dies_once, loads, maker, refuses, source


class Inline(Executor):
    """The least that an executor can be: work is done when it is handed in."""

    def submit(self, function, /, *args, **kwargs):
        future = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@pytest.fixture(scope="module")
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield ExecutorCrew(pool)


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield ExecutorCrew(pool)


def agree(near, far):
    for mine, other in zip(numbers(near), numbers(far), strict=True):
        np.testing.assert_allclose(other, mine, rtol=0, atol=1e-9 * np.abs(mine).max())
    ours, theirs = near.certificate_, far.certificate_
    assert (ours.ok, ours.status) == (theirs.ok, theirs.status)


@pytest.mark.share(4)
@pytest.mark.filterwarnings("ignore")  # of the perceptrons, which do not settle
@pytest.mark.parametrize("place", range(len(MODELS)), ids=[str(model) for model, _ in MODELS])
def test_the_same_model_as_in_memory(place, threads):
    model, y = MODELS[place]
    weight = SOME if place % 2 else None
    near = clone(model).fit(X, y, sample_weight=weight)
    far = clone(model).fit(source(threads, X, y, weight, NAMES))
    agree(near, far)


@pytest.mark.parametrize("model", [ls.LogisticRegression(), ls.LinearSVC(loss="squared_hinge")])
def test_a_worker_that_holds_nothing_makes_all_of_it_again(model):
    crew = ExecutorCrew(Inline(), limit=0)
    agree(clone(model).fit(X, WORDS), clone(model).fit(source(crew, X, WORDS)))


def test_sparse_rows(threads):
    rows = sp.csr_array(np.where(X > 1.0, X, 0.0))
    near = ls.LogisticRegression().fit(rows, WORDS)
    with using(maker(threads)):
        agree(near, ls.LogisticRegression().fit(rows, WORDS))


class TestProcesses:
    def test_least_squares_and_its_errors(self, processes):
        near = ls.LinearRegression().fit(X, NUMBERS)
        far = ls.LinearRegression().fit(source(processes, X, NUMBERS))
        agree(near, far)
        for kind in (None, "HC0", "HC1", "HC2", "HC3"):
            mine, other = near.summary(kind), far.summary(kind)
            np.testing.assert_allclose(other.standard_errors, mine.standard_errors, rtol=1e-9)

    @pytest.mark.parametrize(
        ("model", "y"), [(ls.LogisticRegression(), GROUPS), (ls.FisherDiscriminant(), GROUPS)]
    )
    def test_classes(self, model, y, processes):
        agree(clone(model).fit(X, y), clone(model).fit(source(processes, X, y)))


def total(block, power):
    return (block.X**power).sum(axis=0), float(block.X.shape[0])


def doubled(block):
    return 2.0 * block.X[:, 0], 0.0


def next_of(block, name):
    return block.kept[name] + 1.0, float(block.kept[name].sum())


def sum_of(block, name):
    return float(block.kept[name].sum())


def late_rows(block):
    return block.X[block.X[:, 0] > 0.0], None, block.weight


def fails(block):
    raise ZeroDivisionError("one over nothing")


class TestVerbs:
    def test_sums_do_not_depend_on_the_partitions(self, threads):
        mine, other = MemoryEngine(X).fold(total, 2), maker(threads)(X).fold(total, 2)
        np.testing.assert_allclose(other[0], mine[0], rtol=1e-14)
        assert other[1] == mine[1] == 240

    def test_the_same_rows_stand_for_all(self, threads):
        engine = maker(threads)(X, NUMBERS, SOME)
        assert (engine.some(30).X == MemoryEngine(X).some(30).X).all()
        rows = np.array([0, 71, 72, 100, 239])
        assert (engine.take(rows).y == NUMBERS[rows]).all()
        assert (engine.take(rows).weight == SOME[rows]).all()

    def test_what_is_kept_and_derived_is_made_again(self):
        """Each job finds an empty worker."""
        engine = maker(ExecutorCrew(Inline(), limit=0))(X)
        engine.keep("a", doubled)
        for k in range(3):
            engine.keep("a", next_of, "a")
            engine.keep("b", next_of, "a")
            assert engine.fold(sum_of, "b") == pytest.approx(2 * X[:, 0].sum() + 240 * (k + 2))
        engine.forget("a")
        assert engine.fold(sum_of, "b") == pytest.approx(2 * X[:, 0].sum() + 240 * 4)
        with pytest.raises(KeyError):
            engine.fold(sum_of, "a")
        late = engine.derive(late_rows)
        assert late.n_rows == (X[:, 0] > 0).sum()
        assert late.cut(7).fold(total, 1)[1] == late.n_rows
        assert max(late.cut(7).sizes) == 7

    def test_row_numbers_are_those_of_the_table(self, threads):
        late = maker(threads)(X).derive(late_rows)
        starts = late.gather(lambda block: np.arange(block.rows.start, block.rows.stop))
        assert (starts == np.arange(late.n_rows)).all()

    def test_all_rows_are_refused_by_name(self, threads):
        with pytest.raises(RowsElsewhere, match=r"the dual simplex needs .* on an executor"):
            maker(threads)(X).all_rows("the dual simplex")

    def test_types_are_made_one(self, threads):
        parts = [Load(np.broadcast_arrays, (X[:3].astype(kind),), kind) for kind in ("f4", "f8")]
        engine = engine_of(threads, threads.begin(parts))
        assert engine.dtype == np.float64
        assert engine.fold(lambda block: int(block.X.dtype != np.float64)) == 0

    def test_partitions_have_the_same_columns(self, threads):
        parts = loads(X)[:1] + loads(X[:, :2])[:1]
        with pytest.raises(ValueError, match="partition 1 has 2 columns, partition 0 has 4"):
            engine_of(threads, threads.begin(parts))

    def test_workers_drop_what_nobody_has_any_more(self):
        engine = maker(ExecutorCrew(Inline()))(X)
        family = engine._parts[0].family
        assert any(key[0] == family for key in shelf._held)
        del engine
        assert not any(key[0] == family for key in shelf._held)


def test_events_are_kept_while_something_depends_on_them():
    log = Log()

    def keep(name, *looked_at):
        log.count += 1
        log.add(name, None, (), frozenset(looked_at))

    keep("a")
    keep("b", "a")
    keep("a")
    assert [event.number for event in log.events] == [1, 2, 3]
    log.forget("b")
    assert [event.number for event in log.events] == [3]


class TestFaults:
    def test_a_task_that_fails_names_the_partition(self, threads):
        with pytest.raises(ZeroDivisionError, match=r"one over nothing \(in partition 0\)"):
            maker(threads)(X).fold(fails)

    def test_a_partition_that_cannot_be_read_is_named(self, threads):
        parts = [*loads(X)[:3], Load(refuses, (), "part-4.parquet, rows 0 to 99")]
        with pytest.raises(PartitionError, match=r"part-4\.parquet, rows 0 to 99 failed: OSError"):
            engine_of(threads, threads.begin(parts))

    def test_a_bad_number_is_named_by_its_row_in_the_table(self, threads):
        broken = X.copy()
        broken[200, 2] = np.nan
        with pytest.raises(ValueError, match="NaN at row 200, column 'c'"):
            ls.LogisticRegression().fit(source(threads, broken, WORDS, None, NAMES))

    @pytest.mark.parametrize("slow", [0, 4])
    def test_a_slow_worker_changes_no_bit(self, slow, threads):
        parts = loads(X, WORDS)
        whole = ls.LogisticRegression().fit(Source(engine_of(threads, threads.begin(parts))))
        parts[slow] = Load(dawdles, parts[slow].arguments, f"partition {slow}")
        far = ls.LogisticRegression().fit(Source(engine_of(threads, threads.begin(parts))))
        np.testing.assert_array_equal(far.coef_, whole.coef_)
        assert str(far.certificate_) == str(whole.certificate_)

    def dying(self, crew, tmp_path):
        parts = loads(X, NUMBERS)
        words = (str(tmp_path / "flag"), *parts[3].arguments)
        parts[3] = Load(dies_once, words, "partition 3")
        return Source(engine_of(crew, crew.begin(parts)))

    @pytest.mark.slow
    def test_processes_of_our_own_are_started_again(self, tmp_path):
        crew = ExecutorCrew.of_processes(1)
        first = crew._pools[0]
        far = ls.LinearRegression().fit(self.dying(crew, tmp_path))
        agree(ls.LinearRegression().fit(X, NUMBERS), far)
        assert crew._pools[0] is not first

    @pytest.mark.slow
    def test_a_pool_of_the_user_is_not(self, tmp_path):
        context = multiprocessing.get_context("spawn")
        with (
            ProcessPoolExecutor(1, mp_context=context) as pool,
            pytest.raises(PartitionError, match=r"died while partition \d was waited for"),
        ):
            self.dying(ExecutorCrew(pool), tmp_path)


def test_rows_in_partitions_are_not_pickled(threads):
    with pytest.raises(TypeError, match="stay where they are"):
        ClusterEngine.__reduce__(maker(threads)(X))


@pytest.mark.slow
def test_the_shelf_hears_of_engines_that_are_gone_while_it_is_counted():
    # The garbage collector may call at any moment, also from the thread that holds the lock.
    shelf = Shelf()

    class Counted:
        @property
        def nbytes(self):
            shelf.forget("a")
            return 1

    shelf._held.update({("a", 0): Counted(), ("b", 0): Counted()})
    shelf.shrink(np.inf)
    shelf.drop(frozenset())
    assert list(shelf._held) == [("b", 0)]
