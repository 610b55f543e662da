"""Similarity functions and their Gram matrix."""

from .functions import KERNELS, linear, poly, rbf, sigmoid, squared_distances
from .gram import gram
from .parameters import resolve_gamma, resolve_kernel

__all__ = [
    "KERNELS",
    "gram",
    "linear",
    "poly",
    "rbf",
    "resolve_gamma",
    "resolve_kernel",
    "sigmoid",
    "squared_distances",
]
