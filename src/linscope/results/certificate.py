"""What a solver claims about its answer, in a form that anyone can check again.

What a certificate means, for every model:

1. It speaks of the floats that the user holds (``coef_``, ``intercept_``, ``dual_coef_``,
   ``support_vectors_`` …) on the table that the user gave, not of weights in some inner units.
2. Every number in it is a bound, rounded outward: the true objective is above its minimum by at
   most ``gap``, no weight is further from the solution than its ``error``.
3. ``ok`` is decided by that bound against the tolerance that the certificate states. A bound that
   is infinite, NaN or says nothing is not ok, and a fit that is not ok warns.
4. The status is part of the claim: SOLVED needs digits, CONVERGED a gap within the tolerance,
   INFINITE a proven direction, RANK_DEFICIENT a proven dependency.

``verify(X, y)`` recomputes all of it from the data by a way of its own, see ``linscope.verify`` and
``linscope.MODEL.verify``. It is true only if the claim is right and ``ok``.
``model.verify(X, y)`` does so for what the model's attributes hold now, ``certificate_.verify`` for
what was claimed when it was fitted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, ClassVar

from linscope._printable import escape

from .notebook import facts, mark
from .status import Status


@dataclass(frozen=True)
class Check:
    """Outcome of a verification: true or false, and the reason in a sentence.

    A check of a fit is true only if the claim is right and the fit is good (``certificate_.ok``).

    Attributes
    ----------
    ok : the truth value
    reason : a sentence
    claim_holds : whether the claim is right, whatever it claims; False only if it was refuted

    >>> bool(Check(False, "sample 3 has margin -1"))
    False
    """

    ok: bool
    reason: str
    claim_holds: bool = None  # type: ignore[assignment]  # the same as ok

    def __post_init__(self) -> None:
        if self.claim_holds is None:
            object.__setattr__(self, "claim_holds", self.ok)

    def __bool__(self) -> bool:
        return self.ok

    @property
    def verdict(self) -> str:
        """The outcome in a word or two."""
        if self.ok:
            return "verified"
        return "not finished" if self.claim_holds else "REJECTED"

    def __str__(self) -> str:
        return f"{self.verdict}: {self.reason}"

    def _repr_html_(self) -> str:
        word = self.verdict.lower()
        return f"<div>{mark(self.ok)} <b>{word}</b>: {escape(self.reason)}</div>"


@dataclass(frozen=True, kw_only=True, repr=False)
class Certificate(ABC):
    """Base of all certificates.

    Attributes that make no sense for a model are None: a perceptron has no dual value, least
    squares has no duality gap.
    """

    TEXTS: ClassVar[Mapping[Status, str]] = {}
    ADVICE: ClassVar[Mapping[Status, str]] = {}

    status: Status
    primal: float | None = None
    dual: float | None = None
    gap: float | None = None
    kkt: float | None = None
    backward_error: float | None = None
    parts: dict[str, Certificate] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.status.ok

    @property
    def text(self) -> str:
        """What happened, in the words of the family."""
        return self.TEXTS.get(self.status, self.status.text)

    @property
    def advice(self) -> str:
        """What to do next, in the words of the family."""
        return self.ADVICE.get(self.status, self.status.advice)

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """The claim, as label -> value pairs in reading order."""

    @abstractmethod
    def verify(self, X: Any, y: Any = None) -> Check:
        """Recompute the claim from the data alone; true if it is right and the fit is good."""

    def _judged(self, found: Check) -> Check:
        """The check of this claim: a claim may be right and say that the fit is not good."""
        if not found.claim_holds or self.ok:
            return found
        reason = f"{found.reason}; the claim is right, but the fit is not good: {self.text}"
        return Check(False, reason, claim_holds=True)

    def __str__(self) -> str:
        lines = [self.text]
        lines += [f"  {label}: {_short(value)}" for label, value in self.facts().items()]
        lines.append(f"  advice: {self.advice}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        claims = {**self.facts(), "advice": self.advice}.items()
        return facts(self.text, [(label, _short(value)) for label, value in claims], self.ok)


_WANTED: ContextVar[bool] = ContextVar("proofs wanted", default=True)


def proofs_wanted() -> bool:
    """Whether fits are to be proven, at a price."""
    return _WANTED.get()


@contextmanager
def without_proofs() -> Iterator[None]:
    """Fits in this block are thrown away: their bounds may be infinite, so that none is ok.

    A search fits hundreds of models and keeps none of them: the winner is fitted again.
    """
    token = _WANTED.set(False)
    try:
        yield
    finally:
        _WANTED.reset(token)


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
