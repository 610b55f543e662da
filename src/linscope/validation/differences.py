"""Differences between models that were scored on the same folds.

Folds share training rows, so their scores are not independent, and sd/√J is too small for the
standard error of a mean over J of them. Nadeau and Bengio (2003, Machine Learning 52) correct it:

    se² = s² (1/J + n_test/n_train),   t = mean / se  with J − 1 degrees of freedom,

where s² = Σ (d_j − mean)² / (J − 1), and n_test, n_train are the rows of a fold. For folds that are
repeated J counts all of them (Bouckaert and Frank, 2004).

The Bayesian correlated t-test (Benavoli, Corani, Demšar and Zaffalon, 2017, JMLR 18) has the
posterior

    difference ~ mean + √(s² (1/J + ρ/(1 − ρ))) · Student t(J − 1),   ρ = n_test/(n_train + n_test).

As ρ/(1 − ρ) = n_test/n_train, its scale is the same se. With a region of practical equivalence
(rope) of half width r,

    P(better) = P(difference > r),  P(worse) = P(difference < −r),  P(equal) = what remains.

Holm's step-down correction of m values p₁ ≤ … ≤ p_m:

    p̃_i = max over k ≤ i of min(1, (m − k + 1) p_k).

Differences are turned so that positive means better, whatever the metric. Those that are mere
rounding of the scores count as 0: models that are the same up to rounding are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

# Metrics of which less is better.
LESS_IS_BETTER = frozenset({"log_loss", "brier", "rmse", "mae"})
# A score is a quotient of sums: a few units in its last place are rounding.
ROUNDING = 8 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Difference:
    """Candidate ``a`` minus candidate ``b`` in the metric; positive means that ``a`` is better.

    low, high : of the corrected interval; p, p_holm : two-sided, before and after Holm's correction
    better, equal, worse : probabilities that a is better than b by more than the rope, within it,
        or worse by more (they add up to 1)
    """

    a: str
    b: str
    mean: float
    low: float
    high: float
    p: float
    p_holm: float
    better: float
    equal: float
    worse: float


class Pair(NamedTuple):
    """Scores a minus scores b: mean, corrected interval, t, two-sided p, three probabilities."""

    mean: float
    low: float
    high: float
    t: float
    p: float
    better: float
    equal: float
    worse: float


def corrected_interval(
    values: Any, train: float, test: float, level: float = 0.95
) -> tuple[float, float, float]:
    """Mean of scores over folds, and the ends of its corrected interval.

    Parameters
    ----------
    values : array-like of shape (J,)
        The score of each fold, of all repeats.
    train, test : float
        Rows of a fold, on average.
    level : float

    Examples
    --------
    >>> mean, low, high = corrected_interval([0.8, 0.9, 0.7, 0.8], train=75, test=25)
    >>> round(mean, 3), round(low, 3), round(high, 3)
    (0.8, 0.602, 0.998)
    """
    scores = _read(values, "values")
    width = _width(len(scores), train, test)
    power = _power(scores)
    mean, error = _mean_and_error(np.ldexp(scores, -power), width)
    reach = _reach(len(scores), level) * error
    mean, low, high = np.ldexp([mean, mean - reach, mean + reach], power)
    return float(mean), float(low), float(high)


def compare_pair(
    a_values: Any,
    b_values: Any,
    *,
    train: float,
    test: float,
    rope: float = 0.0,
    level: float = 0.95,
) -> Pair:
    """Corrected t-test of paired scores, and the probabilities of better, equal and worse.

    Parameters
    ----------
    a_values, b_values : array-like of shape (J,)
        Scores of two models on the same folds; more is better.
    train, test : float
        Rows of a fold, on average.
    rope : float
        Half the width of the region of practical equivalence.
    level : float
        Of the interval.

    Examples
    --------
    >>> pair = compare_pair([0.9, 0.8, 0.8], [0.7, 0.7, 0.8], train=20, test=10, rope=0.01)
    >>> round(pair.mean, 3), round(pair.t, 3), round(pair.p, 3)
    (0.1, 1.095, 0.388)
    >>> round(pair.better, 3), round(pair.equal, 3), round(pair.worse, 3)
    (0.786, 0.038, 0.176)
    """
    a, b = _read(a_values, "a_values"), _read(b_values, "b_values")
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} scores: both models need one for each fold")
    if not rope >= 0 or np.isinf(rope):
        raise ValueError(f"rope={rope}: the region of practical equivalence must be 0 or more")
    J, width = len(a), _width(len(a), train, test)
    power = _power(a, b)
    mean, error = _mean_and_error(_paired(np.ldexp(a, -power), np.ldexp(b, -power)), width)
    reach = _reach(J, level) * error
    t, better, worse = _judged(mean, error, float(np.ldexp(rope, -power)), J - 1)
    p = min(1.0, 2 * float(stdtr(J - 1, -abs(t))))
    equal = max(0.0, 1 - better - worse)
    ends = np.ldexp([mean, mean - reach, mean + reach], power).tolist()
    return Pair(ends[0], ends[1], ends[2], t, p, better, equal, worse)


def holm(p_values: Any) -> np.ndarray:
    """Holm's step-down correction of p-values, in the order given.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03, 0.005]).round(3).tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise ValueError(f"p-values are numbers from 0 to 1, got {p_values!r}")
    order = np.argsort(p, kind="stable")
    steps = np.minimum(1.0, p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.maximum.accumulate(steps)
    return corrected


def differences(candidates: Sequence[Any], plan: Any) -> tuple[Difference, ...]:
    """All pairs of finished candidates that have the plan's metric, the better one first.

    Pairs are in the order of the means, the best candidate's first; of equal means the simpler
    candidate is first. Holm's correction is over all pairs.
    """
    ranked = ranking(candidates, plan.metric)
    sign = -1.0 if plan.metric in LESS_IS_BETTER else 1.0
    scores = {one.key: sign * np.asarray(one.scores[plan.metric].folds) for one in ranked}
    rules = {"train": plan.train, "test": plan.test, "rope": plan.rope, "level": plan.level}
    keys = list(combinations(scores, 2))
    pairs = [compare_pair(scores[a], scores[b], **rules) for a, b in keys]
    corrections = holm([pair.p for pair in pairs])
    return tuple(
        Difference(
            a=a,
            b=b,
            mean=pair.mean,
            low=pair.low,
            high=pair.high,
            p=pair.p,
            p_holm=float(corrected),
            better=pair.better,
            equal=pair.equal,
            worse=pair.worse,
        )
        for (a, b), pair, corrected in zip(keys, pairs, corrections, strict=True)
    )


def ranking(candidates: Sequence[Any], metric: str) -> list[Any]:
    """Finished candidates that have the metric, the best first; of equals the simpler one."""
    sign = -1.0 if metric in LESS_IS_BETTER else 1.0
    judged = [one for one in candidates if one.state == "finished" and metric in one.scores]
    return sorted(judged, key=lambda one: (-sign * one.scores[metric].mean, one.simplicity))


def _read(values: Any, name: str) -> np.ndarray:
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 1:
        raise ValueError(f"{name} must be one score for each fold, got shape {scores.shape}")
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        raise ValueError(f"{name}[{bad[0]}] is {scores[bad[0]]}: every fold needs a finite score")
    if len(scores) < 2:
        raise ValueError(
            f"{name} has {len(scores)} score{'s' * (len(scores) != 1)}: the spread over folds "
            "needs at least 2 of them; use more folds or repeats"
        )
    return scores


def _width(J: int, train: float, test: float) -> float:
    """√(1/J + n_test/n_train), never √(1/J) alone."""
    if not (train > 0 and test > 0 and np.isfinite(train) and np.isfinite(test)):
        raise ValueError(f"train={train}, test={test}: both must be counts of rows above 0")
    return float(np.sqrt(1 / J + test / train))


def _reach(J: int, level: float) -> float:
    """How many standard errors the interval reaches to each side."""
    if not 0 < level < 1:
        raise ValueError(f"level={level}: the interval's level is between 0 and 1, such as 0.95")
    return float(stdtrit(J - 1, (1 + level) / 2))


def _power(*values: np.ndarray) -> int:
    """Divided by 2 to this power, nothing is above 1: squares neither overflow nor vanish."""
    return int(np.frexp(max(np.abs(one).max() for one in values))[1])


def _paired(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a − b, where a difference that is only rounding is 0."""
    found = a - b
    found[np.abs(found) <= ROUNDING * np.maximum(np.abs(a), np.abs(b))] = 0.0
    # Equal differences of unequal scores, such as 0.9 − 0.8 and 0.8 − 0.7.
    if np.ptp(found) <= ROUNDING * max(np.abs(a).max(), np.abs(b).max()):
        found[:] = found[0]
    return found


def _mean_and_error(values: np.ndarray, width: float) -> tuple[float, float]:
    if np.all(values == values[0]):
        return float(values[0]), 0.0
    return float(values.mean()), float(values.std(ddof=1)) * width


def _judged(mean: float, error: float, rope: float, df: int) -> tuple[float, float, float]:
    """t, P(better), P(worse); without any spread they are certain."""
    if error == 0:
        slack = rope * (1 + ROUNDING) + ROUNDING
        t = np.inf * np.sign(mean) if mean else 0.0
        return float(t), float(mean > slack), float(mean < -slack)
    better, worse = stdtr(df, [(mean - rope) / error, (-rope - mean) / error])
    return mean / error, float(better), float(worse)
