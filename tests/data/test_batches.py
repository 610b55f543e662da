"""Tables in pieces: joined again they are the table that is read as a whole."""

import csv
import io
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linscope.data import batches as module
from linscope.data.files import read_table
from linscope.data.open_batches import open_batches

TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\x00\r", exclude_categories=("Cs",))
)


@pytest.fixture(params=["compiled", "plain"], autouse=True)
def reader(request, monkeypatch):
    """Every test with compiled loops where they can do it, and without them."""
    monkeypatch.setattr(module, "QUICK", 0 if request.param == "compiled" else math.inf)


def list_of(records):
    return records if isinstance(records, list) else records.tolist()


def joined(path, wanted, monkeypatch, size):
    monkeypatch.setattr(module, "PIECE", size)
    batches = open_batches(str(path))
    pieces = [replace(p, records=list_of(p.records)) for p in batches.pieces(wanted)]
    columns = {n: np.concatenate([p.table.columns[n] for p in pieces]) for n in wanted}
    return batches, pieces, columns


@pytest.mark.share(2)
@given(
    rows=st.lists(st.tuples(st.floats(allow_nan=False), TEXT), min_size=1, max_size=20),
    size=st.integers(1, 200),
    delimiter=st.sampled_from(",\t|"),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_pieces_joined_are_the_whole(tmp_path_factory, rows, size, delimiter, newline):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=newline)
    writer.writerows([("number", "text"), *rows])
    path = tmp_path_factory.mktemp("batches") / "t.csv"
    path.write_bytes(text.getvalue().encode())
    whole = read_table(path)
    with pytest.MonkeyPatch.context() as patch:
        wanted = {"number": "number", "text": "text"}
        batches, pieces, columns = joined(path, wanted, patch, size)
    np.testing.assert_array_equal(columns["number"], whole.columns["number"])
    if whole.columns["text"].dtype == object:
        assert columns["text"].tolist() == whole.columns["text"].tolist()
    # Every byte of the file is in the header or in a record.
    records = [batches.head, *(record for piece in pieces for record in piece.records)]
    assert newline.join(records) + newline == text.getvalue()


def test_a_column_is_read_as_it_is_asked_for(write, monkeypatch):
    path = write("code,x\n01,1\n02,?\n1.5, 3 \nred,4\n")
    _, pieces, columns = joined(path, {"code": "text", "x": "number"}, monkeypatch, 1)
    assert len(pieces) > 1
    assert columns["code"].tolist() == ["01", "02", "1.5", "red"]
    np.testing.assert_array_equal(columns["x"], [1, np.nan, 3, 4])


def test_both_readers_read_the_same(write, monkeypatch):
    """Numbers in every dress, missing values, texts, and columns of any kind."""
    numbers = [
        "1",
        " 2.50 ",
        "-0",
        "1e-3",
        "",
        "NA",
        "?",
        "nan",
        "1_000",
        "inf",
        "0.1234567890123456789",
    ]
    words = ["a", " b", "", "null", "é", "1", "01", "yes", "no", "true", "b "]
    rows = [f"{x},{word},{x},{word}" for x, word in zip(numbers, words, strict=True)]
    path = write("x,word,any,other\n" + "\n".join(rows) + "\n")
    wanted = {"x": "number", "word": "text", "any": "any", "other": "any"}
    found = []
    for quick in (0, math.inf):
        monkeypatch.setattr(module, "QUICK", quick)
        _, pieces, columns = joined(path, wanted, monkeypatch, 1000)
        found.append(([p.records for p in pieces], {n: v.tolist() for n, v in columns.items()}))
    assert repr(found[0]) == repr(found[1])
    assert found[0][1]["x"][:4] == [1, 2.5, 0, 0.001]


def test_semicolons_mean_decimal_commas(write, monkeypatch):
    path = write("size;colour\n1,5;red\n;blue\n")
    _, _, columns = joined(path, {"size": "number", "colour": "text"}, monkeypatch, 5)
    np.testing.assert_array_equal(columns["size"], [1.5, np.nan])


def test_numbers_without_a_header(write, monkeypatch):
    batches, pieces, columns = joined(write("1,2\n3,4\n"), {"x2": "number"}, monkeypatch, 1)
    assert batches.head is None
    assert columns["x2"].tolist() == [2, 4]
    assert [r for p in pieces for r in p.records] == ["1,2", "3,4"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("a,b\n", "has a header but no rows"),
        ("a,b\n1,2\n3\n", "line 3: 1 fields where the header has 2"),
        ("a,a\n1,2\n", "both called 'a'"),
        ('a,b\n1,"2\n' + 140_000 * "x", "field larger than field limit"),
        ("a,b\n1,2\nred,3\n", "about line 3: column 'a' has 'red', where a number is needed"),
    ],
)
def test_what_is_refused(write, monkeypatch, text, words):
    with pytest.raises(ValueError, match=words):
        joined(write(text), {"a": "number"}, monkeypatch, 1000)


def test_latin1_is_refused_with_its_place(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 20_000 + b"1,\xe9\n")
    with pytest.raises(ValueError, match=r"after line [\d,]+: not UTF-8 text"):
        joined(path, {"a": "number"}, monkeypatch, 1000)


def test_json_lines_and_record_batches(write, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "FIRST", 2)
    lines = '{"a": 1, "b": "x"}\n\n{"a": null}\n{"b": "y", "a": 3}\n'
    _, pieces, columns = joined(
        write(lines, "t.jsonl"), {"a": "number", "b": "text"}, monkeypatch, 1
    )
    assert len(pieces) == 2
    np.testing.assert_array_equal(columns["a"], [1, np.nan, 3])
    assert columns["b"].tolist() == ["x", None, "y"]
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"a": [1.5, None], "b": ["x, y", None]})
    parquet.write_table(table, tmp_path / "t.parquet")
    batches, pieces, columns = joined(tmp_path / "t.parquet", {"a": "number"}, monkeypatch, 1)
    assert (batches.head, pieces[0].records) == ("a,b", ['1.5,"x, y"', ","])
    np.testing.assert_array_equal(columns["a"], [1.5, np.nan])
