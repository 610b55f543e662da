"""How much a run may be: a page is for small data."""

from __future__ import annotations

POINTS, KERNEL_POINTS = 500, 200
FEATURES, CLASSES = 8, 3
# Bytes of a request; seconds of work on it.
BODY, SECONDS = 64 * 1024, 5.0
# Rows of the ledger that are sent at once.
ROWS = 300
# Passes of a rule: nobody steps through more.
PASSES = 2000
# Characters of a name.
NAME = 40
# Numbers beyond this have no picture.
LARGEST = 1e9
