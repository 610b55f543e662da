"""Questions and answers as JSON and arrays: no pickle, so reading a file runs nothing."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, is_dataclass
from functools import partial
from importlib import import_module
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np
import scipy.sparse as sp

# Only classes of this package are made when an answer is read.
PACKAGE = "linscope."


class Unreadable(Exception):
    """Bytes that are no answer."""


def packed(thing: Any, arrays: list[np.ndarray], *, loose: bool = False) -> Any:
    """A thing as JSON; its arrays are added to ``arrays``, which it counts.

    What is ``loose`` cannot be made again, only be compared: functions and any objects.
    """
    if thing is None or type(thing) in (bool, int, str):
        return thing
    if type(thing) is float:
        return ["float", thing.hex()]
    inner = partial(packed, arrays=arrays, loose=loose)
    if isinstance(thing, np.ndarray | np.generic):
        return _packed_array(thing, arrays, inner)
    if sp.issparse(thing):
        parts = (thing.data, thing.indices, thing.indptr)
        return ["sparse", type(thing).__name__, list(thing.shape), *map(inner, parts)]
    if type(thing) in (tuple, list):
        return [type(thing).__name__, *map(inner, thing)]
    if isinstance(thing, dict):
        return ["dict", *([inner(key), inner(value)] for key, value in thing.items())]
    if isinstance(thing, frozenset):
        return ["set", *_name_of(type(thing)), *sorted(map(inner, thing))]
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return ["made", *_name_of(type(thing)), *map(inner, thing)]
    if is_dataclass(thing) and not isinstance(thing, type):
        values = [getattr(thing, field.name) for field in fields(thing) if field.init]
        return ["made", *_name_of(type(thing)), *map(inner, values)]
    if isinstance(thing, np.dtype):
        return ["dtype", thing.str]
    if loose:
        return _compared(thing, inner)
    raise TypeError(f"a checkpoint cannot hold {type(thing).__name__}")


def _packed_array(thing: Any, arrays: list[np.ndarray], inner: Any) -> Any:
    if thing.dtype.hasobject:
        return ["objects", list(thing.shape), *map(inner, thing.ravel().tolist())]
    arrays.append(np.asarray(thing))
    return ["array" if isinstance(thing, np.ndarray) else "scalar", len(arrays) - 1]


def _compared(thing: Any, inner: Any) -> Any:
    if isinstance(thing, partial):
        return ["partial", inner(thing.func), inner(thing.args), inner(thing.keywords)]
    if isinstance(thing, FunctionType | BuiltinFunctionType | type):
        return ["function", *_name_of(thing)]
    held = getattr(thing, "__dict__", {})
    return ["object", *_name_of(type(thing)), inner({key: held[key] for key in sorted(held)})]


def _name_of(thing: Any) -> tuple[str, str]:
    return thing.__module__, thing.__qualname__


def unpacked(form: Any, arrays: list[np.ndarray]) -> Any:
    """What ``packed`` has made a form of."""
    if not isinstance(form, list):
        return form
    kind, *rest = form
    if kind == "float":
        return float.fromhex(rest[0])
    if kind == "array":
        return arrays[rest[0]]
    if kind == "scalar":
        return arrays[rest[0]][()]
    if kind == "dtype":
        return np.dtype(rest[0])
    if kind == "dict":
        return {unpacked(key, arrays): unpacked(value, arrays) for key, value in rest}
    if kind in ("made", "set"):
        values = [unpacked(one, arrays) for one in rest[2:]]
        cls = _class(kind, *rest[:2])
        return cls(values) if kind == "set" else cls(*values)
    if kind == "sparse":
        name, shape, *parts = rest
        if name not in ("csr_array", "csr_matrix"):
            raise Unreadable(name)
        data, indices, indptr = (unpacked(one, arrays) for one in parts)
        return getattr(sp, name)((data, indices, indptr), shape=tuple(shape))
    if kind == "objects":
        out = np.empty(tuple(rest[0]), dtype=object)
        out.reshape(-1)[:] = [unpacked(one, arrays) for one in rest[1:]]
        return out
    values = [unpacked(one, arrays) for one in rest]
    if kind not in ("tuple", "list"):
        raise Unreadable(str(kind))
    return tuple(values) if kind == "tuple" else values


def _class(kind: str, module: str, name: str) -> Any:
    """A class of plain values; a file may name no other."""
    if kind == "set" and (module, name) == ("builtins", "frozenset"):
        return frozenset
    found = getattr(import_module(module), name, None) if module.startswith(PACKAGE) else None
    held = vars(found) if isinstance(found, type) else {}
    plain = "_fields" in held or "__dataclass_fields__" in held
    if not (plain or (kind == "set" and held and issubclass(found, frozenset))):
        raise Unreadable(f"{module}.{name}")
    return found


def to_bytes(thing: Any) -> list[Any]:
    """Parts whose bytes, one after the other, are the thing."""
    arrays: list[np.ndarray] = []
    form = packed(thing, arrays)
    arrays = [one if one.flags.forc else np.ascontiguousarray(one) for one in arrays]
    about = [[one.dtype.str, list(one.shape), _order(one)] for one in arrays]
    head = json.dumps([form, about], separators=(",", ":")).encode()
    views = [one.reshape(-1, order=_order(one)).view(np.uint8).data for one in arrays if one.size]
    return [len(head).to_bytes(8, "little"), head, *views]


def of_bytes(data: bytes) -> Any:
    """The thing."""
    length = int.from_bytes(data[:8], "little")
    form, about = json.loads(data[8 : 8 + length])
    arrays, at = [], 8 + length
    for text, shape, order in about:
        dtype, count = np.dtype(text), int(np.prod(shape, dtype=np.int64))
        # A copy: arrays of an answer are aligned and may be written to, as those of a task.
        flat = np.frombuffer(data, dtype, count, at).copy()
        arrays.append(flat.reshape(tuple(shape), order=order))
        at += flat.nbytes
    return unpacked(form, arrays)


def _order(array: np.ndarray) -> Any:
    return "C" if array.flags.c_contiguous else "F"


def digest(*things: Any) -> str:
    """A fingerprint of a question, whatever it is made of."""
    arrays: list[np.ndarray] = []
    text = json.dumps(packed(things, arrays, loose=True), separators=(",", ":"))
    found = hashlib.sha256(text.encode())
    for one in arrays:
        found.update(f"{one.dtype.str}{one.shape}".encode())
        found.update(np.ascontiguousarray(one).reshape(-1).view(np.uint8).data)
    return found.hexdigest()
