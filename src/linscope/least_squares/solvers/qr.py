"""R of the columns by QR of row blocks, for tables with many columns.

    [A_1; A_2; …] = Q R :   R = qr([qr(A_1); qr(A_2)]) and so on, block by block (TSQR)

The condition number enters once, not squared as in the normal equations, so floats do, and
refinement in double-double brings the digits. Rank by pivoting: a column is dependent when what
is left of it is at the level of rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

from linscope.arithmetic.double_double import UNIT, Pair
from linscope.engines import Engine
from linscope.rows.blocks import Block
from linscope.rows.pilot import Frame

from .cholesky import Factor, condition_of


def factor_by_qr(engine: Engine, frame: Frame, *, fit_intercept: bool, alpha: float) -> Factor:
    """R of the columns √c·[1, z], with √Λ below them."""
    n, d = engine.n_rows, engine.n_features
    triangle = engine.cut(max(4 * (1 + d), 4096)).fold(_triangle, frame)
    if alpha > 0:
        penalty = np.ldexp(np.sqrt(alpha), frame.exponent[frame.features])
        triangle = triangle.plus(Triangle(np.diag(np.r_[0.0, penalty])))
    R = triangle.R
    columns = np.arange(0 if fit_intercept else 1, 1 + d)
    R = R[:, columns]
    norms = np.linalg.norm(R, axis=0)
    unit = R / np.where(norms > 0, norms, 1.0)
    _, T, order = linalg.qr(unit, mode="economic", pivoting=True)
    left = np.abs(np.diag(T))
    rank = int(np.sum(left > 4 * UNIT * max(n, d)))
    kept, out = np.sort(order[:rank]), np.sort(order[rank:])
    R_kept = linalg.qr(unit[:, kept], mode="r")[0][:rank] * norms[kept]
    S = linalg.solve_triangular(R_kept, np.eye(rank))
    t = S @ (S.T @ ((unit[:, kept] * norms[kept]).T @ R[:, out]))
    dependent = {int(columns[j]): t[:, k] for k, j in enumerate(out)}
    size = norms[kept]
    return Factor(
        columns[kept], Pair.of(R_kept), Pair.of(S), size, condition_of(R_kept, size), dependent
    )


class Triangle(NamedTuple):
    """R of some rows."""

    R: np.ndarray

    def plus(self, other: Triangle) -> Triangle:
        return Triangle(np.asarray(np.linalg.qr(np.vstack([self.R, other.R]), mode="r")))


def _triangle(block: Block, frame: Frame) -> Triangle:
    X = block.X.toarray() if sparse.issparse(block.X) else block.X
    A = np.ones((len(X), 1 + X.shape[1]))
    np.subtract(X, frame.shift[frame.features], out=A[:, 1:])
    A[:, 1:] *= np.ldexp(1.0, frame.exponent[frame.features])
    if block.weighted:
        A *= np.sqrt(block.weight)[:, None]
    return Triangle(np.asarray(np.linalg.qr(A, mode="r")))
