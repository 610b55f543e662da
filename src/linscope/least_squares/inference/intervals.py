"""How sure is a prediction?

At a point x with coordinates q (see ``basis.py``, c = 1) and t the quantile of Student's t with
n − p degrees of freedom

    confidence:  ŷ ± t σ √‖q‖²          where is the mean of y at x?
    prediction:  ŷ ± t σ √(1 + ‖q‖²)    where will one new y at x be? (of weight 1)
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from linscope.arithmetic.distributions import check_level, t_quantile
from linscope.engines import choose
from linscope.rows.blocks import Block

from .basis import Basis, basis_of
from .fit import LinearFit
from .rows import scores

KINDS = ("confidence", "prediction")


def predict_interval(
    fit: LinearFit, X: Any, kind: str = "confidence", level: float = 0.95
) -> np.ndarray:
    """Lower and upper end of an interval at each row of X.

    Parameters
    ----------
    fit : LinearFit
    X : table of any kind, n × d
    kind : {"confidence", "prediction"}
        Where the mean of y is, or where one new observation of y will be.
    level : between 0 and 1

    Returns
    -------
    (n, 2) array
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    level = check_level(level)
    fit.need_valid(f"{kind} interval")
    df = fit.df_residual
    assert df is not None
    engine = choose(X)
    if fit.estimable is not None:
        engine = fit.estimable.reduced(engine)
    if engine.n_features != fit.df_model:
        raise ValueError(f"X has {engine.n_features} features, the model has {fit.df_model}")
    own = 1.0 if kind == "prediction" else 0.0
    spread = t_quantile(level, df) * np.sqrt(fit.rss / df)
    return engine.gather(partial(_interval, fit, basis_of(fit), own, spread))


def _interval(fit: LinearFit, basis: Basis, own: float, spread: float, block: Block) -> np.ndarray:
    Q = basis.rows(block)
    half = spread * np.sqrt(own + np.einsum("ij,ij->i", Q, Q))
    middle = scores(block.X, fit.weights, fit.fit_intercept)
    return np.column_stack([middle - half, middle + half])
