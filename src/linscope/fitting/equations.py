"""Rules in words: what stands there is what ``predict`` does.

Two classes have one hyperplane: ``2·b − a > 1 ⇒ yes``. With K classes no single hyperplane decides:

    scores of all classes       2·b − a + 1 is the largest of 3 ⇒ yes
    differences of scores       2·b − a > 1 ⇒ yes rather than no      (no class is preferred to it)
    pairs that vote             2·b − a > 1 ⇒ a vote for yes, else for no
    pairs with probabilities    σ(2·b − a − 1) for yes, the rest of 1 for no; the largest sum
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from linscope._printable import printable
from linscope.results.numbers import bias, short


def weighted_sum(weights: Any, features: Sequence) -> str:
    """w·x in words, largest weight first; the bias ``weights[0]`` is left out.

    >>> weighted_sum(np.array([5.0, -1.0, 2.0]), ["a", "b"])
    '2·b − a'
    >>> from fractions import Fraction
    >>> weighted_sum([0, Fraction(2, 3)], ["a"])
    '2/3·a'
    """
    order = sorted(
        (j for j in range(1, len(weights)) if weights[j] != 0),
        key=lambda j: (-abs(weights[j]), -weights[j]),
    )
    text = ""
    for j in order:
        value = abs(weights[j])
        sign = " − " if weights[j] < 0 else (" + " if text else "")
        sign = "−" if weights[j] < 0 and not text else sign
        text += sign + ("" if value == 1 else f"{short(value)}·") + printable(str(features[j - 1]))
    return text


def score(weights: Any, features: Sequence) -> str:
    """w·[1, x] in words.

    >>> score(np.array([-5.0, -1.0, 2.0]), ["a", "b"])
    '2·b − a − 5'
    """
    text, last = weighted_sum(weights, features), bias([*weights])
    if not text:
        return last.replace("-", "−")
    if weights[0] == 0:
        return text
    return f"{text} − {last[1:]}" if last.startswith("-") else f"{text} + {last}"


def equation(weights: Any, features: Sequence, positive, relation: str = ">") -> str:
    """The hyperplane in the original features: ``2·b − a > 1 ⇒ yes``."""
    right = bias([0 - weights[0], *weights[1:]]).replace("-", "−")
    left = weighted_sum(weights, features) or "0"
    return f"{left} {relation} {right} ⇒ {printable(str(positive))}"


def rules(weights: np.ndarray, features: Sequence, labels: Sequence, pair=None) -> list[str]:
    """One line for each row of weights: of a class, or with ``pair`` of a pair of classes."""
    if pair is None:
        K = len(labels)
        return [largest(w, features, k, K) for w, k in zip(weights, labels, strict=True)]
    pairs = zip(weights, combinations(labels, 2), strict=True)
    return [pair(w, features, *both) for w, both in pairs]


def largest(weights: np.ndarray, features: Sequence, label, n_classes: int) -> str:
    """A class that wins if its score is the largest, the first of equals."""
    return f"{score(weights, features)} is the largest of {n_classes} ⇒ {printable(str(label))}"


def preferred(weights: np.ndarray, features: Sequence, first, second) -> str:
    """The difference of two classes' scores."""
    return f"{equation(weights, features, second)} rather than {printable(str(first))}"


def vote(weights: np.ndarray, features: Sequence, first, second, relation: str = ">") -> str:
    """A pair of classes; the class with the most votes wins, of equals by the sum of scores."""
    right = f"a vote for {second}, else for {first}"
    return equation(weights, features, right, relation)


def share(weights: np.ndarray, features: Sequence, first, second) -> str:
    """A pair of classes with a probability; the class with the largest sum wins."""
    text = f"σ({score(weights, features)}) for {second}, the rest of 1 for {first}"
    return printable(f"{text}; the largest sum")
