"""``linscope predict``: the table as it was, with the answers of the Python interface behind it."""

import io
import json

import numpy as np
import pytest

import linscope as ls
from linscope.cli import main
from linscope.data import batches
from linscope.data.files import read_table

COMMAND = ["predict"]
rng = np.random.default_rng(1)
PLANS = ["basic", "plus", "01"]
ROWS = [
    (round(x, 3), PLANS[i % 3], "yes" if x + (i % 3) - 1 > 0 else "no")
    for i, x in enumerate(rng.normal(size=45))
]
TRAINING = "size,plan,label\n" + "".join(f"{x},{plan},{label}\n" for x, plan, label in ROWS)
NEW = "id,plan,size\nA,plus,0.50\nB,basic,-1e0\nC,01,2\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    (folder / "training.csv").write_text(TRAINING)
    words = ("fit", "logistic", folder / "training.csv", "--target", "label", "--quiet")
    assert main([*map(str, words), "--save", str(folder / "m.linscope")]) == 0
    return folder / "m.linscope"


def labels(model, table):
    return ls.load(model).predict(table).tolist()


def test_a_column_is_added_behind_the_bytes_of_the_table(run, model, write):
    code, out, err = run(model, write(NEW))
    assert code == 0
    expected = labels(model, {"size": [0.5, -1, 2], "plan": ["plus", "basic", "01"]})
    lines = [f"{line},{label}" for line, label in zip(NEW.split("\n")[1:], expected, strict=False)]
    assert out == "\n".join(["id,plan,size,predicted", *lines]) + "\n"
    assert err == "linscope: columns that the model does not know are kept as they are: id\n"


def test_probabilities_and_scores(run, model, write):
    _, out, _ = run(model, write(NEW), "--proba", "--scores", "--only", "--quiet")
    columns = read_table(write(out, "out.csv")).columns
    loaded, table = ls.load(model), read_table(write(NEW))
    assert list(columns) == ["predicted", "p_no", "p_yes", "score"]
    probabilities = np.column_stack([columns["p_no"], columns["p_yes"]])
    np.testing.assert_array_equal(probabilities, loaded.predict_proba(table))
    np.testing.assert_array_equal(columns["score"], loaded.decision_function(table))


@pytest.mark.parametrize("quick", [0, 10**9])
@pytest.mark.parametrize("size", [1, 7, 40, 4_000_000])
def test_pieces_make_no_difference(run, model, write, monkeypatch, size, quick):
    """Also where quotes hold line breaks, and where a piece has only numbers for categories."""
    rows = ['"a,\n""b""",01,1', "c,01,2", "", "d,plus,3", '"e",basic,', "f,gold,1", 'g,"01",4']
    path = write("id,plan,size\r\n" + "\r\n".join(rows) + "\r\n")
    monkeypatch.setattr(batches, "PIECE", size)
    monkeypatch.setattr(batches, "QUICK", quick)
    code, out, err = run(model, path)
    assert code == 1  # a row lacks its size
    answers = ls.load(model).predict(
        {"size": [1.0, 2, 3, 1, 4], "plan": ["01", "01", "plus", "gold", "01"]}
    )
    answers = [*answers[:3], "", *answers[3:]]
    rows = [row for row in rows if row]
    lines = [f"{row},{answer}" for row, answer in zip(rows, answers, strict=True)]
    assert out == "\r\n".join(["id,plan,size,predicted", *lines]) + "\r\n"
    assert "'plan' has categories that the model has not met, in 1 row: 'gold' in 1" in err
    assert "1 of 6 rows have a missing or infinite value and no prediction" in err


@pytest.mark.parametrize("words", [[], ["--proba", "--scores"], ["--only", "--proba"]])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_compiled_loops_write_the_same_bytes(run, model, tmp_path, monkeypatch, words, newline):
    """Rows of all kinds: unknown categories, missing and infinite values, letters of two bytes."""
    sizes = [*rng.normal(size=50).tolist(), "", "NA", "inf", "1e3", " 7 ", "1_0"]
    rows = [f"é{i},{[*PLANS, 'gold', ''][i % 5]},{x}" for i, x in enumerate(sizes)]
    path, written = tmp_path / "t.csv", []
    path.write_bytes(newline.join(["id,plan,size", *rows, ""]).encode())
    for quick in (0, 10**9):
        monkeypatch.setattr(batches, "QUICK", quick)
        out = tmp_path / f"{quick}.csv"
        code, _, err = run(model, path, *words, "--out", out)
        written.append((code, err.replace(str(out), ""), out.read_bytes()))
    assert written[0] == written[1]
    assert written[0][2].count(newline.encode()) == len(rows) + 1


