"""``linscope datasets``: what is built in."""

from __future__ import annotations

from typing import Any

from cyclopts import App
from rich import box
from rich.table import Table

from ..errors import EXIT_CODES, FINE
from ..json_document import print_json
from ..options import Json, Quiet
from ..screen import console, hints, print_table

USAGE = """\
Usage: linscope datasets [OPTIONS]

Examples:

  linscope datasets
  linscope datasets --json
  linscope trace perceptron students"""

LONGEST = 18

app = App(name=["datasets", "data"], usage=USAGE, help_epilogue=EXIT_CODES, help_format="plaintext")


@app.default
def datasets(*, json: Json = False, quiet: Quiet = False) -> int:
    """List the built-in data sets: size, classes and where they come from."""
    from linscope.data.datasets import load, names

    if json:
        print_json({"datasets": [_facts(load(name)) for name in names()]})
        return FINE
    table = Table("name", "size", "classes", "source", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in table.columns[:3]:
        column.no_wrap = True
    for name in names():
        dataset = load(name)
        table.add_row(name, _size(dataset), _classes(dataset), dataset.source)
    out = console()
    print_table(out, table)
    if not quiet:
        run = "linscope trace perceptron students"
        hints(out, [(run, "the notes' run on one of them, visit by visit")])
    return FINE


def _facts(dataset: Any) -> dict[str, Any]:
    rows, features = (None, None) if dataset.X is None else dataset.X.shape
    numbers = dataset.X is None or dataset.y.dtype.kind == "f"
    labels = [] if numbers else sorted(set(dataset.y.tolist()))
    return {
        "name": dataset.name,
        "rows": rows,
        "features": features,
        "task": "number" if numbers else "classes",
        "classes": [dataset.target_names.get(label, str(label)) for label in labels],
        "feature_names": dataset.feature_names,
        "columns": list(dataset.columns) or None,
        "source": dataset.source,
    }


def _size(dataset: Any) -> str:
    return "–" if dataset.X is None else " × ".join(f"{size:,}" for size in dataset.X.shape)


def _classes(dataset: Any) -> str:
    """The names of a few classes, the number of many."""
    if dataset.X is None:
        return "moments only"
    if dataset.y.dtype.kind == "f":
        return "numbers"
    labels = sorted(set(dataset.y.tolist()))
    text = ", ".join(dataset.target_names.get(label, str(label)) for label in labels)
    return text if len(text) <= LONGEST else f"{len(labels)} classes"
