"""Data to try logistic regression on, and fits made by the dense Newton method."""

import numpy as np

from linscope.engines import choose
from linscope.logistic.inference.fit import LogisticFit
from linscope.logistic.solvers.constrained_newton import maximise
from linscope.logistic.solvers.multinomial import Multinomial

# Endometrial cancer, 79 women: neovasculation, pulsatility index, endometrium height, high grade.
# Heinze and Schemper, Statistics in Medicine 21 (2002) 2409-2419: NV separates quasi-completely.
ENDOMETRIAL = """
0,13,1.64,0 0,16,2.26,0 0,8,3.14,0 0,34,2.68,0 0,20,1.28,0 0,5,2.31,0 0,17,1.8,0 0,10,1.68,0
0,26,1.56,0 0,17,2.31,0 0,8,2.01,0 0,7,1.89,0 0,20,3.15,0 0,10,1.23,0 0,18,1.27,0 0,16,1.76,0
0,18,2,0 0,8,2.64,1 0,29,0.88,1 0,12,1.27,1 0,20,1.37,1 1,38,0.97,1 1,22,1.14,1 1,7,0.88,1
1,25,0.91,1 1,15,0.58,1 0,7,0.97,1 0,28,1.5,0 0,11,1.33,0 0,19,2.37,0 0,10,1.82,0 0,10,3.13,0
0,18,1.31,0 0,14,1.92,0 0,21,1.64,0 0,11,2.01,0 0,17,1.88,0 0,25,1.93,0 0,16,2.11,0 0,19,1.29,0
0,15,1.72,0 0,33,0.75,0 0,24,1.92,0 0,48,1.84,1 0,12,1.11,1 0,19,1.61,1 0,2,1.18,1 1,22,1.44,1
1,40,1.18,1 1,5,0.93,1 1,0,1.17,1 0,21,1.19,1 0,15,1.06,1 0,29,2.02,0 0,15,2.29,0 0,12,2.33,0
0,3,2.9,0 0,20,1.7,0 0,23,1.41,0 0,12,2.25,0 0,22,1.54,0 0,42,1.97,0 0,15,1.75,0 0,13,2.16,0
0,14,2.57,0 0,19,1.37,0 0,12,3.61,0 0,13,2.04,0 0,10,2.17,0 0,12,1.69,1 1,49,0.27,1 0,6,1.84,1
0,5,1.3,1 0,17,0.96,1 1,11,1.01,1 1,21,0.98,1 0,5,0.35,1 1,19,1.02,1 0,33,0.85,1
"""


def endometrial():
    table = np.array([[float(v) for v in row.split(",")] for row in ENDOMETRIAL.split()])
    return np.ascontiguousarray(table[:, :3]), table[:, 3].astype(int)


def noisy(n=150, d=3, n_classes=2, seed=0):
    """Classes drawn from a logistic model; columns of different sizes and offsets."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, n_classes)) + rng.gumbel(size=(n, n_classes))
    return X * np.geomspace(0.1, 10.0, d) + np.arange(d), scores.argmax(axis=1)


def fit_of(X, codes, weight=None, *, intercept=True, classes=None, reference=0, **more):
    """Maximum likelihood."""
    K = int(codes.max()) + 1
    model = Multinomial(choose(X, codes, weight), K, intercept, reference)
    found = maximise(model, np.zeros(model.shape))
    names = ["intercept"] * intercept + [f"x{j + 1}" for j in range(X.shape[1])]
    return LogisticFit(
        names=names,
        classes=list(range(K)) if classes is None else classes,
        weights=model.frame.outside(found.theta.reshape(model.shape)),
        X=X,
        codes=codes,
        weight=weight,
        fit_intercept=intercept,
        reference=reference,
        **more,
    )
