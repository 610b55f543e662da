"""Kinds of columns: awkward ones by hand, dates against pandas."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linscope.data.dates import find_dates
from linscope.data.frame_columns import column_of
from linscope.data.kinds import kind_of, number_text

RNG = np.random.default_rng(0)
N = 200
SENTENCES = [f"the customer called about bill number {i}" for i in range(N)]


def kind(name, values, **options):
    return kind_of(name, column_of(values), **options)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        # numbers
        ("age", RNG.integers(18, 80, N), "number"),
        ("code", RNG.integers(1, 4, N), "number"),
        ("code", [1, 2] * 50, "number"),
        ("sign", [-1, 1] * 50, "number"),
        ("weight", np.sort(RNG.normal(size=N)), "number"),
        ("population", np.sort(RNG.permutation(10**6)[:N]), "number"),
        ("x", range(1, 11), "number"),
        ("region_id", RNG.integers(0, 5, N), "number"),
        ("paid", RNG.permutation(N), "number"),
        ("Madrid", RNG.permutation(N), "number"),
        ("id", RNG.normal(size=N), "number"),
        ("down", range(N, 0, -1), "number"),
        # yes/no
        ("flag", [0, 1] * 10, "yes/no"),
        ("flag", [0.0, None, 1.0], "yes/no"),
        ("flag", [True, False, True], "yes/no"),
        ("flag", ["Yes", "No", None, "No"], "yes/no"),
        ("flag", ["TRUE", "FALSE"], "yes/no"),
        ("flag", ["y", "n", "n"], "yes/no"),
        # categories
        ("sex", ["male", "female"] * 10, "category"),
        ("answer", ["yes", "no", "perhaps"] * 10, "category"),
        ("answer", ["yes", "no", "NO"] * 10, "category"),
        ("city", [f"c{i % 60}" for i in range(N)], "category"),
        ("opinion", ["very satisfied with the service", "not satisfied at all"] * 20, "category"),
        ("grade", ["A", "B"], "category"),
        ("mixed", ["2024-01-01", "soon", "soon", "soon"], "category"),
        ("state_id", ["NW", "BY", "BE"] * 20, "category"),
        # identifiers
        ("number", range(1, N + 1), "identifier"),
        ("number", np.cumsum(RNG.integers(1, 4, N)) + 5000, "identifier"),
        ("id", RNG.permutation(N), "identifier"),
        ("customer_id", RNG.permutation(N), "identifier"),
        ("PassengerId", RNG.permutation(N), "identifier"),
        ("ID", [7, 3, 9], "identifier"),
        ("patient_id", np.repeat(range(60), 4), "identifier"),
        ("column_0", range(5), "identifier"),
        ("Unnamed: 0", range(5), "identifier"),
        ("ticket", [f"A{i:05d}" for i in RNG.permutation(N)], "identifier"),
        ("ticket", [f"A{i % 150}" for i in range(N)], "identifier"),
        ("name", ["ann", "bob", "eve"], "identifier"),
        ("patient id", [f"p{i % 60}" for i in range(N)], "identifier"),
        # texts
        ("remark", SENTENCES, "text"),
        ("name", [f"Smith, John {i}" for i in range(N)], "text"),
        ("link", [f"https://example.org/some/long/address/of/item/{i}" for i in range(N)], "text"),
        # constants
        ("c", [3, 3, None, 3], "constant"),
        ("c", ["x"] * 5, "constant"),
        ("c", [None, None], "constant"),
        # dates
        ("d", ["2024-02-01", None, "2024-03-01"], "date"),
        ("d", ["2024-02-01 13:45", "2024-02-01T13:45:30Z", "2024/02/01"], "date"),
        ("d", ["31.01.2024", "01.02.2024"], "date"),
        ("d", ["1 Feb 2024", "28-Sept-2023", "3 March 2024"], "date"),
        ("d", ["Feb 1, 2024", "Dec. 31 2023"], "date"),
        ("version", ["1.2.2024", "45.2.2024", "1.2.2024"], "category"),
    ],
)
def test_kinds(name, values, expected):
    found = kind(name, list(values))
    assert found.kind == expected
    assert found.is_feature == (expected not in ("identifier", "text", "constant"))
    column = found.column(name)
    assert column.role == ("feature" if found.is_feature else "left out")
    assert found.is_feature or f"--keep {name} uses it" in column.became


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("id", RNG.permutation(N), "number"),
        ("ticket", [f"A{i}" for i in range(N)], "category"),
        ("remark", SENTENCES, "category"),
        ("c", [3, 3], "number"),
        ("c", ["x", "x"], "category"),
        ("flag", [0, 1], "yes/no"),
    ],
)
def test_columns_that_are_kept(name, values, expected):
    found = kind(name, list(values), keep=True)
    assert (found.kind, found.is_feature) == (expected, True)


def test_what_a_column_says():
    column = kind("plan", ["b", None, "a", "b", "c", "d"] * 3).column("plan")
    assert (column.missing, column.distinct, column.examples) == (3, 4, ("b", "a", "c"))
    assert column.became == "4 columns, one per category"
    assert kind("f", ["No", "Yes"]).column("f").became == "1 where it is Yes, 0 where it is No"
    assert kind("s", ["m", "f", "m"]).column("s").became == "1 where it is m, 0 where it is f"
    cities = kind("city", [f"c{i % 60}" for i in range(N)]).column("city")
    assert cities.became == "51 columns: the 50 commonest of 60 categories, and one for the others"
    assert kind("c", [3, 3]).column("c").became == "it is 3 in every row; --keep c uses it"
    assert kind("n", [0.25, 1e20, 3]).column("n").examples == ("0.25", "1e+20", "3")


def test_ambiguous_days_and_months():
    assert find_dates(["01/02/2024", "03/04/2024"]).assumed
    assert find_dates(["01/02/2024", "31/04/2024"]) is None  # the 31st of April, or a month 31
    first = find_dates(["01/02/2024", "30/04/2024"])
    assert (first.order, first.assumed) == ("day first", False)
    american = find_dates(["01/02/2024", "04/30/2024"])
    assert (american.order, american.assumed, american.first_text) == (
        "month first",
        False,
        "2024-01-02",
    )
    assert not find_dates(["01.02.2024", "03.04.2024"]).assumed  # points: the day comes first
    column = kind("d", ["01/02/2024", "03/04/2024"]).column("d")
    assert column.became == "days since 2024-02-01; the day is taken to come before the month"


FORMATS = [
    "%Y-%m-%d",
    "%Y/%m/%d %H:%M",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M:%S+0200",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d %b %Y",
    "%B %d, %Y",
    "%d-%b-%Y %H:%M",
]


@pytest.mark.parametrize("form", FORMATS)
def test_days_are_those_of_pandas(form):
    days = pd.Timestamp("1998-01-31") + pd.to_timedelta(RNG.integers(0, 10**7, 50), "m")
    texts = days.strftime(form)
    parsed = pd.to_datetime(texts, format=form.replace("+0200", ""), exact=False)
    expected = (parsed - parsed.min()) / pd.Timedelta(days=1)
    dates = find_dates(texts)
    found = [dates.days(text) for text in texts]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert dates.days("never") is None


def test_offsets_of_time_zones():
    dates = find_dates(["2024-01-01 00:00:00Z"])
    assert dates.days("2024-01-01T02:00+02:00") == 0.0
    assert dates.days("2023-12-31 19:00:00-0500") == 0.0


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_short_text_of_a_number_is_that_number(value):
    assert float(number_text(value)) == value
