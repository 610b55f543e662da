"""The line through points, as on the slides: sums of squares, correlation, slope, intercept."""

from __future__ import annotations

from linscope.tracing.derivation_numbers import root
from linscope.tracing.derivation_parts import Head, Part, QuantitiesPart, SamplesPart, SampleTable
from linscope.tracing.derivation_quantities import Quantities

from .formulas import Notation, first_quantities, fit_part, last_quantities
from .regression import RegressionWork


def one_feature(work: RegressionWork, table: SampleTable, q: Quantities) -> list[Part]:
    """The line through points, as on the slides."""
    say = Notation(work)
    first_quantities(work, q, say)
    _sums(work, q, say)
    if work.centred:
        _correlation(work, q)
    _line(work, q)
    solution = list(q)
    last_quantities(work, q, say)
    sign = "d" if work.centred else ""
    heads = [*say.weight, Head("x", "xᵢ", "xᵢ", "$x_i$"), Head("y", "yᵢ", "yᵢ", "$y_i$")]
    if work.centred:
        heads.append(Head("dx", "xᵢ − x̄", "dx", r"$x_i - \bar{x}$"))
        heads.append(Head("dy", "yᵢ − ȳ", "dy", r"$y_i - \bar{y}$"))
    heads += [
        say.head(f"{sign}x{sign}y", say.dx + say.dy, f"{sign}x·{sign}y", say.tex_dx + say.tex_dy),
        say.head(f"{sign}x2", f"{say.dx}²", f"{sign}x²", f"{say.tex_dx}^2"),
        say.head(f"{sign}y2", f"{say.dy}²", f"{sign}y²", f"{say.tex_dy}^2"),
    ]
    what = "deviations" if work.centred else "samples"
    return [
        SamplesPart("deviations", f"{what} and their products", table, heads),
        QuantitiesPart("solution", "the line", solution),
        *fit_part(work, table, q, say),
    ]


def _sums(work: RegressionWork, q: Quantities, say: Notation) -> None:
    S = work.S
    for name, one, two, tex_one, tex_two, value in (
        ("xy", say.dx, say.dy, say.tex_dx, say.tex_dy, S[0, 1]),
        ("xx", say.dx, "", say.tex_dx, "", S[0, 0]),
        ("yy", say.dy, "", say.tex_dy, "", S[1, 1]),
    ):
        q.add(
            f"S_{name}",
            f"S_{name}",
            value,
            f"Σ {say.c}{one}{two or '²'}",
            tex=(rf"S_{{{name}}}", rf"\sum_i {say.tex_c}{tex_one}{tex_two or '^2'}"),
        )


def _correlation(work: RegressionWork, q: Quantities) -> None:
    """s_x, s_y and r; nothing where they do not exist."""
    n, S = work.samples.n, work.S
    if work.samples.weight is None and n > 1:
        for k, letter in enumerate("xy"):
            q.add(
                f"s_{letter}",
                f"s_{letter}",
                root(S[k, k] / (n - 1)),
                f"√(S_{letter}{letter} / (n − 1))",
                f"√(<S_{letter}{letter}> / <less>)",
                tex=(
                    f"s_{letter}",
                    rf"\sqrt{{\frac{{S_{{{letter}{letter}}}}}{{n - 1}}}}",
                    rf"\sqrt{{\frac{{<S_{letter}{letter}>}}{{<less>}}}}",
                ),
                less=n - 1,
            )
    if S[0, 0] > 0 and S[1, 1] > 0:
        square = S[0, 1] / S[0, 0] * (S[0, 1] / S[1, 1])
        q.add(
            "r",
            "r",
            root(square) if S[0, 1] >= 0 else -root(square),
            "S_xy / √(S_xx·S_yy)",
            "<S_xy> / √(<S_xx>·<S_yy>)",
            tex=(
                "r",
                r"\frac{S_{xy}}{\sqrt{S_{xx} S_{yy}}}",
                r"\frac{<S_xy>}{\sqrt{<S_xx> \cdot <S_yy>}}",
            ),
        )


def _line(work: RegressionWork, q: Quantities) -> None:
    ridge = work.alpha != 0
    constant = work.S[0, 0] + work.alpha == 0
    below, tex_below = ("(S_xx + α)", r"S_{xx} + \alpha") if ridge else ("S_xx", "S_{xx}")
    numbers = "(<S_xx> + <alpha>)" if ridge else "<S_xx>"
    also = " = r·s_y / s_x" if "r" in q.names and "s_x" in q.names and not ridge else ""
    if ridge:
        q.add("alpha", "α", work.alpha, "the penalty", tex=(r"\alpha",))
    q.add(
        "slope",
        "β̂₁",
        work.slopes[0],
        "any: x does not vary" if constant else f"S_xy / {below}" + also,
        "" if constant else f"<S_xy> / {numbers}",
        tex=(r"\hat\beta_1",)
        if constant
        else (
            r"\hat\beta_1",
            rf"\frac{{S_{{xy}}}}{{{tex_below}}}" + (r" = r \frac{s_y}{s_x}" if also else ""),
            rf"\frac{{<S_xy>}}{{{numbers.strip('()')}}}",
        ),
    )
    if work.centred:
        q.add(
            "intercept",
            "β̂₀",
            work.intercept,
            "ȳ − β̂₁·x̄",
            "<mean_y> − <slope>·<mean_x>",
            tex=(
                r"\hat\beta_0",
                r"\bar{y} - \hat\beta_1 \bar{x}",
                r"<mean_y> - <slope> \cdot <mean_x>",
            ),
        )
