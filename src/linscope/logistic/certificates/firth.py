"""What a fit by Firth's penalised likelihood can prove: that Newton's next step is short."""

from __future__ import annotations

from typing import Any

import numpy as np

from linscope.results import Result, Status

from ..verify.check import read_problem
from ..verify.firth import likelihood
from .logistic import ROOM, LogisticCertificate

# Steps in standard errors: CONVERGED means one of at most this.
TOLERANCE = 1e-5
# A likelihood that is known to fewer digits is not stated.
KNOWN = 5e-7
# Shorter steps are not told apart: another order of summing finds others.
SHORTEST = 1e-8


def certify_firth(
    X: Any, codes: np.ndarray, weight: np.ndarray, result: Result, **fields: Any
) -> LogisticCertificate:
    """The certificate of the weights held; ``fields`` are those of ``LogisticCertificate``."""
    fields |= {"tolerance": TOLERANCE}
    claim = LogisticCertificate(status=result.status, **fields)
    own = weight if len(weight) else None
    problem = read_problem(claim, X, np.asarray(claim.classes), codes, own)
    found = likelihood(problem, claim.weights)
    if not (found.decrement <= 0.1 * TOLERANCE and found.value.rad <= 1e-10):
        found = likelihood(problem, claim.weights, precise=True)
    value: float | None = float(found.value.mid)
    step = max(ROOM * found.decrement, SHORTEST)
    if not found.value.rad <= KNOWN * max(1.0, abs(found.value.mid)):
        value, step = None, np.inf  # rounding leaves nothing to say
    status = result.status
    if step <= TOLERANCE:
        status = Status.CONVERGED
    elif status.ok:
        status = Status.STALLED
    fields |= {"status": status, "primal": value, "decrement": float(step)}
    return LogisticCertificate(**fields)
