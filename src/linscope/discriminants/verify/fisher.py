"""Is a claim about Fisher's discriminant true?

The scores of the classes are w_k·[1, x] with  Σ w_k = m_k − m̄  and the bias
ln π_k − ½ ‖w_k‖²_Σ − w_k·m̄; two classes have one row, the difference. With a the ``accuracy``:

    ‖w_k − w_k*‖_Σ ≤ a · max_k ‖w_k*‖_Σ      |bias − its value| ≤ a (1 + ‖w_k‖_Σ)² + one rounding

so that J(w) = (w·m_2 − w·m_1)² / wᵀS_W w is within a² of its maximum, relatively. The directions
``scalings`` v_i have variance 1, VᵀΣV = 1, and are the stationary points of J with the largest
values. The status says what is proven about the rank of Σ:

    SOLVED             full rank, a ≤ tolerance
    RANK_DEFICIENT     exact dependencies, along which all means agree; a ≤ tolerance
    UNBOUNDED          the means differ along an exact dependency; a ≤ tolerance, or with more
                       columns than rows ∞: the scores are compared roughly
    NEARLY_DEPENDENT   columns named are combinations of others up to rounding; w is not proven
    STALLED            w is not proven for another reason: the means agree up to rounding
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from linscope.arithmetic.enclosures import dense
from linscope.results import Check, Status
from linscope.rows.blocks import Block, Largest, Least
from linscope.verify.claims import checked, require

from .class_columns import class_moments, exact_column
from .class_rows import ClassRows, check_shares, read_rows
from .discriminant_models import Model
from .few_rows import FewRowsModel
from .fisher_model import PROVEN, Known, check_rough, check_rough_weights, known_of, worst_error
from .mean_difference import check_mean_difference

# The largest tolerance that says anything.
WORST = 0.01
# A centre of class means is summed in floats.
CENTRE = 2.0**-40
# Values of J and of the directions are worked out in floats.
FLOATS = 1e-9
# Products of numbers near the end of the range lose so much, whatever their size.
VANISHING = 64 * 5e-324


def check(claim: Any, X: Any, y: Any, sample_weight: Any, choose: Any) -> Check:
    """Recompute all that the claim says; ``choose`` makes an engine of rows."""
    return checked(lambda: _claims(claim, read_rows(claim, X, y, sample_weight, choose)))


def _claims(claim: Any, rows: ClassRows) -> str:
    check_shares(claim, rows)
    _check_form(claim, rows)
    _check_means(claim, rows)
    known = known_of(claim, rows)
    _check_status(claim, known)
    if known.model is None:
        return "means and priors are those of the samples; nothing is claimed about the scores"
    far, proven = 0.0, claim.accuracy < np.inf
    if claim.mean_difference and proven:
        check_mean_difference(claim, known)
    elif proven:
        far = _check_weights(claim, known)
        _check_directions(claim, known)
    J = _check_criterion(claim, known)
    if not proven:
        return f"J as claimed: {J:.6g}; the scores are not proven"
    best = "J as claimed"
    if not (claim.mean_difference or claim.given_priors or known.shrinkage.any()):
        where = " in which the classes vary" * (claim.status is Status.UNBOUNDED)
        best = f"no direction{where} has a larger J"
    return f"{best}: {J:.6g}; scores agree to {max(far, 1e-16):.1e}"


def _check_form(claim: Any, rows: ClassRows) -> None:
    K, d = len(claim.labels), rows.n_features
    weights, scalings = np.asarray(claim.weights), np.asarray(claim.scalings)
    require(weights.shape == (1 if K == 2 else K, d + 1), "the weights have another shape")
    require(scalings.ndim == 2 and len(scalings) == d, "the directions have another length")
    finite = np.isfinite(weights[:, 1:]).all() and np.isfinite(scalings).all()
    require(finite, "the weights are not finite")
    require(not np.isnan(weights).any(), "a bias is not a number")
    require(np.shape(claim.means) == (K, d), f"the means are not of {d} features")
    require(np.shape(claim.shrinkage) == (K,), "one shrinkage per class is needed")
    require(0.0 < claim.tolerance <= WORST, f"a tolerance of {claim.tolerance} is no claim")
    require(claim.accuracy > 0.0, f"an accuracy of {claim.accuracy} is no claim")
    require(np.isfinite(claim.criterion) or claim.criterion == np.inf, "J is not a number")
    if claim.components is not None:
        require(0 <= claim.components <= scalings.shape[1], "there are fewer directions")


def _check_means(claim: Any, rows: ClassRows) -> None:
    """A mean is right to 1e-9 deviations of its class, 1e-12 of its range, and two roundings."""
    means = np.asarray(claim.means, dtype=np.float64)
    require(np.isfinite(means).all(), "a mean is not finite")
    if claim.centre is not None:
        priors = np.asarray(claim.priors, dtype=np.float64)
        off, size = np.abs(claim.centre - priors @ means), priors @ np.abs(means)
        require((off <= CENTRE * size).all(), "the centre is not the mean of the class means")
    for k, label in enumerate(rows.labels):
        about, held = class_moments(rows, k), means[rows.seen[k]]
        far = np.abs((held - about.origin) - about.offset.mid) + about.offset.rad
        low = np.sqrt(np.maximum(about.variance.low, 0.0))
        open_ = ~(far <= 0.5e-9 * low + 2.0**-53 * np.abs(about.origin))
        for j in np.flatnonzero(open_).tolist():
            exact = exact_column(rows, k, j)
            low, high = (each.value for each in rows.engines[k].fold(_ends, j))
            reach = Fraction(float(high)) - Fraction(float(low))
            left = abs(Fraction(float(held[j])) - exact.mean) - abs(exact.mean) / 2**51
            left -= reach / 10**12
            near = left <= 0 or left * left <= Fraction(1, 10**18) * exact.variance
            require(near, f"class {label!r}: the mean of column {j} is {float(exact.mean):.15g}")


def _ends(block: Block, j: int) -> tuple[Least, Largest]:
    column = dense(block.X[:, [j]])
    return Least(column.min(initial=np.inf)), Largest(column.max(initial=-np.inf))


def _check_status(claim: Any, known: Known) -> None:
    rough = Status.STALLED, Status.NEARLY_DEPENDENT
    require(claim.status in (*PROVEN, *rough), f"no discriminant ends with: {claim.status}")
    model, d = known.model, known.rows.n_features
    if claim.status in rough:
        require(claim.accuracy == np.inf, "no accuracy of the scores is known")
        check_rough(claim, known)
        return
    if isinstance(model, FewRowsModel):
        check_rough_weights(claim, known, model)
    else:
        require(claim.accuracy <= claim.tolerance, "the accuracy is not within the tolerance")
    require(model is not None, "it cannot be decided whether columns depend on each other")
    assert model is not None
    require(claim.rank == model.rank, f"the scatter within classes has rank {model.rank}")
    right = Status.RANK_DEFICIENT if model.rank < d else Status.SOLVED
    right = Status.UNBOUNDED if model.separated else right
    require(claim.status is right, f"it is not true that {claim.status}: {right}")
    require(list(claim.constant) == model.constant, f"columns {model.constant} are constant")
    if model.dependent is not None:
        require(list(claim.dependent) == model.dependent, f"dependent are {model.dependent}")


def _check_weights(claim: Any, known: Known) -> float:
    rows, model, weights = known.rows, known.model, np.asarray(known.weights)
    assert model is not None
    two = len(claim.labels) == 2
    if two and len(rows.labels) < 2:
        side = np.inf if rows.seen[0] == 1 else -np.inf
        require(weights[0, 0] == side, "one class alone wins everywhere")
        require(not weights[0, 1:].any(), "one class alone has no direction")
        return 0.0
    absent = np.setdiff1d(np.arange(len(claim.labels)), rows.seen)
    if not two and len(absent):
        others = np.asarray(claim.weights)[absent]
        ruled_out = (others[:, 0] == -np.inf).all() and not others[:, 1:].any()
        require(ruled_out, "a class without samples has a score")
    far = worst_error(model, np.asarray(claim.weights), rows, two)
    require(far <= claim.accuracy, f"the scores are off by {far:.2g}")
    _check_bias(claim, known, weights, two)
    return far


def _check_bias(claim: Any, known: Known, weights: np.ndarray, two: bool) -> None:
    model = known.model
    assert model is not None
    unit = float(np.finfo(weights.dtype).eps)
    lengths = np.diag(model.heights)
    bias = np.log(known.priors) - 0.5 * lengths
    values = [bias[1] - bias[0]] if two else bias.tolist()
    size = float(lengths.max())
    for row, value in zip(weights, values, strict=True):
        height, doubt = model.centre(row[1:].astype(np.float64))
        expected = value - height
        room = claim.accuracy * (1.0 + np.sqrt(size)) ** 2 + 2 * unit * abs(expected) + doubt
        off = abs(float(row[0]) - expected)
        require(off <= room, f"an intercept is off by {off:.2g}")


def _check_directions(claim: Any, known: Known) -> None:
    """Stationary points of J, and its largest values: nothing is left for another direction."""
    model, V = known.model, np.asarray(claim.scalings, dtype=np.float64)
    assert model is not None
    m = V.shape[1]
    require(m <= min(len(claim.labels) - 1, model.rank), "there are more directions than needed")
    if m == 0:
        return
    room = 4 * claim.accuracy + FLOATS + float(np.finfo(np.asarray(claim.scalings).dtype).eps)
    form = model.form(V)
    unit = float(np.abs(form - np.eye(m)).max())
    grown = np.abs(V * model.spread[:, None]).sum(axis=0).max()  # what rounding V may change
    held = room + 4 * float(np.finfo(np.asarray(claim.scalings).dtype).eps) * grown
    require(unit <= held, f"the variance within classes is not 1, but off by {unit:.2g}")
    root = np.sqrt(known.priors)
    found = np.linalg.eigvalsh(root[:, None] * model.heights * root)[::-1]
    largest = np.concatenate([found, np.zeros(m)])[:m]  # more labels than classes with samples
    along = model.along(V)
    values = known.priors @ along**2
    top = max(float(largest.max()), 0.0)
    loose = _loose(claim, known)
    short = np.abs(values - np.maximum(largest, 0.0))
    short -= known.priors @ (2 * np.abs(along) * loose + loose**2)
    require(short.max() <= 2 * held * top + VANISHING, "another direction has a larger J")
    lengths = np.sqrt(np.maximum(np.diag(model.heights), 0.0))
    for i in range(m):
        q = model.defect(V[:, i], known.priors * along[:, i], float(values[i]))
        q -= float(known.priors * loose[:, i] @ (lengths + np.abs(along[:, i])))
        require(q <= 8 * held * top + VANISHING, f"direction {i + 1} is not stationary")


def _loose(claim: Any, known: Known) -> np.ndarray:
    """What rounding V changes of δ_k·v where the means differ beyond the range of Σ, (K, m)."""
    V, model = np.asarray(claim.scalings), known.model
    assert model is not None
    if not model.separated:
        return np.zeros((len(known.priors), V.shape[1]))
    apart = np.abs(model.along(np.eye(len(V))))
    return 2 * float(np.finfo(V.dtype).eps) * apart @ np.abs(V).astype(np.float64)


def _check_criterion(claim: Any, known: Known) -> float:
    """J of the claimed direction, from the data."""
    model, rows = known.model, known.rows
    assert model is not None
    if len(rows.labels) < 2:
        require(claim.criterion == 0.0, "one class alone has no J")
        return 0.0
    two = len(claim.labels) == 2
    if not two and np.shape(claim.scalings)[1] == 0:
        require(claim.criterion == 0.0, "no direction has a J")
        return 0.0
    w = claim.weights[0, 1:] if two else claim.scalings[:, 0]
    J = criterion_of(model, rows, np.asarray(w, dtype=np.float64), two)
    if J in (0.0, np.inf) or claim.criterion in (0.0, np.inf):
        require(claim.criterion == J, f"J is {J:.12g}, not {claim.criterion:.12g}")
        return float(J)
    room = 4 * min(claim.accuracy, 1e-2) + FLOATS
    require(abs(claim.criterion - J) <= room * J, f"J is {J:.12g}, not {claim.criterion:.12g}")
    return float(J)


def criterion_of(model: Model, rows: ClassRows, w: np.ndarray, two: bool) -> float:
    """J(w) = wᵀ S_B w / wᵀ S_W w; for two classes S_B = (m_2 − m_1)(m_2 − m_1)ᵀ."""
    size = float(np.abs(w * model.spread).max()) or float(np.abs(w).max()) or 1.0
    w = w / 2.0 ** np.frexp(size)[1]
    along = model.along(w[:, None])[:, 0]
    along = along - rows.totals / rows.totals.sum() @ along
    between = (along[1] - along[0]) ** 2 if two else rows.totals @ along**2
    within = model.within(w)
    return float(between / within if within > 0 else (np.inf if between > 0 else 0.0))
