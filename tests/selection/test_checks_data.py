"""Each fault of a table is planted, and found by name."""

import numpy as np
import pytest
import scipy.sparse as sp

from .planted import checks, labels, plan, question


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def table(rng):
    """200 rows of 4 independent normal columns, and labels that have nothing to do with them."""
    return rng.normal(size=(200, 4)), labels(rng, 200)


def test_a_number_that_separates(table):
    X, y = table
    X[:, 2] = np.where(y == "yes", 1001.0, 1000.0)
    found = checks(question(X, y))["LS101"]
    assert found.columns == ("x3",)
    yes = (y == "yes").sum()
    assert f"x3 alone separates the classes: all {yes} 'yes' lie above 1000.5" in found.words
    assert found.level == "problem"


def test_the_comparison_of_floats_is_exact(table):
    X, y = table
    X[:, 2] = np.where(y == "yes", np.nextafter(1.0, 2), 1.0)
    assert "LS101" in checks(question(X, y))
    X[np.flatnonzero(y == "yes")[0], 2] = 1.0  # one row on the other side
    assert "LS101" not in checks(question(X, y))


def test_three_classes_in_disjoint_intervals(rng):
    y = np.arange(150) % 3
    X = np.column_stack([rng.normal(size=150), np.array([5.0, 0.0, 9.0])[y] + rng.random(150)])
    found = checks(question(X, y))["LS101"]
    assert found.columns == ("x2",)
    assert "all 50 '1', all 50 '0', all 50 '2'" in found.words
    X[0, 1] = 9.5
    assert "LS101" not in checks(question(X, y))


def test_a_category_that_separates(table, rng):
    X, y = table
    X[:, 1] = np.where(y == "yes", rng.integers(0, 2, 200), 2 + rng.integers(0, 2, 200))
    names = {1: ["a", "b", "c", "d"]}
    assert checks(question(X, y, categories=names))["LS101"].columns == ("x2",)
    X[0, 1] = 3 - X[0, 1]
    assert "LS101" not in checks(question(X, y, categories=names))


def test_a_value_that_is_missing_in_one_class_only(table):
    X, y = table
    X[y == "no", 0] = np.nan
    found = checks(question(X, y))["LS101"]
    assert found.columns == ("x1",)
    assert "missing in all" in found.words


def test_a_sparse_column_that_separates(rng):
    y = labels(rng, 200)
    X = sp.random_array((200, 20), density=0.2, rng=rng).toarray()
    X[:, 4] = y == "yes"
    assert checks(question(sp.csr_array(X), y))["LS101"].columns == ("x5",)


def test_six_rows_are_separated_by_chance():
    y = np.array(["no", "no", "no", "yes", "yes", "yes"])
    assert "LS101" not in checks(question(np.arange(6.0)[:, None] ** 2, y))


@pytest.mark.parametrize("as_text", [False, True])
def test_a_column_that_was_left_out(table, rng, as_text):
    X, y = table
    ids = 2000 + 500 * (y == "yes") + rng.permutation(200)
    values = [f"C{i}" for i in ids] if as_text else ids.astype(float)
    claim = np.array(values, dtype=object if as_text else float)
    q = question(X, y, left_out={"claim_id": claim})
    found = checks(q)
    assert found["LS102"].columns == ("claim_id",)
    assert "claim_id alone separates the classes" in found["LS102"].words
    assert found["LS112"].columns == ("claim_id",)


def test_dropped_rows_are_left_out_of_raw_columns(table):
    X, y = table
    claim = np.where(y == "yes", 3.0, 2.0) + np.arange(200) / 1000
    claim[5] = 2.5 if y[5] == "yes" else 9.0
    keep = np.flatnonzero(np.arange(200) != 5)
    q = question(X[keep], y[keep], left_out={"claim_id": claim}, dropped=1, rows=keep)
    assert "LS102" in checks(q)


