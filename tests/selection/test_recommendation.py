"""The choice and its reasons, on candidates made by hand: what follows is worked out beforehand."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linscope.selection.comparison.advice.choice import choose
from linscope.selection.comparison.advice.extrapolation import fitted_law, overtaking
from linscope.selection.comparison.advice.recommendation import recommend
from linscope.selection.comparison.findings import (
    Candidate,
    Curve,
    Data,
    Final,
    Findings,
    Headline,
    Panels,
    Plan,
    Score,
)
from linscope.selection.report.paragraph import results_paragraph
from linscope.validation.differences import corrected_interval, differences

TITLES = {
    "majority": ("Always the most frequent class", "baseline", 0),
    "mean": ("Always the mean", "baseline", 0),
    "naive-bayes": ("Gaussian naive Bayes", "linear", 1),
    "fisher": ("Fisher discriminant", "linear", 2),
    "logistic-l2": ("Logistic regression, l2", "linear", 6),
    "ridge": ("Ridge regression", "linear", 2),
    "linear": ("Linear regression", "linear", 1),
    "svm-rbf": ("SVM, rbf kernel", "kernel", 11),
    "boosting": ("Gradient boosting (not linear)", "reference", 12),
}
PLAN = Plan(
    metric="balanced_accuracy",
    metrics=("balanced_accuracy",),
    splits="5 stratified folds, 2 times",
    folds=5,
    repeats=2,
    inner_folds=3,
    train=80,
    test=20,
    rope=0.01,
    level=0.95,
    seed=0,
    budget=None,
)
NUMBER_PLAN = replace(PLAN, metric="rmse", metrics=("rmse",), rope=2.0)
DATA = Data(
    name="table",
    rows=100,
    dropped=0,
    columns=(),
    target="churn",
    task="two classes",
    classes=("no", "yes"),
    counts=(70, 30),
    positive="yes",
    missing="none",
    encoded=3,
    sha256="ab" * 32,
)
NUMBER = replace(DATA, target="price", task="number", classes=(), counts=(), positive=None)
SPREAD = np.array([2, -1, 0, 1, -2, 2, -1, 0, 1, -2]) / 100
# Noise that is not shared is what makes a difference uncertain.
ROUGH = np.array([1, -1, 1, -1, 1, -1, 1, -1, 1, -1]) / 100


def candidate(key, mean, *, noise=0.0, seconds=1.0, state="finished", metric=None, **others):
    """All candidates share the ups and downs of the folds; ``noise`` is this one's own."""
    title, family, simplicity = TITLES[key]
    metric = metric or ("rmse" if key in ("mean", "linear", "ridge") else "balanced_accuracy")
    means = {metric: mean, **others}
    scores = {}
    for name, middle in means.items():
        folds = middle + SPREAD + noise * ROUGH
        scores[name] = Score(*corrected_interval(folds, 80, 20), tuple(folds.tolist()))
    return Candidate(
        key=key,
        title=title,
        estimator="",
        family=family,
        simplicity=simplicity,
        readable=family == "linear",
        state=state,
        why="" if state == "finished" else "no time",
        scores=scores if state == "finished" else {},
        chosen=(),
        edges={},
        seconds=seconds,
        fit_seconds=seconds,
        predict_seconds=seconds,
        fits=10,
        certified=10 if family in ("linear", "kernel") else 0,
    )


def advice(candidates, plan=PLAN, data=DATA, curves=()):
    return recommend(candidates, differences(candidates, plan), plan, curves, data)


# The rule


@pytest.mark.parametrize(
    ("rope", "key"), [(0.0, "c"), (0.0099, "c"), (0.01, "b"), (0.0299, "b"), (0.03, "a"), (1, "a")]
)
def test_simplest_within_the_rope(rope, key):
    scores = {"a": [0.86, 0.88], "b": [0.88, 0.90], "c": [0.88, 0.92], "boosting": [1.0, 1.0]}
    ranks = {"a": 0, "b": 1, "c": 2, "boosting": 3}
    assert choose(scores, ranks, rope=rope, metric="accuracy") == key
    turned = {name: [1 - value for value in values] for name, values in scores.items()}
    assert choose(turned, ranks, rope=rope, metric="brier") == key


