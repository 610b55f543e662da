"""The case ``auto``: does ``solver="auto"`` lose to its own siblings, or to a peer, on any table?

For each table of ``auto_tables`` linscope's LogisticRegression runs with "auto" and with each of
its other solvers, and scikit-learn's with each of its own, in turns. Fastest times are compared.

A peer counts where it does equal work: it runs with the largest of its tolerances 1e-4, 1e-6, 1e-8
at which its objective is no more than 1e-6 above auto's, relatively. How the fastest peer does with
its default tolerance, whatever the answer, is shown beside it.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import linscope as ls

from .auto_tables import TABLES, Table
from .case import TOLERANCE, Data, installed, worse_objective
from .logistic_cases import MOST_STEPS, objective

SIBLINGS = ("newton", "trust-region", "lbfgs")
PEERS = ("lbfgs", "newton-cg", "newton-cholesky", "liblinear")
TOLERANCES = (1e-4, 1e-6, 1e-8)
# auto may take so many times the best sibling's time, and at most the best peer's.
SIBLING_GOAL, PEER_GOAL = 1.3, 1.0
# Forming a Hessian of so many weights takes seconds: nobody would ask for it.
MOST_WEIGHTS = 2000
# Seconds for the rounds of one table; who is this many times slower than the fastest runs once.
BUDGET, HOPELESS = 4.0, 8.0
# Seconds that the first fit of a solver may take to compile.
COMPILING = 2.0
HEAD = ("table", "data", "auto took", "ms", "best sibling", "best peer", "by default", "verdict")


@dataclass
class Choice:
    """What was measured on one table: seconds, by contender; ``equal`` are the peers that count."""

    name: str
    what: str
    took: str
    seconds: dict[str, float]
    equal: list[str]

    @property
    def auto(self) -> float:
        return self.seconds["auto"]

    def best(self, names: list[str]) -> str | None:
        """The fastest of those that were measured."""
        measured = [one for one in names if one in self.seconds]
        return min(measured, key=lambda one: self.seconds[one], default=None)

    @property
    def to_sibling(self) -> float:
        """auto's time, as a multiple of the best sibling's."""
        best = self.best(list(SIBLINGS))
        return self.auto / self.seconds[best] if best else 1.0

    @property
    def to_peer(self) -> float:
        """The best peer's time, as a multiple of auto's; infinite without a peer of equal work."""
        best = self.best(self.equal)
        return self.seconds[best] / self.auto if best else np.inf

    @property
    def misses(self) -> list[str]:
        out = []
        if self.to_sibling > SIBLING_GOAL:
            out.append(f"sibling {self.to_sibling:.2f}x (goal {SIBLING_GOAL:g}x)")
        if self.to_peer < PEER_GOAL:
            out.append(f"peer {self.to_peer:.2f}x (goal {PEER_GOAL:g}x)")
        return out

    @property
    def default(self) -> float:
        """The best peer's time with its default tolerance, as a multiple of auto's."""
        usual = [one for one in self.seconds if one.endswith(_tol(TOLERANCES[0]))]
        best = self.best(usual)
        return self.seconds[best] / self.auto if best else np.inf

    def row(self) -> tuple[str, ...]:
        sibling, peer = self.best(list(SIBLINGS)), self.best(self.equal)
        return (
            self.name,
            self.what,
            self.took,
            f"{1e3 * self.auto:.3g}",
            f"{self.to_sibling:.2f}x of {sibling}" if sibling else "–",
            f"{self.to_peer:.2f}x, {peer}" if peer else "–",
            f"{self.default:.2f}x" if np.isfinite(self.default) else "–",
            "; ".join(self.misses) or "win",
        )


def measure(name: str, table: Table, data: Data | None = None, budget: float = BUDGET) -> Choice:
    """Everyone once, to see who does equal work; then the rounds."""
    data = table.make() if data is None else data
    fits = dict(_siblings(data, table.C))
    _, answer = _timed(fits["auto"])  # compiled from here on, but for other siblings
    best = {one: _timed(fit)[0] for one, fit in fits.items()}
    took = answer.certificate_.how.split(" (")[0]
    least, equal, done = objective(data, answer, table.C), [], set()
    for one, fit in _peers(data, table.C):
        solver = one.rsplit(" ", 1)[0]
        if solver in done:
            continue
        seconds, answer = _timed(fit)
        if answer is None:
            continue
        fits[one], best[one] = fit, seconds
        if worse_objective(objective(data, answer, table.C), least) <= TOLERANCE:
            equal.append(one)
        if one in equal or seconds > HOPELESS * best["auto"]:
            done.add(solver)  # a smaller tolerance only takes longer
    _alternate(fits, best, budget)
    shape = " × ".join(f"{k:,}" for k in data.X.shape)
    return Choice(name, f"{table.what}: {shape}", took, best, equal)


def _siblings(data: Data, C: float):
    """linscope's solvers; one that would form a Hessian of very many columns is left out."""
    two, few = len(np.unique(data.y)) == 2, data.X.shape[1] <= MOST_WEIGHTS
    for solver in ("auto", *SIBLINGS):
        if solver != "newton" or (two and few):
            model = ls.LogisticRegression(solver=solver, C=C, max_iter=MOST_STEPS)
            yield solver, partial(model.fit, data.X, data.y)


