"""Claims that anyone can check again: optima, errors of weights, separability, margins.

What a certificate means, for every model:

1. It speaks of the floats that the user holds (``coef_``, ``intercept_``, ``dual_coef_``,
   ``support_vectors_`` …) on the table that the user gave, not of weights in some inner units.
2. Every number in it is a bound, rounded outward: the true objective is above its minimum by at
   most ``gap``, no weight is further from the solution than its ``error``.
3. ``ok`` is decided by that bound against the tolerance that the certificate states. A bound that
   is infinite, NaN or says nothing is not ok, and a fit that is not ok warns.
4. The status is part of the claim: SOLVED needs digits, CONVERGED a gap within the tolerance,
   INFINITE a proven direction, RANK_DEFICIENT a proven dependency.

``verify(X, y)`` recomputes all of it from the data by a way of its own, see ``linscope.verify``.
``model.verify(X, y)`` does so for what the model's attributes hold now, ``certificate_.verify`` for
what was claimed when it was fitted.
"""

from .class_table import ClassTable
from .margins import Margin
from .separability import separability
from .verdicts import NotSeparable, QuasiSeparable, Separable

__all__ = [
    "ClassTable",
    "Margin",
    "NotSeparable",
    "QuasiSeparable",
    "Separable",
    "separability",
]
