"""The commands put together, and the last word on errors and exit codes."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cyclopts import App, CycloptsError, UnknownCommandError

from linscope._version import __version__

from . import completion
from .errors import BAD_INPUT, CHECK_FAILED, FINE, INTERRUPTED, BadInput, one_line
from .options import in_options, options_of
from .screen import complain, console, prepare_streams
from .verbs import (
    bench,
    compare,
    datasets,
    diagnose,
    evaluate,
    examples,
    fit,
    playground,
    predict,
    separate,
    trace,
    verify,
    warm,
)

HELP = "Linear models that you can see step by step and trust by certificate."

USAGE = """\
Usage: linscope COMMAND [OPTIONS]

Examples:

  linscope compare my.csv --target churn   which linear model, how good, why; with a report
  linscope fit logistic my.csv --target churn --save m.linscope
  linscope predict m.linscope new.csv      predictions behind the columns of any table
  linscope evaluate m.linscope test.csv    how good they are
  linscope verify m.linscope my.csv        a model's certificate, checked independently
  linscope verify my-report.html my.csv    every number of a report, recomputed
  linscope trace perceptron or             every step of the lecture notes' OR table
  linscope playground                      draw points, and see every algorithm move
  linscope separate my.csv --target grade  is there a separating hyperplane? with proof
  linscope diagnose diabetes               a regression with its assumptions checked
  linscope examples                        the notes' printed runs against linscope
  linscope datasets                        what is built in
  linscope warm                            compile everything now: no first fit waits"""

EPILOGUE = """\
TABLE is a file (CSV, Parquet, Arrow, JSON lines, Excel, LIBSVM), a built-in name, or - (stdin).
Each command explains itself: linscope trace perceptron --help

Exit codes: 0 fine, 1 a check failed, 2 bad input. With --debug an internal error shows its
traceback."""

# Words that came first still work.
OLD_WORDS = {"--no-intercept": "--no-fit-intercept"}


VERBS = (
    compare,
    fit,
    predict,
    evaluate,
    verify,
    trace,
    separate,
    diagnose,
    playground,
    examples,
    datasets,
    warm,
    bench,
)


def build() -> App:
    """The application with all its commands."""
    app = App(
        name="linscope",
        help=HELP,
        usage=USAGE,
        help_epilogue=EPILOGUE,
        help_format="plaintext",
        version=f"linscope {__version__}",
        version_flags=["--version"],
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    for verb in VERBS:
        app.command(verb.app)
    completion.add_to(app)
    return app


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command; every ending becomes an exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words
    words = [OLD_WORDS.get(word, word) for word in words if word != "--debug"]
    prepare_streams()
    try:
        code = _call(words)
        sys.stdout.flush()
        return code
    except (Exception, KeyboardInterrupt) as error:
        if debug:
            traceback.print_exc()
        return _ending(error, words)


def _ending(error: BaseException, words: list[str]) -> int:
    """Say what went wrong, if there is anything to say, and choose the exit code."""
    match error:
        case BadInput():
            complain(_for_command(str(error), words))
            return BAD_INPUT
        case CycloptsError():
            complain(f"{_model_first(error) or one_line(error)} {_where_help_is(error)}")
            return BAD_INPUT
        case KeyboardInterrupt():
            return INTERRUPTED
        case BrokenPipeError():
            # The reader has gone (head, less). Nothing may be left to flush at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return FINE
        case OSError():
            complain(f"cannot read or write: {error.strerror or one_line(error)}")
            return BAD_INPUT
    what = f"{type(error).__name__}: {one_line(error)}"
    complain(f"internal error: {what}; run with --debug for the traceback and report it")
    return CHECK_FAILED


def _call(words: list[str]) -> int:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            code: Any = build()(
                words,
                console=console(),
                error_console=console(sys.stderr),
                exit_on_error=False,
                print_error=False,
                verbose=False,
            )
        finally:
            _report(caught, words)
    return code if isinstance(code, int) else FINE


def _for_command(message: str, words: list[str]) -> str:
    """What the library says of parameters, as options of the command that was called."""
    *_, command = build().parse_commands(words)[1]
    return in_options(message, options_of(command))


def _report(caught: list[warnings.WarningMessage], words: list[str]) -> None:
    """Show linscope's own warnings, once each; what a fit could not do, its certificate says."""
    from_linscope = [w for w in caught if "ConvergenceWarning" not in w.category.__name__]
    for text in dict.fromkeys(one_line(w.message) for w in from_linscope if _for_users(w)):
        complain(f"warning: {_for_command(text, words)}")


def _for_users(warning: warnings.WarningMessage) -> bool:
    return issubclass(warning.category, UserWarning | FutureWarning)


def _model_first(error: CycloptsError) -> str:
    """For a table in the place of a model; empty for every other error."""
    verb, word = (error.command_chain or ("",))[0], (error.unused_tokens or [""])[0]
    if not isinstance(error, UnknownCommandError) or verb not in ("fit", "trace"):
        return ""
    from linscope.data.datasets import names

    if not Path(word).is_file() and word not in names():
        return ""
    return (
        f"which model? It stands before the table, as in linscope {verb} logistic {word}; "
        f"linscope compare {word} tries them all"
    )


def _where_help_is(error: CycloptsError) -> str:
    chain = " ".join(error.command_chain or ())
    return f"(see linscope {chain} --help)" if chain else "(see linscope --help)"
