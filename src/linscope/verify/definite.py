"""Positive definite systems N x = b in whole numbers, solved with a proven bound of the error.

The matrix is brought near 1 by powers of two, N̂ = 2^(−f_i − f_j) N. Cholesky's elimination of
N̂ − μ that comes to its end proves λ_min(N̂) ≥ μ − ‖E‖, where E is all that rounding has changed:

    in floats           ‖E‖ ≤ γ_{r+1}/(1 − γ_{r+1}) · trace(N̂)       (Rump 2006)
    in B-bit fractions  ‖E‖ ≤ 8 r² 2^−B          (each step changes an entry by 8 units at most)

Residuals ρ = b − N x are taken without rounding, and a residual is a distance:

    ‖x̂ − x̂*‖ ≤ ‖ρ̂‖ / λ_min

Floats do while the condition number is below about 1e11, then longer and longer fractions do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from linscope.arithmetic.enclosures import gamma

# Bits of the fractions, and how many of them the solution shall have right.
BITS = (256, 512, 1024, 2304)
WANTED = 128
# Elimination of r columns in long integers takes about r³ · 0.3 µs.
MOST_LONG = 128
MOST_ROUNDS = 40
LOWEST = 1000
POINT = 60
HOPED = 2.0**-40


class Solution(NamedTuple):
    """x_jt = numbers_jt · 2^−point, and ‖2^f (x_t − x_t*)‖ ≤ distance_t · 2^scale_t.

    ``residual`` is ‖ρ̂‖ in the same units and ``least`` the proven bound of λ_min(N̂).
    """

    numbers: np.ndarray
    point: int
    f: np.ndarray
    distance: np.ndarray
    residual: np.ndarray
    scale: np.ndarray
    least: float


class Factor(NamedTuple):
    """``solve`` takes ρ̂ and gives about N̂⁻¹ρ̂, both times 2^bits; λ_min(N̂) ≥ ``least``."""

    solve: Callable[[np.ndarray], np.ndarray]
    bits: int
    least: float


def factors(N: np.ndarray, f: np.ndarray) -> Iterator[Factor]:
    """Better and better factors, as far as they prove that N is positive definite."""
    found = by_floats(N, f)
    if found is not None:
        yield found
    if len(N) <= MOST_LONG:
        yield from filter(None, (by_fractions(N, f, bits) for bits in BITS))


def solve(N: np.ndarray, b: np.ndarray, wanted: int = WANTED) -> Solution | None:
    """x with N x = b to ``wanted`` bits of the largest 2^f_j |x_j|, if that can be had.

    None if N was not proven to be positive definite.

    >>> N, b = np.array([[2, 1], [1, 3]], dtype=object), np.array([[1], [2]], dtype=object)
    >>> found = solve(N, b)
    >>> [round(int(v) / 2**found.point, 12) for v in found.numbers[:, 0]]
    [0.2, 0.6]
    """
    best = None
    f = halves(N)
    for factor in factors(N, f):
        found, size = refined(N, b, f, factor, wanted)
        if best is None or (found.distance < best.distance).any():
            best = found
        if (found.distance <= np.ldexp(size, -wanted)).all():
            break
    return best


def refined(N, b, f, factor: Factor, wanted: int) -> tuple[Solution, np.ndarray]:
    """x ← x + N̂⁻¹ρ̂ until the distance is small enough or shrinks no more."""
    scale = near_one(b, -f[:, None])[1]
    room = wanted + 32 - int(np.frexp(factor.least)[1])
    point = max(0, int(max(f, default=0) - min(scale, default=0)) + room)
    x = np.zeros(b.shape, dtype=object)
    last = best = None
    for _ in range(MOST_ROUNDS + wanted // 8):
        rho = (b << point) - N.dot(x)
        v, s = near_one(rho, -point - f[:, None])
        with np.errstate(over="ignore"):
            # Never below what a float can hold: a bound must not become 0.
            far = np.ldexp(_lengths(v), np.maximum(s - scale, -LOWEST).astype(np.int64))
            xs, top = near_one(x, f[:, None] - point)
            size = np.ldexp(_lengths(xs), (top - scale).astype(np.int64))
        best = Solution(x, point, f, _up(far / factor.least), _up(far), scale, factor.least)
        done = (best.distance <= np.ldexp(size, -wanted)).all()
        if done or (last is not None and not (far < 0.5 * last).any()):
            break
        last = far
        step = factor.solve(shifted(rho, factor.bits - point - f[:, None] - s))
        x = x + shifted(step, point - f[:, None] + s - factor.bits)
    assert best is not None
    return best, size


def _lengths(v: np.ndarray) -> np.ndarray:
    """‖v‖ of each column, rounded up; entries are wrong by 2^−60 at most."""
    return _up(np.sqrt((v * v).sum(axis=0))) + len(v) * 2.0**-59 * (v != 0).any(axis=0)


def _up(values: np.ndarray) -> np.ndarray:
    return np.nextafter(values * (1 + 1e-12), np.inf) * (values > 0)


def halves(N: np.ndarray) -> np.ndarray:
    """f with N_jj·4^−f_j in [1, 4)."""
    return np.array([(int(v).bit_length() - 1) // 2 for v in np.diag(N)], dtype=object)


def shifted(numbers: Any, by) -> Any:
    """Integers times 2^by, rounded down."""
    up = np.maximum(np.asarray(by, dtype=object), 0)
    return (numbers << up) >> (up - by)


def near_one(numbers: np.ndarray, exponents) -> tuple[np.ndarray, np.ndarray]:
    """v and s with numbers·2^exponents = v·2^s, column by column, to 2^−60 of the largest.

    >>> v, s = near_one(np.array([[3], [1 << 200]], dtype=object), np.array([[0], [-200]]))
    >>> v.ravel().tolist(), s.tolist()
    ([1.5, 0.5], [1])
    """
    exponents = np.broadcast_to(np.asarray(exponents, dtype=object), numbers.shape)
    length = np.vectorize(lambda v, e: int(v).bit_length() + e if v else None, otypes=[object])
    sizes = length(numbers, exponents) if numbers.size else np.zeros(numbers.shape, object)
    top = [max((s for s in column if s is not None), default=0) - 1 for column in sizes.T]
    s = np.array(top, dtype=object)
    values = shifted(numbers, exponents - s + POINT).astype(np.float64)
    return np.ldexp(values, -POINT), s


def by_floats(N: np.ndarray, f: np.ndarray) -> Factor | None:
    """Cholesky by LAPACK; None if the bound of λ_min is not positive."""
    r = len(N)
    M = np.ldexp(shifted(N, POINT - f[:, None] - f).astype(np.float64), -POINT)
    share = gamma(r + 2)
    doubt = share / (1 - share) * float(np.trace(M)) * 1.01 + 8 * r * 2.0**-53
    try:
        least = 0.5 * float(linalg.eigvalsh(M, subset_by_index=[0, 0])[0])
        if not least > 8 * doubt:
            return None
        np.linalg.cholesky(M - least * np.eye(r))
        R = linalg.cho_factor(M)
    except np.linalg.LinAlgError:
        return None
    return Factor(partial(_solve_by_floats, R), POINT, (least - doubt) * (1 - 1e-12))


def _solve_by_floats(R, right: np.ndarray) -> np.ndarray:
    x = linalg.cho_solve(R, np.ldexp(right.astype(np.float64), -POINT))
    whole = [int(v) for v in np.ldexp(x, POINT).ravel()]
    return np.array(whole, dtype=object).reshape(x.shape)


def by_fractions(N: np.ndarray, f: np.ndarray, bits: int, *, proven: bool = True) -> Factor | None:
    """LDLᵀ in fractions of so many bits; None if these are too few.

    Without a proof, which takes another elimination, ``least`` is only what is hoped for.
    """
    r = len(N)
    M = shifted(N, bits - f[:, None] - f)
    lost = 8 * r * r + r
    factored = _eliminate(M, bits, lost)
    if factored is None:
        return None
    L, D = factored
    if not proven:
        return Factor(partial(_substitute, L, D, bits), bits, HOPED)
    low, d = np.ldexp(shifted(L, POINT - bits).astype(np.float64), -POINT), _as_floats(D, bits)
    inverse = linalg.solve_triangular(low, np.eye(r), lower=True, unit_diagonal=True)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        part, e = np.frexp(0.5 / ((inverse * inverse) / d[:, None]).sum())
    mu = int(shifted(int(part * 2.0**53), bits + int(e) - 53)) if part > 0 else 0
    if mu <= 16 * lost:
        return None
    if _eliminate(M - mu * np.eye(r, dtype=object), bits, 0) is None:
        return None
    least = float(_as_floats([mu - lost], bits)[0]) * (1 - 1e-12)
    return Factor(partial(_substitute, L, D, bits), bits, least)


def eliminated(N: np.ndarray, bits: int) -> tuple[np.ndarray, np.ndarray] | None:
    """L · 2^bits with N̂ = LDLᵀ, and the f of N̂; None if the fractions are too short."""
    f = halves(N)
    found = _eliminate(shifted(N, bits - f[:, None] - f), bits, 8 * len(N) ** 2)
    return None if found is None else (found[0], f)


def _as_floats(D: list[int], bits: int) -> np.ndarray:
    return np.array([np.ldexp(float(d >> max(0, d.bit_length() - 64)),
                              max(0, d.bit_length() - 64) - bits) for d in D])  # fmt: skip


def _eliminate(M: np.ndarray, bits: int, floor: int) -> tuple[np.ndarray, list[int]] | None:
    """Unit lower L (below its diagonal) and D with M = LDLᵀ, all times 2^bits."""
    S, D = M.copy(), []
    for j in range(len(S)):
        d = int(S[j, j])
        if d <= floor:
            return None
        D.append(d)
        column = S[j + 1 :, j].copy()
        ratio = (column << bits) // d
        S[j + 1 :, j + 1 :] -= np.multiply.outer(ratio, column) >> bits
        S[j + 1 :, j], S[j, j + 1 :] = ratio, 0
    return S, D


def _substitute(L, D, bits: int, right: np.ndarray) -> np.ndarray:
    x = right.copy()
    for j in range(len(D)):
        x[j + 1 :] -= (L[j + 1 :, j, None] * x[j]) >> bits
    for j in range(len(D) - 1, -1, -1):
        x[j] = (x[j] << bits) // D[j] - ((L[j + 1 :, j, None] * x[j + 1 :]).sum(axis=0) >> bits)
    return x
