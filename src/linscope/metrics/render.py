"""An evaluation as text (80 columns), HTML and LaTeX."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from linscope._printable import printable
from linscope.reports import documents
from linscope.reports.cells import Strong
from linscope.reports.formulas import tex
from linscope.reports.table import Column, Row, Table
from linscope.reports.text import WIDTH, aligned, cut, in_pairs

from .rates import AVERAGES

if TYPE_CHECKING:
    from .evaluation import Evaluation

MOST_CLASSES = 30
MOST_CONFUSIONS = 10
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


def tables(result: Evaluation) -> list[Table]:
    """The matrix as the notes draw it, the rates of the classes, and the facts."""
    row, column = ("predicted", "actual")[:: 1 if result.rows == "predicted" else -1]
    heads = [Column(row), *(Column(name, right=True) for name in result.names)]
    cells = [[count(value) for value in line] for line in result.confusion_matrix.tolist()]
    matrix = [Row([name, *line]) for name, line in zip(result.names, cells, strict=True)]
    for k, line in enumerate(matrix):
        line.cells[k + 1] = Strong(line.cells[k + 1])
    of_classes = [Column(""), *(Column(name, right=True) for name in [*RATES.values(), "support"])]
    lists = [
        Table("", [], heads, matrix, over=column, kind="evaluation"),
        Table("", [], of_classes, [Row(line) for line in rates(result)], kind="evaluation"),
        Table(
            "",
            [],
            [Column(""), Column("", right=True)],
            [Row(list(pair)) for pair in facts(result)],
            kind="evaluation",
        ),
    ]
    return [table for table in lists if table.rows]


def html(result: Evaluation) -> str:
    """Matrix and rates for notebooks and pages."""
    shown = tables(result)
    shown = shown if len(result.labels) <= MOST_CLASSES else shown[1:]
    return documents.html_page(title(result), [], shown, result.notes)


def latex(result: Evaluation) -> str:
    """Matrix and rates, each as a ``tabular``."""
    parts = [documents.latex_comment(title(result)), *map(documents.latex, tables(result))]
    return "\n".join([*parts, *(rf"\par\small {tex(note)}" for note in result.notes)]) + "\n"


def text(result: Evaluation) -> str:
    """At most 80 columns, whatever the names."""
    lines = [*textwrap.wrap(title(result), WIDTH), "", *_matrix_text(result), ""]
    table = rates(result)
    if table:
        lines += [*_rates_text(table), ""]
        if len(result.labels) > MOST_CLASSES:
            rest = len(result.labels) - MOST_CLASSES
            lines += [f" {rest} more classes: see to_frame()", ""]
    said = [f"{name:<22} {value:>7}" for name, value in facts(result)]
    lines += in_pairs(said[::2], said[1::2])
    for note in result.notes:
        lines += textwrap.wrap(note, WIDTH)
    return printable("\n".join(line.rstrip() for line in lines), "\n")


def _matrix_text(result: Evaluation) -> list[str]:
    matrix = tables(result)[0]
    row = matrix.columns[0].header
    cells = [matrix.texts(line)[1:] for line in matrix.rows]
    for most in (24, 12, 6):
        names = [cut(name, most) for name in result.names]
        label = max(len(row), *map(len, names))
        lines = aligned([names, *cells])
        if label + 3 + len(lines[0]) <= WIDTH:
            left = [row, *names]
            body = [f" {name:<{label}}  {line}" for name, line in zip(left, lines, strict=True)]
            return [f" {'':<{label}}  {matrix.over}", *body]
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
            names = (cut(result.names[k], 24) for k in (actual, predicted))
            size = count(errors[actual, predicted].item())
            lines.append(f" {size:>8}  " + "  predicted as  ".join(names))
    return lines if len(lines) > 1 else [" no errors"]


def _rates_text(table: list[list[str]]) -> list[str]:
    label = min(26, max(len(line[0]) for line in table))
    head = ["", *RATES.values(), "support"]
    return [
        f" {cut(line[0], label):<{label}}"
        + "".join(f"  {cell:>11}" for cell in line[1:5])
        + f"  {line[5]:>9}"
        for line in [head, *table]
    ]
