"""The answer fits on one screen, whatever was found, and says what the findings say."""

from dataclasses import replace

import pytest
from rich.cells import cell_len

from linscope.selection.comparison.findings import Check, Flip
from linscope.selection.comparison.screen.answer import LINES, answer
from tests.selection.fake_study import findings

LONG = "a very long sentence about the models and the table that goes on and on, " * 6
HINTS = (
    "linscope compare churn.csv --target churn --drop claim_id",
    "linscope verify r.html t.csv",
)


def wordy():
    """More words, checks and flips than there is room for."""
    found = findings()
    advice = replace(
        found.recommendation,
        answer=LONG,
        linear_words=LONG,
        flips=tuple(Flip("rope", "1", "fisher", LONG) for _ in range(5)),
    )
    checks = tuple(Check("LS101", "problem", LONG, LONG, LONG) for _ in range(12))
    titles = tuple(replace(one, title=one.title + " " + LONG) for one in found.candidates)
    return replace(found, recommendation=advice, checks=checks, candidates=titles, partial=True)


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("found", [findings(), wordy(), replace(findings(), checks=())])
def test_one_screen(found, width):
    lines = answer(found, width=width, report="churn-report.html", hints=HINTS).plain.split("\n")
    assert len(lines) <= LINES < 24
    assert max(map(cell_len, lines)) <= width


def test_a_narrow_screen_is_not_overrun():
    lines = answer(wordy(), width=50, report="churn-report.html").plain.split("\n")
    assert max(map(cell_len, lines)) <= 50


def test_what_can_be_pasted_is_not_cut():
    path = "/a/long/path" * 12 + ".html"
    text = answer(wordy(), report=path).plain
    assert path in text
    assert len(text.split("\n")) + len(path) // 80 <= LINES


def test_what_is_said():
    text = " ".join(answer(findings(), report="churn-report.html", hints=HINTS).plain.split())
    assert text.startswith("Use logistic regression with an L2 penalty")
    assert "Balanced accuracy 0.805, 95 % interval 0.765–0.845, for the whole procedure" in text
    assert "Is linear enough? Yes: gradient" in text
    assert "→ Logistic regression, L2 0.806 0.771–0.841" in text
    assert "Left out: Kernel perceptron" in text
    assert text.index("LS101") < text.index("LS501") < text.index("LS301")  # by level
    assert "--rope 0.006" in text
    assert "churn-report.html" in text


def test_the_table_has_the_recommended_the_best_the_baseline_and_the_reference():
    text = answer(wordy_rows()).plain
    for title in ("Logistic regression, L2", "SVM with rbf", "Majority", "Gradient boosting"):
        assert title in text


def wordy_rows():
    """So many other lines that only few rows of the table have room."""
    return replace(wordy(), candidates=findings().candidates)


def test_ignored_checks_are_not_shown():
    found = findings()
    checks = tuple(replace(check, ignored=check.code == "LS101") for check in found.checks)
    assert "LS101" not in answer(replace(found, checks=checks)).plain
