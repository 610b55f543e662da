"""Scores and probabilities: too good, badly calibrated, or a choice that changes from fold to fold.

Probabilities of held-out rows are put into ten bins with equal numbers of rows. In each bin the
share of positives has a Clopper–Pearson interval; at level 1 − 0.01/m for m bins all of them
contain the true shares in 99 % of all tables. A bin is off if the mean probability lies outside of
its interval, and by more than 0.02.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from scipy.special import betaincinv

from .fits import finished
from .registry import Found, rule
from .subject import Subject
from .words import listed, number, share

BINS, FEWEST_IN_BIN = 10, 20
MISTAKE, MATTERS = 0.01, 0.02
PERFECT = {
    "balanced_accuracy": 0.9995,
    "accuracy": 0.9995,
    "roc_auc": 0.9999,
    "f1": 0.9995,
    "r2": 0.9999,
}
STABLE_SHARE = 0.6


def clopper_pearson(count: int, trials: int, level: float) -> tuple[float, float]:
    """The interval for a share of which ``count`` of ``trials`` were seen.

    >>> low, high = clopper_pearson(10, 100, 0.95)  # Newcombe (1998) prints 0.0490, 0.1762
    >>> print(f"{low:.4f} {high:.4f}")
    0.0490 0.1762
    """
    tail = (1 - level) / 2
    low = betaincinv(count, trials - count + 1, tail) if count > 0 else 0.0
    high = betaincinv(count + 1, trials - count, 1 - tail) if count < trials else 1.0
    return float(low), float(high)


@rule(
    "LS301",
    "Scores are suspiciously perfect",
    "warning",
    "A model makes (nearly) no mistakes on held-out rows: that is rare, and often a feature "
    "knows the answer.",
)
def perfect(subject: Subject) -> Iterator[Found]:
    ranked = [c for c in finished(subject) if c.family != "baseline"]
    for name, least in PERFECT.items():
        best = [c for c in ranked if name in c.scores and c.scores[name].mean >= least]
        if best:
            titles = [c.title for c in best]
            yield Found(
                f"{name} of {listed(titles, 3)} on held-out rows is "
                f"{number(best[0].scores[name].mean)}. Few real questions are that easy; more "
                "often a column knows the answer, or test rows are in training too.",
                "Look at the columns with the largest weights and at LS101, LS121 and LS123 "
                "before you believe it.",
            )
            return


@rule(
    "LS302",
    "Probabilities are badly calibrated",
    "warning",
    "Among rows with a predicted probability of 0.8, not about 80 % are positive: do not use "
    "the probabilities as they are.",
)
def calibration(subject: Subject) -> Iterator[Found]:
    p = getattr(subject.fitted, "probabilities", None)
    if p is None or len(subject.classes) != 2:
        return
    p = np.asarray(p, dtype=np.float64)
    here = np.isfinite(p)
    found = badly_calibrated(p[here], subject.codes[here] == 1)
    if found:
        mean, rate, low, high, rows = max(found, key=lambda bin: abs(bin[0] - bin[1]))
        said = f"{len(found)} bin{'s' if len(found) > 1 else ''}"
        yield Found(
            f"In {said} of probabilities of held-out rows the share of {subject.classes[1]!r} is "
            f"not what was predicted. The worst: {mean:.2f} predicted on average, {rate:.2f} "
            f"seen in {rows:,} rows (between {low:.2f} and {high:.2f} with certainty "
            f"{share(1 - MISTAKE)} for all bins together).",
            "Use its classes, not its probabilities; or calibrate them (scikit-learn's "
            "CalibratedClassifierCV), or take logistic regression.",
        )


def badly_calibrated(
    p: np.ndarray, positive: np.ndarray
) -> list[tuple[float, float, float, float, int]]:
    """(mean probability, share of positives, low, high, rows) of each bin that is off."""
    m = min(BINS, len(p) // FEWEST_IN_BIN)
    if m < 1:
        return []
    found = []
    for rows in np.array_split(np.argsort(p, kind="stable"), m):
        count, mean = int(positive[rows].sum()), float(p[rows].mean())
        low, high = clopper_pearson(count, len(rows), 1 - MISTAKE / m)
        rate = count / len(rows)
        if not low <= mean <= high and abs(rate - mean) > MATTERS:
            found.append((mean, rate, low, high, len(rows)))
    return found


@rule(
    "LS303",
    "The choice of the model is not stable",
    "note",
    "Different folds chose different models: on other rows the recommendation could be another.",
)
def unstable(subject: Subject) -> Iterator[Found]:
    chosen = [getattr(c, "key", c) for c in getattr(subject.fitted, "choices", None) or ()]
    ranked = Counter(chosen).most_common()
    if not ranked or ranked[0][1] >= STABLE_SHARE * len(chosen):
        return
    titles = {c.key: c.title for c in subject.candidates}
    said = [f"{titles.get(key, key)} {times} times" for key, times in ranked]
    yield Found(
        f"{len(chosen)} folds chose {listed(said)}. The rows do not tell these models apart, so "
        "the recommendation could be another on other rows. The score of the whole procedure "
        "counts that in.",
        "Choose among them by cost and by what you can explain.",
    )
