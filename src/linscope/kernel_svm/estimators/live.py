"""What a kernel SVM's attributes say now, in the form of its certificate."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp

from linscope.data import to_matrix
from linscope.data.tables import TableLike
from linscope.fitting.verified import Verified
from linscope.verify.answers import Answers, kernel_answers, linear_answers, linear_form, some
from linscope.verify.kernel_values import Kernel

from ..certificates.kernel_svm import KernelSVMCertificate
from ..solving.prediction import SVCPrediction


class SVCLive(SVCPrediction, Verified):
    """``verify(X, y)`` of the coefficients, vectors and biases that a model holds.

    ``_rows`` are the rows of the table that each problem has coefficients for.
    """

    certificate_: KernelSVMCertificate
    probability: bool
    slope_: float
    _rows: list[np.ndarray]

    def _live_claim(self, X: TableLike) -> KernelSVMCertificate:
        matrix, _ = to_matrix(X)
        self._check_vectors(matrix)
        claim = self.certificate_
        count = len(claim.parts) or 1
        sides, n = self._sides(count), matrix.shape[0]
        sign = -1.0 if self._pairs else 1.0
        coefficients = sign * np.asarray(self.dual_coef_, dtype=np.float64)
        if claim.slope is not None and claim.slope != self.slope_:
            raise ValueError("slope_ is not that of the certificate")
        if self.probability and not hasattr(self, "slope_"):
            raise ValueError("probability=True needs another fit")
        parts: list[Any] = []
        known: dict[str, Any] = claim.parts or {"": claim}
        for k, part in enumerate(known.values()):
            beta = np.zeros(n)
            row, side = sides[k]
            beta[self.support_] = side * coefficients[row, np.arange(len(self.support_))]
            live: dict[str, Any] = {"alpha": beta[self._rows[k]]}
            live["bias"] = sign * float(self.intercept_[k])
            if part.weights is not None:
                live["weights"] = sign * self._coef[k].astype(np.float64)
            live |= {"kernel": self._kernel_name, "parameters": self._kernel_parameters(part)}
            parts.append(replace(part, **live))
        if not claim.parts:
            return parts[0]
        return replace(claim, parts=dict(zip(claim.parts, parts, strict=True)))

    def _kernel_parameters(self, part: Any) -> dict[str, Any]:
        """The numbers of the kernel that the certificate has, as the model has them now."""
        own = {"gamma": self._gamma, "degree": self.degree, "coef0": self.coef0}
        return {name: own[name] for name in part.parameters}

    def _certified_answers(self, X: Any) -> tuple[Any, Answers]:
        claim = self.certificate_
        X = some(X, len(self.support_) * X.shape[1])
        part: Any = next(iter(claim.parts.values()), claim)
        form = linear_form(claim)
        if claim.slope is not None:
            form |= {"slope": claim.slope, "logits": "softmax"}
        sign = -1.0 if form["pairs"] else 1.0
        if part.weights is not None:
            parts: list[Any] = list(claim.parts.values()) or [claim]
            weights = np.array([np.r_[part.bias, part.weights] for part in parts])
            return X, linear_answers(X, weights, X.dtype, **form)
        given = part.kernel == "precomputed"
        rows = X[:, self.support_] if given else X
        Z = None if given else self.support_vectors_
        held = sign * self._joined_coefficients(), sign * self.intercept_
        kernel = Kernel(part.kernel, **part.parameters)
        return X, kernel_answers(kernel, rows, Z, *held, X.dtype, **form)

    def _joined_coefficients(self) -> np.ndarray:
        """The entries of ``dual_coef_`` for each problem, one for each support vector."""
        count, held = len(self.certificate_.parts) or 1, np.asarray(self.dual_coef_, np.float64)
        every = np.arange(len(self.support_))
        return np.array([held[row, every] * (side != 0) for row, side in self._sides(count)])

    def _sides(self, count: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Of each problem: the row of dual_coef_ of each vector, and its sign, 0 if it has none."""
        own = np.repeat(np.arange(len(self.classes_)), self.n_support_)
        if len(own) != len(self.support_) or self.dual_coef_.shape[1] != len(own):
            raise ValueError("support_, n_support_ and dual_coef_ do not belong together")
        if not self._pairs:
            labels = [1] if count == 1 else list(range(count))
            return [
                (np.full(len(own), k), np.where(own == c, 1.0, -1.0)) for k, c in enumerate(labels)
            ]
        return [
            (np.where(own == a, b - 1, a), np.where(own == b, 1.0, np.where(own == a, -1.0, 0.0)))
            for a, b in combinations(range(len(self.classes_)), 2)
        ]

    def _check_vectors(self, matrix: Any) -> None:
        if self.kernel == "precomputed":
            return
        given, held = matrix[self.support_], self.support_vectors_
        given = given.toarray() if sp.issparse(given) else given
        held = held.toarray() if sp.issparse(held) else np.asarray(held)
        if not np.array_equal(given, held):
            raise ValueError("support_vectors_ are not the rows support_ of X")
