"""The estimators of the campaign: a name for the table, and the family that makes and judges."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from . import (
    fisher,
    huber,
    least_squares,
    logistic,
    machine_problems,
    machines,
    moments,
    naive_bayes,
    perceptrons,
    verdicts,
)


class Entry(NamedTuple):
    make: Callable[..., Any]
    judge: Callable[..., Any]


def _entries(make: Any, judge: Any, estimator: str, kinds: tuple[str, ...]) -> dict[str, Entry]:
    return {f"{estimator}{kind}": Entry(partial(make, kind), judge) for kind in kinds}


LEAST_SQUARES = ("LinearRegression", "Ridge", "LeastSquaresClassifier")
PENALTIES = ("l2", "l1", "elasticnet", "none", "firth")
LOSSES = ("hinge", "squared", "hard")
KERNELS = ("rbf", "linear", "poly", "sigmoid", "precomputed")

REGISTRY: dict[str, Entry] = {
    **_entries(least_squares.make, least_squares.Judge, "", LEAST_SQUARES),
    **_entries(huber.make, huber.Judge, "", ("HuberRegressor",)),
    **_entries(logistic.make, logistic.Judge, "LogisticRegression-", PENALTIES),
    **_entries(machine_problems.make_linear, machines.Judge, "LinearSVC-", LOSSES),
    **_entries(machine_problems.make_kernel, machines.Judge, "SVC-", KERNELS),
    **_entries(perceptrons.make, perceptrons.Judge, "", ("Perceptron", "KernelPerceptron")),
    **_entries(moments.make, naive_bayes.Judge, "", ("GaussianNaiveBayes",)),
    **_entries(moments.make, fisher.Judge, "", ("FisherDiscriminant",)),
    **_entries(verdicts.make, verdicts.Judge, "", ("separability",)),
}
LEVELS = ("ordinary", "hard", "extreme")
