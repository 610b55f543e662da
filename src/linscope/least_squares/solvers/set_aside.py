"""Columns that are combinations of others are set aside: they change no prediction.

The independent columns are solved for as if the others were not there. Of all weights with the same
predictions the shortest ones are returned. What is claimed is true of a table that differs from the
given one by some ulp at most, or by nothing (``linscope.verify.relations``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linscope.fitting.driver import run
from linscope.fitting.relations import find_relations, in_words, ulp_of
from linscope.results import Result
from linscope.rows.blocks import with_columns
from linscope.verify.relations import ULP, effective, independent, shortest

from ..verify.facts import Facts
from ..verify.nearby import Nearby, lengths_of
from . import cholesky as equations
from .moments import Moments

MOST_ROUNDS = 20
# Share of 1/ulp from which a condition number lets dependent columns be suspected.
SUSPECT = 0.01


@dataclass
class NearbyProof:
    """Bounds at weights of all columns, from those of the independent ones."""

    nearby: Nearby
    assess: Any

    def __call__(self, W: np.ndarray) -> Facts:
        B, doubt = effective(W, self.nearby.relations)
        return self.nearby.facts(self.assess(B), W, doubt)


def without_dependent(
    solver: Any, moments: Moments, factor: equations.Factor | None = None
) -> Result | None:
    """The result for all columns from the fit of the independent ones; None if none depends.

    ``factor`` is that of the moments; None if there was none.
    """
    engine, intercept = solver.engine, solver.fit_intercept
    if engine is None or solver.alpha > 0:
        return None
    guesses = _guesses(solver, moments, factor)
    ulp = ulp_of(engine.dtype)
    relations, ulps = find_relations(engine, guesses, intercept, ulp)
    d = engine.n_features
    kept = independent(relations, d)
    if not (relations and len(kept)) or engine.n_rows <= len(kept) + int(intercept):
        return None
    names = None if solver.names is None else [solver.names[k] for k in kept]
    part = engine.derive(with_columns, kept)
    found = run(replace(solver, engine=part, names=names), MOST_ROUNDS)
    with np.errstate(all="ignore"):
        W = shortest(found.weights, relations, d)
        if intercept:  # it makes up for what the others lose by rounding
            lost = found.weights - effective(W, relations)[0]
            W[:, 0] += lost[:, 0] + lost[:, 1:] @ _means(found)
    if found.details["unique"] is not True or not np.isfinite(W).all():
        return None
    total, raw, _ = lengths_of(engine)
    up = solver.exponent // 2 if found.details["path"] == "whole numbers" else 0
    nearby = Nearby(relations, float(np.ldexp(total, up)), np.ldexp(raw, up))
    details = found.details | {
        "moments": moments,
        "assess": NearbyProof(nearby, found.details["assess"]),
        "unique": False,
        "dependent": in_words(relations),
        "relations": relations,
        "ulps": ulps,
        "ulp": ulp if ulps else ULP,
    }
    return replace(found, weights=W, details=details)


def _means(found: Result) -> np.ndarray:
    moments = found.details.get("moments")
    return found.details["means"] if moments is None else moments.means


def _guesses(solver: Any, moments: Moments, factor: equations.Factor | None) -> dict[int, Any]:
    """Columns that seem to depend on others, as the numbers of the table are rounded."""
    unit = ulp_of(solver.engine.dtype)
    if factor is not None and factor.dependent and moments.rounding > equations.UNIT:
        return equations.dependences(moments, factor)
    if factor is not None and not factor.dependent and factor.condition < SUSPECT / unit:
        return {}
    gram, columns = equations.penalised(moments, solver.fit_intercept, 0.0)
    found = equations.factor_exactly(moments, gram, columns, 0.0, unit)
    return equations.dependences(moments, found, unit)
