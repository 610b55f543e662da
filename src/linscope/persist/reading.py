"""Values from JSON and tensors, see ``tree.py``: no class but those of the table is made."""

from __future__ import annotations

import math
import re
from copy import copy
from dataclasses import MISSING
from fractions import Fraction
from typing import Any

import numpy as np

from .allowed import ENUMS, ESTIMATORS, RECORDS, Row, class_of, fitted_of, parameters_of
from .container import Damaged
from .shapes import check_shapes
from .tree import DEEPEST, LARGEST_TEXTS, MOST_DIGITS, NOT_FINITE, SCALARS, SPARSE, TYPES


class Reader:
    """Turns JSON into values. Every tensor is used once; only classes of the table are made."""

    def __init__(self, tensors: dict[str, np.ndarray]) -> None:
        self.tensors = dict(tensors)
        self._depth = self._texts = 0

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
                found = read(self, **tree)  # its keys are those that the method names
                self._depth -= 1
                return found
        raise Damaged("is damaged: a value is of no known kind")

    def finish(self) -> None:
        """All tensors must have been used."""
        if self.tensors:
            raise Damaged("is damaged: it has tensors that the model does not use")

    def _float(self, float: str) -> Any:
        return NOT_FINITE[float]

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
        return SCALARS[scalar](self.value(value))

    def _type(self, type: str) -> Any:
        return TYPES[type]

    def _dtype(self, dtype: str) -> Any:
        return np.dtype(TYPES[dtype])

    def _enum(self, enum: str, name: str) -> Any:
        if enum not in ENUMS:
            raise Damaged(f"is damaged: {enum!r} is not a list of names")
        return class_of(enum)[name]

    def _tensor(self, tensor: str, order: str = "C") -> Any:
        array = self.tensors.pop(tensor)
        return array.copy().T if order == "F" else array.copy()

    def _array(self, array: str, shape: Any, values: Any) -> Any:
        dtype, values = _text_type(array), _items(values)
        self._texts += dtype.itemsize * len(values)
        if self._texts > LARGEST_TEXTS:
            raise Damaged("is damaged: its arrays of texts are too large")
        out = np.empty(len(values), dtype)
        for place, one in enumerate(values):
            found = self.value(one)
            if dtype.kind == "U" and not isinstance(found, str):
                raise Damaged("is damaged: an array of texts holds something else")
            out[place] = found
        return out.reshape(_items(shape))

    def _sparse(self, sparse: str, shape: Any, data: Any, indices: Any, indptr: Any) -> Any:
        parts = (self.value(data), self.value(indices), self.value(indptr))
        matrix = SPARSE[sparse](parts, shape=(*_items(shape),))
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
        values = {k: copy(v) for k, v in known.items() if k not in read} | read
        row = ESTIMATORS.get(object, Row(""))
        fitted = bool(read.keys() - known.keys())
        left = [*row.blank.split(), *row.never.split()]
        values |= {name: None for name in left if fitted or name in known}
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
    if len(text) > MOST_DIGITS:  # fractions of such numbers take long to reduce
        raise Damaged("is damaged: a number has too many digits")
    return int(text, 16)


def _slice_of(start: Any, stop: Any, step: Any) -> slice:
    return slice(start, stop, step)


def _text_type(name: str) -> np.dtype:
    if name != "object" and not re.fullmatch("<U[0-9]{1,9}", name):
        raise Damaged(f"is damaged: {name!r} is no type of texts")
    return np.dtype(name)


_READ: dict[str, Any] = {
    "float": Reader._float, "int": Reader._int, "fraction": Reader._fraction,
    "list": Reader._list, "tuple": Reader._tuple, "dict": Reader._dict, "slice": Reader._slice,
    "scalar": Reader._scalar, "type": Reader._type, "dtype": Reader._dtype,
    "enum": Reader._enum, "tensor": Reader._tensor, "array": Reader._array,
    "sparse": Reader._sparse, "object": Reader._object,
}  # fmt: skip
