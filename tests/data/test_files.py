"""Files in: the same table whatever its format, and errors that name the place."""

import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather

from linscope.data import read_table
from linscope.data.fingerprint import sha256

FRAME = pd.DataFrame(
    {
        "size": [1.5, -2.0, 3.25, 0.1],
        "count": [1, 2, 3, 2**40],
        "holes": [1.0, None, 2.0, None],
        "colour": ["red", "blue", None, "grün, hell"],
        "day": pd.to_datetime(["2024-02-01", "2023-12-31", "2024-02-29", None]),
        "at": pd.to_datetime(["2024-02-01 13:45:30", "2023-12-31 00:00:00"] * 2),
        "member": [True, False, True, True],
    }
)


def write_stream(frame, path):
    table = pa.Table.from_pandas(frame)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


WRITERS = {
    "t.csv": lambda frame, path: frame.to_csv(path, index=False),
    "t.tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "semicolon.csv": lambda frame, path: frame.to_csv(path, index=False, sep=";", decimal=","),
    "utf16.csv": lambda frame, path: frame.to_csv(path, index=False, encoding="utf-16"),
    "t.parquet": lambda frame, path: frame.to_parquet(path),
    "t.feather": lambda frame, path: frame.to_feather(path),
    "t.arrow": lambda frame, path: pl.from_pandas(frame).write_ipc(path),
    "stream.arrow": write_stream,
    "t.ipc": lambda frame, path: feather.write_feather(frame, path, compression="lz4"),
    "t.xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "t.jsonl": lambda frame, path: path.write_text(
        "".join(json.dumps(row) + "\n" for row in json_rows(frame))
    ),
}


def json_rows(frame):
    texts = frame.assign(day=frame["day"].dt.strftime("%Y-%m-%d"), at=frame["at"].astype(str))
    return texts.astype(object).where(texts.notna(), None).to_dict("records")


@pytest.fixture(params=WRITERS, name="path")
def _path(request, tmp_path):
    path = tmp_path / request.param
    WRITERS[request.param](FRAME, path)
    return path


def test_every_format_gives_the_same_values(path):
    columns = read_table(path).columns
    assert list(columns) == list(FRAME)
    for name in ("size", "count", "holes"):
        assert columns[name].dtype == np.float64
        np.testing.assert_array_equal(columns[name], FRAME[name])
    assert columns["colour"].tolist() == ["red", "blue", None, "grün, hell"]
    assert columns["day"].tolist() == ["2024-02-01", "2023-12-31", "2024-02-29", None]
    assert columns["at"].tolist() == ["2024-02-01 13:45:30", "2023-12-31 00:00:00"] * 2


def test_every_format_has_the_same_hash(path, tmp_path):
    FRAME.to_parquet(tmp_path / "other.parquet")
    expected = sha256(read_table(tmp_path / "other.parquet"), "member")
    assert sha256(read_table(path), "member") == expected


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.rename(columns={"size": "Size"}),
        lambda frame: frame.assign(size=frame["size"] + [0, 0, 0, 1e-15]),
        lambda frame: frame.assign(colour=["red", "blue", "", "grün, hell"]),
        lambda frame: frame.assign(holes=[1.0, 0.0, 2.0, None]),
        lambda frame: frame.iloc[::-1],
        lambda frame: frame[frame.columns[::-1]],
        lambda frame: frame.assign(count=frame["count"].astype(str)),
    ],
)
def test_hash_sees_every_change(tmp_path, change):
    for name, frame in (("a.parquet", FRAME), ("b.parquet", change(FRAME))):
        frame.to_parquet(tmp_path / name)
    a, b = read_table(tmp_path / "a.parquet"), read_table(tmp_path / "b.parquet")
    assert sha256(a, "member") != sha256(b, "member")
    assert sha256(a, "member") != sha256(a, "size")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_without_values_and_categories(tmp_path, library):
    from linscope.data.files import columns_of

    frame = pd.DataFrame({"empty": [None, None], "kind": pd.Categorical(["b", "a"])})
    frame["wait"] = pd.to_timedelta([1.5, 60], "s")
    made = {
        "pandas": lambda: frame,
        "polars": lambda: pl.from_pandas(frame),
        "pyarrow": lambda: pa.Table.from_pandas(frame),
    }[library]()
    columns = columns_of(made).columns
    assert np.isnan(columns["empty"]).all()
    assert columns["kind"].tolist() == ["b", "a"]
    assert columns["wait"].tolist() == [1.5, 60.0]


