"""Exact class totals, means and scatters, and problems for the models that are made of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq

from . import tables
from .exact import ZERO, dot, gram, number, q, rationals, table
from .judging import NOTHING
from .problem import Problem


def make(name: str, rng: np.random.Generator, level: str) -> Problem:
    classes = int(rng.choice([2, 2, 2, 3, 4, 30], p=[0.3, 0.2, 0.2, 0.15, 0.1, 0.05]))
    n, d = tables.shape(rng, rows=14, columns=4)
    n = max(n, classes + 2)
    X, kind = tables.table(rng, n, d, level)
    params: dict[str, Any] = {}
    if name == "GaussianNaiveBayes":
        params["shared_variance"] = bool(rng.random() < 0.3)
    y = tables.labels(rng, X, classes)
    params |= tables.class_weight(rng, y)
    weight = tables.weights(rng, n, level)
    problem = Problem(name, params, tables.form(rng, X), y, weight, level, kind)
    if name == "FisherDiscriminant":
        params |= discriminant_options(rng, len(np.unique(y)))
    return problem


def discriminant_options(rng: np.random.Generator, classes: int) -> dict[str, Any]:
    """Mostly none: given priors, a ridge, directions along the means."""
    choice, options = rng.random(), {}
    if choice < 0.1:
        options["mean_difference"] = True
    if 0.05 < choice < 0.2:
        share = rng.integers(1, 9, classes)
        options["priors"] = (share / share.sum()).tolist()
    if 0.15 < choice < 0.3:
        options["shrinkage"] = float(rng.choice([1e-9, 1e-3, 0.1, 0.5, 1.0]))
    return options


class Moments:
    """Exact class totals, means and scatters of the rows with weight."""

    def __init__(self, problem: Problem):
        self.problem = problem
        c = problem.c
        self.labels = list(np.unique(problem.y))
        X = table(problem.dense)
        self.rows = [
            [X[i] for i in np.flatnonzero((problem.y == v) & (c > 0))] for v in self.labels
        ]
        self.c = [rationals(c[(problem.y == v) & (c > 0)]) for v in self.labels]
        self.totals = [sum(c, ZERO) for c in self.c]
        self.means = [self._mean(rows, c) for rows, c in zip(self.rows, self.c, strict=True)]
        self.d = problem.dense.shape[1]

    def _mean(self, rows, c) -> list[fmpq] | None:
        if not rows:
            return None
        total = sum(c, ZERO)
        return [dot(list(column), c) / total for column in zip(*rows, strict=True)]

    @property
    def seen(self) -> list[int]:
        return [k for k, rows in enumerate(self.rows) if rows]

    def centred(self, k: int) -> list[list[fmpq]]:
        return [[v - m for v, m in zip(row, self.means[k], strict=True)] for row in self.rows[k]]

    @cached_property
    def scatter(self) -> list[list[fmpq]]:
        """S_W."""
        rows = [row for k in self.seen for row in self.centred(k)]
        return gram(rows, [c for k in self.seen for c in self.c[k]])

    @cached_property
    def shares(self) -> list[fmpq]:
        """The probabilities of the classes, given or counted; of those with samples only."""
        given = self.problem.params.get("priors")
        shares = self.totals if given is None else rationals(given)
        shares = [s if rows else ZERO for s, rows in zip(shares, self.rows, strict=True)]
        total = sum(shares, ZERO)
        return [s / total for s in shares]

    @cached_property
    def covariance(self) -> list[list[fmpq]]:
        """Σ = (1 − s) Σ_k π_k S_k/W_k + s·(mean variance)·1."""
        parts = [gram(self.centred(k), [c * self.shares[k] / self.totals[k] for c in self.c[k]])
                 for k in self.seen]  # fmt: skip
        mixed = [[sum(column, ZERO) for column in zip(*rows, strict=True)]
                 for rows in zip(*parts, strict=True)]  # fmt: skip
        s = q(self.problem.params.get("shrinkage") or 0.0)
        mean = sum((mixed[j][j] for j in range(self.d)), ZERO) / self.d
        return [[(1 - s) * v + (s * mean if i == j else ZERO) for j, v in enumerate(row)]
                for i, row in enumerate(mixed)]  # fmt: skip

    def sum_of_squares(self, k: int, j: int) -> fmpq:
        return sum((c * row[j] * row[j] for row, c in zip(self.centred(k), self.c[k], strict=True)),
                   ZERO)  # fmt: skip

    def total_variance(self, j: int) -> fmpq:
        c = [v for k in self.seen for v in self.c[k]]
        x = [row[j] for k in self.seen for row in self.rows[k]]
        total = sum(c, ZERO)
        mean = dot(x, c) / total
        return sum((w * (v - mean) * (v - mean) for v, w in zip(x, c, strict=True)), ZERO) / total

    def compare_shares(self, claim: Any) -> Iterator[str]:
        for k in self.seen:
            if not np.isnan(claim.totals[k]) and not _near(claim.totals[k], self.totals[k], 1e-9):
                yield f"class {k} has weight {number(self.totals[k])!r}"
            share = self.shares[k]
            if not np.isnan(claim.priors[k]) and not _near(claim.priors[k], share, 1e-9):
                yield f"class {k} has prior {number(share)!r}"

    def compare_means(self, claim: Any) -> Iterator[str]:
        means = np.asarray(claim.means)
        if means.shape != (len(self.labels), self.d):
            yield f"means of shape {means.shape}"
            return
        for k in self.seen:
            for j in range(self.d):
                room = max(abs(row[j]) for row in self.rows[k]) * q(16 * 2.0**-53)
                if not np.isnan(means[k, j]) and not _near(
                    means[k, j], self.means[k][j], 0.0, room
                ):
                    yield f"mean {k}, {j} is {number(self.means[k][j])!r}, not {means[k, j]!r}"
                    return


def _near(claimed: Any, true: fmpq, relative: float, room: fmpq = ZERO) -> bool:
    return bool(np.isfinite(claimed)) and abs(q(claimed) - true) <= abs(true) * q(
        relative
    ) + room + q(NOTHING)
