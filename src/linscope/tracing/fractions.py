"""Vectors of fractions; a float is read as its shortest decimal, so 0.1 is 1/10."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from linscope.arithmetic.rational import dot as dot
from linscope.data import encode_labels

# Products of fractions; about a minute.
LONGEST_RUN = 30_000_000


def add(w: list[Fraction], step: Fraction, x: list[Fraction]) -> list[Fraction]:
    return [a + step * b if b else a for a, b in zip(w, x, strict=True)]


def rational(value: Any) -> Fraction:
    """The number as it is written: 0.1 is 1/10.

    >>> rational(0.1), rational(np.float32(-0.75)), rational(3)
    (Fraction(1, 10), Fraction(-3, 4), Fraction(3, 1))
    """
    if isinstance(value, Rational):  # NumPy's integers would overflow inside a fraction
        return Fraction(int(value.numerator), int(value.denominator))
    return Fraction(str(value))


def fractions(values: Any, read: Callable[[Any], Fraction] = rational) -> np.ndarray:
    """The same array with fractions in it."""
    values = np.asarray(values)
    out = np.empty(values.shape, dtype=object)
    out[...] = np.reshape([read(v) for v in values.ravel()] or out, values.shape)
    return out


def exact_weights(model, y, sample_weight) -> list[Fraction] | None:
    """Sample weight times class weight of every given row; "balanced" is n / (K n_k), exactly.

    A row of weight 2 counts twice in n and n_k.
    """
    if sample_weight is None and model.class_weight is None:
        return None
    classes, codes = encode_labels(y)
    given = [Fraction(1)] * len(codes)
    if sample_weight is not None:
        given = [rational(v) for v in np.broadcast_to(np.asarray(sample_weight), len(codes))]
    if model.class_weight == "balanced":
        totals = [Fraction(0)] * len(classes)
        for code, weight in zip(codes.tolist(), given, strict=True):
            totals[code] += weight
        n, used = sum(totals), sum(total > 0 for total in totals)
        factors = [n / (used * total) if total else Fraction(1) for total in totals]
    else:
        factors = [rational((model.class_weight or {}).get(label, 1)) for label in classes.tolist()]
    return [weight * factors[code] for weight, code in zip(given, codes.tolist(), strict=True)]


def column(values: Iterable[Any]) -> np.ndarray:
    """An array of these fractions, or of these vectors of fractions."""
    values = list(values)
    shape = (len(values), *np.shape(values[:1])[1:])
    out = np.empty(shape, dtype=object)
    out[:] = values
    return out


class KeptRun:
    """What the replay of a run in fractions does differently: states are kept, not worked out."""

    _history: np.ndarray
    _rows: np.ndarray

    def states(self, first: int, last: int) -> Any:
        return self._history[first : last + 1]

    def last_state(self) -> Any:
        return self._history[-1]

    def inputs(self, samples: Any) -> Any:
        return self._rows[samples]
