"""A question of the page and its answer; the same for the server, the widget and the hand-out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from linscope._printable import json_text
from linscope.rows.threads import one_thread

from .catalog import catalog
from .limits import check_request
from .own_table import read_table
from .run import exports, fit
from .samples import sample
from .schema import openapi
from .spec import BadSpec, read_data, read_spec
from .views.everyone import everyone


def _fit(body: Any) -> dict[str, Any]:
    return fit(read_spec(body))


def _ledger(body: Any) -> dict[str, Any]:
    return exports(read_spec(body))


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


def _catalog(body: Any) -> dict[str, Any]:
    return catalog()


def _openapi(body: Any) -> dict[str, Any]:
    return openapi()


LONG = "the fractions have grown to thousands of digits: ask for fewer passes, or for decimals"
KINDS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "fit": _fit,
    "ledger": _ledger,
    "everyone": _everyone,
    "sample": _sample,
    "table": read_table,
    "catalog": _catalog,
    "openapi": _openapi,
}


def answer(kind: str, body: Any) -> dict[str, Any]:
    """The answer; ``BadSpec`` with one sentence for a person if there is none."""
    if kind not in KINDS:
        raise BadSpec(f"there is no question {kind!r}: {', '.join(KINDS)}")
    check_request(body)
    try:
        with one_thread():  # of small tables: more would wait for each other
            return KINDS[kind](body)
    except BadSpec:
        raise
    except (ValueError, TypeError, ArithmeticError, NotImplementedError) as error:
        raise BadSpec(LONG if "integer string conversion" in str(error) else str(error)) from error


def packed_answer(kind: str, body: Any) -> dict[str, Any]:
    """The answer as the page gets it: what a state has in common with the one before is left out.

    Many steps change nothing. A key that is missing is as before; a view of weight space that is 0
    as well. ``unpack`` in the page puts everything back.
    """
    found = answer(kind, body)
    if kind != "fit":
        return found
    weights = found["weights"] or {}
    return {
        **found,
        "states": [
            state and {key: value for key, value in state.items() if not _same(before, key, value)}
            for before, state in pairwise([None, *found["states"]])
        ],
        "weights": found["weights"]
        and {
            **weights,
            "states": [
                0 if view is not None and view is before else view
                for before, view in pairwise([None, *(weights.get("states") or [])])
            ],
        },
    }


def _same(before: Any, key: str, value: Any) -> bool:
    return before is not None and key in before and before[key] is value


def answer_text(kind: str, body: Any) -> bytes:
    """The answer as it is sent."""
    found = packed_answer(kind, body)
    return json_text(found, separators=(",", ":")).encode()
