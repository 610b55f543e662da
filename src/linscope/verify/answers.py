"""Are a model's answers those of the numbers that were certified?

A certificate is about numbers: weights, coefficients, means. People use answers: scores, labels,
probabilities, transformed rows. So ``model.verify`` asks the model about the rows at hand, and
compares what it answers with what the certified numbers give here, in balls:

    scores     s_k(x)                            of each class, each pair of classes, or each target
    decision   s_k; pairs (a, b): the votes of each class, or the sum of its probabilities
    label      the class of the largest decision; of two classes the second where s > 0
    P          two classes σ(s);  softmax e^{s_k}/Σ e^{s_l};  "ovr" σ(s_k)/Σ σ(s_l);
               pairs 2/(K(K − 1)) Σ_l σ(s_kl);  calibrated softmax(a·decision)

A model may round: its scores may differ by what sums in any order lose in the type of its answers.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, log_expit, log_softmax

from linscope.arithmetic.enclosures import Ball, dense, gamma, scores

from .claims import require
from .kernel_values import Kernel, Values, kernel_sums, matrix_sums, tiles

# Answers may be off by so many times the bound of one sum.
ROOM = 8.0
# Kernel values may be floats of 32 bits where that moves no score by more than half of this.
ROUGH = 2e-4
# A kernel machine or a committee is asked about so many rows times its numbers for each.
MOST_PRODUCTS = 1e8
# Rounding of float64 is less, that of float32 more.
SINGLE = 1e-10
# Log probabilities are compared down to this.
SMALLEST_LOG = -30.0


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What certified numbers say of rows.

    Attributes
    ----------
    scores : (n, m) one column for each hyperplane: of a class, a pair of classes, or a target
    unit : rounding of one operation in the type of the answers
    classes : the labels in their order; None for a regression
    pairs : how scores of pairs are joined: "votes", "shares" of probability; "" if there are none
    logits : what makes probabilities: "softmax", "ovr", "pairs"; "" if there are none
    slope : a of calibrated probabilities
    zero_is_second : of two classes, where a score of 0 goes
    transformed : (n, k) what ``transform`` returns
    """

    scores: Ball
    unit: float
    classes: list | None = None
    pairs: str = ""
    logits: str = ""
    slope: float | None = None
    zero_is_second: bool = False
    transformed: Ball | None = None

    def of(self, rows: np.ndarray) -> Answers:
        """The same of some rows."""
        along = None if self.transformed is None else self.transformed.take(rows)
        return replace(self, scores=self.scores.take(rows), transformed=along)


def linear_answers(X: Any, weights: np.ndarray, dtype: Any, **form: Any) -> Answers:
    """Of hyperplanes: ``weights`` (m, d + 1), bias first; answers of this type."""
    return answers(scores(X, weights), dtype, **form)


def answers(ball: Ball, dtype: Any, **form: Any) -> Answers:
    """Of scores: what a model whose answers are of this type may say."""
    unit = float(np.finfo(dtype).eps)
    return Answers(scores=rounded(ball, dtype), unit=unit, **form)


def rounded(ball: Ball, dtype: Any) -> Ball:
    """Values that may be summed in another order and are rounded to a type."""
    unit, least = float(np.finfo(dtype).eps), float(np.finfo(dtype).tiny)
    with np.errstate(all="ignore"):
        room = ball.rad * (ROOM * unit / 2.0**-53) + ROOM * unit * np.abs(ball.mid)
        return Ball(ball.mid, room + least)


def projection(X: Any, centre: np.ndarray, directions: np.ndarray, dtype: Any) -> Ball:
    """(x − centre) · each column of ``directions``, as a model may return it."""
    V = np.asarray(directions, np.float64).T
    along = scores(X, np.column_stack([-V @ centre, V]))
    size = np.abs(V) @ np.abs(centre)
    return rounded(Ball(along.mid, along.rad + gamma(X.shape[1] + 4) * size), dtype)


def digest(*arrays: Any) -> str:
    """A hash of numbers that decide answers and of which no claim is made."""
    found = sha256()
    for one in arrays:
        parts = [np.zeros(0) if one is None else one]
        if sp.issparse(one):
            rows = sp.csr_array(one)
            parts = [rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)]
        for part in parts:
            found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()


def linear_form(claim: Any) -> dict[str, Any]:
    """Labels of a claim, and whether its parts are pairs of classes: those have votes."""
    sides = [part.side for part in claim.parts.values()]
    if not sides:
        return {"classes": np.asarray(claim.classes).tolist(), "pairs": ""}
    pairs = sides[0][1] is not None
    labels = [positive for positive, _ in sides]
    labels = list(dict.fromkeys([sides[0][1], *labels])) if pairs else labels
    return {"classes": labels, "pairs": "votes" if pairs else ""}


