"""What a benchmark case is made of, and how the work of two contenders is compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

# linscope's answer may be worse than the peer's by this much, relatively, and still count.
TOLERANCE = 1e-6

# Peer -> the module that shows whether it is installed.
PEERS = {
    "sklearn": "sklearn",
    "sklearnex": "sklearnex",
    "liblinear": "liblinear",
    "libsvm": "libsvm",
    "statsmodels": "statsmodels",
    "glum": "glum",
    "skglm": "skglm",
    "duckdb": "duckdb",
    "polars": "polars",
    "duckreg": "duckreg",
    "dask-ml": "dask_ml",
}


def package(peer: str) -> str:
    """The package of a contender: a second word only tells two of its estimators apart."""
    return peer.split()[0]


def installed(peer: str) -> bool:
    return find_spec(PEERS[package(peer)]) is not None


class Data(NamedTuple):
    """Training data, and points to predict where a case predicts."""

    X: Any
    y: np.ndarray
    points: Any = None
    model: Any = None


@dataclass(frozen=True)
class Contender:
    """``fit`` is timed and returns an answer; ``work`` turns the answer into what is compared."""

    name: str
    fit: Callable[[Data], Any]
    work: Callable[[Data, Any], Any]


@dataclass(frozen=True)
class Case:
    """One row of the benchmark.

    Attributes
    ----------
    name, what : for the command line and for people
    make : (rows, features) -> Data; ``size`` is its default argument, None for data of fixed size
    ours : linscope's contender
    peers : the others, by peer's name
    shortfall : (our work, their work) -> by how much ours is worse, relatively; 0 or less is equal
    goals : peer -> how many times faster linscope should be
    grows : whether its cost may be measured at other sizes
    remark : (our work, their work) -> what to add to the verdict
    judged_by_time : False if only the work counts
    """

    name: str
    what: str
    make: Callable[[int, int], Data]
    size: tuple[int, int]
    ours: Contender
    peers: tuple[Contender, ...]
    shortfall: Callable[[Any, Any], float]
    goals: dict[str, float] = field(default_factory=dict)
    grows: bool = True
    remark: Callable[[Any, Any], str] | None = None
    judged_by_time: bool = True

    def contenders(self, peers: list[str]) -> list[Contender]:
        """linscope and the chosen peers that are installed."""
        return [self.ours, *(one for one in self._chosen(peers) if installed(one.name))]

    def missing(self, peers: list[str]) -> list[str]:
        return [one.name for one in self._chosen(peers) if not installed(one.name)]

    def _chosen(self, peers: list[str]) -> list[Contender]:
        return [one for one in self.peers if package(one.name) in peers]


def worse_objective(ours: float, theirs: float) -> float:
    """For objectives to be minimised: (ours − theirs) / |theirs|."""
    return (ours - theirs) / max(abs(theirs), np.finfo(float).tiny)


def different_vector(ours: np.ndarray, theirs: np.ndarray) -> float:
    """For answers that must be the same: the largest difference relative to the largest entry."""
    ours, theirs = np.ravel(ours), np.ravel(theirs)
    if ours.shape != theirs.shape or not np.isfinite(ours).all():
        return np.inf
    return float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), np.finfo(float).tiny))