def test_the_target_in_other_units(rng):
    X = rng.normal(size=(100, 3))
    y = 20 + 5 * rng.normal(size=100)
    X[:, 1] = 1.8 * y + 32
    found = checks(question(X, y))["LS103"]
    assert found.columns == ("x2",)
    X[:, 1] += 0.01 * rng.normal(size=100)
    assert "LS103" not in checks(question(X, y))


def test_identifiers(table, rng):
    X, y = table
    X[:, 1] = np.arange(1000, 1200)
    X[:, 2] = rng.permutation(200)
    found = checks(question(X, y, names=["a", "b", "customer_id", "d"]))["LS111"]
    assert found.columns == ("b", "customer_id")
    X[:, 2] = rng.integers(0, 150, 200)
    assert "LS111" not in checks(question(X[:, 2:], y))


def test_groups(table, rng):
    X, y = table
    X[:, 0] = rng.integers(0, 40, 200)
    q = question(X, y, names=["patient_id", "a", "b", "c"])
    found = checks(q)["LS113"]
    assert found.columns == ("patient_id",)
    assert "--group patient_id" in found.advice
    assert "LS113" not in checks(q, p=plan(group="patient_id"))
    left = question(X[:, 1:], y, left_out={"user": X[:, 0]}, kinds={"user": "category"})
    assert checks(left)["LS113"].columns == ("user",)


def test_dates(table):
    X, y = table
    q = question(X, y, kinds={"x2": "date"})
    assert "--time x2" in checks(q)["LS114"].advice
    assert "LS114" not in checks(q, p=plan(time="x2"))


def test_repeated_rows(table, rng):
    X, y = table
    X, y = np.vstack([X, X[:15]]), np.r_[y, y[:15]]
    found = checks(question(X, y))["LS121"]
    assert found.words.startswith("15 rows (7 %) equal an earlier row")
    assert found.level == "warning"
    assert set(found.rows) <= {*range(15), *range(200, 215)}


def test_repeated_rows_of_few_values_may_be_chance(rng):
    X = rng.integers(0, 3, (300, 3)).astype(float)
    assert checks(question(X, labels(rng, 300)))["LS121"].level == "note"


def test_equal_features_with_different_targets(table):
    X, y = table
    other = np.where(y[:10] == "yes", "no", "yes")
    found = checks(question(np.vstack([X, X[:10]]), np.r_[y, other]))
    assert "LS121" not in found
    assert found["LS122"].words.startswith("20 rows (9.5 %)")
    assert "more than 95.2 % of this table" in found["LS122"].words  # 200 of 210


def test_the_error_that_no_regression_can_go_below(rng):
    X = np.repeat(rng.normal(size=(100, 2)), 2, axis=0)
    y = np.repeat(rng.normal(size=100), 2) + np.tile([-1.0, 1.0], 100)
    words = checks(question(X, y))["LS122"].words
    assert f"at least {100 / y.std():.1f} % of the standard deviation" in words


def test_near_copies(table, rng):
    X, y = table
    again = X[:20] + 1e-6 * rng.normal(size=(20, 4))
    found = checks(question(np.vstack([X, again]), np.r_[y, y[:20]]))
    assert "LS121" not in found
    assert found["LS123"].level == "warning"
    assert set(found["LS123"].rows) <= {*range(20), *range(200, 220)}


def test_near_copies_that_stay_in_one_fold_are_no_fault(table, rng):
    X, y = table
    X = np.repeat(X[:50], 2, axis=0) + 1e-6 * rng.normal(size=(100, 4))
    group = np.repeat(np.arange(50) % 5, 2)
    folds = [(np.flatnonzero(group != k), np.flatnonzero(group == k)) for k in range(5)]
    assert "LS123" not in checks(question(X, y[:100]), folds=folds)
    assert "LS123" in checks(question(X, y[:100]))


def test_constant_columns(table):
    X, y = table
    X[:, 3] = 7.0
    assert checks(question(X, y))["LS131"].columns == ("x4",)


