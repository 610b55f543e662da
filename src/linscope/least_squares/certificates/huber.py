"""What a fit of Huber's regression can prove: how far its objective is from the minimum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linscope.data.given import accepts_dataset
from linscope.fitting.scores import row_scores
from linscope.losses import huber
from linscope.results import Certificate, Check, Status

from ..verify import huber as page
from ..verify.huber_bounds import MEASURED, measure, rounding_of

# Scales that rounding may explain, as a share of y.
NEARLY_ZERO = 1e-6


@dataclass(frozen=True, kw_only=True, repr=False)
class HuberCertificate(Certificate):
    """Claim about weights and scale, see ``losses.huber`` for the objective P and its dual D.

    ``primal`` is P at these weights and this scale, ``dual`` a lower bound of its minimum, ``gap``
    by how much P is above the minimum at most: rounded outward.

    Attributes
    ----------
    weights : array (d + 1,) in float64, bias first (0 without intercept)
    scale : σ
    outliers : which of the samples have |residual| > εσ, booleans
    epsilon, alpha, fit_intercept : as in the estimator
    tolerance : what ``gap`` as a share of ``primal`` has to reach, or else what rounding explains
    single : whether the weights are floats of 32 bits, which explains more
    weighted : whether the fit had sample weights, which ``verify`` then needs
    how : what the solver did
    """

    ADVICE: ClassVar[Mapping[Status, str]] = {
        Status.MAX_ITER: "Raise max_iter, or drop columns that nearly depend on others.",
        Status.STALLED: "Drop columns that nearly depend on others, or use alpha > 0.",
    }

    weights: np.ndarray
    scale: float
    outliers: np.ndarray
    epsilon: float
    alpha: float
    tolerance: float
    fit_intercept: bool = True
    single: bool = False
    weighted: bool = False
    how: str = ""

    @property
    def shortfall(self) -> str:
        """How near it came, for a warning."""
        return f"the objective {self.primal:.6g} is up to {self.gap:.2g} above its minimum"

    def facts(self) -> dict[str, Any]:
        count = int(np.count_nonzero(self.outliers))
        return {
            "objective": self.primal,
            "objective above its minimum by at most": self.gap,
            "scale of the residuals": self.scale,
            "outliers": f"{count} of {len(self.outliers)} (residual above {self.epsilon:g}·scale)",
            "how": self.how,
        }

    @accepts_dataset
    def verify(self, X, y=None, sample_weight=None) -> Check:
        """Recompute the claim from the data alone.

        Parameters
        ----------
        X, y : the training data
        sample_weight : the weights of the fit, if it had any
        """
        return self._judged(page.check(self, X, y, sample_weight))


def outliers_of(X, y, weights: np.ndarray, scale: float, epsilon: float, single: bool):
    """Residuals above ε·scale, and above what rounding explains (it may be all, if scale is 0)."""
    residuals = y - row_scores(X, weights)
    out = huber.is_outlier(residuals, scale, epsilon)
    if scale <= NEARLY_ZERO * np.abs(y).max(initial=0.0):
        out[out] = np.abs(residuals[out]) > rounding_of(X[out], y[out], weights, single)
    return out


def certify(X, y, c, ended: Status, **claim: Any) -> HuberCertificate:
    """The claim about these floats; ``ended`` is how the solver did, if the bound is not met."""
    found = measure(X, y, c, **{name: claim[name] for name in MEASURED})
    if not np.isfinite(found.primal.mid + found.primal.rad):
        raise ValueError("the objective is beyond the range of floats: scale y or the weights")
    near = found.gap <= found.allowed(claim["tolerance"])
    status = Status.STALLED if ended is Status.CONVERGED else ended
    return HuberCertificate(
        status=Status.CONVERGED if near else status,
        primal=float(found.primal.mid),
        dual=found.dual,
        gap=found.gap,
        **claim,
    )
