"""Bounds for least squares on tables too large for whole numbers: floats with their rounding.

With r = y − b − Xw and the gradient ρ = Σ c r [1, x − m] − α[0, w] as balls (m near the mean):

columns (n > d)     λ = λ_min of [1, x − m] in lengths of 1, proven by Cholesky's factorisation;
                    ‖D(v − v*)‖ ≤ ‖D⁻¹ρ‖/λ,   J − min J ≤ ½‖D⁻¹ρ‖²/λ
rows (n ≤ d)        w* = Zᵀa*, (ZZᵀ + α)a* = y:   ‖w − w*‖ ≤ ‖w − Zᵀa‖ + ‖y − Zw‖/√λ_min(ZZᵀ + α)
both too many       α > 0: J − min J ≤ ½‖ρ‖²/α.   n ≤ d, α = 0: J − min J ≤ J
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from linscope.arithmetic.enclosures import UNIT, Ball, dense, gamma, products, scores
from linscope.rows.blocks import Block, Largest

from .facts import Facts

# More rows and columns than this have no factorisation.
MOST = 6000
MILD = 100
SQUARES = ("rss", "primal", "gap", "tss", "dual", "rounding", "size")
ROOM = 1 + 1e-9


def large_facts(engine: Any, W: np.ndarray, *, fit_intercept: bool, alpha: float) -> tuple:
    """Facts (bounds from above), gap and error from below, rank, unique, condition.

    Numbers far from 1 are divided by powers of two first.
    """
    x, y, k = (_exponent(float(top.value)) for top in engine.fold(_tops))
    k, d = k // 2 * 2, engine.n_features
    with np.errstate(all="ignore"):
        units = np.r_[-y, np.full(d, x - y)]
        pull = float(np.ldexp(alpha, -2 * x - k))
        near = engine.derive(_divided, x, y, k) if x or y or k else engine
        found = _near_one(near, np.ldexp(W, units), fit_intercept=fit_intercept, alpha=pull)
        bounds, low, below, *rest = found
        if alpha > 0 and not pull:  # the penalty has left the range of floats
            nothing = np.full(W.shape, np.inf)
            bounds = bounds._replace(gap=nothing[:, 0], error=nothing, dual=-nothing[:, 0])
            low, below, rest = 0.0, 0 * below, [None, None, np.inf]
        parts = {name: np.ldexp(getattr(bounds, name), 2 * y + k) for name in SQUARES}
        error = np.ldexp(bounds.error, -units)
        lengths = np.ldexp(bounds.lengths, np.r_[0, np.full(d, x)] + k // 2)
    bounds = bounds._replace(error=error, lengths=lengths, **parts)
    return bounds, float(np.ldexp(low, 2 * y + k)), np.ldexp(below, -units), *rest


def _tops(block: Block) -> tuple[Largest, Largest, Largest]:
    """The largest numbers of X, Y and the weights."""
    values = block.X.data if sparse.issparse(block.X) else block.X
    parts = values, block.y, block.weight
    return tuple(Largest(np.abs(part).max(initial=0.0)) for part in parts)  # type: ignore


def _divided(block: Block, x: int, y: int, k: int) -> tuple[Any, np.ndarray, np.ndarray]:
    X = block.X * 2.0**-x if x else block.X
    return X, np.ldexp(block.y, -y), np.ldexp(block.weight, -k)


def _exponent(top: float) -> int:
    """e with the largest value near 2^e; 0 if that is not far from 1."""
    e = int(np.frexp(top)[1])
    return 0 if abs(e) <= MILD or top == 0 else e


class Sums(NamedTuple):
    """Σ c, Σ c y, Σ c x and, at given weights, Σ c r², Σ c rad² in floats."""

    weight: float
    y: np.ndarray
    x: np.ndarray
    squares: np.ndarray
    doubt: np.ndarray

    def plus(self, other: Sums) -> Sums:
        parts: Any = zip(self, other, strict=True)
        return Sums(*(a + b for a, b in parts))


def _sums(block: Block, W: np.ndarray) -> Sums:
    c, r = _own(block), Ball.of(block.y) - scores(block.X, W)
    squares, doubt = c @ (r.mid * r.mid), c @ (r.rad * r.rad)
    return Sums(float(c.sum()), c @ block.y, np.ravel(block.X.T @ c), squares, doubt)


def _own(block: Block) -> np.ndarray:
    return block.weight if block.weighted else np.ones(len(block.y))


def _residuals(block: Block, W: np.ndarray, centre: np.ndarray, precise: bool) -> tuple:
    """r stays with the rows; Σ c r², the same from above and below, Σ c (y − ȳ)², Σ c y²."""
    c, Y = _own(block), block.y
    r = Ball.of(Y) - scores(block.X, W, precise=precise)
    below = np.maximum(np.abs(r.mid) - r.rad, 0.0)
    parts = r.mid, r.size, below, Y - centre, Y
    return r, tuple(c @ (part * part) for part in parts)


def _kept(block: Block) -> tuple[np.ndarray, np.ndarray]:
    return block.kept["r"].mid, block.kept["r"].rad


def _near_one(engine: Any, W: np.ndarray, *, fit_intercept: bool, alpha: float) -> tuple:
    n, d = engine.n_rows, engine.n_features
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        sums = engine.fold(_sums, W)
        precise = bool((sums.doubt > 1e-20 * sums.squares).any())
        centre = sums.y / sums.weight * float(fit_intercept)
        squares, most, least, tss, size = engine.keep("r", _residuals, W, centre, precise)
        most = most * ROOM
        pull = alpha * (W[:, 1:] ** 2).sum(axis=1)
        shape = {"fit_intercept": fit_intercept, "alpha": alpha}
        if min(n, d) > MOST:
            found = _by_gradient(engine, sums, W, **shape)
        elif n > d:
            found = _by_columns(engine, sums, W, **shape)
        else:
            rows = engine.all_rows("a check of no more rows than columns")
            found = _by_rows(rows, Ball(*engine.gather(_kept)), W, **shape)
        gap, low, error, below, lengths, rank, unique, condition = found
        if n <= d and alpha == 0:
            gap = np.fmin(gap, 0.5 * most)
        gap, error = (np.where(np.isnan(v), np.inf, v) for v in (gap, error))
        low, below = (np.where(np.isnan(v), 0.0, v) for v in (low, below))
        dual = 0.5 * (least + pull) / ROOM - gap
    off = (most - squares) * ROOM
    primal = 0.5 * (squares + pull)
    bounds = Facts(squares, primal, gap, tss, error, lengths, dual, off, size)
    return bounds, float(low.sum()), below, rank, unique, condition


def _gradient(engine: Any, W: np.ndarray, m: np.ndarray, alpha: float) -> Ball:
    """ρ (targets, d + 1), bias first."""
    g = engine.fold(_slopes, engine.n_rows * engine.n_features < 4_000_000)
    first = Ball(g.mid[:, :1], g.rad[:, :1])
    slopes = Ball(g.mid[:, 1:], g.rad[:, 1:]) - first * Ball.of(m) - Ball.of(W[:, 1:]) * alpha
    return Ball(np.hstack([first.mid, slopes.mid]), np.hstack([first.rad, slopes.rad]))


def _slopes(block: Block, precise: bool) -> Ball:
    """Σ c r [1, x]."""
    return products(block.X, block.kept["r"] * Ball.of(_own(block)[:, None]), precise=precise)


def _means(sums: Sums, fit_intercept: bool) -> np.ndarray:
    return sums.x / sums.weight * float(fit_intercept)


def _scatter(block: Block, m: np.ndarray, fit_intercept: bool) -> np.ndarray:
    """Σ c a aᵀ, a = [1, x − m]."""
    A = np.hstack([np.ones((len(block.y), int(fit_intercept))), dense(block.X) - m])
    return A.T @ (A * _own(block)[:, None])


def _by_columns(engine, sums: Sums, W, *, fit_intercept, alpha):
    n, d = engine.n_rows, engine.n_features
    m = _means(sums, fit_intercept)
    M = engine.fold(_scatter, m, fit_intercept)
    M = M + alpha * np.diag(np.r_[np.zeros(int(fit_intercept)), np.ones(d)])
    norms = np.sqrt(np.diag(M))
    least = least_of(M / np.outer(norms, norms), gamma(n + len(engine.sizes) + 16))
    first = int(not fit_intercept)
    rho = _gradient(engine, W, m, alpha)
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


def _by_rows(rows: Block, r: Ball, W, *, fit_intercept, alpha):
    c, (n, d) = _own(rows), rows.X.shape
    m = np.ravel(rows.X.T @ (c / c.sum())) * float(fit_intercept)
    root = np.sqrt(c)[:, None]
    Z = (dense(rows.X) - m) * root
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


def _by_gradient(engine: Any, sums: Sums, W, *, fit_intercept, alpha):
    """Neither side can be factored."""
    m = _means(sums, fit_intercept)
    gap = np.full(len(W), np.inf)
    if alpha > 0:
        rho = _gradient(engine, W, m, alpha).size
        gap = 0.5 * (rho[:, 0] ** 2 / sums.weight * float(fit_intercept)
                     + (rho[:, 1:] ** 2).sum(axis=1) / alpha) * ROOM  # fmt: skip
    nothing, lengths = np.full(W.shape, np.inf), np.zeros(engine.n_features + 1)
    return gap, np.zeros(len(W)), nothing, 0 * W, lengths, None, None, np.inf
