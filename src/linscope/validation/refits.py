"""Fits of an estimator itself, C after C: the way of a path when the folds share no work."""

from __future__ import annotations

import warnings
from itertools import islice
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from linscope.fitting.training import Training
from linscope.results import Certificate

from .splits import Split


class RefitFits:
    """The whole table and every fold, each fit started at the solution of the C before.

    After ``solve(C)``: ``weights`` (folds + 1, problems, d + 1) and ``steps`` of the whole table;
    problem 0 is the whole table, problem f + 1 is fold f. Without the ``whole`` table there are
    only ``model``s of the folds.
    """

    def __init__(
        self, estimator: Any, training: Training, splits: list[Split], *, whole: bool = True
    ):
        self.training, self.first = training, 0 if whole else 1
        # Class weights are those of the whole table, and are part of ``weight`` already.
        self.models = [
            clone(estimator).set_params(warm_start=True, class_weight=None)
            for _ in range(len(splits) + 1)
        ]
        self.rows: list[Any] = [slice(None), *(split.train for split in splits)]

    def solve(self, C: float) -> None:
        X, classes, codes, weight, _ = self.training
        with warnings.catch_warnings():  # the path warns once, for all its fits
            warnings.simplefilter("ignore", ConvergenceWarning)
            for model, rows in islice(zip(self.models, self.rows, strict=True), self.first, None):
                own = weight[rows] if len(weight) else None
                model.set_params(C=C).fit(X[rows], classes[codes[rows]], own)
        if self.first:
            return
        self.steps = int(np.max(self.models[0].n_iter_))
        claims = [model.certificate_ for model in self.models]
        self.weights = np.array([np.atleast_2d(claim.weights) for claim in claims])

    def certificate(self, problem: int) -> Certificate:
        return self.models[problem].certificate_

    def held_out(self, fold: int) -> None:
        return None

    def model(self, problem: int) -> Any:
        return self.models[problem]
