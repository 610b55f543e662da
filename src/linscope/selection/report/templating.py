"""The templates of this folder, read from the package; what they are given is quoted."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from linscope._printable import printable

from . import words


@cache
def environment() -> Environment:
    """Templates that quote everything but ``Markup``, and in which a misspelt name is an error."""
    made = Environment(
        loader=PackageLoader("linscope.selection.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_printable,
    )
    made.filters["digits"] = words.digits
    return made


def _printable(value: Any) -> Any:
    """Whatever a template shows, but for what it is made of."""
    plain = isinstance(value, str) and not isinstance(value, Markup)
    return printable(value, "\n") if plain else value


def source(name: str) -> Markup:
    """A style sheet or a script as it is."""
    loader = environment().loader
    assert loader is not None
    return Markup(loader.get_source(environment(), name)[0].strip())
