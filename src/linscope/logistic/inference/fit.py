"""What the statistics of a logistic fit start from.

One class is the reference; every other class has its own coefficients, and w_k·[1, x] is the log
of the odds of class k against the reference. Two classes have one row, and the first class is the
reference.

Sample weights cᵢ multiply the terms of ℓ, so doubling all weights narrows every interval. They are
of one of two kinds, as ``freq_weights`` and ``var_weights`` of statsmodels' GLM:

    frequency   row i stands for cᵢ equal rows: n = Σ cᵢ, as is usual here
    precision   row i is one row: n is the number of rows, and its score is cᵢ sᵢ

ℓ, standard errors, z, p, LR, deviance, McFadden's R² and AIC do not depend on the kind. BIC,
Cox–Snell's and Nagelkerke's R² (which need n) and robust errors do.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from linscope.engines import choose
from linscope.fitting.estimable import Estimable
from linscope.fitting.training_rows import NOT_AT_HAND
from linscope.rows.blocks import with_columns

from ..solvers.constrained_newton import Likelihood, Maximum, maximise
from ..solvers.firth import FirthLikelihood, covariance
from ..solvers.multinomial import Frame, Multinomial, Place


class Seen(NamedTuple):
    """What the statistics need of the rows.

    Coordinates, ℓ with its derivatives (both None where standard errors would not be valid), Σ cᵢ
    of each class, how many rows, and whether they had weights.
    """

    frame: Frame | None
    place: Place | None
    class_weights: np.ndarray
    rows: int
    weighted: bool

    @property
    def reference(self) -> int | None:
        return None if self.frame is None else self.frame.reference


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class LogisticFit:
    """Fitted log odds with what is needed to judge them.

    Attributes
    ----------
    names : names of the coefficients of one class, "intercept" first when there is one
    classes : the K labels
    weights : (K − 1, p) coefficients of the classes other than the reference, in their order
    X : (n, d) training rows, dense or CSR; None if not at hand, and then there is ``seen``
    codes : (n,) class numbers 0 … K − 1
    weight : (n,) weights of the rows; None if all are 1
    frequency : whether they are frequencies
    seen : what an earlier ``LogisticFit`` has seen of the rows
    fit_intercept : whether there is a constant
    reference : number of the class the odds are against
    penalty : None for maximum likelihood, "firth" for Firth's penalised likelihood (two classes)
    refused : why standard errors would not be valid, as a clause ("the fit is penalised"); None
        if they are
    target : the name of y
    estimable : the coefficients of all features, if some are combinations of others; then the other
        attributes but X are those of the independent features
    """

    names: list[str]
    classes: list[Any]
    weights: np.ndarray
    X: Any = None
    codes: np.ndarray | None = None
    weight: np.ndarray | None = None
    frequency: bool = True
    seen: Seen | None = None
    fit_intercept: bool = True
    reference: int = 0
    penalty: str | None = None
    refused: str | None = None
    target: str = "y"
    estimable: Estimable | None = None

    def __post_init__(self) -> None:
        d = len(self.names) - int(self.fit_intercept)
        if self.X is not None and self.estimable is None:
            d = self.X.shape[1]
        wanted = (len(self.classes) - 1, d + int(self.fit_intercept))
        if np.shape(self.weights) != wanted or len(self.names) != wanted[1]:
            raise ValueError(
                f"weights must be (K − 1, p) = {wanted} with p names, got "
                f"{np.shape(self.weights)} and {len(self.names)} names"
            )

    @property
    def p(self) -> int:
        """Number of coefficients of a class."""
        return len(self.names)

    @property
    def others(self) -> list[int]:
        """Numbers of the classes that have coefficients."""
        return [k for k in range(len(self.classes)) if k != self.reference]

    @property
    def df_model(self) -> int:
        """Number of slopes, all classes together."""
        return (len(self.classes) - 1) * (self.p - int(self.fit_intercept))

    @property
    def firth(self) -> bool:
        return self.penalty == "firth"

    @cached_property
    def class_weights(self) -> np.ndarray:
        """Σ cᵢ of each class."""
        if self.seen is not None:
            return self.seen.class_weights
        assert self.codes is not None
        return np.bincount(self.codes, weights=self.weight, minlength=len(self.classes))

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.weight is not None if self.seen is None else self.seen.weighted

    @property
    def weight_kind(self) -> str | None:
        """ "frequency" or "precision"; None without weights."""
        if not self.weighted:
            return None
        return "frequency" if self.frequency else "precision"

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.X.shape[0] if self.seen is None else self.seen.rows

    @property
    def n(self) -> float:
        """The number of observations: Σ cᵢ, or rows whose weights are precisions."""
        return float(self.class_weights.sum() if self.frequency else self.rows)

    @cached_property
    def model(self) -> Multinomial:
        """The likelihood without penalty."""
        if self.X is None:
            raise ValueError(NOT_AT_HAND)
        engine = choose(self.X, self.codes, self.weight)
        if self.estimable is not None:
            engine = engine.derive(with_columns, self.estimable.kept)
        return Multinomial(engine, len(self.classes), self.fit_intercept, self.reference)

    @cached_property
    def likelihood(self) -> Likelihood:
        """What the fit maximises."""
        return FirthLikelihood(self.model) if self.firth else self.model

    @property
    def frame(self) -> Frame:
        """The coordinates of the likelihood."""
        frame = None if self.seen is None else self.seen.frame
        return self.model.frame if frame is None else frame

    @cached_property
    def theta(self) -> np.ndarray:
        """The coefficients in the coordinates of the likelihood, flat."""
        return self.frame.inside(self.weights).ravel()

    @cached_property
    def place(self) -> Place:
        """ℓ, its score and its information at the coefficients."""
        place = None if self.seen is None else self.seen.place
        return self.likelihood.at(self.theta) if place is None else place

    @property
    def log_likelihood(self) -> float:
        """ℓ at the coefficients; the penalised one of Firth's fit."""
        return self.place.value

    @cached_property
    def units(self) -> np.ndarray:
        """M with coefficients (flat) = M · θ."""
        return np.kron(np.eye(len(self.classes) - 1), self.frame.matrix)

    @cached_property
    def inverse(self) -> np.ndarray:
        """The inverse information of all coefficients, class after class."""
        return covariance(self.place.information, self.units)

    @cached_property
    def maximum(self) -> Maximum:
        """The maximum itself: the solver stopped near it, a step or two reach the last digits."""
        return maximise(self.likelihood, self.theta)

    def look(self) -> Seen:
        """What the statistics need of the rows."""
        frame = place = None
        if self.refused is None:
            with suppress(linalg.LinAlgError), np.errstate(all="ignore"):
                frame, place = self.frame, self.place
        return Seen(frame, place, self.class_weights, self.rows, self.weighted)

    @property
    def why_not(self) -> str | None:
        """Why there can be no standard errors, as a clause; None if there can."""
        if self.refused is not None:
            return self.refused
        try:
            finite = np.isfinite(self.inverse).all()
        except linalg.LinAlgError:
            finite = False
        return None if finite else "the information matrix has no inverse"

    @property
    def valid(self) -> bool:
        """Whether standard errors, tests and intervals mean something."""
        return self.why_not is None

    def need_valid(self, what: str) -> None:
        """Raise if standard errors would not be valid."""
        if self.why_not is not None:
            raise ValueError(f"no {what}: {self.why_not}")
