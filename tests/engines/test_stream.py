"""Tables in batches: the same models, certificates and errors as in memory."""

import gc
import os
import shutil
import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone

import linscope as ls
from linscope.data.scan import open_table
from linscope.data.scan.reading import ChangedTable
from linscope.engines import RowsElsewhere, kept_rows
from linscope.engines.kept_rows import PART, places
from linscope.engines.stream import StreamEngine
from linscope.rows.blocks import by_columns
from tests.engines.test_source import GROUPS, MODELS, NAMES, NUMBERS, SOME, WORDS, X, numbers

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
TINY = 1 << 12  # bytes: blocks of some rows, and row-sized state in a file


def columns(y, weight=None):
    found = dict(zip(NAMES, X.T, strict=True)) | {"y": y}
    return found if weight is None else found | {"often": weight}


def write(path, table, sizes=(100, 1, 0, 39, 100)):
    """A Parquet file with uneven row groups, one of them empty."""
    with pq.ParquetWriter(path, table.schema) as file:
        first = 0
        for size in sizes:
            file.write_table(table.slice(first, size))
            first += size
    assert pq.read_metadata(path).num_rows == table.num_rows
    return path


def check(place, folder, limit):
    model, y = MODELS[place]
    path = write(folder / "t.parquet", pa.table(columns(y, SOME)))
    rows = ls.scan(path, target="y", weight="often", memory_limit=limit)
    near, far = clone(model).fit(X, y, sample_weight=SOME), clone(model).fit(rows)
    for mine, other in zip(numbers(near), numbers(far), strict=True):
        np.testing.assert_allclose(other, mine, rtol=0, atol=1e-9 * np.abs(mine).max())
    assert far.certificate_.status == near.certificate_.status
    assert far.verify(rows).claim_holds
    assert list(far.feature_names_in_) == NAMES
    assert far.score(rows) == pytest.approx(near.score(X, y, SOME), abs=1e-12)


SINGLE = [place for place, (_, y) in enumerate(MODELS) if y.ndim == 1]
ALL = pytest.mark.parametrize("place", SINGLE, ids=lambda place: str(MODELS[place][0]))


@pytest.mark.share(4)
@ALL
@pytest.mark.filterwarnings("ignore")  # of models that do not settle in so few steps
def test_the_same_model_and_certificate_as_in_memory(place, tmp_path):
    check(place, tmp_path, TINY)


@ALL
@pytest.mark.filterwarnings("ignore")
def test_a_small_table_is_held_in_memory(place, tmp_path):
    check(place, tmp_path, None)


def test_standard_errors(tmp_path):
    path = write(tmp_path / "t.parquet", pa.table(columns(NUMBERS)))
    near = ls.LinearRegression().fit(X, NUMBERS)
    far = ls.LinearRegression().fit(ls.scan(path, target="y", memory_limit=TINY))
    for robust in (None, "HC3"):
        mine, other = near.summary(robust=robust), far.summary(robust=robust)
        np.testing.assert_allclose(other.standard_errors, mine.standard_errors, rtol=1e-9)


def opened(table, kind, folder):
    """The same table in another form."""
    if kind == "folder":
        for number in range(3):
            pq.write_table(table.slice(80 * number, 80), folder / f"part-{number}.parquet")
        return folder
    if kind == "pattern":
        return str(opened(table, "folder", folder) / "part-*.parquet")
    if kind == "csv":
        table.to_pandas().to_csv(folder / "t.csv", index=False)
        return folder / "t.csv"
    if kind == "arrow":
        with pa.ipc.new_file(folder / "t.arrow", table.schema) as file:
            file.write_table(table)
        return folder / "t.arrow"
    if kind == "dataset":
        import pyarrow.dataset as ds

        return ds.dataset(opened(table, "folder", folder))
    if kind == "polars":
        return pytest.importorskip("polars").from_arrow(table).lazy()
    if kind == "duckdb":
        return pytest.importorskip("duckdb").from_arrow(table)
    return table.to_pandas() if kind == "pandas" else table


@pytest.mark.parametrize(
    "kind",
    ["folder", "pattern", "csv", "arrow", "dataset", "polars", "duckdb", "pandas", "table"],
)
def test_all_that_can_be_opened_again(kind, tmp_path):
    table = pa.table(columns(WORDS) | {"colour": np.array(["red", "blue", "green"])[GROUPS]})
    rows = ls.scan(opened(table, kind, tmp_path), target="y")
    assert rows.names == [*NAMES, "colour=green", "colour=red"]
    encoded = np.c_[X, GROUPS == 2, GROUPS == 0]
    near = ls.LogisticRegression().fit(encoded, WORDS)
    far = ls.LogisticRegression().fit(rows)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-9)
    assert far.classes_.tolist() == ["no", "yes"]
    assert (far.predict(rows) == near.predict(encoded)).all()


