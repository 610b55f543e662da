"""Checking the claims of a discriminant, one after the other, from the data alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..results import Status
from .class_scatter import ClassRows, Whitened, check_classes
from .verify import require

if TYPE_CHECKING:
    from .fisher import FisherCertificate

# Variances along directions of the means, relative to the largest, that count as rounding.
NOTHING = 1e-12
# Among more columns dependent ones are not looked for.
MOST_NAMED = 500
STATUSES = (Status.SOLVED, Status.RANK_DEFICIENT, Status.UNBOUNDED)


def check_claims(claim: FisherCertificate, rows: ClassRows) -> str:
    """Raise on the first claim that fails; else say what was shown."""
    seen = check_classes(claim, rows)
    _check_shapes(claim)
    priors = np.asarray(claim.priors, np.float64)[seen]
    shrinkage = np.asarray(claim.shrinkage, np.float64)[seen]
    _check_shrinkage(claim, rows, shrinkage)
    apart, centre = rows.apart(priors)
    white = Whitened(rows.factor(*_pooling(claim, rows, priors, shrinkage)), claim.rank)
    root, growth = white.root, white.condition**2
    if claim.mean_difference:
        root, flatness = _mean_root(white, apart, priors, rows)
        growth = max(growth, flatness)
    vague = 1e-9 + 1e3 * len(white.spread) * np.finfo(float).eps * growth
    require(bool(0.0 < claim.accuracy <= vague), f"an accuracy of {claim.accuracy:.2g} is no claim")
    error = _check_scores(claim, rows, white, apart @ root @ root.T, (priors, centre, seen))
    if claim.mean_difference:
        _check_mean_axes(claim, rows, apart, priors)
    else:
        _check_directions(claim, rows, white, np.sqrt(priors)[:, None] * (apart @ white.root))
    multiple = not (claim.given_priors or shrinkage.any())  # of S_W
    J = _check_criterion(claim, rows, white.R * np.sqrt(rows.totals.sum()) if multiple else None)
    _check_status(claim, white, apart, rows)
    best = "J as claimed"
    if multiple and not claim.mean_difference:
        where = " in which the classes vary" * (claim.status is Status.UNBOUNDED)
        best = f"no direction{where} has a larger J"
    return f"{best}: {J:.6g}; scores agree to {max(error, 1e-16):.1e}"


def _check_shapes(claim: FisherCertificate) -> None:
    d, K = claim.means.shape[1], len(claim.labels)
    require(claim.weights.shape == (1 if K == 2 else K, d + 1), "the weights have another shape")
    require(claim.scalings.shape[0] == d, "the directions have another length")
    finite = np.isfinite(claim.weights[:, 1:]).all() and np.isfinite(claim.scalings).all()
    require(bool(finite), "the weights are not finite")


def _check_shrinkage(claim: FisherCertificate, rows: ClassRows, shrinkage: np.ndarray) -> None:
    require(bool(((shrinkage >= 0) & (shrinkage <= 1)).all()), "shrinkage is not between 0 and 1")
    if not claim.automatic:
        require(len(np.unique(shrinkage)) == 1, "the classes have different shrinkage")
        return
    for k, claimed in enumerate(shrinkage):
        found = ledoit_wolf_share(rows, k)
        require(abs(found - claimed) <= 1e-6, f"the shrinkage of class {k} is {found:.6g}")


def ledoit_wolf_share(rows: ClassRows, k: int) -> float:
    """The formula of Ledoit and Wolf for the standardised rows of class k."""
    z, w = rows.centred(k), rows.weights[k]
    n, d = w.sum(), z.shape[1]
    spread = np.sqrt(w @ z**2 / n)
    z = z / np.where(spread > 0, spread, 1.0)
    covariance = (z.T * w) @ z / n
    square, mu = (covariance**2).sum(), np.trace(covariance) / d
    delta = square / d - mu * mu
    beta = min((w @ (z**2).sum(axis=1) ** 2 / n - square) / (n * d), delta)
    return max(beta / delta, 0.0) if d > 1 and beta > 0 else 0.0


def _pooling(claim, rows: ClassRows, priors, shrinkage) -> tuple[np.ndarray, np.ndarray]:
    """Σ = Σ factor_k S_k + diag(ridge)."""
    totals, variances = rows.totals, rows.variances()
    by_class = claim.given_priors or claim.automatic
    factors = priors / totals if by_class else np.full(len(totals), 1.0 / totals.sum())
    endless = 1e200 * rows.size**2
    if claim.automatic:
        with np.errstate(over="ignore"):
            one = np.minimum(np.ldexp(1.0, -2 * rows.exponent), endless)
        own = np.where(variances > 0, variances, one)
        ridge = (priors * shrinkage * (variances > 0).mean(axis=1)) @ own
    else:
        mixed = (factors * totals) @ variances
        mean = np.ldexp(mixed, 2 * rows.exponent).mean()
        with np.errstate(over="ignore"):
            ridge = np.ldexp(np.full(len(mixed), shrinkage[0] * mean), -2 * rows.exponent)
        ridge = np.minimum(ridge, endless)
    return factors * (1.0 - shrinkage), ridge


def _mean_root(white: Whitened, apart, priors, rows: ClassRows) -> tuple[np.ndarray, float]:
    """T with T Tᵀ = Σ⁻¹ within the plane of the class means (in the units of the data).

    Also by what factor rounding grows in this plane.
    """
    axes, means = _mean_axes(apart, priors, rows.exponent)
    Q = white.R @ axes
    spread = np.sqrt((Q**2).sum(axis=0))
    seen = spread**2 > NOTHING * spread.max(initial=0.0) ** 2
    _, values, turn = np.linalg.svd(Q[:, seen] / spread[seen], full_matrices=False)
    keep = values**2 > NOTHING
    root = axes[:, seen] / spread[seen] @ (turn[keep].T / values[keep])
    flatness = np.prod([v.max() / v.min() for v in (means, spread[seen] ** 2) if v.size])
    return root, float(flatness / values[keep].min(initial=1.0) ** 2)


def _mean_axes(apart, priors, exponent) -> tuple[np.ndarray, np.ndarray]:
    """Principal axes of the class means, in units 2^exponent, and the variance along each."""
    unit = int((np.frexp(np.abs(apart).max(axis=0))[1] + exponent).max(initial=0))
    means = np.sqrt(priors)[:, None] * np.ldexp(apart, exponent - unit)
    _, values, axes = np.linalg.svd(means, full_matrices=False)
    m = min(len(priors) - 1, int((values**2 > NOTHING * values.max(initial=0.0) ** 2).sum()))
    return np.ldexp(axes[:m].T, exponent[:, None] - unit), values[:m] ** 2


def _check_scores(claim, rows: ClassRows, white: Whitened, coef, model) -> float:
    """The claimed weights against Σ⁻¹ (m_k − m̄), in the norm of Σ and as they stand."""
    priors, centre, seen = model
    bias = np.log(priors) - 0.5 * ((white.R @ coef.T) ** 2).sum(axis=0)
    weights = claim.weights
    if len(weights) > 1:
        weights = weights[seen]
    elif len(seen) > 1:
        coef, bias = coef[1:] - coef[:1], bias[1:] - bias[:1]
    else:  # one class only so far: its score is infinite
        require(bool(np.isinf(weights[0, 0])), "two classes have scores, one has samples")
        return 0.0
    claimed, allowed = np.ldexp(weights[:, 1:], rows.exponent), claim.accuracy
    size, wrong = _lengths(white.R @ coef.T), _lengths(white.R @ (claimed - coef).T)
    require(wrong <= allowed * size, f"the scores are off by {wrong / (size or 1.0):.2g}")
    largest = np.abs(coef * white.spread).max()
    wrong_weight = np.abs((claimed - coef) * white.spread).max()
    limit = allowed * white.condition * len(white.spread) * largest
    require(
        bool(wrong_weight <= limit), f"a weight is off by {wrong_weight / (largest or 1.0):.2g}"
    )
    still = not claim.mean_difference and claimed[:, white.spread == 0].any()
    require(not still, "a constant column has a weight")
    slopes = weights[:, 1:]
    room = allowed * (1.0 + size) ** 2 + 1e-13 * (np.abs(slopes) @ np.abs(centre)).max()
    wrong_bias = np.abs(weights[:, 0] - (bias - slopes @ centre))
    require(bool((wrong_bias <= room).all()), "the intercept does not follow from the weights")
    return wrong / (size or 1.0)


def _lengths(columns: np.ndarray) -> float:
    return float(np.sqrt((columns**2).sum(axis=0)).max())


def _check_directions(claim, rows: ClassRows, white: Whitened, means: np.ndarray) -> None:
    """Stationary points of J, and its largest values: nothing is left for another direction."""
    Q = white.R @ np.ldexp(claim.scalings, rows.exponent[:, None])
    m = Q.shape[1]
    unit = np.abs(Q.T @ Q - np.eye(m)).max(initial=0.0)
    require(bool(unit <= 1e-6 + claim.accuracy), "the variance within classes is not 1")
    Q = white.axes.T @ Q
    largest = np.linalg.svd(means, compute_uv=False)[:m] ** 2
    values = ((means @ Q) ** 2).sum(axis=0)
    top = largest.max(initial=0.0)
    short = np.abs(values - largest).max(initial=0.0)
    require(bool(short <= (claim.accuracy + 1e-9) * top), "another direction has a larger J")
    residual = np.abs(means.T @ (means @ Q) - Q * values).max(initial=0.0)
    require(bool(residual <= (10 * claim.accuracy + 1e-8) * top), "a direction is not stationary")


def _check_mean_axes(claim, rows: ClassRows, apart, priors) -> None:
    """Each direction is a principal axis of the class means."""
    axes, values = _mean_axes(apart, priors, rows.exponent)
    exact = np.ldexp(axes, -rows.exponent[:, None])
    exact = exact / np.abs(exact).max(axis=0)
    claimed = claim.scalings / np.abs(claim.scalings).max(axis=0)
    for i in range(claimed.shape[1]):
        near = exact[:, np.abs(values - values[i]) <= 1e-6 * values[0]]
        fitted = near @ np.linalg.lstsq(near, claimed[:, i], rcond=None)[0]
        far = np.abs(fitted - claimed[:, i]).max()
        require(bool(far <= 1e-8), "a direction is not that of the means")


def _check_criterion(claim: FisherCertificate, rows: ClassRows, R: np.ndarray | None) -> float:
    """J of the claimed direction, from the data; S_W = RᵀR."""
    two = len(claim.labels) == 2
    if len(rows.labels) < 2:
        require(claim.criterion == 0.0, "one class alone has no J")
        return 0.0
    w = np.ldexp(claim.weights[0, 1:] if two else claim.scalings[:, 0], rows.exponent)
    w = w / (np.abs(w).max() or 1.0)
    totals = rows.totals
    apart, _ = rows.apart(totals / totals.sum())
    along = apart @ w
    between = (along[1] - along[0]) ** 2 if two else totals @ along**2
    R = rows.factor(np.ones(len(totals)), np.zeros(len(w))) if R is None else R
    within = float(((R @ w) ** 2).sum())
    J = between / within if within > 0 else (np.inf if between > 0 else 0.0)
    close = claim.criterion == J or abs(claim.criterion - J) <= (10 * claim.accuracy + 1e-9) * J
    require(bool(close), f"J is {J:.12g}, not {claim.criterion:.12g}")
    return float(J)


def _check_status(claim, white: Whitened, apart, rows: ClassRows) -> None:
    gap = white.null_separation(apart, rows.size)
    deficient = white.rank < len(white.spread)
    _check_columns(claim, white, rows)
    require(claim.status in STATUSES, f"no discriminant ends with: {claim.status}")
    require(gap < 1e-6 or claim.status is Status.UNBOUNDED, "J has no maximum on these data")
    require(gap > 1e-13 or claim.status is not Status.UNBOUNDED, "J has a maximum on these data")
    solved = claim.status is Status.SOLVED
    require(deficient != solved, f"the scatter within classes has rank {white.rank}")


def _check_columns(claim, white: Whitened, rows: ClassRows) -> None:
    """The columns that are named are those that do not count, and the others do."""
    d = len(white.spread)
    surely, perhaps = white.spread == 0, white.spread <= 1e-13 * rows.size
    claimed = np.isin(np.arange(d), claim.constant)
    fits = (surely <= claimed).all() and (claimed <= perhaps).all()
    require(bool(fits), f"{int(perhaps.sum())} columns are constant in classes")
    left_out = sorted({*claim.constant, *claim.dependent})
    kept = np.setdiff1d(np.arange(d), left_out)
    if d <= MOST_NAMED or claim.dependent:
        require(len(kept) == claim.rank, f"{d - claim.rank} columns should be left out")
        require(white.independent(kept), "more columns are dependent than are named")
