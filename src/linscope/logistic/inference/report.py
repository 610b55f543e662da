"""The tables of a logistic regression in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linscope.reports.plain_table import Group, PlainTable, number, probability, t_value

if TYPE_CHECKING:
    from .odds_ratios import OddsRatios
    from .table import LogisticSummary


def summary(table: LogisticSummary) -> PlainTable:
    """Coefficients, and what the fit has as a whole."""
    full = table.standard_errors is not None
    level = f"{100 * table.level:.3g}%"
    header = ["coefficient", "std. error", "z", "p", f"{level} from", "to"]
    widths = [11, 10, 8, 7, 10, 10]
    count = len(header) if full else 1
    return PlainTable(
        title=f"Logistic regression of {table.target}, {_observations(table.n)}",
        header=header[:count],
        widths=widths[:count],
        groups=_groups(table, [_cells(table, r) for r in range(len(table.classes))]),
        facts=_facts(table) if full else [],
        notes=_notes(table),
    )


def odds(table: OddsRatios) -> PlainTable:
    """exp of the coefficients."""
    level = f"{100 * table.level:.3g}%"
    header, widths = ["odds ratio", f"{level} from", "to", "p"], [12, 12, 12, 9]
    if table.intervals is None:
        header, widths = header[:1], widths[:1]
    return PlainTable(
        title=f"Odds ratios of {table.target}",
        header=header,
        widths=widths,
        groups=_groups(table, [_odds_cells(table, r) for r in range(len(table.classes))]),
        notes=_odds_notes(table),
    )


def _groups(table: Any, cells: list[list[list[str]]]) -> list[Group]:
    return [
        Group(f"odds of {label} against {table.reference}", table.names, rows)
        for label, rows in zip(table.classes, cells, strict=True)
    ]


def _cells(table: LogisticSummary, r: int) -> list[list[str]]:
    if table.standard_errors is None:
        return [[number(float(w))] for w in table.coefficients[r]]
    assert table.z is not None
    assert table.p_values is not None
    assert table.intervals is not None
    return [
        [number(w), number(se), t_value(z), probability(p), number(low), number(high)]
        for w, se, z, p, (low, high) in zip(
            table.coefficients[r].tolist(),
            table.standard_errors[r].tolist(),
            table.z[r].tolist(),
            table.p_values[r].tolist(),
            table.intervals[r].tolist(),
            strict=True,
        )
    ]


def _odds_cells(table: OddsRatios, r: int) -> list[list[str]]:
    if table.intervals is None:
        return [[number(float(v))] for v in table.ratios[r]]
    assert table.p_values is not None
    return [
        [number(v), number(low), number(high), probability(p)]
        for v, (low, high), p in zip(
            table.ratios[r].tolist(),
            table.intervals[r].tolist(),
            table.p_values[r].tolist(),
            strict=True,
        )
    ]


def _facts(table: LogisticSummary) -> list[tuple[str, str]]:
    """In reading order: left column, then right."""
    what = "penalised ℓ" if table.penalty == "firth" else "log-likelihood"
    pairs = [
        (what, number(table.log_likelihood)),
        ("without features", number(table.null_log_likelihood)),
        (f"LR χ²({table.df_model})", number(table.lr_statistic)),
        ("p of LR", probability(table.lr_pvalue)),
    ]
    if table.penalty == "firth":
        return pairs
    return [
        *pairs,
        ("deviance", number(table.deviance)),
        ("McFadden R²", number(table.mcfadden)),
        ("Cox–Snell R²", number(table.cox_snell)),
        ("Nagelkerke R²", number(table.nagelkerke)),
        ("AIC", number(table.aic)),
        ("BIC", number(table.bic)),
    ]


def _notes(table: LogisticSummary) -> list[str]:
    lines = []
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
    if table.weighted:
        lines.append("Sample weights count rows: a weight of 2 is two equal observations.")
    if not table.fit_intercept:
        lines.append("Without an intercept, LR and R² compare with equal odds for all classes.")
    return lines


def _odds_notes(table: OddsRatios) -> list[str]:
    if table.refused is not None:
        return [f"No intervals or tests: {table.refused}."]
    if table.kind == "profile":
        return ["Intervals by profile likelihood, p by the likelihood-ratio test of each."]
    return ["Wald intervals and tests."]


def _observations(n: float) -> str:
    text = f"{n:,.0f}" if n == round(n) else f"{n:,.2f}"
    return f"{text} observation{'' if n == 1 else 's'}"
