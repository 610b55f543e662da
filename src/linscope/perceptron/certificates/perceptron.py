"""What a perceptron can prove about its answer.

A separating vector is its own proof: every y_i w·x_i is positive, and anyone can check that. The
convergence theorem adds, for the single-sample rule from zeros at a constant rate, that the number
of updates is at most R²/γ² with R = max ‖[1, x_i]‖ and γ the augmented maximum margin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from linscope.data import encode_labels
from linscope.data.given import accepts_dataset
from linscope.engines import Engine, choose, in_few_blocks
from linscope.results import Certificate, Check, Status
from linscope.results.numbers import counted
from linscope.rows.blocks import Block, Least
from linscope.rows.operations import as_rows
from linscope.rows.threads import one_blas_thread
from linscope.verify.claims import checked, foreign, require, require_part

from ..solvers.loops import tally
from ..verify import kernel_perceptron
from ..verify.perceptron import (
    Measured,
    check,
    counted_rows,
    length_of,
    measure,
    problem_rows,
)

ABOUT = {
    "last": "the last vector",
    "averaged": "the averaged vector",
    "voted": "the last vector of the committee",
    "pocket": "the best vector met on the way",
}


@dataclass(frozen=True, kw_only=True, repr=False)
class PerceptronCertificate(Certificate):
    """Claim about the weights of one binary perceptron.

    Attributes
    ----------
    weights : the vector that the claim is about, bias first (bias 0 without intercept)
    positive, negative : the labels on the two sides
    others : all labels on the negative side; () if samples of other labels do not matter
    tie : which side a score of 0 counts for
    updates, passes : how many were made
    mistakes : samples that the vector gets wrong (score 0 judged by the tie rule)
    margin : the smallest y_i w·x_i / ‖w‖ over the samples; negative when there are mistakes
    radius : R = max ‖[1, x_i]‖ (without the 1 if the model has no intercept)
    ignored : rows with sample weight 0, about which nothing is claimed
    no_bound : why the bound R²/γ² does not apply, or "" if it does
    eta0 : the learning rate
    output : which vector the claim is about: last, averaged, voted or pocket
    last : the last vector, if that makes no mistakes while the averaged one, the claim's, does
    committee : of a voted perceptron the digest of its vectors, which decide together
    """

    TEXTS: ClassVar[Mapping[Status, str]] = {
        Status.CONVERGED: (
            "Converged: the last vector classifies every sample correctly, the averaged one does "
            "not"
        ),
    }
    ADVICE: ClassVar[Mapping[Status, str]] = {
        Status.CONVERGED: "Use output='last' for weights without mistakes on these samples.",
        Status.MAX_ITER: (
            "Use linscope.separability(X, y) to see whether a solution exists. If it does, raise "
            "max_iter; otherwise use output='averaged', 'voted' or 'pocket'."
        ),
        Status.STALLED: (
            "The rule is satisfied in floats, but exactly some samples are on the wrong side: "
            "scale the columns, use float64, or a margin above 0."
        ),
    }

    weights: np.ndarray
    positive: Any
    negative: Any
    tie: str
    updates: int
    passes: int
    mistakes: int
    margin: float
    radius: float
    intercept: bool = True
    others: tuple = ()
    ignored: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    no_bound: str = ""
    eta0: float = 1.0
    output: str = "last"
    last: np.ndarray | None = None
    committee: str = ""

    @property
    def advice(self) -> str:
        if self.status is not Status.MAX_ITER or self.output == "last":
            return super().advice
        return (
            "Use linscope.separability(X, y) to see whether a solution exists. If it does, raise "
            "max_iter; otherwise every hyperplane makes mistakes, and these weights can be used."
        )

    @property
    def about(self) -> str:
        """The weights that the claim is about, in words."""
        return ABOUT[self.output]

    def facts(self) -> dict[str, Any]:
        about = {} if self.output == "last" else {"about": self.about}
        return about | {
            "samples misclassified": self.mistakes,
            "smallest margin y·(w·x)/‖w‖": self.margin,
            "R = max ‖x‖": self.radius,
            "updates": self.updates,
            "passes": self.passes,
        }

    def bound(self, X, y) -> float:
        """R²/γ², the most updates that the convergence theorem allows on these data.

        Raises ValueError where the theorem does not hold: other rules, starts, rates or weights,
        or data that are not separable.
        """
        from linscope.separation.question import Separable, separability

        if self.no_bound:
            raise ValueError(f"the bound R²/γ² does not apply: {self.no_bound}")
        matrix, labels = self._problem(X, y)
        verdict = separability(matrix, labels)
        if not isinstance(verdict, Separable):
            raise ValueError("the bound R²/γ² needs strictly separable data, and these are not")
        return verdict.bound

    @one_blas_thread()
    @accepts_dataset
    def verify(self, X, y=None) -> Check:
        """Check the claim from the data alone, signs in exact arithmetic.

        How the weights were found (updates, passes, rate) is checked only as far as data can tell:
        see ``linscope.perceptron.verify.perceptron``.
        """
        return self._judged(check(self, X, y, choose))

    def _problem(self, X, y):
        """The rows and signs of this binary problem."""
        matrix, own, labels = problem_rows(self, X, y)
        return self._take(matrix, counted_rows(self, len(own)), own), labels

    def _take(self, matrix, counted: np.ndarray, own: np.ndarray):
        """The rows of this problem, ``own``, out of those that the fit has seen, ``counted``."""
        return matrix[own]


def examine(engine: Engine, weights, tie: str, intercept: bool, radius: float) -> Measured:
    """Like ``measure``, in one threaded pass wherever floats decide every sign."""
    if engine.n_rows == 0:  # a chunk for partial_fit without samples of this problem
        return Measured(0, 0, 0.0, 0.0)
    length, few = length_of(weights), in_few_blocks(engine)
    if 1e-280 < length * radius < 1e280:  # else products may lose digits or leave the range
        # Twice the rounding bound of a score, see data.rows.
        doubt = 4.1 * (engine.n_features + 3) * 2.0**-53 * length * radius
        wrong, doubtful, smallest = few.fold(_block_tally, weights, float(intercept), doubt)
        if not doubtful:
            return Measured(wrong, 0, smallest.value / length, radius)
    return measure(few, weights, tie, intercept)


def _block_tally(block: Block, weights, bias: float, doubt: float):
    wrong, doubtful, smallest = tally(as_rows(block.X, bias), block.y, weights, doubt)
    return wrong, doubtful, Least(smallest)


@dataclass(frozen=True, kw_only=True, repr=False)
class ManyCertificates(Certificate):
    """The certificates of the binary problems behind a model of K classes, in ``parts``."""

    TEXTS: ClassVar[Mapping[Status, str]] = {
        Status.CONVERGED: (
            "Converged: every last vector classifies its samples correctly, an averaged one does "
            "not"
        ),
    }

    def facts(self) -> dict[str, Any]:
        return {
            name: f"{part.text}; {counted(part.mistakes, 'sample')} misclassified"  # type: ignore[attr-defined]
            for name, part in self.parts.items()
        }

    @property
    def advice(self) -> str:
        if self.status is Status.SEVERAL:
            return super().advice
        alike = (part for part in self.parts.values() if part.status is self.status)
        return next(alike, self.status).advice

    def bound(self, X, y) -> dict[str, float]:
        """R²/γ² of each binary problem; ValueError names the first that has none."""
        bounds = {}
        parts: dict[str, Any] = self.parts
        for name, part in parts.items():
            try:
                bounds[name] = part.bound(X, y)
            except ValueError as error:
                others = "certificate_.parts has the certificates of the others"
                raise ValueError(f"{name}: {error} ({others})") from None
        return bounds

    @one_blas_thread()
    @accepts_dataset
    def verify(self, X, y=None) -> Check:
        """Check the claim of every binary problem from the data alone."""
        return self._judged(checked(self._claims, X, y))

    def _claims(self, X, y) -> str:
        parts: dict[str, Any] = self.parts
        text = "a perceptron has no primal, dual, gap, kkt or backward error"
        require(not foreign(replace(self, parts={})), text)
        known = {x for p in parts.values() for x in (p.positive, p.negative, *p.others)}
        for label in encode_labels(y).classes.tolist():
            require(label in known, f"y has the label {label!r}, unknown to the model")
        missing = _missing_problems(parts)
        require(not missing, missing)
        for name, part in parts.items():
            require_part(name, part.verify(X, y))
        joint = combined_status(parts)
        require(self.status is joint, f"the parts say together: {joint}")
        return f"all {len(parts)} binary problems verified"


def _missing_problems(parts: dict[str, Any]) -> str:
    """Why these are not all the binary problems of their classes, or ""."""
    known = {x for p in parts.values() for x in (p.positive, *(p.others or (p.negative,)))}
    for name, part in parts.items():
        if name != f"{part.positive} vs {part.negative}":
            return f"{name} is the certificate of {part.positive} vs {part.negative}"
    against_rest = all(part.others for part in parts.values())
    if against_rest:
        complete = all({p.positive, *p.others} == known for p in parts.values())
        solved, wanted = {p.positive for p in parts.values()}, len(known)
    else:
        complete = not any(part.others for part in parts.values())
        solved = {frozenset((p.positive, p.negative)) for p in parts.values()}
        wanted = len(known) * (len(known) - 1) // 2
    if complete and len(solved) == len(parts) == wanted:
        return ""
    return f"{len(parts)} certificates are not those of the {len(known)} classes"


def combine(parts: dict[str, Certificate]) -> Certificate:
    """One certificate for several binary problems: as strong as the weakest."""
    if len(parts) == 1:
        return next(iter(parts.values()))
    return ManyCertificates(status=combined_status(parts), parts=parts)


def with_committees(claim: Any, committees: list[Any]) -> Any:
    """The certificate of a voted perceptron, with the digests of its committees."""
    if not claim.parts:
        return replace(claim, committee=committees[0].digest())
    both = zip(claim.parts.items(), committees, strict=True)
    parts = {name: replace(part, committee=own.digest()) for (name, part), own in both}
    return replace(claim, parts=parts)


def combined_status(parts: dict[str, Certificate]) -> Status:
    statuses = {part.status for part in parts.values()}
    if len(statuses) == 1:
        return statuses.pop()
    if all(each.ok for each in statuses):
        weakest_first = (Status.CONVERGED, Status.SEPARATED_BY_TIE)
        return next(each for each in weakest_first if each in statuses)
    return Status.SEVERAL


@dataclass(frozen=True, kw_only=True, repr=False)
class KernelPerceptronCertificate(PerceptronCertificate):
    """Claim about one binary kernel perceptron.

    Attributes
    ----------
    alpha : a coefficient for each sample, as the model holds it
    bias : b, as the model holds it: the sum of the coefficients, or 0 without an intercept
    kernel, parameters : the kernel
    """

    weights: np.ndarray = field(default_factory=lambda: np.zeros(0))
    alpha: np.ndarray
    bias: float = 0.0
    kernel: Any
    parameters: dict

    @accepts_dataset
    def verify(self, X, y=None) -> Check:
        """Recompute the kernel and the claim from the training data (the same rows).

        Signs are exact: see ``linscope.perceptron.verify.kernel_perceptron``.
        """
        return self._judged(kernel_perceptron.check(self, X, y))

    def bound(self, X, y) -> float:
        """R²/γ² in feature space is not worked out: γ would need the kernel's maximum margin."""
        raise ValueError(
            "the bound R²/γ² is worked out for Perceptron only; map the features explicitly, "
            "e.g. with PolynomialFeatures, to get it"
        )
