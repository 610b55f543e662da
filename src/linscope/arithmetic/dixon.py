"""Exact solution of larger square integer systems by p-adic lifting (Dixon 1982).

With C = A⁻¹ mod p, the digits of x = A⁻¹b = x_0 + x_1 p + x_2 p² + … follow from

    x_k = C r_k mod p,   r_0 = b,   r_{k+1} = (r_k - A x_k) / p.

By Hadamard's inequality numerators and denominator of x are at most H = Π ‖column‖, so once
p^k > 2H² they can be read off. A digit costs n² short products; elimination costs n³ long ones.
"""

from __future__ import annotations

from math import gcd, isqrt

import numpy as np

# below 2^27, so that a sum of 512 products fits in 64 bits
PRIMES = (134217689, 134217649, 134217617)
MAX_SIZE = 512


def solve_by_lifting(A: np.ndarray, b: np.ndarray) -> tuple[list[int], int] | None:
    """(numerators, denominator) of the solution of A·x = b; None if A looks singular.

    >>> solve_by_lifting(np.array([[2, 1], [0, 4]], dtype=object), np.array([3, 2], dtype=object))
    ([5, 2], 4)
    """
    if len(A) > MAX_SIZE:
        return None
    for p in PRIMES:
        inverse = inverse_modulo(A, p)
        if inverse is not None:
            break
    else:
        return None
    squares = [int(v) for v in (A * A).sum(axis=0)] + [int((b * b).sum())]
    hadamard = 1
    for s in squares:
        hadamard *= isqrt(s) + 1
    digits = (2 * hadamard * hadamard).bit_length() // (p.bit_length() - 1) + 1
    x, modulus = _lift(A, b, inverse, p, digits)
    return _common_denominator(A, b, x, modulus, hadamard)


def inverse_modulo(A: np.ndarray, p: int) -> np.ndarray | None:
    """A⁻¹ modulo the prime p, or None if A is singular there."""
    n = len(A)
    M = np.concatenate([(A % p).astype(np.int64), np.eye(n, dtype=np.int64)], axis=1)
    for c in range(n):
        below = np.flatnonzero(M[c:, c]) + c
        if len(below) == 0:
            return None
        M[[c, below[0]]] = M[[below[0], c]]
        M[c] = M[c] * pow(int(M[c, c]), -1, p) % p
        factors = M[:, c].copy()
        factors[c] = 0
        M = (M - factors[:, None] * M[c]) % p
    return M[:, n:]


def _lift(A, b, inverse, p, digits) -> tuple[list[int], int]:
    r, parts = b.copy(), []
    for _ in range(digits):
        digit = inverse @ (r % p).astype(np.int64) % p
        parts.append(digit.astype(object))
        r = (r - A @ parts[-1]) // p
    # join the digits pairwise: few long products instead of many
    base = p
    while len(parts) > 1:
        if len(parts) % 2:
            parts.append(np.zeros(len(b), dtype=object))
        parts = [low + base * high for low, high in zip(parts[::2], parts[1::2], strict=True)]
        base *= base
    return [int(v) for v in parts[0]], p**digits


def _common_denominator(A, b, x, modulus, hadamard) -> tuple[list[int], int] | None:
    """Read the fractions off their residues; the result is checked against A·x = b."""
    denominator = 1
    for residue in x:
        value = residue * denominator % modulus
        if min(value, modulus - value) > hadamard:
            denominator *= _reconstruct(value, modulus, hadamard)
    numerators = []
    for residue in x:
        value = residue * denominator % modulus
        numerators.append(value if 2 * value < modulus else value - modulus)
    common = gcd(denominator, *numerators)
    numerators = [v // common for v in numerators]
    denominator //= common
    if any(A @ np.array(numerators, dtype=object) != denominator * b):
        return None
    return numerators, denominator


def _reconstruct(value: int, modulus: int, limit: int) -> int:
    """The denominator of the fraction with numerator <= limit that value stands for."""
    r0, r1, t0, t1 = modulus, value, 0, 1
    while r1 > limit:
        q = r0 // r1
        r0, r1, t0, t1 = r1, r0 - q * r1, t1, t0 - q * t1
    return abs(t1)
