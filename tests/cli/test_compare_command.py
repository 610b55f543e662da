"""``linscope compare``: what it asks of the study, what it says, and what it writes."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys

import pytest

from linscope.cli.verbs.compare import JudgingOptions, TableOptions, _settings, app
from linscope.selection.comparison.settings import Settings
from linscope.selection.report.twin import read_report
from tests.selection import fake_study

COMMAND = ["compare"]
STUDY = "linscope.selection.comparison.study"
TABLE = "id,tenure,plan,churn\n" + "".join(
    f"{1000 + 7 * i},{i % 9},{'plus' if i % 3 else 'basic'},{'yes' if i % 9 > 5 else 'no'}\n"
    for i in range(60)
)
PRICES = "size,price\n" + "".join(f"{i * i % 17},{3.5 * i + i % 3}\n" for i in range(30))


@pytest.fixture
def study(monkeypatch, tmp_path):
    """A study made by hand in place of the real one; what it was asked is kept."""
    monkeypatch.chdir(tmp_path)
    asked = {}

    def run_study(question, options, *, watch=None, processes=None):
        asked.update(question=question, options=options)
        return fake_study.run_study(question, options, watch=watch)

    module = type(sys)(STUDY)
    module.run_study = run_study
    monkeypatch.setitem(sys.modules, STUDY, module)
    return asked


# what is asked


def test_options_reach_the_study(run, write, study):
    code, _, err = run(
        *("--data", write(TABLE), "--target", "churn", "--positive", "no", "--drop", "plan"),
        *("--metric", "accuracy", "--folds", 3, "--repeats", 2, "--rope", 0.02, "--level", 0.9),
        *("--budget", "90s", "--models", "logistic-l2,fisher", "--seed", 7, "--no-report"),
    )
    assert code == 0, err
    options, question = study["options"], study["question"]
    assert (options.metric, options.folds, options.repeats) == ("accuracy", 3, 2)
    assert (options.rope, options.level, options.budget, options.seed) == (0.02, 0.9, 90.0, 7)
    assert options.models == ("logistic-l2", "fisher")
    assert question.positive == "no"
    assert list(question.names) == ["tenure"]  # id looks like an identifier


def test_a_kept_column_is_a_feature(run, write, study):
    run(write(TABLE), "--target", "churn", "--keep", "id", "--no-report")
    assert list(study["question"].names) == ["id", "tenure", "plan"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90.0), ("2m", 120.0), ("1h", 3600.0), ("30", 30.0), ("none", None)],
)
def test_budgets(run, write, study, text, seconds):
    run(write(TABLE), "--target", "churn", "--budget", text, "--no-report")
    assert study["options"].budget == seconds


def settings_from(words):
    """What these words after ``linscope compare`` ask."""
    _, bound, _ = app.parse_args(words, exit_on_error=False, print_error=False)
    given = bound.arguments
    return _settings(
        given.get("asked") or TableOptions(), given.get("judging") or JudgingOptions(), None
    )


def test_the_command_in_the_report_asks_the_same(run, write, study):
    path = write(TABLE, "my table.csv")
    run(path, "--target", "churn", "--drop", "plan", "--rope", 0.02, "--no-report")
    words = shlex.split(study["options"].command)
    assert words[:3] == ["linscope", "compare", str(path)]
    assert settings_from(words[2:]) == Settings(target="churn", drop=("plan",), rope=0.02)


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(target="the target", positive="a b", task="classes", missing="impute"),
        Settings(target="-x", drop=("--drop", "it's"), keep=("ä ö",), group="g", time="t"),
        Settings(metric="brier", models=("fisher", "svm-rbf"), folds=3, repeats=2, seed=9),
        Settings(rope=1 / 3, level=0.123456789, budget="none", ignore=("LS101", "LS203")),
        Settings(budget="90s", rope=0.0, sheet="my sheet"),
    ],
)
def test_commands_say_all_settings(settings):
    words = shlex.split(settings.command("table.csv"))
    assert settings_from(words[2:]).given() == settings.given()


def test_a_built_in_table_needs_no_target(run, study):
    code, _, err = run("iris", "--no-report")
    assert code == 0, err
    assert study["question"].task == "classes"
    assert "ls.datasets.load('iris')" in study["options"].python


def test_standard_input(run, study, monkeypatch):
    import io

    stdin = type("Stdin", (), {"buffer": io.BytesIO(TABLE.encode()), "isatty": lambda self: False})
    monkeypatch.setattr(sys, "stdin", stdin())
    code, _, err = run("-", "--target", "churn")
    assert code == 0, err
    assert len(study["question"].y) == 60


# bad input


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "which table?"),
        (["{table}", "--data", "{table}"], "not both"),
        (["{table}"], "target"),
        (["{table}", "--target", "churm"], "did you mean 'churn'?"),
        (["{table}", "--target", "churn", "--drop", "plam"], "did you mean 'plan'?"),
        (["{table}", "--target", "churn", "--group", "idd"], "did you mean 'id'?"),
        (["{table}", "--target", "churn", "--positive", "maybe"], "maybe"),
        (["{table}", "--target", "churn", "--metric", "acuracy"], "did you mean 'accuracy'?"),
        (["{table}", "--target", "churn", "--metric", "rmse"], "balanced_accuracy"),
        (["{prices}", "--target", "price", "--metric", "f1"], "rmse, mae, r2"),
        (["{table}", "--target", "churn", "--models", "fischer"], "did you mean 'fisher'?"),
        (["{table}", "--target", "churn", "--ignore", "LS1O1"], "did you mean 'LS"),
        (["{table}", "--target", "churn", "--budget", "fast"], "90s, 2m or 1h"),
        (["{table}", "--target", "churn", "--budget", "-3"], "90s, 2m or 1h"),
        (["{table}", "--target", "churn", "--folds", "1"], "at least 2"),
        (["{table}", "--target", "churn", "--repeats", "0"], "at least 1"),
        (["{table}", "--target", "churn", "--level", "95"], "between 0 and 1"),
        (["{table}", "--target", "churn", "--rope", "-1"], "rope"),
        (["{table}", "--target", "churn", "--missing", "guess"], "impute"),
        (["{table}", "--target", "churn", "--seed", "x"], "seed"),
        (["{table}", "--target", "churn", "--report", "a.pdf"], "end in .html"),
        (["{table}", "--target", "churn", "--report", "no/such/r.html"], "no folder"),
        (["{table}", "--target", "churn", "--report", "r.html", "--no-report"], "not both"),
        (["{holes}", "--target", "churn"], "--missing"),
        (["{table}", "--targte", "churn"], "--target"),
        (["irish"], "did you mean 'iris'?"),
        (["nowhere.csv", "--target", "churn"], "does not exist"),
    ],
)
def test_bad_input_is_one_line_that_says_what_to_do(run, write, study, words, says):
    files = {
        "table": write(TABLE),
        "prices": write(PRICES, "prices.csv"),
        "holes": write(TABLE.replace("1000,0,", "1000,,"), "holes.csv"),
    }
    code, out, err = run(*(word.format(**files) for word in words))
    assert (code, out) == (2, "")
    assert err.startswith("linscope: ")
    assert err.count("\n") == 1
    assert says in err
    assert not study, "the study was begun"


# what is said


def test_the_answer_is_on_standard_output_and_progress_on_standard_error(run, write, study):
    code, out, err = run(write(TABLE), "--target", "churn")
    assert code == 0
    assert "Use logistic regression" in out
    assert "0.805, 95 % interval 0.765–0.845, for the whole procedure" in " ".join(out.split())
    assert "table-report.html" in out
    assert "\x1b" not in out + err
    done = [line for line in err.splitlines() if re.search(r" ± .*, |left out", line)]
    assert len(done) == len(err.splitlines()) == len(fake_study.TITLES)


def test_quiet_says_nothing_but_the_answer(run, write, study):
    _, out, err = run(write(TABLE), "--target", "churn", "--quiet")
    assert err == ""
    assert "Use logistic regression" in out


def test_json_is_alone_on_standard_output(run, write, study, tmp_path):
    code, out, _ = run(write(TABLE), "--target", "churn", "--json")
    assert code == 0
    assert json.loads(out)["recommendation"]["key"] == "logistic-l2"
    assert not list(tmp_path.glob("*.html"))


def test_help_begins_with_examples(run):
    code, out, _ = run("--help")
    assert code == 0
    assert out.index("linscope compare my.csv --target churn") < out.index("--folds")


# what is written


def test_the_report_is_named_after_the_table(run, write, study, tmp_path):
    run(write(TABLE, "customers.csv"), "--target", "churn")
    assert (tmp_path / "customers-report.html").read_text().startswith("<!doctype html>")


def test_a_foreign_file_is_kept(run, write, study, tmp_path):
    mine = write("<html>mine</html>", "table-report.html")
    code, _, err = run(write(TABLE), "--target", "churn")
    assert code == 2
    assert "--force" in err
    assert mine.read_text() == "<html>mine</html>"
    assert run(write(TABLE), "--target", "churn", "--force")[0] == 0
    assert "linscope" in mine.read_text()


def test_a_report_is_written_over(run, write, study, tmp_path):
    assert run(write(TABLE), "--target", "churn")[0] == 0
    assert run(write(TABLE), "--target", "churn")[0] == 0
    assert [path.name for path in tmp_path.glob("*.html")] == ["table-report.html"]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


# Ctrl-C


@pytest.mark.slow
def test_an_interrupt_keeps_what_is_finished(write, tmp_path):
    words = ["compare", str(write(TABLE)), "--target", "churn", "--budget", "none"]
    # Enough repeats for seconds, so that it is in the middle however late the signal comes.
    words += ["--models", "fisher,logistic-l2", "--repeats", "30"]
    with subprocess.Popen(
        [sys.executable, "-m", "linscope", *words],
        env={**os.environ, "LINSCOPE_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as process:
        said = []
        for line in process.stderr:
            said.append(line.partition(":")[0])
            if said[-1].startswith("Fisher"):
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
    assert process.returncode == 130, err
    assert out.startswith("Partial: ")
    assert "Traceback" not in err
    found = read_report(tmp_path / "table-report.html")
    assert found.partial
    states = {one.title: one.state for one in found.candidates}
    assert {states[title] for title in said} == {"finished"}
    assert states["Logistic regression, l2"] == "partial"


def test_an_interrupt_before_a_model_is_finished(run, write, study, monkeypatch, tmp_path):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules[STUDY], "run_study", interrupted)
    code, out, err = run(write(TABLE), "--target", "churn")
    assert (code, out) == (130, "")
    assert "nothing to report" in err
    assert not list(tmp_path.glob("*.html"))


STUBBORN = """
import sys, time
from linscope.cli import main
study = type(sys)("linscope.selection.comparison.study")
def run_study(question, options, *, watch=None, processes=None):
    try:
        print("running", flush=True)
        time.sleep(3600)
    except KeyboardInterrupt:
        print("stopping", flush=True)
        time.sleep(3600)
