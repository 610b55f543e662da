"""From what the user writes (kernel="rbf", gamma="scale") to a function of two matrices."""

from __future__ import annotations

from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from linscope.data import to_matrix
from linscope.data.suggest import did_you_mean
from linscope.rows.blocks import Block, largest_value
from linscope.rows.far import FarRows

from .functions import KERNELS, Kernel

# The notes' names -> those of the formulas.
SYNONYMS = {"gaussian": "rbf", "polynomial": "poly"}
NAMES = {*KERNELS, *SYNONYMS, "precomputed"}
EQUAL = (8 * np.finfo(np.float64).eps) ** 2


def kernel_name(kernel: Any) -> Any:
    """The name of a kernel's formula for what the user calls it; a function is itself.

    >>> kernel_name("gaussian"), kernel_name("linear")
    ('rbf', 'linear')
    """
    return SYNONYMS.get(kernel, kernel) if isinstance(kernel, str) else kernel


def resolve_kernel(
    kernel: Any, *, gamma: float = 1.0, degree: int = 3, coef0: float = 0.0
) -> Kernel:
    """The function K(X, Z) of a kernel's name, or the callable itself.

    Parameters
    ----------
    kernel : "linear", "poly", "rbf", "sigmoid" or a callable (X, Z) → matrix
    gamma, degree, coef0 : parameters of the formula; those it does not have are ignored

    Examples
    --------
    >>> K = resolve_kernel("poly", gamma=1.0, degree=2, coef0=1.0)
    >>> K(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    array([[144.]])
    """
    if callable(kernel):
        return kernel
    if kernel not in KERNELS:
        known = [*KERNELS, "precomputed"]
        raise ValueError(
            f"kernel must be one of {', '.join(known)} or a function, got {kernel!r}"
            f"{did_you_mean(str(kernel), known)}"
        )
    function, takes = KERNELS[kernel]
    given = {"gamma": gamma, "degree": degree, "coef0": coef0}
    _check_parameters({name: given[name] for name in takes})
    return partial(function, **{name: given[name] for name in takes})


def _check_parameters(given: dict[str, Any]) -> None:
    for name, value in given.items():
        if not _is_finite_real(value):
            raise ValueError(f"{name} must be a finite number, got {value!r}")
    degree = given.get("degree", 0)
    if not isinstance(degree, Integral) or degree < 0:
        raise ValueError(f"degree must be a whole number ≥ 0, got {degree!r}")
    if given.get("gamma", 0) < 0:
        raise ValueError(f"gamma must not be negative, got {given['gamma']!r}")


def _is_finite_real(value: Any) -> bool:
    return (
        isinstance(value, Real) and not isinstance(value, bool) and bool(np.isfinite(float(value)))
    )


# γ = 1/(d·Var(X)) ("scale"), 1/d ("auto"), 1/(2σ²) (sigma)
def resolve_gamma(
    gamma: Any, X: Any, sample_weight: Any = None, *, sigma: float | None = None
) -> float:
    """The number that ``gamma`` or ``sigma`` stands for.

    Parameters
    ----------
    gamma : "scale", "auto" or float
        "scale" is 1/(d·Var(X)) with the weighted variance of all entries of X (1 if it is 0).
    X : training table
    sample_weight : array, optional
        A sample of weight 2 counts as two samples.
    sigma : float, optional
        The notes' width σ; takes the place of ``gamma``.

    Examples
    --------
    >>> resolve_gamma("scale", [[0.0, 2.0], [2.0, 0.0]])
    0.5
    >>> resolve_gamma("scale", [[0.0]], sigma=0.5)
    2.0
    """
    if sigma is not None:
        if not _is_finite_real(sigma) or sigma <= 0:
            raise ValueError(f"sigma must be a positive number, got {sigma!r}")
        return _usable(0.5 / float(sigma) / float(sigma), f"sigma = {sigma!r}")
    if isinstance(gamma, str):
        if gamma == "auto":
            return 1.0 / X.shape[1] if hasattr(X, "shape") else 1.0 / to_matrix(X)[0].shape[1]
        if gamma == "scale":
            return _scale(X if isinstance(X, FarRows) else to_matrix(X)[0], sample_weight)
    elif _is_finite_real(gamma) and gamma >= 0:
        return float(gamma)
    raise ValueError(f"gamma must be 'scale', 'auto' or a number ≥ 0, got {gamma!r}")


