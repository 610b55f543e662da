"""Gauss elimination of A x = B, step by step.

Step j subtracts multiples of row j from the rows below it,

    row_i ← row_i − (a_ij / a_jj) row_j        i > j,

and afterwards the unknowns follow from the last to the first:

    x_j = (b_j − Σ_{k > j} a_jk x_k) / a_jj.

A is symmetric and has no negative eigenvalue, so no rows are exchanged; a pivot a_jj = 0 means that
column j depends on the columns before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .derivation_numbers import constant, gram


class Pivot(NamedTuple):
    """One step: the pivot, what multiples of its row were subtracted, and the matrix after it.

    ``pivot`` is None where the column depends on earlier ones; then nothing happens.
    """

    column: int
    pivot: Any
    factors: np.ndarray
    matrix: np.ndarray


@dataclass(frozen=True, eq=False)
class Elimination:
    """The system A x = B and the way to its solution; steps are worked out as they are asked for.

    Parameters
    ----------
    A : (p, p) symmetric positive semi-definite matrix of floats or fractions
    B : (p, t) right-hand sides
    """

    A: np.ndarray
    B: np.ndarray

    @property
    def size(self) -> int:
        return len(self.A)

    @property
    def matrix(self) -> np.ndarray:
        """[A | B]"""
        return np.column_stack([self.A, self.B])

    def __len__(self) -> int:
        return max(0, self.size - 1)

    def __iter__(self) -> Iterator[Pivot]:
        M = self.matrix
        zero = M[0, 0] * 0
        for j in range(len(self)):
            pivot = None if self._vanishes(M[j, j], j) else M[j, j]
            factors = np.full(self.size - j - 1, zero)
            M = M.copy()
            if pivot is None:  # then the rest of its row and column is 0, but for rounding
                M[j, j:] = zero
            else:
                factors = M[j + 1 :, j] / pivot
                M[j + 1 :] = M[j + 1 :] - np.multiply.outer(factors, M[j])
            M[j + 1 :, j] = zero
            yield Pivot(j, pivot, factors, M)

    def _vanishes(self, pivot: Any, j: int) -> bool:
        if isinstance(pivot, Fraction):
            return pivot == 0
        return bool(pivot <= 1e-12 * self.size * self.A[j, j])

    @cached_property
    def triangle(self) -> np.ndarray:
        """[R | C] after the last step."""
        matrix = self.matrix
        for step in self:
            matrix = step.matrix
        return matrix

    @cached_property
    def dependent(self) -> list[int]:
        """Columns that depend on the ones before them."""
        return [j for j in range(self.size) if self._vanishes(self.triangle[j, j], j)]

    def _back(self, right: np.ndarray) -> np.ndarray:
        """The unknowns from the last to the first; those of dependent columns are 0."""
        x = constant(0, right.shape, right.dtype == object)
        for j in reversed(range(self.size)):
            if j not in self.dependent:
                row = self.triangle[j, j + 1 : self.size]
                x[j] = (right[j] - row.dot(x[j + 1 :])) / self.triangle[j, j]
        return x

    def solution(self) -> np.ndarray:
        """x (p, t); of many solutions the shortest.

        >>> two, six = Fraction(2), Fraction(6)
        >>> system = Elimination(np.array([[two, two], [two, two]]), np.array([[six], [six]]))
        >>> system.dependent, system.solution().ravel().tolist()
        ([1], [Fraction(3, 2), Fraction(3, 2)])
        """
        x = self._back(self.triangle[:, self.size :])
        if not self.dependent:
            return x
        # Solutions differ by combinations of N, a column for each unknown that is free.
        N = self._back(-self.triangle[:, self.dependent])
        for k, j in enumerate(self.dependent):
            N[j, k] = N[j, k] + 1
        return x - N.dot(Elimination(gram(N, N), gram(N, x)).solution())
