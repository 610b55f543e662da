"""A trace shows what the notes print, and replays to the fitted weights bit for bit."""

from __future__ import annotations

import importlib
import os
import re
import tracemalloc
import warnings
from html.parser import HTMLParser

import matplotlib
import numpy as np
import pytest
from rich.console import Console
from rich.table import Table
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge

import linscope as ls
from linscope.data import frames
from linscope.data.datasets import worked_examples
from linscope.tracing.trace_object import Trace

matplotlib.use("Agg")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

TIES = {"misclassified": "update", "positive": "positive", "negative": "negative"}


def printed_runs():
    """Every perceptron run printed in the notes: name, samples, labels, settings, visits."""
    for name, facts in worked_examples().items():
        for run in facts.get("runs", [facts]):
            if "visits" in run:
                settings = {"tie": TIES[facts["tie"]], "eta0": facts["eta"], "init": run["init"]}
                yield pytest.param(facts, run, settings, id=f"{name} from {run['init']}")


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(("facts", "run", "settings"), list(printed_runs()))
def test_visits_are_those_of_the_notes(facts, run, settings, exact):
    limit = {} if "weights" in run else {"max_iter": 3}
    trace = ls.trace(ls.Perceptron(**settings, **limit), facts["X"], facts["y"], exact=exact)
    if "weights" in run:
        assert len(trace.steps) == len(run["visits"])
        assert trace.replay()[0].tolist() == run["weights"]
    frame = trace.to_frame(backend="dict")
    for step, visit in zip(trace.steps, run["visits"], strict=False):
        t = visit["visit"] - 1
        assert step.number == frame["step"][t] == visit["visit"]
        assert step.sample == frame["sample"][t] == visit["sample"]
        assert step.normalized == frame["normalized"][t] == visit["score"]
        assert step.score == frame["score"][t] == visit["score"] * facts["y"][visit["sample"]]
        assert step.update == frame["update"][t] == visit["misclassified"]
        assert step.before.tolist() == visit["before"]
        assert step.after.tolist() == visit["after"]
        assert [frame[f"w{j}"][t] for j in range(len(visit["after"]))] == visit["after"]
        assert step.x.tolist() == [1, *facts["X"][visit["sample"]]]


def test_or_table_has_the_scores_printed_in_the_notes():
    trace = ls.trace(ls.Perceptron(tie="negative"), ls.datasets.load("or"))
    assert [step.score for step in trace.steps] == [0, 0, 1, 2, 1, 1, 0, 3, 1, 1, 1, 2, 0]
    assert [step.number for step in trace.steps if step.update] == [2, 5, 7, 9]
    assert [step.epoch for step in trace.steps] == [1] * 4 + [2] * 4 + [3] * 4 + [4]


def test_two_points_check_after_the_first_update():
    """The notes: after it, w·x* = -6 is right and w·x0 = -5 is wrong."""
    trace = ls.trace(ls.Perceptron(tie="positive"), ls.datasets.load("two_points"))
    first = trace.steps[1]
    assert first.after @ first.x == -6
    assert trace.steps[2].score == -5
    assert not first.too_small
    assert first.broken == 1
    effects = trace.effects(backend="dict")
    assert effects["fixed"].tolist() == [True, True]
    assert effects["broken"].tolist() == [1, 0]
    assert effects["mistakes_after"].tolist() == [1, 0]


def test_solutions_900_to_915_of_the_endless_run():
    data = ls.datasets.load("non_separable")
    trace = ls.trace(ls.Perceptron(**data.settings), data, criterion=True)
    frame = trace.to_frame(updates=(900, 915), backend="dict")
    assert frame["k"].tolist() == list(range(900, 916))
    assert frame["update"].all()
    path = trace.path(updates=(900, 915))
    assert np.array_equal(np.column_stack([frame[f"w{j}"] for j in range(3)]), path[1:])
    everything = trace.to_frame(backend="dict")
    rows = np.flatnonzero(everything["update"])[899:915]
    for name in ("step", "w0", "w1", "w2", "mistakes", "criterion", "score"):
        assert np.array_equal(frame[name], everything[name][rows])
    assert len(set(frame["mistakes"].tolist())) > 1  # some are good and some are not


