"""``linscope fit``: one model, fitted to a table, with its certificate; kept in a file if asked."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Group, Parameter

from ..errors import FINE, BadInput, input_errors
from ..fresh.models import MODEL, MODELS, ModelOptions, class_of, options_of
from ..json_document import print_json
from ..options import Flag, Json, Quiet
from ..screen import console, progress_bars
from ..tables.options import AskedOfColumns, AskedOfTable, DataFile, TableName
from ..tables.table import Given, given_table

USAGE = """\
Usage: linscope fit MODEL TABLE --target COLUMN [OPTIONS]

Examples:

  linscope fit logistic churn                              a built-in table
  linscope fit logistic my.csv --target churn --C 0.1 --scale --save m.linscope
  linscope fit ridge my.parquet --target price --alpha 10 --missing impute
  linscope fit svm my.csv --target grade --kernel poly --degree 2 --C inf
  cat my.csv | linscope fit fisher - --target grade --json"""
EPILOGUE = """\
Options of a model are the parameters of its class: linscope fit logistic --help

Exit codes: 0 fine, 2 bad input. If a fit did not reach its tolerance, its certificate
says so."""
SUB_USAGE = """\
Usage: linscope fit {key} TABLE --target COLUMN [OPTIONS]

Examples:

  linscope fit {key} {some}
  linscope fit {key} my.csv --target {target} --scale --save m.linscope"""
NUMBERS = ("regression", "ridge", "huber")
OUTPUT = Group("Output", sort_key=2)

app = App(
    name="fit",
    usage=USAGE,
    help="Fit a model to a table, say its rule and what is proven of it, and keep it in a file.",
    help_epilogue=EPILOGUE,
    help_format="plaintext",
)
for _key, _model in MODELS.items():
    app.command(
        f"{__name__}:{_model.name}",
        name=_key,
        alias=_model.name,
        help=_model.words,
        sort_key=list(MODELS).index(_key),
    )


@Parameter(name="*", group=OUTPUT)
@dataclass(frozen=True, kw_only=True)
class Writing:
    """What is written, and what is said."""

    save: Annotated[
        Path | None, Parameter(help="File to keep the model in: m.linscope.", negative=())
    ] = None
    force: Annotated[Flag, Parameter(help="Overwrite a file that is no model.")] = False
    checkpoint: Annotated[
        Path | None,
        Parameter(
            help="File in which a fit writes down how far it is; the same command goes on after a "
            "crash. The table is read in batches.",
            negative=(),
        ),
    ] = None
    json: Annotated[Json, Parameter(group=OUTPUT)] = False
    quiet: Annotated[Quiet, Parameter(group=OUTPUT)] = False


Scale = Annotated[
    bool,
    Parameter(
        group=MODEL,
        help="Give every column of numbers mean 0 and variance 1 first.",
        negative=(),
        show_default=False,
    ),
]


def __getattr__(name: str) -> App:
    """The command of a model, made when it is called for: the models take a while to import."""
    keys = [key for key, model in MODELS.items() if model.name == name]
    if not keys:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = command(keys[0])
    globals()[name] = made
    return made


def command(key: str) -> App:
    """``linscope fit KEY`` with the parameters of the model as options."""
    cls = class_of(key)
    options_class = options_of(cls)

    def fit(
        table: TableName = None,
        /,
        *,
        file: DataFile = None,
        asked: Any = None,
        scale: Scale = False,
        options: Any = None,
        writing: Writing | None = None,
    ) -> int:
        return run(key, table, file, asked, scale, options or options_class(), writing)

    numbers = key in NUMBERS
    fit.__annotations__["options"] = options_class | None
    fit.__annotations__["asked"] = (AskedOfColumns if numbers else AskedOfTable) | None
    some, target = ("diabetes", "price") if numbers else ("iris", "grade")
    usage = SUB_USAGE.format(key=key, some=some, target=target)
    summary = (cls.__doc__ or "").split("\n\n")[0].strip().replace("``", "")
    made = App(
        name=key,
        usage=usage,
        help=MODELS[key].words,
        help_epilogue=f"In Python linscope.{cls.__name__}. {summary}",
        help_format="plaintext",
    )
    made.default(fit)
    return made


def run(
    key: str,
    table: str | None,
    file: Path | None,
    asked: AskedOfColumns | None,
    scale: bool,
    options: ModelOptions,
    writing: Writing | None,
) -> int:
    """Read, fit, keep, say."""
    from ..fresh import fitted as words
    from ..fresh import streamed
    from ..fresh.fitting import about, ask, command_of, fit_pipeline

    asked, writing = asked or AskedOfTable(), writing or Writing()
    given = given_table(table, file)
    path = check_model_path(writing.save, force=writing.force)
    said = command_of(key, given.word, asked, options, scale)
    if streamed.too_large(given) or writing.checkpoint is not None:
        return run_streamed(key, given, asked, scale, options, writing, path, said)
    with input_errors(also=(TypeError,)):
        question = ask(given.read(asked.sheet), asked, key, given.name)
        with nullcontext() if writing.quiet else progress_bars():
            fitted = fit_pipeline(question, key, options, scale=scale)
    facts = about(fitted, given.name, said)
    saved = None if path is None else str(path)
    if path is not None:
        from linscope.persist import save

        with input_errors(also=(TypeError,)):
            save(fitted.pipeline, path, about=facts)
    if writing.json:
        print_json(words.document(fitted, facts, saved))
    else:
        after = [] if writing.quiet else words.what_next(saved, given.word, said)
        words.show(console(), fitted, after)
    return FINE


def run_streamed(
    key: str,
    given: Given,
    asked: AskedOfColumns,
    scale: bool,
    options: ModelOptions,
    writing: Writing,
    path: Path | None,
    said: str,
) -> int:
    """The same for a table that does not fit in memory."""
    from ..fresh.fitted import what_next
    from ..fresh.streamed import fit_streamed, with_checkpoint

    saved = None if path is None else str(path)
    place = writing.checkpoint
    with input_errors(also=(TypeError, ImportError)), with_checkpoint(given, place):
        how = {"scale": scale, "quiet": writing.quiet, "save": path is not None}
        fitted = fit_streamed(key, given, asked, options, said, **how)
        if path is not None:
            from linscope.persist import save

            save(fitted.model, path, about=fitted.about())
    if writing.json:
        print_json(fitted.document(saved))
    else:
        word = given.word if saved is None else "-"  # verify reads tables that fit in memory
        fitted.show(console(), [] if writing.quiet else what_next(saved, word, said))
    return FINE


def check_model_path(path: Path | None, *, force: bool) -> Path | None:
    """Refuse, before any work, a place where no model may be kept."""
    if path is None:
        return None
    if path.is_dir():
        raise BadInput(f"--save {path} is a folder: name a file in it, such as {path}/m.linscope")
    if not path.parent.is_dir():
        raise BadInput(f"--save {path}: there is no folder {path.parent}; make it first")
    if path.exists() and not force and not _is_model(path):
        raise BadInput(
            f"{path} exists and is no model of linscope: name another with --save, or overwrite it "
            "with --force"
        )
    return path


def _is_model(path: Path) -> bool:
    from linscope.persist import read_about

    try:
        read_about(path)
    except (ValueError, OSError):
        return False
    return True
