"""What is proven about a discriminant that was worked out in floats, or how to do better.

Floats will do where their error bound does. Else the equations are solved in whole numbers, if the
table is not too large, which also tells columns that depend on each other from those that nearly
do; and with more columns than rows the singular values of the rows have the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from linscope.arithmetic.rational import as_float
from linscope.engines import Engine
from linscope.results import Status
from linscope.rows.blocks import NO_WEIGHT, Block, selects

from ..solvers.fisher import Discriminants, Pooling
from ..solvers.moments import ClassMoments
from ..verify.class_rows import ClassRows
from ..verify.discriminant_models import ExactModel
from ..verify.few_rows import FewRowsModel, few, ranks
from ..verify.fisher_model import worst_error
from ..verify.mean_difference import distance, doubt_of_plane, mean_axes, plane_scores
from ..verify.row_space import RowSpaceModel
from .fisher_weights import bias_of, directions_of, held_criterion, held_weights

# Scores of double and of single precision that are proven to this, relative to their spread, are
# called solved; and what is aimed at.
TOLERANCE, COARSE, GOOD = 1e-6, 1e-3, 1e-7
# Share of the spread of a column that others do not have, if it is called nearly dependent.
UNSEEN = 1e-5
# Least eigenvalue of correlations below which columns are called nearly dependent.
NEARLY = 1e-3
# Numbers of a table that are looked at in whole numbers (about 3 µs each), and columns.
MOST_NUMBERS, MOST_COLUMNS = 1_000_000, 500
# Directions with less spread, relative to the largest, make weights that floats cannot hold.
DOUBLE, SINGLE = 1e-9, 3e-5


@dataclass(frozen=True, eq=False)
class Proof:
    """Scores as they will be held, and what can be said of them."""

    found: Discriminants
    weights: np.ndarray
    scalings: np.ndarray
    status: Status
    accuracy: float
    tolerance: float


class Setting(NamedTuple):
    """Of the fit: the rows (None if they are gone), and how the classes are pooled."""

    rows: Engine | None
    moments: ClassMoments
    priors: np.ndarray
    pooling: Pooling
    given: bool
    automatic: bool
    mean_difference: bool
    dtype: np.dtype

    @property
    def tolerance(self) -> float:
        """Scores that are proven to this, relative to their spread, are called solved."""
        return TOLERANCE if self.dtype == np.float64 else COARSE


@np.errstate(over="ignore", invalid="ignore")
def prove(found: Discriminants, setting: Setting) -> Proof:
    """The best that can be proven in reasonable time; ValueError if no floats hold the weights."""
    proof = _best(found, setting)
    # A class that has not come yet is ruled out by an infinite bias.
    first = 1 if (setting.priors == 0).any() else 0
    if not (np.isfinite(proof.weights[:, first:]).all() and np.isfinite(proof.scalings).all()):
        raise ValueError(
            f"a weight is beyond the range of {setting.dtype}: multiply small columns by a power "
            "of 2, or pass X as float64"
        )
    return proof


def _best(found: Discriminants, setting: Setting) -> Proof:
    first = _as_held(found, setting)
    seen = np.isfinite(found.criterion)  # else what is left of a spread may be below rounding
    if (first.accuracy <= GOOD and seen) or setting.rows is None:
        return first
    d = setting.rows.n_features
    if setting.rows.n_rows * d > MOST_NUMBERS:
        return first
    rows = _rows(setting.rows, setting.moments)
    plain = not setting.pooling.ridge.any()
    if plain and few(rows):
        within, whole, proven = ranks(rows)
        if proven and whole > within:
            return _beyond(first, setting, rows, within)
    better = None if d > MOST_COLUMNS else _exactly(found, setting, rows)
    if better is not None:
        return better
    nearly = first.status is Status.NEARLY_DEPENDENT
    return _nearly(first, setting, rows) if nearly and plain else first


def _rows(engine: Engine, moments: ClassMoments) -> ClassRows:
    seen = np.flatnonzero(moments.weight > 0)
    engines = [engine.derive(_of_class, k) for k in seen.tolist()]
    return ClassRows(seen.tolist(), seen, engines, moments.weight[seen])


@selects
def _of_class(block: Block, k: int) -> tuple[Any, None, np.ndarray]:
    own = block.y == k
    return block.X[own].astype(np.float64), None, block.weight[own] if block.weighted else NO_WEIGHT


def _status(rank: int, d: int, separated: bool) -> Status:
    if separated:
        return Status.UNBOUNDED
    return Status.SOLVED if rank == d else Status.RANK_DEFICIENT


def _as_held(found: Discriminants, setting: Setting) -> Proof:
    """The floats that came out, with the bound of their error."""
    two, d = len(setting.priors) == 2, found.coef.shape[1]
    weights = held_weights(found, setting.dtype)
    error, lengths = found.error, found.lengths
    far, size = (error[-1], lengths[-1]) if two else (error[:-1].max(), lengths[:-1].max())
    unit = float(np.finfo(setting.dtype).eps) if setting.dtype != np.float64 else 0.0
    spread = np.sqrt(np.maximum(np.diag(found.covariance), 0.0))
    far = far + unit * float(np.abs(weights[:, 1:] * spread).sum(axis=1).max())
    accuracy = max(float(far / size), found.turn) if size > 0 else np.inf
    if (setting.priors > 0).sum() < 2 or found.rank == 0:  # the weights are 0
        accuracy = max(1e-11, found.turn)
    rank = d - len(found.constant)
    means = setting.moments.means[setting.priors > 0][:, found.constant]
    status = _status(rank, d, bool((means != means[:1]).any()))
    if not accuracy <= setting.tolerance:
        status = Status.NEARLY_DEPENDENT if found.least < NEARLY else Status.STALLED
        accuracy = np.inf
    found = replace(found, rank=rank, dependent=[])
    scalings = found.scalings.astype(setting.dtype)
    return Proof(found, weights, scalings, status, accuracy, setting.tolerance)


def _exactly(found: Discriminants, setting: Setting, rows: ClassRows) -> Proof | None:
    """The equations in whole numbers."""
    shrinkage = setting.pooling.shrinkage[rows.seen]
    how = setting.given, shrinkage, setting.automatic
    model = ExactModel.build(rows, setting.priors[rows.seen], *how)
    if model is None:
        return None
    status = _status(model.rank, rows.n_features, model.separated)
    found = replace(
        found, rank=model.rank, constant=model.constant, dependent=model.dependent or []
    )
    return _of_model(found, setting, rows, model, status)


def _beyond(first: Proof, setting: Setting, rows: ClassRows, rank: int) -> Proof:
    """More columns than rows: the scatter is singular, and the means differ beyond it."""
    priors = setting.priors[rows.seen]
    model: Any = RowSpaceModel.build(rows, priors, setting.given, rank)
    if model is not None:
        found = replace(first.found, rank=rank, constant=model.constant, dependent=[])
        proof = _of_model(found, setting, rows, model, Status.UNBOUNDED)
        if proof is not None:
            return proof
    model = FewRowsModel(rows, priors, setting.given, rank)
    found = replace(first.found, rank=rank, constant=model.constant, dependent=[])
    rough = _by_rows(replace(first, found=found), setting, rows, model)
    return replace(rough, status=Status.UNBOUNDED, accuracy=np.inf)


def _of_model(found: Discriminants, setting: Setting, rows: ClassRows, model, status):
    """The discriminants of a model without rounding; None if floats cannot hold them."""
    if setting.mean_difference:
        return _of_means(found, setting, rows, model, status)
    seen, exact = rows.seen, model.discriminants
    coef = np.zeros_like(found.coef)
    coef[seen] = [[as_float(v) for v in x] for x in exact]
    with np.errstate(divide="ignore"):
        levels = np.log(setting.priors)
    levels[seen] -= 0.5 * np.diag(model.heights)
    scalings, values = directions_of(model, setting.priors[seen], found.scalings)
    better = replace(found, coef=coef, levels=levels, scalings=scalings, eigenvalues=values)
    weights = held_weights(better, setting.dtype, model)
    if len(coef) == len(seen) == 2:
        apart = [as_float(b - a) for a, b in zip(*exact, strict=True)]
        weights[0, 1:] = np.array(apart).astype(setting.dtype)
        w = weights[0, 1:].astype(np.float64)
        weights[0, 0] = bias_of(w, levels[1] - levels[0], better, model)
    scalings = scalings.astype(setting.dtype)
    return _checked(better, weights, scalings, status, model, setting, rows)


def _of_means(found: Discriminants, setting: Setting, rows: ClassRows, model, status):
    """The directions of the means, if rounding leaves them; None if not."""
    proof = _in_the_plane(found, setting, rows, model)
    return replace(proof, status=status) if proof.accuracy <= setting.tolerance else None


def _in_the_plane(found: Discriminants, setting: Setting, rows: ClassRows, model) -> Proof:
    """The directions of the means; their spread comes from the model."""
    priors = setting.priors[rows.seen]
    delta = model.along(np.eye(rows.n_features))
    axes, values = mean_axes(delta, priors)
    coef = np.zeros_like(found.coef)
    coef[rows.seen], scalings = plane_scores(model, delta, axes)
    heights = np.diag(model.form(coef[rows.seen].T))
    with np.errstate(divide="ignore"):
        levels = np.log(setting.priors)
    levels[rows.seen] -= 0.5 * heights
    last = model.along(scalings)[-1]
    scalings = scalings * np.where(last < 0, -1.0, 1.0)
    apart = priors @ model.along(scalings) ** 2
    better = replace(found, coef=coef, levels=levels, scalings=scalings, eigenvalues=apart)
    weights, held = held_weights(better, setting.dtype), scalings.astype(setting.dtype)
    own = coef[1:] - coef[:1] if len(coef) == 2 else coef
    accuracy = 1.01 * distance(model, weights[:, 1:], own) + 2 * doubt_of_plane(
        model, scalings, values
    )
    better = replace(better, criterion=held_criterion(model, rows, weights, held))
    return Proof(better, weights, held, Status.STALLED, accuracy, setting.tolerance)


def _checked(better, weights, scalings, status, model, setting: Setting, rows) -> Proof | None:
    """The proof, with the error of what is held measured by the model."""
    two = len(setting.priors) == 2
    if not (np.isfinite(weights[:, 1:]).all() and np.isfinite(scalings).all()):
        return None
    accuracy = 1.01 * worst_error(model, weights, rows, two) + 1e-13
    if not accuracy <= setting.tolerance:
        return None
    better = replace(better, criterion=held_criterion(model, rows, weights, scalings))
    return Proof(better, weights, scalings, status, accuracy, setting.tolerance)


def _nearly(first: Proof, setting: Setting, rows: ClassRows) -> Proof:
    """Columns are nearly dependent: which they are, and weights that are not proven."""
    nothing = SINGLE if setting.dtype != np.float64 else DOUBLE
    d, priors = rows.n_features, setting.priors[rows.seen]
    model = FewRowsModel(rows, priors, setting.given, d, nothing=nothing)
    named = np.setdiff1d(np.flatnonzero(model.fresh() <= UNSEEN), model.constant).tolist()
    rank = d - len(model.constant) - len(named)
    found = replace(first.found, rank=rank, constant=model.constant, dependent=named)
    return _by_rows(replace(first, found=found), setting, rows, model)


def _by_rows(first: Proof, setting: Setting, rows: ClassRows, model: FewRowsModel) -> Proof:
    """By singular values of the rows: directions in which floats see no spread are left out."""
    found, seen = first.found, rows.seen
    if setting.mean_difference:
        proof = _in_the_plane(found, setting, rows, model)
        return replace(proof, status=first.status, accuracy=np.inf)
    coef = np.zeros_like(found.coef)
    coef[seen] = model.x
    with np.errstate(divide="ignore"):
        levels = np.log(setting.priors)
    levels[seen] -= 0.5 * np.diag(model.heights)
    scalings, values = directions_of(model, setting.priors[seen], found.scalings)
    better = replace(found, coef=coef, levels=levels, scalings=scalings, eigenvalues=values)
    weights, scalings = held_weights(better, setting.dtype), scalings.astype(setting.dtype)
    better = replace(better, criterion=held_criterion(model, rows, weights, scalings))
    return replace(first, found=better, weights=weights, scalings=scalings)