RULES = {
    "given order": {},
    "shuffled": {"shuffle": True, "random_state": 3},
    "inverse rate": {"schedule": "inverse", "eta0": 0.3},
    "margin": {"margin": 0.7, "eta0": 0.1},
    "positive tie": {"tie": "positive", "stop": "pass"},
    "random init": {"init": "random", "random_state": 5},
    "class weight": {"class_weight": "balanced"},
    "no intercept": {"fit_intercept": False},
    "averaged": {"output": "averaged"},
    "pocket": {"output": "pocket"},
    "voted": {"output": "voted"},
    "pairs": {"multi_class": "ovo", "shuffle": True, "random_state": 1},
    "batch": {"rule": "batch"},
    "batch, inverse, shuffled": {"rule": "batch", "schedule": "inverse", "shuffle": True},
    "mini-batch": {"rule": "mini-batch", "batch_size": 7},
    "mini-batch, all": {
        "rule": "mini-batch",
        "batch_size": 11,
        "shuffle": True,
        "random_state": 2,
        "schedule": "inverse",
        "multi_class": "ovo",
        "class_weight": {0: 0.3},
        "margin": 0.2,
    },
}


def three_classes(n=60, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[np.abs(X) < 0.3] = 0.0
    return X, np.digitize(X[:, 0] + 0.5 * rng.normal(size=n), [-0.5, 0.5])


@pytest.mark.parametrize("form", ["dense", "sparse", "float32"])
@pytest.mark.parametrize("rule", RULES)
def test_replay_gives_the_fitted_weights_bit_for_bit(rule, form):
    X, y = three_classes()
    X = {"dense": X, "sparse": sparse.csr_array(X), "float32": X.astype(np.float32)}[form]
    trace = ls.trace(ls.Perceptron(max_iter=20, **RULES[rule]), X, y)
    results = trace.estimator.results_
    assert len(results) == 3
    for state, result in zip(trace.replay(), results, strict=True):
        assert np.array_equal(state, result.weights)
    # The frame ends with the same weights, whatever the windows it is made in.
    frame = trace.to_frame(backend="dict")
    for name, result in zip(trace.problems, results, strict=True):
        last = np.flatnonzero(frame["problem"] == name)[-1]
        shown = result.weights[0 if trace.estimator.fit_intercept else 1 :]
        columns = [c for c in frame if re.fullmatch(r"w\d+", c)]
        assert np.array_equal([frame[c][last] for c in columns], shown)
        assert frame["step"][last] == result.log.n_batches
    assert frame["update"].sum() == sum(len(result.log) for result in results)


@pytest.mark.parametrize("rule", ["single", "batch", "mini-batch"])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_kernel_replay_bit_for_bit(kernel, rule):
    X, y = three_classes(40)
    model = ls.KernelPerceptron(
        kernel=kernel, rule=rule, batch_size=9, shuffle=True, random_state=0, max_iter=15
    )
    trace = ls.trace(model, X, y)
    for state, result in zip(trace.replay(), trace.estimator.results_, strict=True):
        assert np.array_equal(state, result.weights)
    frame = trace.to_frame(backend="dict")
    assert ("w0" in frame) == (kernel == "linear")
    assert ("alpha" in frame) == (rule == "single")
    last = np.flatnonzero(frame["problem"] == trace.problems[-1])[-1]
    alpha = trace.replay()[-1][len(X) :]
    assert frame["support"][last] == np.count_nonzero(alpha)
    if rule == "single":
        assert frame["alpha"][last] == alpha[frame["sample"][last]]
    if kernel == "linear":
        weights = [frame[f"w{j}"][last] for j in range(5)]
        np.testing.assert_allclose(weights[1:], alpha @ X, rtol=1e-12)
        np.testing.assert_allclose(weights[0], alpha.sum(), rtol=1e-12)


def test_precomputed_kernel():
    X, y = ls.datasets.load("or")
    trace = ls.trace(ls.KernelPerceptron(kernel="precomputed"), X @ X.T, y)
    plain = ls.trace(ls.KernelPerceptron(kernel="linear"), X, y)
    assert trace.to_frame(backend="dict")["score"].tolist() == [s.score for s in plain.steps]
    assert "visit" in str(trace)


def test_the_score_decides_the_verdict():
    X, y = three_classes()
    signs = np.where(y == 1, 1, -1)
    trace = ls.trace(ls.Perceptron(margin=0.5, max_iter=30), X, signs)
    frame = trace.to_frame(backend="dict")
    assert np.array_equal(frame["normalized"] <= 0.5, frame["update"])
    assert np.array_equal(frame["normalized"], signs[frame["sample"]] * frame["score"])


def criterion_of(w, X, y, tie="update", margin=0.0):
    normalized = y * (np.column_stack([np.ones(len(X)), X]) @ w)
    wrong = (normalized <= margin) if tie == "update" else (normalized < margin)
    return wrong.sum(), (margin - normalized)[wrong].sum()


@pytest.mark.parametrize("rule", ["single", "batch", "mini-batch"])
def test_criterion_is_that_of_the_weights_after_the_step(rule):
    X, y = three_classes(30)
    signs = np.where(y == 1, 1, -1)
    trace = ls.trace(ls.Perceptron(rule=rule, batch_size=8, max_iter=6), X, signs, criterion=True)
    frame = trace.to_frame(backend="dict")
    for t, step in enumerate(trace.steps):
        mistakes, value = criterion_of(step.after, X, signs)
        assert frame["mistakes"][t] == mistakes
        assert frame["criterion"][t] == pytest.approx(value, rel=1e-12, abs=1e-12)
        # J_p is ‖w‖ times the sum of the distances of the mistakes to the hyperplane.
        length = np.linalg.norm(step.after[1:])
        if length:
            distances = np.abs(step.after[0] + X @ step.after[1:]) / length
            wrong = signs * (step.after[0] + X @ step.after[1:]) <= 0
            assert value == pytest.approx(length * distances[wrong].sum())


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("rule", ["single", "mini-batch"])
def test_effects_count_what_an_update_did(rule, exact):
    X, y = three_classes(25)
    X = np.round(X, 2)
    signs = np.where(y == 1, 1, -1)
    trace = ls.trace(ls.Perceptron(rule=rule, batch_size=6, max_iter=4), X, signs, exact=exact)
    effects = trace.effects(backend="dict")
    path = trace.path()
    rows = np.column_stack([np.ones(len(X)), X])
    for k in range(trace.n_updates):
        before, after = (signs * (rows @ path[j]) <= 1e-12 for j in (k, k + 1))
        assert effects["mistakes_before"][k] == before.sum()
        assert effects["mistakes_after"][k] == after.sum()
        assert effects["broken"][k] == (after & ~before).sum()
        if rule == "single":
            assert effects["fixed"][k] == (not after[effects["sample"][k]])
            step = trace.steps[int(effects["step"][k]) - 1]
            assert step.too_small == (not effects["fixed"][k])
            assert step.broken == effects["broken"][k]
        else:
            assert effects["fixed"][k] == (before & ~after).sum()
    part = trace.effects(updates=(2, 3), backend="dict")
    assert part["update"].tolist() == [2, 3]
    assert part["broken"].tolist() == effects["broken"][1:3].tolist()


def test_first_rise_of_the_criterion():
    trace = ls.trace(ls.Perceptron(tie="positive"), ls.datasets.load("two_points"))
    rise = trace.first_rise()
    assert (rise.step, rise.update, rise.before, rise.after) == (2, 1, 0, 5)
    assert trace.monotonic() is False
    frame = ls.trace(ls.Perceptron(), [[1.0], [2.0]], [-1, 1])
    values = frame.to_frame(criterion=True, backend="dict")["criterion"]
    rises = np.flatnonzero(np.diff(np.r_[0.0, values]) > 0)
    assert frame.first_rise().step == rises[0] + 1
    quiet = ls.trace(ls.Perceptron(init=[0, 1]), [[-1.0], [1.0]], [-1, 1])
    assert quiet.monotonic() is True


@pytest.mark.slow
def test_ten_million_visits_are_traced_without_objects():
    n, d = 2000, 2
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=n) > 0, 1, -1)
    ls.trace(ls.Perceptron(max_iter=2), X, y).steps[-1]  # compiled before memory is counted
    model = ls.Perceptron(max_iter=5000)
    tracemalloc.start()
    trace = ls.trace(model, X, y)
    assert len(trace.steps) == 10_000_000
    last = trace.steps[9_999_999]
    middle = trace.steps[5_000_000]
    shown = trace.to_frame(start=9_999_001, backend="dict")
    text = trace.to_markdown()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300e6  # the log itself, while it grows
    assert np.array_equal(last.after, trace.estimator.results_[0].weights)
    assert middle.number == 5_000_001
    assert len(shown["step"]) == 1000
    assert "9,999,975 more" in text
    assert len(trace.steps[10:9_999_990:7]) > 1_000_000


