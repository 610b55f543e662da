"""Made-up data: separable, overlapping, a ring, blobs. The same seed gives the same data."""

from __future__ import annotations

from typing import Any

import numpy as np

Data = tuple[np.ndarray, np.ndarray]


def make_separable(n: int = 100, d: int = 2, margin: float = 0.1, random_state: Any = None) -> Data:
    """Two classes that a hyperplane through the unit cube separates with at least ``margin``.

        y·(u·x) ≥ margin for a random direction ‖u‖ = 1

    Parameters
    ----------
    n, d : int
        Samples (at least two) and features.
    margin : float
        Distance of the nearest possible sample from the hyperplane.
    random_state : int, Generator or None

    Returns
    -------
    X : array of shape (n, d); y : array of −1 and +1, both present

    Examples
    --------
    >>> X, y = make_separable(50, 3, margin=0.2, random_state=0)
    >>> X.shape, np.unique(y).tolist()
    ((50, 3), [-1, 1])
    """
    _check(n=n, d=d)
    if not 0 <= margin < np.inf:
        raise ValueError(f"margin must be a finite number ≥ 0, got {margin!r}")
    rng = np.random.default_rng(random_state)
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)
    X = rng.uniform(-1.0, 1.0, (n, d))
    score = X @ u
    y = np.where(score >= 0, 1, -1)
    y[0], y[1] = 1, -1
    # Each sample keeps its place along the hyperplane and gets a score of its own sign.
    target = y * (margin * (1 + 1e-9) + np.abs(score))
    X += np.outer(target - score, u)
    return X, y


def make_overlapping(
    n: int = 100, d: int = 2, distance: float = 1.0, random_state: Any = None
) -> Data:
    """Two Gaussian clouds of unit variance whose means are ``distance`` apart.

    Parameters
    ----------
    n, d : int
        Samples (at least two) and features.
    distance : float
        Between the two means; small values overlap more.
    random_state : int, Generator or None

    Returns
    -------
    X : array of shape (n, d); y : array of −1 and +1 in turn

    Examples
    --------
    >>> X, y = make_overlapping(4, random_state=0)
    >>> y
    array([-1,  1, -1,  1])
    """
    _check(n=n, d=d)
    rng = np.random.default_rng(random_state)
    y = np.where(np.arange(n) % 2 == 0, -1, 1)
    X = rng.standard_normal((n, d))
    X += np.outer(y, np.full(d, distance / (2 * np.sqrt(d))))
    return X, y


def make_ring(n: int = 100, d: int = 2, gap: float = 0.5, random_state: Any = None) -> Data:
    """A ball of radius 1 (−1) inside a shell from radius 1 + ``gap`` to 2 + ``gap`` (+1).

    No hyperplane separates them, but one does once ‖x‖² is a feature (``RadialFeatures``).

    Parameters
    ----------
    n, d : int
        Samples (at least two) and features.
    gap : float
        Width of the empty space between ball and shell.
    random_state : int, Generator or None

    Returns
    -------
    X : array of shape (n, d); y : array of −1 and +1 in turn

    Examples
    --------
    >>> X, y = make_ring(200, random_state=0)
    >>> bool((X[y < 0] ** 2).sum(axis=1).max() < (X[y > 0] ** 2).sum(axis=1).min())
    True
    """
    _check(n=n, d=d)
    if not 0 <= gap < np.inf:
        raise ValueError(f"gap must be a finite number ≥ 0, got {gap!r}")
    rng = np.random.default_rng(random_state)
    y = np.where(np.arange(n) % 2 == 0, -1, 1)
    direction = rng.standard_normal((n, d))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    radius = np.sqrt(rng.uniform(0.0, 1.0, n)) + np.where(y > 0, 1 + gap, 0.0)
    return direction * radius[:, None], y


def make_blobs(
    n: int = 150, d: int = 2, classes: int = 3, spread: float = 1.0, random_state: Any = None
) -> Data:
    """K Gaussian clouds round random centres; labels 0 … K−1 in turn.

    Examples
    --------
    >>> X, y = make_blobs(6, classes=3, random_state=0)
    >>> y
    array([0, 1, 2, 0, 1, 2])
    """
    _check(n=n, d=d)
    if classes < 2 or classes > n:
        raise ValueError(f"classes must lie between 2 and n = {n}, got {classes!r}")
    rng = np.random.default_rng(random_state)
    centers = rng.uniform(-10.0, 10.0, (classes, d))
    y = np.arange(n) % classes
    return centers[y] + spread * rng.standard_normal((n, d)), y


def _check(*, n: int, d: int) -> None:
    if n < 2:
        raise ValueError(f"n must be at least 2, one sample per class, got {n!r}")
    if d < 1:
        raise ValueError(f"d must be at least 1, got {d!r}")
