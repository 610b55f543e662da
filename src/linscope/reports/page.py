"""What objects that print themselves have in common."""

from __future__ import annotations

from typing import Any

from linscope._printable import printable

from . import documents
from .table import Table
from .text import text

MAX_ROWS = 25


class Printed:
    """Something with a ``ledger`` for the terminal and a ``to_html`` for notebooks."""

    def ledger(self, *, width: int | None = None) -> Any:
        raise NotImplementedError

    def to_html(self) -> str:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(no_color=True, highlight=False, force_terminal=False, width=120)
        with console.capture() as capture:
            console.print(self.ledger(width=120))
        lines = (line.rstrip() for line in capture.get().split("\n"))
        return printable("\n".join(lines).rstrip("\n"), "\n")


class LongTable(Printed):
    """A result that is one table, of whose rows so many are shown; ``max_rows=None`` shows all."""

    def _table(self, most: int | None) -> Table:
        raise NotImplementedError

    def ledger(self, *, width: int | None = None, max_rows: int | None = MAX_ROWS) -> Any:
        """The table for a terminal."""
        from rich import get_console

        from .terminal import ledger

        return ledger(self._table(max_rows), get_console().width if width is None else width)

    def to_markdown(self, *, max_rows: int | None = MAX_ROWS) -> str:
        """The table in Markdown."""
        return documents.markdown(self._table(max_rows))

    def to_latex(self, *, max_rows: int | None = MAX_ROWS) -> str:
        """The table in LaTeX."""
        return documents.latex(self._table(max_rows))

    def to_html(self, *, max_rows: int | None = MAX_ROWS) -> str:
        """The table for notebooks and pages."""
        return documents.html(self._table(max_rows))


class Report:
    """A result that is one table."""

    def _table(self) -> Table:
        raise NotImplementedError

    def to_html(self) -> str:
        """The table for notebooks and pages."""
        return documents.html(self._table())

    def to_latex(self) -> str:
        """The table as a LaTeX ``tabular``."""
        return documents.latex(self._table())

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        return text(self._table())

    def __repr__(self) -> str:
        return str(self)
