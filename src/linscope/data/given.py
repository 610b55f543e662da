"""A data set at the door: whoever takes X and y takes a ``Dataset`` in their place.

fit(dataset) = fit(*dataset) = fit(dataset.X, dataset.y)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

from .datasets import Dataset

F = TypeVar("F", bound=Callable[..., Any])


def of_samples(function: Callable[..., Any]) -> bool:
    """Whether it takes X and y."""
    return {"X", "y"} <= signature(function).parameters.keys()


def accepts_dataset(function: F) -> F:
    """A function of X, y that also takes a data set where X stands; what follows y follows it.

    >>> @accepts_dataset
    ... def count(X, y, weight=1):
    ...     return len(X) * weight
    >>> from linscope.data.datasets import load
    >>> count([[0], [1]], [0, 1]), count(load("or")), count(load("or"), 2)
    (2, 4, 8)
    """
    place = list(signature(function).parameters).index("X")

    @wraps(function)
    def opened(*args: Any, **kwargs: Any) -> Any:
        given = args[place] if len(args) > place else kwargs.get("X")
        if isinstance(given, Dataset):
            if "y" in kwargs:
                raise TypeError(
                    f"{function.__name__}: the data set {given.name!r} has a y of its own; for "
                    "another one pass dataset.X and that y"
                )
            if len(args) > place:
                args = (*args[:place], *given, *args[place + 1 :])
            else:
                kwargs |= zip(("X", "y"), given, strict=True)
        return function(*args, **kwargs)

    opened.accepts_dataset = True  # type: ignore[attr-defined]
    return opened  # type: ignore[return-value]