def test_copies_of_columns(table):
    X, y = table
    X[:, 1], X[:, 3] = X[:, 0], 32 + 1.8 * X[:, 2]
    found = checks(question(X, y))
    assert "x2 equals x1; x4 = 1.8·x3 + 32" in found["LS132"].words
    assert "LS133" not in found
    X[3, 1] += 1e-3
    assert checks(question(X, y))["LS132"].columns == ("x4",)


def test_categories_with_other_words(table, rng):
    X, y = table
    X[:, 0] = rng.integers(0, 3, 200)
    X[:, 1] = np.array([2, 0, 1])[X[:, 0].astype(int)]
    q = question(X, y, categories={0: ["at", "de", "fr"], 1: ["Germany", "France", "Austria"]})
    assert "x2 names the same groups as x1" in checks(q)["LS132"].words


def test_dependent_columns_by_name(table, rng):
    X, y = table
    cents = np.round(100 * rng.random((200, 2))) / 100
    X = np.column_stack([X, cents, cents.sum(axis=1), 10 - 2 * X[:, 0] + 0.5 * X[:, 3]])
    names = ["a", "b", "c", "d", "part_a", "part_b", "total", "mix"]
    words = checks(question(X, y, names=names))["LS133"].words
    assert "total = part_a + part_b" in words
    assert "mix = 10 − 2·a + 0.5·d" in words or "d = −20 + 4·a + 2·mix" in words
    X[0, 6] += 0.01
    assert checks(question(X, y, names=names))["LS133"].columns in (("mix",), ("d",))


@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
def test_relations_at_all_sizes(table, size):
    X, y = table
    X = np.column_stack([X * size, (X[:, 0] + X[:, 1]) * size, X[:, 2] * 4])
    found = checks(question(X, y))
    assert "x5 = x1 + x2" in found["LS133"].words
    assert found["LS132"].columns == ("x6",)


def test_imbalance_as_the_notes_say_it(table):
    X, _ = table
    y = np.array(["negative"] * 190 + ["positive"] * 10)
    found = checks(question(X, y))["LS141"]
    assert "Always answering 'negative' is right in 95 % of the rows" in found.words
    assert found.level == "note"
    assert checks(question(X, y), p=plan(metric="accuracy"))["LS141"].level == "warning"


def test_small_classes(table):
    X, y = table
    y = y.astype(object)
    y[:3] = "maybe"
    found = checks(question(X, y.astype(str)))
    assert "'maybe' (3)" in found["LS142"].words
    assert "3 rows of 'maybe'" in found["LS143"].words


def test_few_rows_for_each_column(rng):
    X = rng.normal(size=(100, 20))
    found = checks(question(X, np.arange(100) % 2))["LS144"]
    assert found.words.startswith("50 rows of the rarest class for 20 columns")
    assert "2.5 for each" in found.words


def test_more_columns_than_rows(rng):
    found = checks(question(rng.normal(size=(40, 60)), np.arange(40) % 2))
    assert found["LS145"].words.startswith("The models see 60 columns in 40 rows")
    assert "LS144" not in found


def test_rare_categories(table):
    X, y = table
    X[:, 0] = np.r_[2, 2, np.arange(198) % 2]
    found = checks(question(X, y, categories={0: ["a", "b", "c"]}))["LS146"]
    assert "x1: 1 of 3 (such as 'c')" in found.words


def test_dropped_rows(table):
    X, y = table
    assert "100 rows of 300 (33.3 %)" in checks(question(X, y, dropped=100))["LS147"].words
    assert "LS147" not in checks(question(X, y, dropped=5))


def test_values_that_decide_a_column(table, rng):
    X, y = table
    X[17, 2] = 1e6
    found = checks(question(X, y))["LS151"]
    assert found.columns == ("x3",)
    assert found.rows == (17,)
    X[:, 2] = np.exp(rng.normal(size=200))  # skewed, as incomes are
    assert "LS151" not in checks(question(X, y))


def test_values_that_decide_the_target(table, rng):
    y = rng.normal(size=200)
    y[3] = -1e5
    found = checks(question(table[0], y))["LS151"]
    assert found.columns == ("churn",)
    assert found.rows == (3,)
