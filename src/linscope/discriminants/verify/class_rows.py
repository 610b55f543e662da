"""The rows of a table by class, and what claims about classes have in common.

A claim about classes names its labels, the weight ``totals`` W_k of each class, its ``means`` and
``priors``. Classes without rows of positive weight have W_k = π_k = 0.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from linscope.arithmetic.enclosures import dense
from linscope.data import encode_labels, to_matrix
from linscope.rows.blocks import Block
from linscope.rows.finite import check_finite
from linscope.verify.claims import foreign, require

# Weights and shares of classes are sums of floats: they agree to this, relatively.
SUMMED = 1e-9


class ClassRows(NamedTuple):
    """Rows of positive weight.

    Attributes
    ----------
    labels : of the classes that have rows, sorted
    seen : their numbers among the labels of the claim
    engines : for each its rows, in float64
    totals : for each the sum of its weights, rounded once
    """

    labels: list[Any]
    seen: np.ndarray
    engines: list[Any]
    totals: np.ndarray

    @property
    def n_rows(self) -> int:
        return sum(engine.n_rows for engine in self.engines)

    @property
    def n_features(self) -> int:
        return self.engines[0].n_features

    def tables(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Rows and weights of each class, here: of small tables."""
        return [engine.gather(numbers) for engine in self.engines]


def numbers(block: Block) -> tuple[np.ndarray, np.ndarray]:
    """The rows of a block without gaps, and their weights."""
    return dense(block.X), block.weight if block.weighted else np.ones(block.X.shape[0])


def read_rows(claim: Any, X: Any, y: Any, sample_weight: Any, choose: Any) -> ClassRows:
    """Read a table; ``class_weight`` of the claim multiplies the weights, as in the fit.

    ``choose`` makes an engine of rows, targets and weights.
    """
    weighted, given = bool(claim.weighted), sample_weight is not None
    require(weighted or not given, "the fit had no sample weights")
    require(given or not weighted, "the fit used sample weights: pass them as sample_weight")
    matrix, names = to_matrix(X)
    check_finite(matrix, names)
    known, codes = encode_labels(y, n_samples=matrix.shape[0])
    weight = _weights(claim.class_weight, sample_weight, known, codes)
    labels, engines, totals, seen = [], [], [], []
    alike = bool((weight == 1.0).all())
    of_claim = list(claim.labels)
    require(of_claim == sorted(set(of_claim)), "labels must be sorted, each once")
    for k, label in enumerate(known.tolist()):
        rows = np.flatnonzero((codes == k) & (weight > 0))
        if len(rows) == 0:
            continue
        require(label in of_claim, f"y has the label {label!r}, unknown to the model")
        labels.append(label)
        seen.append(of_claim.index(label))
        own = None if alike else weight[rows]
        engines.append(choose(matrix[rows].astype(np.float64), None, own))
        totals.append(float(len(rows)) if own is None else fsum(own.tolist()))
    require(labels, "no row has a positive weight")
    return ClassRows(labels, np.array(seen), engines, np.array(totals))


def _weights(class_weight: Any, sample_weight: Any, known, codes) -> np.ndarray:
    n = len(codes)
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if weight.shape != (n,) or not (np.isfinite(weight) & (weight >= 0)).all():
        raise ValueError(f"sample_weight must be {n} numbers that are not negative")
    if isinstance(class_weight, str):
        require(class_weight == "balanced", f"no class weights are called {class_weight!r}")
        totals = np.array([fsum(weight[codes == k].tolist()) for k in range(len(known))])
        used = totals > 0.0
        share = fsum(totals.tolist()) / (used.sum() * np.where(used, totals, 1.0))
        by_class = np.where(used, share, 1.0)
    else:
        by_class = np.array([float((class_weight or {}).get(k, 1.0)) for k in known.tolist()])
    return weight * by_class[codes]


def check_shares(claim: Any, rows: ClassRows, *, zero: bool = False) -> None:
    """Weights and priors of the classes against the data; ``zero``: given priors may be 0."""
    require(not foreign(claim), "no such model has these claims")
    totals, priors = np.asarray(claim.totals), np.asarray(claim.priors)
    K, seen = len(claim.labels), rows.seen
    require(totals.shape == priors.shape == (K,), "one number per class is needed")
    absent = np.setdiff1d(np.arange(K), seen)
    require(not (totals[absent].any() or priors[absent].any()), "a class without samples counts")
    off = np.abs(totals[seen] / rows.totals - 1.0)
    require((off <= SUMMED).all(), f"class {rows.labels[int(off.argmax())]!r} has another weight")
    if not claim.given_priors:
        share = rows.totals / fsum(rows.totals.tolist())
        near = np.abs(priors[seen] - share) <= SUMMED * share
        require(near.all(), "the priors are not the shares of the classes")
    positive = (priors[seen] >= 0) if zero and claim.given_priors else (priors[seen] > 0)
    require(positive.all(), "a class with samples has no prior probability")
    require(abs(fsum(priors.tolist()) - 1.0) <= SUMMED, "the priors do not sum to 1")


def exact_sum(values: np.ndarray) -> Fraction:
    """The sum of floats without rounding."""
    return sum(map(Fraction, values.tolist()), Fraction(0))
