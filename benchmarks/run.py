"""Running a case: warm up, alternate the contenders, compare their work."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .case import TOLERANCE, Case, Contender, Data

# Seconds that the rounds of one case may take; slow contenders get fewer rounds, at least three.
BUDGET = 90.0
FEWEST = 3
SLOW = 5.0


@dataclass
class Outcome:
    """Times of every contender in one case, and by how much linscope's work falls short of each."""

    case: Case
    size: tuple[int, int]
    times: dict[str, list[float]]
    shortfall: dict[str, float]
    missing: list[str] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
    remarks: dict[str, str] = field(default_factory=dict)

    def median(self, name: str) -> float:
        return float(np.median(self.times[name]))

    def spread(self, name: str) -> float:
        """Half the distance of the quartiles, relative to the median."""
        low, high = np.percentile(self.times[name], [25, 75])
        return float((high - low) / 2 / self.median(name))

    def equal_work(self, peer: str) -> bool:
        return self.shortfall[peer] <= TOLERANCE

    def ratio(self, peer: str) -> float | None:
        """How many times faster linscope is, or None where its work is not as good."""
        if not self.equal_work(peer):
            return None
        return self.median(peer) / self.median("linscope")

    def verdict(self, peer: str) -> str:
        return "; ".join(filter(None, [self._judged(peer), self.remarks.get(peer, "")]))

    def _judged(self, peer: str) -> str:
        ratio, goal = self.ratio(peer), self.case.goals.get(peer)
        if ratio is None:
            return f"loss: work falls short by {self.shortfall[peer]:.2g}"
        if not self.case.judged_by_time:
            return "win"
        if goal is not None and ratio < goal:
            return f"below the goal of {goal:g}x" if ratio >= 1 else f"loss (goal {goal:g}x)"
        return "win" if ratio >= 1 else "loss"


def run_case(
    case: Case, peers: list[str], repeat: int = 7, size: tuple[int, int] | None = None
) -> Outcome:
    """Fit each contender once to warm up and compare work, then alternate them."""
    rows, features = size or case.size
    data = case.make(rows, features)
    shape = data.X.shape
    contenders = case.contenders(peers)
    answers: dict[str, Any] = {}
    errors: dict[str, str] = {}
    once = 0.0
    for contender in contenders:
        try:
            first, answers[contender.name] = timed(contender, data)
            # What takes long needs no warming up.
            once += first if first > SLOW else timed(contender, data)[0]
        except Exception as error:  # a peer that fails is reported, not hidden
            if contender is case.ours:
                raise
            errors[contender.name] = f"{type(error).__name__}: {error}"
    contenders = [one for one in contenders if one.name not in errors]
    work = {one.name: one.work(data, answers[one.name]) for one in contenders}
    short = {one.name: case.shortfall(work["linscope"], work[one.name]) for one in contenders[1:]}
    rounds = int(np.clip(BUDGET / max(once, 1e-9), FEWEST, repeat))
    times: dict[str, list[float]] = {one.name: [] for one in contenders}
    for _ in range(rounds):
        for one in contenders:
            times[one.name].append(timed(one, data)[0])
    remarks = {}
    if case.remark is not None:
        remarks = {name: case.remark(work["linscope"], work[name]) for name in short}
    return Outcome(case, shape, times, short, case.missing(peers), errors, remarks)


def timed(contender: Contender, data: Data) -> tuple[float, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        begin = time.perf_counter()
        answer = contender.fit(data)
        return time.perf_counter() - begin, answer
