"""The regression table in words and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linscope.reports.table import Row, Table
from linscope.reports.text import coefficient_columns, five_digits, many, probability

if TYPE_CHECKING:
    from .table import Summary


WEIGHTS = {
    "frequency": "Weights are frequencies: a row of weight 2 is 2 equal rows.",
    "precision": "Weights are precisions: the variance of a row is σ²/weight. n counts rows.",
}


def report(table: Summary) -> Table:
    """Coefficients, and what the fit has as a whole."""
    rows = "" if table.n is None else f", {many(table.n)} row{'s' if table.n != 1 else ''}"
    numbers = table.to_frame("dict").values()
    return Table(
        f"Linear regression of {table.target}{rows}",
        [],
        coefficient_columns("t", table.level)[: len(numbers)],
        [Row(list(line)) for line in zip(*numbers, strict=True)],
        facts=_facts(table),
        footnotes=_sentences(table),
        kind="summary",
    )


def _facts(table: Summary) -> list[tuple[str, str]]:
    """What the fit has as a whole, in reading order."""
    pairs = [("R²", five_digits(table.r2))]
    if table.r is not None:
        pairs.append(("correlation r", five_digits(table.r)))
    if table.refused is not None:
        return pairs
    rest = table.df_residual if table.n_groups is None else table.n_groups - 1
    assert rest is not None
    df = f"{table.df_model}, {many(rest, '')}"
    return [
        *pairs,
        ("adjusted R²", five_digits(table.adjusted_r2)),
        (f"F({df})", five_digits(table.f_statistic)),
        ("p of F", probability(table.f_pvalue)),
        ("residual sd", five_digits(table.sigma)),
        ("σ² by ML", five_digits(table.sigma2_ml)),
        ("log-likelihood", five_digits(table.log_likelihood)),
        ("AIC", five_digits(table.aic)),
        ("BIC", five_digits(table.bic)),
    ]


def _sentences(table: Summary) -> list[str]:
    """Sentences under the table."""
    lines = [] if table.dependent is None else [table.dependent]
    if table.refused is not None:
        lines.append(f"No standard errors, tests or intervals: {table.refused}.")
    if table.n_groups is not None:
        lines.append(
            f"Standard errors are clustered: rows of one of the {table.n_groups:,} groups may be "
            "correlated."
        )
    elif table.robust is not None and table.refused is None:
        lines.append(f"Standard errors are robust ({table.robust}): they allow unequal variances.")
    if table.weight_kind is not None and table.refused is None:
        lines.append(WEIGHTS[table.weight_kind])
    if not table.fit_intercept:
        lines.append("Without an intercept, R² compares with the line y = 0, not with the mean.")
    return lines