@pytest.mark.parametrize(
    "text",
    ["a,b\n1,x\n2,y\n", "a\tb\n1\tx\n2\ty\n", '{"a": 1, "b": "x"}\n{"b": "y", "a": 2}\n'],
)
def test_standard_input_by_its_look(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    columns = read_table("-").columns
    assert columns["a"].tolist() == [1.0, 2.0]
    assert columns["b"].tolist() == ["x", "y"]


def test_standard_input_of_another_process():
    code = "from linscope.data import read_table; print(read_table('-').columns)"
    ran = subprocess.run(
        [sys.executable, "-c", code], input="a,b\n1,x\n", capture_output=True, text=True
    )
    assert ran.stdout == "{'a': array([1.]), 'b': array(['x'], dtype=object)}\n"
    assert not ran.stderr


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "standard input is empty"),
        (b"PAR1\0\0", "standard input is a binary file"),
        (b'[{"a": 1}]', "standard input is a JSON array"),
    ],
)
def test_bad_standard_input(monkeypatch, raw, message):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    with pytest.raises(ValueError, match=message):
        read_table("-")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.jsonl", b"\n\n", r"x.jsonl is empty: it needs an object such as \{\"a\": 1\}"),
        ("x.jsonl", b'{"a": 1}\n{"a": \n', "x.jsonl, line 2: not JSON"),
        ("x.jsonl", b'{"a": 1}\n\n[1, 2]\n', "x.jsonl, line 3: expected an object"),
        ("x.jsonl", b'{"a": {"b": 1}}\n', "line 1: column 'a' has nested values: flatten"),
        ("x.jsonl", b'{"a": "\xff"}\n', "line 1: not UTF-8 text .* save it as UTF-8"),
        ("x.arrow", b"ARROW1 not really", "x.arrow is not a readable Arrow file"),
        ("x.arrow", b"not at all", "x.arrow is not a readable Arrow file"),
        ("x.feather", b"not at all", "x.feather is not a readable Arrow file"),
        ("x.xlsx", b"PK", "x.xlsx is not a readable Excel file"),
        ("x.csv", b"\xff\xfea\0,\0b\0\n", "x.csv: not UTF-16 text"),
        ("x.csv", b"a;b\n1,5;2\n1;2;3\n", "x.csv, line 3: 3 fields where the header has 2"),
        ("x.csv", b'a,b\n1,"two\nlines"\n3\n', "x.csv, line 4: 1 fields"),
        ("x.xls", b"\xd0\xcf", "unknown kind of file '.xls'.*save it as .xlsx"),
        ("x.csv.gz", b"\x1f\x8b", "unknown kind of file '.gz'.*unpack it first"),
        ("x.json", b"{}", "unknown kind of file '.json'.*one object on each line"),
    ],
)
def test_bad_files(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)


def test_files_without_rows_or_with_nested_values(tmp_path):
    pd.DataFrame({"a": []}).to_parquet(tmp_path / "none.parquet")
    with pytest.raises(ValueError, match=r"none.parquet has no rows"):
        read_table(tmp_path / "none.parquet")
    pd.DataFrame({"a": [[1, 2]]}).to_parquet(tmp_path / "lists.parquet")
    with pytest.raises(ValueError, match=r"lists.parquet: column 'a' has nested values"):
        read_table(tmp_path / "lists.parquet")


