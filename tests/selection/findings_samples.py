"""Findings of three studies that never ran: two classes, three classes, a number.

The scores of each fold are made up; what follows from them (means, corrected intervals,
differences, probabilities) is worked out here by the textbook's formulas, so that pages, tables and
sentences that are made of these samples agree with themselves.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
from scipy import stats

from linscope.selection.comparison.findings import (
    LESS_IS_BETTER,
    AgainstRest,
    Candidate,
    Check,
    Coefficient,
    Column,
    Curve,
    Data,
    Difference,
    Final,
    Findings,
    Flip,
    Headline,
    Panels,
    Plan,
    Recommendation,
    Score,
)
from linscope.selection.report.page import render

VERSIONS = {
    "linscope": "0.1.0",
    "Python": "3.13.5",
    "numpy": "2.4.1",
    "scikit-learn": "1.9.0",
    "matplotlib": "3.11.2",
}
FOLDS, REPEATS = 5, 4
SPLITS = "5 stratified folds, 4 times"


def numbers(values, digits=6):
    """Plain rounded floats of an array."""
    return tuple(round(float(value), digits) for value in np.ravel(values))


def interval(values, plan):
    """Mean and corrected interval: variance × (1/J + test/train), J − 1 degrees of freedom."""
    values = np.asarray(values)
    wide = np.sqrt(values.var(ddof=1) * (1 / len(values) + plan.test / plan.train))
    return float(values.mean()), float(wide), len(values) - 1


def score(values, plan):
    mean, wide, free = interval(values, plan)
    reach = float(stats.t.ppf(0.5 + plan.level / 2, free)) * wide
    return Score(mean, mean - reach, mean + reach, numbers(values))


def scores_of(means, plan, shared, seed, spread):
    """A score for each metric; folds that are hard for one model are hard for all."""
    rng = np.random.default_rng(seed)
    found = {}
    for metric, mean in means.items():
        sign = -1.0 if metric in LESS_IS_BETTER else 1.0
        noise = sign * (shared + 0.35 * rng.normal(size=len(shared))) * spread * abs(mean)
        found[metric] = score(np.round(mean + noise - noise.mean(), 6), plan)
    return found


def difference(a, b, plan):
    sign = -1.0 if plan.metric in LESS_IS_BETTER else 1.0
    first, second = (np.array(each.scores[plan.metric].folds) for each in (a, b))
    if sign * (first - second).mean() < 0:
        a, b, first, second = b, a, second, first
    mean, wide, free = interval(sign * (first - second), plan)
    law = stats.t(free, loc=mean, scale=wide)
    reach = float(stats.t.ppf(0.5 + plan.level / 2, free)) * wide
    better, worse = float(law.sf(plan.rope)), float(law.cdf(-plan.rope))
    p = float(2 * stats.t.sf(abs(mean) / wide, free))
    equal = 1 - better - worse
    return Difference(a.key, b.key, mean, mean - reach, mean + reach, p, p, better, equal, worse)


def all_differences(candidates, plan):
    finished = [each for each in candidates if each.state == "finished"]
    found = [difference(a, b, plan) for a, b in combinations(finished, 2)]
    order = np.argsort([each.p for each in found], kind="stable")
    held, largest = {}, 0.0
    for rank, k in enumerate(order):
        largest = max(largest, min(1.0, (len(found) - rank) * found[k].p))
        held[int(k)] = largest
    return tuple(replace(each, p_holm=held[k]) for k, each in enumerate(found))


def candidate(rows, plan, spread, seed=0):
    """Candidates from short rows: key, title, estimator, family, readable, seconds, means."""
    shared = np.random.default_rng(seed).normal(size=plan.folds * plan.repeats)
    made = []
    for rank, (key, title, estimator, family, readable, seconds, means, chosen) in enumerate(rows):
        total = plan.folds * plan.repeats if means else 0
        made.append(
            Candidate(
                key=key,
                title=title,
                estimator=estimator,
                family=family,
                simplicity=rank,
                readable=readable,
                state="finished" if means else "left out",
                why="" if means else "about 5 minutes for 4,000 rows, the budget is 2 minutes",
                scores=scores_of(means, plan, shared, seed + rank + 1, spread),
                chosen=(chosen,) * total,
                edges={name: (0, 3 if name == "gamma" else 0) for name in chosen},
                seconds=seconds,
                fit_seconds=seconds / 8,
                predict_seconds=seconds / 900,
                fits=total,
                certified=0 if family == "reference" else total,
            )
        )
    return tuple(made)


def curve(key, sizes, ends, wide):
    """A learning curve that nears its end like 1/√rows."""
    sizes = np.asarray(sizes)
    mean = ends[1] + (ends[0] - ends[1]) * (np.sqrt(sizes[0] / sizes) - np.sqrt(sizes[0] / 1e5))
    band = wide * np.sqrt(sizes[0] / sizes)
    return Curve(
        key,
        tuple(int(n) for n in sizes),
        numbers(mean, 4),
        numbers(mean - band, 4),
        numbers(mean + band, 4),
    )


def roc_of(labels, scores):
    """Panels for a positive class from made-up scores."""
    order = np.argsort(-scores, kind="stable")
    hits, alarms = np.cumsum(labels[order] == 1), np.cumsum(labels[order] == 0)
    keep = np.unique(np.linspace(0, len(labels) - 1, 150).astype(int))
    tpr, fpr = hits / hits[-1], alarms / alarms[-1]
    precision = hits / (hits + alarms)
    area = float(np.trapezoid(tpr, fpr))
    average = float(np.sum(np.diff(np.r_[0.0, tpr]) * precision))
    roc = {"fpr": numbers([0, *fpr[keep]]), "tpr": numbers([0, *tpr[keep]]), "auc": area}
    pr = {"recall": numbers(tpr[keep]), "precision": numbers(precision[keep]), "average": average}
    return roc, pr


def calibration_of(labels, chances):
    bins = np.clip((chances * 10).astype(int), 0, 9)
    rows = []
    for k in np.unique(bins):
        inside = bins == k
        hits, n = int(labels[inside].sum()), int(inside.sum())
        low = float(stats.beta.ppf(0.025, hits, n - hits + 1)) if hits else 0.0
        high = float(stats.beta.ppf(0.975, hits + 1, n - hits)) if hits < n else 1.0
        rows.append((float(chances[inside].mean()), hits / n, low, high, n))
    predicted, observed, low, high, count = zip(*rows, strict=True)
    return {
        "predicted": predicted,
        "observed": observed,
        "low": low,
        "high": high,
        "count": count,
    }


def against_rest_of(codes, points, centres, names):
    """Each class against the rest, from the distances to made-up centres."""
    chances = np.exp(-(((points[:, None] - centres) / (2.6, 1.0)) ** 2).sum(-1) / 2)
    chances /= chances.sum(axis=1, keepdims=True)
    found = []
    for k, name in enumerate(names):
        own = (codes == k).astype(int)
        roc, pr = roc_of(own, chances[:, k])
        areas = roc.pop("auc"), pr.pop("average")
        bands = calibration_of(own, chances[:, k])
        found.append(AgainstRest(name, int(own.sum()), *areas, roc, pr, bands))
    means = {
        "auc": float(np.mean([each.auc for each in found])),
        "average": float(np.mean([each.average for each in found])),
    }
    return {"against_rest": tuple(found), "macro": means}


@cache
def two_classes() -> Findings:
    """Customers who leave: 4,000 rows, mixed columns, logistic regression recommended."""
    plan = Plan(
        metric="balanced_accuracy",
        metrics=("balanced_accuracy", "accuracy", "roc_auc", "log_loss", "brier", "f1"),
        splits=SPLITS,
        folds=FOLDS,
        repeats=REPEATS,
        inner_folds=3,
        train=3200,
        test=800,
        rope=0.01,
        level=0.95,
        seed=0,
        budget=120.0,
        ignore=("LS203",),
    )

    def means(balanced, accuracy, auc=None, log_loss=None, brier=None, f1=None):
        names = ("balanced_accuracy", "accuracy", "roc_auc", "log_loss", "brier", "f1")
        values = (balanced, accuracy, auc, log_loss, brier, f1)
        return {name: v for name, v in zip(names, values, strict=True) if v is not None}

    rows = (
        ("majority", "Majority class", "MajorityClass", "baseline", True, 0.002,
         means(0.5, 0.735, 0.5, 0.578, 0.195, 0.0), {}),
        ("naive-bayes", "Gaussian naive Bayes", "GaussianNaiveBayes", "linear", True, 0.01,
         means(0.741, 0.742, 0.823, 0.61, 0.19, 0.622), {}),
        ("fisher", "Fisher discriminant", "FisherDiscriminant", "linear", True, 0.04,
         means(0.758, 0.752, 0.839, 0.49, 0.16, 0.631), {"shrinkage": 0.1}),
        ("least-squares", "Least squares", "LeastSquaresClassifier", "linear", True, 0.03,
         means(0.716, 0.798, 0.838, None, None, 0.588), {"alpha": 1.0}),
        ("perceptron-averaged", "Perceptron, averaged", "Perceptron", "linear", True, 0.06,
         means(0.731, 0.781, 0.821, None, None, 0.603), {}),
        ("logistic-l2", "Logistic regression (l2)", "LogisticRegression", "linear", True, 0.12,
         means(0.7702, 0.765, 0.846, 0.414, 0.135, 0.645), {"C": 1.0}),
        ("logistic-l1", "Logistic regression (l1)", "LogisticRegression", "linear", True, 0.31,
         means(0.7691, 0.764, 0.845, 0.415, 0.135, 0.644), {"C": 0.5}),
        ("linear-svm", "Linear SVM", "LinearSVC", "linear", True, 0.42,
         means(0.766, 0.761, 0.843, None, None, 0.64), {"C": 0.1}),
        ("kernel-perceptron", "Kernel perceptron", "KernelPerceptron", "kernel", False, 0.0,
         {}, {}),
        ("svm-rbf", "SVM with an RBF kernel", "SVC", "kernel", False, 4.9,
         means(0.7731, 0.768, 0.841, None, None, 0.647), {"C": 3.0, "gamma": 0.03}),
        ("boosting", "Gradient boosting", "HistGradientBoostingClassifier", "reference", False,
         1.7, means(0.7745, 0.779, 0.849, 0.408, 0.133, 0.65), {"max_leaf_nodes": 15}),
    )  # fmt: skip
    candidates = candidate(rows, plan, 0.012)
    rng = np.random.default_rng(7)
    labels = (rng.random(1500) < 0.27).astype(int)
    along = rng.normal(size=1500) * 1.2 - 1.3 + 1.9 * labels
    roc, pr = roc_of(labels, along)
    chosen = ("logistic-l2",) * 13 + ("logistic-l1",) * 4 + ("linear-svm",) * 3
    own = next(each for each in candidates if each.key == "logistic-l2").scores[plan.metric]
    return Findings(
        data=Data(
            name="churn.csv",
            rows=4000,
            dropped=0,
            columns=(
                Column("customer_id", "identifier", "left out", "left out: every row has its own",
                       0, 4000, ("7590-VHVEG", "5575-GNVDE")),
                Column("tenure", "number", "feature", "1 column", 0, 72, ("1", "34", "2")),
                Column("monthly_charges", "number", "feature", "1 column", 0, 1585,
                       ("29.85", "56.95")),
                Column("total_charges", "number", "feature",
                       "1 column, and 1 that says where it was missing", 11, 3890,
                       ("29.85", "1889.5")),
                Column("contract", "category", "feature", "3 columns, one per category", 0, 3,
                       ("month-to-month", "one year", "two years")),
                Column("internet", "category", "feature", "3 columns, one per category", 0, 3,
                       ("DSL", "fibre", "no")),
                Column("paperless", "yes/no", "feature", "1 column", 0, 2, ("yes", "no")),
                Column("churn", "yes/no", "target", "", 0, 2, ("no", "yes")),
            ),
            target="churn",
            task="two classes",
            classes=("no", "yes"),
            counts=(2940, 1060),
            positive="yes",
            missing="impute",
            encoded=11,
            sha256="9f2c7be0a4d18853c8e5cb44c1a6a2f40b1d4a51b6a0cfd9d7e4a3c1b8890a6e",
        ),
        plan=plan,
        candidates=candidates,
        differences=all_differences(candidates, plan),
        headline=Headline(score(np.array(own.folds) - 0.0018, plan), chosen, 0.7731),
        recommendation=Recommendation(
            key="logistic-l2",
            best="svm-rbf",
            answer="Use logistic regression with an l2 penalty.",
            reasons=(
                "It is practically equal to the SVM with an RBF kernel, which has the best mean "
                "(the difference is 0.003; within ±0.01 with probability 0.97).",
                "It is 41 times cheaper to search and fit, and its weights can be read.",
                "Fisher's discriminant is simpler, but worse by more than the region of practical "
                "equivalence.",
            ),
            linear="yes",
            linear_words="Gradient boosting, which is not linear, is better by 0.004 only: "
            "practically equal with probability 0.93.",
            flips=(
                Flip("rope", "±0.003", "svm-rbf",
                     "If differences of 0.003 matter to you, the SVM with an RBF kernel."),
                Flip("rope", "±0.012", "fisher",
                     "If differences of 0.012 do not matter to you, Fisher's discriminant."),
                Flip("metric", "accuracy", "least-squares",
                     "Judged by accuracy, least squares: it predicts “no” more often."),
                Flip("rows", "about 9,000", "boosting",
                     "With about 9,000 rows gradient boosting would be better by more than 0.01, "
                     "if the learning curves go on as they do."),
            ),
        ),
        checks=(
            Check("LS102", "problem", "An identifier was left out",
                  "customer_id has a different value in each row.",
                  "Nothing to do. If it does carry information, make a column of that.",
                  ("customer_id",)),
            Check("LS301", "warning", "The search ended at an edge",
                  "gamma of the SVM with an RBF kernel was the largest tried in 3 of 20 folds.",
                  "A wider grid may find a better one.", ()),
            Check("LS201", "note", "The classes are not balanced",
                  "27 % of the rows are “yes”. Always “no” would be right for 73 %: accuracy looks "
                  "better than it is, so the score is balanced accuracy.",
                  "Keep balanced accuracy, or give costs.", (), ()),
            Check("LS203", "warning", "Rows that are there twice",
                  "14 rows have a twin that is equal in every column.",
                  "Remove them, or give --group.", (), (17, 240, 1022, 1377), True),
        ),
        curves=(
            curve("logistic-l2", (200, 400, 800, 1600, 3200), (0.731, 0.772), 0.022),
            curve("svm-rbf", (200, 400, 800, 1600, 3200), (0.706, 0.776), 0.026),
            curve("boosting", (200, 400, 800, 1600, 3200), (0.689, 0.781), 0.027),
        ),
        final=Final(
            key="logistic-l2",
            title="Logistic regression (l2)",
            parameters={"C": 1.0},
            equation="1.42·contract=month-to-month + 0.83·internet=fibre − 0.034·tenure − … > 0.41 "
            "⇒ yes",
            coefficients=(
                Coefficient("contract=month-to-month", 1.42, 1.42, ratio=4.14),
                Coefficient("contract=two years", -1.18, -1.18, ratio=0.31),
                Coefficient("internet=fibre", 0.83, 0.83, ratio=2.29),
                Coefficient("internet=no", -0.71, -0.71, ratio=0.49),
                Coefficient("paperless=yes", 0.34, 0.34, ratio=1.40),
                Coefficient("total_charges missing", 0.21, 0.21, ratio=1.23),
                Coefficient("tenure", -0.034, -0.83, ratio=0.967),
                Coefficient("monthly_charges", 0.012, 0.36, ratio=1.012),
                Coefficient("total_charges", 0.0002, 0.45, ratio=1.0002),
            ),
            inference="No intervals: the penalty pulls the weights towards 0, so the usual "
            "standard errors do not hold.",
            summary="",
            certificate={
                "status": "optimal",
                "ok": True,
                "claim": "The objective is within 3.1e-09 of the smallest possible.",
                "gap": 3.1e-09,
                "tolerance": 1e-06,
            },
        ),
        panels=Panels(
            confusion=((2251, 689), (247, 813)),
            roc=roc,
            pr=pr,
            calibration=calibration_of(labels, 1 / (1 + np.exp(0.35 - along))),
            decision={
                "kind": "projection",
                "scores": numbers(along, 3),
                "labels": tuple(int(k) for k in labels),
            },
        ),
        command="linscope compare churn.csv --target churn --missing impute --ignore LS203",
        python='import linscope as ls\n\nstudy = ls.compare("churn.csv", target="churn", '
        'missing="impute", ignore=["LS203"])\nstudy.report("churn.html")',
        versions=VERSIONS,
        seconds=48.2,
    )  # fmt: skip


@cache
def three_classes() -> Findings:
    """Penguins by two lengths: Fisher's discriminant, decision regions; stopped early."""
    plan = Plan(
        metric="balanced_accuracy",
        metrics=("balanced_accuracy", "accuracy", "log_loss"),
        splits=SPLITS,
        folds=FOLDS,
        repeats=REPEATS,
        inner_folds=3,
        train=274,
        test=68,
        rope=0.01,
        level=0.95,
        seed=0,
        budget=None,
    )

    def means(balanced, log_loss=None):
        found = {"balanced_accuracy": balanced, "accuracy": balanced + 0.006}
        return found if log_loss is None else {**found, "log_loss": log_loss}

    rows = (
        ("majority", "Majority class", "MajorityClass", "baseline", True, 0.001,
         means(0.3333, 1.05), {}),
        ("naive-bayes", "Gaussian naive Bayes", "GaussianNaiveBayes", "linear", True, 0.004,
         means(0.949, 0.16), {}),
        ("fisher", "Fisher discriminant", "FisherDiscriminant", "linear", True, 0.008,
         means(0.9612, 0.11), {"shrinkage": 0.0}),
        ("logistic-l2", "Logistic regression (l2)", "LogisticRegression", "linear", True, 0.03,
         means(0.9631, 0.1), {"C": 10.0}),
        ("linear-svm", "Linear SVM", "LinearSVC", "linear", True, 0.05, means(0.958), {"C": 1.0}),
        ("svm-rbf", "SVM with an RBF kernel", "SVC", "kernel", False, 0.2, {}, {}),
        ("boosting", "Gradient boosting", "HistGradientBoostingClassifier", "reference", False,
         0.6, means(0.953, 0.15), {}),
    )  # fmt: skip
    candidates = candidate(rows, plan, 0.009, seed=4)
    stopped = replace(candidates[5], state="partial", why="stopped after 7 of 20 folds")
    candidates = (*candidates[:5], stopped, candidates[6])
    rng = np.random.default_rng(3)
    centres = np.array([[38.8, 18.3], [48.8, 18.4], [47.5, 15.0]])
    codes = np.repeat([0, 1, 2], (151, 68, 123))
    points = centres[codes] + rng.normal(size=(342, 2)) * (2.6, 1.0)
    x, y = np.linspace(31, 60, 140), np.linspace(12.5, 22, 120)
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    away = (((grid[:, :, None] - centres) / (2.6, 1.0)) ** 2).sum(-1)
    nearest = away.argmin(-1)
    own = next(each for each in candidates if each.key == "fisher").scores[plan.metric]
    return Findings(
        data=Data(
            name="penguins.csv",
            rows=342,
            dropped=2,
            columns=(
                Column("bill_length", "number", "feature", "1 column", 2, 164, ("39.1", "39.5")),
                Column("bill_depth", "number", "feature", "1 column", 2, 80, ("18.7", "17.4")),
                Column("species", "category", "target", "", 0, 3, ("Adelie", "Chinstrap")),
            ),
            target="species",
            task="classes",
            classes=("Adelie", "Chinstrap", "Gentoo"),
            counts=(151, 68, 123),
            positive=None,
            missing="drop",
            encoded=2,
            sha256="1c0f6f2f3d6f1d0b6b0f4c7e7a6c2b8c3f8b2d0a9e4d5c6b7a8f9e0d1c2b3a40",
        ),
        plan=plan,
        candidates=candidates,
        differences=all_differences(candidates, plan),
        headline=Headline(score(np.array(own.folds) - 0.001, plan), ("fisher",) * 20, 0.9631),
        recommendation=Recommendation(
            key="fisher",
            best="logistic-l2",
            answer="Use Fisher's discriminant.",
            reasons=("It is practically equal to logistic regression, which has the best mean.",
                     "It needs no search, and its weights can be read."),
            linear="yes",
            linear_words="Gradient boosting, which is not linear, is worse.",
            flips=(Flip("rope", "±0.002", "logistic-l2",
                        "If differences of 0.002 matter to you, logistic regression."),),
        ),
        checks=(),
        curves=(curve("fisher", (30, 60, 120, 240), (0.93, 0.963), 0.02),
                curve("boosting", (30, 60, 120, 240), (0.82, 0.957), 0.03)),
        final=Final(
            key="fisher",
            title="Fisher discriminant",
            parameters={"shrinkage": 0.0},
            equation="",
            coefficients=(
                Coefficient("bill_length (Adelie)", -1.21, -6.6),
                Coefficient("bill_depth (Gentoo)", -1.02, -2.01),
                Coefficient("bill_depth (Adelie)", 0.77, 1.52),
                Coefficient("bill_length (Gentoo)", 0.48, 2.62),
                Coefficient("bill_length (Chinstrap)", 0.73, 3.99),
                Coefficient("bill_depth (Chinstrap)", 0.25, 0.49),
            ),
            inference="No intervals: Fisher's discriminant has none.",
            summary="",
            certificate={"status": "optimal", "ok": True,
                         "claim": "The directions solve their equations to 2.2e-15.",
                         "backward error": 2.2e-15},
        ),
        panels=Panels(
            confusion=((146, 5, 0), (4, 61, 3), (0, 2, 121)),
            **against_rest_of(codes, points, centres, ("Adelie", "Chinstrap", "Gentoo")),
            decision={
                "kind": "regions",
                "x": numbers(x, 4),
                "y": numbers(y, 4),
                "class": tuple(tuple(int(k) for k in row) for row in nearest),
                "points": tuple(numbers(point, 2) for point in points),
                "labels": tuple(int(k) for k in codes),
                "names": ("bill_length", "bill_depth"),
            },
        ),
        command="linscope compare penguins.csv --target species --missing drop",
        python='import linscope as ls\n\n'
        'ls.compare("penguins.csv", target="species", missing="drop")',
        versions=VERSIONS,
        seconds=9.4,
        partial=True,
    )  # fmt: skip


