"""The picture of the benchmark: one row a case, its bar the fastest peer, dots the others."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from .case import PEERS, package
from .cases import CASES, FAMILIES
from .run import Outcome

COLOURS = (
    "#3f90da", "#ffa90e", "#bd1f01", "#94a4a2", "#832db6", "#a96b59", "#e76300", "#b9ac70",
    "#717581", "#92dadd", "#1f2937",
)  # fmt: skip
TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
WIDTH, ROW, HEADING, DPI = 9.0, 0.208, 0.95, 200
SIZE, QUIET = 9.5, "#6b7280"


class Measured(NamedTuple):
    """How many times faster than one peer, None if the work falls short; and the goal."""

    case: str
    peer: str
    ratio: float | None
    goal: float | None


def measured(outcomes: list[Outcome]) -> list[Measured]:
    """What a run has found, where time is what counts."""
    return [
        Measured(one.case.name, peer, one.ratio(peer), one.case.goals.get(peer))
        for one in outcomes
        for peer in one.shortfall
        if one.case.judged_by_time
    ]


def recorded(markdown: str) -> list[Measured]:
    """The same from the table of RESULTS.md."""
    found = []
    for line in markdown.splitlines():
        name, _, peer, *cells = [cell.strip() for cell in line.strip("| ").split("|")] + [""] * 3
        case = CASES.get(name)
        if case is None or not case.judged_by_time or len(cells) < 3 or not cells[2]:
            continue
        ratio = float(cells[2].rstrip("x")) if cells[2].endswith("x") else None
        found.append(Measured(name, peer, ratio, case.goals.get(peer)))
    return found


def draw(found: list[Measured], path: Path) -> None:
    """Ratios on a logarithmic axis, by family of models."""
    from matplotlib.figure import Figure

    places = _places([one.case for one in found])
    rows = max([0.0, *places.values()]) + 1.0
    figure = Figure(figsize=(WIDTH, 1.1 + ROW * rows), layout="constrained")
    ax = figure.subplots()
    for name, place in places.items():
        if name in FAMILIES:
            _column(ax, -0.02, place, name, ha="right", weight="bold", size=SIZE)
        else:
            _draw_case(ax, place, name, [one for one in found if one.case == name])
    _column(ax, 1.09, 0.0, "fastest peer", weight="bold")
    _axis(ax, found, rows)
    _legend(figure, {package(one.peer) for one in found})
    part = path.with_name(f"{path.stem}.part{path.suffix}")
    figure.savefig(part, dpi=DPI, metadata={"Date": None} if path.suffix == ".svg" else None)
    part.replace(path)


def _places(names: list[str]) -> dict[str, float]:
    """From top to bottom, families and their cases; cases of no family come last."""
    known = {name for family in FAMILIES.values() for name in family}
    groups = [*FAMILIES.items(), ("", [name for name in names if name not in known])]
    places: dict[str, float] = {}
    place = 0.0
    for family, members in groups:
        present = [name for name in dict.fromkeys(members) if name in names]
        if present and family:
            places[family] = place
            place += HEADING
        for name in present:
            places[name] = place
            place += 1.0
        place += 0.25 if present else 0.0
    return places


def _draw_case(ax, place: float, name: str, peers: list[Measured]) -> None:
    colours = dict(zip(PEERS, COLOURS, strict=True))
    _column(ax, -0.02, place, name, ha="right")
    ranked = sorted((one for one in peers if one.ratio is not None), key=lambda one: one.ratio)
    if len(ranked) < len(peers):
        ax.text(1.03, place, "work falls short", va="center", size=SIZE, color="#bd1f01", zorder=5)
    if not ranked:
        return
    best = ranked[0]
    colour = colours[package(best.peer)]
    ax.barh(place, best.ratio - 1, left=1, height=0.66, color=colour, zorder=2)
    ends = max(1.0, best.ratio), ranked[-1].ratio
    ax.plot(ends, [place] * 2, color="#c9ced6", lw=1, zorder=1)
    for one in ranked[1:]:
        ax.plot(one.ratio, place, "o", ms=5, color=colours[package(one.peer)], mew=0, zorder=3)
    if best.goal:
        ax.plot([best.goal] * 2, [place - 0.4, place + 0.4], color="#374151", lw=1, zorder=4)
    _column(ax, 1.075, place, f"{best.ratio:.1f}x", ha="right", weight="bold")
    _column(ax, 1.09, place, best.peer, color=QUIET)


def _column(ax, x: float, place: float, text: str, **options) -> None:
    """Text beside the axes, at the height of a row."""
    where = ax.get_yaxis_transform()
    options = {"size": SIZE, "va": "center", **options}
    ax.text(x, place, text, transform=where, clip_on=False, **options)


def _axis(ax, found: list[Measured], rows: float) -> None:
    values = [1.0, *(value for one in found for value in (one.ratio, one.goal) if value)]
    ax.set_xscale("log")
    ax.set_xlim(min(0.9, 0.85 * min(values)), 1.15 * max(values))
    ax.set_ylim(rows - 0.4, -0.6)
    low, high = ax.get_xlim()
    ticks = [tick for tick in TICKS if low <= tick <= high]
    ax.set_xticks(ticks, [f"{tick:g}x" for tick in ticks], size=SIZE)
    ax.minorticks_off()
    ax.set_yticks([])
    ax.grid(axis="x", color="#e5e7eb", lw=0.8)
    ax.set_axisbelow(True)
    ax.axvline(1, color="black", lw=0.9, zorder=4)
    ax.spines[:].set_visible(False)
    ax.tick_params(axis="x", length=0)
    ax.set_title("How many times faster linscope is, at equal work", loc="left", size=12)


def _legend(figure, packages: set[str]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    colours = dict(zip(PEERS, COLOURS, strict=True))
    handles = [
        *(Patch(color=colours[name], label=name) for name in PEERS if name in packages),
        Line2D([], [], color=QUIET, lw=7, solid_capstyle="butt", label="fastest peer"),
        Line2D([], [], color=QUIET, marker="o", ms=5, lw=0, mew=0, label="other peers"),
        Line2D([], [], color="#374151", marker="|", ms=9, lw=0, mew=1, label="goal"),
    ]
    options = {"frameon": False, "ncols": 6, "fontsize": SIZE, "handlelength": 1.2}
    figure.legend(handles=handles, loc="outside lower center", **options)
