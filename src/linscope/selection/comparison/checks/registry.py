"""All checks: code, title, level, what it means, and the function that looks.

LS1xx are about the table, LS2xx about fits and searches, LS3xx about scores and probabilities,
LS4xx about the assumptions of a regression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from linscope.data.suggest import did_you_mean

from ..findings import Check
from .subject import Subject

LEVELS = ("problem", "warning", "note")
MOST_NAMED = 10
GROUPS = {
    "1": "The table",
    "2": "Fits and searches",
    "3": "Scores and probabilities",
    "4": "Assumptions of a regression",
}


@dataclass(frozen=True)
class Found:
    """What a check has to say: what was found and why it matters, and what to do.

    level : where it is milder than usual for this code
    """

    words: str
    advice: str
    columns: Iterable[str] = ()
    rows: Iterable[int] = ()
    level: str | None = None


Looks = Callable[[Subject], Iterator[Found]]


@dataclass(frozen=True)
class Rule:
    """One check of the registry; ``level`` is its most serious."""

    code: str
    title: str
    level: str
    meaning: str
    look: Looks

    def checks(self, subject: Subject, ignored: bool) -> Iterator[Check]:
        """What it finds, as plain values."""
        for found in self.look(subject):
            yield Check(
                code=self.code,
                level=found.level or self.level,
                title=self.title,
                words=found.words,
                advice=found.advice,
                columns=tuple(str(name) for name in found.columns)[:MOST_NAMED],
                rows=tuple(int(row) for row in found.rows)[:MOST_NAMED],
                ignored=ignored,
            )


RULES: dict[str, Rule] = {}


def rule(code: str, title: str, level: str, meaning: str) -> Callable[[Looks], Looks]:
    """Enter a function into the registry."""

    def enter(look: Looks) -> Looks:
        assert code not in RULES
        assert level in LEVELS
        RULES[code] = Rule(code, title, level, meaning, look)
        return look

    return enter


def known_codes(ignore: Iterable[str]) -> frozenset[str]:
    """The codes to ignore, in capital letters; an error if there is no such check."""
    codes = frozenset(code.strip().upper() for code in ignore)
    for code in sorted(codes - set(RULES)):
        hint = did_you_mean(code, RULES)
        raise ValueError(f"ignore: there is no check {code!r}{hint} docs/checks.md lists all")
    return codes