def test_classes_and_categories_that_some_parts_lack(tmp_path):
    order = np.lexsort([WORDS, GROUPS])
    colour = np.array(["red", "blue", "green"])[GROUPS][order]
    table = pa.table({"x": X[order, 0], "colour": pa.array(colour).dictionary_encode()})
    table = table.append_column("y", pa.array(WORDS[order]))
    rows = ls.scan(write(tmp_path / "t.parquet", table), target="y", memory_limit=TINY)
    encoded = np.c_[X[order, 0], colour == "green", colour == "red"]
    near = ls.LogisticRegression().fit(encoded, WORDS[order])
    np.testing.assert_allclose(ls.LogisticRegression().fit(rows).coef_, near.coef_, rtol=1e-9)


def test_who_needs_all_rows_gets_them_if_there_is_room(monkeypatch):
    from linscope.least_squares.estimators import huber
    from linscope.rows import far

    monkeypatch.setattr(far, "MOST_BROUGHT", 0)
    monkeypatch.setattr(huber, "MOST_BROUGHT", 0)
    numbers, words = pa.table(columns(NUMBERS)), pa.table(columns(WORDS))
    model = ls.LogisticRegression().fit(X, WORDS)
    model.feature_names_in_ = np.array(NAMES, dtype=object)
    with pytest.raises(RowsElsewhere, match=r"240 of 4 features.*memory_limit"):
        model.verify(ls.scan(words, target="y", memory_limit=TINY))
    assert model.verify(ls.scan(words, target="y"))
    with pytest.raises(RowsElsewhere, match="the proof of so large a HuberRegressor"):
        ls.HuberRegressor().fit(ls.scan(numbers, target="y", memory_limit=TINY))
    found, near = ls.HuberRegressor().fit(ls.scan(numbers, target="y")), ls.HuberRegressor()
    np.testing.assert_allclose(found.coef_, near.fit(X, NUMBERS).coef_, rtol=1e-9)
    assert found.certificate_.ok


