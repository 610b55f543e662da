"""What the derivations of lines and planes share: means, residuals, how sums are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linscope.reports.formulas import plain
from linscope.tracing.derivation_parts import Head, Part, QuantitiesPart, SamplesPart, SampleTable
from linscope.tracing.derivation_quantities import Quantities

if TYPE_CHECKING:
    from .regression import RegressionWork


class Notation:
    """How sums over samples are written: with weights c_i and deviations from the mean, or not."""

    def __init__(self, work: RegressionWork):
        weighted, centred = work.samples.weight is not None, work.centred
        self.c, self.total = ("c_i ", r"\sum_i c_i") if weighted else ("", "n")
        x = "x" if work.width == 1 else r"\mathbf{x}"
        self.dx, self.dy = f"{x}_i", "y_i"
        if centred:
            self.dx, self.dy = rf"({x}_i - \bar{{{x}}})", r"(y_i - \bar{y})"
        self.weight = [Head("weight", "c_i")] if weighted else []

    def head(self, key: Any, formula: str, short: str = "") -> Head:
        """A column of products, which has the weight in it."""
        return Head(key, self.c.strip() + formula, short or plain(formula))


def first_quantities(work: RegressionWork, q: Quantities, say: Notation) -> None:
    """n, the means and the deviations."""
    samples, d = work.samples, work.width
    q.add("n", "n", samples.n)
    if samples.weight is not None:
        q.add("total", r"\sum_i c_i", samples.weights)
    if not work.centred:
        return
    for name, mean in (("x", work.means[:d]), ("y", work.means[d:])):
        several = len(mean) > 1
        value = mean if several else mean[0]
        letter = r"\mathbf{x}" if several else name
        q.add(
            f"mean_{name}",
            rf"\bar{{{letter}}}",
            value,
            rf"\frac{{1}}{{{say.total}}}\sum_i {say.c}{letter}_i",
            "" if several else r"\frac{<sum>}{<total>}",
            sum=value * samples.weights,
            total=samples.weights if samples.weight is not None else samples.n,
        )
    deviations = [f"d{name}" for name in work.names]
    symbol = r"x_i - \bar{x}, y_i - \bar{y}"
    q.add("deviations", symbol, lambda: work.columns_of(deviations))


def last_quantities(work: RegressionWork, q: Quantities, say: Notation) -> None:
    """What the fit leaves."""
    q.add("fitted", r"\hat{y}_i", lambda: work.columns_of(["fitted"])[:, 0])
    q.add("residuals", r"y_i - \hat{y}_i", lambda: work.columns_of(["residual"])[:, 0])
    rss = work.rss
    q.add("rss", r"\text{RSS}", rss, rf"\sum_i {say.c}(y_i - \hat{{y}}_i)^2")
    total = work.S[-1, -1]
    if work.centred and total > 0:
        formula, numbers = r"1 - \frac{\text{RSS}}{S_{yy}}", r"1 - \frac{<rss>}{<S_yy>}"
        q.add("r_squared", "R^2", 1 - rss / total, formula, numbers)


def add_intercept(value: Any, q: Quantities) -> None:
    """The bias of a line, from its slope and the means."""
    q.add(
        "intercept",
        r"\hat\beta_0",
        value,
        r"\bar{y} - \hat\beta_1 \cdot \bar{x}",
        r"<mean_y> - <slope> \cdot <mean_x>",
    )


def fit_part(work: RegressionWork, table: SampleTable, q: Quantities, say: Notation) -> list[Part]:
    heads = [*say.weight, *([Head("x", "x_i")] if work.width == 1 else [])]
    heads += [
        Head("y", "y_i"),
        Head("fitted", r"\hat{y}_i"),
        Head("residual", r"y_i - \hat{y}_i"),
        say.head("residual2", r"(y_i - \hat{y}_i)^2"),
    ]
    last = [step for step in q if step.name in ("rss", "r_squared")]
    return [
        SamplesPart("fit", "fitted values and residuals", table, heads),
        QuantitiesPart("quality", "what the fit leaves", last),
    ]
