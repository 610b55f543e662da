"""Is the headline score honest? python -m benchmarks.honest_scores [problems] [processes].

Many random problems, small enough that choosing a model overfits. For each, ``compare`` sees a few
hundred rows and states a score with an interval; then its recommended model is judged by 20,000
fresh rows. Beside it stands the naive score, that of the best of twelve models on the same folds.
Writes docs/images/honest_scores.png and prints the figures that it shows.
"""

from __future__ import annotations

import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import binomtest

from linscope.data.question import read_question
from linscope.display import theme
from linscope.selection.comparison.options import Options
from linscope.selection.comparison.scoring.candidates import CLASSIFIERS
from linscope.selection.comparison.study import run_study

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "honest_scores.png"
FRESH = 20_000
# The reference is never chosen.
MODELS = tuple(model.key for model in CLASSIFIERS if model.family != "reference")


class Trial(NamedTuple):
    """What was stated, with its interval, what the naive score says, and what is true."""

    stated: float
    low: float
    high: float
    naive: float
    true: float


def problem(seed: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows, labels, and how many of the rows are for learning.

    P(y = 1) = σ(s), where s is a line plus, in half of the problems, products of two features; in
    every fourth problem s = 0, so that there is nothing to learn.
    """
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(80, 300)), int(rng.integers(2, 15))
    X = rng.normal(size=(n + FRESH, d))
    s = np.zeros(n + FRESH)
    if seed % 4:
        s = X @ rng.normal(size=d) / np.sqrt(d) * rng.uniform(0.5, 3.0)
        if seed % 2:
            s += X[:, 0] * X[:, 1] * rng.uniform(0.5, 2.0)
        s += rng.uniform(-1.0, 1.0)
    return X, (rng.random(n + FRESH) < 1 / (1 + np.exp(-s))).astype(int), n


def trial(seed: int, models: tuple[str, ...] = MODELS) -> Trial:
    """One problem."""
    X, y, n = problem(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        question = read_question(X[:n], target_values=y[:n])
        study = run_study(question, Options(models=models, budget=None, seed=seed))
        right = study.best.predict(X[n:]) == y[n:]
    true = float(np.mean([right[y[n:] == label].mean() for label in (0, 1)]))
    headline = study.findings.headline
    return Trial(
        *(getattr(headline.score, a) for a in ("mean", "low", "high")), headline.naive, true
    )


def figures(trials: list[Trial]) -> dict[str, tuple[float, float, float]]:
    """Mean errors with two standard errors to both sides, and coverage with its 95 % interval."""
    stated, low, high, naive, true = np.array(trials).T
    found = {}
    for name, values in (("stated", stated), ("naive", naive)):
        error = values - true
        width = 2 * error.std(ddof=1) / np.sqrt(len(error))
        found[name] = (
            float(error.mean()),
            float(error.mean() - width),
            float(error.mean() + width),
        )
    covered = int(((low <= true) & (true <= high)).sum())
    band = binomtest(covered, len(trials)).proportion_ci()
    found["coverage"] = (covered / len(trials), band.low, band.high)
    return found


def draw(trials: list[Trial]) -> Figure:
    """Errors of both scores, problem by problem, as histograms over the same axis."""
    stated, _, _, naive, true = np.array(trials).T
    found = figures(trials)
    figure = Figure(figsize=(7.2, 4.4), layout="constrained", facecolor="white")
    axes: Any = figure.subplots(2, 1, sharex=True, sharey=True)
    most = float(np.abs(np.r_[stated - true, naive - true]).max())
    edges = np.linspace(-most, most, 41)
    rows = ((stated, "stated", theme.BLUE), (naive, "naive", theme.RED))
    words = {"stated": "the whole procedure", "naive": "best of twelve models"}
    for ax, (values, name, colour) in zip(axes, rows, strict=True):
        theme.style(ax)
        ax.hist(100 * (values - true), bins=100 * edges, color=theme.tint(colour, 0.6))
        mean, bottom, top = (100 * value for value in found[name])
        ax.axvline(0, color=theme.INK, lw=1)
        ax.axvline(mean, color=colour, lw=2)
        text = f"{words[name]}: mean error {mean:+.2f} points (±{(top - bottom) / 2:.2f})"
        ax.set_title(text, loc="left", fontsize=theme.SMALL, color=theme.INK)
        ax.set_ylabel("problems")
    share, bottom, top = (100 * value for value in found["coverage"])
    axes[1].set_xlabel("stated balanced accuracy − that on 20,000 fresh rows, in points")
    figure.suptitle(
        f"Is the score honest? {len(trials)} problems; the 95 % interval holds the truth in "
        f"{share:.0f} % ({bottom:.0f}–{top:.0f} %)",
        x=0.01,
        ha="left",
        fontsize=theme.SMALL + 1,
    )
    return figure


def main(problems: int = 200, processes: int = 2) -> None:
    """Run, print and draw."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        trials = []
        for number, one in enumerate(pool.map(trial, range(problems)), 1):
            trials.append(one)
            if number % 10 == 0:
                print(f"{number} of {problems}", file=sys.stderr, flush=True)
    for name, (value, low, high) in figures(trials).items():
        print(f"{name:9s} {value:+.4f}  ({low:+.4f} … {high:+.4f})")
    draw(trials).savefig(PICTURE, dpi=100)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
