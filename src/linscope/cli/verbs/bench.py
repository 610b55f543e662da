"""``linscope bench``: the benchmark in the folder ``benchmarks`` of a checkout."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from ..errors import BadInput

app = App(name="bench", help_flags=[], version_flags=[])


@app.default
def bench(*words: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]) -> int:
    """Measure linscope against its peers at equal work (in a checkout; see bench --help)."""
    root = Path(__file__).resolve().parents[4]
    if not (root / "benchmarks" / "__main__.py").is_file():
        raise BadInput(
            "the benchmark is part of a checkout, not of the installed package: run "
            "'make bench' or 'python -m benchmarks' in a clone of the repository"
        )
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        return import_module("benchmarks.__main__").main(list(words))
    except SystemExit as error:  # argparse has said why
        return int(error.code or 0)
