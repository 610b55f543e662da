"""What a comparison is asked to do: checked before any work, and written as command and Python."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from linscope.data.question import Question, read_question
from linscope.data.suggest import did_you_mean

from .checks.run import known_codes
from .findings import Asked
from .options import Options
from .scoring.candidates import choose_models
from .scoring.judging import CLASS_METRICS, NUMBER_METRICS, read_metric
from .times import seconds_of

# Names in Python where they differ from those of the command line.
IN_PYTHON = {"group": "groups", "folds": "cv", "seed": "random_state"}


@dataclass(frozen=True, kw_only=True)
class Settings(Asked):
    """Options of ``ls.compare`` and ``linscope compare``; None is the default of the study."""

    def __post_init__(self) -> None:
        """Refuse what is wrong whatever the table; all values as a report holds them."""
        one_of("missing", self.missing, ("drop", "impute"))
        one_of("task", self.task, ("classes", "number"))
        one_of("metric", self.metric, (*CLASS_METRICS, *NUMBER_METRICS))
        _between("level", self.level, 0, 1)
        _between("rope", self.rope, 0, float("inf"), also_least=True)
        _at_least("folds", self.folds, 2)
        _at_least("repeats", self.repeats, 1)
        seconds_of(self.budget)
        plain = {
            "positive": None if self.positive is None else str(self.positive),
            "rope": float(self.rope),
            "level": float(self.level),
        }
        for name, value in plain.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, asked: Asked) -> Settings:
        """What a report says that was asked."""
        return cls(**{field.name: getattr(asked, field.name) for field in fields(Asked)})

    @property
    def asked(self) -> Asked:
        """For the findings."""
        return Asked(**{field.name: getattr(self, field.name) for field in fields(Asked)})

    def read(self, table: Any, name: str, target_values: Any = None) -> Question:
        """The table with its target, or an error that says what to do."""
        known_codes(self.ignore)
        question = read_question(
            table,
            self.target,
            target_values=target_values,
            positive=self.positive,
            missing=self.missing,
            group=self.group,
            time=self.time,
            drop=self.drop,
            keep=self.keep,
            task=self.task,
            name=name,
        )
        read_metric(self.metric, question.task)
        choose_models(question.task, self.models or None)
        return question

    def options(self, command: str = "", python: str = "") -> Options:
        """For the study."""
        return Options(
            metric=self.metric,
            folds=self.folds,
            repeats=self.repeats,
            rope=self.rope,
            level=self.level,
            seed=self.seed,
            budget=seconds_of(self.budget),
            models=self.models or None,
            ignore=self.ignore,
            command=command,
            python=python,
            asked=self.asked,
        )

    def given(self) -> dict[str, Any]:
        """What is not as it is by default."""
        pairs = ((field, getattr(self, field.name)) for field in fields(self))
        return {field.name: value for field, value in pairs if value != field.default}

    def command(self, table: str) -> str:
        """The command that compares the same.

        >>> Settings(target="churn", drop=("id", "claim no"), budget="none").command("my table.csv")
        "linscope compare 'my table.csv' --target churn --drop id --drop 'claim no' --budget none"
        """
        words = ["linscope", "compare", shlex.quote(table)]
        for name, value in self.given().items():
            values = [",".join(value)] if name in ("models", "ignore") else value
            for each in values if isinstance(values, list | tuple) else [value]:
                text = "none" if each is None else str(each)
                joint = "=" if text.startswith("-") else " "  # or it would be an option
                words.append(f"--{name}{joint}{shlex.quote(text)}")
        return " ".join(words)

    def python(self, *table: str, arrays: Iterable[str] = ()) -> str:
        """The call that compares the same; these ``arrays`` are variables there, not columns.

        >>> Settings(target="churn", models=("fisher",), seed=3).python("'churn.csv'")
        "ls.compare('churn.csv', target='churn', models=['fisher'], random_state=3)"
        >>> Settings(group="groups").python("X", "y", arrays=["groups"])
        'ls.compare(X, y, groups=groups)'
        """
        words = [*table]
        for name, value in self.given().items():
            keyword = IN_PYTHON.get(name, name)
            plain = list(value) if isinstance(value, tuple) else value
            words.append(f"{keyword}={keyword if keyword in arrays else repr(plain)}")
        return f"ls.compare({', '.join(words)})"


def one_of(what: str, word: str | None, known: Iterable[str]) -> None:
    """Refuse a word that is not known, with the one that was perhaps meant."""
    known = list(known)
    if word is not None and word not in known:
        hint = did_you_mean(str(word), known) or ";"
        raise ValueError(f"{what} {word!r} is unknown{hint} Choose from {', '.join(known)}")


def _between(
    what: str, value: float, least: float, most: float, *, also_least: bool = False
) -> None:
    if not (least < value < most or (also_least and value == least)):
        limit = f"between {least:g} and {most:g}" if most < float("inf") else "at least 0"
        raise ValueError(f"{what} {value:g}: give a number {limit}")


def _at_least(what: str, value: int | None, least: int) -> None:
    if value is not None and value < least:
        raise ValueError(f"{what} {value}: give a whole number of at least {least}")