def _peers(data: Data, C: float):
    """scikit-learn's solvers with each tolerance, and its accelerated twin."""
    from sklearn.linear_model import LogisticRegression

    count = len(np.unique(data.y))
    weights = data.X.shape[1] * (1 if count == 2 else count)
    for solver in PEERS if installed("sklearn") else ():
        if solver == "liblinear" and count > 2:
            continue
        if solver == "newton-cholesky" and weights > MOST_WEIGHTS:
            continue
        for tol in TOLERANCES:
            model = LogisticRegression(solver=solver, C=C, tol=tol, max_iter=MOST_STEPS)
            yield f"sklearn {solver} {_tol(tol)}", partial(model.fit, data.X, data.y)
    if installed("sklearnex"):
        from sklearnex.linear_model import LogisticRegression as Accelerated

        for tol in TOLERANCES:
            model = Accelerated(C=C, tol=tol, max_iter=MOST_STEPS)
            yield f"sklearnex lbfgs {_tol(tol)}", partial(model.fit, data.X, data.y)


def _tol(tol: float) -> str:
    return f"{tol:.0e}"


def _timed(fit: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and the fitted model; None if the peer cannot do it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        try:
            answer = fit()
        except (ValueError, np.linalg.LinAlgError):
            answer = None
        return time.perf_counter() - start, answer


def _alternate(fits: dict[str, Callable[[], Any]], best: dict[str, float], budget: float) -> None:
    """Rounds of all that are not hopeless; ``best`` are the least seconds so far.

    Each round has an order of its own: who always came after the same one would always find the
    same caches, and threads that are still awake.
    """
    begin, rounds, rng = time.perf_counter(), 0, np.random.default_rng(0)
    while rounds < 3 or (time.perf_counter() - begin < budget and rounds < 50):
        # The first time may include compiling.
        limit = HOPELESS * min(best.values()) + (COMPILING if rounds == 0 else 0.0)
        for one in rng.permutation(list(fits)).tolist():
            if best[one] <= limit:
                best[one] = min(best[one], _timed(fits[one])[0])
        rounds += 1


def run(names: list[str] | None = None, say: Callable[[str], None] = print) -> list[Choice]:
    """All tables, or some."""
    found = []
    for name in names or TABLES:
        say(f"auto: {name} …")
        found.append(measure(name, TABLES[name]))
        say("    " + ", ".join(found[-1].row()[2:]))
    return found


def summary(found: list[Choice]) -> str:
    """One line for all tables."""
    worst, least = max(one.to_sibling for one in found), min(one.to_peer for one in found)
    good = sum(not one.misses for one in found)
    return (
        f"auto: {good} of {len(found)} tables meet both goals; at most {worst:.2f}x the time of "
        f"the best sibling (goal {SIBLING_GOAL:g}x), at least {least:.2f}x as fast as the best "
        f"peer of equal work (goal {PEER_GOAL:g}x)"
    )


def print_choices(found: list[Choice]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table as Shown

    shown = Shown(*HEAD, box=box.SIMPLE_HEAD, pad_edge=False)
    for one in found:
        *cells, verdict = one.row()
        shown.add_row(*cells, f"[{'red' if one.misses else 'green'}]{verdict}[/]")
    Console(width=None if os.isatty(1) else 150).print(shown)
    print(summary(found))
