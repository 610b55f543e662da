"""The rows of ``notes.md``: claims of the lecture notes and the line that shows each.

``python docs/notes_page.py sheet.png`` draws all figures of the page on one sheet.
"""

from __future__ import annotations

import re
import shlex
import sys
import warnings
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

PAGE = Path(__file__).with_name("notes.md")
FIGURE = "figure"


class Row(NamedTuple):
    """A claim: its note, number, words, the line that shows it, and what that says.

    ``says`` is the value of the line, "figure", or a part of what a command prints.
    """

    note: str
    number: int
    claim: str
    line: str
    says: str

    @property
    def command(self) -> list[str] | None:
        """The words after ``linscope`` if the line is one for a shell."""
        return shlex.split(self.line)[2:] if self.line.startswith("$ linscope ") else None


def rows(text: str | None = None) -> list[Row]:
    """All rows of the page, in its order."""
    found, note = [], ""
    for line in (PAGE.read_text("utf-8") if text is None else text).splitlines():
        if line.startswith("## "):
            note = line[3:]
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 4 and cells[0].isdigit():
            number, claim, shown, says = (cell.replace(r"\|", "|") for cell in cells)
            found.append(Row(note, int(number), claim, shown.strip("`"), says.strip("`")))
    return found


@cache
def names(note: str) -> dict[str, Any]:
    """What the code at the head of a note, and of the page, has defined."""
    space: dict[str, Any] = {}
    for head in re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE):
        if head.startswith(("# ", note)):
            for code in re.findall(r"```python\n(.*?)```", head, flags=re.DOTALL):
                exec(code, space)
    return space


def value_of(row: Row) -> Any:
    """What a line of Python gives: several statements may come before the last expression."""
    *before, last = row.line.split("; ")
    space = dict(names(row.note))
    for statement in before:
        exec(statement, space)
    return eval(last, space)


def main(path: str) -> None:
    """All figures on one sheet."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from PIL import Image

    warnings.simplefilter("ignore")
    drawn, pictures = [row for row in rows() if row.says == FIGURE], []
    for row in drawn:
        picture = BytesIO()
        value_of(row).save(picture, dpi=100)
        picture.seek(0)
        pictures.append(plt.imread(picture))
        plt.close("all")
    columns = 5
    lines = -(-len(drawn) // columns)
    sheet, axes = plt.subplots(lines, columns, figsize=(4 * columns, 3.2 * lines), layout="tight")
    for ax in axes.flat:
        ax.axis("off")
    for ax, row, picture in zip(axes.flat, drawn, pictures, strict=False):
        ax.imshow(picture)
        ax.set_title(f"{row.number}  {row.claim}"[:60], size=8, loc="left")
    written = BytesIO()
    sheet.savefig(written, dpi=80)
    Image.open(written).convert("RGB").quantize(64).save(path, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
