"""The hand-out and the notebook's widget."""

import importlib
import json
import re
import time

import numpy as np
import pytest

import linscope as ls
from linscope.web.catalog import catalog
from linscope.web.hosts import widget as widget_host
from linscope.web.hosts.handout import handout
from linscope.web.samples import sample
from linscope.web.spec import BadSpec


def test_a_handout_has_everything_inside():
    spec = {**sample("xor"), "algorithm": "perceptron", "params": {"max_iter": 3}}
    spec["data"]["names"] = ["</script><b>", "b", "c", "d"]
    page = handout(spec, lectures=False)
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=\"(?!data:)", page)
    assert page.count("</script>") == 2
    data = re.search(r'id="linscope-data">(.*?)</script>', page, re.S).group(1)
    run = json.loads(data)["run"]
    assert run["points"][0]["name"] == "</script><b>"


def test_the_widget_answers():
    widget = ls.playground(*ls.datasets.load("xor"), algorithm="svm", params={"kernel": "rbf"})
    spec = widget.run["spec"]
    assert spec["algorithm"] == "svm"
    widget.request = {"id": 1, "kind": "fit", "body": {**spec, "algorithm": "fischer"}}
    assert widget.response["ok"] is False
    assert "fisher" in widget.response["error"]
    widget.request = {"id": 2, "kind": "sample", "body": {"name": "or"}}
    assert widget.response["id"] == 2
    assert widget.response["body"]["data"]["labels"] == ["-1", "1", "1", "1"]


def test_a_kernel_goes_on_after_work_that_takes_too_long(monkeypatch):
    monkeypatch.setattr(widget_host, "SECONDS", 0.2)
    widget = ls.playground()
    long = {
        **sample("five_points"),
        "algorithm": "lms-stochastic",
        "params": {"eta0": 0.0123456789, "max_iter": 400},
        "exact": True,
    }
    widget.request = {"id": 1, "kind": "fit", "body": long}
    assert widget.response == {"id": 1, "ok": False, "error": widget_host.TOO_LONG}
    widget.request = {"id": 2, "kind": "sample", "body": {"name": "or"}}
    assert widget.response["ok"] is True


def test_an_import_is_not_cut_in_two(tmp_path, monkeypatch):
    (tmp_path / "slow_to_import.py").write_text("import time; time.sleep(0.3); done = True")
    monkeypatch.syspath_prepend(tmp_path)
    after = []

    def work():
        after.append(importlib.import_module("slow_to_import").done)
        time.sleep(10)

    limited = widget_host.at_most(0.1)(work)
    with pytest.raises(BadSpec):
        limited()
    assert after == [True]


def test_a_table_and_a_regression_in_the_widget():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"height": [1.0, 2.0, 3.0, 4.0]})
    widget = ls.playground(frame, [1.0, 2.5, 3.0, 4.5])
    assert widget.run["mode"] == "regression"
    assert widget.run["features"][0] == "height"


def test_lectures_are_those_of_the_notes():
    titles = [each["title"] for each in catalog()["lectures"]]
    assert "Four students" in titles
    assert "Not separable: iterations 900–915" in titles
    assert len(titles) >= 15


def test_many_points_in_the_widget_are_sampled():
    X = np.random.default_rng(0).normal(size=(5000, 2))
    with pytest.warns(UserWarning, match="random sample of 500 of these 5,000"):
        widget = ls.playground(X, (X[:, 0] > 0).astype(int))
    shown = np.array([[point["u"], point["v"]] for point in widget.run["points"]])
    assert len(shown) == 500
    assert {tuple(row) for row in shown} <= {tuple(row) for row in X}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_widget_answers_windows_of_a_long_run():
    widget = ls.playground(*ls.datasets.load("non_separable"), params={"max_iter": 100})
    spec = widget.run["spec"]
    assert widget.run["total"] == 500
    widget.request = {"id": 1, "kind": "fit", "body": {**spec, "start": 301, "window": True}}
    window = widget.response["body"]
    assert (window["start"], window["states"][-1]["say"][:6]) == (201, "Sample")
    assert len(window["states"]) == 301
