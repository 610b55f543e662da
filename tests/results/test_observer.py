"""Watching a fit: linscope's observers, its progress bar and scikit-learn's callbacks."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.callback import ProgressBar as SklearnProgressBar
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import linscope as ls
from linscope.results import current_observer

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

MODELS = {
    "perceptron": lambda **settings: ls.Perceptron(**settings),
    "batch": lambda **settings: ls.Perceptron(rule="batch", **settings),
    "kernel": lambda **settings: ls.KernelPerceptron(kernel="linear", **settings),
}


def xor():
    X, y = ls.datasets.load("xor")
    return np.asarray(X, dtype=float), np.asarray(y)


class Recorder(ls.Observer):
    def __init__(self, stop_after=None):
        self.events, self.stop_after = [], stop_after

    def begin(self, task, total):
        self.events.append(("begin", task, total))

    def step(self, done, state):
        self.events.append(("step", done))
        return self.stop_after is not None and done >= self.stop_after

    def end(self):
        self.events.append(("end",))


class Callback:
    """Follows scikit-learn's FitCallback protocol."""

    def __init__(self, stop_after=None):
        self.calls, self.stop_after = [], stop_after

    def setup(self, estimator, context):
        self.calls.append("setup")

    def teardown(self, estimator, context):
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.calls.append(("begin", context.task_name))

    def on_fit_task_end(self, estimator, context):
        self.calls.append(("end", context.task_name))
        return self.stop_after is not None and self.passes() >= self.stop_after

    def passes(self):
        return self.calls.count(("end", "pass"))


@pytest.mark.parametrize("model", MODELS)
def test_observers_see_every_pass(model):
    with ls.observe(Recorder()) as seen:
        fitted = MODELS[model](max_iter=7).fit(*xor())
    assert seen.events[0] == ("begin", f"{type(fitted).__name__} 1/1", 7)
    assert seen.events[1:-1] == [("step", k) for k in range(1, 8)]
    assert seen.events[-1] == ("end",)
    assert type(current_observer()) is ls.Observer


@pytest.mark.parametrize("model", MODELS)
def test_an_observer_can_stop_a_fit(model):
    with warnings.catch_warnings(), ls.observe(Recorder(stop_after=3)):
        warnings.simplefilter("error", ConvergenceWarning)
        fitted = MODELS[model](max_iter=50).fit(*xor())
    assert fitted.n_iter_ == 3
    assert fitted.certificate_.status is ls.Status.STOPPED
    assert not fitted.certificate_.ok
    same = MODELS[model](max_iter=3).fit(*xor())
    np.testing.assert_array_equal(
        fitted.decision_function(xor()[0]), same.decision_function(xor()[0])
    )


def test_a_stop_request_in_the_last_pass_does_not_hide_the_solution():
    X, y = ls.datasets.load("or")
    with ls.observe(Recorder(stop_after=4)):
        model = ls.Perceptron(tie="negative").fit(X, y)
    assert model.certificate_.status is ls.Status.SEPARATED_BY_TIE


def test_nested_observers_are_all_told():
    outer, inner = Recorder(), Recorder(stop_after=2)
    with ls.observe(outer), ls.observe(inner):
        model = ls.Perceptron(max_iter=9).fit(*xor())
    assert model.n_iter_ == 2
    assert outer.events == inner.events


def test_several_problems_are_tasks_one_after_the_other():
    X = np.eye(3)
    with ls.observe(Recorder()) as seen:
        ls.Perceptron().fit(X, ["a", "b", "c"])
    names = [event[1] for event in seen.events if event[0] == "begin"]
    assert names == [f"Perceptron {k}/3" for k in (1, 2, 3)]
    assert sum(event[0] == "end" for event in seen.events) == 3


def test_observers_end_after_errors():
    class Broken(Recorder):
        def step(self, done, state):
            raise RuntimeError("no more paper")

    seen = Broken()
    with pytest.raises(RuntimeError, match="no more paper"), ls.observe(seen):
        ls.Perceptron().fit(*xor())
    assert seen.events[-1] == ("end",)
    assert type(current_observer()) is ls.Observer


def test_progress_bar_draws_and_cleans_up(capsys):
    with ls.progress(after=0.0):
        model = ls.Perceptron(max_iter=20).fit(*xor())
    assert model.n_iter_ == 20
    out, err = capsys.readouterr()
    assert out == ""
    assert "Perceptron 1/1" in err or err.strip() == ""
    with ls.progress(after=1e9):
        ls.Perceptron(max_iter=20).fit(*xor())
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("model", MODELS)
def test_scikit_learn_callbacks_see_every_pass(model):
    callback = Callback()
    fitted = MODELS[model](max_iter=6).set_callbacks(callback).fit(*xor())
    assert fitted.n_iter_ == callback.passes() == 6
    assert callback.calls[:3] == ["setup", ("begin", "fit"), ("begin", "pass")]
    assert callback.calls[-2:] == [("end", "fit"), "teardown"]
    assert callback.calls.count(("begin", "pass")) == 6


@pytest.mark.parametrize("model", MODELS)
def test_a_scikit_learn_callback_can_stop_a_fit(model):
    callback = Callback(stop_after=2)
    fitted = MODELS[model](max_iter=50).set_callbacks(callback).fit(*xor())
    assert fitted.n_iter_ == 2
    assert fitted.certificate_.status is ls.Status.STOPPED
    assert callback.calls.count(("begin", "pass")) == 2


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_callbacks_are_set_up_once_for_several_classes(multi_class):
    callback = Callback()
    X = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0.5]])
    ls.Perceptron(multi_class=multi_class).set_callbacks(callback).fit(X, ["a", "b", "c", "a"])
    assert callback.calls.count("setup") == callback.calls.count("teardown") == 1
    assert callback.calls.count(("begin", "fit")) == callback.calls.count(("end", "fit")) == 1
    assert callback.calls.count(("begin", "pass")) == callback.passes() > 3


def test_callbacks_survive_a_fit_that_is_scaled_inside():
    callback = Callback()
    X, y = np.array([[1e149], [-1e149]]), [1, 0]
    model = ls.Perceptron(eta0=1e20, fit_intercept=False).set_callbacks(callback).fit(X, y)
    assert model.predict(X).tolist() == y
    assert callback.calls.count("setup") == callback.calls.count("teardown") == 1


def test_scikit_learn_progress_bar_and_pipelines(capsys):
    X, y = xor()
    plain = ls.Perceptron(max_iter=5).fit(X, y)
    watched = ls.Perceptron(max_iter=5).set_callbacks(SklearnProgressBar()).fit(X, y)
    np.testing.assert_array_equal(watched.coef_, plain.coef_)
    assert "Perceptron" in "".join(capsys.readouterr())
    pipeline = make_pipeline(StandardScaler(), ls.Perceptron(max_iter=5))
    callback = Callback()
    pipeline[-1].set_callbacks(callback)
    pipeline.fit(X, y)
    assert callback.passes() == pipeline[-1].n_iter_ == 5
    assert callback.calls[0] == "setup"
    assert callback.calls[-1] == "teardown"


def test_callbacks_must_be_callbacks():
    with pytest.raises(TypeError, match="callback"):
        ls.Perceptron().set_callbacks(print)
    model = ls.Perceptron().set_callbacks(Callback())
    assert clone(model).get_params() == model.get_params()