@pytest.mark.slow
def test_checkpoints_agree_with_a_plain_replay(monkeypatch):
    X, y = three_classes(50)
    signs = np.where(y == 1, 1, -1)
    for rule in ("single", "mini-batch"):
        monkeypatch.setattr("linscope.tracing.checkpoints.CHECKPOINT_EVERY", 8)
        monkeypatch.setattr("linscope.tracing.replay.WINDOW_NUMBERS", 64)
        model = ls.Perceptron(rule=rule, batch_size=5, max_iter=20, shuffle=True, random_state=0)
        cut = ls.trace(model, X, signs)
        backwards = [cut.steps[k].after.tolist() for k in range(len(cut.steps) - 1, -1, -1)]
        pieces = cut.to_frame(backend="dict", criterion=True)
        monkeypatch.undo()
        whole = ls.trace(model, X, signs).to_frame(backend="dict", criterion=True)
        for name, column in whole.items():
            assert np.array_equal(pieces[name], column), name
        weights = np.column_stack([whole[f"w{j}"] for j in range(5)])
        assert np.array_equal(weights, backwards[::-1])


def test_steps_are_a_sequence():
    trace = ls.trace(ls.Perceptron(tie="negative"), ls.datasets.load("or"))
    steps = trace.steps
    numbers = [step.number for step in steps]
    assert numbers == list(range(1, 14))
    assert steps[-1].number == 13
    assert [s.number for s in steps[2:6]] == [3, 4, 5, 6]
    assert [s.number for s in steps[::-4]] == [13, 9, 5, 1]
    assert [s.number for s in steps[4:][1:3]] == [6, 7]
    with pytest.raises(IndexError):
        steps[13]


