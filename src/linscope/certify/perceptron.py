"""What a perceptron can prove about its answer.

A separating vector is its own proof: every y_i w·x_i is positive, and anyone can check that. The
convergence theorem adds, for the single-sample rule from zeros at a constant rate, that the number
of updates is at most R²/γ² with R = max ‖[1, x_i]‖ and γ the augmented maximum margin.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ..data import check_finite, encode_labels, signs, to_matrix
from ..data.blocks import Block
from ..data.rows import as_rows
from ..engines import MemoryEngine
from ..losses.perceptron import TIES
from ..results import Certificate, Check, Status
from ..solvers.perceptron_loops import tally
from .signed_rows import SignedRows

# Floats in a certificate are rounded; a claim may differ from the exact value by this much.
ROUNDING = 1e-9


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
    """

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

    @property
    def advice(self) -> str:
        if self.status is not Status.MAX_ITER or self.output == "last":
            return super().advice
        return (
            "Ask linscope.separability(X, y) whether a solution exists; if it does, raise "
            f"max_iter, otherwise mistakes are unavoidable and the {self.output} answer can stand."
        )

    def facts(self) -> dict[str, Any]:
        about = {"about": "the last vector of the committee"} if self.output == "voted" else {}
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
        from .separability import Separable, separability

        if self.no_bound:
            raise ValueError(f"the bound R²/γ² does not apply: {self.no_bound}")
        matrix, labels = self._problem(X, y)
        verdict = separability(matrix, labels)
        if not isinstance(verdict, Separable):
            raise ValueError("the bound R²/γ² needs strictly separable data, and these are not")
        return verdict.bound

    def verify(self, X, y) -> Check:
        """Check the claim from the data alone, signs in exact rational arithmetic.

        How the weights were found (updates, passes, rate) is checked only as far as data can tell.
        """
        try:
            return self._check(X, y)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            return Check(False, f"the certificate does not fit these data: {error}")

    def _check(self, X, y) -> Check:
        matrix, labels = self._problem(X, y)
        if matrix.shape[1] != len(self.weights) - 1:
            return Check(False, f"X has {matrix.shape[1]} features, not {len(self.weights) - 1}")
        if not np.isfinite(self.weights).all():
            return Check(False, "the weights are not finite")
        if not self.intercept and self.weights[0] != 0:
            return Check(False, "a model without intercept has a bias")
        if len(labels) == 0:
            return self._compare(Measured(0, 0, 0.0, 0.0), 0.0, 0)
        measured = measure(matrix, labels, self.weights, self.tie, self.intercept)
        return self._compare(measured, length_of(self.weights), len(labels))

    def _problem(self, X, y):
        """The rows and signs of this binary problem."""
        matrix, _ = to_matrix(X)
        check_finite(matrix)
        classes, codes = encode_labels(y, n_samples=matrix.shape[0])
        labels = classes.tolist()
        counted = self._counted(len(codes))
        below = self.others or (self.negative,)
        positive = np.array([label == self.positive for label in labels])[codes]
        negative = np.array([label in below for label in labels])[codes]
        strange = counted & ~(positive | negative)
        if self.others and strange.any():
            label = labels[codes[np.argmax(strange)]]
            raise ValueError(f"y has the label {label!r}, unknown to the model")
        if not positive.any() or not negative.any():
            raise ValueError(f"y has no samples of {self.positive!r} and {self.negative!r}")
        own = counted & ~strange
        return self._take(matrix, counted, own), signs(positive[own].astype(np.int64))

    def _counted(self, n: int) -> np.ndarray:
        """Which of n rows the claim is about: those with a weight above 0."""
        ignored = np.asarray(self.ignored)
        if ignored.ndim != 1 or ignored.dtype.kind not in "iu":
            raise ValueError("the ignored rows are not row numbers")
        if len(ignored) and not 0 <= ignored.min() <= ignored.max() < n:
            raise ValueError(f"X has {n} rows, fewer than the certificate speaks of")
        counted = np.ones(n, bool)
        counted[ignored] = False
        return counted

    def _take(self, matrix, counted: np.ndarray, own: np.ndarray):
        """The rows of this problem, ``own``, out of those that the fit has seen, ``counted``."""
        return matrix[own]

    def _compare(self, measured: Measured, length: float, n: int) -> Check:
        strange = self._impossible(n)
        if strange:
            return Check(False, strange)
        if measured.mistakes != self.mistakes:
            claimed = f"the certificate claims {self.mistakes}"
            return Check(False, f"{_samples(measured.mistakes)} misclassified, {claimed}")
        for name in ("margin", "radius"):
            claim, truth = getattr(self, name), getattr(measured, name)
            allowed = ROUNDING * abs(truth) + 1e-15 * (len(self.weights) + 8) * measured.radius
            if not abs(claim - truth) <= allowed:
                return Check(False, f"the {name} is {truth:.12g}, not {claim:.12g}")
        if self.status in (Status.SEPARATED, Status.SEPARATED_BY_TIE) and measured.mistakes:
            return Check(False, "the status claims a separation, but samples are misclassified")
        if self.status in (Status.MAX_ITER, Status.STOPPED) and not measured.mistakes:
            return Check(False, "the status claims that mistakes are left, but there are none")
        if self.status is Status.SEPARATED and measured.ties:
            return Check(False, f"{_samples(measured.ties)} on the boundary, not strictly apart")
        if self.status is Status.SEPARATED_BY_TIE and not measured.ties:
            return Check(False, "no sample has score 0: the separation is strict")
        # From zeros, ‖w‖² ≤ k η² R² after k updates: the second half of the convergence proof.
        if not self.no_bound and length > (self.updates**0.5) * self.eta0 * self.radius * 1.0001:
            return Check(False, f"{self.updates} updates cannot make a vector of length {length:g}")
        if measured.mistakes:
            return Check(True, f"{_samples(measured.mistakes)} misclassified, as claimed")
        but = f" ({len(self.ignored):,} of weight 0 left out)" if len(self.ignored) else ""
        margin = f"smallest margin {measured.margin:.6g}"
        return Check(True, f"every sample{but} is on its side; {margin}")

    def _impossible(self, n: int) -> str:
        """What no fit on n samples could claim, or ""."""
        if foreign_values(self) or self.parts:
            return "a perceptron has no primal, dual, gap, kkt, backward error or parts"
        if self.status is Status.SEVERAL:
            return "the status is that of several problems, and this is one"
        if self.others and self.negative != opposite(self.others):
            return f"the negative side is {opposite(self.others)!r}, not {self.negative!r}"
        if not (self.updates >= 0 and self.passes >= 0 and 0 < self.eta0 < np.inf):
            return "updates and passes must be counts, and eta0 a positive number"
        # partial_fit counts the updates of all its calls, but the passes of one
        if self.status is not Status.PARTIAL and self.updates > self.passes * n:
            return f"{self.passes} passes over {n} samples cannot make {self.updates} updates"
        return ""


