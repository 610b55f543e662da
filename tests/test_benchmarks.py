"""The benchmark's own promises: equal work or no ratio, alternating rounds, peers missing."""

import dataclasses
import json

import joblib
import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

import linscope as ls
from benchmarks import __main__ as command
from benchmarks import cases, compare_cases, growth, picture, processes, report, run
from benchmarks.case import Case, Contender, different_vector, worse_objective
from benchmarks.cases import CASES, FAMILIES, cases_for_file, mean_of_committee, weights
from benchmarks.data import overlapping, text_like
from benchmarks.stream_cases import STREAMS

TINY = (300, 4)


def tiny(name):
    """The case with few rows: of a data set of fixed size the first ones."""
    case = CASES[name]
    if case.grows:
        return dataclasses.replace(case, size=TINY)
    return dataclasses.replace(case, make=lambda *size: _first_rows(case.make(*size)))


def _first_rows(data, count=400):
    if not hasattr(data.y, "shape") or len(data.y) <= count:
        return data
    return data._replace(X=data.X[:count], y=data.y[:count])


def loose(epochs=1):
    """linscope stops after fewer epochs than the peer: faster, and not the same work."""

    def fit(data):
        return ls.Perceptron(max_iter=epochs).fit(data.X, data.y)

    return dataclasses.replace(tiny("perceptron"), ours=Contender("linscope", fit, weights))


def test_a_loose_fit_gets_no_ratio_and_counts_as_a_loss():
    outcome = run.run_case(loose(), ["sklearn"], repeat=3)
    assert outcome.shortfall["sklearn"] > 1e-3
    assert outcome.ratio("sklearn") is None
    assert outcome.verdict("sklearn").startswith("loss: work falls short by")
    (row,) = report.rows_of(outcome)
    assert "–" in row
    assert not any(cell.endswith("x") for cell in row)


def test_a_loose_fit_makes_the_command_fail(monkeypatch, capsys):
    monkeypatch.setitem(cases.CASES, "perceptron", loose())
    assert command.main(["perceptron", "--repeat", "3"]) == 1
    assert "work falls short" in capsys.readouterr().out.replace("\n", " ")


@pytest.mark.share(7)
@pytest.mark.parametrize("name", sorted(CASES))
def test_every_case_does_equal_work(name, monkeypatch):
    monkeypatch.setattr(run, "SLOW", 0.0)  # work is compared, not speed: no warming up, one round
    with joblib.parallel_config("threading"):  # nor are processes that peers start
        outcome = run.run_case(tiny(name), ["sklearn", "duckdb", "polars"], repeat=1)
    assert outcome.errors == {}
    assert outcome.shortfall
    for peer in outcome.shortfall:
        assert outcome.equal_work(peer), outcome.shortfall
        assert outcome.ratio(peer) == pytest.approx(
            np.median(outcome.times[peer]) / np.median(outcome.times["linscope"])
        )
    assert {len(times) for times in outcome.times.values()} == {1}


def test_comparisons_of_work():
    assert worse_objective(1.0 + 5e-7, 1.0) <= run.TOLERANCE < worse_objective(1.0 + 2e-6, 1.0)
    assert worse_objective(0.5, 1.0) < 0  # better than the peer
    assert different_vector(np.ones(3), np.ones(3)) == 0
    assert different_vector(np.array([1, 2 + 1e-5]), np.array([1, 2])) > run.TOLERANCE
    assert different_vector(np.ones(2), np.ones(3)) == np.inf
    assert different_vector(np.array([np.nan]), np.ones(1)) == np.inf


def test_the_mean_of_a_committee_is_the_averaged_perceptron():
    data = overlapping(200, 3)
    voted = ls.Perceptron(output="voted", max_iter=3, init=[1, 2, 3, 4]).fit(data.X, data.y)
    averaged = ls.Perceptron(output="averaged", max_iter=3, init=[1, 2, 3, 4]).fit(data.X, data.y)
    np.testing.assert_allclose(mean_of_committee(data, voted), weights(data, averaged), rtol=1e-12)


