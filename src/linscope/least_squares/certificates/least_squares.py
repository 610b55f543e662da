"""What a least-squares fit can prove: how far each weight, and the objective, is from the solution.

    J(w) = ½ Σ_i c_i (y_i − w·[1, x_i])² + ½ α‖w‖²

At the solution the residuals are orthogonal to every column. At weights nearby, the gradient tells
how far it is; ``verify.check`` takes it without rounding from the data alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from linscope.data.given import accepts_dataset
from linscope.engines import choose
from linscope.fitting.ending import account
from linscope.fitting.relations import sentences
from linscope.results import Certificate, Check, Result, Status
from linscope.verify.relations import ULP, ulps_of, within_ulps

from ..verify import check as page
from ..verify.facts import TOLERANCE, TOLERANCE_32, Facts, largest_gap, relative_error
from ..verify.nearby import at_independent

# Condition number from which columns are called nearly dependent.
NEARLY = 1e8


@dataclass(frozen=True, kw_only=True, repr=False)
class LeastSquaresCertificate(Certificate):
    """Claim about the weights of a least-squares fit.

    ``primal`` is J at these weights, ``gap`` by how much it is above its minimum at most, ``dual``
    a lower bound of the minimum.

    Attributes
    ----------
    weights : array (targets, d + 1) in float64, bias first (0 without intercept)
    error : |weight − exact solution| is at most this, for each weight; None: not claimed
    accuracy : the same relative to the largest weight of the target, each weight and error times
        the length of its column; None: not claimed
    rss : residual sum of squares of each target
    rounding : rss and primal may be wrong by this, all targets together, and 1e-8 of themselves
    alpha : strength of the ridge penalty
    tolerance : what ``gap`` (as a share of ½ Σ c (y − ȳ)²) and ``accuracy`` have to reach; a gap
        that rounding y would explain is small enough
    condition : about the condition number of the columns, scaled to length 1 about their means
    rank : how many columns are independent, proven; None: not determined
    dependent : sentences that name dependent columns
    nearly : sentences that name columns which depend on others up to rounding
    relations : the combinations that dependent columns are, as ``linscope.verify.relations`` has
        them; {} if they are not known one by one
    ulps : the claim is true of a table that differs from the given one by at most so many ulp of
        the terms of the relations; 0: of the given one
    ulp : what one ulp is, relative to a number
    least_norm : whether w is claimed to be the shortest of all solutions
    weighted : whether the fit had sample weights, which ``verify`` then needs
    iterative : whether the weights come from steps that only approach the solution
    how : what the solver did
    """

    ADVICE: ClassVar[Mapping[Status, str]] = {
        Status.RANK_DEFICIENT: "Predictions are unique, and so are coefficients and sums with a "
        "standard error in summary(). For unique coefficients drop the dependent columns, or use "
        "Ridge.",
        Status.MAX_ITER: "Raise max_iter, average the iterates, or use solver='exact'.",
    }

    weights: np.ndarray
    rss: np.ndarray
    rounding: float = 0.0
    alpha: float = 0.0
    tolerance: float = TOLERANCE
    error: np.ndarray | None = None
    accuracy: float | None = None
    condition: float | None = None
    rank: int | None = None
    dependent: list[str] = field(default_factory=list)
    nearly: list[str] = field(default_factory=list)
    relations: dict[int, dict[int, float]] = field(default_factory=dict)
    ulps: int = 0
    ulp: float = ULP
    least_norm: bool = False
    fit_intercept: bool = True
    weighted: bool = False
    iterative: bool = False
    how: str = ""

    @property
    def text(self) -> str:
        return f"{super().text}{within_ulps(self)}" if self.ok else super().text

    @property
    def digits(self) -> float | None:
        """Correct decimal digits of the weights, relative to the largest; None: not claimed."""
        if self.accuracy is None:
            return None
        if not self.accuracy > 0:
            return 17.0 if self.accuracy == 0 else 0.0
        return float(np.clip(-np.log10(self.accuracy), 0.0, 17.0))

    @property
    def columns_in_use(self) -> int:
        """Columns that are not combinations of others, exactly or (if set aside) up to rounding."""
        rank = self.weights.shape[1] - 1 if self.rank is None else self.rank
        return rank - (len(self.nearly) if self.status is Status.NEARLY_DEPENDENT else 0)

    @property
    def shortfall(self) -> str:
        """How near it came, for a warning."""
        digits = (
            "" if self.digits is None else f", {self.digits:.1f} digits of the weights are proven"
        )
        if not np.isfinite(self.gap or 0.0):
            return f"how far the objective is above its minimum is not proven{digits}"
        return f"the objective is up to {self.gap:.2g} above its minimum{digits}"

    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {}
        if self.digits is not None:
            label = "digits of the weights (of |w_j|·‖x_j‖, relative to the largest), at least"
            facts[label] = f"{self.digits:.1f}"
        facts["objective above its minimum by at most"] = self.gap
        if self.condition is not None:
            facts["condition number, about"] = self.condition
        if self.dependent:
            facts["dependent columns"] = "; ".join(self.dependent)
        if self.ulps:
            facts["true of a table that differs from yours by at most"] = ulps_of(self)
        if self.nearly:
            facts["nearly dependent columns"] = "; ".join(self.nearly)
        penalty = " (without the penalty)" if self.alpha > 0 else ""
        facts[f"residual sum of squares{penalty}"] = (
            float(self.rss[0]) if len(self.rss) == 1 else self.rss
        )
        facts["how"] = self.how
        return facts

    @accepts_dataset
    def verify(self, X, y=None, sample_weight=None) -> Check:
        """Recompute the claim from the data alone.

        Parameters
        ----------
        X, y : the training data
        sample_weight : the weights of the fit, if it had any
        """
        return self._judged(page.check(self, X, y, sample_weight, choose))


def certificate_of(
    result: Result, weights: np.ndarray, *, names, alpha, fit_intercept, weighted, ended=None
) -> LeastSquaresCertificate:
    """The certificate of an exact solver's result for the weights as the model holds them.

    Parameters
    ----------
    result : of an exact solver, whose ``details["assess"]`` bounds any weights
    weights : (targets, d + 1), of the dtype of the model
    ended : the result's details of a descent that found the weights; None: they are the result's
    """
    details = result.details
    held = np.array(weights, dtype=np.float64)
    with np.errstate(all="ignore"):  # bounds beyond the range of floats are infinite
        found: Facts = details["assess"](held)
    if not np.isfinite(found.rss).all():
        raise ValueError(
            "the squared residuals are beyond the range of floats: divide y by a power of 2"
        )
    tolerance = TOLERANCE_32 if weights.dtype == np.float32 else TOLERANCE
    shortest = ended is None and details["unique"] is False
    claimed = bool(np.isfinite(found.error).all()) and (bool(details["unique"]) or shortest)
    relations = details.get("relations", {})
    effective = at_independent(held, relations)
    accuracy = relative_error(effective, found.error, found.lengths) if claimed else None
    primal, gap = float(found.primal.sum()), float(found.gap.sum() * (1 + 1e-12))
    near = gap < np.inf and gap <= float(largest_gap(found, tolerance).sum())
    if ended is None:
        status = _status(details, near, accuracy, tolerance)
    else:
        status = _status_of_descent(ended["ended"], near)
    return LeastSquaresCertificate(
        status=status,
        primal=primal,
        dual=max(0.0, float(np.nextafter(found.dual.sum() * (1 - 1e-15), -np.inf))),
        gap=gap,
        weights=held,
        rss=found.rss,
        rounding=float(found.rounding.sum()),
        alpha=alpha,
        tolerance=tolerance,
        error=found.error if claimed else None,
        accuracy=accuracy,
        condition=details["condition"],
        rank=details["rank"],
        dependent=_dependent(details, names),
        nearly=[line.replace(" = ", " ≈ ") for line in sentences(details["nearly"], names)],
        relations=relations,
        ulps=details.get("ulps", 0),
        ulp=details.get("ulp", ULP),
        least_norm=status is Status.RANK_DEFICIENT,
        fit_intercept=fit_intercept,
        weighted=weighted,
        iterative=ended is not None or details["path"] == "LSMR",
        how=_how(details["path"], result.n_iter) if ended is None else account(ended, status),
    )


def in_range(weights: np.ndarray, dtype) -> np.ndarray:
    """Weights as the model holds them."""
    with np.errstate(over="ignore"):
        held = weights.astype(dtype)
    if not np.isfinite(held).all():
        raise ValueError("a weight is beyond the range of floats: scale X or y by a power of 2")
    return held


def without_assessor(result: Result) -> Result:
    """The result without what holds the rows."""
    details = {k: v for k, v in result.details.items() if k != "assess"}
    return replace(result, details=details)


def _status(details, near: bool, accuracy: float | None, tolerance: float) -> Status:
    """What the bounds allow to say."""
    if details["path"] == "LSMR":
        return Status.CONVERGED if near else Status.STALLED
    if near and accuracy is not None and accuracy <= tolerance:
        return Status.SOLVED if details["unique"] else Status.RANK_DEFICIENT
    rough = details["condition"] is not None and details["condition"] > NEARLY
    doubtful = rough or (details["nearly"] and details["unique"] is not True)
    return Status.NEARLY_DEPENDENT if doubtful else Status.STALLED


def _status_of_descent(ended: Status, near: bool) -> Status:
    if near:
        return Status.CONVERGED
    return Status.SHORT_STEPS if ended is Status.CONVERGED else ended


def _dependent(details, names: list[str]) -> list[str]:
    lines = sentences(details["dependent"], names)
    if details["unique"] is False and not lines:
        lines = [
            f"{len(names)} columns, but the rows allow only {details['rank']} to be independent"
        ]
    return lines


HOW = {
    "float": "moments in floats, which the bound says is enough; Cholesky",
    "double-double": "moments and Cholesky in double-double",
    "moments": "Cholesky in double-double of the given moments",
    "QR": "QR in floats",
    "whole numbers": "whole numbers, rounded at the end",
    "rows": "Cholesky of the n × n side",
    "LSMR": "LSMR, products only",
}


def _how(path: str, rounds: int) -> str:
    if path in ("float", "whole numbers", "rows", "LSMR") or rounds == 0:
        return HOW[path]
    return f"{HOW[path]}; refined in {rounds} round{'s' * (rounds > 1)}"
