"""Compiled reading and writing of decimal numbers: what ``float`` and ``repr`` say, bit for bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linscope.data.fields import Texts, joined, split_records

rng = np.random.default_rng(5)
POWERS = np.concatenate([2.0 ** np.arange(-140, 140), 10.0 ** np.arange(-45.0, 45.0)])
FLOATS = np.concatenate(
    [
        rng.normal(size=2000),
        1 / (1 + np.exp(8 * rng.normal(size=2000))),
        rng.normal(size=500).round(3),
        rng.integers(0, 2**64, 2000, dtype=np.uint64).view(float),
        rng.integers(-(10**18), 10**18, 500).astype(float),
        *(np.nextafter(POWERS, toward) for toward in (0.0, np.inf)),
        *(POWERS, -POWERS, [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1.7976931348623157e308]),
    ]
)


def read(texts, **options):
    """As the pieces of a table are read: what the compiled loop leaves, Python reads."""
    values, left = Texts.of(texts).floats(**options)
    for place in left:
        values[place] = float(texts[place])
    return values, left


def same(a, b):
    return np.array_equal(np.asarray(a).view(np.int64), np.asarray(b).view(np.int64))


def test_floats_are_written_as_repr_writes_them():
    assert Texts.of_floats(FLOATS).tolist() == list(map(repr, FLOATS.tolist()))


@pytest.mark.parametrize("digits", [1, 4, 9, 15, 16, 17, 18, 19, 20, 25])
def test_decimals_are_read_as_float_reads_them(digits):
    texts = [f"{x:.{digits}g}" for x in FLOATS[np.isfinite(FLOATS)].tolist()]
    values, left = read(texts)
    assert same(values, list(map(float, texts)))
    assert len(left) < len(texts)


def test_halfway_between_two_floats():
    """A decimal at, just below and just above a tie."""
    ties = [2**53 + 1, 2**53 + 3, 2**60 + 128, 2**63 + 1024]
    texts = [str(tie + shift) for tie in ties for shift in (-1, 0, 1)]
    assert same(read(texts)[0], list(map(float, texts)))


@settings(deadline=None)  # the first call compiles
@given(st.floats(allow_nan=False))
def test_any_float_comes_back(x):
    (text,) = Texts.of_floats(np.array([x])).tolist()
    assert text == repr(x)
    assert same(read([text])[0], [x])


@settings(deadline=None)  # the first call compiles
@given(st.from_regex(r"[ +-]?[0-9]{0,22}[.]?[0-9]{0,22}([eE][+-]?[0-9]{0,5})?", fullmatch=True))
def test_any_text_is_read_or_left(text):
    values, left = Texts.of([text]).floats()
    if not text.strip():
        assert np.isnan(values[0])
    elif not len(left):
        assert same(values, [float(text)])


@pytest.mark.parametrize(
    "text", ["1_000", "nan", "inf", "abc", "-", ".", "e5", "1e", "1,5", "١", "0x1"]
)
def test_what_is_no_plain_decimal_is_left_to_python(text):
    assert Texts.of([text]).floats()[1].tolist() == [0]


@pytest.mark.parametrize(("text", "value"), [("1,5", 1.5), ("-,5e1", -5.0), ("1.5", 1.5)])
def test_decimal_commas(text, value):
    values, left = Texts.of([text]).floats(decimal_comma=True)
    assert (values.tolist(), left.tolist()) == ([value], [])
    assert Texts.of(["1,"]).floats(decimal_comma=True)[1].tolist() == [0]


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.text(max_size=3), min_size=1, max_size=40))
def test_different_texts(texts):
    codes, different = Texts.of(texts).coded()
    assert [different.tolist()[code] for code in codes] == texts
    assert different.tolist() == list(dict.fromkeys(texts))


FIELD = st.text(st.characters(codec="utf-8", exclude_characters='\r\n,"'), max_size=4)


@settings(deadline=None)  # the first call compiles
@given(
    rows=st.lists(st.lists(FIELD, min_size=3, max_size=3), min_size=1, max_size=20),
    newline=st.sampled_from(["\n", "\r\n"]),
    ends=st.booleans(),
)
def test_split_and_joined(rows, newline, ends):
    text = newline.join(map(",".join, rows))
    records, (third, first) = split_records((text + newline * ends).encode(), ",", 3, [2, 0])
    assert records.tolist() == [",".join(row) for row in rows]
    assert (first.tolist(), third.tolist()) == tuple([r[j] for r in rows] for j in (0, 2))
    assert joined([records, third], ",", newline).decode() == "".join(
        f"{','.join(row)},{row[2]}{newline}" for row in rows
    )


@pytest.mark.parametrize(
    "block", [b"1,2\n\n3,4\n", b"1,2\n3\n", b"1,2,3\n", b"1," + b"x" * 200_000]
)
def test_a_block_that_is_not_plain_is_left_to_the_reader_of_quotes(block):
    assert split_records(block, ",", 2, [0]) is None
