"""The derivation of a line from means, variances and the covariance alone.

β̂₁ = s_xy / s_x² = r s_y / s_x        β̂₀ = ȳ − β̂₁ x̄
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linscope.tracing.derivation_numbers import root
from linscope.tracing.derivation_parts import Part, QuantitiesPart
from linscope.tracing.derivation_quantities import Quantities
from linscope.tracing.fractions import rational

from .formulas import add_intercept

GIVEN = {
    "mean_x": r"\bar{x}",
    "mean_y": r"\bar{y}",
    "var_x": "s_x^2",
    "var_y": "s_y^2",
    "cov_xy": "s_{xy}",
}


def from_moments(moments: Mapping[str, float], q: Quantities) -> list[Part]:
    """Add all quantities and return the parts that show them.

    >>> steps = Quantities(exact=True)
    >>> _ = from_moments({"mean_x": 2, "mean_y": 1, "var_x": 4, "cov_xy": 0.5}, steps)
    >>> steps["slope"], steps["intercept"]
    (β̂₁ = s_xy / s_x² = (1/2) / 4 = 1/8, β̂₀ = ȳ − β̂₁·x̄ = 1 − (1/8)·2 = 3/4)
    """
    m: dict[str, Any] = {name: rational(value) for name, value in moments.items()}
    for name, symbol in GIVEN.items():
        if name in m:
            q.add(name, symbol, m[name])
    if m.get("var_y"):
        square = m["cov_xy"] ** 2 / (m["var_x"] * m["var_y"])
        q.add(
            "r",
            "r",
            root(square) if m["cov_xy"] >= 0 else -root(square),
            r"\frac{s_{xy}}{s_x \cdot s_y}",
            r"\frac{<cov_xy>}{\sqrt{<var_x> \cdot <var_y>}}",
        )
    slope = m["cov_xy"] / m["var_x"]
    formula = r"\frac{s_{xy}}{s_x^2}" + r" = r \cdot \frac{s_y}{s_x}" * ("r" in q.names)
    q.add("slope", r"\hat\beta_1", slope, formula, r"\frac{<cov_xy>}{<var_x>}")
    add_intercept(m["mean_y"] - slope * m["mean_x"], q)
    return [QuantitiesPart("solution", "the line from moments", list(q))]