def test_steps_of_several_problems_follow_each_other():
    X, y = three_classes()
    trace = ls.trace(ls.Perceptron(multi_class="ovo", max_iter=3), X, y)
    counts = [result.log.n_batches for result in trace.estimator.results_]
    steps = list(trace.steps)
    assert len(steps) == len(trace.steps) == sum(counts)
    assert [step.problem for step in steps] == list(np.repeat(trace.problems, counts))
    assert trace.steps[counts[0]].number == 1
    # Samples are rows of the table that was given, not of the pair.
    for step in steps:
        assert step.x[1:].tolist() == X[step.sample].tolist()
    one = trace.to_frame(problem=trace.problems[1], backend="dict")
    assert set(one["problem"]) == {trace.problems[1]}
    with pytest.raises(ValueError, match="no problem is called"):
        trace.to_frame(problem="nobody")


def test_rows_without_weight_keep_their_numbers():
    X, y = ls.datasets.load("or")
    trace = ls.trace(ls.Perceptron(), X, y, sample_weight=[1, 0, 2, 1])
    assert {step.sample for step in trace.steps} == {0, 2, 3}
    assert np.array_equal(trace.replay()[0], trace.estimator.results_[0].weights)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_of_every_library(backend):
    library = importlib.import_module(backend)
    for exact in (False, True):
        trace = ls.trace(ls.Perceptron(tie="negative"), ls.datasets.load("or"), exact=exact)
        frame = trace.to_frame(backend=backend)
        assert type(frame).__module__.split(".")[0] in (library.__name__, "pyarrow")
        names = list(frame.columns) if backend != "pyarrow" else frame.column_names
        assert names == [
            *("step", "epoch", "sample", "score", "normalized", "update", "w0", "w1", "w2")
        ]
        assert len(frame) == 13


