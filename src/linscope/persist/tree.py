"""Values as JSON and tensors, and back.

null, true, "text", 3, 0.5        themselves
{"float": "nan"}                  nan, inf, -inf
{"int": "ff"}                     whole numbers from 2^53 on, in hexadecimal
{"fraction": ["1", "3"]}          fractions, in hexadecimal
{"list": […]}, {"tuple": […]}     of values
{"dict": [[key, value], …]}
{"slice": [start, stop, step]}
{"scalar": "float32", "value": …} a number of NumPy
{"tensor": "t0"}                  an array of numbers; "order": "F" if its columns are contiguous
{"array": "object" or "<U5", "shape": […], "values": […]}    an array of texts and such
{"sparse": "csr_array", "shape": […], "data": …, "indices": …, "indptr": …}
{"type": "float64"}, {"dtype": "float64"}
{"enum": "Status", "name": "SOLVED"}
{"object": "LogisticRegression", "fields": {name: value, …}}
"""

from __future__ import annotations

import math
import re
from dataclasses import MISSING
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from .allowed import (
    ENUMS,
    ESTIMATORS,
    RECORDS,
    Row,
    class_of,
    essentials,
    fitted_of,
    name_of,
    parameters_of,
)
from .container import Damaged, storable
from .shapes import check_shapes

DEEPEST = 100
# Bytes of one array of texts.
LARGEST_TEXTS = 1 << 28
_TYPES: dict[str, Any] = {
    **{kind.__name__: kind for kind in (bool, int, float, str, object)},
    **{
        name: getattr(np, name)
        for name in ("float64", "float32", "int64", "int32", "int16", "int8", "uint8", "bool_")
    },
}
_SPARSE = {"csr_array": sp.csr_array, "csr_matrix": sp.csr_matrix}
_INFINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class Writer:
    """Turns values into JSON; ``tensors`` fills with the arrays on the way."""

    def __init__(self) -> None:
        self.tensors: dict[str, np.ndarray] = {}
        self._where: list[str] = []

    def value(self, value: Any) -> Any:
        """The value as JSON; TypeError says which value cannot be written."""
        if len(self._where) > DEEPEST:
            raise TypeError("this model is nested too deeply, or holds itself")
        if value is None or type(value) in (bool, str):
            return value
        if type(value) is int:
            return value if abs(value) < 2**53 else {"int": f"{value:x}"}
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, Enum):
            return self._enum(value)
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, np.generic):
            return self._scalar(value)
        if sp.issparse(value):
            return self._sparse(value)
        if isinstance(value, type | np.dtype):
            return self._type(value)
        if name_of(type(value)) is not None:
            return self._object(value)
        return self._collection(value)

    def _inside(self, step: str, value: Any) -> Any:
        self._where.append(step)
        found = self.value(value)
        self._where.pop()
        return found

    def _refuse(self, value: Any, why: str = "") -> TypeError:
        what = "a function" if callable(value) else f"of type {type(value).__name__}"
        place = " of ".join(reversed(self._where)) or "it"
        return TypeError(f"this cannot be saved: {place} is {what}{why and f', {why}'}")

    def _collection(self, value: Any) -> Any:
        kind = type(value)
        if kind in (list, tuple):
            return {kind.__name__: [self._inside(f"item {k}", v) for k, v in enumerate(value)]}
        if kind is dict:
            return {"dict": [[self._inside("key", k), self._inside(str(k), v)]
                             for k, v in value.items()]}  # fmt: skip
        if kind is slice:
            parts = (value.start, value.stop, value.step)
            return {"slice": [self._inside("slice", part) for part in parts]}
        if kind is Fraction:
            return {"fraction": [f"{value.numerator:x}", f"{value.denominator:x}"]}
        raise self._refuse(value)

    def _enum(self, value: Enum) -> Any:
        if type(value).__name__ not in ENUMS:
            raise self._refuse(value)
        return {"enum": type(value).__name__, "name": value.name}

    def _scalar(self, value: np.generic) -> Any:
        name = type(value).__name__
        if isinstance(value, np.str_):
            return {"scalar": "str_", "value": str(value)}
        if name not in _TYPES:
            raise self._refuse(value)
        return {"scalar": name, "value": self.value(value.item())}

    def _type(self, value: Any) -> Any:
        kind = "dtype" if isinstance(value, np.dtype) else "type"
        name = value.name if kind == "dtype" else value.__name__
        same = np.dtype(_TYPES[name]) == value if kind == "dtype" else _TYPES.get(name) is value
        if name not in _TYPES or not same:
            raise self._refuse(value)
        return {kind: name}

    def _array(self, array: np.ndarray) -> Any:
        if type(array) is not np.ndarray:
            raise self._refuse(array)
        if array.dtype.kind in "OU":
            if array.nbytes > LARGEST_TEXTS:
                raise self._refuse(array, "too large")
            dtype = "object" if array.dtype.kind == "O" else f"<U{array.dtype.itemsize // 4}"
            values = [self._inside("item", one) for one in array.ravel().tolist()]
            return {"array": dtype, "shape": list(array.shape), "values": values}
        if not storable(array.dtype):
            raise self._refuse(array, f"an array of {array.dtype}")
        name = f"t{len(self.tensors)}"
        columns = array.flags.f_contiguous and not array.flags.c_contiguous
        self.tensors[name] = array.T if columns else array
        return {"tensor": name, "order": "F"} if columns else {"tensor": name}

    def _sparse(self, value: Any) -> Any:
        name = type(value).__name__
        if _SPARSE.get(name) is not type(value):
            raise self._refuse(value)
        parts = {part: self._array(getattr(value, part)) for part in ("data", "indices", "indptr")}
        return {"sparse": name, "shape": list(value.shape), **parts}

    def _object(self, value: Any) -> Any:
        name = type(value).__name__
        held = vars(value) if hasattr(value, "__dict__") else {}
        if held:
            check_shapes(name, value)
        known = parameters_of(name)
        blank = ESTIMATORS[name].blank.split() if name in ESTIMATORS else []
        for field in blank:
            if field in known and getattr(value, field):
                self._where.append(f"{name}.{field}")
                raise self._refuse(getattr(value, field), "and only None can be written")
        fields = {field: getattr(value, field) for field in known if field not in blank}
        fields |= {field: held[field] for field in fitted_of(name) if field in held}
        written = {k: self._inside(f"{name}.{k}", essentials(k, v)) for k, v in fields.items()}
        return {"object": name, "fields": written}


