"""The regressions that the notes work out, digit by digit, and their slips."""

from fractions import Fraction

import pytest

from linscope.cli.steps.worked import EXAMPLES, rounded
from linscope.data import datasets


def lines_of(name):
    (example,) = (example for example in EXAMPLES if example.name == name)
    return {line.what: line for line in example.compare(datasets.worked_examples()[name])}


def test_five_points_in_the_digits_of_the_notes():
    lines = lines_of("five_points")
    assert all(line.ok for line in lines.values())
    computed = {what: line.computed for what, line in lines.items()}
    assert computed["their products"] == "0.96 0.16 8.96 0.96 6.16"
    assert computed["sums of squares"] == "14.8 20.8"
    assert computed["s_x and s_y"] == "1.92 2.28"
    assert (computed["slope"], computed["intercept"]) == ("1.16", "1.11")
    assert (computed["correlation r"], computed["RSS"]) == ("0.98", "0.811")


def test_slips_are_shown_and_not_followed():
    """ŷ5 is 213/37 = 5.756…, and (0.57)² is 0.3249."""
    lines = lines_of("five_points")
    slips = {what: line for what, line in lines.items() if line.note}
    assert set(slips) == {"fitted values", "residuals", "their squares"}
    assert slips["fitted values"].printed.endswith("5.75")
    assert slips["fitted values"].computed.endswith(rounded(Fraction(213, 37), "0.00"))
    assert slips["their squares"].printed.split()[1] == "0.345"
    assert slips["their squares"].computed.split()[1] == "0.325"
    squares = [Fraction(text) for text in slips["their squares"].computed.split()]
    assert sum(squares) == Fraction("0.811")


def test_blood_pressure_from_moments():
    lines = lines_of("sbp_age")
    assert {what: line.computed for what, line in lines.items()} == {
        "slope": "0.97",
        "intercept": "98.71",
    }


@pytest.mark.parametrize(
    ("value", "like", "expected"),
    [
        (Fraction(1, 8), "0.00", "0.13"),
        (Fraction(-1, 8), "0.00", "-0.13"),
        (Fraction(-1, 1000), "0.00", "0.00"),
        (Fraction(1999, 1000), "1.00", "2.00"),
        (2, "7", "2"),
    ],
)
def test_rounding_as_on_paper(value, like, expected):
    assert rounded(value, like) == expected


def test_on_the_command_line(run):
    code, out, err = run("examples", "five_points")
    assert (code, err) == (0, "")
    assert "the worked example agrees with the notes, but for the slips" in out
    assert "1.11 +" in out
    code, out, _ = run("examples", "sbp_age")
    assert code == 0
    assert out.endswith("the worked example agrees with the notes\n")


def test_a_slip_must_be_the_known_one(run, monkeypatch):
    facts = datasets.worked_examples()
    fitted = next(
        line for line in facts["five_points"]["derivation"] if line["what"] == "fitted values"
    )
    fitted["slips"] = {"4": "5.77"}
    monkeypatch.setattr(datasets, "worked_examples", lambda: facts)
    code, _, err = run("examples", "five_points")
    assert code == 1
    assert "fitted values" in err
