"""The regression table as text (80 columns), HTML and LaTeX."""

from __future__ import annotations

import textwrap
from html import escape
from typing import TYPE_CHECKING

from linscope.reports.formulas import tex
from linscope.reports.plain_table import (
    HTML_TABLE,
    WIDTH,
    _cut,
    _line,
    _math,
    _two_columns,
    number,
    probability,
    t_value,
)

if TYPE_CHECKING:
    from .table import Summary


def title(table: Summary) -> str:
    rows = "" if table.n is None else f", {table.n:,} row{'s' if table.n != 1 else ''}"
    return f"Linear regression of {table.target}{rows}"


def notes(table: Summary) -> list[str]:
    """Sentences under the table."""
    lines = []
    if table.refused is not None:
        lines.append(f"No standard errors, tests or intervals: {table.refused}.")
    if table.robust is not None and table.refused is None:
        lines.append(f"Standard errors are robust ({table.robust}): they allow unequal variances.")
    if not table.fit_intercept:
        lines.append("Without an intercept, R² compares with the line y = 0, not with the mean.")
    return lines


def header(table: Summary) -> list[str]:
    if table.standard_errors is None:
        return ["coefficient"]
    level = f"{100 * table.level:.3g}%"
    return ["coefficient", "std. error", "t", "p", f"{level} from", "to"]


def cells(table: Summary) -> list[list[str]]:
    """The numbers of each coefficient."""
    if table.standard_errors is None:
        return [[number(float(w))] for w in table.coefficients]
    assert table.t is not None
    assert table.p_values is not None
    assert table.intervals is not None
    return [
        [number(w), number(se), t_value(t), probability(p), number(low), number(high)]
        for w, se, t, p, (low, high) in zip(
            table.coefficients.tolist(),
            table.standard_errors.tolist(),
            table.t.tolist(),
            table.p_values.tolist(),
            table.intervals.tolist(),
            strict=True,
        )
    ]


def facts(table: Summary) -> list[tuple[str, str]]:
    """What the fit has as a whole, in reading order."""
    pairs = [("R²", number(table.r2))]
    if table.r is not None:
        pairs.append(("correlation r", number(table.r)))
    if table.refused is not None:
        return pairs
    df = f"{table.df_model}, {table.df_residual}"
    return [
        *pairs,
        ("adjusted R²", number(table.adjusted_r2)),
        (f"F({df})", number(table.f_statistic)),
        ("p of F", probability(table.f_pvalue)),
        ("residual sd", number(table.sigma)),
        ("σ² by ML", number(table.sigma2_ml)),
        ("log-likelihood", number(table.log_likelihood)),
        ("AIC", number(table.aic)),
        ("BIC", number(table.bic)),
    ]


def text(table: Summary) -> str:
    """At most 80 columns, whatever the names."""
    widths = [11, 10, 8, 7, 10, 10][: len(header(table))]
    room = WIDTH - sum(widths) - len(widths) - 1
    names = [_cut(name, room) for name in table.names]
    label = max(map(len, names))
    lines = textwrap.wrap(title(table), WIDTH)
    rule = "─" * max(label + sum(widths) + len(widths) + 1, WIDTH - 10)
    lines += [rule, _line("", header(table), label, widths)]
    lines += [
        _line(name, row, label, widths) for name, row in zip(names, cells(table), strict=True)
    ]
    lines.append(rule)
    lines += _two_columns(facts(table))
    for note in notes(table):
        lines += textwrap.wrap(note, WIDTH)
    return "\n".join(line.rstrip() for line in lines)


def html(table: Summary) -> str:
    right = "text-align:right;padding:.15em .6em"
    head = "".join(f'<th scope="col" style="{right}">{escape(h)}</th>' for h in header(table))
    body = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(name)}</th>'
        + "".join(f'<td style="{right}">{escape(value)}</td>' for value in row)
        + "</tr>"
        for name, row in zip(table.names, cells(table), strict=True)
    )
    under = "; ".join(f"{escape(label)} = {escape(value)}" for label, value in facts(table))
    remarks = "".join(f"<br>{escape(note)}" for note in notes(table))
    return (
        f'<table class="linscope-summary" style="{HTML_TABLE}">'
        f'<caption style="text-align:left;caption-side:top"><b>{escape(title(table))}</b>'
        f"</caption><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"<p><small>{under}{remarks}</small></p>"
    )


def latex(table: Summary) -> str:
    """A ``tabular`` for any LaTeX document; what the fit has as a whole is under a line."""
    head, columns = header(table), len(header(table)) + 1
    lines = [
        f"% {title(table)}",
        rf"\begin{{tabular}}{{l{'r' * len(head)}}}",
        r"\hline",
        " & ".join(["", *map(tex, head)]) + r" \\",
        r"\hline",
    ]
    lines += [
        " & ".join([tex(name), *map(_math, row)]) + r" \\"
        for name, row in zip(table.names, cells(table), strict=True)
    ]
    lines.append(r"\hline")
    for label, value in facts(table):
        label = tex(label).replace("R²", "$R^2$").replace("σ²", r"$\sigma^2$")
        lines.append(rf"{label} & {_math(value)}" + " &" * (columns - 2) + r" \\")
    lines.append(r"\hline")
    lines += [
        rf"\multicolumn{{{columns}}}{{l}}{{\small {_words(note)}}} \\" for note in notes(table)
    ]
    return "\n".join([*lines, r"\end{tabular}"]) + "\n"


def _words(note: str) -> str:
    return tex(note).replace("R²", "$R^2$").replace("AᵀA", r"$A^{\top}A$")
