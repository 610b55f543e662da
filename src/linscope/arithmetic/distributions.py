"""Tails and quantiles of the distributions behind the tests.

The functions of ``scipy.special`` are used directly: ``scipy.stats`` takes long to import.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special


def two_sided(t: Any, df: float) -> Any:
    """P(|T| ≥ |t|) for Student's t, with all digits near 0 and far out in the tails.

        P = I_{df/(df + t²)}(df/2, 1/2) = 1 − I_{t²/(df + t²)}(1/2, df/2)

    >>> round(float(two_sided(2.0, 10)), 6)
    0.073388
    """
    size = np.abs(np.asarray(t, dtype=np.float64))
    with np.errstate(over="ignore"):  # t² = inf is a tail of 0
        share = df / (df + size * size)
    near = np.minimum(size, np.sqrt(df)) ** 2
    inside = special.betaincc(0.5, df / 2, near / (df + near))
    return np.where(size < np.sqrt(df), inside, special.betainc(df / 2, 0.5, share))


def t_quantile(level: float, df: float) -> float:
    """t with P(|T| ≤ t) = ``level``.

    >>> round(t_quantile(0.95, 10), 6)
    2.228139
    """
    return float(special.stdtrit(df, (1 + level) / 2))


def f_tail(statistic: float, df1: float, df2: float) -> float:
    """P(F ≥ statistic).

    >>> round(f_tail(4.0, 1, 10), 6)  # a square of t = 2
    0.073388
    """
    return float(special.fdtrc(df1, df2, max(statistic, 0.0)))


def chi2_tail(statistic: float, df: float) -> float:
    """P(χ² ≥ statistic).

    >>> round(chi2_tail(3.841459, 1), 6)
    0.05
    """
    return float(special.chdtrc(df, max(statistic, 0.0)))


def check_level(level: Any) -> float:
    """A confidence level strictly between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.number):
        raise TypeError(f"level must be a number between 0 and 1, got {level!r}")
    if not 0 < level < 1:
        hint = f": for {level} % say {level / 100:g}" if 1 < level < 100 else ", such as 0.95"
        raise ValueError(f"level must be between 0 and 1, got {level!r}{hint}")
    return float(level)


def ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a/b with ±∞ for a/0 and NaN for 0/0, without warnings.

    >>> ratio(np.array([1.0, -1.0, 0.0]), np.zeros(3))
    array([ inf, -inf,  nan])
    """
    out = np.where(a == 0, np.nan, np.copysign(np.inf, a))
    return np.divide(a, b, out=out, where=b > 0)
