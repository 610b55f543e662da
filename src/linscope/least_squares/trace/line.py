"""The line through points, as on the slides: sums of squares, correlation, slope, intercept."""

from __future__ import annotations

from linscope.tracing.derivation_numbers import root
from linscope.tracing.derivation_parts import Head, Part, QuantitiesPart, SamplesPart, SampleTable
from linscope.tracing.derivation_quantities import Quantities

from .formulas import Notation, add_intercept, first_quantities, fit_part, last_quantities
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
    heads = [*say.weight, Head("x", "x_i"), Head("y", "y_i")]
    if work.centred:
        heads.append(Head("dx", r"x_i - \bar{x}", "dx"))
        heads.append(Head("dy", r"y_i - \bar{y}", "dy"))
    heads += [
        say.head(f"{sign}x{sign}y", say.dx + say.dy, f"{sign}x·{sign}y"),
        say.head(f"{sign}x2", f"{say.dx}^2", f"{sign}x²"),
        say.head(f"{sign}y2", f"{say.dy}^2", f"{sign}y²"),
    ]
    what = "deviations" if work.centred else "samples"
    return [
        SamplesPart("deviations", f"{what} and their products", table, heads),
        QuantitiesPart("solution", "the line", solution),
        *fit_part(work, table, q, say),
    ]


def _sums(work: RegressionWork, q: Quantities, say: Notation) -> None:
    S = work.S
    for name, product, value in (
        ("xy", say.dx + say.dy, S[0, 1]),
        ("xx", f"{say.dx}^2", S[0, 0]),
        ("yy", f"{say.dy}^2", S[1, 1]),
    ):
        q.add(f"S_{name}", f"S_{{{name}}}", value, rf"\sum_i {say.c}{product}")


def _correlation(work: RegressionWork, q: Quantities) -> None:
    """s_x, s_y and r; nothing where they do not exist."""
    n, S = work.samples.n, work.S
    if work.samples.weight is None and n > 1:
        for k, letter in enumerate("xy"):
            q.add(
                f"s_{letter}",
                f"s_{letter}",
                root(S[k, k] / (n - 1)),
                rf"\sqrt{{\frac{{S_{{{letter}{letter}}}}}{{n - 1}}}}",
                rf"\sqrt{{\frac{{<S_{letter}{letter}>}}{{<less>}}}}",
                less=n - 1,
            )
    if S[0, 0] > 0 and S[1, 1] > 0:
        square = S[0, 1] / S[0, 0] * (S[0, 1] / S[1, 1])
        q.add(
            "r",
            "r",
            root(square) if S[0, 1] >= 0 else -root(square),
            r"\frac{S_{xy}}{\sqrt{S_{xx} \cdot S_{yy}}}",
            r"\frac{<S_xy>}{\sqrt{<S_xx> \cdot <S_yy>}}",
        )


def _line(work: RegressionWork, q: Quantities) -> None:
    ridge = work.alpha != 0
    slope = r"\hat\beta_1", work.slopes[0]
    if ridge:
        q.add("alpha", r"\alpha", work.alpha, words="the penalty")
    if work.S[0, 0] + work.alpha == 0:
        q.add("slope", *slope, words="any: x does not vary")
    elif ridge:
        numbers = r"\frac{<S_xy>}{<S_xx> + <alpha>}"
        q.add("slope", *slope, r"\frac{S_{xy}}{S_{xx} + \alpha}", numbers)
    else:
        also = r" = r \cdot \frac{s_y}{s_x}" * ("r" in q.names and "s_x" in q.names)
        q.add("slope", *slope, r"\frac{S_{xy}}{S_{xx}}" + also, r"\frac{<S_xy>}{<S_xx>}")
    if work.centred:
        add_intercept(work.intercept, q)
