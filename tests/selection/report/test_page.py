"""The report says what the findings hold, in the same bytes each time, and quotes all names."""

import re
from base64 import b64decode, b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from linscope.selection.comparison.findings import AgainstRest, Panels
from linscope.selection.report import twin, words
from linscope.selection.report.figures.svg import VARIABLES
from linscope.selection.report.fragment import notebook_html
from linscope.selection.report.glossary import GLOSSARY, anchor
from linscope.selection.report.page import render
from linscope.selection.report.paragraph import results_paragraph
from linscope.selection.report.tables import difference_rows
from tests.selection.findings_samples import (
    SAMPLES,
    a_number,
    hostile,
    page_of,
    small,
    three_classes,
    two_classes,
)

EVERY = pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
PICTURE = r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]*)"


def pictures(text):
    """The figures of a page as SVG documents."""
    return [b64decode(found).decode() for found in re.findall(PICTURE, text)]


class Page(HTMLParser):
    """Tags and visible text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.hidden = [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.hidden += tag in ("script", "style")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style")

    def handle_data(self, data):
        if not self.hidden:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())

    def values(self, name):
        return [attrs[name] for _, attrs in self.tags if name in attrs]


@pytest.mark.slow
@pytest.mark.parametrize("sample", [small, three_classes])
def test_the_same_findings_give_the_same_bytes(sample):
    assert render(twin.from_json(twin.to_json(sample()))) == page_of(sample)


@pytest.mark.share(3)
@EVERY
def test_the_findings_inside_the_page_are_the_findings(sample, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(page_of(sample), encoding="utf-8")
    assert twin.read_report(path) == sample()


@EVERY
def test_names_inside_the_page_are_unique_and_links_lead_somewhere(sample):
    page = Page(page_of(sample))
    names = page.values("id")
    assert len(names) == len(set(names))
    inside = {value[1:] for value in page.values("href") if value.startswith("#")}
    inside |= set(re.findall(r"url\(#([^)]+)\)", page_of(sample)))
    assert inside <= set(names)
    assert {anchor(term) for term in GLOSSARY} <= set(names)


@EVERY
def test_headings_are_in_order_and_there_is_one_of_the_first_level(sample):
    levels = [int(tag[1]) for tag, _ in Page(page_of(sample)).tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@EVERY
def test_the_page_says_what_the_findings_say(sample):
    found, text = sample(), Page(page_of(sample)).text
    pick = found.recommendation
    said = [pick.answer, pick.linear_words, *pick.reasons, *(flip.words for flip in pick.flips)]
    said += [found.command, found.data.sha256, found.final.inference, found.plan.splits]
    said += [check.words for check in found.checks] + [check.code for check in found.checks]
    said += [each.title for each in found.candidates] + [
        words.sentence(each.why) for each in found.candidates
    ]
    said += [column.name for column in found.data.columns]
    said += [f"{n:,}" for row in found.panels.confusion for n in row]
    places = words.decimals_for([found.headline.score.high - found.headline.score.low], most=3)
    said += [words.fixed(found.headline.score.mean, places)]
    for sentence in said:
        assert " ".join(sentence.split()) in text


@EVERY
def test_the_page_asks_for_nothing_outside(sample):
    page = Page(page_of(sample))
    assert all(re.fullmatch(PICTURE, value) for value in page.values("src"))
    assert all(value.startswith(("#", "data:")) for value in page.values("href"))
    assert "@import" not in page_of(sample)
    assert not re.search(r"url\((?!#)", page_of(sample))
    assert len(page_of(sample).encode()) < 1_000_000


def test_figures_are_those_of_the_task():
    kinds = {name: set() for name in SAMPLES}
    for name, sample in SAMPLES.items():
        page = Page(page_of(sample))
        kinds[name] = {
            attrs["class"] for tag, attrs in page.tags if tag == "figure" and attrs.get("class")
        }
    common = {"differences", "learning", "coefficients"}
    assert kinds["two classes"] == common | {"roc", "pr", "calibration", "matrix", "decision"}
    assert kinds["classes"] == common | {"class-roc", "class-pr", "many", "matrix", "decision"}
    assert kinds["number"] == common | {"residuals", "normal"}


def test_of_several_classes_each_is_named_in_its_curves_and_the_means_are_said():
    found = three_classes()
    text = page_of(three_classes)
    for kind in ("class-roc", "class-pr"):
        figure = text[text.index(f'<figure class="{kind}">') :].partition("</figure>")[0]
        area = "auc" if kind == "class-roc" else "average"
        for each in found.panels.against_rest:
            assert f"{each.label}: {getattr(each, area):.3f}" in pictures(figure)[0]
        assert f"over all classes {found.panels.macro[area]:.3f}." in figure
    smalls = text[text.index('<div class="smalls">') :].partition("</figure>")[0]
    assert len(pictures(smalls)) == 3


@pytest.mark.slow
def test_classes_that_are_not_drawn_are_named():
    found = three_classes()
    adelie, *others = found.panels.against_rest
    late = AgainstRest("Emperor", 0, None, None)
    plain = AgainstRest(adelie.label, adelie.rows, adelie.auc, adelie.average)
    panels = replace(
        found.panels,
        against_rest=(plain, *others, late),
        confusion=((146, 5, 0, 0), (4, 61, 3, 0), (0, 2, 121, 0), (0, 0, 0, 0)),
    )
    data = replace(found.data, classes=(*found.data.classes, "Emperor"), counts=(151, 68, 123, 2))
    text = " ".join(render(replace(found, panels=panels, data=data)).split())
    assert "left out, with larger areas: Adelie." in text
    assert "No held-out row is of Emperor, so there is no curve." in text


def test_colours_of_figures_are_the_pages():
    """A colour that is no variable would stay as it is on dark ground."""
    for sample in SAMPLES.values():
        figures = pictures(page_of(sample))
        assert figures
        for figure in figures:
            colours = figure.count("#") - len(re.findall(r'url\(#|href="#', figure))
            used = set(re.findall(r"var\((--\w+)\)", figure)) - {"--sans"}
            assert colours == 2 * len(used)  # each on light and on dark ground, and no other
            assert all(len(re.findall(f"{name}:#[0-9a-f]{{6}};", figure)) == 2 for name in used)
    style = page_of(two_classes)
    for variable in set(re.findall(r"var\((--\w+)\)", " ".join(VARIABLES.values()))):
        assert style.count(f"{variable}: #") == 2  # on light and on dark ground


def test_the_policy_of_the_page_is_strict():
    """Nothing is loaded, one script runs, and neither links nor forms can be turned elsewhere."""
    (policy,) = [
        attrs["content"]
        for _, attrs in Page(page_of(small)).tags
        if attrs.get("http-equiv") == "Content-Security-Policy"
    ]
    rules = dict(each.strip().split(" ", 1) for each in policy.split(";"))
    script = page_of(small).partition("<script>")[2].partition("</script>")[0]
    assert (
        rules.pop("script-src")
        == f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
    )
    assert rules == {
        "default-src": "'none'",
        "img-src": "data:",
        "style-src": "'unsafe-inline'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_only_a_partial_study_is_marked():
    assert "Partial study" in Page(page_of(three_classes)).text
    assert "Partial study" not in Page(page_of(two_classes)).text


def test_ignored_checks_are_folded_away():
    text = page_of(two_classes)
    folded = text[text.index("1 check ignored") :]
    assert "LS203" in folded
    assert text.index("LS301") < text.index("1 check ignored")


def test_names_from_the_data_are_quoted():
    page = Page(page_of(hostile))
    assert [tag for tag, _ in page.tags].count("script") == 2  # the twin and the page's own
    assert "<script>alert(1)</script>" in page.text
    assert "\"&'" in page.text
    assert "alert(1)</script>" not in page_of(hostile)
    assert "<script>alert(1)" not in notebook_html(hostile())


@EVERY
def test_the_notebook_shows_the_answer_and_the_table(sample):
    found, page = sample(), Page(notebook_html(sample()))
    assert found.recommendation.answer in page.text
    for each in words.finished(found):
        assert each.title in page.text
    assert len(page.tags) - [tag for tag, _ in page.tags].count("i") < 250


def test_a_study_that_was_stopped_early_still_has_a_page():
    """One candidate, no differences, no curves, no figures."""
    found = a_number()
    first = found.candidates[1]
    few = replace(
        found,
        candidates=(first,),
        differences=(),
        curves=(),
        checks=(),
        panels=Panels(),
        final=replace(found.final, coefficients=(), certificate={}, summary=""),
        headline=replace(found.headline, chosen=(first.key,)),
        recommendation=replace(found.recommendation, key=first.key, best=first.key, flips=()),
        partial=True,
    )
    text = Page(render(few)).text
    assert "Partial study" in text
    assert first.title in text
    assert notebook_html(few)


@pytest.mark.parametrize(
    ("better", "equal", "p_holm", "word"),
    [(0.97, 0.03, 1.0, "open"), (0.97, 0.03, 0.04, "better"), (0.94, 0.06, 1e-6, "open"),
     (0.02, 0.01, 1.0, "open"), (0.02, 0.01, 1e-3, "worse"),
     (0.01, 0.98, 1.0, "practically equal"), (0.01, 0.98, 1e-9, "practically equal")],
)  # fmt: skip
def test_the_verdict_agrees_with_the_p_value_beside_it(better, equal, p_holm, word):
    pair = two_classes().differences[0]
    pair = replace(pair, better=better, equal=equal, worse=1 - better - equal, p_holm=p_holm)
    assert words.verdict(pair) == word


@pytest.mark.parametrize("name", SAMPLES)
def test_no_page_says_better_beside_a_large_p(name):
    findings = SAMPLES[name]()
    findings = replace(
        findings, differences=tuple(replace(d, p_holm=1.0) for d in findings.differences)
    )
    rows = difference_rows(findings)
    assert rows
    assert {row["verdict"] for row in rows} <= {"open", "practically equal"}
    assert "was better than" not in results_paragraph(findings)