def test_bom_and_semicolons(run, model, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("\ufeffsize;plan\n0,5;plus\n".encode())
    _, out, _ = run(model, path, "--quiet")
    answer = labels(model, {"size": [0.5], "plan": ["plus"]})[0]
    assert out == f"\ufeffsize;plan;predicted\n0,5;plus;{answer}\n"


def test_json_lines_and_parquet(run, model, write, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    line = '{"size": 5e-1, "plan": "plus", "more": [1'
    path = write('{"size": 5e-1, "plan": "plus"}\n{"plan": "01", "size": null}\n', "t.jsonl")
    answer = labels(model, {"size": [0.5], "plan": ["plus"]})[0]
    code, out, _ = run(model, path)
    assert code == 1
    assert out.splitlines()[0] == f'{{"size": 5e-1, "plan": "plus", "predicted": "{answer}"}}'
    assert json.loads(out.splitlines()[1]) == {"plan": "01", "size": None, "predicted": None}
    assert run(model, write(line, "u.jsonl"))[0] == 2
    parquet.write_table(pyarrow.table({"plan": ["plus"], "size": [0.5]}), tmp_path / "t.parquet")
    _, out, _ = run(model, tmp_path / "t.parquet")
    assert out == f"plan,size,predicted\nplus,0.5,{answer}\n"


def test_standard_input(run, model, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(NEW.encode())))
    code, out, _ = run(model, "-", "--out", "-")
    assert code == 0
    assert out.startswith("id,plan,size,predicted\nA,plus,0.50,")


def test_the_target_may_be_there_and_names_are_never_taken_twice(run, model, write):
    code, out, err = run(model, write("predicted,label,size,plan\nx,?,1,plus\n"), "--quiet")
    assert (code, err) == (0, "")
    assert out.startswith("predicted,label,size,plan,predicted_2\n")


def test_files_are_whole_or_not_there(run, model, write, tmp_path, monkeypatch):
    out = tmp_path / "scored.csv"
    assert run(model, write(NEW), "--out", out)[0] == 0
    before = out.read_bytes()
    code, _, err = run(model, write(NEW), "--out", out)
    assert code == 2
    assert "exists" in err
    assert "--force" in err
    monkeypatch.setattr(batches, "PIECE", 10)
    bad = write("size,plan\n1,plus\n2,plus\n3,plus\nmany,plus\n", "bad.csv")
    code, _, err = run(model, bad, "--out", out, "--force")
    assert code == 2
    assert "line 5: column 'size' has 'many', where a number is needed" in err
    assert out.read_bytes() == before
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"table.csv", "bad.csv", "scored.csv"}
    assert run(model, write(NEW), "--out", out, "--force", "--only")[0] == 0
    assert out.read_text().startswith("predicted\n")


BAD = [
    ("Size,plan\n1,plus\n", "it lacks 'size' (did you mean 'Size'?); it has 'Size'"),
    ("size,label\n1,yes\n", "does not have the columns of m.linscope: it lacks 'plan'"),
    ("size,plan\n", "has a header but no rows"),
    ("size,plan\n1,plus,3\n", "line 2: 3 fields where the header has 2"),
]


@pytest.mark.parametrize(("text", "said"), BAD, ids=[said for _, said in BAD])
def test_tables_that_do_not_match(run, model, write, text, said):
    code, _, err = run(model, write(text))
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


def test_files_that_are_no_models(run, model, write, tmp_path):
    code, _, err = run(model.parent / "m.linscop", write(NEW))
    assert (code, err.count("\n")) == (2, 1)
    assert "did you mean 'm.linscope'?" in err
    code, _, err = run(write("no model", "x.linscope"), write(NEW))
    assert code == 2
    assert "not a model" in err or "damaged" in err
    bytes_ = bytearray(model.read_bytes())
    bytes_[-3] ^= 1
    (tmp_path / "d.linscope").write_bytes(bytes_)
    code, _, err = run(tmp_path / "d.linscope", write(NEW))
    assert code == 2
    assert "damaged" in err


def test_models_of_python_take_columns_by_name_or_number(run, write, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = ls.datasets.load("or")
    table = write("b,a\n0,1\n0,0\n1,1\n")
    named = ls.LinearRegression().fit(pandas.DataFrame({"a": X[:, 0], "b": 2 * X[:, 1]}), y)
    ls.save(named, tmp_path / "named.linscope")
    _, out, _ = run(tmp_path / "named.linscope", table, "--only")
    expected = named.predict(pandas.DataFrame({"a": [1.0, 0, 1], "b": [0.0, 0, 1]}))
    assert [float(line) for line in out.split()[1:]] == expected.tolist()
    ls.save(ls.Perceptron().fit(X, y), tmp_path / "plain.linscope")
    _, out, _ = run(tmp_path / "plain.linscope", table, "--only")
    assert out.split() == ["predicted", "1", "-1", "1"]
    code, _, err = run(tmp_path / "plain.linscope", write("a\n1\n", "one.csv"))
    assert code == 2
    assert "2 features" in err
    code, _, err = run(tmp_path / "plain.linscope", table, "--proba")
    assert code == 2
    assert "gives no probabilities" in err


def test_memory_does_not_grow_with_the_table(model, tmp_path):
    """Eight times as many rows in pieces of the same size take the same memory."""
    import tracemalloc

    peaks = []
    for times in (1, 8):
        path = tmp_path / f"{times}.csv"
        path.write_text("size,plan\n" + "0.25,plus\n1,basic\n" * 4_000 * times)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(batches, "PIECE", 20_000)
            patch.setattr(batches, "QUICK", 10_000)
            tracemalloc.start()
            words = ["predict", model, path, "--out", tmp_path / f"{times}.out", "--quiet"]
            assert main([*map(str, words)]) == 0
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0] + 400_000
