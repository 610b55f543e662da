"""The study on small tables: what must hold of its findings."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, root_mean_squared_error
from sklearn.model_selection import StratifiedKFold

import linscope as ls
from linscope.data.question import read_question
from linscope.selection.comparison import study as study_module
from linscope.selection.comparison.course import Course
from linscope.selection.comparison.last_fit.final import _weights
from linscope.selection.comparison.options import Finished, LeftOut, Options
from linscope.selection.comparison.study import run_study
from linscope.validation.differences import corrected_interval

QUICK = ("naive-bayes", "fisher", "logistic-l2")


def _table(n=120, seed=0, imbalance=0.0):
    rng = np.random.default_rng(seed)
    age, bill = rng.normal(40, 10, n), rng.normal(50, 20, n)
    plan = rng.choice(["basic", "plus", "premium"], n)
    s = 0.1 * (age - 40) - 0.05 * (bill - 50) + (plan == "plus") - 0.5 + imbalance
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-s)), "yes", "no")
    return {"age": age, "bill": bill, "plan": plan.astype(object), "churn": y.astype(object)}


@pytest.fixture(scope="module")
def study():
    question = read_question(_table(imbalance=-1.5), "churn")
    return question, run_study(question, Options(models=QUICK, budget=None, repeats=2))


def test_the_headline_is_the_score_of_the_choices_that_folds_made(study):
    _, done = study
    found = done.findings
    by_key = {one.key: one for one in found.candidates}
    chosen = [
        by_key[key].scores["balanced_accuracy"].folds[fold]
        for fold, key in enumerate(found.headline.chosen)
    ]
    assert found.headline.score.folds == tuple(chosen)
    wanted = corrected_interval(chosen, found.plan.train, found.plan.test, 0.95)
    assert found.headline.score.mean == pytest.approx(wanted[0])
    assert found.headline.naive == max(
        one.scores["balanced_accuracy"].mean for one in found.candidates
    )


def test_scores_are_those_of_models_fitted_by_hand_on_the_same_folds(study):
    question, done = study
    numbers = np.column_stack(
        [question.X[:, :2]] + [question.X[:, 2] == code for code in (1, 2)]
    ).astype(float)
    codes = question.codes
    scores = []
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(numbers, codes):
        P = ls.FisherDiscriminant().fit(numbers[train], codes[train]).predict_proba(numbers[test])
        share = codes[train].mean()
        scores.append(balanced_accuracy_score(codes[test], P[:, 1] > share))
    fisher = next(one for one in done.findings.candidates if one.key == "fisher")
    assert fisher.scores["balanced_accuracy"].folds[:10] == pytest.approx(scores)


def test_the_equation_says_what_the_model_predicts(study):
    question, _ = study
    assert question.counts[1] < question.counts[0] / 2, "the shares matter here"
    for key in ("fisher", "logistic-l2"):
        one = run_study(question, Options(models=(key,), budget=None, repeats=1, folds=3))
        model = one.best
        steps, rule = model.named_steps["prepare"], model.named_steps["model"]
        names = [str(name) for name in steps.get_feature_names_out()]
        weights = _weights(rule, steps, names, question)
        plain = np.column_stack(
            [question.X[:, :2]] + [question.X[:, 2] == code for code in (1, 2)]
        ).astype(float)
        scores = weights.values[0, 0] + plain @ weights.values[0, 1:]
        said = model.predict(question.table)
        np.testing.assert_array_equal(said == "yes", scores > 0)


def test_the_best_pipeline_reads_tables(study):
    _, done = study
    new = {"plan": ["plus", "unheard of"], "age": [50.0, 20.0], "bill": [10.0, 90.0]}
    assert done.best.predict(new).tolist() == ["yes", "no"]
    assert done.findings.final.certificate["verified"] is True


def test_nothing_is_learned_from_held_out_rows():
    """Noise in the held-out rows' features and targets changes no fit of that fold."""
    table = _table()
    question = read_question(table, "churn")
    options = Options(models=("logistic-l2",), budget=None, repeats=1)
    course = Course(question, options, None)
    test = course.folds.splits[0].test
    noisy = {name: values.copy() for name, values in table.items()}
    for name in ("age", "bill"):
        noisy[name][test] = np.random.default_rng(1).permutation(noisy[name][test]) * 7
    other = Course(read_question(noisy, "churn"), options, None)
    one, two = course.prepared[0].training, other.prepared[0].training
    np.testing.assert_array_equal(one.X, two.X)
    np.testing.assert_array_equal(one.y, two.y)


