"""The questions that the server answers, as OpenAPI."""

from __future__ import annotations

from typing import Any

import linscope

from .algorithms import ALGORITHMS, Parameter
from .limits import CLASSES, FEATURES, KERNEL_POINTS, LARGEST, NAME, POINTS
from .spec import VIEWS

NUMBER = {"type": "number", "minimum": -LARGEST, "maximum": LARGEST}
TEXT = {"type": "string", "minLength": 1, "maxLength": NAME}


def data_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["points", "labels"],
        "additionalProperties": False,
        "properties": {
            "points": {
                "type": "array",
                "minItems": 2,
                "maxItems": POINTS,
                "items": {"type": "array", "minItems": 1, "maxItems": FEATURES, "items": NUMBER},
                "description": f"one row for each point; at most {KERNEL_POINTS} for kernels",
            },
            "labels": {
                "type": "array",
                "items": {"anyOf": [TEXT, NUMBER]},
                "description": f"names of at most {CLASSES} classes, or numbers of a regression",
            },
            "features": {"type": ["array", "null"], "items": TEXT},
            "names": {"type": ["array", "null"], "items": TEXT},
        },
    }


def parameter_schema(each: Parameter) -> dict[str, Any]:
    if each.kind == "flag":
        return {"type": "boolean", "default": each.default}
    if each.kind == "choice":
        return {"enum": [value for value, _ in each.choices], "default": each.default}
    return {
        "type": each.kind,
        "minimum": each.min,
        "maximum": each.max,
        "default": each.default,
        "description": each.help or each.title,
    }


def spec_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["data", "algorithm"],
        "additionalProperties": False,
        "properties": {
            "data": data_schema(),
            "mode": {"enum": ["classes", "regression"], "default": "classes"},
            "algorithm": {"enum": list(ALGORITHMS)},
            "params": {"type": ["object", "null"], "description": "see /catalog"},
            "exact": {"type": "boolean", "default": False},
            "start": {"type": "integer", "minimum": 1, "maximum": 10**7, "default": 1},
            "loss": {"type": ["string", "null"]},
            "window": {
                "type": "boolean",
                "default": False,
                "description": "only rows and states, of a run that the page has already",
            },
            "brief": {
                "type": ["object", "null"],
                "additionalProperties": False,
                "properties": {
                    "at": {"type": ["integer", "null"], "minimum": 0, "maximum": 10**7},
                    "view": {"enum": list(VIEWS)},
                },
                "description": "one state and one view, for a picture while a point moves",
            },
        },
    }


def openapi() -> dict[str, Any]:
    """The description that the server sends at /openapi.json."""
    questions = {
        "fit": (spec_schema(), "Every state of a run"),
        "ledger": (spec_schema(), "The ledger of a run as CSV, Markdown and LaTeX"),
        "everyone": (
            _object(data=data_schema(), mode={"enum": ["classes", "regression"]}),
            "What each classifier makes of the same points",
        ),
        "sample": (
            _object(name={"type": "string"}, params={"type": ["object", "null"]}),
            "A data set, or what a generator makes",
        ),
        "table": (
            _object(
                text={"type": "string"},
                x={"type": ["array", "null"], "items": {"type": "string"}},
                y={"type": ["string", "null"]},
            ),
            "The columns of a pasted table, and the points of some of them",
        ),
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "linscope playground", "version": linscope.__version__},
        "paths": {
            "/catalog": {"get": {"summary": "The menus", "responses": {"200": _json("the menus")}}},
            **{f"/{name}": {"post": _post(*each)} for name, each in questions.items()},
        },
    }


def _object(**properties: Any) -> dict[str, Any]:
    first = next(iter(properties))
    return {
        "type": "object",
        "required": [first],
        "additionalProperties": False,
        "properties": properties,
    }


def _json(words: str, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "description": words,
        "content": {"application/json": {"schema": schema or {"type": "object"}}},
    }


def _post(schema: dict[str, Any], words: str) -> dict[str, Any]:
    error = {
        "type": "object",
        "required": ["error"],
        "properties": {"error": {"type": "string"}},
    }
    return {
        "summary": words,
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": {
            "200": _json(words),
            "400": _json("not JSON", error),
            "401": _json("the token is missing", error),
            "413": _json("too many bytes", error),
            "415": _json("not sent as application/json", error),
            "422": _json("a question that has no answer, and why", error),
            "503": _json("the work took too long and was stopped", error),
        },
    }
