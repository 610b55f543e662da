"""Scores of adversarial rows and weights against exact ones, for every model with linear scores.

A design is a table of any kind (``tables``), in float32 or float64, dense or sparse, and a model:
fitted to it, or with weights whose terms cancel. The references are rationals, or balls of 300 bits
and more where logarithms occur. What may be found:

    FALSE BOUND     an error above ``prediction_error_bound``
    COARSE          an error above 2⁻³⁶ of the score and its rounding to the type of the rows
    WRONG SIGN      of the score of a problem, or of 0
    WRONG LABEL     of two classes, where the exact score is not 0
    PROBABILITY     further from that of the exact score than the bound allows
    CRASH           an error that is no ValueError
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from typing import Any

import numpy as np
from flint import arb, fmpq
from scipy import sparse

import linscope as ls

from .exact import ball, dot, number, precision, q, table
from .problem import BITS
from .tables import DECADES, KINDS

LEVELS = tuple(DECADES)
# What a plain score may be off by, relative to itself; and roundings of probabilities.
COARSE, ROUNDINGS = 1.001 * 2.0**-36, 16.0
REGRESSIONS = {
    "LinearRegression": lambda: ls.LinearRegression(),
    "Ridge": lambda: ls.Ridge(alpha=1e-3),
    "HuberRegressor": lambda: ls.HuberRegressor(),
}
CLASSIFIERS = {
    "LogisticRegression": lambda: ls.LogisticRegression(max_iter=20),
    "LogisticRegression-ovo": lambda: ls.LogisticRegression(multi_class="ovo", max_iter=20),
    "LinearSVC": lambda: ls.LinearSVC(max_iter=20),
    "SVC-linear": lambda: ls.SVC(kernel="linear", max_iter=20),
    "Perceptron": lambda: ls.Perceptron(max_iter=5),
    "LeastSquaresClassifier": lambda: ls.LeastSquaresClassifier(),
    "FisherDiscriminant": lambda: ls.FisherDiscriminant(),
    "GaussianNaiveBayes": lambda: ls.GaussianNaiveBayes(),
}
MODELS = REGRESSIONS | CLASSIFIERS


def run(seconds: float, seed: int = 0) -> tuple[dict[str, Counter], list[str]]:
    """Counts for each estimator, and what was found, until the time is over."""
    counts: dict[str, Counter] = {name: Counter() for name in MODELS}
    findings: list[str] = []
    stop, number_of = time.monotonic() + seconds, 0
    while time.monotonic() < stop:
        for name in MODELS:
            try_design(name, seed, number_of, counts[name], findings)
        number_of += 1
    return counts, findings


def try_design(name: str, seed: int, number_of: int, count: Counter, findings: list[str]) -> None:
    """One design; ``name``, ``seed`` and ``number_of`` make it again."""
    rng = np.random.default_rng([*name.encode(), seed, number_of])
    level = LEVELS[number_of % len(LEVELS)]
    place = f"{name} {seed} {number_of}"
    with warnings.catch_warnings(), np.errstate(all="ignore"), precision(BITS[level]):
        warnings.simplefilter("ignore")
        try:
            model, rows, form = design(name, rng, level)
            found = list(judged(model, rows, name))
        except ValueError:
            count["refused"] += 1
            return
        except Exception as error:
            found, form = [f"CRASH: {type(error).__name__}: {error}"], "?"
    count["designs"] += 1
    count[form] += 1
    count["findings"] += bool(found)
    findings += [f"{place} ({level}, {form}): {reason}" for reason in found[:3]]


def design(name: str, rng: np.random.Generator, level: str) -> tuple[Any, Any, str]:
    """A fitted model, and rows to score."""
    n, d = int(rng.integers(8, 20)), int(rng.choice([1, 2, 3, 5, 9, 17, 40]))
    rows = KINDS[rng.integers(len(KINDS))](rng, n, d, level)
    dtype = np.float32 if rng.random() < 0.4 else np.float64
    X = finite(rows, dtype)
    classes = int(rng.integers(2, 5)) if name in CLASSIFIERS else 0
    own = rng.random() < 0.4 or name == "GaussianNaiveBayes"
    if own:
        y = (
            rng.permutation(np.arange(n) % classes)
            if classes
            else finite(rng.normal(size=n), dtype)
        )
        model = MODELS[name]().fit(X, y)
        if rng.random() < 0.5:  # rows that it has not seen
            X = finite(X * rng.uniform(0.5, 2.0, X.shape), dtype)
    else:
        model = with_weights(name, rng, X, classes, level)
    form = np.dtype(dtype).name
    if rng.random() < 0.25:
        return model, sparse.csr_array(X), f"{form}, sparse"
    return model, X, form


def with_weights(name: str, rng: Any, X: np.ndarray, classes: int, level: str) -> Any:
    """A model whose weights were set: of any size, and cancelling on some of the rows."""
    d, dtype, easy = X.shape[1], X.dtype, rng.normal(size=(24, X.shape[1])).astype(X.dtype)
    y = np.arange(24) % classes if classes else rng.normal(size=24).astype(dtype)
    model = MODELS[name]().fit(easy, y)
    held = "_coef" if name == "SVC-linear" else "coef_"
    shape = np.atleast_2d(getattr(model, held)).shape
    W = rng.normal(size=shape) * 10.0 ** rng.integers(-9, 10, d)
    if level != "ordinary":
        W = W * 10.0 ** rng.integers(-DECADES[level] // 2, DECADES[level] // 2)
    at = X[rng.integers(len(X))].astype(np.float64)
    kind = rng.integers(4)
    if kind == 1 and d > 1:  # the terms of a row cancel but for rounding
        j = int(np.argmax(np.abs(at)))
        W[:, j] = -(np.delete(W, j, axis=1) @ np.delete(at, j)) / at[j] if at[j] else 0.0
    W = finite(W, dtype)
    bias = rng.normal(size=len(W)) * (kind != 3)
    if kind in (1, 2):  # and with the bias
        bias = -(W.astype(np.float64) @ at) + (kind == 2) * rng.normal(size=len(W))
    bias = finite(bias, dtype)
    single = getattr(model, held).ndim == 1
    setattr(model, held, W[0] if single else W)
    model.intercept_ = bias[0] if single else bias
    return model


def finite(values: np.ndarray, dtype: Any) -> np.ndarray:
    """In this type, 1 for what leaves its range."""
    out = np.asarray(values).astype(dtype)
    out[~np.isfinite(out)] = 1
    return out


def judged(model: Any, X: Any, name: str) -> Any:
    """What is wrong with the scores of these rows."""
    bound = np.asarray(model.prediction_error_bound(X)).reshape(X.shape[0], -1)
    rows = table(np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64))
    if name == "GaussianNaiveBayes":
        yield from judged_gaussians(model, X, rows, bound)
        return
    W = weights(model, name)
    truth = [[w[0] + dot(w[1:], row) for w in W] for row in rows]
    scores = np.asarray(
        model.predict(X) if name in REGRESSIONS else model._problem_scores(X)
    ).reshape(bound.shape)
    eps, least = float(np.finfo(X.dtype).eps), float(np.finfo(X.dtype).smallest_subnormal)
    for i, k in np.ndindex(bound.shape):
        exact, score = truth[i][k], q(scores[i, k])
        off, size = abs(score - exact), abs(exact)
        where = f"row {i}, problem {k}: score {scores[i, k]!r}, off by {number(off):.3g}"
        if np.isfinite(bound[i, k]) and off > q(bound[i, k]):
            yield f"FALSE BOUND: {where}, bound {bound[i, k]:.3g}"
        inside = size < q(np.finfo(X.dtype).max)
        if inside and off > q(COARSE + 0.51 * eps) * size + q(least):
            yield f"COARSE: {where}, exact {number(exact):.17g}"
        if name not in REGRESSIONS and (score > 0, score < 0) != (exact > 0, exact < 0):
            yield f"WRONG SIGN: {where}, exact {number(exact):.17g}"
    if name in CLASSIFIERS and len(model.classes_) == 2:
        yield from judged_decisions(model, X, [row[0] for row in truth], bound)


def weights(model: Any, name: str) -> list[list[fmpq]]:
    coef = np.atleast_2d(model._coef if name == "SVC-linear" else model.coef_)
    bias = np.atleast_1d(model.intercept_)
    sign = -1.0 if name == "SVC-linear" and len(coef) > 1 and len(model.classes_) > 2 else 1.0
    return table(sign * np.column_stack([bias, coef]).astype(np.float64))


def judged_decisions(model: Any, X: Any, truth: list[fmpq], bound: np.ndarray) -> Any:
    """Labels and probabilities of two classes."""
    labels = model.predict(X)
    for i, exact in enumerate(truth):
        if exact != 0 and labels[i] != model.classes_[int(exact > 0)]:
            yield f"WRONG LABEL: row {i}, exact score {number(exact):.17g}"
    if not hasattr(model, "predict_proba"):
        return
    P, eps = model.predict_proba(X)[:, 1], float(np.finfo(X.dtype).eps)
    for i, exact in enumerate(truth):
        if abs(exact) < 10**5 and np.isfinite(bound[i, 0]):
            right = 1 / (1 + (-ball(exact)).exp())
            if abs(right - ball(P[i])) > bound[i, 0] / 4 + ROUNDINGS * eps:
                yield f"PROBABILITY: row {i}: {P[i]!r}, exact {number(right):.17g}"


def judged_gaussians(model: Any, X: Any, rows: list, bound: np.ndarray) -> Any:
    """g_k(x) in balls; of two classes their difference."""
    scores = np.asarray(model.decision_function(X)).reshape(bound.shape)
    means, variances = table(model.theta_), table(model.var_)
    priors = [ball(q(p)).log() if p > 0 else None for p in model.class_prior_]
    for i, row in enumerate(rows):
        g = []
        for prior, mean, variance in zip(priors, means, variances, strict=True):
            total = sum(
                ((x - m) ** 2 / v for x, m, v in zip(row, mean, variance, strict=True)), q(0)
            )
            logs = sum(((2 * arb.pi() * ball(v)).log() for v in variance), arb(0))
            g.append(None if prior is None else prior - (logs + ball(total)) / 2)
        if len(g) == 2:
            g = [None if None in g else g[1] - g[0]]
        for k, exact in enumerate(g):
            finite_bound = np.isfinite(bound[i, k]) and np.isfinite(scores[i, k])
            if exact is not None and finite_bound and abs(exact - ball(scores[i, k])) > bound[i, k]:
                off = number(abs(exact - ball(scores[i, k])).mid())
                yield f"FALSE BOUND: row {i}, class {k}: off by {off:.3g}, bound {bound[i, k]:.3g}"


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.redteam.predictions")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(given)
    found, findings = run(options.seconds, options.seed)
    for name, count in found.items():
        print(f"{name}: {', '.join(f'{value} {what}' for what, value in count.items())}")
    print(f"{len(findings)} findings", *findings, sep="\n")
    return int(bool(findings))


if __name__ == "__main__":
    raise SystemExit(main())