@cache
def a_number() -> Findings:
    """Prices of houses: linear regression with intervals, residuals; linear is not enough."""
    plan = Plan(
        metric="rmse",
        metrics=("rmse", "mae", "r2"),
        splits="5 folds, 4 times",
        folds=FOLDS,
        repeats=REPEATS,
        inner_folds=3,
        train=400,
        test=100,
        rope=842.5,
        level=0.95,
        seed=0,
        budget=120.0,
    )

    def means(rmse, mae, r2):
        return {"rmse": rmse, "mae": mae, "r2": r2}

    rows = (
        ("mean", "Mean of the target", "Mean", "baseline", True, 0.001,
         means(84250.0, 65100.0, -0.004), {}),
        ("linear", "Linear regression", "LinearRegression", "linear", True, 0.006,
         means(41870.0, 30220.0, 0.752), {}),
        ("ridge", "Ridge regression", "Ridge", "linear", True, 0.02,
         means(41790.0, 30150.0, 0.753), {"alpha": 10.0}),
        ("huber", "Huber regression", "HuberRegressor", "linear", True, 0.08,
         means(42950.0, 29480.0, 0.739), {"epsilon": 1.35}),
        ("ridge-poly", "Ridge, polynomial", "Ridge", "linear", False, 0.11,
         means(38650.0, 27900.0, 0.788), {"degree": 2, "alpha": 100.0}),
        ("boosting", "Gradient boosting", "HistGradientBoostingRegressor", "reference", False, 0.9,
         means(35620.0, 25410.0, 0.82), {}),
    )  # fmt: skip
    candidates = candidate(rows, plan, 0.05, seed=9)
    rng = np.random.default_rng(5)
    fitted = np.sort(rng.normal(181000, 62000, size=500))
    residual = rng.standard_t(5, size=500) * 26000 + (fitted - 181000) ** 2 / 3.1e6 - 12000
    own = next(each for each in candidates if each.key == "ridge-poly").scores[plan.metric]
    coefficients = (
        ("living_area", 98.4, 51700.0, 84.1, 112.7, 1e-16),
        ("quality=high", 31240.0, 31240.0, 22010.0, 40470.0, 3e-10),
        ("age", -412.0, -12480.0, -586.0, -238.0, 4e-06),
        ("garage=yes", 12870.0, 12870.0, 3190.0, 22550.0, 0.0093),
        ("rooms", -1840.0, -2990.0, -6210.0, 2530.0, 0.41),
    )
    return Findings(
        data=Data(
            name="houses.parquet",
            rows=500,
            dropped=0,
            columns=(
                Column("living_area", "number", "feature", "1 column", 0, 412, ("856", "1262")),
                Column("rooms", "number", "feature", "1 column", 0, 11, ("6", "8")),
                Column("age", "number", "feature", "1 column", 0, 97, ("5", "31")),
                Column("quality", "category", "feature", "2 columns, one per category", 0, 3,
                       ("low", "middle", "high")),
                Column("garage", "yes/no", "feature", "1 column", 0, 2, ("yes", "no")),
                Column("price", "number", "target", "", 0, 331, ("208500", "181500")),
            ),
            target="price",
            task="number",
            classes=(),
            counts=(),
            positive=None,
            missing="none",
            encoded=6,
            sha256="77aa0e5f0b1d4b6d8ac1f1de2b9d7c4e6f5a3b2c1d0e9f8a7b6c5d4e3f2a1b00",
        ),
        plan=plan,
        candidates=candidates,
        differences=all_differences(candidates, plan),
        headline=Headline(score(np.array(own.folds) + 210.0, plan), ("ridge-poly",) * 20, own.mean),
        recommendation=Recommendation(
            key="ridge-poly",
            best="ridge-poly",
            answer="Use ridge regression on polynomial features of degree 2.",
            reasons=("It is better than linear regression by 3,220 (practically better with "
                     "probability 0.98).",),
            linear="no",
            linear_words="Gradient boosting, which is not linear, is better by 3,030: practically "
            "better with probability 0.97.",
            flips=(Flip("rope", "±3,300", "linear",
                        "If differences of 3,300 do not matter to you, linear regression."),
                   Flip("rows", "about 250", "linear",
                        "With fewer than about 250 rows linear regression would be as good.")),
        ),
        checks=(
            Check("LS401", "warning", "The spread of the residuals grows",
                  "Breusch–Pagan p = 0.0002: residuals of dear houses spread more.",
                  "Compare with the logarithm of price.", ("price",)),
            Check("LS402", "note", "Three rows decide much of the fit",
                  "Cook's distance of rows 41, 302 and 448 is above 0.5.", "Look at them.",
                  (), (41, 302, 448)),
        ),
        curves=(curve("ridge-poly", (50, 100, 200, 400), (52000.0, 36000.0), 5200.0),
                curve("linear", (50, 100, 200, 400), (46500.0, 41000.0), 4100.0),
                curve("boosting", (50, 100, 200, 400), (56000.0, 31500.0), 5600.0)),
        final=Final(
            key="ridge-poly",
            title="Ridge, polynomial",
            parameters={"degree": 2, "alpha": 100.0},
            equation="",
            coefficients=tuple(Coefficient(*each) for each in coefficients),
            inference="Intervals hold if the residuals are normal with equal spread; see LS401.",
            summary="price          coef   std err\nliving_area    98.4       7.3\n"
            "age          −412.0      88.6",
            certificate={"status": "optimal", "ok": True,
                         "claim": "Backward error 4.4e-16.", "backward error": 4.4e-16},
        ),
        panels=Panels(
            residuals={
                "fitted": numbers(fitted, 1),
                "residual": numbers(residual, 1),
                "quantile": numbers(stats.norm.ppf((stats.rankdata(residual) - 0.5) / 500), 4),
            }
        ),
        command="linscope compare houses.parquet --target price",
        python='import linscope as ls\n\nls.compare("houses.parquet", target="price")',
        versions=VERSIONS,
        seconds=6.1,
    )  # fmt: skip


