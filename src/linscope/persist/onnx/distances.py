"""Squared distances of rows to points, summed feature by feature: equal rows give equal bits."""

from __future__ import annotations

import numpy as np

from .graph import Graph


def squared_distances(graph: Graph, x: str, Z: np.ndarray, scale: np.ndarray | None = None) -> str:
    """Σ_j (s_kj (x_j − z_kj))² for all rows of x and Z, (n, m); s is 1 without ``scale``."""
    total = ""
    for j in range(Z.shape[1]):
        away = graph("Sub", graph.columns(x, [j]), Z[:, j])
        if scale is not None:
            away = graph("Mul", away, scale[:, j])
        square = graph("Mul", away, away)
        total = graph("Add", total, square) if total else square
    return total
