"""Where text goes: results to standard output, everything else to standard error."""

from __future__ import annotations

import io
import os
import sys
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import IO, Any

from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from linscope._printable import printable

PIPED_WIDTH = 120
Pairs = list[tuple[str, str]]


class Screen(Console):
    """A console that shows what it is given, whatever is in it.

    A broken pipe is left to the caller instead of ending the process.
    """

    def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
        """Pieces of text with their styles; a name from a table cannot steer the terminal."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else printable(text, "\n"), style, control)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(stream: IO[str] | None = None) -> Console:
    """A console as wide as the terminal, or 120 columns without colours when piped."""
    stream = sys.stdout if stream is None else stream
    width = None
    if not stream.isatty() and not os.environ.get("COLUMNS", "").isdigit():
        width = PIPED_WIDTH
    return Screen(file=stream, width=width, highlight=False, markup=False, emoji=False)


def prepare_streams() -> None:
    """Print ``?`` for a letter that the terminal does not have, and nothing where there is none."""
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def complain(message: str) -> None:
    """One line on standard error."""
    print(f"linscope: {printable(message)}", file=sys.stderr)


def progress_bars(quiet: bool = False) -> AbstractContextManager[Any]:
    """Progress bars for long fits, if a person is watching."""
    if quiet or not sys.stderr.isatty():
        return nullcontext()
    from linscope.results import progress

    return progress()


def print_table(out: Console, table: Any) -> None:
    """A table, without blanks at the ends of lines when it goes to a file."""
    if out.is_terminal:
        out.print(table)
        return
    with out.capture() as capture:
        out.print(table)
    for line in capture.get().splitlines():
        out.print(line.rstrip(), soft_wrap=True)


def paragraph(out: Console, text: str, style: str = "", indent: int = 0) -> None:
    """A sentence or two, wrapped at words, without blanks at the ends of lines."""
    blanks = " " * indent
    for line in textwrap.wrap(
        printable(text, "\n"), out.width, initial_indent=blanks, subsequent_indent=blanks
    ):
        out.print(Text(line, style), soft_wrap=True)


def lead(out: Console, first: str, rest: str, style: str) -> None:
    """A paragraph that begins with a few words in a style of their own."""
    first = printable(first)
    lines = textwrap.wrap(f"{first} {printable(rest)}", out.width)
    text = Text("\n".join(lines))
    text.stylize(style, 0, len(first))
    out.print(text, soft_wrap=True)


def facts(out: Console, pairs: Iterable[tuple[str, str]], indent: int = 2) -> None:
    """Labels and values side by side; long values wrap inside their own column."""
    pairs = list(pairs)
    margin = indent + 2 + max((len(label) for label, _ in pairs), default=0)
    for label, value in pairs:
        lines = textwrap.wrap(
            printable(value, "\n"), max(20, out.width - margin), break_on_hyphens=False
        ) or [""]
        first = Text.assemble((f"{' ' * indent}{label}".ljust(margin), "dim"), lines[0])
        out.print(first, soft_wrap=True)
        for line in lines[1:]:
            out.print(" " * margin + line, soft_wrap=True)


def hints(out: Console, lines: Iterable[tuple[str, str]]) -> None:
    """What to try next: a command that can be pasted, and what it shows."""
    lines = list(lines)
    if not lines:
        return
    out.print("\nNext:", style="bold")
    for command, why in lines:
        out.print(f"  {command}", style="cyan", soft_wrap=True)
        paragraph(out, why, indent=6)


def header(out: Console, title: str, source: Any, *, gap: bool = True) -> None:
    """What is shown and of which data, and remarks on them."""
    origin = f" ({source.origin})" if source.origin else ""
    lead(out, title, source.title() + origin, "bold")
    for remark in source.remarks:
        paragraph(out, remark)
    if gap:
        out.print()


def verdict(out: Console, check: Any) -> bool:
    """What verifying a certificate has found; does the claim hold?"""
    style = "green" if check else "yellow" if check.claim_holds else "red"
    paragraph(out, str(check), style=style)
    return bool(check.claim_holds)
