"""Perceptron speed: linscope and scikit-learn in one process, the same updates, alternating rounds.

    python benchmarks/perceptron.py [--rows 500000] [--features 50] [--epochs 5] [--rounds 7]

Equal work is checked before a ratio is printed: both must end at the same weights, so they have
made the same updates. Voted training and prediction are measured too, with their size in memory.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
import warnings

import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier

import linscope as ls


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
    return f"equal work: same weights after {ours.n_updates_:,} updates"


def report_voted(model, X, points: int = 1000) -> None:
    committee = model.committees_[0]
    size = committee.support.nbytes + committee.samples.nbytes
    size += committee.steps.nbytes + committee.survival.nbytes
    begin = time.perf_counter()
    model.predict(X[:points])
    seconds = time.perf_counter() - begin
    print(
        f"voted: {len(committee):,} vectors kept as {committee.support.shape[0]:,} rows and a log, "
        f"{size / 1e6:.0f} MB; predicts {points:,} points in {seconds:.2f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    X, y = make_data(args.rows, args.features)
    models, times = measure(contenders(X, y, args.epochs), args.rounds)
    print(
        f"{args.rows:,} × {args.features} float64, {args.epochs} epochs, {args.rounds} rounds; "
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
        f"scikit-learn {sklearn.__version__}, linscope {ls.__version__}"
    )
    print(check_equal_work(models))
    median = {name: float(np.median(values)) for name, values in times.items()}
    for name, values in times.items():
        peer = "sklearn SGD(average=True)" if "averaged" in name else "sklearn Perceptron"
        print(
            f"{name:28s} median {median[name] * 1e3:7.1f} ms   min {min(values) * 1e3:7.1f} ms   "
            f"{median[peer] / median[name]:5.2f}x {peer if name != peer else ''}   "
            f"{median[name] / median['linscope']:5.2f} of plain linscope"
        )
    report_voted(models["linscope voted"], X)


if __name__ == "__main__":
    main()
