"""The command line: the notes' numbers, clean output, and one clear line for every bad input."""

import csv
import io
import re
import subprocess
import sys

import pytest

import linscope as ls
from linscope.data import datasets
from linscope.results.numbers import counted

ESCAPE = "\x1b["


COLOURS = "size,colour,grade\n1,red,A\n2,blue,F\n3,red,A\n0,blue,F\n"


# separate


def test_separate_or(run):
    code, out, err = run("separate", "or")
    assert (code, err) == (0, "")
    assert "Linearly separable." in out
    assert "2·x1 + 2·x2 = 1" in out
    assert "at most 27 updates" in out
    assert "verified: " in out
    assert ESCAPE not in out


def test_separate_xor_shows_the_common_point(run):
    code, out, _ = run("separate", "xor")
    assert code == 0
    assert "Not linearly separable." in out
    assert "(1/2, 1/2)" in out
    assert "1/2 of sample 0 (0, 0) + 1/2 of sample 3 (1, 1)" in out
    assert "verified: " in out


def test_separate_names_the_students(run):
    _, out, _ = run("separate", "students")
    assert "class A (1)" in out
    assert "Mary (-1, -1, -1, 1), class F (-1)" in out


def test_separate_quasi_separable(run, write):
    path = write("x,y\n0,a\n1,a\n1,b\n2,b\n")
    code, out, _ = run("separate", path, "--target", "y")
    assert code == 0
    assert "Separable only with samples on the boundary." in out
    assert "verified: " in out


def test_separate_many_classes(run):
    code, out, _ = run("separate", "iris")
    assert code == 0
    assert "Linearly separable from the rest: setosa." in out
    assert len(re.findall(r"│ (?:setosa|versicolor|virginica) +│ the rest", out)) == 3
    assert "verified: 3 pairs and 3 one-vs-rest verdicts hold" in out


def test_separate_reads_a_file_and_says_what_it_encoded(run, write):
    code, out, _ = run("separate", "--data", write(COLOURS), "--target", "grade")
    assert code == 0
    assert "one-hot encoded: colour (2 categories, compared with blue)" in out


def test_separate_libsvm(run, write):
    path = write("-1 1:0 2:0\n1 1:0 2:1\n1 1:1 2:0\n1 1:1 2:1\n", "or.svm")
    code, out, _ = run("separate", path)
    assert code == 0
    assert "at most 27 updates" in out


def test_separate_parquet(run, tmp_path):
    import polars

    path = tmp_path / "or.parquet"
    columns = {"x1": [0, 0, 1, 1], "x2": [0, 1, 0, 1], "y": list("abbb")}
    polars.DataFrame(columns).write_parquet(path)
    code, out, _ = run("separate", "--data", path, "--target", "y")
    assert code == 0
    assert "at most 27 updates" in out


# trace


def visits(out):
    """The rows of the table on the screen that begin with the number of a visit."""
    return [line.split() for line in out.splitlines() if re.match(r" +\d+  ", line)]


def test_trace_or_is_the_table_of_the_notes(run):
    code, out, err = run("trace", "perceptron", "or")
    assert (code, err) == (0, "")
    rows = visits(out)
    assert [int(row[0]) for row in rows] == list(range(1, 14))
    assert "[1 1 1] → [0 1 1]" in out
    assert " ".join(rows[-1][-3:]) == "[0 1 1]"
    assert "tie negative" in out
    assert "x1 + x2 > 0 ⇒ 1" in out
    assert "4 updates (the theorem allows at most R²/γ² = 27)" in out
    assert "verified: every sample is on its side" in out
    assert "linscope trace perceptron or --tie update" in out
    assert ESCAPE not in out
    assert not re.search(r" $", out, re.MULTILINE)


def test_trace_students_has_names_and_the_equation_of_the_notes(run):
    code, out, _ = run("trace", "perceptron", "students")
    assert code == 0
    rows = visits(out)
    assert [row[1] for row in rows] == ["Jane", "Steve", "Mary", "Peter"] * 2
    assert "of the notes  tie, init" in out
    equation = "1.25·good attendance − 0.75·tall − 0.75·sleeps in class − 0.75·chews gum > 0.75 ⇒ A"
    assert equation in out


def test_options_override_the_settings_of_the_notes(run):
    code, out, _ = run("trace", "perceptron", "students", "--init", "0,0.5,1/2,0,0")
    assert code == 0
    assert "of the notes  tie\n" in out
    assert "your options  init [0 0.5 0.5 0 0]" in out
    assert "1.5·good attendance − sleeps in class − chews gum − 0.5·tall > 1 ⇒ A" in out


