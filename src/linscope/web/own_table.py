"""A pasted or dropped table: its columns, and the points that two of them make."""

from __future__ import annotations

import io
import math
import re
from typing import Any

import numpy as np

from linscope.data.suggest import did_you_mean

from .limits import CLASSES, LARGEST, NAME, POINTS
from .spec import BadSpec, read_data

DECIMAL = re.compile(r"^(-?\d+),(\d+)$")


def read_table(body: Any) -> dict[str, Any]:
    """Columns with their kinds, and the data of the chosen ones."""
    if not isinstance(body, dict) or not isinstance(body.get("text"), str):
        raise BadSpec("a table is sent as text")
    header, rows = _cells(body["text"])
    columns = {name: [row[k] for row in rows] for k, name in enumerate(header)}
    kinds = {name: _kind(values) for name, values in columns.items()}
    faults = {name: _fault(name, values) for name, values in columns.items()}
    target = _chosen_target(body.get("y"), kinds, columns, faults)
    features = _chosen_features(body.get("x"), kinds, target, faults)
    mode = "regression" if kinds[target] == "number" and _many(columns[target]) else "classes"
    if mode == "regression":
        features = features[:1]
    kept = some_rows(len(rows))
    numbers = [*features, target] if mode == "regression" else features
    units = {name: _unit(columns[name]) for name in numbers}
    taken = {name: [float(columns[name][k]) / units[name] for k in kept] for name in numbers}
    document = {
        "points": list(zip(*(taken[name] for name in features), strict=True)),
        "labels": taken[target] if mode == "regression" else [columns[target][k] for k in kept],
        "features": [_in_units(name, units[name])[:NAME] for name in features],
        "names": None,
    }
    data = read_data(document, mode)
    return {
        "columns": [{"name": name, "kind": kind} for name, kind in kinds.items()],
        "x": features,
        "y": target,
        "mode": mode,
        "rows": len(rows),
        "data": data.document(),
        "notes": [
            f"column {name!r} has values whose squares leave the range of floats: it is shown in "
            f"units of {unit:g}"
            for name, unit in units.items()
            if unit != 1
        ]
        + [
            f"{fault}; this column is left out"
            for name, fault in faults.items()
            if fault and name not in (*features, target)
        ],
    }


def _cells(text: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows; the delimiter is the one that the first line has most of."""
    import csv

    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 3:
        raise BadSpec("a table needs a line of column names and at least two rows")
    delimiter = max(",;\t", key=lines[0].count)
    if delimiter not in lines[0]:
        raise BadSpec("the first line has one column only: separate columns by , ; or tabs")
    try:
        table = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter))
    except csv.Error as error:
        raise BadSpec(f"this is not a table: {error}") from None
    header = [name.strip()[:NAME] or f"column {k + 1}" for k, name in enumerate(table[0])]
    if len(set(header)) < len(header):
        raise BadSpec("two columns have the same name")
    numbers = [name for name in header if _number(name)]
    if numbers:
        raise BadSpec(
            f"the first line has numbers ({', '.join(numbers[:3])}), but it must have the names of "
            "the columns"
        )
    rows = [[cell.strip() for cell in row] for row in table[1:]]
    if delimiter == ";":  # where columns end with ; numbers are often written 1,5
        rows = [[DECIMAL.sub(r"\1.\2", cell) for cell in row] for row in rows]
    for place, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise BadSpec(f"line {place} has {len(row)} cells, the first line has {len(header)}")
    return header, rows


def some_rows(count: int) -> list[int]:
    """Which rows are taken: all, or a random sample of as many as the page can have."""
    if count <= POINTS:
        return list(range(count))
    return np.sort(np.random.default_rng(0).choice(count, POINTS, replace=False)).tolist()


def _unit(values: list[str]) -> float:
    """A power of ten by which a column is divided: 1 unless its squares leave the range."""
    largest = max(abs(float(value)) for value in values)
    return 10.0 ** math.floor(math.log10(largest)) if largest > LARGEST else 1.0


def _in_units(name: str, unit: float) -> str:
    return name if unit == 1 else f"{name} / {unit:g}"


def _fault(name: str, values: list[str]) -> str:
    """What spoils a column, with its line; "" where nothing does."""
    gap = next((place for place, value in enumerate(values, 2) if value == ""), None)
    if gap is not None:
        return f"column {name!r} is empty in line {gap}"
    odd = [(place, value) for place, value in enumerate(values, 2) if not _number(value)]
    if 0 < len(odd) <= len(values) / 2:
        place, value = odd[0]
        return f"column {name!r} has {value[:NAME]!r} in line {place}, which is not a number"
    if odd and _many(values):
        return (
            f"column {name!r} has {len(set(values))} different texts: at most {CLASSES} classes fit"
        )
    return ""


def _kind(values: list[str]) -> str:
    if any(value == "" for value in values):
        return "has gaps"
    if all(_number(value) for value in values):
        return "number"
    return "category" if len(set(values)) <= CLASSES else "text"


def _number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _many(values: list[str]) -> bool:
    return len(set(values)) > CLASSES


def _chosen_target(
    name: Any, kinds: dict[str, str], columns: dict[str, list[str]], faults: dict[str, str]
) -> str:
    if name is not None:
        _known(name, kinds)
        if kinds[name] in ("text", "has gaps"):
            raise BadSpec(f"{faults[name]}: choose another column for y, or mend it")
        return name
    for kind in ("category", "number"):
        found = [each for each, its in kinds.items() if its == kind]
        if found:
            return next((each for each in found[::-1] if not _many(columns[each])), found[-1])
    raise BadSpec(_with(faults, "no column can be y: it needs two or three classes, or numbers"))


def _chosen_features(
    names: Any, kinds: dict[str, str], target: str, faults: dict[str, str]
) -> list[str]:
    numbers = [name for name, kind in kinds.items() if kind == "number" and name != target]
    if names is None:
        if not numbers:
            raise BadSpec(_with(faults, "no column of numbers is left for the points"))
        return numbers[:2]
    if not isinstance(names, list) or not 1 <= len(names) <= 2:
        raise BadSpec("choose one or two columns for the points")
    for name in names:
        _known(name, kinds)
        if kinds[name] != "number":
            fault = faults[name] or f"column {name!r} has categories"
            raise BadSpec(f"{fault}: choose a column of numbers, or mend it")
    return names


def _with(faults: dict[str, str], words: str) -> str:
    """The words, and the first column that is spoilt."""
    first = next((fault for fault in faults.values() if fault), "")
    return f"{words}; {first}" if first else words


def _known(name: Any, kinds: dict[str, str]) -> None:
    if not isinstance(name, str) or name not in kinds:
        hint = did_you_mean(str(name), kinds) or ";"
        raise BadSpec(f"there is no column {str(name)[:NAME]!r}{hint} known: {', '.join(kinds)}")
