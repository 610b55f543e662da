"""The plane through points: the normal equations, their elimination, the weights."""

from __future__ import annotations

from linscope.reports.cells import LONGEST_VECTOR
from linscope.reports.formulas import plain
from linscope.tracing.derivation_matrices import EliminationPart
from linscope.tracing.derivation_parts import Head, Part, QuantitiesPart, SamplesPart, SampleTable
from linscope.tracing.derivation_quantities import Quantities

from .formulas import Notation, first_quantities, fit_part, last_quantities
from .regression import RegressionWork


def several_features(work: RegressionWork, table: SampleTable, q: Quantities) -> list[Part]:
    """The plane through points: the normal equations, their elimination, the weights."""
    say, d = Notation(work), work.width
    first_quantities(work, q, say)
    S = work.S
    q.add("S_xx", "S_{xx}", S[:d, :d], rf"\sum_i {say.c}{say.dx}{say.dx}^\top")
    q.add("S_xy", "S_{xy}", S[:d, d], rf"\sum_i {say.c}{say.dx}{say.dy}")
    q.add("S_yy", "S_{yy}", S[d, d], rf"\sum_i {say.c}{say.dy}^2")
    if work.alpha != 0:
        q.add("alpha", r"\alpha", work.alpha, words="the penalty")
    before = [step for step in q if step.name not in ("S_xy",)]
    _back_substitution(work, q)
    _plane(work, q)
    solution = list(q)[len(before) + 1 :]
    last_quantities(work, q, say)
    x = tuple(work.names[:d])
    heads = [*say.weight, Head(x, r"\mathbf{x}"), Head("y", "y_i")]
    if work.centred:
        dx = tuple(f"d{name}" for name in x)
        heads.append(Head(dx, r"\mathbf{x} - \bar{\mathbf{x}}"))
        heads.append(Head("dy", r"y_i - \bar{y}"))
    end = None if work.centred else len("samples")
    system = "(S_xx + αI) β = S_xy" if work.alpha != 0 else "S_xx β = S_xy"
    unknowns = [plain(rf"\beta_{{{j + 1}}}") for j in range(d)]
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
        top = "<b>" + "".join(rf" - <a{k}> \cdot <x{k}>" for k in later)
        q.add(
            f"slope_{j + 1}",
            rf"\hat\beta_{{{j + 1}}}",
            work.slopes[j],
            numbers=rf"\frac{{{top}}}{{<p>}}",
            words=f"from row {j + 1}",
            **also,
        )


def _plane(work: RegressionWork, q: Quantities) -> None:
    slopes = r"\hat{\boldsymbol\beta}"
    q.add("slopes", slopes, work.slopes)
    if work.centred:
        q.add(
            "intercept",
            r"\hat\beta_0",
            work.intercept,
            rf"\bar{{y}} - {slopes} \cdot \bar{{\mathbf{{x}}}}",
            "<mean_y> - <product>",
            product=work.slopes.dot(work.means[: work.width]),
        )
