"""``ls.compare``: any table in, one object out that prints, plots, predicts and is reported."""

import json
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import linscope as ls
from linscope.selection.comparison.result import Comparison
from linscope.selection.comparison.settings import Settings
from tests.selection import fake_study

STUDY = "linscope.selection.comparison.study"
RNG = np.random.default_rng(5)
N = 120
AGE = RNG.integers(18, 80, N).astype(float)
PLAN = RNG.choice(["basic", "gold", "plus"], N)
LEFT = np.where(AGE / 30 + (PLAN == "gold") + RNG.normal(0, 0.5, N) > 2, "yes", "no")
COLUMNS = {"age": AGE, "plan": PLAN, "left": LEFT}
QUICK = {"models": ["majority", "fisher"], "repeats": 1}


@pytest.fixture
def asked(monkeypatch):
    """What reaches the study, which is not run."""
    kept = {}
    module = type(sys)(STUDY)

    def run_study(question, options, *, watch=None, processes=None):
        kept.update(question=question, options=options)
        return fake_study.Study(fake_study.findings())

    module.run_study = run_study
    monkeypatch.setitem(sys.modules, STUDY, module)
    return kept


@pytest.fixture(scope="module")
def found():
    """A small comparison, run once."""
    return ls.compare(pd.DataFrame(COLUMNS), target="left", **QUICK)


# what may be given


def tables(folder):
    frame = pd.DataFrame(COLUMNS)
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    return {
        "pandas": (frame,),
        "polars": (pl.DataFrame(COLUMNS),),
        "dict": (COLUMNS,),
        "file": (str(path),),
        "path": (path,),
        "series": (frame[["age", "plan"]], frame["left"]),
        "values": (frame[["age", "plan"]], LEFT),
    }


@pytest.mark.parametrize("kind", ["pandas", "polars", "dict", "file", "path", "series", "values"])
def test_tables_of_all_kinds_ask_the_same(asked, tmp_path, kind):
    given = tables(tmp_path)[kind]
    ls.compare(*given, target="left")
    question = asked["question"]
    assert question.names == ("age", "plan")
    assert question.target == "left"
    np.testing.assert_array_equal(question.X[:, 0], AGE)
    assert question.y.tolist() == LEFT.tolist()


def test_a_series_names_the_target(asked):
    frame = pd.DataFrame(COLUMNS)
    ls.compare(frame[["age"]], frame["left"])
    assert asked["question"].target == "left"


def test_arrays_and_sparse_matrices(asked):
    X = RNG.normal(size=(N, 3))
    ls.compare(X, LEFT)
    np.testing.assert_array_equal(asked["question"].X, X)
    ls.compare(sp.csr_matrix(X), LEFT)
    np.testing.assert_array_equal(asked["question"].X.toarray(), X)


def test_a_data_set_stands_for_both(asked):
    ls.compare(ls.datasets.load("iris"))
    assert asked["question"].X.shape == (150, 4)
    assert len(asked["question"].classes) == 3


def test_groups_by_name_and_as_an_array(asked):
    shop = np.arange(N) % 7
    ls.compare({**COLUMNS, "shop": shop}, target="left", groups="shop")
    by_name = asked["question"].groups
    ls.compare(COLUMNS, target="left", groups=shop)
    by_array = asked["question"].groups
    for groups in (by_name, by_array):
        assert len(set(zip(groups.tolist(), shop.tolist(), strict=True))) == 7
    ls.compare(np.column_stack([AGE, np.arange(N)]), LEFT, groups=shop)
    assert asked["question"].X.shape == (N, 2)  # numbers without names are meant as numbers


def test_groups_of_another_length_are_refused(asked):
    with pytest.raises(ValueError, match=r"groups has 3 values, the table has 120 rows"):
        ls.compare(COLUMNS, target="left", groups=[1, 2, 3])


def test_options_have_the_names_of_scikit_learn(asked):
    ls.compare(COLUMNS, target="left", cv=4, random_state=9, budget=30, ignore=["LS112"])
    options = asked["options"]
    assert (options.folds, options.seed, options.budget) == (4, 9, 30.0)
    assert options.ignore == ("LS112",)


def test_the_call_is_noted_so_that_it_can_be_made_again(asked, tmp_path):
    path = tables(tmp_path)["file"][0]
    ls.compare(path, target="left", cv=4, rope=0.02)
    noted = asked["options"].python
    asked.clear()
    exec(noted, {"ls": ls})
    assert asked["options"].python == noted
    assert (asked["options"].folds, asked["options"].rope) == (4, 0.02)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"target": "lefd"}, "did you mean 'left'"),
        ({"target": "left", "metric": "acuracy"}, "did you mean 'accuracy'"),
        ({"target": "left", "models": ["fischer"]}, "did you mean 'fisher'"),
        ({"target": "left", "budget": "soon"}, "90s, 2m or 1h"),
        ({"target": "left", "missing": "mean"}, "drop, impute"),
        ({"target": "left", "cv": 1}, "at least 2"),
        ({"target": "left", "ignore": ["LS1O1"]}, "no check"),
    ],
)
def test_bad_options_say_what_to_do(asked, options, says):
    with pytest.raises(ValueError, match=says):
        ls.compare(COLUMNS, **options)
    assert not asked


