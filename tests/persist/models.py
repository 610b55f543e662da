"""Fitted models for tests of files: every estimator with the options that change what it keeps."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import linscope as ls
from tests.registry import REGISTRY, apart, noisy_plane, overlapping, three_classes

K, L, P, S, V = (
    ls.KernelPerceptron, ls.LogisticRegression, ls.Perceptron, ls.LinearSVC, ls.SVC,
)  # fmt: skip


def _products(data: Any) -> Any:
    return data[0] @ data[0].T, data[1]


def _sparse(data: Any) -> Any:
    return sp.csr_array(data[0]), data[1]


def _two_targets() -> Any:
    X, y = noisy_plane()
    return X, np.column_stack([y, y**2])


def _far_apart() -> Any:
    X, y = three_classes()
    return X + 10.0 * y[:, None] * np.array([1, 0, 0]), y


OPTIONS: dict[str, tuple[Any, Any]] = {
    "regression, two targets": (ls.LinearRegression(), _two_targets()),
    "regression by steps": (ls.LinearRegression(solver="batch"), noisy_plane()),
    "least squares, K classes": (ls.LeastSquaresClassifier(alpha=1.0), three_classes()),
    "fisher, two classes": (ls.FisherDiscriminant(), overlapping()),
    "fisher, shrinkage": (ls.FisherDiscriminant(shrinkage="auto"), three_classes()),
    "fisher, priors": (ls.FisherDiscriminant(priors=[0.2, 0.3, 0.5]), three_classes()),
    "naive bayes, shared": (ls.GaussianNaiveBayes(shared_variance=True), overlapping()),
    "perceptron, averaged": (P(output="averaged", max_iter=9), overlapping()),
    "perceptron, pocket": (P(output="pocket", max_iter=9), overlapping()),
    "perceptron, voted": (P(output="voted", max_iter=9), overlapping()),
    "perceptron, voted pairs": (P(output="voted", multi_class="ovo", max_iter=9), three_classes()),
    "perceptron, pairs": (P(multi_class="ovo", max_iter=9), three_classes()),
    "perceptron, first weights": (P(init=np.arange(4.0), max_iter=9), overlapping()),
    "kernel perceptron, K classes": (K(kernel="rbf", max_iter=9), three_classes()),
    "kernel perceptron, voted": (K(output="voted", max_iter=9), overlapping()),
    "kernel perceptron, sparse": (K(max_iter=9), _sparse(overlapping())),
    "kernel perceptron, products": (
        K(kernel="precomputed", output="voted", max_iter=9), _products(overlapping()),
    ),
    "logistic, l1": (L(penalty="l1"), overlapping()),
    "logistic, elasticnet": (L(penalty="elasticnet", l1_ratio=0.5), three_classes()),
    "logistic, firth": (L(penalty="firth"), apart()),
    "logistic, separated": (L(penalty=None), apart()),
    "logistic, K separated": (L(penalty=None), _far_apart()),
    "logistic, one against the rest": (L(multi_class="ovr"), three_classes()),
    "logistic, pairs": (L(multi_class="ovo"), three_classes()),
    "logistic, reference": (L(reference=1), three_classes()),
    "logistic, class weights": (L(class_weight={0: 1, 1: 2.5}), overlapping()),
    "linear svm, pairs": (S(multi_class="ovo"), three_classes()),
    "linear svm, hard margin": (S(C=np.inf), apart()),
    "linear svm, penalised intercept": (
        S(penalize_intercept=True, loss="squared_hinge"), three_classes(),
    ),
    "svm, linear": (V(kernel="linear", multi_class="ovr"), three_classes()),
    "svm, poly": (V(kernel="poly", degree=2, coef0=1.0), three_classes()),
    "svm, sigmoid": (V(kernel="sigmoid", gamma=0.1), overlapping()),
    "svm, hard margin": (V(kernel="linear", C=np.inf), apart()),
    "svm, sigma": (V(sigma=2.0, multi_class="ovr"), three_classes()),
    "svm, probabilities": (V(probability=True), three_classes()),
    "svm, products": (V(kernel="precomputed"), _products(three_classes())),
    "svm, sparse": (V(), _sparse(three_classes())),
    "approximate svm, K classes": (
        ls.ApproximateSVC(random_state=0, n_components=20), three_classes(),
    ),
    "approximate svm, cosines": (
        ls.ApproximateSVC(random_state=0, n_components=20, method="random", check_rows=0),
        overlapping(),
    ),
}  # fmt: skip
MODELS = [*REGISTRY, *OPTIONS]


@cache
def fitted(name: str) -> tuple[Any, Any, Any]:
    """A fitted model and its X, y."""
    if name in REGISTRY:
        model, (X, y) = REGISTRY[name].make(), REGISTRY[name].problem()
    else:
        model, (X, y) = OPTIONS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y), X, y
