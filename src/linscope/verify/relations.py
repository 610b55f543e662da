"""Columns that are combinations of others, up to the rounding of the table's own numbers.

A *relation* of column j is a vector t of floats for j, for independent columns and for the
constant. It stands for the column

    x̃_j  =  −(t_0 + Σ_k t_k x_k) / t_j,        k over independent columns

and the *nearby table* has x̃_j in place of x_j. The nearby table is *within m ulp* of the given one
if each row has

    |t_0 + t_j x_j + Σ_k t_k x_k|  ≤  m · ulp · (|t_0| + |t_j x_j| + Σ_k |t_k x_k|)

The ulp is 2⁻⁵², or 2⁻²³ for a table in float32: the spacing of the floats from 1 to 2. With m = 0
the relations hold to the last bit, and the nearby table is the given one.

Weights w of the nearby table act on the independent columns alone, as the *effective weights*
β_k = w_k + Σ_j s_jk w_j with the shares s_jk = −t_k/t_j. Of all weights with the same β, the
shortest ones (without the bias) have w_j = Σ_k s_jk w_k.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components

from linscope.arithmetic.enclosures import TINY, UNIT, dense, gamma, two_prod, two_sum
from linscope.arithmetic.rational import as_float
from linscope.rows.blocks import Block, Largest, block_borders, take_rows

from .claims import require

# {dependent column: {column or −1 for the constant: t}}
Relations = Mapping[int, Mapping[int, float]]

ULP, ULP_32 = 2.0**-52, 2.0**-23
# A column counts as dependent up to so many ulp of its terms.
MOST_ULPS = 4
ROOM = 1 + 1e-9
# Products of larger numbers than this lose no bit.
FAR = 400


def check_relations(claim: Any, d: int, fold: Any) -> None:
    """Reject a claim whose relations do not hold within the ulps that it states.

    ``fold`` is that of an engine of d columns, or ``fold_of`` some rows.
    """
    relations = claim.relations
    for j, terms in relations.items():
        require(0 <= j < d and terms.get(j), f"the relation of column {j} is none")
        others = [k for k in terms if k != j]
        known = all(-1 <= k < d and k not in relations for k in others)
        require(known, f"column {j} is related to columns that are not independent")
        require(np.isfinite(list(terms.values())).all(), "a relation is not finite")
        free = claim.fit_intercept or -1 not in terms
        require(free, "without an intercept no relation has a constant")
    require(relations or claim.ulps == 0, "no column is set aside")
    few = claim.ulps in range(MOST_ULPS + 1)
    require(few, f"columns that differ by {claim.ulps} ulp are not dependent")
    known = claim.ulp == ULP or (claim.ulp == ULP_32 and claim.ulps > 0)
    require(known, f"an ulp of {claim.ulp} is none")
    if not relations:
        return
    own = claim.ulp == ULP or not fold(_beyond_float32).value
    require(own, "the table has numbers that float32 does not have")
    far = fold(farthest, list(relations.items())).value
    require((far <= claim.ulps * claim.ulp).all(),
            f"a dependent column differs from its combination by {far.max(initial=0):.2g} of its "
            f"terms, more than {claim.ulps} ulp")  # fmt: skip


def fold_of(X: Any) -> Any:
    """The ``fold`` of rows that are here."""

    def fold(task: Any, *arguments: Any) -> Any:
        total = None
        for first, stop in block_borders(*X.shape):
            part = task(Block(first, take_rows(X, first, stop)), *arguments)
            total = part if total is None else total.plus(part)
        return total

    return fold


def within_ulps(claim: Any) -> str:
    """For which table a claim holds, as the end of a sentence; nothing for the given one."""
    if not claim.ulps:
        return ""
    return f", for a table that differs from yours by at most {ulps_of(claim)}"


def ulps_of(claim: Any) -> str:
    """How far the nearby table is."""
    return f"{claim.ulps} ulp{' of float32' if claim.ulp == ULP_32 else ''}"


def farthest(block: Block, relations: list[tuple[int, Mapping[int, float]]]) -> Largest:
    """For each relation the largest |Σ t x| / Σ |t x| of the rows, from above; 0 only if exact."""
    with np.errstate(all="ignore"):
        return Largest(np.array([_farthest(block.X, terms) for _, terms in relations]))


def _farthest(X: Any, terms: Mapping[int, float]) -> float:
    columns = [k for k in terms if k >= 0]
    A = dense(X[:, columns])
    if not len(A):
        return 0.0
    t = np.array([terms[k] for k in columns])
    # Powers of two bring all factors near 1.
    e, f = np.frexp(np.abs(A).max(axis=0))[1], np.frexp(t)[1]
    constant = terms.get(-1, 0.0)
    top = int(max((e + f)[t != 0].max(), np.frexp(constant)[1] if constant else -4000))
    x, v = np.ldexp(A, -e), np.ldexp(t, e - top)
    head = np.full(len(A), np.ldexp(constant, -top))
    products, lost = two_prod(x, v)
    size, parts = np.abs(head), [head, *products.T, *lost.T]
    tail, doubt = np.zeros(len(A)), np.zeros(len(A))
    for p, e1 in zip(products.T, lost.T, strict=True):
        head, e2 = two_sum(head, p)
        tail += e1 + e2
        doubt += np.abs(e1) + np.abs(e2)
        size += np.abs(p)
    away = np.abs(head + tail)
    k = len(columns) + 2
    bound = (away + UNIT * away + gamma(2 * k) * doubt) * ROOM
    small = ((np.abs(x) < 2.0**-FAR) & (x != 0)).any() or (np.abs(v) < 2.0**-FAR).any()
    if small or np.ldexp(np.ldexp(constant, -top), top) != constant:
        bound = bound + 8 * k * TINY
    elif not away.any() and doubt.any():  # perhaps it holds to the last bit after all
        rows = np.flatnonzero(doubt)
        sums = [fsum(terms) for terms in np.column_stack(parts)[rows].tolist()]
        bound[rows] = np.where(np.array(sums) == 0.0, 0.0, bound[rows])
    share = np.where(bound > 0, bound / (size * (1 - gamma(k + 4))), 0.0) * ROOM
    return float(share.max()) if not np.isnan(share).any() else np.inf


def _beyond_float32(block: Block) -> Largest:
    """Whether there are numbers that float32 does not have."""
    values = block.X.data if sparse.issparse(block.X) else block.X
    return Largest(bool((values.astype(np.float32) != values).any()))


def independent(relations: Relations, d: int) -> np.ndarray:
    """The columns that have no relation."""
    return np.delete(np.arange(d), list(relations))


def shares_of(relations: Relations) -> dict[int, dict[int, Fraction]]:
    """s_jk of each dependent column; −1 is the constant."""
    return {
        j: {k: -Fraction(t) / Fraction(terms[j]) for k, t in terms.items() if k != j and t}
        for j, terms in relations.items()
    }


def effective(W: np.ndarray, relations: Relations) -> tuple[np.ndarray, np.ndarray]:
    """β of the floats W (rows, d + 1), bias first, as floats; and how wrong these are at most.

    >>> effective(np.array([[1.0, 0.5, 0.25]]), {1: {1: -1.0, 0: 2.0, -1: 3.0}})[0]
    array([[1.75, 1.  ]])
    """
    if not relations:
        return W.copy(), np.zeros(W.shape)
    kept = independent(relations, W.shape[1] - 1)
    place = {-1: 0} | {int(k): 1 + q for q, k in enumerate(kept)}
    shares = shares_of(relations)
    B, doubt = np.empty((len(W), 1 + len(kept))), np.zeros((len(W), 1 + len(kept)))
    B[:, 0], B[:, 1:] = W[:, 0], W[:, 1 + kept]
    for row, w in enumerate(W.tolist()):
        moved: dict[int, Fraction] = {}
        for j, parts in shares.items():
            for k, share in parts.items():
                moved[k] = moved.get(k, Fraction(0)) + share * Fraction(w[1 + j])
        for k, more in moved.items():
            exact = Fraction(float(B[row, place[k]])) + more
            B[row, place[k]] = near = as_float(exact)
            doubt[row, place[k]] = _up(abs(exact - Fraction(near))) if np.isfinite(near) else np.inf
    return B, doubt


def _up(value: Fraction) -> float:
    """A float above a positive value; 0 for 0."""
    return float(np.nextafter(as_float(value), np.inf)) if value else 0.0


def shortest(B: np.ndarray, relations: Relations, d: int) -> np.ndarray:
    """The shortest weights (rows, d + 1) with the effective weights B, in floats.

    >>> shortest(np.array([[1.0, 6.0]]), {1: {1: -1.0, 0: 1.0}}, 2)
    array([[1., 3., 3.]])
    """
    if not relations:
        return B.copy()
    kept, dependent = independent(relations, d), list(relations)
    S, constants = _matrix(relations, d)
    M = np.eye(len(dependent)) + S.T @ S
    D = np.sqrt(np.diag(M))
    own = np.linalg.solve(M / np.outer(D, D), (S.T @ B[:, 1:].T) / D[:, None]) / D[:, None]
    W = np.zeros((len(B), d + 1))
    W[:, 1 + np.array(dependent, dtype=np.intp)] = own.T
    W[:, 1 + kept] = B[:, 1:] - own.T @ S.T
    W[:, 0] = B[:, 0] - own.T @ constants
    return W


def from_shortest(W: np.ndarray, far: np.ndarray, relations: Relations) -> np.ndarray:
    """How far W is at most from the shortest weights whose effective weights are at most ``far``
    from those of W.

    With Δ the difference, e = w_J − Sᵀw_K and f the difference of the effective weights

        (I + SᵀS) Δ_J = e + Sᵀf,       Δ_K = f − S Δ_J,       Δ_0 = f_0 − s_0·Δ_J

    With M = I + SᵀS no singular value of M⁻¹, of I − S M⁻¹Sᵀ is above 1, of S M⁻¹ above ½; so

        ‖Δ_J‖ ≤ ‖e‖ + ½‖f‖,      ‖Δ_K‖ ≤ ‖f‖ + ½‖e‖

    and, better where columns have different units, with D² = diag M

        ‖DΔ_J‖ ≤ ‖D⁻¹(e + Sᵀf)‖/λ_min(D⁻¹MD⁻¹)
    """
    d = W.shape[1] - 1
    kept, dependent = independent(relations, d), np.array(list(relations), dtype=np.intp)
    S, constants = _matrix(relations, d)
    e = np.array([_imbalance(w, relations) for w in W.tolist()])
    own, f = np.zeros(e.shape), far[:, 1:].copy()
    # Relations that share no column have nothing to do with each other.
    count, group = connected_components(sparse.csr_array(S.T != 0) @ sparse.csr_array(S != 0))
    for g in range(count):
        js = np.flatnonzero(group == g)
        ks = np.flatnonzero((S[:, js] != 0).any(axis=1))
        own[:, js], f[:, ks] = _apart(S[np.ix_(ks, js)], e[:, js], far[:, 1 + ks])
    error = np.zeros(W.shape)
    error[:, 1 + dependent], error[:, 1 + kept] = own, f
    lost = 4 * len(constants) * TINY * own.any(axis=1)
    error[:, 0] = (far[:, 0] + own @ np.abs(constants)) * ROOM + lost
    return np.where(np.isnan(error), np.inf, error)


def _apart(S: np.ndarray, e: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of |Δ_J| and |Δ_K|, each row for itself."""
    size, gram = np.abs(S), np.eye(S.shape[1]) + S.T @ S
    D = np.sqrt(np.diag(gram))
    least = _least_eigenvalue(gram / np.outer(D, D), gamma(len(S) + 16))
    long, wide = _norm(f), _norm(e)
    # What products that underflow have lost.
    lost = 4 * (S.size + 4) * TINY * ((long > 0) | (wide > 0))
    right = _norm((e + f @ size + lost) / D)
    own = np.fmin(wide + 0.5 * long, right / least / D) * ROOM + lost
    return own, np.fmin(long + 0.5 * wide, f + own @ size.T) * ROOM + lost