# what comes out


def test_the_best_model_predicts_from_a_table_like_the_one_given(found):
    frame = pd.DataFrame(COLUMNS).drop(columns="left")
    predicted = found.best_.predict(frame)
    assert set(predicted) <= {"no", "yes"}
    assert np.mean(predicted == LEFT) > 0.8
    one = pl.DataFrame({"plan": ["gold"], "age": [79.0]})
    assert found.best_.predict(one).tolist() == ["yes"]


def test_the_headline_is_the_mean_of_the_chosen_models_folds(found):
    """With one model beside the baseline, the procedure's score is that of its choices."""
    findings = found.findings
    scores = {one.key: one.scores[findings.plan.metric].folds for one in findings.candidates}
    chosen = [scores[key][fold] for fold, key in enumerate(findings.headline.chosen)]
    np.testing.assert_allclose(findings.headline.score.folds, chosen)
    np.testing.assert_allclose(findings.headline.score.mean, np.mean(chosen))


def test_the_table_is_a_frame_with_the_numbers_of_the_findings(found):
    frame = found.table.to_frame(backend="pandas").set_index("key")
    metric = found.findings.plan.metric
    for one in found.findings.candidates:
        assert frame.loc[one.key, metric] == one.scores[metric].mean
        assert frame.loc[one.key, "low"] == one.scores[metric].low
    assert frame[metric].is_monotonic_decreasing


def test_differences_are_a_frame_too(found):
    frame = found.differences.to_frame(backend="polars")
    assert frame.shape[0] == len(found.findings.differences) == len(found.differences)
    total = frame["better"] + frame["equal"] + frame["worse"]
    np.testing.assert_allclose(total.to_numpy(), 1.0)


@pytest.mark.parametrize("part", ["table", "differences"])
def test_tables_in_all_languages(part):
    table = getattr(Comparison(fake_study.findings()), part)
    assert "Fisher discriminant" in str(table)
    assert "| Fisher discriminant |" in table.to_markdown(max_rows=None)
    assert "tabular" in table.to_latex()
    assert "<td" in table._repr_html_()


def test_models_that_were_left_out_are_in_the_table_with_the_reason():
    text = str(Comparison(fake_study.findings()).table)
    assert "Kernel perceptron, left out: it would take 3 min" in text


def test_the_recommendation_prints_as_words(found):
    lines = str(found.recommendation).splitlines()
    assert lines[0] == found.recommendation.answer
    assert found.recommendation.linear_words in lines


def test_it_prints_the_answer_of_the_terminal(found):
    assert repr(found) == str(found)
    assert str(found).splitlines()[0][:30] == found.recommendation.answer[:30]
    assert len(str(found).splitlines()) < 24


def test_a_notebook_shows_html(found):
    assert found.recommendation.answer[:20] in found._repr_html_()


def test_json(found):
    assert json.loads(found.to_json())["recommendation"]["key"] == found.recommendation.key


@pytest.mark.slow
def test_the_report_is_written_as_a_whole_or_not_at_all(found, tmp_path):
    path = found.report(tmp_path / "r.html")
    page = path.read_text()
    with pytest.raises(ValueError, match=r"must end in .html"):
        found.report(tmp_path / "r.pdf")
    with pytest.raises(FileNotFoundError):
        found.report(tmp_path / "no" / "r.html")
    assert path.read_text() == page
    assert [each.name for each in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.parametrize("kind", ["scores", "differences", "learning"])
def test_figures(kind):
    display = Comparison(fake_study.findings()).plot(kind)
    assert display.figure_ is not None


def test_unknown_figures_are_named():
    with pytest.raises(ValueError, match="did you mean 'scores'"):
        Comparison(fake_study.findings()).plot("score")


# progress


def test_a_live_table_fills_row_by_row():
    import io

    from rich.console import Console

    from linscope.selection.comparison.options import Finished, LeftOut, Scored, Started
    from linscope.selection.comparison.screen.progress import LiveTable

    console = Console(file=io.StringIO(), width=80, height=24)
    models = [(key, title) for key, (title, *_) in fake_study.TITLES.items()]
    table = LiveTable("balanced_accuracy", models, 120.0, console=console)

    def shown():
        with console.capture() as capture:
            console.print(table.render())
        return capture.get()

    assert shown().count("waiting") == len(models)
    table(Started("fisher", "Fisher discriminant"))
    table(Scored("fisher", 1, 10, 0.8))
    assert "fold 1 of 10" in shown()
    table(Finished("fisher", fake_study.candidate("fisher")))
    table(LeftOut("svm-rbf", "SVM with rbf kernel", "too many rows"))
    text = shown()
    assert "0.789 ± 0.035" in text
    assert "left out: SVM with rbf kernel, too many rows" in text
    assert "2 of 13 models" in text
    assert len(text.splitlines()) < 24
    assert max(map(len, text.splitlines())) <= 80


# settings


def test_python_says_all_settings():
    settings = Settings(
        target="a", positive=1, drop=("b",), group="g", folds=3, seed=4, budget="none"
    )
    made = settings.python("X")
    assert made == (
        "ls.compare(X, target='a', positive='1', drop=['b'], groups='g', cv=3, budget='none', "
        "random_state=4)"
    )