def test_without_frame_libraries_a_dict_comes_with_a_note(monkeypatch):
    monkeypatch.setattr(frames, "BACKENDS", ())
    trace = ls.trace(ls.Perceptron(), ls.datasets.load("or"))
    with pytest.warns(UserWarning, match="dict of arrays"):
        assert isinstance(trace.to_frame(), dict)
    with pytest.raises(ValueError, match="unknown"):
        trace.to_frame(backend="excel")


def test_csv_reads_back():
    trace = ls.trace(ls.Perceptron(tie="negative"), ls.datasets.load("or"))
    lines = trace.to_csv(criterion=True).splitlines()
    assert lines[0].split(",")[-2:] == ["mistakes", "criterion"]
    assert len(lines) == 14
    assert lines[2].startswith("2,1,1,0.0,0.0,True,1.0,0.0,1.0")


@pytest.fixture
def students() -> Trace:
    data = ls.datasets.load("students")
    return ls.trace(ls.Perceptron(**data.settings), data)


@pytest.mark.parametrize("width", [80, 100, 120])
def test_ledger_is_the_slide(students, width):
    table = students.ledger(width=width)
    assert isinstance(table, Table)
    console = Console(width=width, no_color=True)
    with console.capture() as capture:
        console.print(table)
    shown = capture.get()
    assert max(len(line) for line in shown.splitlines()) <= width
    for name in ("Jane", "Steve", "Mary", "Peter"):
        assert shown.count(name) == 2
    for words in ("visit", "verdict", "correct", "mistake", "tie update", "η = 1", "stop streak"):
        assert words in shown
    assert "[−0.75  1.25 −0.75 −0.75 −0.75]" in shown
    assert "good attendance" in shown


@pytest.mark.parametrize("width", [80, 100, 120])
def test_ledger_of_wide_tables_fits_without_cutting_words(width):
    X = np.random.default_rng(0).normal(size=(30, 12))
    trace = ls.trace(ls.Perceptron(), X, X[:, 0] > 0, criterion=True)
    console = Console(width=10_000)
    table = trace.ledger(width=width, updates=(1, 5))
    table.title = table.caption = None
    assert console.measure(table).maximum <= width
    with console.capture() as capture:
        console.print(table)
    for words in ("visit", "verdict", "mistake →", "weights", "mistakes", "J_p"):
        assert words in capture.get()


def test_markdown_has_one_line_per_visit(students):
    lines = [line for line in students.to_markdown().splitlines() if line.startswith("|")]
    assert len(lines) == 2 + 8
    assert {line.count("|") for line in lines} == {8}
    assert sum("mistake → update" in line for line in lines) == 3


HOSTILE = ["a|b", "<script>alert(1)</script>", "50% & more_\\", "$x$ #{1}"]


def hostile_trace(**options):
    X, y = ls.datasets.load("or")
    return ls.trace(ls.Perceptron(), X, y, sample_names=HOSTILE, title="T & <b>_|", **options)


