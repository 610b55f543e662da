"""The outcome for people and machines: a table, JSON and Markdown."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from linscope.rows.threads import thread_count

from .growth import Growth
from .processes import judge_cold
from .run import Outcome

DISTRIBUTIONS = {
    "linscope": "linscope",
    "sklearn": "scikit-learn",
    "sklearnex": "scikit-learn-intelex",
    "liblinear": "liblinear-official",
    "libsvm": "libsvm-official",
    "statsmodels": "statsmodels",
    "glum": "glum",
    "skglm": "skglm",
    "numpy": "numpy",
    "scipy": "scipy",
    "numba": "numba",
}
HEAD = ("case", "data", "peer", "linscope, ms", "peer, ms", "ratio", "spread", "verdict")


def machine() -> dict[str, Any]:
    """What the times depend on."""
    return {
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": thread_count(),
        "blas": [
            f"{one['internal_api']} {one['version']}, {one['num_threads']} threads"
            for one in threadpool_info()
            if one["user_api"] == "blas"
        ],
        "python": platform.python_version(),
        "versions": {name: _version(package) for name, package in DISTRIBUTIONS.items()},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def rows_of(outcome: Outcome) -> list[tuple[str, ...]]:
    """One row a peer; without any peer, one row of linscope's own time."""
    case, ours = outcome.case, _times(outcome, "linscope")
    what = f"{case.what}: {' × '.join(f'{k:,}' for k in outcome.size)}"
    rows = []
    for peer in outcome.shortfall:
        ratio = outcome.ratio(peer)
        spread = f"±{100 * max(outcome.spread('linscope'), outcome.spread(peer)):.0f} %"
        times = ours, _times(outcome, peer)
        shown = "–" if ratio is None else f"{ratio:.2f}x"
        rows.append((case.name, what, peer, *times, shown, spread, outcome.verdict(peer)))
    for peer in outcome.missing:
        rows.append((case.name, what, peer, ours, "", "", "", "missing: not installed"))
    for peer, error in outcome.errors.items():
        rows.append((case.name, what, peer, ours, "", "", "", f"failed: {error}"))
    return rows or [(case.name, what, "", ours, "", "", "", "no peer chosen")]


def _times(outcome: Outcome, name: str) -> str:
    """Median and, in brackets, the fastest round, in milliseconds."""
    return f"{_ms(outcome.median(name))} ({_ms(min(outcome.times[name]))})"


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:,.3g}" if seconds < 0.1 else f"{seconds * 1e3:,.0f}"


def print_table(outcomes: list[Outcome]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(*HEAD, box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("linscope, ms", "peer, ms", "ratio", "spread"):
        table.columns[HEAD.index(column)].justify = "right"
        table.columns[HEAD.index(column)].no_wrap = True
    colours = {"win": "green", "below": "yellow", "loss": "red"}
    for outcome in outcomes:
        for row in rows_of(outcome):
            style = colours.get(row[-1].split()[0].rstrip(":"), "")
            table.add_row(*row[:-1], f"[{style}]{row[-1]}[/]" if style else row[-1])
    Console(width=None if os.isatty(1) else 140).print(table)


def as_json(outcomes, growths, memory, cold) -> dict[str, Any]:
    """Everything, with raw times."""
    return {
        "machine": machine(),
        "cases": [
            {
                "case": one.case.name,
                "what": one.case.what,
                "size": list(one.size),
                "times": one.times,
                "shortfall": one.shortfall,
                "ratio": {peer: one.ratio(peer) for peer in one.shortfall},
                "goals": one.case.goals,
                "verdict": {peer: one.verdict(peer) for peer in one.shortfall},
                "missing": one.missing,
                "errors": one.errors,
            }
            for one in outcomes
        ],
        "growth": [
            {
                "case": one.case.name,
                "by_rows": one.by_rows,
                "by_features": one.by_features,
                "exponents": one.exponents,
            }
            for one in growths
        ],
        "memory": memory,
        "cold": cold,
    }


def markdown(outcomes, growths: list[Growth], memory, cold, picture: str | None) -> str:
    """RESULTS.md: written by this tool, never by hand."""
    about = machine()
    lines = [
        "# Benchmark",
        "",
        "Written by `make bench`; do not edit. Medians, in brackets the fastest, of alternating",
        "rounds in one process. A ratio is printed only where linscope's answer is as good",
        "as the peer's or better (for perceptrons: the same updates).",
        "",
        f"{about['processor']}, {about['cores']} cores, {about['threads']} threads, Python "
        f"{about['python']}; "
        + ", ".join(f"{name} {number}" for name, number in about["versions"].items()),
        "",
    ]
    if picture:
        lines += [f"![How many times faster linscope is than each peer]({picture})", ""]
    lines += _markdown_table(HEAD, [row for one in outcomes for row in rows_of(one)])
    if growths:
        head = ("case", "exponent in n", "exponent in d")
        rows = [
            (one.case.name, *("–" if p is None else f"{p:.2f}" for p in one.exponents))
            for one in growths
        ]
        lines += ["", "## How cost grows", "", *_markdown_table(head, rows)]
    if memory:
        head = ("case", "contender", "data made", "peak of the fit")
        rows = [(*row[:2], f"{row[2]:,.0f} MB", f"{row[3]:,.0f} MB") for row in memory]
        lines += ["", "## Memory", "", *_markdown_table(head, rows)]
    if cold:
        judged = judge_cold(cold)
        rows = [(what, f"{one:.2f} s", judged.get(what, "")) for what, one in cold.items()]
        lines += ["", "## Cold start", "", *_markdown_table(("what", "time", "verdict"), rows)]
    return "\n".join(lines) + "\n"


def _markdown_table(head, rows) -> list[str]:
    return [
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
        *("| " + " | ".join(row) + " |" for row in rows),
    ]


def write(path: Path, text: str) -> None:
    """All of the text or none of it."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def write_json(path: Path, content: dict[str, Any]) -> None:
    write(path, json.dumps(content, indent=1))
