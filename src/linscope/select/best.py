"""The estimator for the chosen C."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_feature_names, _check_n_features

from ..certify.decrement import MOST_WEIGHTS, MOST_WORK
from ..certify.logistic import LogisticCertificate
from ..estimators.base import Training
from ..estimators.logistic_solving import Part, problems_of
from ..results import Certificate, Result
from .certificate import PathCertificate


class Data(NamedTuple):
    """What ``path`` was given, and what it was read as."""

    X: Any
    y: Any
    sample_weight: Any
    training: Training


def best_model(
    estimator: Any, certificate: Certificate, W: np.ndarray, steps: int, data: Data
) -> Any:
    """A clone fitted to all rows: with the weights of the path, or from there on.

    Its own certificate must be able to confirm the path's bound from the rows; where the table is
    too large for that, the fit goes on from the path's weights and makes its own.
    """
    C = float(certificate.C)  # type: ignore[attr-defined]
    if isinstance(certificate, PathCertificate) and _can_confirm(W, data.training):
        model = clone(estimator).set_params(C=C)
        _keep(model, certificate, steps, data)
        return model
    model = clone(estimator).set_params(C=C, warm_start=True)
    one = len(W) == 1 or estimator.multi_class == "softmax"
    model._weights = [W] if one else list(W[:, None, :])
    model.fit(data.X, data.y, data.sample_weight)
    return model.set_params(warm_start=estimator.warm_start)


def _can_confirm(W: np.ndarray, training: Training) -> bool:
    size = max(1, len(W) - 1) * W.shape[1]
    return size <= MOST_WEIGHTS and len(training.codes) * size**2 <= MOST_WORK


def _keep(model: Any, claim: PathCertificate, steps: int, data: Data) -> None:
    training = data.training
    _check_feature_names(model, data.X, reset=True)
    _check_n_features(model, training.X, reset=True)
    result = Result(claim.weights, claim.status, steps, steps)
    certificate = LogisticCertificate(
        status=claim.status,
        primal=claim.primal,
        dual=claim.dual,
        gap=claim.gap,
        kkt=claim.kkt,
        weights=claim.weights,
        classes=claim.classes,
        C=claim.C,
        fit_intercept=claim.fit_intercept,
        weighted=claim.weighted,
        how=f"Newton's method along a path of C; {steps} passes over the rows",
    )
    (problem,) = problems_of(training, model.multi_class)
    with warnings.catch_warnings():  # the path warns for all its fits
        warnings.simplefilter("ignore", ConvergenceWarning)
        model._keep(training, [Part(problem, claim.weights, result, certificate)])