def test_markdown_escapes():
    lines = [line for line in hostile_trace().to_markdown().splitlines() if line.startswith("|")]
    bare = [re.sub(r"\\.", "", line) for line in lines]
    assert {line.count("|") for line in bare} == {8}
    assert not any("<" in line for line in bare)


class Cells(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text, self.open = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_html_escapes_and_closes():
    parser = Cells()
    parser.feed(hostile_trace()._repr_html_())
    assert not parser.open
    assert "script" not in parser.tags
    assert HOSTILE[1] in parser.text
    assert parser.tags.count("th") == 7
    assert parser.tags.count("td") % 7 == 0


@pytest.mark.parametrize("longtable", [False, True])
@pytest.mark.parametrize("exact", [False, True])
def test_latex_is_well_formed(longtable, exact):
    text = hostile_trace(exact=exact, criterion=True).to_latex(longtable=longtable)
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    kind = "longtable" if longtable else "tabular"
    assert f"\\begin{{{kind}}}{{rllrrllrr}}" in body
    assert body.count(f"\\begin{{{kind}}}{{rll") == body.count(f"\\end{{{kind}}}\n") == 1
    assert all(ord(c) < 128 for c in body)
    plain = re.sub(r"\\[&%$#_{}\\]", "", body)
    depth = np.cumsum([(c == "{") - (c == "}") for c in plain])
    assert depth.min() >= 0
    assert depth[-1] == 0
    rows = [line for line in plain.splitlines() if line.count("&")]
    assert "equation: " in plain.splitlines()[-1]
    assert {line.count("&") for line in rows} == {8}
    assert all(line.count("$") % 2 == 0 for line in rows)
    assert not re.search(r"[#%_~^]", re.sub(r"J_p|10\^", "", "\n".join(rows)))


def test_long_tables_show_the_first_and_last_rows():
    data = ls.datasets.load("non_separable")
    trace = ls.trace(ls.Perceptron(**data.settings, max_iter=100), data)
    lines = [line for line in trace.to_markdown().splitlines() if line.startswith("|")]
    assert len(lines) == 2 + 25 + 1
    assert "475 more" in lines[22]
    assert lines[-1].startswith("| 500 |")
    short = [line for line in trace.to_markdown(max_rows=4).splitlines() if line[:2] == "| "]
    assert len(short) == 2 + 4 + 1
    everything = trace.to_markdown(max_rows=None).splitlines()
    assert sum(line.startswith("|") for line in everything) == 502
    some = trace.to_frame(start=10, stop=12, backend="dict")
    assert some["step"].tolist() == [10, 11, 12]
    nothing = trace.to_frame(start=10_000, backend="dict")
    assert len(nothing["w0"]) == 0
    assert "verdict" in trace.to_markdown(start=10_000)
    trace.ledger(start=10_000)


@pytest.mark.parametrize(
    "which",
    [{"start": 0}, {"start": 5, "stop": 2}, {"updates": (0, 3)}, {"updates": (4, 2)},
     {"updates": 3}, {"start": 2, "updates": (1, 2)}, {"problem": 1}],
)  # fmt: skip
def test_impossible_ranges_raise(which):
    trace = ls.trace(ls.Perceptron(), ls.datasets.load("or"))
    with pytest.raises(ValueError, match=r"start|updates|problem"):
        trace.to_frame(**which)


def test_names_come_from_a_pandas_index():
    import pandas as pd

    data = ls.datasets.load("students")
    X = pd.DataFrame(data.X, columns=data.feature_names, index=data.sample_names)
    trace = ls.trace(ls.Perceptron(), X, data.y)
    assert trace.steps[0].name == "Jane"
    assert "good attendance" in trace.to_markdown()
    assert ls.trace(ls.Perceptron(), X.reset_index(drop=True), data.y).sample_names is None


def test_the_estimator_is_not_touched_and_warnings_pass():
    model = ls.Perceptron(max_iter=2)
    with pytest.warns(ConvergenceWarning) as caught:
        trace = ls.trace(model, ls.datasets.load("xor"))
    assert caught[0].filename == __file__
    assert not hasattr(model, "coef_")
    assert trace.estimator.n_iter_ == 2


def test_bad_input_is_refused():
    X, y = ls.datasets.load("or")
    with pytest.raises(TypeError, match=r"LinearRegression and Ridge, not of sklearn.*Ridge"):
        ls.trace(Ridge(), X, y)
    with pytest.raises(ValueError, match="y is missing"):
        ls.trace(ls.Perceptron(), X)
    with pytest.raises(ValueError, match="rule"):
        ls.trace(ls.Perceptron(rule="guess"), X, y)
    with pytest.raises(ValueError, match="sample_names"):
        ls.trace(ls.Perceptron(), X, y, sample_names=["one"])
    with pytest.raises(ValueError, match="max_rows"):
        ls.trace(ls.Perceptron(), X, y).to_markdown(max_rows=0)


def test_callbacks_of_scikit_learn_are_called():
    from sklearn.callback import ProgressBar

    model = ls.Perceptron(max_iter=3)
    model.set_callbacks(ProgressBar())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trace = ls.trace(model, *ls.datasets.load("or"))
    assert trace.estimator.n_iter_ == 3


@pytest.mark.parametrize("size", [1e149, 1e100, 1e-160])
@pytest.mark.parametrize("rule", ["single", "batch", "mini-batch"])
def test_extreme_values_replay_and_stay_finite(size, rule):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2)) * size
    y = np.where(X @ [1, 2] > 0, 1, -1)
    trace = ls.trace(ls.Perceptron(rule=rule, fit_intercept=False, batch_size=7), X, y)
    assert np.array_equal(trace.replay()[0], trace.estimator.results_[0].weights)
    frame = trace.to_frame(criterion=True, backend="dict")
    assert all(np.isfinite(column).all() for column in frame.values())
    assert frame["mistakes"][-1] == 0


