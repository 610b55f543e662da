"""A study made by hand, for tests of what shows a study: plausible findings, events, small sleeps.

python -m tests.selection.fake_study      shows the live table and the answer
"""

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linscope.selection.comparison import findings as f
from linscope.selection.comparison.options import Finished, LeftOut, Scored, Stage, Started

TITLES = {
    "majority": ("Majority class", "DummyClassifier", "baseline"),
    "naive-bayes": ("Gaussian naive Bayes", "GaussianNaiveBayes", "linear"),
    "fisher": ("Fisher discriminant", "FisherDiscriminant", "linear"),
    "least-squares": ("Least squares classifier", "LeastSquaresClassifier", "linear"),
    "perceptron-averaged": ("Perceptron, averaged", "Perceptron", "linear"),
    "perceptron-pocket": ("Perceptron, pocket", "Perceptron", "linear"),
    "logistic-l2": ("Logistic regression, L2", "LogisticRegression", "linear"),
    "logistic-l1": ("Logistic regression, L1", "LogisticRegression", "linear"),
    "linear-svm": ("Linear SVM", "LinearSVC", "linear"),
    "logistic-poly": ("Logistic regression, degree 2", "LogisticRegression", "linear"),
    "kernel-perceptron": ("Kernel perceptron", "KernelPerceptron", "kernel"),
    "svm-rbf": ("SVM with rbf kernel", "SVC", "kernel"),
    "boosting": ("Gradient boosting (not linear)", "HistGradientBoostingClassifier", "reference"),
}
MEANS = [0.5, 0.748, 0.789, 0.787, 0.771, 0.762, 0.806, 0.803, 0.804, 0.809, 0.77, 0.812, 0.815]
FOLDS, REPEATS = 5, 2


@dataclass(frozen=True)
class Study:
    findings: f.Findings
    best: Any = None


def score(mean: float, half: float = 0.035) -> f.Score:
    wave = np.round(mean + half / 2 * np.sin(np.arange(FOLDS * REPEATS)), 4)
    return f.Score(mean, round(mean - half, 4), round(mean + half, 4), tuple(wave.tolist()))


def candidate(key: str) -> f.Candidate:
    place = list(TITLES).index(key)
    title, estimator, family = TITLES[key]
    out = key == "kernel-perceptron"
    half = 0.0 if key == "majority" else 0.035
    scores = {} if out else {"balanced_accuracy": score(MEANS[place], half)}
    if not out:
        scores["accuracy"] = score(MEANS[place] + 0.02)
        if estimator in ("LogisticRegression", "GaussianNaiveBayes"):
            scores["log_loss"] = score(0.44)
    return f.Candidate(
        key=key,
        title=title,
        estimator=estimator,
        family=family,
        simplicity=place,
        readable=family == "linear",
        state="left out" if out else "finished",
        why="it would take 3 min of a budget of 2 min" if out else "",
        scores=scores,
        chosen=() if out else ({"C": 1.0},) * 10,
        edges={},
        seconds=0.02 * 2**place,
        fit_seconds=0.001 * 2**place,
        predict_seconds=0.0002,
        fits=0 if out else 10,
        certified=0 if out else 10,
    )


def difference(a: f.Candidate, b: f.Candidate) -> f.Difference:
    gap = round(a.scores["balanced_accuracy"].mean - b.scores["balanced_accuracy"].mean, 4)
    equal = round(float(np.exp(-((gap / 0.015) ** 2))), 3)
    return f.Difference(
        a.key,
        b.key,
        gap,
        round(gap - 0.012, 4),
        round(gap + 0.012, 4),
        0.2,
        1.0,
        round(1 - equal, 3),
        equal,
        0.0,
    )


CHECKS = (
    f.Check(
        "LS501",
        "warning",
        "The search for C ended at its edge in 7 of 10 folds",
        "…",
        "…",
    ),
    f.Check("LS301", "note", "The classes are not balanced: 27 % are churn = yes", "…", "…"),
    f.Check(
        "LS101",
        "problem",
        "claim_id alone separates the classes: does it know the answer?",
        "Every row with claim_id above 512 is of class yes.",
        "Leave it out if it is written after the fact: --drop claim_id",
        ("claim_id",),
    ),
    f.Check("LS203", "note", "12 rows are copies of other rows", "…", "…"),
)


