"""The fits of a grid of C and γ to one fold: certificates, and scores of the rows held out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from ..certify.kernel_svm import KernelSVMCertificate, kernel_duality, several
from ..estimators.base import Problem, Training, binary_problems
from ..estimators.svc_prediction import SVCPrediction
from ..results import Status
from .scoring import Scoring
from .splits import Split
from .svc_fold import FoldDual
from .svc_gram import Gram


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

    def fit(self, gram: Gram, Cs: np.ndarray) -> Fold:
        """All C on one Gram matrix."""
        scores = np.full((len(self.problems), len(Cs), len(self.test)), np.nan)
        claims: list[list[KernelSVMCertificate | None]] = []
        for p, problem in enumerate(self.problems):
            solver = self._solver(gram, problem)
            claims.append([])
            for k, C in enumerate(Cs.tolist()):
                status = solver.solve(C * gram.unit)
                if status is Status.UNBOUNDED:
                    claims[-1].append(None)
                    continue
                scores[p, k] = solver.scores(self.test)
                claims[-1].append(self._claim(solver, problem, gram, C, status))
        together = [self._join([one[k] for one in claims]) for k in range(len(Cs))]
        judged = [
            np.nan if claim is None else self._judge(scores[:, k].T)
            for k, claim in enumerate(together)
        ]
        return Fold(np.array(judged), together)

    def _solver(self, gram: Gram, problem: Problem) -> FoldDual:
        inside = slice(None) if problem.rows is None else problem.rows
        weight = self.weight[inside] if len(self.weight) else np.ones(len(problem.y))
        most = self.model.max_iter or 10_000
        return FoldDual(gram.K, self.rows[inside], problem.y, weight, float(self.model.tol), most)

    def _claim(
        self,
        solver: FoldDual,
        problem: Problem,
        gram: Gram,
        C: float,
        status: Status,
    ) -> KernelSVMCertificate:
        model, y = self.model, problem.y
        alpha, bias = solver.alpha / gram.unit, solver.bias
        products = solver.g[solver.rows] + y
        found = kernel_duality(products, y, alpha, C * solver.weight, bias)
        if found.kkt <= model.tol:
            status = Status.CONVERGED
        elif status.ok:
            status = Status.STALLED
        if gram.centre is not None:  # f(x) = w·(x − m) + b
            bias -= float(((y * alpha) @ self.training.X[solver.rows]) @ gram.centre)
        side = None
        if len(self.training.classes) > 2:
            side = problem.positive, None if problem.others else problem.negative
        return KernelSVMCertificate(
            status=status,
            primal=found.primal,
            dual=found.dual,
            gap=found.gap,
            kkt=found.kkt,
            alpha=alpha,
            bias=bias,
            classes=self.training.classes,
            C=C,
            kernel=model.kernel,
            parameters={"gamma": gram.gamma, "degree": model.degree, "coef0": model.coef0},
            weighted=len(self.weight) > 0,
            tol=float(model.tol),
            side=side,
            how=f"decomposition along rising C, {solver.pairs} pairs",
        )

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
