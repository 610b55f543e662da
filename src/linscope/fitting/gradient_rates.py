"""How large may a learning rate be? The curvature of the loss decides.

    H = b Σ_i c_i x_i x_i' + α diag(0, 1 … 1),      λmax, λmin its extreme eigenvalues

with b the largest f''. For the squared loss b = 1 and H is ∇²J. The log loss has b = ¼ (½ for a
softmax), and H is a bound: J is nowhere more curved. Then a rate above 2/λmax may make steps grow,
or may not, and the least curvature is only known to be that of the penalty.

Batch. A step multiplies the error along an eigenvector by 1 − ηλ. All errors shrink if η < 2/λmax;
if η > 2/λmax the one along the steepest direction grows without end. "auto" takes the best rate
2/(λmax + λmin), but at most 1.5/λmax: near 2/λmax the steepest direction swings for very long.

Stochastic and mini-batch. One batch B moves the error by I − ηH_B. No direction grows, whatever the
order of the visits, if η ≤ 1/λmax(H_B) for all batches; λmax(H_B) ≤ Σ_{i ∈ B} b c_i‖x_i‖² + α|B|/n.
A constant rate makes the weights oscillate around the minimum; the excess of J is about
½ η mean(b c_i‖x_i‖²) of J. "auto" takes the rate for an excess of 5 %, or the safe one if it is
less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from linscope.engines import Engine
from linscope.rows.blocks import Block
from linscope.rows.operations import as_rows

from . import gradient_loops as loops

# Up to this many weights H is formed and its eigenvalues are exact.
EXACT_WEIGHTS = 256
EXCESS = 0.1


class Curvature(NamedTuple):
    """λmax and λmin of H, leaving out directions without any curvature; λmin may be NaN."""

    largest: float
    smallest: float


class Choice(NamedTuple):
    """A learning rate and why it was chosen."""

    eta: float
    reason: str


ANY_RATE = Choice(1.0, "the data are all 0, so any rate does")


def curvature(engine: Engine, bias: float, alpha: float, bend: float = 1.0) -> Curvature:
    """λmax and λmin of H.

    For more than ``EXACT_WEIGHTS`` weights λmax comes from the Lanczos method, which never
    overestimates it, and λmin stays unknown.

    Parameters
    ----------
    engine : the rows
    bias : 1, or 0 without intercept
    alpha : strength of the penalty
    bend : the largest f''
    """
    n_weights = engine.n_features + 1
    penalty = np.full(n_weights, alpha)
    penalty[0] = 0.0
    if n_weights > EXACT_WEIGHTS:
        return Curvature(_lanczos(engine, penalty, bias, bend), np.nan)
    hessian = bend * engine.fold(block_hessian, bias)
    eigenvalues = np.linalg.eigvalsh(hessian + np.diag(penalty))
    largest = float(max(eigenvalues[-1], 0.0))
    curved = eigenvalues[eigenvalues > 1e-14 * n_weights * largest]
    return Curvature(largest, float(curved[0]) if len(curved) else np.nan)


def block_hessian(block: Block, bias: float) -> np.ndarray:
    """Σ c_i x_i x_i' over one row block."""
    X = block.X.toarray() if sp.issparse(block.X) else block.X
    A = np.empty((len(X), X.shape[1] + 1))
    A[:, 0], A[:, 1:] = bias, X
    return A.T @ (A if not block.weighted else block.weight[:, None] * A)


def block_product(block: Block, bias: float, v: np.ndarray) -> np.ndarray:
    """Σ c_i (x_i·v) x_i over one row block."""
    total = np.zeros_like(v)
    weight = np.ones(block.X.shape[0]) if not block.weighted else block.weight
    loops.add_product(as_rows(block.X, bias), weight, v, total)
    return total


def _lanczos(engine: Engine, penalty: np.ndarray, bias: float, bend: float) -> float:
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    def product(v: np.ndarray) -> np.ndarray:
        v = np.ascontiguousarray(v.ravel(), dtype=np.float64)
        return bend * engine.fold(block_product, bias, v) + penalty * v

    size = len(penalty)
    operator = LinearOperator((size, size), matvec=product, dtype=np.float64)
    first = np.random.default_rng(0).standard_normal(size)
    try:
        found = eigsh(operator, k=1, tol=1e-3, v0=first, return_eigenvectors=False)
    except ArpackNoConvergence as error:
        found = error.eigenvalues if len(error.eigenvalues) else [first @ product(first) / size]
    return float(max(found[0], 0.0))


def batch_rate(bends: Curvature, of: str = "∇²J") -> Choice:
    """The rate of "auto" for batch descent; ``of`` says whose eigenvalues these are."""
    largest, smallest = bends
    if largest == 0.0:
        return ANY_RATE
    best = 2.0 / (largest + smallest)
    if best < 1.5 / largest:
        return Choice(best, f"2/(λmax + λmin) of {of}")
    if np.isnan(smallest):
        return Choice(1.0 / largest, f"1/λmax of {of}")
    return Choice(1.5 / largest, f"1.5/λmax of {of}")


def sample_rate(
    longest: float, mean: float, n: int, size: int, alpha: float, bend: float = 1.0
) -> Choice:
    """The rate of "auto" for batches of ``size`` samples out of n.

    ``longest`` and ``mean`` are the sum of the ``size`` largest c_i‖x_i‖², and the mean of all.
    """
    highest = bend * longest + alpha * size / n
    mean = bend * mean + alpha / n
    if highest == 0.0:
        return ANY_RATE
    if EXCESS / mean <= 1.0 / highest:
        return Choice(EXCESS / mean, f"{EXCESS / bend:g}/mean‖x‖²")
    most = "max‖x‖²" if size == 1 else "max Σ‖x‖² over a batch"
    return Choice(1.0 / highest, f"{1 / bend:g}/{most}")