study.run_study = run_study
sys.modules["linscope.selection.comparison.study"] = study
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
def test_a_second_interrupt_ends_at_once(write, tmp_path):
    words = ["compare", str(write(TABLE)), "--target", "churn", "--quiet"]
    with subprocess.Popen(
        [sys.executable, "-c", STUBBORN, *words],
        env={**os.environ, "LINSCOPE_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as process:
        for word in ("running", "stopping"):
            assert process.stdout.readline().strip() == word
            process.send_signal(signal.SIGINT)
        assert process.wait(timeout=600) == 130  # before its hour is over
    assert not list(tmp_path.glob("*.html"))


FEW_ROWS = {
    "a class of two rows": (["A"] * 9 + ["B"] * 9 + ["C"] * 2, [], "leave out the rows of C,"),
    "two numbers": ([1.5, 2.5], [], "the table has 2 rows, and a comparison needs at least 4"),
    "three numbers": ([1.5, 2.5, 0.5], [], "needs at least 4"),
    "two groups": ([k / 7 for k in range(12)], ["--group", "half"], "there are 2 groups"),
    "in time": ([k / 7 for k in range(8)], ["--time", "row"], "needs at least 9"),
    "more folds than rows": ([k / 7 for k in range(8)], ["--folds", 9], "use at most 8"),
}


@pytest.mark.parametrize(("values", "more", "says"), FEW_ROWS.values(), ids=FEW_ROWS)
def test_too_few_rows_end_with_one_sentence(run, tmp_path, values, more, says):
    table = tmp_path / "few.csv"
    rows = [f"{k},{k * k % 7},{k % 2},{value}" for k, value in enumerate(values)]
    table.write_text("\n".join(["row,x,half,y", *rows]) + "\n")
    code, out, err = run(table, "--target", "y", "--no-report", "--quiet", *more)
    assert (code, out) == (2, "")
    assert err.startswith("linscope: ")
    assert err.count("\n") == 1
    assert says in err


@pytest.mark.parametrize(("rows", "order"), [(4, []), (5, []), (9, ["--time", "row"])])
def test_the_smallest_tables_that_can_be_compared(run, tmp_path, rows, order):
    table = tmp_path / "few.csv"
    lines = [f"{k},{k * k % 7},{(k * 5) % 9 / 4}" for k in range(rows)]
    table.write_text("\n".join(["row,x,y", *lines]) + "\n")
    words = ["--target", "y", "--task", "number", "--no-report", "--quiet", "--models", "ridge"]
    assert run(table, *words, *order)[0] == 0
