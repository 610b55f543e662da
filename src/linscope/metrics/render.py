"""An evaluation as text (80 columns), HTML and LaTeX."""

from __future__ import annotations

import math
import textwrap
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from linscope.reports.formulas import tex

from .rates import AVERAGES

if TYPE_CHECKING:
    from .evaluation import Evaluation

WIDTH = 80
MOST_CLASSES = 30
MOST_CONFUSIONS = 10
HTML_TABLE = (
    "border-collapse:collapse;font-variant-numeric:tabular-nums;display:inline-table;"
    "margin:.4em 2em .4em 0;vertical-align:top"
)
RATES = {
    "precision": "precision",
    "recall": "recall",
    "specificity": "specificity",
    "f1": "F1",
}


def number(value: float | None) -> str:
    """Four decimals; an en dash for what is not defined.

    >>> number(0.5), number(float("nan")), number(float("inf"))
    ('0.5000', '–', '∞')
    """
    if value is None or math.isnan(value):
        return "–"
    return "∞" if math.isinf(value) else f"{value:.4f}"


def count(value: float) -> str:
    """A count as it is; a sum of weights with a few digits.

    >>> count(1200), count(2.5)
    ('1200', '2.5')
    """
    return str(int(value)) if value == int(value) else f"{value:.6g}"


def title(result: Evaluation) -> str:
    n = f"{result.n_samples:,} sample{'s' * (result.n_samples != 1)}"
    if result.position is None:
        return f"Evaluation of {n}, {len(result.labels)} classes"
    return f"Evaluation of {n}, positive class {result.names[result.position]}"


def facts(result: Evaluation) -> list[tuple[str, str]]:
    """What is said beside the matrix, in reading order, two in a line."""
    values: list[tuple[str, Any]] = [
        ("accuracy", result.accuracy),
        ("error rate", result.error_rate),
    ]
    which = " (macro)" if result.position is None else ""
    if result.position is not None:
        values += [
            ("precision", result.precision),
            ("recall", result.recall),
            ("F1", result.f1),
            ("specificity", result.specificity),
            ("false positive rate", result.fpr),
            ("false negative rate", result.fnr),
        ]
    if result.curves is not None:
        of = result.macro if result.position is None else result
        values += [
            (f"ROC AUC{which}", of.roc_auc),
            (f"avg. precision{which}", of.average_precision),
        ]
    if result.log_loss is not None:
        values += [("log loss", result.log_loss), ("Brier score", result.brier_score)]
    return [(name, number(value)) for name, value in values]


def rates(result: Evaluation) -> list[list[str]]:
    """A row for each class and each average; none for two classes, whose rates are the facts."""
    if len(result.labels) == 2:
        return []
    columns = [result.counts.ratio(name) for name in ("precision", "recall", "specificity")]
    columns.append(result.counts.fbeta(1.0))
    shown = min(len(result.labels), MOST_CLASSES)
    lines = [
        [result.names[k], *(number(column[k]) for column in columns), count(result.support[k])]
        for k in range(shown)
    ]
    total = count(result.matrix.sum())
    for kind in AVERAGES:
        average = getattr(result, kind)
        lines.append([f"{kind} avg", *(number(getattr(average, name)) for name in RATES), total])
    return lines


def corner(result: Evaluation) -> tuple[str, str]:
    """What the rows and the columns of the matrix are."""
    return ("predicted", "actual") if result.rows == "predicted" else ("actual", "predicted")


def text(result: Evaluation) -> str:
    """At most 80 columns, whatever the names."""
    lines = [*textwrap.wrap(title(result), WIDTH), "", *_matrix_text(result), ""]
    table = rates(result)
    if table:
        lines += [*_rates_text(table), ""]
        if len(result.labels) > MOST_CLASSES:
            rest = len(result.labels) - MOST_CLASSES
            lines += [f" {rest} more classes: see to_frame()", ""]
    pairs = facts(result)
    for left, right in zip(pairs[::2], pairs[1::2], strict=True):
        lines.append(f"{_fact(*left):<40}{_fact(*right)}")
    for note in result.notes:
        lines += textwrap.wrap(note, WIDTH)
    return "\n".join(line.rstrip() for line in lines)


def _fact(name: str, value: str) -> str:
    return f"{name:<22} {value:>7}"


def _matrix_text(result: Evaluation) -> list[str]:
    row, column = corner(result)
    cells = [[count(value) for value in line] for line in result.confusion_matrix.tolist()]
    for most in (24, 12, 6):
        names = [_cut(name, most) for name in result.names]
        widths = [max(len(name), *(len(line[j]) for line in cells)) for j, name in enumerate(names)]
        label = max(len(row), *map(len, names))
        if label + 1 + sum(widths) + 2 * len(widths) <= WIDTH:
            head = "  ".join(name.rjust(width) for name, width in zip(names, widths, strict=True))
            return [
                f" {'':<{label}}  {column}",
                f" {row:<{label}}  {head}",
                *(
                    f" {name:<{label}}  "
                    + "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
                    for name, line in zip(names, cells, strict=True)
                ),
            ]
    return _confusions_text(result)


