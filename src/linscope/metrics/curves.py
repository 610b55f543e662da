"""Everything that depends on the order of the scores, from one sort.

With t_1 > t_2 > … the distinct scores, and "score ≥ t" meaning positive,

    tps[i], fps[i] = number (or weight) of positives and negatives with score ≥ t_i

    ROC curve            (fps/N, tps/P) from (0, 0); AUC is the area under it, the chance that a
                         positive scores higher than a negative, ties counted half
    precision and recall tps/(tps + fps), tps/P; average precision is Σ precision·Δrecall
    calibration          in each bin of scores: mean score against the share of positives
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linscope._compiling import kernel
from linscope.data.suggest import did_you_mean
from linscope.rows.threads import Workers

from .rates import divide

RULES = ("youden", "f1", "cost")


@dataclass(frozen=True, eq=False)
class ScoreCurve:
    """Counts at every threshold, from the highest score down.

    Attributes
    ----------
    thresholds : distinct scores, falling
    tps, fps : positives and negatives with a score at least that high
    """

    thresholds: np.ndarray
    tps: np.ndarray
    fps: np.ndarray

    @property
    def positives(self) -> float:
        return float(self.tps[-1])

    @property
    def negatives(self) -> float:
        return float(self.fps[-1])

    @property
    def roc_auc(self) -> float:
        tps, fps = np.r_[0.0, self.tps], np.r_[0.0, self.fps]
        area = float(np.diff(fps) @ (tps[1:] + tps[:-1])) / 2
        return divide(area, self.positives * self.negatives)

    @property
    def average_precision(self) -> float:
        """Σ precision·Δrecall; like sklearn, no straight lines between the points."""
        gained = np.diff(self.tps, prepend=0.0)
        return divide(float(gained @ divide(self.tps, self.tps + self.fps)), self.positives)

    def roc_curve(self, drop_intermediate: bool = True) -> tuple[np.ndarray, ...]:
        """fpr, tpr and thresholds; the first threshold is ∞, where nothing is positive."""
        tps, fps, thresholds = self.tps, self.fps, self.thresholds
        if drop_intermediate and len(tps) > 2:
            corner = np.r_[True, (np.diff(fps, 2) != 0) | (np.diff(tps, 2) != 0), True]
            tps, fps, thresholds = tps[corner], fps[corner], thresholds[corner]
        fpr, tpr = divide(fps, self.negatives), divide(tps, self.positives)
        return np.r_[0.0, fpr], np.r_[0.0, tpr], np.r_[np.inf, thresholds]

    def precision_recall_curve(self) -> tuple[np.ndarray, ...]:
        """precision, recall and rising thresholds; the last point is (1, 0), without threshold."""
        precision = divide(self.tps, self.tps + self.fps)
        recall = divide(self.tps, self.positives)
        return np.r_[precision[::-1], 1.0], np.r_[recall[::-1], 0.0], self.thresholds[::-1].copy()

    def calibration_curve(self, n_bins: int) -> tuple[np.ndarray, ...]:
        """Share of positives, mean score and weight of each bin that is not empty."""
        edges = np.linspace(0.0, 1.0, n_bins + 1)[1:-1]
        bins = np.searchsorted(edges, self.thresholds)
        positive = np.diff(self.tps, prepend=0.0)
        weight = positive + np.diff(self.fps, prepend=0.0)
        total = np.bincount(bins, weight, n_bins)
        inside = total > 0
        true = np.bincount(bins, positive, n_bins)[inside] / total[inside]
        mean = np.bincount(bins, weight * self.thresholds, n_bins)[inside] / total[inside]
        return true, mean, total[inside]

    def reversed(self, probabilities: bool) -> ScoreCurve:
        """The curve of the other class, whose scores are 1 − p, or −score."""
        falling = (1.0 - self.thresholds if probabilities else -self.thresholds)[::-1]
        tps = self.negatives - np.r_[0.0, self.fps[:-1]][::-1]
        fps = self.positives - np.r_[0.0, self.tps[:-1]][::-1]
        return ScoreCurve(falling, tps, fps)

    def counts_at(self, threshold: float) -> tuple[float, float]:
        """TP and FP if a score of at least ``threshold`` means positive."""
        above = int(np.searchsorted(-self.thresholds, -threshold, side="right"))
        return (float(self.tps[above - 1]), float(self.fps[above - 1])) if above else (0.0, 0.0)

    def best_threshold(self, rule: str, cost_fp: float, cost_fn: float) -> float:
        """The threshold of least cost, the highest of equals; ∞ if nothing should be positive."""
        tps, fps = np.r_[0.0, self.tps], np.r_[0.0, self.fps]
        costs = {
            "youden": lambda: divide(fps, self.negatives) - divide(tps, self.positives),
            "f1": lambda: -divide(2 * tps, tps + fps + self.positives),
            "cost": lambda: cost_fp * fps + cost_fn * (self.positives - tps),
        }
        if rule not in costs:
            known = ", ".join(map(repr, RULES))
            raise ValueError(
                f"rule={rule!r} is unknown{did_you_mean(rule, RULES)} Known are {known}"
            )
        if not (self.positives and self.negatives):
            raise ValueError("a threshold needs samples of both classes, and there is only one")
        return float(np.r_[np.inf, self.thresholds][int(np.argmin(costs[rule]()))])


def rank(scores: np.ndarray, positive: np.ndarray, weight: Any = None) -> ScoreCurve:
    """Sort the scores and count positives and negatives from the highest down.

    >>> curve = rank(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, False, False]))
    >>> curve.tps, curve.fps, curve.roc_auc
    (array([1., 2., 2.]), array([0., 1., 2.]), 0.875)
    """
    if weight is not None:
        return _rank_weighted(scores, positive, weight)
    # Numbers sort ten times faster than their order can be found, so each class is sorted alone.
    above, below = Workers().map(np.sort, (scores[positive], scores[~positive]))
    out = np.empty((3, len(scores)))
    size = _merge(above, below, out)
    # Few distinct scores need not keep the room for many.
    return ScoreCurve(*(out[:, :size].copy() if 2 * size < len(scores) else out[:, :size]))


def _rank_weighted(scores: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> ScoreCurve:
    used = weight > 0
    scores, positive, weight = scores[used], positive[used], weight[used]
    order = np.argsort(-scores, kind="stable")
    scores, positive, weight = scores[order], positive[order], weight[order]
    last = np.r_[np.flatnonzero(np.diff(scores)), len(scores) - 1]
    tps = np.cumsum(np.where(positive, weight, 0.0))[last]
    fps = np.cumsum(np.where(positive, 0.0, weight))[last]
    return ScoreCurve(scores[last].astype(np.float64), tps, fps)


@kernel
def _merge(above, below, out):
    """Walk down two rising arrays; rows of ``out``: distinct values, how many of each so far."""
    i, j, size = len(above) - 1, len(below) - 1, 0
    while i >= 0 or j >= 0:
        value = above[i] if j < 0 or (i >= 0 and above[i] >= below[j]) else below[j]
        while i >= 0 and above[i] == value:
            i -= 1
        while j >= 0 and below[j] == value:
            j -= 1
        out[0, size] = value
        out[1, size] = len(above) - 1 - i
        out[2, size] = len(below) - 1 - j
        size += 1
    return size