def _norm(v: np.ndarray) -> np.ndarray:
    """‖·‖ of each row as a column, without underflow."""
    return np.hypot.reduce(v, axis=1, initial=0.0)[:, None]


def _matrix(relations: Relations, d: int) -> tuple[np.ndarray, np.ndarray]:
    """S (independent, dependent) and the constants, in floats."""
    kept = independent(relations, d)
    place = {int(k): q for q, k in enumerate(kept)}
    S, constants = np.zeros((len(kept), len(relations))), np.zeros(len(relations))
    for q, parts in enumerate(shares_of(relations).values()):
        for k, share in parts.items():
            if k < 0:
                constants[q] = as_float(share)
            else:
                S[place[k], q] = as_float(share)
    return S, constants


def _imbalance(w: list[float], relations: Relations) -> list[float]:
    """|w_j − Σ_k s_jk w_k| of each dependent column, from above."""
    out = []
    for j, parts in shares_of(relations).items():
        pull = sum((s * Fraction(w[1 + k]) for k, s in parts.items() if k >= 0), Fraction(0))
        out.append(_up(abs(Fraction(w[1 + j]) - pull)))
    return out


def _least_eigenvalue(M: np.ndarray, rounding: float) -> float:
    """Of a matrix with diagonal 1 whose entries are right to ``rounding``, from below."""
    p = len(M)
    doubt = p * (2 * gamma(p + 2) + rounding + 8 * UNIT) * ROOM
    try:
        low = 0.5 * float(linalg.eigvalsh(M, subset_by_index=[0, 0])[0])
        if not low > 2 * doubt:
            return 0.0
        np.linalg.cholesky(M - low * np.eye(p))
    except (np.linalg.LinAlgError, ValueError):
        return 0.0
    return (low - doubt) / ROOM
