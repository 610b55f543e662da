"""What any claim must satisfy, whatever the model: numbers, bounds, and the floats it speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
from flint import arb, fmpq

from linscope.results import Certificate, Status

from .exact import number

# The objective is claimed to this, relatively, or to the gap if that is larger.
SAME = 1e-6
# A bound above this share of the objective at weights 0 proves nothing.
VACUOUS = 0.01
# What is smaller than this is nothing: floats end at 1e-308.
NOTHING = 1e-290
NOT_NUMBERS = ("how", "names", "class_weight", "parameters", "side", "dependent", "separation")


def claims_of(certificate: Certificate) -> dict[str, Certificate]:
    """The certificate itself, or those of its binary problems."""
    return dict(certificate.parts) or {"": certificate}


def not_numbers(claim: Any) -> Iterator[str]:
    """NaN anywhere, and bounds that are vacuous in a claim that is ok."""
    for each in fields(claim):
        if each.name in NOT_NUMBERS or each.name == "parts":
            continue
        value = getattr(claim, each.name)
        if isinstance(value, float | np.floating) and np.isnan(value):
            yield f"{each.name} is NaN"
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and np.isnan(value).any():
            yield f"{each.name} has NaN"
    if claim.ok and claim.gap is not None and not 0.0 <= claim.gap < np.inf:
        yield f"ok with a gap of {claim.gap}"


def exact(value: Any) -> Any:
    return arb(float(value))


def compare_values(
    claim: Any, here: Any, best: Any, at_zero: Any, vacuous: float = VACUOUS
) -> Iterator[str]:
    """The claimed objective, dual value and gap against the truth.

    Parameters
    ----------
    here : the objective at the claimed weights (rational or ball)
    best : an objective that some weights reach, so the minimum is no larger
    at_zero : the objective of weights 0, the size that tells whether a bound says anything
    vacuous : a bound above this share of it does not
    """
    here, best, at_zero = (arb(v) if isinstance(v, fmpq) else v for v in (here, best, at_zero))
    above = here - best - exact(NOTHING)
    gap = claim.gap
    if gap is not None and not np.isnan(gap) and np.isfinite(gap) and above.lower() > exact(gap):
        yield f"gap {gap!r}, but the objective is {number(above)!r} above a reachable value"
    if (
        claim.dual is not None
        and np.isfinite(claim.dual)
        and exact(claim.dual) - exact(NOTHING) > best.upper()
    ):
        yield f"dual {claim.dual!r}, but the objective {number(best)!r} is reachable"
    room = exact(SAME) * abs(here) + exact(NOTHING)
    if gap is not None and np.isfinite(gap) and gap > 0:
        room = room + exact(gap)
    else:
        room = room + exact(1e-12) * at_zero
    if claim.primal is not None and np.isfinite(claim.primal):
        if (abs(exact(claim.primal) - here) - room).lower() > 0:
            yield f"primal {claim.primal!r}, but the objective is {number(here)!r}"
    elif claim.primal is not None and claim.ok:
        yield f"ok with an objective of {claim.primal}"
    size = at_zero if at_zero.is_finite() else here
    stated = claim.ok and gap is not None and np.isfinite(gap)
    if stated and exact(gap) > exact(vacuous) * size.upper():
        yield f"ok with a gap of {gap!r}, where weights 0 have {number(size)!r}"
    if claim.ok and (above - exact(vacuous) * size).lower() > 0:
        yield f"ok, but {number(above)!r} above the minimum, where weights 0 have {number(size)!r}"


def foreign_status(claim: Any, allowed: tuple[Status, ...]) -> Iterator[str]:
    """Statuses that no such model can have, and SEVERAL without parts."""
    if claim.status not in allowed and claim.status in PROVABLE:
        yield f"no such model can claim: {claim.status.name}"


# Statuses that say something about the data, so that the data can refute them.
PROVABLE = (
    Status.SEPARATED, Status.SEPARATED_BY_TIE, Status.SOLVED, Status.RANK_DEFICIENT,
    Status.UNBOUNDED, Status.INFINITE, Status.CONVERGED, Status.STATIONARY, Status.SEVERAL,
)  # fmt: skip


def same_floats(name: str, claimed: Any, held: Any) -> Iterator[str]:
    """A certificate speaks of the floats that the user holds."""
    claimed, held = np.asarray(claimed), np.asarray(held)
    if claimed.size != held.size:
        yield f"the claim has {claimed.size} {name}, the model {held.size}"
        return
    different = np.ravel(claimed).astype(np.float64) != np.ravel(held).astype(np.float64)
    if different.any():
        i = int(np.argmax(different))
        yield (
            f"the claim speaks of other {name} than the model holds: "
            f"{np.ravel(claimed)[i]!r}, not {np.ravel(held)[i]!r}"
        )
