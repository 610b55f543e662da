"""The same words in every command: tables, columns, options, help, completion."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OneHotEncoder

import linscope as ls
from linscope.cli import completion
from linscope.cli.application import build

# A number, a yes/no, a category of three, an identifier, gaps, and a target whose classes have
# one row too.
MIXED = """\
id,flag,size,colour,grade
901,yes,1.5,red,A
114,no,2.5,blue,B
377,no,,blue,B
500,yes,0.5,green,A
288,no,3.5,,B
"""
PRICES = "size,colour,price\n" + "".join(
    f"{i * i % 17},{['red', 'blue', 'green'][i % 3]},{3.5 * i + i % 4}\n" for i in range(30)
)


def apps(app, words=()):
    """Every command with the words that call it, the application first."""
    yield words, app
    for name in app:
        # Other names of the same commands begin with a capital, and bench has a reader of its own.
        if name.islower() and not name.startswith("-") and name not in ("bench", "data"):
            yield from apps(app[name], (*words, name))


COMMANDS = dict(apps(build()))
IDS = [" ".join(words) or "linscope" for words in COMMANDS]


# tables


@pytest.fixture
def stdin(monkeypatch):
    def give(text):
        given = SimpleNamespace(buffer=io.BytesIO(text.encode()), isatty=lambda: False)
        monkeypatch.setattr(sys, "stdin", given)

    return give


@pytest.mark.parametrize(
    ("verb", "text", "options"),
    [
        (["separate"], MIXED, ["--target", "grade", "--missing", "drop"]),
        (["diagnose"], PRICES, ["--target", "price"]),
        (["trace", "perceptron"], MIXED, ["--target", "grade", "--missing", "impute"]),
        (["trace", "regression"], PRICES, ["--target", "price"]),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_one_table_by_three_names(run, write, stdin, read_json, verb, text, options):
    path = write(text)
    found = [run(*verb, path, *options, "--json"), run(*verb, "--data", path, *options, "--json")]
    stdin(text)
    found.append(run(*verb, "-", *options, "--json"))
    assert [(code, err) for code, _, err in found] == [(0, "")] * 3
    documents = [read_json(out) for _, out, _ in found]
    names = [document["data"].pop("name") for document in documents]
    assert names == ["table.csv", "table.csv", "standard input"]
    assert documents[0] == documents[1] == documents[2]


def test_columns_are_one_hot_as_scikit_learn_makes_them(write):
    from linscope.cli.tables.options import AskedOfColumns
    from linscope.cli.tables.source import NUMBERS, load_source

    asked = AskedOfColumns(target="price")
    rows = [line.split(",") for line in PRICES.splitlines()[1:]]
    colours = np.array([[row[1]] for row in rows])
    sizes = np.array([[float(row[0])] for row in rows])
    for intercept, drop in ((True, "first"), (False, None)):
        source = load_source(str(write(PRICES)), None, asked, NUMBERS, intercept=intercept)
        encode = make_column_transformer(
            (OneHotEncoder(drop=drop, sparse_output=False), [0]), verbose_feature_names_out=False
        )
        expected = np.hstack([sizes, encode.fit_transform(colours)])
        np.testing.assert_array_equal(source.X, expected)
        names = [f"colour={name[3:]}" for name in encode.get_feature_names_out()]
        assert source.features == ["size", *names]


def test_columns_are_those_of_a_comparison(run, write, read_json):
    from linscope.data.files import read_table
    from linscope.data.question import read_question
    from linscope.validation.preparation import preparation

    path = write(MIXED)
    for missing in ("drop", "impute"):
        question = read_question(read_table(path), "grade", missing=missing, split=False)
        prepare = preparation(question, scale=False).fit(question.X)
        words = [path, "--target", "grade", "--missing", missing]
        _, out, _ = run("separate", *words, "--json")
        document = read_json(out)
        assert sorted(document["data"]["features"]) == sorted(prepare.get_feature_names_out())
        assert document["data"]["rows"] == len(question.rows)
        # In the order of the table, so that weights can be read and given.
        assert document["data"]["features"][:2] == ["flag", "size"]
    _, out, _ = run("separate", path, "--target", "grade", "--missing", "drop")
    assert "left out: 2 rows with missing values" in out
    assert "id (identifier); --keep NAME uses one all the same" in " ".join(out.split())
    words = [path, "--target", "grade", "--missing", "drop", "--max-iter", "2"]
    assert "sample 3" in run("trace", "perceptron", *words)[1]  # numbered as in the table
    words = ["--drop", "colour,size", "--keep", "id", "--json"]
    _, out, _ = run("separate", path, "--target", "grade", *words)
    assert read_json(out)["data"]["features"] == ["id", "flag"]


def test_the_positive_class_is_plus_one(run, write, read_json):
    words = [write(MIXED), "--target", "grade", "--drop", "colour,size"]
    _, out, _ = run("separate", *words, "--json")
    _, other, _ = run("separate", *words, "--positive", "A", "--json")
    one, two = read_json(out), read_json(other)
    assert (one["classes"], two["classes"]) == (["A", "B"], ["B", "A"])
    assert one["weights"] == [-w for w in two["weights"]]
    _, out, _ = run("trace", "perceptron", "or", "--positive", "-1", "--max-iter", "20")
    assert "⇒ class -1" in out


def test_columns_of_a_built_in_table(run, read_json):
    _, out, _ = run("separate", "students", "--drop", "tall,chews gum", "--json")
    features = read_json(out)["data"]["features"]
    known = ls.datasets.load("students").feature_names
    assert features == [name for name in known if name not in ("tall", "chews gum")]
    _, out, _ = run("diagnose", "diabetes", "--drop", "age", "--json")
    X, y = ls.datasets.load("diabetes")
    expected = ls.LinearRegression().fit(X[:, 1:], y)
    np.testing.assert_allclose(read_json(out)["table"]["coefficients"][1:], expected.coef_)


# options


# Options of trace that are no parameters of an estimator, and why.
NOT_OF_THE_MODEL = {
    "--data": "another name of TABLE",
    "--target": "which column",
    "--missing": "which rows",
    "--drop": "which columns",
    "--keep": "which columns",
    "--positive": "which class is +1",
    "--sheet": "which table of a file",
    "--exact": "a parameter of ls.trace",
    "--criterion": "a parameter of ls.trace",
    "--updates": "a parameter of the tables of a trace",
    "--rows": "max_rows of the tables of a trace",
    "--format": "which table is printed",
    "--json": "which document is printed",
    "--quiet": "what is said beside it",
    "--plot": "where the figure goes",
    "--c": "--C, for those who forget",
}
MODELS = {
    "perceptron": (ls.Perceptron,),
    "kernel-perceptron": (ls.KernelPerceptron,),
    "regression": (ls.LinearRegression, ls.Ridge),
    "logistic": (ls.LogisticRegression,),
    "svm": (ls.SVC,),
}


@pytest.mark.parametrize("name", MODELS)
def test_options_are_parameters_of_the_model(name):
    parameters = {each for model in MODELS[name] for each in model().get_params()}
    options = {f"--{each.replace('_', '-')}" for each in parameters}
    switches = {f"--no-{each[2:]}" for each in options}
    arguments = COMMANDS["trace", name].assemble_argument_collection()
    given = {each for argument in arguments for each in argument.names if each.startswith("-")}
    assert given - NOT_OF_THE_MODEL.keys() <= options | switches
    assert given & options


def test_options_of_compare_are_parameters_of_compare():
    from inspect import signature

    options = {f"--{each.replace('_', '-')}" for each in signature(ls.compare).parameters}
    arguments = COMMANDS["compare",].assemble_argument_collection()
    given = [[each for each in argument.names if each.startswith("-")] for argument in arguments]
    about_output = {"--data", "--report", "--no-report", "--force", "--json", "--quiet", "--budget"}
    others = [names for names in given if names and not options & set(names)]
    assert {names[0] for names in others} <= about_output


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        (["diagnose", "diabetes"], "--no-intercept", "--no-fit-intercept"),
        (["trace", "perceptron", "or"], "--no-intercept", "--no-fit-intercept"),
        (["trace", "perceptron", "or"], "--quiet", "--fit-intercept"),
    ],
)
def test_old_words_still_work(run, words, old, new):
    first, second = run(*words, old, "--json"), run(*words, new, "--json")
    assert first[0] == second[0]
    strip = re.compile(r'"fit_intercept": (true|false)|"options": {[^}]*}')
    assert strip.sub("", first[1]) == strip.sub("", second[1])


def test_shuffle_is_a_switch(run, read_json):
    for words, shuffled in (([], False), (["--shuffle"], True), (["--no-shuffle"], False)):
        _, out, _ = run("trace", "perceptron", "or", *words, "--json")
        assert read_json(out)["parameters"]["shuffle"] is shuffled
    words = ["trace", "logistic", "or", "--solver", "stochastic", "--max-iter", "2", "--json"]
    assert read_json(run(*words)[1])["parameters"]["shuffle"] is True
    assert read_json(run(*words, "--no-shuffle")[1])["parameters"]["shuffle"] is False


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["separate", "or"], "Linearly separable."),
        (["trace", "perceptron", "or"], "verified: "),
        (["diagnose", "five_points"], "1.1622"),
        (["datasets"], "students"),
        (["fit", "fisher", "iris"], "certificate"),
    ],
)
def test_quiet_says_nothing_beside_the_answer(run, words, kept):
    _, loud, _ = run(*words)
    code, out, err = run(*words, "--quiet")
    assert (code, err) == (0, "")
    assert kept in out
    assert loud.partition("\nNext:")[0].rstrip() == out.rstrip()
    assert "Next:" in loud


@pytest.mark.parametrize("verb", ["fit", "trace"])
def test_a_table_in_the_place_of_a_model(run, write, verb):
    for table in ("students", str(write("x,y\n1,2\n"))):
        code, out, err = run(verb, table)
        assert (code, out) == (2, "")
        assert f"which model? It stands before the table, as in linscope {verb} logistic" in err
    assert "Unknown command" in run(verb, "logisti")[2]


def test_quiet_examples_say_whether_all_agree(run):
    code, out, err = run("examples", "--quiet")
    assert (code, err) == (0, "")
    assert out.startswith("all 9 worked examples agree with the notes")


# help


@pytest.mark.share(3)
@pytest.mark.parametrize("words", COMMANDS, ids=IDS)
def test_help_begins_with_examples(run, words):
    code, out, _ = run(*words, "--help")
    assert code == 0
    calls = " ".join(("linscope", *words))
    assert out.startswith(f"Usage: {calls}")
    panel = out.index("╭")
    assert out.index("Examples:") < panel
    examples = [line.strip() for line in out[:panel].splitlines() if line.startswith("  ")]
    assert any(line.removeprefix("cat my.csv | ").startswith(calls) for line in examples)


def test_the_help_of_the_benchmark_begins_with_examples(run):
    code, out, _ = run("bench", "--help")
    assert code == 0
    assert out.startswith("usage: linscope bench")
    assert out.index("Examples:") < out.index("options:")


def test_without_words_the_help_is_shown(run):
    code, out, _ = run()
    assert (code, out) == (0, run("--help")[1])
    assert len(out.splitlines()) < 45


@pytest.mark.share(6)
@pytest.mark.parametrize("words", COMMANDS, ids=IDS)
def test_examples_in_the_help_are_commands(words, run):
    """Every example is read by its command without complaint."""
    import shlex

    _, out, _ = run(*words, "--help")
    examples = re.findall(r"^  (?:cat my.csv \| )?linscope (.*?)(?:  .*| > .*)?$", out, re.M)
    app = build()
    for example in examples:
        command = shlex.split(example)
        app.parse_args(command, exit_on_error=False, print_error=False)


MISSPELT = [
    (["separrate", "or"], "separate"),
    (["trace", "logistik", "or"], "logistic"),
    (["separate", "xorr"], "xor"),
    (["examples", "studnets"], "students"),
    (["trace", "perceptron", "or", "--max-itre", "3"], "--max-iter"),
    (["trace", "svm", "or", "--kernel", "polly"], "poly"),
    (["diagnose", "diabetes", "--drop", "agge"], "age"),
    (["diagnose", "diabetes", "--robust", "HC33"], "HC3"),
    (["separate", "students", "--positive", "AA"], "A"),
    (["separate", "{table}", "--target", "grad"], "grade"),
    (["separate", "{table}", "--target", "grade", "--drop", "color"], "colour"),
    (["compare", "churn", "--metric", "acuracy"], "accuracy"),
    (["compare", "churn", "--models", "logistik-l2"], "logistic-l2"),
    (["compare", "churn", "--missing", "inpute"], "impute"),
]


@pytest.mark.parametrize(
    ("words", "meant"), MISSPELT, ids=[" ".join(words) for words, _ in MISSPELT]
)
def test_did_you_mean(run, write, words, meant):
    path = write(MIXED)
    code, out, err = run(*(word.format(table=path) for word in words))
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    hint = re.search(r"[Dd]id you mean ['\"]?(.+?)['\"]?\?", err)
    assert hint, err
    assert hint[1] == meant


# completion


def test_completion_of_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name in ("my.csv", "notes.md", "folder/deep.parquet", ".hidden.csv"):
        (tmp_path / name).write_text("")

    def offered(text):
        every = completion.tables(SimpleNamespace(incomplete=text))
        return [word for word in every if word not in ls.datasets.names()]

    assert offered("") == [".hidden.csv", "folder/", "my.csv"]
    assert offered("m") == ["my.csv"]
    assert offered("folder/") == ["folder/deep.parquet"]
    assert offered("nowhere/") == []
    assert set(ls.datasets.names()) <= set(completion.tables(SimpleNamespace(incomplete="")))


@pytest.mark.parametrize(
    ("words", "known"),
    [
        (["separate", ""], "students"),
        (["trace", "svm", ""], "breast_cancer"),
        (["compare", "churn", "--models", ""], "logistic-l2"),
        (["compare", "churn", "--metric", ""], "roc_auc"),
        (["examples", ""], "two_points"),
    ],
)
def test_the_shell_asks_for_words(run, words, known):
    code, out, _ = run("__complete", *words)
    assert code == 0
    assert known in out.splitlines()


@pytest.mark.share(3)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed(run, tmp_path, monkeypatch, each_script_once, shell):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("ZSH", "ZSH_CUSTOM"):
        monkeypatch.delenv(name, raising=False)
    code, out, err = run("--install-completion", "--shell", shell)
    assert (code, err) == (0, "")
    path = re.search(rf"Completion for {shell} is in (.*)", out)[1].strip()
    assert path.startswith(str(tmp_path))
    script = Path(path).read_text()
    for word in ("separate", "diagnose", "kernel-perceptron", "fit-intercept"):
        assert word in script
    started = {"bash": ".bashrc", "zsh": ".zshrc"}
    if shell in started:
        line = (tmp_path / started[shell]).read_text()
        assert os.path.dirname(path) in line
        run("--install-completion", "--shell", shell)
        assert (tmp_path / started[shell]).read_text() == line
    if shell == "bash":
        subprocess.run(["bash", "-n", path], check=True)


BASH = """
source {path}
COMP_WORDS=({words}); COMP_CWORD={last}; COMP_LINE="{words}"; COMP_POINT=${{#COMP_LINE}}
$(complete -p linscope | sed -E 's/.*-F ([^ ]+).*/\\1/')
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("linscope sep", "separate"),
        ("linscope trace ker", "kernel-perceptron"),
        ("linscope trace svm or --ker", "--kernel"),
        ("linscope trace svm or --kernel po", "poly"),
    ],
)
def test_bash_completes(tmp_path, each_script_once, words, found):
    path = tmp_path / "linscope.bash"
    path.write_text(build().generate_completion(shell="bash"))
    script = BASH.format(path=path, words=words, last=words.count(" "))
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert found in done.stdout.split(), done.stderr


def test_an_unknown_shell_is_asked_for(run, monkeypatch):
    from cyclopts.completion import detect

    def fail():
        raise detect.ShellDetectionError("no")

    monkeypatch.setattr(detect, "detect_shell", fail)
    code, out, err = run("--install-completion")
    assert (code, out) == (2, "")
    assert "--shell bash" in err


# the picture in the README


def test_the_picture_shows_what_is_printed_and_fetches_nothing(run, monkeypatch):
    from html import unescape

    monkeypatch.setenv("COLUMNS", "96")
    svg = (Path(__file__).parents[2] / "docs" / "images" / "terminal.svg").read_text("utf-8")
    assert "@font-face" not in svg
    assert not re.search(r"(href|src|url\()\s*=?\s*[\"']?https?:", svg)
    rows = {}
    for place, words in re.findall(r'<text [^>]*?y="([\d.]+)"[^>]*>(.*?)</text>', svg):
        rows[float(place)] = rows.get(float(place), "") + unescape(words)
    picture = "".join("".join(rows.values()).split())
    _, out, _ = run("separate", "xor", "--quiet")
    assert "".join(out.split()) in picture
