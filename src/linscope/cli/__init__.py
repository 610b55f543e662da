"""The linscope command."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]

# With these words the playground ends at once.
NOTHING_SERVED = {"--export", "--help", "-h", "--version"}


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
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["playground"] and not NOTHING_SERVED.intersection(words):
        from linscope.web.hosts.work import start_early

        start_early()  # its process imports the models while this one imports the commands
    from .application import run

    return run(words)
