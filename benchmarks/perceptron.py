"""Perceptron speed: linscope and scikit-learn in one process, the same updates, alternating rounds.

    python benchmarks/perceptron.py [--rows N] [--features D] [--epochs 5] [--rounds 9] [--readme]

Equal work is checked before a ratio is printed: both must end at the same weights, so they have
made the same updates. Voted training and prediction are measured too, with their size in memory.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier

import linscope as ls
from linscope.data.rows import as_rows
from linscope.solvers import perceptron_loops as loops


def make_data(rows: int, features: int, seed: int = 0):
    """Overlapping classes: about 15 % of the visits are mistakes, so updates matter too."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, features))
    direction = rng.standard_normal(features)
    y = np.where(X @ direction + 2 * rng.standard_normal(rows) > 0, 1, -1)
    return X, y


def contenders(X, y, epochs: int):
    plain = {"max_iter": epochs}
    sgd = {"loss": "perceptron", "penalty": None, "learning_rate": "constant", "eta0": 1.0}
    sgd |= {"max_iter": epochs, "tol": None, "shuffle": False}
    return {
        "sklearn Perceptron": lambda: SklearnPerceptron(
            max_iter=epochs, tol=None, shuffle=False
        ).fit(X, y),
        "sklearn SGD(average=True)": lambda: SGDClassifier(average=True, **sgd).fit(X, y),
        "linscope": lambda: ls.Perceptron(**plain).fit(X, y),
        "linscope, trace on": lambda: ls.trace(ls.Perceptron(**plain), X, y).estimator,
        "linscope averaged": lambda: ls.Perceptron(output="averaged", **plain).fit(X, y),
        "linscope voted": lambda: ls.Perceptron(output="voted", **plain).fit(X, y),
    }


def measure(candidates, rounds: int):
    """Seconds of each round, candidates alternating, after one warm-up of each."""
    models = {name: fit() for name, fit in candidates.items()}
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, fit in candidates.items():
            begin = time.perf_counter()
            fit()
            times[name].append(time.perf_counter() - begin)
    return models, times


def check_equal_work(models) -> str:
    """The weights of both, hence the updates, must agree."""
    ours, theirs = models["linscope"], models["sklearn Perceptron"]
    same = np.allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-9) and np.allclose(
        ours.intercept_, theirs.intercept_
    )
    if not same:
        raise SystemExit("equal work: NO, the weights differ; no ratio is printed")
    return f"Equal work: the same weights after {ours.n_updates_:,} updates"


def voted_line(model, X, points: int = 1000) -> str:
    committee = model.committees_[0]
    size = committee.support.nbytes + committee.samples.nbytes
    size += committee.steps.nbytes + committee.survival.nbytes
    model.predict(X[:8])
    begin = time.perf_counter()
    model.predict(X[:points])
    seconds = time.perf_counter() - begin
    return (
        f"The voted model has {len(committee):,} vectors, kept as "
        f"{committee.support.shape[0]:,} rows and a log in {size / 1e6:.0f} MB; "
        f"it predicts {points:,} points in {seconds:.2f} s."
    )


def scan_line(X, epochs: int, sklearn_seconds: float) -> str:
    """The floor of any exact sequential rule: one core reads every row and takes one score."""
    w = np.ones(X.shape[1] + 1)
    rows, y = as_rows(X), np.ones(len(X))
    loops.tally(rows, y, w, 0.0)
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        loops.tally(rows, y, w, 0.0)
        times.append(time.perf_counter() - begin)
    floor = epochs * float(np.median(times))
    return (
        f"Floor: one core that only takes the scores of all rows, without a single update, needs "
        f"{floor * 1e3:.0f} ms for {epochs} epochs ({sklearn_seconds / floor:.1f}x)."
    )


def report(args, X, models, times) -> list[str]:
    """Markdown lines: what was run, equal work, one row a contender, floor, votes."""
    lines = [
        f"{args.rows:,} × {args.features} float64, {args.epochs} epochs, medians of {args.rounds} "
        f"alternating rounds in one process; {platform.machine()}, {os.cpu_count()} cores, "
        f"scikit-learn {sklearn.__version__}. {check_equal_work(models)}.",
        "",
        "| contender | median | fastest | against | of plain linscope |",
        "|---|---:|---:|---:|---:|",
    ]
    median = {name: float(np.median(values)) for name, values in times.items()}
    for name, values in times.items():
        peer = "sklearn SGD(average=True)" if "averaged" in name else "sklearn Perceptron"
        ratio = f"{median[peer] / median[name]:.1f}x {peer}" if "linscope" in name else ""
        lines.append(
            f"| {name} | {median[name] * 1e3:.0f} ms | {min(values) * 1e3:.0f} ms | {ratio} | "
            f"{median[name] / median['linscope']:.2f} |"
        )
    lines += ["", scan_line(X, args.epochs, median["sklearn Perceptron"])]
    return [*lines, voted_line(models["linscope voted"], X)]


def write_readme(lines: list[str]) -> None:
    """Put the figures between the two marks in the README."""
    path = Path(__file__).parents[1] / "README.md"
    begin, end = "<!-- figures by benchmarks/perceptron.py -->", "<!-- end of figures -->"
    head, rest = path.read_text().split(begin)
    tail = rest.split(end)[1]
    path.write_text("\n".join([head + begin, "", *lines, "", end + tail]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--readme", action="store_true", help="write the figures into README.md")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    X, y = make_data(args.rows, args.features)
    models, times = measure(contenders(X, y, args.epochs), args.rounds)
    lines = report(args, X, models, times)
    print("\n".join(lines))
    if args.readme:
        write_readme(lines)


if __name__ == "__main__":
    main()
