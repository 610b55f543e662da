"""The tables of a logistic regression in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linscope.reports.table import Column, Row, Table
from linscope.reports.text import coefficient_columns, five_digits, many, probability

if TYPE_CHECKING:
    from .odds_ratios import OddsRatios
    from .table import LogisticSummary


WEIGHTS = {
    "frequency": "Weights are frequencies: a row of weight 2 is 2 equal rows.",
    "precision": "Weights are precisions: n counts rows.",
}


def summary(table: LogisticSummary) -> Table:
    """Coefficients, and what the fit has as a whole."""
    full = table.standard_errors is not None
    columns = coefficient_columns("z", table.level)
    return Table(
        f"Logistic regression of {table.target}, {_observations(table.n)}",
        [],
        columns if full else columns[:2],
        _rows(table),
        facts=_facts(table) if full else [],
        footnotes=_sentences(table),
        kind="summary",
    )


def odds(table: OddsRatios) -> Table:
    """exp of the coefficients."""
    columns = [
        Column(""),
        Column("odds ratio", "", True, five_digits, 12),
        Column(f"{100 * table.level:.3g}% from", "", True, five_digits, 12),
        Column("to", "", True, five_digits, 12),
        Column("p", "", True, probability, 9),
    ]
    return Table(
        f"Odds ratios of {table.target}",
        [],
        columns[:2] if table.intervals is None else columns,
        _rows(table),
        footnotes=_odds_sentences(table),
        kind="summary",
    )


def _rows(table: LogisticSummary | OddsRatios) -> list[Row]:
    """A heading for each class, then its coefficients."""
    _, *columns = table.to_frame("dict").values()
    lines = [Row(list(line)) for line in zip(*columns, strict=True)]
    out, count = [], len(table.names)
    for r, label in enumerate(table.classes):
        out.append(Row([f"odds of {label} against {table.reference}"], heading=True))
        out += lines[r * count : (r + 1) * count]
    return out


def _facts(table: LogisticSummary) -> list[tuple[str, str]]:
    """In reading order: left column, then right."""
    what = "penalised ℓ" if table.penalty == "firth" else "log-likelihood"
    pairs = [
        (what, five_digits(table.log_likelihood)),
        ("without features", five_digits(table.null_log_likelihood)),
        (f"LR χ²({table.df_model})", five_digits(table.lr_statistic)),
        ("p of LR", probability(table.lr_pvalue)),
    ]
    if table.penalty == "firth":
        return pairs
    return [
        *pairs,
        ("deviance", five_digits(table.deviance)),
        ("McFadden R²", five_digits(table.mcfadden)),
        ("Cox–Snell R²", five_digits(table.cox_snell)),
        ("Nagelkerke R²", five_digits(table.nagelkerke)),
        ("AIC", five_digits(table.aic)),
        ("BIC", five_digits(table.bic)),
    ]


def _sentences(table: LogisticSummary) -> list[str]:
    lines = [] if table.dependent is None else [table.dependent]
    if table.refused is not None:
        lines.append(f"No standard errors, tests or intervals: {table.refused}.")
        return lines
    if table.robust is not None:
        lines.append(f"Standard errors are robust ({table.robust}).")
    if table.penalty == "firth":
        lines.append(
            "Firth's penalised likelihood: LR compares penalised likelihoods. Prefer "
            "odds_ratios(kind='profile') to these Wald intervals where a class is rare."
        )
    if table.weight_kind is not None:
        lines.append(WEIGHTS[table.weight_kind])
    if not table.fit_intercept:
        lines.append("Without an intercept, LR and R² compare with equal odds for all classes.")
    return lines


def _odds_sentences(table: OddsRatios) -> list[str]:
    if table.refused is not None:
        return [f"No intervals or tests: {table.refused}."]
    lines = [] if table.dependent is None else [table.dependent]
    if table.kind == "profile":
        return [*lines, "Intervals by profile likelihood, p by the likelihood-ratio test of each."]
    return [*lines, "Wald intervals and tests."]


def _observations(n: float) -> str:
    return f"{many(n)} observation{'' if n == 1 else 's'}"