def findings(**changes: Any) -> f.Findings:
    candidates = tuple(candidate(key) for key in TITLES)
    done = sorted(
        (one for one in candidates if one.scores),
        key=lambda one: -one.scores["balanced_accuracy"].mean,
    )
    pairs = tuple(difference(a, b) for i, a in enumerate(done) for b in done[i + 1 :])
    columns = (
        f.Column("tenure", "number", "feature", "1 column", 0, 70, ("1", "34", "2")),
        f.Column("contract", "category", "feature", "3 columns", 0, 3, ("monthly",)),
        f.Column("churn", "yes/no", "target", "two classes", 0, 2, ("no", "yes")),
    )
    found = f.Findings(
        data=f.Data(
            "churn",
            1000,
            0,
            columns,
            "churn",
            "two classes",
            ("no", "yes"),
            (730, 270),
            "yes",
            "none",
            4,
            "0" * 64,
        ),
        plan=f.Plan(
            "balanced_accuracy",
            ("balanced_accuracy", "accuracy", "log_loss"),
            "5 stratified folds, 2 times",
            5,
            2,
            3,
            800,
            200,
            0.01,
            0.95,
            0,
            120.0,
        ),
        candidates=candidates,
        differences=pairs,
        headline=f.Headline(score(0.805, 0.04), ("logistic-l2",) * 9 + ("logistic-poly",), 0.812),
        recommendation=f.Recommendation(
            "logistic-l2",
            "svm-rbf",
            "Use logistic regression with an L2 penalty: it is practically equal to the best "
            "(the SVM with rbf kernel), 32 times cheaper, and its weights can be read.",
            ("It is practically equal to the SVM with rbf kernel (P = 0.85).",),
            "yes",
            "Yes: gradient boosting, which is not linear, is better by 0.009 only, inside the "
            "region of practical equivalence.",
            (
                f.Flip("rope", "0.006", "svm-rbf", "With --rope 0.006 or less: the SVM with rbf."),
                f.Flip("metric", "log_loss", "logistic-l1", "With --metric log_loss: L1."),
            ),
        ),
        checks=CHECKS,
        curves=(
            f.Curve(
                "logistic-l2",
                (100, 400, 800),
                (0.7, 0.78, 0.8),
                (0.6, 0.72, 0.77),
                (0.8, 0.83, 0.83),
            ),
        ),
        final=f.Final(
            "logistic-l2",
            "Logistic regression, L2",
            {"C": 1.0},
            "0.5·tenure > 1 ⇒ yes",
            (f.Coefficient("tenure", -0.5, -0.6, -0.4, 0.001, 0.61),),
            "penalised: no intervals",
            "",
            {"status": "CONVERGED", "ok": True},
        ),
        panels=f.Panels(confusion=((600, 130), (60, 210))),
        command="linscope compare churn.csv --target churn",
        python='ls.compare("churn.csv", target="churn")',
        versions={"linscope": "0.1.0"},
        seconds=12.5,
    )
    return replace(found, **changes)


def run_study(question: Any, options: Any, *, watch: Any = None, pause: float = 0.0) -> Study:
    """Plays a study: fold by fold, all models in each."""
    say = watch or (lambda event: None)
    folds = FOLDS * REPEATS
    say(Stage("reading the columns"))
    for key, (title, _, _) in TITLES.items():
        if key != "kernel-perceptron":
            say(Started(key, title))
    say(LeftOut("kernel-perceptron", "Kernel perceptron", candidate("kernel-perceptron").why))
    for fold in range(folds):
        say(Stage("comparing", pause * (folds - fold) * len(TITLES)))
        for key in TITLES:
            if key != "kernel-perceptron":
                say(
                    Scored(
                        key, fold + 1, folds, candidate(key).scores["balanced_accuracy"].folds[fold]
                    )
                )
                time.sleep(pause)
            if fold == folds - 1 and key != "kernel-perceptron":
                say(Finished(key, candidate(key)))
    say(Stage("final fit"))
    return Study(findings(), best=None)


if __name__ == "__main__":
    import sys

    from rich.console import Console

    from linscope.selection.comparison.screen.answer import answer
    from linscope.selection.comparison.screen.progress import watch as watching

    models = [(key, title) for key, (title, _, _) in TITLES.items()]
    with watching("balanced_accuracy", models, quiet=False) as progress:
        run_study(None, None, watch=progress, pause=float(sys.argv[1]) if sys.argv[1:] else 0.05)
    hints = ["linscope verify churn-report.html churn.csv"]
    Console(highlight=False).print(answer(findings(), report="churn-report.html", hints=hints))
