"""Is a claim about a perceptron in feature space true? Its vector w = Σ α_i φ(x_i) is its proof.

    score      f(x) = Σ α_i K(x_i, x) + b          ‖w‖² = Σ α_i (f(x_i) − b) + b²
    mistakes   samples with y f < 0, and those with f = 0 that the tie rule counts as wrong
    margin     min y f / ‖w‖          radius   R = max √(K(x, x) + 1), K(x, x) without intercept
               0 if ‖w‖² is not positive (a sigmoid), or not told from 0 (many samples)

Kernel values are worked out anew, with bounds (``kernel_values``), and signs are exact where bounds
do not decide (``kernel_signs``). A sample whose sign nothing decides counts as a mistake.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np

from linscope.arithmetic.enclosures import Ball, dense, total
from linscope.results import Check, Status
from linscope.verify.claims import checked, require
from linscope.verify.kernel_signs import MOST, exact_energy, given_values, signed_sums
from linscope.verify.kernel_values import Kernel, kernel_sums, matrix_sums, own_values

from .perceptron import TIES, Measured, compare, counted_rows, problem_rows

# Scores are summed in pairs of floats where rounding is more than this share of them, up to so many
# products of features.
COARSE, PRECISE = 1e-11, 1e6
# ‖w‖² is worked out exactly where rounding is more than this share of it.
VAGUE = 1e-10


@dataclass(frozen=True)
class KernelFacts(Measured):
    """Besides: ‖w‖, and how many signs nothing decides."""

    length: float
    unknown: int


def check(claim: Any, X: Any, y: Any) -> Check:
    """Recompute all that the claim of one binary problem says."""
    return checked(_claims, claim, X, y)


def _claims(claim: Any, X: Any, y: Any) -> str:
    matrix, own, signs = problem_rows(claim, X, y)
    rows = _rows(claim, matrix, own)
    alpha = np.asarray(claim.alpha, dtype=np.float64)
    fits = alpha.shape == (len(signs),)
    require(fits, f"{alpha.shape} coefficients, but {len(signs)} samples")
    finite = np.isfinite(alpha).all() and np.isfinite(claim.bias)
    require(finite, "the coefficients or the bias are not finite")
    require(_bias_fits(claim, alpha), "the bias is not the sum of the coefficients")
    require(not len(claim.weights), "a kernel perceptron has coefficients, not weights")
    kernel = _kernel(claim)
    found = measure(kernel, rows, signs, alpha, claim.bias, claim.tie, claim.intercept)
    right = _last_is_right(claim, kernel, rows, signs)
    require(right, "no last vector that classifies every sample correctly")
    return compare(claim, found, found.length, len(signs))


def _bias_fits(claim: Any, alpha: np.ndarray) -> bool:
    """Whether it is Σα, rounded once."""
    if not claim.intercept:
        return claim.bias == 0.0
    exact = fsum(alpha.tolist())
    single = np.array_equal(alpha, alpha.astype(np.float32))  # then so may be the bias
    return claim.bias == exact or (single and claim.bias == float(np.float32(exact)))


def _last_is_right(claim: Any, kernel: Kernel, rows: Any, y: np.ndarray) -> bool:
    """Whether a claim to have converged has a last vector without mistakes."""
    if claim.status is not Status.CONVERGED:
        return claim.last is None
    last = claim.last
    if last is None or last.shape != y.shape or not np.isfinite(last).all():
        return False
    if claim.output != "averaged":
        return False
    bias = float(last.sum()) if claim.intercept else 0.0
    return measure(kernel, rows, y, last, bias, claim.tie, claim.intercept).mistakes == 0


def _kernel(claim: Any) -> Kernel:
    given = {name: value for name, value in claim.parameters.items() if value is not None}
    return Kernel(claim.kernel, **given)


def _rows(claim: Any, matrix: Any, own: np.ndarray) -> Any:
    if claim.kernel != "precomputed":
        return matrix[own]
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a precomputed kernel must be square, got shape {matrix.shape}")
    counted_rows(claim, matrix.shape[0])
    return dense(matrix[own][:, own])


def measure(
    kernel: Kernel,
    X: Any,
    y: np.ndarray,
    alpha: np.ndarray,
    bias: float,
    tie: str,
    intercept: bool,
    plain: Ball | None = None,
) -> KernelFacts:
    """Facts about w on the rows of a problem; for a given matrix X is that of these rows.

    ``plain`` are scores with bounds of their rounding, if they are known.
    """
    if len(y) == 0:  # a pair of classes whose samples all have weight 0
        return KernelFacts(0, 0, 0.0, 0.0, 0.0, 0)
    # Brought near 1 by a power of two: squares of the coefficients must not leave the range.
    k = int(np.frexp(np.abs(alpha).max())[1])
    alpha, bias = np.ldexp(alpha, -k), float(np.ldexp(bias, -k))
    plain = None if plain is None else Ball(np.ldexp(plain.mid, -k), np.ldexp(plain.rad, -k))
    used = np.flatnonzero(alpha)
    given = kernel.name == "precomputed"
    rows, Z = (X[:, used], None) if given else (X, X[used])
    sums = kernel, rows, Z, alpha[used], bias
    if plain is None or _length2(plain, alpha, bias) is None:
        plain = plain_sums(*sums)
    rough = _rough(plain, alpha, bias)
    if rough.any() and float(rough.sum()) * len(used) * X.shape[1] <= PRECISE:
        better = plain_sums(kernel, rows[rough], *sums[2:], precise=True)
        mid, rad = plain.mid.copy(), plain.rad.copy()
        mid[rough], rad[rough] = better.mid, better.rad
        plain = Ball(mid, rad)
    f, unknown = signed_sums(*sums, plain)
    signed = y * f
    wrong_at_zero = np.where(y > 0, *TIES[tie])
    wrong = (signed < 0) | ((signed == 0) & wrong_at_zero) | unknown
    length2 = _length2(Ball(f, 2.0 * plain.rad), alpha, bias)
    length2 = _exact_length2(kernel, X, alpha, bias) if length2 is None else length2
    length = float(np.sqrt(length2)) if length2 > 0 else 0.0
    return KernelFacts(
        mistakes=int(wrong.sum()),
        ties=int(((signed == 0) & ~unknown).sum()),
        margin=float(signed.min()) / length + 0.0 if length else 0.0,
        radius=_radius(kernel, X, intercept),
        length=float(np.ldexp(length, k)),
        unknown=int(unknown.sum()),
    )


def _length2(f: Ball, alpha: np.ndarray, bias: float) -> float | None:
    """‖w‖², or None where rounding is too much of it."""
    length2 = total((f - bias) * alpha) + Ball.of(bias) * bias
    return float(length2.mid) if length2.rad <= VAGUE * length2.mid else None


def _exact_length2(kernel: Kernel, X: Any, alpha: np.ndarray, bias: float) -> float:
    used = np.flatnonzero(alpha)
    if float(len(used)) ** 2 * X.shape[1] > MOST:
        return 0.0
    own = X[np.ix_(used, used)] if kernel.name == "precomputed" else X[used]
    return exact_energy(kernel, own, alpha[used], bias) or 0.0


def plain_sums(
    kernel: Kernel, rows: Any, Z: Any, beta: np.ndarray, bias: float, *, precise: bool = False
) -> Ball:
    """Scores of rows; for a given matrix ``rows`` are kernel values and Z is None."""
    if not len(beta):
        return Ball.of(np.full(rows.shape[0], bias))
    if Z is None:
        return matrix_sums(given_values(rows), beta, bias, precise=precise)
    return kernel_sums(kernel, rows, Z, beta, bias, precise=precise)


def _rough(f: Ball, alpha: np.ndarray, bias: float) -> np.ndarray:
    """The rows whose rounding is too much of their score; all, if it is too much of ‖w‖²."""
    length2 = float(alpha @ (f.mid - bias)) + bias * bias
    doubt = float(f.rad.max()) * float(np.abs(alpha).sum())
    if not doubt <= COARSE * length2:
        return np.ones(len(f.mid), dtype=bool)
    return ~(f.rad <= COARSE * np.abs(f.mid))


def _radius(kernel: Kernel, X: Any, intercept: bool) -> float:
    own = np.asarray(X).diagonal() if kernel.name == "precomputed" else own_values(kernel, X)
    most = float(own.max()) + (1.0 if intercept else 0.0)
    return float(np.sqrt(max(most, 0.0)))
