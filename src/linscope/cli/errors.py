"""What can go wrong on the command line, and how a library error becomes a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

FINE, CHECK_FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
EXIT_CODES = "Exit codes: 0 fine, 1 a check failed, 2 bad input."


class BadInput(Exception):
    """The message says what is wrong with the input and what to do."""


@contextmanager
def input_errors(also: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Where the library checks what the user gave it, its errors are about the input."""
    about_input: tuple[type[Exception], ...] = (ValueError, OSError, ImportError, *also)
    try:
        yield
    except BrokenPipeError:  # the reader of the output has gone, the input is fine
        raise
    except about_input as error:
        raise BadInput(one_line(error)) from error
    except MemoryError as error:
        raise BadInput(f"not enough memory: {one_line(error)}") from error


def one_line(error: BaseException | str) -> str:
    """The message of an error or warning without line breaks."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__
