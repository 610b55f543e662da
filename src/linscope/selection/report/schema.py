"""The JSON Schema of the twin, made of the classes of ``comparison/findings.py``.

``python -m linscope.selection.report.schema`` prints what ``docs/comparison.schema.json`` holds.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from linscope.selection.comparison.findings import Findings

# What every twin says it is; the number changes when a field does.
FORMAT = "linscope-comparison-1"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
PLAIN = {float: "number", int: "integer", str: "string", bool: "boolean", NoneType: "null"}


@cache
def hints(kind: Any) -> dict[str, Any]:
    """The types of the fields of a dataclass, in their order."""
    found = get_type_hints(kind)
    return {each.name: found[each.name] for each in fields(kind)}


def schema() -> dict[str, Any]:
    """What a JSON twin looks like, as JSON Schema 2020-12.

    Examples
    --------
    >>> schema()["$defs"]["Curve"]["properties"]["sizes"]
    {'type': 'array', 'items': {'type': 'integer'}}
    """
    classes: dict[str, Any] = {}
    _define(Findings, classes)
    top = classes.pop("Findings")
    return {
        "$schema": DIALECT,
        "title": "What a linscope comparison found",
        **top,
        "properties": {"format": {"const": FORMAT}, **top["properties"]},
        "required": ["format", *top["required"]],
        "$defs": dict(sorted(classes.items())),
    }


def _define(kind: Any, classes: dict[str, Any]) -> None:
    """Put a dataclass and all that it is made of among the definitions."""
    if kind.__name__ in classes:
        return
    classes[kind.__name__] = {}
    classes[kind.__name__] = {
        "description": (kind.__doc__ or "").strip().splitlines()[0],
        "type": "object",
        "properties": {name: _shape(hint, classes) for name, hint in hints(kind).items()},
        "required": list(hints(kind)),
        "additionalProperties": False,
    }


def _shape(hint: Any, classes: dict[str, Any]) -> dict[str, Any]:
    """The schema of one type."""
    if hint in PLAIN:
        return {"type": PLAIN[hint]}
    if hint is Any:
        return {}
    if isinstance(hint, type) and is_dataclass(hint):
        _define(hint, classes)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    origin, parts = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return {"anyOf": [_shape(part, classes) for part in parts]}
    if origin is dict:
        return {"type": "object", "additionalProperties": _shape(parts[1], classes)}
    assert origin is tuple, hint
    if parts[1:] == (...,):
        return {"type": "array", "items": _shape(parts[0], classes)}
    each = [_shape(part, classes) for part in parts]
    return {"type": "array", "prefixItems": each, "minItems": len(each), "items": False}


if __name__ == "__main__":
    print(json.dumps(schema(), indent=2, ensure_ascii=False))