def test_ties_go_to_the_simpler():
    assert choose({"a": 0.5, "b": 0.5}, {"a": 1, "b": 0}, rope=0, metric="r2") == "b"


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 100), min_size=1))
def test_choice_by_definition(found):
    ranks = {key: "fbdaec".index(key) for key in found}
    chosen = choose(found, ranks, rope=10, metric="r2")
    best = max(found.values())
    assert found[chosen] >= best - 10
    assert all(found[key] < best - 10 for key in found if ranks[key] < ranks[chosen])


def test_nothing_to_choose_from():
    with pytest.raises(ValueError, match="no model to choose from"):
        choose({"boosting": [0.9]}, {"boosting": 12}, rope=0.01, metric="accuracy")
    with pytest.raises(ValueError, match="'a' are not finite"):
        choose({"a": [np.nan]}, {"a": 0}, rope=0.01, metric="accuracy")


# The answer


def test_simpler_model_that_is_practically_equal():
    found = advice(
        [
            candidate("majority", 0.5),
            candidate("fisher", 0.87, seconds=0.001),
            candidate("logistic-l2", 0.905, seconds=0.01),
            candidate("svm-rbf", 0.91, seconds=0.4),
            candidate("boosting", 0.90, seconds=2),
        ]
    )
    assert (found.key, found.best, found.linear) == ("logistic-l2", "svm-rbf", "yes")
    assert found.answer == (
        "Use logistic regression (l2): practically equal to the SVM (rbf kernel) (P > 0.99), about "
        "40 times cheaper to search and fit, and its weights can be read."
    )
    assert found.reasons[:3] == (
        "Its mean balanced accuracy over the folds is 0.905, 0.5 percentage points worse than that "
        "of the SVM (rbf kernel); P > 0.99 that it is at most 1 percentage point worse.",
        "The nearest simpler model, the Fisher discriminant, is 4 percentage points worse than the "
        "SVM (rbf kernel) (P > 0.99 that it is more than 1 percentage point).",
        "It is better than always answering “no” by 40.5 percentage points (P > 0.99 that it is "
        "more than 1 percentage point).",
    )
    assert found.reasons[-2:] == (
        "Its weights can be read.",
        "Each of its 10 fits carries a certificate.",
    )


def test_doubt_is_said():
    """Means within the rope, but folds that do not settle it: P is Student's at (0.01 − d)/se."""
    found = advice([candidate("fisher", 0.90, noise=4), candidate("svm-rbf", 0.908)])
    # d_j = 0.008 ∓ 0.04: s = 0.04 √(10/9), se = s √(1/10 + 1/4) = 0.02494; t₉(0.0802) → 0.531.
    assert found.key == "fisher"
    assert "close to the SVM (rbf kernel) (P = 0.53 that it is at most 1 percentage" in found.answer
    assert found.linear == "unclear"
    assert "may or may not be better than the Fisher discriminant" in found.linear_words
    assert "(P = 0.47)" in found.linear_words


def test_best_model_is_recommended():
    found = advice(
        [candidate("majority", 0.5), candidate("fisher", 0.8), candidate("logistic-l2", 0.9)]
    )
    assert found.key == found.best == "logistic-l2"
    assert found.answer == (
        "Use logistic regression (l2): it has the best mean balanced accuracy, and no simpler "
        "model is within 1 percentage point of it."
    )
    assert found.linear == "unclear"
    assert found.linear_words == "Unclear: no model that is not linear finished."


def test_columns_that_tell_nothing():
    models = [candidate("majority", 0.5), candidate("fisher", 0.501), candidate("boosting", 0.49)]
    found = advice(models)
    assert found.key == "majority"
    assert found.answer == (
        "None of the models is better than always answering “no” by more than 1 percentage point: "
        "the columns do not tell the target."
    )
    rough = advice([models[0], candidate("fisher", 0.505, noise=4), models[2]])
    assert "it is not shown that the columns tell the target" in rough.answer
    assert "do not tell" not in rough.answer