def test_negative_first_weights(run):
    code, out, _ = run("trace", "perceptron", "or", "--init", "-1,2,2")
    assert code == 0
    assert "init [−1 2 2]" in out


def test_no_intercept_drops_the_bias_of_the_notes(run):
    code, out, _ = run("trace", "perceptron", "students", "--no-fit-intercept")
    assert code == 0
    assert "init zeros" in out


def test_trace_exact_shows_fractions(run):
    code, out, _ = run("trace", "perceptron", "students", "--exact")
    assert code == 0
    assert "[−7/4  1/4  1/4  1/4 −7/4]" in out


def test_csv_reads_back(run):
    code, out, err = run("trace", "perceptron", "or", "--format", "csv", "--criterion")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 13
    assert [float(rows[-1][name]) for name in ("w0", "w1", "w2")] == [0, 1, 1]
    printed = datasets.worked_examples()["or"]["visits"]
    assert [int(row["sample"]) for row in rows] == [visit["sample"] for visit in printed]
    assert [float(row["normalized"]) for row in rows] == [visit["score"] for visit in printed]
    assert (rows[0]["mistakes"], rows[-1]["mistakes"], rows[-1]["criterion"]) == ("3", "0", "0.0")


def test_csv_rows_and_updates(run):
    _, out, _ = run("trace", "perceptron", "or", "--format", "csv", "--rows", 5)
    assert len(out.splitlines()) == 6
    words = ["non_separable", "--updates", "900:915", "--format", "csv"]
    _, out, _ = run("trace", "perceptron", *words)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [int(row["k"]) for row in rows] == list(range(900, 916))
    assert {int(row["mistakes"]) for row in rows} == {1, 2}
    _, out, _ = run("trace", "perceptron", *words, "--rows", 3)
    assert [row["k"] for row in csv.DictReader(io.StringIO(out))] == ["900", "901", "902"]


def test_markdown_has_as_many_cells_in_every_row(run):
    code, out, err = run("trace", "perceptron", "or", "--format", "markdown")
    assert (code, err) == (0, "")
    rows = [line for line in out.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 13
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1


def test_latex_is_a_whole_table(run):
    code, out, _ = run("trace", "perceptron", "or", "--format", "latex")
    assert code == 0
    assert out.count(r"\begin{tabular}") == out.count(r"\end{tabular}") == 1
    assert len([line for line in out.splitlines() if line.endswith(r"\\")]) == 1 + 13


def test_long_runs_are_cut_on_the_screen_but_not_in_files(run):
    code, out, _ = run("trace", "perceptron", "non_separable")
    assert code == 0
    assert len(visits(out)) == 25
    assert "the iteration limit was reached: 1 sample misclassified" in out
    assert "--updates 900:915" in out
    _, out, _ = run("trace", "perceptron", "non_separable", "--rows", 7)
    assert len(visits(out)) == 7
    _, out, _ = run("trace", "perceptron", "non_separable", "--max-iter", 20, "--rows", 0)
    assert len(visits(out)) == 100
    _, out, _ = run("trace", "perceptron", "non_separable", "--format", "csv")
    assert len(out.splitlines()) == 5001


@pytest.mark.slow
def test_solutions_of_the_notes_with_their_mistakes(run, tmp_path):
    path = tmp_path / "solutions.png"
    words = ["non_separable", "--updates", "900:915", "--plot", path]
    code, out, err = run("trace", "perceptron", *words)
    assert code == 0
    rows = visits(out)
    assert [int(row[0]) for row in rows] == list(range(900, 916))
    assert "mistakes" in out
    assert path.read_bytes().startswith(b"\x89PNG")
    assert f"figure written to {path}" in err
    assert [entry.name for entry in tmp_path.iterdir()] == ["solutions.png"]


@pytest.mark.parametrize(
    "words",
    [
        ["trace", "perceptron", "or"],
        ["trace", "kernel-perceptron", "xor", "--kernel", "rbf", "--gamma", "1"],
        ["separate", "or"],
        ["separate", "xor"],
    ],
)
def test_figures(run, tmp_path, words):
    path = tmp_path / "figure.svg"
    path.write_text("old")
    code, _, _ = run(*words, "--plot", path)
    assert code == 0
    assert "<svg" in path.read_text()
    assert len(list(tmp_path.iterdir())) == 1


def test_a_failed_figure_leaves_the_old_file(run, tmp_path, monkeypatch):
    from linscope.display.base import Display

    def fail(self, path, **options):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Display, "save", fail)
    path = tmp_path / "figure.png"
    path.write_text("old")
    code, _, err = run("separate", "or", "--plot", path)
    assert code == 2
    assert "No space left on device" in err
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_trace_kernel_perceptron(run):
    words = ["--kernel", "poly", "--degree", "2", "--coef0", "1", "--tie", "update"]
    code, out, _ = run("trace", "kernel-perceptron", "xor", *words)
    assert code == 0
    assert "a strictly separating vector was found" in out
    assert "·K(sample 0, x)" in out