def kernel_answers(
    kernel: Kernel, X: Any, Z: Any, coefficients: Any, biases: Any, dtype: Any, **form: Any
) -> Answers:
    """Of sums Σ_j c_j K(x, z_j) + b, ``coefficients`` (m, vectors); Z is None: X has the values."""
    sums = []
    for c, bias in zip(coefficients, biases, strict=True):
        c, bias = np.asarray(c, np.float64), float(bias)
        if Z is None:
            sums.append(matrix_sums(Values([dense(X)], np.zeros(X.shape)), c, bias))
        else:
            sums.append(kernel_sums(kernel, X, Z, c, bias))
    mid = np.column_stack([ball.mid for ball in sums])
    rad = np.column_stack([ball.rad for ball in sums])
    said = answers(Ball(mid, rad), dtype, **form)
    return replace(said, scores=Ball(mid, said.scores.rad + (0.0 if Z is None else ROUGH)))


def some(X: Any, each: int) -> Any:
    """The rows, if so many numbers for each of them are bearable; else some, spread evenly."""
    step = max(1, int(np.ceil(X.shape[0] * each / MOST_PRODUCTS)))
    return X[np.arange(0, X.shape[0], step)] if step > 1 else X


def voted_answers(committees: list[Any], products: Any, dtype: Any, **form: Any) -> Answers:
    """Of votes Σ_k c_k sign(w_k·x)/Σ c_k; vectors within rounding of 0 may vote either way.

    ``products(committee)`` are those of the rows with its support, and the first vector's scores.
    """
    at_zero = 1.0 if form["zero_is_second"] else -1.0
    columns = [_votes_of(committee, products(committee), at_zero) for committee in committees]
    mid, rad = (np.column_stack(own) for own in zip(*columns, strict=True))
    return answers(Ball(mid, rad), dtype, **form)


def _votes_of(committee: Any, products: tuple[Any, np.ndarray], at_zero: float) -> Any:
    K, first = products
    score, reach = first.copy(), np.abs(first)
    votes, doubt = np.zeros(len(first)), np.zeros(len(first))
    for k, count in enumerate(committee.survival.tolist()):
        if k:
            step = committee.steps[k - 1] * K[:, committee.samples[k - 1]]
            score, reach = score + step, reach + np.abs(step)
        near = np.abs(score) <= gamma(k + 1000) * reach
        side = np.where(score == 0.0, at_zero, np.sign(score))
        votes += count * side
        doubt += 2.0 * count * near
    total = max(float(committee.survival.sum()), 1.0)
    return votes / total, doubt / total


def gaussian_answers(
    X: Any, means: np.ndarray, variances: np.ndarray, priors: np.ndarray, dtype: Any, **form: Any
) -> Answers:
    """Of g_k(x) = ln π_k − ½ Σ_j [ln(2π σ²_kj) + (x_j − μ_kj)²/σ²_kj]; of two classes g_2 − g_1."""
    mid, size = np.empty((2, X.shape[0], len(priors)))
    for rows in tiles(X.shape[0], 1, X.shape[1]):
        x = dense(X[rows])
        for k, (m, v, prior) in enumerate(zip(means, variances, priors, strict=True)):
            level, log_prior = np.log(2.0 * np.pi * v), np.log(prior) if prior > 0.0 else -np.inf
            mid[rows, k] = log_prior - 0.5 * (level + (x - m) ** 2 / v).sum(axis=1)
            reach = np.abs(level) + (np.abs(x) + np.abs(m)) ** 2 / v
            size[rows, k] = 0.5 * reach.sum(axis=1) + abs(log_prior)
    if len(priors) == 2:
        mid, size = mid[:, [1]] - mid[:, [0]], size.sum(axis=1, keepdims=True)
    return answers(Ball(mid, gamma(X.shape[1] + 8) * size), dtype, **form)


def require_answers(model: Any, X: Any, said: Answers) -> None:
    """Reject the claim unless the model answers as the certified numbers do."""
    if said.classes is not None:
        held = model.classes_.tolist()
        text = f"classes_ are {held}, the certificate is about {said.classes}"
        require(held == said.classes, text)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # rows without the names of their columns
        rows = _answerable(said)
        if len(rows):
            _ask(model, X[rows], said.of(rows))


def _answerable(said: Answers) -> np.ndarray:
    """The rows whose scores are in the range of floats: a model may refuse others."""
    mid, rad = said.scores
    largest = float(np.finfo(np.float32 if said.unit > SINGLE else np.float64).max) / 4.0
    unseen = (mid == -np.inf).all(axis=0)  # classes without samples
    return np.flatnonzero((unseen | (np.abs(mid) + rad < largest)).all(axis=1))


