"""One table in every format: each says the same, whatever is in it."""

import re
from fractions import Fraction
from html.parser import HTMLParser

import numpy as np
import pytest
from rich.console import Console

import linscope as ls
from linscope.reports import documents
from linscope.reports.cells import Change, Strong, vector
from linscope.reports.formulas import plain, tex
from linscope.reports.table import Column, Row, Table, pieces, shortened
from linscope.reports.terminal import ledger
from linscope.reports.text import five_digits, text

HOSTILE = r"<b>50 % of x_1 & \{y}|*^~$</b>"


def statistics():
    columns = [Column(""), Column("weight", "", True, five_digits, 12)]
    rows = [Row(["odds of A"], heading=True), Row([HOSTILE, 1.5]), Row(["b", 2.5e-7])]
    said = {"facts": [("R²", "0.9613")], "footnotes": [f"A sentence about {HOSTILE}."]}
    return Table(f"A title with {HOSTILE}", [], columns, rows, **said)


def steps():
    columns = [Column("visit", right=True), Column.formula(r"\mathbf{x}", False), Column("α")]
    cells = [vector([1.0, Fraction(-3, 4)]), Change(0.5, 2e-9)]
    rows = [Row([1, *cells], update=True), Row([Strong("2"), HOSTILE, None])]
    return Table("steps", ["a note"], columns, rows)


class Page(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.open, self.words = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.open += [tag] if tag != "br" else []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.mark.parametrize("table", [statistics(), steps()], ids=["statistics", "steps"])
def test_pages_are_closed_and_show_what_was_given(table):
    page = Page(documents.html(table))
    assert page.open == []
    assert HOSTILE in page.words
    for column in table.columns:
        assert column.header == "" or column.header in page.words


@pytest.mark.parametrize("table", [statistics(), steps()], ids=["statistics", "steps"])
@pytest.mark.parametrize("longtable", [False, True])
def test_latex_is_ascii_and_balanced(table, longtable):
    paper = documents.latex(table, longtable)
    lines = [line for line in paper.splitlines() if not line.startswith("%")]
    code = re.sub(r"\\[&%$#_{}\\]", "", "\n".join(lines))
    assert code.isascii()
    assert code.count("{") == code.count("}")
    assert code.count("$") % 2 == 0
    rows = [line for line in lines if line.endswith(r"\\") and "multicolumn" not in line]
    counts = {line.replace(r"\&", "").count("&") for line in rows if "caption" not in line}
    assert counts == {len(table.columns) - 1}


def test_numbers_of_all_formats_agree():
    table = statistics()
    assert "1.5000" in text(table)
    assert "2.500e-07" in text(table)
    assert r"$2.500 \cdot 10^{-7}$" in documents.latex(table)
    assert r"[1\;{-\tfrac{3}{4}}]" in documents.latex(steps())
    assert "[1 −3/4]" in documents.html(steps())
    assert max(map(len, text(table).splitlines())) <= 80


@pytest.mark.parametrize("width", [30, 60, 120])
def test_a_ledger_says_no_more_than_fits(width):
    console = Console(width=width, no_color=True)
    with console.capture() as capture:
        console.print(ledger(steps(), width))
    assert max(map(len, capture.get().splitlines())) <= width


@pytest.mark.parametrize("most", [None, 1, 2, 9, 10, 25, 30, 31])
def test_shortened_tables_count_what_they_leave_out(most):
    rows = shortened(3, 33, most, lambda a, b: [Row([k]) for k in range(a, b)], 1)
    shown = [row.cells[0] for row in rows if not row.gap]
    hidden = sum(row.cells[0].steps for row in rows if row.gap)
    assert len(shown) == min(30, most or 30)
    assert len(shown) + hidden == 30
    assert shown == sorted(shown)
    assert [k for a, b in pieces(3, 33, most) for k in range(a, b)] == shown


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        (r"\frac{a + b}{c \cdot d}", "(a + b) / (c·d)"),
        (r"\frac{1}{\sum_i c_i}\sum_i c_i x_i", "Σ cᵢ xᵢ / Σ cᵢ"),
        (r"\frac{1}{2}\sum (XW - T)^2", "½ Σ (XW − T)²"),
        (r"(X^\top X + \alpha P)^{-1} X^\top T", "(XᵀX + αP)⁻¹ XᵀT"),
        (r"\hat{\boldsymbol\beta} \cdot \bar{\mathbf{x}}", "β̂·x̄"),
        (r"\sqrt{\frac{S_{xx}}{n - 1}}", "√(S_xx / (n − 1))"),
        (r"\|\nabla J_B\|", "‖∇J_B‖"),
        (r"w_{12}", "w₁₂"),
    ],
)
def test_formulas_as_text(formula, words):
    assert plain(formula) == words


def test_every_formula_of_a_derivation_is_read_to_its_end():
    X, y = ls.datasets.load("iris")
    runs = [
        ls.trace(ls.LinearRegression(), X[:, :1], X[:, 3]),
        ls.trace(ls.Ridge(alpha=0.5), X[:, :3], X[:, 3], sample_weight=1.0 + np.arange(150) % 2),
        ls.trace(ls.FisherDiscriminant(), X, y),
        ls.trace(ls.FisherDiscriminant(), X[:100], y[:100]),
        ls.trace(ls.LeastSquaresClassifier(alpha=0.5), X[:100], y[:100]),
    ]
    for step in (step for run in runs for step in run.steps):
        said = f"{step.symbol} {step.formula} {step.numbers}"
        assert not re.search(r"[\\{}<>^]", said), said


def test_words_in_latex():
    assert tex("R² of 50 %") == r"$R^2$ of 50 \%"
    assert tex("a  \n b") == "a b"
