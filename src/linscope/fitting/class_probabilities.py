"""Probabilities from scores, none of which contradicts a decision or vanishes in a logarithm.

    two classes   P(second) = σ(s)
    softmax       P_k = e^{s_k} / Σ_l e^{s_l}
    ovr           P_k = σ(s_k) / Σ_l σ(s_l)
    ovo           P_k = 2 / (K(K − 1)) Σ_{l≠k} σ(s_kl)          s_kl: score of class k against l

Each is the softmax of some logits (K columns), so small probabilities keep their digits. The class
with the largest score has the largest probability: where rounding made others as large (σ(40) is 1
in floats, and so is σ(50)), they are the next smaller float. Equal scores have equal probabilities.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import log_expit, log_softmax, softmax


def class_logits(scores: np.ndarray, multi_class: str, n_classes: int) -> np.ndarray:
    """(n, K) numbers whose softmax are the probabilities, from the scores of all problems."""
    scores = scores.astype(np.float64)
    if n_classes == 2:
        return np.column_stack([log_expit(-scores[:, 0]), log_expit(scores[:, 0])])
    if multi_class == "softmax":
        return scores
    if multi_class == "ovr":
        return log_expit(scores)
    logits = np.full((len(scores), n_classes), -np.inf)
    for column, (a, b) in enumerate(combinations(range(n_classes), 2)):
        logits[:, b] = np.logaddexp(logits[:, b], log_expit(scores[:, column]))
        logits[:, a] = np.logaddexp(logits[:, a], log_expit(-scores[:, column]))
    return logits


def probabilities(logits: np.ndarray, decision: np.ndarray) -> np.ndarray:
    """P(class | x) in the type of ``decision``, the scores (n,) or (n, K) that decide.

    >>> scores = np.array([40.0, -1e-17, 0.0])
    >>> probabilities(class_logits(scores[:, None], "softmax", 2), scores)[:, 1].tolist()
    [1.0, 0.49999999999999994, 0.5]
    """
    with np.errstate(over="ignore", under="ignore"):
        P = softmax(logits, axis=1).astype(decision.dtype)
    return _ordered(P, decision)


def log_probabilities(logits: np.ndarray, decision: np.ndarray) -> np.ndarray:
    """log P(class | x), finite also where P itself is 0 in floats.

    >>> scores = np.array([-800.0])
    >>> log_probabilities(class_logits(scores[:, None], "softmax", 2), scores)
    array([[   0., -800.]])
    """
    with np.errstate(over="ignore", under="ignore"):
        logs = np.maximum(log_softmax(logits, axis=1), np.finfo(decision.dtype).min)
    return _ordered(logs.astype(decision.dtype), decision)


def _ordered(P: np.ndarray, decision: np.ndarray) -> np.ndarray:
    """P with the largest entry where the largest score is."""
    scores = np.column_stack([-decision, decision]) if decision.ndim == 1 else decision
    top = scores.argmax(axis=1)[:, None]
    largest = np.take_along_axis(P, top, axis=1)
    below = np.nextafter(largest, np.array(-np.inf, dtype=P.dtype))
    behind = scores < np.take_along_axis(scores, top, axis=1)
    return np.minimum(P, np.where(behind, below, largest))