def test_columns_that_tell_only_what_is_not_linear():
    found = advice(
        [candidate("majority", 0.5), candidate("fisher", 0.5), candidate("boosting", 0.8)]
    )
    assert (found.key, found.linear) == ("majority", "no")
    assert "the columns tell the target, though not to these models" in found.answer
    assert found.linear_words == (
        "No: gradient boosting, which is not linear, is better than the Fisher discriminant by 30 "
        "percentage points (P > 0.99 that it is more than 1 percentage point)."
    )


def test_only_one_finished():
    found = advice([candidate("fisher", 0.8), candidate("boosting", 0.9, state="left out")])
    assert found.answer == "Use the Fisher discriminant: it is the only model that finished."
    assert found.linear == "unclear"
    assert "Gradient boosting, the reference, did not finish." in found.linear_words
    assert found.reasons[-1] == ("Gradient boosting has no part in this: left out or not finished.")
    assert found.flips == ()
    alone = advice([candidate("majority", 0.5)])
    assert alone.answer == "Nothing to recommend yet: only always answering “no” was finished."


def test_nothing_finished():
    with pytest.raises(ValueError, match="no model to choose from"):
        advice([candidate("fisher", 0.8, state="partial"), candidate("boosting", 0.9)])


def test_regression():
    found = advice(
        [
            candidate("mean", 80.0),
            candidate("linear", 31.0),
            candidate("ridge", 30.0),
            candidate("boosting", 20.0, metric="rmse"),
        ],
        NUMBER_PLAN,
        NUMBER,
    )
    assert (found.key, found.best, found.linear) == ("linear", "ridge", "no")
    assert "1 unit of price worse than that of ridge regression" in found.reasons[0]
    assert "better than always answering the mean by 49 units of price" in " ".join(found.reasons)
    assert "is better than ridge regression by 10 units of price" in found.linear_words


# What would change it


def flips_of(found, kind):
    return [(one.at, one.to) for one in found.flips if one.kind == kind]


def test_regions_that_change_the_answer():
    models = [
        candidate("naive-bayes", 0.88),
        candidate("fisher", 0.905),
        candidate("logistic-l2", 0.908),
        candidate("svm-rbf", 0.91),
    ]
    found = advice(models)
    assert found.key == "fisher"
    assert flips_of(found, "rope") == [
        ("below 0.5 percentage points", "logistic-l2"),
        ("3 percentage points or more", "naive-bayes"),
    ]
    # And the rule agrees, just below and just above.
    for rope, key in ((0.00499, "logistic-l2"), (0.0299, "fisher"), (0.03, "naive-bayes")):
        assert advice(models, replace(PLAN, rope=rope)).key == key


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(60, 100), min_size=4, max_size=4), st.integers(0, 20))
def test_regions_are_those_of_the_rule(means, rope):
    keys = ("naive-bayes", "fisher", "logistic-l2", "svm-rbf")
    models = [candidate(key, mean / 100) for key, mean in zip(keys, means, strict=True)]
    found = advice(models, replace(PLAN, rope=rope / 100))
    for at, to in flips_of(found, "rope"):
        width = float(at.removeprefix("below ").split()[0]) / 100
        beyond = width - 1e-4 if at.startswith("below") else width
        assert advice(models, replace(PLAN, rope=beyond)).key == to
        inside = width if at.startswith("below") else width - 1e-4
        assert advice(models, replace(PLAN, rope=inside)).key == found.key


def test_metrics_that_change_the_answer():
    metrics = ("balanced_accuracy", "accuracy", "roc_auc", "log_loss", "brier")
    found = advice(
        [
            candidate("majority", 0.5, accuracy=0.70, log_loss=0.6, brier=0.2),
            candidate("fisher", 0.80, accuracy=0.70, roc_auc=0.9),
            candidate("logistic-l2", 0.79, accuracy=0.70, roc_auc=0.9, log_loss=0.3, brier=0.1),
        ],
        replace(PLAN, metrics=metrics),
    )
    assert found.key == "fisher"
    assert flips_of(found, "metric") == [
        ("accuracy", "majority"),
        ("log loss or Brier score", "logistic-l2"),
    ]
    words = [one.words for one in found.flips if one.kind == "metric"]
    assert words[0] == (
        "Judged by accuracy, no model is better than always answering “no” by more than the region."
    )
    assert words[1] == (
        "Judged by log loss or Brier score, which the Fisher discriminant does not have, it would "
        "be logistic regression (l2)."
    )