def _ask(model: Any, X: Any, said: Answers) -> None:
    if said.classes is None:
        require(_near(model.predict(X), said.scores), "predict differs from the weights")
        return
    decision, labels = model.decision_function(X), model.predict(X)
    text = "decision_function differs from the certified scores"
    require(_near(decision, _decision(said)), text)
    second = decision >= 0 if said.zero_is_second else decision > 0
    chosen = second.astype(int) if decision.ndim == 1 else decision.argmax(axis=1)
    named = np.asarray(labels).tolist() == np.asarray(model.classes_)[chosen].tolist()
    require(named, "predict differs from the signs of the scores")
    if said.logits:
        _check_probabilities(model, X, said)
    if said.transformed is not None:
        text = "transform differs from the certified directions"
        require(_near(model.transform(X), said.transformed), text)


def _near(answer: Any, expected: Ball) -> bool:
    """Whether every entry is in its ball; entries that nothing is known of are left out."""
    mid, rad = expected
    found = np.asarray(answer, dtype=np.float64)
    found = found.reshape(len(found), -1)
    if found.shape != mid.shape:
        return False
    known = np.isfinite(rad) & np.isfinite(mid)
    close = np.abs(found - mid) <= rad
    return bool((close | ~known | (found == mid)).all())


def _decision(said: Answers) -> Ball:
    assert said.classes is not None
    (mid, rad), K = said.scores, len(said.classes)
    if not said.pairs or K == 2:
        return said.scores
    join = _votes if said.pairs == "votes" else _shares
    joined = join(mid, rad, K)
    return Ball(joined.mid, joined.rad + ROOM * K * said.unit)


# The votes are whole numbers; the sum of scores decides between equals, within (−⅓, ⅓).
def _votes(mid: np.ndarray, rad: np.ndarray, K: int) -> Ball:
    votes, sums, off = (np.zeros((len(mid), K)) for _ in range(3))
    for column, (a, b) in enumerate(combinations(range(K), 2)):
        s, second = mid[:, column], mid[:, column] > 0
        votes[:, b] += second
        votes[:, a] += ~second
        sums[:, b] += s
        sums[:, a] -= s
        doubt = np.where(np.abs(s) <= rad[:, column], np.inf, rad[:, column])
        off[:, a] += doubt
        off[:, b] += doubt
    return Ball(votes + sums / (3.0 * (np.abs(sums) + 1.0)), off)


def _shares(mid: np.ndarray, rad: np.ndarray, K: int) -> Ball:
    share, off = np.zeros((len(mid), K)), np.zeros((len(mid), K))
    for column, (a, b) in enumerate(combinations(range(K), 2)):
        share[:, b] += expit(mid[:, column])
        share[:, a] += expit(-mid[:, column])
        off[:, a] += rad[:, column]
        off[:, b] += rad[:, column]
    return Ball(share, off)


def _check_probabilities(model: Any, X: Any, said: Answers) -> None:
    logits, off = _logits(said)
    logs = log_softmax(logits, axis=1)
    P, answered = model.predict_proba(X), model.predict_log_proba(X)
    known = np.isfinite(off)[:, None]
    off = 2.0 * off[:, None] + ROOM * len(said.classes or ()) * said.unit
    near = np.abs(P - np.exp(logs)) <= off
    text = "predict_proba differs from the certified scores"
    require(P.shape == logs.shape and (near | ~known).all(), text)
    near = np.abs(answered - logs) <= off * np.maximum(1.0, np.abs(logs))
    small = logs < SMALLEST_LOG
    require((near | small | ~known).all(), "predict_log_proba differs from the certified scores")


def _logits(said: Answers) -> tuple[np.ndarray, np.ndarray]:
    """Numbers whose softmax are the probabilities, and by how much those of a row may be off."""
    assert said.classes is not None
    K = len(said.classes)
    if said.slope is not None:
        decision = _decision(said)
        mid, off = said.slope * decision.mid, said.slope * decision.rad.max(axis=1)
        return (np.column_stack([-0.5 * mid, 0.5 * mid]) if mid.shape[1] == 1 else mid), off
    mid, off = said.scores.mid, said.scores.rad.max(axis=1)
    if mid.shape[1] == 1:
        return np.column_stack([log_expit(-mid), log_expit(mid)]), off
    if said.logits == "softmax":
        return mid, off
    if said.logits == "ovr":
        return log_expit(mid), off
    logits = np.full((len(mid), K), -np.inf)
    for column, (a, b) in enumerate(combinations(range(K), 2)):
        logits[:, b] = np.logaddexp(logits[:, b], log_expit(mid[:, column]))
        logits[:, a] = np.logaddexp(logits[:, a], log_expit(-mid[:, column]))
    return logits, off
