"""Names, rows and numbers in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SHOWN = 4


def listed(items: Sequence[str], most: int = SHOWN) -> str:
    """At most so many items, and how many more there are.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(list("abcdef"))
    ('a', 'a, b and c', 'a, b, c, d and 2 more')
    """
    items = list(items)
    if len(items) > most:
        return f"{', '.join(items[:most])} and {len(items) - most:,} more"
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def counted(count: int, word: str, plural: str | None = None) -> str:
    """``1 row``, ``1,200 rows``, ``2 classes``."""
    return f"{count:,} {word if count == 1 else plural or word + 's'}"


def rows_named(rows: Sequence[int] | np.ndarray) -> str:
    """``row 17`` or ``rows 3, 17 and 20``."""
    return f"{'row' if len(rows) == 1 else 'rows'} {listed([str(int(row)) for row in rows])}"


def share(part: float, whole: float = 1.0) -> str:
    """In per cent, with one digit after the point.

    >>> share(19, 20), share(1, 3), share(0.00012), share(0.9999)
    ('95 %', '33.3 %', '0.012 %', '99.99 %')
    """
    value = 100 * part / whole
    distance = min(value, 100 - value)
    if 0 < distance < 0.1:
        text = f"{value:.2g}" if value < 50 else f"{value:.4g}"
    else:
        text = f"{value:.1f}".removesuffix(".0")
    return f"{text} %"


def number(value: float) -> str:
    """Six digits at most, with the true minus sign."""
    return f"{value:.6g}".replace("-", "−")


def between(low: float, high: float) -> str:
    """A short number c near the middle with low < c < high; low itself if there is none.

    >>> between(1000.0, 1001.0), between(3.1, 2e6), between(1.0, 1.0 + 2**-52)
    ('1000.5', '1000000', '1.0')
    """
    middle = float(low) / 2 + float(high) / 2
    for digits in range(2, 18):
        cut = float(f"{middle:.{digits}g}")
        if low < cut < high:
            return f"{cut:.15g}".replace("-", "−") if digits < 15 else repr(cut)
    return repr(float(low)).replace("-", "−")
