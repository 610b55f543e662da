"""Bounds on the objective of Huber's regression and on its minimum.

With residuals r = y − b − x·w and weights c of the samples,

    P(w, b, σ)  =  Σ c (σ + σ H(r/σ)) + α‖w‖²        H(z) = z² for |z| ≤ ε, 2ε|z| − ε² beyond
    D(u)        =  Σ c u y − ‖Σ c u x‖²/(4α)         |u| ≤ 2ε,  Σ c u² ≤ 4 Σ c,  Σ c u = 0,
                                                     and Σ c u x = 0 where α = 0

D(u) ≤ P(w, b, σ) for all w, b, σ ≥ 0 and such u. Near the minimum u = 2r/σ, cut to ±2ε, comes close
to the equalities; a plane fitted to the rows inside (or to all) is taken from it. What is then left
of them, e = Σ c u z, is rounding. The exact correction −z·δ with (Σ c z zᵀ) δ = e is not
computed but bounded: with λ ≤ λ_min(Σ c z zᵀ), proven by a Cholesky factor,

    ‖δ‖ ≤ ‖e‖/λ,      η² = Σ c (z·δ)² ≤ ‖e‖²/λ,      |z_i·δ| ≤ ‖z_i‖ ‖δ‖ and η/√c_i

All constraints but the equalities are homogeneous: multiplying by κ ≤ 1 repairs the others. And
as the corrected u is orthogonal to the columns, Σ c u y = Σ c u r. So

    D  ≥  κ (Σ c u r − η √Σ c r²).

With a penalty only Σ c u = 0 is needed; both ways are tried. Columns that are exactly combinations
of others are left out. D(0) = 0 is always a bound, all there is where the rows can be met exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from linscope.arithmetic.enclosures import BLOCK, UNIT, Ball, gamma, scores, total
from linscope.rows.threads import one_blas_thread
from linscope.verify.dependence import independent_columns

# What rounding explains, as a share of the terms of a residual: for weights in float64, float32.
ROUNDED, ROUNDED_32 = 2.0**-50, 2.0**-21
# Rounding explains no more than this share of y, however large the terms are that cancel.
MOST_ROUNDING = 1e-4
# Tables with more columns have no Gram matrix; up to so many numbers residuals are precise at once.
MOST_COLUMNS, SMALL = 3000, 100_000
# In units where y is near 1 this is nothing, also if y is 0.
NOTHING = 1e-290
# Columns up to this power of two need no other units.
MODEST = 60
# Where the penalty is smaller, as a share of Σ c, rounding would cost more than orthogonality.
LEAST_PENALTY = 1e-9
# Where σ is nearly 0, rows that are met up to this factor should be met.
NEARLY_INSIDE = 1000.0
# A bound so near to the objective, relatively, is not improved.
ENOUGH = 1e-8


class Fit(NamedTuple):
    """The floats that are claimed, and the data: y (n,), c (n,), all scaled by powers of two."""

    X: Any
    y: np.ndarray
    c: np.ndarray
    W: np.ndarray
    sigma: float
    epsilon: float
    alpha: np.ndarray
    intercept: bool


class Bounds(NamedTuple):
    """P, a lower bound of its minimum, what rounding explains, and the residuals."""

    primal: Ball
    dual: float
    rounded: float
    residuals: Ball

    @property
    def gap(self) -> float:
        if self.primal.mid == self.primal.rad == self.dual:
            return 0.0
        return max(float(np.nextafter(self.primal.high - self.dual, np.inf)), 0.0)

    def allowed(self, tolerance: float) -> float:
        return max(tolerance * float(self.primal.mid), self.rounded)


# What is measured: fields of a claim.
MEASURED = (
    "weights", "scale", "epsilon", "alpha", "fit_intercept", "tolerance", "single",
)  # fmt: skip


def measure(X, y, c, *, weights, scale, epsilon, alpha, fit_intercept, tolerance, single) -> Bounds:
    """P and D at weights (d + 1, bias first) and scale σ, precisely if that is needed."""
    if not (np.any(y) or np.any(weights) or scale):
        return Bounds(Ball(0.0, 0.0), 0.0, 0.0, Ball.of(np.zeros(len(y))))
    prices = np.full(X.shape[1], alpha)
    fit, unit = _near_one(Fit(X, y, c, weights, scale, epsilon, prices, fit_intercept))
    small = X.shape[0] * X.shape[1] <= SMALL
    with np.errstate(all="ignore"), one_blas_thread():
        found = _bounds(fit, single, precise=small)
        if not small and not found.gap <= found.allowed(tolerance):
            found = _bounds(fit, single, precise=True)
        rows = found.residuals
        primal = Ball.safe(found.primal.mid * unit[0], found.primal.rad * unit[0])
        return Bounds(
            primal, found.dual * unit[0], found.rounded * unit[0],
            Ball.safe(rows.mid * unit[1], rows.rad * unit[1]),
        )  # fmt: skip


def _near_one(fit: Fit) -> tuple[Fit, tuple[float, float]]:
    """The same with y, c and the columns near 1, exactly; units of P and of y."""
    ey, ec = _exponent(np.abs(fit.y).max(initial=0.0)), _exponent(fit.c.max(initial=0.0))
    X = fit.X.astype(np.float64, copy=False)
    top = abs(X).max(axis=0)
    ex = _exponent(top.toarray().ravel() if sparse.issparse(X) else top)
    if np.abs(ex).max(initial=0) <= MODEST:
        ex = np.zeros_like(ex)
    elif sparse.issparse(X):
        X = X.copy()
        X.data = np.ldexp(X.data, -ex[X.indices])
    else:
        X = np.ldexp(X, -ex)
    W = np.r_[np.ldexp(fit.W[0], -ey), np.ldexp(np.ldexp(fit.W[1:], ex), -ey)]
    # α Σ w² = 2^(ey + ec) Σ a_j v_j²
    a = np.ldexp(np.ldexp(fit.alpha, ey - ec), -2 * ex)
    scaled = fit._replace(
        X=X, y=np.ldexp(fit.y, -ey), c=np.ldexp(fit.c, -ec), W=W,
        sigma=float(np.ldexp(fit.sigma, -ey)), alpha=a,
    )  # fmt: skip
    return scaled, (float(np.ldexp(1.0, ey + ec)), float(np.ldexp(1.0, ey)))


def _exponent(values: Any) -> Any:
    return np.where(np.asarray(values) > 0, np.frexp(values)[1], 0)


def _bounds(fit: Fit, single: bool, *, precise: bool) -> Bounds:
    r = Ball.of(fit.y) - _scores(fit, precise)
    terms = rounding_of(fit.X, fit.y, fit.W, single)
    size = float(fit.c @ np.minimum(terms, MOST_ROUNDING * np.abs(fit.y).max()))
    rounded = 2.0 * fit.epsilon * size + NOTHING
    primal = _primal(fit, r)
    enough = (1.0 - ENOUGH) * float(primal.low)
    return Bounds(primal, _dual(fit, r, terms, enough), rounded, r)


def rounding_of(X, y, weights, single: bool) -> np.ndarray:
    """How much of each residual rounding y and the terms of w·x would explain."""
    size = np.abs(y) + abs(X) @ np.abs(weights[1:]) + abs(weights[0])
    return (ROUNDED_32 if single else ROUNDED) * size


def _scores(fit: Fit, precise: bool) -> Ball:
    found = scores(fit.X, fit.W, precise=precise)
    return Ball(found.mid[:, 0], found.rad[:, 0])


def _primal(fit: Fit, r: Ball) -> Ball:
    size, e, s = np.abs(r.mid), fit.epsilon, fit.sigma
    inside = (size <= e * s) & (s > 0.0)
    value = np.where(inside, s + size * (size / s), s + e * (2.0 * size - e * s))
    # f has slopes up to 2ε in r, and each value is a few operations on terms of this size
    rad = 2.0 * e * r.rad + 16 * UNIT * (s + 2.0 * e * size + e * e * s)
    w = Ball.of(fit.W[1:])
    return total(Ball.safe(value, rad) * fit.c) + total(w * w * fit.alpha)


class Columns(NamedTuple):
    """z = [1, x − m] of some columns, divided by their lengths under c; a shift is one rounding.

    ``least`` ≤ λ_min(Σ c z zᵀ), 0 where that is not proven; ``wanted`` is Σ c u z at the minimum,
    0 or with a penalty 2α w in the units of z; ``covered`` are the columns of X that these span.
    """

    fit: Fit
    chosen: np.ndarray
    covered: np.ndarray
    shift: Any
    lengths: np.ndarray
    least: float = 0.0
    wanted: Any = 0.0

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Some rows at a time."""
        X, bias, p = self.fit.X, int(self.fit.intercept), len(self.lengths)
        whole = len(self.chosen) == X.shape[1]
        step = max(1, BLOCK // max(p, 1))
        for first in range(0, X.shape[0], step):
            here = slice(first, min(X.shape[0], first + step))
            part = X[here] if whole else X[here][:, self.chosen]
            Z = np.ones((part.shape[0], p))
            dense = part.toarray() if sparse.issparse(part) else part
            np.subtract(dense, self.shift, out=Z[:, bias:])
            Z /= self.lengths
            yield here, Z


def _dual(fit: Fit, r: Ball, terms: np.ndarray, enough: float) -> float:
    """The best lower bound that the witnesses give; one that is enough ends the search."""
    best, border = 0.0, np.maximum(fit.epsilon * fit.sigma, terms)
    for needed, freed in _ways(fit):
        if not needed.least > 0.0:
            continue
        for factor in (1.0, NEARLY_INSIDE):
            inside = np.abs(r.mid) <= factor * border
            for u in _witnesses(fit, r, freed, inside):
                value = _value(fit, r, needed, u)
                best = max(best, value if np.isfinite(value) else 0.0)
                if best >= enough:
                    return best
    return best


def _ways(fit: Fit) -> Iterator[tuple[Columns, Columns]]:
    """Columns that u must be orthogonal to exactly, and those that a witness is freed of.

    What is left of a column with a penalty costs e²/(4α), so nothing is needed there.
    """
    free = np.flatnonzero(fit.alpha < LEAST_PENALTY * fit.c.sum())
    few, every = fit.X.shape[1] <= MOST_COLUMNS, np.arange(fit.X.shape[1])
    if len(free) < len(every):
        needed = _columns(fit, free)
        yield needed, _columns(fit, every) if few else needed
        yield needed, needed
    if few:
        columns = _all_columns(fit)
        yield columns, columns


def _all_columns(fit: Fit) -> Columns:
    every = np.arange(fit.X.shape[1])
    columns = _columns(fit, every)
    if columns.least > 0.0 or fit.X.shape[0] <= 1:
        return columns
    found = _columns(fit, independent_columns(fit.X, fit.intercept))
    return found._replace(covered=every)  # the others are combinations of these


def _columns(fit: Fit, chosen: np.ndarray) -> Columns:
    bias, n = int(fit.intercept), len(fit.y)
    p = bias + len(chosen)
    shift = fit.X.T[chosen] @ fit.c / fit.c.sum() if bias else 0.0
    raw = Columns(fit, chosen, chosen, shift, np.ones(p))
    gram = sum((Z.T @ (Z * fit.c[here, None]) for here, Z in raw.blocks()), np.zeros((p, p)))
    lengths = np.sqrt(gram.diagonal())
    lengths[lengths == 0] = 1.0
    wanted = np.r_[np.zeros(bias), 2.0 * (fit.alpha * fit.W[1:])[chosen]] / lengths
    least = _least_eigenvalue(gram / lengths / lengths[:, None], n)
    return raw._replace(lengths=lengths, wanted=wanted, least=least)


def _least_eigenvalue(gram: np.ndarray, n: int) -> float:
    """λ ≤ λ_min(Σ c z zᵀ) of n rows, ones on the diagonal; 0 if it cannot be proven to be more."""
    p = len(gram)
    if p == 0:
        return 1.0
    # rounding of the entries and sums; then that of the factor
    doubt = p * (gamma(n + 8) + gamma(p + 4)) * 1.01
    least = 0.5 * float(linalg.eigvalsh(gram, subset_by_index=[0, 0])[0])
    if not least > 2.0 * doubt:
        return 0.0
    try:
        linalg.cholesky(gram - least * np.eye(p), check_finite=False)
    except linalg.LinAlgError:
        return 0.0
    return least - doubt


def _witnesses(fit: Fit, r: Ball, columns: Columns, inside: np.ndarray) -> Iterator[np.ndarray]:
    """u = 2r/σ cut to ±2ε, or 0 for the rows inside; freed of the columns, by those or all rows."""
    top = 2.0 * fit.epsilon
    starts = [np.where(inside, 0.0, top * np.sign(r.mid))]
    if fit.sigma > 0.0:
        starts.insert(0, np.clip(2.0 * r.mid / fit.sigma, -top, top))
    for u in starts:
        for rows in (inside, np.ones(len(u), dtype=bool)):
            yield _freed(fit, columns, u, rows)


def _freed(fit: Fit, columns: Columns, u: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """u less a plane z·δ in some rows, so that Σ c u z is as wanted."""
    p, u = len(columns.lengths), u.copy()
    G, left = np.zeros((p, p)), np.zeros(p)
    for here, Z in columns.blocks():
        G += Z.T @ (Z * (fit.c[here] * rows[here])[:, None])
        left += Z.T @ (fit.c[here] * u[here])
    for _ in range(2):
        delta = linalg.lstsq(G, left - columns.wanted, check_finite=False)[0]
        left = np.zeros(p)
        for here, Z in columns.blocks():
            u[here] -= rows[here] * (Z @ delta)
            left += Z.T @ (fit.c[here] * u[here])
    return u


def _value(fit: Fit, r: Ball, columns: Columns, u: np.ndarray) -> float:
    """D of the exactly corrected u, from below."""
    c, n, p = fit.c, len(u), len(columns.lengths)
    slack = gamma(n + 16)
    up = 1.0 + 2.0 * slack
    sums, sizes, norms = np.zeros(p), np.zeros(p), np.empty(n)
    for here, Z in columns.blocks():
        sums += Z.T @ (c[here] * u[here])
        sizes += np.abs(Z).T @ (c[here] * np.abs(u[here]))
        norms[here] = np.sqrt(np.einsum("ij,ij->i", Z, Z))
    length = float(np.linalg.norm(np.abs(sums) + slack * sizes)) * up
    eta, delta = length / np.sqrt(columns.least) * up, length / columns.least * up
    norm = float(np.sqrt(c @ (u * u))) * up + eta
    reach = np.minimum(norms * delta, eta / np.sqrt(c))
    largest = float(np.max(np.abs(u) + reach, initial=0.0)) * up
    kappa = min(1.0, 2.0 * float(np.sqrt(c.sum())) / norm / up if norm > 0 else 1.0)
    kappa = min(kappa, 2.0 * fit.epsilon / largest / up if largest > 0 else 1.0)
    spread = float(np.sqrt(c @ (r.size * r.size))) * up
    gained = (
        float(total(r * (c * u)).low) - eta * spread - 4 * UNIT * float(c @ (np.abs(u) * r.size))
    )
    others = np.setdiff1d(np.arange(fit.X.shape[1]), columns.covered)
    if not len(others):
        return kappa * gained * (1.0 - 4 * UNIT)
    return _penalised(fit, others, u, kappa, gained, eta, up)


def _penalised(fit: Fit, others, u, kappa: float, gained: float, eta: float, up: float) -> float:
    """κ (Σ c u r + w·e) − κ² Σ e²/(4α), e = Σ c u x of the columns that are not needed."""
    c, slack = fit.c, gamma(len(u) + 16)
    X, prices = fit.X[:, others], fit.alpha[others]
    if fit.intercept and not sparse.issparse(X):
        X = X - (c @ X) / c.sum()  # Σ c u = 0: nothing is lost but cancellation
    squares = X.multiply(X).T @ c if sparse.issparse(X) else c @ (X * X)
    e = X.T @ (c * u)
    doubt = slack * (abs(X).T @ (c * np.abs(u))) + eta * np.sqrt(squares) * up
    e = Ball.safe(e, doubt * up) * kappa
    price = total((e * e).over(Ball.of(4.0 * prices)))
    worth = total(e * fit.W[1:][others])
    return float((Ball.of(kappa * gained * (1.0 - 4 * UNIT)) + worth - price).low)
