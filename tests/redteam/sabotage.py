"""Compiled functions broken on purpose: a wrong sign, a dropped row.

Every compiled function that Python calls during a fit is replaced, one at a time, by one that is
given or gives back something wrong. What ``verify`` uses is left alone, as it would be if the
mistake were in the code of a solver.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numba.core.registry import CPUDispatcher


class Sabotage(NamedTuple):
    """The function, which of its arguments (−1: what it returns), and what is done to it."""

    module: str
    name: str
    argument: int
    what: str  # "negated", "row dropped" before the call; "result negated" after it

    def __str__(self) -> str:
        place = "result" if self.argument < 0 else f"argument {self.argument}"
        return f"{self.module}.{self.name}, {place}: {self.what}"


class Compiled(NamedTuple):
    """A compiled function, and where modules of linscope know it: (module, attribute)."""

    function: CPUDispatcher
    places: list[tuple[ModuleType, str]]


def compiled_functions() -> dict[tuple[str, str], Compiled]:
    """(module, name) → function, for all that the loaded modules of linscope define."""
    places: dict[int, list[tuple[ModuleType, str]]] = {}
    defined = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("linscope.") and not name.startswith("linscope.verify"):
            for attribute, value in vars(module).items():
                if type(value) is CPUDispatcher:
                    places.setdefault(id(value), []).append((module, attribute))
                    if value.py_func.__module__ == name:
                        defined[name, attribute] = value
    return {place: Compiled(value, places[id(value)]) for place, value in defined.items()}


@contextmanager
def replaced(old: Compiled, new: Any) -> Iterator[None]:
    """``new`` wherever a module of linscope knows ``old`` by some name, except for verify."""
    for module, attribute in old.places:
        setattr(module, attribute, new)
    try:
        yield
    finally:
        for module, attribute in old.places:
            setattr(module, attribute, old.function)


def called(fit: Callable[[], Any]) -> dict[tuple[str, str], list[bool]]:
    """The compiled functions that Python calls in a fit: which arguments are float arrays."""
    seen: dict[tuple[str, str], list[bool]] = {}

    def watched(place: tuple[str, str], function: Any, *given: Any) -> Any:
        seen.setdefault(place, [_first_array(value) is not None for value in given])
        return function(*given)

    with ExitStack() as stack:
        for place, known in compiled_functions().items():
            stack.enter_context(replaced(known, partial(watched, place, known.function)))
        fit()
    return seen


def sabotages(calls: dict[tuple[str, str], list[bool]]) -> Iterator[Sabotage]:
    for (module, name), arrays in calls.items():
        for i, is_array in enumerate(arrays):
            if is_array:
                for what in ("negated", "row dropped", "result negated"):
                    yield Sabotage(module, name, i, what)
        yield Sabotage(module, name, -1, "result negated")


@contextmanager
def broken(sabotage: Sabotage, known: Compiled) -> Iterator[list[int]]:
    """While the function is broken; the list has one entry for each call that was changed."""
    function = known.function
    count: list[int] = []

    def wrong(*given):
        i = sabotage.argument
        if sabotage.what != "result negated":
            given = list(given)
            given[i] = _changed(given[i], sabotage.what)
            count.append(1)
            return function(*given)
        if i < 0:
            result = function(*given)
            if isinstance(result, float | np.ndarray):
                count.append(1)
                return -result
            return result
        array = _first_array(given[i])
        before = array.copy()
        result = function(*given)
        if not np.array_equal(array, before) and array.flags.writeable:
            array *= -1.0
            count.append(1)
        return result

    with replaced(known, wrong):
        yield count


def _first_array(value: Any) -> np.ndarray | None:
    """The array of floats that an argument is, or has as its first."""
    if isinstance(value, np.ndarray):
        return value if value.dtype.kind == "f" and value.size else None
    if isinstance(value, tuple):
        return next((a for a in map(_first_array, value) if a is not None), None)
    return None


def _changed(value: Any, what: str) -> Any:
    array = _first_array(value)
    other = _alike(array)
    other[...] = -array if what == "negated" else array
    if what == "row dropped":
        other[-1] = 0.0
    other.flags.writeable = array.flags.writeable
    return _with(value, array, other)


def _alike(array: np.ndarray) -> np.ndarray:
    """An array of the same type to the compiler, which knows the function already then."""
    if array.flags.forc:
        return np.empty_like(array)
    return np.empty((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)[..., ::2]


def _with(value: Any, old: np.ndarray, new: np.ndarray) -> Any:
    if value is old:
        return new
    if isinstance(value, tuple):
        made = [_with(part, old, new) for part in value]
        return type(value)(*made) if hasattr(value, "_fields") else tuple(made)
    return value
