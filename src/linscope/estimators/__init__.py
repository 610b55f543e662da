"""Thin scikit-learn estimators: they store arguments, pick a solver and keep its result."""

from .fisher import FisherDiscriminant
from .kernel_perceptron import KernelPerceptron
from .least_squares_classifier import LeastSquaresClassifier
from .linear_regression import LinearRegression
from .linear_svc import LinearSVC
from .logistic_regression import LogisticRegression
from .naive_bayes import GaussianNaiveBayes
from .perceptron import Perceptron
from .ridge import Ridge
from .svc import SVC

__all__ = [
    "SVC",
    "FisherDiscriminant",
    "GaussianNaiveBayes",
    "KernelPerceptron",
    "LeastSquaresClassifier",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "Perceptron",
    "Ridge",
]
