"""Thin scikit-learn estimators: they store arguments, pick a solver and keep its result."""

from .kernel_perceptron import KernelPerceptron
from .perceptron import Perceptron

__all__ = ["KernelPerceptron", "Perceptron"]
