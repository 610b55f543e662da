"""The ledger as plain content: which columns, which rows, no markup.

The columns are those of the lecture slides: visit, sample, augmented vector, score, verdict, and
the weights before → after.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .replay import GramReplay, Replay, Window

LONGEST_VECTOR = 8
LONGEST_FRACTION = 14


class Vector(NamedTuple):
    """A vector in a cell; None stands for entries that are left out."""

    values: tuple


class Change(NamedTuple):
    """Weights before → after; ``after`` is None when nothing changed."""

    before: Any
    after: Any = None


class Column(NamedTuple):
    header: str
    latex: str = ""
    right: bool = False


class Row(NamedTuple):
    cells: list
    update: bool = False
    gap: bool = False
    first: bool = False  # of a binary problem


@dataclass
class Sheet:
    title: str
    notes: list[str]
    columns: list[Column]
    rows: list[Row] = field(default_factory=list)


class Gap(NamedTuple):
    """Steps that are left out."""

    steps: int


def vector(values: Iterable) -> Vector:
    """A vector, shortened in the middle if it is long."""
    values = tuple(values)
    if len(values) > LONGEST_VECTOR:
        values = (*values[: LONGEST_VECTOR - 2], None, *values[-2:])
    return Vector(values)


def columns_of(replay: Replay, *, updates: bool, criterion: bool, problems: bool) -> list[Column]:
    """What the ledger of this kind of rule shows."""
    columns = [Column("problem")] if problems else []
    columns += [Column("k", "$k$", right=True)] if updates else []
    if replay.single:
        columns += [Column("visit", right=True), Column("sample")]
        columns += [Column("x", r"$\mathbf{x}$")] if replay.X is not None else []
        columns += [Column("y", "$y$", right=True)]
        if isinstance(replay, GramReplay):
            columns += [Column("score", right=True)]
        else:
            columns += [Column("w·x", r"$\mathbf{w}\cdot\mathbf{x}$", right=True)]
    else:
        columns += [Column("step", right=True), Column("pass", right=True)]
        columns += [Column("batch", right=True)] if replay.log.batches_per_epoch > 1 else []
    columns += [Column("verdict")]
    if isinstance(replay, GramReplay):
        columns += [Column("α", r"$\alpha$")] if replay.single else []
        columns += [Column("support", right=True)]
    if replay.weight_names:
        columns += [Column("weights", r"weights $\mathbf{w}$")]
    if criterion:
        columns += [Column("mistakes", right=True), Column("J_p", "$J_p$", right=True)]
    return columns


def rows_of(
    replay: Replay,
    window: Window,
    names: Sequence[str] | None,
    *,
    updates: bool,
    criterion: bool,
    problems: bool,
) -> list[Row]:
    """The cells of each step of the window, in the order of ``columns_of``."""
    parts: list[Any] = []
    if problems:
        parts.append([replay.problem.name] * len(window.steps))
    if updates:
        parts.append(window.first + window.after)
    parts += _visits(replay, window, names) if replay.single else _batches(replay, window)
    if isinstance(replay, GramReplay):
        parts += _coefficients(replay, window)
    if replay.weight_names:
        weights = replay.weights(window.states)
        parts.append(
            [
                Change(vector(weights[a]), vector(weights[b]) if b > a else None)
                for a, b in zip(window.versions, window.after, strict=True)
            ]
        )
    if criterion:
        mistakes, values = replay.measure(window.states)
        parts += [mistakes[window.after], values[window.after]]
    return [
        Row(list(cells), bool(update))
        for update, *cells in zip(window.updated, *parts, strict=True)
    ]


def _visits(replay: Replay, window: Window, names) -> list:
    samples = replay.samples(window.steps)
    given = replay.row_numbers[samples]
    parts: list[Any] = [window.steps + 1, [names[i] for i in given] if names is not None else given]
    if replay.X is not None:
        parts.append([vector(replay.row(i)) for i in samples])
    signs = ["+1" if replay.solver.y[i] > 0 else "−1" for i in samples]
    verdicts = ["mistake → update" if update else "correct" for update in window.updated]
    return [*parts, signs, replay.scores(window), verdicts]


def _batches(replay: Replay, window: Window) -> list:
    parts = [window.steps + 1, replay.epochs(window.steps) + 1]
    per_epoch = replay.log.batches_per_epoch
    if per_epoch > 1:
        parts.append(window.steps % per_epoch + 1)
    verdicts = [
        f"{count:,} mistake{'s' if count > 1 else ''} → update" if count else "correct"
        for count in replay.batch_mistakes(window)
    ]
    return [*parts, verdicts]


def _coefficients(replay: GramReplay, window: Window) -> list:
    alphas = replay.alphas(window.states)
    support = np.count_nonzero(alphas, axis=1)[window.after]
    if not replay.single:
        return [support]
    samples = replay.samples(window.steps)
    cells = [
        Change(alphas[a, i], alphas[b, i] if b > a else None)
        for i, a, b in zip(samples, window.versions, window.after, strict=True)
    ]
    return [cells, support]


def number(value: Any, digits: int = 6) -> str:
    """Six digits, the true minus sign, and fractions as fractions unless they are very long.

    >>> number(-0.75), number(Fraction(-3, 4)), number(-0.0), number(Fraction(10**9, 3 * 10**9 + 1))
    ('−0.75', '−3/4', '0', '≈0.333333')
    """
    if isinstance(value, Fraction) and len(str(value)) > LONGEST_FRACTION:
        text = f"≈{float(value):.{digits}g}"
    elif isinstance(value, Fraction | int | np.integer):
        text = str(value)
    else:
        text = f"{float(value) + 0.0:.{digits}g}"
    return text.replace("-", "−")


def text(cell: Any) -> str:
    """A cell as plain text."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Gap):
        return f"… {cell.steps:,} more"
    if isinstance(cell, Vector):
        return "[" + " ".join("…" if v is None else number(v) for v in cell.values) + "]"
    if isinstance(cell, Change):
        return text(cell.before) + ("" if cell.after is None else f" → {text(cell.after)}")
    return number(cell)
