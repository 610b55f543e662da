"""What the derivations of lines and planes share: means, residuals, how sums are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linscope.tracing.derivation_parts import Head, Part, QuantitiesPart, SamplesPart, SampleTable
from linscope.tracing.derivation_quantities import Quantities

if TYPE_CHECKING:
    from .regression import RegressionWork


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