class Reader:
    """Turns JSON into values. Every tensor is used once; only classes of the table are made."""

    def __init__(self, tensors: dict[str, np.ndarray]) -> None:
        self.tensors = dict(tensors)
        self._depth = 0

    def value(self, tree: Any) -> Any:
        """The value of some JSON; ``Damaged`` if there is none."""
        if isinstance(tree, float) and not math.isfinite(tree):
            raise Damaged("is damaged: a number is beyond the range of floats")
        if tree is None or isinstance(tree, bool | str | int | float):
            return tree
        if not isinstance(tree, dict) or self._depth > DEEPEST:
            raise Damaged("is damaged: a value is of no known kind, or nested too deeply")
        self._depth += 1
        for kind, read in _READ.items():
            if kind in tree:
                found = read(self, **tree)
                self._depth -= 1
                return found
        raise Damaged("is damaged: a value is of no known kind")

    def finish(self) -> None:
        """All tensors must have been used."""
        if self.tensors:
            raise Damaged("is damaged: it has tensors that the model does not use")

    def _float(self, float: str) -> Any:
        return _INFINITE[float]

    def _int(self, int: str) -> Any:
        return _whole(int)

    def _fraction(self, fraction: list[str]) -> Any:
        above, below = fraction
        return Fraction(_whole(above), _whole(below))

    def _list(self, list: Any) -> Any:
        return [self.value(one) for one in _items(list)]

    def _tuple(self, tuple: Any) -> Any:
        return (*self._list(tuple),)

    def _dict(self, dict: Any) -> Any:
        return {self.value(key): self.value(value) for key, value in _items(dict)}

    def _slice(self, slice: Any) -> Any:
        return _slice_of(*(self.value(one) for one in _items(slice)))

    def _scalar(self, scalar: str, value: Any) -> Any:
        kind = np.str_ if scalar == "str_" else _TYPES[scalar]
        if not issubclass(kind, np.generic):
            raise Damaged(f"is damaged: {scalar!r} is no number")
        return kind(self.value(value))

    def _type(self, type: str) -> Any:
        return _TYPES[type]

    def _dtype(self, dtype: str) -> Any:
        return np.dtype(_TYPES[dtype])

    def _enum(self, enum: str, name: str) -> Any:
        if enum not in ENUMS:
            raise Damaged(f"is damaged: {enum!r} is not a list of names")
        return class_of(enum)[name]

    def _tensor(self, tensor: str, order: str = "C") -> Any:
        array = self.tensors.pop(tensor)
        return array.copy().T if order == "F" else array.copy()

    def _array(self, array: str, shape: Any, values: Any) -> Any:
        dtype, values = _text_type(array), _items(values)
        if dtype.itemsize * len(values) > LARGEST_TEXTS:
            raise Damaged("is damaged: an array of texts is too large")
        out = np.empty(len(values), dtype)
        for place, one in enumerate(values):
            found = self.value(one)
            if dtype.kind == "U" and not isinstance(found, str):
                raise Damaged("is damaged: an array of texts holds something else")
            out[place] = found
        return out.reshape(_items(shape))

    def _sparse(self, sparse: str, shape: Any, **parts: Any) -> Any:
        data, indices, indptr = (self.value(parts.pop(k)) for k in ("data", "indices", "indptr"))
        matrix = _SPARSE[sparse]((data, indices, indptr), shape=(*_items(shape),), **parts)
        matrix.check_format(full_check=True)
        return matrix

    def _object(self, object: str, fields: Any) -> Any:
        if object not in ESTIMATORS and object not in RECORDS:
            raise Damaged(f"is damaged: {object!r} is no class that a model file may hold")
        known = parameters_of(object)
        strange = set(fields) - {*known, *fitted_of(object)}
        if strange:
            raise Damaged(f"is damaged: {object} has no {sorted(strange)[0]!r}")
        read = {name: self.value(value) for name, value in fields.items()}
        values = known | read
        row = ESTIMATORS.get(object, Row(""))
        fitted = bool(read.keys() - known.keys())
        values |= {name: None for name in row.blank.split() if fitted or name in known}
        if any(value is MISSING for value in values.values()):
            raise Damaged(f"is damaged: {object} is not complete")
        return built(object, values, row.leaves.split() if fitted else [])


