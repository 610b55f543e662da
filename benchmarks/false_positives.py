"""How often two equally good models are called different: python -m benchmarks.false_positives.

Two nearest-mean rules, each with two columns of its own. All four columns have the same
distribution, so neither rule is better; whoever says so is wrong. The t-test that takes folds for
independent says so more and more often the more repeats there are; the corrected one does not.
Writes docs/images/false_positives.png.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import binomtest
from scipy.stats import t as student

from linscope.display import theme
from linscope.validation.differences import compare_pair

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "false_positives.png"
FOLDS, REPEATS = 5, (1, 2, 4, 10, 20)
SHIFT = 0.5  # half the distance between the classes' means, in standard deviations


def fold_rows(n: int, folds: int, repeats: int, rng: np.random.Generator) -> np.ndarray:
    """Stratified folds, repeated: (folds × repeats, n / folds) row numbers; the classes alternate.

    Examples
    --------
    >>> rows = fold_rows(20, 5, 2, np.random.default_rng(0))
    >>> rows.shape, sorted(rows[:5].ravel().tolist()) == list(range(20))
    ((10, 4), True)
    """
    parts = []
    for _ in range(repeats):
        first, second = 2 * rng.permutation(n // 2), 2 * rng.permutation(n // 2) + 1
        parts.append(np.hstack([first.reshape(folds, -1), second.reshape(folds, -1)]))
    return np.vstack(parts)


def accuracies(X: np.ndarray, tests: np.ndarray) -> np.ndarray:
    """Of the nearest-mean rule on each fold, for many tables at once: (tables, folds).

    The rule says the second class where (m₂ − m₁)·(x − (m₁ + m₂)/2) > 0; X is (tables, n, d).
    """
    found = np.empty((len(X), len(tests)))
    sums = [X[:, code::2].sum(axis=1) for code in (0, 1)]
    for fold, rows in enumerate(tests):
        means = []
        for code in (0, 1):
            own = rows[rows % 2 == code]
            means.append((sums[code] - X[:, own].sum(axis=1)) / (X.shape[1] // 2 - len(own)))
        centred = X[:, rows] - (means[0] + means[1])[:, None] / 2
        positive = np.einsum("tnd,td->tn", centred, means[1] - means[0]) > 0
        found[:, fold] = (positive == rows % 2).mean(axis=1)
    return found


def false_positives(
    tables: int, n: int = 100, *, repeats: int, seed: int, level: float = 0.05
) -> tuple[int, int]:
    """How many of the tables the naive and the corrected t-test call different."""
    rng = np.random.default_rng(seed)
    tests = fold_rows(n, FOLDS, repeats, rng)
    side = np.where(np.arange(n) % 2, SHIFT, -SHIFT)[:, None]
    a, b = (accuracies(rng.normal(size=(tables, n, 2)) + side, tests) for _ in range(2))
    size = tests.shape[1]
    J = len(tests)
    with np.errstate(invalid="ignore", divide="ignore"):  # no difference at all: not called one
        t = (a - b).mean(axis=1) / ((a - b).std(axis=1, ddof=1) / np.sqrt(J))
    naive = int((2 * student.sf(abs(t), J - 1) < level).sum())
    rules = {"train": n - size, "test": size}
    corrected = sum(
        compare_pair(one, two, **rules).p < level for one, two in zip(a, b, strict=True)
    )
    return naive, corrected


def draw(counts: dict[int, tuple[int, int]], tables: int) -> Figure:
    """Rates with exact 95 % intervals over the number of folds."""
    figure = Figure(figsize=(7.2, 4.4), layout="constrained", facecolor="white")
    ax: Any = figure.subplots()
    theme.style(ax)
    J = [FOLDS * repeats for repeats in counts]
    looks = ((theme.RED, "s", "t-test with sd/√J"), (theme.BLUE, "o", "corrected t-test"))
    for which, (colour, marker, _) in enumerate(looks):
        rates = [100 * count[which] / tables for count in counts.values()]
        bands = [binomtest(count[which], tables).proportion_ci() for count in counts.values()]
        low, high = ([100 * getattr(band, end) for band in bands] for end in ("low", "high"))
        ax.fill_between(J, low, high, color=theme.tint(colour, 0.25), lw=0)
        ax.plot(J, rates, color=colour, marker=marker, ms=5, lw=1.8)
        for spot in zip(J, rates, strict=True):
            ax.annotate(
                f"{spot[1]:.1f} %",
                spot,
                (0, (8, -15)[which]),
                textcoords="offset points",
                ha="center",
                fontsize=theme.SMALL,
                color=theme.INK,
            )
    ax.axhline(5, color=theme.SOFT, ls=theme.DASHED, lw=1.2)
    ax.set(xscale="log", yscale="log", xlim=(4.2, 120), ylim=(0.8, 100))
    ax.set(xlabel="scores of each model, J (5 folds, repeated)", ylabel="called different")
    ax.set_xticks(J, [str(one) for one in J])
    ax.set_yticks([1, 2, 5, 10, 20, 50, 100], [f"{one} %" for one in (1, 2, 5, 10, 20, 50, 100)])
    ax.minorticks_off()
    entries = [
        *(theme.line_entry(label, color=c, marker=m, ms=5) for c, m, label in looks),
        theme.line_entry("promised: 5 %", color=theme.SOFT, ls=theme.DASHED, lw=1.2),
    ]
    title = f"How often two equally good models are called different ({tables:,} tables)"
    theme.title_and_key(ax, title, entries)
    return figure


def main(tables: int = 4000) -> None:
    """Count, print and draw."""
    counts = {}
    for repeats in REPEATS:
        counts[repeats] = false_positives(tables, repeats=repeats, seed=repeats)
        naive, corrected = (100 * count / tables for count in counts[repeats])
        print(f"J = {FOLDS * repeats:3d}: naive {naive:4.1f} %, corrected {corrected:4.1f} %")
    draw(counts, tables).savefig(PICTURE, dpi=100)


if __name__ == "__main__":
    main()
