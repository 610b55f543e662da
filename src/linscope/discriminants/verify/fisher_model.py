"""What is known of the scatter within classes, by the cheapest way that proves what is claimed.

Of discriminants whose weights are not proven, what is said must still fit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linscope.results import Status
from linscope.verify.claims import require

from .class_rows import ClassRows
from .discriminant_models import ExactModel, FloatModel, Model
from .few_rows import FewRowsModel, few, ranks
from .row_space import RowSpaceModel
from .shrinkage import check_shrinkage

# Directions in which the rows vary by less, relatively, are left out of a rough check; and least
# eigenvalue of correlations below which columns are nearly dependent.
ROUGH, NEARLY = 1e-4, 1e-3
# Among more columns dependent ones are not looked for.
MOST_NAMED = 500
# Tables of more numbers are looked at in floats first; of many more, only so.
SMALL, MOST = 20_000, 4_000_000
PROVEN = (Status.SOLVED, Status.RANK_DEFICIENT, Status.UNBOUNDED)


class Known(NamedTuple):
    """The claim's numbers of the classes that have samples."""

    rows: ClassRows
    priors: np.ndarray
    shrinkage: np.ndarray
    weights: np.ndarray | None
    model: Model | None


def check_rough(claim: Any, known: Known) -> None:
    """What is named is nearly dependent, and what is not known does at least not look wrong."""
    model, rows, d = known.model, known.rows, known.rows.n_features
    left_out = {*claim.constant, *claim.dependent}
    require(claim.rank == d - len(left_out) or d > MOST_NAMED, "the rank is that of the columns")
    if not isinstance(model, FewRowsModel):
        return
    require(list(claim.constant) == model.constant, f"columns {model.constant} are constant")
    near = np.setdiff1d(np.flatnonzero(model.fresh() <= ROUGH), model.constant)
    require(
        np.isin(claim.dependent, near).all(), f"only columns {near.tolist()} are nearly dependent"
    )
    used = [j for j in range(d) if j not in model.constant]
    values = np.linalg.svd((model.Z / model.spread)[:, used], compute_uv=False)
    least = float(values[-1]) ** 2 if len(values) == len(used) > 0 else 0.0
    if claim.status is Status.NEARLY_DEPENDENT:
        require(least <= 2 * len(used) * NEARLY, "no columns are nearly dependent")
    else:
        require(least >= 0.9 * NEARLY, "columns are nearly dependent")
    if len(rows.labels) > 1:
        check_rough_weights(claim, known, model)


def check_rough_weights(claim: Any, known: Known, model: FewRowsModel) -> None:
    """w solves its equations along itself, wᵀΣw = w·δ, and reaches as far as rough scores do."""
    two, weights = len(claim.labels) == 2, np.asarray(known.weights, dtype=np.float64)
    H = model.heights
    along = model.along(weights[:, 1:].T)
    if two:
        reached, best = along[1] - along[0], np.array([H[0, 0] + H[1, 1] - 2 * H[0, 1]])
    else:
        reached, best = np.diag(along), np.diag(H)
    own = np.diag(model.form(weights[:, 1:].T))
    single = np.asarray(claim.weights).dtype != np.float64
    share = 0.2 if single else 0.01
    spread = np.where(model.spread > 0, model.spread, np.inf)
    noise = 2.0**-48 * (1.0 + np.max(np.abs(model.base) / spread))
    unit = float(np.finfo(np.asarray(claim.weights).dtype).eps)
    rounded = _rounded(weights, model, own, unit)
    room = share * best.max() + (noise / ROUGH) ** 2 + rounded
    off = np.abs(own - reached)
    require((off <= room + 1e-2 * np.abs(reached)).all(), "the scores are not to scale")
    far = claim.mean_difference or (reached >= 0.9 * best - room).all()
    require(far, "J is far from its largest")
    bias = np.log(known.priors)
    if two:  # x_1 = −π_2 w and x_2 = π_1 w
        bias = bias[1:] - bias[:1] - 0.5 * (known.priors[0] - known.priors[1]) * own
    else:
        bias = bias - 0.5 * own
    for row, value, moved in zip(weights, bias, rounded, strict=True):
        height, doubt = model.centre(row[1:])
        left = abs(row[0] - (value - height))
        room = doubt + moved + (0.4 if single else 1e-3) * (1 + abs(value)) + 4 * unit * abs(height)
        require(left <= room, f"an intercept is off by {left:.2g}")


def _rounded(weights: np.ndarray, model: FewRowsModel, own: np.ndarray, unit: float) -> np.ndarray:
    """What rounding w changes of wᵀΣw, and of w·δ where the means differ beyond the range of Σ."""
    size = unit * np.abs(weights[:, 1:])
    spread = size @ model.spread
    apart = 2 * np.abs(model.delta).max(axis=0)
    return 2 * np.sqrt(np.maximum(own, 0.0)) * spread + spread**2 + size @ apart


def known_of(claim: Any, rows: ClassRows) -> Known:
    shrinkage = np.asarray(claim.shrinkage, dtype=np.float64)[rows.seen]
    check_shrinkage(claim, rows, shrinkage)
    priors = np.asarray(claim.priors, dtype=np.float64)[rows.seen]
    weights = np.asarray(claim.weights)
    weights = weights[rows.seen] if len(claim.labels) > 2 else weights
    given, n = bool(claim.given_priors), rows.n_rows
    if claim.status in PROVEN:
        model = _model(claim, rows, priors, shrinkage)
    elif n * rows.n_features <= MOST and not shrinkage.any():
        model = FewRowsModel(rows, priors, given, rows.n_features, nothing=ROUGH)
    else:
        model = None
    return Known(rows, priors, shrinkage, weights, model)


def _model(claim: Any, rows: ClassRows, priors, shrinkage) -> Model | None:
    n, d = rows.n_rows, rows.n_features
    found: Model | None = None
    if n * d > SMALL:
        found = FloatModel.build(rows, priors, shrinkage, claim)
    if found is not None and claim.status is Status.SOLVED and not claim.mean_difference:
        two = len(claim.labels) == 2
        if worst_error(found, np.asarray(claim.weights), rows, two) <= claim.accuracy:
            return found
    if not shrinkage.any() and few(rows):
        within, whole, proven = ranks(rows)
        if proven and whole > within and claim.status is Status.UNBOUNDED:
            return _beyond(claim, rows, priors, within)
    if n * d > MOST or d > MOST_NAMED:
        return found
    how = bool(claim.given_priors), shrinkage, bool(claim.automatic)
    return ExactModel.build(rows, priors, *how) or found


def worst_error(model: Model, weights: np.ndarray, rows: ClassRows, two: bool) -> float:
    """The largest error of the scores, relative to the longest."""
    if two:
        if len(rows.labels) < 2:
            return 0.0
        H = model.heights
        size = float(np.sqrt(max(H[0, 0] + H[1, 1] - 2 * H[0, 1], 0.0)))
        far = model.error(weights[0, 1:], 1, 0)
    else:
        own = weights[rows.seen, 1:]
        size = float(np.sqrt(max(np.diag(model.heights).max(), 0.0)))
        far = max(model.error(w, k) for k, w in enumerate(own))
    return far / size if size > 0 else (0.0 if far == 0 else np.inf)


def _beyond(claim: Any, rows: ClassRows, priors: np.ndarray, rank: int) -> Model | None:
    """More columns than rows; without an accuracy the scores are compared roughly."""
    given = bool(claim.given_priors)
    if claim.accuracy == np.inf:
        return FewRowsModel(rows, priors, given, rank, nothing=ROUGH)
    return RowSpaceModel.build(rows, priors, given, rank)
