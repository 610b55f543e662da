"""The formulas of a regression in words and in LaTeX, beside the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .derivation_numbers import root
from .derivation_parts import EliminationPart, Head, Part, QuantitiesPart, SamplesPart, SampleTable
from .derivation_quantities import Quantities, subscript
from .sheet import LONGEST_VECTOR

if TYPE_CHECKING:
    from .derivation_regression import RegressionWork


class Notation:
    """How sums over samples are written: with weights c_i and deviations from the mean, or not."""

    def __init__(self, work: RegressionWork):
        weighted, centred = work.samples.weight is not None, work.centred
        self.c, self.tex_c = ("cᵢ ", "c_i ") if weighted else ("", "")
        self.total, self.tex_total = ("Σ cᵢ", r"\sum_i c_i") if weighted else ("n", "n")
        self.dx, self.dy = ("(xᵢ − x̄)", "(yᵢ − ȳ)") if centred else ("xᵢ", "yᵢ")
        self.tex_dx, self.tex_dy = (
            (r"(x_i - \bar{x})", r"(y_i - \bar{y})") if centred else ("x_i", "y_i")
        )
        self.weight = [Head("weight", "cᵢ", "cᵢ", "$c_i$")] if weighted else []

    def head(self, key: Any, words: str, short: str, tex: str) -> Head:
        """A column of products, which has the weight in it."""
        return Head(key, self.c.strip() + words, short, f"${self.tex_c}{tex}$")


def first_quantities(work: RegressionWork, q: Quantities, say: Notation) -> None:
    """n, the means and the deviations."""
    samples, d = work.samples, work.width
    q.add("n", "n", samples.n, tex=("n",))
    if samples.weight is not None:
        q.add("total", "Σ cᵢ", samples.weights, tex=(r"\sum_i c_i",))
    if not work.centred:
        return
    for name, letter, mean in (("x", "x̄", work.means[:d]), ("y", "ȳ", work.means[d:])):
        several = len(mean) > 1
        value = mean if several else mean[0]
        bold = r"\mathbf{x}" if several else name
        q.add(
            f"mean_{name}",
            letter,
            value,
            f"Σ {say.c}{name}ᵢ / {say.total}",
            "" if several else "<sum> / <total>",
            tex=(
                rf"\bar{{{bold}}}",
                rf"\frac{{1}}{{{say.tex_total}}}\sum_i {say.tex_c}{bold}_i",
                "" if several else r"\frac{<sum>}{<total>}",
            ),
            sum=value * samples.weights,
            total=samples.weights if samples.weight is not None else samples.n,
        )
    deviations = [f"d{name}" for name in work.names]
    q.add("deviations", "xᵢ − x̄, yᵢ − ȳ", lambda: work.columns_of(deviations))


def last_quantities(work: RegressionWork, q: Quantities, say: Notation) -> None:
    """What the fit leaves."""
    q.add("fitted", "ŷᵢ", lambda: work.columns_of(["fitted"])[:, 0])
    q.add("residuals", "yᵢ − ŷᵢ", lambda: work.columns_of(["residual"])[:, 0])
    rss = work.sums["residual2"]
    q.add(
        "rss",
        "RSS",
        rss,
        f"Σ {say.c}(yᵢ − ŷᵢ)²",
        tex=(r"\text{RSS}", rf"\sum_i {say.tex_c}(y_i - \hat{{y}}_i)^2"),
    )
    total = work.S[-1, -1]
    if work.centred and total > 0:
        q.add(
            "r_squared",
            "R²",
            1 - rss / total,
            "1 − RSS / S_yy",
            "1 − <rss> / <S_yy>",
            tex=("R^2", r"1 - \frac{\text{RSS}}{S_{yy}}", r"1 - \frac{<rss>}{<S_yy>}"),
        )


def fit_part(work: RegressionWork, table: SampleTable, q: Quantities, say: Notation) -> list[Part]:
    heads = [*say.weight, *([Head("x", "xᵢ", "xᵢ", "$x_i$")] if work.width == 1 else [])]
    heads += [
        Head("y", "yᵢ", "yᵢ", "$y_i$"),
        Head("fitted", "ŷᵢ", "ŷᵢ", r"$\hat{y}_i$"),
        Head("residual", "yᵢ − ŷᵢ", "yᵢ − ŷᵢ", r"$y_i - \hat{y}_i$"),
        say.head("residual2", "(yᵢ − ŷᵢ)²", "(yᵢ − ŷᵢ)²", r"(y_i - \hat{y}_i)^2"),
    ]
    last = [step for step in q if step.name in ("rss", "r_squared")]
    return [
        SamplesPart("fit", "fitted values and residuals", table, heads),
        QuantitiesPart("quality", "what the fit leaves", last),
    ]


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