@pytest.mark.slow
def test_plot_and_animation(tmp_path):
    trace = ls.trace(ls.Perceptron(tie="negative"), ls.datasets.load("or"))
    display = trace.plot()
    assert np.array_equal(display.weights, trace.path())
    target = tmp_path / "or.gif"
    before = os.umask(0o022)
    try:
        trace.animate(target, fps=5)
    finally:
        os.umask(before)
    assert target.stat().st_mode & 0o777 == 0o644  # as any new file of the user
    assert target.read_bytes()[:3] == b"GIF"
    assert [p.name for p in tmp_path.iterdir()] == ["or.gif"]
    from PIL import Image

    with Image.open(target) as image:
        assert image.n_frames == trace.n_updates + 1
    with pytest.raises(ValueError, match="gif"):
        trace.animate(tmp_path / "or.exe")
    kernel = ls.trace(ls.KernelPerceptron(kernel="rbf"), ls.datasets.load("or"))
    with pytest.raises(ValueError, match="linear kernel"):
        kernel.plot()


def test_pictures_of_several_problems():
    X, y = three_classes(30, 2)
    trace = ls.trace(ls.Perceptron(max_iter=5), X, y)
    assert len(trace.plot(problem=1).weights) == len(trace.estimator.results_[1].log) + 1


def test_repr_counts():
    trace = ls.trace(ls.Perceptron(tie="negative"), ls.datasets.load("or"))
    assert repr(trace) == "<trace of Perceptron: 13 steps, 4 updates>"
    assert str(trace).count("mistake → update") == 4


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_smallest_numbers_are_replayed():
    X = np.random.default_rng(3).standard_normal((10, 3))
    y = (X @ [1, 2, 3] > 0).astype(int)
    trace = ls.trace(ls.Perceptron(fit_intercept=False), X * 1e-310, y, criterion=True)
    frame = trace.to_frame(backend="dict")
    last = [frame[name][-1] for name in ("w1", "w2", "w3")]
    assert last == trace.estimator.coef_[0].tolist()
    assert "w0" not in frame
