"""How much a run may be, as a page is for small data, and what a page may ask.

Nothing is imported here: the server must be there before the models are.
"""

from __future__ import annotations

POINTS, KERNEL_POINTS = 500, 200
FEATURES, CLASSES = 8, 3
# Bytes of a request; seconds of work on it.
BODY, SECONDS = 64 * 1024, 5.0
# Rows of the ledger that are sent at once.
ROWS = 300
# Passes of a rule: nobody steps through more.
PASSES = 2000
# What a page may ask by POST.
QUESTIONS = ("fit", "ledger", "everyone", "sample", "table")
# Characters of a name.
NAME = 40
# Numbers beyond this have no picture.
LARGEST = 1e9


TOO_LONG = f"this takes longer than {SECONDS:g} s: use fewer points or passes"


class BadSpec(ValueError):
    """A request that cannot be run; its text is for the person at the page."""
