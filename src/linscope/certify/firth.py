"""What a fit by Firth's penalised likelihood can prove: that Newton's next step is short."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..results import Result, Status
from ..verify.firth import likelihood
from ..verify.logistic import read_problem
from .logistic import ROOM, LogisticCertificate

# Steps in standard errors: CONVERGED means one of at most this.
TOLERANCE = 1e-5


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
    value, step = float(found.value.mid), ROOM * found.decrement
    if not np.isfinite(found.value.rad):
        value, step = float(result.details["penalised_log_likelihood"]), np.inf
    status = result.status
    if step <= TOLERANCE:
        status = Status.CONVERGED
    elif status.ok:
        status = Status.STALLED
    fields |= {"status": status, "primal": value, "decrement": float(step)}
    return LogisticCertificate(**fields)