@pytest.mark.parametrize(
    "options",
    [
        ["--rule", "batch"],
        ["--rule", "mini-batch", "--batch-size", "2"],
        ["--output", "averaged"],
        ["--output", "voted"],
        ["--output", "pocket"],
        ["--shuffle", "--random-state", "1"],
        ["--init", "random", "--random-state", "1"],
        ["--schedule", "inverse", "--eta0", "0.5"],
        ["--margin", "0.5", "--stop", "pass"],
        ["--no-fit-intercept", "--max-iter", "5"],
    ],
    ids=" ".join,
)
def test_every_option_of_the_rule(run, options):
    code, out, err = run("trace", "perceptron", "or", *options)
    assert (code, err) == (0, "")
    assert "your options" in out
    assert "verified: " in out
    code, _, err = run("trace", "kernel-perceptron", "or", *[o for o in options if o != "--init"])
    assert code == (2 if "random" in options else 0), err


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_trace_many_classes(run, multi_class):
    words = ["iris", "--max-iter", "5", "--rows", "3", "--multi-class", multi_class]
    code, out, _ = run("trace", "perceptron", *words)
    assert code == 0
    assert out.count("equation ") == 3
    assert "not finished: all 3 binary problems verified" in out


def test_trace_own_data(run, write):
    code, out, _ = run("trace", "perceptron", "--data", write(COLOURS), "--target", "grade")
    assert code == 0
    assert "one-hot encoded: colour (2 categories, compared with blue)" in out
    assert "colour=red" in out
    assert "⇒ F" in out


@pytest.mark.share(3)
@pytest.mark.parametrize("width", [60, 80, 120])
def test_nothing_is_wider_than_the_screen(run, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    for words in (
        ["trace", "perceptron", "or"],
        ["trace", "perceptron", "students"],
        ["separate", "students"],
        ["separate", "xor"],
        ["examples"],
        ["datasets"],
    ):
        _, out, _ = run(*words)
        text = [line for line in out.splitlines() if not line.startswith("  linscope ")]
        assert max(map(len, text)) <= width


# examples


def test_examples_agree_with_the_notes(run):
    code, out, err = run("examples")
    assert (code, err) == (0, "")
    assert out.count("✓") == out.count("✓ ") == 60
    assert "✗" not in out
    assert "all 9 worked examples agree with the notes" in out


def test_one_example(run):
    code, out, _ = run("examples", "students")
    assert code == 0
    assert "all 2 worked examples agree" in out


def _wrong_weight(facts):
    facts["or"]["visits"][4]["after"][0] = 1.0


def _wrong_score(facts):
    facts["two_points"]["visits"][2]["score"] = -4.0


def _wrong_mistake(facts):
    facts["students"]["runs"][1]["visits"][0]["misclassified"] = True


def _missing_visit(facts):
    facts["or"]["visits"].pop()


def _wrong_answer(facts):
    facts["students"]["runs"][0]["weights"][1] = 1.2500001


def _wrong_verdict(facts):
    facts["non_separable"]["separable"] = True


@pytest.mark.share(2)
@pytest.mark.parametrize(
    "spoil",
    [_wrong_weight, _wrong_score, _wrong_mistake, _missing_visit, _wrong_answer, _wrong_verdict],
)
def test_a_doctored_example_fails(run, monkeypatch, spoil):
    facts = datasets.worked_examples()
    spoil(facts)
    monkeypatch.setattr(datasets, "worked_examples", lambda: facts)
    code, out, err = run("examples")
    assert code == 1
    assert "✗" in out
    assert "differs from the notes: " in err


# datasets, help, version


@pytest.mark.parametrize("name", ["datasets", "data"])
def test_datasets_lists_all(run, name):
    code, out, _ = run(name)
    assert code == 0
    assert all(known in out for known in datasets.names())


def test_version(run):
    from linscope import __version__

    assert run("--version") == (0, f"linscope {__version__}\n", "")


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("trace",),
        ("trace", "perceptron"),
        ("trace", "kernel-perceptron"),
        ("separate",),
        ("examples",),
        ("datasets",),
    ],
)
def test_every_help_has_examples(run, words):
    code, out, _ = run(*words, "--help")
    assert code == 0
    assert "Examples:" in out
    assert "linscope " + " ".join(words) in out