def test_region_of_another_metric_is_the_same_share():
    """2 of a standard deviation of 80 is 0.025 of R²."""
    plan = replace(NUMBER_PLAN, metrics=("rmse", "r2"))

    def models(gap):
        return [
            candidate("mean", 80.0, r2=0.0),
            candidate("linear", 31.0, r2=0.9 - gap),
            candidate("ridge", 30.0, r2=0.9),
        ]

    assert flips_of(advice(models(0.024), plan, NUMBER), "metric") == []
    assert flips_of(advice(models(0.026), plan, NUMBER), "metric") == [("R²", "ridge")]


def test_costs_that_change_the_answer():
    found = advice(
        [
            candidate("fisher", 0.905, seconds=1.0),
            candidate("logistic-l2", 0.906, seconds=0.25),
            candidate("svm-rbf", 0.91, seconds=40.0),
        ]
    )
    assert flips_of(found, "cost") == [
        ("about 4 times cheaper", "logistic-l2"),
        ("about 40 times the cost", "svm-rbf"),
    ]
    equal = advice([candidate("fisher", 0.905, seconds=1.0), candidate("svm-rbf", 0.91)])
    assert flips_of(equal, "cost") == []


def curve(key, law, sizes=(50, 100, 200, 400, 800)):
    mean = tuple(law(np.array(sizes, dtype=float)))
    return Curve(key, tuple(sizes), mean, mean, mean)


def test_rows_at_which_another_overtakes():
    """0.8 − 0.5/√n + 0.01 = 0.84 − 1/√n at √n = 0.5/0.03, n = 277.8: before the last size.
    With 0.9 − 3/√n the other is ahead by more than 0.01 from √n = 2.5/0.09 on: n = 771.6."""
    own = curve("fisher", lambda n: 0.8 - 0.5 / np.sqrt(n), sizes=(50, 100, 200, 400))
    other = curve("svm-rbf", lambda n: 0.9 - 3 / np.sqrt(n), sizes=(50, 100, 200, 400))
    n = overtaking(own, other, "accuracy", 0.01, 4000)
    assert n == pytest.approx((2.5 / 0.09) ** 2, rel=0.01)
    assert overtaking(own, other, "accuracy", 0.01, 700) is None
    assert (
        overtaking(other, own, "accuracy", 0.01, 4000) is None
    )  # it is ahead already, and falls back
    turned = [replace(one, mean=tuple(1 - value for value in one.mean)) for one in (own, other)]
    assert overtaking(*turned, "brier", 0.01, 4000) == n
    rough = replace(other, mean=tuple(np.add(other.mean, [0.03, -0.03, 0.03, -0.03])))
    assert overtaking(own, rough, "accuracy", 0.01, 4000) is None
    short = replace(other, sizes=other.sizes[1:], mean=other.mean[1:])
    assert overtaking(own, short, "accuracy", 0.01, 4000) is None
    found = advice(
        [candidate("fisher", 0.775), candidate("svm-rbf", 0.75)],
        data=replace(DATA, rows=500),
        curves=(own, other),
    )
    assert flips_of(found, "rows") == [("about 770 rows", "svm-rbf")]
    (flip,) = [one for one in found.flips if one.kind == "rows"]
    assert "extrapolation" in flip.words


@settings(max_examples=50, deadline=None)
@given(
    st.floats(0.5, 1.0),
    st.floats(0.0, 2.0),
    st.sampled_from([0.1, 0.5, 1.0, 2.0]),
)
def test_law_is_found_again(a, b, c):
    sizes = np.array([50, 100, 200, 400, 800])
    truth = a - b * (sizes / 800.0) ** -c
    law = fitted_law(sizes, truth, 1.0 + 1e-9)
    assert law is not None
    np.testing.assert_allclose(law.at(sizes), truth, atol=1e-9)
    np.testing.assert_allclose(law.at([3200]), a - b * 4.0**-c, atol=1e-6)