def built(name: str, values: dict[str, Any], left: list[str]) -> Any:
    """An object of a class of the table, its attributes put in place."""
    kind = class_of(name)
    if hasattr(kind, "_fields"):
        return kind(**values)
    made = kind.__new__(kind)
    vars(made).update(values)
    if left:
        vars(made)["_not_kept"] = tuple(left)
    check_shapes(name, made)
    return made


def _items(values: Any) -> list[Any]:
    if not isinstance(values, list):
        raise Damaged("is damaged: a list is none")
    return values


def _whole(text: str) -> int:
    return int(text, 16)


def _slice_of(start: Any, stop: Any, step: Any) -> slice:
    return slice(start, stop, step)


def _text_type(name: str) -> np.dtype:
    if name != "object" and not re.fullmatch("<U[0-9]{1,9}", name):
        raise Damaged(f"is damaged: {name!r} is no type of texts")
    return np.dtype(name)


_READ = {
    "float": Reader._float, "int": Reader._int, "fraction": Reader._fraction,
    "list": Reader._list, "tuple": Reader._tuple, "dict": Reader._dict, "slice": Reader._slice,
    "scalar": Reader._scalar, "type": Reader._type, "dtype": Reader._dtype,
    "enum": Reader._enum, "tensor": Reader._tensor, "array": Reader._array,
    "sparse": Reader._sparse, "object": Reader._object,
}  # fmt: skip
