"""The benchmark case ``auto``: who counts as a peer, what is compared, what is printed."""

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import auto_choice, auto_tables
from benchmarks.auto_choice import Choice, measure, summary
from benchmarks.auto_tables import TABLES, Table, binary_pages
from benchmarks.data import overlapping
from benchmarks.logistic_cases import objective


def choice(**seconds):
    names = {name.replace("_", " "): value for name, value in seconds.items()}
    equal = [name for name in names if name.startswith("sklearn") and "rough" not in name]
    return Choice("x", "x", "newton", names, equal)


def test_ratios_are_those_of_the_best_sibling_and_of_the_best_peer_of_equal_work():
    one = choice(auto=2.0, newton=2.0, lbfgs=1.0, sklearn_a_x=5.0, sklearn_b_x=3.0, sklearn_rough=1)
    assert one.to_sibling == 2.0
    assert one.to_peer == 1.5
    assert one.misses == ["sibling 2.00x (goal 1.3x)"]
    lost = choice(auto=2.0, newton=2.0, sklearn_a_x=1.0)
    assert lost.misses == ["peer 0.50x (goal 1x)"]
    alone = choice(auto=2.0, newton=2.0)
    assert alone.misses == []
    assert alone.row()[5] == "–"
    assert summary([one, lost, alone]).startswith("auto: 1 of 3 tables meet both goals")


def test_a_peer_counts_with_the_largest_tolerance_that_does_equal_work():
    """Each solver at most once, and no worse than linscope's answer by more than 1e-6."""
    data = overlapping(300, 5)
    found = measure("x", Table("dense", lambda: data), budget=0.0)
    solvers = [name.rpartition(" ")[0] for name in found.equal]
    assert len(solvers) == len(set(solvers))
    assert "sklearn newton-cg" in solvers
    least = objective(data, auto_choice.ls.LogisticRegression().fit(data.X, data.y))
    peers = dict(auto_choice._peers(data, 1.0))
    for name in found.equal:
        assert objective(data, peers[name]()) <= least * (1 + auto_choice.TOLERANCE)
        solver, _, tol = name.rpartition(" ")
        looser = [t for t in auto_choice.TOLERANCES if t > float(tol)]
        for larger in looser:
            before = peers[f"{solver} {auto_choice._tol(larger)}"]()
            assert objective(data, before) > least * (1 + auto_choice.TOLERANCE)


def test_the_strength_of_the_penalty_is_that_of_the_table():
    data = overlapping(200, 4)
    (name, fit), *_ = auto_choice._siblings(data, 100.0)
    assert (name, fit().C) == ("auto", 100.0)
    assert all(fit().C == 100.0 for _, fit in auto_choice._peers(data, 100.0))


@pytest.mark.slow
def test_the_command_prints_each_table_and_a_summary(monkeypatch, capsys):
    few = {"small": Table("dense", lambda: overlapping(120, 3))}
    few["pages"] = Table("sparse", lambda: binary_pages(200, 20))
    monkeypatch.setattr(auto_choice, "TABLES", few)
    monkeypatch.setattr(auto_choice, "BUDGET", 0.0)
    assert command.main(["auto"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "small" in out
    assert "pages" in out
    assert "newton" in out
    assert "of 2 tables meet both goals" in out


def test_there_are_tables_of_many_shapes():
    assert len(TABLES) >= 20


def test_texts_are_docstrings_of_packages(monkeypatch):
    monkeypatch.setattr(auto_tables, "PACKAGES", ("json", "wsgiref"))
    many, two = auto_tables.docstrings(two=False), auto_tables.docstrings(two=True)
    assert set(many.y) == {"json", "wsgiref"}
    assert set(two.y) == {-1, 1}
    assert many.X.shape == two.X.shape
    np.testing.assert_allclose(np.sqrt(many.X.power(2).sum(axis=1)), 1.0)  # tf-idf has length 1


def test_binary_pages_have_the_shape_of_w8a():
    X, y, *_ = binary_pages(5000, 300)
    assert X.shape == (5000, 300)
    assert set(np.unique(X.data)) == {1.0}
    assert 8 < X.nnz / 5000 < 14
    assert np.mean(y == 1) == pytest.approx(0.03, abs=0.002)
