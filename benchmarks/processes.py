"""What needs a process of its own: peak memory, and the cost of a cold start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
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
import numpy as np
import linscope as ls
rng = np.random.default_rng(0)
X = rng.normal(size=(1000, 3))
score = X @ [1.0, -1.0, 0.5] + 0.1 * rng.normal(size=1000)
y = {target}
model = ls.{model}
begin = time.perf_counter()
model.fit(X, y)
print(time.perf_counter() - begin)
"""
# What each is trained on: two classes unless it is said here. No fit may take longer at first.
TARGETS = {"LinearRegression": "score", "Ridge": "score", "HuberRegressor": "score"}
MODELS = {
    "Perceptron": "Perceptron(max_iter=10)",
    "KernelPerceptron": "KernelPerceptron(max_iter=10)",
    **{name: f"{name}()" for name in ("LinearRegression", "Ridge", "HuberRegressor")},
    "LeastSquaresClassifier": "LeastSquaresClassifier()",
    "FisherDiscriminant": "FisherDiscriminant()",
    "GaussianNaiveBayes": "GaussianNaiveBayes()",
    "LogisticRegression": "LogisticRegression()",
    "LogisticRegression, l1": "LogisticRegression(penalty='l1')",
    "LinearSVC": "LinearSVC()",
    "SVC": "SVC()",
    "ApproximateSVC": "ApproximateSVC(random_state=0)",
}
FIRST, LATER, WARM = (
    "first fit, empty kernel cache",
    "first fit of a later process",
    "linscope warm",
)
LONGEST, LONGEST_OF_ALL = 5.0, 25.0


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


def cold_start(
    rounds: int = 3, models: Iterable[str] = MODELS, warm: bool = True
) -> dict[str, float]:
    """Seconds of imports, of first fits with an empty kernel cache, and of later processes."""
    # ``import linscope`` alone imports next to nothing, so looking up an estimator is shown too.
    imports = {
        "import linscope": "import linscope",
        "the same, and look up Perceptron": "import linscope; linscope.Perceptron",
        "import sklearn.linear_model": "import sklearn.linear_model",
    }
    found = {
        what: min(_seconds(statement) for _ in range(rounds)) for what, statement in imports.items()
    }
    for name in models:
        with tempfile.TemporaryDirectory() as cache:
            found[f"{FIRST}: {name}"] = first_fit(name, cache)
            if LATER not in found:
                found[LATER] = min(first_fit(name, cache) for _ in range(rounds))
    return found | ({WARM: warm_up()} if warm else {})


def warm_up() -> float:
    """Seconds of ``linscope warm``."""
    command = [sys.executable, "-m", "linscope", "warm"]
    with tempfile.TemporaryDirectory() as cache:
        environment, begin = {**os.environ, "NUMBA_CACHE_DIR": cache}, time.perf_counter()
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - begin


def first_fit(name: str, cache: str) -> float:
    """Seconds of the first fit of a new process."""
    target = TARGETS.get(name, "(score > 0).astype(int)")
    code = FIRST_FIT.format(model=MODELS[name], target=target)
    return float(_python(code, NUMBA_CACHE_DIR=cache))


def judge_cold(seconds: dict[str, float]) -> dict[str, str]:
    """Each time against what is promised."""
    limit = 1.3 * seconds["import sklearn.linear_model"]
    promised = {
        "import linscope": ("1.3x scikit-learn", limit),
        LATER: ("0.2 s", 0.2),
        WARM: (f"{LONGEST_OF_ALL:g} s", LONGEST_OF_ALL),
        **{f"{FIRST}: {name}": (f"{LONGEST:g} s", LONGEST) for name in MODELS},
    }
    return {
        what: f"{'win' if seconds[what] <= most else 'loss'} (at most {text})"
        for what, (text, most) in promised.items()
        if what in seconds
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
