"""The algorithms of the notes in plain Python: one operation after the other, nothing clever."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np


class Run(NamedTuple):
    """What a run of the rule leaves: ``history`` has the weights after each visit (of a batch)."""

    weights: list
    updates: int
    passes: int
    visits: int
    history: list
    converged: bool


def augmented(X, intercept=True):
    return [[1.0 if intercept else 0.0, *map(float, row)] for row in X]


def score(w, x):
    """w·x from left to right, bias first."""
    total = x[0] * w[0]
    for xj, wj in zip(x[1:], w[1:], strict=True):
        total += xj * wj
    return total


def is_mistake(w, x, y, tie="update", margin=0.0):
    s = y * score(w, x)
    wrong_at_border = {"update": True, "positive": y < 0, "negative": y > 0}[tie]
    return s < margin or (s == margin and wrong_at_border)


def perceptron(
    X,
    y,
    *,
    rule="single",
    eta0=1.0,
    schedule="constant",
    margin=0.0,
    tie="update",
    init=None,
    stop="streak",
    batch_size=32,
    max_iter=1000,
    weight=None,
    fit_intercept=True,
    order=None,
):
    """The perceptron rule; ``order(pass)`` gives the order of a pass, None the given order."""
    rows, n = augmented(X, fit_intercept), len(y)
    size = {"single": 1, "mini-batch": batch_size, "batch": n}[rule]
    w = list(init) if init is not None else [0.0] * len(rows[0])
    weight = [1.0] * n if weight is None else [float(c) for c in weight]
    history, updates, streak = [], 0, 0
    for epoch in range(max_iter):
        samples = list(range(n)) if order is None else list(order(epoch))
        before = updates
        streak = streak if order is None else 0
        for begin in range(0, n, size):
            batch = samples[begin : begin + size]
            wrong = [i for i in batch if is_mistake(w, rows[i], y[i], tie, margin)]
            if wrong:
                updates += 1
                eta = eta0 / updates if schedule == "inverse" else eta0
                step_of = _single_step if rule == "single" else _summed_step
                w = [a + b for a, b in zip(w, step_of(rows, y, weight, wrong, eta), strict=True)]
            streak = 0 if wrong else streak + len(batch)
            history.append(w)
            if stop == "streak" and streak >= n:
                return Run(w, updates, epoch + 1, len(history), history, True)
        if updates == before:
            return Run(w, updates, epoch + 1, len(history), history, True)
    return Run(w, updates, max_iter, len(history), history, False)


def _single_step(rows, y, weight, wrong, eta):
    (i,) = wrong
    step = y[i] * eta * weight[i]
    return [step * v for v in rows[i]]


def _summed_step(rows, y, weight, wrong, eta):
    total = [0.0] * len(rows[0])
    for i in wrong:
        total = [t + y[i] * weight[i] * v for t, v in zip(total, rows[i], strict=True)]
    return [eta * t for t in total]


def averaged(run):
    """The mean over all visits of the weights after each visit, rounded once."""
    columns = zip(*run.history, strict=True)
    return [float(sum(map(Fraction, column)) / run.visits) for column in columns]


def committee(run, init):
    """(vector, visits survived) pairs: a vector starts with the visit that made it."""
    pairs = [[list(init), 0]]
    for w in run.history:
        if w == pairs[-1][0]:
            pairs[-1][1] += 1
        else:
            pairs.append([w, 1])
    return pairs


def voted_share(pairs, x, tie="update"):
    """Σ c_k sign(w_k·x) / Σ c_k."""
    at_zero = -1 if tie == "negative" else 1
    votes = [c * (math.copysign(1, s) if (s := score(w, x)) else at_zero) for w, c in pairs]
    return sum(votes) / sum(c for _, c in pairs)


def errors(w, rows, y, tie="update", weight=None):
    return sum(
        1.0 if weight is None else weight[i]
        for i, x in enumerate(rows)
        if is_mistake(w, x, y[i], tie)
    )


def pocket(run, X, y, init, tie="update", fit_intercept=True, weight=None):
    """The first of the vectors, the initial one included, with the fewest training errors."""
    rows = augmented(X, fit_intercept)
    return min([list(init), *run.history], key=lambda w: errors(w, rows, y, tie, weight))


def kernel_perceptron(K, y, *, eta0=1.0, tie="update", max_iter=1000, stop="streak"):
    """The dual form: α_i += η y_i for each mistake; returns (α, updates, α after each visit)."""
    n, streak, updates, history = len(y), 0, 0, []
    alpha = [0.0] * n
    for _ in range(max_iter):
        before = updates
        for i in range(n):
            s = y[i] * sum(alpha[j] * K[j][i] for j in range(n) if alpha[j])
            wrong_at_zero = {"update": True, "positive": y[i] < 0, "negative": y[i] > 0}[tie]
            wrong = s < 0 or (s == 0 and wrong_at_zero)
            if wrong:
                alpha[i] += eta0 * y[i]
                updates += 1
            streak = 0 if wrong else streak + 1
            history.append(list(alpha))
            if stop == "streak" and streak >= n:
                return alpha, updates, history
        if updates == before:
            break
    return alpha, updates, history


def exact_signs(X, y, w):
    """Signs of y_i w·[1, x_i] in rational arithmetic."""
    w = [Fraction(float(v)) for v in w]
    rows = [[Fraction(1), *(Fraction(float(v)) for v in row)] for row in X]
    scores = [
        int(label) * sum(a * b for a, b in zip(w, row, strict=True))
        for row, label in zip(rows, y, strict=True)
    ]
    return [(s > 0) - (s < 0) for s in scores]


class LeastSquaresSolution(NamedTuple):
    """Weights (bias first), diagonal of (AᵀCA + αP)⁻¹ and Σ c r², all as fractions."""

    weights: list
    inverse: list
    rss: Fraction


def exact_least_squares(X, y, weight=None, *, fit_intercept=True, alpha=0.0):
    """The normal equations in fractions, by Gauss-Jordan elimination; every float as it is."""
    rows = [[Fraction(1)] * fit_intercept + [Fraction(float(v)) for v in row] for row in X]
    y = [Fraction(float(v)) for v in y]
    c = [Fraction(1)] * len(y) if weight is None else [Fraction(float(v)) for v in weight]
    p = len(rows[0])
    system = []
    for i in range(p):
        gram = [
            sum((ck * row[i] * row[j] for ck, row in zip(c, rows, strict=True)), Fraction(0))
            for j in range(p)
        ]
        if i >= fit_intercept:
            gram[i] += Fraction(alpha)
        right = sum((ck * r[i] * v for ck, r, v in zip(c, rows, y, strict=True)), Fraction(0))
        system.append([*gram, right, *(Fraction(int(i == j)) for j in range(p))])
    for i in range(p):
        best = next(k for k in range(i, p) if system[k][i] != 0)
        system[i], system[best] = system[best], system[i]
        system[i] = [v / system[i][i] for v in system[i]]
        for k in range(p):
            if k != i and system[k][i] != 0:
                factor = system[k][i]
                system[k] = [a - factor * b for a, b in zip(system[k], system[i], strict=True)]
    w = [row[p] for row in system]
    errors = [
        v - sum(a * b for a, b in zip(r, w, strict=True)) for r, v in zip(rows, y, strict=True)
    ]
    rss = sum((ck * e * e for ck, e in zip(c, errors, strict=True)), Fraction(0))
    return LeastSquaresSolution(w, [system[i][p + 1 + i] for i in range(p)], rss)


def digits(value, exact) -> float:
    """Correct decimal digits of a float; 17 if it is the exact number to the last bit."""
    exact = Fraction(exact)
    error = abs(Fraction(float(value)) - exact)
    if exact == 0:
        return 17.0 if error == 0 else max(0.0, -math.log10(error))
    return 17.0 if error == 0 else -math.log10(error / abs(exact))


def squared_criterion(w, X, y, c=1.0, alpha=0.0):
    """½ Σ c (w·x − y)² + ½ α Σ_{j≥1} w_j², rows augmented."""
    w, y, c = (1.0 * np.asarray(value) for value in (w, y, 1.0 if c is None else c))
    return float(0.5 * np.sum(c * (X @ w - y) ** 2) + 0.5 * alpha * np.sum(w[1:] ** 2))


def squared_gradient(w, X, y, c=1.0, alpha=0.0):
    w, y, c = (1.0 * np.asarray(value) for value in (w, y, 1.0 if c is None else c))
    return X.T @ (c * (X @ w - y)) + alpha * np.r_[0.0, w[1:]]
