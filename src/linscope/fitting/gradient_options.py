"""What estimators with gradient solvers share: their parameters, and the solver."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from sklearn.utils import check_random_state

from linscope._bridge import Interval, StrOptions
from linscope.engines import Engine
from linscope.results import VisitOrder

from .descent import KINDS, GradientDescent

DESCENTS = KINDS
DESCENT_CONSTRAINTS: dict[str, list] = {
    "eta0": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
    "schedule": [StrOptions({"constant", "inverse"})],
    "batch_size": [Interval(Integral, 1, None, closed="left")],
    "shuffle": ["boolean"],
    "average": ["boolean"],
}


def descent(model: Any, engine: Engine, **more: Any) -> GradientDescent:
    """The gradient solver that a model asks for.

    Parameters
    ----------
    model : with the parameters of gradient solvers
    engine : rows, with targets (n, t)
    more : loss, penalty, tolerance and start, as ``GradientDescent`` has them
    """
    random = check_random_state(model.random_state)
    shuffle = model.shuffle and model.solver != "batch"
    return GradientDescent(
        engine,
        kind=model.solver,
        order=VisitOrder(engine.n_rows, int(random.randint(2**31 - 1)) if shuffle else None),
        eta0=model.eta0,
        schedule=model.schedule,
        batch_size=model.batch_size,
        intercept=model.fit_intercept,
        average=model.average,
        **more,
    )


def stops_early(model: Any) -> bool:
    """Whether the rates fall with every sample, so that weights may stop far from the minimum."""
    return model.solver in ("stochastic", "mini-batch") and model.schedule == "inverse"
