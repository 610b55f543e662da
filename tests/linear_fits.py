"""Linear fits made by plain NumPy, and data to try the statistics on."""

import json
from pathlib import Path

import numpy as np

from linscope.least_squares.inference.fit import LinearFit

NIST = json.loads((Path(__file__).parent / "data" / "nist.json").read_text())


def nist(name):
    """Features (powers of x for the polynomials), y, and whether there is an intercept."""
    data = NIST[name]
    if "degree" in data:
        X = np.array(data["x"])[:, None] ** np.arange(1, data["degree"] + 1)
    else:
        X = np.array(data["X"])
    return X, np.array(data["y"]), data["fit_intercept"]


def fit_of(X, y, weight=None, *, intercept=True, names=None, **more):
    """Least squares by QR of √C A."""
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    A = design(X, intercept)
    c = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
    Q, R = np.linalg.qr(A * np.sqrt(c)[:, None])
    w = np.linalg.solve(R, Q.T @ (np.sqrt(c) * y))
    root = np.linalg.inv(R)
    e = y - A @ w
    centre = (c @ y) / c.sum() if intercept else 0.0
    features = [f"x{j + 1}" for j in range(X.shape[1])] if names is None else list(names)
    facts = {
        "names": ["intercept"] * intercept + features,
        "weights": w,
        "inverse": root @ root.T,
        "n": len(y),
        "rss": float(c @ e**2),
        "tss": float(c @ (y - centre) ** 2),
        "fit_intercept": intercept,
        "X": X,
        "y": y,
        "weight": None if weight is None else c,
    }
    return LinearFit(**{**facts, **more})


def design(X, intercept=True):
    return np.column_stack([np.ones(len(X)), X]) if intercept else np.asarray(X)


def noisy(n=120, d=3, seed=0, *, bend=0.0, fan=0.0, memory=0.0):
    """y linear in X, with a bend, a spread that grows with x1, or errors that remember."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.4) + np.arange(d)
    e = rng.normal(size=n)
    for i in range(1, n):
        e[i] += memory * e[i - 1]
    y = 1 + X @ np.arange(1, d + 1) + bend * X[:, 0] ** 2 + e * np.exp(fan * X[:, 0])
    return X, y


def weights(n, seed=1):
    return np.random.default_rng(seed).uniform(0.3, 3.0, size=n)
