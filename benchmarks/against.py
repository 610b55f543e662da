"""linscope's times in this checkout and in another one, case by case, the two alternating.

    python -m benchmarks.against ../before            all cases that both have
    python -m benchmarks.against ../before ols-tall   some

Each checkout has a process of its own, which makes the data of the case from the same seed. Only
fastest times are compared: they are what a busy machine disturbs least. Times of the processors,
all threads together, tell a slower program from threads that had to wait for a core.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from .cases import CASES

HERE = Path(__file__).resolve().parents[1]
ROUNDS, SECONDS = 40, 30.0
WORKER = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
from benchmarks.cases import CASES
answers, sys.stdout = sys.stdout, sys.stderr
for line in sys.stdin:
    name = line.strip()
    if name:
        case = CASES[name]
        data = case.make(*case.size)
        case.ours.fit(data)
    begin = time.perf_counter(), time.process_time()
    case.ours.fit(data)
    end = time.perf_counter(), time.process_time()
    print(end[0] - begin[0], end[1] - begin[1], file=answers, flush=True)
"""


class Checkout:
    """A process that fits what it is told with the sources of a checkout."""

    def __init__(self, folder: Path):
        path = os.pathsep.join([str(folder / "src"), str(folder)])
        environment = {**os.environ, "PYTHONPATH": path}
        self._process = subprocess.Popen(
            [sys.executable, "-c", WORKER],
            cwd=folder, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def seconds(self, case: str = "") -> np.ndarray:
        """One fit of the case, or of the last one again: by the clock, and of the processors."""
        words, answers = self._process.stdin, self._process.stdout
        assert words is not None
        assert answers is not None
        words.write(f"{case}\n")
        words.flush()
        answer = answers.readline()
        if not answer:
            raise RuntimeError(f"the other process ended in {case or 'a repeated fit'}")
        return np.array([float(word) for word in answer.split()])


def fastest(case: str, checkouts: list[Checkout]) -> list[np.ndarray]:
    """Of each checkout, in rounds that take some seconds."""
    best = [one.seconds(case) for one in checkouts]
    rounds = int(np.clip(SECONDS / sum(clock for clock, _ in best), 3, ROUNDS))
    for turn in range(rounds):
        order = range(2) if turn % 2 else (1, 0)
        for k in order:
            best[k] = np.minimum(best[k], checkouts[k].seconds())
    return best


def main(words: list[str]) -> None:
    other, names = Path(words[0]).resolve(), words[1:] or list(CASES)
    checkouts = [Checkout(HERE), Checkout(other)]
    ratios = {}
    head = "case | here, ms | there, ms | here / there | processors, here / there"
    print(f"| {head} |\n|---|---|---|---|---|", flush=True)
    for name in names:
        try:
            here, there = fastest(name, checkouts)
        except RuntimeError as error:
            print(f"| {name} | {error} | | | |", flush=True)
            checkouts = [Checkout(HERE), Checkout(other)]
            continue
        ratios[name], processors = here / there
        row = f"{1000 * here[0]:.4g} | {1000 * there[0]:.4g} | {ratios[name]:.3f}"
        print(f"| {name} | {row} | {processors:.3f} |", flush=True)
    mean = float(np.exp(np.mean(np.log(list(ratios.values())))))
    print(json.dumps({"geometric mean": round(mean, 3), "slowest": max(ratios, key=ratios.get)}))


if __name__ == "__main__":
    main(sys.argv[1:])
