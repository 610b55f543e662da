"""``linscope examples``: the runs printed in the notes, replayed."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from .errors import CHECK_FAILED, FINE, BadInput
from .screen import complain, console, print_table
from .worked import EXAMPLES, Comparison, Example

EPILOGUE = """\
Examples:

  linscope examples
  linscope examples students"""

LABEL_WIDTH = 20

app = App(name="examples", help_epilogue=EPILOGUE, help_format="plaintext")


@app.default
def examples(
    name: Annotated[str | None, Parameter(help="Only this worked example.")] = None,
) -> int:
    """Replay the worked examples of the lecture notes: printed against computed.

    The exit code is 1 if anything differs.
    """
    from linscope.data.datasets import worked_examples

    facts, chosen, out = worked_examples(), _choose(name), console()
    failed: list[str] = []
    seen: list[Comparison] = []
    for example in chosen:
        lines = example.compare(facts.get(example.name, {}))
        seen += lines
        failed += [f"{example.title}: {line.what}" for line in lines if not line.ok]
        out.print(f"{example.name}: {example.title}", style="bold")
        print_table(out, _table(lines, out.width))
        out.print()
    if failed:
        for line in failed:
            complain(f"differs from the notes: {line}")
        return CHECK_FAILED
    agree = "the worked example agrees"
    if len(chosen) > 1:
        agree = f"all {len(chosen)} worked examples agree"
    but = ", but for the slips that are pointed out" if any(line.note for line in seen) else ""
    out.print(f"{agree} with the notes{but}", style="green")
    return FINE


def _choose(name: str | None) -> list[Example]:
    if name is None:
        return EXAMPLES
    chosen = [example for example in EXAMPLES if example.name == name]
    if not chosen:
        from linscope.data.suggest import did_you_mean

        known = list(dict.fromkeys(example.name for example in EXAMPLES))
        hint = did_you_mean(name, known)
        raise BadInput(
            f"no worked example is called {name!r}{hint or '.'} Known are {', '.join(known)}"
        )
    return chosen


def _table(lines: list[Comparison], width: int) -> Table:
    """Printed beside computed, in columns that are the same for all examples."""
    half = max(12, (width - LABEL_WIDTH - 5) // 2)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("", width=LABEL_WIDTH)
    table.add_column("printed in the notes", width=half)
    table.add_column("computed", width=half)
    for line in lines:
        mark, style = ("✓", "") if line.ok else ("✗", "red")
        table.add_row(f"{mark} {line.what}", line.printed, line.computed, style=style)
        if line.note:
            table.add_row("", "", line.note, style="dim")
    return table