def refuse_two_widths(gamma: Any, sigma: Any) -> None:
    """Only one of them can say how wide the kernel is."""
    if sigma is not None and not (isinstance(gamma, str) and gamma == "scale"):
        raise ValueError(
            f"sigma={sigma!r} and gamma={gamma!r} both say how wide the kernel is: give one of them"
        )


def _scale(X: Any, sample_weight: Any) -> float:
    n, d = X.shape
    if isinstance(X, FarRows):
        return _of_variance(*_far_variance(X.engine), d)
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if len(weight) != n:
        raise ValueError(f"X has {n} rows, but sample_weight has {len(weight)} entries")
    total = weight.sum()
    if not total > 0:
        raise ValueError("sample_weight must have a positive sum")
    return _of_variance(*_variance(X, weight / (total * d)), d)


def _of_variance(variance: float, unit: float, d: int) -> float:
    if variance == 0:
        return 1.0
    return _usable(1.0 / (d * variance) / unit / unit, "the spread of the features")


def _variance(X: Any, share: np.ndarray) -> tuple[float, float]:
    """Variance of the entries of X/unit, with ``unit`` a power of two near the largest entry.

    The unit keeps squares of 1e±200 from overflowing or vanishing.
    """
    values = X.data if sp.issparse(X) else X
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0 or not np.isfinite(largest):
        return 0.0, 1.0
    unit = 2.0 ** min(int(np.frexp(largest)[1]), 1023)
    if sp.issparse(X):
        stored = np.diff(X.indptr)
        weight, away = np.repeat(share, stored), values.astype(np.float64) / unit
        mean = float(weight @ away)
        away -= mean
        zeros = float(share @ (X.shape[1] - stored))
        variance = float(weight @ away**2) + zeros * mean**2
    else:
        away = np.divide(values, unit, dtype=np.float64)
        mean = float((share @ away).sum())
        away -= mean
        variance = float(share @ np.einsum("ij,ij->i", away, away))
    # Entries that are all equal leave only the rounding of their mean.
    return (variance if variance > EQUAL else 0.0), unit


def _far_variance(engine: Any) -> tuple[float, float]:
    """The same of rows that are elsewhere, with their weights: three passes."""
    largest = engine.fold(largest_value).value
    if largest == 0 or not np.isfinite(largest):
        return 0.0, 1.0
    unit = 2.0 ** min(int(np.frexp(largest)[1]), 1023)
    total, entries = engine.fold(_sums, unit)
    mean = entries / (total * engine.n_features)
    variance = engine.fold(_squares, unit, mean) / (total * engine.n_features)
    return (variance if variance > EQUAL else 0.0), unit


def _sums(block: Block, unit: float) -> tuple[float, float]:
    """Of the weights, and of all entries times these."""
    c = block.weight if block.weighted else np.ones(block.X.shape[0])
    return float(c.sum()), float(c @ np.asarray(block.X.sum(axis=1, dtype=np.float64) / unit))


def _squares(block: Block, unit: float, mean: float) -> float:
    X = block.X.toarray() if sp.issparse(block.X) else block.X
    away = np.divide(X, unit, dtype=np.float64) - mean
    squares = np.einsum("ij,ij->i", away, away)
    return float(block.weight @ squares) if block.weighted else float(squares.sum())


def _usable(gamma: float, cause: str) -> float:
    if np.isfinite(gamma) and gamma > 0:
        return float(gamma)
    raise ValueError(
        f"{cause} gives gamma = {gamma}, which no computer number can hold: scale the features "
        "(sklearn.preprocessing.StandardScaler)"
    )
