"""The fits of a grid of C and γ to one fold: certificates, and scores of the rows held out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from linscope.arithmetic.enclosures import UNIT, Ball
from linscope.fitting.training import Problem, Training, binary_problems
from linscope.results import Status
from linscope.validation.scoring import Scoring
from linscope.validation.splits import Split
from linscope.verify.kernel_values import Kernel

from ..certificates.inner_product import Evidence, evidence
from ..certificates.kernel_svm import KernelSVMCertificate, claim_of, several
from ..solvers.fold import FoldDual
from ..solvers.fold_gram import Gram
from ..solving.prediction import SVCPrediction
from ..verify.duality import Held


class HeldOut(SVCPrediction, ClassifierMixin, BaseEstimator):
    """An SVC whose scores of the rows to be judged are known; it predicts as any SVC does."""

    def __init__(self, classes: np.ndarray, multi_class: str, scores: np.ndarray):
        self.classes_, self.multi_class, self.scores = classes, multi_class, scores

    def _problem_scores(self, X) -> np.ndarray:
        return self.scores


class Fold(NamedTuple):
    """Of each C: the score, and the certificate; NaN and None where no hard margin exists."""

    scores: np.ndarray
    certificates: list[KernelSVMCertificate | None]


def fold_rows(split: Split, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows that train, each once, and their weights; empty if all are 1."""
    rows, counts = np.unique(split.train, return_counts=True)
    if len(weight) == 0 and counts.max() == 1:
        return rows, weight
    return rows, counts * (weight[rows] if len(weight) else 1.0)


class FoldFits:
    """One fold for one γ.

    Parameters
    ----------
    model : SVC, for its parameters
    training : all rows
    split : those that train and those that judge
    judge, weight : the score, and the weights of all rows in it or None
    """

    def __init__(
        self, model: Any, training: Training, split: Split, judge: Scoring, weight: Any
    ) -> None:
        self.model, self.training, self.judge = model, training, judge
        self.rows, self.weight = fold_rows(split, training.weight)
        self.test = split.test
        self.own = None if weight is None else weight[split.test]
        codes = training.codes[self.rows]
        self.problems = binary_problems(training.classes, codes, model.multi_class)

    def fit(self, gram: Gram, Cs: np.ndarray, prove: bool = True) -> Fold:
        """All C on one Gram matrix; without proofs there are no certificates."""
        scores = np.full((len(self.problems), len(Cs), len(self.test)), np.nan)
        claims: list[list[KernelSVMCertificate | None]] = []
        for p, problem in enumerate(self.problems):
            solver = self._solver(gram, problem)
            held = self._held(solver, problem, gram)
            about = (held, evidence(held)) if prove else None
            claims.append([])
            for k, C in enumerate(Cs.tolist()):
                status = solver.solve(C * gram.unit)
                if status is Status.UNBOUNDED:
                    claims[-1].append(None)
                    continue
                scores[p, k] = solver.scores(self.test)
                if about is not None:
                    claims[-1].append(self._claim(solver, problem, gram, C, status, about))
        judged = [
            self._judge(scores[:, k].T) if np.isfinite(scores[:, k]).all() else np.nan
            for k in range(len(Cs))
        ]
        if not prove:
            return Fold(np.array(judged), [None] * len(Cs))
        together = [self._join([one[k] for one in claims]) for k in range(len(Cs))]
        return Fold(np.array(judged), together)

    def _solver(self, gram: Gram, problem: Problem) -> FoldDual:
        inside = slice(None) if problem.rows is None else problem.rows
        weight = self.weight[inside] if len(self.weight) else np.ones(len(problem.y))
        rows, most = self.rows[inside], self.model.max_iter or 10_000
        tol = float(self.model.tol)
        return FoldDual(gram.K, rows, problem.y, weight, tol, most, gram.rounding.most)

    def _held(self, solver: FoldDual, problem: Problem, gram: Gram) -> Held:
        """The problem; its coefficients are still 0."""
        model, X = self.model, self.training.X[solver.rows]
        if model.kernel == "precomputed":
            X = X[:, solver.rows]
        kernel = Kernel(model._kernel_name, gram.gamma, model.degree, model.coef0)
        zeros = np.zeros(len(problem.y))
        return Held(X, problem.y, solver.weight, zeros, 0.0, kernel)

    def _claim(
        self,
        solver: FoldDual,
        problem: Problem,
        gram: Gram,
        C: float,
        status: Status,
        about: tuple[Held, Evidence],
    ) -> KernelSVMCertificate:
        held, shown = about
        alpha, bias = solver.alpha / gram.unit, solver.bias
        own = float(np.abs(solver.beta).sum()) * gram.rounding.error
        mid = solver.g[solver.rows] + problem.y + bias
        doubt = 1.01 * (own + solver.rounding) + 2.0 * UNIT * (np.abs(mid) + abs(bias))
        if gram.centre is not None:
            bias, more = self._moved_bias(solver, problem.y * alpha, gram.centre, bias)
            doubt = doubt + more
        held = held._replace(top=C * solver.weight, alpha=alpha, bias=bias)
        side = None
        if len(self.training.classes) > 2:
            side = problem.positive, None if problem.others else problem.negative
        more_facts = {
            "classes": self.training.classes,
            "C": C,
            "parameters": dict(zip(("gamma", "degree", "coef0"), held.kernel[1:], strict=True)),
            "weighted": len(self.weight) > 0,
            "side": side,
            "how": f"decomposition along rising C, {solver.pairs} pairs",
        }
        return claim_of(held, Ball(mid, doubt), status, float(self.model.tol), more_facts, shown)[0]

    # f(x) = w·(x − m) + b with w = Σβ(x − m); Σβ is 0 only to rounding
    def _moved_bias(
        self, solver: FoldDual, beta: np.ndarray, centre: np.ndarray, bias: float
    ) -> tuple[float, float]:
        """b for rows as they are, and a bound of what rounding that adds to their scores."""
        X = np.asarray(self.training.X[solver.rows] - centre, dtype=np.float64)
        w = beta @ X
        moved = bias - float(w @ centre)
        size = np.abs(beta) @ np.abs(X)
        lost = (len(beta) + len(centre) + 8) * UNIT * float(size @ np.abs(centre))
        far = float(np.abs(self.training.X[solver.rows] @ centre).max(initial=0.0))
        return moved, 1.01 * (lost + UNIT * abs(moved) + far * abs(float(beta.sum())))

    def _join(self, claims: list[KernelSVMCertificate | None]) -> KernelSVMCertificate | None:
        known = [one for one in claims if one is not None]
        if len(known) < len(claims):
            return None
        if len(known) == 1:
            return known[0]
        names = [problem.name for problem in self.problems]
        return several(dict(zip(names, known, strict=True)), self.training.classes)

    def _judge(self, scores: np.ndarray) -> float:
        held = HeldOut(self.training.classes, self.model.multi_class, scores)
        y = self.training.classes[self.training.codes[self.test]]
        if self.judge.name == "accuracy":
            return float(np.average(held.predict(None) == y, weights=self.own))
        more = {} if self.own is None else {"sample_weight": self.own}
        value = float(self.judge.scorer(held, self.training.X[self.test], y, **more))
        if not np.isfinite(value):
            raise ValueError(f"scoring={self.judge.name!r} is {value} for a fold: choose another")
        return value
