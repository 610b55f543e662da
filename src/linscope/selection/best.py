"""The estimator for the chosen C."""

from __future__ import annotations

import warnings
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from linscope._bridge import check_feature_names, check_n_features
from linscope.fitting.training import Training
from linscope.logistic.certificates.logistic import LogisticCertificate, careful_proof, with_proof
from linscope.logistic.certificates.path_bounds import PathCertificate
from linscope.logistic.solving.problems import Part, held_weights, problems_of
from linscope.results import Certificate, Result


class Data(NamedTuple):
    """What ``path`` was given, and what it was read as."""

    X: Any
    y: Any
    sample_weight: Any
    training: Training


def best_model(
    estimator: Any, certificate: Certificate, W: np.ndarray, steps: int, data: Data
) -> Any:
    """A clone fitted to all rows: with the weights of the path, or from there on."""
    C = float(certificate.C)  # type: ignore[attr-defined]
    if isinstance(certificate, PathCertificate):
        model = clone(estimator).set_params(C=C)
        _keep(model, certificate, steps, data)
        return model
    model = clone(estimator).set_params(C=C, warm_start=True)
    one = len(W) == 1 or estimator.multi_class == "softmax"
    model._weights = [W] if one else list(W[:, None, :])
    model.fit(data.X, data.y, data.sample_weight)
    return model.set_params(warm_start=estimator.warm_start)


def _keep(model: Any, claim: PathCertificate, steps: int, data: Data) -> None:
    training = data.training
    check_feature_names(model, data.X, reset=True)
    check_n_features(model, training.X, reset=True)
    result = Result(claim.weights, claim.status, steps, steps)
    (problem,) = problems_of(training, model.multi_class)
    held = held_weights(model, problem, claim.weights)
    names = {field.name for field in fields(LogisticCertificate)}
    known = {name: getattr(claim, name) for name in names}
    known["how"] = f"Newton's method along a path of C; {steps} passes over the rows"
    known |= {"weights": held, "common": model.reference is not None}
    certificate = LogisticCertificate(**known)
    if known["common"] or not np.array_equal(held, claim.weights):  # other floats than the path's
        proof = careful_proof(certificate, training.X, training.codes, training.weight)
        certificate = with_proof(certificate, proof)
    with warnings.catch_warnings():  # the path warns for all its fits
        warnings.simplefilter("ignore", ConvergenceWarning)
        model._keep(training, [Part(problem, claim.weights, held, result, certificate)])
