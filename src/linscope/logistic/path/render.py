"""A path as text and as HTML."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np


def title(path: Any) -> str:
    return (
        f"Regularisation path of {type(path.best_estimator).__name__}: "
        f"{len(path.Cs_)} values of C, {len(path.splits)} folds, {path.scoring}"
    )


def verdict(path: Any) -> str:
    """The choice, and what is certain about the fits."""
    rule = "smallest C within one standard error of the best" * path.one_standard_error
    place = path.best_index in (0, len(path.Cs_) - 1) and len(path.Cs_) > 1
    parts = [
        f"best C {path.best_C:.4g}: {path.best_score:.4f} ± "
        f"{path.standard_error[path.best_index]:.4f}" + (f" ({rule})" if rule else "")
    ]
    if place:
        parts.append("it is at the end of the path: try values beyond it")
    worst = float(np.max(path.gaps / np.maximum(np.abs(path.objectives), 1e-300)))
    parts.append(f"every fit is within {worst:.1g} of its minimum, relatively")
    return "; ".join(parts)


def rows(path: Any) -> list[tuple[str, ...]]:
    """C, mean, standard error, worst fold and best fold."""
    low, high = path.scores.min(axis=1), path.scores.max(axis=1)
    columns = path.mean_score, path.standard_error, low, high
    return [
        (f"{C:.4g}", *(f"{value:.4f}" for value in values))
        for C, *values in zip(path.Cs_, *columns, strict=True)
    ]


HEAD = ("C", "mean", "± se", "lowest", "highest")


def text(path: Any) -> str:
    table = [HEAD, *rows(path)]
    widths = [max(len(row[k]) for row in table) for k in range(len(HEAD))]
    lines = [title(path), ""]
    for number, row in enumerate(table):
        mark = "*" if number - 1 == path.best_index else " "
        cells = "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        lines.append(f"{mark} {cells}")
    return "\n".join([*lines, "", verdict(path)])


def html(path: Any) -> str:
    style = "text-align:right"
    head = "".join(f"<th style='{style}'>{escape(cell)}</th>" for cell in HEAD)
    body = ""
    for number, row in enumerate(rows(path)):
        bold = ";font-weight:bold" if number == path.best_index else ""
        cells = "".join(f"<td style='{style}{bold}'>{cell}</td>" for cell in row)
        body += f"<tr>{cells}</tr>"
    caption = f"<caption style='text-align:left'>{escape(title(path))}</caption>"
    return f"<table>{caption}<tr>{head}</tr>{body}</table><p>{escape(verdict(path))}</p>"
