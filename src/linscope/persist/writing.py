"""Values as JSON and tensors, see ``tree.py``."""

from __future__ import annotations

import math
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from .allowed import ENUMS, ESTIMATORS, Row, essentials, fitted_of, name_of, parameters_of
from .container import storable
from .shapes import check_shapes
from .tree import DEEPEST, LARGEST_TEXTS, MOST_DIGITS, SCALARS, SPARSE, TYPES


class Writer:
    """Turns values into JSON; ``tensors`` fills with the arrays on the way."""

    def __init__(self) -> None:
        self.tensors: dict[str, np.ndarray] = {}
        self._where: list[str] = []
        self._texts = 0

    def value(self, value: Any) -> Any:
        """The value as JSON; TypeError says which value cannot be written."""
        if len(self._where) > DEEPEST:
            raise TypeError("this model is nested too deeply, or holds itself")
        if value is None or type(value) in (bool, str):
            return value
        if type(value) is int:
            return value if abs(value) < 2**53 else {"int": self._digits(value)}
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
            return {"fraction": [self._digits(n) for n in value.as_integer_ratio()]}
        raise self._refuse(value)

    def _digits(self, value: int) -> str:
        text = f"{value:x}"
        if len(text) > MOST_DIGITS:
            raise self._refuse(value, "with too many digits")
        return text

    def _enum(self, value: Enum) -> Any:
        if type(value).__name__ not in ENUMS:
            raise self._refuse(value)
        return {"enum": type(value).__name__, "name": value.name}

    def _scalar(self, value: np.generic) -> Any:
        name = _name_in(SCALARS, type(value))
        if name is None:
            raise self._refuse(value)
        return {"scalar": name, "value": self.value(value.item())}

    def _type(self, value: Any) -> Any:
        own = isinstance(value, np.dtype)
        name = _name_in(TYPES, value.type if own else value)
        if name is None or (own and value != np.dtype(value.type)):
            raise self._refuse(value)
        return {"dtype" if own else "type": name}

    def _array(self, array: np.ndarray) -> Any:
        if type(array) is not np.ndarray:
            raise self._refuse(array)
        if array.dtype.kind in "OU":
            self._texts += array.nbytes
            if self._texts > LARGEST_TEXTS:
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
        if SPARSE.get(name) is not type(value):
            raise self._refuse(value)
        parts = {part: self._array(getattr(value, part)) for part in ("data", "indices", "indptr")}
        return {"sparse": name, "shape": list(value.shape), **parts}

    def _object(self, value: Any) -> Any:
        name = type(value).__name__
        held = vars(value) if hasattr(value, "__dict__") else {}
        if held:
            check_shapes(name, value)
        known = parameters_of(name)
        row = ESTIMATORS.get(name, Row(""))
        for field in row.never.split():
            if getattr(value, field) is not None:
                self._where.append(f"{name}.{field}")
                raise self._refuse(getattr(value, field))
        left = [*row.blank.split(), *row.never.split()]
        fields = {field: getattr(value, field) for field in known if field not in left}
        fields |= {field: held[field] for field in fitted_of(name) if field in held}
        written = {k: self._inside(f"{name}.{k}", essentials(k, v)) for k, v in fields.items()}
        return {"object": name, "fields": written}


def _name_in(table: dict[str, Any], kind: Any) -> str | None:
    return next((name for name, known in table.items() if known is kind), None)