def excel(path, *rows):
    from openpyxl import Workbook

    book = Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def test_excel_sheets(tmp_path):
    path = excel(
        tmp_path / "t.xlsx", [], ["a", None, "c"], [1, "x", "NA"], [], [2, "#N/A"], [None, "z", 3.5]
    )
    columns = read_table(path).columns
    np.testing.assert_array_equal(columns["a"], [1, 2, np.nan])
    assert columns["column_1"].tolist() == ["x", None, "z"]
    np.testing.assert_array_equal(columns["c"], [np.nan, np.nan, 3.5])
    assert read_table(excel(tmp_path / "n.xlsx", [1, 2], [3, 4])).names == ["x1", "x2"]


def test_a_sheet_by_its_name(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["no table"])
    sheet = book.create_sheet("rows of 2024")
    for row in (["a", "ok"], [1, True], [2, None], [3, False]):
        sheet.append(row)
    book.save(path := tmp_path / "t.xlsx")
    table = read_table(path, sheet="rows of 2024")
    assert table.columns["a"].tolist() == [1, 2, 3]
    assert table.truth == {"ok"}
    with pytest.raises(ValueError, match=r"no sheet '2024'.* are 'Sheet', 'rows of 2024'"):
        read_table(path, sheet="2024")
    with pytest.raises(ValueError, match="has no sheets"):
        read_table(tmp_path / "t.csv", sheet="Sheet")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "empty: it needs a header"),
        ([["a", "b"]], "a header but no rows"),
        ([["a", "a"], [1, 2]], "columns 0 and 1 are both called 'a'"),
        ([["a", "b"], [1, 2], [1, 2, 3]], "row 2 of the table has 3 cells .* header has 2"),
    ],
)
def test_bad_excel(tmp_path, rows, message):
    with pytest.raises(ValueError, match=message):
        read_table(excel(tmp_path / "t.xlsx", *rows))


def test_excel_says_what_to_install(tmp_path, monkeypatch):
    path = excel(tmp_path / "t.xlsx", ["a"], [1])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match="pip install openpyxl, or save the sheet as CSV"):
        read_table(path)


def test_arrow_is_read_by_polars_where_there_is_no_pyarrow(tmp_path, monkeypatch):
    paths = [tmp_path / name for name in ("t.arrow", "stream.arrow", "t.parquet")]
    for path in paths:
        WRITERS[path.name](FRAME, path)
    expected = sha256(read_table(paths[0]), "size")
    for name in ("pyarrow.feather", "pyarrow.ipc", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    for path in paths:
        assert sha256(read_table(path), "size") == expected


def test_json_lines_with_other_keys_and_mixed_values(tmp_path):
    path = tmp_path / "t.ndjson"
    path.write_text('{"a": 1, "b": true}\n\n{"c": "x", "a": NaN}\n{"a": 2.5, "c": 3}\n')
    columns = read_table(path).columns
    np.testing.assert_array_equal(columns["a"], [1, np.nan, 2.5])
    np.testing.assert_array_equal(columns["b"], [1, np.nan, np.nan])
    assert columns["c"].tolist() == [None, "x", "3"]


def test_spaces_blank_lines_and_missing_marks_in_csv(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\n a , b ,c\r\n 1 , x ,?\n\n2, NA ,4 \n")
    columns = read_table(path).columns
    assert columns["a"].tolist() == [1.0, 2.0]
    assert columns["b"].tolist() == ["x", None]
    np.testing.assert_array_equal(columns["c"], [np.nan, 4.0])


def test_columns_of_different_length():
    from linscope.data.files import columns_of

    with pytest.raises(ValueError, match="different numbers of rows: a has 2, b has 1"):
        columns_of({"a": [1, 2], "b": [1]})
    with pytest.raises(ValueError, match="expected a column, got values of shape"):
        columns_of({"a": np.ones((2, 2))})
