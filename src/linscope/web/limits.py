"""How much a run may be, as a page is for small data, and what a page may ask.

Nothing of linscope is imported here: the server must be there before the models are.
"""

from __future__ import annotations

from typing import Any

POINTS, KERNEL_POINTS = 500, 200
FEATURES, CLASSES = 8, 3
# Bytes of a request, and of one with a table; seconds of work on it.
BODY, TABLE, SECONDS = 64 * 1024, 4 * 1024 * 1024, 5.0
# Rows of the ledger, and states after them, that are sent at once.
ROWS = 300
# States of the whole run, evenly spread, for paths and curves.
OVERVIEW = 400
# Passes of a rule: nobody steps through more.
PASSES = 2000
# What a page may ask by POST.
QUESTIONS = ("fit", "ledger", "everyone", "sample", "table")
# Lists and objects inside each other.
DEPTH = 8
# Characters of a name.
NAME = 40
# Squares of numbers beyond this leave the range of floats.
LARGEST = 1e140


TOO_LONG = f"this takes longer than {SECONDS:g} s: use fewer points or passes"


class BadSpec(ValueError):
    """A request that cannot be run; its text is for the person at the page."""


def check_request(body: Any, depth: int = DEPTH) -> None:
    """Refuses what could not be passed on or sent back."""
    if isinstance(body, str):
        half = next((sign for sign in body if "\ud800" <= sign <= "\udfff"), None)
        if half is not None:
            raise BadSpec(f"a text has U+{ord(half):04X}, half of a surrogate pair: remove it")
    elif isinstance(body, dict | list):
        if depth == 0:
            raise BadSpec(f"the request has more than {DEPTH} lists or objects inside each other")
        for each in [*body, *body.values()] if isinstance(body, dict) else body:
            check_request(each, depth - 1)
