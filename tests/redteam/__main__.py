"""``python -m tests.redteam``: a campaign, its counts, and a snippet for each finding."""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module

from .campaign import (
    FAILED,
    FINDINGS,
    MOST_FORGERIES,
    NOT_OK,
    REFUSED,
    UNSURE,
    Outcome,
    counts,
    run,
)
from .registry import LEVELS, REGISTRY

COLUMNS = ("problems", "forgeries", *FINDINGS, NOT_OK, REFUSED, UNSURE, FAILED)


# Modules with a ``main`` of their own.
CAMPAIGNS = ("mutation", "pages", "predictions", "statistics")


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.redteam", description=__doc__)
    parser.add_argument("--campaign", choices=CAMPAIGNS, help="this one, not certificates")
    parser.add_argument("--seconds", type=float, default=60.0, help="in all")
    parser.add_argument("--problems", type=int, help="of each estimator and level, not by time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--estimators", nargs="+", default=list(REGISTRY), metavar="NAME",
                        help=f"of {', '.join(REGISTRY)}; or the beginning of a name")  # fmt: skip
    parser.add_argument("--level", nargs="+", choices=LEVELS, default=list(LEVELS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=3, help="findings of each kind printed in full")
    parser.add_argument("--forgeries", type=int, default=MOST_FORGERIES, help="of each claim")
    parser.add_argument("--only", type=int, help="just the problem of this number")
    return parser.parse_args(given)


def chosen(names: list[str]) -> list[str]:
    found = [known for known in REGISTRY if any(known.startswith(name) for name in names)]
    if not found:
        sys.exit(f"no such estimator; there are {', '.join(REGISTRY)}")
    return found


def share(
    estimator: str,
    level: str,
    seed: int,
    seconds: float,
    problems: int | None,
    most: int = MOST_FORGERIES,
) -> list[Outcome]:
    """The problems of one estimator and level: so many, or until the time is over."""
    outcomes: list[Outcome] = []
    stop = time.monotonic() + seconds
    while len(outcomes) < problems if problems is not None else time.monotonic() < stop:
        outcomes.append(run(estimator, level, seed, len(outcomes), most))
        if not outcomes[-1].found:
            outcomes[-1].problem = None
    return outcomes


def main(given: list[str] | None = None) -> int:
    options = arguments(given)
    if options.campaign:
        return other_campaign(options)
    cells = [(name, level) for name in chosen(options.estimators) for level in options.level]
    if options.only is not None:
        outcomes = [run(*cell, options.seed, options.only) for cell in cells]
        print("\n\n".join(outcome.report() for outcome in outcomes))
        return int(any(outcome.found for outcome in outcomes))
    seconds = options.seconds * options.jobs / len(cells)
    rest = options.seed, seconds, options.problems, options.forgeries
    if options.jobs == 1:
        everything = {cell: share(*cell, *rest) for cell in cells}
    else:
        with ProcessPoolExecutor(options.jobs) as pool:
            waiting = {cell: pool.submit(share, *cell, *rest) for cell in cells}
            everything = {cell: each.result() for cell, each in waiting.items()}
    print_table(everything)
    print_findings(everything, options.show)
    return int(any(o.found for outcomes in everything.values() for o in outcomes))


def other_campaign(options: argparse.Namespace) -> int:
    words = ["--seconds", str(options.seconds), "--seed", str(options.seed)]
    return import_module(f"tests.redteam.{options.campaign}").main(words)


def print_table(everything: dict) -> None:
    width = max(len(name) for name, _ in everything)
    print(f"{'':{width}} {'level':8} " + " ".join(COLUMNS) + "  slowest")
    for (name, level), outcomes in everything.items():
        found = counts(outcomes)
        cells = " ".join(f"{found[column]:{len(column)}d}" for column in COLUMNS)
        slowest = max((outcome.seconds for outcome in outcomes), default=0.0)
        print(f"{name:{width}} {level:8} {cells} {slowest:7.1f} s")


def print_findings(everything: dict, show: int) -> None:
    for (name, level), outcomes in everything.items():
        for verdict in FINDINGS:
            own = [o for o in outcomes if verdict in {kind for kind, _ in o.found}]
            for outcome in sorted(own, key=lambda o: o.problem.dense.size)[:show]:
                print(f"\n## {verdict}: {name}, {level}\n{outcome.report()}")


if __name__ == "__main__":
    sys.exit(main())
