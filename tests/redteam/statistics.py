"""Statistics of fits against 50 digits: errors, tests, intervals and criteria under weights.

``python -m tests.redteam.statistics --seconds 60 --seed 0`` prints counts and findings. Problems
are random tables with repeated rows, weights of all kinds, offsets, scales and nearly dependent
columns. Each is handed over in one of many ways: arrays, sparse and single precision, files,
compressed tables, Dask, parts, saved models. The references are in ``statistics_reference.py``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

import linscope as ls
from linscope.fitting import training_rows

from .statistics_reference import LinearReference, LogisticReference, Singular, determined

WRONG, CRASH, REFUSED = "wrong", "crash", "refused"
LEVELS = (0.5, 0.9, 0.95, 0.999)
ROBUST = (None, "HC0", "HC1", "HC2", "HC3", "cluster")
WAYS = ("array", "kept", "frame", "sparse", "float32", "repeated", "compress", "auto", "parquet",
        "csv", "parts", "merge", "saved", "dask")  # fmt: skip
# Rows of these ways have no weights, but are there as often as their weights say.
REPEATED = ("repeated", "compress", "auto")
# A standard error must be right to this; more is lost where residuals are rounding errors of y.
CLOSE = 1e-8


@dataclass
class Problem:
    """A table with weights, and how it is handed over."""

    seed: int
    number: int
    logistic: bool
    X: np.ndarray
    y: np.ndarray
    c: np.ndarray | None
    kind: str
    way: str
    intercept: bool
    level: float
    groups: np.ndarray
    new: np.ndarray
    digits: int

    @property
    def words(self) -> str:
        model = "logistic" if self.logistic else "linear"
        weights = "no weights" if self.c is None else self.kind
        return (
            f"statistics --seed {self.seed} --only {self.number}: {model}, {weights}, {self.way}, "
            f"X {self.X.shape}, intercept {self.intercept}, level {self.level}"
        )


@dataclass
class Report:
    """What a campaign has counted and found."""

    counts: Counter = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{count:8d} {what}" for what, count in sorted(self.counts.items())]
        return "\n".join([*lines, *self.findings])


def run(seconds: float, seed: int, most: int | None = None) -> Report:
    """Problems until the time is over, or so many."""
    report, stop, number = Report(), time.monotonic() + seconds, 0
    while time.monotonic() < stop and (most is None or number < most):
        attack(problem_of(seed, number), report)
        number += 1
    return report


def attack(problem: Problem, report: Report) -> None:
    """Fit one problem and compare all its statistics."""
    report.counts["problems"] += 1
    report.counts[f"problems, {'logistic' if problem.logistic else 'linear'}"] += 1
    report.counts[f"way, {problem.way}"] += 1
    before, training_rows.SMALL = training_rows.SMALL, 0 if problem.way == "array" else 1 << 16
    try:
        with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
            warnings.simplefilter("ignore")
            compare = _logistic if problem.logistic else _linear
            for finding in compare(problem, Path(folder), report.counts):
                report.findings.append(f"{WRONG}: {problem.words}: {finding}")
                report.counts[WRONG] += 1
    except Exception as error:
        report.findings.append(f"{CRASH}: {problem.words}: {type(error).__name__}: {error}")
        report.counts[CRASH] += 1
    finally:
        training_rows.SMALL = before


def problem_of(seed: int, number: int) -> Problem:
    r = np.random.default_rng([97, seed, number])
    logistic = bool(r.random() < 0.4)
    d, n = int(r.integers(1, 4)), int(r.integers(8, 45))
    way, intercept = str(r.choice(WAYS)), bool(r.random() < 0.8)
    X = r.normal(size=(n, d)).round(int(r.integers(0, 4)))
    if r.random() < 0.3:  # few different rows
        X = X[r.integers(0, max(2, n // 3), n)]
    score = X @ r.normal(size=d) + r.normal(size=n)
    hard = 0
    if d > 1 and r.random() < 0.2:  # nearly dependent
        hard = int(r.integers(1, 4 if logistic else 7))
        X[:, 1] = X[:, 0] + 10.0**-hard * X[:, 1]
    X = X * 2.0 ** r.integers(-9, 10, d) + r.choice([0.0, 1.0, 100.0, 1e4], d) * (r.random() < 0.4)
    if logistic:
        y = (score > np.median(score)).astype(int) + (r.random(n) < 0.2) * int(r.integers(0, 2))
        flip = r.random(n) < 0.15
        y = np.where(flip, r.permutation(y), y)
    else:
        y = score.round(int(r.integers(1, 4))) * 2.0 ** int(r.integers(-9, 10))
        y = y + float(r.choice([0.0, 1e3, 1e6])) * (r.random() < 0.3)
    c, kind = None, str(r.choice(["frequency", "precision"]))
    if way in REPEATED:
        c, kind = r.integers(1, 6, n).astype(float), "frequency"
    elif r.random() < 0.7:
        if r.random() < 0.5:
            c = r.integers(0 if r.random() < 0.3 else 1, 6, n).astype(float)
        else:
            c = np.exp(r.normal(size=n) * r.choice([0.3, 2.0])) + (kind == "frequency")
    if way == "float32":
        X = X.astype(np.float32).astype(float)
    new = X[r.integers(0, n, 3)] + r.normal(size=(3, d)) * X.std(axis=0)
    groups = r.integers(0, max(3, n // 4), n)
    groups[:2] = 0, 1
    level = float(r.choice(LEVELS))
    return Problem(seed, number, logistic, X, y, c, kind, way, intercept, level, groups, new, hard)


def _names(problem: Problem) -> list[str]:
    return [f"f{j}" for j in range(problem.X.shape[1])]


def _repeats(problem: Problem) -> np.ndarray:
    assert problem.c is not None
    return np.repeat(np.arange(len(problem.y)), problem.c.astype(int))


def _handed(model, problem: Problem, folder: Path):
    """The fitted model, and the rows to give it again for robust errors: X, y, weights."""
    X, y, c, way = problem.X, problem.y, problem.c, problem.way
    if way in REPEATED:
        again = _repeats(problem)
        if way == "repeated":
            given = X[again], y[again], None
            return model.fit(*given), given
        frame = pd.DataFrame(X[again], columns=_names(problem)).assign(y=y[again])
        frame.to_parquet(folder / "t.parquet")
        compress = {"compress": True, "auto": "auto"}[way]
        rows = ls.scan(folder / "t.parquet", "y", compress=compress)
        return model.fit(rows), (rows, None, None)
    if way == "sparse":
        given = sp.csr_array(X), y, c
        return model.fit(*given), given
    if way == "float32":
        given = X.astype(np.float32), y, c
        return model.fit(*given), given
    if way in ("frame", "parquet", "csv", "dask"):
        frame = pd.DataFrame(X, columns=_names(problem))
        if way == "frame":
            given = frame, pd.Series(y), c
            return model.fit(*given), given
        frame = frame.assign(y=y) if c is None else frame.assign(y=y, c=c)
        if way == "dask":
            from dask import dataframe

            rows = dataframe.from_pandas(frame, npartitions=3)
            given = rows, "y", None if c is None else "c"
            return model.fit(*given), given
        path = folder / f"t.{way}"
        frame.to_parquet(path) if way == "parquet" else frame.to_csv(path, index=False)
        rows = ls.scan(path, "y", weight=None if c is None else "c")
        return model.fit(rows), (rows, None, None)
    if not problem.logistic and way in ("parts", "merge"):
        halves = [slice(0, len(y) // 2), slice(len(y) // 2, None)]
        parts = [(X[h], y[h], None if c is None else c[h]) for h in halves]
        if way == "parts":
            for part in parts:
                model.partial_fit(*part)
        else:
            one, two = (type(model)(**model.get_params()).fit(*part) for part in parts)
            model = one.merge(two)
        return model, (X, y, c)
    model.fit(X, y, c)
    if way == "saved":
        ls.save(model, folder / "m.linscope")
        model = ls.load(folder / "m.linscope")
    return model, (X, y, c)


def _linear(problem: Problem, folder: Path, counts: Counter):
    """What is wrong with the statistics of a linear regression."""
    c = problem.c
    keep = slice(None) if c is None else c > 0
    X, y, groups = problem.X[keep], problem.y[keep], problem.groups[keep]
    weight = None if c is None else c[keep]
    weight_kind = "auto" if problem.way in REPEATED else problem.kind
    model = ls.LinearRegression(fit_intercept=problem.intercept, weight_kind=weight_kind)
    model, (A, b, w) = _handed(model, problem, folder)
    table = model.summary(level=problem.level)
    try:
        truth = LinearReference(X, y, weight, problem.kind, problem.intercept)
    except Singular:
        if table.refused is None:
            held = determined(X if weight is None else X[weight > 0], problem.intercept)
            shown = np.isfinite(table.standard_errors[: len(held)]).tolist()
            if shown != held:
                yield f"standard errors are shown for {shown}, and the rows determine {held}"
        return
    if table.refused is not None:
        counts[REFUSED] += 1
        if truth.df > 0 and problem.digits < 5 and truth.condition < 1e7:
            yield f"refused: {table.refused}"
        return
    counts["summaries"] += 1
    close = CLOSE * (1 + truth.rounding / 1e-10)
    yield from _differences("", truth.whole(), table, close)
    given = {"X": A, "y": b, "sample_weight": w}
    for robust in ROBUST:
        more = {} if robust is None else {**given}
        labels = groups
        if robust == "cluster":
            if problem.way in ("compress", "auto", "dask") or len(set(groups)) < 2:
                continue
            labels = problem.groups
            if problem.way == "repeated":
                labels = labels[_repeats(problem)]
            more["groups"] = labels
        try:
            found = model.summary(robust, problem.level, **more)
        except ValueError as error:
            if "leverage 1" in str(error) and truth.slack < 1e-8:
                counts["leverage 1"] += 1
                continue
            raise
        try:
            exact = truth.coefficients(robust, problem.level, groups)
        except Singular:
            continue
        yield from _differences(f"{robust}: ", exact, found, close)
    exact, value = truth.whole()["log_likelihood"], _log_likelihood(model, problem, given)
    if not abs(value - exact) <= 10 * close * max(abs(exact), 1):
        yield f"log_likelihood(): {value} is {float(exact)}"
    if not abs(model.sigma2_ml_ / truth.whole()["sigma2_ml"] - 1) <= 10 * close:
        yield f"sigma2_ml_: {model.sigma2_ml_} is {float(truth.whole()['sigma2_ml'])}"
    for kind in ("confidence", "prediction"):
        new = problem.new if problem.way != "float32" else problem.new.astype(np.float32)
        ends = model.predict_interval(new, kind, problem.level)
        middle, half = truth.intervals(new.astype(float), kind, problem.level)
        for k in range(len(new)):
            for side in (0, 1):
                exact = middle[k] + (2 * side - 1) * half[k]
                slack = 10 * close * (abs(half[k]) + 1e-6 * abs(middle[k]))
                if not abs(ends[k, side] - exact) <= slack:
                    yield f"{kind} interval of row {k}: {ends[k, side]} is {float(exact)}"


def _log_likelihood(model, problem: Problem, given: dict):
    """ℓ at its maximum, of the training rows where they are at hand."""
    if problem.way in ("parts", "merge", "saved") or given["sample_weight"] is not None:
        return model.summary(**given).log_likelihood
    return (
        model.log_likelihood()
        if model._found() is not None
        else model.log_likelihood(given["X"], given["y"])
    )


def _logistic(problem: Problem, folder: Path, counts: Counter):
    """What is wrong with the statistics of a logistic regression."""
    c = problem.c
    keep = slice(None) if c is None else c > 0
    X, y = problem.X[keep], problem.y[keep]
    weight = None if c is None else c[keep]
    if len(np.unique(y)) < 2:
        return
    if len(np.unique(y)) < len(np.unique(problem.y)):
        return
    weight_kind = "auto" if problem.way in REPEATED else problem.kind
    model = ls.LogisticRegression(
        C=np.inf, fit_intercept=problem.intercept, weight_kind=weight_kind, tol=1e-12, max_iter=500
    )
    model, (A, b, w) = _handed(model, problem, folder)
    more = {"X": A, "y": b, "sample_weight": w} if problem.way == "saved" else {}
    table = model.summary(level=problem.level, **more)
    if table.refused is not None:
        counts[REFUSED] += 1
        return
    try:
        truth = LogisticReference(X, y, weight, problem.kind, problem.intercept, table.coefficients)
    except Singular:
        counts["no maximum"] += 1
        return
    counts["summaries"] += 1
    # The coefficients are so many standard errors from the maximum, by what the certificate says.
    close = max(1e-6, 1e-13 * truth.condition, np.sqrt(2 * model.certificate_.gap))
    yield from _differences("", truth.whole(), table, close)
    for robust in (None, "HC0", "HC1"):
        found = model.summary(robust, problem.level, X=A, y=b, sample_weight=w)
        yield from _differences(
            f"{robust}: ", truth.coefficients(robust, problem.level), found, close
        )
    value = model.log_likelihood(A, b, sample_weight=w)
    if not abs(value - truth.value) <= 10 * close * max(abs(truth.value), 1):
        yield f"log_likelihood(): {value} is {float(truth.value)}"
    odds = model.odds_ratios(problem.level, X=A, y=b, sample_weight=w)
    first = int(problem.intercept)
    ends = truth.coefficients(None, problem.level)["intervals"][:, first:]
    exact = ends.astype(float)
    wide = np.ptp(exact, axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):  # beyond the range of floats they are 0 or ∞
        found = np.log(odds.intervals)
    small = np.abs(exact) < 700
    if not (np.abs(found - exact) <= 10 * close * wide + 1e-12 * np.abs(exact))[small].all():
        yield f"odds ratios exp {found.ravel()} are exp {exact.ravel()}"
    if len(truth.classes) == 2 and problem.number % 4 == 0:
        counts["profiles"] += 1
        odds = model.odds_ratios(problem.level, "profile", X=A, y=b, sample_weight=w)
        for (j, side), end in np.ndenumerate(np.log(odds.intervals[0])):
            if np.isfinite(end):
                try:
                    gap = truth.profile(first + j, end, problem.level)
                except Singular:
                    continue
                if not abs(gap) <= 1e-5:
                    yield f"profile end {side} of {j}: twice ℓ is off by {float(gap)}"


def _differences(place: str, truth: dict, table, close: float):
    """Entries of a summary that are not what they should be."""
    for name, exact in truth.items():
        found = getattr(table, name)
        if found is None and name in ("log_likelihood", "aic", "bic"):
            continue  # from moments of weighted rows
        if found is None:
            yield f"{place}{name} is None"
            continue
        a, b = np.ravel(np.asarray(found, dtype=float)), np.ravel(np.asarray(exact, dtype=float))
        scale = np.abs(b)
        if name in ("p_values", "f_pvalue", "lr_pvalue"):
            # Far out, the last digits of t are the first ones of p.
            allowed = close * scale * (10 + 5 * np.abs(np.log(np.maximum(scale, 1e-300))))
            allowed = np.maximum(allowed, 1e-290)
        elif name == "intervals":
            wide = np.abs(np.diff(np.asarray(exact, dtype=float), axis=-1)).repeat(2, axis=-1)
            allowed = 10 * close * np.ravel(wide) + 1e-12 * scale
        elif name in ("t", "z"):
            allowed = 10 * close * (1 + scale)
        else:
            allowed = 10 * close * np.maximum(scale, 1e-9 if name in LIKE else 0.0)
        if a.shape != b.shape or not (np.abs(a - b) <= allowed).all():
            yield f"{place}{name}: {a} is {b}"


# Criteria that may be near 0 by chance.
LIKE = ("log_likelihood", "aic", "bic", "r2", "adjusted_r2", "null_log_likelihood",
        "mcfadden", "cox_snell", "nagelkerke", "lr_statistic", "deviance",
        "f_statistic")  # fmt: skip


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.redteam.statistics")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="just the problem of this number")
    options = parser.parse_args(given)
    if options.only is None:
        report = run(options.seconds, options.seed)
    else:
        report = Report()
        attack(problem_of(options.seed, options.only), report)
    print(report)
    return int(bool(report.findings))


if __name__ == "__main__":
    sys.exit(main())
