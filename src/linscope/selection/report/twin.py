"""The JSON twin: findings as text that any program can read, and back without a bit lost.

Floats are written with the digits that give them back exactly (``repr``). JSON has no NaN and no
infinity, and findings may not hold them: ``to_json`` names the place where one does. Reading
executes nothing, and a twin with a field too many, too few or of another type is refused.
"""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, NoReturn, get_args, get_origin

from linscope._printable import json_text
from linscope.selection.comparison.findings import Findings

from .schema import FORMAT, PLAIN, hints, schema

__all__ = ["FORMAT", "from_json", "in_page", "read_report", "schema", "to_json", "twin_of_page"]

OPENING = '<script type="application/json" id="linscope-findings">'
CLOSING = "</script>"


def to_json(findings: Findings) -> str:
    """The findings as JSON of the published schema (``docs/comparison.schema.json``)."""
    twin = {"format": FORMAT, **_plain(findings, "")}
    return json_text(twin, indent=1)


def in_page(findings: Findings) -> str:
    """The twin for the inside of a page's script element: no text of the data can end that."""
    return to_json(findings).replace("<", "\\u003c")


def _plain(value: Any, path: str) -> Any:
    """Dataclasses as dicts, tuples as lists; everything else must be plain already."""
    if is_dataclass(value):
        return {
            each.name: _plain(getattr(value, each.name), _join(path, each.name))
            for each in fields(value)
        }
    if isinstance(value, dict):
        return {_text(key, path): _plain(part, _join(path, key)) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part, f"{path}[{k}]") for k, part in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{path} is {value}: findings hold finite numbers, or None")
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TypeError(f"{path} is a {type(value).__name__}: findings hold plain values only")


def _text(key: Any, path: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{path} has the key {key!r}: keys of findings are text")
    return key


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def from_json(text: str) -> Findings:
    """The findings of a JSON twin; whatever is not exactly one raises a ``ValueError``.

    Examples
    --------
    >>> from_json('{"format": "linscope-comparison-1"}')
    Traceback (most recent call last):
        ...
    ValueError: not the JSON of a linscope comparison: the top level lacks data, plan, candidates, …
    """
    try:
        twin = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except RecursionError:
        _refuse("it is nested too deeply")
    except ValueError as error:
        _refuse(str(error))
    if not isinstance(twin, dict) or twin.pop("format", None) != FORMAT:
        _refuse(f'it does not begin with {{"format": "{FORMAT}", …')
    return _read(Findings, twin, "")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are all different."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field {twice} is there twice")
    return made


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _read(hint: Any, value: Any, path: str) -> Any:
    """The value as its type has it: lists become tuples, objects the classes of the findings."""
    if hint is Any:
        return _untyped(value, path)
    if is_dataclass(hint):
        return _read_class(hint, value, path)
    origin, parts = get_origin(hint), get_args(hint)
    if origin is UnionType:
        chosen = NoneType if value is None else next(part for part in parts if part is not NoneType)
        return _read(chosen, value, path)
    if origin is dict:
        _must(isinstance(value, dict), path, "an object", value)
        return {key: _read(parts[1], part, _join(path, key)) for key, part in value.items()}
    if origin is tuple:
        return _read_tuple(parts, value, path)
    kinds = (int, float) if hint is float else (hint,)
    _must(type(value) in kinds, path, PLAIN[hint], value)
    return _finite(value, path) if hint is float else value


def _read_class(hint: Any, value: Any, path: str) -> Any:
    _must(isinstance(value, dict), path, "an object", value)
    wanted, where = hints(hint), path or "the top level"
    missing = [name for name in wanted if name not in value]
    if missing:
        _refuse(f"{where} lacks {_few(missing)}")
    unknown = [name for name in value if name not in wanted]
    if unknown:
        _refuse(f"{where} has {_few(unknown)}, which is unknown")
    return hint(**{n: _read(kind, value[n], _join(path, n)) for n, kind in wanted.items()})


def _read_tuple(parts: tuple, value: Any, path: str) -> tuple:
    _must(isinstance(value, list), path, "an array", value)
    if parts[1:] == (...,):
        parts = parts[:1] * len(value)
    if len(parts) != len(value):
        _refuse(f"{path} must have {len(parts)} entries, it has {len(value)}")
    pairs = enumerate(zip(parts, value, strict=True))
    return tuple(_read(part, each, f"{path}[{k}]") for k, (part, each) in pairs)


def _untyped(value: Any, path: str) -> Any:
    if isinstance(value, dict):
        return {key: _untyped(part, _join(path, key)) for key, part in value.items()}
    if isinstance(value, list):
        return tuple(_untyped(part, f"{path}[{k}]") for k, part in enumerate(value))
    return _finite(value, path) if isinstance(value, float) else value


def _finite(value: float, path: str) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        _refuse(f"{path} is too large for a float")
    return number


def _must(right: bool, path: str, wanted: str, value: Any) -> None:
    if not right:
        shown = json.dumps(value, ensure_ascii=False, default=str)
        _refuse(f"{path} must be {wanted}, it is {shown[:40]}{'…' * (len(shown) > 40)}")


def _few(names: list[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def _refuse(why: str) -> NoReturn:
    raise ValueError(f"not the JSON of a linscope comparison: {why}") from None


def twin_of_page(text: str) -> str:
    """The JSON inside a report's page."""
    if text.count(OPENING) != 1:
        raise ValueError(
            "not a report of linscope compare: there should be exactly one "
            f"{OPENING}, there are {text.count(OPENING)}"
        )
    begin = text.index(OPENING) + len(OPENING)
    end = text.find(CLOSING, begin)
    if end < 0:
        raise ValueError("the report is cut off: its findings have no end")
    return text[begin:end]


def read_report(path: Any) -> Findings:
    """The findings inside a report, from its file.

    Parameters
    ----------
    path : the HTML file that a comparison has written
    """
    return from_json(twin_of_page(read_text(path)))


def read_text(path: Any) -> str:
    """The whole file of a report, as every browser reads it."""
    try:
        return Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a report of linscope compare: it is not text") from None