def test_what_is_gathered_goes_to_a_file_beyond_the_limit(tmp_path, monkeypatch):
    from linscope.rows.far import given_target

    path = write(tmp_path / "t.parquet", pa.table(columns(NUMBERS)))
    monkeypatch.setattr(StreamEngine, "_allowed", lambda self, rows: 37)
    engine = StreamEngine(*_parts(path), 400)
    found = engine.gather(given_target)
    assert isinstance(found.base, np.memmap)
    np.testing.assert_array_equal(found, NUMBERS)
    texts = engine.gather(lambda block: np.array(["a" * (1 + block.start // 50)] * len(block.X)))
    assert texts[0] == "a"
    assert texts[-1] == "aaaaa"
    few = engine.gather(lambda block: block.y[block.y > 5])
    np.testing.assert_array_equal(few, NUMBERS[NUMBERS > 5])


def _peak(model, path, limit):
    """Bytes that a fit holds at most at once, beside what was there."""
    gc.collect()
    tracemalloc.start()
    try:
        model.fit(ls.scan(path, target="y", memory_limit=limit))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("loss", ["squared_hinge", pytest.param("hinge", marks=pytest.mark.slow)])
def test_a_support_vector_machine_holds_nothing_for_each_row(loss, tmp_path, monkeypatch):
    """What a table twice as long takes more is less than four numbers for each row."""
    monkeypatch.setattr("linscope.engines.order.FEW", 1000)
    peaks, sizes = [], (66_000, 132_000)
    for n in (sizes[0], *sizes):  # once to compile
        rng = np.random.default_rng(1)
        Z = rng.normal(size=(n, 3))
        labels = Z[:, 0] + 2 * rng.normal(size=n) > 0
        table = pa.table(dict(zip("abc", Z.T, strict=True)) | {"y": labels})
        path = write(tmp_path / f"{n}.parquet", table, (n,))
        model = ls.LinearSVC(loss=loss)
        peaks.append(_peak(model, path, 400_000))
        assert model.certificate_.ok
        assert isinstance(model.alphas_.base, np.memmap)
    assert peaks[2] - peaks[1] < 32 * (sizes[1] - sizes[0])


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_support_vector_machine_whose_rows_are_in_files_is_that_in_memory(loss, tmp_path):
    """The same rows stand for all here: of a table in one part, and with that much memory."""
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(30_000, 5))
    y = Z[:, 0] + 2 * rng.normal(size=len(Z)) > 0
    table = pa.table(dict(zip("abcde", Z.T, strict=True)) | {"y": y})
    path = write(tmp_path / "t.parquet", table, (len(Z),))
    far = ls.LinearSVC(loss=loss).fit(ls.scan(path, target="y", memory_limit=3e6))
    near = ls.LinearSVC(loss=loss).fit(Z, y)
    assert isinstance(far.alphas_.base, np.memmap)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-12)
    for name in ("alphas_", "slack_"):
        np.testing.assert_allclose(getattr(far, name), getattr(near, name), rtol=0, atol=1e-12)
    for name in ("primal", "dual"):
        found, expected = (getattr(one.certificate_, name) for one in (far, near))
        assert found == pytest.approx(expected, rel=1e-12)


def _parts(path):
    rows = ls.scan(path, target="y", memory_limit=TINY)
    return rows._table, rows._plan


def test_float32_stays_float32():
    table = pa.table({"x": X[:, 0].astype(np.float32), "y": NUMBERS})
    assert ls.LinearRegression().fit(ls.scan(table, target="y")).coef_.dtype == np.float32


@pytest.mark.parametrize("kind", ["null", "NaN", "text"])
def test_missing_values_are_named_by_row_and_column(kind):
    values = X[:, 0].tolist()
    values[77] = None if kind == "null" else np.nan
    if kind == "text":
        values = [None if i == 77 else "a" for i in range(240)]
    table = pa.table({"age": values, "b": X[:, 1], "y": NUMBERS})
    with pytest.raises(ValueError, match=r"(?s)(NaN|missing).*(77|row 77).*age|age.*row 77"):
        ls.LinearRegression().fit(ls.scan(table, target="y"))


def test_a_file_that_changes_between_passes(tmp_path):
    path = write(tmp_path / "t.parquet", pa.table(columns(WORDS)))
    rows = ls.scan(path, target="y", memory_limit=TINY)
    write(path, pa.table(columns(WORDS[::-1])))
    os.utime(path, ns=(1, 1))
    with pytest.raises(ChangedTable, match=r"t\.parquet has changed since it was opened"):
        ls.LogisticRegression().fit(rows)
    path.unlink()
    with pytest.raises(ChangedTable, match="has vanished"):
        ls.LogisticRegression().fit(rows)


def test_a_truncated_file_is_one_clear_error(tmp_path):
    path = write(tmp_path / "t.parquet", pa.table(columns(WORDS)))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match="is not a whole Parquet file"):
        ls.scan(path, target="y")


def test_rows_in_another_order_are_noticed():
    import pyarrow.dataset as ds

    class Restless:
        """Gives its rows in another order each time."""

        def __init__(self):
            self.table, self.asked = pa.table(columns(WORDS)), 0

        def __arrow_c_stream__(self, requested_schema=None):
            self.asked += 1
            order = np.roll(np.arange(240), self.asked)
            return self.table.take(order).__arrow_c_stream__(requested_schema)

    with pytest.raises(ChangedTable, match="other rows, or rows in another order"):
        ls.LogisticRegression().fit(ls.scan(Restless(), target="y", memory_limit=TINY))
    assert ds


def test_a_full_disk_is_one_clear_error(monkeypatch, tmp_path):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept_rows.os, "pwrite", full)
    path = write(tmp_path / "t.parquet", pa.table(columns(WORDS)))
    with pytest.raises(OSError, match="is full, where numbers for each row are kept"):
        ls.LinearSVC().fit(ls.scan(path, target="y", memory_limit=TINY))


