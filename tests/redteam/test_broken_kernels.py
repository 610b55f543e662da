"""A compiled function that is wrong is noticed: the claim is not ok, verify rejects it, or the
weights are right all the same."""

import warnings
from collections import Counter

import numpy as np
import pytest
from numba.core.errors import NumbaError

from .campaign import claim_of
from .exact import precision
from .problem import Problem
from .registry import REGISTRY
from .sabotage import Compiled, Sabotage, broken, called, compiled_functions, sabotages

RNG = np.random.default_rng(7)
X = np.round(RNG.normal(size=(14, 2)), 2)
CODES = (X[:, 0] + 0.8 * RNG.normal(size=14) > 0).astype(int)
APART = (X[:, 0] + X[:, 1] > 0.1).astype(int)
TARGET = np.round(X @ [1.5, -2.0] + RNG.normal(size=14), 2)
GRAM = X @ X.T + 1.0

FITS = {
    "LinearRegression": ("LinearRegression", {"fit_intercept": True}, X, TARGET),
    "Ridge": ("Ridge", {"fit_intercept": True, "alpha": 0.5}, X, TARGET),
    "HuberRegressor": (
        "HuberRegressor", {"fit_intercept": True, "epsilon": 1.35, "alpha": 0.0}, X, TARGET,
    ),
    "LeastSquaresClassifier": ("LeastSquaresClassifier", {"fit_intercept": True}, X, CODES),
    "LogisticRegression-l2": ("LogisticRegression", {"penalty": "l2"}, X, CODES),
    "LogisticRegression-l1": ("LogisticRegression", {"penalty": "l1"}, X, CODES),
    "LogisticRegression-elasticnet": (
        "LogisticRegression", {"penalty": "elasticnet", "l1_ratio": 0.5}, X, CODES,
    ),
    "LogisticRegression-none": ("LogisticRegression", {"penalty": None}, X, CODES),
    "LogisticRegression-firth": ("LogisticRegression", {"penalty": "firth"}, X, CODES),
    "LinearSVC-hinge": ("LinearSVC", {"loss": "hinge"}, X, CODES),
    "LinearSVC-squared": ("LinearSVC", {"loss": "squared_hinge"}, X, CODES),
    "LinearSVC-hard": ("LinearSVC", {"loss": "hinge", "C": np.inf}, X, APART),
    "SVC-rbf": ("SVC", {"kernel": "rbf", "gamma": 0.5}, X, CODES),
    "SVC-linear": ("SVC", {"kernel": "linear"}, X, CODES),
    "SVC-poly": ("SVC", {"kernel": "poly", "degree": 2, "coef0": 1.0}, X, CODES),
    "SVC-precomputed": ("SVC", {"kernel": "precomputed"}, GRAM, CODES),
    "Perceptron": ("Perceptron", {"max_iter": 20}, X, APART),
    "KernelPerceptron": ("KernelPerceptron", {"kernel": "rbf", "max_iter": 20}, X, CODES),
    "GaussianNaiveBayes": ("GaussianNaiveBayes", {"shared_variance": False}, X, CODES),
    "FisherDiscriminant": ("FisherDiscriminant", {}, X, CODES),
}  # fmt: skip
# They only choose units for the columns: in any of them the answer is right.
UNITS = ("linscope.rows.pilot._measure", "linscope.rows.pilot._sizes")
DEFAULTS = {
    "LogisticRegression": {"fit_intercept": True, "multi_class": "softmax"},
    "LinearSVC": {"fit_intercept": True, "penalize_intercept": False},
    "Perceptron": {"fit_intercept": True, "tie": "update", "output": "last"},
    "KernelPerceptron": {"fit_intercept": True, "tie": "update", "output": "last"},
}


def problem_of(name: str) -> Problem:
    estimator, params, table, y = FITS[name]
    params = {**DEFAULTS.get(estimator, {}), **params}
    return Problem(estimator, params, table, y, None, "ordinary", "broken")


def outcome(name: str, problem: Problem, sabotage: Sabotage, known: Compiled) -> str:
    """How a wrong function ends: unused, raised, not ok, rejected, right, or accepted."""
    try:
        with broken(sabotage, known) as count:
            fitted = problem.fit()
    except NumbaError:
        return "unused"  # it was about to be compiled into another function
    except Exception:
        return "raised"
    claim = claim_of(fitted)
    if not count:
        return "unused"
    if not claim.ok:
        return "not ok"
    if not claim.verify(problem.X, problem.y).claim_holds:
        return "rejected"
    with precision(problem.bits):
        judge = REGISTRY[name].judge(problem)
        wrong = [*judge.held(fitted, claim), *judge.refute(claim)]
    return f"accepted: {wrong[0]}" if wrong else "right"


@pytest.mark.share(12)
@pytest.mark.parametrize("name", FITS)
def test_no_wrong_function_makes_a_wrong_claim_that_is_accepted(name):
    problem = problem_of(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert claim_of(problem.fit()).verify(problem.X, problem.y).claim_holds
        calls = called(problem.fit)
        known = compiled_functions()
        seen = {
            str(each): outcome(name, problem, each, known[each.module, each.name])
            for each in sabotages(calls)
        }
    accepted = {each: how for each, how in seen.items() if how.startswith("accepted")}
    assert not accepted
    kinds = Counter(how for each, how in seen.items() if not each.startswith(UNITS))
    if kinds:  # some of them matter
        assert kinds["not ok"] + kinds["rejected"] + kinds["raised"] > 0, kinds