def test_a_number_is_predicted():
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    table = {"x": x, "z": rng.normal(size=80), "y": 3 * x + rng.normal(size=80)}
    question = read_question(table, "y")
    done = run_study(question, Options(models=("linear", "ridge"), budget=None))
    found = done.findings
    assert found.recommendation.key == "linear"
    line = next(one for one in found.final.coefficients if one.name == "x")
    assert line.low < 3 < line.high
    slope = np.polyfit(x, table["y"], 1)[0]
    assert line.value == pytest.approx(slope, abs=0.1)
    error = root_mean_squared_error(table["y"], done.best.predict(table))
    assert error < found.headline.score.mean
    assert found.plan.rope == pytest.approx(0.01 * np.std(table["y"]))


def test_a_budget_leaves_models_out_and_says_so():
    question = read_question(_table(), "churn")
    events = []
    options = Options(models=(*QUICK, "linear-svm"), budget=1e-6, repeats=1)
    done = run_study(question, options, watch=events.append)
    finished = [event.key for event in events if isinstance(event, Finished)]
    left = [event for event in events if isinstance(event, LeftOut)]
    assert finished == ["majority", "naive-bayes"]
    assert [event.key for event in left] == ["fisher", "logistic-l2", "linear-svm"]
    assert all("budget" in event.why for event in left)
    assert done.findings.recommendation.key in finished


def test_an_interruption_keeps_what_is_finished():
    question = read_question(_table(), "churn")

    def interrupt(event):
        if isinstance(event, Finished) and event.key == "fisher":
            raise KeyboardInterrupt

    done = run_study(question, Options(models=QUICK, budget=None, repeats=1), watch=interrupt)
    assert done.findings.partial
    states = {one.key: one.state for one in done.findings.candidates}
    assert states == {
        "majority": "finished",
        "naive-bayes": "finished",
        "fisher": "finished",
        "logistic-l2": "partial",
    }

    def at_once(event):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study(question, Options(models=QUICK, budget=None), watch=at_once)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_findings():
    question = read_question(_table(), "churn")
    options = Options(models=QUICK, budget=None, repeats=1, seed=3)
    one, two = (run_study(question, options).findings for _ in range(2))
    assert one.headline == two.headline
    assert one.final == two.final
    assert one.panels == two.panels
    assert run_study(question, Options(models=QUICK, budget=None, repeats=1)).findings.headline != (
        one.headline
    )


def test_unknown_models_are_named():
    question = read_question(_table(), "churn")
    with pytest.raises(ValueError, match="did you mean 'fisher'"):
        run_study(question, Options(models=("fischer",)))


def test_an_interruption_of_the_learning_curve_keeps_all_scores():
    question = read_question(_table(), "churn")
    options = Options(models=("naive-bayes", "fisher"), budget=None, repeats=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study_module, "learning_curves", _interrupted)
        found = run_study(question, options).findings
    assert found.partial
    assert not found.curves
    assert {one.state for one in found.candidates} == {"finished"}


def _interrupted(*arguments):
    raise KeyboardInterrupt


def test_a_class_of_three_rows_is_studied():
    table = _table()
    table["churn"] = np.where(np.arange(120) < 3, "yes", "no").astype(object)
    options = Options(models=QUICK, budget=None, repeats=1)
    found = run_study(read_question(table, "churn"), options).findings
    assert {one.state for one in found.candidates} == {"finished"}
    assert found.plan.folds == 3


def test_numbers_beyond_the_range_are_named():
    table = _table()
    table["age"] = table["age"] * 1e299
    with pytest.raises(ValueError, match="too large to standardise"):
        run_study(read_question(table, "churn"), Options(models=QUICK))