# bad input


BAD = [
    (["separate", "studens"], "did you mean 'students'"),
    (["separate"], "which table?"),
    (["separate", "missing.csv", "--target", "y"], "missing.csv does not exist"),
    (["separate", "or", "--data", "x.csv"], "not both"),
    (["separate", "or", "--target", "y"], "--target belongs to a file"),
    (["separate", "five_points"], "numbers to predict, not classes"),
    (["separate", "sbp_age"], "only moments"),
    (["separate", "or", "--plot", "or.jpg"], "must end in .png, .svg, .pdf"),
    (["separate", "or", "--plot", "nowhere/or.png"], "nowhere does not exist"),
    (["separate", "students", "--plot", "s.png"], "--plot needs 1 or 2 features"),
    (["separat", "or"], 'Did you mean "separate"?'),
    (["separate", "or", "--frobnicate"], "--frobnicate"),
    (["separate", "or", "xor"], "xor"),
    (["examples", "orr"], "did you mean 'or'"),
    (["trace", "perzeptron", "or"], 'Did you mean "perceptron"?'),
    (["trace", "perceptron", "or", "--tie", "maybe"], "--tie"),
    (["trace", "perceptron", "or", "--eta0", "0"], "--eta0"),
    (["trace", "perceptron", "or", "--eta0", "fast"], "--eta0"),
    (["trace", "perceptron", "or", "--eta0", "inf"], "--eta0"),
    (["trace", "perceptron", "or", "--margin", "-1"], "--margin"),
    (["trace", "perceptron", "or", "--random-state", "-1"], "--random-state"),
    (["trace", "perceptron", "or", "--max-iter", "0"], "--max-iter"),
    (["trace", "perceptron", "or", "--init", "1,2"], "3 weights are needed"),
    (["trace", "perceptron", "or", "--init", "1,x,2"], "--init 1,x,2"),
    (["trace", "perceptron", "or", "--init", "1,1/0,2"], "--init 1,1/0,2"),
    (["trace", "perceptron", "or", "--batch-size", "2"], "--rule mini-batch"),
    (["trace", "perceptron", "or", "--rule", "batch", "--output", "voted"], "--rule single"),
    (["trace", "perceptron", "or", "--updates", "9:5"], "--updates 9:5"),
    (["trace", "perceptron", "or", "--updates", "a:b"], "--updates a:b"),
    (["trace", "perceptron", "or", "--updates", "900:915"], "4 updates"),
    (["trace", "perceptron", "or", "--rows", "-1"], "--rows"),
    (["trace", "perceptron", "or", "--format", "word"], "--format"),
    (["trace", "perceptron", "or", "--plot", "or.jpg"], "must end in .png, .svg, .pdf"),
    (["trace", "kernel-perceptron", "xor", "--degree", "2"], "--degree belongs to --kernel poly"),
    (["trace", "kernel-perceptron", "xor", "--init", "0,0,0"], "--init"),
    (["trace", "kernel-perceptron", "xor", "--exact"], "--exact needs rational kernel values"),
    (["trace", "perceptron", "or", "--init", "-1,2,2", "--updates", "1"], "made no update"),
    (["trace", "perceptron", "iris", "--plot", "iris.png"], "--plot needs 1 or 2 features"),
    (["trace", "perceptron"], "which table?"),
]


