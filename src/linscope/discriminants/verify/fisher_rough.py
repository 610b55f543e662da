"""Checks of discriminants whose weights are not proven: what is said of them must still fit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linscope.results import Status
from linscope.verify.claims import require

from .class_rows import ClassRows
from .discriminant_models import Model
from .few_rows import FewRowsModel

# Directions in which the rows vary by less, relatively, are left out of a rough check; and least
# eigenvalue of correlations below which columns are nearly dependent.
ROUGH, NEARLY = 1e-4, 1e-3
# Among more columns dependent ones are not looked for.
MOST_NAMED = 500


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
