"""The bytes of a model file: safetensors, with a checksum over all of them.

    8 bytes         length of the header, little endian
    header          {"__metadata__":{"linscope":"1","sha256":"…","model":"…"},"t0":{…},…}
    tensors         their bytes, without gaps, in the order of the header

The first two entries of the metadata are the number of the format and the SHA-256 of the whole file
with these 64 digits written as zeros. So every byte counts, and a file is known by how it begins.

Sizes that a file states are compared with its size before anything is done with them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import struct
from math import prod
from typing import Any, BinaryIO, NamedTuple

import numpy as np

FORMAT = 1
# Header and whole file; the header is safetensors' own limit.
LARGEST_HEADER, LARGEST_FILE = 100_000_000, 1 << 34
# Commas and brackets in the header, which bound how many objects it can hold.
MOST_PARTS = 5_000_000
MOST_DIMENSIONS = 8

_BEGIN = re.compile(rb'\{"__metadata__":\{"linscope":"([0-9]{1,9})","sha256":"([0-9a-f]{64})"')
_ZEROS = b"0" * 64
_DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BOOL": "|b1",
    "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1",
}  # fmt: skip
_NAMES = {np.dtype(text): name for name, text in _DTYPES.items()}


class Damaged(Exception):
    """What is wrong with a file; ``load`` turns it into its one error."""


class Contents(NamedTuple):
    """A file that was opened: its document, the arrays by name, and its checksum."""

    document: Any
    tensors: dict[str, np.ndarray]
    sha256: str


def storable(dtype: np.dtype) -> bool:
    """Whether arrays of this type can be tensors."""
    return dtype.newbyteorder("<") in _NAMES


def write(file: BinaryIO, document: Any, tensors: dict[str, np.ndarray]) -> None:
    """Write a model file: a JSON document and arrays of numbers, all or nothing.

    Raises ValueError, before anything is written, for what is too large to be read again.
    """
    header: dict[str, Any] = {
        "__metadata__": {
            "linscope": str(FORMAT),
            "sha256": _ZEROS.decode(),
            "model": json.dumps(document, separators=(",", ":"), allow_nan=False),
        }
    }
    parts: list[Any] = []
    place = 0
    for name, array in tensors.items():
        part = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        where = [place, place + part.nbytes]
        kind, shape = _NAMES[part.dtype], list(array.shape)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": where}
        parts.append(part.reshape(-1).view(np.uint8).data)
        place += part.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # so that the tensors begin at a multiple of 8
    _check_sizes(len(text), 8 + len(text) + place, text)
    begin = struct.pack("<Q", len(text)) + text
    digest = hashlib.sha256(begin)
    for part in parts:
        digest.update(part)
    file.write(begin.replace(_ZEROS, digest.hexdigest().encode(), 1))
    for part in parts:
        file.write(part)
    file.flush()
    os.fsync(file.fileno())


def _check_sizes(header: int, size: int, text: bytes) -> None:
    if header > LARGEST_HEADER or _parts(text) > MOST_PARTS:
        raise ValueError("this model has too many names and texts to be saved")
    if size > LARGEST_FILE:
        raise ValueError(f"this model takes {size / 2**30:.1f} GB, and files end at 16 GB")


def _parts(text: bytes) -> int:
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def read(path: Any) -> Contents:
    """Open a model file; ``Damaged`` says in words what is wrong with it."""
    mode = os.stat(path).st_mode  # opening a pipe would wait for somebody to write to it
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise Damaged("is not a file")
    with open(path, "rb") as file:
        about = os.fstat(file.fileno())
        length = _header_length(file, about.st_size)
        text = file.read(length)
        found = _BEGIN.match(text)
        if found is None:
            raise Damaged("is not a model of linscope")
        number, sha256 = int(found[1]), found[2]
        if number < 1:
            raise Damaged(f"is damaged: there is no format {number}")
        if number > FORMAT:
            raise Damaged(
                f"was written by a newer linscope (format {number}; this one reads {FORMAT}): "
                "upgrade linscope"
            )
        data = file.read(about.st_size - 8 - length)
    if length + 8 + len(data) != about.st_size:
        raise Damaged("is damaged: it ends too early")
    digest = hashlib.sha256(struct.pack("<Q", length))
    digest.update(text.replace(sha256, _ZEROS, 1))
    digest.update(data)
    if digest.hexdigest().encode() != sha256:
        raise Damaged("is damaged: its checksum is not that of its contents")
    return _opened(text, data, sha256.decode())


def _header_length(file: BinaryIO, size: int) -> int:
    begin = file.read(8)
    if len(begin) < 8:
        raise Damaged("is not a model of linscope")
    (length,) = struct.unpack("<Q", begin)
    plausible = file.read(1) == b"{"
    file.seek(8)
    if not plausible:
        raise Damaged("is not a model of linscope")
    if size > LARGEST_FILE or length > LARGEST_HEADER:
        limit = f"{LARGEST_FILE >> 30} GB, or its header than {LARGEST_HEADER // 1_000_000} MB"
        raise Damaged(f"is larger than any model of linscope ({limit})")
    if length > size - 8:
        raise Damaged("is damaged: it ends too early")
    return int(length)


def _opened(text: bytes, data: bytes, sha256: str) -> Contents:
    """What a file with a true checksum holds; it may still have been made by anyone."""
    header = strict_json(text)
    if not isinstance(header, dict):
        raise Damaged("is damaged: its header is not an object")
    metadata = header.pop("__metadata__")
    if not isinstance(metadata, dict) or set(metadata) != {"linscope", "sha256", "model"}:
        raise Damaged("is damaged: its metadata have other entries than a model's")
    if not isinstance(metadata["model"], str):
        raise Damaged("is damaged: its document is not a text")
    document = strict_json(metadata["model"].encode("ascii", "strict"))
    return Contents(document, _tensors(header, data), sha256)


def strict_json(text: bytes) -> Any:
    """JSON without repeated keys, NaN and infinities, and of a bounded size."""
    if _parts(text) > MOST_PARTS:
        raise Damaged("is damaged: it has too many parts")
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise Damaged("is damaged: it is not JSON, or nested too deeply") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Damaged("is damaged: a key is there twice")
    return found


def _refuse(constant: str) -> Any:
    raise Damaged(f"is damaged: {constant} is not JSON")


def _tensors(header: dict[str, Any], data: bytes) -> dict[str, np.ndarray]:
    found, place = {}, 0
    for name, entry in header.items():
        if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
            raise Damaged(f"is damaged: tensor {name!r} is not described")
        shape, offsets = entry["shape"], entry["data_offsets"]
        if not (_whole(shape) and _whole(offsets) and entry["dtype"] in _DTYPES):
            raise Damaged(f"is damaged: tensor {name!r} has no such type or shape")
        dtype = np.dtype(_DTYPES[entry["dtype"]])
        end = place + dtype.itemsize * prod(shape)
        fits = len(shape) <= MOST_DIMENSIONS and offsets == [place, end] and end <= len(data)
        if not fits or max(shape, default=0) > LARGEST_FILE:
            raise Damaged(f"is damaged: tensor {name!r} is not where it should be")
        found[name] = np.frombuffer(data, dtype, prod(shape), place).reshape(shape)
        place = end
    if place != len(data):
        raise Damaged("is damaged: there are bytes after the last tensor")
    return found


def _whole(values: Any) -> bool:
    """Whether it is a list of whole numbers from 0 on."""
    return isinstance(values, list) and all(type(one) is int and one >= 0 for one in values)
