"""The page's script and style: parts in the order of their numbers, joined into one module."""

from __future__ import annotations

import base64
import json
from functools import cache
from importlib.resources import files
from typing import Any

from linscope._printable import json_text

STATIC = files("linscope.web") / "static"


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


@cache
def module() -> str:
    """The module that draws: ``export default { render }``, as notebooks want it."""
    folders = (STATIC / "parts").iterdir()
    parts = [part for folder in folders if folder.is_dir() for part in folder.iterdir()]
    ordered = sorted(
        (part for part in parts if part.name.endswith(".js")), key=lambda one: one.name
    )
    return "\n".join(part.read_text(encoding="utf-8") for part in ordered)


@cache
def page_script() -> str:
    """The same with the host of a page in a browser."""
    return module() + "\n" + _read("shim.js")


@cache
def style() -> str:
    return _read("playground.css")


@cache
def page() -> str:
    """The page that the server sends."""
    return _read("page.html")


def safe_json(document: Any) -> str:
    """JSON that may stand inside an HTML script element."""
    return json_text(document, separators=(",", ":")).replace("<", "\\u003c")


def in_address(spec: Any) -> str:
    """The part of an address that opens the page with this spec."""
    text = json.dumps({"step": 0, "spec": spec}, separators=(",", ":"))
    return "#s=" + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
