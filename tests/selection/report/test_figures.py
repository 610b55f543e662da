"""Figures of a comparison show what the findings hold, whatever the reader's settings."""

import re
from base64 import b64decode

import matplotlib
import numpy as np
import pytest

from linscope.selection.comparison.findings import Coefficient
from linscope.selection.report.figures.coefficients import effect_interval, plot_coefficients
from linscope.selection.report.figures.differences import plot_differences
from linscope.selection.report.figures.learning import plot_learning
from linscope.selection.report.figures.scores import plot_scores, scores_display
from linscope.selection.report.figures.svg import OPENING, inline
from tests.figures import drawn
from tests.selection.findings_samples import SAMPLES, a_number, two_classes

EVERY = pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)


def folds(found):
    """Scores of each candidate by title, the greater the better."""
    sign = -1.0 if found.plan.metric == "rmse" else 1.0
    scored = [each for each in found.candidates if each.scores]
    return {each.title: sign * np.array(each.scores[found.plan.metric].folds) for each in scored}


@EVERY
def test_differences_are_those_of_the_folds_and_positive_is_better(sample):
    found, scores = sample(), folds(sample())
    display = plot_differences(found)
    own = scores[display.recommended]
    for name, mean in zip(display.names, display.mean, strict=True):
        assert mean == pytest.approx((own - scores[name]).mean())
    assert set(display.names) == set(scores) - {display.recommended}
    text = drawn(display)
    assert all(name in text for name in display.names)


@EVERY
def test_scores_are_in_order_and_the_band_begins_at_the_best(sample):
    found, scores = sample(), folds(sample())
    display = plot_scores(found)
    assert display.names == sorted(scores, key=lambda name: -scores[name].mean())
    best = max(
        (each.scores[found.plan.metric].mean for each in found.candidates if linear(each)),
        key=lambda mean: -mean if display.less else mean,
    )
    other = best + found.plan.rope * (1 if display.less else -1)
    assert sorted(display.band) == pytest.approx(sorted((best, other)))
    assert display.names[display.recommended] in drawn(display)


def linear(candidate):
    return candidate.scores and candidate.family != "reference"


@pytest.mark.share(3)
@EVERY
def test_learning_curves_and_coefficients_name_what_they_show(sample):
    found = sample()
    text = drawn(plot_learning(found))
    titles = {each.key: each.title for each in found.candidates}
    assert all(titles[curve.key] in text for curve in found.curves)
    text = drawn(plot_coefficients(found))
    assert all(each.name in text for each in found.final.coefficients)


def test_an_interval_is_scaled_with_its_coefficient():
    each = Coefficient("age", -2.0, -20.0, low=-3.0, high=-1.0)
    assert effect_interval(each) == (-30.0, -10.0)
    turned = Coefficient("age", -2.0, 20.0, low=-3.0, high=1.0)
    assert effect_interval(turned) == (-10.0, 30.0)
    assert effect_interval(Coefficient("age", -2.0, -20.0)) == (-20.0, 0.0)


def test_the_readers_settings_neither_change_a_figure_nor_are_changed():
    display, size = scores_display(a_number()), (5.0, 3.0)
    plain = inline(display, "words", size)
    with matplotlib.rc_context({"font.size": 30, "svg.hashsalt": "other", "axes.grid": True}):
        before = dict(matplotlib.rcParams)
        assert inline(display, "words", size) == plain
        assert dict(matplotlib.rcParams) == before


def test_a_figure_says_what_it_shows_and_quotes_it():
    figure = inline(scores_display(two_classes()), 'a "<b>" & c', (5.0, 3.0))
    start, _, rest = figure.partition(OPENING)
    assert start == (
        '<img class="figure" alt="a &#34;&lt;b&gt;&#34; &amp; c" style="aspect-ratio:5/3" src="'
    )
    assert re.fullmatch(r'[A-Za-z0-9+/=]+">', rest)
    assert len(figure) < 30_000
    picture = b64decode(rest[:-2]).decode()
    assert picture.startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 216">')
    assert "DejaVu" not in picture
