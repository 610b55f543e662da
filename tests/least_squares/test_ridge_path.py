"""Many penalties from one Gram matrix: the same answers as a fit for each."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import root_mean_squared_error

from linscope.data.question import read_question
from linscope.least_squares.path.ridge import ridge_answers
from linscope.selection.comparison.options import Options
from linscope.selection.comparison.scoring.candidates import choose_models
from linscope.selection.comparison.scoring.fits import with_parameters
from linscope.selection.comparison.scoring.folds import split
from linscope.selection.comparison.scoring.grids import grid_scores
from linscope.selection.comparison.scoring.setup import Setup

ALPHAS = (1e4, 1.0, 0.01)


@pytest.mark.parametrize(("n", "d"), [(60, 5), (20, 40), (30, 30), (2, 3)])
def test_answers_are_those_of_scikit_learn(n, d):
    rng = np.random.default_rng(n)
    X, new = rng.normal(3.0, 1.0, (n, d)), rng.normal(3.0, 1.0, (7, d))
    X[:, 1] = X[:, 0]  # columns that depend on each other
    y = 1e3 + X[:, 0] + rng.normal(size=n)
    found = ridge_answers(X, y, new, ALPHAS)
    wanted = [Ridge(alpha, solver="svd").fit(X, y).predict(new) for alpha in ALPHAS]
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


@pytest.mark.parametrize("key", ["ridge", "ridge-poly"])
def test_scores_of_a_grid_are_those_of_fits(key):
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 90))
    table = {"x": x, "z": z, "c": rng.choice(["a", "b", "c"], 90).astype(object)}
    question = read_question(table | {"y": x + x * z + rng.normal(size=90)}, "y")
    setup = Setup(question, Options(models=(key,)))
    model, (X, y, rows) = choose_models("number", (key,))[-1], setup.prepared[0].training
    splits = split(rows, 3, 0)
    found = grid_scores(model, setup.first, setup.prepared[0].training, splits, model.grid)
    wanted = []
    for *degree, alpha in product(*model.grid.values()):
        Z = X
        if degree:
            powers = with_parameters(model.make(setup.first), {"degree": degree[0]})[:-1]
            Z = powers.fit_transform(X)
        for train, test in splits:
            fit = Ridge(alpha, solver="svd").fit(Z[train], y[train])
            wanted.append(-root_mean_squared_error(y[test], fit.predict(Z[test])))
    np.testing.assert_allclose(found.ravel(), wanted, rtol=1e-9)
