"""What needs a process of its own: peak memory, and the cost of a cold start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .case import Case

ROOT = Path(__file__).resolve().parents[1]

PEAK = """
import json, sys
from benchmarks.cases import CASES
from benchmarks.processes import peak
from benchmarks.run import timed
name, contender, rows, features = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
case = CASES[name]
one = next(c for c in (case.ours, *case.peers) if c.name == contender)
timed(one, case.make(64, features))
data = case.make(rows, features)
before = peak()
timed(one, data)
print(json.dumps([before, peak()]))
"""

FIRST_FIT = """
import time
begin = time.perf_counter()
import linscope as ls
X, y = ls.datasets.load("or")
ls.Perceptron
imported = time.perf_counter()
ls.Perceptron().fit(X, y)
print(time.perf_counter() - imported)
"""


def peak() -> float:
    """Peak memory of this process so far, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # getrusage would tell the peak of the process that started this one
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def peak_memory(case: Case, contender: str, size: tuple[int, int]) -> tuple[float, float]:
    """Peak memory in MB with the data made, and after the fit."""
    before, after = json.loads(_python(PEAK, case.name, contender, *map(str, size)))
    return before, after


def cold_start(rounds: int = 3) -> dict[str, float]:
    """Seconds of imports, of a first fit with an empty kernel cache, and of later processes."""
    # ``import linscope`` alone imports next to nothing, so looking up an estimator is shown too.
    imports = {
        "import linscope": "import linscope",
        "the same, and look up Perceptron": "import linscope; linscope.Perceptron",
        "import sklearn.linear_model": "import sklearn.linear_model",
    }
    found = {
        what: min(_seconds(statement) for _ in range(rounds)) for what, statement in imports.items()
    }
    with tempfile.TemporaryDirectory() as cache:
        first = float(_python(FIRST_FIT, NUMBA_CACHE_DIR=cache))
        later = min(float(_python(FIRST_FIT, NUMBA_CACHE_DIR=cache)) for _ in range(rounds))
    return found | {
        "first fit, empty kernel cache": first,
        "first fit of a later process": later,
    }


def judge_cold(seconds: dict[str, float]) -> dict[str, str]:
    """Each time against what is promised."""
    limit = 1.3 * seconds["import sklearn.linear_model"]
    promised = {
        "import linscope": ("1.3x scikit-learn", limit),
        "first fit, empty kernel cache": ("8 s", 8.0),
        "first fit of a later process": ("0.2 s", 0.2),
    }
    return {
        what: f"{'win' if seconds[what] <= most else 'loss'} (at most {text})"
        for what, (text, most) in promised.items()
    }


def _seconds(statement: str) -> float:
    code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
    return float(_python(code))


def _python(code: str, *words: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip().splitlines()[-1]
