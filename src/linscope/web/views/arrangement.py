"""The pieces into which lines cut a box, and on how many of the wrong sides each piece is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linscope.display.geometry import Box, corners

Corner = tuple[float, float]
# Pieces that are thinner than this share of the box are left out.
THIN = 1e-9


def cells_by_count(lines: np.ndarray, box: Box) -> dict[int, list[list[Corner]]]:
    """Convex pieces by the number of lines (c, a, b) with c + a·u + b·v < 0 in them.

    In plain numbers: the pieces are many and have few corners each.
    """
    cells: list[tuple[int, list[Corner]]] = [(0, whole(box))]
    size = np.array([1.0, box[1] - box[0], box[3] - box[2]])
    for line in lines.tolist():
        dust = THIN * float(np.linalg.norm(line * size))
        parts = []
        for wrong, cell in cells:
            above, below = split(cell, line, dust)
            parts += [(wrong, above)] * bool(above) + [(wrong + 1, below)] * bool(below)
        cells = parts
    out: dict[int, list[list[Corner]]] = {}
    for wrong, cell in cells:
        out.setdefault(wrong, []).append(cell)
    return out


def whole(box: Box) -> list[Corner]:
    return [(u, v) for u, v in corners(box).tolist()]


def split(
    cell: list[Corner], line: Sequence[float], dust: float = 0.0
) -> tuple[list[Corner], list[Corner]]:
    """The parts of a convex piece above and below a line; one of them may be empty."""
    c, a, b = line
    values = [c + a * u + b * v for u, v in cell]
    if min(values) >= -dust:
        return cell, []
    if max(values) <= dust:
        return [], cell
    above: list[Corner] = []
    below: list[Corner] = []
    for k, ((u, v), value) in enumerate(zip(cell, values, strict=True)):
        if value >= 0:
            above.append((u, v))
        if value <= 0:
            below.append((u, v))
        (u2, v2), following = cell[k - len(cell) + 1], values[k - len(cell) + 1]
        if value * following < 0:
            t = value / (value - following)
            crossing = (u + t * (u2 - u), v + t * (v2 - v))
            above.append(crossing)
            below.append(crossing)
    return above, below
