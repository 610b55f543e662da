"""The derivation of the least squares classifier.

W = (XᵀX + αP)⁻¹ XᵀT        X augmented with 1, T the 1-of-K matrix of the labels, P = diag(0, 1 …)
E(W) = ½ Σ (XW − T)²        a sample goes to the class with the largest entry of Wᵀx
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.least_squares.trace.regression import penalty
from linscope.reports.formulas import plain
from linscope.tracing.derivation_elimination import Elimination
from linscope.tracing.derivation_matrices import EliminationPart, MatrixPart
from linscope.tracing.derivation_numbers import shown
from linscope.tracing.derivation_parts import Head, Part, QuantitiesPart, SamplesPart, SampleTable
from linscope.tracing.derivation_quantities import Quantities

from .classes import ClassSamples, ClassWork


class IndicatorWork(ClassWork):
    """All numbers of the derivation.

    Attributes
    ----------
    A, B : XᵀX (with the penalty) and XᵀT of the augmented samples
    W : the solution, one column per class
    """

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any, exact: bool):
        self.model, self.exact = model, exact
        size = model.n_features_in_ + bool(model.fit_intercept)
        self.data = ClassSamples(model, X, y, sample_weight, exact, unknowns=size)
        self._solve()
        left_out = model.n_features_in_ - model.certificate_.regression.columns_in_use
        rank_is_wrong = len(self._slopes.dependent) != left_out
        if self.data.samples.rational and not exact and rank_is_wrong:
            self.data.in_floats()
            self._solve()

    def _solve(self) -> None:
        samples, bias = self.data.samples, bool(self.model.fit_intercept)
        d = samples.width
        self.alpha = penalty(self.model, samples, self.exact)
        means = samples.means()
        centre = means if bias else means * 0
        raw, S = samples.squares(centre * 0), samples.squares(centre)
        ridge = np.zeros(d + bias) if not samples.rational else self.data.nothing(d + bias)
        ridge[bias:] = ridge[bias:] + self.alpha
        sums = means * samples.weights
        A = self.data.nothing((d + bias, d + bias))
        A[bias:, bias:] = raw[:d, :d]
        B = self.data.nothing((d + bias, raw.shape[0] - d))
        B[bias:] = raw[:d, d:]
        if bias:
            A[0, 0], A[0, 1:], A[1:, 0], B[0] = samples.weights, sums[:d], sums[:d], sums[d:]
        A[np.diag_indices(d + bias)] = A.diagonal() + ridge
        self.A, self.B = A, B
        self.elimination = Elimination(A, B)
        # Of many solutions the one with the shortest slopes: the bias is not counted.
        inner = S[:d, :d].copy()
        inner[np.diag_indices(d)] = inner.diagonal() + self.alpha
        self._slopes = Elimination(inner, S[:d, d:])
        slopes = self._fitted(self._slopes.solution())
        W = self.data.nothing(B.shape)
        W[bias:] = slopes
        if bias:
            W[0] = centre[d:] - centre[:d].dot(slopes)
        self.W = W

    def _fitted(self, slopes: np.ndarray) -> np.ndarray:
        """In floats the weights of the fit, which has more digits."""
        if self.data.samples.rational:
            return slopes
        fit = self.model.result_.weights[:, 1:].T
        # Two classes are fitted as −1 and +1: half of it for 0 and 1.
        return np.column_stack([-fit / 2, fit / 2]) if fit.shape[1] == 1 else fit

    def columns(self, start: int, stop: int) -> dict[str, np.ndarray]:
        """One row per sample: its class, the augmented sample, its scores, the class it gets."""
        data, bias = self.data, bool(self.model.fit_intercept)
        X = data.samples.rows(start, stop)[:, : data.samples.width]
        scores = X.dot(self.W[bias:])
        scores = scores + self.W[0] if bias else scores
        out = {"class": data.classes_of(start, stop)}
        if data.samples.weight is not None:
            out["weight"] = data.samples.c(start, stop)[:, 0]
        out |= {name: X[:, j] for j, name in enumerate(data.names)}
        out |= {f"score_{label}": scores[:, k] for k, label in enumerate(data.labels)}
        return out | {"predicted": np.array(data.labels)[scores.argmax(axis=1)]}

    @property
    def solution(self) -> Any:
        """w₂ − w₁, which is positive where the second class wins."""
        if not self.exact or len(self.data.labels) > 2:
            return None
        w = self.W[:, 1] - self.W[:, 0]
        return [w if self.model.fit_intercept else [0 * w[0], *w]]

    def quality(self) -> tuple[Any, int]:
        """E(W) and the number of mistakes."""
        data = self.data

        def block(start: int, stop: int) -> np.ndarray:
            found = self.columns(start, stop)
            scores = np.column_stack([found[f"score_{label}"] for label in data.labels])
            rest = scores - data.samples.Y[start:stop]
            wrong = (found["predicted"] != found["class"]).sum()
            error = (rest * rest * data.samples.c(start, stop)).sum()
            return np.array([error, wrong], dtype=object)

        error, wrong = data.samples.total(block)
        return error / 2, int(wrong)


def indicators(work: IndicatorWork, table: SampleTable, q: Quantities) -> list[Part]:
    """Add all quantities and return the parts that show them."""
    data, bias = work.data, bool(work.model.fit_intercept)
    ridge = work.alpha != 0
    q.add("n", "n", data.samples.n)
    if ridge:
        q.add("alpha", r"\alpha", work.alpha, words="the penalty")
    first = list(q)
    XtX = r"X^\top X + \alpha P" if ridge else r"X^\top X"
    q.add("XtX", f"({XtX})" if ridge else XtX, work.A)
    q.add("XtT", r"X^\top T", work.B)
    q.add("W", "W", work.W, rf"({XtX})^{{-1}} X^\top T")
    shown_from = len(q)
    if len(data.labels) == 2:
        formula = r"\mathbf{w}_2 - \mathbf{w}_1"
        words = f"{plain(formula)}, the boundary is w·x = 0"
        q.add("w", r"\mathbf{w}", work.W[:, 1] - work.W[:, 0], formula, words=words)
    error, mistakes = work.quality()
    q.add("E", "E(W)", error, r"\frac{1}{2}\sum (XW - T)^2")
    q.add("mistakes", r"\text{mistakes}", mistakes, words="samples of another class")
    # A row of W belongs to a feature, and w_k is the column of class k.
    names = [*(["bias"] if bias else []), *data.names]
    scores = tuple(f"score_{label}" for label in data.labels)
    heads = [
        *data.heads,
        Head(tuple(data.names), r"\mathbf{x}"),
        Head(scores, r"W^\top \mathbf{x}"),
        Head("predicted"),
    ]
    said = ["Columns depend on each other: of all solutions the shortest is taken."]
    system = EliminationPart(
        "elimination",
        f"{q['XtX'].symbol} W = XᵀT, eliminated",
        work.elimination,
        names,
        data.labels,
        work.exact,
        said if work._slopes.dependent else [],
    )
    W = shown(work.W, work.exact)
    return [
        *([QuantitiesPart("given", "given", first)] if first else []),
        system,
        MatrixPart("W", "the weights, one column per class", W, names, data.labels, "W"),
        QuantitiesPart("quality", "what the fit leaves", list(q)[shown_from:]),
        SamplesPart("fit", "the samples and their scores", table, heads),
    ]
