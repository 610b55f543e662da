"""The rule that chooses a model, inside every outer fold and at the end.

The choice is the simplest candidate whose mean score is within the region of practical equivalence
(rope) of the best mean. The posterior of a difference is symmetric about its mean, so this is the
same as: the probability that the best one is better by more than the rope is at most one half.
Simplicity is a rank that is fixed beforehand; measured times have no part in it, so that the same
seed gives the same choice on every machine.

A baseline is the simplest of all: it is chosen only if nothing is better than it by more than the
rope. The reference, which is there to compare with, is never chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from linscope.validation.differences import LESS_IS_BETTER, ROUNDING

REFERENCES = frozenset({"boosting"})


def choose(
    scores: Mapping[str, Any],
    simplicity: Mapping[str, int],
    *,
    rope: float,
    metric: str,
    never: Collection[str] = REFERENCES,
) -> str:
    """Key of the simplest candidate that is practically equal to the best.

    Parameters
    ----------
    scores : dict of arrays
        For each candidate its score on the (inner) folds, or one mean.
    simplicity : dict of int
        Rank of each candidate, 0 is the simplest.
    rope : float
        Half the width of the region of practical equivalence, in units of the metric.
    metric : str
        Its name: of "rmse", "mae", "log_loss" and "brier" less is better.
    never : collection of str
        Keys that are not to be chosen and that nothing is measured against.

    Examples
    --------
    >>> scores = {"fisher": [0.90, 0.92], "svm-rbf": [0.91, 0.92], "boosting": [0.99, 0.99]}
    >>> ranks = {"fisher": 2, "svm-rbf": 11, "boosting": 12}
    >>> choose(scores, ranks, rope=0.01, metric="balanced_accuracy")
    'fisher'
    >>> choose(scores, ranks, rope=0.001, metric="balanced_accuracy")
    'svm-rbf'
    """
    short = shortfalls(scores, metric, never)
    near = [key for key, gap in short.items() if gap <= rope]
    return min(near, key=lambda key: (simplicity[key], short[key]))


def shortfalls(
    scores: Mapping[str, Any], metric: str, never: Collection[str] = REFERENCES
) -> dict[str, float]:
    """By how much the mean of each candidate falls short of the best mean, 0 or more.

    A shortfall is taken smaller by the rounding of the scores: 0.91 − 0.90 is not above 0.01.
    """
    sign = -1.0 if metric in LESS_IS_BETTER else 1.0
    means = {key: sign * float(np.mean(found)) for key, found in scores.items() if key not in never}
    bad = [key for key, mean in means.items() if not np.isfinite(mean)]
    if bad:
        raise ValueError(f"the scores of {bad[0]!r} are not finite: it cannot be judged")
    if not means:
        raise ValueError(
            "there is no model to choose from: none finished that can be judged by "
            f"{metric!r}; give more time or another metric"
        )
    best = max(means.values())
    slack = ROUNDING * max(map(abs, means.values()))
    return {key: max(0.0, best - mean - slack) for key, mean in means.items()}
