"""What kind of column is it?

Rules, the first that holds:

constant     no value, or the same in all rows
yes/no       the numbers 0 and 1, or two texts that are a pair such as no/yes, false/true, n/y
date         all texts are dates (see ``dates.py``)
identifier   whole numbers that count the rows: 20 or more, each larger than the one before, spread
             over less than three times their number; or a name that says so (id, customer_id,
             customerId, key, …) with whole numbers or texts of which more than half, or more than
             50, are different
             texts that are nearly all different: all of them, or more than 20 and more than half
text         the same, but of several words or long
number       every other column of numbers, codes of few values included
category     every other column of texts

Constants, identifiers and texts are left out of the features unless they are kept by name; then
numbers are numbers and texts are categories.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from .dates import Dates, find_dates

# Columns with more categories than this have one column for all the rare ones.
COMMON_CATEGORIES = 50
NO_YES = (
    ("no", "yes"),
    ("n", "y"),
    ("false", "true"),
    ("f", "t"),
    ("0", "1"),
    ("off", "on"),
    ("absent", "present"),
    ("negative", "positive"),
    ("nein", "ja"),
    ("non", "oui"),
)
_ID_NAME = re.compile(r"(?i:(.*[_\s.-])?(id|uuid|guid|key|nr|no))|.*[a-z]I[dD]")
_ROW_NAMES = frozenset({"index", "row", "rownames", "rowname", "unnamed: 0", "column_0", "#"})
_LEFT_OUT = ("constant", "identifier", "text")


@dataclass(frozen=True)
class Column:
    """One column of the table as it was read.

    kind : number, yes/no, category, date, text, identifier, constant
    role : feature, target, group, time, or left out
    became : what the models see, such as "5 columns, one per category"; or why it was left out
    """

    name: str
    kind: str
    role: str
    became: str
    missing: int
    distinct: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Kind:
    """The kind of a column, with what is needed to read more of it.

    numeric : the values are numbers, not texts
    values : of a category all texts, sorted; of yes/no the two texts, no first
    dates : how they are written
    missing, distinct, examples : as in ``Column``
    why : why it is an identifier, a text or a constant
    """

    kind: str
    numeric: bool
    missing: int
    distinct: int
    examples: tuple[str, ...]
    values: tuple[str, ...] = ()
    dates: Dates | None = None
    why: str = ""

    @property
    def is_feature(self) -> bool:
        return self.kind not in _LEFT_OUT

    def column(self, name: str, role: str = "", became: str = "") -> Column:
        """The column as a study shows it."""
        role = role or ("feature" if self.is_feature else "left out")
        text = became or (
            self.became() if self.is_feature else f"{self.why}; --keep {name} uses it"
        )
        return Column(name, self.kind, role, text, self.missing, self.distinct, self.examples)

    def became(self) -> str:
        """What the models see of a feature."""
        if self.kind == "yes/no":
            no, yes = self.values
            return f"1 where it is {yes}, 0 where it is {no}"
        if self.kind == "date":
            assert self.dates is not None
            assumed = "; the day is taken to come before the month" if self.dates.assumed else ""
            return f"days since {self.dates.first_text}{assumed}"
        if self.kind == "category":
            return _columns_of_categories(self.values)
        return "a number"


def kind_of(name: str, values: np.ndarray, *, keep: bool = False) -> Kind:
    """The kind of a column of a ``Table``.

    Parameters
    ----------
    name : str
    values : float array (NaN is missing) or object array of text (None is missing)
    keep : bool
        It shall be a feature, whatever it looks like.

    Examples
    --------
    >>> kind_of("colour", np.array(["red", "blue", "red", None], dtype=object)).kind
    'category'
    >>> kind_of("customer_id", np.array([7.0, 3.0, 9.0])).kind
    'identifier'
    """
    find = _kind_of_texts if values.dtype == object else _kind_of_numbers
    return find(name, values, keep)


def number_text(value: float) -> str:
    """A number as short text: 3, not 3.0.

    >>> number_text(3.0), number_text(0.25)
    ('3', '0.25')
    """
    whole = abs(value) < 2**53 and value == int(value)
    return str(int(value)) if whole else repr(float(value))


def _kind_of_numbers(name: str, values: np.ndarray, keep: bool) -> Kind:
    present = values[~np.isnan(values)]
    distinct = np.unique(present)
    shown = tuple(number_text(value) for value in _first_different(present.tolist()))
    facts = (True, len(values) - len(present), len(distinct), shown)
    if distinct.tolist() == [0.0, 1.0]:
        return Kind("yes/no", *facts, values=("0", "1"))
    if not keep and len(distinct) < 2:
        return Kind("constant", *facts, why=_constant(shown))
    if not keep:
        why = _identifying_numbers(name, present, distinct)
        if why:
            return Kind("identifier", *facts, why=why)
    return Kind("number", *facts)


def _identifying_numbers(name: str, present: np.ndarray, distinct: np.ndarray) -> str:
    """Why whole numbers are an identifier, or nothing."""
    n = len(present)
    if not np.array_equal(distinct, np.rint(distinct)):
        return ""
    if _named_as_id(name) and _many(len(distinct), n):
        return _by_name(len(distinct), n)
    counts = n >= 20 and distinct[-1] - distinct[0] < 3 * n and bool((np.diff(present) > 0).all())
    return "it counts the rows, so it says which row, not what the row is like" if counts else ""


def _kind_of_texts(name: str, values: np.ndarray, keep: bool) -> Kind:
    present = [value for value in values.tolist() if value is not None]
    distinct = sorted(set(present))
    shown = tuple(_first_different(present))
    facts = (False, len(values) - len(present), len(distinct), shown)
    if len(distinct) < 2:
        if keep:
            return Kind("category", *facts, values=tuple(distinct))
        return Kind("constant", *facts, why=_constant(shown))
    pair = _no_and_yes(distinct)
    if pair:
        return Kind("yes/no", *facts, values=pair)
    dates = find_dates(distinct)
    if dates:
        return Kind("date", *facts, dates=dates)
    kind, why = ("category", "") if keep else _kind_of_many(name, distinct, len(present))
    return Kind(kind, *facts, values=tuple(distinct) if kind == "category" else (), why=why)


def _kind_of_many(name: str, distinct: list[str], n: int) -> tuple[str, str]:
    m = len(distinct)
    nearly_all = (m == n and n > 2) or (m > 20 and 2 * m > n)
    if nearly_all and _wordy(distinct):
        return "text", f"{m:,} different texts in {n:,} rows, and no model here reads words"
    if nearly_all:
        return (
            "identifier",
            f"{m:,} different texts in {n:,} rows say which row, not what it is like",
        )
    if _named_as_id(name) and _many(m, n):
        return "identifier", _by_name(m, n)
    return "category", ""


def _wordy(texts: list[str]) -> bool:
    words = sum(len(text.split()) for text in texts) / len(texts)
    return words > 1.5 or sum(map(len, texts)) / len(texts) > 40


def _no_and_yes(distinct: list[str]) -> tuple[str, str] | tuple[()]:
    if len(distinct) != 2:
        return ()
    lower = {text.lower(): text for text in distinct}
    for no, yes in NO_YES:
        if lower.keys() == {no, yes}:
            return lower[no], lower[yes]
    return ()


def _named_as_id(name: str) -> bool:
    return name.lower() in _ROW_NAMES or _ID_NAME.fullmatch(name) is not None


def _many(distinct: int, n: int) -> bool:
    return distinct > 50 or 2 * distinct > n


def _by_name(distinct: int, n: int) -> str:
    return f"its name and {distinct:,} different values in {n:,} rows say that it is an identifier"


def _constant(shown: tuple[str, ...]) -> str:
    return f"it is {shown[0]} in every row" if shown else "it has no value in any row"


def _first_different(values: list, count: int = 3) -> list:
    found: dict = {}
    for value in values:
        found.setdefault(value)
        if len(found) == count:
            break
    return list(found)


def _columns_of_categories(values: tuple[str, ...]) -> str:
    m = len(values)
    if m == 2:
        return f"1 where it is {values[1]}, 0 where it is {values[0]}"
    if m > COMMON_CATEGORIES + 1:
        return (
            f"{COMMON_CATEGORIES + 1} columns: the {COMMON_CATEGORIES} commonest of {m:,} "
            "categories, and one for the others"
        )
    return f"{m} column{'s' if m != 1 else ''}, one per category"
