"""``linscope evaluate``: how well a saved model predicts rows whose answers are known."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter, validators

from ..errors import CHECK_FAILED, FINE, BadInput, input_errors
from ..json_document import print_json
from ..options import Json, Quiet
from ..screen import complain, console, facts, lead, paragraph
from ..tables.options import DATA, DataFile, TableName
from ..tables.table import STDIN, Given, given_table
from .predict import Sheet, batches_of

if TYPE_CHECKING:
    import numpy as np

USAGE = """\
Usage: linscope evaluate MODEL TABLE [OPTIONS]

Examples:

  linscope evaluate m.linscope test.csv
  linscope evaluate m.linscope test.csv --positive no --level 0.9
  linscope evaluate m.linscope test.parquet --json"""
EPILOGUE = "Exit codes: 0 fine, 1 some rows lack a value and are not judged, 2 bad input."

app = App(name="evaluate", usage=USAGE, help_epilogue=EPILOGUE, help_format="plaintext")
PROBABILITY = validators.Number(gt=0, lt=1)


@app.default
def evaluate(
    model: Annotated[Path, Parameter(help="A file that linscope fit --save has written.")],
    table: TableName = None,
    /,
    *,
    file: DataFile = None,
    target: Annotated[
        str | None, Parameter(group=DATA, help="Column with the answers; as fitted by default.")
    ] = None,
    positive: Annotated[
        str | None, Parameter(group=DATA, help="Of two classes the one looked for.")
    ] = None,
    level: Annotated[float, Parameter(help="Of the intervals.", validator=PROBABILITY)] = 0.95,
    sheet: Sheet = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Judge a saved model by the rows of a table whose answers are known.

    For classes the confusion matrix, rates with exact (Clopper–Pearson)
    intervals and, where the model gives probabilities, curves and losses; for
    numbers RMSE, MAE and R².
    """
    from linscope.data.batches import no_collecting

    from ..saved.judged import document, intervals, judge
    from ..saved.model_file import read_model

    given = given_table(table, file)
    loaded = read_model(model)
    with no_collecting(), input_errors(also=(TypeError,)):
        found = judge(loaded, batches_of(given, sheet), given.name, target, positive)
    trained = _is_training_table(loaded, given, found.rows, sheet)
    if json:
        print_json(document(found, loaded, level, trained))
    else:
        out = console()
        lead(out, f"{loaded.path.name} on {given.name}:", f"{found.judged:,} rows judged", "bold")
        if trained:
            seen = "These are the rows that it was fitted to: new rows usually fare worse."
            paragraph(out, seen, style="yellow")
        out.print()
        if found.evaluation is not None:
            out.print(str(found.evaluation).partition("\n\n")[2], soft_wrap=True)
            out.print()
        facts(out, intervals(found, level))
    if not quiet:
        for words in [*loaded.unknown_words(), *found.remarks]:
            complain(words)
    return CHECK_FAILED if found.without else FINE


def _is_training_table(loaded: Any, given: Given, rows: int, sheet: str | None) -> bool:
    """Whether it is the very table of the fit; looked at only if it has as many rows."""
    if given.word == STDIN or rows != loaded.about.get("rows"):
        return False
    from ..saved.checking import hash_of

    with input_errors(also=(TypeError,)):
        return hash_of(loaded, given.read(sheet))[0] == loaded.about.get("sha256")


def scores_of(y: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    """RMSE, MAE and R² (NaN where the answers do not vary)."""
    if not len(y):
        raise BadInput("there is no row to judge by")
    residual = y - predicted
    spread = float(((y - y.mean()) ** 2).sum())
    r2 = 1 - float((residual**2).sum()) / spread if spread else float("nan")
    return {
        "rmse": math.sqrt((residual**2).mean()),
        "mae": float(abs(residual).mean()),
        "r2": r2,
    }
