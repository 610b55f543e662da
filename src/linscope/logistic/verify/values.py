"""The objective of logistic regression at given floats, with a bound on every rounding.

    P(W) = l1 Σ|W_kj| + ½ l2 Σ W_kj² + Σ_i c_i f_i             (j ≥ 1: the bias is free)
    f_i  = log Σ_k e^(s_ik) − s_{i,y_i},     s_i = W [1, x_i]

Two classes have one row of weights, that of the second class; the score of the first is 0. Here
both have a column. With p_ik the probabilities, ∂f_i/∂s_ik = p_ik − [k = y_i], so a score that is
wrong by r changes f_i by at most r, and p_ik by the factor e^(2r) at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from linscope.arithmetic.enclosures import LIBRARY, TINY, UNIT, Ball, scores, total

# Scores that are less certain than this tell nothing about probabilities.
VAGUE = 0.1
# Smaller probabilities have lost digits, and add nothing to any sum.
VANISHING = 1e-290


@dataclass(frozen=True)
class Problem:
    """What is minimised.

    ``c`` are the weights of the rows times C, each within ``doubt`` of the truth, relatively;
    ``common``: the penalty is that of W less the mean of its rows, which changes no probability.
    """

    X: Any
    codes: np.ndarray
    n_classes: int
    c: np.ndarray
    doubt: float = 0.0
    l1: float = 0.0
    l2: float = 1.0
    intercept: bool = True
    common: bool = False

    @property
    def rows(self) -> int:
        """Rows of weights."""
        return 1 if self.n_classes == 2 else self.n_classes

    @property
    def shown(self) -> slice:
        """The classes that have weights."""
        return slice(1, 2) if self.n_classes == 2 else slice(None)

    @property
    def class_totals(self) -> np.ndarray:
        """Σ c of each class."""
        return np.bincount(self.codes, self.c, self.n_classes)

    def penalised(self, W: np.ndarray) -> Ball:
        """The weights that the penalty sees."""
        V = Ball.of(W[:, 1:])
        if not self.common:
            return V
        mean = V.mid.sum(axis=0) / len(W)
        size = np.abs(V.mid).sum(axis=0)
        return Ball.safe(V.mid - mean, 2 * (len(W) + 2) * UNIT * (size + np.abs(V.mid)))

    def penalty(self, W: np.ndarray) -> Ball:
        V = self.penalised(W)
        if self.l1 == 0 and self.l2 == 0:
            return Ball.of(0.0)
        with np.errstate(all="ignore"):
            size = Ball.safe(np.abs(V.mid), V.rad)
            return total(size * Ball.of(self.l1) + V * V * Ball.of(0.5 * self.l2))


@dataclass(frozen=True)
class Place:
    """What is known at W: scores (n, K), objective, losses, and probabilities.

    The true p lies within the factor 1 ± ``doubt`` of ``p``, row by row.
    """

    W: np.ndarray
    scores: Ball
    value: Ball
    loss: Ball
    p: np.ndarray
    doubt: np.ndarray

    @property
    def known(self) -> bool:
        """Whether the scores are certain enough to speak of probabilities."""
        return bool((self.doubt < VAGUE).all() and np.isfinite(self.value.rad))


def evaluate(
    problem: Problem, W: np.ndarray, off: np.ndarray | None = None, *, precise: bool = False
) -> Place:
    """Objective and probabilities at the floats W (rows, d + 1), which may be wrong by ``off``.

    Then there is no penalty.
    """
    W = np.asarray(W, dtype=np.float64)
    with np.errstate(all="ignore"):
        S = scores(problem.X, W, precise=precise)
        if off is not None and off.any():
            S = Ball.safe(S.mid, S.rad + scores(abs(problem.X), off).high)
        if problem.n_classes == 2:
            zero = np.zeros((len(S.mid), 1))
            S = Ball(np.hstack([zero, S.mid]), np.hstack([zero, S.rad]))
        p, doubt = probabilities(S)
        f = _losses(S, p, problem.codes)
        loss = total(f * Ball.safe(problem.c, 2 * problem.doubt * problem.c))
        return Place(W, S, loss + problem.penalty(W), loss, p, doubt)


def probabilities(S: Ball) -> tuple[np.ndarray, np.ndarray]:
    """(n, K), and how wrong they can be, relatively, in each row."""
    below = S.mid - S.mid.max(axis=1, keepdims=True)
    p = np.exp(below)
    p /= p.sum(axis=1, keepdims=True)
    reach = -below.min(axis=1)
    doubt = 2 * S.rad.max(axis=1) + (2 * reach + 2 * p.shape[1] + 8) * UNIT + 4 * LIBRARY
    doubt = doubt * (1 + doubt)
    return p, np.where(np.isfinite(doubt), doubt, np.inf)


def others(p: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """1 − p of the own class, without cancellation."""
    rest = p.copy()
    rest[np.arange(len(p)), codes] = 0.0
    return rest.sum(axis=1)


def _losses(S: Ball, p: np.ndarray, codes: np.ndarray) -> Ball:
    """f of each row: log(1 + Σ e^(s_k − s_y)), or the largest difference and a logarithm."""
    own = np.arange(len(codes)), codes
    away = S.mid - S.mid[own][:, None]
    away[own] = 0.0
    doubt = S.rad.max(axis=1) + S.rad[own] + UNIT * np.abs(away).max(axis=1)
    rest = np.exp(away)
    rest[own] = 0.0
    largest = away.max(axis=1)
    low = np.log1p(rest.sum(axis=1))
    high = largest + np.log(np.exp(away - largest[:, None]).sum(axis=1))
    mid = np.where(largest > 0, high, low)
    # f moves by at most 1 − p_y (and by what that grows on the way) times the change of a score.
    steep = np.where(doubt < 0.5, others(p, codes) * np.exp(4 * np.minimum(doubt, 1.0)), 1.0)
    steep = np.minimum(1.0, 1.01 * steep + VANISHING)
    rounding = (8 * LIBRARY + (p.shape[1] + 4) * UNIT) * (np.abs(mid) + np.maximum(largest, 0.0))
    return Ball.safe(mid, doubt * steep + rounding + 8 * TINY + VANISHING * (mid < 1e-280))


def residuals(problem: Problem, q: np.ndarray) -> Ball:
    """c (q − e_y) of the classes that have weights; rows of q sum to 1 up to rounding."""
    R = q.copy()
    R[np.arange(len(q)), problem.codes] = -others(q, problem.codes)
    R = (R * problem.c[:, None])[:, problem.shown]
    share = (2 * q.shape[1] + 12) * UNIT + 2 * problem.doubt
    return Ball.safe(R, share * np.abs(R) + 2 * TINY)


def shifted(problem: Problem, p: np.ndarray | None = None) -> tuple[Any, np.ndarray]:
    """Columns about their means where a bias takes up the shift, each right to one rounding.

    Given probabilities, a row counts as much as its loss is curved: rows that are certain of their
    class, however far away, do not matter.
    """
    X = problem.X
    if not problem.intercept or sparse.issparse(X):
        return X, np.zeros(X.shape[1])
    X = np.asarray(X, dtype=np.float64)
    share = problem.c / problem.c.max()
    if p is not None:
        share = share * (p * (1.0 - p)).sum(axis=1)
    with np.errstate(all="ignore"):
        share = share / share.sum()
        mean = share @ X
        mean = np.where(np.isfinite(mean), mean, 0.0)
        return X - mean, mean


def near_one(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns times powers of two that bring their largest number near 1, and the exponents."""
    exponent = np.frexp(column_sizes(Z))[1]
    return np.ldexp(Z, -exponent), exponent


def column_sizes(X: Any) -> np.ndarray:
    """max |x| of each column."""
    size = abs(X).max(axis=0)
    return np.ravel(size.toarray() if sparse.issparse(size) else size).astype(np.float64)
