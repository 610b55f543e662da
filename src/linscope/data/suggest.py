"""Did you mean …?"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A clause for an error message that names the known word nearest to ``word``, or nothing.

    >>> did_you_mean("studens", ["or", "xor", "students"])
    "; did you mean 'students'?"
    """
    known = list(known)
    lower = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), lower, n=1)
    return f"; did you mean {lower[near[0]]!r}?" if near else ""
