"""The plane through points: the normal equations, their elimination, the weights."""

from __future__ import annotations

from linscope.reports.sheet import LONGEST_VECTOR
from linscope.tracing.derivation_matrices import EliminationPart
from linscope.tracing.derivation_parts import Head, Part, QuantitiesPart, SamplesPart, SampleTable
from linscope.tracing.derivation_quantities import Quantities, subscript

from .formulas import Notation, first_quantities, fit_part, last_quantities
from .regression import RegressionWork


def several_features(work: RegressionWork, table: SampleTable, q: Quantities) -> list[Part]:
    """The plane through points: the normal equations, their elimination, the weights."""
    say, d = Notation(work), work.width
    first_quantities(work, q, say)
    deviation = "(xᵢ − x̄)" if work.centred else "xᵢ"
    S = work.S
    q.add("S_xx", "S_xx", S[:d, :d], f"Σ {say.c}{deviation}{deviation}ᵀ")
    q.add("S_xy", "S_xy", S[:d, d], f"Σ {say.c}{deviation}{say.dy}")
    q.add("S_yy", "S_yy", S[d, d], f"Σ {say.c}{say.dy}²")
    if work.alpha != 0:
        q.add("alpha", "α", work.alpha, "the penalty", tex=(r"\alpha",))
    before = [step for step in q if step.name not in ("S_xy",)]
    _back_substitution(work, q)
    _plane(work, q)
    solution = list(q)[len(before) + 1 :]
    last_quantities(work, q, say)
    x = tuple(work.names[:d])
    heads = [
        *say.weight,
        Head(x, "x", "x", r"$\mathbf{x}_i$"),
        Head("y", "yᵢ", "yᵢ", "$y_i$"),
    ]
    if work.centred:
        dx = tuple(f"d{name}" for name in x)
        heads.append(Head(dx, "x − x̄", "x − x̄", r"$\mathbf{x}_i - \bar{\mathbf{x}}$"))
        heads.append(Head("dy", "yᵢ − ȳ", "yᵢ − ȳ", r"$y_i - \bar{y}$"))
    end = None if work.centred else len("samples")
    system = "(S_xx + αI) β = S_xy" if work.alpha != 0 else "S_xx β = S_xy"
    unknowns = [f"β{subscript(j + 1)}" for j in range(d)]
    return [
        SamplesPart("deviations", "samples and their deviations"[:end], table, heads),
        QuantitiesPart("sums", "means and sums", before),
        EliminationPart(
            "elimination",
            f"normal equations {system}, eliminated",
            work.elimination,
            unknowns,
            ["S_xy"],
            work.exact,
            work.warnings(),
        ),
        QuantitiesPart("solution", "the weights", solution),
        *fit_part(work, table, q, say),
    ]


def _back_substitution(work: RegressionWork, q: Quantities) -> None:
    """β_j = (c_j − Σ_{k > j} r_jk β_k) / r_jj from the last to the first, for few unknowns."""
    d, system = work.width, work.elimination
    if d > LONGEST_VECTOR or system.dependent or work.lost:
        return
    R = system.triangle
    for j in reversed(range(d)):
        later = [k for k in range(j + 1, d) if R[j, k] != 0]
        also = {"b": R[j, d], "p": R[j, j]}
        also |= {f"a{k}": R[j, k] for k in later} | {f"x{k}": work.slopes[k] for k in later}
        top = "<b>" + "".join(f" − <a{k}>·<x{k}>" for k in later)
        tex_top = "<b>" + "".join(rf" - <a{k}> \cdot <x{k}>" for k in later)
        q.add(
            f"slope_{j + 1}",
            f"β̂{subscript(j + 1)}",
            work.slopes[j],
            f"from row {j + 1}",
            f"({top}) / <p>" if later else "<b> / <p>",
            tex=(rf"\hat\beta_{{{j + 1}}}", "", rf"\frac{{{tex_top}}}{{<p>}}"),
            **also,
        )


def _plane(work: RegressionWork, q: Quantities) -> None:
    names = r"\hat{\boldsymbol\beta}"
    q.add("slopes", "β̂", work.slopes, tex=(names,))
    if work.centred:
        q.add(
            "intercept",
            "β̂₀",
            work.intercept,
            "ȳ − β̂·x̄",
            "<mean_y> − <product>",
            tex=(
                r"\hat\beta_0",
                rf"\bar{{y}} - {names} \cdot \bar{{\mathbf{{x}}}}",
                "<mean_y> - <product>",
            ),
            product=work.slopes.dot(work.means[: work.width]),
        )
