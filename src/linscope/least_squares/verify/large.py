"""Bounds for least squares on tables too large for whole numbers: floats with their rounding.

With r = y − b − Xw and the gradient ρ = Σ c r [1, x − m] − α[0, w] as balls (m near the mean):

columns (n > d)     λ = λ_min of [1, x − m] in lengths of 1, proven by Cholesky's factorisation;
                    ‖D(v − v*)‖ ≤ ‖D⁻¹ρ‖/λ,   J − min J ≤ ½‖D⁻¹ρ‖²/λ
rows (n ≤ d)        w* = Zᵀa*, (ZZᵀ + α)a* = y:   ‖w − w*‖ ≤ ‖w − Zᵀa‖ + ‖y − Zw‖/√λ_min(ZZᵀ + α)
both too many       α > 0: J − min J ≤ ½‖ρ‖²/α.   n ≤ d, α = 0: J − min J ≤ J
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse

from linscope.arithmetic.enclosures import UNIT, Ball, gamma, products, scores

from .facts import Facts

# More rows and columns than this have no factorisation.
MOST = 6000
MILD = 100
SQUARES = ("rss", "primal", "gap", "tss", "dual", "rounding", "size")
ROOM = 1 + 1e-9


def large_facts(X, Y, weight, W, *, fit_intercept: bool, alpha: float) -> tuple:
    """Facts (bounds from above), gap and error from below, rank, unique, condition.

    Numbers far from 1 are divided by powers of two first.
    """
    x, y = _exponent(X.data if sparse.issparse(X) else X), _exponent(Y)
    k = _exponent(weight) // 2 * 2
    with np.errstate(all="ignore"):
        units = np.r_[-y, np.full(X.shape[1], x - y)]
        scaled = X * 2.0**-x if x else X
        pull = float(np.ldexp(alpha, -2 * x - k))
        near = scaled, np.ldexp(Y, -y), np.ldexp(weight, -k), np.ldexp(W, units)
        found = _near_one(*near, fit_intercept=fit_intercept, alpha=pull)
        bounds, low, below, *rest = found
        if alpha > 0 and not pull:  # the penalty has left the range of floats
            nothing = np.full(W.shape, np.inf)
            bounds = bounds._replace(gap=nothing[:, 0], error=nothing, dual=-nothing[:, 0])
            low, below, rest = 0.0, 0 * below, [None, None, np.inf]
        parts = {name: np.ldexp(getattr(bounds, name), 2 * y + k) for name in SQUARES}
        error = np.ldexp(bounds.error, -units)
        lengths = np.ldexp(bounds.lengths, np.r_[0, np.full(X.shape[1], x)] + k // 2)
    bounds = bounds._replace(error=error, lengths=lengths, **parts)
    return bounds, float(np.ldexp(low, 2 * y + k)), np.ldexp(below, -units), *rest


def _exponent(values: np.ndarray) -> int:
    """e with the largest value near 2^e; 0 if that is not far from 1."""
    top = float(np.abs(values).max(initial=0.0))
    e = int(np.frexp(top)[1])
    return 0 if abs(e) <= MILD or top == 0 else e


def _near_one(X, Y, weight, W, *, fit_intercept: bool, alpha: float) -> tuple:
    n, d = X.shape
    c = weight if len(weight) else np.ones(n)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        r = Ball.of(Y) - scores(X, W)
        if _rough(r, Y, c):
            r = Ball.of(Y) - scores(X, W, precise=True)
        squares = c @ (r.mid * r.mid)
        most = c @ (r.size * r.size) * ROOM
        pull = alpha * (W[:, 1:] ** 2).sum(axis=1)
        centre = (c @ Y) / c.sum() * float(fit_intercept)
        tss = c @ (Y - centre) ** 2
        shape = {"fit_intercept": fit_intercept, "alpha": alpha}
        if min(n, d) > MOST:
            found = _by_gradient(X, r, c, W, **shape)
        elif n > d:
            found = _by_columns(X, r, c, W, **shape)
        else:
            found = _by_rows(X, Y, r, c, W, **shape)
        gap, low, error, below, lengths, rank, unique, condition = found
        if n <= d and alpha == 0:
            gap = np.fmin(gap, 0.5 * most)
        gap, error = (np.where(np.isnan(v), np.inf, v) for v in (gap, error))
        low, below = (np.where(np.isnan(v), 0.0, v) for v in (low, below))
        dual = 0.5 * (c @ np.maximum(np.abs(r.mid) - r.rad, 0.0) ** 2 + pull) / ROOM - gap
    off = (most - squares) * ROOM
    primal, size = 0.5 * (squares + pull), c @ (Y * Y)
    bounds = Facts(squares, primal, gap, tss, error, lengths, dual, off, size)
    return bounds, float(low.sum()), below, rank, unique, condition


def _rough(r: Ball, Y: np.ndarray, c: np.ndarray) -> bool:
    return bool((c @ (r.rad * r.rad) > 1e-20 * (c @ (r.mid * r.mid))).any())


def _gradient(X, r: Ball, c: np.ndarray, W: np.ndarray, m: np.ndarray, alpha: float) -> Ball:
    """ρ (targets, d + 1), bias first."""
    weighted = r * Ball.of(c[:, None])
    g = products(X, weighted, precise=X.shape[0] * X.shape[1] < 4_000_000)
    first = Ball(g.mid[:, :1], g.rad[:, :1])
    slopes = Ball(g.mid[:, 1:], g.rad[:, 1:]) - first * Ball.of(m) - Ball.of(W[:, 1:]) * alpha
    return Ball(np.hstack([first.mid, slopes.mid]), np.hstack([first.rad, slopes.rad]))


def _means(X, c: np.ndarray, fit_intercept: bool) -> np.ndarray:
    return np.ravel(X.T @ (c / c.sum())) * float(fit_intercept)


def _shifted(X, m: np.ndarray) -> np.ndarray:
    dense = X.toarray() if sparse.issparse(X) else X
    return np.asarray(dense, dtype=np.float64) - m


def _by_columns(X, r, c, W, *, fit_intercept, alpha):
    n, d = X.shape
    m = _means(X, c, fit_intercept)
    A = np.hstack([np.ones((n, int(fit_intercept))), _shifted(X, m)])
    M = A.T @ (A * c[:, None]) + alpha * np.diag(np.r_[np.zeros(int(fit_intercept)), np.ones(d)])
    norms = np.sqrt(np.diag(M))
    least = least_of(M / np.outer(norms, norms), gamma(n + 16))
    first = int(not fit_intercept)
    rho = _gradient(X, r, c, W, m, alpha)
    far = np.sqrt(((rho.size[:, first:] / norms) ** 2).sum(axis=1)) * ROOM
    near = np.sqrt((np.maximum(np.abs(rho.mid) - rho.rad, 0.0)[:, first:] / norms) ** 2).max(axis=1)
    lengths = np.r_[np.zeros(first), norms]
    if not least > 0:
        nothing = np.full(len(W), np.inf)
        return (nothing, 0 * nothing, np.full(W.shape, np.inf), 0 * W, lengths, None, None, np.inf)
    error = np.zeros(W.shape)
    error[:, first:] = far[:, None] / least / norms * ROOM
    error[:, 0] = (error[:, 0] + error[:, 1:] @ np.abs(m)) * float(fit_intercept) * ROOM
    # No eigenvalue is above the number of columns.
    return (
        0.5 * far * far / least * ROOM, 0.5 * near * near / (2 * len(norms)),
        error, 0 * error, lengths, d, True, least**-0.5,
    )  # fmt: skip


def least_of(M: np.ndarray, rounding: float) -> float:
    """λ_min of a matrix with diagonal 1 is at least this; 0 if that is not proven."""
    p = len(M)
    if not np.isfinite(M).all():
        return 0.0
    share = gamma(p + 2)
    doubt = (2 * share * float(np.trace(M)) + p * (rounding + 8 * UNIT)) * ROOM
    try:
        low = 0.5 * float(linalg.eigvalsh(M, subset_by_index=[0, 0])[0])
        if not low > 2 * doubt:
            return 0.0
        np.linalg.cholesky(M - low * np.eye(p))
    except np.linalg.LinAlgError:
        return 0.0
    return (low - doubt) / ROOM


def _by_rows(X, Y, r, c, W, *, fit_intercept, alpha):
    n, d = X.shape
    m = _means(X, c, fit_intercept)
    root = np.sqrt(c)[:, None]
    Z = _shifted(X, m) * root
    q = root[:, 0] / np.linalg.norm(root)
    squares = float(np.einsum("ij,ij->", Z, Z)) * ROOM
    mean = (squares / n + alpha) or 1.0
    K = Z @ Z.T + alpha * np.eye(n) + float(fit_intercept) * mean * np.outer(q, q)
    least = mean * least_of(K / mean, (gamma(d + 16) * squares / mean) / n + 16 * UNIT)
    lengths = np.r_[
        np.sqrt(c.sum()) * float(fit_intercept), np.sqrt(np.einsum("ij,ij->j", Z, Z) + alpha)
    ]
    level = (c @ r.mid) / c.sum() * float(fit_intercept)
    slip = np.sqrt(c @ (r.rad * r.rad)) * ROOM
    nothing = np.full(len(W), np.inf)
    scale = np.sqrt(least) - 8 * UNIT * np.sqrt(squares)
    if not scale > 0:
        return (nothing, 0 * nothing, np.full(W.shape, np.inf), 0 * W, lengths, None, None, np.inf)
    w = W[:, 1:].T
    centred = root * (r.mid - level)
    a = np.linalg.solve(K, Z @ w + centred)
    a -= np.outer(q, q @ a) * float(fit_intercept)
    eta = np.linalg.norm(w - Z.T @ a, axis=0) + gamma(n + 16) * np.sqrt(squares) * np.linalg.norm(
        a, axis=0
    )
    aside = gamma(n + 2) * np.linalg.norm(a, axis=0) * n
    eta = (eta + aside * np.sqrt(squares)) * ROOM
    rest = np.linalg.norm(centred - alpha * a, axis=0) + slip + (squares + alpha) * aside
    far = (eta + (rest + np.sqrt(squares) * eta) / scale) * ROOM
    error = np.repeat(far[:, None], d + 1, axis=1)
    first = np.abs(level) + slip / np.sqrt(c.sum())
    error[:, 0] = (first + far * np.linalg.norm(m) * ROOM) * float(fit_intercept)
    gap = (
        0.5
        * ((squares + alpha) * far * far + c.sum() * first * first * float(fit_intercept))
        * ROOM
    )
    unique = alpha > 0 or n - int(fit_intercept) >= d
    rank = d if unique else n - int(fit_intercept)
    return gap, 0 * gap, error, 0 * error, lengths, rank, unique, np.inf


def _by_gradient(X: Any, r, c, W, *, fit_intercept, alpha):
    """Neither side can be factored."""
    d = X.shape[1]
    m = _means(X, c, fit_intercept)
    gap = np.full(len(W), np.inf)
    if alpha > 0:
        rho = _gradient(X, r, c, W, m, alpha).size
        gap = 0.5 * (rho[:, 0] ** 2 / c.sum() * float(fit_intercept)
                     + (rho[:, 1:] ** 2).sum(axis=1) / alpha) * ROOM  # fmt: skip
    nothing, lengths = np.full(W.shape, np.inf), np.zeros(d + 1)
    return gap, np.zeros(len(W)), nothing, 0 * W, lengths, None, None, np.inf
