"""Fields of a block of text without quotes, found, read and joined by compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope._compiling import kernel

from .decimals import WIDTH, format_floats, parse_decimals

NEWLINE, RETURN = b"\n\r"
ONE = np.uint64(1)  # Numba looks whether an index is negative, unless it cannot be
LONGEST = 100_000  # bytes of a record; the reader of ``csv`` refuses fields that are a bit longer


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts in one array of bytes: text i is ``data[starts[i] : ends[i]]``.

    >>> texts = Texts.of(["red", "", "blue"])
    >>> texts.take([2, 2, 0]).tolist()
    ['blue', 'blue', 'red']
    """

    data: np.ndarray
    starts: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        encoded = [text.encode() for text in texts]
        ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
        return cls(np.frombuffer(b"".join(encoded), np.uint8), starts, ends)

    @classmethod
    def of_floats(cls, values: np.ndarray) -> Texts:
        """What ``repr`` says of each number.

        >>> Texts.of_floats(np.array([0.1, -2, 1e-7])).tolist()
        ['0.1', '-2.0', '1e-07']
        """
        data, lengths = format_floats(values)
        for i in np.flatnonzero(lengths == 0).tolist():
            text = repr(float(values[i])).encode()
            data[i * WIDTH : i * WIDTH + len(text)] = np.frombuffer(text, np.uint8)
            lengths[i] = len(text)
        starts = np.arange(len(values)) * WIDTH
        return cls(data, starts, starts + lengths)

    def __len__(self) -> int:
        return len(self.starts)

    def text(self, i: int) -> str:
        return self.data[self.starts[i] : self.ends[i]].tobytes().decode()

    def tolist(self) -> list[str]:
        return [self.text(i) for i in range(len(self))]

    def take(self, places: Any) -> Texts:
        """Some of them, perhaps repeated."""
        return Texts(self.data, self.starts[places], self.ends[places])

    def floats(self, *, decimal_comma: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """The numbers that they say, NaN for an empty text, and the places that Python must read.

        >>> Texts.of(["1.50", "", "1_000"]).floats()
        (array([1.5, nan, 0. ]), array([2]))
        """
        values, left = parse_decimals(self.data, self.starts, self.ends, decimal_comma)
        return values, np.flatnonzero(left)

    def coded(self) -> tuple[np.ndarray, Texts]:
        """The place of each text among the different ones, and these.

        >>> codes, different = Texts.of(["b", "a", "b"]).coded()
        >>> codes.tolist(), different.tolist()
        ([0, 1, 0], ['b', 'a'])
        """
        codes, firsts = _codes(self.data, self.starts, self.ends)
        return codes, self.take(firsts)


def split_records(
    block: bytes, delimiter: str, width: int, places: Sequence[int]
) -> tuple[Texts, list[Texts]] | None:
    """Records of a block, and their fields at some places.

    None for a block that is not plain: with a record that is empty, very long, or does not have so
    many fields. There must be no quotes in it, and "\\r" only before "\\n".

    >>> records, (second,) = split_records(b"1,red\\n2,blue\\n", ",", 2, [1])
    >>> records.tolist(), second.tolist()
    (['1,red', '2,blue'], ['red', 'blue'])
    """
    data = np.frombuffer(block, np.uint8)
    rows = block.count(b"\n") + (not block.endswith(b"\n"))
    row_of = np.full(width, -1, np.int64)
    row_of[list(places)] = np.arange(len(places))
    found = np.empty((2, len(places) + 1, rows), np.int64)
    if not _split(data, ord(delimiter), row_of, found):
        return None
    starts, ends = found
    records, *columns = (Texts(data, *pair) for pair in zip(starts, ends, strict=True))
    return records, columns


@kernel
def _split(data, delimiter, row_of, found):
    """Fill in where records (row 0) and fields (row 1 + row_of) begin and end."""
    width, size, i = len(row_of), np.uint64(len(data)), np.uint64(0)
    for record in range(found.shape[2]):
        begin, end, field = i, i, 0
        while field == 0 or (end < size and data[end] == delimiter):
            start = i
            while i < size and data[i] != NEWLINE and data[i] != delimiter:
                i += ONE
            end = i
            if field < width and row_of[field] >= 0:
                found[0, 1 + row_of[field], record] = start
                found[1, 1 + row_of[field], record] = end
            field, i = field + 1, i + ONE
        if end > begin and data[end - ONE] == RETURN:
            end -= ONE
            if row_of[width - 1] >= 0:
                found[1, 1 + row_of[width - 1], record] = end
        if field != width or end == begin or end - begin > LONGEST:
            return False
        found[0, 0, record], found[1, 0, record] = begin, end
    return True


@kernel
def _hash(data, start, end):
    """FNV-1a."""
    value = np.uint64(14695981039346656037)
    for i in range(start, end):
        value = (value ^ np.uint64(data[i])) * np.uint64(1099511628211)
    return value ^ (value >> np.uint64(29))


@kernel
def _same(data, a, a_end, b, b_end):
    if a_end - a != b_end - b:
        return False
    while a < a_end and data[a] == data[b]:
        a, b = a + 1, b + 1
    return a == a_end


@kernel
def _codes(data, starts, ends):
    """Numbers of the different texts in the order of their first places, and these places."""
    n = len(starts)
    size = 64
    while size < 2 * n:
        size *= 2
    slots = np.full(size, -1, np.int32)  # an open hash table of numbers
    codes, firsts, count = np.empty(n, np.int32), np.empty(n, np.int64), 0
    for i in range(n):
        slot = np.int64(_hash(data, starts[i], ends[i]) & np.uint64(size - 1))
        while slots[slot] >= 0:
            first = firsts[slots[slot]]
            if _same(data, starts[i], ends[i], starts[first], ends[first]):
                break
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot], firsts[count] = count, i
            count += 1
        codes[i] = slots[slot]
    return codes, firsts[:count].copy()


def joined(columns: Sequence[Texts], delimiter: str, newline: str) -> bytes:
    """Lines of text: one text of each column, the delimiter between them.

    >>> joined([Texts.of(["1", "2"]), Texts.of(["red", "blue"])], ",", "\\n")
    b'1,red\\n2,blue\\n'
    """
    sizes = np.cumsum([0, *(len(column.data) for column in columns)])
    data = np.concatenate([column.data for column in columns])
    starts = np.stack([column.starts + size for column, size in zip(columns, sizes, strict=False)])
    ends = np.stack([column.ends + size for column, size in zip(columns, sizes, strict=False)])
    end = np.frombuffer(newline.encode(), np.uint8)
    total = int((ends - starts).sum()) + (len(columns) - 1 + len(end)) * len(columns[0])
    return _joined(data, starts, ends, ord(delimiter), end, total).tobytes()


@kernel
def _joined(data, starts, ends, delimiter, newline, total):
    out, at = np.empty(total, np.uint8), np.uint64(0)
    for record in range(starts.shape[1]):
        for column in range(starts.shape[0]):
            if column:
                out[at] = delimiter
                at += ONE
            start = np.uint64(starts[column, record])
            length = np.uint64(ends[column, record]) - start
            for i in range(length):
                out[at + i] = data[start + i]
            at += length
        for byte in newline:
            out[at] = byte
            at += ONE
    return out
