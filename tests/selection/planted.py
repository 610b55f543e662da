"""Tables with a question, as the checks see them, made by hand."""

from types import SimpleNamespace

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import KFold, StratifiedKFold

from linscope.data.files import Table
from linscope.selection.comparison.checks import run_checks
from linscope.selection.comparison.findings import Candidate, Column, Plan, Score


def plan(**changes):
    values = {
        "metric": "balanced_accuracy",
        "metrics": ("balanced_accuracy",),
        "splits": "5 folds",
        "folds": 5,
        "repeats": 1,
        "inner_folds": 3,
        "train": 80,
        "test": 20,
        "rope": 0.01,
        "level": 0.95,
        "seed": 0,
        "budget": None,
    }
    return Plan(**values | changes)


def candidate(key="logistic-l2", mean=0.8, metric="balanced_accuracy", **changes):
    score = Score(mean, mean - 0.05, mean + 0.05, (mean,) * 5)
    values = {
        "key": key,
        "title": key,
        "estimator": "LogisticRegression()",
        "family": "linear",
        "simplicity": 3,
        "readable": True,
        "state": "finished",
        "why": "",
        "scores": {metric: score},
        "chosen": ({"C": 1.0},) * 5,
        "edges": {},
        "seconds": 0.1,
        "fit_seconds": 0.1,
        "predict_seconds": 0.001,
        "fits": 5,
        "certified": 5,
    }
    return Candidate(**values | changes)


def question(X, y, *, names=None, categories=None, left_out=None, kinds=None, **changes):
    """X with codes in the columns of ``categories``; ``left_out``: raw columns by name."""
    X = X if sp.issparse(X) else np.asarray(X, dtype=float)
    y, n, p = np.asarray(y), X.shape[0], X.shape[1]
    names = names or [f"x{j + 1}" for j in range(p)]
    categories, kinds, left_out = categories or {}, kinds or {}, left_out or {}
    number = y.dtype.kind == "f"
    classes = () if number else tuple(str(label) for label in np.unique(y))
    columns = [
        Column(name, kinds.get(name, "category" if j in categories else "number"), "feature", "",
               0, n, ())
        for j, name in enumerate(names)
    ]  # fmt: skip
    columns += [
        Column(name, kinds.get(name, "identifier"), "left out", "", 0, n, ()) for name in left_out
    ]
    columns.append(Column("churn", "number" if number else "yes/no", "target", "", 0, 2, ()))
    raw = {name: np.asarray(values) for name, values in left_out.items()}
    values = {
        "name": "table.csv",
        "columns": tuple(columns),
        "X": X,
        "numeric": [j for j in range(p) if j not in categories],
        "categorical": sorted(categories),
        "names": names,
        "categories": categories,
        "y": y,
        "task": "number" if number else "two classes" if len(classes) == 2 else "classes",
        "classes": classes,
        "groups": None,
        "order": None,
        "missing": "impute" if not sp.issparse(X) and np.isnan(X).any() else "none",
        "dropped": 0,
        "rows": np.arange(n),
        "sha256": "",
        "table": Table({**raw, "churn": y}),
    }
    return SimpleNamespace(**values | changes)


def encoded(q):
    """What preparation makes of X: numbers filled in, then one column for each category."""
    if sp.issparse(q.X):
        return q.X, list(q.names)
    numbers = q.X[:, q.numeric]
    middle = np.array(
        [np.median(c[~np.isnan(c)]) if (~np.isnan(c)).any() else 0 for c in numbers.T]
    )
    parts, names = [np.where(np.isnan(numbers), middle, numbers)], [q.names[j] for j in q.numeric]
    for j in q.categorical:
        for code, text in enumerate(q.categories[j]):
            parts.append((q.X[:, [j]] == code).astype(float))
            names.append(f"{q.names[j]}={text}")
    return np.hstack(parts), names


def fitted(q, **changes):
    matrix, names = encoded(q)
    n = len(q.y)
    split = KFold(min(5, n), shuffle=True, random_state=0).split(matrix)
    if q.task != "number" and np.unique(q.y, return_counts=True)[1].min() >= 5:
        split = StratifiedKFold(5, shuffle=True, random_state=0).split(matrix, q.y)
    values = {
        "folds": list(split),
        "final": None,
        "probabilities": None,
        "predictions": None,
        "encoded": matrix,
        "names": names,
        "choices": (),
    }
    return SimpleNamespace(**values | changes)


def checks(q, candidates=(), p=None, ignore=(), **changes):
    """All that is found, by code."""
    p = p or plan(metric="rmse" if q.task == "number" else "balanced_accuracy")
    return {c.code: c for c in run_checks(q, candidates, p, fitted(q, **changes), ignore)}


def labels(rng, n, share=0.5):
    """'yes' and 'no' at random, both of them."""
    y = np.where(rng.random(n) < share, "yes", "no")
    y[:2] = ["yes", "no"]
    return y
