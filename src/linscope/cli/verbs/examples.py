"""``linscope examples``: the runs printed in the notes, replayed."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter
from rich.table import Table

from ..errors import CHECK_FAILED, EXIT_CODES, FINE, BadInput
from ..json_document import print_json
from ..options import Flag, Json
from ..screen import complain, console, print_table
from ..steps.worked import EXAMPLES, Comparison, Example

USAGE = """\
Usage: linscope examples [NAME] [OPTIONS]

Examples:

  linscope examples
  linscope examples students
  linscope examples --quiet                             only whether all agree"""

LABEL_WIDTH = 20

app = App(name="examples", usage=USAGE, help_epilogue=EXIT_CODES, help_format="plaintext")


def _names(context: Any = None) -> list[str]:
    """What the worked examples are called, for the shell's completion too."""
    return list(dict.fromkeys(example.name for example in EXAMPLES))


@app.default
def examples(
    name: Annotated[
        str | None,
        Parameter(name="NAME", help="Only this worked example.", completer=_names),
    ] = None,
    /,
    *,
    json: Json = False,
    quiet: Annotated[Flag, Parameter(help="Say only whether all agree.")] = False,
) -> int:
    """Replay the worked examples of the lecture notes: printed against computed.

    The exit code is 1 if anything differs.
    """
    from linscope.data.datasets import worked_examples

    facts = worked_examples()
    compared = [(each, each.compare(facts.get(each.name, {}))) for each in _choose(name)]
    failed = [
        f"{each.title}: {line.what}" for each, lines in compared for line in lines if not line.ok
    ]
    if json:
        print_json({"ok": not failed, "examples": [_facts(*each) for each in compared]})
    else:
        _show(compared, tables=not quiet)
    for line in failed:
        complain(f"differs from the notes: {line}")
    return CHECK_FAILED if failed else FINE


def _show(compared: list[tuple[Example, list[Comparison]]], *, tables: bool) -> None:
    """A table for each example, and whether all agree."""
    out = console()
    for example, lines in compared if tables else []:
        out.print(f"{example.name}: {example.title}", style="bold")
        print_table(out, _table(lines, out.width))
        out.print()
    seen = [line for _, lines in compared for line in lines]
    if all(line.ok for line in seen):
        agree = "the worked example agrees"
        if len(compared) > 1:
            agree = f"all {len(compared)} worked examples agree"
        but = ", but for the slips that are pointed out" if any(line.note for line in seen) else ""
        out.print(f"{agree} with the notes{but}", style="green")


def _facts(example: Example, lines: list[Comparison]) -> dict[str, Any]:
    return {
        "name": example.name,
        "title": example.title,
        "lines": [{**line._asdict(), "ok": line.ok} for line in lines],
    }


def _choose(name: str | None) -> list[Example]:
    if name is None:
        return EXAMPLES
    chosen = [example for example in EXAMPLES if example.name == name]
    if not chosen:
        from linscope.data.suggest import did_you_mean

        known = _names()
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
