"""A share of the campaign with a fixed seed: no finding of any kind.

``make redteam`` runs for as long as you like, with any seed.
"""

import pytest

from .campaign import run
from .registry import REGISTRY

SEED = 12
PROBLEMS = {"ordinary": 12, "hard": 10, "extreme": 4}
FORGERIES = 6


@pytest.mark.parametrize("level", PROBLEMS)
@pytest.mark.parametrize("estimator", REGISTRY)
def test_no_finding(estimator, level):
    outcomes = [run(estimator, level, SEED, i, FORGERIES) for i in range(PROBLEMS[level])]
    found = [outcome.report() for outcome in outcomes if outcome.found]
    assert not found, "\n\n".join(found)
