"""``linscope verify``: every number of a report recomputed from the table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from .errors import CHECK_FAILED, FINE, BadInput, input_errors
from .options import Flag
from .screen import complain, console, facts, paragraph
from .table import read_given, table_word

HELP = """\
Examples:

  linscope verify churn-report.html churn.csv
  linscope verify churn-report.html churn       the built-in table

Is the report what this table gives? Its page is drawn again from the findings inside it, the table's
hash is compared, and the whole study is run again with the same options: every number, choice and
certificate must agree. Times are measured, so they are not compared.

Exit codes: 0 all agree, 1 something differs, 2 bad input."""
MOST_SHOWN = 10

app = App(name="verify", help=HELP, help_format="plaintext")


@app.default
def verify(
    report: Annotated[Path, Parameter(help="A report that linscope compare has written.")],
    table: Annotated[str, Parameter(help="The table: file, built-in name, or - for stdin.")],
    /,
    *,
    quiet: Annotated[Flag, Parameter(help="No progress.")] = False,
) -> int:
    raise NotImplementedError
