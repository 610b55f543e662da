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

# Name, symbol, key of the moments, LaTeX.
GIVEN = (
    ("mean_x", "x̄", "mean_x", r"\bar{x}"),
    ("mean_y", "ȳ", "mean_y", r"\bar{y}"),
    ("var_x", "s_x²", "var_x", "s_x^2"),
    ("var_y", "s_y²", "var_y", "s_y^2"),
    ("cov_xy", "s_xy", "cov_xy", "s_{xy}"),
)


def from_moments(moments: Mapping[str, float], q: Quantities) -> list[Part]:
    """Add all quantities and return the parts that show them.

    >>> steps = Quantities(exact=True)
    >>> _ = from_moments({"mean_x": 2, "mean_y": 1, "var_x": 4, "cov_xy": 0.5}, steps)
    >>> steps["slope"], steps["intercept"]
    (β̂₁ = s_xy / s_x² = (1/2) / 4 = 1/8, β̂₀ = ȳ − β̂₁·x̄ = 1 − (1/8)·2 = 3/4)
    """
    m: dict[str, Any] = {name: rational(value) for name, value in moments.items()}
    for name, symbol, key, tex in GIVEN:
        if key in m:
            q.add(name, symbol, m[key], tex=(tex,))
    if m.get("var_y"):
        square = m["cov_xy"] ** 2 / (m["var_x"] * m["var_y"])
        q.add(
            "r",
            "r",
            root(square) if m["cov_xy"] >= 0 else -root(square),
            "s_xy / (s_x·s_y)",
            "<cov_xy> / √(<var_x>·<var_y>)",
            tex=(
                "r",
                r"\frac{s_{xy}}{s_x s_y}",
                r"\frac{<cov_xy>}{\sqrt{<var_x> \cdot <var_y>}}",
            ),
        )
    slope = m["cov_xy"] / m["var_x"]
    q.add(
        "slope",
        "β̂₁",
        slope,
        "s_xy / s_x²" + (" = r·s_y / s_x" if "r" in q.names else ""),
        "<cov_xy> / <var_x>",
        tex=(r"\hat\beta_1", r"\frac{s_{xy}}{s_x^2}", r"\frac{<cov_xy>}{<var_x>}"),
    )
    q.add(
        "intercept",
        "β̂₀",
        m["mean_y"] - slope * m["mean_x"],
        "ȳ − β̂₁·x̄",
        "<mean_y> − <slope>·<mean_x>",
        tex=(
            r"\hat\beta_0",
            r"\bar{y} - \hat\beta_1 \bar{x}",
            r"<mean_y> - <slope> \cdot <mean_x>",
        ),
    )
    return [QuantitiesPart("solution", "the line from moments", list(q))]