def test_no_continuation_beyond_perfect():
    sizes = np.array([50, 100, 200, 400])
    law = fitted_law(sizes, np.array([0.2, 0.5, 0.8, 0.99]), 1.0)
    assert law is not None
    assert law.at([1e12]) <= 1
    assert fitted_law(sizes, np.array([0.9, 0.8, 0.7, 0.6]), 1.0) is None  # it gets worse


# Words


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 1.0, 3.0])), min_size=5, max_size=5),
    st.sampled_from([0.0, 0.01, 0.2]),
    st.sampled_from(["balanced_accuracy", "roc_auc", "log_loss", "rmse"]),
)
def test_every_study_has_an_answer(rows, rope, metric):
    keys = ("majority", "fisher", "logistic-l2", "svm-rbf", "boosting")
    models = [
        candidate(key, mean, noise=noise, metric=metric)
        for key, (mean, noise) in zip(keys, rows, strict=True)
    ]
    plan = replace(PLAN, rope=rope, metric=metric, metrics=(metric,))
    found = advice(models, plan)
    assert found.key != "boosting"
    texts = [found.answer, found.linear_words, *found.reasons, *(one.words for one in found.flips)]
    for text in texts:
        assert text[0].isupper()
        assert text.endswith(".")
        assert not re.search(r"  |\bnan\b|\binf\b|\.\.|_|\b0 times", text)
    assert {one.to for one in found.flips} <= set(keys) - {found.key}


def findings_of(models, plan=PLAN, data=DATA, partial=False):
    pairs = differences(models, plan)
    found = recommend(models, pairs, plan, (), data)
    score = next(one for one in models if one.key == found.key).scores[plan.metric]
    return Findings(
        data=data,
        plan=plan,
        candidates=tuple(models),
        differences=pairs,
        headline=Headline(score, (found.key,), score.mean),
        recommendation=found,
        checks=(),
        curves=(),
        final=Final(found.key, "", {}, "", (), "", "", {}),
        panels=Panels(),
        command="",
        python="",
        versions={"linscope": "0.1"},
        seconds=1.0,
        partial=partial,
    )


def test_results_paragraph():
    models = [
        candidate("majority", 0.5),
        candidate("fisher", 0.90, noise=1),
        candidate("svm-rbf", 0.905),
        candidate("boosting", 0.80),
    ]
    text = results_paragraph(findings_of(models))
    # d_j = 0.005 ∓ 0.01: s² = 0.01² · 10/9, se = 0.00624, t = 0.80 with 9 degrees of freedom,
    # of which scipy's p is 0.44; Student's 97.5 % is 2.262: 0.5 ± 1.411 percentage points.
    for part in (
        "We compared 4 models of churn from 0 columns (100 rows; no: 70, yes: 30): always the most",
        "5 stratified folds, 2 times; on average 80 rows to fit and 20 to test",
        "reached a mean balanced accuracy of 0.900 (95 % interval ",
        "The Fisher discriminant, the simplest model within 1 percentage point of the best, had",
        "The SVM (rbf kernel) had a better mean than the Fisher discriminant by 0.5 percentage "
        "points (95 % interval −0.911 to 1.91; corrected resampled t-test (Nadeau & Bengio, 2003): "
        "t(9) = 0.80, p = 0.44, p = 0.44 after Holm's (1979) correction for 6 pairs)",
        "The Fisher discriminant was better than gradient boosting by 10 percentage points",
        "Benavoli et al., 2017",
        "Random seed 0; linscope 0.1; data SHA-256 abababababababab…",
    ):
        assert part in text
    assert "stopped" in results_paragraph(findings_of(models, partial=True))


def test_results_paragraph_of_one_model():
    text = results_paragraph(findings_of([candidate("ridge", 3.0)], NUMBER_PLAN, NUMBER))
    assert "We compared 1 model of price" in text
    assert "Ridge regression, the simplest model within 2 units of price of the best" in text