@pytest.mark.share(2)
@pytest.mark.parametrize(("words", "expected"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_input_is_one_clear_line(run, words, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*words)
    assert code == 2
    assert out == ""
    assert expected in err
    assert err.startswith("linscope: ")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


BAD_FILES = [
    (COLOURS, "degree", "no column 'degree'"),
    (COLOURS, None, "Name it with --target …, one of size, colour, grade"),
    (COLOURS, "size", "separable"),  # numbers are classes too, if they are whole
    ("x,y\n1,a\n2,b\n,b\n", "y", "missing values in 1 of 3 rows (x: 1)"),
    ("x,y\n1,a\ninf,b\n", "y", "'x' has an infinite number at row 1"),
    ("x,y\n1,a\n2,\n", "y", "missing values in 1 of 2 rows (y: 1)"),
    ("x,y\n1,a\n2,a\n", "y", "two classes are needed"),
    ("x,y\n", "y", "no rows"),
    ("", "y", "is empty"),
    ("x,x,y\n1,2,a\n", "y", "both called 'x'"),
    ("y\na\nb\n", "y", "no column left to predict from"),
    ("x,y\n1,a\n2,b,c\n", "y", "line 3"),
    ("x,y\n1,0.5\n2,0.7\n", "y", "y"),
]


@pytest.mark.share(2)
@pytest.mark.parametrize("command", [["separate"], ["trace", "perceptron"]])
@pytest.mark.parametrize(("text", "target", "expected"), BAD_FILES)
def test_bad_file_is_one_clear_line(run, write, command, text, target, expected):
    words = [*command, "--data", write(text), *(["--target", target] if target else [])]
    code, out, err = run(*words)
    if expected == "separable":
        assert code == 0
        return
    assert code == 2
    assert out == ""
    assert expected in err
    assert err.startswith("linscope: ")
    assert err.count("\n") == 1


def test_internal_error_hides_its_traceback(run, monkeypatch):
    def fail(*_):
        raise RuntimeError("oh\nno")

    monkeypatch.setattr("linscope.data.datasets.load", fail)
    code, _, err = run("separate", "or")
    assert code == 1
    assert err.startswith("linscope: internal error: RuntimeError: oh no; run with --debug")
    assert "Traceback" not in err
    _, _, err = run("separate", "or", "--debug")
    assert "Traceback" in err


def test_a_full_disk_is_one_clear_line(run, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("linscope.cli.verbs.separate.facts", fail)
    code, _, err = run("separate", "or")
    assert (code, err) == (2, "linscope: cannot read or write: No space left on device\n")


@pytest.mark.parametrize(
    ("words", "target"),
    [
        (["separate", "or"], "linscope.separation.verdicts.Separable.verify"),
        (["separate", "xor"], "linscope.separation.verdicts.NotSeparable.verify"),
        (
            ["trace", "perceptron", "or"],
            "linscope.perceptron.certificates.perceptron.PerceptronCertificate.verify",
        ),
    ],
)
def test_a_claim_that_does_not_hold_is_exit_1(run, monkeypatch, words, target):
    from linscope.results import Check

    monkeypatch.setattr(target, lambda *_: Check(False, "sample 2 is on the wrong side"))
    code, out, _ = run(*words)
    assert code == 1
    assert "REJECTED: sample 2 is on the wrong side" in out


def test_interrupt_is_quiet(run, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("linscope.data.datasets.load", interrupt)
    assert run("separate", "or") == (130, "", "")


# as a process


def test_module_runs_as_a_process():
    words = [sys.executable, "-m", "linscope", "trace", "perceptron", "or"]
    done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0
    assert len(visits(done.stdout)) == 13
    assert ESCAPE not in done.stdout


def test_bad_input_as_a_process(tmp_path):
    words = [sys.executable, "-m", "linscope", "separate", "nothing.csv", "--target", "y"]
    done = subprocess.run(
        words, capture_output=True, text=True, encoding="utf-8", check=False, cwd=tmp_path
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "linscope: nothing.csv does not exist\n"


@pytest.mark.slow
@pytest.mark.parametrize(("form", "passes"), [("rich", "200"), ("csv", "400")])
def test_a_reader_that_leaves_early_is_no_error(form, passes):
    # More than the 64 KB that a pipe holds, so that it is still writing when the reader leaves.
    words = ["trace", "perceptron", "non_separable", "--rows", "0", "--max-iter", passes]
    words += ["--format", form]
    process = subprocess.Popen(
        [sys.executable, "-m", "linscope", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


def test_help_imports_nothing_slow():
    code = (
        "import sys; from linscope.cli import main; main(['trace', 'perceptron', '--help']); "
        "print(sorted({'numpy', 'sklearn', 'scipy', 'numba', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_separate_says_that_the_rule_settles_where_it_does(run, write):
    path = write("a,b,grade\n1,2,yes\n1,3,no\n5,1,maybe\n")
    _, out, _ = run("separate", "--data", path, "--target", "grade")
    assert "Every class is linearly separable" in out
    assert "never converges" not in out
    assert "never converges" in run("separate", "iris")[1]
    assert "visit by visit" in run("separate", "or")[1]
    assert "longer than 1,000 passes" in run("separate", "breast_cancer")[1]


def test_a_run_without_end_says_whether_more_passes_help(run, write):
    assert "no: the convex hulls" in run("trace", "perceptron", "xor")[1]
    assert "separable" not in run("trace", "perceptron", "students")[1].partition("Next")[0]
    assert "--max-iter) can find it" in run("trace", "perceptron", "or", "--max-iter", 2)[1]
    path = write("x,y\n0,a\n1,a\n1,b\n2,b\n")
    _, out, _ = run("trace", "perceptron", "--data", path, "--target", "y")
    assert "only with samples on the boundary" in out


def test_the_notes_names_of_kernels(run):
    one, two = (
        run("trace", "kernel-perceptron", "xor", *words)
        for words in (
            ["--kernel", "gaussian", "--sigma", "0.5"],
            ["--kernel", "rbf", "--gamma", "2"],
        )
    )
    assert one[0] == two[0] == 0
    renamed = one[1].replace("gaussian", "rbf").replace("sigma 0.5", "gamma 2.0")
    assert renamed == two[1]
    code, _, err = run("trace", "svm", "xor", "--sigma", "1", "--gamma", "2")
    assert code == 2
    assert "both say how wide the kernel is" in err
    assert (
        "--sigma belongs to --kernel"
        in run("trace", "svm", "or", "--kernel", "linear", "--sigma", "1")[2]
    )


# what an output keeps, and what was typed


def test_votes_and_distances_stand_under_the_visits(run):
    _, out, _ = run("trace", "perceptron", "or", "--output", "voted")
    assert re.search(r"^ +1 +3 +\[1 0 1\] +\+1 +\+1 +\+1 +\+1$", out, re.MULTILINE)
    assert re.search(r"^ s +13 +−3 +11 +7 +11$", out, re.MULTILINE)
    _, out, _ = run("trace", "perceptron", "students", "--criterion")
    assert "J_p = ‖w‖ Σ d" in out
    assert re.search(r"Peter +3\.75 +1\.49256 +2\.51247 +1\.49256 +3\.75$", out, re.MULTILINE)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_screen_says_which_weights_a_sentence_is_about(run):
    command = ("trace", "perceptron", "non_separable", "--max-iter", "3", "--output")
    X, y = ls.datasets.load("non_separable")
    start = {"init": [1, 1, 1], "max_iter": 3}  # the lecture notes' start
    for output, about in [
        ("voted", "by the last vector of the committee"),
        ("averaged", "by the averaged vector"),
        ("pocket", "by the best vector met on the way"),
        ("last", ""),
    ]:
        out = " ".join(run(*command, output)[1].split())
        model = ls.Perceptron(output=output, **start).fit(X, y)
        wrong = counted(model.certificate_.mistakes, "sample")
        assert f"reached: {wrong} misclassified {about}".rstrip() in out
        assert f"misclassified {about}, as claimed".replace(" ,", ",") in out
        vote = int((model.predict(X) != y).sum())
        assert (f"vote {vote} of 5 samples misclassified" in out) == (output == "voted")


@pytest.mark.parametrize("output", ["voted", "averaged", "pocket"])
@pytest.mark.parametrize("width", [60, 80])
def test_ledgers_of_outputs_fit_the_screen(run, monkeypatch, output, width):
    monkeypatch.setenv("COLUMNS", str(width))
    _, out, _ = run("trace", "perceptron", "students", "--output", output)
    lines = [line for line in out.splitlines() if not line.startswith("  linscope ")]
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        (["kernel-perceptron", "xor", "--output", "pocket"], "output pocket"),
        (["kernel-perceptron", "xor", "--kernel", "rbf"], "kernel rbf"),
        (["logistic", "or", "--max-iter", "2"], "--max-iter 2"),
        (["regression", "five_points", "--solver", "stochastic"], "--solver stochastic"),
        (["logistic", "or"], None),
        (["svm", "or"], None),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_your_options_are_those_that_were_typed(run, words, typed):
    _, out, _ = run("trace", *words)
    found = re.search(r"^your options +(.*)$", out, re.MULTILINE)
    assert (found and found[1]) == typed


def test_help_offers_nothing_that_is_refused(run):
    _, out, _ = run("trace", "logistic", "--help")
    assert "--exact" not in out
    _, out, _ = run("trace", "kernel-perceptron", "--help")
    assert "--kernel linear, or poly" in " ".join(out.replace("│", " ").split())