def opposite(others: tuple) -> Any:
    """What the negative side is called."""
    return others[0] if len(others) == 1 else "rest"


def foreign_values(certificate: Certificate) -> bool:
    """Whether it claims values that only other models have."""
    c = certificate
    values = (c.primal, c.dual, c.gap, c.kkt, c.backward_error)
    return any(value is not None for value in values)


def _samples(count: int) -> str:
    return "1 sample is" if count == 1 else f"{count:,} samples are"


@dataclass(frozen=True)
class Measured:
    """Facts about a weight vector on data, recomputed from scratch."""

    mistakes: int
    ties: int
    margin: float
    radius: float


def examine(X, y, weights, tie: str, intercept: bool, radius: float) -> Measured:
    """Like ``measure``, in one threaded pass wherever floats decide every sign."""
    if X.shape[0] == 0:  # a chunk for partial_fit without samples of this problem
        return Measured(0, 0, 0.0, 0.0)
    length = length_of(weights)
    if not 1e-280 < length * radius < 1e280:  # products may lose digits or leave the range
        return measure(X, y, weights, tie, intercept)
    # Twice the rounding bound of a score, see data.rows.
    doubt = 4.1 * (X.shape[1] + 3) * 2.0**-53 * length * radius
    wrong, doubtful, smallest = MemoryEngine.in_few_blocks(X, y).map_reduce(
        partial(_block_tally, weights=weights, bias=float(intercept), doubt=doubt),
        lambda a, b: (a[0] + b[0], a[1] + b[1], min(a[2], b[2])),
    )
    if doubtful or not np.isfinite(length * radius):
        return measure(X, y, weights, tie, intercept)
    return Measured(wrong, 0, smallest / length, radius)


