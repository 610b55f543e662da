"""``linscope datasets``: what is built in."""

from __future__ import annotations

from typing import Any

from cyclopts import App
from rich.table import Table

from .errors import FINE
from .screen import console, hints, print_table

EPILOGUE = """\
Examples:

  linscope datasets
  linscope trace perceptron students"""

app = App(name=["datasets", "data"], help_epilogue=EPILOGUE, help_format="plaintext")


@app.default
def datasets() -> int:
    """List the built-in data sets: size, classes and where they come from."""
    from ..data.datasets import load, names

    table = Table("name", "samples", "features", "classes", "source")
    for column in table.columns[1:3]:
        column.justify = "right"
    table.columns[0].no_wrap = True
    for name in names():
        dataset = load(name)
        table.add_row(name, *_size(dataset), _classes(dataset), dataset.source)
    out = console()
    print_table(out, table)
    hints(
        out,
        [("linscope trace perceptron students", "the notes' run on one of them, visit by visit")],
    )
    return FINE


def _size(dataset: Any) -> tuple[str, str]:
    if dataset.X is None:
        return "–", str(len(dataset.feature_names))
    n, d = dataset.X.shape
    return f"{n:,}", f"{d:,}"


def _classes(dataset: Any) -> str:
    if dataset.X is None:
        return "moments only"
    if dataset.y.dtype.kind == "f":
        return "numbers"
    labels = sorted(set(dataset.y.tolist()))
    names = [dataset.target_names.get(label, str(label)) for label in labels]
    return ", ".join(names) if len(names) <= 3 else f"{len(names)} classes"