def _confusions_text(result: Evaluation) -> list[str]:
    """The most frequent errors, where the matrix is too wide to print."""
    errors = result.matrix.copy()
    np.fill_diagonal(errors, 0)
    order = np.argsort(-errors, axis=None, kind="stable")[:MOST_CONFUSIONS]
    lines = [" most frequent errors"]
    for place in order:
        actual, predicted = divmod(int(place), len(errors))
        if errors[actual, predicted] > 0:
            names = (_cut(result.names[k], 24) for k in (actual, predicted))
            size = count(errors[actual, predicted].item())
            lines.append(f" {size:>8}  " + "  predicted as  ".join(names))
    return lines if len(lines) > 1 else [" no errors"]


def _rates_text(table: list[list[str]]) -> list[str]:
    label = min(26, max(len(line[0]) for line in table))
    head = ["", *RATES.values(), "support"]
    return [
        f" {_cut(line[0], label):<{label}}"
        + "".join(f"  {cell:>11}" for cell in line[1:5])
        + f"  {line[5]:>9}"
        for line in [head, *table]
    ]


def _cut(name: str, most: int) -> str:
    name = " ".join(name.split())
    return name if len(name) <= most else name[: most - 1] + "…"


def html(result: Evaluation) -> str:
    row, column = corner(result)
    head = [f"{row} \\ {column}", *result.names]
    cells = [[count(value) for value in line] for line in result.confusion_matrix.tolist()]
    matrix = [[name, *line] for name, line in zip(result.names, cells, strict=True)]
    parts = []
    if len(result.labels) <= MOST_CLASSES:
        parts.append(_html_table(head, matrix, diagonal=True))
    table = rates(result)
    if table:
        parts.append(_html_table(["", *RATES.values(), "support"], table))
    parts.append(_html_table([], [list(pair) for pair in facts(result)]))
    remarks = "<br>".join(map(escape, result.notes))
    return (
        f'<div class="linscope-evaluation"><b>{escape(title(result))}</b><br>{"".join(parts)}'
        f"<p><small>{remarks}</small></p></div>"
    )


def _html_table(head: list[str], lines: list[list[str]], *, diagonal: bool = False) -> str:
    right = "text-align:right;padding:.15em .6em"
    top = "".join(f'<th scope="col" style="{right}">{escape(cell)}</th>' for cell in head)
    body = []
    for k, (name, *values) in enumerate(lines):
        cells = "".join(
            f'<td style="{right}{";font-weight:bold" * (diagonal and j == k)}">{escape(value)}</td>'
            for j, value in enumerate(values)
        )
        body.append(f'<tr><th scope="row" style="text-align:left">{escape(name)}</th>{cells}</tr>')
    start = f"<thead><tr>{top}</tr></thead>" if head else ""
    return f'<table style="{HTML_TABLE}">{start}<tbody>{"".join(body)}</tbody></table>'


def latex(result: Evaluation) -> str:
    """The matrix as the notes draw it, and under it the rates."""
    row, column = corner(result)
    k = len(result.labels)
    lines = [
        f"% {title(result)}",
        rf"\begin{{tabular}}{{l{'r' * k}}}",
        r"\hline",
        rf" & \multicolumn{{{k}}}{{c}}{{{column}}} \\",
        " & ".join([row, *map(tex, result.names)]) + r" \\",
        r"\hline",
    ]
    for name, line in zip(result.names, result.confusion_matrix.tolist(), strict=True):
        lines.append(" & ".join([tex(name), *map(count, line)]) + r" \\")
    lines += [r"\hline", r"\end{tabular}", ""]
    table = rates(result)
    if table:
        lines += _latex_table(["", *RATES.values(), "support"], table)
    lines += _latex_table([], [list(pair) for pair in facts(result)])
    lines += [rf"\par\small {tex(note)}" for note in result.notes]
    return "\n".join(lines) + "\n"


def _latex_table(head: list[str], table: list[list[str]]) -> list[str]:
    lines = [rf"\begin{{tabular}}{{l{'r' * (len(table[0]) - 1)}}}", r"\hline"]
    if head:
        lines += [" & ".join(map(tex, head)) + r" \\", r"\hline"]
    lines += [" & ".join(_cell(cell) for cell in line) + r" \\" for line in table]
    return [*lines, r"\hline", r"\end{tabular}", ""]


def _cell(cell: str) -> str:
    return {"–": "--", "∞": r"$\infty$"}.get(cell) or tex(cell)
