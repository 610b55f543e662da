"""What objects that print themselves have in common."""

from __future__ import annotations

from typing import Any

from . import documents
from .table import Table
from .text import text


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
        return "\n".join(line.rstrip() for line in capture.get().splitlines())


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