def test_rounds_alternate_and_shrink_for_slow_contenders(monkeypatch):
    order = []

    def contender(name):
        def fit(data):
            order.append(name)
            return np.zeros(1)

        return Contender(name, fit, lambda data, answer: answer)

    case = Case("x", "x", overlapping, TINY, contender("linscope"), (), different_vector)
    case = dataclasses.replace(case, peers=(contender("sklearn"),))
    monkeypatch.setattr(run, "BUDGET", 0.0)
    outcome = run.run_case(case, ["sklearn"], repeat=50)
    assert {len(times) for times in outcome.times.values()} == {run.FEWEST}
    assert order[-2 * run.FEWEST :] == ["linscope", "sklearn"] * run.FEWEST


def test_missing_and_failing_peers_are_listed():
    def broken(data):
        raise RuntimeError("no licence")

    peers = (
        Contender("glum", broken, weights),
        Contender("sklearn", broken, weights),
    )
    case = dataclasses.replace(tiny("perceptron"), peers=peers)
    outcome = run.run_case(case, ["sklearn"], repeat=3)
    assert outcome.errors == {"sklearn": "RuntimeError: no licence"}
    assert [row[-1] for row in report.rows_of(outcome)] == ["failed: RuntimeError: no licence"]


def test_a_peer_that_is_not_installed_is_missing(monkeypatch):
    monkeypatch.setattr("benchmarks.case.installed", lambda peer: False)
    outcome = run.run_case(tiny("perceptron"), ["sklearn"], repeat=3)
    assert list(outcome.times) == ["linscope"]
    assert [row[-1] for row in report.rows_of(outcome)] == ["missing: not installed"]


def test_the_command_writes_table_json_markdown_and_picture(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "HERE", tmp_path)
    words = ["perceptron", "perceptron-digits", "--rows", "300", "--features", "4", "--repeat", "3"]
    words += [
        "--out",
        str(tmp_path / "out.json"),
        "--plot",
        str(tmp_path / "out.svg"),
        "--results",
    ]
    assert command.main([*words, "--scaling"]) == 0
    out = capsys.readouterr().out
    assert "perceptron-digits" in out
    assert "seconds ∝ n^" in out
    content = json.loads((tmp_path / "out.json").read_text())
    assert [one["case"] for one in content["cases"]] == ["perceptron", "perceptron-digits"]
    assert [len(times) for times in content["cases"][0]["times"].values()] == [3, 3]
    assert content["machine"]["versions"]["linscope"] == ls.__version__
    assert content["growth"][0]["by_rows"].keys() == {"75", "300", "1200"}
    text = (tmp_path / "RESULTS.md").read_text()
    assert "![" in text
    assert "## How cost grows" in text
    assert (tmp_path / "results.png").read_bytes().startswith(b"\x89PNG")
    assert "</svg>" in (tmp_path / "out.svg").read_text()
    (tmp_path / "results.png").unlink()
    assert command.main(["--redraw"]) == 0
    assert (tmp_path / "results.png").read_bytes().startswith(b"\x89PNG")


def test_json_is_all_that_is_printed(capsys):
    words = ["perceptron", "--rows", "300", "--features", "4", "--repeat", "3", "--json"]
    assert command.main(words) == 0
    content = json.loads(capsys.readouterr().out)
    assert [one["case"] for one in content["cases"]] == ["perceptron"]


def test_the_picture_can_be_drawn_from_the_written_table(tmp_path):
    outcomes = [run.run_case(tiny(name), ["sklearn"], repeat=3) for name in ("lda", "ols-nist")]
    outcomes.append(run.run_case(loose(), ["sklearn"], repeat=3))
    found = picture.measured(outcomes)
    written = picture.recorded(report.markdown(outcomes, [], [], {}, None))
    assert [one[:2] for one in written] == [one[:2] for one in found]
    assert [one.peer for one in found] == ["sklearn svd", "sklearn lsqr", "sklearn"]
    for ours, theirs in zip(found, written, strict=True):
        assert theirs.ratio == (
            None if ours.ratio is None else pytest.approx(ours.ratio, abs=0.006)
        )
        assert theirs.goal == ours.goal
    mine = [one._replace(case="perceptron:mine.svm") for one in found]
    picture.draw([*found, *mine], tmp_path / "all.svg")
    text = (tmp_path / "all.svg").read_text()
    assert text.index("<!-- Perceptrons -->") < text.index("<!-- Least squares -->")
    assert "<!-- perceptron:mine.svm -->" in text


