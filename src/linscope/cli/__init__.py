"""The linscope command."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 fine, 1 a check failed, 2 bad input.

    Parameters
    ----------
    argv : list of str, optional
        The words after ``linscope``; those of this process by default.

    Examples
    --------
    >>> main(["--version"])
    linscope ...
    0
    """
    from .application import run

    return run(argv)
