"""``partial_fit`` while rows may still come: no warning, whatever the first rows are."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

import linscope as ls

MODELS = [ls.LinearRegression(), ls.Ridge(alpha=1e-12), ls.LeastSquaresClassifier(),
          ls.FisherDiscriminant(), ls.GaussianNaiveBayes(), ls.Perceptron()]  # fmt: skip


@pytest.mark.parametrize("kind", ["random", "constant", "copies"])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_parts_do_not_warn(model, kind):
    r, model = np.random.default_rng(0), clone(model)
    X, y = r.normal(size=(40, 3)), np.arange(40) % 2
    X[:20] = 0.5 if kind == "constant" else X[:20]
    X[:20, 1] = X[:20, 0] if kind == "copies" else X[:20, 1]
    options = {} if isinstance(model, ls.LinearRegression | ls.Ridge) else {"classes": [0, 1]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for part in np.array_split(np.arange(40), 20):
            model.partial_fit(X[part], y[part], **options)
    assert model.certificate_.verify(X, y) or isinstance(model, ls.Perceptron)
