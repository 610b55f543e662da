"""Collinearity: is a feature almost a combination of the others?

    VIFⱼ = 1/(1 − Rⱼ²) = (AᵀCA)⁻¹ⱼⱼ · Σ cᵢ(xᵢⱼ − x̄ⱼ)²

by which the variance of coefficient j is larger than with unrelated features. The condition number
is that of the features with mean 0 and unit length: the same in all units of measurement.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.sparse as sp

from linscope.rows.blocks import Block

from .basis import Basis
from .fit import LinearFit
from .verdict import StatisticalTest, Verdict

NAME = "collinearity"
LARGE_VIF = 10.0


def variance_inflation(fit: LinearFit, basis: Basis) -> tuple[np.ndarray, float]:
    """VIF of each feature, and the condition number of the features."""
    length = np.sqrt(fit.engine().fold(partial(_squares, basis.means)))
    T = basis.root * length[:, None]
    values = np.linalg.svd(T, compute_uv=False)
    return np.einsum("ij,ij->i", T, T), float(values[0] / values[-1])


def collinearity(names: list[str], vif: np.ndarray, condition: float) -> Verdict:
    """Can the data tell the features apart?"""
    worst = int(np.argmax(vif))
    tests = [
        StatisticalTest("largest VIF", float(vif[worst]), note=names[worst]),
        StatisticalTest("condition number", condition, note="features centred and scaled"),
    ]
    if len(names) == 1:
        return Verdict(NAME, True, "There is one feature only.", tests)
    if vif[worst] < LARGE_VIF:
        sentence = (
            f"The data can tell the features apart: the largest variance inflation is "
            f"{vif[worst]:.2g} ({names[worst]})."
        )
        return Verdict(NAME, True, sentence, tests)
    bad = [names[j] for j in np.argsort(-vif, kind="stable") if vif[j] >= LARGE_VIF]
    shown = ", ".join(bad[:4]) + (f" and {len(bad) - 4} more" if len(bad) > 4 else "")
    sentence = (
        f"{shown}: almost combinations of the other features (variance inflation up to "
        f"{vif[worst]:,.0f}), so their coefficients are uncertain and may change sign; predictions "
        "are not affected. Leave some out, combine them, or use Ridge."
    )
    return Verdict(NAME, False, sentence, tests)


def dependence(fit: LinearFit) -> Verdict:
    """Some features are combinations of others: not even infinitely many rows would help."""
    shown = "; ".join(fit.dependent[:4]) + ("; …" if len(fit.dependent) > 4 else "")
    sentence = (
        f"The data cannot tell the features apart: {shown}. Many weights fit equally well. Leave "
        "the dependent features out, or use Ridge."
    )
    return Verdict(NAME, False, sentence)


def _squares(means: np.ndarray, block: Block) -> np.ndarray:
    """Σ cᵢ(xᵢⱼ − x̄ⱼ)² over a block."""
    if sp.issparse(block.X):
        X = block.X.astype(np.float64)
        c = np.ones(X.shape[0]) if not block.weighted else block.weight
        return X.multiply(X).T @ c - 2 * means * (X.T @ c) + means**2 * c.sum()
    X = np.asarray(block.X, dtype=np.float64) - means
    if not block.weighted:
        return np.einsum("ij,ij->j", X, X)
    return np.einsum("ij,ij,i->j", X, X, block.weight)