def test_every_case_is_in_one_family():
    names = [name for family in FAMILIES.values() for name in family]
    assert sorted(names) == sorted(CASES)


def test_the_beginning_of_names_means_all_of_them():
    assert command._meant("stream", CASES) == [case.name for case in STREAMS]
    assert command._meant("perceptron", CASES) == ["perceptron"]
    assert command._meant("strea", CASES) == ["strea"]


def test_tables_of_the_stream_cases_are_read_in_blocks():
    from linscope.engines.stream import StreamEngine

    for case in STREAMS:
        data = case.make(*TINY)
        assert isinstance(data.X.scan("y").numbered(), StreamEngine)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["percptron"], "did you mean 'perceptron'"),
        (["--peers", "sklern"], "did you mean 'sklearn'"),
        (["--plot", "x.gif"], "must end in .svg, .png or .pdf"),
        (["--data", "/nowhere.svm"], "nowhere.svm"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(words, expected, capsys):
    assert command.main(words) == 2
    err = capsys.readouterr().err
    assert expected in err
    assert err.count("\n") == 1


def test_the_command_line_of_linscope_reaches_the_benchmark(capsys):
    from linscope.cli import main

    assert main(["bench", "--peers", "sklern"]) == 2
    assert "did you mean 'sklearn'" in capsys.readouterr().err
    assert main(["bench", "--help"]) == 0
    assert "--scaling" in capsys.readouterr().out


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("make", [overlapping, text_like])
def test_cases_for_a_libsvm_file(tmp_path, make, classes):
    data = make(120, 200)
    y = np.arange(120) % classes
    path = tmp_path / "mine.svm"
    dump_svmlight_file(data.X, y, str(path), zero_based=True)
    chosen = cases_for_file(path)
    assert [case.name for case in chosen] == ["perceptron:mine.svm", "averaged:mine.svm"]
    assert ("CSR" in chosen[0].what) == (make is text_like)
    outcome = run.run_case(chosen[0], ["sklearn"], repeat=3)
    assert outcome.equal_work("sklearn")
    assert outcome.size == data.X.shape


def test_exponents_of_growth():
    assert growth.exponent({n: 3e-6 * n**1.5 for n in (100, 400, 1600)}) == pytest.approx(1.5)
    assert growth.exponent({100: 1.0}) is None
    found = growth.measure_growth(tiny("perceptron"))
    assert list(found.by_rows) == [75, 300, 1200]
    assert list(found.by_features) == [2, 4, 8]


@pytest.mark.slow  # it starts Python, and compiles, some times
def test_memory_and_cold_start_are_measured_in_processes_of_their_own():
    before, after = processes.peak_memory(CASES["perceptron"], "linscope", TINY)
    assert 0 < before <= after
    quickly_compiled = "GaussianNaiveBayes"
    cold = processes.cold_start(rounds=1, models=[quickly_compiled], warm=False)
    first = cold[f"first fit, empty kernel cache: {quickly_compiled}"]
    assert first > cold["first fit of a later process"]
    assert all(seconds > 0 for seconds in cold.values())


def test_cold_starts_are_judged_by_what_is_promised():
    seconds = {
        "import linscope": 1.4,
        "import sklearn.linear_model": 1.0,
        "first fit, empty kernel cache: SVC": 3.0,
        "first fit of a later process": 0.1,
    }
    verdicts = list(processes.judge_cold(seconds).values())
    assert [verdict.split()[0] for verdict in verdicts] == ["loss", "win", "win"]
    text = report.markdown([], [], [], seconds, None)
    assert "| import linscope | 1.40 s | loss (at most 1.3x scikit-learn) |" in text


def test_the_study_in_scikit_learn_has_the_same_models():
    from linscope.selection.comparison.scoring.candidates import CLASSIFIERS

    ours = {model.key for model in CLASSIFIERS if model.family != "baseline"}
    assert ours - set(compare_cases.models(19)) == {"perceptron-pocket", "kernel-perceptron"}
    data = compare_cases.mixed(50, 11)
    assert data.X.shape == (50, compare_cases.NUMBERS + len(compare_cases.LEVELS))
    assert compare_cases.worse_scores({"a": 0.8, "b": 0.9}, {"a": 0.75, "b": 0.905}) <= 0
    assert compare_cases.worse_scores({"a": 0.8}, {"a": 0.83}) > 0