@pytest.mark.parametrize("verb", ["keep", "gather"])
def test_a_disk_that_fills_up_in_mid_fit(verb, tmp_path, monkeypatch):
    """By the limit of a file's size, which the system itself enforces."""
    resource = pytest.importorskip("resource")
    from linscope.rows.far import given_target

    path = write(tmp_path / "t.parquet", pa.table(columns(WORDS)))
    rows = ls.scan(path, target="y", memory_limit=64)
    _, engine = rows.labelled()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, before[1]))
        with pytest.raises(OSError, match="is full, where numbers for each row are kept"):
            ls.LogisticRegression().fit(rows) if verb == "keep" else engine.gather(given_target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert ls.LogisticRegression().fit(rows).certificate_.ok


@pytest.mark.parametrize("share", [0.5, 0.0])
def test_a_file_that_is_cut_in_mid_fit(share, tmp_path, monkeypatch):
    path = write(tmp_path / "t.parquet", pa.table(columns(WORDS)))
    rows, keep = ls.scan(path, target="y", memory_limit=TINY), StreamEngine.keep

    def cut(self, *words):
        os.truncate(path, int(share * path.stat().st_size))
        return keep(self, *words)

    monkeypatch.setattr(StreamEngine, "keep", cut)
    model = ls.LogisticRegression()
    with pytest.raises(ChangedTable, match=r"t\.parquet has changed since it was opened"):
        model.fit(rows)
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("no column 'z'.*", {"target": "z"}),
        ("no column 'aa'.*did you mean 'a'", {"target": "y", "columns": ["aa"]}),
        ("opened without a target", {}),
    ],
)
def test_columns_must_be_there(words, options):
    with pytest.raises(ValueError, match=words):
        ls.LinearRegression().fit(ls.scan(pa.table(columns(NUMBERS)), **options))


def test_what_cannot_be_opened(tmp_path):
    with pytest.raises(TypeError, match="scan cannot open int"):
        ls.scan(3)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        ls.scan(tmp_path / "nothing.parquet")
    with pytest.raises(TypeError, match="can be read once only"):
        ls.scan(pa.table({"x": [1.0]}).to_reader())


def test_a_regression_refuses_texts():
    with pytest.raises(ValueError, match="use a classifier"):
        ls.Ridge().fit(ls.scan(pa.table(columns(WORDS)), target="y"))


def test_a_folder_that_was_copied_gives_the_same_bits(tmp_path):
    table = pa.table(columns(NUMBERS))
    write(tmp_path / "a.parquet", table, (240,))
    write(tmp_path / "b.parquet", table)
    found = [
        ls.LinearRegression().fit(ls.scan(tmp_path / name, target="y", memory_limit=TINY))
        for name in ("a.parquet", "b.parquet")
    ]
    assert np.array_equal(found[0].coef_, found[1].coef_)
    shutil.rmtree(tmp_path)


def test_evaluation_and_separability(tmp_path):
    path = write(tmp_path / "t.parquet", pa.table(columns(WORDS)))
    rows = ls.scan(path, target="y", memory_limit=TINY)
    model = ls.LogisticRegression().fit(X, WORDS)
    far, near = ls.evaluate(model, rows), ls.evaluate(model, X, WORDS)
    assert (far.confusion_matrix == near.confusion_matrix).all()
    assert far.roc_auc == pytest.approx(near.roc_auc, abs=1e-12)
    assert ls.separability(rows).verify(X, WORDS)


def test_a_comparison_says_that_it_takes_a_sample():
    rows = ls.scan(pa.table(columns(WORDS)), target="y", memory_limit=20_000)
    with pytest.warns(UserWarning, match="one of every 2 is compared, 120 in all"):
        found = ls.compare(rows, models=["fisher"], cv=2, repeats=1, budget=None, verbose=False)
    assert "Use the Fisher discriminant" in str(found)


def test_rows_are_added_to_a_model(tmp_path):
    path = write(tmp_path / "t.parquet", pa.table(columns(GROUPS)))
    half = write(tmp_path / "h.parquet", pa.table(columns(GROUPS)).slice(0, 120), (120,))
    rest = pa.table(columns(GROUPS)).slice(120)
    model = ls.FisherDiscriminant().partial_fit(ls.scan(half, target="y"))
    model.partial_fit(ls.scan(rest, target="y", memory_limit=TINY))
    whole = ls.FisherDiscriminant().fit(ls.scan(path, target="y"))
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-9)


