"""Checks do not alarm on clean tables, and do not fall over on awkward ones."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from linscope.selection.comparison.checks import RULES, run_checks
from linscope.selection.comparison.checks.page import checks_page
from linscope.selection.comparison.checks.registry import LEVELS

from .planted import candidate, checks, fitted, labels, plan, question

PAGE = Path(__file__).parents[2] / "docs" / "checks.md"


def clean(seed):
    """Numbers, whole numbers and a category without a fault; the target depends on them."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(120, 500)), int(rng.integers(1, 7))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.integers(-5, 6, d)
    whole = rng.integers(0, 40, (n, 1)).astype(float)
    colour = rng.integers(0, 4, (n, 1)).astype(float)
    signal = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std() + 0.3 * (colour[:, 0] == 2)
    q = {"categories": {d + 1: ["blue", "green", "red", "white"]}}
    p = None
    if seed % 3 == 0:
        y = signal + rng.normal(size=n)
    elif seed % 3 == 1:
        p = 1 / (1 + np.exp(-signal))
        y = np.where(rng.random(n) < p, "yes", "no")
    else:
        y = np.digitize(signal + rng.normal(size=n), [-0.5, 0.5])
    return question(np.hstack([X, whole, colour]), y, **q), p


@pytest.mark.parametrize("seed", range(50))
def test_no_problem_and_no_warning_on_a_clean_table(seed):
    q, p = clean(seed)
    found = checks(q, (candidate(),), probabilities=p)
    assert [c for c in found.values() if c.level != "note"] == []


def test_the_page_is_up_to_date():
    assert PAGE.read_text("utf-8") == checks_page(), (
        "run: python -m linscope.selection.comparison.checks.page > docs/checks.md"
    )


def test_every_check_has_a_code_a_level_and_a_sentence():
    for code, rule in RULES.items():
        assert code == rule.code
        assert code[:2] == "LS"
        assert code[2] in "1234"
        assert rule.level in LEVELS
        assert rule.meaning.endswith(".")


def test_problems_come_first_and_ignored_checks_are_kept():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), labels(rng, 100)
    X[:, 1] = np.where(y == "yes", 1.0, -1.0) * (1 + rng.random(100))
    X[:, 2] = 3.0
    q = question(X, y)
    found = run_checks(q, (), plan(), fitted(q), ignore=["ls131"])
    keys = [(LEVELS.index(c.level), c.code) for c in found]
    assert keys == sorted(keys)
    assert [c.code for c in found if c.ignored] == ["LS131"]
    assert found[0].code == "LS101"


def test_unknown_codes_are_refused():
    rng = np.random.default_rng(0)
    q = question(rng.normal(size=(40, 2)), labels(rng, 40))
    with pytest.raises(ValueError, match=r"no check 'LS211A'; did you mean 'LS211'"):
        run_checks(q, (), plan(), fitted(q), ignore=["LS211a"])


def _awkward():
    rng = np.random.default_rng(1)
    normal = rng.normal(size=(60, 4))
    holes = normal.copy()
    holes[rng.random(holes.shape) < 0.3] = np.nan
    holes[:, 3] = np.nan
    sizes = normal * np.array([1e150, 1e-150, 1e300, 1e-300])
    return {
        "one column": normal[:, :1],
        "one constant column": np.ones((60, 1)),
        "wide": rng.normal(size=(20, 50)),
        "two rows": normal[:2],
        "constant": np.zeros((60, 3)),
        "sizes": sizes,
        "ties": rng.integers(0, 2, (60, 3)).astype(float),
        "holes": holes,
        "sparse": sp.random_array((60, 30), density=0.1, rng=rng, format="csr"),
        "empty sparse": sp.csr_array((60, 3)),
        "far": normal + 1e8,
        "copies": np.repeat(normal[:10], 6, axis=0),
    }


@pytest.mark.parametrize("target", ["two", "three", "number", "constant number"])
@pytest.mark.parametrize("name", list(_awkward()))
def test_awkward_tables_do_not_break_a_check(name, target):
    X = _awkward()[name]
    n = X.shape[0]
    rng = np.random.default_rng(2)
    y = {
        "two": labels(rng, n),
        "three": np.arange(n) % 3,
        "number": rng.normal(size=n) * 1e150,
        "constant number": np.full(n, 2.5),
    }[target]
    for check in checks(question(X, y)).values():
        assert check.words
        assert check.advice
        assert "nan" not in check.words.lower().split()
