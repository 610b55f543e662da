"""What notebooks show of every public object: well-formed, escaped, and readable on any ground."""

import re
from html.parser import HTMLParser

import pytest

import linscope as ls
from linscope.results.notebook import COLOURS

LOAD = ls.datasets.load
HOSTILE = "<script>alert(1)</script>"
VOID = {"br", "hr", "img", "input", "meta", "link", "path"}


def two_of_iris():
    X, y = LOAD("iris")
    return X[y < 2][:, :2], y[y < 2]


def named():
    """A fit with a feature that has a hostile name."""
    import pandas

    X, y = LOAD("or")
    return pandas.DataFrame(X, columns=[HOSTILE, "b"]), y


SHOWN = {
    "estimator": lambda: ls.Perceptron(),
    "fitted": lambda: ls.Perceptron().fit(*named()),
    "many classes": lambda: ls.LogisticRegression().fit(LOAD("iris")),
    "committee": lambda: ls.Perceptron(output="voted").fit(LOAD("or")),
    "kernel machine": lambda: ls.SVC().fit(*two_of_iris()),
    "certificate": lambda: ls.LinearRegression().fit(LOAD("five_points")).certificate_,
    "check": lambda: ls.Perceptron().fit(LOAD("or")).verify(LOAD("or")),
    "failed check": lambda: ls.Check(False, HOSTILE),
    "trace": lambda: ls.trace(ls.Perceptron(), *named()),
    "steps": lambda: ls.trace(ls.Perceptron(), *named()).steps,
    "derivation": lambda: ls.trace(ls.LinearRegression(), LOAD("five_points")),
    "separable": lambda: ls.separability(LOAD("or")),
    "margin": lambda: ls.separability(LOAD("or")).geometric,
    "quasi": lambda: ls.separability([[0], [1], [1], [2]], [HOSTILE, HOSTILE, "b", "b"]),
    "not separable": lambda: ls.separability(LOAD("xor")),
    "class table": lambda: ls.separability(LOAD("iris")),
    "evaluation": lambda: ls.evaluate([HOSTILE, "b"] * 5, [HOSTILE] * 9 + ["b"]),
    "summary": lambda: ls.LinearRegression().fit(LOAD("diabetes")).summary(),
    "diagnosis": lambda: ls.LinearRegression().fit(LOAD("diabetes")).diagnose(),
    "verdict": lambda: ls.LinearRegression().fit(LOAD("diabetes")).diagnose()["linearity"],
    "data set": lambda: LOAD("students"),
    "mixed table": lambda: LOAD("churn"),
    "moments": lambda: LOAD("sbp_age"),
    "descent": lambda: ls.gradient_descent(lambda x: x * x, lambda x: 2 * x, 1.0),
    "path": lambda: ls.path(ls.LogisticRegression(), *two_of_iris(), Cs=[0.1, 1], cv=2),
    "grid": lambda: ls.path(ls.SVC(), *two_of_iris(), Cs=[0.1, 1], cv=2),
}


class Page(HTMLParser):
    """Whether every element that is opened is closed, and what is said."""

    def __init__(self):
        super().__init__()
        self.open, self.said, self.scripts = [], [], 0

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.said.append(data)


def page_of(thing):
    """What Jupyter shows."""
    if hasattr(thing, "_repr_mimebundle_"):
        return thing._repr_mimebundle_()["text/html"]
    return thing._repr_html_()


@pytest.mark.parametrize("name", SHOWN)
def test_every_public_object_is_shown(name):
    thing = SHOWN[name]()
    shown = page_of(thing)
    page = Page()
    page.feed(shown)
    assert page.open == []
    assert HOSTILE not in shown
    if name in ("fitted", "failed check", "trace", "quasi", "evaluation"):
        assert HOSTILE in " ".join(page.said)
    if not hasattr(thing, "get_params"):  # scikit-learn's diagram brings a ground of its own
        colours = re.findall(r"(?<!-)color:(#\w+)", shown)
        assert set(colours) <= set(COLOURS.values())
        assert not re.search(r"background(-color)?:\s*(#|white|black)", shown)


def test_a_fitted_estimator_says_its_equation_and_what_is_proven():
    model = ls.Perceptron().fit(LOAD("or"))
    page = Page()
    page.feed(page_of(model))
    assert model.equation() in page.said
    assert model.certificate_.text in page.said
    short = ls.LogisticRegression().fit(LOAD("breast_cancer"))
    page.feed(page_of(short))
    assert "… > " in " ".join(page.said)


def test_a_data_set_shows_its_first_rows():
    page = Page()
    page.feed(page_of(LOAD("iris")))
    X, _ = LOAD("iris")
    cells = [word for word in page.said if re.fullmatch(r"[\d.]+", word)]
    assert [float(cell) for cell in cells[:4]] == X[0].tolist()
    assert page.said.count("setosa") == 5


def luminance(colour):
    """Relative luminance of the web's guidelines on contrast (WCAG 2)."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("ground", ["#ffffff", "#111111"])
@pytest.mark.parametrize("colour", COLOURS.values())
def test_marks_are_seen_on_light_and_dark_ground(ground, colour):
    low, high = sorted([luminance(ground), luminance(colour)])
    assert (high + 0.05) / (low + 0.05) >= 4
