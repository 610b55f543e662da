"""A share of the campaign with a fixed seed: no finding of any kind.

``make redteam`` runs for as long as you like, with any seed.
"""

import pytest

from .campaign import run
from .registry import REGISTRY

SEED = 12
PROBLEMS = {"ordinary": range(3), "hard": range(3), "extreme": range(1)}
MORE = {"ordinary": range(3, 12), "hard": range(3, 10), "extreme": range(1, 4)}
FORGERIES = 6


@pytest.mark.share(7)
@pytest.mark.parametrize(
    "problems", [PROBLEMS, pytest.param(MORE, marks=pytest.mark.slow)], ids=["some", "more"]
)
@pytest.mark.parametrize("level", PROBLEMS)
@pytest.mark.parametrize("estimator", REGISTRY)
def test_no_finding(estimator, level, problems):
    outcomes = [run(estimator, level, SEED, i, FORGERIES) for i in problems[level]]
    found = [outcome.report() for outcome in outcomes if outcome.found]
    assert not found, "\n\n".join(found)
