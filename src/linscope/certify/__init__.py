"""Claims that anyone can check again: separability, margins, convergence bounds."""

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