def _block_tally(block: Block, *, weights, bias: float, doubt: float):
    return tally(as_rows(block.X, bias), block.y, weights, doubt)


def length_of(vector: np.ndarray) -> float:
    """‖vector‖, also where squares leave the range of floats."""
    largest = float(np.abs(vector).max(initial=0.0))
    return largest * float(np.linalg.norm(vector / largest)) if largest > 0 else 0.0


def measure(X, y: np.ndarray, weights: np.ndarray, tie: str, intercept: bool) -> Measured:
    """Count mistakes and ties of ``weights`` exactly, and measure margin and radius."""
    X = _float64(X)
    rows = SignedRows(X, y)
    exact = [Fraction(float(v)) for v in weights]
    side = rows.signs_of(exact)
    wrong_at_zero = np.where(y > 0, *TIES[tie])
    mistakes = int(((side < 0) | ((side == 0) & wrong_at_zero)).sum())
    _, smallest = rows.minimum(exact)
    length2 = sum((v * v for v in exact), Fraction(0))
    margin = _quotient(smallest, length2)
    return Measured(mistakes, int((side == 0).sum()), margin, _radius(X, intercept))


def _quotient(value: Fraction, length2: Fraction) -> float:
    """value / √length2, also where squares leave the range of floats."""
    if value == 0 or length2 == 0:
        return 0.0
    squared = value * value / length2
    size = (squared.numerator.bit_length() - squared.denominator.bit_length()) // 2
    root = float(squared / Fraction(4) ** size) ** 0.5
    return float(np.copysign(np.ldexp(root, size), float(np.sign(value.numerator))))


def _radius(X, intercept: bool) -> float:
    largest = abs(X).max() if X.size or getattr(X, "nnz", 0) else 0.0
    largest = float(max(largest, 1.0 if intercept else 0.0))
    unit = 2.0 ** min(-int(np.frexp(largest)[1]), 1000)
    shrunk = _float64(X) * unit
    norms = shrunk.multiply(shrunk).sum(axis=1) if hasattr(shrunk, "multiply") else None
    squares = np.einsum("ij,ij->i", shrunk, shrunk) if norms is None else np.asarray(norms).ravel()
    return float(np.sqrt(squares.max() + (unit * unit if intercept else 0.0))) / unit


def _float64(X):
    return X if X.dtype == np.float64 else X.astype(np.float64)


@dataclass(frozen=True, kw_only=True, repr=False)
class ManyCertificates(Certificate):
    """The certificates of the binary problems behind a model of K classes, in ``parts``."""

    def facts(self) -> dict[str, Any]:
        return {
            name: f"{part.status}; {part.mistakes} samples misclassified"  # type: ignore[attr-defined]
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

    def verify(self, X, y) -> Check:
        """Check the claim of every binary problem from the data alone."""
        try:
            labels = encode_labels(y).classes.tolist()
        except ValueError as error:
            return Check(False, str(error))
        if foreign_values(self):
            return Check(False, "a perceptron has no primal, dual, gap, kkt or backward error")
        parts: dict[str, Any] = self.parts
        known = {x for p in parts.values() for x in (p.positive, p.negative, *p.others)}
        for label in labels:
            if label not in known:
                return Check(False, f"y has the label {label!r}, unknown to the model")
        missing = _missing_problems(parts)
        if missing:
            return Check(False, missing)
        for name, part in self.parts.items():
            check = part.verify(X, y)
            if not check:
                return Check(False, f"{name}: {check.reason}")
        if self.status is not combined_status(parts):
            return Check(False, f"the parts say together: {combined_status(parts)}")
        return Check(True, f"all {len(self.parts)} binary problems verified")


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


def combined_status(parts: dict[str, Certificate]) -> Status:
    statuses = {part.status for part in parts.values()}
    if len(statuses) == 1:
        return statuses.pop()
    if all(each.ok for each in statuses):
        weakest_first = (Status.CONVERGED, Status.SEPARATED_BY_TIE)
        return next(each for each in weakest_first if each in statuses)
    return Status.SEVERAL