@pytest.mark.parametrize("many", [1 << 20, 50], ids=["at once", "in parts"])
def test_equal_rows_become_weights(many, monkeypatch):
    from linscope.engines import compress

    monkeypatch.setattr(compress, "MANY_ROWS", many)
    a, b = GROUPS, (X[:, 0] > 0).astype(float)
    colour = pa.array(np.array(["red", "blue", "green"])[a]).dictionary_encode()
    rows = ls.compress(pa.table({"b": b, "colour": colour, "y": WORDS}), target="y")
    assert rows.shape == (len(set(zip(a, b, WORDS, strict=True))), 3)
    encoded = np.c_[b, a == 2, a == 0]
    for model in (ls.LogisticRegression(), ls.LinearSVC(loss="squared_hinge"), ls.Ridge()):
        target = (WORDS == "yes").astype(float) if isinstance(model, ls.Ridge) else WORDS
        if isinstance(model, ls.Ridge):
            rows = ls.compress({"b": b, "colour": colour, "y": target}, target="y")
        near, far = clone(model).fit(encoded, target), clone(model).fit(rows)
        np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-7, atol=1e-9)
        assert far.verify(rows)


def test_rows_that_hardly_repeat_are_refused(monkeypatch):
    from linscope.engines import compress

    monkeypatch.setattr(compress, "MANY_ROWS", 100)
    with pytest.raises(ValueError, match="hardly repeat"):
        ls.compress(pa.table(columns(NUMBERS)), target="y", memory_limit=2000)


def test_a_big_table_is_the_same_for_the_same_seed(tmp_path):
    from benchmarks.make_big import make_big

    rows = [make_big(tmp_path / name, 1e-4, 3, seed=1) for name in ("a.parquet", "b.parquet")]
    assert rows == [2500, 2500]
    assert pq.read_table(tmp_path / "a.parquet") == pq.read_table(tmp_path / "b.parquet")


@pytest.mark.parametrize("size", [240, 30], ids=["one group", "groups"])
def test_a_sample_says_whether_equal_rows_become_weights(size, tmp_path):
    table = pa.table({"a": GROUPS, "b": (X[:, 0] > 0).astype(float), "y": WORDS})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=size)
    rows = ls.scan(tmp_path / "t.parquet", target="y", compress="auto")
    assert rows.shape == (len(set(zip(GROUPS, X[:, 0] > 0, WORDS, strict=True))), 2)
    whole = ls.LogisticRegression().fit(ls.scan(tmp_path / "t.parquet", target="y"))
    np.testing.assert_allclose(ls.LogisticRegression().fit(rows).coef_, whole.coef_, rtol=1e-9)
    many = write(tmp_path / "many.parquet", pa.table(columns(WORDS)), [15] * 16)
    assert ls.scan(many, target="y", compress="auto").shape == (240, 4)
    assert ls.scan(pa.table(columns(WORDS)), target="y", compress=True).shape == (240, 4)


def test_a_sample_that_was_wrong_does_no_harm(tmp_path, monkeypatch):
    from linscope.engines import compress

    monkeypatch.setattr(compress, "SAMPLE", 50)
    monkeypatch.setattr(compress, "MANY_ROWS", 100)
    table = pa.table({"a": np.r_[np.zeros(60), X[60:, 0]], "y": np.r_[np.zeros(60), NUMBERS[60:]]})
    rows = ls.scan(table, target="y", compress="auto", memory_limit=2000)
    assert rows.shape == (240, 1)


def test_compressing_here_needs_no_executor():
    with pytest.raises(TypeError, match="leave out compress or executor"):
        ls.scan(pa.table(columns(WORDS)), target="y", compress=True, executor=2)
    with pytest.raises(ValueError, match="compress must be True, False or 'auto'"):
        ls.scan(pa.table(columns(WORDS)), target="y", compress="yes")


@pytest.mark.share(8)
@pytest.mark.filterwarnings("ignore")  # of perceptrons that do not settle
@pytest.mark.parametrize("stop", ["streak", "pass"])
@pytest.mark.parametrize("output", ["last", "averaged"])
@pytest.mark.parametrize("rule", ["single", "mini-batch"])
def test_a_perceptron_visits_rows_in_their_order(rule, output, stop, monkeypatch):
    """The bits of the fit in memory, also where a batch has rows of several blocks."""
    monkeypatch.setattr(StreamEngine, "_allowed", lambda self, rows: 7)
    apart = np.where(X @ [1.0, -0.2, 3.0, 0.5] > 0.5, "yes", "no")  # where a streak ends the fit
    for y, weight, batch in ((WORDS, SOME, 32), (GROUPS, None, 5), (apart, None, 11)):
        often = None if weight is None else "often"
        rows = ls.scan(pa.table(columns(y, weight)), "y", weight=often, memory_limit=TINY)
        model = ls.Perceptron(rule=rule, output=output, stop=stop, batch_size=batch, max_iter=300)
        model.set_params(max_iter=300 if y is apart else 4)
        near, far = clone(model).fit(X, y, sample_weight=weight), clone(model).fit(rows)
        for one, other in zip(near.results_, far.results_, strict=True):
            np.testing.assert_equal(other.details, one.details)
        np.testing.assert_array_equal(far.coef_, near.coef_)
        assert str(far.certificate_) == str(near.certificate_)
        for _ in range(2):
            near.partial_fit(X, y, sample_weight=weight)
            far.partial_fit(rows)
        np.testing.assert_array_equal(far.coef_, near.coef_)