@cache
def small() -> Findings:
    """Two classes with one figure only: a page of it is made quickly."""
    found = two_classes()
    final = replace(found.final, coefficients=())
    return replace(found, panels=Panels(confusion=found.panels.confusion), curves=(), final=final)


SAMPLES = {"two classes": two_classes, "classes": three_classes, "number": a_number}


@cache
def page_of(sample):
    """The report of a sample."""
    return render(sample())


@cache
def hostile() -> Findings:
    """Names that would be code if a page did not quote them."""
    found = two_classes()
    tag, quotes, long = "<script>alert(1)</script>", "\"&'", "very_long_name_" * 12
    columns = (
        replace(found.data.columns[1], name=tag, examples=(tag, quotes)),
        replace(found.data.columns[2], name=long, examples=(long,)),
    )
    coefficient = replace(found.final.coefficients[0], name=tag)
    return replace(
        found,
        data=replace(
            found.data,
            name=tag + long,
            columns=columns + found.data.columns[3:],
            target=tag,
            classes=("no", quotes),
            positive=quotes,
        ),
        checks=(replace(found.checks[0], title=long, columns=(long,)), *found.checks[1:]),
        final=replace(
            found.final,
            equation=f"1.42·{long} > 0",
            coefficients=(coefficient, replace(coefficient, name=long)),
        ),
        recommendation=replace(found.recommendation, answer=f"Use {tag}</title>{quotes}."),
        command=f"linscope compare x --target '{tag}<!--'",
    )
