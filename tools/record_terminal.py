"""The picture of a terminal in the README: ``python tools/record_terminal.py``.

Each command is run in this process as on a terminal of 96 columns, and what it prints is drawn as
one SVG. The picture asks the web for nothing: rich's fonts from a server are left out.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
from contextlib import chdir, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from linscope.cli import main

WIDTH = 96
COMMANDS = (
    "linscope separate xor --quiet",
    "linscope fit logistic churn --save churn.linscope",
    "linscope verify churn.linscope churn",
)
TARGET = Path(__file__).resolve().parents[1] / "docs" / "images" / "terminal.svg"
# Fonts of the reader's machine, in place of those that rich fetches.
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


class Terminal(io.StringIO):
    """Standard output that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def run(command: str) -> str:
    """What a command prints on a terminal, with its colours."""
    seen = Terminal()
    with redirect_stdout(seen):
        code = main(shlex.split(command)[1:])
    if code:
        raise SystemExit(f"{command} ended with {code}")
    return seen.getvalue()


def record() -> str:
    """All commands in one SVG."""
    os.environ |= {"COLUMNS": str(WIDTH), "COLORTERM": "truecolor", "TERM": "xterm-256color"}
    console = Console(record=True, width=WIDTH, file=io.StringIO(), highlight=False)
    with TemporaryDirectory() as folder, chdir(folder):
        for number, command in enumerate(COMMANDS):
            if number:
                console.print()
            console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
            console.print(Text.from_ansi(run(command).rstrip()))
    template = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    template = re.sub(
        r"font-family: (Fira Code, monospace|arial);", f"font-family: {FONTS};", template
    )
    return console.export_svg(
        title="linscope", theme=MONOKAI, code_format=template, unique_id="linscope"
    )


if __name__ == "__main__":
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    path.write_text(record(), encoding="utf-8")
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")
