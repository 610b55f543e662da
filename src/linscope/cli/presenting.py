"""What all traced runs have in common: header, table or document, verdict, figure."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rich.console import Console

from .errors import CHECK_FAILED, FINE, input_errors
from .figures import save_figure
from .screen import complain, console, facts, lead, paragraph
from .source import Source

if TYPE_CHECKING:
    from .steps import ShowOptions


def present(
    what: ShowOptions,
    report: Callable[[Console], bool],
    document: Callable[[], str],
    figure: Callable[[], Any],
) -> int:
    """The exit code of a command that shows a run.

    Parameters
    ----------
    what : format, and where a figure is wanted
    report : writes to the screen, and says whether the certificate holds
    document : the bare table for a file
    figure : what to draw
    """
    holds = True
    if what.format == "rich":
        holds = report(console())
    else:
        sys.stdout.write(document())
    if what.plot is not None:
        with input_errors():
            display = figure()
        save_figure(display, what.plot)
        complain(f"figure written to {what.plot}")
    return FINE if holds else CHECK_FAILED


def header(
    out: Console, model: str, source: Source, settings: list[str], more: list[tuple[str, str]]
) -> None:
    """Model and data, remarks on them, and the facts of the run."""
    origin = f" ({source.origin})" if source.origin else ""
    lead(out, f"{model} on {source.name}:", source.title() + origin, "bold")
    for remark in source.remarks:
        paragraph(out, remark)
    labels = ["settings"] + ["samples"] * (len(settings) - 1)
    facts(out, [*zip(labels, settings, strict=False), *more], indent=0)


def notes_of(table: Any) -> tuple[list[str], str]:
    """Take a ledger's own notes off it: its settings, and how the run ended."""
    *settings, ending = table.caption.plain.splitlines()
    table.title = table.caption = None
    return settings, ending


def verdict(out: Console, check: Any) -> bool:
    """What verifying the certificate has found; does it hold?"""
    paragraph(out, str(check), style="green" if check else "red")
    return bool(check)
