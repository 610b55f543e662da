"""A grid of C and γ as text and as HTML."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

# More columns than this would not fit on a line; those nearest to the choice are shown.
MOST_COLUMNS = 9


def title(grid: Any) -> str:
    kernel = grid.best_estimator.kernel
    gammas = "" if np.isnan(grid.gammas_).any() else f" × {len(grid.gammas_)} of γ"
    return (
        f"Grid of SVC, kernel {getattr(kernel, '__name__', kernel)}: {len(grid.Cs_)} values of "
        f"C{gammas}, {len(grid.splits)} folds, mean {grid.scoring}"
    )


def number(value: float) -> str:
    return "hard" if np.isinf(value) else f"{value:.4g}"


def verdict(grid: Any) -> str:
    """The choice, and what is certain about the fits."""
    i, j = grid.best_index
    choice = f"best C {number(grid.best_C)}"
    if grid.best_gamma is not None:
        choice += f", γ {number(grid.best_gamma)}"
    choice += f": {grid.best_score:.4f} ± {grid.standard_error[i, j]:.4f}"
    if grid.one_standard_error:
        choice += " (smallest within one standard error of the best)"
    parts = [choice, *_ends(grid)]
    missing = int(np.isnan(grid.scores).any(axis=2).sum())
    if missing:
        cells = "1 cell has" if missing == 1 else f"{missing} cells have"
        parts.append(f"{cells} no hard margin: some fold is not separable")
    worst, tol = float(np.nanmax(grid.kkt)), grid.best_estimator.tol
    parts.append(f"no fit violates optimality by more than {worst:.1g} (tol {tol:g})")
    return "; ".join(parts)


def _ends(grid: Any) -> list[str]:
    i, j = grid.best_index
    named = {"C": (i, grid.Cs_), "γ": (j, grid.gammas_)}
    at_end = [
        name
        for name, (place, values) in named.items()
        if len(values) > 1 and place in (0, len(values) - 1) and np.isfinite(values[place])
    ]
    return [f"{' and '.join(at_end)} at the end of the grid: try values beyond"] * bool(at_end)


def columns(grid: Any) -> slice:
    """The γ that are shown."""
    count = len(grid.gammas_)
    first = min(max(grid.best_index[1] - MOST_COLUMNS // 2, 0), max(count - MOST_COLUMNS, 0))
    return slice(first, first + MOST_COLUMNS)


def table(grid: Any) -> list[list[str]]:
    """A head, then a row a C; the choice has a star."""
    shown = range(*columns(grid).indices(len(grid.gammas_)))
    mean, error = grid.mean_score, grid.standard_error
    if len(grid.gammas_) == 1:
        head = ["C", "mean", "± se"]
        body = [[mean[i, 0], error[i, 0]] for i in range(len(mean))]
    else:
        head = ["C \\ γ", *(f"{grid.gammas_[j]:.3g}" for j in shown)]
        body = [[mean[i, j] for j in shown] for i in range(len(mean))]
    rows = [[number(C), *map(_score, line)] for C, line in zip(grid.Cs_, body, strict=True)]
    i, j = grid.best_index
    place = 1 + (j - shown.start if len(grid.gammas_) > 1 else 0)
    rows[i][place] = "*" + rows[i][place]
    return [head, *rows]


def _score(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.4f}"


def text(grid: Any) -> str:
    rows = table(grid)
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = [title(grid), ""]
    lines += [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    shown = columns(grid)
    hidden = len(grid.gammas_) - len(grid.gammas_[shown])
    if hidden:
        lines.append(f"({hidden} more values of γ: see to_frame())")
    return "\n".join([*lines, "", verdict(grid)])


def html(grid: Any) -> str:
    style = "text-align:right"
    head, *body = table(grid)
    rows = "".join(f"<th style='{style}'>{escape(cell)}</th>" for cell in head)
    rows = f"<tr>{rows}</tr>"
    for row in body:
        cells = ""
        for cell in row:
            bold = ";font-weight:bold" if cell.startswith("*") else ""
            cells += f"<td style='{style}{bold}'>{escape(cell)}</td>"
        rows += f"<tr>{cells}</tr>"
    caption = f"<caption style='text-align:left'>{escape(title(grid))}</caption>"
    return f"<table>{caption}{rows}</table><p>{escape(verdict(grid))}</p>"
