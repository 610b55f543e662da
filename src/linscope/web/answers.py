"""A question of the page and its answer; the same for the server, the widget and the hand-out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .everyone import everyone
from .own_table import read_table
from .run import fit
from .samples import sample
from .spec import BadSpec, read_data, read_spec


def _fit(body: Any) -> dict[str, Any]:
    return fit(read_spec(body))


def _everyone(body: Any) -> dict[str, Any]:
    given = _object(body, {"data", "mode"})
    return everyone(read_data(given.get("data"), _mode(given)))


def _sample(body: Any) -> dict[str, Any]:
    given = _object(body, {"name", "params"})
    return sample(str(given.get("name")), given.get("params"))


def _mode(given: Mapping[str, Any]) -> str:
    mode = given.get("mode", "classes")
    if mode not in ("classes", "regression"):
        raise BadSpec("mode must be 'classes' or 'regression'")
    return mode


def _object(body: Any, known: set[str]) -> Mapping[str, Any]:
    if not isinstance(body, dict) or not set(body) <= known:
        raise BadSpec(f"the request must be a JSON object with {', '.join(sorted(known))}")
    return body


KINDS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "fit": _fit,
    "everyone": _everyone,
    "sample": _sample,
    "table": read_table,
}


def answer(kind: str, body: Any) -> dict[str, Any]:
    """The answer; ``BadSpec`` with one sentence for a person if there is none."""
    if kind not in KINDS:
        raise BadSpec(f"there is no question {kind!r}: {', '.join(KINDS)}")
    try:
        return KINDS[kind](body)
    except BadSpec:
        raise
    except (ValueError, TypeError, ArithmeticError, NotImplementedError) as error:
        raise BadSpec(str(error)) from error
