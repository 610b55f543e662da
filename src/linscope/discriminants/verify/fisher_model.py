"""What is known of the scatter within classes, by the cheapest way that proves what is claimed."""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.results import Status

from .class_rows import ClassRows
from .discriminant_models import ExactModel, FloatModel, Model
from .few_rows import FewRowsModel, few, ranks
from .fisher_rough import MOST_NAMED, ROUGH, Known
from .row_space import RowSpaceModel
from .shrinkage import check_shrinkage

# Tables of more numbers are looked at in floats first; of many more, only so.
SMALL, MOST = 20_000, 4_000_000
PROVEN = (Status.SOLVED, Status.RANK_DEFICIENT, Status.UNBOUNDED)


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
