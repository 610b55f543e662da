"""Similarity functions and their Gram matrix."""

from .functions import KERNELS, linear, poly, rbf, sigmoid, squared_distances
from .gram import gram
from .parameters import NAMES, kernel_name, refuse_two_widths, resolve_gamma, resolve_kernel

__all__ = [
    "KERNELS",
    "NAMES",
    "gram",
    "kernel_name",
    "linear",
    "poly",
    "rbf",
    "refuse_two_widths",
    "resolve_gamma",
    "resolve_kernel",
    "sigmoid",
    "squared_distances",
]