def test_perceptrons_that_need_all_rows_say_what_to_use():
    rows = ls.scan(pa.table(columns(WORDS)), target="y", memory_limit=TINY)
    for options in ({"shuffle": True}, {"output": "pocket"}, {"output": "voted"}):
        with pytest.raises(RowsElsewhere, match="shuffle=False and output='averaged'"):
            ls.Perceptron(**options).fit(rows)


@pytest.mark.parametrize("group", [100, 700, 5000])
@pytest.mark.parametrize("limit", [1e5, 1e8])
def test_row_groups_of_any_size_give_the_same_rows(group, limit, tmp_path):
    """A small group is a batch; of a large one parts are."""
    X = np.arange(15_000.0).reshape(5_000, 3)
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table(dict(zip("abc", X.T, strict=True))), path, row_group_size=group)
    table = open_table(str(path))
    table.at_once = limit
    found = list(table.batches(["a", "c"], group if group < 5_000 else 0))
    rows = np.concatenate([np.column_stack(batch.columns) for batch in found])
    assert np.array_equal(rows, X[group if group < 5_000 else 0 :, [0, 2]])


PARTS = {"third": 3, "tenth": 10}


@pytest.mark.parametrize("weight", [None, "often"])
@pytest.mark.parametrize(
    ("model", "target"),
    [
        ("LinearRegression", "y"),
        ("FisherDiscriminant", "sick"),
        ("FisherDiscriminant", "third"),
        ("FisherDiscriminant", "tenth"),  # so many classes are summed by rows
        ("LeastSquaresClassifier", "sick"),
    ],
)
def test_sums_over_columns_are_sums_over_rows(model, target, weight, tmp_path):
    rng = np.random.default_rng(3)
    X, often = rng.normal(3.0, 1.0, (60_000, 7)), rng.integers(1, 4, 60_000)
    y = X @ np.arange(1.0, 8.0) + rng.normal(size=len(X))
    sick = (y > np.median(y)).astype(np.int64)
    names = [f"x{j}" for j in range(7)]
    ranks = {name: np.argsort(np.argsort(y)) * k // len(y) for name, k in PARTS.items()}
    columns = dict(zip(names, X.T, strict=True)) | ranks | {"y": y, "sick": sick, "often": often}
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=7_001)
    rows = ls.scan(path, target=target, columns=names, weight=weight, memory_limit=1e6)
    far = getattr(ls, model)().fit(rows)
    near = getattr(ls, model)().fit(X, columns[target], sample_weight=often if weight else None)
    assert far.certificate_.ok
    assert np.allclose(far.coef_, near.coef_, rtol=1e-12, atol=0)
    assert np.allclose(far.intercept_, near.intercept_, rtol=1e-11, atol=0)


@by_columns
def lies_by_columns(block):
    return int(block.X.flags.f_contiguous), 1


def test_blocks_of_tasks_that_ask_for_it_lie_by_columns(tmp_path):
    path = tmp_path / "rows.parquet"
    X = np.random.default_rng(3).normal(size=(60_000, 7))
    pq.write_table(pa.table({f"x{j}": X[:, j] for j in range(7)}), path, row_group_size=7_001)
    engine = ls.scan(path, memory_limit=1e6).engine
    by_columns, blocks = engine.fold(lies_by_columns)
    assert by_columns == blocks > 1
    assert engine.fold(lambda block: int(block.X.flags.c_contiguous)) == blocks


def test_places_of_a_mapped_file(tmp_path):
    values = np.zeros(2 * PART + 5)
    values[[0, PART - 1, PART, 2 * PART + 4]] = 1.0, -2.0, np.nan, 3.0
    np.save(tmp_path / "values.npy", values)
    mapped = np.load(tmp_path / "values.npy", mmap_mode="r+").view(np.ndarray)
    for one in (values, mapped):
        assert np.array_equal(places(one), np.flatnonzero(values))
    assert np.array_equal(mapped, values, equal_nan=True)
