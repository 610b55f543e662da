"""``linscope predict``: a saved model's answers for the rows of another table, of any size."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Group, Parameter

from linscope._printable import printable

from ..errors import CHECK_FAILED, FINE, BadInput, input_errors
from ..options import Flag, Quiet
from ..screen import complain
from ..tables.options import DATA, DataFile, TableName
from ..tables.table import STDIN, Given, given_table

USAGE = """\
Usage: linscope predict MODEL TABLE [OPTIONS]

Examples:

  linscope predict m.linscope new.csv                      to the screen
  linscope predict m.linscope new.csv --out scored.csv --proba
  linscope predict m.linscope new.parquet --only --out predictions.csv
  cat new.csv | linscope predict m.linscope - > scored.csv"""
EPILOGUE = """\
The table's own columns stay as they are, byte for byte, and the new ones
follow. It is read in pieces, so it may be larger than memory.

Exit codes: 0 fine, 1 some rows lack a value and a prediction, 2 bad input."""
OUTPUT = Group("Output", sort_key=1)
Sheet = Annotated[str | None, Parameter(group=DATA, help="Of an Excel file; the first by default.")]

app = App(name="predict", usage=USAGE, help_epilogue=EPILOGUE, help_format="plaintext")


@app.default
def predict(
    model: Annotated[Path, Parameter(help="A file that linscope fit --save has written.")],
    table: TableName = None,
    /,
    *,
    file: DataFile = None,
    out: Annotated[
        Path | None,
        Parameter(
            group=OUTPUT, help="File to write; the screen by default.", allow_leading_hyphen=True
        ),
    ] = None,
    proba: Annotated[Flag, Parameter(group=OUTPUT, help="Add the classes' probabilities.")] = False,
    scores: Annotated[Flag, Parameter(group=OUTPUT, help="Add the scores w·x.")] = False,
    only: Annotated[Flag, Parameter(group=OUTPUT, help="Write the new columns only.")] = False,
    force: Annotated[Flag, Parameter(group=OUTPUT, help="Overwrite the file.")] = False,
    sheet: Sheet = None,
    quiet: Annotated[Quiet, Parameter(group=OUTPUT)] = False,
) -> int:
    """Predict the rows of a table with a saved model; predictions are new columns."""
    from linscope.data.batches import no_collecting

    from ..saved.model_file import read_model
    from ..saved.predicting import Answers, write_answers

    given = given_table(table, file)
    check_out(out, force)
    loaded = read_model(model)
    with input_errors(also=(TypeError,)):
        answers = Answers.of(loaded, proba=proba, scores=scores)
        batches = batches_of(given, sheet)
        wanted = loaded.wanted(batches.names, given.name)
        with no_collecting(), _sink(out) as write:
            count = write_answers(batches, wanted, answers, write, only=only)
    if not quiet:
        _remark(loaded, batches.names, count, out, only)
    return CHECK_FAILED if count.without else FINE


def batches_of(given: Given, sheet: str | None = None) -> Any:
    """The table in pieces."""
    from linscope.data.open_batches import FrameBatches, open_batches, slices

    if sheet is not None:
        return FrameBatches(slices(given.read(sheet)), given.name)
    if not given.built_in:
        return open_batches(given.word)
    from linscope.data.question import table_with_target

    return FrameBatches(slices(table_with_target(given.read())), given.name)


def check_out(out: Path | None, force: bool) -> None:
    """Refuse, before any work, a place that predictions may not go to."""
    if out is None or str(out) == STDIN:
        return
    if out.is_dir():
        raise BadInput(f"--out {out} is a folder: name a file in it")
    if not out.parent.is_dir():
        raise BadInput(f"--out {out}: there is no folder {out.parent}; make it first")
    if out.suffix.lower() in (".parquet", ".pq", ".arrow", ".feather", ".xlsx"):
        raise BadInput(f"--out {out}: predictions are written as CSV, so name it .csv")
    if out.exists() and not force:
        raise BadInput(f"{out} exists: name another with --out, or overwrite it with --force")


@contextmanager
def _sink(out: Path | None) -> Iterator[Callable[[bytes], Any]]:
    """Where UTF-8 text goes: a file that is complete or not there, or standard output."""
    if out is None or str(out) == STDIN:
        raw = getattr(sys.stdout, "buffer", None)
        if raw is None:
            yield lambda text: sys.stdout.write(text.decode())
        elif sys.stdout.isatty():
            yield lambda text: sys.stdout.write(printable(text.decode(), "\r\n\t"))
        else:
            sys.stdout.flush()
            yield raw.write
            raw.flush()
        return
    from linscope.display.files import complete_file

    with (
        complete_file(out) as temporary,
        open(temporary, "xb") as file,
    ):
        yield file.write


def _remark(loaded: Any, names: list[str], count: Any, out: Path | None, only: bool) -> None:
    """What a person should know, on standard error."""
    extra = loaded.extra(names)
    if extra:
        shown = ", ".join(extra[:8]) + (" …" if len(extra) > 8 else "")
        kept = "are left out" if only else "are kept as they are"
        complain(f"columns that the model does not know {kept}: {shown}")
    for words in loaded.unknown_words():
        complain(words)
    if count.without:
        complain(
            f"{count.without:,} of {count.rows:,} rows have a missing or infinite value and no "
            "prediction: fit with --missing impute, or fill them in"
        )
    if out is not None and str(out) != STDIN:
        complain(f"{count.rows:,} rows written to {out}")
