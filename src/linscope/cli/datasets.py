"""``linscope datasets``: what is built in."""

from __future__ import annotations

from typing import Any

from cyclopts import App
from rich import box
from rich.table import Table

from .errors import FINE
from .screen import console, hints, print_table

EPILOGUE = """\
Examples:

  linscope datasets
  linscope trace perceptron students"""

LONGEST = 18

app = App(name=["datasets", "data"], help_epilogue=EPILOGUE, help_format="plaintext")


@app.default
def datasets() -> int:
    """List the built-in data sets: size, classes and where they come from."""
    from linscope.data.datasets import load, names

    table = Table("name", "size", "classes", "source", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in table.columns[:3]:
        column.no_wrap = True
    for name in names():
        dataset = load(name)
        table.add_row(name, _size(dataset), _classes(dataset), dataset.source)
    out = console()
    print_table(out, table)
    hints(
        out,
        [("linscope trace perceptron students", "the notes' run on one of them, visit by visit")],
    )
    return FINE


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
